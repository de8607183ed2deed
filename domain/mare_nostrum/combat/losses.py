"""Losses of a battle on land: the owner says which of their units are removed (MN-BAT-07, MN-SET-20)."""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Count, Names
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum.box import phrases
from domain.mare_nostrum.box.state import Battle
from domain.mare_nostrum.box.table import Command, Event, Table, battle_of
from domain.mare_nostrum.combat.battle import fighting


class LossesRemoved(Event, frozen=True):
    """Units destroyed in battle went back to their owner's stock (MN-PCS-06).

    Attributes:
        seat: their owner.
    """

    rules = ("MN-PCS-06",)
    places = (("province", "lost"),)

    province: AreaId
    seat: Seat
    legions: int = 0
    fortresses: int = 0
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        battle = battle_of(table)
        force = table.provinces[self.province].forces[self.seat]
        table.set_force(self.province, self.seat, force.less(self.legions, self.fortresses))
        losses = {seat: hits for seat, hits in battle.losses.items() if seat != self.seat}
        if self.seat == battle.attacker:
            survivors = battle.legions - self.legions, battle.fortresses - self.fortresses
            battle = replace(battle, legions=survivors[0], fortresses=survivors[1])
        table.battle = replace(battle, losses=losses)

    def tell(self, names: Names) -> str:
        losses = phrases.units(self.legions, self.fortresses)
        return f"{phrases.owner(self.seat)} lost {losses} in {names(self.province)}."


class RemoveLosses(Command, frozen=True):
    """Remove as many of your units in the battle as the enemy's sum destroys (MN-BAT-07)."""

    rules = ("MN-BAT-07",)
    answers = frozenset({"remove-losses"})
    gesture = Gesture(counts=("legions", "fortresses"), control="division")

    legions: Count = 0
    fortresses: Count = 0

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        battle = battle_of(draft.table)
        force, hits = fighting(draft.table, battle, seat), battle.losses[seat]
        is_right_number = self.legions + self.fortresses == hits
        if not is_right_number or self.legions > force.legions or self.fortresses > force.fortresses:
            wrong = f"You asked to remove {self.legions} legions and {self.fortresses} fortresses."
            allowed = f"Remove {hits} of {force.legions} legions and {force.fortresses} fortresses."
            raise Refusal(self.rule if is_right_number else "MN-BAT-05", wrong, allowed)
        draft.emit(LossesRemoved(battle.province, seat, self.legions, self.fortresses))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        battle = battle_of(table)
        force, hits = fighting(table, battle, seat), battle.losses[seat]
        numbers = {"legions": schema.count(0, force.legions), "fortresses": schema.count(0, force.fortresses)}
        yield cls.option(
            "Remove a unit" if hits == 1 else f"Remove {hits} units", numbers, x_total=schema.exactly(hits, numbers)
        )


def _has_choice(table: Table, battle: Battle, seat: Seat) -> bool:
    """Tell whether a player has both legions and fortresses in the battle and loses only some of them."""
    force = fighting(table, battle, seat)
    mixed = force.legions > 0 and force.fortresses > 0
    return seat in table.seats and mixed and battle.losses[seat] < force.units


def lose(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask each side that has a choice for its losses, both at the same time (MN-BAT-06).

    Neutral legions go before their fortress (MN-SET-20).
    """
    battle = battle_of(table)
    choosing = [seat for seat in battle.losses if _has_choice(table, battle, seat)]
    if not choosing:
        seat, hits = next(iter(battle.losses.items()))
        legions = min(hits, fighting(table, battle, seat).legions)
        losses = LossesRemoved(battle.province, seat, legions, hits - legions, automatic=True)
        return lambda draft: draft.emit(losses)
    return [
        Decision(
            "remove-losses",
            tuple(choosing),
            RuleId("MN-BAT-07"),
            f"Which of your units in {table.names(battle.province)} do you lose?",
            "The battle ends when both sides have removed their losses.",
            {"province": battle.province, "losses": battle.losses},
        )
    ]


EVENTS = (LossesRemoved,)
COMMANDS = (RemoveLosses,)
