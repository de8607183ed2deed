"""The inbox as it changes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Final

from litestar.response import Response, Stream
from msgspec import Struct

from domain.kernel.ids import StreamId
from projections.cursor import Cursor, reaches
from projections.inbox import INBOX, tournaments_of
from projections.store import NotBuilt, Rows, Unavailable
from service.accounts.caller import Caller
from service.api.endpoint import Answer, endpoint
from service.api.log.bodies import Framed
from service.api.log.streams import Numbered, server_sent
from service.api.notifications.bodies import InboxState, StreamedInbox
from service.api.notifications.reading import inbox_of, state_of
from service.api.players.stream import follow_games
from service.api.request import Call
from service.api.services import Services

GATHER: Final = 0.5
"""Seconds between two looks at an inbox, so that a busy moment in its games takes one."""

PATIENCE: Final = 5.0
"""How many seconds to wait until the projection has an event. The next look finds what is late."""

POLL: Final = 0.1
"""Seconds between two looks at the place of the projection."""


class InboxFrame(Struct, frozen=True):
    """The frame that says what waits for an account."""

    at: str
    type: str = "inbox"


class _Listener:
    """Follows the games and tournaments of an account, and says when to look at its inbox again.

    Attributes:
        tournaments: those in which the account takes part, as of the last look.
        elsewhere: whether something happened in these since the last look.
    """

    def __init__(self, place: Cursor, at: str) -> None:
        self.place = place
        self.tournaments: set[StreamId] = set()
        self.elsewhere = False
        self.at = at
        self.changed = asyncio.Event()

    async def follow(self, services: Services, caller: Caller) -> None:
        async for each in follow_games(services, caller, self.place):
            # Look at a heartbeat, too: no event tells what was read elsewhere, or that the account is an official now.
            self.at = services.games.time()
            if each is not None:
                self.place, self.at = each[0], each[3].at
            self.changed.set()

    async def listen(self, services: Services) -> None:
        """Follow the tournaments, too: following games does not include them."""
        async with services.wake.subscribe(None, lambda stream, _: stream in self.tournaments) as signal:
            while await signal.wait() and not signal.closed:
                self.at, self.elsewhere = services.games.time(), True
                self.changed.set()


async def follow_inbox(
    services: Services, caller: Caller, start: Cursor, state: InboxState
) -> AsyncIterator[Numbered | None]:
    """Yield the frames of an inbox: first `state`, which it had at `start`, then every change.

    Yields None for every heartbeat without a change. Raises what `follow_games` raises.
    """
    listener = _Listener(start, services.games.time())
    following = asyncio.create_task(listener.follow(services, caller))
    following.add_done_callback(lambda _: listener.changed.set())
    listening = asyncio.create_task(listener.listen(services))
    try:
        with suppress(Unavailable, NotBuilt):
            listener.tournaments |= {*await tournaments_of(services.rows, caller.player)}
        yield str(start), InboxFrame(listener.at), state
        while True:
            await listener.changed.wait()
            if following.done():
                following.result()
                return
            await asyncio.sleep(GATHER)
            listener.changed.clear()
            place, caller = listener.place, await services.accounts.callers.still(caller)
            elsewhere, listener.elsewhere = listener.elsewhere, False
            with suppress(Unavailable, NotBuilt):  # the next look will find it
                await _reached(services.rows, await services.store.end() if elsewhere else place)
                listener.tournaments = {*await tournaments_of(services.rows, caller.player)}
                now = await state_of(services, caller, await inbox_of(services, caller))
                if now != state:
                    state = now
                    yield str(place), InboxFrame(listener.at), state
                    continue
            yield None
    finally:
        for task in (following, listening):
            task.cancel()
        await asyncio.gather(following, listening, return_exceptions=True)


async def _reached(rows: Rows, place: Cursor) -> None:
    """Wait until the projection has reached a place in the log, at most `PATIENCE`."""
    for _ in range(round(PATIENCE / POLL)):
        live = next((each for each in await rows.generations() if each.live and each.projection == INBOX.name), None)
        if live is None or reaches(live.cursor, str(place)):
            return
        await asyncio.sleep(POLL)


@endpoint(
    "GET",
    "/v1/notifications/stream",
    tag="Notifications",
    account="required",
    scopes=("notify",),
    query=Framed,
    answers=(Answer(200, "What waits for you, as it changes.", StreamedInbox, "text/event-stream"),),
)
async def stream_notifications(request: Call) -> Response[bytes] | Stream:
    """Follow your inbox as server-sent events.

    Begins with a frame that says what waits for you: how many notifications you have not read, the games that wait for
    a decision of yours, the cases that wait for your ruling, the webhooks that failed, and the apps whose refresh token
    came twice. Another frame comes whenever that changes. So a client need not store anything: after a break, it just
    connects again. It can take up to 15 seconds until a frame comes when something is read elsewhere, a webhook is
    switched off, an app's token comes twice, or somebody else makes you part of a game or a tournament. After 15
    seconds without a frame the service sends a comment. The stream ends when the service stops and when your token
    ends.
    """
    frames, services, caller = request.read_query(Framed).frames, request.services, request.signed_in
    start = await services.store.end()
    state = await state_of(services, caller, await inbox_of(services, caller))
    return server_sent(services.metrics, follow_inbox(services, caller, start, state), str(start), frames)
