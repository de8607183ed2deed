"""Tournaments as they are answered."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from domain.kernel.ids import GameId, PlayerId, TournamentId, Version
from domain.kernel.log.ending import How
from domain.tournament.draw import Cost, Draw
from domain.tournament.events import (
    AnnouncementMade,
    DirectorNamed,
    DirectorReleased,
    LotsDrawn,
    PenaltyGiven,
    PlayerCheckedIn,
    PlayerDropped,
    PlayerEntered,
    PlayerWithdrew,
    RegulationsChanged,
    ResultConfirmed,
    ResultOverruled,
    ResultTaken,
    RoundCancelled,
    RoundDrafted,
    RoundPublished,
    Sort,
    Status,
    SubstituteSeated,
    TableOpened,
    TournamentAnnounced,
    TournamentCancelled,
    TournamentClosed,
    TournamentPassedOn,
)
from domain.tournament.regulations import PresetName, Regulations, TieBreak
from service.api.bodies import Listed

Points = Annotated[
    str,
    Meta(
        pattern=r"^-?[0-9]+(/[1-9][0-9]*)?$(?!\n)",
        description="a whole number or a fraction, such as `48` or `131/2`: it is exact",
    ),
]

TournamentHappened = (
    TournamentAnnounced
    | RegulationsChanged
    | DirectorNamed
    | DirectorReleased
    | TournamentPassedOn
    | PlayerEntered
    | PlayerWithdrew
    | PlayerDropped
    | PlayerCheckedIn
    | LotsDrawn
    | RoundDrafted
    | RoundPublished
    | RoundCancelled
    | TableOpened
    | SubstituteSeated
    | ResultTaken
    | ResultConfirmed
    | ResultOverruled
    | PenaltyGiven
    | AnnouncementMade
    | TournamentClosed
    | TournamentCancelled
)
"""An event of a tournament."""


class TournamentPreset(Struct, frozen=True):
    """Regulations to begin with.

    Attributes:
        name: their name.
        what: what they are good for, in a sentence.
        regulations: the regulations. Change what you like.
    """

    name: PresetName
    what: str
    regulations: Regulations


class TournamentPresets(Struct, frozen=True):
    """Regulations to begin with, for a ruleset.

    Attributes:
        ruleset: the ruleset.
        items: the regulations, for the shortest tournament first.
    """

    ruleset: str
    items: tuple[TournamentPreset, ...]


class TournamentSummary(Struct, frozen=True):
    """A tournament.

    Attributes:
        tournament: its id.
        title: its title.
        ruleset: the ruleset of its games.
        status: `open` until its first round is published, then `running`, until it is `closed` or `cancelled`.
        organizer: the player who organizes it.
        entrants: how many players have entered, including those who left.
        rounds: how many rounds have been published and not cancelled.
        version: its version, which is the number of its events.
        created: when it was announced.
        changed: the time of its newest event.
    """

    tournament: TournamentId
    title: str
    ruleset: str
    status: Status
    organizer: PlayerId
    entrants: int
    rounds: int
    version: Version
    created: str
    changed: str


class EntrantView(Struct, frozen=True):
    """A player of a tournament.

    Attributes:
        player: the player.
        name: their name; null if the account does not exist.
        club: the club that they named.
        checked_in: the last round for which they checked in; 0 when they never did.
        out: whether they withdrew or were dropped, so that no further round is drawn with them.
    """

    player: PlayerId
    name: str | None
    club: str | None
    checked_in: int
    out: bool


class RoundSummary(Struct, frozen=True):
    """A round in short.

    Attributes:
        number: its number; cancelled rounds are counted.
        status: `drawn` when its lots are, then `published` with its tables; or `cancelled`.
        tables: how many tables it has.
        waiting: how many of them have no result that counts.
    """

    number: int
    status: Literal["drawn", "published", "cancelled"]
    tables: int
    waiting: int


class AnnouncementView(Struct, frozen=True):
    """A message of a director to all players.

    Attributes:
        at: when it was sent.
        text: its text.
    """

    at: str
    text: str


class PenaltyView(Struct, frozen=True):
    """A penalty.

    Attributes:
        player: the player who got it.
        sort: what it is: a caution, a warning, points or an exclusion.
        points: how many points it took away.
        reason: why they got it.
        round: the last round that had been drawn by then.
        at: when they got it.
    """

    player: PlayerId
    sort: Sort
    points: int
    reason: str
    round: int
    at: str


class TournamentDetail(Struct, frozen=True):
    """A tournament with its regulations, its players and its rounds.

    Attributes:
        summary: the tournament as lists show it.
        regulations: its rules.
        commitment: the commitment to the secrets of its lots, in hex.
        directors: the accounts that direct it, the organizer first.
        players: everybody who has entered, in the order of entries, including those who left.
        rounds: the rounds whose lots were drawn.
        announcements: the messages of directors to all players, the oldest first.
        penalties: the penalties, the oldest first.
        order: all players in the order in which they finished, in groups of players who tie; empty until it is closed.
        repeated: whether this request repeated an earlier one (same idempotency key) and so changed nothing.
    """

    summary: TournamentSummary
    regulations: Regulations
    commitment: str
    directors: tuple[PlayerId, ...]
    players: tuple[EntrantView, ...]
    rounds: tuple[RoundSummary, ...]
    announcements: tuple[AnnouncementView, ...]
    penalties: tuple[PenaltyView, ...]
    order: tuple[tuple[PlayerId, ...], ...]
    repeated: bool = False


class DraftView(Struct, frozen=True):
    """Tables that were drawn for a round.

    Attributes:
        draft: its number among the drafts of the round.
        drawn: who sits together, in the order of the seats, and who has a bye.
        cost: the cost of these tables, part by part. Less is better.
        by: the program that drew them.
        bound: a cost that no tables can be below; null if none is known.
    """

    draft: int
    drawn: Draw
    cost: Cost
    by: str
    bound: int | None


class PricedTables(Struct, frozen=True):
    """What tables would cost.

    Attributes:
        tournament: the tournament.
        version: its version, to which the costs belong.
        number: the number of the round.
        draft: the number of the draft that the tables would replace.
        cost: what the tables cost, part by part. Less is better.
        before: the cost of the tables of the draft when it was made.
        tables: the cost of each table by itself, in their order. With the byes, these add up to `cost`.
    """

    tournament: TournamentId
    version: Version
    number: int
    draft: int
    cost: Cost
    before: Cost
    tables: tuple[Cost, ...]


class TableResult(Struct, frozen=True):
    """The result of a table.

    Attributes:
        order: its players in the order in which they finished, in groups of players who tie.
        how: how its game ended; `overruled` when a director gave the result.
        left: players who had left their seats at the end. They count as last.
        at: when it was taken or given.
        confirmed: whether it counts.
    """

    order: tuple[tuple[PlayerId, ...], ...]
    how: How | Literal["overruled"]
    left: tuple[PlayerId, ...]
    at: str
    confirmed: bool


class TableView(Struct, frozen=True):
    """A table of a round.

    Attributes:
        number: its number in the round.
        players: the players, in the order of the seats.
        game: its game; null until it is opened.
        opened: when the game was opened; null until then.
        result: its result; null until there is one.
        away: the players whom a substitute replaced.
    """

    number: int
    players: tuple[PlayerId, ...]
    game: GameId | None
    opened: str | None
    result: TableResult | None
    away: tuple[PlayerId, ...]


class RoundView(Struct, frozen=True):
    """A round.

    Attributes:
        tournament: its tournament.
        version: the version of the tournament.
        number: its number; cancelled rounds are counted.
        status: `drawn` when its lots are, then `published` with its tables; or `cancelled`.
        secret: the secret of its lots, in hex. Its SHA-256 is the secret of the round before; for the first round, it
            is the commitment.
        present: the players of the round, in the order of their lots.
        drafts: the drafts of its tables, in the order in which they were drawn.
        tables: its tables; empty until they are published.
        byes: the players who have a bye; empty until the tables are published.
        cost: what the published tables cost; null until then.
        reason: why a director changed the draft by hand, or cancelled the round; null when nobody did.
        repeated: whether this request repeated an earlier one (same idempotency key) and so changed nothing.
    """

    tournament: TournamentId
    version: Version
    number: int
    status: Literal["drawn", "published", "cancelled"]
    secret: str
    present: tuple[PlayerId, ...]
    drafts: tuple[DraftView, ...]
    tables: tuple[TableView, ...]
    byes: tuple[PlayerId, ...]
    cost: Cost | None
    reason: str | None
    repeated: bool = False


class PlayerStanding(Struct, frozen=True):
    """The standing of a player.

    Attributes:
        place: 1 for the first; players who tie have the same place.
        player: the player.
        name: their name; null if the account does not exist.
        points: what they have earned, less penalties.
        played: how many of their tables have a result.
        tie_breaks: their values in each tie-break, which are compared in order; the greater is better.
        above: what puts them above the next player: the `stage` that they reached, `points` or a tie-break; null when
            they tie, and for the last.
        provisional: whether it includes a result that does not count yet.
    """

    place: int
    player: PlayerId
    name: str | None
    points: Points
    played: int
    tie_breaks: dict[TieBreak, tuple[Points, ...]]
    above: str | None
    provisional: bool


class TournamentStandings(Struct, frozen=True):
    """The standings of a tournament (TAB-TRN-20, TAB-TRN-21).

    Attributes:
        tournament: the tournament.
        version: its version.
        status: its status. When it is `closed`, the standings are final.
        items: the standings of all players, the first place first.
    """

    tournament: TournamentId
    version: Version
    status: Status
    items: tuple[PlayerStanding, ...]


class CrosstableCell(Struct, frozen=True):
    """The round of a player.

    Attributes:
        round: the number of the round.
        table: the number of their table; 0 for a bye.
        opponents: the players whom they met there.
        place: 1 plus the number of players who finished before them; 0 for a bye, and without a result.
        points: what they earned; null without a result.
        counts: whether it counts: of heats, only a player's best do.
    """

    round: int
    table: int
    opponents: tuple[PlayerId, ...]
    place: int
    points: Points | None
    counts: bool


class CrosstableLine(Struct, frozen=True):
    """A player's line of the crosstable.

    Attributes:
        place: their place in the standings.
        player: the player.
        points: what they have earned, less penalties.
        cells: what they did in each round that they played.
    """

    place: int
    player: PlayerId
    points: Points
    cells: tuple[CrosstableCell, ...]


class CrosstableView(Struct, frozen=True):
    """Who met whom in a tournament, and how that ended.

    Attributes:
        tournament: the tournament.
        version: its version.
        items: a line for each player, in the order of the standings.
    """

    tournament: TournamentId
    version: Version
    items: tuple[CrosstableLine, ...]


class TournamentEventView(Struct, frozen=True, omit_defaults=True):
    """An event of a tournament: its row of the log.

    Attributes:
        version: the version of the tournament after it.
        type: its type, as in the event itself.
        text: what happened, in a sentence.
        at: when it was recorded, RFC 3339 in UTC.
        schema: the schema version of the event's shape.
        draws: always 0: a tournament draws no dice.
        event: what happened.
        hash: the hash of this row and all before it, in hex.
        cause: the account and the digest of the idempotency key, or `by` for an act of the service; absent for an event
            that followed automatically.
    """

    version: Version
    type: str
    text: str
    at: str
    schema: int
    draws: int
    event: TournamentHappened
    hash: str
    cause: Any = None


class TournamentEventPage(Struct, frozen=True):
    """A part of the events of a tournament.

    Attributes:
        items: the events.
        next: the `after` of the next page; null after the last.
    """

    items: tuple[TournamentEventView, ...]
    next: Version | None


class TournamentPage(Listed[TournamentSummary], frozen=True):
    """A page of tournaments."""


class StreamedTournamentEvent(Struct, frozen=True):
    """A frame of the stream of a tournament, line by line.

    Attributes:
        id: the version of the tournament after the event.
        event: the type of the event; absent with `frames=plain`.
        data: the event, in JSON.
    """

    id: str
    data: str
    event: str | UnsetType = UNSET
