"""Results of tables, from their games and the rulings on them (TAB-TRN-14)."""

from domain.kernel.ids import TournamentId
from domain.kernel.log.game import Game
from domain.kernel.log.record import Cause
from domain.tournament import results
from domain.tournament.field import Table
from domain.tournament.outcome import Outcome, in_players, outcome_of, players_of
from domain.tournament.tournament import Inscribed, Tournament
from service.games.games import Games
from service.judging.desk import Desk
from service.tournaments.committee import Committee


async def take(
    committee: Committee, games: Games, desk: Desk, tournament_id: TournamentId, number: int, table: Table
) -> None:
    """Take the result of a table from its game, unless the table has this result or the game is still running."""
    if table.game is None:
        return
    game = await games.game(table.game)
    ending = await outcome(games, desk, game, table)
    if ending is None or (table.result is not None and _is_same(table, ending)):
        return

    def decide(now: Tournament, cause: Cause, at: str) -> Inscribed:
        what = (ending.order, ending.how, ending.rule, ending.version, ending.hash, ending.left)
        return results.take_result(now, number, table.number, *what, cause, at)

    await committee.by_house(tournament_id, decide)


async def outcome(games: Games, desk: Desk, game: Game, table: Table) -> Outcome | None:
    """Return how the game of a table ended, after the rulings on it; None while it is running."""
    records = await games.records(game.id)
    ending = outcome_of(game, records, table)
    if ending is None:
        return None
    judged = await desk.outcome(game)
    if judged.ruled_by is None or judged.continued_in is not None or judged.result is None:
        return ending
    order = in_players(judged.result.order, players_of(records, table))
    return Outcome(order, "ruled", judged.result.rule, ending.version, ending.hash, ending.left)


def _is_same(table: Table, ending: Outcome) -> bool:
    result = table.result
    return result is not None and (result.order, result.how, result.left) == (ending.order, ending.how, ending.left)
