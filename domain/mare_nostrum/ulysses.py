"""Ulysses: a take is undone and made again from his owner's offer (MN-HER-11)."""

from domain.kernel.decision import Decision
from domain.mare_nostrum.table import Table


def decisions(table: Table) -> list[Decision]:
    """Ask nobody."""
    return []
