"""The special tax (chapter TAX)."""

from collections.abc import Iterable

from domain.campaign.box.data import COIN
from domain.campaign.box.table import Command, Event, Table, turn_of
from domain.campaign.turn.turn import ACT, require_action
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Count, Names
from domain.kernel.rules.refusal import Refusal

AMOUNTS = (5, 10, 15, 20, 25)
"""Talents that can be taken in one action; every 5 talents bring a chaos point (CS-TAX-01)."""


class SpecialTaxTaken(Event, frozen=True):
    """A player took talents from the bank, and chaos (CS-TAX-01).

    Attributes:
        talents: talents from the bank.
        chaos: chaos points that came with them.
    """

    rules = ("CS-TAX-01",)

    seat: Seat
    talents: Count
    chaos: Count

    def apply(self, table: Table) -> None:
        table.spend_action()
        table.pay(self.seat, -self.talents)
        table.add_chaos(self.seat, self.chaos)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} took {self.talents} talents of special tax and {self.chaos} chaos."


class TakeSpecialTax(Command, frozen=True):
    """Take 5 to 25 talents from the bank, with a chaos point for each 5 (CS-TAX-01), also twice in a turn (CS-TAX-02).

    Attributes:
        talents: 5, 10, 15, 20 or 25.
    """

    rules = ("CS-TAX-01", "CS-TAX-02")
    answers = ACT
    gesture = Gesture(counts=("talents",))

    talents: Count

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        wrong = f"You asked for {self.talents} talents of special tax."
        require_action(draft.table, wrong)
        if self.talents not in AMOUNTS:
            raise Refusal("CS-TAX-01", wrong, f"Take one of {', '.join(map(str, AMOUNTS))} talents.")
        draft.emit(SpecialTaxTaken(seat, self.talents, self.talents // COIN))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if turn_of(table).actions:
            yield cls.option("Take a special tax", {"talents": schema.one_of(AMOUNTS)})


EVENTS = (SpecialTaxTaken,)
COMMANDS = (TakeSpecialTax,)
