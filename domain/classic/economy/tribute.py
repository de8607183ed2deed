"""Phase 3, tribute (chapters TRI and ECO; the lost home: CC-CON-09, CC-CON-10)."""

from domain.classic.box.table import Event, Table
from domain.classic.turn import turn
from domain.kernel.ids import Seat
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Count, Names


class TributeCollected(Event, frozen=True):
    """The active player received their tribute value (CC-TRI-01).

    Attributes:
        talents: what they received.
    """

    rules = ("CC-TRI-01",)

    seat: Seat
    talents: Count

    def apply(self, table: Table) -> None:
        table.change_player(self.seat, talents=table.players[self.seat].talents + self.talents)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} collected {self.talents} talents."


class TributeForgone(Event, frozen=True):
    """The active player received nothing, because they do not control their Home Province (CC-TRI-04)."""

    rules = ("CC-TRI-04",)

    seat: Seat

    def apply(self, table: Table) -> None:
        pass

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} collected no tribute because they do not control their Home Province."


def collect(draft: Draft[Table]) -> None:
    """Collect tribute for the active player, and for nobody else (CC-TRI-02), and begin the next phase."""
    table = draft.table
    seat = table.acting
    if table.edition.tribute_needs_home and not table.controls_home(seat):
        draft.emit(TributeForgone(seat))
    else:
        draft.emit(TributeCollected(seat, table.tribute(seat)))
    turn.enter(draft, "destruction")


EVENTS = (TributeCollected, TributeForgone)
