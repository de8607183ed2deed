"""The marks in pictures of a Classic table: pieces, roads, battles, standings, and what lies beside the board."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from domain.classic.box.pieces import Galley
from domain.classic.box.state import Alliance
from domain.classic.display.view import SeatView, View
from domain.conquest.marks import CITY, listed, units_of
from domain.conquest.pieces import NO_UNITS, Units, amount_of
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.board import SHORE, Board
from domain.kernel.rules.marks import Link, Mark, Marks, Place, Shelf, Stack, Standing
from domain.kernel.rules.message import Names

FORTIFIED: Final = Mark("fortified-city", words="fortified city")
DUE: Final = Mark("battle-due", words="a battle must be fought here")


def printed(board: Board) -> dict[AreaId, tuple[Mark, ...]]:
    """Return the marks printed on the provinces: their tribute (CC-BRD-02)."""
    return {
        area.id: (Mark("tribute", label=str(tribute), words=f"tribute {tribute} talents"),)
        for area in board.areas
        if (tribute := area.values.get("tribute")) is not None
    }


def of(view: View, names: Names) -> Marks:
    """Return the marks of a position as everybody sees it."""
    leaders: defaultdict[str, defaultdict[Seat, list[tuple[str, str]]]] = defaultdict(lambda: defaultdict(list))
    for name, leader in view.leaders.items():
        if (where := leader.at or leader.aboard) is not None:
            leaders[where][leader.owner].append((leader.kind, name))
    galleys: defaultdict[AreaId, list[str]] = defaultdict(list)
    for name, galley in view.galleys.items():
        galleys[galley.at].append(name)
    battles = dict(_battles(view, names))
    still_to_fight = set(view.combat.battles if view.combat else ()) - battles.keys()
    places: dict[AreaId, Place] = {}
    for area, province in view.provinces.items():
        sites = (FORTIFIED,) if province.fortified and province.city else (CITY,) if province.city else ()
        armies = province.armies
        present: Mapping[Seat, list[tuple[str, str]]] = leaders.get(area, {})
        stacks = [
            _army(seat, armies[seat].units if seat in armies else NO_UNITS, tuple(sorted(present.get(seat, ()))))
            for seat in (armies if armies.keys() >= present.keys() else dict.fromkeys((*armies, *present)))
        ]
        if area in galleys:
            stacks += _ships(galleys.pop(area), leaders, view, names)
        if province.owner is not None or sites or stacks:
            signs = (*sites, DUE) if area in still_to_fight else sites
            places[area] = Place(province.owner, signs, tuple(stacks), battles.get(area, ""))
    for area, ships in galleys.items():
        places[area] = Place(None, (), tuple(_ships(ships, leaders, view, names)), battles.get(area, ""))
    return Marks(
        places=places,
        links=tuple(_roads(view, names)),
        standings=tuple(_standings(view, names)),
        shelves=tuple(_shelves(view, names)),
    )


# --- on the board ---


@lru_cache(maxsize=8192)
def _army(seat: Seat, units: Units, leaders: tuple[tuple[str, str], ...]) -> Stack:
    marks = (*units_of(units), *(leader(seat, kind, name) for kind, name in leaders))
    return Stack(seat, marks, f"{seat.title()}: {listed(marks)}")


def leader(seat: Seat, kind: str, name: str) -> Mark:
    """Return the mark of a leader that serves `seat`; words and label of a piece of another colour name that colour."""
    words = name.removeprefix(f"{seat}-").replace("-", " ").title()
    number = name.rpartition("-")[2] if kind == "general" else ""
    return Mark(kind, label=number if name.startswith(f"{seat}-") else f"{name[0].upper()}{number}", words=words)


def _ships(
    ships: list[str], leaders: Mapping[str, Mapping[Seat, list[tuple[str, str]]]], view: View, names: Names
) -> Iterator[Stack]:
    """Yield a stack for each galley with something aboard, and one for the empty galleys of a seat on each coast."""
    empty: defaultdict[tuple[Seat, str], list[str]] = defaultdict(list)
    for ship in ships:
        galley = view.galleys[ship]
        seat, coast = galley.owner, galley.coast or ""
        passengers = leaders.get(ship, {}).get(seat, ())
        aboard = (*units_of(galley.cargo), *(leader(seat, kind, name) for kind, name in sorted(passengers)))
        if not aboard:
            empty[seat, coast].append(ship)
            continue
        where = _where(coast)
        hull = Mark("galley", words=f"{names(ship)}, {where}")
        yield Stack(seat, (hull, *aboard), f"{_titled(ship, galley)} {where} with {listed(aboard)}", coast)
    for (seat, coast), idle in empty.items():
        where = _where(coast)
        words = f"{len(idle)} galleys" if len(idle) > 1 else "galley"
        mark = Mark("galley", len(idle), words=f"{words} {where}")
        yield Stack(seat, (mark,), f"{seat.title()}: {words} {where}", coast)


def _where(coast: str) -> str:
    if not coast:
        return "at sea"
    return "on the coast" if coast == SHORE else f"on the {coast} coast"


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


def _standings(view: View, names: Names) -> Iterator[Standing]:
    cities: Counter[Seat] = Counter()
    units: Counter[Seat] = Counter()
    fleet: Counter[Seat] = Counter()
    for province in view.provinces.values():
        if province.city and province.owner is not None:
            cities[province.owner] += 1
        for seat, army in province.armies.items():
            units[seat] += army.units.total
    for galley in view.galleys.values():
        fleet[galley.owner] += 1
        units[galley.owner] += galley.cargo.total
    for seat in view.order or view.seats:
        each = view.seats[seat]
        figures = {
            "tribute": each.tribute,
            "talents": each.talents,
            "provinces": each.provinces,
            "cities": cities[seat],
            "units": units[seat],
            "galleys": fleet[seat],
        }
        yield Standing(
            seat,
            figures,
            tuple(_prisoners(each, view, names)),
            active=seat == view.active and view.winner is None,
            out="" if each.fallen_to is None else f"fell to {names(each.fallen_to)}",
            won=seat == view.winner,
        )


def _prisoners(each: SeatView, view: View, names: Names) -> Iterator[Mark]:
    for name in each.prisoners:
        leader = view.leaders[name]
        number = name.rpartition("-")[2] if leader.kind == "general" else ""
        yield Mark("prisoner", label=number, seat=leader.colour, words=f"{names(name)}, prisoner")


def _shelves(view: View, names: Names) -> Iterator[Shelf]:
    if view.bought is not None and view.active is not None:
        bought = Counter({kind: getattr(view.bought, kind) for kind in view.prices})
        kinds = {"galleys": "galley", "cities": "city", "fortifications": "fortification", "roads": "road"}
        yield Shelf(
            f"{names(view.active)} still has to place",
            tuple(
                Mark(kinds.get(kind, kind), count, seat=view.active, words=amount_of(kind, count))
                for kind, count in bought.items()
                if count
            ),
            now=True,
        )
    if view.offers:
        yield Shelf(
            "Ransoms offered",
            tuple(
                Mark("offer", label=str(offer.talents), seat=offer.proposer, words=f"for {names.all(offer.generals)}")
                for offer in view.offers
            ),
            now=True,
        )
    if view.alliances:
        yield Shelf("Alliances", tuple(_alliance(each, names) for each in view.alliances), now=True)


def _alliance(alliance: Alliance, names: Names) -> Mark:
    everybody = dict.fromkeys((alliance.proposer, *alliance.members))
    is_concluded = set(alliance.members) <= {*alliance.accepted, alliance.proposer}
    words = names.all(everybody)
    return Mark("alliance", seat=alliance.proposer, words=words if is_concluded else f"{words} (proposed)")
