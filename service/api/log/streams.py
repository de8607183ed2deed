"""The events of a game as they happen: server-sent events, and a WebSocket with the same frames."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, Literal, Protocol

from litestar import WebSocket
from litestar.exceptions import WebSocketDisconnect
from litestar.handlers import websocket
from litestar.params import FromPath
from litestar.response import Response, Stream
from litestar.types import Message, Send
from msgspec import UNSET, Struct, UnsetType

from domain.kernel.ids import GameId, Version
from service.accounts.caller import Caller, TokenEnded
from service.api.bearer import subprotocols_of
from service.api.endpoint import Answer, endpoint
from service.api.limiting import address_of, token_of
from service.api.log.bodies import Frames, Since, Streamed
from service.api.problems.games import UNKNOWN_GAME, UNKNOWN_VERSION
from service.api.problems.problem import Problem, ProblemBody
from service.api.problems.request import UPGRADE_REQUIRED
from service.api.request import Call, authenticate, read_query, services_of
from service.api.response import encode, explained, log_fault
from service.api.services import Services
from service.api.withheld import require_shown
from service.cluster.wake import Signal
from service.games.views import EventView, F, Passage, viewer_of
from service.observe.logging import log
from service.observe.metrics import Metrics
from service.store.protocol import ArchiveAway, StoreUnavailable

BATCH: Final = 50
"""The most events in a batch for a client that has to catch up: some 50 kB, which stay in memory until it reads
them."""

PROTOCOL: Final = "tabularium.v1"
"""The WebSocket subprotocol. A browser sends ``bearer.<token>`` as a second one, because it cannot send headers."""

ENDED: Final = frozenset(("over", "cancelled"))
"""The statuses of a game after which no event follows."""

OVER, STOPPING, REFUSED = 1000, 1012, 4000
"""Close codes; uvicorn itself closes with 1012 as well."""


class EventFrame(Struct, frozen=True):
    """A WebSocket message that brings an event.

    Attributes:
        id: the version that the event made.
        event: the type of the event.
        data: the event as the caller may see it.
    """

    id: Version
    event: str
    data: EventView


class ProblemFrame(Struct, frozen=True):
    """A WebSocket message that says what is wrong; the connection is closed after it.

    Attributes:
        id: always null.
        event: always ``problem``.
        data: the problem.
    """

    id: str | None
    event: Literal["problem"]
    data: ProblemBody


class Dated(Protocol):
    """The event of a frame: its type names the frame, and its time tells how late the frame is sent."""

    @property
    def type(self) -> str: ...

    @property
    def at(self) -> str: ...


class StreamedEvent(Struct, frozen=True):
    """A frame of the stream, line by line.

    Attributes:
        id: the version that the event made.
        event: the type of the event; absent with `frames=plain`.
        data: the event as the caller may see it, in JSON.
    """

    id: str
    data: str
    event: str | UnsetType = UNSET


async def follow(
    services: Services,
    game: GameId,
    caller: Caller | None,
    after: Version,
    frame: Callable[[list[EventView]], F],
) -> AsyncIterator[Passage[F] | None]:
    """Yield the events after a version, as they come and as `frame` makes them; None for every heartbeat without any.

    Each passage shows what the caller may see when it is read, also for a slow reader: meanwhile, a seat may change
    hands or an official be released. Ends with the last event of a game that is over or cancelled, and when the service
    stops. Raises `TokenEnded` when the caller's token ends (at once if this process ends it, otherwise when the token
    is next looked up), and `Problem` when the caller may no longer read the game.
    """
    callers = services.accounts.callers
    async with services.wake.subscribe(game) as signal, callers.watched(caller, partial(signal.notify, 0)):
        while True:
            # Read after subscribing and before waiting, so that no event is missed.
            current = await services.games.game(game, signal.heard)
            await require_shown(services, game, caller)
            if after < current.version:
                caller = await callers.still(caller) if caller is not None else None
                passage = await services.games.passage(current, viewer_of(current, caller), after, BATCH, frame)
                yield passage
                after = passage.last
                if after < current.version:
                    continue
            # An event since the last read ends the wait at once.
            if current.status in ENDED or signal.closed:
                return
            if not await something_happens(services, caller, signal):
                yield None


async def something_happens(services: Services, caller: Caller | None, signal: Signal) -> bool:
    """Wait for one heartbeat at most; return whether something happened. Raises `TokenEnded`."""
    callers = services.accounts.callers
    beat = time.monotonic() + services.settings.heartbeat
    while (remaining := beat - time.monotonic()) > 0:
        patience = min(remaining, callers.trusted(caller)) if caller is not None else remaining
        happened = await signal.wait(patience)
        if caller is not None:
            await callers.still(caller)
        if happened:
            return True
    return False


@endpoint(
    "GET",
    "/v1/games/{game:str}/events/stream",
    tag="Log",
    account="optional",
    query=Streamed,
    headers=("Last-Event-ID",),
    answers=(
        Answer(200, "The events as they happen.", StreamedEvent, "text/event-stream"),
        Answer(204, "The game is over and has no events after that version: do not connect again."),
    ),
    problems=(UNKNOWN_GAME, UNKNOWN_VERSION),
)
async def stream_events(request: Call, game: str) -> Response[bytes] | Stream:
    """Follow events as server-sent events.

    One frame for each event: `id` is the version, `event` the type, and `data` the event as you may see it, as in the
    list of events. After 15 seconds without an event the service sends a comment. Reconnect with `Last-Event-ID`, as
    browsers do by themselves, and you miss nothing and get nothing twice. The stream opens with a frame that has only
    an `id`, the version after which it begins, so this also holds before the first event. The stream ends when the
    game is over, when the service stops, and when your token ends. A browser's `EventSource` sends no `Authorization`
    header, so it shows the spectator's view. To send your token, read the stream with `fetch`, or use the WebSocket.
    `EventSource.onmessage` gets only frames without a name: ask for `frames=plain`, and tell them apart by the `type`
    in the data.
    """
    query = request.read_query(Streamed)
    last = request.last_event
    current = await request.services.games.game(GameId(game))
    start = start_of(last if last is not None else query.after, current.version)
    if current.status in ENDED and start == current.version:
        return Response(b"", status_code=204)
    frame = _streamed if query.frames == "named" else _streamed_plain
    passages = follow(request.services, current.id, request.caller, start, frame)
    return _stream(request.services.metrics, passages, start)


Numbered = tuple[int | str, Dated, Any]
"""An event with the `id` and the `data` of its frame."""


def server_sent(
    metrics: Metrics, events: AsyncIterator[Numbered | None], start: int | str, frames: Frames = "named"
) -> Stream:
    """Answer with events as server-sent events, from `start` on, and a comment for each None."""
    frame = _frame if frames == "named" else _plain
    passages = (each and Passage(0, 1, (each[1].at,), frame(*each)) async for each in events)
    return _stream(metrics, passages, start)


def _stream(metrics: Metrics, passages: AsyncIterator[Passage[bytes] | None], start: int | str) -> Stream:
    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    frames = _frames(metrics, passages, start)
    return Stream(frames, status_code=200, media_type="text/event-stream", headers=headers)


async def _frames(
    metrics: Metrics, passages: AsyncIterator[Passage[bytes] | None], start: int | str
) -> AsyncIterator[bytes]:
    with metrics.following("sse") as report_sent:
        # A frame without data is no event, and its id is what a browser reconnects with.
        yield b"retry: 2000\n: connected\nid: %b\n\n" % str(start).encode()
        # A client that reconnects gets the problem, if it still exists.
        try:
            async for passage in passages:
                if passage is None:
                    yield b": still here\n\n"
                    continue
                report_sent(passage.at)
                yield passage.frames
        except (TokenEnded, StoreUnavailable, ArchiveAway, Problem) as error:
            log.info("stream ended", why=str(error))


def _streamed(events: list[EventView]) -> bytes:
    """Return events as server-sent events."""
    return b"".join(_frame(event.version, event, event) for event in events)


def _streamed_plain(events: list[EventView]) -> bytes:
    """Return events as server-sent events without names."""
    return b"".join(_plain(event.version, event, event) for event in events)


def _frame(number: int | str, event: Dated, data: Any) -> bytes:
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (str(number).encode(), event.type.encode(), encode(data))


def _plain(number: int | str, _: Dated, data: Any) -> bytes:
    return b"id: %b\ndata: %b\n\n" % (str(number).encode(), encode(data))


def start_of(after: Version | None, head: Version, what: str = "game") -> Version:
    """Return the version after which a stream begins. Raises `Problem` if the game has not reached it."""
    if after is not None and after > head:
        raise Problem(
            UNKNOWN_VERSION,
            f"The {what} has no version {after}.",
            f"It is at version {head}.",
            version=head,
        )
    return head if after is None else after


@endpoint(
    "GET",
    "/v1/games/{game:str}/events/socket",
    tag="Log",
    account="optional",
    query=Since,
    answers=(Answer(101, "A WebSocket, whose messages are `Frame`s in JSON."),),
    problems=(UPGRADE_REQUIRED,),
)
async def open_socket(request: Call, game: str) -> Response[bytes]:
    """Follow events over a WebSocket.

    Sends the frames of the stream as JSON messages `{"id", "event", "data"}`. A browser cannot send headers here, so
    it sends its token as a subprotocol: `new WebSocket(url, ["tabularium.v1", "bearer." + token])`. A connection that
    the service cannot serve gets one message whose `event` is `problem`, then close code 4000. Code 1000 means that
    the game is over, 1012 that the service stops. The service ignores what you send. If you send more than 64 KiB at
    once, or 4 KiB a second for long, it closes with 1008.
    """
    raise Problem(
        UPGRADE_REQUIRED,
        f"The events of game {game!r} come over a WebSocket here.",
        UPGRADE_REQUIRED.remedy,
        headers={"Upgrade": "websocket", "Connection": "Upgrade"},
    )


@websocket("/v1/games/{game:str}/events/socket")
async def events_socket(socket: WebSocket[Any, Any, Any], game: FromPath[str]) -> None:
    """Send the events of a game over a WebSocket."""
    services = services_of(socket)
    socket.send = _unless_gone(socket.send)
    # Find the start before the socket is open, so that a caller who acts as soon as it opens sees their own events.
    opening = await _opening(services, socket, GameId(game))
    with suppress(WebSocketDisconnect):
        await socket.accept(subprotocols=PROTOCOL if PROTOCOL in subprotocols_of(socket.scope) else None)
        await socket.close(await _send_events(services, socket, GameId(game), opening))


async def _send_events(
    services: Services,
    socket: WebSocket[Any, Any, Any],
    game: GameId,
    opening: tuple[Caller | None, Version] | Exception,
) -> int:
    """Send the events, or a problem; return the close code. Raises `WebSocketDisconnect`."""
    try:
        if isinstance(opening, Exception):
            raise opening
        caller, start = opening
        passages = follow(services, game, caller, start, _messages)
        with services.metrics.following("websocket") as report_sent:
            await _send_until_gone(socket, passages, report_sent)
        return OVER if (await services.games.game(game)).status in ENDED else STOPPING
    except WebSocketDisconnect:
        raise
    except Exception as error:
        problem = explained(error)
        log_fault(problem, error)
        body = problem.body(f"urn:uuid:{socket.scope.get('request_id', '')}")
        await socket.send_data(encode(ProblemFrame(None, "problem", body)).decode())
        return REFUSED


def _unless_gone(send: Send) -> Send:
    """Wrap `send` so that it raises `WebSocketDisconnect` when the client is gone.

    Servers raise OSError then, by the ASGI specification; uvicorn also RuntimeError, if it has closed the socket.
    """

    async def send_or_disconnect(message: Message) -> None:
        try:
            await send(message)
        except (OSError, RuntimeError) as error:
            raise WebSocketDisconnect(detail="the client is gone") from error

    return send_or_disconnect


async def _opening(
    services: Services, socket: WebSocket[Any, Any, Any], game: GameId
) -> tuple[Caller | None, Version] | Exception:
    """Return the caller and the version to begin after; or the error to send as a problem over the open socket."""
    try:
        if services.limits is not None:
            await services.limits.admit(address_of(socket.scope), token_of(socket.scope))
        caller = await authenticate(socket)
        await require_shown(services, game, caller)
        after = read_query(socket.scope["query_string"], Since).after
        return caller, start_of(after, (await services.games.game(game)).version)
    except Exception as error:
        return error


def _messages(events: list[EventView]) -> tuple[str, ...]:
    """Return events as the messages of a WebSocket."""
    return tuple(encode(EventFrame(event.version, event.type, event)).decode() for event in events)


async def _send_until_gone(
    socket: WebSocket[Any, Any, Any],
    passages: AsyncIterator[Passage[tuple[str, ...]] | None],
    report_sent: Callable[[Sequence[str]], None],
) -> None:
    """Send events until there are no more. Raises `WebSocketDisconnect` as soon as the client is gone."""

    async def send() -> None:
        async for passage in passages:
            if passage is not None:
                report_sent(passage.at)
                for message in passage.frames:
                    await socket.send_data(message)

    async def listen() -> None:
        while True:
            await socket.receive_data("text")

    sending, listening = asyncio.create_task(send()), asyncio.create_task(listen())
    try:
        await asyncio.wait((sending, listening), return_when=asyncio.FIRST_COMPLETED)
        (sending if sending.done() else listening).result()
    finally:
        for task in (sending, listening):
            task.cancel()
        await asyncio.gather(sending, listening, return_exceptions=True)
