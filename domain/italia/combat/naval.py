"""Battles at sea: which fleets are lost, which cargo is saved, and where fleets retreat (IT-NAV-05 to -08).

Who declares them is in declaring.py, and their rounds are in battle.py. The attacker is always the active nation
(IT-BAT-02).
"""

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from domain.italia.box.pieces import FLEET, KINDS, Army, FleetId, LeaderId, NationId, Units, amount_of, fits, plus
from domain.italia.box.state import Battle, BattleStep
from domain.italia.box.table import Command, Event, Table, battle_of, combat_of
from domain.italia.turn import scoring
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Names
from domain.kernel.rules.refusal import refuse_unless

# --- what happens ---


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
        return f"The {names(self.nation)} lost {amount_of(FLEET, len(self.fleets))}{aboard}."


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
        fleets = amount_of(FLEET, len(self.fleets))
        return f"The {names(self.nation)} retreated with {fleets} from {names(self.sea)} to {names(self.to)}."


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
        wrong = f"The {names(self.nation)} cannot lose {names.all(self.fleets)}."
        refuse_unless(self.nation == nation, self.rule, wrong, f"The {names(nation)} must choose their losses now.")
        present = [name for name, _ in draft.table.fleets_of(nation, fight.place)]
        is_right = set(self.fleets) <= set(present) and len(set(self.fleets)) == len(self.fleets) == number
        refuse_unless(is_right, self.rule, wrong, f"Choose {amount_of(FLEET, number)} out of {names.all(present)}.")
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
    has_others = any(name not in fleets for name, _ in table.fleets_of(nation, fight.place))
    if table.options.rescue_cargo and has_others and any(table.fleets[name].cargo for name in fleets):
        draft.emit(FleetsChosen(nation, fleets))
    else:
        _sink(draft, nation, fleets, automatic=automatic)


def _sink(draft: Draft[Table], nation: NationId, fleets: tuple[FleetId, ...], *, automatic: bool = False) -> None:
    table = draft.table
    enemy = battle_of(table).enemy(nation)
    cargo = sum((table.fleets[name].cargo for name in fleets), Army())
    draft.emit(FleetsSunk(nation, fleets, cargo, automatic))
    scoring.eliminated(draft, nation, {**cargo.units, FLEET: len(fleets)}, by=enemy, leaders=cargo.leaders)


def lose(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask each side for the fleets that it loses (IT-NAV-05); without a choice they are lost at once."""
    fight, names = battle_of(table), table.names
    nation, number = _losing(fight)
    if nation in fight.sinking:
        return _ask_for_rescue(table, nation)
    fleets = list(table.fleets_of(nation, fight.place))
    if number >= len(fleets) or not any(fleet.cargo for _, fleet in fleets):
        sinking = tuple(name for name, _ in fleets[:number])
        return lambda draft: _choose(draft, nation, sinking, automatic=True)
    title = f"The {names(nation)} lose {amount_of(FLEET, number)} in {names(fight.place)}: which do you choose?"
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
        wrong = f"You cannot save {army.tell(names)} from {names(self.fleet)} to {names(self.to)}."
        refuse_unless(self.nation == nation, self.rule, wrong, f"The {names(nation)} must answer now.")
        sinking, free = fight.sinking[nation], _free(table, fight, nation)
        allowed = f"Save cargo from {names.all(sinking)} to {names.all(free)}."
        refuse_unless(self.fleet in sinking and self.to in free, self.rule, wrong, allowed)
        aboard = table.fleets[self.fleet].cargo
        is_aboard = army and aboard.has(Army(self.units, army.leaders))
        refuse_unless(is_aboard, self.rule, wrong, f"It carries {aboard.tell(names)}.")
        refuse_unless(
            fits(self.units, free[self.to]),
            "IT-SEA-04",
            wrong,
            f"There is room for {amount_of('unit', free[self.to])}.",
        )
        draft.emit(CargoSaved(nation, self.fleet, self.to, army))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        fight = battle_of(table)
        nation, _ = _losing(fight)
        for sinking in fight.sinking[nation]:
            cargo = table.fleets[sinking].cargo
            for to, number in _free(table, fight, nation).items():
                fields = {"nation": schema.const(nation), "fleet": schema.const(sinking), "to": schema.const(to)}
                if choice := part_of(cargo, number):
                    title = f"Save cargo from {table.names(sinking)} to {table.names(to)}"
                    optional, some = choice[1:]
                    yield cls.option(title, {**fields, **choice[0]}, optional=optional, x_total=some)


Choice = tuple[dict[str, schema.Schema], list[str], dict[str, Any] | None]


def part_of(army: Army, most: int, needed: tuple[LeaderId, ...] = ()) -> Choice | None:
    """Return the fields for a choice of units, no more than `most`, and leaders; None if there is nothing to choose.

    With them come the names of the fields that may be left out, and the total that both must reach. The leaders in
    `needed` must be chosen.
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
        wrong = f"The {names(self.nation)} cannot let fleets sink now."
        refuse_unless(self.nation == nation, self.rule, wrong, f"The {names(nation)} must answer now.")
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
    sinking, free = fight.sinking[nation], _free(table, fight, nation)
    aboard = [table.fleets[name].cargo for name in sinking]
    if not any(cargo.leaders or (cargo and any(free.values())) for cargo in aboard):
        return lambda draft: _sink(draft, nation, sinking)
    title = f"The {names(nation)} in {names(fight.place)}: what do you save from the lost fleets?"
    about = {"nation": nation, "place": fight.place, "lost": sinking, "room": free}
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
        wrong = f"The {names(self.nation)} cannot retreat with {names.all(self.fleets)} to {names(self.to)}."
        assert nation is not None, "a side may retreat"
        refuse_unless(self.nation == nation, self.rule, wrong, f"The {names(nation)} must answer now.")
        present = [name for name, _ in table.fleets_of(self.nation, fight.place)]
        is_right = self.fleets and set(self.fleets) <= set(present) and len(set(self.fleets)) == len(self.fleets)
        refuse_unless(is_right, self.rule, wrong, f"Your fleets in the battle are {names.all(present)}.")
        seas = table.map.sea_neighbours(fight.place)
        refuse_unless(self.to in seas, self.rule, wrong, f"They can retreat to {names.all(seas)}.")
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


EVENTS = (FleetsChosen, CargoSaved, FleetsSunk, FleetsRetreated)
COMMANDS = (SinkFleets, SaveCargo, LetSink, SailAway)
