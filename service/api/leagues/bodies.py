"""Bodies of the answers of the endpoints for leagues."""

from typing import Any, Literal

from msgspec import Struct

from domain.kernel.ids import LeagueId, PlayerId, TournamentId, Version
from domain.league.events import (
    LeagueFounded,
    PlayerPlaced,
    PointsTaken,
    RegulationsChanged,
    SeasonBegun,
    SeasonClosed,
    TournamentAdded,
)
from domain.league.league import LeagueStatus
from domain.league.regulations import LeagueTieBreak, Regulations
from domain.tournament.events import Status
from service.api.bodies import Listed
from service.api.tournaments.bodies import Points

LeagueHappened = (
    LeagueFounded | RegulationsChanged | PlayerPlaced | SeasonBegun | TournamentAdded | PointsTaken | SeasonClosed
)
"""An event of a league."""


class LeagueSummary(Struct, frozen=True):
    """A league.

    Attributes:
        league: its id.
        title: its title.
        status: `running` while a season runs, `resting` otherwise.
        organizer: the player who organizes it.
        divisions: how many divisions it has.
        seasons: how many seasons have begun.
        version: the number of its events.
        created: when it was founded.
        changed: when something last happened in it.
    """

    league: LeagueId
    title: str
    status: LeagueStatus
    organizer: PlayerId
    divisions: int
    seasons: int
    version: Version
    created: str
    changed: str


class LeaguePage(Listed[LeagueSummary], frozen=True):
    """A page of leagues."""


class LeagueResult(Struct, frozen=True):
    """What a player earned in a tournament.

    Attributes:
        tournament: the tournament.
        place: their place in it.
        points: the points that this place earns.
        counts: whether it counts: only the best results do.
        provisional: whether the tournament still runs.
    """

    tournament: TournamentId
    place: int
    points: Points
    counts: bool
    provisional: bool


class LeagueStanding(Struct, frozen=True):
    """Where a player stands in a division.

    Attributes:
        place: 1 for the first; players who tie have the same place.
        player: the player.
        name: their name; null for an account that no longer exists.
        points: what their results have earned, less penalties.
        taken: the points that penalties took.
        results: their results, in the order of the tournaments.
        tie_breaks: their values in each tie-break.
        above: why they are above the next player: `played`, `points` or the name of a tie-break; null when they tie,
            and for the last.
        moves: where they go if the season ends like this: `up` or `down`; null when they stay.
    """

    place: int
    player: PlayerId
    name: str | None
    points: Points
    taken: int
    results: tuple[LeagueResult, ...]
    tie_breaks: dict[LeagueTieBreak, tuple[Points, ...]]
    above: str | None
    moves: Literal["up", "down"] | None


class LeagueTournament(Struct, frozen=True):
    """A tournament of a season.

    Attributes:
        tournament: its id.
        title: its title.
        division: its division.
        status: how far it is.
    """

    tournament: TournamentId
    title: str
    division: int
    status: Status


class TakenPoints(Struct, frozen=True):
    """Points that a penalty took.

    Attributes:
        player: the player who lost them.
        points: how many.
        reason: why.
    """

    player: PlayerId
    points: int
    reason: str


class SeasonView(Struct, frozen=True):
    """A season.

    Attributes:
        number: its number.
        closed: whether its tables are final. Those of a season that runs are provisional.
        regulations: the regulations with which it began.
        members: who belongs to each division, the highest first. All others belong to the lowest.
        tournaments: the tournaments that count, in the order in which they were added.
        tables: the table of each division, the highest first.
        penalties: the penalties, the first first.
    """

    number: int
    closed: bool
    regulations: Regulations
    members: tuple[tuple[PlayerId, ...], ...]
    tournaments: tuple[LeagueTournament, ...]
    tables: tuple[tuple[LeagueStanding, ...], ...]
    penalties: tuple[TakenPoints, ...]


class LeagueDetail(Struct, frozen=True):
    """A league, with one of its seasons.

    Attributes:
        summary: the league in short.
        regulations: the regulations of the season that runs, or else of the next one.
        season: the season; null before the first one.
        next: who would belong to each division if a season began now, the highest first.
        repeated: whether this request repeated an earlier one (same idempotency key) and so changed nothing.
    """

    summary: LeagueSummary
    regulations: Regulations
    season: SeasonView | None
    next: tuple[tuple[PlayerId, ...], ...]
    repeated: bool = False


class LeagueEventView(Struct, frozen=True, omit_defaults=True):
    """An event of a league: its row of the log, in the form of those of tournaments.

    Attributes:
        version: the version of the league that it made.
        type: its type, as in the event itself.
        text: what happened, in a sentence.
        at: when it was recorded, RFC 3339 in UTC.
        schema: the schema version of the event's shape.
        draws: always 0: a league draws no dice.
        event: what happened.
        hash: the hash of this row and all before it, in hex.
        cause: the account and the digest of the idempotency key.
    """

    version: Version
    type: str
    text: str
    at: str
    schema: int
    draws: int
    event: LeagueHappened
    hash: str
    cause: Any = None


class LeagueEventPage(Struct, frozen=True):
    """A part of the events of a league.

    Attributes:
        items: the events.
        next: the `after` of the next page; null after the last.
    """

    items: tuple[LeagueEventView, ...]
    next: Version | None
