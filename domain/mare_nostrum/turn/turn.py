"""The turn and its phases (MN-ROL-01): what begins when, and which units can act again."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names
from domain.mare_nostrum.box.pieces import Fleet, Force, Province
from domain.mare_nostrum.box.state import Phase
from domain.mare_nostrum.box.table import Event, Table

PHASES: Final[Mapping[Phase, str]] = {
    "setup": "The set-up",
    "roles": "The count for the roles",
    "income": "The income",
    "trade": "The trade",
    "construction": "The Construction Phase",
    "discard": "The discard",
    "military": "The Military Phase",
    "over": "The end",
}
"""The names of the parts of a turn in the history."""


class TurnBegan(Event, frozen=True):
    """A new turn began; every legion and trireme may move and attack again (MN-MIL-04).

    In provinces that were at war when the last turn ended, every player with land units owes a round of battle
    (MN-WAR-03), and nobody occupies or converts anything (MN-AFT-08).
    """

    rules = ("MN-MIL-04", "MN-WAR-03", "MN-AFT-08")

    turn: int

    def apply(self, table: Table) -> None:
        table.turn, table.phase, table.active = self.turn, "roles", None
        table.paid = table.redirected = table.free_marker = table.exchanged = table.seduced = table.ashore = False
        table.trade = None
        table.done.clear()
        table.owed.clear()
        table.exploited.clear()
        table.replaced.clear()
        # These comprehensions cost a third of what an any() for each province does.
        acted_in = [
            area
            for area, province in table.provinces.items()
            for force in province.forces.values()
            if force.moved or force.fought or force.spent or force.settled
        ]
        for area in acted_in:
            table.provinces[area] = _rested(table.provinces[area])
        for area in [area for area, province in table.provinces.items() if province.at_war]:
            table.vacate(area)
            table.owed[area] = tuple(sorted(seat for seat in table.provinces[area].forces if seat in table.seats))
        for sea, fleets in table.fleets.items():
            table.fleets[sea] = {seat: Fleet(fresh=fleet.triremes) for seat, fleet in fleets.items()}

    def tell(self, names: Names) -> str:
        return f"Turn {self.turn} began."


class PhaseBegan(Event, frozen=True):
    """The next part of the turn began (MN-ROL-01)."""

    rules = ("MN-ROL-01",)

    phase: Phase

    def apply(self, table: Table) -> None:
        table.phase, table.active = self.phase, None
        table.done.clear()

    def tell(self, names: Names) -> str:
        return f"{PHASES[self.phase]} began."


def _rested(province: Province) -> Province:
    forces = {seat: _fresh(force) for seat, force in province.forces.items()}
    return replace(province, forces=forces)


def _fresh(force: Force) -> Force:
    return replace(force, fresh=force.legions, moved=0, fought=0, spent=0, settled=0)


def begin(draft: Draft[Table]) -> None:
    """Begin the first turn, with the roles of the set-up (MN-ROL-13)."""
    draft.emit(TurnBegan(1))


def enter(draft: Draft[Table], phase: Phase) -> None:
    """Begin a part of the turn."""
    draft.emit(PhaseBegan(phase))


EVENTS = (TurnBegan, PhaseBegan)
