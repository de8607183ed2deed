"""Where reinforcements may stand, and how many of them (IT-RNF-01, IT-RNF-03, IT-RNF-04, IT-RNF-09, IT-RNF-11)."""

from collections.abc import Mapping

from domain.italia.box.entries import Arrival, At, Controlled, Open
from domain.italia.box.pieces import FLEET, FleetId, NationId
from domain.italia.box.state import Arriving
from domain.italia.box.table import Table
from domain.kernel.ids import AreaId


def entry_of(table: Table, one: Arriving) -> Arrival:
    """Return the entry of the card that brings reinforcements."""
    return table.cards.nations[one.nation].arrivals[one.entry]


def areas_for(table: Table, one: Arriving) -> list[AreaId]:
    """Return the land areas, or the sea areas of the card, where reinforcements may stand (IT-RNF-01, IT-RNF-03).

    A nation that controls no area of those that the card allows puts them where the card says then, or into any entry
    area (IT-RNF-09, IT-RNF-11).
    """
    entry, nation = entry_of(table, one), one.nation
    place = entry.place
    if isinstance(place, At):
        areas = list(place.areas)
    elif isinstance(place, Open):
        allowed = place.among.on(table.map)
        areas = [area for area in allowed if not table.armies.get(area) or nation in table.armies[area]]
    else:
        areas = _controlled(table, nation, place) or list(place.fallback)
        if not areas and one.units:
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


def seas_for(table: Table, one: Arriving) -> list[AreaId]:
    """Return the sea areas where fleets of reinforcements may stand."""
    place = entry_of(table, one).place
    if isinstance(place, Open):
        return list(place.seas)
    areas = areas_for(table, one)
    at_sea = [area for area in areas if area in table.map.seas]
    return at_sea or sorted({sea for area in areas for sea in table.seas_of(area)})


def rooms(table: Table, one: Arriving) -> dict[str, int]:
    """Return where land units and leaders can be placed now, and how many units: areas, and fleets that came along.

    Leaders need no room.
    """
    entry, place = entry_of(table, one), entry_of(table, one).place
    if one.chosen is not None:
        return {one.chosen: sum(one.units.values())}
    if table.rules.company_stays_together and (with_leader := _company(table, one)) is not None:
        return with_leader
    number_on_land = _on_land(one)
    room_at: dict[str, int] = dict.fromkeys(land_for(table, one), number_on_land)
    if entry.spread == "with-leader" and entry.leaders and one.at:
        room_at = dict.fromkeys(one.at, number_on_land)
    elif entry.spread == "among-leaders" and not one.leaders:
        room_at = {
            area: number_on_land
            for area in room_at
            if set(table.army(AreaId(area), one.nation).leaders) & set(entry.leaders)
        }
    if isinstance(place, Controlled) and place.most_each is not None:
        room_at = _few_each(table, one, place, room_at)
    room_at |= aboard(table, one)
    return {to: number for to, number in room_at.items() if number or one.leaders}


def _on_land(one: Arriving) -> int:
    """Return how many land units are left to place."""
    return sum(number for kind, number in one.units.items() if kind != FLEET)


def land_for(table: Table, one: Arriving) -> list[AreaId]:
    """Return the areas where land units and leaders may stand, without asking who stands there already."""
    entry = entry_of(table, one)
    areas = [area for area in areas_for(table, one) if area in table.map.lands]
    if not areas and isinstance(entry.place, At):  # they arrive at sea: who is not aboard stands where the nation is
        return [] if entry.aboard == "must" else _controlled(table, one.nation, Controlled())
    return areas


def aboard(table: Table, one: Arriving) -> dict[str, int]:
    """Return the fleets that came along and may carry units, each with its room."""
    if entry_of(table, one).aboard == "no":
        return {}
    return {fleet: table.data.fleet_capacity - table.fleets[fleet].cargo.size for fleet in one.fleets}


def _company(table: Table, one: Arriving) -> dict[str, int] | None:
    """Return where units stand with their leader: in his area, or aboard in his sea area (IT-RNF-04).

    None where he is still to be placed, or where they need not stand with him.
    """
    entry = entry_of(table, one)
    if entry.spread != "with-leader" or one.leaders:
        return None
    place = next((at for leader in entry.leaders if (at := table.place_of(leader)) is not None), None)
    if place is None:
        return None
    if place in table.map.lands:
        return {place: number} if (number := _on_land(one)) else {}
    fleets = aboard(table, one)
    return {name: room for name, room in fleets.items() if room and table.fleets[FleetId(name)].sea == place}


def _few_each(table: Table, one: Arriving, place: Controlled, counts: Mapping[str, int]) -> dict[str, int]:
    """Return where units stand that come a few to each area, or all together in one (IT-I1-32)."""
    assert place.most_each is not None, "a card that limits the units of each area"
    together = place.or_all_in
    if together is not None and one.at.get(together, 0) > place.most_each:
        return {**dict.fromkeys(counts, 0), together: sum(one.units.values())}
    rest = {area: max(0, place.most_each - one.at.get(AreaId(area), 0)) for area in counts}
    if together is not None and not sum(one.at.values()) and not set(table.nations_at(together)) - {one.nation}:
        rest[together] = sum(one.units.values())
    return rest
