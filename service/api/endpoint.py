"""The declaration of an endpoint beside its code. The route and the contract are made from it."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from email.utils import formatdate
from typing import Any, Final, Literal, cast

from litestar.handlers import HTTPRouteHandler
from litestar.response import Response, Stream
from msgspec import Struct

from domain.kernel.rules.docstrings import docstring
from service.api.bodies import Nothing
from service.api.headers import Header
from service.api.problems.problem import Kind
from service.api.request import Call, authenticate, require_token
from service.api.withheld import require_shown
from service.base.scopes import Scope

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
Account = Literal["none", "optional", "required"]
"""Whether an endpoint authenticates its caller."""

JSON: Final = "application/json"


class Answer(Struct, frozen=True):
    """An answer that is no problem.

    Attributes:
        status: the HTTP status.
        what: what it means.
        shape: the type of its body; None for one without a body.
        media: the media type of its body.
        headers: the names of the headers that it carries; `ANSWER_HEADERS` in `contract/texts.py` describes them.
    """

    status: int
    what: str
    shape: Any = None
    media: str = JSON
    headers: tuple[str, ...] = ()


UNCHANGED: Final = Answer(304, "The game is still at the version that `If-None-Match` names.", headers=("ETag",))


NOTICE: Final = timedelta(days=180)
"""How long an endpoint still answers after its removal was announced, at least."""


class Deprecated(Struct, frozen=True):
    """The announced end of an endpoint. Its answers have ``Deprecation`` (RFC 9745) and ``Sunset`` (RFC 8594).

    Attributes:
        since: since when it is deprecated.
        sunset: when it ends at the earliest.
        instead: what to use instead, in a sentence.
    """

    since: date
    sunset: date
    instead: str

    def __post_init__(self) -> None:
        if self.sunset - self.since < NOTICE:
            raise TypeError(f"an endpoint must answer for {NOTICE.days} days after it was deprecated")

    @property
    def headers(self) -> tuple[Header, ...]:
        """The headers that its answers carry."""
        since, sunset = (int(datetime.combine(day, time(), UTC).timestamp()) for day in (self.since, self.sunset))
        policy = '</docs/guides/client#versions-of-the-contract>; rel="deprecation"; type="text/html"'
        return (
            (b"deprecation", b"@%d" % since),
            (b"sunset", formatdate(sunset, usegmt=True).encode()),
            (b"link", policy.encode()),
        )


class Endpoint(Struct, frozen=True):
    """One method of one address.

    Attributes:
        name: its name in the contract and in generated clients.
        tag: the group that it belongs to.
        answers: its answers that are no problems.
        problems: its problems, beside those that follow from its other attributes (`possible_problems`).
        account: whether it authenticates its caller: `optional` also lets in spectators.
        scopes: the caller's token needs one of these; if there are none, any token will do.
        query: its query parameters.
        headers: the names of the headers that it reads; `REQUEST_HEADERS` in `contract/texts.py` describes them.
        body: the shape of its body; None for one without a body.
        of_game: whether its address names a game.
        of_case: whether its address names a case.
        deprecated: the announcement that it will end; None for one that stays.
        function: the function that answers its requests.
    """

    name: str
    tag: str
    answers: tuple[Answer, ...]
    problems: tuple[Kind, ...]
    account: Account
    scopes: tuple[Scope, ...]
    query: type[Struct]
    headers: tuple[str, ...]
    body: type[Struct] | None
    of_game: bool
    of_case: bool
    deprecated: Deprecated | None
    function: Callable[..., Any]

    @property
    def streams(self) -> bool:
        """Whether it may stream its answer; else it returns complete bytes."""
        return self.function.__annotations__["return"] != Response[bytes]

    async def respond(self, request: Call) -> Response[Any]:
        """Authenticate the caller and answer. Raises `Problem`, and what `authenticate` and the function raise."""
        if self.deprecated is not None:
            cast(dict[str, Any], request.scope)["announced"] = self.deprecated.headers
        if self.account != "none":
            await admit(request, self)
        # Do not let Litestar make the parameters: it would copy and convert each, at every request.
        parameters: dict[str, Any] = request.scope["path_params"]
        if self.of_game:
            await require_shown(request.services, parameters["game"], request.caller)
        if self.of_case:
            row = await request.services.store.case(parameters["case"])
            if row is not None:
                await require_shown(request.services, row.game, request.caller)
        return await self.function(request, **parameters)

    @property
    def summary(self) -> str:
        """The first line of the function's docstring, without the period."""
        return docstring(self.function).partition("\n")[0].removesuffix(".")

    @property
    def description(self) -> str:
        """The rest of the docstring, in Markdown."""
        lines = docstring(self.function).partition("\n")[2].strip().splitlines()
        return "\n".join(line.strip() for line in lines)


def endpoint(
    method: Method,
    path: str,
    *,
    tag: str,
    answers: tuple[Answer, ...],
    problems: tuple[Kind, ...] = (),
    account: Account = "none",
    scopes: tuple[Scope, ...] = (),
    query: type[Struct] = Nothing,
    headers: tuple[str, ...] = (),
    body: type[Struct] | None = None,
    deprecated: Deprecated | None = None,
) -> Callable[[Callable[..., Any]], HTTPRouteHandler]:
    """Make a route of a function, whose docstring is the endpoint's summary and description.

    `path` is in Litestar's form. The function returns a `Response`, or raises `Problem`. It runs only for callers that
    `account` and `scopes` let in.
    """
    of_game, of_case = "{game:str}" in path, "{case:str}" in path
    if account == "none" and (of_game or of_case):
        account = "optional"  # whether a game is shown depends on the caller
    if scopes and account != "required":
        raise TypeError(f"{method} {path}: scopes need the account 'required'")

    def decorate(function: Callable[..., Any]) -> HTTPRouteHandler:
        description = Endpoint(
            name=_camel(function.__name__),
            tag=tag,
            answers=answers,
            problems=problems,
            account=account,
            scopes=scopes,
            query=query,
            headers=headers,
            body=body,
            of_game=of_game,
            of_case=of_case,
            deprecated=deprecated,
            function=function,
        )
        # A streaming endpoint says so in its signature; all others return bytes of JSON.
        if function.__annotations__["return"] not in (Response[bytes], Response[bytes] | Stream, Stream):
            raise TypeError(f"{description.name} returns neither bytes nor a stream")

        async def respond(request: Call) -> Response[Any]:
            return await description.respond(request)

        return HTTPRouteHandler(
            path, name=description.name, http_method=[method], status_code=200, opt={"endpoint": description}
        )(respond)

    return decorate


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


async def admit(request: Call, endpoint: Endpoint) -> None:
    """Authenticate the caller, and check their scopes. Raises `Problem`, and what `authenticate` raises."""
    caller = await authenticate(request)
    if endpoint.account == "required":
        require_token(caller, endpoint.scopes)
    cast(dict[str, Any], request.scope)["caller"] = caller
