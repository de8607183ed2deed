"""Taxes at the end of a season (chapter ECO)."""

from domain.campaign.box.table import Event, Table
from domain.kernel.ids import Seat
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Count, Names, enumerated

PER_TOKEN = 5
"""Talents for each influence token on the map (CS-ECO-01); as much again where its owner has the city (CS-ECO-02)."""


class TaxesCollected(Event, frozen=True):
    """Everybody got taxes from the bank (CS-ECO-01, CS-ECO-02); nothing is paid for upkeep (CS-ECO-03).

    Attributes:
        talents: what each player got.
    """

    rules = ("CS-ECO-01", "CS-ECO-02", "CS-ECO-03", "CS-ECO-04")

    talents: dict[Seat, Count]

    def apply(self, table: Table) -> None:
        for seat, talents in self.talents.items():
            table.pay(seat, -talents)

    def tell(self, names: Names) -> str:
        each = [f"{names(seat)} {talents}" for seat, talents in sorted(self.talents.items())]
        return f"Taxes in talents: {enumerated(each)}."


def taxes_of(table: Table, seat: Seat) -> int:
    """Return the taxes of a player, in talents."""
    tokens = ((province.influence.get(seat, 0), province.city) for province in table.provinces.values())
    return sum(number * PER_TOKEN * (2 if city == seat else 1) for number, city in tokens)


def collect(draft: Draft[Table]) -> None:
    """Pay taxes to everybody."""
    draft.emit(TaxesCollected({seat: taxes_of(draft.table, seat) for seat in draft.table.seats}))


EVENTS = (TaxesCollected,)
