"""How a game that is over ended, by the rulings on it."""

from collections.abc import Iterable

from msgspec import UNSET, Struct

from domain.judging.events import Ruled
from domain.kernel.ids import CaseId, GameId, Seat
from domain.kernel.rules.ruleset import Order

RESULT_RULE = "TAB-RUL-09"
"""The rule behind a result that a ruling gave to a game that was over."""


class Judgment(Struct, frozen=True):
    """What a ruling says about the end of a game that was over.

    Attributes:
        case: the case that was ruled on.
        number: its number among the cases of the game.
        at: when the ruling was made.
        order: the seats as they finished by a ruling on the result; empty when the game continues.
        continued_in: the game in which a ruling lets it continue; None for a ruling on the result.
    """

    case: CaseId
    number: int
    at: str
    order: Order = ()
    continued_in: GameId | None = None

    @property
    def winners(self) -> tuple[Seat, ...]:
        """The seats that won by a ruling on the result; empty when the game continues."""
        return self.order[0] if self.order else ()


def judgment_of(ruling: Ruled, case: CaseId, number: int, at: str) -> Judgment | None:
    """Return what a ruling on a game that was over says about its end; None when it changes nothing there."""
    if ruling.decision == "result" and ruling.order is not UNSET:
        return Judgment(case, number, at, order=ruling.order)
    if ruling.decision == "continue" and isinstance(ruling.to, str):
        return Judgment(case, number, at, continued_in=GameId(ruling.to))
    return None


def holding(judgments: Iterable[Judgment]) -> Judgment | None:
    """Return the judgment that holds, which is the newest; None without any. `judgments` has the last of each case."""
    return max(judgments, key=lambda each: (each.at, each.number), default=None)
