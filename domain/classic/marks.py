"""What a picture of a Classic table shows."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

from domain.classic.purchase import SINGULAR
from domain.classic.table import Galley, Leader, Units
from domain.classic.view import SeatView, View
from domain.kernel.marks import Link, Mark, Marks, Place, Shelf, Stack, Standing
from domain.kernel.message import Names
from domain.kernel.words import AreaId, Seat

COLOURS: Final[Mapping[Seat, str]] = {
    Seat("red"): "#b3282d",
    Seat("blue"): "#2b5fb0",
    Seat("green"): "#2f7d3b",
    Seat("yellow"): "#e3b505",
    Seat("purple"): "#7d3c98",
    Seat("black"): "#3a3a3c",
}

CITY: Final = Mark("city", words="city")
FORTIFIED: Final = Mark("fortified-city", words="fortified city")
DUE: Final = Mark("battle-due", words="a battle must be fought here")

Leaders = Mapping[tuple[str, Seat], list[str]]
"""The leaders by the place or galley where they are, and by the seat that they serve."""


def of(view: View, names: Names) -> Marks:
    """Return what everybody sees."""
    leaders: defaultdict[tuple[str, Seat], list[str]] = defaultdict(list)
    for name, leader in view.leaders.items():
        if (where := leader.at or leader.aboard) is not None:
            leaders[where, leader.owner].append(name)
    galleys: defaultdict[AreaId, list[str]] = defaultdict(list)
    for name, galley in view.galleys.items():
        galleys[galley.at].append(name)
    battles = dict(_battles(view, names))
    due = set(view.combat.battles if view.combat else ()) - battles.keys()
    places: dict[AreaId, Place] = {}
    for area, province in view.provinces.items():
        sites = (FORTIFIED,) if province.fortified and province.city else (CITY,) if province.city else ()
        seats = dict.fromkeys((*province.armies, *(seat for where, seat in leaders if where == area)))
        armies = [
            _army(seat, province.armies[seat].units if seat in province.armies else Units(), leaders[area, seat], view)
            for seat in seats
        ]
        stacks = (*armies, *_ships(galleys.pop(area, []), leaders, view, names))
        if province.owner is not None or sites or stacks:
            shown = (*sites, DUE) if area in due else sites
            places[area] = Place(province.owner, shown, stacks, battles.get(area, ""))
    for area, ships in galleys.items():
        places[area] = Place(None, (), tuple(_ships(ships, leaders, view, names)), battles.get(area, ""))
    return Marks(
        places=places,
        links=tuple(_roads(view, names)),
        standings=tuple(_standing(seat, view, names) for seat in view.order or view.seats),
        shelves=tuple(_shelves(view, names)),
    )


# --- on the board ---


def _army(seat: Seat, units: Units, leaders: list[str], view: View) -> Stack:
    marks = (*_units(units), *(_leader(name, view.leaders[name]) for name in leaders))
    return Stack(seat, marks, f"{seat.title()}: {_listed(marks)}")


def _units(units: Units) -> Iterator[Mark]:
    for kind, count in units.by_type.items():
        if count:
            yield Mark(kind, count, words=_counted(kind, count))


def _leader(name: str, leader: Leader) -> Mark:
    words = name.removeprefix(f"{leader.owner}-").replace("-", " ").title()
    return Mark(leader.kind, label=name.rpartition("-")[2] if leader.kind == "general" else "", words=words)


def _ships(ships: list[str], leaders: Leaders, view: View, names: Names) -> Iterator[Stack]:
    """Yield galleys with something aboard one by one, the empty ones of a seat together."""
    empty: defaultdict[Seat, list[str]] = defaultdict(list)
    for ship in ships:
        galley = view.galleys[ship]
        aboard = (
            *_units(galley.cargo),
            *(_leader(name, view.leaders[name]) for name in leaders.get((ship, galley.owner), ())),
        )
        if not aboard:
            empty[galley.owner].append(ship)
            continue
        hull = Mark("galley", words=f"{names(ship)}, {_where(galley)}")
        yield Stack(galley.owner, (hull, *aboard), f"{_titled(ship, galley)} {_where(galley)} with {_listed(aboard)}")
    for seat, idle in empty.items():
        where = _where(view.galleys[idle[0]])
        words = f"{len(idle)} galleys" if len(idle) > 1 else "galley"
        mark = Mark("galley", len(idle), words=f"{words} {where}")
        yield Stack(seat, (mark,), f"{seat.title()}: {words} {where}")


def _where(galley: Galley) -> str:
    return "at sea" if galley.coast is None else "on the coast"


def _titled(ship: str, galley: Galley) -> str:
    return f"{galley.owner.title()} {ship.removeprefix(f'{galley.owner}-').replace('-', ' ')}"


def _roads(view: View, names: Names) -> Iterator[Link]:
    for road in view.roads:
        one, _, other = road.partition("|")
        yield Link("road", (AreaId(one), AreaId(other)), f"road between {names(one)} and {names(other)}")


def _battles(view: View, names: Names) -> Iterator[tuple[AreaId, str]]:
    if (battle := view.battle) is not None:
        sides = f"{names(battle.attacker.seat)} against {names(battle.defender.seat)}"
        yield battle.province, f"battle, round {battle.round}: {sides}"
    if (naval := view.naval_battle) is not None:
        sides = f"{names(naval.attacker.seat)} against {names(naval.defender.seat)}"
        yield naval.sea, f"naval battle, cycle {naval.cycle}: {sides}"


# --- beside the board ---


def _standing(seat: Seat, view: View, names: Names) -> Standing:
    each = view.seats[seat]
    armies = (province.armies[seat].units for province in view.provinces.values() if seat in province.armies)
    fleet = [galley for galley in view.galleys.values() if galley.owner == seat]
    figures = {
        "tribute": each.tribute,
        "talents": each.talents,
        "provinces": each.provinces,
        "cities": sum(province.city for province in view.provinces.values() if province.owner == seat),
        "units": sum(units.total for units in armies) + sum(galley.cargo.total for galley in fleet),
        "galleys": len(fleet),
    }
    prisoners = tuple(
        Mark(
            "prisoner",
            label="" if name.endswith("caesar") else name.rpartition("-")[2],
            seat=view.leaders[name].colour,
            words=f"{names(name)}, prisoner",
        )
        for name in each.prisoners
    )
    return Standing(seat, figures, prisoners, seat == view.active, _fallen(each, seat, view, names))


def _fallen(each: SeatView, seat: Seat, view: View, names: Names) -> str:
    if each.fallen_to is not None:
        return f"fell to {names(each.fallen_to)}"
    return "won the game" if view.winner == seat else ""


def _shelves(view: View, names: Names) -> Iterator[Shelf]:
    if view.bought is not None and view.active is not None:
        bought = Counter({kind: getattr(view.bought, kind) for kind in view.prices})
        kinds = {"galleys": "galley", "cities": "city", "fortifications": "fortification", "roads": "road"}
        yield Shelf(
            f"{names(view.active)} has to place",
            tuple(
                Mark(kinds.get(kind, kind), count, seat=view.active, words=_counted(kind, count))
                for kind, count in bought.items()
                if count
            ),
        )
    if view.offers:
        yield Shelf(
            "Ransoms offered",
            tuple(
                Mark("offer", label=str(offer.talents), seat=offer.proposer, words=f"for {names(offer.general)}")
                for offer in view.offers
            ),
        )
    if view.alliances:
        yield Shelf(
            "Alliances",
            tuple(
                Mark(
                    "alliance",
                    seat=alliance.proposer,
                    words=names.all(alliance.members)
                    + ("" if set(alliance.members) <= {*alliance.accepted, alliance.proposer} else ", proposed"),
                )
                for alliance in view.alliances
            ),
        )


def _counted(kind: str, count: int) -> str:
    return f"{count} {SINGULAR.get(kind, kind) if count == 1 else kind}"


def _listed(marks: tuple[Mark, ...]) -> str:
    words = [mark.words for mark in marks]
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]])) if words else "nothing"
