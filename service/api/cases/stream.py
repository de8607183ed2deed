"""The events of a case as they happen."""

from collections.abc import AsyncIterator

from litestar.response import Response, Stream

from domain.judging.events import CLOSED
from domain.kernel.ids import CaseId, Version
from service.accounts.caller import Caller
from service.api.bodies import Past
from service.api.cases.bodies import CaseEventView, StreamedCaseEvent
from service.api.cases.views import event_view
from service.api.endpoint import Answer, endpoint
from service.api.log.bodies import Framed
from service.api.log.streams import server_sent, something_happens, start_of
from service.api.problems.cases import UNKNOWN_CASE
from service.api.problems.games import UNKNOWN_VERSION
from service.api.request import Call
from service.api.services import Services
from service.api.withheld import require_shown


class CaseSince(Framed, frozen=True, forbid_unknown_fields=True):
    """Where the stream of a case begins, and how it looks.

    Attributes:
        after: after this version, which the case must have reached. Absent: with the next event. `Last-Event-ID` takes
            precedence.
    """

    after: Past | None = None


async def follow(
    services: Services, case: CaseId, caller: Caller | None, after: Version
) -> AsyncIterator[CaseEventView | None]:
    """Yield the events of a case after a version, as they come; None for every heartbeat without any.

    Ends with the last event of a case that is closed, and when the service stops. Raises `Problem` when the caller may
    no longer read the game, and `TokenEnded` when the caller's token ends.
    """
    async with services.wake.subscribe(case) as signal:
        while True:
            # Read after subscribing and before waiting, so that no event is missed.
            docket = await services.desk.docket(case)
            await require_shown(services, docket.case.game, caller)
            if after < docket.case.version:
                names = (await services.games.game(docket.case.game, 0)).names
                for record in docket.records[after:]:
                    yield event_view(record, names)
                after = docket.case.version
            if docket.case.status in CLOSED or signal.closed:
                return
            if not await something_happens(services, caller, signal):
                yield None


@endpoint(
    "GET",
    "/v1/cases/{case:str}/stream",
    tag="Cases",
    query=CaseSince,
    headers=("Last-Event-ID",),
    answers=(
        Answer(200, "The events as they happen.", StreamedCaseEvent, "text/event-stream"),
        Answer(204, "The case is closed and has no events after that version: do not connect again."),
    ),
    problems=(UNKNOWN_CASE, UNKNOWN_VERSION),
)
async def stream_case_events(request: Call, case: str) -> Response[bytes] | Stream:
    """Follow a case as server-sent events.

    One frame for each event, as in the list of events of the case: `id` is the version and `event` the type. After 15
    seconds without an event the service sends a comment. Reconnect with `Last-Event-ID`, and you miss nothing and get
    nothing twice. The stream ends when the case is closed and when the service stops. What parties wrote is not in it;
    `GET /v1/cases/{case}` shows it to those who may read it.
    """
    query = request.read_query(CaseSince)
    last = request.last_event
    now = (await request.services.desk.docket(CaseId(case))).case
    start = start_of(last if last is not None else query.after, now.version, "case")
    if now.status in CLOSED and start == now.version:
        return Response(b"", status_code=204)
    events = follow(request.services, now.id, request.caller, start)
    numbered = (None if event is None else (event.version, event, event) async for event in events)
    return server_sent(request.services.metrics, numbered, start, query.frames)
