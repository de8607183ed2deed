"""The endpoints for organizers: consents, assigned seats, and bulks of games."""

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Final

import msgspec
from litestar.response import Response, Stream
from msgspec import UNSET, Struct

from domain.kernel.ids import GameId, PlayerId, Seat
from service.accounts.caller import Caller
from service.api.bodies import Nothing
from service.api.endpoint import Answer, endpoint
from service.api.games.bodies import chosen_clock
from service.api.games.routes import ACCEPTED, ACTS, acted, seat_named
from service.api.log.bodies import Framed
from service.api.log.streams import Numbered, server_sent
from service.api.organizing.bodies import (
    Bulk,
    BulkGame,
    Consent,
    Consents,
    NewBulk,
    SeatAssignment,
    SeatConfirmation,
    StreamedBulk,
    bulk_game_view,
    bulk_view,
    consent_view,
)
from service.api.problems.accounts import UNKNOWN_PLAYER
from service.api.problems.games import NOT_ORGANIZER, UNKNOWN_SEAT
from service.api.problems.organizing import BULK_REFUSED, NOT_CONSENTED, TOO_MANY_CONSENTS, TOO_MANY_GAMES, UNKNOWN_BULK
from service.api.problems.play import NOT_SEATED
from service.api.problems.problem import Fault, Problem
from service.api.problems.request import KEY_REUSED
from service.api.request import Call
from service.api.response import answer
from service.api.services import Services
from service.base.clock import written
from service.games.creating import TableWish
from service.games.seats import AssignSeat, ConfirmSeat
from service.organizing.bulks import BulkRefused, GameWish
from service.store.organizing import BulkRow

_assignment: Final = msgspec.json.Decoder(SeatAssignment)
_confirmation: Final = msgspec.json.Decoder(SeatConfirmation)
_new_bulk: Final = msgspec.json.Decoder(NewBulk)

LOOK: Final = 0.5
"""Seconds between two reads of the games of a bulk for a client that follows it."""

HEARTBEAT: Final = 15.0
"""Seconds without a change after which a stream sends a heartbeat."""

MOST_FAULTS: Final = 100
"""The most faults of a bulk in an answer."""

ENDED: Final = frozenset(("started", "cancelled", "failed"))


@endpoint(
    "GET",
    "/v1/players/me/consents",
    tag="Players",
    account="required",
    scopes=("play",),
    answers=(Answer(200, "The organizers whom you let seat you.", Consents),),
)
async def list_consents(request: Call) -> Response[bytes]:
    """List the organizers whom you let seat you.

    One page holds them all.
    """
    request.read_query(Nothing)
    rows = await request.services.organizing.consents.of(request.signed_in.player)
    return answer(Consents(tuple(map(consent_view, rows)), None))


@endpoint(
    "PUT",
    "/v1/players/me/consents/{player:str}",
    tag="Players",
    account="required",
    scopes=("play",),
    answers=(Answer(200, "The organizer whom you let seat you.", Consent),),
    problems=(UNKNOWN_PLAYER, TOO_MANY_CONSENTS),
)
async def give_consent(request: Call, player: str) -> Response[bytes]:
    """Let an organizer seat you.

    From then on this account may assign you seats of games that it organizes (TAB-SEAT-08). You find each such seat in
    your inbox, and can leave it until the game starts. You can name 100 organizers. The request has no body. Repeating
    it changes nothing.
    """
    request.read_query(Nothing)
    consents = request.services.organizing.consents
    return answer(consent_view(await consents.give(request.signed_in.player, PlayerId(player))))


@endpoint(
    "DELETE",
    "/v1/players/me/consents/{player:str}",
    tag="Players",
    account="required",
    scopes=("play",),
    answers=(Answer(200, "The organizers whom you still let seat you.", Consents),),
)
async def withdraw_consent(request: Call, player: str) -> Response[bytes]:
    """Let an organizer seat you no longer.

    You keep the seats that you have: leave those that you do not want. Repeating the request changes nothing.
    """
    request.read_query(Nothing)
    consents, me = request.services.organizing.consents, request.signed_in.player
    await consents.withdraw(me, PlayerId(player))
    return answer(Consents(tuple(map(consent_view, await consents.of(me))), None))


@endpoint(
    "POST",
    "/v1/games/{game:str}/seats/{seat:str}/assignment",
    tag="Games",
    account="required",
    scopes=("organize",),
    headers=("Idempotency-Key", "If-Match"),
    body=SeatAssignment,
    answers=(ACCEPTED,),
    problems=(*ACTS, UNKNOWN_SEAT, NOT_ORGANIZER, NOT_CONSENTED),
)
async def assign_seat(request: Call, game: str, seat: str) -> Response[bytes]:
    """Assign a seat to an account.

    Only the organizer may do this, until the game starts, and only for an account that lets them seat it. The account
    holds the seat at once, and finds that in its inbox. It confirms the seat or leaves it. Until it has confirmed, you
    can assign the seat to another account (TAB-SEAT-08). A repeated request with the same `Idempotency-Key` gets the
    same response and changes nothing.
    """
    request.read_query(Nothing)
    wish, services = await request.read_body(_assignment), request.services
    place, player = seat_named(await services.games.game(GameId(game)), seat), PlayerId(wish.player)
    objections = await services.organizing.consents.objections(request.signed_in.player, [player])
    if player in objections:
        raise Problem(NOT_CONSENTED, objections[player], NOT_CONSENTED.remedy, path="$.player")
    return await acted(request, game, AssignSeat(place, player))


@endpoint(
    "POST",
    "/v1/games/{game:str}/seats/{seat:str}/confirmation",
    tag="Games",
    account="required",
    scopes=("play",),
    headers=("Idempotency-Key", "If-Match"),
    body=SeatConfirmation,
    answers=(ACCEPTED,),
    problems=(*ACTS, UNKNOWN_SEAT, NOT_SEATED),
)
async def confirm_seat(request: Call, game: str, seat: str) -> Response[bytes]:
    """Confirm the seat that was assigned to you.

    Says that you will play, and adds entropy to the dice, so that you need not trust the service with them. You can
    confirm until the game starts; the start does not wait for you (TAB-SEAT-09). A repeated request with the same
    `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_confirmation)
    place = seat_named(await request.services.games.game(GameId(game)), seat)
    return await acted(request, game, ConfirmSeat(place, wish.entropy))


@endpoint(
    "POST",
    "/v1/bulks",
    tag="Games",
    account="required",
    scopes=("organize",),
    headers=("Idempotency-Key",),
    body=NewBulk,
    answers=(Answer(202, "The games that will be opened.", Bulk, headers=("Location",)),),
    problems=(BULK_REFUSED, TOO_MANY_GAMES, KEY_REUSED),
)
async def create_games(request: Call) -> Response[bytes]:
    """Create up to 100 games at once.

    Each is created as by `POST /v1/games`, with its officials, and with the seats that you assign. An account is only
    assigned a seat if it lets you seat it (`PUT /v1/players/me/consents/{player}`). The other seats are free: invite
    players to them when the game is open. If anything is wrong with one of the games, none is created, and `faults`
    names each game and seat. You can ask for 500 games in 24 hours.

    The answer comes before the games are open. `GET /v1/bulks/{bulk}` says what became of each, and
    `GET /v1/bulks/{bulk}/stream` follows that. At `starts_at`, a game starts if all its seats are taken. Otherwise it
    starts as soon as they are, within 14 days. With an `Idempotency-Key`, a repeated request creates no second games:
    you get the same bulk.
    """
    request.read_query(Nothing)
    wish, player, services = await request.read_body(_new_bulk), request.signed_in.player, request.services
    wishes = [GameWish(_table(each), _moment(each.starts_at or wish.starts_at)) for each in wish.games]
    try:
        row = await services.organizing.bulks.make(player, wishes, request.key)
    except BulkRefused as refused:
        faults = tuple(Fault(each.number, each.problem, each.seat, each.rule) for each in refused.faults)
        some = f"Game {faults[0].game}: {faults[0].detail}"
        more = f" There are {len(faults)} faults." if len(faults) > 1 else ""
        raise Problem(BULK_REFUSED, some + more, BULK_REFUSED.remedy, faults=faults[:MOST_FAULTS]) from None
    return answer(await _bulk_view(services, row), 202, {"Location": f"/v1/bulks/{row.bulk}"})


BULK: Final = (create_games,)
"""Registered apart from the other routes, because it accepts larger bodies: a new game may come with a board."""


@endpoint(
    "GET",
    "/v1/bulks/{bulk:str}",
    tag="Games",
    account="required",
    scopes=("organize",),
    answers=(Answer(200, "What became of the games.", Bulk),),
    problems=(UNKNOWN_BULK,),
)
async def show_bulk(request: Call, bulk: str) -> Response[bytes]:
    """Show what became of games that you created together.

    The bulk is kept for 60 days.
    """
    request.read_query(Nothing)
    row = await request.services.organizing.bulks.one(request.signed_in.player, bulk)
    return answer(await _bulk_view(request.services, row))


@endpoint(
    "DELETE",
    "/v1/bulks/{bulk:str}",
    tag="Games",
    account="required",
    scopes=("organize",),
    answers=(Answer(202, "What has become of the games so far.", Bulk),),
    problems=(UNKNOWN_BULK,),
)
async def cancel_bulk(request: Call, bulk: str) -> Response[bytes]:
    """Cancel the games of a bulk that have not started.

    Games that are not open yet are not opened, and those that wait for players are cancelled. This takes a moment:
    the bulk says what became of each. Repeating the request changes nothing.
    """
    request.read_query(Nothing)
    bulks, player = request.services.organizing.bulks, request.signed_in.player
    await bulks.cancel(await bulks.one(player, bulk))
    return answer(await _bulk_view(request.services, await bulks.one(player, bulk)), 202)


@endpoint(
    "GET",
    "/v1/bulks/{bulk:str}/stream",
    tag="Games",
    account="required",
    scopes=("organize",),
    headers=("Last-Event-ID",),
    query=Framed,
    answers=(Answer(200, "What becomes of the games.", StreamedBulk, "text/event-stream"),),
    problems=(UNKNOWN_BULK,),
)
async def stream_bulk(request: Call, bulk: str) -> Response[bytes] | Stream:
    """Follow what becomes of games that you created together, as server-sent events.

    Begins with a frame for each game that has changed so far. Then comes a frame for each change. Reconnect with
    `Last-Event-ID`, and you miss nothing. After 15 seconds without a change the service sends a comment. The stream
    ends when each game has started, was cancelled or has failed, when the service stops, and when your token ends.
    """
    frames, services, caller = request.read_query(Framed).frames, request.services, request.signed_in
    row, after = await services.organizing.bulks.one(caller.player, bulk), request.last_event or 0
    return server_sent(services.metrics, _follow(services, caller, row, after), after, frames)


class _Changed(Struct, frozen=True):
    at: str
    type: str = "bulk-game"


async def _follow(services: Services, caller: Caller, row: BulkRow, after: int) -> AsyncIterator[Numbered | None]:
    """Yield the games of a bulk that changed after the change number `after`, and None as a heartbeat."""
    bulks, last_sent = services.organizing.bulks, time.monotonic()
    games = await bulks.games(row.bulk)
    statuses = {each.number: each.status for each in games}
    while True:
        for each in games:
            if each.changed > after:
                yield each.changed, _Changed(services.games.time()), bulk_game_view(each)
                after, last_sent = each.changed, time.monotonic()
            statuses[each.number] = each.status
        if ENDED.issuperset(statuses.values()):
            return
        if time.monotonic() - last_sent >= HEARTBEAT:
            caller = await services.accounts.callers.still(caller)
            yield None
            last_sent = time.monotonic()
        await asyncio.sleep(LOOK)
        games = await bulks.games(row.bulk, after)


async def _bulk_view(services: Services, row: BulkRow) -> Bulk:
    return bulk_view(row, await services.organizing.bulks.games(row.bulk))


def _moment(time: datetime | None) -> str:
    return written(time) if time is not None else ""


def _table(wish: BulkGame) -> TableWish:
    return TableWish(
        ruleset=wish.ruleset,
        players=wish.players,
        setup=wish.setup,
        board=bytes(wish.board) if wish.board is not UNSET else None,
        documents={name: bytes(document) for name, document in wish.documents.items()},
        organizer_sees=wish.organizer_sees,
        forks=wish.forks,
        readers=wish.readers,
        clock=chosen_clock(wish.clock),
        abandoned_after=wish.abandoned_after,
        title=wish.title,
        listed=wish.listed,
        officials=tuple(map(PlayerId, wish.officials)),
        seats={Seat(seat): PlayerId(player) for seat, player in wish.seats.items()},
    )
