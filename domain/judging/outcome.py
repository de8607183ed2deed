"""How a game that is over stands after the rulings on it."""

from collections.abc import Iterable

from msgspec import UNSET, Struct

from domain.judging.events import Ruled
from domain.kernel.ids import CaseId, GameId, Seat
from domain.kernel.rules.ruleset import Order

RESULT_RULE = "TAB-RUL-09"
"""The rule behind a result that a ruling gave to a game that was over."""


class Judgment(Struct, frozen=True):
    """What a ruling says of how a game that was over ended.

    Attributes:
        case: the case that was ruled on.
        number: its number among the cases of the game.
        at: when the ruling was made.
        order: the seats as they finished by a ruling on the result.
        continued_in: the game in which a ruling lets it continue; None for a ruling on the result.
    """

    case: CaseId
    number: int
    at: str
    order: Order = ()
    continued_in: GameId | None = None

    @property
    def winners(self) -> tuple[Seat, ...]:
        """Who has won by a ruling on the result."""
        return self.order[0] if self.order else ()


def judgment_of(ruling: Ruled, case: CaseId, number: int, at: str) -> Judgment | None:
    """Return what a ruling on a game that was over says of its end; None when it leaves that alone."""
    if ruling.decision == "result" and ruling.order is not UNSET:
        return Judgment(case, number, at, order=ruling.order)
    if ruling.decision == "continue" and isinstance(ruling.to, str):
        return Judgment(case, number, at, continued_in=GameId(ruling.to))
    return None


def holding(judgments: Iterable[Judgment]) -> Judgment | None:
    """Return the judgment that holds among those of a game's cases, of each case the last: the newest of them."""
    return max(judgments, key=lambda each: (each.at, each.number), default=None)
