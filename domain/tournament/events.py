"""What happens in a tournament, from its announcement to its close."""

from typing import ClassVar, Final, Literal

from msgspec import UNSET, Struct, UnsetType

from domain.kernel.ids import GameId, PlayerId, Version
from domain.kernel.log.ending import How
from domain.kernel.rules.message import kebab
from domain.tournament.draw import Cost, Draw
from domain.tournament.regulations import Regulations

Order = tuple[tuple[PlayerId, ...], ...]
"""How players finished, the first first; those who tie stand together."""

Sort = Literal["caution", "warning", "points", "exclusion"]
"""A penalty: words, words that are counted, points that are taken away, or the end of the tournament for a player."""

Status = Literal["open", "running", "closed", "cancelled"]
"""How far a tournament is: `open` until its first round is published."""


class TournamentEvent(Struct, frozen=True, tag=kebab, forbid_unknown_fields=True):
    """An event of a tournament. Its type name and fields are the storage format, as those of a game's events are."""

    schema: ClassVar[int] = 1
    rules: ClassVar[tuple[str, ...]] = ()
    """The ids of the rules of the service that it concerns."""


class TournamentAnnounced(TournamentEvent, frozen=True):
    """A tournament was announced, and everybody can enter (TAB-TRN-01). Who announced it directs it.

    Attributes:
        commitment: the end of the chain of secrets that the lots come from, in hex (`lots.py`).
    """

    rules = ("TAB-TRN-01", "TAB-TRN-02")

    regulations: Regulations
    commitment: str


class RegulationsChanged(TournamentEvent, frozen=True):
    """A director changed the regulations, for rounds that have not begun (TAB-TRN-03)."""

    rules = ("TAB-TRN-03",)

    regulations: Regulations


class DirectorNamed(TournamentEvent, frozen=True):
    """The organizer named another director (TAB-TRN-04)."""

    rules = ("TAB-TRN-04",)

    player: PlayerId


class DirectorReleased(TournamentEvent, frozen=True):
    """The organizer released a director, or a director laid the office down (TAB-TRN-04)."""

    rules = ("TAB-TRN-04",)

    player: PlayerId


class PlayerEntered(TournamentEvent, frozen=True):
    """A player entered, and consents to be seated (TAB-TRN-05).

    Attributes:
        club: the players of a club meet as late as can be; absent without one.
    """

    rules = ("TAB-TRN-05",)

    player: PlayerId
    club: str | UnsetType = UNSET


class PlayerWithdrew(TournamentEvent, frozen=True):
    """A player takes no part in the rounds that are still to be drawn (TAB-TRN-06)."""

    rules = ("TAB-TRN-06",)

    player: PlayerId


class PlayerDropped(TournamentEvent, frozen=True):
    """A director took a player out of the rounds that are still to be drawn (TAB-TRN-06).

    Attributes:
        reason: why, in 1 to 2,000 printable characters. It is public.
    """

    rules = ("TAB-TRN-06",)

    player: PlayerId
    reason: str


class PlayerCheckedIn(TournamentEvent, frozen=True):
    """A player is there for the next round, and added entropy to its lots (TAB-TRN-07).

    Attributes:
        round: the round that is drawn next.
        entropy: a text of the player's choice, empty when there is none.
    """

    rules = ("TAB-TRN-07",)

    round: int
    player: PlayerId
    entropy: str


class LotsDrawn(TournamentEvent, frozen=True):
    """The check-in for a round was closed, and the secret of its lots published (TAB-TRN-08).

    Attributes:
        secret: the secret, in hex. Its SHA-256 is the secret of the round before, for the first round the commitment.
        present: who plays the round, in the order of their lots.
    """

    rules = ("TAB-TRN-08",)

    round: int
    secret: str
    present: tuple[PlayerId, ...]


class RoundDrafted(TournamentEvent, frozen=True):
    """Tables were drawn for a round, which are not published yet (TAB-TRN-09).

    Attributes:
        draft: 1, 2, 3 … among the drafts of the round, without a gap.
        cost: what the tables cost, part by part.
        bound: what no tables could fall below; absent where nothing is known.
        by: what drew them.
    """

    rules = ("TAB-TRN-09",)

    round: int
    draft: int
    drawn: Draw
    cost: Cost
    by: str
    bound: int | UnsetType = UNSET


class RoundPublished(TournamentEvent, frozen=True):
    """The tables of a round were published (TAB-TRN-10).

    Attributes:
        draft: the draft that they are, or were changed from.
        cost: what they cost, part by part.
        reason: why a director changed the draft by hand, in 1 to 2,000 printable characters; absent when nobody did.
    """

    rules = ("TAB-TRN-10",)

    round: int
    draft: int
    drawn: Draw
    cost: Cost
    reason: str | UnsetType = UNSET


class RoundCancelled(TournamentEvent, frozen=True):
    """A director cancelled a round: it does not count, and another one is drawn in its place (TAB-TRN-11).

    Attributes:
        reason: why, in 1 to 2,000 printable characters. It is public.
    """

    rules = ("TAB-TRN-11",)

    round: int
    reason: str


class TableOpened(TournamentEvent, frozen=True):
    """The game of a table was created, with its players in their seats (TAB-TRN-12).

    Attributes:
        table: the number of the table in its round, from 1.
    """

    rules = ("TAB-TRN-12",)

    round: int
    table: int
    game: GameId


class SubstituteSeated(TournamentEvent, frozen=True):
    """A director seated another player of the tournament in somebody's place, who gets what the seat earns
    (TAB-TRN-13).

    Attributes:
        player: who leaves the table.
        to: who plays on.
        reason: why, in 1 to 2,000 printable characters. It is public.
    """

    rules = ("TAB-TRN-13",)

    round: int
    table: int
    player: PlayerId
    to: PlayerId
    reason: str


class ResultTaken(TournamentEvent, frozen=True):
    """The game of a table ended, and its result was taken from there (TAB-TRN-14).

    Attributes:
        order: how the players finished by the game.
        how: how it ended.
        rule: the rule that ended it.
        left: the players who had left their seats at the end; they count as last.
        version: the version of the game at which it was over.
        hash: the hash of the game there, in hex.
    """

    rules = ("TAB-TRN-14", "TAB-TRN-20")

    round: int
    table: int
    order: Order
    how: How
    rule: str
    version: Version
    hash: str
    left: tuple[PlayerId, ...] = ()


class ResultConfirmed(TournamentEvent, frozen=True):
    """The result of a table counts (TAB-TRN-15)."""

    rules = ("TAB-TRN-15",)

    round: int
    table: int


class ResultOverruled(TournamentEvent, frozen=True):
    """A director gave a table another result than its game has, or one to a game that had not ended (TAB-TRN-16).

    Attributes:
        order: how its players finished.
        reason: why, in 1 to 2,000 printable characters. It is public.
    """

    rules = ("TAB-TRN-16",)

    round: int
    table: int
    order: Order
    reason: str


class PenaltyGiven(TournamentEvent, frozen=True):
    """A director gave a player a penalty (TAB-TRN-17).

    Attributes:
        sort: which.
        points: how many points are taken away; 0 unless the penalty is `points`.
        reason: why, in 1 to 2,000 printable characters. It is public.
    """

    rules = ("TAB-TRN-17",)

    player: PlayerId
    sort: Sort
    points: int
    reason: str


class AnnouncementMade(TournamentEvent, frozen=True):
    """A director told all players something (TAB-TRN-18).

    Attributes:
        text: what, in 1 to 2,000 printable characters. It is public.
    """

    rules = ("TAB-TRN-18",)

    text: str


class TournamentClosed(TournamentEvent, frozen=True):
    """A director closed the tournament: the standings are final (TAB-TRN-19).

    Attributes:
        order: how all players finished.
    """

    rules = ("TAB-TRN-19", "TAB-TRN-21")

    order: Order


class TournamentCancelled(TournamentEvent, frozen=True):
    """The organizer cancelled the tournament before a result counted (TAB-TRN-19).

    Attributes:
        reason: why, in 1 to 2,000 printable characters. It is public.
    """

    rules = ("TAB-TRN-19",)

    reason: str


TOURNAMENT_EVENTS: Final = (
    TournamentAnnounced,
    RegulationsChanged,
    DirectorNamed,
    DirectorReleased,
    PlayerEntered,
    PlayerWithdrew,
    PlayerDropped,
    PlayerCheckedIn,
    LotsDrawn,
    RoundDrafted,
    RoundPublished,
    RoundCancelled,
    TableOpened,
    SubstituteSeated,
    ResultTaken,
    ResultConfirmed,
    ResultOverruled,
    PenaltyGiven,
    AnnouncementMade,
    TournamentClosed,
    TournamentCancelled,
)
