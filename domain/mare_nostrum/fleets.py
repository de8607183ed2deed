"""Triremes: launching and sailing (chapter SEA)."""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Count, Names
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum import wording
from domain.mare_nostrum.chains import seas_of
from domain.mare_nostrum.pieces import NO_FLEET
from domain.mare_nostrum.table import Command, Event, Table


class TriremesLaunched(Event, frozen=True):
    """Triremes left port for a sea space; that was their movement (MN-SEA-01)."""

    rules = ("MN-SEA-01",)

    seat: Seat
    province: AreaId
    sea: AreaId
    triremes: int

    def apply(self, table: Table) -> None:
        table.set_port(self.province, self.seat, table.provinces[self.province].ports[self.seat] - self.triremes)
        _arrive(table, self.sea, self.seat, self.triremes)

    def tell(self, names: Names) -> str:
        triremes, sea = wording.counted(self.triremes, "trireme"), wording.sea(names, self.sea)
        return f"{names(self.seat)} launched {triremes} from {names(self.province)} into {sea}."


class TriremesSailed(Event, frozen=True):
    """Triremes sailed to the next sea space (MN-SEA-02)."""

    rules = ("MN-SEA-02",)

    seat: Seat
    origin: AreaId
    to: AreaId
    triremes: int

    def apply(self, table: Table) -> None:
        fleet = table.fleets[self.origin][self.seat]
        table.set_fleet(self.origin, self.seat, replace(fleet, fresh=fleet.fresh - self.triremes))
        _arrive(table, self.to, self.seat, self.triremes)

    def tell(self, names: Names) -> str:
        triremes = wording.counted(self.triremes, "trireme")
        origin, to = wording.sea(names, self.origin), wording.sea(names, self.to)
        return f"{names(self.seat)} sailed {triremes} from {origin} to {to}."


def _arrive(table: Table, sea: AreaId, seat: Seat, triremes: int) -> None:
    fleet = table.fleets.get(sea, {}).get(seat, NO_FLEET)
    table.set_fleet(sea, seat, replace(fleet, moved=fleet.moved + triremes))


def check_afloat(table: Table, asked: str) -> None:
    """Raise `Refusal` when triremes can do no more, as a legion has moved or fought (MN-MIL-03)."""
    if table.ashore:
        raise Refusal("MN-MIL-03", asked, "Triremes move and fight before the first legion does.")


class Launch(Command, frozen=True):
    """Put triremes in port to a sea space that their province touches (MN-SEA-01); nobody has to (MN-MIL-02)."""

    rules = ("MN-SEA-01", "MN-MIL-02")
    answers = frozenset({"campaign"})

    province: AreaId
    sea: AreaId
    triremes: Count

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        asked = f"{self.triremes} triremes were to be launched from {self.province} into {self.sea}."
        check_afloat(table, asked)
        province = table.provinces.get(self.province)
        waiting = province.ports.get(seat, 0) if province is not None else 0
        if not 1 <= self.triremes <= waiting:
            raise Refusal(self.rule, asked, f"{waiting} own triremes are in port there.")
        if self.sea not in (seas := seas_of(table, self.province)):
            raise Refusal(self.rule, asked, f"{self.province} touches: {', '.join(seas)}.")
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
    """Move triremes to an adjacent sea space; they meet whom they like in peace (MN-SEA-02, MN-SEA-03)."""

    rules = ("MN-SEA-02", "MN-SEA-03")
    answers = frozenset({"campaign"})

    origin: AreaId
    to: AreaId
    triremes: Count

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        asked = f"{self.triremes} triremes were to sail from {self.origin} to {self.to}."
        check_afloat(table, asked)
        fleet = table.fleets.get(self.origin, {}).get(seat, NO_FLEET)
        if not 1 <= self.triremes <= fleet.triremes:
            raise Refusal(self.rule, asked, f"{fleet.triremes} own triremes are there.")
        if self.to not in (next_to := table.map.sea_neighbours(self.origin)):
            raise Refusal(self.rule, asked, f"{self.origin} is next to: {', '.join(next_to)}.")
        if self.triremes > fleet.fresh:
            raise Refusal("MN-MIL-04", asked, f"{fleet.fresh} of them have neither moved nor fought this turn.")
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
                yield cls.option(f"Sail from {wording.sea(table.names, sea)}", fields)


EVENTS = (TriremesLaunched, TriremesSailed)
COMMANDS = (Launch, Sail)
