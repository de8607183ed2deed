"""A construction turn: buildings and units for combinations of cards (chapters BLD, CMB, PRC)."""

from collections.abc import Iterable

from domain.kernel import schema
from domain.kernel.decision import Decision, Option
from domain.kernel.draft import Draft
from domain.kernel.secret import Vault
from domain.kernel.words import RuleId, Seat
from domain.mare_nostrum import order
from domain.mare_nostrum.table import Command, Table


class FinishConstruction(Command, frozen=True):
    """Build nothing more in this turn (MN-BLD-02)."""

    rule = "MN-BLD-02"
    answers = frozenset({"build"})

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        order.finish(draft)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        done = schema.command("finish-construction")
        yield Option("finish-construction", RuleId(cls.rule), done, "Build nothing more", "build")


def decisions(table: Table) -> list[Decision]:
    """Ask the active player what to build."""
    if table.phase != "construction" or table.active is None:
        return []
    return [
        Decision(
            "build",
            (table.active,),
            RuleId("MN-BLD-02"),
            "What do you build?",
            "The next player is named when you have finished.",
        )
    ]


COMMANDS = (FinishConstruction,)
