"""The stream of the events of a tournament."""

from collections.abc import AsyncIterator
from typing import Final

from litestar.response import Response, Stream

from domain.kernel.ids import TournamentId, Version
from service.accounts.caller import Caller
from service.api.endpoint import Answer, endpoint
from service.api.log.streams import server_sent, something_happens, start_of
from service.api.problems.games import UNKNOWN_VERSION
from service.api.problems.tournaments import UNKNOWN_TOURNAMENT
from service.api.request import Call
from service.api.services import Services
from service.api.tournaments.asked import TournamentSince
from service.api.tournaments.bodies import StreamedTournamentEvent, TournamentEventView
from service.api.tournaments.views import event_view

ENDED: Final = ("closed", "cancelled")
"""The statuses in which a tournament gets no more events."""


async def follow(
    services: Services, tournament: TournamentId, caller: Caller | None, after: Version
) -> AsyncIterator[TournamentEventView | None]:
    """Yield the events of a tournament after a version as they happen, and None as a heartbeat.

    Ends with the last event of a tournament that is over, and when the service stops. Raises `TokenEnded` when the
    caller's token ends.
    """
    async with services.wake.subscribe(tournament) as signal:
        while True:
            # Read after subscribing and before waiting, so that no event is missed in between.
            now = (await services.committee.now(tournament)).tournament
            if after < now.version:
                for record in (await services.committee.records(tournament, after))[: now.version - after]:
                    yield event_view(record)
                after = now.version
            if now.status in ENDED or signal.closed:
                return
            if not await something_happens(services, caller, signal):
                yield None


@endpoint(
    "GET",
    "/v1/tournaments/{tournament:str}/stream",
    tag="Tournaments",
    query=TournamentSince,
    account="optional",
    headers=("Last-Event-ID",),
    answers=(
        Answer(200, "The events as they happen.", StreamedTournamentEvent, "text/event-stream"),
        Answer(204, "The tournament is over and has no events after that version: do not connect again."),
    ),
    problems=(UNKNOWN_TOURNAMENT, UNKNOWN_VERSION),
)
async def stream_tournament_events(request: Call, tournament: str) -> Response[bytes] | Stream:
    """Follow a tournament as server-sent events.

    Each event has a frame, as in the list of its events: `id` is the version and `event` the type. After 15 seconds
    without an event the service sends a comment. Reconnect with `Last-Event-ID`, and you miss nothing and get nothing
    twice. The stream ends when the tournament is closed or cancelled, when the service stops, and when your token ends.
    """
    query = request.read_query(TournamentSince)
    last = request.last_event
    now = (await request.services.committee.now(TournamentId(tournament))).tournament
    start = start_of(last if last is not None else query.after, now.version, "tournament")
    if now.status in ENDED and start == now.version:
        return Response(b"", status_code=204)
    events = follow(request.services, now.id, request.caller, start)
    numbered = (None if event is None else (event.version, event, event) async for event in events)
    return server_sent(request.services.metrics, numbered, start, query.frames)
