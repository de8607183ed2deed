"""Positions, options and commands as they are sent and answered."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from domain.kernel.ids import LARGEST_INTEGER, GameId, Seat, Version
from domain.kernel.log.answers import Condition, Name, Until
from domain.kernel.log.lifecycle import Status
from domain.kernel.rules.decision import Decision, Option
from service.api.bodies import Identifier, Past
from service.games.clocks import ClocksView
from service.games.views import Accepted


class AtVersion(Struct, frozen=True, forbid_unknown_fields=True):
    """Which version to show.

    Attributes:
        version: the version to show; absent for the newest.
    """

    version: Annotated[int, Meta(ge=1, le=LARGEST_INTEGER)] | None = None


class OptionsOf(Struct, frozen=True, forbid_unknown_fields=True):
    """Whose options to show, and at which version.

    Attributes:
        version: the version at which the seat had them; absent for now.
        seat: the seat; absent for your own.
    """

    version: Annotated[int, Meta(ge=1, le=LARGEST_INTEGER)] | None = None
    seat: Identifier | None = None


class Foresight(Struct, frozen=True, forbid_unknown_fields=True):
    """What else to answer about commands that are given or checked.

    Attributes:
        next: whether to say what follows: the game after commands that were given, or what would be asked of you after
            those that are checked.
    """

    next: Literal["true", "false"] = "false"


class StateView(Struct, frozen=True):
    """The position, as the caller may see it.

    Attributes:
        game: the game.
        ruleset: the ruleset of the game, which determines the shape of `view`.
        version: the version that is shown.
        status: the status of the game at that version.
        heading: the phase of the game, in words.
        seat: the seat whose view this is; null for a spectator.
        everything: True when nothing is hidden from you. When the game is over, that is so for everybody. Before, it is
            so for officials, for an organizer without a seat if `organizer_sees` is `all`, and in your own analysis.
        view: the position, in the shape of its ruleset; null before the game begins.
        decisions: what the game waited for at that version.
        clocks: what the clocks showed at that version; null until it starts, and for a game without a clock.
    """

    game: GameId
    ruleset: str
    version: Version
    status: Status
    heading: str
    seat: Seat | None
    everything: bool
    view: Any
    decisions: tuple[Decision, ...]
    clocks: ClocksView | None


class OptionsView(Struct, frozen=True):
    """What a seat may do, or might have done at an earlier version.

    Attributes:
        game: the game.
        ruleset: the ruleset of the game.
        version: the version at which these options hold: send it as `If-Match` with the command.
        seat: the seat.
        decisions: the open decisions that this seat must make.
        options: every command that would be accepted, and no other, as JSON Schemas. `undo` is left out for the past.
    """

    game: GameId
    ruleset: str
    version: Version
    seat: Seat
    decisions: tuple[Decision, ...]
    options: tuple[Option, ...]


class Snapshot(StateView, frozen=True):
    """A version of a game in one answer: the position, what the game waits for there, and what you may do.

    Attributes:
        options: what your seat may do, or might have done at an earlier version: every command that would be accepted,
            and no other, as JSON Schemas. `undo` is left out for the past. Empty for spectators.
    """

    options: tuple[Option, ...]


class Played(Accepted, frozen=True):
    """The answer to commands that were accepted.

    Attributes:
        next: the game after them, as you may see it; only if the query asks for it. A repeated request gets the game as
            it was after the first.
    """

    next: Snapshot | UnsetType = UNSET


class NewAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    """An answer to leave in advance.

    Attributes:
        decision: the kind of decision that it answers: the `kind` of an open decision, or any other of the ruleset's
            `decisions`.
        command: the command that is given, as for `POST /v1/games/{game}/commands`.
        when: conditions on the `about` of the decision, by the names in it. All must hold. A decision whose `about`
            lacks one of the names is not answered.
        until: when it ends: `revoked` only when you revoke it, `once` after it was given once, `round` with the present
            round.
    """

    decision: Identifier
    command: dict[str, Any]
    when: dict[Name, Condition] = {}
    until: Until = "revoked"


class LeftAnswer(Struct, frozen=True):
    """An answer that you left in advance.

    Attributes:
        version: the version at which you left it.
        decision: the kind of decision that it answers.
        command: the command that is given.
        when: the conditions on the `about` of the decision.
        until: when it ends.
        round: the round with which it ends; null when it does not end with a round.
        given: how often it was given.
        ended: whether it has ended.
    """

    version: Version
    decision: str
    command: dict[str, Any]
    when: dict[str, Condition]
    until: Until
    round: int | None
    given: int
    ended: bool


class AnswersView(Struct, frozen=True):
    """The answers that you left in advance.

    Attributes:
        game: the game.
        version: the version of the game with these answers.
        seat: the caller's seat.
        answers: the answers, the oldest first. If several fit, the service gives the newest one that is lawful.
    """

    game: GameId
    version: Version
    seat: Seat
    answers: tuple[LeftAnswer, ...]


Commands = Annotated[tuple[Raw, ...], Meta(min_length=1, max_length=100)]


class Orders(Struct, frozen=True, forbid_unknown_fields=True):
    """What a seat does: one command, or several. Either all of them happen, or none.

    Attributes:
        command: one command, such as one built from an option's schema.
        commands: several commands, in order. Only the last may roll or reveal something.
    """

    command: Raw | UnsetType = UNSET
    commands: Commands | UnsetType = UNSET

    def __post_init__(self) -> None:
        if (self.command is UNSET) == (self.commands is UNSET):
            raise ValueError("Expected either `command` or `commands`")

    @property
    def all(self) -> tuple[Raw, ...]:
        """The commands, one or several."""
        several = () if self.commands is UNSET else self.commands
        return several if self.command is UNSET else (self.command,)

    def path(self, number: int) -> str:
        """Return where in the body the command with that number is; an empty path for 0, which is no command."""
        if not number:
            return ""
        return "$.command" if self.commands is UNSET else f"$.commands[{number - 1}]"


class NewTakeBack(Struct, frozen=True, forbid_unknown_fields=True):
    """A request to take moves back.

    Attributes:
        to: the version to which the game would go back, at which a command of yours began.
    """

    to: Past


class TakeBackReply(Struct, frozen=True, forbid_unknown_fields=True):
    """An answer to a request to take moves back.

    Attributes:
        agrees: whether you agree.
    """

    agrees: bool


class NewEnd(Struct, frozen=True, forbid_unknown_fields=True):
    """A proposal to end a game.

    Attributes:
        order: every seat of the game once, in groups of seats that tie, in the order in which they finish.
    """

    order: Annotated[
        list[Annotated[list[Identifier], Meta(min_length=1, max_length=8)]], Meta(min_length=1, max_length=8)
    ]


class EndReply(Struct, frozen=True, forbid_unknown_fields=True):
    """An answer to a proposal to end a game.

    Attributes:
        agrees: whether you agree.
    """

    agrees: bool
