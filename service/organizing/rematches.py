"""Rematches of finished games: offering one, agreeing to it and declining it (TAB-REM).

Only the logs store them. The id of a rematch follows from the game before it and the number of the offer. So players
who offer at the same moment offer the same game.
"""

import hashlib
from collections.abc import Collection
from typing import Literal

import msgspec
from msgspec import Struct

from domain.kernel.ids import GameId, PlayerId, Seat
from domain.kernel.log import beginning, rematching
from domain.kernel.log.ended import ABANDONED_AFTER
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.history import cause_of
from domain.kernel.rules.refusal import Refusal
from service.accounts.accounts import Accounts
from service.base.ids import ID_BYTES, new_id
from service.base.settings import Settings
from service.bots.seated import seats_held
from service.games.acts import Act, Case, TooManyBots
from service.games.cache import UnknownGame
from service.games.creating import RematchWish, TableWish, open_table
from service.games.games import Games
from service.games.seats import ConfirmSeat
from service.store.protocol import Conflict

Fate = Literal["offered", "started", "cancelled"]
"""The state of an offer: some players have yet to agree, all have agreed, or it was declined or has expired."""


class Decline(Act, frozen=True):
    """Declining a rematch, as one of its players, or withdrawing it."""

    kind = "cancel"

    async def decide(self, case: Case) -> Decided:
        return beginning.cancel(case.game, case.cause, case.at)


class Offered(Struct, frozen=True):
    """A rematch that was offered.

    Attributes:
        number: the number of the offer.
        game: the game that was created for it.
        players: the players, by seat.
        status: its state at the time of the answer.
        agreed: the seats whose players have agreed.
    """

    number: int
    game: Game
    players: dict[Seat, PlayerId]
    status: Fate
    agreed: tuple[Seat, ...]


class Rematches:
    """The rematches of all games. Every method may raise `StoreError` and `UnknownGame`."""

    def __init__(self, games: Games, accounts: Accounts, settings: Settings) -> None:
        self._games = games
        self._accounts = accounts
        self._settings = settings

    async def of(self, game: Game) -> list[Offered]:
        """Return the offered rematches of a game, in the order of their numbers."""
        offers = list[Offered]()
        for number in range(1, rematching.MOST_OFFERS + 1):
            try:
                rematch = await self._games.game(rematch_id(game.id, number))
            except UnknownGame:
                break
            offers.append(self._offer_view(game, rematch, number))
        return offers

    async def may_offer(self, game: Game, player: PlayerId, offers: Collection[Offered]) -> bool:
        """Tell whether an account can offer a rematch of a game now."""
        try:
            await self._require_offerable(game, player, len(offers) + 1, list(offers))
        except Refusal:
            return False
        return True

    async def agree(self, game_id: GameId, number: int, player: PlayerId, entropy: str) -> Offered:
        """Offer a rematch of a game, or agree to the open offer. If the account has agreed already, nothing changes.

        Raises:
            Refusal: the account cannot offer a rematch, or not with this number, or the offer has ended (TAB-REM).
            TooManyBots: the games of the account have as many bots as they may.
        """
        game = await self._games.game(game_id)
        offers = await self.of(game)
        if number == len(offers) + 1:
            await self._require_offerable(game, player, number, offers)
            try:
                return await self._offer(game, number, player, entropy)
            except Conflict:  # another player offered it at the same moment
                offers = await self.of(game)
        offer = _numbered(offers, number)
        seat = next((seat for seat, holder in offer.players.items() if holder == player), None)
        if seat is None:
            raise Refusal("TAB-REM-01", "You are not asked to play.", "Only the players who held its seats play again.")
        if offer.status == "started" or (offer.status == "offered" and seat in offer.agreed):
            return offer
        _require_offered(offer)
        try:
            rematch = (await self._games.act(offer.game.id, player, ConfirmSeat(seat, entropy))).state
        except Refusal:
            rematch = await self._games.game(offer.game.id)
            if seat in rematch.around.assigned or rematch.status == "cancelled":
                raise  # else this player agreed at the same moment, in another request
        return self._offer_view(game, rematch, number)

    async def decline(self, game_id: GameId, number: int, player: PlayerId) -> Offered:
        """Decline an offered rematch, or withdraw your own offer. Raises `Refusal`."""
        game = await self._games.game(game_id)
        offer = _numbered(await self.of(game), number)
        if player not in offer.players.values():
            raise Refusal("TAB-REM-04", "You are not asked to play.", "Only the players who are asked can decline.")
        if offer.game.status != "cancelled":
            outcome = await self._games.act(offer.game.id, player, Decline())
            offer = self._offer_view(game, outcome.state, number)
        return offer

    def _offer_view(self, game: Game, rematch: Game, number: int) -> Offered:
        gathers = rematch.status == "gathering" and self._games.time() < rematch.offered_until
        fate: Fate = "cancelled" if rematch.status in ("gathering", "cancelled") else "started"
        players = {seat: holder for seat, holder in rematch.players.items() if holder is not None}
        agreed = tuple(seat for seat in players if seat not in rematch.around.assigned)
        return Offered(number, rematch, players, "offered" if gathers else fate, agreed)

    async def _require_offerable(self, game: Game, player: PlayerId, number: int, offers: list[Offered]) -> None:
        """Raise `Refusal` when an account cannot offer the next rematch of a game."""
        (first,) = await self._games.store.read(game.id, 0, 1)
        rematching.require_offerable(game, player, cause_of(first).tournament)
        if offers and offers[-1].status != "cancelled":
            last = offers[-1]
            wrong = f"Offer {last.number} {'is open' if last.status == 'offered' else 'has become a game'}."
            raise Refusal("TAB-REM-05", wrong, "Agree to it or decline it." if last.status == "offered" else "Play it.")
        if number > rematching.MOST_OFFERS:
            wrong = f"{rematching.MOST_OFFERS} rematches of this game were offered."
            raise Refusal("TAB-REM-05", wrong, "Create a new game, and invite the players.")

    async def _offer(self, game: Game, number: int, player: PlayerId, entropy: str) -> Offered:
        row = await self._games.store.game(game.id)
        assert row is not None, "it was loaded"
        holders = rematching.rotated(game)
        accounts = {each.player: each for each in await self._accounts.by_ids(holders.values())}
        for holder in holders.values():
            if holder not in accounts or accounts[holder].closed is not None:
                wrong = f"The account {holder} is closed."
                raise Refusal("TAB-REM-01", wrong, "A rematch is played by all who held a seat at the end.")
        reserved = {
            seat: holder for seat, holder in holders.items() if holder == player or accounts[holder].bot is not None
        }
        await self._require_room(player, len(reserved) - 1)
        at = self._games.time()
        wish = TableWish(
            ruleset=game.ruleset.id,
            players=len(holders),
            setup=msgspec.to_builtins(game.setup),
            forks=game.forks,
            readers=game.readers,
            clock=game.clocks.clock if game.clocks is not None else None,
            abandoned_after=None if game.abandoned_after == ABANDONED_AFTER else game.abandoned_after,
            title=row.title,
            listed=not await self._games.store.unlisted((game.id,)),
            seats={seat: holder for seat, holder in holders.items() if seat not in reserved},
        )
        name = rematch_id(game.id, number)
        rematch = RematchWish(game.id, game.board, rematching.offered_until(at), name, reserved, entropy)
        outcome = await open_table(self._games, player, wish, rematch=rematch)
        return self._offer_view(game, outcome.state, number)

    async def _require_room(self, player: PlayerId, bots: int) -> None:
        most = self._settings.bots_per_account
        if most == "off" or not bots:
            return
        if await self._games.store.count(seats_held(player, self._games.time(), most)) + bots > most:
            raise TooManyBots("Bots hold as many seats in your games as they may.")


def rematch_id(game: GameId, number: int) -> GameId:
    """Return the id of a rematch of a game."""
    return GameId(new_id("g", hashlib.sha256(f"rematch {number} of {game}".encode()).digest()[:ID_BYTES]))


def _numbered(offers: list[Offered], number: int) -> Offered:
    if not 1 <= number <= len(offers):
        allowed = f"Offers so far: {', '.join(str(each.number) for each in offers)}." if offers else "None was offered."
        raise Refusal("TAB-REM-05", f"No rematch {number} of this game was offered.", allowed)
    return offers[number - 1]


def _require_offered(offer: Offered) -> None:
    if offer.status == "cancelled":
        wrong = f"Offer {offer.number} was declined or has expired."
        raise Refusal("TAB-REM-04", wrong, "Offer the next one.", untimely=True)
