"""Income: taxes from cities, goods from caravans (chapter INC)."""

from domain.kernel.decision import Decision
from domain.kernel.draft import Draft
from domain.mare_nostrum import turn
from domain.mare_nostrum.table import Table


def decisions(table: Table) -> list[Decision]:
    """Ask nobody."""
    return []


def settle(draft: Draft[Table]) -> bool:
    """Pay everybody, then go on to the trade."""
    if draft.table.phase != "income":
        return False
    turn.enter(draft, "trade")
    return True
