"""The endpoints for directors: the rounds of a tournament, and the results of its tables."""

from functools import partial
from typing import Final

import msgspec
from litestar.response import Response

from domain.kernel.ids import PlayerId, TournamentId
from domain.kernel.log.record import Cause
from domain.tournament import results, rounds
from domain.tournament.tournament import Inscribed, Tournament
from service.api.bodies import Nothing
from service.api.endpoint import Answer, endpoint
from service.api.problems.play import NOT_NOW, REFUSED, STALE_VERSION
from service.api.problems.tournaments import NOT_A_DIRECTOR, UNKNOWN_ROUND, UNKNOWN_TOURNAMENT
from service.api.request import Call
from service.api.response import answer, etag
from service.api.tournaments.acting import (
    DIRECTED,
    acted,
    directing,
    explained,
    number_of,
    require_director,
    round_of,
)
from service.api.tournaments.acting import DONE as CHANGED
from service.api.tournaments.asked import (
    NewResult,
    NewSubstitute,
    NewTables,
    Publication,
    Reason,
)
from service.api.tournaments.bodies import PricedTables, RoundView
from service.api.tournaments.views import round_view
from service.tournaments.committee import Decide, Proceeding
from service.tournaments.drafts import DraftState
from service.tournaments.results import take

_publication: Final = msgspec.json.Decoder(Publication)
_new_tables: Final = msgspec.json.Decoder(NewTables)
_reason: Final = msgspec.json.Decoder(Reason)
_new_result: Final = msgspec.json.Decoder(NewResult)
_new_substitute: Final = msgspec.json.Decoder(NewSubstitute)

_DONE: Final = Answer(200, "Done by this request, or by the one that it repeats.", RoundView, headers=("ETag",))

_of_a_round = partial(
    endpoint,
    "POST",
    tag="Tournaments",
    account="required",
    scopes=("organize", "judge"),
    headers=("Idempotency-Key", "If-Match"),
    answers=(_DONE,),
    problems=(*DIRECTED, UNKNOWN_ROUND),
)
"""Declares an endpoint by which a director changes a round."""

_ROUND: Final = "/v1/tournaments/{tournament:str}/rounds/{round:str}"
_TABLE: Final = f"{_ROUND}/tables/{{table:str}}"


_DRAWING: Final = Answer(202, "The round, whose draft is being drawn.", RoundView, headers=("Location", "ETag"))


@_of_a_round(
    "/v1/tournaments/{tournament:str}/rounds",
    headers=("Idempotency-Key", "If-Match", "Prefer"),
    answers=(_DONE, _DRAWING),
    problems=DIRECTED,
)
async def draw_round(request: Call, tournament: str) -> Response[bytes]:
    """Draw a round.

    For directors. The first request for a round closes its check-in and draws its lots, which never change
    (TAB-TRN-08). Each request makes a draft of the tables, with its cost. A round has at most 20 drafts, and all stay
    on the record (TAB-TRN-09). With `Prefer: respond-async`, the answer comes before the tables are drawn: `Location`
    is the address of the draft's state. The request has no body. A repeated request with the same `Idempotency-Key`
    gets the same response, and draws a draft that was interrupted.
    """
    request.read_query(Nothing)
    await require_director(request, tournament)
    committee, player = request.services.committee, request.signed_in.player
    if request.prefers("respond-async"):
        async with explained():
            now, is_drawn = await request.services.drafts.begin(
                TournamentId(tournament), player, expected=request.expected, key=request.key
            )
        number = len(now.tournament.field.rounds)
        if is_drawn:
            return _answer_round(now, number)
        draft = len(now.tournament.field.rounds[number].drafts) + 1
        place = {"Location": f"/v1/tournaments/{tournament}/rounds/{number}/drafts/{draft}"}
        view = round_view(now, now.tournament.field.rounds[number])
        return answer(view, 202, {**place, **etag(now.tournament.version)})
    async with explained():
        outcome = await committee.draw_round(
            TournamentId(tournament), player, expected=request.expected, key=request.key
        )
    return _answer_round(outcome, len(outcome.tournament.field.rounds))


@endpoint(
    "GET",
    f"{_ROUND}/drafts/{{draft:str}}",
    tag="Tournaments",
    account="required",
    scopes=("organize", "judge"),
    answers=(Answer(200, "Where the draft stands.", DraftState),),
    problems=(UNKNOWN_TOURNAMENT, UNKNOWN_ROUND, NOT_A_DIRECTOR),
)
async def show_draft(request: Call, tournament: str, round: str, draft: str) -> Response[bytes]:  # noqa: A002
    """Show where a draft stands.

    For directors. Says whether a draft that you asked for is still being drawn. When it is `drafted`, the round shows
    it with its cost. Ask about once a second.
    """
    request.read_query(Nothing)
    number = round_of(await require_director(request, tournament), round).number
    return answer(await request.services.drafts.state(TournamentId(tournament), number, number_of(draft)))


@_of_a_round(f"{_ROUND}/publication", body=Publication)
async def publish_round(request: Call, tournament: str, round: str) -> Response[bytes]:  # noqa: A002
    """Publish a round.

    For directors. Publishes the tables of a draft; or tables that you changed by hand, if they are lawful and you give
    a public reason (TAB-TRN-10). The service then opens a game for each table and gives its players their seats. A game
    starts when all its players have confirmed their seats, after ten minutes without that, or when one of them starts
    it. A repeated request with the same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_publication)
    number = round_of(await require_director(request, tournament), round).number
    content = ["publish", number, *msgspec.to_builtins(wish).values()]

    def decide(tournament: Tournament, cause: Cause, at: str) -> Inscribed:
        rounds.require_drawing(tournament, number)
        return rounds.publish(tournament, wish.draft, wish.drawn, wish.reason, cause, at)

    return await _acted(request, tournament, number, content, decide)


@endpoint(
    "POST",
    f"{_ROUND}/publication/check",
    tag="Tournaments",
    account="required",
    scopes=("organize", "judge"),
    headers=("If-Match",),
    body=NewTables,
    answers=(Answer(200, "The service would publish them.", PricedTables, headers=("ETag",)),),
    problems=(UNKNOWN_TOURNAMENT, UNKNOWN_ROUND, NOT_A_DIRECTOR, REFUSED, NOT_NOW, STALE_VERSION),
)
async def check_publication(request: Call, tournament: str, round: str) -> Response[bytes]:  # noqa: A002
    """Price tables.

    For directors. Says what tables would cost if you published them in place of a draft, part by part, for all together
    and for each. The service refuses here what it would refuse to publish (TAB-TRN-10), but needs no reason. It stores
    nothing, so you can try as often as you like.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_new_tables)
    number = round_of(await require_director(request, tournament), round).number
    committee, player = request.services.committee, request.signed_in.player
    async with explained():
        now, cost, tables = await committee.price(
            TournamentId(tournament), player, number, wish.draft, wish.drawn, expected=request.expected
        )
    version, before = now.tournament.version, now.sheets[number].drafts[wish.draft - 1].cost
    priced = PricedTables(now.tournament.id, version, number, wish.draft, cost, before, tables)
    return answer(priced, headers=etag(version))


@_of_a_round(f"{_ROUND}/cancellation", body=Reason)
async def cancel_round(request: Call, tournament: str, round: str) -> Response[bytes]:  # noqa: A002
    """Cancel a round.

    For directors, before anybody has given a command at its tables, with a public reason (TAB-TRN-11). Its games that
    have not begun are cancelled. Another round can be drawn in its place, with new lots. A repeated request with the
    same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    reason = (await request.read_body(_reason)).reason
    number = round_of(await require_director(request, tournament), round).number
    committee, player = request.services.committee, request.signed_in.player
    async with explained():
        outcome = await committee.cancel_round(
            TournamentId(tournament), player, number, reason, expected=request.expected, key=request.key
        )
    return _answer_round(outcome, number)


@_of_a_round(f"{_TABLE}/result", body=NewResult)
async def overrule_result(request: Call, tournament: str, round: str, table: str) -> Response[bytes]:  # noqa: A002
    """Give a table a result.

    For directors who do not play there. The result replaces that of the game, or is given for a game that has not ended
    within the time of the regulations (TAB-TRN-16). It counts at once, and its reason is public. A repeated request
    with the same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_new_result)
    number, at = round_of(await require_director(request, tournament), round).number, number_of(table)
    order = tuple(tuple(map(PlayerId, tied)) for tied in wish.order)
    decide = directing(results.overrule, number, at, order, wish.reason)
    return await _acted(request, tournament, number, ["result", number, at, order, wish.reason], decide)


@_of_a_round(f"{_TABLE}/confirmation")
async def confirm_result(request: Call, tournament: str, round: str, table: str) -> Response[bytes]:  # noqa: A002
    """Confirm a result.

    For directors who do not play there. The result counts from now on (TAB-TRN-15). The service first takes it again
    from the game, because there may be a ruling on it (TAB-TRN-14). If nobody confirms it, it counts after the time of
    the regulations, unless a case about the game is open; in the last round, only a director makes it count. The
    request has no body. A repeated request with the same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    current, at = round_of(await require_director(request, tournament), round), number_of(table)
    number, at_table, services = current.number, current.table(at), request.services
    if at_table is not None and not (at_table.result is not None and at_table.result.confirmed):
        await take(services.committee, services.games, services.desk, TournamentId(tournament), number, at_table)
    decide = directing(results.confirm, number, at)
    return await _acted(request, tournament, number, ["confirm", number, at], decide)


@_of_a_round(f"{_TABLE}/substitutes", body=NewSubstitute, answers=(CHANGED,))
async def seat_substitute(request: Call, tournament: str, round: str, table: str) -> Response[bytes]:  # noqa: A002
    """Seat a substitute.

    For directors, with a public reason. Another player of the tournament takes over the seat and gets what it earns,
    unless the regulations leave that to the replaced player (TAB-TRN-13). Before the game begins, the service gives
    them the seat. Later it offers them the seat, and they take it over. A repeated request with the same
    `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_new_substitute)
    number, at = round_of(await require_director(request, tournament), round).number, number_of(table)
    decide = directing(rounds.substitute, number, at, PlayerId(wish.player), PlayerId(wish.to), wish.reason)
    content = ["substitute", number, at, wish.player, wish.to, wish.reason]
    return await acted(request, tournament, content, decide)


async def _acted(request: Call, tournament: str, number: int, content: list[object], decide: Decide) -> Response[bytes]:
    committee, player = request.services.committee, request.signed_in.player
    key, expected = request.key, request.expected
    async with explained():
        outcome = await committee.act(TournamentId(tournament), player, content, decide, expected=expected, key=key)
    return _answer_round(outcome, number)


def _answer_round(proceeding: Proceeding, number: int) -> Response[bytes]:
    return answer(
        round_view(proceeding, proceeding.tournament.field.rounds[number]), headers=etag(proceeding.tournament.version)
    )
