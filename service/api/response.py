"""Answering: values as JSON, and every exception as the problem that describes it."""

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
from projections.cursor import UnknownCursor
from projections.store import NotBuilt, Unavailable
from service.accounts.accounts import TooManyTokens
from service.accounts.apps.apps import TooManyClients
from service.accounts.caller import IssuerAway, SignInRefused, TokenEnded, UnknownToken
from service.accounts.invitations import TooManyInvitations
from service.accounts.limits import TooMany, headers_of
from service.accounts.names import BadName
from service.accounts.passkeys import PasskeyKnown, PasskeyRefused, TooManyPasskeys
from service.api.headers import Header, shielded
from service.api.problems.access import TOKEN_ENDED, UNKNOWN_TOKEN
from service.api.problems.accounts import (
    PASSKEY_KNOWN,
    PASSKEY_REFUSED,
    SIGN_IN_REFUSED,
    TOO_MANY_PASSKEYS,
    TOO_MANY_TOKENS,
    UNKNOWN_PLAYER,
)
from service.api.problems.apps import TOO_MANY_CLIENTS
from service.api.problems.cases import UNKNOWN_CASE, UNKNOWN_STATEMENT
from service.api.problems.games import NOT_ORGANIZER, TOO_MANY_BOTS, TOO_MANY_INVITATIONS, UNKNOWN_GAME, UNKNOWN_VERSION
from service.api.problems.imports import TOO_MANY_IMPORTS, UNKNOWN_IMPORT
from service.api.problems.leagues import TOO_MANY_LEAGUES, UNKNOWN_LEAGUE, UNKNOWN_SEASON
from service.api.problems.organizing import TOO_MANY_CONSENTS, TOO_MANY_GAMES, UNKNOWN_BULK
from service.api.problems.play import NOT_SEATED, STALE_VERSION
from service.api.problems.problem import MEDIA_TYPE, Problem
from service.api.problems.request import (
    BODY_TOO_LARGE,
    INTERNAL_ERROR,
    INVALID_BODY,
    INVALID_QUERY,
    KEY_REUSED,
    MALFORMED_REQUEST,
    METHOD_NOT_ALLOWED,
    TOO_MANY_REQUESTS,
    UNAVAILABLE,
    UNKNOWN_PATH,
)
from service.api.problems.rulesets import INVALID_BOARD, INVALID_DOCUMENT, NO_MAP, UNKNOWN_RULESET
from service.api.problems.tournaments import TOO_MANY_TOURNAMENTS, UNKNOWN_ROUND, UNKNOWN_TOURNAMENT
from service.api.problems.webhooks import (
    BAD_TARGET,
    MAIL_OFF,
    PUSH_OFF,
    TOO_MANY_CONFIRMATIONS,
    TOO_MANY_DEVICES,
    TOO_MANY_WEBHOOKS,
    UNKNOWN_DELIVERY,
    UNKNOWN_DEVICE,
    UNKNOWN_WEBHOOK,
    WEBHOOKS_OFF,
)
from service.games.acts import NotOrganizer, NotSeated, TooManyBots
from service.games.cache import UnknownGame, UnknownVersion
from service.games.requests import StaleVersion, UnknownPlayer, UnknownRuleset
from service.imports.imports import ImportsBusy, TooManyImports, UnknownImport
from service.judging.desk import UnknownCase, UnknownStatement
from service.leagues.leagues import TooManyLeagues, UnknownLeague, UnknownSeason
from service.observe.logging import log
from service.organizing.bulks import TooManyGames, UnknownBulk
from service.organizing.consents import TooManyConsents
from service.outward.addresses import BadTarget
from service.pictures.png import NotConverted
from service.pictures.scenes import Unmapped
from service.store.protocol import (
    ArchiveAway,
    KeyReused,
    PartUnavailable,
    StoreDamaged,
    StoreError,
    StoreFull,
    StreamDamaged,
)
from service.tournaments.committee import TooManyTournaments, UnknownRound, UnknownTournament
from service.webhooks.devices import PushOff, TooManyDevices, UnknownDevice
from service.webhooks.mailboxes import MailOff, TooManyConfirmations
from service.webhooks.registry import TooManyWebhooks, UnknownDelivery, UnknownWebhook, WebhooksOff

encode: Final = msgspec.json.Encoder().encode

PACKED: Final = 4096
"""From this size in bytes on, texts are compressed with gzip. Frames of a game shrink to a tenth, in 2 ms."""
_APART: Final = 65_536
"""From this size in bytes on, a thread compresses the text, so that no other request waits for it."""
_TEXTS: Final = ("text/", "application/json", "image/svg+xml")

_FAULTS_OF_REQUEST: Final = {
    SignInRefused: SIGN_IN_REFUSED,
    UnknownGame: UNKNOWN_GAME,
    UnknownCase: UNKNOWN_CASE,
    UnknownStatement: UNKNOWN_STATEMENT,
    UnknownRuleset: UNKNOWN_RULESET,
    UnknownVersion: UNKNOWN_VERSION,
    UnknownPlayer: UNKNOWN_PLAYER,
    NotSeated: NOT_SEATED,
    NotOrganizer: NOT_ORGANIZER,
    Unmapped: NO_MAP,
    BoardError: INVALID_BOARD,
    DocumentError: INVALID_DOCUMENT,  # the base class of BoardError, so it comes after it
    TooManyTokens: TOO_MANY_TOKENS,
    TooManyInvitations: TOO_MANY_INVITATIONS,
    PasskeyRefused: PASSKEY_REFUSED,
    PasskeyKnown: PASSKEY_KNOWN,
    TooManyBots: TOO_MANY_BOTS,
    TooManyPasskeys: TOO_MANY_PASSKEYS,
    UnknownTournament: UNKNOWN_TOURNAMENT,
    UnknownRound: UNKNOWN_ROUND,
    TooManyTournaments: TOO_MANY_TOURNAMENTS,
    UnknownLeague: UNKNOWN_LEAGUE,
    UnknownSeason: UNKNOWN_SEASON,
    TooManyLeagues: TOO_MANY_LEAGUES,
    UnknownWebhook: UNKNOWN_WEBHOOK,
    UnknownDelivery: UNKNOWN_DELIVERY,
    TooManyWebhooks: TOO_MANY_WEBHOOKS,
    WebhooksOff: WEBHOOKS_OFF,
    UnknownDevice: UNKNOWN_DEVICE,
    TooManyDevices: TOO_MANY_DEVICES,
    PushOff: PUSH_OFF,
    MailOff: MAIL_OFF,
    TooManyConfirmations: TOO_MANY_CONFIRMATIONS,
    UnknownBulk: UNKNOWN_BULK,
    TooManyConsents: TOO_MANY_CONSENTS,
    TooManyGames: TOO_MANY_GAMES,
    TooManyClients: TOO_MANY_CLIENTS,
    UnknownImport: UNKNOWN_IMPORT,
    TooManyImports: TOO_MANY_IMPORTS,
}

_REMEDIES: Final = {
    404: (UNKNOWN_PATH, "The service has no {path!r}.", "See /docs for every endpoint."),
    405: (METHOD_NOT_ALLOWED, "{path!r} does not take {method}.", "See the Allow header."),
    413: (BODY_TOO_LARGE, "The body has more bytes than this endpoint takes.", "Send less at once."),
}


def answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> "Answered":
    """Return an answer with `value` as JSON."""
    return answer_json(encode(value), status, headers)


def answer_json(content: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> "Answered":
    """Return an answer whose content is already JSON."""
    return Answered(content, status, "application/json", headers or {})


class Answered(Response[bytes]):
    """A response whose content is complete.

    It skips what Litestar's own does for headers, cookies and types: a sixth of the time of a read from memory.
    """

    def __init__(
        self, content: bytes, status: int, media_type: str, headers: Mapping[str, str], *, packs: bool = False
    ) -> None:
        """`packs` says that compressing is worth it, although the media type is not that of a text."""
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
        """About how many bytes it takes in memory. Its compressed form adds a quarter."""
        return len(self.content) * 5 // 4

    # Litestar's type says ASGIResponse, but it calls any ASGI application.
    def to_asgi_response(self, *_: Any, **__: Any) -> ASGIApp:  # type: ignore[reportIncompatibleMethodOverride]
        return self._send

    async def _send(self, scope: Scope, receive: Receive, send: Send) -> None:
        ready = self
        if self._may_pack and takes_gzip(scope):
            ready = self._packed = self._packed or await self._pack()
        # A copy: middleware adds to it, and the answer may be sent to others.
        start: Any = {
            "type": "http.response.start",
            "status": ready.status_code,
            "headers": [*ready._encoded()],
            "shielded": True,
        }
        await send(start)
        await send({"type": "http.response.body", "body": ready.content, "more_body": False})

    def _encoded(self) -> list[Header]:
        """Return the headers as they are sent: made once, because an answer from memory is sent many times."""
        if self._headers is None:
            self._headers = [(_name(name), value.encode("latin-1")) for name, value in self.headers.items()]
            shielded(self._headers)
        return self._headers

    async def _pack(self) -> "Answered":
        """Return the same answer, compressed."""
        content = self.content
        packed = await asyncio.to_thread(_gzip, content) if len(content) >= _APART else _gzip_small(content)
        headers = {**self.headers, "Content-Encoding": "gzip", "content-length": str(len(packed))}
        # pyrefly: ignore[bad-argument-type]  # `__init__` sets the status
        return Answered(packed, self.status_code, headers["content-type"], headers)


@lru_cache(maxsize=128)
def _name(name: str) -> bytes:
    return name.lower().encode()


@lru_cache(maxsize=128)  # Until a game moves on, many requests get the same bytes.
def _gzip_small(content: bytes) -> bytes:
    return _gzip(content)


def _gzip(content: bytes) -> bytes:
    return gzip.compress(content, compresslevel=3, mtime=0)


def takes_gzip(scope: Scope) -> bool:
    """Tell whether a request accepts gzip."""
    accepts = b",".join([value for name, value in scope["headers"] if name == b"accept-encoding"])
    if b"gzip" not in accepts:
        return False
    codings = accepts.split(b",")
    weights = (
        weight.strip() for name, _, weight in (coding.partition(b";") for coding in codings) if name.strip() == b"gzip"
    )
    return any(weight.rstrip(b"0.") != b"q=" for weight in weights)


def etag(version: int) -> dict[str, str]:
    """Return the headers that name a version as the ETag, and keep browsers from storing the answer.

    The version is the same for every viewer, but what they see is not. With a stored answer and a 304, a browser would
    show one account what another one saw. A client that sends `If-None-Match` itself knows whose answer it keeps.
    """
    return {"ETag": f'"{version}"', "Cache-Control": "no-store"}


def weak(tag: str) -> str:
    """Return a weak ETag: the content is the same, but its bytes may differ, as after another compression."""
    return f"W/{tag}"


def unchanged(version: int) -> "Answered":
    """Answer 304 to a client that already has what a game shows at a version."""
    return Answered(b"", 304, "application/json", etag(version))


def explained(error: Exception) -> Problem:
    """Return the problem that describes an exception."""
    match error:
        case Problem():
            return error
        case StaleVersion():
            return Problem(
                STALE_VERSION,
                str(error),
                f'Read the events after version {max(error.expected)}, then send `If-Match: "{error.head}"`.',
                version=error.head,
            )
        case KeyReused():
            return Problem(
                KEY_REUSED,
                "You used this Idempotency-Key for another request.",
                "Use a new key for a new request.",
            )
        case UnknownToken() | TokenEnded():
            kind = UNKNOWN_TOKEN if isinstance(error, UnknownToken) else TOKEN_ENDED
            headers = {"WWW-Authenticate": 'Bearer error="invalid_token"'}
            return Problem(kind, str(error), kind.remedy, headers=headers)
        case BadName():
            return Problem(INVALID_BODY, error.why, error.allowed, path="$.name")
        case BadTarget():
            return Problem(BAD_TARGET, str(error), error.allowed, path="$.url")
        case UnknownCursor():
            return Problem(INVALID_QUERY, "This list did not give you this cursor.", "Begin without a cursor.")
        case TooMany():
            seconds = max(1, math.ceil(error.refusing.wait))
            return Problem(
                TOO_MANY_REQUESTS,
                str(error),
                f"Try again in {seconds} second{'s' if seconds > 1 else ''}.",
                headers={"Retry-After": str(seconds), **headers_of(error.standings)},
            )
        case ImportsBusy():
            return Problem(TOO_MANY_REQUESTS, str(error), "Try again in 5 seconds.", headers={"Retry-After": "5"})
        case IssuerAway():
            return Problem(UNAVAILABLE, str(error), headers={"Retry-After": "5"})
        case NotConverted():
            return Problem(UNAVAILABLE, "The picture was not converted.", headers={"Retry-After": "5"})
        case StoreFull():
            detail = "The disk of the database is full: nothing can be stored, but everything can be read."
            return Problem(UNAVAILABLE, detail, headers={"Retry-After": "10"})
        case ArchiveAway():
            detail = "The archive that has this game does not answer."
            return Problem(UNAVAILABLE, detail, headers={"Retry-After": "5"})
        case StreamDamaged():
            which = f": versions {error.after + 1} to {error.until}" if error.until else ""
            return Problem(INTERNAL_ERROR, f"The stored log of this game is damaged{which}.")
        case StoreDamaged():
            detail = "The database is damaged: nothing is stored until its operator has restored it."
            return Problem(UNAVAILABLE, detail, headers={"Retry-After": "60"})
        case PartUnavailable():
            detail = "A machine that keeps some games does not answer. Lists need all machines; other games go on."
            return Problem(UNAVAILABLE, detail, headers={"Retry-After": "2"})
        case StoreError():
            return Problem(UNAVAILABLE, "The database does not answer.", headers={"Retry-After": "1"})
        case NotBuilt():
            detail = f"The projection {error.projection!r} is being built from the log."
            return Problem(UNAVAILABLE, detail, headers={"Retry-After": "5"})
        case Unavailable():
            return Problem(UNAVAILABLE, "The projections do not answer.", headers={"Retry-After": "1"})
        case _:
            for kind, problem in _FAULTS_OF_REQUEST.items():
                if isinstance(error, kind):
                    return Problem(problem, str(error), problem.remedy)
            return Problem(INTERNAL_ERROR, "The service failed to answer this request.")


def on_exception(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """Answer with the problem of an exception. A fault of the service is logged with its traceback."""
    if isinstance(error, HTTPException) and error.status_code == 400:  # Litestar's own: `request.url` cannot be read
        sentence = f"The service cannot read the request: {error.detail}."
        problem = Problem(MALFORMED_REQUEST, sentence, "Send a valid Host header.")
    elif isinstance(error, HTTPException) and error.status_code in _REMEDIES:
        kind, detail, allowed = _REMEDIES[error.status_code]
        sentence = detail.format(method=request.method, path=request.url.path)
        problem = Problem(kind, sentence, allowed, headers=error.headers)
    else:
        problem = explained(error)
    log_fault(problem, error)
    if problem.kind is UNKNOWN_PATH and _is_for_people(request):
        return _page_of(problem)
    return problem_response(problem, str(request.scope.get("request_id", "")))


def _is_for_people(request: Request[Any, Any, Any]) -> bool:
    """Tell whether a browser wants to show the answer as a page. Addresses below /v1 are for programs."""
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/v1/")


def _page_of(problem: Problem) -> Response[bytes]:
    sentence = escape(problem.detail)
    page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><title>Not found · Tabularium</title>'
        '<link rel="stylesheet" href="/viewer/styles/room.css"><link rel="stylesheet" href="/viewer/styles/lobby.css">'
        '</head><body class="lobby"><header class="page-header"><a class="home" href="/">'
        '<img src="/favicon.ico" alt="" width="22" height="22"><span>Tabularium</span></a></header>'
        f'<main class="one"><h1>There is no such page</h1><p>{sentence}</p>'
        '<p><a href="/">To the games</a> · <a href="/rules">Rules</a> · <a href="/docs">Documentation</a></p></main>'
        "</body></html>\n"
    )
    headers = {
        "Content-Security-Policy": "default-src 'self'; base-uri 'none'; frame-ancestors 'none'",
        "Vary": "Accept",
    }
    return Answered(page.encode(), problem.kind.status, "text/html; charset=utf-8", headers)


def log_fault(problem: Problem, error: Exception) -> None:
    """Log an exception with its traceback when the problem is a fault of the service."""
    # These two can last for minutes, so they are not logged for each request.
    if problem.kind.status >= 500 and not isinstance(error, (NotBuilt, ArchiveAway)):
        log.error("request failed", problem=problem.kind.slug, exc_info=error)


def problem_response(problem: Problem, request_id: str) -> Response[bytes]:
    """Return a problem as an answer. `request_id` names the occurrence."""
    content = encode(problem.body(f"urn:uuid:{request_id}"))
    return Answered(content, problem.kind.status, MEDIA_TYPE, problem.headers or {})
