"""The tables of a season as CSV (RFC 4180), for spreadsheets."""

from collections.abc import Mapping, Sequence
from typing import Final

from domain.kernel.ids import PlayerId
from domain.league.league import Season
from domain.league.moving import moves
from domain.league.table import Line
from service.tournaments.spreadsheets import number, written

_MOVES: Final = {-1: "up", 0: "", 1: "down"}


def table_csv(season: Season, tables: Sequence[Sequence[Line]], names: Mapping[PlayerId, str]) -> bytes:
    """Return all tables of a season. Each row is a player, with a column for their points in each tournament."""
    tournaments = [each.tournament for each in season.tournaments]
    rows = list[Sequence[object]]()
    for division, table in enumerate(tables, start=1):
        changes = moves(season.regulations, division, table)
        for line in table:
            earned = {each.tournament: number(each.points) for each in line.results}
            rows.append(
                (
                    *(line.place, line.player, names.get(line.player, ""), division, number(line.points), line.taken),
                    *(earned.get(each, "") for each in tournaments),
                    *(line.above or "", _MOVES[changes.get(line.player, 0)]),
                )
            )
    return written(("place", "player", "name", "division", "points", "taken", *tournaments, "above", "moves"), rows)
