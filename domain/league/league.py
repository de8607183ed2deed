"""A league: the aggregate whose events make one stream, and how its stream is read."""

from collections.abc import Sequence
from typing import Any, Final, Literal, Union, cast

import msgspec
from msgspec import Struct
from msgspec import field as a_field
from msgspec.structs import replace

from domain.kernel.ids import LeagueId, PlayerId, TournamentId, Version
from domain.kernel.log.history import cause_of
from domain.kernel.log.record import Cause, Record, inscribe
from domain.kernel.rules.refusal import Refusal, refuse_unless
from domain.league.events import (
    LEAGUE_EVENTS,
    FinalLine,
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
from domain.league.moving import members_after
from domain.league.regulations import Regulations

LeagueStatus = Literal["resting", "running"]
"""Whether a season runs."""


class Added(Struct, frozen=True):
    """A tournament of a season.

    Attributes:
        at: when it was added.
    """

    tournament: TournamentId
    division: int
    at: str


class Taken(Struct, frozen=True):
    """Points that a penalty took."""

    player: PlayerId
    points: int
    reason: str


class Season(Struct, frozen=True):
    """A season.

    Attributes:
        regulations: the regulations of the league when it began.
        members: who belongs to each division, the highest first.
        over: its tournaments as they ended; None while it runs.
        tables: the final table of each division.
    """

    number: int
    regulations: Regulations
    members: tuple[tuple[PlayerId, ...], ...]
    tournaments: tuple[Added, ...] = ()
    penalties: tuple[Taken, ...] = ()
    over: tuple[Over, ...] | None = None
    tables: tuple[tuple[FinalLine, ...], ...] = ()

    @property
    def homes(self) -> dict[PlayerId, int]:
        """The division of each player in `members`; all others belong to the lowest (TAB-LGE-04)."""
        return {player: division for division, members in enumerate(self.members, start=1) for player in members}

    def division_of(self, player: PlayerId) -> int:
        """Return the division to which a player belongs."""
        return self.homes.get(player, self.regulations.divisions)

    def division_with(self, tournament: TournamentId) -> int | None:
        """Return the division in which a tournament counts; None when it was not added."""
        return next((each.division for each in self.tournaments if each.tournament == tournament), None)

    def penalty_points(self, player: PlayerId) -> int:
        """Return the points that penalties took from a player."""
        return sum(each.points for each in self.penalties if each.player == player)


class Inscribed(Struct, frozen=True):
    """What an accepted act adds to a league, and the league after it."""

    league: "League"
    records: tuple[Record, ...]


class League(Struct, kw_only=True):
    """A league at one version. Treat it as immutable outside this package: every act returns an `Inscribed`.

    An act gets its `cause`, with the account, and its time `at`. Every act raises `Refusal`, with a rule TAB-LGE-…,
    when it is not possible.
    """

    id: LeagueId
    organizer: PlayerId
    founded: str
    regulations: Regulations
    version: Version = 0
    head: bytes = b""
    changed: str = ""
    seasons: tuple[Season, ...] = ()
    belongs: dict[PlayerId, int] = a_field(default_factory=dict[PlayerId, int])
    """The division of each player whom a placement or a closed season put into one; all others belong to the lowest."""
    placed: int = 0
    """How many placements there were since the last season."""

    @property
    def status(self) -> LeagueStatus:
        return "running" if self.season is not None else "resting"

    @property
    def season(self) -> Season | None:
        """The season that runs; None between seasons."""
        return self.seasons[-1] if self.seasons and self.seasons[-1].over is None else None

    @property
    def members(self) -> tuple[tuple[PlayerId, ...], ...]:
        """Who would belong to each division if a season began now, the highest first."""
        divisions: list[list[PlayerId]] = [[] for _ in range(self.regulations.divisions)]
        for player, division in sorted(self.belongs.items()):
            divisions[min(division, self.regulations.divisions) - 1].append(player)
        return tuple(map(tuple, divisions))

    def require_organizer(self, cause: Cause, rule: str) -> None:
        """Raise `Refusal` unless the account organizes the league."""
        wrong = "You do not organize this league."
        refuse_unless(cause.player == self.organizer, rule, wrong, f"Its organizer is {self.organizer}.")

    def require_resting(self, rule: str) -> None:
        """Raise `Refusal` while a season runs."""
        if self.season is not None:
            wrong = f"Season {self.season.number} runs."
            raise Refusal(rule, wrong, "This happens between two seasons: close it first.", untimely=True)

    def require_running(self, rule: str) -> Season:
        """Return the season that runs; raise `Refusal` when none does."""
        if self.season is None:
            raise Refusal(rule, "No season runs.", "Begin the next one first.", untimely=True)
        return self.season

    def add(self, event: LeagueEvent, cause: Cause, at: str) -> Inscribed:
        """Return what an event adds to the league, and the league after it."""
        at, after = max(at, self.changed), copied(self)
        record = inscribe(
            after.id, after.head, after.version + 1, event, schema=event.schema, draws=0, at=at, cause=cause
        )
        after.happen(event, record)
        return Inscribed(after, (record,))

    def happen(self, event: LeagueEvent, record: Record) -> None:
        """Change, in place, what an event changes. For this package's own folds."""
        self.version, self.head, self.changed = record.version, record.hash, record.at
        match event:
            case RegulationsChanged(regulations):
                self.regulations = regulations
            case PlayerPlaced(player, division):
                self.belongs[player] = division
                self.placed += 1
            case SeasonBegun(number, members):
                self.seasons = (*self.seasons, Season(number, self.regulations, members))
                self.placed = 0
            case TournamentAdded(_, division, tournament):
                added = (*self.seasons[-1].tournaments, Added(tournament, division, record.at))
                self._change_season(tournaments=added)
            case PointsTaken(_, player, points, reason):
                self._change_season(penalties=(*self.seasons[-1].penalties, Taken(player, points, reason)))
            case SeasonClosed(_, over, tables):
                self._change_season(over=over, tables=tables)
                self.belongs = members_after(self.seasons[-1].regulations, tables)
            case _:
                pass

    def _change_season(self, **changes: object) -> None:
        self.seasons = (*self.seasons[:-1], replace(self.seasons[-1], **changes))


def copied(league: League) -> League:
    """Return a copy that can be changed in place. For this package's own folds."""
    return replace(league, belongs=dict(league.belongs))


# --- reading the stream ---

_decoder: Final[msgspec.json.Decoder[Any]] = msgspec.json.Decoder(cast(Any, Union[LEAGUE_EVENTS]))  # noqa: UP007


def read_event(record: Record) -> LeagueEvent:
    """Return the event of a record of a league. Raises `msgspec.ValidationError`."""
    return _decoder.decode(record.event)


def league_from(league_id: LeagueId, event: LeagueFounded, record: Record, cause: Cause) -> League:
    """Return the league that its first event makes."""
    league = League(id=league_id, organizer=cause.account, founded=record.at, regulations=event.regulations)
    league.happen(event, record)
    return league


def fold(league_id: LeagueId, records: Sequence[Record]) -> League:
    """Return the league after `records`, its stream from version 1 on.

    Raises:
        msgspec.ValidationError: a record is no event of a league, or the first one does not found it.
    """
    founded = msgspec.json.decode(records[0].event, type=LeagueFounded)
    return _happened(league_from(league_id, founded, records[0], cause_of(records[0])), records[1:])


def fold_on(league: League, records: Sequence[Record]) -> League:
    """Return a league after `records`, which follow its version; the one that is given stays as it is."""
    return _happened(copied(league), records)


def _happened(league: League, records: Sequence[Record]) -> League:
    for record in records:
        league.happen(read_event(record), record)
    return league
