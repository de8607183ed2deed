"""Raids on cities: how they end, and the defender who rebuilds at once (chapter RAI)."""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.italia.box.pieces import KINDS, NO_ARMY, Army, Kind, NationId, amount_of, kinds_in_words
from domain.italia.box.state import Battle, City, Leaving, Repair, Spoil, resolved
from domain.italia.box.table import Command, Event, Table, combat_of, turn_of
from domain.italia.turn import scoring
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names
from domain.kernel.rules.refusal import Refusal, refuse_unless

# --- what happens ---


class RaidEnded(Event, frozen=True):
    """The single round of a raid was over: the city is a ruin or stands, and all raiders must leave (IT-RAI-03).

    Attributes:
        succeeded: whether the raiders hit at least once (IT-RAI-06).
        leaving: the raiders who must leave.
        barred: areas to which they may not go.
    """

    rules = ("IT-RAI-03", "IT-RAI-06", "IT-RAI-08")
    places = (("area", "at"),)

    area: AreaId
    attacker: NationId
    defender: NationId
    succeeded: bool
    leaving: Army
    barred: tuple[AreaId, ...] = ()

    def apply(self, table: Table) -> None:
        combat, turn = combat_of(table), table.turn
        table.battle = None
        table.combat = resolved(combat, self.area)
        if self.leaving:
            table.leaving.append(
                Leaving(self.attacker, self.area, self.leaving, "raid", scorer=self.defender, barred=self.barred)
            )
        if self.succeeded and turn is not None:
            table.cities[self.area] = City(False, table.cities[self.area].owner)
            table.turn = replace(turn, ruined=(*turn.ruined, self.area))
            table.spoils.append(Spoil(self.attacker, self.area, raid=True))
            table.repair = Repair(self.defender, self.area)

    def tell(self, names: Names) -> str:
        if self.succeeded:
            return f"The {names(self.attacker)} raided the city in {names(self.area)}, which is a ruin now."
        return f"The {names(self.attacker)} failed to raid the city in {names(self.area)}."


class KnightsCutOff(Event, frozen=True):
    """Damaged knights were eliminated after a raid, because they cannot retreat (IT-I2-05).

    Attributes:
        knights: how many.
    """

    rules = ("IT-I2-05", "IT-RAI-08")
    places = (("area", "lost"),)

    nation: NationId
    area: AreaId
    knights: int

    def apply(self, table: Table) -> None:
        table.take(self.area, self.nation, Army({"knight": self.knights}))

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} lost {amount_of('knight', self.knights)}, damaged and unable to retreat."


class CityRepaired(Event, frozen=True):
    """The defender of a raided city removed a unit and rebuilt it at once (IT-RAI-09). Nobody scores the unit.

    Attributes:
        spared: whether the city can be neither sacked nor raided any more (IT-I1-25).
    """

    rules = ("IT-RAI-09", "IT-RAI-10", "IT-VP-17", "IT-I1-25")
    places = (("area", "at"),)

    nation: NationId
    area: AreaId
    kind: Kind
    spared: bool = False

    def apply(self, table: Table) -> None:
        table.take(self.area, self.nation, Army({self.kind: 1}))
        table.cities[self.area] = City(True, table.seat_of(self.nation), self.spared)
        table.repair = None

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} gave up {amount_of(self.kind, 1)} and rebuilt the city in {names(self.area)}."


class CityLeftInRuins(Event, frozen=True):
    """The defender of a raided city did not rebuild it at once (IT-RAI-09).

    Attributes:
        removed: whether the marker was removed, because it can never be rebuilt (IT-I1-25).
    """

    rules = ("IT-RAI-09", "IT-I1-25")
    places = (("area", "lost"),)

    nation: NationId
    area: AreaId
    removed: bool = False

    def apply(self, table: Table) -> None:
        table.repair = None
        if self.removed:
            del table.cities[self.area]

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} did not rebuild the city in {names(self.area)}."


# --- raids ---


def obstacle(table: Table, attacker: NationId, area: AreaId) -> tuple[str, str] | None:
    """Return the rule against a raid on the city of an attacked area, and a sentence; None if it can be raided."""
    city = table.cities.get(area)
    if city is None or not city.standing:
        return "IT-RAI-01", "No city stands there."
    if city.spared:
        return "IT-I1-25", "Its city was rebuilt after a raid, and cannot be destroyed again."
    if area in turn_of(table).ruined:
        return "IT-RAI-10", "Its city was raided in this turn, and rebuilt."
    if city.owner in (None, table.seat_of(attacker)):
        return "IT-RAI-11", "Only a city that belongs to another player can be raided."
    return None


def end(draft: Draft[Table], battle: Battle, hits: int, barred: tuple[AreaId, ...]) -> None:
    """End a raid after its round: raiders leave, what they gain is chosen, and the defender may rebuild."""
    table, nation = draft.table, battle.attacker
    if knights := battle.damaged.get(nation, {}).get("knight", 0):
        draft.emit(KnightsCutOff(nation, battle.place, knights))
        scoring.eliminated(draft, nation, {"knight": knights}, by=battle.defender)
    raiders = table.army(battle.place, nation)
    draft.emit(RaidEnded(battle.place, nation, battle.defender, hits > 0, raiders, barred))


# --- rebuilding at once ---


class Repairs(Command, frozen=True):
    """Rebuild your raided city at once by giving up a unit there, or leave it in ruins (IT-RAI-09).

    Attributes:
        kind: the type of the unit; left out to leave the city in ruins.
    """

    rules = ("IT-RAI-09",)
    answers = frozenset({"repair"})

    nation: NationId
    kind: Kind | None = None

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        nation, area = _city_to_repair(draft.table)
        names = draft.table.names
        wrong = f"The {names(self.nation)} cannot rebuild the city in {names(area)}."
        refuse_unless(self.nation == nation, self.rule, wrong, f"The {names(nation)} must answer now.")
        kinds = _kinds(draft.table, nation, area)
        if self.kind is None:
            draft.emit(CityLeftInRuins(nation, area, removed=_is_final(draft.table)))
        elif self.kind in kinds:
            draft.emit(CityRepaired(nation, area, self.kind, spared=_is_final(draft.table)))
        else:
            raise Refusal(
                self.rule, f"You cannot give up {amount_of(self.kind, 1)}.", f"You have {kinds_in_words(kinds)} there."
            )

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        nation, area = _city_to_repair(table)
        which = schema.const(nation)
        kinds = schema.one_of(_kinds(table, nation, area))
        yield cls.option("Give up a unit and rebuild the city", {"nation": which, "kind": kinds})
        yield cls.option("Leave the city in ruins", {"nation": which})


def _city_to_repair(table: Table) -> tuple[NationId, AreaId]:
    assert table.repair is not None, "a city was raided"
    return table.repair.nation, table.repair.area


def _kinds(table: Table, nation: NationId, area: AreaId) -> list[Kind]:
    units = table.armies.get(area, {}).get(nation, NO_ARMY).units
    return [kind for kind in KINDS if units.get(kind)]


def _is_final(table: Table) -> bool:
    """Tell whether ruins can never be rebuilt later, as in the civil war (IT-I1-25)."""
    return table.stage == "civil-war"


def repair(table: Table) -> list[Decision]:
    """Ask the defender of a raided city, whose units a raid leaves unharmed, whether they rebuild it at once."""
    nation, area = _city_to_repair(table)
    kinds = _kinds(table, nation, area)
    names = table.names
    return [
        Decision(
            "repair",
            (table.seat_of(nation),),
            RuleId("IT-RAI-09"),
            f"The {names(nation)} in {names(area)}: do you give up a unit and rebuild the raided city?",
            "Otherwise it stays a ruin.",
            {"nation": nation, "area": area, "kinds": kinds},
        )
    ]


EVENTS = (RaidEnded, KnightsCutOff, CityRepaired, CityLeftInRuins)
COMMANDS = (Repairs,)
