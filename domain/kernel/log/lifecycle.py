"""Events of the game itself, not of its rules: creation, seats, start, retractions, officials, pauses and the end.

After a retraction, the events that are `around` the table still count, such as those about officials and pauses.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from domain.kernel.chance.secret import Sealed
from domain.kernel.ids import GameId, PlayerId, Seat, Version
from domain.kernel.log.clocked import CLOCK_EVENTS
from domain.kernel.log.ended import END_EVENTS, order_in_words, places
from domain.kernel.log.event import GameEvent
from domain.kernel.log.seated import SEAT_EVENTS
from domain.kernel.rules.documents import key
from domain.kernel.rules.message import Names, Upcaster, enumerated, kebab
from domain.kernel.rules.ruleset import Order

Status = Literal["gathering", "running", "over", "cancelled"]
By = Literal["undo", "ruling", "consent"]
"""How moves are taken back."""
Sight = Literal["all", "spectator"]
"""What an organizer without a seat sees while a game runs: everything, or what spectators see."""
Forking = Literal["players", "officials"]
"""Who may fork a game that runs: its seats, its organizer and its officials, or its officials alone."""
Readers = Literal["everybody", "invited"]
"""Who may read a game: everybody, or only accounts that take part in it (TAB-READ-01)."""
Purpose = Literal["analysis", "continuation"]
"""What a fork is for: its maker plays all seats, or the players of a game that is over go on with it."""


class GameCreated(GameEvent, frozen=True):
    """A game was created.

    Attributes:
        ruleset: the id of the ruleset.
        ruleset_version: the version of the ruleset that the game begins with.
        board: the digest of the board.
        setup: what the creator chose, in the shape that the ruleset defines.
        organizer: the account that organizes the game.
        commitment: the SHA-256 of the secret of the game's chance, in hex.
        organizer_sees: what an organizer without a seat sees of the running game; everything when absent.
        documents: the digests of the documents that it is played with besides its board, by name; absent without any.
        forks: `officials` when only officials may fork it while it runs; absent when its players may, too.
        readers: `invited` when the game is private, so that only accounts that take part in it may read it
            (TAB-READ-01); absent when everybody may.
        abandoned_after: after how many days without an event it ends as abandoned (TAB-END-04); absent for 90.
        rematch_of: the game that its players played before, for a rematch (TAB-REM-01); absent otherwise.
        offered_until: until when the players can agree to the rematch (TAB-REM-04).
    """

    schema: ClassVar[int] = 2
    added: ClassVar[frozenset[str]] = frozenset({"organizer_sees"})

    ruleset: str
    ruleset_version: int
    board: str
    seats: tuple[Seat, ...]
    setup: dict[str, Any]
    organizer: PlayerId
    commitment: str
    organizer_sees: Sight
    documents: dict[str, str] | UnsetType = UNSET
    forks: Literal["officials"] | UnsetType = UNSET
    readers: Literal["invited"] | UnsetType = UNSET
    abandoned_after: int | UnsetType = UNSET
    rematch_of: GameId | UnsetType = UNSET
    offered_until: str | UnsetType = UNSET

    @property
    def board_key(self) -> str:
        """The key of its board in stores, which depends on the board and the documents that go with it."""
        return key(self.board, {} if self.documents is UNSET else self.documents)

    def tell(self, names: Names) -> str:
        documents = {} if self.documents is UNSET else self.documents
        marks = enumerated([f"the {name} {digest[7:15]}" for name, digest in documents.items()])
        played = f", with {marks}" if documents else ""
        what = "game" if self.rematch_of is UNSET else f"rematch of {self.rematch_of}"
        return f"A {what} of {names(self.ruleset)} was created for {len(self.seats)} players{played}."


class GameForked(GameCreated, frozen=True, kw_only=True):
    """A game began as a fork: with the position of another game, its parent, at an earlier version (TAB-FORK-01).

    Ruleset, board, documents, seats, set-up and readers are those of the parent at that version; its commitment is its
    own.

    Attributes:
        parent: the game that it forks from.
        version: the version of the parent at whose position it begins.
        hash: the hash of the parent's log at that version, in hex.
        depth: 1 for a fork of a game that is no fork, 2 for a fork of such a fork, and so on.
        purpose: `analysis` when its organizer, who made it, plays all seats; `continuation` when the players of the
            parent, which is over, go on from there.
        withheld: the game that withholds the fork: until that game is over, only its officials are shown the fork
            (TAB-FORK-02). It is the parent, or the game that withholds the parent. Absent for any other fork.
    """

    schema: ClassVar[int] = 1
    added: ClassVar[frozenset[str]] = frozenset()
    rules = ("TAB-FORK-01", "TAB-FORK-02", "TAB-FORK-03", "TAB-FORK-04")

    parent: GameId
    version: Version
    hash: str
    depth: int
    purpose: Purpose
    withheld: GameId | UnsetType = UNSET

    def tell(self, names: Names) -> str:
        return f"A fork of {self.parent} at version {self.version} was made, as its {self.purpose}."


class SeatTaken(GameEvent, frozen=True):
    """A player took a seat and added entropy to the dice, whose secret was already committed to (TAB-LIFE-03).

    Attributes:
        entropy: what they added; it may be empty.
    """

    rules = ("TAB-LIFE-03",)

    seat: Seat
    player: PlayerId
    entropy: str = ""

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} was taken."


class SeatLeft(GameEvent, frozen=True):
    """A player left a seat before the game began."""

    seat: Seat

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} is free again."


class GameStarted(GameEvent, frozen=True):
    """The game began: all seats are taken (TAB-LIFE-02), or a ruling began it. In a new game, the set-up follows.

    A continuation begins by itself when the last seat is taken. If a ruling begins it, the players of its parent get
    the seats that are still free (TAB-FORK-04).
    """

    rules = ("TAB-LIFE-02", "TAB-FORK-04")

    def tell(self, names: Names) -> str:
        return "The game began."


class GameCancelled(GameEvent, frozen=True):
    """The organizer cancelled the game before it began (TAB-LIFE-04), or closed an analysis (TAB-FORK-06).

    Or a player declined a rematch, or its offer expired (TAB-REM-04). The secret of the game's chance is not published.
    """

    rules = ("TAB-LIFE-04",)

    def tell(self, names: Names) -> str:
        return "The game was cancelled."


class SeatsMoved(GameEvent, frozen=True):
    """The set-up moved players to other seats than those that they had taken.

    Attributes:
        players: who holds each seat from now on.
    """

    players: dict[Seat, PlayerId]

    def tell(self, names: Names) -> str:
        return f"The players moved to the seats that they were dealt: {names.all(self.players)}."


_TAKEN_BACK: Final[Mapping[By, str]] = {
    "undo": "The last commands were taken back",
    "ruling": "A ruling took moves back",
    "consent": "All seats agreed to take moves back",
}


class MovesRetracted(GameEvent, frozen=True):
    """The game continues from an earlier version; later events stay in the log but do not count (TAB-UNDO-02).

    Attributes:
        to: the version from which it continues.
        by: `undo` when a seat took its own commands back; `consent` when a seat asked to go back, and all the seats
            that were asked agreed; `ruling` when an official decided it on a case, or the organizer without a case.
        reason: the reason for a ruling, in the words of the person who ruled.
        again: the versions of the commands of other seats that are given again right after this event, in this order;
            absent when there are none.
    """

    in_pause = True  # but only by a ruling
    rules = ("TAB-UNDO-02", "TAB-UNDO-03", "TAB-UNDO-04")

    to: Version
    by: By
    reason: str = ""
    again: tuple[Version, ...] | UnsetType = UNSET

    def tell(self, names: Names) -> str:
        what = _TAKEN_BACK[self.by]
        addition = " What others did meanwhile stays." if self.again else ""
        return f"{what}: the game continues from version {self.to}.{addition}" + (
            f" Reason: {self.reason}" if self.reason else ""
        )


class AnswerLeft(GameEvent, frozen=True):
    """A seat left an answer in advance. It is given when the seat has to decide (TAB-ADV-01).

    Attributes:
        answer: the answer and its conditions, sealed for the seat.
    """

    rules = ("TAB-ADV-01",)

    seat: Seat
    answer: Sealed

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} left an answer in advance."


class AnswerRevoked(GameEvent, frozen=True):
    """A seat took back an answer that it had left in advance (TAB-ADV-02).

    Attributes:
        left: the version at which the answer was left.
    """

    in_pause = True
    rules = ("TAB-ADV-02",)

    seat: Seat
    left: Version

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} revoked the answer left in advance at version {self.left}."


class AnswerGiven(GameEvent, frozen=True):
    """An answer that a seat had left in advance was given (TAB-ADV-01). The events of its command follow.

    Attributes:
        left: the version at which the answer was left.
    """

    rules = ("TAB-ADV-01",)

    seat: Seat
    left: Version

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} answered in advance, as left at version {self.left}."


class RulesUpgraded(GameEvent, frozen=True):
    """The organizer moved the game to a newer version of its ruleset (TAB-RULES-01).

    That version judges the game from here on; what happened before stays as it was judged.

    Attributes:
        from_: the version of the ruleset before.
        to: the version of the ruleset from here on.
    """

    rules = ("TAB-RULES-01",)

    from_: int = field(name="from")
    to: int

    def tell(self, names: Names) -> str:
        return f"The organizer moved the game from version {self.from_} of its rules to version {self.to}."


class OfficialNamed(GameEvent, frozen=True):
    """The organizer named an official of the game, who sees all of it and may rule in it (TAB-RUL-01).

    Attributes:
        player: the account of the official.
    """

    stays = True
    in_pause = True
    rules = ("TAB-RUL-01",)

    player: PlayerId

    def tell(self, names: Names) -> str:
        return f"The organizer named {self.player} an official of this game."


class OfficialReleased(GameEvent, frozen=True):
    """The organizer released an official of the game, or the official resigned from the office (TAB-RUL-01).

    Attributes:
        player: the account of the official.
    """

    stays = True
    in_pause = True
    rules = ("TAB-RUL-01",)

    player: PlayerId

    def tell(self, names: Names) -> str:
        return f"{self.player} is no official of this game any more."


class OrganizerChanged(GameEvent, frozen=True):
    """The account that organized the game was closed, and another one organizes it from here on (TAB-LIFE-06).

    Attributes:
        player: the account that organizes it from here on.
    """

    stays = True
    in_pause = True
    rules = ("TAB-LIFE-06",)

    player: PlayerId

    def tell(self, names: Names) -> str:
        return f"{self.player} organizes this game from now on: the account of the organizer was closed."


class GamePaused(GameEvent, frozen=True):
    """The game was paused: until it is resumed, it takes no commands (TAB-RUL-03).

    An official paused it, or it paused by itself because nobody plays (TAB-CLK-12, TAB-SEAT-07).

    Attributes:
        reason: why, in the words of the official or of the service.
    """

    stays = True
    rules = ("TAB-RUL-02", "TAB-RUL-03")

    reason: str

    def tell(self, names: Names) -> str:
        return f"The game was paused. Reason: {self.reason}"


class GameResumed(GameEvent, frozen=True):
    """An official ended the pause of the game, or its organizer did while it has no official (TAB-RUL-03)."""

    stays = True
    in_pause = True
    rules = ("TAB-RUL-02", "TAB-RUL-03")

    def tell(self, names: Names) -> str:
        return "The game was resumed."


class TakeBackAsked(GameEvent, frozen=True):
    """A seat asked the others to let it take moves back (TAB-UNDO-04).

    Attributes:
        seat: the seat that asks.
        to: the version to which the game would go back; a command of the seat follows it.
        asks: `present` when seats that were given up are not asked; absent in older logs: they were asked, too.
    """

    stays = True
    rules = ("TAB-UNDO-04", "TAB-UNDO-05")

    seat: Seat
    to: Version
    asks: Literal["present"] | UnsetType = UNSET

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} asked to go back to version {self.to}."


class TakeBackAnswered(GameEvent, frozen=True):
    """A seat answered a request to take moves back (TAB-UNDO-04), or withdrew its own request by refusing it.

    Attributes:
        seat: the seat that answers.
        asked: the version at which the request was made.
        agrees: whether the seat agrees.
    """

    stays = True
    rules = ("TAB-UNDO-04", "TAB-UNDO-05")

    seat: Seat
    asked: Version
    agrees: bool

    def tell(self, names: Names) -> str:
        answer = "agreed to" if self.agrees else "turned down"
        return f"{names(self.seat)} {answer} going back as asked at version {self.asked}."


class SeatGivenUp(GameEvent, frozen=True):
    """A player gave up a seat of a running game, so that another account can take it over (TAB-LIFE-05)."""

    stays = True
    in_pause = True
    rules = ("TAB-LIFE-05",)

    seat: Seat

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} was given up by its player."


class SeatTakenOver(GameEvent, frozen=True):
    """Another account took over a seat that was open to substitutes, or offered to it (TAB-LIFE-05, TAB-SEAT-02).

    Or the seat's own player took it back, after its clock had left it open (TAB-SEAT-11).

    Attributes:
        player: the account that holds it from here on.
    """

    stays = True
    in_pause = True
    rules = ("TAB-LIFE-05", "TAB-SEAT-02", "TAB-SEAT-03", "TAB-SEAT-11")

    seat: Seat
    player: PlayerId

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} was taken over."


class GameAdjudicated(GameEvent, frozen=True):
    """An official ended the game by a ruling on its result (TAB-RUL-04).

    Attributes:
        order: the seats in their final order, each group of seats that tie together; the first group has won.
        reason: why, in the official's words.
    """

    in_pause = True
    rules = ("TAB-RUL-02", "TAB-RUL-04")

    order: Order
    reason: str

    def tell(self, names: Names) -> str:
        return f"An official ruled on the result: {order_in_words(self.order, names)}. Reason: {self.reason}"

    @property
    def places(self) -> list[tuple[int, tuple[Seat, ...]]]:
        """The groups of seats of `order`, each with its place, 1 for the first."""
        return places(self.order)


class GameEnded(GameEvent, frozen=True):
    """The game is over.

    Attributes:
        winners: who won; nobody in a draw.
        rule: the rule that ended the game.
        secret: the secret behind the `commitment` of the first event, in hex: with it, everybody can check every roll.
    """

    winners: tuple[Seat, ...]
    rule: str
    secret: str

    def tell(self, names: Names) -> str:
        return f"The game is over: {names.all(self.winners)} won." if self.winners else "The game is over."


GAME_EVENTS: Final = (
    GameCreated,
    GameForked,
    SeatTaken,
    SeatLeft,
    GameStarted,
    GameCancelled,
    SeatsMoved,
    MovesRetracted,
    RulesUpgraded,
    AnswerLeft,
    AnswerRevoked,
    AnswerGiven,
    OfficialNamed,
    OfficialReleased,
    OrganizerChanged,
    GamePaused,
    GameResumed,
    TakeBackAsked,
    TakeBackAnswered,
    SeatGivenUp,
    SeatTakenOver,
    *CLOCK_EVENTS,
    *END_EVENTS,
    *SEAT_EVENTS,
    GameAdjudicated,
    GameEnded,
)


def _organizer_sees_all(created: dict[str, Any]) -> dict[str, Any]:
    """Turn shape 1 into shape 2: in shape 1, every organizer without a seat saw everything."""
    if "organizer_sees" in created:  # the value in the log would differ from the one that is read
        raise msgspec.ValidationError("Object contains unknown field `organizer_sees`")
    return {**created, "organizer_sees": "all"}


UPCASTERS: Final[Mapping[tuple[str, int], Upcaster]] = {(kebab("GameCreated"), 1): _organizer_sees_all}
"""The upcaster under (type, n) turns an event of that type from schema version n into n+1."""


class Undo(Struct, frozen=True, tag=kebab, forbid_unknown_fields=True):
    """Take back your own commands (TAB-UNDO-01).

    Attributes:
        to: the version before the first command to take back (TAB-UNDO-02).
    """

    rules: ClassVar[tuple[str, ...]] = ("TAB-UNDO-01",)

    to: Version


def event_stays(event: Any) -> bool:
    """Tell whether an event leaves the table alone, so that no retraction takes it back."""
    return isinstance(event, GameEvent) and event.stays


def settles(event: Any) -> bool:
    """Tell whether an event ends the undo of the commands before it.

    An event around the table does, unless it stays. An event of the ruleset does if it reveals something.
    """
    return not event.stays if isinstance(event, GameEvent) else event.reveals


Undoable = dict[Seat, tuple[Version, ...]]
"""The versions to which each seat may go back; the seat that gave a command last is the last one."""


def undoable(undo: Undoable, by: Seat, before: Version, *, aside: bool) -> Undoable:
    """Return the versions to which each seat may go back after a command by `by` that settled nothing (TAB-UNDO-01).

    `undo` are those before the command, which was given at version `before`. Other seats keep their undo only if the
    command stands aside (TAB-UNDO-03).
    """
    others = {seat: to for seat, to in undo.items() if seat != by} if aside else {}
    return {**others, by: (*undo.get(by, ()), before)}
