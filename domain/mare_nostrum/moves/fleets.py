"""Triremes: launching and sailing (chapter SEA)."""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Count, Names
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum.box import phrases
from domain.mare_nostrum.box.chains import seas_of
from domain.mare_nostrum.box.pieces import NO_FLEET
from domain.mare_nostrum.box.table import Command, Event, Table


class TriremesLaunched(Event, frozen=True):
    """Triremes left port for a sea space, which was their movement (MN-SEA-01)."""

    rules = ("MN-SEA-01",)
    places = (("province", "from"), ("sea", "to"))

    seat: Seat
    province: AreaId
    sea: AreaId
    triremes: int

    def apply(self, table: Table) -> None:
        table.set_port(self.province, self.seat, table.provinces[self.province].ports[self.seat] - self.triremes)
        _arrive(table, self.sea, self.seat, self.triremes)

    def tell(self, names: Names) -> str:
        triremes, sea = phrases.amount_of("trireme", self.triremes), phrases.sea(names, self.sea)
        return f"{names(self.seat)} launched {triremes} from {names(self.province)} into {sea}."


class TriremesSailed(Event, frozen=True):
    """Triremes sailed to the next sea space (MN-SEA-02)."""

    rules = ("MN-SEA-02",)
    places = (("origin", "from"), ("to", "to"))

    seat: Seat
    origin: AreaId
    to: AreaId
    triremes: int

    def apply(self, table: Table) -> None:
        fleet = table.fleets[self.origin][self.seat]
        table.set_fleet(self.origin, self.seat, replace(fleet, fresh=fleet.fresh - self.triremes))
        _arrive(table, self.to, self.seat, self.triremes)

    def tell(self, names: Names) -> str:
        triremes = phrases.amount_of("trireme", self.triremes)
        origin, to = phrases.sea(names, self.origin), phrases.sea(names, self.to)
        return f"{names(self.seat)} sailed {triremes} from {origin} to {to}."


def _arrive(table: Table, sea: AreaId, seat: Seat, triremes: int) -> None:
    fleet = table.fleets.get(sea, {}).get(seat, NO_FLEET)
    table.set_fleet(sea, seat, replace(fleet, moved=fleet.moved + triremes))


def check_afloat(table: Table, wrong: str) -> None:
    """Raise `Refusal` when a legion has moved or fought, after which triremes can do nothing (MN-MIL-03)."""
    if table.ashore:
        allowed = "All triremes must move and fight before your first legion, which has already moved or fought."
        raise Refusal("MN-MIL-03", wrong, allowed)


class Launch(Command, frozen=True):
    """Launch triremes from port into a sea space that the province touches (MN-SEA-01); it is optional (MN-MIL-02)."""

    rules = ("MN-SEA-01", "MN-MIL-02")
    answers = frozenset({"campaign"})
    gesture = Gesture(start="province", to="sea", counts=("triremes",))

    province: AreaId
    sea: AreaId
    triremes: Count

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        wrong = f"You cannot launch {self.triremes} triremes from {self.province} into {self.sea}."
        check_afloat(table, wrong)
        province = table.provinces.get(self.province)
        waiting = province.ports.get(seat, 0) if province is not None else 0
        if not 1 <= self.triremes <= waiting:
            raise Refusal(self.rule, wrong, f"Your triremes in port there: {waiting}.")
        if self.sea not in (seas := seas_of(table, self.province)):
            raise Refusal(self.rule, wrong, f"{self.province} touches {', '.join(seas)}.")
        draft.emit(TriremesLaunched(seat, self.province, self.sea, self.triremes))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if table.ashore:
            return
        for area, province in table.provinces.items():
            if waiting := province.ports.get(seat, 0):
                fields = {
                    "province": schema.const(area),
                    "sea": schema.one_of(seas_of(table, area)),
                    "triremes": schema.count(1, waiting),
                }
                yield cls.option(f"Launch triremes from {table.names(area)}", fields)


class Sail(Command, frozen=True):
    """Move triremes to an adjacent sea space; they need not fight other triremes there (MN-SEA-02, MN-SEA-03)."""

    rules = ("MN-SEA-02", "MN-SEA-03")
    answers = frozenset({"campaign"})
    gesture = Gesture(start="origin", to="to", counts=("triremes",))

    origin: AreaId
    to: AreaId
    triremes: Count

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        wrong = f"You cannot sail {self.triremes} triremes from {self.origin} to {self.to}."
        check_afloat(table, wrong)
        fleet = table.fleets.get(self.origin, {}).get(seat, NO_FLEET)
        if not 1 <= self.triremes <= fleet.triremes:
            raise Refusal(self.rule, wrong, f"Your triremes in {self.origin}: {fleet.triremes}.")
        if self.to not in (next_to := table.map.sea_neighbours(self.origin)):
            raise Refusal(self.rule, wrong, f"{self.origin} is adjacent to {', '.join(next_to)}.")
        if self.triremes > fleet.fresh:
            allowed = f"Your triremes there that have neither moved nor fought this turn: {fleet.fresh}."
            raise Refusal("MN-MIL-04", wrong, allowed)
        draft.emit(TriremesSailed(seat, self.origin, self.to, self.triremes))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if table.ashore:
            return
        for sea, fleets in table.fleets.items():
            if fresh := fleets.get(seat, NO_FLEET).fresh:
                fields = {
                    "origin": schema.const(sea),
                    "to": schema.one_of(table.map.sea_neighbours(sea)),
                    "triremes": schema.count(1, fresh),
                }
                yield cls.option(f"Sail from {phrases.sea(table.names, sea)}", fields)


EVENTS = (TriremesLaunched, TriremesSailed)
COMMANDS = (Launch, Sail)
