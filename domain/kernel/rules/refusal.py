"""A command turned down, and why."""

from domain.kernel.ids import RuleId


class Refusal(Exception):
    """A command that the rules forbid here.

    Args:
        rule: the rule that it breaks, such as ``CC-MOV-09``.
        asked: what was asked, in a sentence.
        allowed: what would have been allowed, in a sentence.
        untimely: True when the command is not this seat's to give now, whatever its content.

    `number` tells which of several commands it is, from 1 on; 0 when it is none of them.
    """

    def __init__(self, rule: str, asked: str, allowed: str, *, untimely: bool = False) -> None:
        super().__init__(f"{rule}: {asked} {allowed}")
        self.rule = RuleId(rule)
        self.asked = asked
        self.allowed = allowed
        self.untimely = untimely
        self.number = 0


def refuse_unless(condition: object, rule: str, asked: str, allowed: str) -> None:
    """Raise `Refusal` unless `condition` holds. For checks whose sentences cost nothing to build."""
    if not condition:
        raise Refusal(rule, asked, allowed)
