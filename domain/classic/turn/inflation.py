"""Inflation: prices rise to two and three times the base price after a tribute value reaches a mark (chapter INF)."""

from collections import Counter
from typing import Final

from msgspec.structs import replace

from domain.classic.box.state import Inflation
from domain.classic.box.table import Event, Table
from domain.kernel.ids import Seat
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names

LEVELS: Final = ((105, 2), (205, 3))
"""The tribute value that triggers each level, and its factor on the base prices (CC-INF-01, CC-INF-04)."""


class InflationTriggered(Event, frozen=True):
    """A tribute marker reached the mark of a level for the first time (CC-INF-01, CC-INF-04).

    Attributes:
        factor: what prices are multiplied by from then on.
        seat: whose marker it was; prices rise when their turn in `round` begins.
        round: the round in which prices rise.
    """

    rules = ("CC-INF-01", "CC-INF-04")

    factor: int
    seat: Seat
    round: int

    def apply(self, table: Table) -> None:
        table.inflations.append(Inflation(self.factor, self.seat, self.round))

    def tell(self, names: Names) -> str:
        when = f"from {names(self.seat)}'s turn in round {self.round}"
        return f"{names(self.seat)} triggered inflation: {when}, everything costs {self.factor} times the base price."


class PricesRose(Event, frozen=True):
    """A level that was triggered came into effect, for everybody and for the rest of the game (CC-INF-02, CC-INF-06).

    Attributes:
        factor: what base prices are multiplied by from now on.
    """

    rules = ("CC-INF-02", "CC-INF-06")

    factor: int

    def apply(self, table: Table) -> None:
        table.inflations[:] = [
            replace(level, effective=True) if level.factor == self.factor else level for level in table.inflations
        ]

    def tell(self, names: Names) -> str:
        return f"Prices rose: everything now costs {self.factor} times the base price."


def factor(table: Table) -> int:
    """Return what base prices are multiplied by now: the highest level in effect (CC-INF-10)."""
    return max((level.factor for level in table.inflations if level.effective), default=1)


def watch(draft: Draft[Table]) -> None:
    """Trigger the levels that somebody's tribute has reached. Call it whenever a tribute value may have risen."""
    table = draft.table
    triggered = {level.factor for level in table.inflations}
    waiting = [level for level in LEVELS if level[1] not in triggered]
    if not waiting:
        return
    tribute = _tribute_values(table)
    for mark, factor in waiting:
        # At most one player has reached the mark: one player's tribute rises at a time, and each time this is called.
        seat = next((seat for seat in table.order if tribute[seat] >= mark), None)
        if seat is not None:
            draft.emit(InflationTriggered(factor, seat, _round_of_rise(table, seat)))


def turn_starts(draft: Draft[Table], seat: Seat, game_round: int) -> None:
    """Bring levels into effect whose time has come, even if the turn of `seat` is skipped (CC-INF-11)."""
    for level in tuple(draft.table.inflations):
        if not level.effective and level.seat == seat and level.round <= game_round:
            draft.emit(PricesRose(level.factor))


def _round_of_rise(table: Table, seat: Seat) -> int:
    """Return the round in which prices rise: `seat` first has one turn at the old prices (CC-INF-02, CC-INF-09)."""
    assert table.active is not None, "tribute rises in somebody's turn"
    turn_is_over = table.order.index(seat) < table.order.index(table.active)
    return table.round + (2 if turn_is_over else 1)


def _tribute_values(table: Table) -> Counter[Seat]:
    # As table.tribute, but for all seats at once: this runs after every conquest.
    values: Counter[Seat] = Counter()
    for area, province in table.provinces.items():
        if province.owner is not None:
            values[province.owner] += table.map.area(area).value("tribute") + (5 if province.city else 0)
    return values


EVENTS = (InflationTriggered, PricesRose)
