"""A military turn on land: legions move and attack (chapters MIL, LEG)."""

from collections.abc import Iterable

from domain.kernel import schema
from domain.kernel.decision import Decision, Option
from domain.kernel.draft import Draft
from domain.kernel.secret import Vault
from domain.kernel.words import RuleId, Seat
from domain.mare_nostrum import order
from domain.mare_nostrum.table import Command, Table


class FinishCampaign(Command, frozen=True):
    """Move and fight no more in this turn (MN-MIL-02)."""

    rule = "MN-MIL-02"
    answers = frozenset({"campaign"})

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        order.finish(draft)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        done = schema.command("finish-campaign")
        yield Option("finish-campaign", RuleId(cls.rule), done, "Move and fight no more", "campaign")


def decisions(table: Table) -> list[Decision]:
    """Ask the active player for his moves and battles."""
    if table.phase != "military" or table.active is None:
        return []
    return [
        Decision(
            "campaign",
            (table.active,),
            RuleId("MN-MIL-02"),
            "What do your triremes and legions do?",
            "The next player is named when you have finished.",
        )
    ]


COMMANDS = (FinishCampaign,)
