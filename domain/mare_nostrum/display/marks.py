"""What a picture of a table of Mare Nostrum shows."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.board import SHORE, Area, Board
from domain.kernel.rules.marks import Mark, Marks, Place, Shelf, Stack, Standing
from domain.mare_nostrum.box import phrases
from domain.mare_nostrum.box.data import CARDS, GOODS
from domain.mare_nostrum.box.pieces import Force, Province
from domain.mare_nostrum.display.view import SeatView, View

COLOURS: Final[Mapping[Seat, str]] = {
    Seat("rome"): "#9c2d1a",
    Seat("carthage"): "#5c2574",
    Seat("greece"): "#4e68b7",
    Seat("egypt"): "#fbe33c",
    Seat("babylon"): "#78c38c",
}

AT_WAR: Final = Mark("battle-due", words="at war")


def printed(board: Board) -> dict[AreaId, tuple[Mark, ...]]:
    """Return what the provinces show: capital, city site and resource icons (MN-BRD-01, MN-BRD-09)."""
    lands = (area for area in board.areas if area.kind == "land")
    return {area.id: tuple(_icons(area)) for area in lands}


def _icons(area: Area) -> Iterator[Mark]:
    if capital := area.traits.get("capital_of"):
        yield Mark("capital", words=f"capital of {capital[0].title()}")
    if area.values.get("city_sites"):
        yield Mark("city-site", words="city site")
    for good in area.traits.get("resources", ()):
        yield Mark(good, words=f"yields {good}")


def of(view: View) -> Marks:
    """Return what `view` shows."""
    places: dict[AreaId, Place] = {}
    fought = _battles(view)
    for area, province in view.provinces.items():
        if province == _EMPTY:
            continue
        forces, ports = tuple(province.forces.items()), tuple(province.ports.items())
        places[area] = _place(province.owner, province.buildings, forces, ports, province.at_war, fought.get(area, ""))
    for sea, fleets in view.fleets.items():
        stacks = tuple(_ships(seat, fleet.triremes, "at sea") for seat, fleet in fleets.items())
        places[sea] = Place(stacks=stacks, battle=fought.get(sea, ""))
    playing = tuple(_standing(seat, each, view) for seat, each in view.seats.items())
    return Marks(
        places=places,
        standings=(*playing, *(_neutral(seat, view) for seat in view.neutral)),
        shelves=tuple(_shelves(view)),
    )


# --- on the board ---

_EMPTY: Final = Province()


@lru_cache(maxsize=8192)
def _place(
    owner: Seat | None,
    buildings: tuple[str, ...],
    forces: tuple[tuple[Seat, Force], ...],
    ports: tuple[tuple[Seat, int], ...],
    at_war: bool,
    battle: str,
) -> Place:
    """Return a province: its buildings and who occupies them, its land units, and the triremes in port."""
    # Nobody occupies anything in a province at war (MN-AFT-08).
    occupied = {post: seat for seat, force in forces for post in force.posts} if not at_war else {}
    posts = (*buildings, "influence") if "influence" in occupied else buildings
    sites = [_site(post, occupied.get(post)) for post in posts]
    if at_war and not battle:
        sites.append(AT_WAR)
    stacks = [_force(seat, force) for seat, force in forces] + [
        _ships(seat, ships, "in port", SHORE) for seat, ships in ports
    ]
    return Place(owner, tuple(sites), tuple(stacks), battle)


def _site(post: str, occupier: Seat | None) -> Mark:
    words = f"caravan on {post}" if post in GOODS else "influence marker" if post == "influence" else post
    return Mark(post, seat=occupier, words=f"{words}, occupied by {occupier.title()}" if occupier else words)


def _force(seat: Seat, force: Force) -> Stack:
    marks = [
        Mark(kind, count, words=_amount(count, kind, kinds))
        for kind, kinds, count in (("legion", "legions", force.legions), ("fortress", "fortresses", force.fortresses))
        if count
    ]
    return Stack(seat, tuple(marks), f"{seat.title()}: {' and '.join(mark.words for mark in marks)}")


def _ships(seat: Seat, triremes: int, where: str, coast: str = "") -> Stack:
    words = f"{_amount(triremes, 'trireme', 'triremes')} {where}"
    return Stack(seat, (Mark("trireme", triremes, words=words),), f"{seat.title()}: {words}", coast)


def _battles(view: View) -> dict[AreaId, str]:
    battle = view.battle
    if battle is None:
        return {}
    return {battle.province: f"battle: {battle.attacker.title()} against {battle.defender.title()}"}


# --- beside the board ---


def _standing(seat: Seat, player: SeatView, view: View) -> Standing:
    figures = {
        "heroes and wonders": len(player.cards),
        "provinces": sum(province.owner == seat for province in view.provinces.values()),
        "hand": player.count,
        "commerce": player.totals["director-of-commerce"],
        "politics": player.totals["political-leader"],
        "military": player.totals["military-leader"],
    }
    acting = view.active or (view.trade.taker if view.trade is not None else None)
    return Standing(
        seat,
        figures,
        tuple(_items(seat, player, view)),
        active=seat == acting and view.winner is None,
        won=seat == view.winner,
    )


def _items(seat: Seat, player: SeatView, view: View) -> Iterator[Mark]:
    """Yield roles, heroes and wonders, then cards: offered, taken, laid aside, and in hand where they are visible."""
    for role, holder in view.roles.items():
        if holder == seat:
            yield Mark("role", words=role.replace("-", " ").title().replace(" Of ", " of "))
    for card in player.cards:
        yield Mark(CARDS[card].kind, words=CARDS[card].name)
    if (trade := view.trade) is not None:
        if seat in trade.chosen:
            offer = trade.chosen[seat]
            yield _face_down(trade.number if offer is None else offer, "offered face down")
        yield from _face_up(trade.offers.get(seat, ()), "offered")
        yield from _face_up(trade.taken.get(seat, ()), "taken")
    if seat in view.kept:
        aside = view.kept[seat]
        yield _face_down(None if aside is None else Counter(aside).elements(), "laid aside")
    yield from _cards(player.hand or {}, "in hand")


def _face_down(cards: Iterable[str] | int | None, how: str) -> Mark:
    if cards is None:
        return Mark("card", words=f"cards {how}")
    if isinstance(cards, int):
        return Mark("card", cards, words=f"{_amount(cards, 'card', 'cards')} {how}")
    in_order = sorted(cards)
    return Mark("card", len(in_order), words=f"{how}: {', '.join(in_order) or 'nothing'}")


def _face_up(cards: Iterable[str], how: str) -> Iterator[Mark]:
    return _cards(Counter(cards), how)


def _cards(cards: Mapping[str, int], how: str) -> Iterator[Mark]:
    for card, count in cards.items():
        if count:
            yield Mark(card, count, words=f"{phrases.cards({card: count})} {how}")


def _neutral(seat: Seat, view: View) -> Standing:
    provinces = view.provinces.values()
    units = sum(force.units for province in provinces for owner, force in province.forces.items() if owner == seat)
    return Standing(
        seat, {"provinces": sum(each.owner == seat for each in provinces), "units": units}, out="nobody plays it"
    )


def _shelves(view: View) -> Iterator[Shelf]:
    yield Shelf("Bank", tuple(Mark(card, count, words=f"{card} {count}") for card, count in view.bank.items()))
    yield Shelf(
        "Supply",
        tuple(Mark(building, count, words=f"{building} {count}") for building, count in view.supply.items()),
    )
    if view.available:
        cards = (CARDS[card] for card in view.available)
        yield Shelf("Heroes and wonders for sale", tuple(Mark(card.kind, words=card.name) for card in cards))


def _amount(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
