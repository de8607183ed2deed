"""Helen of Troy: an enemy legion that enters changes sides (MN-HER-07 to MN-HER-09)."""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Names
from domain.mare_nostrum.box.pieces import NO_FORCE
from domain.mare_nostrum.box.table import Command, Event, Table
from domain.mare_nostrum.turn import war


class LegionSeduced(Event, frozen=True):
    """A legion that entered went back to its owner's stock, and Helen's owner put one in its place (MN-HER-07).

    Attributes:
        seat: Helen's owner.
        invader: whose legion it was.
    """

    rules = ("MN-HER-07",)
    places = (("province", "lost"),)

    seat: Seat
    province: AreaId
    invader: Seat

    def apply(self, table: Table) -> None:
        table.entry, table.seduced = None, True
        forces = table.provinces[self.province].forces
        invader, own = forces[self.invader], forces.get(self.seat, NO_FORCE)
        table.set_force(self.province, self.invader, replace(invader, moved=invader.moved - 1))
        table.set_force(self.province, self.seat, replace(own, fresh=own.fresh + 1))

    def tell(self, names: Names) -> str:
        return f"Helen converted a legion of {names(self.invader)} to {names(self.seat)} in {names(self.province)}."


class LegionsLetIn(Event, frozen=True):
    """Helen's owner let legions enter (MN-HER-08).

    Attributes:
        seat: Helen's owner.
    """

    rules = ("MN-HER-08",)
    places = (("province", "at"),)

    seat: Seat
    province: AreaId

    def apply(self, table: Table) -> None:
        table.entry = None

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} let the legions enter {names(self.province)}."


class Seduce(Command, frozen=True):
    """Convert one of the legions that have just entered; it defends at once (MN-HER-07)."""

    rules = ("MN-HER-07",)
    answers = frozenset({"seduce"})

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        assert table.entry is not None, "legions have entered"
        if table.active is None:
            raise AssertionError("there is an active player")
        province = table.entry.province
        draft.emit(LegionSeduced(seat, province, table.active))
        war.end_occupations(draft, province)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option("Convert one of them")


class Refrain(Command, frozen=True):
    """Let the legions enter as they are; Helen may act on a later entry (MN-HER-08)."""

    rules = ("MN-HER-08",)
    answers = frozenset({"seduce"})
    gesture = Gesture(quiet=True, called="Let them enter")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        assert draft.table.entry is not None, "legions have entered"
        draft.emit(LegionsLetIn(seat, draft.table.entry.province))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option()


def seduce(table: Table) -> list[Decision]:
    """Ask Helen's owner when legions have entered one of their provinces, before any battle (MN-HER-08)."""
    assert table.entry is not None, "legions have entered"
    return [
        Decision(
            "seduce",
            (table.entry.seat,),
            RuleId("MN-HER-07"),
            f"Do you let Helen convert one of the legions that enter {table.names(table.entry.province)}?",
            "The invader's turn continues after the answer.",
            {"province": table.entry.province},
        )
    ]


EVENTS = (LegionSeduced, LegionsLetIn)
COMMANDS = (Seduce, Refrain)
