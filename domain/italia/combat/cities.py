"""Cities: who takes them, what sacking gains, and how ruins are rebuilt (chapter CTY)."""

from collections.abc import Iterable
from typing import Literal

from msgspec.structs import replace

from domain.italia.box.pieces import Army, Kind, NationId, amount_of, kinds_in_words
from domain.italia.box.state import City, Combat, Spoil
from domain.italia.box.table import Command, Event, Table, turn_of
from domain.italia.turn import scoring
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Count, Names
from domain.kernel.rules.refusal import refuse_unless

Gain = Literal["gold", "points"]

# --- what happens ---


class CityTaken(Event, frozen=True):
    """A nation alone in an area took its city (IT-CTY-01, IT-CTY-07).

    Attributes:
        owner: the player who had it; null for nobody.
        sackable: whether the nation may sack it now (IT-CTY-04, IT-CTY-06).
    """

    rules = ("IT-CTY-01", "IT-CTY-04", "IT-CTY-06", "IT-CTY-07", "IT-CTY-08", "IT-RAI-12")
    places = (("area", "lost"),)

    nation: NationId
    area: AreaId
    owner: Seat | None = None
    sackable: bool = False

    def apply(self, table: Table) -> None:
        table.cities[self.area] = replace(table.cities[self.area], owner=table.seat_of(self.nation))
        if self.sackable:
            table.spoils.append(Spoil(self.nation, self.area))

    def tell(self, names: Names) -> str:
        owner = f"{names(self.owner)}'s city" if self.owner is not None else "the city"
        return f"The {names(self.nation)} took {owner} in {names(self.area)}."


class CitySacked(Event, frozen=True):
    """A nation sacked the city that it had just taken, which is a ruin now (IT-CTY-04).

    Attributes:
        removed: whether the marker was removed, because the city can never be rebuilt (IT-I1-25).
    """

    rules = ("IT-CTY-04", "IT-CTY-10", "IT-I1-25")
    places = (("area", "lost"),)

    nation: NationId
    area: AreaId
    removed: bool = False

    def apply(self, table: Table) -> None:
        if self.removed:
            del table.cities[self.area]
        else:
            table.cities[self.area] = replace(table.cities[self.area], standing=False)
        if table.turn is not None:
            table.turn = replace(table.turn, ruined=(*table.turn.ruined, self.area))

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} sacked the city in {names(self.area)}."


class SpoilsTaken(Event, frozen=True):
    """A nation took gold for a sacked or raided city, or points instead (IT-CTY-05, IT-RAI-07).

    Attributes:
        gold: what the nation gets.
        overlord: the nation that gets the other half (IT-INC-18).
        share: what the overlord gets.
    """

    rules = ("IT-CTY-04", "IT-CTY-05", "IT-RAI-07", "IT-INC-08", "IT-INC-18")
    places = (("area", "at"),)

    nation: NationId
    area: AreaId
    gold: Count = 0
    overlord: NationId | None = None
    share: Count = 0
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        del table.spoils[0]
        sacked = table.sacked.get(self.nation, ())
        if self.area not in sacked:
            table.sacked[self.nation] = (*sacked, self.area)
        table.earn(self.nation, self.gold)
        if self.overlord is not None:
            table.earn(self.overlord, self.share)

    def tell(self, names: Names) -> str:
        gain = f"{self.gold} gold" if self.gold else "victory points instead of gold"
        share = f", and the {names(self.overlord)} {self.share} gold" if self.overlord is not None else ""
        return f"The {names(self.nation)} took {gain} for the city in {names(self.area)}{share}."


class CityKept(Event, frozen=True):
    """A nation did not sack the city that it had just taken, and cannot do so later (IT-CTY-06)."""

    rules = ("IT-CTY-04", "IT-CTY-06")
    places = (("area", "at"),)

    nation: NationId
    area: AreaId

    def apply(self, table: Table) -> None:
        del table.spoils[0]

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} spared the city in {names(self.area)}."


class CityRebuilt(Event, frozen=True):
    """A nation gave up a unit and rebuilt a ruin (IT-CTY-09). Nobody scores the unit (IT-VP-17)."""

    rules = ("IT-CTY-09", "IT-CTY-11", "IT-CTY-12", "IT-CTY-13", "IT-VP-17")
    places = (("area", "at"),)

    nation: NationId
    area: AreaId
    kind: Kind

    def apply(self, table: Table) -> None:
        table.take(self.area, self.nation, Army({self.kind: 1}))
        table.cities[self.area] = City(owner=table.seat_of(self.nation))

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} gave up {amount_of(self.kind, 1)} and rebuilt the city in {names(self.area)}."


# --- taking ---


def conquer(table: Table) -> Consequence[Table] | None:
    """Take the cities of the areas where the active nation is alone after moving (IT-CTY-06); None without any."""
    nation = turn_of(table).nation
    areas = [area for area in table.areas_of(nation) if _takes(table, nation, area)]

    def happens(draft: Draft[Table]) -> None:
        for area in areas:
            take(draft, nation, area)

    return happens if areas else None


def _takes(table: Table, nation: NationId, area: AreaId) -> bool:
    alone = table.has_city(area) and table.nations_at(area) == [nation]
    return alone and table.cities[area].owner != table.seat_of(nation)


def take(draft: Draft[Table], nation: NationId, area: AreaId) -> None:
    """Take the city of an area if the nation is alone there and its player does not have the city.

    Call it after movement, when the nation has won there, or has retreated there (IT-CTY-04, IT-CTY-06, IT-CTY-08).
    """
    table = draft.table
    if _takes(table, nation, area):
        city, ruined = table.cities[area], () if table.turn is None else table.turn.ruined
        sackable = city.owner is not None and area not in ruined and not city.spared
        draft.emit(CityTaken(nation, area, city.owner, sackable))


# --- what is gained ---


def choose_gain(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask whether a city is sacked, and for what; a raid without points on the card gains gold (IT-RAI-07)."""
    spoil, names = table.spoils[0], table.names
    gains = _gains(table, spoil)
    if spoil.raid and gains == ["gold"]:
        return lambda draft: _gain(draft, spoil, "gold", automatic=True)
    nation, area = spoil.nation, spoil.area
    question = f"The {names(nation)} took the city in {names(area)}: do you sack it?"
    if spoil.raid:
        question = f"The {names(nation)} raided the city in {names(area)}: what do you take?"
    rule = "IT-RAI-07" if spoil.raid else "IT-CTY-04"
    return [
        Decision(
            "spoils",
            (table.seat_of(nation),),
            RuleId(rule),
            question,
            "Gold or points, but not both." if len(gains) > 1 else "You can sack a city only when you take it.",
            {"nation": nation, "area": area, "raid": spoil.raid, "gains": gains},
        )
    ]


def _gains(table: Table, spoil: Spoil) -> list[Gain]:
    points = scoring.sack_points(table, spoil.nation, spoil.area, raid=spoil.raid)
    return ["gold"] if points is None else ["gold", "points"]


def _gain(draft: Draft[Table], spoil: Spoil, gain: Gain, *, automatic: bool = False) -> None:
    """Give a nation what it takes for a city; its overlord gets half of any gold (IT-CTY-05, IT-INC-18)."""
    table, nation, area = draft.table, spoil.nation, spoil.area
    if gain == "points":
        line = scoring.sack_points(table, nation, area, raid=spoil.raid)
        draft.emit(SpoilsTaken(nation, area))
        if line is not None:
            scoring.score(draft, nation, line)
        return
    gold, overlord = table.data.costs.sack_or_raid_gold, table.nations[nation].overlord
    share = 0 if overlord is None else gold // 2
    draft.emit(SpoilsTaken(nation, area, gold - share, overlord, share, automatic))


class TakeSpoils(Command, frozen=True):
    """Sack the city that your nation has just taken, for gold or points; or choose what it gets for a raid.

    Attributes:
        gain: gold, or the victory points of the nation's card (IT-CTY-05).
    """

    rules = ("IT-CTY-04", "IT-CTY-05", "IT-RAI-07")
    answers = frozenset({"spoils"})

    gain: Gain

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, spoil = draft.table, draft.table.spoils[0]
        wrong = f"The {table.names(spoil.nation)} score no points for this city."
        refuse_unless(self.gain in _gains(table, spoil), "IT-CTY-05", wrong, "Take gold.")
        if not spoil.raid:
            draft.emit(CitySacked(spoil.nation, spoil.area, removed=table.stage == "civil-war"))
        _gain(draft, spoil, self.gain)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        spoil = table.spoils[0]
        for gain in _gains(table, spoil):
            title = f"Take {gain} for the raid" if spoil.raid else f"Sack the city for {gain}"
            yield cls.option(title, {"gain": schema.const(gain)})


class KeepCity(Command, frozen=True):
    """Do not sack the city that your nation has just taken; later it cannot be sacked (IT-CTY-06)."""

    rules = ("IT-CTY-06", "IT-CTY-04")
    answers = frozenset({"spoils"})
    gesture = Gesture(quiet=True, called="Keep the city")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        spoil = draft.table.spoils[0]
        refuse_unless(
            not spoil.raid,
            "IT-RAI-07",
            "You cannot keep a raided city: it is a ruin already.",
            "Take what the raid gains.",
        )
        draft.emit(CityKept(spoil.nation, spoil.area))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if not table.spoils[0].raid:
            yield cls.option()


# --- rebuilding ---


def ruins(table: Table) -> dict[AreaId, list[Kind]]:
    """Return the ruins that the active nation can rebuild now, each with the types of units that it can give up.

    After movement those where no battle is due, after combat those where one was fought (IT-CTY-13).
    """
    turn, combat = turn_of(table), table.combat or Combat()
    after_combat = turn.stage == "rebuilding-after-combat"
    return {
        area: list(units)
        for area in table.areas_of(turn.nation)
        if area in table.cities
        and not table.cities[area].standing
        and area not in turn.ruined
        and (area in combat.fought if after_combat else area not in combat.fronts)
        and (units := table.army(area, turn.nation).units)
    }


def rebuild(table: Table) -> list[Decision] | Consequence[Table] | None:
    """Ask which ruins are rebuilt, one after the other; None where there are none."""
    nation, sites = turn_of(table).nation, ruins(table)
    if not sites:
        return None
    question = f"Which cities do the {table.names(nation)} rebuild?"
    return [
        Decision(
            "rebuild",
            (table.seat_of(nation),),
            RuleId("IT-CTY-09"),
            question,
            "Each costs a unit in its area.",
            {"nation": nation, "ruins": sites},
        )
    ]


class Rebuild(Command, frozen=True):
    """Give up a unit to rebuild the city in its area (IT-CTY-09)."""

    rules = ("IT-CTY-09", "IT-CTY-10", "IT-CTY-13")
    answers = frozenset({"rebuild"})
    gesture = Gesture(to="area", targets=("kind",))

    area: AreaId
    kind: Kind

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, turn, sites = draft.table, turn_of(draft.table), ruins(draft.table)
        names = table.names
        wrong = f"You cannot rebuild the city in {names(self.area)} with {amount_of(self.kind, 1)}."
        allowed = "A city that was sacked or raided in this turn stays a ruin until the next one."
        refuse_unless(self.area not in turn.ruined, "IT-CTY-10", wrong, allowed)
        allowed = f"The {names(turn.nation)} can rebuild the cities in {names.all(sites)} now."
        is_ruin = self.area in table.cities and not table.cities[self.area].standing
        later = is_ruin and bool(table.army(self.area, turn.nation).units)
        refuse_unless(self.area in sites, "IT-CTY-13" if later else "IT-CTY-09", wrong, allowed)
        kinds = sites[self.area]
        refuse_unless(self.kind in kinds, "IT-CTY-09", wrong, f"There they can give up {kinds_in_words(kinds)}.")
        draft.emit(CityRebuilt(turn.nation, self.area, self.kind))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        for area, kinds in ruins(table).items():
            fields = {"area": schema.const(area), "kind": schema.one_of(kinds)}
            yield cls.option(f"Rebuild the city in {table.names(area)}", fields)


EVENTS = (CityTaken, CitySacked, SpoilsTaken, CityKept, CityRebuilt)
COMMANDS = (TakeSpoils, KeepCity, Rebuild)
