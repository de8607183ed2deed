"""Answers that seats leave in advance: what they say, and when they are given (TAB-ADV-01)."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from domain.kernel.chance.secret import Sealed
from domain.kernel.ids import LARGEST_INTEGER, Seat, Version
from domain.kernel.rules.decision import Decision

AT_ONCE: Final = 100
"""The most answers that are given after one request: two seats may outbid each other for long."""

MOST: Final = 50
"""The most answers that a seat may have left at one time."""

Whole = Annotated[int, Meta(ge=-LARGEST_INTEGER, le=LARGEST_INTEGER)]
Name = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{1,64}$")]
Until = Literal["revoked", "once", "round"]


class Condition(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A condition on a value. All parts that are given must hold.

    Attributes:
        equals: the value itself: a text, a whole number, true, false or null.
        least: the value is a whole number, and at least this.
        most: the value is a whole number, and at most this.
    """

    equals: str | Whole | bool | UnsetType | None = UNSET
    least: Whole | UnsetType = UNSET
    most: Whole | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.equals is UNSET and self.least is UNSET and self.most is UNSET:
            raise ValueError("Expected `equals`, `least` or `most`")
        if self.least is not UNSET and self.most is not UNSET and self.least > self.most:
            raise ValueError("Expected `least` to be at most `most`")

    def holds(self, value: Any) -> bool:
        if self.equals is not UNSET and (type(value) is not type(self.equals) or value != self.equals):
            return False
        if self.least is not UNSET and not (type(value) is int and value >= self.least):
            return False
        return self.most is UNSET or (type(value) is int and value <= self.most)


class Answer(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An answer left in advance. It is sealed for its seat.

    Attributes:
        decision: the kind of decision that it answers.
        command: the command that is given.
        when: conditions on what the decision is about, by the names of the values in its `about`.
        until: when the answer ends: `revoked` only by being revoked, `once` after it was given, `round` with the round
            in which it was left.
        round: the round in which it was left, when `until` is `round`.
    """

    decision: str
    command: dict[str, Any]
    when: dict[Name, Condition] = field(default_factory=dict[str, Condition])
    until: Until = "revoked"
    round: int | None = None

    def has_ended(self, now: int, uses: int) -> bool:
        """Tell whether the answer has ended in round `now`, after it was given `uses` times."""
        return (self.until == "once" and uses > 0) or (self.round is not None and self.round != now)

    def fits(self, decision: Decision) -> bool:
        """Tell whether the answer is for this decision: its kind is right and all conditions hold."""
        if decision.kind != self.decision:
            return False
        about: Mapping[str, Any] = msgspec.to_builtins(decision.about)
        return all(name in about and condition.holds(about[name]) for name, condition in self.when.items())


class Left(Struct, frozen=True):
    """A sealed answer that a seat has left, and how often it was given."""

    seat: Seat
    answer: Sealed
    given: int = 0


Answers = dict[Version, Left]
"""The answers left in a game, by the version at which each was left."""


def read_answer(value: Any) -> Answer:
    """Return the answer in a secret's value. Raises `msgspec.ValidationError`."""
    return msgspec.convert(value, Answer)
