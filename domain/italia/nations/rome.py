"""Rome in Italia I: all others must leave it at the start of the Romans' turn (IT-I1-01, IT-I1-02)."""

from domain.italia.box.entries import Clearance
from domain.italia.box.pieces import NationId
from domain.italia.box.state import City, Leaving
from domain.italia.box.table import Event, Table, turn_of
from domain.italia.turn.sequence import begin_stage
from domain.kernel.ids import AreaId
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.message import Names


class AreaCleared(Event, frozen=True):
    """A nation began its turn: all others must leave an area, and a ruined city there was rebuilt (IT-I1-02).

    Attributes:
        leaving: the units that must leave.
        rebuilt: whether a ruin became a city, without cost.
    """

    rules = ("IT-I1-01", "IT-I1-02", "IT-RET-09")
    places = (("area", "lost"),)

    nation: NationId
    area: AreaId
    leaving: tuple[Leaving, ...]
    rebuilt: bool

    def apply(self, table: Table) -> None:
        begin_stage(table, "eviction")
        table.leaving.extend(self.leaving)
        if self.rebuilt:
            table.cities[self.area] = City(owner=table.seat_of(self.nation))

    def tell(self, names: Names) -> str:
        area, nation = names(self.area), names(self.nation)
        sentences = [f"All others must leave {area} before the turn of the {nation}."] if self.leaving else []
        sentences += [f"The city in {area} was rebuilt for the {nation}."] if self.rebuilt else []
        return " ".join(sentences)


def clear(table: Table) -> Consequence[Table] | None:
    """Clear the area that the active nation's card keeps for it, before its income; None if nothing happens."""
    nation = turn_of(table).nation
    special = table.cards.nations[nation].special(Clearance)
    if special is not None and special.rounds[0] <= table.round <= special.rounds[1]:
        area = special.area
        leaving = tuple(
            Leaving(other, area, table.army(area, other), "eviction")
            for other in table.nations_at(area)
            if other != nation
        )
        rebuilt = area in table.cities and not table.has_city(area)  # there is a ruin
        if leaving or rebuilt:
            return lambda draft: draft.emit(AreaCleared(nation, area, leaving, rebuilt))
    return None


EVENTS = (AreaCleared,)
