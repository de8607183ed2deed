"""The land battle, round by round (chapter BAT).

In each round the defender and then the attacker form a battle legion. The attacker rolls and the defender marks losses.
Then the defender rolls, with the marked units too, and the attacker marks losses. Then all losses leave the board
together. `retreat` asks whether there is another round; `conquest` and `capture` apply the result to the province,
galleys and leaders.
"""

from collections.abc import Iterator
from typing import Literal

from msgspec.structs import replace

from domain.classic.box.state import Battle, Side
from domain.classic.box.table import Command, Event, Table, battle_of
from domain.classic.combat import capture, conquest
from domain.classic.combat.losses import LossesRemoved, force
from domain.conquest import dice
from domain.conquest.choices import choices, forced, number_fields
from domain.conquest.dice import Face
from domain.conquest.pieces import NO_UNITS, Units
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Count, Draw, Names
from domain.kernel.rules.refusal import Refusal

LEGION_UNITS = 5
"""Units of a battle legion without leaders; each leader adds one (CC-BAT-07)."""

FORTIFICATION_DICE = 2
FORTIFICATION_DICE_AGAINST_CATAPULTS = 1
"""Extra dice of a fortified city (CC-BAT-21, CC-BAT-22)."""

Ending = Literal["eliminated", "both-eliminated", "retreat", "both-retreat"]

# --- events ---


class BattleBegan(Event, frozen=True):
    """The active player attacked another player's units in a province (CC-BAT-01, CC-BAT-02)."""

    rules = ("CC-BAT-01", "CC-BAT-02")
    places = (("province", "at"),)

    province: AreaId
    attacker: Seat
    defender: Seat

    def apply(self, table: Table) -> None:
        table.battle = Battle(self.province, Side(self.attacker), Side(self.defender))
        if table.combat is not None:
            others = tuple(province for province in table.combat.battles if province != self.province)
            table.combat = replace(table.combat, battles=others)

    def tell(self, names: Names) -> str:
        return f"{names(self.attacker)} attacks {names(self.defender)} in {names(self.province)}."


class RoundBegan(Event, frozen=True):
    """Both sides fought on: a new round with new battle legions (CC-BAT-25)."""

    rules = ("CC-BAT-25",)

    round: int

    def apply(self, table: Table) -> None:
        battle = battle_of(table)
        attacker, defender = Side(battle.attacker.seat), Side(battle.defender.seat)
        table.battle = Battle(battle.province, attacker, defender, self.round)

    def tell(self, names: Names) -> str:
        return f"Round {self.round} of the battle began."


class LegionFormed(Event, frozen=True):
    """A side formed its battle legion; its other units are in reserve (CC-BAT-10).

    Attributes:
        legion: the units of the battle legion.
    """

    rules = ("CC-BAT-10",)

    seat: Seat
    legion: Units
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        battle = battle_of(table)
        if self.seat == battle.defender.seat:
            defender = replace(battle.defender, legion=self.legion)
            table.battle = replace(battle, defender=defender, step="form-attacker")
        else:
            table.battle = replace(battle, attacker=replace(battle.attacker, legion=self.legion), step="roll-attacker")

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} formed a battle legion of {self.legion}."


class LegionRolled(Event, frozen=True):
    """A side rolled (CC-BAT-12) and matched its dice with its units (CC-BAT-13).

    Attributes:
        hits: how many dice hit, `surplus` included.
        surplus: hits beyond the units in the enemy's battle legion (CC-BAT-17).
        fortification: how many of the dice come from a fortified city (CC-BAT-21, CC-BAT-22).
    """

    rules = ("CC-BAT-12", "CC-BAT-13")

    seat: Seat
    draw: Draw
    faces: tuple[Face, ...]
    hits: int
    surplus: int = 0
    fortification: int = 0

    def apply(self, table: Table) -> None:
        battle, effective = battle_of(table), self.hits - self.surplus
        if self.seat == battle.attacker.seat:
            step = "mark-defender" if effective else "roll-defender"
            table.battle = replace(battle, defender=replace(battle.defender, hits=effective), step=step)
        else:
            step = "mark-attacker" if effective else "remove"
            table.battle = replace(battle, attacker=replace(battle.attacker, hits=effective), step=step)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} rolled {names.all(self.faces)}: {self.hits} hit{'s' * (self.hits != 1)}."


class BattleEnded(Event, frozen=True):
    """A land battle ended: the attacker won, or the province did not change hands (CC-BAT-31).

    Attributes:
        attacker_won: whether the attacker won. False also when nobody won: both retreated, or both were eliminated.
        ending: whether one side or both were eliminated, or one or both retreated.
    """

    rules = ("CC-BAT-31",)
    places = (("province", "at"),)

    province: AreaId
    attacker: Seat
    defender: Seat
    attacker_won: bool
    ending: Ending

    def apply(self, table: Table) -> None:
        table.battle = None

    def tell(self, names: Names) -> str:
        winner, loser = (self.attacker, self.defender) if self.attacker_won else (self.defender, self.attacker)
        how = "won the battle" if self.attacker_won else "held out"
        return f"{names(winner)} {how} against {names(loser)} in {names(self.province)}."


# --- what other chapters use ---


def begin(draft: Draft[Table], province: AreaId, attacker: Seat, defender: Seat) -> None:
    """Begin the battle in `province`; the active player attacks (CC-BAT-02)."""
    draft.emit(BattleBegan(province, attacker, defender))


def next_round(draft: Draft[Table]) -> None:
    """Begin another round. There is no limit to their number (CC-BAT-32)."""
    draft.emit(RoundBegan(battle_of(draft.table).round + 1))


def end(draft: Draft[Table], ending: Ending, *, attacker_won: bool, rule: str = "CC-CAP-01") -> None:
    """End the battle, settle province and galleys, and give the loser's leaders left there to the winner.

    `rule` is the rule by which the winner gets these leaders. The leaders of third players stay where they are
    (CC-BAT-33). If both sides retreat, nothing is settled; if both are eliminated, no leaders are captured.
    """
    battle = battle_of(draft.table)
    province, attacker, defender = battle.province, battle.attacker.seat, battle.defender.seat
    draft.emit(BattleEnded(province, attacker, defender, attacker_won, ending))
    # Nobody won and the owner keeps the province. The galleys are dealt with later, by CC-SEA-33 (CC-RET-19).
    if ending == "both-retreat":
        return
    conquest.after_battle(draft, province, attacker, attacker_won=attacker_won)
    if ending == "both-eliminated":  # CC-BAT-29, CC-BAT-30: nobody is left to capture anyone
        return
    winner, loser = (attacker, defender) if attacker_won else (defender, attacker)
    if leaders := draft.table.leaders_at(province, loser):
        capture.defeat(draft, leaders, winner, rule)


# --- battle legions and rolls ---


def legion_size(table: Table, battle: Battle, seat: Seat) -> int:
    """Return how many units the battle legion must have: as many as it can (CC-BAT-07, CC-BAT-08)."""
    leaders = len(table.leaders_at(battle.province, seat))
    return min(LEGION_UNITS + leaders, force(table, battle, seat).units.total)


def fortification_dice(table: Table, battle: Battle) -> int:
    """Return how many extra dice the defender has (CC-BAT-21, CC-BAT-22). Attacking catapults count until removed."""
    place = table.provinces[battle.province]
    if not place.fortified or place.owner != battle.defender.seat:
        return 0
    attacking_catapults = force(table, battle, battle.attacker.seat).units.catapults
    return FORTIFICATION_DICE_AGAINST_CATAPULTS if attacking_catapults else FORTIFICATION_DICE


def attacker_rolls(draft: Draft[Table]) -> None:
    """Roll for the attacker's battle legion (CC-BAT-12)."""
    battle = battle_of(draft.table)
    _roll(draft, battle.attacker, battle.defender, 0)


def defender_rolls(draft: Draft[Table]) -> None:
    """Roll for the defender's battle legion, units that are hit included, and for a fortified city (CC-BAT-21)."""
    battle = battle_of(draft.table)
    _roll(draft, battle.defender, battle.attacker, fortification_dice(draft.table, battle))


def _roll(draft: Draft[Table], side: Side, enemy: Side, extra: int) -> None:
    legion, target = side.legion or NO_UNITS, enemy.legion or NO_UNITS
    draw, faces = dice.roll(draft, legion.total + extra)
    scored = dice.hits(faces, matching_units(draft.table, side.seat))
    surplus = max(0, scored - target.total)
    draft.emit(LegionRolled(side.seat, draw, faces, scored, surplus, extra))


def matching_units(table: Table, seat: Seat) -> Units:
    """Return the units that a side's dice can be matched with (CC-BAT-13); catapults in reserve count (CC-BAT-14).

    A die hits when its face shows the type of one of them; each unit is matched with at most one die.
    """
    battle = battle_of(table)
    side = battle.attacker if seat == battle.attacker.seat else battle.defender
    return replace(side.legion or NO_UNITS, catapults=force(table, battle, seat).units.catapults)


# --- commands ---


class FormLegion(Command, frozen=True):
    """Choose the units of the battle legion of this round (CC-BAT-09)."""

    rules = ("CC-BAT-09",)
    answers = frozenset({"form-legion"})
    gesture = Gesture(counts=("infantry", "cavalry", "catapults"), control="division")

    infantry: Count = 0
    cavalry: Count = 0
    catapults: Count = 0

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, battle = draft.table, battle_of(draft.table)
        legion = Units(self.infantry, self.cavalry, self.catapults)
        available, size = force(table, battle, seat).units, legion_size(table, battle, seat)
        if not legion.within(available):
            wrong = f"You asked for a battle legion of {legion}."
            raise Refusal("CC-BAT-08", wrong, f"You have {available} there.")
        if legion.total != size:
            wrong = f"You asked for a battle legion of {legion.total} units."
            raise Refusal("CC-BAT-08", wrong, f"It must be as large as possible: {size} of {available}.")
        draft.emit(LegionFormed(seat, legion))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterator[Option]:
        battle = battle_of(table)
        size = legion_size(table, battle, seat)
        ranges = choices(force(table, battle, seat).units, size)
        total = schema.exactly(size, ranges)
        yield cls.option(f"Form a battle legion of {size}", number_fields(ranges), rule="CC-BAT-08", x_total=[total])


# --- the steps of a round ---


def form_legion(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the side whose turn it is to form its battle legion; form it where there is no choice."""
    battle = battle_of(table)
    seat = (battle.defender if battle.step == "form-defender" else battle.attacker).seat
    size, units = legion_size(table, battle, seat), force(table, battle, seat).units
    if (legion := forced(choices(units, size))) is not None:
        return lambda draft: draft.emit(LegionFormed(seat, Units(**legion), automatic=True))
    place = table.map.area(battle.province).name
    decision = Decision(
        "form-legion",
        (seat,),
        RuleId("CC-BAT-09"),
        f"Which {'unit forms' if size == 1 else f'{size} units form'} your battle legion in {place}?",
        "The attacker rolls when both battle legions are formed.",
        {"province": battle.province, "round": battle.round, "size": size},
    )
    return [decision]


def end_round(draft: Draft[Table]) -> None:
    """Remove the losses of both sides at once (CC-BAT-20). If a side has no units left, end the battle."""
    battle = battle_of(draft.table)
    attacker, defender = battle.attacker, battle.defender
    draft.emit(LossesRemoved(battle.province, attacker.lost, defender.lost, attacker.lost_landed, defender.lost_landed))
    attackers = force(draft.table, battle, attacker.seat).units.total
    defenders = force(draft.table, battle, defender.seat).units.total
    if not attackers and not defenders:
        end(draft, "both-eliminated", attacker_won=False)
    elif not attackers or not defenders:  # CC-BAT-28: neither retreat nor pursuit
        end(draft, "eliminated", attacker_won=attackers > 0)


EVENTS = (BattleBegan, RoundBegan, LegionFormed, LegionRolled, BattleEnded)
COMMANDS = (FormLegion,)
