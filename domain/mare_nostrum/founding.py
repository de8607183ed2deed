"""The free set-up: everybody spends 36 points in turn (MN-SET-10 to MN-SET-17)."""

from domain.kernel.decision import Decision
from domain.kernel.draft import Draft
from domain.mare_nostrum.table import Table


def open(draft: Draft[Table]) -> None:  # noqa: A001  (the word of the ruleset protocol)
    """Draw who spends first."""
    raise NotImplementedError("the free set-up")


def decisions(table: Table) -> list[Decision]:
    """Ask nobody."""
    return []
