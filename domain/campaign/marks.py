"""What a picture of a Campaign table shows."""

from collections import Counter
from collections.abc import Iterator

from domain.campaign import forces
from domain.campaign.data import DATA, CardId, name_of
from domain.campaign.table import SLAVES, Army, Battle, Province
from domain.campaign.view import SeatView, View
from domain.conquest.marks import CITY, listed, units_of
from domain.conquest.pieces import counted
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.board import Board
from domain.kernel.rules.marks import Mark, Marks, Place, Shelf, Stack, Standing
from domain.kernel.rules.message import Names


def printed(board: Board) -> dict[AreaId, tuple[Mark, ...]]:
    """Return the victory points of the key provinces (CS-BRD-03)."""
    return {
        area.id: (Mark("points", label="/".join(map(str, area.key.vp)), words=f"victory points {area.key.vp}"),)
        for area in board.areas
        if area.key is not None
    }


def of(view: View, names: Names) -> Marks:
    """Return what somebody sees."""
    shown = ((area, _place(view, area, province, names)) for area, province in view.provinces.items())
    places = {area: place for area, place in shown if place is not None}
    for sea, fleet in view.fleets.items():
        stacks = tuple(_fleet(seat, number) for seat, number in sorted(fleet.items()))
        places[sea] = Place(stacks=stacks, battle=_battle(view.battle, sea, names))
    return Marks(places, (), tuple(_standings(view, names)), tuple(_shelves(view, names)))


# --- on the board ---


def _place(view: View, area: AreaId, province: Province, names: Names) -> Place | None:
    city = (CITY,) if province.city is not None else ()
    tokens = (Mark("token", province.tokens, words=f"{province.tokens} province tokens"),) if province.tokens else ()
    influence = tuple(
        Mark("influence", number, seat=seat, words=f"influence of {names(seat)}: {number}")
        for seat, number in sorted(province.influence.items())
    )
    stacks = tuple(_army(seat, army) for seat, army in sorted(province.armies.items()))
    if view.revolt is not None and view.revolt.province == area and view.revolt.slaves:
        slaves = (Mark("infantry", view.revolt.slaves, words=f"{view.revolt.slaves} slaves"),)
        stacks = (*stacks, Stack(SLAVES, slaves, listed(slaves)))
    sites = (*city, *tokens, *influence)
    if not sites and not stacks:
        return None
    owner = f"the city is {names(province.city)}'s" if province.city is not None else ""
    return Place(province.city, sites, stacks, _battle(view.battle, area, names), owner)


def _army(seat: Seat, army: Army) -> Stack:
    leaders = [Mark("caesar", words="Caesar")] if army.caesar else []
    if army.generals:
        words = "General" if army.generals == 1 else f"{army.generals} Generals"
        leaders.append(Mark("general", army.generals, words=words))
    marks = (*units_of(army.units), *leaders)
    return Stack(seat, marks, f"{seat.title()}: {listed(marks)}")


def _fleet(seat: Seat, number: int) -> Stack:
    marks = (Mark("galley", number, words=counted("galleys", number)),)
    return Stack(seat, marks, f"{seat.title()}: {listed(marks)}")


def _battle(battle: Battle | None, area: AreaId, names: Names) -> str:
    if battle is None or battle.place != area:
        return ""
    attacking, defending = (
        f"{forces.participant(side.seat, names)} with {forces.told(side.force, side.seat, names)}"
        for side in (battle.attacker, battle.defender)
    )
    return f"battle, round {battle.round}: {attacking} against {defending}"


# --- beside the board ---


def _standings(view: View, names: Names) -> Iterator[Standing]:
    units: Counter[Seat] = Counter()
    cities: Counter[Seat] = Counter()
    for province in view.provinces.values():
        for seat, army in province.armies.items():
            units[seat] += army.units.total
        if province.city is not None:
            cities[province.city] += 1
    for fleet in view.fleets.values():
        units.update(fleet)
    for seat in (*view.order, *(seat for seat in view.seats if seat not in view.order)):
        each = view.seats[seat]
        figures = {
            "points": each.points,
            "influence": each.influence,
            "talents": each.talents,
            "chaos": each.shown if each.chaos is None else each.chaos,
            "senators": each.senators,
            "units": units[seat],
            "cities": cities[seat],
        }
        yield Standing(
            seat,
            figures,
            tuple(_items(seat, each, view)),
            active=seat == view.active and not view.winners,
            won=seat in view.winners,
        )


def _items(seat: Seat, each: SeatView, view: View) -> Iterator[Mark]:
    for name, side in (("A", view.alliance_a), ("B", view.alliance_b)):
        if seat in side:
            yield Mark("alliance", label=name, words=f"alliance {name}")
    for card, number in sorted(each.cards.items()):
        used = each.used.get(card, 0)
        if number > used:
            yield Mark("card", number - used, words=name_of(card))
        if used:
            yield Mark("used-card", used, words=f"{name_of(card)}, used in this season")
    for card, number in sorted((each.hand or {}).items()):
        yield Mark("senator", number, label=card.rpartition("-")[2].upper(), words=name_of(card))


def _shelves(view: View, names: Names) -> Iterator[Shelf]:
    if view.auction is not None:
        auction = view.auction
        for box, proposed in (("A", auction.a), ("B", auction.b)):
            if proposed is not None and auction.bidder is not None:
                words = f"{names(proposed)}, proposed by {names(auction.bidder)} for {auction.amount} talents"
                yield Shelf(f"Proposed for alliance {box}", (Mark("alliance", seat=proposed, label=box, words=words),))
    if view.vote is not None:
        for seat, laid in sorted(view.vote.laid.items()):
            marks = tuple(
                Mark("senator", n, label=card.rpartition("-")[2].upper(), words=name_of(card))
                for card, n in laid.items()
            )
            yield Shelf(f"{name_of(view.vote.card)}: laid by {names(seat)}", marks)
    if view.display:
        marks = tuple(Mark("card", n, words=_priced(card)) for card, n in sorted(view.display.items()))
        yield Shelf("Cards on display", marks)


def _priced(name: CardId) -> str:
    card = next((card for card in DATA.card if card.id == name), None)
    if card is None:
        return name
    return f"{card.name}, {card.kind}{f', {card.price} talents' if card.price else ''}"
