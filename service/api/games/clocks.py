"""The clocks of a game: its organizer chooses them, seats and officials give time, and flags are claimed."""

from typing import Final

import msgspec
from litestar.response import Response

from domain.kernel.ids import GameId
from domain.kernel.log.game import Game
from service.api.bodies import Nothing
from service.api.endpoint import endpoint
from service.api.games.bodies import ClockWanted, TimeGift, chosen_clock
from service.api.games.routes import ACCEPTED, ACTS, acted, seat_named
from service.api.problems.games import NOT_ORGANIZER, UNKNOWN_SEAT
from service.api.problems.play import NOT_SEATED
from service.api.request import Call
from service.games.clocks import ClaimFlag, GiveTime, SetClock, TakeDayOff

_wanted: Final = msgspec.json.Decoder(ClockWanted)
_gift: Final = msgspec.json.Decoder(TimeGift)


@endpoint(
    "PUT",
    "/v1/games/{game:str}/clock",
    tag="Games",
    account="required",
    scopes=("organize",),
    headers=("Idempotency-Key", "If-Match"),
    body=ClockWanted,
    answers=(ACCEPTED,),
    problems=(*ACTS, NOT_ORGANIZER),
)
async def set_clock(request: Call, game: str) -> Response[bytes]:
    """Choose the clock of a game.

    Only the organizer may do this, until the game starts (TAB-CLK-01). It is the same for all seats, and everybody sees
    it before they sit down. A repeated request with the same `Idempotency-Key` gets the same response and changes
    nothing.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_wanted)
    return await acted(request, game, SetClock(chosen_clock(wish.clock)))


@endpoint(
    "POST",
    "/v1/games/{game:str}/time",
    tag="Play",
    account="required",
    scopes=("play", "judge"),
    headers=("Idempotency-Key", "If-Match"),
    body=TimeGift,
    answers=(ACCEPTED,),
    problems=(*ACTS, UNKNOWN_SEAT, NOT_SEATED),
)
async def give_time(request: Call, game: str) -> Response[bytes]:
    """Give a seat time.

    As a player you give time to another seat (scope `play`). Your own clock does not change. In one game you can give
    at most the time that a clock begins with. As an official of the game you credit any seat (scope `judge`), also
    during a pause. No bank grows above its cap (TAB-CLK-08). A repeated request with the same `Idempotency-Key` gets
    the same response and changes nothing.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_gift)
    seat = seat_named(await as_player_or_official(request, game), wish.seat)
    return await acted(request, game, GiveTime(seat, wish.seconds))


@endpoint(
    "POST",
    "/v1/games/{game:str}/flags/{seat:str}",
    tag="Play",
    account="required",
    scopes=("play", "judge"),
    headers=("Idempotency-Key", "If-Match"),
    answers=(ACCEPTED,),
    problems=(*ACTS, UNKNOWN_SEAT, NOT_SEATED),
)
async def claim_flag(request: Call, game: str, seat: str) -> Response[bytes]:
    """Claim that a seat's time is up.

    In a game whose clock says `claim` at zero, a flag falls only when another seat (scope `play`) or an official of the
    game (scope `judge`) asks for it, at `falls_at` of its clock or later. The default answer of the seat follows at
    once (TAB-CLK-06, TAB-CLK-07). The request has no body. A repeated request with the same `Idempotency-Key` gets the
    same response and changes nothing.
    """
    request.read_query(Nothing)
    return await acted(request, game, ClaimFlag(seat_named(await as_player_or_official(request, game), seat)))


@endpoint(
    "POST",
    "/v1/games/{game:str}/days-off",
    tag="Play",
    account="required",
    scopes=("play",),
    headers=("Idempotency-Key", "If-Match"),
    answers=(ACCEPTED,),
    problems=(*ACTS, NOT_SEATED),
)
async def take_day_off(request: Call, game: str) -> Response[bytes]:
    """Take a day off.

    For 24 hours your clock does not count. You may take as many days as were chosen with the clock, one after another,
    while you have time left (TAB-CLK-10). The request has no body. A repeated request with the same `Idempotency-Key`
    gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    return await acted(request, game, TakeDayOff())


async def as_player_or_official(request: Call, game: str) -> Game:
    """Return a game, if the scopes of the token fit the caller's role there. Raises `Problem`."""
    current = await request.services.games.game(GameId(game))
    request.require("judge" if current.around.is_official(request.signed_in.player) else "play")
    return current
