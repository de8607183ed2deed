"""Reading a request: strictly, and with a problem for everything that is wrong with it."""

import math
import re
from collections.abc import Collection, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast, get_type_hints
from urllib.parse import parse_qsl

import msgspec
from litestar import Request
from litestar.connection import ASGIConnection
from litestar.exceptions import InternalServerException
from litestar.exceptions.http_exceptions import RequestEntityTooLarge
from litestar.handlers import HTTPRouteHandler
from msgspec import Struct
from msgspec.json import Decoder

from domain.kernel.ids import LARGEST_INTEGER, Version
from service.accounts.caller import Caller, TokenEnded, UnknownToken
from service.api.bearer import bearer_of, session_of
from service.api.cookies import cleared, require_own_page
from service.api.headers import header_of, list_header_of
from service.api.problems.access import MISSING_TOKEN, SESSION_ENDED, scope_missing
from service.api.problems.problem import Problem
from service.api.problems.request import INVALID_HEADER, INVALID_QUERY, MALFORMED_JSON, NOT_JSON
from service.api.reading import read_json
from service.base.expected import expected_of
from service.base.scopes import Scope

if TYPE_CHECKING:
    from service.api.services import Services

T = TypeVar("T")
Q = TypeVar("Q", bound=Struct)

_MISSING: Final = re.compile(r"Object missing required field `(\w+)`")
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,15}")
_TAG: Final = re.compile(r'"[^"]*"')
_KEY: Final = re.compile(r"[\x21-\x7e]{1,255}")
_JSON_TYPE: Final = re.compile(r'application/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?', re.IGNORECASE)

OCTETS: Final = "application/octet-stream"
"""The media type of pictures and exports for clients that accept only it, as some generated ones do for bytes."""


class Call(Request[Any, Any, Any]):
    """A request, and how its parts are read."""

    @property
    def services(self) -> "Services":
        """The parts of the service."""
        return services_of(self)

    def prefers(self, preference: str) -> bool:
        """Tell whether the client prefers something (RFC 7240). Unknown preferences are ignored."""
        preferred = (list_header_of(self.scope, b"prefer") or "").split(",")
        return preference in (each.split(";")[0].strip().lower() for each in preferred)

    @property
    def caller(self) -> Caller | None:
        """The caller; None without a token or session, and at endpoints that do not authenticate."""
        scope: Mapping[str, Any] = self.scope  # with keys of ours
        return scope.get("caller")

    @property
    def signed_in(self) -> Caller:
        """The caller, at an endpoint that needs one."""
        caller = self.caller
        if caller is None:
            raise TypeError("the endpoint lets in callers without an account")
        return caller

    def header(self, name: str) -> str | None:
        """Return a header; None when it is not there."""
        return header_of(self.scope, name.encode())

    @property
    def content_length(self) -> int | None:
        """The Content-Length, which the server has checked to be a number; None without one."""
        length = self.header("content-length")
        return int(length) if length else None

    def media(self, usual: str) -> str:
        """Return the media type of the answer: `usual`, or `OCTETS` for a client that accepts only that."""
        return OCTETS if (self.header("accept") or "").partition(";")[0].strip() == OCTETS else usual

    def require(self, *scopes: Scope) -> None:
        """Raise `Problem` unless the caller's token has one of `scopes`."""
        require(self.signed_in, scopes)

    def read_query(self, shape: type[Q]) -> Q:
        """Return the query parameters. Raises `Problem`, also for a parameter that `shape` does not have."""
        return read_query(self.scope["query_string"], shape)

    async def read_body(self, decoder: Decoder[T]) -> T:
        """Decode the body, which has to be JSON. Raises `Problem`."""
        declared = self.header("content-type") or ""
        if not _JSON_TYPE.fullmatch(declared):
            raise Problem(
                NOT_JSON,
                f"The Content-Type is {declared!r}." if declared else "The request has no Content-Type header.",
                "Send `Content-Type: application/json`.",
            )
        try:
            raw = await self._content()
        except InternalServerException:  # Litestar's error for a client that hung up
            raise Problem(MALFORMED_JSON, "The body was cut off.", "Send the whole of it.") from None
        return read_json(raw, decoder)

    async def _content(self) -> bytes:
        """Return the body, and raise what Litestar's slower `body` raises."""
        limit = cast(HTTPRouteHandler, self.route_handler).resolve_request_max_body_size() or math.inf
        if (self.content_length or 0) > limit:
            raise RequestEntityTooLarge
        content, more = b"", True
        while more:
            message: Any = await self.receive()
            if message["type"] == "http.disconnect":
                raise InternalServerException("client disconnected prematurely")
            content += message["body"]
            more = message["more_body"]
            if len(content) > limit:
                raise RequestEntityTooLarge
        return content

    @property
    def key(self) -> str | None:
        """The Idempotency-Key. Raises `Problem` for a text that cannot be a key."""
        key = self.header("idempotency-key")
        if key is not None and not _KEY.fullmatch(key):
            raise Problem(
                INVALID_HEADER,
                f"The Idempotency-Key has {len(key)} characters, or some that are not printable ASCII.",
                "Send 1 to 255 printable ASCII characters without blanks, such as a UUID.",
            )
        return key

    def has(self, tag: str) -> bool:
        """Tell whether ``If-None-Match`` names an ETag, in a list or as a weak one, or is ``*`` (RFC 9110)."""
        header = list_header_of(self.scope, b"if-none-match")
        return header is not None and (header.strip() == "*" or tag.removeprefix("W/") in _TAG.findall(header))

    @property
    def expected(self) -> Collection[Version] | None:
        """The versions that ``If-Match`` names; None when any will do. Raises `Problem`."""
        header = list_header_of(self.scope, b"if-match")
        if header is None or header.strip() == "*":
            return None
        wants = 'Send one version or several, each in quotes: "17", "18". A weak ETag, W/"17", never matches.'
        if (only := _version(header)) is not None:  # no ETag without quotes, but it is clear
            return (only,)
        versions: list[Version] = []
        for text in filter(None, map(str.strip, header.split(","))):
            version = _version(text[1:-1]) if _TAG.fullmatch(text) else None
            if version is None:
                raise Problem(INVALID_HEADER, f"If-Match has {text!r}.", wants)
            versions.append(version)
        if not versions:
            raise Problem(INVALID_HEADER, "If-Match names no version.", wants)
        return versions

    @property
    def last_event(self) -> int | None:
        """The number that ``Last-Event-ID`` names; None without one. Raises `Problem`."""
        header = self.header("last-event-id")
        if header is None:
            return None
        number = _version(header)
        if number is None:
            wants = "Send the `id` of the last frame that you saw, such as 17."
            raise Problem(INVALID_HEADER, f"Last-Event-ID is {header!r}.", wants)
        return number


def _version(text: str) -> Version | None:
    """Return the version, or another number of the log, in a text; None if the text is no such number."""
    return int(text) if _NUMBER.fullmatch(text) and int(text) <= LARGEST_INTEGER else None


def services_of(connection: ASGIConnection[Any, Any, Any, Any]) -> "Services":
    """Return the parts of the service that a connection belongs to."""
    scope: Mapping[str, Any] = connection.scope  # with keys of ours
    services = scope.get("services")
    return services if services is not None else connection.app.state["services"]


def require_token(caller: Caller | None, scopes: tuple[Scope, ...]) -> None:
    """Raise `Problem` unless the request has a token, with one of `scopes` if there are any."""
    if caller is None:
        raise Problem(
            MISSING_TOKEN,
            "The request has no Authorization header, and no session of a browser.",
            "Send `Authorization: Bearer <token>`.",
            headers={"WWW-Authenticate": "Bearer"},
        )
    if scopes:
        require(caller, scopes)


def require(caller: Caller, scopes: tuple[Scope, ...]) -> None:
    """Raise `Problem` unless the caller's token has one of `scopes`."""
    if caller.scopes.isdisjoint(scopes):
        raise scope_missing(scopes, caller.scopes, caller.granted)


async def authenticate(connection: ASGIConnection[Any, Any, Any, Any]) -> Caller | None:
    """Return the caller of a request or a WebSocket by its token or session; None without either.

    A token takes precedence. Raises `UnknownToken`, `TokenEnded` or `Problem`.
    """
    token = bearer_of(connection.scope)
    if token is not None:
        return await services_of(connection).accounts.callers.authenticate(token)
    session = session_of(connection.scope)
    if session is None:
        return None
    require_own_page(connection.scope)
    try:
        return await services_of(connection).accounts.callers.authenticate_session(session)
    except (UnknownToken, TokenEnded) as error:
        # This deletes the cookie, so the browser's next request is a spectator's.
        headers = {**cleared(connection.scope), "WWW-Authenticate": 'Bearer error="invalid_token"'}
        raise Problem(SESSION_ENDED, str(error), SESSION_ENDED.remedy, headers=headers) from None


@lru_cache(maxsize=256)
def read_query(raw: bytes, shape: type[Q]) -> Q:
    """Return query parameters, each at most once. Raises `Problem`, also for one that `shape` does not have."""
    numeric = _parameters(shape)
    hint = f"It takes {', '.join(numeric)}." if numeric else "It takes none."
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=100)
    except ValueError:
        raise Problem(INVALID_QUERY, "The query is not URL-encoded UTF-8.", hint) from None
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name not in numeric:
            raise Problem(INVALID_QUERY, f"This endpoint has no query parameter {name!r}.", hint)
        if name in values:
            raise Problem(INVALID_QUERY, f"The query parameter {name!r} is given twice.", "Give it once.")
        # Not by msgspec's lax mode, which reads "1.0" as a number and "null" as None.
        values[name] = int(value) if numeric[name] and _NUMBER.fullmatch(value) else value
    try:
        return msgspec.convert(values, shape)
    except msgspec.ValidationError as error:
        if missing := _MISSING.fullmatch(str(error)):
            wants = f"It takes {expected_of(shape, '.' + missing[1])}."
            raise Problem(INVALID_QUERY, f"The query parameter {missing[1]!r} is missing.", wants) from None
        name = str(error).rpartition("`$.")[2].rstrip("`")
        raise Problem(
            INVALID_QUERY,
            f"The query parameter {name!r} is {values[name]!r}.",
            f"It takes {expected_of(shape, f'.{name}')}.",
        ) from None


@cache
def _parameters(shape: type[Struct]) -> Mapping[str, bool]:
    """Return the names of the parameters of a query, each with whether it is a number."""
    kinds = get_type_hints(shape)
    fields = msgspec.structs.fields(shape)
    return {
        field.encode_name: int in (kinds[field.name], *getattr(kinds[field.name], "__args__", ())) for field in fields
    }
