"""A refused command, and why."""

from collections.abc import Iterable

from domain.kernel.ids import RuleId


class Refusal(Exception):
    """A command that the rules forbid here.

    Args:
        rule: the rule that it breaks, such as ``CC-MOV-09``.
        wrong: what was wrong, in a sentence.
        allowed: what would be right, in a sentence.
        untimely: True when the seat may not give the command now, whatever its content.
        field: the part that was wrong of a choice with many parts, such as ``clock.time``; empty when none is named.

    `number` is that of the refused command in the request, from 1; 0 when the refusal names none.
    """

    def __init__(self, rule: str, wrong: str, allowed: str, *, untimely: bool = False, field: str = "") -> None:
        super().__init__(f"{rule}: {wrong} {allowed}")
        self.rule = RuleId(rule)
        self.wrong = wrong
        self.allowed = allowed
        self.untimely = untimely
        self.field = field
        self.number = 0


def refuse_unless(condition: object, rule: str, wrong: str, allowed: str) -> None:
    """Raise `Refusal` unless `condition` holds. For checks whose sentences are cheap to build."""
    if not condition:
        raise Refusal(rule, wrong, allowed)


def or_none(names: Iterable[str]) -> str:
    """Return names with commas between them, for a refusal that lists what is possible; "none" where there are none."""
    return ", ".join(names) or "none"
