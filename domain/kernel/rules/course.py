"""The course of a game: at each step somebody is asked to choose, or something follows without a choice.

A ruleset defines its course in one place, from the turn to the rounds of a battle. The table alone determines at which
step the game is, and the kernel calls only that step.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from domain.kernel.rules.decision import Decision
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.table import Table

T = TypeVar("T", bound=Table)

Consequence = Callable[[Draft[T]], None]
"""What follows without a choice; it emits at least one event."""

Step = Callable[[T], Sequence[Decision] | Consequence[T]]
"""Returns the decisions that a position leaves to players, or what follows when it leaves none."""


def always(consequence: Consequence[T]) -> Step[T]:
    """Return a step at which nobody has a choice: `consequence` always follows."""
    return lambda table: consequence
