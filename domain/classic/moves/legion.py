"""Legions: which leaders and units can make a step together (chapter MOV). Marches and requests for passage ask this.

A group names its units by the movement points that they have left, because no piece may spend more than its own points
(CC-MOV-06).
"""

from collections.abc import Iterable, Sequence
from typing import Any

from domain.classic.box.state import Group
from domain.classic.box.table import Table
from domain.conquest.pieces import NO_UNITS, Units
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.schema import Schema

LARGEST_LEGION = 7
"""Land combat units that one leader leads in a step (CC-MOV-09)."""


# --- who can go ---


def movable(table: Table, seat: Seat, origin: AreaId, *, riding: bool) -> Group:
    """Return all pieces that can leave `origin`; when `riding`, also those that continue the open journey for free."""
    journey = table.journey if riding else None
    travellers = journey.leaders if journey else ()
    leaders = tuple(
        name
        for name, leader in table.leaders.items()
        if leader.at == origin and leader.owner == seat and (leader.moves or name in travellers)
    )
    army = table.army(origin, seat)
    return Group(leaders, army.fresh, army.tired, journey.riders if journey else NO_UNITS)


def riders(table: Table, seat: Seat, origin: AreaId) -> Group:
    """Return the pieces that can continue along the road of the open journey without anybody joining."""
    journey = table.journey
    assert journey is not None, "a road move is under way"
    leaders = tuple(name for name in table.leaders_at(origin, seat) if name in journey.leaders)
    return Group(leaders, NO_UNITS, journey.tired_riders, journey.riders)


def goes_on(table: Table, origin: AreaId, to: AreaId) -> bool:
    """Tell whether the open journey is in `origin` and has not yet visited `to` (CC-ROAD-12)."""
    journey = table.journey
    return journey is not None and journey.at == origin and to not in journey.visited


def in_journey(table: Table, group: Group) -> bool:
    """Tell whether the group consists only of those who are on the open journey."""
    journey = table.journey
    return (
        journey is not None
        and set(group.leaders) <= set(journey.leaders)
        and not group.units.total
        and group.tired <= journey.tired_riders
    )


# --- what is wrong with a step ---


def origins(table: Table, seat: Seat) -> list[AreaId]:
    """Return the provinces from which leaders can step; while leaders must leave some provinces, only those."""
    must_leave = among_enemies(table, seat)
    if must_leave:
        return list(must_leave)
    travellers = table.journey.leaders if table.journey else ()
    places = (
        leader.at
        for name, leader in table.leaders.items()
        if leader.at is not None and leader.owner == seat and (leader.moves or name in travellers)
    )
    return list(dict.fromkeys(places))


def check_border(table: Table, seat: Seat, origin: AreaId, to: AreaId) -> None:
    """Raise `Refusal` unless a step leads from `origin` to `to` and may be made now."""
    if origin in table.map.seas or to in table.map.seas:
        raise Refusal("CC-MOV-26", f"You cannot march from {origin} to {to}.", "Both must be provinces.")
    near = table.map.land_neighbours(origin) if origin in table.provinces else ()
    if to not in near:
        allowed = f"{origin} is adjacent to {', '.join(near) or 'no province'}."
        raise Refusal("CC-BRD-04", f"{origin} and {to} are not adjacent.", allowed)
    must_leave = among_enemies(table, seat)
    if must_leave and origin not in must_leave:
        raise stuck(*must_leave)


def stuck(*provinces: AreaId) -> Refusal:
    """Return the refusal of a step or request that would leave leaders alone among enemy units."""
    return Refusal(
        "CC-ALY-08",
        f"Your leaders would be without units in {', '.join(provinces)}, where other players' units are.",
        "Leaders who pass through without units must move on at once, and must have a way out that needs no consent.",
    )


def check(table: Table, seat: Seat, origin: AreaId, group: Group, *, riding: bool) -> None:
    """Raise `Refusal` unless the group is in `origin`, has the points for a step, and has enough leaders."""
    if not group.leaders:
        raise Refusal("CC-MOV-03", f"You named no leader in {origin}.", "Units move only with a leader.")
    if len(set(group.leaders)) < len(group.leaders):
        raise Refusal("CC-MOV-10", "You named the same leader twice.", "Name each leader once.")
    for name in group.leaders:
        _check_leader(table, seat, origin, name, riding=riding)
    _check_units(table, seat, origin, group, riding=riding)
    if group.size > LARGEST_LEGION * len(group.leaders):
        raise Refusal(
            "CC-MOV-09",
            f"You asked to move {group.size} land combat units with {len(group.leaders)} leader(s).",
            f"Each leader leads at most {LARGEST_LEGION}.",
        )


def _check_leader(table: Table, seat: Seat, origin: AreaId, name: str, *, riding: bool) -> None:
    leader = table.leaders.get(name)
    if leader is None or leader.owner != seat:
        raise Refusal("CC-MOV-25", f"{name} is not one of your leaders.", "You can only move your own pieces.")
    if leader.captor is not None:
        raise Refusal("CC-CAP-08", f"{name} is a prisoner.", "A captured general can do nothing until released.")
    if leader.aboard is not None:
        rule, allowed = table.edition.cite("CC-SEA-11"), "Leaders cannot march in the turn in which they land."
        raise Refusal(rule, f"{name} is aboard {leader.aboard}.", allowed)
    if leader.at != origin:
        raise Refusal("CC-MOV-03", f"{name} is not in {origin}.", f"Only leaders in {origin} can move from there.")
    if leader.landed:
        rule = table.edition.cite("CC-SEA-11")
        raise Refusal(rule, f"{name} landed this turn.", "Pieces that have landed cannot move again this turn.")
    if not leader.moves and not (riding and table.journey and name in table.journey.leaders):
        raise _exhausted(table, seat, origin, name)


def _exhausted(table: Table, seat: Seat, origin: AreaId, name: str) -> Refusal:
    if table.enemies_in(origin, seat):
        stop = table.edition.cite("CC-MOV-13")
        return Refusal(stop, f"{name} met enemy units in {origin}.", "Pieces that meet enemy units stop for this turn.")
    return Refusal("CC-MOV-06", f"{name} has no movement points left.", "Leaders have 2 points each turn.")


def _check_units(table: Table, seat: Seat, origin: AreaId, group: Group, *, riding: bool) -> None:
    army = table.army(origin, seat)
    on_road = table.journey.riders if riding and table.journey else NO_UNITS
    if group.units.within(army.fresh) and group.tired <= army.tired and group.riders.within(on_road):
        return
    total = group.units + group.riders + Units(cavalry=group.tired)
    if not total.within(army.units):
        raise Refusal("CC-MOV-25", f"You asked to move {total} from {origin}.", f"You have {army.units} there.")
    if not total.within(army.by_land):
        rule, allowed = table.edition.cite("CC-SEA-11"), "Units that have landed cannot move again this turn."
        raise Refusal(rule, "Some of these units landed this turn.", allowed)
    capable = f"Units with all their points: {army.fresh}. Cavalry with one point: {army.tired}."
    if table.enemies_in(origin, seat) and not total.within(army.fresh + Units(cavalry=army.tired) + on_road):
        rule = table.edition.cite("CC-MOV-13")
        raise Refusal(rule, "Some of these units met enemy units and must stop for this turn.", capable)
    if not group.riders.within(on_road):
        raise Refusal(
            "CC-ROAD-11",
            f"You asked to continue along the road from {origin} with {group.riders}.",
            f"Units that can continue: {on_road}. Units that were left on the way have ended their road move.",
        )
    raise Refusal("CC-MOV-06", "Some of these units have too few movement points for this step.", capable)


# --- leaders alone among enemies ---


def among_enemies(table: Table, seat: Seat) -> dict[AreaId, list[str]]:
    """Return, by province, leaders who came this turn where others have units and their own side has none.

    They are passing through with consent and must leave (CC-ALY-08, CC-MOV-19). Leaders who were there when the
    turn began may stay: they have not ended a movement there (CC-MOV-22).
    """
    by_province: dict[AreaId, list[str]] = {}
    for name, leader in table.leaders.items():
        if leader.at is None or leader.owner != seat or not (leader.marched or leader.landed):
            continue
        armies = table.provinces[leader.at].armies
        if armies and seat not in armies:
            by_province.setdefault(leader.at, []).append(name)
    return by_province


def question(table: Table, seat: Seat) -> str:
    """Return the kind of decision that the active player has to take in the movement phase."""
    return "pass-on" if among_enemies(table, seat) else "move"


# --- options ---


def fields(pool: Group, leaders: Sequence[str], must: Iterable[str] = ()) -> dict[str, Schema]:
    """Return the fields of a command that name a group: units of `pool`, and some of `leaders`, with all of `must`."""
    shape = {
        "leaders": schema.subset(leaders, 1, including=must),
        "units": _units(pool.units),
        "riders": _units(pool.riders),
    }
    return {**shape, "tired": schema.count(0, pool.tired)} if pool.tired else shape


def limits(fewest: int, most: int | None = None) -> list[dict[str, Any]]:
    """Return the ``x-total`` keyword of an option: how many units a group may have."""
    sizes = ["units", "tired", "riders"]
    rules: list[dict[str, Any]] = [{"of": sizes, "maximum": LARGEST_LEGION, "times": "leaders"}]
    if fewest:
        rules.append({"of": sizes, "minimum": fewest})
    if most is not None:
        rules.append({"of": sizes, "maximum": most})
    return rules


OPTIONAL = ("units", "riders", "tired")
"""The fields of a group that may be left out."""


def fields_of(group: Group) -> dict[str, Schema]:
    """Return the fields of a command that name exactly this group."""
    shape = {
        "leaders": schema.subset(group.leaders, len(group.leaders)),
        "units": _exact_units(group.units),
        "riders": _exact_units(group.riders),
    }
    return {**shape, "tired": schema.const(group.tired)} if group.tired else shape


def exact_optional(group: Group) -> list[str]:
    """Return the fields of `fields_of` that may be left out: those that name nothing."""
    return [name for name, units in (("units", group.units), ("riders", group.riders)) if not units.total]


def _units(available: Units) -> Schema:
    counts = {kind: schema.count(0, number) for kind, number in available.by_type.items() if number}
    return schema.record(counts, counts)


def _exact_units(units: Units) -> Schema:
    return schema.record({kind: schema.const(number) for kind, number in units.by_type.items() if number})
