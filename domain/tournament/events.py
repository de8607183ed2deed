"""The events of a tournament, from its announcement to its close."""

from collections.abc import Callable
from typing import ClassVar, Final, Literal

from msgspec import UNSET, Struct, UnsetType

from domain.kernel.ids import GameId, PlayerId, Version
from domain.kernel.log.ending import How
from domain.kernel.rules.message import enumerated, kebab
from domain.tournament.draw import Cost, Draw
from domain.tournament.regulations import Regulations

Order = tuple[tuple[PlayerId, ...], ...]
"""How players finished, the first first; those who tie stand together."""

Sort = Literal["caution", "warning", "points", "exclusion"]
"""A kind of penalty.

A `caution` is only words, a `warning` also counts in tie-breaks, `points` are taken away, and after an `exclusion` the
player is out of the tournament.
"""

Status = Literal["open", "running", "closed", "cancelled"]
"""The status of a tournament: `open` until its first round is published."""


Name = Callable[[PlayerId], str]
"""Gives the display name of a player."""

_PENALTIES: Final = {"caution": "a caution", "warning": "a warning", "exclusion": "an exclusion"}


def finished(order: Order, name: Name) -> str:
    """Return an order of players in words: the first first, "with" between those who tie."""
    return enumerated([" with ".join(map(name, tied)) for tied in order])


class TournamentEvent(Struct, frozen=True, tag=kebab, forbid_unknown_fields=True):
    """An event of a tournament. Its type name and fields are the storage format, as those of a game's events are."""

    schema: ClassVar[int] = 1
    rules: ClassVar[tuple[str, ...]] = ()
    """The ids of the rules of the service that it concerns."""

    def tell(self, name: Name) -> str:
        """Return what happened in a sentence, for the history. `name` gives the display name of a player."""
        raise NotImplementedError


class TournamentAnnounced(TournamentEvent, frozen=True):
    """A tournament was announced, and players can enter (TAB-TRN-01). The account that announced it organizes it.

    Attributes:
        commitment: the end of the chain of secrets that the lots come from, in hex.
    """

    rules = ("TAB-TRN-01", "TAB-TRN-02")

    regulations: Regulations
    commitment: str

    def tell(self, name: Name) -> str:
        return f"The tournament was announced: {self.regulations.rounds} rounds of {self.regulations.ruleset}."


class RegulationsChanged(TournamentEvent, frozen=True):
    """A director changed the regulations, for rounds that have not begun (TAB-TRN-03)."""

    rules = ("TAB-TRN-03",)

    regulations: Regulations

    def tell(self, name: Name) -> str:
        return "The regulations were changed."


class DirectorNamed(TournamentEvent, frozen=True):
    """The organizer named another director (TAB-TRN-04)."""

    rules = ("TAB-TRN-04",)

    player: PlayerId

    def tell(self, name: Name) -> str:
        return f"{name(self.player)} directs the tournament, too."


class DirectorReleased(TournamentEvent, frozen=True):
    """The organizer released a director, or a director laid the office down (TAB-TRN-04)."""

    rules = ("TAB-TRN-04",)

    player: PlayerId

    def tell(self, name: Name) -> str:
        return f"{name(self.player)} does not direct the tournament any more."


class TournamentPassedOn(TournamentEvent, frozen=True):
    """The organizer's account is closed, and another director organizes the tournament (TAB-TRN-23)."""

    rules = ("TAB-TRN-23",)

    player: PlayerId

    def tell(self, name: Name) -> str:
        return f"{name(self.player)} organizes the tournament now."


class PlayerEntered(TournamentEvent, frozen=True):
    """A player entered, and consents to be seated (TAB-TRN-05).

    Attributes:
        club: their club; the draw avoids that players of one club meet. Absent when they named none.
    """

    rules = ("TAB-TRN-05",)

    player: PlayerId
    club: str | UnsetType = UNSET

    def tell(self, name: Name) -> str:
        club = "" if self.club is UNSET else f" for {self.club}"
        return f"{name(self.player)} entered{club}."


class PlayerWithdrew(TournamentEvent, frozen=True):
    """A player takes no part in the rounds that are still to be drawn (TAB-TRN-06)."""

    rules = ("TAB-TRN-06",)

    player: PlayerId

    def tell(self, name: Name) -> str:
        return f"{name(self.player)} withdrew."


class PlayerDropped(TournamentEvent, frozen=True):
    """A director took a player out of the rounds that are still to be drawn (TAB-TRN-06).

    Attributes:
        reason: why, in 1 to 2,000 printable characters. It is public.
    """

    rules = ("TAB-TRN-06",)

    player: PlayerId
    reason: str

    def tell(self, name: Name) -> str:
        return f"{name(self.player)} was dropped: {self.reason}"


class PlayerCheckedIn(TournamentEvent, frozen=True):
    """A player checked in for the next round, and added entropy to its lots (TAB-TRN-07).

    Attributes:
        round: the round that is drawn next.
        entropy: a text of the player's choice, empty when there is none.
    """

    rules = ("TAB-TRN-07",)

    round: int
    player: PlayerId
    entropy: str

    def tell(self, name: Name) -> str:
        return f"{name(self.player)} checked in for round {self.round}."


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

    def tell(self, name: Name) -> str:
        return (
            f"The check-in for round {self.round} was closed with {len(self.present)} players, and its lots were drawn."
        )


class RoundDrafted(TournamentEvent, frozen=True):
    """Tables were drawn for a round, which are not published yet (TAB-TRN-09).

    Attributes:
        draft: 1, 2, 3 … among the drafts of the round, without a gap.
        cost: what the tables cost, part by part.
        bound: no tables can have a lower total cost than this; absent where none is known.
        by: the method that drew them, such as `solver` or `slices`.
    """

    rules = ("TAB-TRN-09",)

    round: int
    draft: int
    drawn: Draw
    cost: Cost
    by: str
    bound: int | UnsetType = UNSET

    def tell(self, name: Name) -> str:
        tables = f"{len(self.drawn.tables)} tables and {len(self.drawn.byes)} byes"
        return f"Draft {self.draft} of round {self.round} has {tables}, and costs {self.cost.total}."


class RoundPublished(TournamentEvent, frozen=True):
    """The tables of a round were published (TAB-TRN-10).

    Attributes:
        draft: the number of the draft that was published, or that a director changed.
        cost: what they cost, part by part.
        reason: why a director changed the draft by hand, in 1 to 2,000 printable characters; absent when nobody did.
    """

    rules = ("TAB-TRN-10",)

    round: int
    draft: int
    drawn: Draw
    cost: Cost
    reason: str | UnsetType = UNSET

    def tell(self, name: Name) -> str:
        changed = "" if self.reason is UNSET else f", changed by hand: {self.reason}"
        return f"Draft {self.draft} of round {self.round} was published{changed or '.'}"


class RoundCancelled(TournamentEvent, frozen=True):
    """A director cancelled a round: it does not count, and another one is drawn in its place (TAB-TRN-11).

    Attributes:
        reason: why, in 1 to 2,000 printable characters. It is public.
    """

    rules = ("TAB-TRN-11",)

    round: int
    reason: str

    def tell(self, name: Name) -> str:
        return f"Round {self.round} was cancelled: {self.reason}"


class TableOpened(TournamentEvent, frozen=True):
    """The game of a table was created, with its players in their seats (TAB-TRN-12).

    Attributes:
        table: the number of the table in its round, from 1.
    """

    rules = ("TAB-TRN-12",)

    round: int
    table: int
    game: GameId

    def tell(self, name: Name) -> str:
        return f"Table {self.table} of round {self.round} is game {self.game}."


class SubstituteSeated(TournamentEvent, frozen=True):
    """A director seated another player of the tournament in the place of a player (TAB-TRN-13).

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

    def tell(self, name: Name) -> str:
        where = f"at table {self.table} of round {self.round}"
        return f"{name(self.to)} plays in the place of {name(self.player)} {where}: {self.reason}"


class ResultTaken(TournamentEvent, frozen=True):
    """The game of a table ended, and its result was taken from there (TAB-TRN-14).

    Attributes:
        order: how the players finished in the game.
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

    def tell(self, name: Name) -> str:
        return f"Table {self.table} of round {self.round} ended: {finished(self.order, name)}."


class ResultConfirmed(TournamentEvent, frozen=True):
    """The result of a table counts (TAB-TRN-15)."""

    rules = ("TAB-TRN-15",)

    round: int
    table: int

    def tell(self, name: Name) -> str:
        return f"The result of table {self.table} of round {self.round} counts."


class ResultOverruled(TournamentEvent, frozen=True):
    """A director gave a table a result in place of that of its game, or because that had not ended (TAB-TRN-16).

    Attributes:
        order: how its players finished.
        reason: why, in 1 to 2,000 printable characters. It is public.
    """

    rules = ("TAB-TRN-16",)

    round: int
    table: int
    order: Order
    reason: str

    def tell(self, name: Name) -> str:
        result = f"table {self.table} of round {self.round}: {finished(self.order, name)}"
        return f"A director gave a result to {result}. {self.reason}"


class PenaltyGiven(TournamentEvent, frozen=True):
    """A director gave a player a penalty (TAB-TRN-17).

    Attributes:
        sort: the kind of penalty.
        points: how many points are taken away; 0 unless the penalty is `points`.
        reason: why, in 1 to 2,000 printable characters. It is public.
    """

    rules = ("TAB-TRN-17",)

    player: PlayerId
    sort: Sort
    points: int
    reason: str

    def tell(self, name: Name) -> str:
        penalty = f"minus {self.points} points" if self.sort == "points" else _PENALTIES[self.sort]
        return f"{name(self.player)} got {penalty}: {self.reason}"


class AnnouncementMade(TournamentEvent, frozen=True):
    """A director told all players something (TAB-TRN-18).

    Attributes:
        text: the announcement, in 1 to 2,000 printable characters. It is public.
    """

    rules = ("TAB-TRN-18",)

    text: str

    def tell(self, name: Name) -> str:
        return self.text


class TournamentClosed(TournamentEvent, frozen=True):
    """A director closed the tournament: the standings are final (TAB-TRN-19).

    Attributes:
        order: how all players finished.
    """

    rules = ("TAB-TRN-19", "TAB-TRN-21")

    order: Order

    def tell(self, name: Name) -> str:
        return f"The tournament was closed. {finished(self.order[:1], name)} won it."


class TournamentCancelled(TournamentEvent, frozen=True):
    """The organizer cancelled the tournament before a result counted (TAB-TRN-19).

    Attributes:
        reason: why, in 1 to 2,000 printable characters. It is public.
    """

    rules = ("TAB-TRN-19",)

    reason: str

    def tell(self, name: Name) -> str:
        return f"The tournament was cancelled: {self.reason}"


TOURNAMENT_EVENTS: Final = (
    TournamentAnnounced,
    RegulationsChanged,
    DirectorNamed,
    DirectorReleased,
    TournamentPassedOn,
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
