"""Trade: the Director's number, offers face down, the chain of takes (chapter TRD)."""

from domain.kernel.decision import Decision
from domain.kernel.draft import Draft
from domain.mare_nostrum import turn
from domain.mare_nostrum.table import Table


def decisions(table: Table) -> list[Decision]:
    """Ask nobody."""
    return []


def settle(draft: Draft[Table]) -> bool:
    """Go on to construction when the trade is over."""
    if draft.table.phase != "trade":
        return False
    turn.enter(draft, "construction")
    return True
