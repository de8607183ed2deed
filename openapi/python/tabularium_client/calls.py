"""Repeats requests and decides commands again, without any I/O: generators yield steps that the client carries out."""

import re
import secrets
from collections.abc import Callable, Generator, Mapping
from typing import Any, Final, Protocol, TypeVar
from urllib.parse import quote, urlencode

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from tabularium_client.problems import Lost, Problem, Stale
from tabularium_client.shapes import Options, Played, Waiting
from tabularium_client.streams import Frame, Rest, jittered

T = TypeVar("T")
Command = dict[str, Any]
Choice = Command | list[Command] | None
"""What a seat does when it is asked: one command, several of which all happen or none, or nothing."""

AGAIN: Final = frozenset({429, 502, 503, 504})
"""With these statuses the service has done nothing yet."""

_NAME: Final = re.compile(r"{(\w+)}")


class Request(Struct, frozen=True):
    """A request to send. The client sends back an `Answer`, or a text that says why none arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes | None


class Answer(Struct, frozen=True):
    """What the service answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Ask(Struct, frozen=True):
    """Lets the caller's function choose from these options. The client sends back its choice."""

    choose: Callable[[Options], Any]
    options: Options


class Whole(Struct, frozen=True):
    """Steps that the client finishes even if the caller is cancelled. It sends back their result."""

    steps: "Calling[Any]"


Step = Request | Rest | Ask | Whole
Calling = Generator[Step, Any, T]


class TokenSource(Protocol):
    """A source of tokens for requests to the service at `url`, such as a `SignIn`."""

    @property
    def url(self) -> str: ...

    def token(self, calls: "Calls", refused: str | None = None) -> Calling[str]:
        """Return the token. If the service has `refused` one, return another."""
        ...


class Calls:
    """How requests are made, and how often they are sent. Times are in seconds."""

    def __init__(self, url: str, token: str | TokenSource | None, attempts: int, pause: float, longest: float) -> None:
        self.url = url
        self.attempts = attempts
        self.pause = pause
        self.longest = longest
        self._token = token

    def call(
        self,
        method: str,
        path: str,
        given: Mapping[str, Any],
        read: Callable[[bytes], T],
        body: Any = UNSET,
        version: int | None = None,
        key: str | None = None,
    ) -> Calling[T]:
        """Send a request until a whole answer arrives. All attempts have the same key, so it takes effect once.

        Args:
            given: the parameters of the path and of the query.
            version: the version at which the game must be. At any other, the request fails with `Stale`.

        Raises:
            Problem: the service refuses it.
            Lost: no whole answer arrived.
        """
        headers: dict[str, str] = {}
        if method != "GET":
            headers["Idempotency-Key"] = key or secrets.token_hex(16)
        if version is not None:
            headers["If-Match"] = f'"{version}"'
        if body is not UNSET:
            headers["Content-Type"] = "application/json"
        content = None if body is UNSET else msgspec.json.encode(body)
        request = Request(method, filled(path, given), headers, content)
        return (yield from self._repeated(self._send_with_token, request, read))

    def form(self, path: str, fields: Mapping[str, str]) -> Calling[Any]:
        """Call an endpoint of OAuth without a token. Raises `NotSignedIn` if it refuses, or `Lost`."""
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        request = Request("POST", path, headers, urlencode(fields).encode())
        return (yield from self._repeated(_as_it_is, request, decoded))

    def authorized(self, refused: str | None = None) -> Calling[dict[str, str]]:
        """Return the header with the token. If the service has `refused` one, the header has another."""
        token = self._token
        if token is not None and not isinstance(token, str):
            token = yield from token.token(self, refused)
        return {"Authorization": f"Bearer {token}"} if token else {}

    def again(self, refused: Mapping[str, str]) -> Calling[dict[str, str] | None]:
        """Return the header with another token than the refused one; None if there is no other."""
        if self._token is None or isinstance(self._token, str):
            return None
        return (yield from self.authorized(refused["Authorization"].removeprefix("Bearer ")))

    def _send_with_token(self, request: Request) -> Calling[Answer | str]:
        token = yield from self.authorized()
        answer = yield replace(request, headers=request.headers | token)
        if isinstance(answer, Answer) and answer.status == 401 and (other := (yield from self.again(token))):
            answer = yield replace(request, headers=request.headers | other)
        return answer

    def _repeated(
        self, send: Callable[[Request], Calling[Answer | str]], request: Request, read: Callable[[bytes], T]
    ) -> Calling[T]:
        why = ""
        for attempt in range(1, self.attempts + 1):
            answer = yield from send(request)
            wait = jittered(min(self.longest, self.pause * 2 ** (attempt - 1)))
            try:
                if not isinstance(answer, Answer):
                    why = answer
                elif answer.status < 400:
                    return read(answer.body)
                elif answer.status in AGAIN and attempt < self.attempts:
                    wait += min(self.longest, _seconds(answer.headers.get("Retry-After")))
                else:
                    raise problem_of(answer)
            except msgspec.ValidationError:
                raise
            except msgspec.DecodeError as error:
                why = str(error)  # A body that was cut off is no answer.
            if attempt < self.attempts:
                yield Rest(wait)
        raise Lost(f"{self.url} gave no whole answer: {why}")

    def options(self, game: str, seat: str | None = None) -> Calling[Options]:
        """Return what a seat may do; by default, the seat of the account."""
        decoder = msgspec.json.Decoder(Options)
        return self.call("GET", "/v1/games/{game}/options", {"game": game, "seat": seat}, decoder.decode)

    def command(self, game: str, choice: Choice, version: int | None, key: str | None) -> Calling[Played]:
        """Give a command, or several of which all happen or none."""
        body = {"commands": choice} if isinstance(choice, list) else {"command": choice}
        decoder = msgspec.json.Decoder(Played)
        return self.call("POST", "/v1/games/{game}/commands", {"game": game}, decoder.decode, body, version, key)

    def decide(self, game: str, choose: Callable[[Options], Any]) -> Calling[Played | None]:
        """Send what `choose` picks from the seat's options. If the game has moved on meanwhile, let it choose again."""
        for attempt in range(1, self.attempts + 1):
            options = yield from self.options(game)
            choice = yield Ask(choose, options)
            if choice is None:
                return None
            try:
                return (yield from self.command(game, choice, options.version, None))
            except Stale:
                if attempt == self.attempts:
                    raise
        return None

    def held_events(self, game: str, last: str | None) -> Calling[list[Frame]]:
        """Fetch the events after a version by a plain request. Without a version, return a frame with the newest."""
        if last is None:
            summary = yield from self.call("GET", "/v1/games/{game}", {"game": game}, decoded)
            return [Frame(str(summary["version"]), "", "")]
        page = yield from self.call("GET", "/v1/games/{game}/events", {"game": game, "after": last}, decoded)
        return [Frame(str(each["version"]), each["type"], as_json(each)) for each in page["items"]]

    def held_waiting(self) -> Calling[list[Frame]]:
        """Fetch, by plain requests, the decisions that wait for the account."""
        page = yield from self.call("GET", "/v1/players/me/games", {"waiting": True}, decoded)
        frames: list[Frame] = []
        for each in page["items"]:
            options = yield from self.options(each["id"])
            decisions = tuple(decision for decision in options.decisions if options.seat in decision.seats)
            waiting = Waiting(
                each["id"], each["title"], options.ruleset, options.version, options.seat, decisions, (), ()
            )
            frames.append(Frame("", "waiting", as_json(waiting)))
        return frames


def following(page: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the parameter that asks for the next page; None after the last. `asked` asked for this page."""
    where = page["next"]
    parameter = {"after" if isinstance(where, int) else "cursor": where}
    return None if where is None or parameter == asked else parameter  # The log of all games always names a next page.


def problem_of(answer: Answer) -> Problem:
    """Return the problem in an answer. If a proxy answered without JSON, the problem has only the status.

    Raises:
        DecodeError: the answer says that it is JSON, but was cut off.
    """
    try:
        document = msgspec.json.decode(answer.body)
    except msgspec.DecodeError:
        if "json" in answer.headers.get("Content-Type", ""):
            raise
        document = {}
    return Problem.of(answer.status, document if isinstance(document, dict) else {})


def filled(path: str, given: Mapping[str, Any]) -> str:
    """Return a path with the values of its parameters. All other values become its query."""
    names = {name: _text(value) for name, value in given.items() if value is not None}
    inside = _NAME.findall(path)
    if missing := [name for name in inside if name not in names]:
        raise TypeError(f"{path} needs {missing[0]}")
    filled_path = _NAME.sub(lambda match: quote(str(names[match[1]]), safe=""), path)
    query = urlencode({name: value for name, value in names.items() if name not in inside}, doseq=True)
    return filled_path + ("&" if "?" in filled_path else "?") * bool(query) + query


def _as_it_is(request: Request) -> Calling[Answer | str]:
    return (yield request)


def _text(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def _seconds(text: str | None) -> float:
    return float(text) if text and text.isdecimal() else 0.0


def decoded(body: bytes) -> Any:
    """Return the JSON of an answer; None if its body is empty."""
    return msgspec.json.decode(body) if body else None


def as_json(value: Any) -> str:
    """Return a value as JSON."""
    return msgspec.json.encode(value).decode()


def as_text(body: bytes) -> str:
    """Return an answer as text."""
    return body.decode()
