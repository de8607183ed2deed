"""Forces in a battle: counts by owner and type, galleys also by the sea zone to which they return (CS-BAT-10)."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from domain.campaign.box.data import Pact, Training
from domain.campaign.box.state import CARD, SLAVES, Army, Battle, Group
from domain.campaign.box.table import Table
from domain.conquest.pieces import KINDS, Units, amount_of
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.message import Names, enumerated

Force = Mapping[Group, int]
GALLEYS = "galleys"


class GroupParts(NamedTuple):
    """What the name of a group of units says."""

    owner: Seat
    kind: str
    sea: AreaId | None = None


def group(owner: Seat, kind: str, sea: AreaId | None = None) -> Group:
    """Return the name of a group of units."""
    return f"{owner}/{kind}" if sea is None else f"{owner}/{kind}/{sea}"


def parts_of(name: Group) -> GroupParts:
    """Return the owner, kind and sea zone that the name of a group says."""
    owner, kind, *sea = name.split("/")
    return GroupParts(Seat(owner), kind, AreaId(sea[0]) if sea else None)


def force(owner: Seat, units: Units, galleys: Mapping[AreaId, int] | None = None) -> dict[Group, int]:
    """Return the force of one owner's units."""
    land = {group(owner, kind): number for kind, number in units.by_type.items() if number}
    return land | {group(owner, GALLEYS, sea): number for sea, number in (galleys or {}).items() if number}


def joined(*forces: Force) -> dict[Group, int]:
    """Return forces together, their groups sorted, as they are when a log is read."""
    total: dict[Group, int] = {}
    for each in forces:
        for name, number in each.items():
            total[name] = total.get(name, 0) + number
    return dict(sorted(total.items()))


def without(one: Force, losses: Force) -> dict[Group, int]:
    """Return a force without what it lost."""
    return {name: rest for name, number in one.items() if (rest := number - losses.get(name, 0))}


def size(units: Force) -> int:
    """Return how many units a force has."""
    return sum(units.values())


def by_type(units: Force) -> tuple[Units, int]:
    """Return the land units of a force and how many galleys it has, of all owners."""
    kinds = {"infantry": 0, "cavalry": 0, "catapults": 0, GALLEYS: 0}
    for name, number in units.items():
        kinds[parts_of(name).kind] += number
    return Units(kinds["infantry"], kinds["cavalry"], kinds["catapults"]), kinds[GALLEYS]


def phantoms(table: Table, seat: Seat, place: AreaId, *, naval: bool) -> dict[Group, int]:
    """Return the units that Diplomacy cards add to a participant's force (CS-EFF-09, CS-EFF-12)."""
    units_of_cards: dict[Group, int] = {}
    for card, number in table.cards_of(seat) if seat != SLAVES else ():
        match card.effect:
            case Pact(province) as pact if province == (None if naval else place):
                units = Units(pact.infantry * number, pact.cavalry * number)
                galleys = {group(CARD, GALLEYS): pact.galleys * number} if pact.galleys else {}
                units_of_cards = joined(units_of_cards, force(CARD, units), galleys)
            case _:
                pass
    return units_of_cards


def training(table: Table, seat: Seat, *, naval: bool) -> int:
    """Return how many dice a participant's own cards add (CS-BAT-15, CS-EFF-23, CS-EFF-24)."""
    if seat == SLAVES:
        return 0
    own = [(card.effect, number) for card, number in table.cards_of(seat)]
    return sum(number * (each.sea if naval else each.land) for each, number in own if isinstance(each, Training))


def available_galleys(table: Table, battle: Battle, seat: Seat) -> dict[AreaId, int]:
    """Return, by sea zone, the galleys that a player could send into a battle (CS-BAT-04, CS-BAT-07, CS-NAV-06)."""
    seas: Iterable[AreaId] = (battle.place,) if battle.naval else table.seas_of(battle.place)
    return {sea: number for sea in seas if (number := table.galleys(sea, seat))}


def by_owner(units: Force, first: Seat) -> dict[Seat, Counter[str]]:
    """Return the units of each owner by type, wherever its galleys are from; those of `first` come first."""
    counts = {owner: Counter[str]() for owner in (first, *sorted(parts_of(name).owner for name in units))}
    for name, number in units.items():
        counts[parts_of(name).owner][parts_of(name).kind] += number
    return counts


def in_words(units: Force, seat: Seat, names: Names) -> str:
    """Say what a participant's force is: "2 infantry and 4 phantom infantry, and 1 galley lent by Blue"."""
    counts = by_owner(units, seat)
    own = [amount_of(kind, number) for kind, number in in_order(counts.pop(seat))]
    counted_phantoms = (amount_of(kind, number) for kind, number in in_order(counts.pop(CARD, Counter())))
    phantom = [each.replace(" ", " phantom ", 1) for each in counted_phantoms]
    loans = [f"{_all(each)} lent by {names(owner)}" for owner, each in counts.items()]
    if not own and not phantom:
        return enumerated(loans) or "no units"
    return f"{enumerated([*own, *phantom])}{f', and {enumerated(loans)}' if loans else ''}"


def _all(counts: Mapping[str, int]) -> str:
    return enumerated([amount_of(kind, number) for kind, number in in_order(counts)])


def in_order(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return numbers of units by type, in the order of the box."""
    return [(kind, counts[kind]) for kind in (*KINDS, GALLEYS) if counts.get(kind)]


def participant(seat: Seat, names: Names) -> str:
    """Return the name of a participant. Slaves have no seat."""
    return "the slaves" if seat == SLAVES else names(seat)


def take_off(table: Table, place: AreaId, losses: Force) -> None:
    """Remove units from the board; phantom units and slaves were never on it. For `apply` only."""
    for name, number in losses.items():
        owner, kind, sea = parts_of(name)
        if owner in (CARD, SLAVES):
            continue
        if sea is not None:
            table.add_galleys(sea, owner, -number)
        else:
            table.set_army(place, owner, table.army(place, owner) - Army(Units(**{kind: number})))
