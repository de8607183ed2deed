"""Decisions for which a game waits, and options: the commands that would be accepted now."""

from typing import Any

from msgspec import Struct, field

from domain.kernel.ids import RuleId, Seat


class Decision(Struct, frozen=True, omit_defaults=True):
    """An open decision: somebody must choose before the game goes on.

    Attributes:
        kind: what has to be decided, a name of the ruleset such as ``choose-casualties``.
        seats: the seats that still have to answer.
        rule: the rule that asks for it.
        title: the question, put to those seats: "Which units do you lose?". Areas and seats have display names.
        depends: what happens after the answer, in a sentence that everybody may read.
        about: what it concerns, as JSON: an area, a number of hits, a group and the like.
    """

    kind: str
    seats: tuple[Seat, ...]
    rule: RuleId
    title: str
    depends: str = ""
    about: dict[str, Any] = field(default_factory=dict[str, Any])


class Option(Struct, frozen=True, omit_defaults=True):
    """A command, or a family of commands, that would be accepted now.

    Attributes:
        command: the command's type name.
        rule: the rule that allows it.
        schema: a JSON Schema (2020-12) of exactly the commands that would be accepted, with the keywords `x-total`,
            `x-cost`, `x-sum` and `x-gesture` of our own.
        title: what it does, in a few words and with display names: "March from Asia Minor".
        decision: the kind of the open decision that it answers; absent when it may be given at any time.
    """

    command: str
    rule: RuleId
    schema: dict[str, Any]
    title: str = ""
    decision: str | None = None
