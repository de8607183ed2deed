"""The clients. They repeat lost requests, decide commands again when a game has moved on, and resume streams."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import AsyncExitStack, ExitStack
from inspect import isawaitable
from typing import Any, Final, Self, TypeVar

import httpx
import msgspec

from tabularium_client.calls import (
    AGAIN,
    Answer,
    Ask,
    Calling,
    Calls,
    Choice,
    Request,
    TokenSource,
    Whole,
    as_text,
    decoded,
    filled,
    following,
    problem_of,
)
from tabularium_client.problems import Lost
from tabularium_client.shapes import Event, Options, Played, Waiting
from tabularium_client.streams import Fetch, Frame, Open, Read, Rest, Step, follow, follow_events

T = TypeVar("T")
_waiting = msgspec.json.Decoder(Waiting)
Held = Callable[[str | None], Calling[list[Frame]]]
"""Fetches the frames after a frame, which a proxy may hold back."""
_TOKEN: Final = re.compile("[!-~]+")
_WAITING = "/v1/players/me/waiting/stream"
_STREAM = "/v1/games/{game}/events/stream"


class _Settings:
    """The settings of both clients.

    Args:
        url: where the service is, such as ``https://service.example``.
        token: a token, or a `SignIn`, which gives them. Without one, the client is a spectator.
        attempts: the most times that a request is sent.
        pause: the wait before it is sent again, in seconds; it doubles each time.
        longest: the longest wait. ``Retry-After`` adds at most as much again.
        patience: how many seconds an answer may take.
        silence: after how many silent seconds a stream counts as lost. The service sends something every 15 seconds.
        http: the HTTP client to use; by default, the client makes its own.
    """

    def _set(
        self,
        url: str,
        token: str | TokenSource | None,
        attempts: int,
        pause: float,
        longest: float,
        silence: float,
    ) -> None:
        self._url = url.rstrip("/")
        if not _is_address(url):
            raise ValueError(f"{url} is no address of a service. Expected one such as https://service.example.")
        if isinstance(token, str) and not _TOKEN.fullmatch(token):
            raise ValueError("This is no token. Expected visible ASCII characters without blanks.")
        if token is not None and not isinstance(token, str) and token.url != self._url:
            raise ValueError(f"The sign-in is one at {token.url}. Its tokens are not for {self._url}.")
        self._calls = Calls(self._url, token, attempts, pause, longest)
        self._silence = silence

    def _stream_request(
        self, path: str, parameters: dict[str, Any], last: str | None, token: dict[str, str]
    ) -> dict[str, Any]:
        """Return the request that opens a stream after a frame."""
        headers = {**token, "Accept": "text/event-stream"}
        if last is not None:
            headers["Last-Event-ID"] = last
        timeout = httpx.Timeout(self._silence)
        return {"method": "GET", "url": self._url + filled(path, parameters), "headers": headers, "timeout": timeout}


def _is_address(text: str) -> bool:
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL:
        return False
    return url.scheme in {"http", "https"} and bool(url.host)


def _is_open(status: int, body: bytes) -> bool | str:
    """Tell whether a stream is open. Raises `Problem` if the service refuses to open it."""
    if status in AGAIN or status >= 500:
        return False
    if status >= 400:
        raise problem_of(Answer(status, {}, body))
    return "over" if status == 204 else True


class Client(_Settings):
    __doc__ = f"A client whose methods wait for the answer.\n{_Settings.__doc__}"

    def __init__(
        self,
        url: str,
        token: str | TokenSource | None = None,
        *,
        attempts: int = 5,
        pause: float = 0.5,
        longest: float = 30,
        patience: float = 30,
        silence: float = 45,
        http: httpx.Client | None = None,
    ) -> None:
        self._set(url, token, attempts, pause, longest, silence)
        self._owned = http is None
        self._http = http or httpx.Client(timeout=patience)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._owned:
            self._http.close()

    def get(self, path: str, /, **given: Any) -> Any:
        """Send a GET request and return its answer. `given` has the parameters of the path and of the query."""
        return self._run(self._calls.call("GET", path, given, decoded))

    def items(self, path: str, /, **given: Any) -> Iterator[Any]:
        """Yield all items of a list, page by page."""
        page: dict[str, Any] | None = {}
        while page is not None:
            answer = self.get(path, **given | page)
            yield from answer["items"]
            page = following(answer, page)

    def post(
        self, path: str, body: Any = None, /, *, version: int | None = None, key: str | None = None, **given: Any
    ) -> Any:
        return self._run(self._calls.call("POST", path, given, decoded, {} if body is None else body, version, key))

    def put(
        self, path: str, body: Any = None, /, *, version: int | None = None, key: str | None = None, **given: Any
    ) -> Any:
        return self._run(self._calls.call("PUT", path, given, decoded, {} if body is None else body, version, key))

    def patch(self, path: str, body: Any, /, *, key: str | None = None, **given: Any) -> Any:
        return self._run(self._calls.call("PATCH", path, given, decoded, body, None, key))

    def delete(self, path: str, /, *, version: int | None = None, key: str | None = None, **given: Any) -> Any:
        return self._run(self._calls.call("DELETE", path, given, decoded, version=version, key=key))

    def text(self, path: str, /, **given: Any) -> str:
        """Send a GET request and return its answer as text, such as an export or a certificate."""
        return self._run(self._calls.call("GET", path, given, as_text))

    def content(self, path: str, /, **given: Any) -> bytes:
        """Send a GET request and return its answer as bytes, such as a picture or a table."""
        return self._run(self._calls.call("GET", path, given, bytes))

    def options(self, game: str, seat: str | None = None) -> Options:
        """Return what a seat may do; by default, the seat of the account."""
        return self._run(self._calls.options(game, seat))

    def command(self, game: str, choice: Choice, *, version: int | None = None, key: str | None = None) -> Played:
        """Give a command, or several that all happen or none. Raises `Refusal` with the rule, or `Stale`."""
        return self._run(self._calls.command(game, choice, version, key))

    def decide(self, game: str, choose: Callable[[Options], Choice]) -> Played | None:
        """Send what `choose` picks from the seat's options; return None if it picks nothing.

        If the game has moved on meanwhile, it picks again from the new options.
        """
        return self._run(self._calls.decide(game, choose))

    def events(self, game: str, after: int | None = None) -> Iterator[Event]:
        """Yield the events of a game after a version, each once and in order; by default, those from now on."""
        steps = follow_events(game, after, self._calls.pause, self._calls.longest)
        return self._follow(steps, _STREAM, {"game": game}, lambda last: self._calls.held_events(game, last))

    def waiting(self) -> Iterator[Waiting]:
        """Yield what waits for the account: first all of it, then each change."""
        steps = follow(None, self._calls.pause, self._calls.longest)
        for frame in self._follow(steps, _WAITING, {}, lambda _: self._calls.held_waiting(), resumes=False):
            if frame.type == "waiting":
                yield _waiting.decode(frame.data)

    def stream(self, path: str, /, *, last: str | None = None, **given: Any) -> Iterator[Frame]:
        """Yield the frames of any stream of the contract. It resumes where it broke off."""
        return self._follow(follow(last, self._calls.pause, self._calls.longest), path, given)

    def _run(self, steps: Calling[T]) -> T:
        answer: Any = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as done:
                return done.value
            match step:
                case Request():
                    answer = self._send(step)
                case Rest(seconds):
                    answer = time.sleep(seconds)
                case Ask(choose, options):
                    answer = choose(options)
                case Whole(whole):
                    answer = self._run(whole)

    def _send(self, request: Request) -> Answer | str:
        url, headers, body = self._url + request.path, request.headers, request.body
        try:
            got = self._http.request(request.method, url, headers=headers, content=body)
        except httpx.HTTPError as error:
            return str(error)
        return Answer(got.status_code, got.headers, got.content)

    def _follow(
        self,
        steps: Generator[Step | T, Any, None],
        path: str,
        parameters: dict[str, Any],
        held: Held | None = None,
        resumes: bool = True,
    ) -> Iterator[T]:
        answer: Any = None
        pieces: Iterator[str] = iter(())
        with ExitStack() as stack:
            while True:
                try:
                    step = steps.send(answer)
                except StopIteration:
                    return
                answer = None
                match step:
                    case Open(last):
                        stack.close()
                        try:
                            response = self._opened(stack, path, parameters, last if resumes else None)
                            body = response.read() if response.is_error else b""
                        except httpx.ReadTimeout:
                            answer = None
                        except (httpx.HTTPError, Lost):
                            answer = False
                        else:
                            answer, pieces = _is_open(response.status_code, body), response.iter_text()
                    case Read():
                        try:
                            answer = next(filter(None, pieces), "")
                        except httpx.ReadTimeout:
                            answer = None
                        except httpx.HTTPError:
                            answer = ""
                    case Fetch(last):
                        answer = self._fetch_missed(held, last)
                    case Rest(seconds):
                        time.sleep(seconds)
                    case _:
                        yield step

    def _opened(self, stack: ExitStack, path: str, parameters: dict[str, Any], last: str | None) -> httpx.Response:
        token = self._run(self._calls.authorized())
        response = stack.enter_context(self._http.stream(**self._stream_request(path, parameters, last, token)))
        if response.status_code == 401 and (other := self._run(self._calls.again(token))):
            response = stack.enter_context(self._http.stream(**self._stream_request(path, parameters, last, other)))
        return response

    def _fetch_missed(self, held: Held | None, last: str | None) -> list[Frame]:
        try:
            return self._run(held(last)) if held else []
        except Lost:
            return []


class AsyncClient(_Settings):
    __doc__ = f"A client for `asyncio`.\n{_Settings.__doc__}"

    def __init__(
        self,
        url: str,
        token: str | TokenSource | None = None,
        *,
        attempts: int = 5,
        pause: float = 0.5,
        longest: float = 30,
        patience: float = 30,
        silence: float = 45,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._set(url, token, attempts, pause, longest, silence)
        self._owned = http is None
        self._http = http or httpx.AsyncClient(timeout=patience)
        self._whole: set[asyncio.Task[Any]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.gather(*self._whole, return_exceptions=True)
        if self._owned:
            await self._http.aclose()

    async def get(self, path: str, /, **given: Any) -> Any:
        """Send a GET request and return its answer. `given` has the parameters of the path and of the query."""
        return await self._run(self._calls.call("GET", path, given, decoded))

    async def items(self, path: str, /, **given: Any) -> AsyncIterator[Any]:
        """Yield all items of a list, page by page."""
        page: dict[str, Any] | None = {}
        while page is not None:
            answer = await self.get(path, **given | page)
            for each in answer["items"]:
                yield each
            page = following(answer, page)

    async def post(
        self, path: str, body: Any = None, /, *, version: int | None = None, key: str | None = None, **given: Any
    ) -> Any:
        body = {} if body is None else body
        return await self._run(self._calls.call("POST", path, given, decoded, body, version, key))

    async def put(
        self, path: str, body: Any = None, /, *, version: int | None = None, key: str | None = None, **given: Any
    ) -> Any:
        body = {} if body is None else body
        return await self._run(self._calls.call("PUT", path, given, decoded, body, version, key))

    async def patch(self, path: str, body: Any, /, *, key: str | None = None, **given: Any) -> Any:
        return await self._run(self._calls.call("PATCH", path, given, decoded, body, None, key))

    async def delete(self, path: str, /, *, version: int | None = None, key: str | None = None, **given: Any) -> Any:
        return await self._run(self._calls.call("DELETE", path, given, decoded, version=version, key=key))

    async def text(self, path: str, /, **given: Any) -> str:
        """Send a GET request and return its answer as text, such as an export or a certificate."""
        return await self._run(self._calls.call("GET", path, given, as_text))

    async def content(self, path: str, /, **given: Any) -> bytes:
        """Send a GET request and return its answer as bytes, such as a picture or a table."""
        return await self._run(self._calls.call("GET", path, given, bytes))

    async def options(self, game: str, seat: str | None = None) -> Options:
        """Return what a seat may do; by default, the seat of the account."""
        return await self._run(self._calls.options(game, seat))

    async def command(self, game: str, choice: Choice, *, version: int | None = None, key: str | None = None) -> Played:
        """Give a command, or several that all happen or none. Raises `Refusal` with the rule, or `Stale`."""
        return await self._run(self._calls.command(game, choice, version, key))

    async def decide(self, game: str, choose: Callable[[Options], Choice | Awaitable[Choice]]) -> Played | None:
        """Send what `choose` picks from the seat's options; return None if it picks nothing.

        If the game has moved on meanwhile, it picks again from the new options.
        """
        return await self._run(self._calls.decide(game, choose))

    def events(self, game: str, after: int | None = None) -> AsyncIterator[Event]:
        """Yield the events of a game after a version, each once and in order; by default, those from now on."""
        steps = follow_events(game, after, self._calls.pause, self._calls.longest)
        return self._follow(steps, _STREAM, {"game": game}, lambda last: self._calls.held_events(game, last))

    async def waiting(self) -> AsyncIterator[Waiting]:
        """Yield what waits for the account: first all of it, then each change."""
        steps = follow(None, self._calls.pause, self._calls.longest)
        async for frame in self._follow(steps, _WAITING, {}, lambda _: self._calls.held_waiting(), resumes=False):
            if frame.type == "waiting":
                yield _waiting.decode(frame.data)

    def stream(self, path: str, /, *, last: str | None = None, **given: Any) -> AsyncIterator[Frame]:
        """Yield the frames of any stream of the contract. It resumes where it broke off."""
        return self._follow(follow(last, self._calls.pause, self._calls.longest), path, given)

    async def _run(self, steps: Calling[T]) -> T:
        answer: Any = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as done:
                return done.value
            match step:
                case Request():
                    answer = await self._send(step)
                case Rest(seconds):
                    answer = await asyncio.sleep(seconds)
                case Ask(choose, options):
                    answer = choose(options)
                    if isawaitable(answer):
                        answer = await answer
                case Whole(whole):
                    task = asyncio.create_task(self._run(whole))
                    self._whole.add(task)
                    task.add_done_callback(self._whole.discard)
                    answer = await asyncio.shield(task)

    async def _send(self, request: Request) -> Answer | str:
        url, headers, body = self._url + request.path, request.headers, request.body
        try:
            got = await self._http.request(request.method, url, headers=headers, content=body)
        except httpx.HTTPError as error:
            return str(error)
        return Answer(got.status_code, got.headers, got.content)

    async def _follow(
        self,
        steps: Generator[Step | T, Any, None],
        path: str,
        parameters: dict[str, Any],
        held: Held | None = None,
        resumes: bool = True,
    ) -> AsyncIterator[T]:
        answer: Any = None
        pieces: AsyncIterator[str] | None = None
        async with AsyncExitStack() as stack:
            while True:
                try:
                    step = steps.send(answer)
                except StopIteration:
                    return
                answer = None
                match step:
                    case Open(last):
                        await stack.aclose()
                        try:
                            response = await self._opened(stack, path, parameters, last if resumes else None)
                            body = await response.aread() if response.is_error else b""
                        except httpx.ReadTimeout:
                            answer = None
                        except (httpx.HTTPError, Lost):
                            answer = False
                        else:
                            answer, pieces = _is_open(response.status_code, body), response.aiter_text()
                    case Read():
                        assert pieces is not None
                        try:
                            answer = ""
                            while not answer:
                                answer = await anext(pieces)
                        except StopAsyncIteration:
                            answer = ""
                        except httpx.ReadTimeout:
                            answer = None
                        except httpx.HTTPError:
                            answer = ""
                    case Fetch(last):
                        answer = await self._fetch_missed(held, last)
                    case Rest(seconds):
                        await asyncio.sleep(seconds)
                    case _:
                        yield step

    async def _opened(
        self, stack: AsyncExitStack, path: str, parameters: dict[str, Any], last: str | None
    ) -> httpx.Response:
        token = await self._run(self._calls.authorized())
        response = await stack.enter_async_context(
            self._http.stream(**self._stream_request(path, parameters, last, token))
        )
        if response.status_code == 401 and (other := await self._run(self._calls.again(token))):
            response = await stack.enter_async_context(
                self._http.stream(**self._stream_request(path, parameters, last, other))
            )
        return response

    async def _fetch_missed(self, held: Held | None, last: str | None) -> list[Frame]:
        try:
            return await self._run(held(last)) if held else []
        except Lost:
            return []
