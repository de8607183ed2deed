"""The seats of a running game: their players offer them and resign, others take them over."""

from typing import Final

import msgspec
from litestar.response import Response

from domain.kernel.ids import GameId, PlayerId
from domain.kernel.rules.refusal import Refusal
from service.api.bodies import Nothing
from service.api.endpoint import endpoint
from service.api.games.bodies import OfferWanted
from service.api.games.clocks import as_player_or_official
from service.api.games.routes import ACCEPTED, ACTS, acted, explained, seat_named
from service.api.problems.accounts import UNKNOWN_PLAYER
from service.api.problems.games import UNKNOWN_SEAT
from service.api.problems.play import NOT_SEATED
from service.api.request import Call
from service.games.requests import UnknownPlayer
from service.games.seats import AcceptSeat, OfferSeat, Resign, WithdrawOffer

_wanted: Final = msgspec.json.Decoder(OfferWanted)
_PROBLEMS: Final = (*ACTS, UNKNOWN_SEAT, NOT_SEATED)


@endpoint(
    "POST",
    "/v1/games/{game:str}/seats/{seat:str}/offer",
    tag="Games",
    account="required",
    scopes=("play", "judge"),
    headers=("Idempotency-Key", "If-Match"),
    body=OfferWanted,
    answers=(ACCEPTED,),
    problems=(*_PROBLEMS, UNKNOWN_PLAYER),
)
async def offer_seat(request: Call, game: str, seat: str) -> Response[bytes]:
    """Offer a seat of a running game.

    As its player you offer your own seat (scope `play`), as an official of the game any seat (scope `judge`): to an
    account, which alone may then accept, or to anybody. Nothing changes hands until somebody accepts. An account that
    holds or held another seat, is or was an official of the game, or organizes it and sees all of it, cannot accept
    (TAB-SEAT-02). A bot that the service plays accepts no offer: the organizer can put one on an open seat
    (TAB-BOT-01). An account that a seat of a private game is offered to can read that game. A repeated request with the
    same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_wanted)
    place = seat_named(await as_player_or_official(request, game), seat)
    to = PlayerId(wish.to) if wish.to is not None else None
    row = await request.services.accounts.player(to) if to is not None else None
    if to is not None and (row is None or row.closed is not None):
        raise UnknownPlayer(f"There is no player {to!r}.")
    if row is not None and row.bot is not None:
        async with explained(request, game):
            wrong, allowed = (
                f"{row.name} is a bot of the service.",
                "Give the seat up: the organizer can seat a bot there.",
            )
            raise Refusal("TAB-BOT-01", wrong, allowed)
    return await acted(request, game, OfferSeat(place, to))


@endpoint(
    "DELETE",
    "/v1/games/{game:str}/seats/{seat:str}/offer",
    tag="Games",
    account="required",
    scopes=("play", "judge"),
    headers=("Idempotency-Key", "If-Match"),
    answers=(ACCEPTED,),
    problems=_PROBLEMS,
)
async def withdraw_offer(request: Call, game: str, seat: str) -> Response[bytes]:
    """Withdraw the offer of a seat.

    The player of the seat may do this (scope `play`), and every official of the game (scope `judge`). It does not
    matter who made the offer (TAB-SEAT-01). A repeated request with the same `Idempotency-Key` gets the same response
    and changes nothing.
    """
    request.read_query(Nothing)
    place = seat_named(await as_player_or_official(request, game), seat)
    return await acted(request, game, WithdrawOffer(place))


@endpoint(
    "POST",
    "/v1/games/{game:str}/seats/{seat:str}/acceptance",
    tag="Games",
    account="required",
    scopes=("play",),
    headers=("Idempotency-Key", "If-Match"),
    answers=(ACCEPTED,),
    problems=(*ACTS, UNKNOWN_SEAT),
)
async def accept_seat(request: Call, game: str, seat: str) -> Response[bytes]:
    """Take over a seat of a running game.

    The seat is offered to you or to anybody, or it is open: its player gave it up or resigned, or its clock left it
    open. From then on you see what the seat sees, and its previous player sees what a spectator sees (TAB-SEAT-03).
    `given_up` and `offers` of the game say which seats can be taken over. A player whose clock left their own seat open
    takes it back in this way (TAB-SEAT-11). The request has no body. A repeated request with the same `Idempotency-Key`
    gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    current = await request.services.games.game(GameId(game))
    return await acted(request, game, AcceptSeat(seat_named(current, seat)))


@endpoint(
    "POST",
    "/v1/games/{game:str}/seats/{seat:str}/resignation",
    tag="Games",
    account="required",
    scopes=("play",),
    headers=("Idempotency-Key", "If-Match"),
    answers=(ACCEPTED,),
    problems=_PROBLEMS,
)
async def resign(request: Call, game: str, seat: str) -> Response[bytes]:
    """Resign.

    You cannot take this back. In a game of two seats the other seat wins, and the game is over (TAB-SEAT-06). With more
    seats the game goes on: nothing passes to other seats, the service gives the default answers for yours at once, and
    a substitute may take it over (TAB-SEAT-04, TAB-SEAT-05). The request has no body. A repeated request with the same
    `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    current = await request.services.games.game(GameId(game))
    return await acted(request, game, Resign(seat_named(current, seat)))
