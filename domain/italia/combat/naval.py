"""Battles at sea: who declares them, which fleets are lost, and where fleets retreat (chapter NAV).

Their rounds are in battle.py; the attacker is always the active nation (IT-BAT-02).
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from msgspec.structs import replace

from domain.italia.box.pieces import FLEET, KINDS, Army, FleetId, LeaderId, NationId, Units, counted, fits, plus
from domain.italia.box.state import Battle, BattleStep, Encounter
from domain.italia.box.table import Command, Event, Table, battle_of, combat_of, turn_of
from domain.italia.combat import dice
from domain.italia.combat.dice import Face
from domain.italia.turn import scoring
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Draw, Names, enumerated
from domain.kernel.rules.refusal import Refusal, refuse_unless

# --- what happens ---


class NavalBattleDeclared(Event, frozen=True):
    """A nation declared a naval battle (IT-NAV-01): the active one, or another against it (IT-NAV-10)."""

    rules = ("IT-NAV-01", "IT-NAV-02", "IT-NAV-10")
    places = (("sea", "at"),)

    nation: NationId
    sea: AreaId
    enemy: NationId

    def apply(self, table: Table) -> None:
        combat, against = combat_of(table), self.nation != table.active
        declared = Encounter(self.sea, self.nation if against else self.enemy, against)
        table.combat = replace(combat, encounters=(*combat.encounters, declared))

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} declared a naval battle against the {names(self.enemy)} in {names(self.sea)}."


class NavalDeclarationEnded(Event, frozen=True):
    """A nation declared no more naval battles (IT-NAV-01)."""

    rules = ("IT-NAV-01",)

    nation: NationId

    def apply(self, table: Table) -> None:
        combat = combat_of(table)
        table.combat = replace(combat, asked=(*combat.asked, self.nation))

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} declared no more naval battles."


class TieRolled(Event, frozen=True):
    """Nations with as many fleets as each other rolled for who fights first (IT-NAV-11): the higher roll.

    Attributes:
        faces: one for each of the nations.
    """

    rules = ("IT-NAV-11",)
    places = (("sea", "at"),)

    sea: AreaId
    nations: tuple[NationId, ...]
    draw: Draw
    faces: tuple[Face, ...]

    def apply(self, table: Table) -> None:
        pass  # the order follows when nobody is equal any more

    def tell(self, names: Names) -> str:
        each = [f"the {names(nation)} {face}" for nation, face in zip(self.nations, self.faces, strict=True)]
        return f"To fight first in {names(self.sea)} they rolled: {', '.join(each)}."


class NavalOrderSet(Event, frozen=True):
    """Those who attack the active nation in a sea area fight in this order, the most fleets first (IT-NAV-11)."""

    rules = ("IT-NAV-11",)

    sea: AreaId
    nations: tuple[NationId, ...]

    def apply(self, table: Table) -> None:
        combat = combat_of(table)
        others = tuple(each for each in combat.encounters if each.sea != self.sea or not each.against_active)
        ordered = tuple(Encounter(self.sea, nation, True) for nation in self.nations)
        table.combat = replace(combat, encounters=(*others, *ordered))

    def tell(self, names: Names) -> str:
        return f"In {names(self.sea)} they fight in this order: {names.all(self.nations)}."


class FleetsChosen(Event, frozen=True):
    """A side chose which fleets it loses; what they carry may still go aboard others (IT-NAV-05, IT-NAV-07)."""

    rules = ("IT-NAV-05", "IT-NAV-07")

    nation: NationId
    fleets: tuple[FleetId, ...]

    def apply(self, table: Table) -> None:
        fight = battle_of(table)
        table.battle = replace(fight, sinking={**fight.sinking, self.nation: self.fleets})

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} lose {names.all(self.fleets)}."


class CargoSaved(Event, frozen=True):
    """Units and leaders of a lost fleet went aboard another one (IT-NAV-07)."""

    rules = ("IT-NAV-07",)

    nation: NationId
    fleet: FleetId
    to: FleetId
    army: Army

    def apply(self, table: Table) -> None:
        table.unload(self.fleet, self.army)
        table.load(self.to, self.army)

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} saved {self.army.tell(names)} from {names(self.fleet)} to {names(self.to)}."


class FleetsSunk(Event, frozen=True):
    """A side lost fleets with all aboard (IT-NAV-05, IT-NAV-06).

    Attributes:
        lost: what they carried.
    """

    rules = ("IT-NAV-05", "IT-NAV-06", "IT-SEA-12")

    nation: NationId
    fleets: tuple[FleetId, ...]
    lost: Army
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        fight = battle_of(table)
        table.remove_leaders(self.nation, self.lost.leaders, fallen=True)
        for fleet in self.fleets:
            del table.fleets[fleet]
        losses = {nation: number for nation, number in fight.losses.items() if nation != self.nation}
        sinking = {nation: fleets for nation, fleets in fight.sinking.items() if nation != self.nation}
        step: BattleStep = "lose" if losses else "retreat"
        table.battle = replace(fight, step=step, losses=losses, sinking=sinking)

    def tell(self, names: Names) -> str:
        aboard = f" with {self.lost.tell(names)} aboard" if self.lost else ""
        return f"The {names(self.nation)} lost {counted(FLEET, len(self.fleets))}{aboard}."


class FleetsRetreated(Event, frozen=True):
    """Fleets retreated to an adjacent sea area (IT-NAV-08). They count for no supremacy in this phase (IT-SUP-03)."""

    rules = ("IT-NAV-08", "IT-NAV-09", "IT-SUP-03")
    places = (("sea", "from"), ("to", "to"))

    nation: NationId
    sea: AreaId
    to: AreaId
    fleets: tuple[FleetId, ...]

    def apply(self, table: Table) -> None:
        combat = combat_of(table)
        for fleet in self.fleets:
            table.fleets[fleet] = replace(table.fleets[fleet], sea=self.to)
        retreated = tuple(dict.fromkeys((*combat.retreated, *self.fleets)))
        table.combat = replace(combat, retreated=retreated)

    def tell(self, names: Names) -> str:
        fleets = counted(FLEET, len(self.fleets))
        return f"The {names(self.nation)} retreated with {fleets} from {names(self.sea)} to {names(self.to)}."


# --- declaring ---


class DeclareNavalBattle(Command, frozen=True):
    """Declare a naval battle in a sea area where you and the enemy have fleets (IT-NAV-01)."""

    rules = ("IT-NAV-01", "IT-NAV-10", "IT-SUB-10")
    answers = frozenset({"declare-naval-battles"})
    gesture = Gesture(to="sea", targets=("enemy",))

    nation: NationId
    sea: AreaId
    enemy: NationId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, nation = draft.table, _asked(draft.table)
        names = table.names
        asked = (
            f"The {names(self.nation)} cannot declare a battle against the {names(self.enemy)} in {names(self.sea)}."
        )
        refuse_unless(self.nation == nation, self.rule, asked, f"The {names(nation)} must answer now.")
        chances = list(_chances(table, nation))
        if (self.sea, self.enemy) not in chances:
            each = enumerated([f"the {names(enemy)} in {names(sea)}" for sea, enemy in chances])
            raise Refusal(_why_not(table, self.nation, self.enemy), asked, f"They can fight {each}.")
        draft.emit(NavalBattleDeclared(nation, self.sea, self.enemy))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        nation, names = _asked(table), table.names
        for sea, enemy in _chances(table, nation):
            fields = {"nation": schema.const(nation), "sea": schema.const(sea), "enemy": schema.const(enemy)}
            yield cls.option(f"Fight the {names(enemy)} in {names(sea)}", fields)


def _why_not(table: Table, nation: NationId, enemy: NationId) -> str:
    if enemy in table.nations and table.are_allied(nation, enemy):
        return "IT-SUB-10"
    return "IT-NAV-10" if table.active not in (nation, enemy) else "IT-NAV-01"


class EndNavalDeclaration(Command, frozen=True):
    """Declare no more naval battles (IT-NAV-01)."""

    rules = ("IT-NAV-01",)
    answers = frozenset({"declare-naval-battles"})
    gesture = Gesture(quiet=True)

    nation: NationId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        nation = _asked(draft.table)
        names = draft.table.names
        asked = f"The {names(self.nation)} cannot end their declarations now."
        refuse_unless(self.nation == nation, self.rule, asked, f"The {names(nation)} must answer now.")
        draft.emit(NavalDeclarationEnded(nation))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option("Declare no more battles", {"nation": schema.const(_asked(table))})


def _chances(table: Table, nation: NationId) -> Iterator[tuple[AreaId, NationId]]:
    """Yield where a nation can still declare a battle, and against whom: one side is active (IT-NAV-10)."""
    active, declared = turn_of(table).nation, combat_of(table).encounters
    others = [each for each in table.nations if each != active] if nation == active else [active]
    for sea in sorted({fleet.sea for _, fleet in table.fleets_of(nation)}):
        there = {fleet.nation for fleet in table.fleets.values() if fleet.sea == sea}
        for other in others:
            enemy = other if nation == active else nation
            known = any((each.sea, each.other) == (sea, enemy) for each in declared)
            if other in there and not known and not table.are_allied(nation, other):
                yield sea, other


def _next(table: Table) -> NationId | None:
    """Return who is asked for naval battles next: the active nation, then the others; no garrisons (IT-I1-14)."""
    active = turn_of(table).nation
    for nation in (active, *(each for each in table.nations if each != active)):
        if nation not in combat_of(table).asked and not table.is_neutral(nation) and any(_chances(table, nation)):
            return nation
    return None


def _asked(table: Table) -> NationId:
    nation = _next(table)
    assert nation is not None, "somebody can declare a naval battle"
    return nation


def declare(table: Table) -> list[Decision] | Consequence[Table] | None:
    """Ask who fights at sea, before anything is fought (IT-NAV-02)."""
    nation = _next(table)
    if nation is None:
        return _settle_order if any(True for _ in _attacked_twice(table)) else None
    names, chances = table.names, list(_chances(table, nation))
    seas = names.all(dict.fromkeys(sea for sea, _ in chances))
    return [
        Decision(
            "declare-naval-battles",
            (table.seat_of(nation),),
            RuleId("IT-NAV-01"),
            f"The {names(nation)} in {seas}: do you fight at sea?",
            "A battle takes place if either side wants it.",
            {"nation": nation, "battles": [{"sea": sea, "enemy": enemy} for sea, enemy in chances]},
        )
    ]


def _settle_order(draft: Draft[Table]) -> None:
    """Say in which order those who attack the active nation fight, before the battles begin (IT-NAV-11)."""
    for sea, nations in list(_attacked_twice(draft.table)):
        draft.emit(NavalOrderSet(sea, tuple(_by_size(draft, sea, nations))))


def _attacked_twice(table: Table) -> Iterator[tuple[AreaId, list[NationId]]]:
    """Yield the sea areas where several nations attack the active one."""
    for sea in table.map.seas:
        nations = [each.other for each in combat_of(table).encounters if each.sea == sea and each.against_active]
        if len(nations) > 1:
            yield sea, nations


def _by_size(draft: Draft[Table], sea: AreaId, nations: list[NationId]) -> Iterator[NationId]:
    def size(nation: NationId) -> int:
        return -sum(1 for _ in draft.table.fleets_of(nation, sea))

    for _, tied in groupby(sorted(nations, key=size), key=size):
        yield from _by_lot(draft, sea, list(tied))


def _by_lot(draft: Draft[Table], sea: AreaId, tied: list[NationId]) -> Iterator[NationId]:
    """Order nations by dice, the highest first; equal rolls are repeated."""
    if len(tied) == 1:
        yield from tied
        return
    draw, faces = dice.roll_dice(draft, len(tied))
    draft.emit(TieRolled(sea, tuple(tied), draw, faces))
    rolled = dict(zip(tied, map(int, faces), strict=True))
    for face in sorted(set(rolled.values()), reverse=True):
        yield from _by_lot(draft, sea, [nation for nation in tied if rolled[nation] == face])


# --- losses ---


class SinkFleets(Command, frozen=True):
    """Choose which of your fleets are lost, one for each hit (IT-NAV-05)."""

    rules = ("IT-NAV-05", "IT-NAV-06")
    answers = frozenset({"sink-fleets"})
    gesture = Gesture(pieces=("fleets",), control="division")

    nation: NationId
    fleets: tuple[FleetId, ...]

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        fight = battle_of(draft.table)
        nation, number = _losing(fight)
        names = draft.table.names
        asked = f"The {names(self.nation)} cannot lose {names.all(self.fleets)}."
        refuse_unless(self.nation == nation, self.rule, asked, f"The {names(nation)} must choose their losses now.")
        there = [name for name, _ in draft.table.fleets_of(nation, fight.place)]
        known = set(self.fleets) <= set(there) and len(set(self.fleets)) == len(self.fleets) == number
        refuse_unless(known, self.rule, asked, f"Choose {counted(FLEET, number)} out of {names.all(there)}.")
        _choose(draft, nation, tuple(sorted(self.fleets)))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        fight = battle_of(table)
        nation, number = _losing(fight)
        fleets = schema.subset([name for name, _ in table.fleets_of(nation, fight.place)], number, number)
        yield cls.option("Choose the fleets that are lost", {"nation": schema.const(nation), "fleets": fleets})


def _losing(fight: Battle) -> tuple[NationId, int]:
    nation = next(side for side in fight.sides if side in fight.losses)
    return nation, fight.losses[nation]


def _choose(draft: Draft[Table], nation: NationId, fleets: tuple[FleetId, ...], *, automatic: bool = False) -> None:
    """Sink fleets; but first let their cargo be saved, with the option, where other fleets are left (IT-NAV-07)."""
    table = draft.table
    fight = battle_of(table)
    left = any(name not in fleets for name, _ in table.fleets_of(nation, fight.place))
    if table.options.rescue_cargo and left and any(table.fleets[name].cargo for name in fleets):
        draft.emit(FleetsChosen(nation, fleets))
    else:
        _sink(draft, nation, fleets, automatic=automatic)


def _sink(draft: Draft[Table], nation: NationId, fleets: tuple[FleetId, ...], *, automatic: bool = False) -> None:
    table = draft.table
    enemy = battle_of(table).enemy(nation)
    lost = sum((table.fleets[name].cargo for name in fleets), Army())
    draft.emit(FleetsSunk(nation, fleets, lost, automatic))
    scoring.eliminated(draft, nation, {**lost.units, FLEET: len(fleets)}, by=enemy, leaders=lost.leaders)


def lose(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask each side for the fleets that it loses (IT-NAV-05); without a choice they are lost at once."""
    fight, names = battle_of(table), table.names
    nation, number = _losing(fight)
    if nation in fight.sinking:
        return _ask_for_rescue(table, nation)
    fleets = list(table.fleets_of(nation, fight.place))
    if number >= len(fleets) or not any(fleet.cargo for _, fleet in fleets):
        lost = tuple(name for name, _ in fleets[:number])
        return lambda draft: _choose(draft, nation, lost, automatic=True)
    title = f"The {names(nation)} lose {counted(FLEET, number)} in {names(fight.place)}: which do you choose?"
    about = {"nation": nation, "place": fight.place, "number": number, "fleets": [name for name, _ in fleets]}
    depends = "All aboard are lost with them."
    return [Decision("sink-fleets", (table.seat_of(nation),), RuleId("IT-NAV-05"), title, depends, about)]


# --- saving cargo (an option) ---


class SaveCargo(Command, frozen=True):
    """Take units and leaders off a lost fleet, aboard another one with room for them (IT-NAV-07).

    Attributes:
        fleet: the lost fleet.
        to: the other one.
        units: how many of each type are saved.
        leaders: who is saved.
    """

    rules = ("IT-NAV-07", "IT-SEA-04")
    answers = frozenset({"save-cargo"})

    nation: NationId
    fleet: FleetId
    to: FleetId
    units: Units = {}  # noqa: RUF012  (msgspec copies it, and leaves it out when it is empty)
    leaders: tuple[LeaderId, ...] = ()

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, fight = draft.table, battle_of(draft.table)
        nation, _ = _losing(fight)
        army = Army(plus(self.units, {}), tuple(sorted(self.leaders)))
        names = table.names
        asked = f"You cannot save {army.tell(names)} from {names(self.fleet)} to {names(self.to)}."
        refuse_unless(self.nation == nation, self.rule, asked, f"The {names(nation)} must answer now.")
        lost, free = fight.sinking[nation], _free(table, fight, nation)
        allowed = f"Save cargo from {names.all(lost)} to {names.all(free)}."
        refuse_unless(self.fleet in lost and self.to in free, self.rule, asked, allowed)
        aboard = table.fleets[self.fleet].cargo
        known = army and aboard.has(Army(self.units, army.leaders))
        refuse_unless(known, self.rule, asked, f"It carries {aboard.tell(names)}.")
        refuse_unless(
            fits(self.units, free[self.to]), "IT-SEA-04", asked, f"There is room for {counted('unit', free[self.to])}."
        )
        draft.emit(CargoSaved(nation, self.fleet, self.to, army))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        fight = battle_of(table)
        nation, _ = _losing(fight)
        for lost in fight.sinking[nation]:
            cargo = table.fleets[lost].cargo
            for to, number in _free(table, fight, nation).items():
                fields = {"nation": schema.const(nation), "fleet": schema.const(lost), "to": schema.const(to)}
                if choice := part_of(cargo, number):
                    title = f"Save cargo from {table.names(lost)} to {table.names(to)}"
                    optional, some = choice[1:]
                    yield cls.option(title, {**fields, **choice[0]}, optional=optional, x_total=some)


Choice = tuple[dict[str, schema.Schema], list[str], dict[str, Any] | None]


def part_of(army: Army, most: int, needed: tuple[LeaderId, ...] = ()) -> Choice | None:
    """Return the fields by which somebody chooses units, no more than `most`, and leaders; None if there are none.

    With them come the names of those that may be left out, and the total of both.
    """
    units = {kind: schema.count(0, min(most, army.units[kind])) for kind in KINDS if most and army.units.get(kind)}
    least = 0 if army.leaders else 1
    fields: dict[str, schema.Schema] = {}
    if units:
        fields["units"] = schema.record(units, units, x_sum={"minimum": least, "maximum": most})
    if army.leaders:
        fields["leaders"] = schema.subset(army.leaders, 0 if units else 1, including=needed)
    if not fields:
        return None
    both = len(fields) > 1
    optional = [name for name in fields if both and not (name == "leaders" and needed)]
    return fields, optional, {"of": list(fields), "minimum": 1} if both else None


class LetSink(Command, frozen=True):
    """Let your lost fleets sink with what is still aboard; leaders go aboard another fleet (IT-NAV-07)."""

    rules = ("IT-NAV-07",)
    answers = frozenset({"save-cargo"})

    nation: NationId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, fight = draft.table, battle_of(draft.table)
        nation, _ = _losing(fight)
        names = table.names
        asked = f"The {names(self.nation)} cannot let fleets sink now."
        refuse_unless(self.nation == nation, self.rule, asked, f"The {names(nation)} must answer now.")
        to = next(iter(_free(table, fight, nation)))
        for fleet in fight.sinking[nation]:
            if leaders := table.fleets[fleet].cargo.leaders:
                draft.emit(CargoSaved(nation, fleet, to, Army(leaders=leaders)))
        _sink(draft, nation, fight.sinking[nation])

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        nation, _ = _losing(battle_of(table))
        yield cls.option("Let the fleets sink", {"nation": schema.const(nation)})


def _free(table: Table, fight: Battle, nation: NationId) -> dict[FleetId, int]:
    """Return the fleets that are left in the battle, and their room."""
    return {
        name: max(0, table.data.fleet_capacity - fleet.cargo.size)
        for name, fleet in table.fleets_of(nation, fight.place)
        if name not in fight.sinking.get(nation, ())
    }


def _ask_for_rescue(table: Table, nation: NationId) -> list[Decision] | Consequence[Table]:
    fight, names = battle_of(table), table.names
    lost, free = fight.sinking[nation], _free(table, fight, nation)
    aboard = [table.fleets[name].cargo for name in lost]
    if not any(cargo.leaders or (cargo and any(free.values())) for cargo in aboard):
        return lambda draft: _sink(draft, nation, lost)
    title = f"The {names(nation)} in {names(fight.place)}: what do you save from the lost fleets?"
    about = {"nation": nation, "place": fight.place, "lost": lost, "room": free}
    depends = "Units that stay aboard are lost. Leaders always go aboard another fleet."
    return [Decision("save-cargo", (table.seat_of(nation),), RuleId("IT-NAV-07"), title, depends, about)]


# --- retreats ---


class SailAway(Command, frozen=True):
    """Retreat fleets from a naval battle to an adjacent sea area, even one with foreign fleets (IT-NAV-08)."""

    rules = ("IT-NAV-08", "IT-NAV-09")
    answers = frozenset({"retreat"})
    gesture = Gesture(to="to", pieces=("fleets",))

    nation: NationId
    fleets: tuple[FleetId, ...]
    to: AreaId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, fight = draft.table, battle_of(draft.table)
        nation = retreating(table, fight)
        names = table.names
        asked = f"The {names(self.nation)} cannot retreat with {names.all(self.fleets)} to {names(self.to)}."
        assert nation is not None, "a side may retreat"
        refuse_unless(self.nation == nation, self.rule, asked, f"The {names(nation)} must answer now.")
        there = [name for name, _ in table.fleets_of(self.nation, fight.place)]
        known = self.fleets and set(self.fleets) <= set(there) and len(set(self.fleets)) == len(self.fleets)
        refuse_unless(known, self.rule, asked, f"Your fleets in the battle are {names.all(there)}.")
        seas = table.map.sea_neighbours(fight.place)
        refuse_unless(self.to in seas, self.rule, asked, f"They can retreat to {names.all(seas)}.")
        draft.emit(FleetsRetreated(self.nation, fight.place, self.to, tuple(sorted(self.fleets))))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        fight = battle_of(table)
        nation = retreating(table, fight)
        if fight.naval and nation is not None:
            fleets = schema.subset([name for name, _ in table.fleets_of(nation, fight.place)], 1)
            to = schema.one_of(table.map.sea_neighbours(fight.place))
            yield cls.option("Retreat", {"nation": schema.const(nation), "fleets": fleets, "to": to})


def retreating(table: Table, fight: Battle) -> NationId | None:
    """Return the side that may retreat fleets now: first the attacker, then the defender (IT-NAV-08)."""
    waiting = (side for side in fight.sides if side not in fight.stood and not table.is_neutral(side))
    return next(waiting, None)


EVENTS = (
    NavalBattleDeclared,
    NavalDeclarationEnded,
    TieRolled,
    NavalOrderSet,
    FleetsChosen,
    CargoSaved,
    FleetsSunk,
    FleetsRetreated,
)
COMMANDS = (DeclareNavalBattle, EndNavalDeclaration, SinkFleets, SaveCargo, LetSink, SailAway)
