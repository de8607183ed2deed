"""A military turn: what a player does in it, and what must be fought before it ends (chapter MIL).

First the triremes move and fight (`fleets`, `naval`), then the legions (MN-MIL-03). Legions march into a province one
group after the other, each over its own border or chain, and attack there together or in groups (MN-MIL-06, -07):
`Attack` where there are land units of others, `Exploit` where there are none. So a legion is fresh, then moved, then it
has fought.
"""

from collections.abc import Iterable

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum.box.table import Command, Table
from domain.mare_nostrum.combat import aftermath
from domain.mare_nostrum.turn import order, war


class FinishCampaign(Command, frozen=True):
    """Stop moving and fighting in this turn (MN-MIL-02), when all units have fought that must."""

    rules = ("MN-MIL-02",)
    answers = frozenset({"campaign"})
    gesture = Gesture(quiet=True, called="Done moving and fighting")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        for area, rule in unfinished(draft.table, seat).items():
            wrong = f"Your units in {area} must still act."
            raise Refusal(rule, wrong, "Fight there first, or pillage, occupy or convert.")
        order.finish(draft)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if not unfinished(table, seat):
            yield cls.option()


def unfinished(table: Table, seat: Seat) -> dict[AreaId, RuleId]:
    """Return where a player's units must still fight or choose, each with the rule that requires it."""
    duties = ((area, _duty(table, seat, area)) for area, province in table.provinces.items() if seat in province.forces)
    return {area: rule for area, rule in duties if rule is not None}


def _duty(table: Table, seat: Seat, area: AreaId) -> RuleId | None:
    """Return the rule by which units in a province must still act: they entered it, or are at war (`war.debt`)."""
    if not table.provinces[area].forces[seat].moved:
        return war.debt(table, seat, area)
    if enemies := table.enemies_in(area, seat):
        return RuleId("MN-LEG-05") if len(enemies) == 1 else RuleId("MN-BAT-10")
    return RuleId("MN-AFT-01") if aftermath.can_exploit(table, area, seat) else None


def campaign(table: Table) -> list[Decision]:
    """Ask the active player for moves and battles."""
    seat = table.active
    assert seat is not None, "it is somebody's turn"
    return [
        Decision(
            "campaign",
            (seat,),
            RuleId("MN-MIL-02"),
            "What do your triremes and legions do?",
            "The next player is chosen when this turn is finished.",
            {"unfinished": list(unfinished(table, seat))},
        )
    ]


COMMANDS = (FinishCampaign,)
