"""Makes the bodies of answers about tournaments. Everybody sees the same."""

from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any

import msgspec
from msgspec import UNSET, Raw

from domain.kernel.ids import PlayerId
from domain.kernel.log.record import Record
from domain.tournament.crosstable import Line
from domain.tournament.field import Round, Table
from domain.tournament.fold import read_event
from domain.tournament.regulations import TOURNAMENTS
from domain.tournament.standings import Standing
from domain.tournament.tournament import Tournament
from service.api.tournaments.bodies import (
    AnnouncementView,
    CrosstableCell,
    CrosstableLine,
    CrosstableView,
    DraftView,
    EntrantView,
    PenaltyView,
    PlayerStanding,
    RoundSummary,
    RoundView,
    TableResult,
    TableView,
    TournamentDetail,
    TournamentEventView,
    TournamentPreset,
    TournamentPresets,
    TournamentStandings,
    TournamentSummary,
)
from service.store.protocol import TournamentRow
from service.tournaments.committee import Proceeding, Sheet

AccountNames = Mapping[PlayerId, str]
"""The names of accounts. An account that does not exist has none."""


def presets_view(ruleset: str, seats: Collection[int]) -> TournamentPresets:
    """Return the presets of a ruleset as they are sent; `seats` are the numbers of players that it takes."""
    items = (TournamentPreset(each.name, each.what, each.regulations(ruleset, seats)) for each in TOURNAMENTS)
    return TournamentPresets(ruleset, tuple(items))


def tournament_summary(row: TournamentRow) -> TournamentSummary:
    return msgspec.convert(row, TournamentSummary, from_attributes=True)


def tournament_detail(proceeding: Proceeding, names: AccountNames) -> TournamentDetail:
    """Return a tournament as it is sent."""
    tournament = proceeding.tournament
    field = tournament.field
    return TournamentDetail(
        tournament_summary(proceeding.row),
        tournament.regulations,
        tournament.commitment,
        tournament.directors,
        tuple(
            EntrantView(each.player, names.get(each.player), each.club, each.checked_in, each.out)
            for each in field.entrants.values()
        ),
        tuple(
            RoundSummary(each.number, each.status, len(each.tables), len(each.waiting))
            for each in field.rounds.values()
        ),
        tuple(AnnouncementView(at, text) for text, at in tournament.announcements),
        tuple(msgspec.convert(each, PenaltyView, from_attributes=True) for each in field.penalties),
        tournament.order,
        proceeding.repeated,
    )


def round_view(proceeding: Proceeding, current: Round) -> RoundView:
    """Return a round as it is sent."""
    sheet = proceeding.sheets.get(current.number) or Sheet()
    published = sheet.published
    reason = None if published is None or published.reason is UNSET else published.reason
    return RoundView(
        proceeding.tournament.id,
        proceeding.tournament.version,
        current.number,
        current.status,
        current.secret,
        current.present,
        tuple(
            DraftView(each.draft, each.drawn, each.cost, each.by, None if each.bound is UNSET else each.bound)
            for each in sheet.drafts
        ),
        tuple(map(_table, current.tables)),
        current.byes,
        published.cost if published is not None else None,
        sheet.cancelled or reason,
        proceeding.repeated,
    )


def _table(table: Table) -> TableView:
    result = table.result
    result_view = None
    if result is not None:
        result_view = TableResult(result.order, result.how, result.left, result.at, result.confirmed)
    return TableView(table.number, table.players, table.game, table.opened or None, result_view, table.away)


def standings_view(tournament: Tournament, lines: list[Standing], names: AccountNames) -> TournamentStandings:
    """Return standings as they are sent."""
    breaks = tournament.regulations.tie_breaks
    items = (
        PlayerStanding(
            each.place,
            each.player,
            names.get(each.player),
            str(each.points),
            each.played,
            {name: tuple(map(str, value)) for name, value in zip(breaks, each.values, strict=True)},
            each.above,
            each.provisional,
        )
        for each in lines
    )
    return TournamentStandings(tournament.id, tournament.version, tournament.status, tuple(items))


def crosstable_view(tournament: Tournament, lines: list[Line]) -> CrosstableView:
    """Return a crosstable as it is sent."""
    items = (
        CrosstableLine(
            line.place,
            line.player,
            str(line.points),
            tuple(
                CrosstableCell(cell.round, cell.table, cell.opponents, cell.place, _points(cell.points), cell.counts)
                for cell in line.cells
            ),
        )
        for line in lines
    )
    return CrosstableView(tournament.id, tournament.version, tuple(items))


def _points(points: Fraction | None) -> str | None:
    return None if points is None else str(points)


def event_view(record: Record) -> TournamentEventView:
    """Return a record of a tournament as it is sent."""
    event: Any = read_event(record)
    return TournamentEventView(
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
