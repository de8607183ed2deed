"""Phase 6, placement of new pieces, and the end of the turn (chapter PLC, CC-CAP-06).

However the player places pieces, the rest can still be placed: a city may only go where all roads that were bought
still fit, and every other piece takes a place only from its own kind.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.classic.box.pieces import Galley, GalleyId
from domain.classic.box.state import Purchase, RoadId, road_id
from domain.classic.box.table import Command, Event, Table
from domain.classic.combat import capture
from domain.classic.diplomacy import prisoners, ransom, talks
from domain.classic.economy import sites
from domain.classic.turn import inflation, turn
from domain.conquest.pieces import Units
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Names
from domain.kernel.rules.refusal import Refusal, or_none

# --- what happens ---


class UnitsPlaced(Event, frozen=True):
    """The new land combat units appeared in the Home Province (CC-PLC-01); there is no other place."""

    rules = ("CC-PLC-01",)
    places = (("province", "at"),)

    seat: Seat
    province: AreaId
    units: Units

    def apply(self, table: Table) -> None:
        army = table.army(self.province, self.seat)
        table.set_army(self.province, self.seat, replace(army, fresh=army.fresh + self.units))
        table.bought = replace(_pieces_to_place(table), infantry=0, cavalry=0, catapults=0)
        table.reinforced = True

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} placed {self.units} in {names(self.province)}."


class GalleyPlaced(Event, frozen=True):
    """A new galley was put on a coast (CC-PLC-03, CC-PLC-04).

    Attributes:
        coast: which coast of the province.
    """

    rules = ("CC-PLC-03", "CC-PLC-04")
    places = (("province", "at"),)

    seat: Seat
    galley: GalleyId
    province: AreaId
    coast: str
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        table.galleys[self.galley] = Galley(self.seat, self.province, self.coast)
        table.next_galley += 1
        pieces = _pieces_to_place(table)
        table.bought = replace(pieces, galleys=pieces.galleys - 1)

    def tell(self, names: Names) -> str:
        coast = self.coast if self.coast == "coast" else f"{self.coast} coast"
        return f"{names(self.seat)} placed {names(self.galley)} on the {coast} of {names(self.province)}."


class CityPlaced(Event, frozen=True):
    """A new city was built (CC-PLC-05)."""

    rules = ("CC-PLC-05",)
    places = (("province", "at"),)

    seat: Seat
    province: AreaId
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        table.change_province(self.province, city=True)
        pieces = _pieces_to_place(table)
        table.bought = replace(pieces, cities=pieces.cities - 1)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} built a city in {names(self.province)}."


class FortificationPlaced(Event, frozen=True):
    """A city was fortified (CC-PLC-06)."""

    rules = ("CC-PLC-06",)
    places = (("province", "at"),)

    seat: Seat
    province: AreaId
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        table.change_province(self.province, fortified=True)
        pieces = _pieces_to_place(table)
        table.bought = replace(pieces, fortifications=pieces.fortifications - 1)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} fortified the city of {names(self.province)}."


class RoadPlaced(Event, frozen=True):
    """A road was built between two cities (CC-PLC-07)."""

    rules = ("CC-PLC-07",)

    seat: Seat
    road: RoadId
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        table.roads.append(self.road)
        pieces = _pieces_to_place(table)
        table.bought = replace(pieces, roads=pieces.roads - 1)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} built a road between {names.all(self.road.split('|'))}."


class PlacementFinished(Event, frozen=True):
    """The active player finished their last phase: everything that they bought is placed (CC-PLC-09).

    Attributes:
        automatic: whether nothing else was left to do.
    """

    rules = ("CC-PLC-09",)

    seat: Seat
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        table.bought, table.reinforced = None, False
        table.declined.clear()
        table.proposed.clear()
        table.waived.clear()

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} ended their turn."


def _pieces_to_place(table: Table) -> Purchase:
    """Return the pieces that were bought and are not yet placed."""
    return table.bought or Purchase()


# --- what is left to place, and where ---


def _city_sites(table: Table, seat: Seat) -> list[AreaId]:
    pieces = _pieces_to_place(table)
    return sites.city_sites_with_roads_left(table, seat, pieces.cities, pieces.roads)


def _stranded(table: Table, seat: Seat) -> list[Seat]:
    """Return the players with leaders but no land combat units in the home where new units were placed (CC-CAP-06)."""
    if not (table.edition.new_units_take_leaders and table.reinforced):
        return []
    home = table.home(seat)
    owners = {leader.owner for leader in table.leaders.values() if leader.at == home} - {seat}
    return [other for other in table.order if other in owners and not table.army(home, other).units.total]


def _may_finish(table: Table) -> bool:
    return not _pieces_to_place(table).total and (table.edition.turns_wait_for_talks or not table.offers)


def _is_asked(table: Table, seat: Seat) -> bool:
    """Tell whether the active player has something to do or to answer before the turn may end."""
    if _pieces_to_place(table).total:
        return True
    if not table.edition.turns_wait_for_talks:
        return _may_finish(table) or bool(_stranded(table, seat))
    return seat not in table.waived and (seat in talks.waiting(table) or bool(_stranded(table, seat)))


def _automatic(table: Table, seat: Seat) -> Event | None:
    """Return the event that needs no choice: pieces have only one place each, or nothing is left to do; else None."""
    pieces = _pieces_to_place(table)
    if pieces.units.total:
        return UnitsPlaced(seat, table.home(seat), pieces.units)
    if pieces.galleys and len(coasts := sites.galley_coasts(table, seat)) == 1:
        return GalleyPlaced(seat, f"galley-{table.next_galley}", *coasts[0], automatic=True)
    if pieces.cities:
        places = _city_sites(table, seat)
        return CityPlaced(seat, places[0], automatic=True) if len(places) == pieces.cities else None
    if pieces.fortifications and len(cities := sites.fortification_sites(table, seat)) == pieces.fortifications:
        return FortificationPlaced(seat, cities[0], automatic=True)
    if pieces.roads and len(roads := sites.road_sites(table, seat)) == pieces.roads:
        return RoadPlaced(seat, roads[0], automatic=True)
    if pieces.total or table.offers or (_stranded(table, seat) and seat not in table.waived):
        return None
    waits = talks.waiting(table) if table.edition.turns_wait_for_talks else prisoners.can_deal(table)
    return None if waits else PlacementFinished(seat, automatic=True)


# --- what may be done ---


class PlaceGalley(Command, frozen=True):
    """Put a new galley on a coast of the home (CC-PLC-03), or of Syria or Armenia for Mesopotamia (CC-PLC-04).

    Attributes:
        coast: which coast of the province.
    """

    rules = ("CC-PLC-03", "CC-PLC-04")
    answers = frozenset({"place"})
    gesture = Gesture(to="province", targets=("coast",))

    province: AreaId
    coast: str

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        wrong = f"You cannot place a galley on {self.coast!r} of {self.province}."
        _require_left(_pieces_to_place(table).galleys, wrong)
        coasts = sites.galley_coasts(table, seat)
        if (self.province, self.coast) not in coasts:
            rule = "CC-PLC-04" if table.home(seat) in sites.PORTS else "CC-PLC-03"
            allowed = ", ".join(f"{coast!r} of {province}" for province, coast in coasts)
            raise Refusal(rule, wrong, f"Possible: {allowed}.")
        draft.emit(GalleyPlaced(seat, f"galley-{table.next_galley}", self.province, self.coast))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if not _pieces_to_place(table).galleys:
            return
        coasts: dict[AreaId, list[str]] = {}
        for province, coast in sites.galley_coasts(table, seat):
            coasts.setdefault(province, []).append(coast)
        for province, ids in coasts.items():
            fields = {"province": schema.const(province), "coast": schema.one_of(ids)}
            yield cls.option(f"Place a galley in {table.names(province)}", fields)


class PlaceCity(Command, frozen=True):
    """Build a new city in a province without one (CC-PLC-05)."""

    rules = ("CC-PLC-05",)
    answers = frozenset({"place"})
    gesture = Gesture(to="province")

    province: AreaId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        wrong = f"You cannot build a city in {self.province}."
        _require_left(_pieces_to_place(table).cities, wrong)
        if self.province not in (places := sites.city_sites(table, seat)):
            raise Refusal("CC-PLC-05", wrong, f"Your provinces without a city: {', '.join(places)}.")
        if self.province not in (places := _city_sites(table, seat)):
            allowed = f"The roads that you bought must still fit. Possible: {', '.join(places)}."
            raise Refusal("CC-PLC-09", wrong, allowed)
        draft.emit(CityPlaced(seat, self.province))
        inflation.watch(draft)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if _pieces_to_place(table).cities:
            yield cls.option("Build a city", {"province": schema.one_of(_city_sites(table, seat))})


class PlaceFortification(Command, frozen=True):
    """Fortify a city, old or new (CC-PLC-06)."""

    rules = ("CC-PLC-06",)
    answers = frozenset({"place"})
    gesture = Gesture(to="province")

    province: AreaId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        wrong = f"You cannot fortify {self.province}."
        _require_left(_pieces_to_place(table).fortifications, wrong)
        if self.province not in (cities := sites.fortification_sites(table, seat)):
            raise Refusal("CC-PLC-06", wrong, f"Your unfortified cities: {', '.join(cities) or 'none yet'}.")
        draft.emit(FortificationPlaced(seat, self.province))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if _pieces_to_place(table).fortifications and (cities := sites.fortification_sites(table, seat)):
            yield cls.option("Fortify a city", {"province": schema.one_of(cities)})


class PlaceRoad(Command, frozen=True):
    """Build a road between two of your cities in adjacent provinces (CC-PLC-07), old or new (CC-PLC-08)."""

    rules = ("CC-PLC-07", "CC-PLC-08")
    answers = frozenset({"place"})
    gesture = Gesture(between="road")

    road: RoadId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        wrong = f"You cannot build the road {self.road!r}."
        _require_left(_pieces_to_place(table).roads, wrong)
        allowed = f"Possible: {', '.join(roads := sites.road_sites(table, seat)) or 'none yet'}."
        if self.road in table.roads:
            raise Refusal("CC-ROAD-04", wrong, allowed)
        if self.road in _straits(table):
            raise Refusal("CC-ROAD-03", wrong, allowed)
        if self.road not in roads:
            raise Refusal("CC-PLC-07", wrong, allowed)
        draft.emit(RoadPlaced(seat, self.road))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if _pieces_to_place(table).roads and (roads := sites.road_sites(table, seat)):
            yield cls.option("Build a road", {"road": schema.one_of(roads)})


def _straits(table: Table) -> set[str]:
    return {
        road_id(land, other)
        for land in table.map.lands
        for other in table.map.land_neighbours(land)
        if table.map.strait_between(land, other) is not None
    }


def _require_left(count: int, wrong: str) -> None:
    if not count:
        raise Refusal("CC-PLC-09", wrong, "You have bought none, or have already placed them all.")


class TakeLeaders(Command, frozen=True):
    """Take a player's leaders who are without units (CC-CAP-04) in your home, where new units appeared (CC-CAP-06).

    Attributes:
        player: whose leaders they are.
    """

    rules = ("CC-CAP-06", "CC-CAP-04")
    answers = frozenset({"place"})
    gesture = Gesture(targets=("player",))

    player: Seat

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        stranded = _stranded(table, seat)
        if self.player not in stranded:
            wrong = f"You cannot take the leaders of {self.player} now."
            if not table.edition.new_units_take_leaders:
                raise Refusal("CC-CAP-05", wrong, "You can attack leaders without units in the combat phase.")
            allowed = f"Players whose leaders your new units can take: {or_none(stranded)}."
            raise Refusal("CC-CAP-06", wrong, allowed)
        capture.defeat(draft, table.leaders_at(table.home(seat), self.player), seat, "CC-CAP-06")

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if stranded := _stranded(table, seat):
            yield cls.option("Take stranded leaders", {"player": schema.one_of(stranded)})


class FinishTurn(Command, frozen=True):
    """End the turn (CC-TRN-03), when everything is placed (CC-PLC-09) and no offer of ransom is open (CC-RAN-05).

    In the community edition, since version 2, the turn then ends by itself as soon as there are no talks to wait for
    (CC-RAN-13).
    """

    rules = ("CC-TRN-03", "CC-PLC-09", "CC-RAN-05", "CC-RAN-13")
    answers = frozenset({"place"})
    gesture = Gesture(quiet=True, called="End your turn")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        wrong = "You cannot end your turn yet."
        if unplaced := _pieces_to_place(table).total:
            raise Refusal("CC-PLC-09", wrong, f"Pieces that you bought and must place first: {unplaced}.")
        others = [other for other in talks.waiting(table) if other != seat]
        if others or (table.offers and table.edition.turns_wait_for_talks):
            draft.emit(talks.TalksWaived(seat))
            return
        if table.offers:
            raise Refusal("CC-RAN-05", wrong, "Every offer of ransom must first be answered or withdrawn.")
        draft.emit(PlacementFinished(seat))
        turn.end(draft)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if _may_finish(table):
            yield cls.option()


def place(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the active player to place or to finish, and others to answer offers of ransom or to negotiate."""
    seat, pieces = table.acting, _pieces_to_place(table)
    if (event := _automatic(table, seat)) is not None:
        return lambda draft: _carry_out(draft, event)
    answers = ransom.decisions(table)
    if not _is_asked(table, seat):
        return answers
    title = "Where do you place what you bought?" if pieces.total else "Do you end your turn?"
    about = {kind: count for kind in pieces.__struct_fields__ if (count := getattr(pieces, kind))}
    depends = "The next turn begins when everything is placed and no offer of ransom is open."
    return [Decision("place", (seat,), RuleId("CC-PLC-09"), title, depends, {"left": about}), *answers]


def _carry_out(draft: Draft[Table], event: Event) -> None:
    draft.emit(event)
    if isinstance(event, CityPlaced):
        inflation.watch(draft)
    if isinstance(event, PlacementFinished):
        turn.end(draft)


EVENTS = (UnitsPlaced, GalleyPlaced, CityPlaced, FortificationPlaced, RoadPlaced, PlacementFinished)
COMMANDS = (PlaceGalley, PlaceCity, PlaceFortification, PlaceRoad, TakeLeaders, FinishTurn)
