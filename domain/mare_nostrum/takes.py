"""The chain of takes: who takes which card from whom, the early end and the compensation (MN-TRD-10 to MN-TRD-21)."""

from domain.kernel.decision import Decision
from domain.kernel.draft import Draft
from domain.mare_nostrum.table import Table


def decisions(table: Table) -> list[Decision]:
    """Ask nobody."""
    return []


def settle(draft: Draft[Table]) -> bool:
    """Nothing follows."""
    return False
