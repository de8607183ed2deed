"""Rematches: the players of a game that is over play again. Each agrees with one click."""

from typing import Annotated, Final, Literal

import msgspec
from litestar.response import Response
from msgspec import Meta, Struct

from domain.kernel.ids import GameId, PlayerId, Seat
from domain.kernel.log.rematching import MOST_OFFERS
from service.accounts.caller import Caller
from service.api.bodies import Nothing
from service.api.endpoint import Answer, endpoint
from service.api.games.routes import explained
from service.api.organizing.bodies import SeatConfirmation
from service.api.problems.games import TOO_MANY_BOTS, UNKNOWN_GAME
from service.api.problems.play import NOT_NOW, REFUSED
from service.api.request import Call
from service.api.response import answer
from service.api.services import Services
from service.organizing.rematches import Offered
from service.store.accounts import PlayerRow

_agreement: Final = msgspec.json.Decoder(SeatConfirmation)
_PROBLEMS: Final = (UNKNOWN_GAME, REFUSED, NOT_NOW)

OfferNumber = Annotated[int, Meta(ge=1, le=MOST_OFFERS)]


class Asked(Struct, frozen=True):
    """A player who is asked for a rematch.

    Attributes:
        seat: the seat that they would hold.
        player: their account.
        name: their name.
        agreed: whether they have agreed.
    """

    seat: Seat
    player: PlayerId
    name: str
    agreed: bool


class Rematch(Struct, frozen=True):
    """A rematch that was offered.

    Attributes:
        number: the number of the offer.
        game: the new game. Confirming your seat there means agreeing, too.
        status: `offered` while players have yet to agree, `started` when all have, `cancelled` when one declined it or
            it has expired.
        until: when the offer expires.
        players: who is asked, by their seats. Bots and the player who offers it have agreed at once.
    """

    number: OfferNumber
    game: GameId
    status: Literal["offered", "started", "cancelled"]
    until: str
    players: tuple[Asked, ...]


class Rematches(Struct, frozen=True):
    """The rematches of a game.

    Attributes:
        items: the rematches that were offered, at most five.
        next: the number under which you can offer one now; null when you cannot.
    """

    items: tuple[Rematch, ...]
    next: OfferNumber | None


@endpoint(
    "GET",
    "/v1/games/{game:str}/rematches",
    tag="Games",
    account="optional",
    answers=(Answer(200, "The rematches.", Rematches),),
    problems=(UNKNOWN_GAME,),
)
async def list_rematches(request: Call, game: str) -> Response[bytes]:
    """List the rematches of a game.

    Says who is asked, and who has agreed. Only accounts that may read a private rematch see it.
    """
    request.read_query(Nothing)
    services, caller = request.services, request.caller
    rematches, played = services.organizing.rematches, await services.games.game(GameId(game))
    offers = await rematches.of(played) if played.status == "over" else []
    offers = [each for each in offers if not each.game.is_private or _is_shown(each, caller)]
    may_offer = caller is not None and await rematches.may_offer(played, caller.player, offers)
    accounts = await _accounts(services, offers)
    items = tuple(_rematch_view(each, accounts) for each in offers)
    return answer(Rematches(items, len(offers) + 1 if may_offer else None))


@endpoint(
    "PUT",
    "/v1/games/{game:str}/rematches/{offer:str}",
    tag="Games",
    account="required",
    scopes=("play",),
    body=SeatConfirmation,
    answers=(Answer(200, "The rematch.", Rematch),),
    problems=(*_PROBLEMS, TOO_MANY_BOTS),
)
async def agree_to_rematch(request: Call, game: str, offer: str) -> Response[bytes]:
    """Offer a rematch, or agree to one.

    A player who holds a seat when the game ends may offer number 1 (TAB-REM-01): the same game again, in the newest
    version of its rules. Everybody moves on by one seat, unless the setup reserves seats for accounts (TAB-REM-02). The
    others find the offer in their inbox and agree by the same request. When the last one has agreed, the game starts
    (TAB-REM-03). An offer stands for 24 hours. When it was declined or has expired, the next number can be offered
    (TAB-REM-05). Repeating the request changes nothing.
    """
    request.read_query(Nothing)
    wish, services = await request.read_body(_agreement), request.services
    async with explained(request, game):
        offer_after = await services.organizing.rematches.agree(
            GameId(game), _number(offer), request.signed_in.player, wish.entropy
        )
    return answer(_rematch_view(offer_after, await _accounts(services, [offer_after])))


@endpoint(
    "DELETE",
    "/v1/games/{game:str}/rematches/{offer:str}",
    tag="Games",
    account="required",
    scopes=("play",),
    answers=(Answer(200, "The rematch, which is cancelled.", Rematch),),
    problems=_PROBLEMS,
)
async def decline_rematch(request: Call, game: str, offer: str) -> Response[bytes]:
    """Decline a rematch, or withdraw your own offer.

    Each of its players can do this until it starts (TAB-REM-04). Repeating the request changes nothing.
    """
    request.read_query(Nothing)
    services = request.services
    async with explained(request, game):
        offer_after = await services.organizing.rematches.decline(
            GameId(game), _number(offer), request.signed_in.player
        )
    return answer(_rematch_view(offer_after, await _accounts(services, [offer_after])))


def _number(text: str) -> int:
    """Return the number of an offer in an address; 0 for a text that is no such number."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0


def _is_shown(offer: Offered, caller: Caller | None) -> bool:
    return caller is not None and offer.game.lets_in(caller.player)


async def _accounts(services: Services, offers: list[Offered]) -> dict[PlayerId, PlayerRow]:
    players = {player for offer in offers for player in offer.players.values()}
    return {row.player: row for row in await services.accounts.by_ids(players)} if players else {}


def _rematch_view(offer: Offered, accounts: dict[PlayerId, PlayerRow]) -> Rematch:
    players = tuple(
        Asked(seat, player, accounts[player].name, seat in offer.agreed) for seat, player in offer.players.items()
    )
    return Rematch(offer.number, offer.game.id, offer.status, offer.game.offered_until, players)
