"""The games of tables: each is opened once, takes substitutes, and starts, for its tournament."""

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
"""Seconds after which the game of a table starts, though not everybody has confirmed their seat."""


class SeatTable(Act, frozen=True):
    """Giving the players of a table their seats, in their order. A seat that its player has already stays as it is."""

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
    """Offering a seat of a running game to a substitute, for its tournament, in place of another offer."""

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
    """Return the game that was created for a table, also when the tournament has not noted it; None without one."""
    with suppress(UnknownGame):
        return (await games.game(games.first_id(tournament.organizer, _key(tournament, seed, number, table)))).id
    return None


async def open_game(games: Games, tournament: Tournament, seed: bytes, title: str, number: int, table: Table) -> GameId:
    """Return the game of a table, with its players in their seats and its officials, all made in one transaction.

    Officials are the directors who do not play. The key follows from tournament, round and table, so there is one game,
    however often this is repeated, and whatever directors have changed since. It also follows from the seed, so that
    nobody else can use it. Raises what `open_table` does.
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
    """Let the players of a table have their seats in its game, where one was replaced by a substitute.

    Raises what `Games.act` does.
    """
    game = await games.game(game_id)
    if game.status != "gathering":
        return
    if tuple(game.players.values()) != table.players:
        await games.act(game_id, game.organizer, SeatTable(tournament.id, table.players))
