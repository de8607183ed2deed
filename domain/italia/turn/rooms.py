"""Where reinforcements may stand, and how many of them (IT-RNF-01, IT-RNF-03, IT-RNF-04, IT-RNF-09, IT-RNF-11)."""

from collections.abc import Mapping

from domain.italia.box.entries import Arrival, At, Controlled, Open
from domain.italia.box.pieces import FLEET, FleetId, NationId
from domain.italia.box.state import Arriving
from domain.italia.box.table import Table
from domain.kernel.ids import AreaId


def entry_of(table: Table, arriving: Arriving) -> Arrival:
    """Return the entry of the card that brings reinforcements."""
    return table.cards.nations[arriving.nation].arrivals[arriving.entry]


def areas_for(table: Table, arriving: Arriving) -> list[AreaId]:
    """Return the land areas, or the sea areas of the card, where reinforcements may stand (IT-RNF-01, IT-RNF-03).

    If the nation controls none of the areas that the card allows, they stand in the fallback of the card or, if units
    come and it has none, in any entry area (IT-RNF-09, IT-RNF-11).
    """
    entry, nation = entry_of(table, arriving), arriving.nation
    place = entry.place
    if isinstance(place, At):
        areas = list(place.areas)
    elif isinstance(place, Open):
        allowed = place.among.on(table.map)
        areas = [area for area in allowed if not table.armies.get(area) or nation in table.armies[area]]
    else:
        areas = _controlled(table, nation, place) or list(place.fallback)
        if not areas and arriving.units:
            areas = [area for area in table.map.lands if table.is_entry(area)]
    if entry.apart_from is not None:
        barred = table.leader_at(entry.apart_from)
        areas = [area for area in areas if area != barred]
    return areas


def _controlled(table: Table, nation: NationId, place: Controlled) -> list[AreaId]:
    return [
        area
        for area in table.areas_of(nation)
        if table.treats_as_normal(nation, area)
        and (place.region is None or place.region in table.map.area(area).traits["region"])
    ]


def seas_for(table: Table, arriving: Arriving) -> list[AreaId]:
    """Return the sea areas where fleets of reinforcements may stand."""
    place = entry_of(table, arriving).place
    if isinstance(place, Open):
        return list(place.seas)
    areas = areas_for(table, arriving)
    at_sea = [area for area in areas if area in table.map.seas]
    return at_sea or sorted({sea for area in areas for sea in table.seas_of(area)})


def rooms(table: Table, arriving: Arriving) -> dict[str, int]:
    """Return where land units and leaders can be placed now, and how many units: areas, and fleets that came along.

    Leaders need no room.
    """
    entry, place = entry_of(table, arriving), entry_of(table, arriving).place
    if arriving.chosen is not None:
        return {arriving.chosen: sum(arriving.units.values())}
    if table.rules.company_stays_together and (with_leader := _company(table, arriving)) is not None:
        return with_leader
    number_on_land = _on_land(arriving)
    room_at: dict[str, int] = dict.fromkeys(land_for(table, arriving), number_on_land)
    if entry.spread == "with-leader" and entry.leaders and arriving.at:
        room_at = dict.fromkeys(arriving.at, number_on_land)
    elif entry.spread == "among-leaders" and not arriving.leaders:
        room_at = {
            area: number_on_land
            for area in room_at
            if set(table.army(AreaId(area), arriving.nation).leaders) & set(entry.leaders)
        }
    if isinstance(place, Controlled) and place.most_each is not None:
        room_at = _few_each(table, arriving, place, room_at)
    room_at |= fleets_for(table, arriving)
    return {to: number for to, number in room_at.items() if number or arriving.leaders}


def _on_land(arriving: Arriving) -> int:
    """Return how many land units are left to place."""
    return sum(number for kind, number in arriving.units.items() if kind != FLEET)


def land_for(table: Table, arriving: Arriving) -> list[AreaId]:
    """Return the areas where land units and leaders may stand, without asking who stands there already."""
    entry = entry_of(table, arriving)
    areas = [area for area in areas_for(table, arriving) if area in table.map.lands]
    if not areas and isinstance(entry.place, At):  # they arrive at sea: units on land stand where the nation is
        return [] if entry.aboard == "must" else _controlled(table, arriving.nation, Controlled())
    return areas


def fleets_for(table: Table, arriving: Arriving) -> dict[str, int]:
    """Return the fleets that came along and may carry units, each with its room."""
    if entry_of(table, arriving).aboard == "no":
        return {}
    return {fleet: table.data.fleet_capacity - table.fleets[fleet].cargo.size for fleet in arriving.fleets}


def _company(table: Table, arriving: Arriving) -> dict[str, int] | None:
    """Return the room for units with their leader: in his area, or aboard in his sea area (IT-RNF-04).

    None when he is still to be placed, or when they need not stand with him.
    """
    entry = entry_of(table, arriving)
    if entry.spread != "with-leader" or arriving.leaders:
        return None
    place = next((at for leader in entry.leaders if (at := table.place_of(leader)) is not None), None)
    if place is None:
        return None
    if place in table.map.lands:
        return {place: number} if (number := _on_land(arriving)) else {}
    fleets = fleets_for(table, arriving)
    return {name: room for name, room in fleets.items() if room and table.fleets[FleetId(name)].sea == place}


def _few_each(table: Table, arriving: Arriving, place: Controlled, counts: Mapping[str, int]) -> dict[str, int]:
    """Return the room in each area if the card limits it; it may let all units stand in one area instead (IT-I1-32)."""
    assert place.most_each is not None, "a card that limits the units of each area"
    together = place.or_all_in
    if together is not None and arriving.at.get(together, 0) > place.most_each:
        return {**dict.fromkeys(counts, 0), together: sum(arriving.units.values())}
    rest = {area: max(0, place.most_each - arriving.at.get(AreaId(area), 0)) for area in counts}
    if (
        together is not None
        and not sum(arriving.at.values())
        and not set(table.nations_at(together)) - {arriving.nation}
    ):
        rest[together] = sum(arriving.units.values())
    return rest
