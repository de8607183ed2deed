"""Games of tables: opening each once, seating substitutes, starting and cancelling, for a tournament."""

import hashlib
from contextlib import suppress
from typing import Final

import msgspec
from msgspec.structs import replace

from domain.kernel.canonical import canonical
from domain.kernel.ids import GameId, PlayerId, Seat, TournamentId
from domain.kernel.log import beginning, seating
from domain.kernel.log.game import Decided
from domain.tournament.field import Table
from domain.tournament.tournament import Tournament
from service.games.acts import Act, Case
from service.games.cache import UnknownGame
from service.games.creating import TableWish, open_table
from service.games.games import Games

START_AFTER: Final = 10 * 60
"""Seconds after which the game of a table starts even if some players have not confirmed."""


class SeatTable(Act, frozen=True):
    """Giving the players of a table their seats, in order. A player who has their seat already keeps it."""

    kind = "assign-seat"
    tournament: TournamentId
    players: tuple[PlayerId, ...]

    async def decide(self, case: Case) -> Decided:
        decided = Decided(case.game, ())
        by_tournament = replace(case.cause, tournament=self.tournament)
        for seat, player in zip(case.game.players, self.players, strict=True):
            if decided.game.players[seat] != player:
                decided = decided.then(seating.assign_seat(decided.game, seat, player, by_tournament, case.at))
        return decided


class OfferTable(Act, frozen=True):
    """Offering a seat of a running game to a substitute, in place of an earlier offer."""

    kind = "offer-seat"
    tournament: TournamentId
    seat: Seat
    to: PlayerId

    async def decide(self, case: Case) -> Decided:
        decided, by_tournament = Decided(case.game, ()), replace(case.cause, tournament=self.tournament)
        if self.seat in case.game.around.offers:
            decided = decided.then(seating.withdraw_offer(case.game, self.seat, by_tournament, case.at))
        return decided.then(seating.offer_seat(decided.game, self.seat, self.to, by_tournament, case.at))


class StartTable(Act, frozen=True):
    """Starting the game of a table, for its tournament."""

    kind = "start"
    tournament: TournamentId

    async def decide(self, case: Case) -> Decided:
        return beginning.start(case.game, case.chance, replace(case.cause, tournament=self.tournament), case.at)


class CancelTable(Act, frozen=True):
    """Cancelling the game of a table that has not begun, for its tournament."""

    kind = "cancel"
    tournament: TournamentId

    async def decide(self, case: Case) -> Decided:
        return beginning.cancel(case.game, replace(case.cause, tournament=self.tournament), case.at)


def _key(tournament: Tournament, seed: bytes, number: int, table: Table) -> str:
    return hashlib.sha256(seed + canonical([tournament.id, number, table.number])).hexdigest()


async def opened_game(games: Games, tournament: Tournament, seed: bytes, number: int, table: Table) -> GameId | None:
    """Return the game that was created for a table, even if it is not in the tournament yet; None if there is none."""
    with suppress(UnknownGame):
        return (await games.game(games.first_id(tournament.organizer, _key(tournament, seed, number, table)))).id
    return None


async def open_game(games: Games, tournament: Tournament, seed: bytes, title: str, number: int, table: Table) -> GameId:
    """Create the game of a table with its players and officials, in one transaction. Return its id.

    Its officials are the directors who do not play in the tournament. The key follows from tournament, round and table,
    so repeating this finds the same game, even if the directors have changed. It also follows
    from the seed, so that nobody else can use it. Raises what `open_table` does.
    """
    key = _key(tournament, seed, number, table)
    if (opened := await opened_game(games, tournament, seed, number, table)) is not None:
        return opened
    regulations = tournament.regulations
    ruleset = games.library.current(regulations.ruleset)
    seats = ruleset.seats(len(table.players), msgspec.convert(regulations.setup, ruleset.setup))
    wish = TableWish(
        ruleset=regulations.ruleset,
        players=len(table.players),
        setup=regulations.setup,
        clock=regulations.clock,
        title=f"{title or tournament.id}: round {number}, table {table.number}"[:120],
        officials=_judges(tournament),
        seats=dict(zip(seats, table.players, strict=True)),
        tournament=tournament.id,
    )
    return (await open_table(games, tournament.organizer, wish, key=key)).game


def _judges(tournament: Tournament) -> tuple[PlayerId, ...]:
    return tuple(each for each in tournament.directors if each not in tournament.field.entrants)


async def seat(games: Games, tournament: Tournament, game_id: GameId, table: Table) -> None:
    """Seat the players of a table in its game again, after a substitute has replaced one.

    Raises what `Games.act` does.
    """
    game = await games.game(game_id)
    if game.status != "gathering":
        return
    if tuple(game.players.values()) != table.players:
        await games.act(game_id, game.organizer, SeatTable(tournament.id, table.players))
