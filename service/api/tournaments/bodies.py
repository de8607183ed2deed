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
        name: what they are called.
        what: whom they are for, in a sentence.
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
        entrants: how many have entered, those who left included.
        rounds: how many rounds have been published and not cancelled.
        version: the number of its events.
        created: when it was announced.
        changed: when something last happened in it.
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
        name: their name; null for an account that there is no more.
        club: the club that they named.
        checked_in: the last round for which they checked in; 0 when they never did.
        out: whether they withdrew or were dropped: they are not drawn any more.
    """

    player: PlayerId
    name: str | None
    club: str | None
    checked_in: int
    out: bool


class RoundSummary(Struct, frozen=True):
    """A round in short.

    Attributes:
        number: its number, cancelled rounds included.
        status: `drawn` until its tables are published, or `cancelled`.
        tables: how many tables it has.
        waiting: how many of them have no result that counts.
    """

    number: int
    status: Literal["drawn", "published", "cancelled"]
    tables: int
    waiting: int


class AnnouncementView(Struct, frozen=True):
    """What a director told all players.

    Attributes:
        at: when.
        text: what.
    """

    at: str
    text: str


class PenaltyView(Struct, frozen=True):
    """A penalty.

    Attributes:
        player: who got it.
        sort: which.
        points: how many points it took away.
        reason: why.
        round: the last round that had been drawn.
        at: when.
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
        regulations: by what everything in it is decided.
        commitment: the end of the chain of secrets that the lots come from, in hex.
        directors: who directs it, the organizer first.
        players: everybody who ever entered, in that order.
        rounds: the rounds whose lots were drawn.
        announcements: what directors told all players, the first first.
        penalties: the penalties, the first first.
        order: how all players finished; empty until it is closed.
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
        cost: what that costs, part by part. Less is better.
        by: what drew it.
        bound: what no tables could fall below; null where nothing is known.
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
        before: what the tables of the draft cost when it was made.
        tables: what each of the tables costs by itself, in their order. With the byes, these add up to `cost`.
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
        order: its players as they finished, the first first; those who tie stand together.
        how: how its game ended; `overruled` when a director gave the result.
        left: players who had left their seats at the end: they count as last.
        at: since when it stands.
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
        players: who sits there, in the order of the seats.
        game: its game; null until that was opened.
        opened: when it was; null until then.
        result: its result; null until there is one.
        away: who was replaced by a substitute.
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
        version: the version of that.
        number: its number, cancelled rounds included.
        status: `drawn` until its tables are published, or `cancelled`.
        secret: the secret of its lots, in hex. Its SHA-256 is that of the round before, for the first the commitment.
        present: who plays it, in the order of their lots.
        drafts: the tables that were drawn, one draft after another.
        tables: its tables; empty until they are published.
        byes: who has none.
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
    """Where a player stands.

    Attributes:
        place: 1 for the first; players who tie have the same place.
        player: the player.
        name: their name; null for an account that there is no more.
        points: what they have earned, less penalties.
        played: how many of their tables have a result.
        tie_breaks: what each tie-break counts for them; of two, the greater is better.
        above: what puts them above the next player: the `stage` that they reached, `points` or a tie-break; null when
            they tie, and for the last.
        provisional: whether a result that does not count yet is in it.
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
        status: how far it is. When it is `closed`, the standings are final.
        items: where everybody stands, the first first.
    """

    tournament: TournamentId
    version: Version
    status: Status
    items: tuple[PlayerStanding, ...]


class CrosstableCell(Struct, frozen=True):
    """What a player did in a round.

    Attributes:
        round: the number of the round.
        table: the number of their table; 0 for a bye.
        opponents: whom they met there.
        place: how many finished before them, and one more; 0 for a bye, and as long as there is no result.
        points: what they earned; null as long as there is no result.
        counts: whether it counts: of heats, only the best do.
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
        place: where they stand.
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
        version: the version of the tournament that it made.
        type: its type, as in the event itself.
        text: what happened, in a sentence.
        at: when it was recorded, RFC 3339 in UTC.
        schema: the schema version of the event's shape.
        draws: always 0: a tournament draws no dice.
        event: what happened.
        hash: the hash of this row and all before it, in hex.
        cause: the account and the digest of the idempotency key, or `by` the house; absent for what followed by itself.
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
        id: the version of the tournament that the event made.
        event: the type of the event; absent with `frames=plain`.
        data: the event, in JSON.
    """

    id: str
    data: str
    event: str | UnsetType = UNSET
