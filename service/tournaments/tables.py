"""The games of tables: each is created once, seats its players, and starts, for its tournament."""

import hashlib
from typing import Final

from msgspec.structs import replace

from domain.kernel.ids import GameId, PlayerId, TournamentId
from domain.kernel.log import officials, seating
from domain.kernel.log.game import Decided
from domain.tournament.field import Table
from domain.tournament.tournament import Tournament
from service.games.acts import Act, Case
from service.games.creating import create_game
from service.games.games import Games

START_AFTER: Final = 10 * 60
"""Seconds after which the game of a table starts, though not everybody has confirmed their seat."""


class SeatTable(Act, frozen=True):
    """Giving the players of a table their seats, in their order, and naming the officials of its game.

    A seat that its player has already stays as it is, so this can be repeated.
    """

    kind = "seat-table"
    tournament: TournamentId
    players: tuple[PlayerId, ...]
    officials: tuple[PlayerId, ...]

    async def decide(self, case: Case) -> Decided:
        decided = Decided(case.game, ())
        by_tournament = replace(case.cause, tournament=self.tournament)
        for seat, player in zip(case.game.players, self.players, strict=True):
            if decided.game.players[seat] != player:
                decided = decided.then(seating.assign_seat(decided.game, seat, player, by_tournament, case.at))
        for player in self.officials:
            if not decided.game.around.is_official(player):
                decided = decided.then(officials.name_official(decided.game, player, case.cause, case.at))
        return decided


class StartTable(Act, frozen=True):
    """Starting the game of a table, for its tournament."""

    kind = "start-table"
    tournament: TournamentId

    async def decide(self, case: Case) -> Decided:
        return case.game.start(case.chance, replace(case.cause, tournament=self.tournament), case.at)


class CancelTable(Act, frozen=True):
    """Cancelling the game of a table that has not begun, for its tournament."""

    kind = "cancel-table"
    tournament: TournamentId

    async def decide(self, case: Case) -> Decided:
        return case.game.cancel(replace(case.cause, tournament=self.tournament), case.at)


async def open_game(games: Games, tournament: Tournament, seed: bytes, title: str, number: int, table: Table) -> GameId:
    """Return the game of a table, with its players in their seats.

    The key follows from tournament, round and table, so there is one game, however often this is repeated. It also
    follows from the seed, so that nobody else can use it. Raises what `create_game` and `Games.act` do.
    """
    regulations, organizer = tournament.regulations, tournament.organizer
    text = f"tabularium/table {tournament.id} {number} {table.number}".encode()
    done = await create_game(
        games,
        organizer,
        regulations.ruleset,
        len(table.players),
        regulations.setup,
        clock=regulations.clock,
        title=f"{title or tournament.id} · round {number}, table {table.number}"[:120],
        tournament=tournament.id,
        key=hashlib.sha256(seed + text).hexdigest(),
    )
    await seat(games, tournament, done.game, table)
    return done.game


async def seat(games: Games, tournament: Tournament, game_id: GameId, table: Table) -> None:
    """Let the players of a table have their seats in its game, and directors who do not play be its officials.

    Raises what `Games.act` does.
    """
    game = await games.game(game_id)
    if game.status != "gathering":
        return
    judges = tuple(each for each in tournament.directors if each not in tournament.field.entrants)
    seats_fit = tuple(game.players.values()) == table.players
    if not seats_fit or not all(map(game.around.is_official, judges)):
        await games.act(game_id, game.organizer, SeatTable(tournament.id, table.players, judges))
