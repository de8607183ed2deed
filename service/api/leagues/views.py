"""The views of a league. Everybody sees the same."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import msgspec
from msgspec import Raw

from domain.kernel.ids import PlayerId, TournamentId
from domain.kernel.log.record import Record
from domain.league.league import Season, read_event
from domain.league.moving import moves
from domain.league.table import Line
from service.api.leagues.bodies import (
    LeagueDetail,
    LeagueEventView,
    LeagueResult,
    LeagueStanding,
    LeagueSummary,
    LeagueTournament,
    SeasonView,
    TakenPoints,
)
from service.leagues.leagues import Held
from service.store.protocol import LeagueRow, TournamentRow

_MOVES: Final[Mapping[int, Literal["up", "down"]]] = {-1: "up", 1: "down"}

Names = Mapping[PlayerId, str]
"""The name of each account, by its id."""


def league_summary(row: LeagueRow) -> LeagueSummary:
    return msgspec.convert(row, LeagueSummary, from_attributes=True)


def league_detail(entry: Held, season: SeasonView | None) -> LeagueDetail:
    """Return the body of a league."""
    league = entry.league
    return LeagueDetail(league_summary(entry.row), league.regulations, season, league.members, entry.repeated)


def season_view(
    season: Season,
    tables: Sequence[Sequence[Line]],
    names: Names,
    tournaments: Mapping[TournamentId, TournamentRow],
) -> SeasonView:
    """Return the body of a season."""
    rows = [(tournaments[each.tournament], each.division) for each in season.tournaments]
    return SeasonView(
        season.number,
        season.over is not None,
        season.regulations,
        season.members,
        tuple(LeagueTournament(row.tournament, row.title, division, _status(row)) for row, division in rows),
        tuple(tuple(_standings(season, division, table, names)) for division, table in enumerate(tables, start=1)),
        tuple(msgspec.convert(each, TakenPoints, from_attributes=True) for each in season.penalties),
    )


def _status(row: TournamentRow) -> Any:
    """Return the status of a tournament. `Any` is there for the type checker: the row has a plain `str`."""
    return row.status


def _standings(season: Season, division: int, table: Sequence[Line], names: Names) -> list[LeagueStanding]:
    changes = moves(season.regulations, division, table)
    breaks = season.regulations.tie_breaks
    return [
        LeagueStanding(
            line.place,
            line.player,
            names.get(line.player),
            str(line.points),
            line.taken,
            tuple(
                LeagueResult(each.tournament, each.place, str(each.points), each.counts, each.provisional)
                for each in line.results
            ),
            {name: tuple(map(str, value)) for name, value in zip(breaks, line.values, strict=True)},
            line.above,
            _MOVES.get(changes.get(line.player, 0)),
        )
        for line in table
    ]


def event_view(record: Record) -> LeagueEventView:
    """Return the body of a record of a league."""
    event: Any = read_event(record)
    return LeagueEventView(
        version=record.version,
        type=record.type,
        text=event.tell(str),
        at=record.at,
        schema=record.schema,
        draws=record.draws,
        event=event,
        hash=record.hash.hex(),
        cause=Raw(record.cause) if record.cause is not None else None,
    )
