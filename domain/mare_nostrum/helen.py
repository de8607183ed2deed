"""Helen of Troy: an entering legion changes its colour (MN-HER-07 to MN-HER-09)."""

from domain.kernel.decision import Decision
from domain.kernel.draft import Draft
from domain.mare_nostrum.table import Table


def decisions(table: Table) -> list[Decision]:
    """Ask nobody."""
    return []


def settle(draft: Draft[Table]) -> bool:
    """Nothing follows."""
    return False
