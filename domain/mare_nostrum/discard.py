"""The end of the Construction Phase: unused cards are discarded, a few may be kept (MN-CMB-05 to MN-CMB-08)."""

from domain.kernel.decision import Decision
from domain.kernel.draft import Draft
from domain.mare_nostrum import turn
from domain.mare_nostrum.table import Table


def decisions(table: Table) -> list[Decision]:
    """Ask nobody."""
    return []


def settle(draft: Draft[Table]) -> bool:
    """Go on to the Military Phase when everybody has chosen what to keep."""
    if draft.table.phase != "discard":
        return False
    turn.enter(draft, "military")
    return True
