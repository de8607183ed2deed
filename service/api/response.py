"""Answering: values as JSON, and every exception as the problem that it is."""

import asyncio
import gzip
import math
from collections.abc import Mapping
from functools import lru_cache
from html import escape
from typing import Any, Final

import msgspec
from litestar import Request
from litestar.exceptions import HTTPException
from litestar.response import Response
from litestar.types import ASGIApp, Receive, Scope, Send

from domain.boards import BoardError
from domain.kernel.rules.documents import DocumentError
from projections.store import NotBuilt, Unavailable
from service.accounts.accounts import BadName, TooManyTokens
from service.accounts.caller import IssuerAway, SignInRefused, TokenEnded, UnknownToken
from service.accounts.invitations import TooManyInvitations
from service.accounts.limits import TooMany, headers_of
from service.accounts.passkeys import PasskeyKnown, PasskeyRefused, TooManyPasskeys
from service.api import problems
from service.api.headers import Header, shielded
from service.api.problems import MEDIA_TYPE, Problem
from service.games.acts import NotOrganizer, NotSeated, TooManyBots
from service.games.cache import GameDamaged, UnknownGame, UnknownVersion
from service.games.requests import StaleVersion, UnknownPlayer, UnknownRuleset
from service.judging.desk import UnknownCase, UnknownStatement
from service.observe.logging import log
from service.pictures.png import NotConverted
from service.pictures.scenes import Unmapped
from service.store.protocol import KeyReused, StoreError, StoreFull, UnknownCursor

encode: Final = msgspec.json.Encoder().encode

PACKED: Final = 4096
"""Texts of at least so many bytes go packed to whoever takes that: frames of a game shrink to a tenth in 2 ms."""
_APART: Final = 65_536
"""From so many bytes on they are packed in a thread, so that nobody waits for it."""
_TEXTS: Final = ("text/", "application/json", "image/svg+xml")

_FAULTS_OF_REQUEST: Final = {
    SignInRefused: problems.SIGN_IN_REFUSED,
    UnknownGame: problems.UNKNOWN_GAME,
    UnknownCase: problems.UNKNOWN_CASE,
    UnknownStatement: problems.UNKNOWN_STATEMENT,
    UnknownRuleset: problems.UNKNOWN_RULESET,
    UnknownVersion: problems.UNKNOWN_VERSION,
    UnknownPlayer: problems.UNKNOWN_PLAYER,
    NotSeated: problems.NOT_SEATED,
    NotOrganizer: problems.NOT_ORGANIZER,
    Unmapped: problems.NO_MAP,
    BoardError: problems.INVALID_BOARD,
    DocumentError: problems.INVALID_DOCUMENT,  # of which a BoardError is one, so it comes after that
    TooManyTokens: problems.TOO_MANY_TOKENS,
    TooManyInvitations: problems.TOO_MANY_INVITATIONS,
    PasskeyRefused: problems.PASSKEY_REFUSED,
    PasskeyKnown: problems.PASSKEY_KNOWN,
    TooManyBots: problems.TOO_MANY_BOTS,
    TooManyPasskeys: problems.TOO_MANY_PASSKEYS,
}

_REMEDIES: Final = {
    404: (problems.UNKNOWN_PATH, "The service has no {path!r}.", "See /docs for every endpoint."),
    405: (problems.METHOD_NOT_ALLOWED, "{path!r} does not take {method}.", "See the Allow header."),
    413: (problems.BODY_TOO_LARGE, "The body has more bytes than this endpoint takes.", "Send less at once."),
}


def answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> "Answered":
    """Return `value` as JSON."""
    return answered(encode(value), status, headers)


def answered(content: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> "Answered":
    """Return what is JSON already."""
    return Answered(content, status, "application/json", headers or {})


class Answered(Response[bytes]):
    """A response that is ready: none of what Litestar's own does to headers, cookies and types is needed for it.

    That would be a sixth of the time that an answer out of memory takes.
    """

    def __init__(
        self, content: bytes, status: int, media_type: str, headers: Mapping[str, str], *, packs: bool = False
    ) -> None:
        """`packs` says that it shrinks, though its media type does not say that it is a text."""
        self.content = content
        self.status_code = status
        self.headers = {"content-type": media_type, "content-length": str(len(content)), **headers}
        self._packed: Answered | None = None
        self._headers: list[Header] | None = None
        self._may_pack = (
            len(content) >= PACKED
            and (packs or media_type.startswith(_TEXTS))
            and "Content-Encoding" not in self.headers
        )
        if self._may_pack:
            vary = self.headers.get("Vary", "Accept-Encoding")
            self.headers["Vary"] = vary if "Accept-Encoding" in vary else f"{vary}, Accept-Encoding"

    @property
    def size(self) -> int:
        """The bytes that it takes in memory, with its packed form, which has a quarter of its length."""
        return len(self.content) * 5 // 4

    # Litestar says ASGIResponse where it calls any ASGI application.
    def to_asgi_response(self, *_: Any, **__: Any) -> ASGIApp:  # type: ignore[reportIncompatibleMethodOverride]
        return self._send

    async def _send(self, scope: Scope, receive: Receive, send: Send) -> None:
        ready = self
        if self._may_pack and takes_gzip(scope):
            ready = self._packed = self._packed or await self._pack()
        # A copy: whoever it passes adds to it, and the answer may be sent to others.
        start: Any = {
            "type": "http.response.start",
            "status": ready.status_code,
            "headers": [*ready._encoded()],
            "shielded": True,
        }
        await send(start)
        await send({"type": "http.response.body", "body": ready.content, "more_body": False})

    def _encoded(self) -> list[Header]:
        """Return the headers as they are sent: made once, for an answer out of memory is sent again and again."""
        if self._headers is None:
            self._headers = [(_name(name), value.encode("latin-1")) for name, value in self.headers.items()]
            shielded(self._headers)
        return self._headers

    async def _pack(self) -> "Answered":
        """Return the same answer packed."""
        content = self.content
        packed = await asyncio.to_thread(_gzip, content) if len(content) >= _APART else _gzip_small(content)
        headers = {**self.headers, "Content-Encoding": "gzip", "content-length": str(len(packed))}
        return Answered(packed, self.status_code, headers["content-type"], headers)


@lru_cache(maxsize=128)
def _name(name: str) -> bytes:
    return name.lower().encode()


@lru_cache(maxsize=128)  # As long as a game stands where it stands, the same bytes are asked for again and again.
def _gzip_small(content: bytes) -> bytes:
    return _gzip(content)


def _gzip(content: bytes) -> bytes:
    return gzip.compress(content, compresslevel=3, mtime=0)


def takes_gzip(scope: Scope) -> bool:
    """Tell whether a request takes packed answers."""
    taken = b",".join([value for name, value in scope["headers"] if name == b"accept-encoding"])
    if b"gzip" not in taken:
        return False
    codings = taken.split(b",")
    weights = (
        weight.strip() for name, _, weight in (coding.partition(b";") for coding in codings) if name.strip() == b"gzip"
    )
    return any(weight.rstrip(b"0.") != b"q=" for weight in weights)


def etag(version: int) -> dict[str, str]:
    """Return the headers that name a version, and keep browsers from storing what was answered.

    The version is the same for every viewer, but what they see is not: from its cache a browser would show the next
    account, by a 304, what the one before saw. Clients that compare versions themselves know which account they mean.
    """
    return {"ETag": f'"{version}"', "Cache-Control": "no-store"}


def weak(tag: str) -> str:
    """Return the ETag of what is the same, but not to the byte: sent packed, or drawn by another compression."""
    return f"W/{tag}"


def unchanged(version: int) -> "Answered":
    """Answer somebody who has what a game shows at a version."""
    return Answered(b"", 304, "application/json", etag(version))


def explained(error: Exception) -> Problem:
    """Return the problem that an exception is."""
    match error:
        case Problem():
            return error
        case StaleVersion():
            return Problem(
                problems.STALE_VERSION,
                str(error),
                f'Read the events after version {max(error.expected)}, then send `If-Match: "{error.head}"`.',
                version=error.head,
            )
        case KeyReused():
            return Problem(
                problems.KEY_REUSED,
                "You used this Idempotency-Key for another request.",
                "Use a new key for a new request.",
            )
        case UnknownToken() | TokenEnded():
            kind = problems.UNKNOWN_TOKEN if isinstance(error, UnknownToken) else problems.TOKEN_ENDED
            headers = {"WWW-Authenticate": 'Bearer error="invalid_token"'}
            return Problem(kind, str(error), kind.remedy, headers=headers)
        case BadName():
            return Problem(problems.INVALID_BODY, error.why, error.allowed, path="$.name")
        case UnknownCursor():
            return Problem(problems.INVALID_QUERY, "This list did not give you this cursor.", "Begin without a cursor.")
        case TooMany():
            seconds = max(1, math.ceil(error.refusing.wait))
            return Problem(
                problems.TOO_MANY_REQUESTS,
                str(error),
                f"Try again in {seconds} second{'s' if seconds > 1 else ''}.",
                headers={"Retry-After": str(seconds), **headers_of(error.standings)},
            )
        case GameDamaged():
            return Problem(problems.INTERNAL_ERROR, "What is stored of this game is damaged.")
        case IssuerAway():
            return Problem(problems.UNAVAILABLE, str(error), headers={"Retry-After": "5"})
        case NotConverted():
            return Problem(problems.UNAVAILABLE, "The picture was not converted.", headers={"Retry-After": "5"})
        case StoreFull():
            detail = "The disk of the database is full: nothing can be stored, but everything can be read."
            return Problem(problems.UNAVAILABLE, detail, headers={"Retry-After": "10"})
        case StoreError():
            return Problem(problems.UNAVAILABLE, "The database does not answer.", headers={"Retry-After": "1"})
        case NotBuilt():
            detail = f"The projection {error.projection!r} is being built from the log."
            return Problem(problems.UNAVAILABLE, detail, headers={"Retry-After": "5"})
        case Unavailable():
            return Problem(problems.UNAVAILABLE, "The projections do not answer.", headers={"Retry-After": "1"})
        case _:
            for kind, problem in _FAULTS_OF_REQUEST.items():
                if isinstance(error, kind):
                    return Problem(problem, str(error), problem.remedy)
            return Problem(problems.INTERNAL_ERROR, "The service failed to answer this request.")


def on_exception(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """Answer an exception; what is our fault goes to the log with its traceback."""
    if isinstance(error, HTTPException) and error.status_code == 400:  # Litestar's own: `request.url` cannot be read
        said = f"The service cannot read the request: {error.detail}."
        problem = Problem(problems.MALFORMED_REQUEST, said, "Send a valid Host header.")
    elif isinstance(error, HTTPException) and error.status_code in _REMEDIES:
        kind, detail, allowed = _REMEDIES[error.status_code]
        said = detail.format(method=request.method, path=request.url.path)
        problem = Problem(kind, said, allowed, headers=error.headers)
    else:
        problem = explained(error)
    log_fault(problem, error)
    if problem.kind is problems.UNKNOWN_PATH and _is_for_people(request):
        return _page_of(problem)
    return problem_response(problem, request.scope.get("request_id", ""))


def _is_for_people(request: Request[Any, Any, Any]) -> bool:
    """Tell whether a browser wants to show the answer as a page. What is below /v1 answers programs."""
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/v1/")


def _page_of(problem: Problem) -> Response[bytes]:
    said = escape(problem.detail)
    page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><title>Not found · Tabularium</title>'
        '<link rel="stylesheet" href="/viewer/styles/room.css"><link rel="stylesheet" href="/viewer/styles/lobby.css">'
        '</head><body class="lobby"><header class="page-header"><a class="home" href="/">'
        '<img src="/favicon.ico" alt="" width="22" height="22"><span>Tabularium</span></a></header>'
        f'<main class="one"><h1>There is no such page</h1><p>{said}</p>'
        '<p><a href="/">To the games</a> · <a href="/rules">Rules</a> · <a href="/docs">Documentation</a></p></main>'
        "</body></html>\n"
    )
    headers = {
        "Content-Security-Policy": "default-src 'self'; base-uri 'none'; frame-ancestors 'none'",
        "Vary": "Accept",
    }
    return Answered(page.encode(), problem.kind.status, "text/html; charset=utf-8", headers)


def log_fault(problem: Problem, error: Exception) -> None:
    """Log an exception with its traceback when the problem is a fault of ours."""
    if problem.kind.status >= 500 and not isinstance(error, NotBuilt):
        log.error("request failed", problem=problem.kind.slug, exc_info=error)


def problem_response(problem: Problem, request_id: str) -> Response[bytes]:
    """Return a problem as it is sent."""
    content = encode(problem.body(f"urn:uuid:{request_id}"))
    return Answered(content, problem.kind.status, MEDIA_TYPE, problem.headers or {})
