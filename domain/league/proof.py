"""The export of a league as JSON Lines, and its proof.

Every line is the RFC 8785 form of an object and ends with a newline:

    {"format", "league"}
        the first line
    {"at", "cause", "draws", "event", "game", "hash", "schema", "version"}
        a row of the league's stream and its hash, in hex; `game` is the id of the stream
    {"end": {"digest", "head", "status", "version"}}
        the last line; `digest` is over all bytes before it

`verify` decides every act again. With the exports of the tournaments, it also computes the tables anew, and checks that
each tournament named the league, was added before its first round, and let in only players who may enter it. Where an
export is missing it takes the league's word, and says so.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec
from msgspec import UNSET, Struct

from domain.kernel.canonical import canonical
from domain.kernel.ids import LeagueId, TournamentId, Version, is_league
from domain.kernel.log.clock import milliseconds
from domain.kernel.log.history import cause_of
from domain.kernel.log.record import Cause, Record
from domain.kernel.proof.export import ExportError, Hex, Number, Plain, row_line, with_end
from domain.kernel.proof.stream import StreamReader, StreamReplay
from domain.kernel.rules.message import type_name
from domain.kernel.rules.refusal import Refusal
from domain.league import acts
from domain.league.events import (
    LeagueEvent,
    LeagueFounded,
    Over,
    PlayerPlaced,
    PointsTaken,
    RegulationsChanged,
    SeasonBegun,
    SeasonClosed,
    TournamentAdded,
)
from domain.league.league import Inscribed, League, LeagueStatus, Season, fold, read_event
from domain.league.table import Finish, finish_of
from domain.tournament.events import PlayerEntered, RoundPublished
from domain.tournament.fold import fold as fold_tournament
from domain.tournament.fold import read_event as read_tournament_event
from domain.tournament.proof import AT_ONCE, TournamentExport
from domain.tournament.standings import standings
from domain.tournament.tournament import Tournament

FORMAT: Final = "tabularium-league/1"


class Header(Struct, frozen=True, forbid_unknown_fields=True):
    """The first line."""

    format: str
    league: Plain


class End(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the last line."""

    digest: str
    head: Hex
    status: LeagueStatus
    version: Number


class LastLine(Struct, frozen=True, forbid_unknown_fields=True):
    """The last line."""

    end: End


class LeagueExport(Struct, frozen=True):
    """An export that was read: complete, canonical and with an unbroken chain. `verify` checks that it is true."""

    league: LeagueId
    records: tuple[Record, ...]
    status: LeagueStatus


def export(league: League, records: Sequence[Record]) -> Iterator[bytes]:
    """Yield the lines of the export of a league. `records` is its whole stream."""
    body = _body(league, records)
    yield from with_end(body, lambda digest: LastLine(End(digest, league.head.hex(), league.status, league.version)))


def _body(league: League, records: Sequence[Record]) -> Iterator[bytes]:
    yield canonical(Header(FORMAT, league.id)) + b"\n"
    for record in records:
        yield row_line(league.id, record) + b"\n"


def is_export(first_line: bytes) -> bool:
    """Tell by its first line whether an export is that of a league."""
    return first_line.startswith(b'{"format":"tabularium-league/')


def read(lines: Iterable[bytes]) -> LeagueExport:
    """Return the export in `lines`, each with the newline at its end.

    Raises:
        ExportError: a line is not canonical, missing, doubled or in the wrong place, or a hash does not fit.
    """
    return _Reader().read(lines)


class _Reader(StreamReader):
    """Reads the export of a league."""

    end: End

    def read(self, lines: Iterable[bytes]) -> LeagueExport:
        self.read_all(lines)
        return LeagueExport(LeagueId(self.stream), tuple(self.records), self.end.status)

    def first(self, line: bytes) -> LeagueId:
        header = self.parse(line, Header)
        self.require_form(header.format, FORMAT)
        league = LeagueId(header.league)
        if not is_league(league):
            self.fail(f"{league!r} is no id of a league")
        return league

    def last(self, line: bytes) -> None:
        self.end = self.parse(line, LastLine).end
        self.check_end(self.end.version, self.end.head, self.end.digest)

    def check_first(self, record: Record) -> None:
        try:
            msgspec.json.decode(record.event, type=LeagueFounded)
        except msgspec.ValidationError as error:
            self.fail(f"version 1 does not found a league: {error}", 1)


# --- the proof ---


class LeagueVerdict(Struct, frozen=True, omit_defaults=True):
    """The result of verifying the export of a league.

    Attributes:
        ok: whether nothing is wrong.
        problem: what is wrong, in a sentence.
        version: the first version of the league that is wrong, where the fault belongs to one.
        line: the line of the export that is wrong.
        league, status, events: what was checked; absent when the export could not be read.
        head: the hash of the last row.
        tournaments: its tournaments, with those that were not given.
        proved: what was checked, in sentences.
        unproved: what could not be checked, and why, in sentences.
    """

    ok: bool
    problem: str = ""
    version: Version | None = None
    line: int | None = None
    league: LeagueId | None = None
    status: LeagueStatus | None = None
    events: int = 0
    head: str = ""
    tournaments: tuple[TournamentId, ...] = ()
    proved: tuple[str, ...] = ()
    unproved: tuple[str, ...] = ()


def verify(lines: Iterable[bytes], tournaments: Mapping[TournamentId, TournamentExport]) -> LeagueVerdict:
    """Verify the export of a league, given line by line. Never raises because of its content.

    Args:
        tournaments: the exports of its tournaments that are at hand, which are to be verified by themselves.
    """
    try:
        exported = read(lines)
    except ExportError as error:
        return LeagueVerdict(False, error.problem, error.version, error.line)
    verdict = LeagueVerdict(True, league=exported.league, status=exported.status, events=len(exported.records))
    replay = _Replay(exported, tournaments)
    try:
        league = replay.run()
    except ExportError as error:
        return msgspec.structs.replace(verdict, ok=False, problem=error.problem, version=error.version, line=error.line)
    return msgspec.structs.replace(
        verdict,
        head=exported.records[-1].hash.hex(),
        tournaments=tuple(each.tournament for season in league.seasons for each in season.tournaments),
        proved=tuple(replay.proved()),
        unproved=tuple(replay.unproved(league)),
    )


class _Replay(StreamReplay):
    """Decides the acts of a league again, one after another, and compares."""

    def __init__(self, exported: LeagueExport, tournaments: Mapping[TournamentId, TournamentExport]) -> None:
        super().__init__()
        self.exported = exported
        self.tournaments = tournaments
        self.league: League | None = None
        self.tables: list[int] = []
        """The seasons whose tables were computed anew."""

    def run(self) -> League:
        self.decide_all(self.exported.records)
        league = fold(self.exported.league, self.exported.records)
        if league.status != self.exported.status:
            problem = f"The last line says that the league is {self.exported.status}; it is {league.status}."
            raise ExportError(problem, len(self.exported.records) + 2)
        return league

    def decided(self, record: Record) -> Record:
        event, cause = read_event(record), cause_of(record)
        if cause.player is None:
            self.fail(f"version {self.version} names no account")
        inscribed = self._decide_anew(event, cause, record.at)
        self.league = inscribed.league
        (right,) = inscribed.records
        return right

    def _decide_anew(self, event: LeagueEvent, cause: Cause, at: str) -> Inscribed:
        league = self.league
        if isinstance(event, LeagueFounded):
            if league is not None:
                self.fail(f"version {self.version} founds the league a second time")
            return acts.found(self.exported.league, event.regulations, cause, at)
        if league is None:
            self.fail("the league was not founded")
        match event:
            case RegulationsChanged(regulations):
                return acts.change(league, regulations, cause, at)
            case PlayerPlaced(player, division, reason):
                return acts.place(league, player, division, reason, cause, at)
            case SeasonBegun():
                return acts.begin_season(league, cause, at)
            case TournamentAdded(_, division, tournament):
                inscribed = acts.add_tournament(league, tournament, division, cause, at)
                self._check_added(inscribed.league, event, at)
                return inscribed
            case PointsTaken(_, player, points, reason):
                return acts.penalize(league, player, points, reason, cause, at)
            case SeasonClosed(_, over, tables):
                inscribed = acts.close_season(league, over, tables, cause, at)
                self._check_closed(inscribed.league.seasons[-1], over)
                return inscribed
            case _:
                return self.fail(f"version {self.version} follows from nothing")

    # --- what is known of the tournaments ---

    def _check_added(self, league: League, added: TournamentAdded, at: str) -> None:
        """Check that a tournament names its division, was added before its first round, and has no wrong entries."""
        exported = self.tournaments.get(added.tournament)
        if exported is None:
            return
        where = f"version {self.version} adds {added.tournament}"
        reference = fold_tournament(exported.tournament, exported.records).regulations.league
        expected = (league.id, added.season, added.division)
        if reference is UNSET or (reference.league, reference.season, reference.division) != expected:
            self.fail(f"{where}, whose regulations do not name division {added.division} of season {added.season}")
        season = league.seasons[-1]
        for record in exported.records:
            if record.type == type_name(RoundPublished) and milliseconds(record.at) + AT_ONCE < milliseconds(at):
                self.fail(f"{where}, in which a round had been published")
            if record.type == type_name(PlayerEntered):
                entered = read_tournament_event(record)
                assert isinstance(entered, PlayerEntered)
                try:
                    acts.require_belonging(season, added.division, entered.player)
                except Refusal as refusal:
                    self.fail(f"{where}, whose version {record.version} cannot have happened: {refusal}")

    def _check_closed(self, season: Season, over: Sequence[Over]) -> None:
        """Check how the tournaments of a season ended; with all of them at hand, compute its tables anew."""
        finishes: dict[TournamentId, Finish] = {}
        for each in over:
            exported = self.tournaments.get(each.tournament)
            if exported is None:
                continue
            where = f"version {self.version} names {each.tournament} at version {each.version}"
            if (
                not 1 <= each.version <= len(exported.records)
                or exported.records[each.version - 1].hash.hex() != each.hash
            ):
                self.fail(f"{where} with a hash that it does not have there")
            tournament = fold_tournament(exported.tournament, exported.records[: each.version])
            finishes[each.tournament] = finished(tournament)
            if tournament.status not in ("closed", "cancelled"):
                self.fail(f"{where}, where it was not over")
        if len(finishes) < len(over):
            return
        acts.require_over(season, finishes)
        if (right := acts.final_tables(season, finishes)) != season.tables:
            self.fail(f"version {self.version} has tables that do not follow: {canonical(right).decode()} is right")
        self.tables.append(season.number)

    # --- the verdict ---

    def proved(self) -> Iterator[str]:
        yield f"The chain of {len(self.exported.records)} events is unbroken and every line is canonical."
        yield "Every act was decided again and gave exactly the stored events."
        for season in self.tables:
            yield f"The tables of season {season} follow from its tournaments."

    def unproved(self, league: League) -> Iterator[str]:
        for season in league.seasons:
            missing = [each.tournament for each in season.tournaments if each.tournament not in self.tournaments]
            if missing:
                yield f"Season {season.number}: the exports of {len(missing)} of its tournaments are missing."


def finished(tournament: Tournament) -> Finish:
    """Return how a tournament stands."""
    return finish_of(tournament, standings(tournament.field))
