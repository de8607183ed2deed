"""Battles on land: who fights whom, the dice and the sums (chapter BAT).

A battle is one round (MN-BAT-01): both sides roll a die for each legion, fortresses add 6, and each full 5 points of a
side's sum destroy one enemy unit. `losses` takes the losses; `aftermath` says what the survivors may do.
"""

from collections.abc import Iterable
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Count, Draw, Names
from domain.kernel.rules.refusal import Refusal, or_none
from domain.mare_nostrum.box import phrases
from domain.mare_nostrum.box.pieces import NO_FORCE, Force, Post, Province
from domain.mare_nostrum.box.state import Battle, Holding, Spoils
from domain.mare_nostrum.box.table import Command, Event, Table, battle_of
from domain.mare_nostrum.combat import aftermath

POINTS_PER_HIT: Final = 5
"""Each full 5 points of a sum destroy one enemy unit (MN-BAT-05)."""
FORTRESS: Final = 6
"""What a fortress adds to its owner's sum without a die (MN-BAT-04)."""

Ending = Literal["attacker", "defender", "nobody", "war"]


class Throw(Struct, frozen=True, omit_defaults=True):
    """What one side threw (MN-BAT-03 to MN-BAT-05).

    Attributes:
        faces: one die for each legion, or for each trireme at sea; `draw` is the number of their draw of chance.
        bonus: what heroes added, all dice together (MN-HER-13, MN-HER-16).
        fortresses: how many fortresses added their 6.
        neutral: whether it is a civilization that nobody plays.
        total: the sum of all these.
        hits: the enemy units that it destroys; further hits are lost.
    """

    seat: Seat
    faces: tuple[int, ...]
    total: int
    hits: int
    draw: Draw | None = None
    bonus: int = 0
    fortresses: int = 0
    neutral: bool = False

    @property
    def player(self) -> Seat | None:
        """Whose dice they were; None when a neutral civilization defended itself (MN-SET-20)."""
        return None if self.neutral else self.seat

    def in_words(self) -> str:
        """Return the throw in words: "Babylon rolled 5 + 6 (fortress) = 11"."""
        parts = [str(face) for face in self.faces]
        parts += [f"{self.bonus} (hero)"] if self.bonus else []
        parts += [f"{FORTRESS} (fortress)"] * self.fortresses
        summed = f" = {self.total}" if len(parts) > 1 else ""
        return f"{phrases.owner(self.seat)} {'rolled' if self.faces else 'had'} {' + '.join(parts)}{summed}"


# --- events ---


class BattleBegan(Event, frozen=True):
    """Land units attacked an opponent in a province, for one round (MN-BAT-01).

    Attributes:
        legions: the attacker's legions in this battle; all of the defender's take part.
        fortresses: the attacker's fortresses in this battle.
    """

    rules = ("MN-BAT-01",)
    places = (("province", "at"),)

    province: AreaId
    attacker: Seat
    defender: Seat
    legions: int
    fortresses: int = 0

    def apply(self, table: Table) -> None:
        forces = table.provinces[self.province].forces
        attacker, defender = forces[self.attacker], forces[self.defender]
        contested = table.contested.pop(self.province, None)
        posts = contested.posts if contested is not None else defender.posts
        table.battle = Battle(self.province, self.attacker, self.defender, self.legions, self.fortresses, posts=posts)
        table.set_force(self.province, self.attacker, attacker.committed(self.legions, self.fortresses))
        table.set_force(self.province, self.defender, replace(defender, posts=()))
        table.ashore = True

    def tell(self, names: Names) -> str:
        attacker, defender = names(self.attacker), phrases.owner(self.defender)
        force = phrases.units(self.legions, self.fortresses)
        return f"{attacker} attacked {defender} in {names(self.province)} with {force}."


class BattleRolled(Event, frozen=True):
    """Both sides rolled at the same time (MN-BAT-03, MN-BAT-06)."""

    rules = ("MN-BAT-03", "MN-BAT-06")

    attacker: Throw
    defender: Throw

    def apply(self, table: Table) -> None:
        assert table.battle is not None, "a battle is under way"
        hits = {self.defender.seat: self.attacker.hits, self.attacker.seat: self.defender.hits}
        table.battle = replace(table.battle, losses={seat: number for seat, number in hits.items() if number})

    def tell(self, names: Names) -> str:
        return f"{self.attacker.in_words()}; {self.defender.in_words()}."


class BattleEnded(Event, frozen=True):
    """A battle was over: a side is alone there (MN-AFT-01), nobody is left (MN-AFT-13), or it is war (MN-WAR-01).

    Attributes:
        ending: who is alone in the province; `war` when both are left.
        legions: the legions of an attacker who is alone, who must now pillage, occupy or convert with them (MN-AFT-01).
        posts: what the defender held and may keep if they are alone again, now or before the attacker's turn ends
            (MN-AFT-11).
    """

    rules = ("MN-AFT-01", "MN-AFT-13", "MN-WAR-01")
    places = (("province", "at"),)

    province: AreaId
    attacker: Seat
    defender: Seat
    ending: Ending
    legions: int = 0
    posts: tuple[Post, ...] = ()

    def apply(self, table: Table) -> None:
        table.battle = None
        if self.legions:
            table.spoils = Spoils(self.province, self.legions)
            table.exploit(self.province, self.attacker)
        if self.posts:
            holding = Holding(self.province, self.defender, self.posts)
            if self.ending == "war":
                table.contested[self.province] = holding
            else:
                table.holding = holding

    def tell(self, names: Names) -> str:
        place = names(self.province)
        match self.ending:
            case "attacker":
                return f"{names(self.attacker)} drove all opponents out of {place}."
            case "defender":
                return f"{phrases.owner(self.defender)} held {place}."
            case "nobody":
                return f"Neither side had units left in {place}."
            case "war":
                return f"Both sides had units left: {place} is at war."


# --- what other chapters use ---


def throw(draft: Draft[Table], seat: Seat, dice: int, bonus: int, fortresses: int, targets: int) -> Throw:
    """Roll for one side: `dice` units with `bonus` on each die, against `targets` enemy units."""
    roll = draft.roll(dice, 6) if dice else None
    faces = roll.faces if roll is not None else ()
    total = sum(faces) + bonus * dice + FORTRESS * fortresses
    hits = min(total // POINTS_PER_HIT, targets)
    draw, neutral = roll.draw if roll is not None else None, seat in draft.table.neutral
    return Throw(seat, faces, total, hits, draw, bonus * dice, fortresses, neutral)


def fighting(table: Table, battle: Battle, seat: Seat) -> Force:
    """Return a side's units that are in the battle and can be lost: the attacker's were counted when it began."""
    force = table.provinces[battle.province].forces[seat]
    if seat == battle.attacker:
        return Force(fought=battle.legions, fortresses=battle.fortresses)
    return force


# --- the attack ---


class Attack(Command, frozen=True):
    """Attack an opponent in a province with units that are there and have not attacked this turn (MN-BAT-12).

    Legions from several provinces attack together by marching there first (MN-MIL-06). Legions that have moved are
    counted before those that have not. To attack an undefended province, use `Exploit`.

    Attributes:
        opponent: the player whom you attack; all their land units there defend.
    """

    rules = ("MN-LEG-05", "MN-BAT-12", "MN-MIL-06")
    answers = frozenset({"campaign"})
    gesture = Gesture(to="province", targets=("opponent",), counts=("legions", "fortresses"))

    province: AreaId
    opponent: Seat
    legions: Count = 0
    fortresses: Count = 0

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        self._check(draft.table, seat)
        draft.emit(BattleBegan(self.province, seat, self.opponent, self.legions, self.fortresses))
        table = draft.table
        defender = table.provinces[self.province].forces[self.opponent]
        bonus, against = table.bonus(seat, "legion"), table.bonus(self.opponent, "legion")
        mine = throw(draft, seat, self.legions, bonus, self.fortresses, defender.units)
        theirs = throw(
            draft, self.opponent, defender.legions, against, defender.fortresses, self.legions + self.fortresses
        )
        draft.emit(BattleRolled(mine, theirs))

    def _check(self, table: Table, seat: Seat) -> None:
        wrong = f"You cannot attack {self.opponent} in {self.province}."
        province = table.provinces.get(self.province)
        if province is None:
            rule = "MN-BAT-02" if self.province in table.map else "MN-BRD-01"
            raise Refusal(rule, wrong, "Legions and fortresses fight in provinces, and triremes at sea.")
        enemies = table.enemies_in(self.province, seat)
        if self.opponent not in enemies:
            allowed = f"Opponents with land units there: {or_none(enemies)}."
            raise Refusal(self._absence(province, seat), wrong, allowed)
        force = province.forces.get(seat, NO_FORCE)
        if self.legions > force.legions or self.fortresses > force.fortresses:
            allowed = f"Your units there: {force.legions} legions and {force.fortresses} fortresses."
            raise Refusal("MN-BAT-12", wrong, allowed)
        if self.legions > force.ready or self.fortresses > force.manned:
            wrong = f"You asked to attack with {self.legions} legions and {self.fortresses} fortresses."
            allowed = f"{force.ready} legions and {force.manned} fortresses there have not attacked this turn."
            raise Refusal("MN-MIL-04", wrong, allowed)
        if self.legions + self.fortresses == 0:
            raise Refusal("MN-BAT-03", "You asked to attack with no unit.", "Attack with at least one unit.")

    def _absence(self, province: Province, seat: Seat) -> str:
        """Return the rule by which there is nobody to fight: triremes in port, only a marker, or no unit of theirs."""
        if self.opponent != seat and self.opponent in province.ports:
            return "MN-SEA-07"
        return "MN-LEG-06" if self.opponent == province.owner != seat else self.rule

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        for area, province in table.provinces.items():
            force = province.forces.get(seat)
            if force is None or not province.at_war or not force.ready + force.manned:
                continue
            yield cls.option(
                f"Attack in {table.names(area)}",
                {
                    "province": schema.const(area),
                    "opponent": schema.one_of(table.enemies_in(area, seat)),
                    "legions": schema.count(0, force.ready),
                    "fortresses": schema.count(0, force.manned),
                },
                x_total={"of": ["legions", "fortresses"], "minimum": 1},
            )


# --- the end ---


def end(draft: Draft[Table]) -> None:
    """End the battle, now that all losses are off the board."""
    battle = battle_of(draft.table)
    province = draft.table.provinces[battle.province]
    ending = _ending(battle, tuple(province.forces))
    legions, posts = 0, ()
    if ending == "attacker" and aftermath.chooses_after_battle(draft.table, battle.province, battle.attacker):
        legions = province.forces[battle.attacker].legions
    if battle.defender in province.forces and province.forces[battle.defender].legions:
        posts = battle.posts
    draft.emit(BattleEnded(battle.province, battle.attacker, battle.defender, ending, legions, posts))


def _ending(battle: Battle, remaining: tuple[Seat, ...]) -> Ending:
    if len(remaining) > 1:
        return "war"
    if remaining == (battle.attacker,):
        return "attacker"
    return "defender" if remaining == (battle.defender,) else "nobody"


EVENTS = (BattleBegan, BattleRolled, BattleEnded)
COMMANDS = (Attack,)
