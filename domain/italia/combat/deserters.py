"""Units that change sides or run before a round of battle: elephants, foederati and the Patrimonium (I1, I2)."""

from msgspec.structs import replace

from domain.italia.box.entries import Conversion, Desertion, ElephantPanic
from domain.italia.box.pieces import KINDS, Army, Kind, NationId, Units, listed, total
from domain.italia.box.state import Battle
from domain.italia.box.table import Event, Table, battle_of
from domain.italia.combat.dice import ELEPHANT, Face, roll_dice
from domain.italia.turn import scoring
from domain.kernel.ids import AreaId
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Count, Draw, Names

# --- what happens ---


class ElephantsMet(Event, frozen=True):
    """Units that may panic met elephants, in one more battle of the game (IT-I1-10).

    Attributes:
        draw: null where nobody rolled.
        faces: a die for each unit that may desert, by type: infantry, Roman foederati, legions, consular legions,
            knights, elephants.
        deserted: who left the board, as if eliminated.
    """

    rules = ("IT-I1-10", "IT-I1-11", "IT-I1-12", "IT-BAT-14")
    places = (("place", "at"),)

    nation: NationId
    place: AreaId
    draw: Draw | None
    faces: tuple[Face, ...]
    deserted: Units

    def apply(self, table: Table) -> None:
        table.elephant_battles += 1
        table.eliminate(self.place, self.nation, Army(self.deserted))

    def tell(self, names: Names) -> str:
        if not self.faces:
            return f"The {names(self.nation)} met elephants, but had no units that are afraid of them."
        deserters = listed(self.deserted) if self.deserted else "nobody"
        return f"The {names(self.nation)} met elephants and rolled {', '.join(self.faces)}: {deserters} deserted."


class FoederatiDeserted(Event, frozen=True):
    """Units rolled for desertion before the first round, and those who deserted fight for the enemy (IT-I2-02).

    Attributes:
        deserted: who left.
        replaced: how many infantry the enemy got for them, as far as it has counters (IT-I2-03).
    """

    rules = ("IT-I2-02", "IT-I2-03", "IT-BAT-14")
    places = (("place", "lost"),)

    nation: NationId
    place: AreaId
    draw: Draw
    faces: tuple[Face, ...]
    deserted: Units
    enemy: NationId
    replaced: Count

    def apply(self, table: Table) -> None:
        table.take(self.place, self.nation, Army(self.deserted))
        table.add(self.place, self.enemy, Army({"infantry": self.replaced} if self.replaced else {}))

    def tell(self, names: Names) -> str:
        rolled = f"The {names(self.nation)} rolled {', '.join(self.faces)} for desertion"
        if not self.deserted:
            return f"{rolled}: nobody deserted."
        return f"{rolled}: {listed(self.deserted)} deserted, and the {names(self.enemy)} got {self.replaced} infantry."


class UnitConverted(Event, frozen=True):
    """A unit of the enemy fights for the nation that converted it (IT-I2-06)."""

    rules = ("IT-I2-06", "IT-I2-08", "IT-BAT-14")
    places = (("place", "lost"),)

    nation: NationId
    place: AreaId
    victim: NationId
    kind: Kind

    def apply(self, table: Table) -> None:
        battle, one = battle_of(table), Army({self.kind: 1})
        table.take(self.place, self.victim, one)
        table.add(self.place, self.nation, one)
        table.conversions += 1
        table.battle = replace(battle, step="roll", converted=self.kind)

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} converted {listed({self.kind: 1})} of the {names(self.victim)}."


class ConvertRemoved(Event, frozen=True):
    """A converted unit survived the battle, but there was no counter to replace it (IT-I2-07)."""

    rules = ("IT-I2-07", "IT-PCS-05")
    places = (("area", "lost"),)

    nation: NationId
    area: AreaId
    kind: Kind

    def apply(self, table: Table) -> None:
        table.take(self.area, self.nation, Army({self.kind: 1}))

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} had no counter for the unit that they converted, and removed it."


# --- desertion ---


def panic(table: Table, battle: Battle) -> tuple[NationId, ElephantPanic] | None:
    """Return which side is afraid of the other's elephants, and the card's rule for that; else None (IT-I1-10)."""
    for nation in battle.sides:
        enemy = battle.enemy(nation)
        if not table.army(battle.place, enemy).units.get(ELEPHANT):
            continue
        for card in table.cards.nations.values():  # any card may have the rule; it holds against all elephants
            special = card.special(ElephantPanic)
            if special is not None and special.of == nation and table.elephant_battles < len(special.least):
                return nation, special
    return None


def disloyal(table: Table, battle: Battle) -> tuple[NationId, Kind, int] | None:
    """Return which side has units that may desert to the other, their type, and on which least face (IT-I2-02)."""
    present = table.nations_at(battle.place)
    for nation in battle.sides:
        special = table.cards.nations[nation].special(Desertion)
        if special is None or battle.enemy(nation) not in special.least:
            continue
        for kind in KINDS:
            if kind == special.unit and table.army(battle.place, nation).units.get(kind):
                return nation, kind, min(special.least[each] for each in present if each in special.least)
    return None


def desert(draft: Draft[Table]) -> None:
    """Roll for the units that may desert before the first round; in raids, too."""
    battle = battle_of(draft.table)
    afraid = panic(draft.table, battle)
    if afraid is not None:
        _panic(draft, battle, *afraid)
    wavering = disloyal(draft.table, battle)
    if wavering is not None:
        _change_sides(draft, battle, *wavering)


def _panic(draft: Draft[Table], battle: Battle, nation: NationId, special: ElephantPanic) -> None:
    table = draft.table
    present = table.army(battle.place, nation).units
    units: Units = {kind: number for kind, number in present.items() if kind not in special.exempt}
    least = special.least[table.elephant_battles]
    if not units:
        draft.emit(ElephantsMet(nation, battle.place, None, (), {}))
        return
    draw, faces = roll_dice(draft, total(units))
    faces_left, deserters = [int(face) for face in faces], dict[Kind, int]()
    for kind in KINDS:
        mine, faces_left = faces_left[: units.get(kind, 0)], faces_left[units.get(kind, 0) :]
        if number := sum(face >= least for face in mine):
            deserters[kind] = number
    draft.emit(ElephantsMet(nation, battle.place, draw, faces, deserters))
    if deserters:
        any_turn = table.rules.deserters_always_score
        scoring.eliminated(draft, nation, deserters, by=battle.enemy(nation), any_turn=any_turn)


def _change_sides(draft: Draft[Table], battle: Battle, nation: NationId, kind: Kind, least: int) -> None:
    table, enemy = draft.table, battle.enemy(nation)
    draw, faces = roll_dice(draft, table.army(battle.place, nation).units[kind])
    number = sum(int(face) >= least for face in faces)
    replaced = min(number, max(0, table.supply(enemy).get("infantry", 0)))
    deserters: Units = {kind: number} if number else {}
    draft.emit(FoederatiDeserted(nation, battle.place, draw, faces, deserters, enemy, replaced))


# --- conversion ---


def convertible(table: Table, battle: Battle) -> tuple[NationId, list[Kind]] | None:
    """Return the side that may convert a unit of the other now, and of which types (IT-I2-06, IT-I2-08)."""
    for nation in battle.sides:
        special, enemy = table.cards.nations[nation].special(Conversion), battle.enemy(nation)
        if special is None or battle.converted is not None or table.conversions >= special.times:
            continue
        if table.seat_of(nation) == table.seat_of(enemy) or not table.army(battle.place, nation).size:
            continue
        units = table.army(battle.place, enemy).units
        kinds: list[Kind] = [kind for kind in KINDS if units.get(kind) and kind not in special.exempt]
        if kinds:
            return nation, kinds
    return None


def settle_conversion(draft: Draft[Table], battle: Battle) -> None:
    """After a battle, remove a surviving converted unit if its new nation has no counter for it (IT-I2-07)."""
    table, kind = draft.table, battle.converted
    if kind is None:
        return
    nation = next(side for side in battle.sides if table.cards.nations[side].special(Conversion) is not None)
    owned = table.cards.nations[nation].counters.get(kind, 0)
    if table.on_board(nation).get(kind, 0) > owned:
        areas = [battle.place, *table.areas_of(nation)]
        area = next(area for area in areas if table.army(area, nation).units.get(kind))
        draft.emit(ConvertRemoved(nation, area, kind))


EVENTS = (ElephantsMet, FoederatiDeserted, UnitConverted, ConvertRemoved)
