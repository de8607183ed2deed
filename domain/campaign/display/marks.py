"""What a picture of a Campaign table shows."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from domain.campaign.box.data import DATA, CardId, Senator, name_of
from domain.campaign.box.lots import several
from domain.campaign.box.state import CARD, NO_ARMY, SLAVES, Army, Auction, Battle, Province, Side, VoteUnderWay
from domain.campaign.combat import forces
from domain.campaign.display.view import SeatView, View
from domain.campaign.politics import senate
from domain.conquest.marks import CITY, listed, units_of
from domain.conquest.pieces import Units, amount_of
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.board import Board
from domain.kernel.rules.marks import Mark, Marks, Place, Shelf, Stack, Standing
from domain.kernel.rules.message import Names, enumerated


def printed(board: Board) -> dict[AreaId, tuple[Mark, ...]]:
    """Return the marks printed on the key provinces: their victory points (CS-BRD-03)."""
    return {
        area.id: (Mark("points", label="/".join(map(str, area.key.vp)), words=_worth(area.key.vp)),)
        for area in board.areas
        if area.key is not None
    }


def _worth(points: Sequence[int]) -> str:
    return f"{enumerated([str(each) for each in points])} victory points for most influence"


def of(view: View, names: Names) -> Marks:
    """Return the marks of what a view shows."""
    provinces = ((area, _place(view, area, province, names)) for area, province in view.provinces.items())
    places = {area: place for area, place in provinces if place is not None}
    for sea, fleet in view.fleets.items():
        stacks = tuple(_fleet(seat, number) for seat, number in sorted(fleet.items()))
        places[sea] = Place(stacks=stacks, battle=_battle(view.battle, sea, names))
    return Marks(places, (), tuple(_standings(view, names)), tuple(_shelves(view, names)))


# --- on the board ---


def _place(view: View, area: AreaId, province: Province, names: Names) -> Place | None:
    owner = province.city
    city = (Mark(CITY.kind, seat=owner, words=f"{names(owner)}'s city"),) if owner is not None else ()
    number = province.tokens
    tokens = (Mark("token", number, words=f"{number} province token{'s' * (number > 1)}"),) if number else ()
    influence = tuple(
        Mark("influence", number, seat=seat, words=f"{names(seat)}: {number} influence")
        for seat, number in sorted(province.influence.items())
    )
    stacks = tuple(_army(seat, army) for seat, army in sorted(province.armies.items()))
    if number := _slaves(view, area):
        slaves = (Mark("infantry", number, words=f"{number} slave{'s' * (number > 1)}"),)
        stacks = (*stacks, Stack(SLAVES, slaves, listed(slaves)))
    sites = (*city, *tokens, *influence)
    if not sites and not stacks:
        return None
    return Place(None, sites, stacks, _battle(view.battle, area, names))


def _slaves(view: View, area: AreaId) -> int:
    """Return how many slaves are in a province; during a battle, how many are left in its force."""
    if view.revolt is None or view.revolt.province != area:
        return 0
    return view.revolt.slaves if view.battle is None else forces.size(view.battle.attacker.force)


def _army(seat: Seat, army: Army) -> Stack:
    leaders = [Mark("caesar", words="Caesar")] if army.caesar else []
    if army.generals:
        words = "General" if army.generals == 1 else f"{army.generals} Generals"
        leaders.append(Mark("general", army.generals, words=words))
    marks = (*units_of(army.units), *leaders)
    return Stack(seat, marks, f"{seat.title()}: {listed(marks)}")


def _fleet(seat: Seat, number: int) -> Stack:
    marks = (Mark("galley", number, words=amount_of("galleys", number)),)
    return Stack(seat, marks, f"{seat.title()}: {listed(marks)}")


def _battle(battle: Battle | None, area: AreaId, names: Names) -> str:
    if battle is None or battle.place != area:
        return ""
    attacking, defending = (
        f"{forces.participant(side.seat, names)} with {forces.in_words(side.force, side.seat, names)}"
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
            yield Mark("card", number - used, words=several([name_of(card)] * (number - used)))
        if used:
            yield Mark("used-card", used, words=f"{several([name_of(card)] * used)} (used)")
    for card, number in sorted((each.hand or {}).items()):
        yield Mark("senator", number, words=several([name_of(card)] * number))


def _shelves(view: View, names: Names) -> Iterator[Shelf]:
    """Yield a shelf for everything that is under way, and one for the cards that can be acquired."""
    alliances = [(name, side) for name, side in (("A", view.alliance_a), ("B", view.alliance_b)) if side]
    if alliances:
        marks = (Mark("alliance", label=name, words=f"{name}: {names.all(side)}") for name, side in alliances)
        yield Shelf("Alliances", tuple(marks), now=True)
    if view.auction is not None:
        yield _auction(view.auction, names)
    if view.deploying and view.active is not None:
        yield Shelf(f"{names(view.active)} still has to place", _deploying(view.active, view.deploying), now=True)
    if view.battle is not None:
        yield from _sides(view, view.battle, names)
    if view.vote is not None:
        yield _vote(view.vote, names)
    if view.display:
        marks = (Mark("card", number, words=_priced(card, number)) for card, number in sorted(view.display.items()))
        yield Shelf("Cards on display", tuple(marks))


def _deploying(seat: Seat, supply: Mapping[str, int]) -> tuple[Mark, ...]:
    units = Units(supply["infantry"], supply["cavalry"], supply["catapults"])
    army = _army(seat, Army(units, supply["generals"], bool(supply["caesar"])))
    return (*army.marks, *(_fleet(seat, supply["galleys"]).marks if supply["galleys"] else ()))


def _auction(auction: Auction, names: Names) -> Shelf:
    if auction.bidder is None:
        return Shelf(f"Auction: {names(auction.opener)} must bid", (), now=True)
    marks = (
        Mark("alliance", seat=seat, label=name, words=f"{names(seat)} in alliance {name}")
        for name, seat in (("A", auction.a), ("B", auction.b))
        if seat is not None
    )
    return Shelf(f"Auction: {names(auction.bidder)} bids {auction.amount} talents", tuple(marks), now=True)


def _sides(view: View, battle: Battle, names: Names) -> Iterator[Shelf]:
    """Yield the forces of a battle; lent and phantom units are named as such."""
    where = f"Battle in {names(battle.place)}, round {battle.round}: "
    for side, does in ((battle.attacker, f"{where}{{}} attack"), (battle.defender, "{} defend")):
        who = does.format(forces.participant(side.seat, names)) + "s" * (side.seat != SLAVES)
        hits = f", {side.hits} hit{'s' * (side.hits > 1)} to take" if side.hits else ""
        yield Shelf(f"{who}{hits}", (*force_of(side, names), *leaders_of(view.provinces, battle, side, names)))


def force_of(side: Side, names: Names, phantom: str = "") -> Iterator[Mark]:
    """Yield the units of a side in a battle. `phantom` is the word that is written on the units of a card."""
    for owner, counts in forces.by_owner(side.force, side.seat).items():
        for kind, number in forces.in_order(counts):
            words = forces.in_words({forces.group(owner, kind): number}, side.seat, names)
            glyph = "galley" if kind == forces.GALLEYS else kind
            label = phantom if owner == CARD else ""
            yield Mark(glyph, number, label, seat=None if owner in (CARD, SLAVES) else owner, words=words)


def leaders_of(provinces: Mapping[AreaId, Province], battle: Battle, side: Side, names: Names) -> Iterator[Mark]:
    """Yield the leaders of a side in a battle: its own, and those that are lent."""
    if not battle.naval and provinces[battle.place].armies.get(side.seat, NO_ARMY).leads:
        yield Mark("general", seat=side.seat, words="a leader")
    for seat in side.leaders:
        yield Mark("general", seat=seat, words=f"a leader lent by {names(seat)}")


def _vote(vote: VoteUnderWay, names: Names) -> Shelf:
    marks = (
        Mark("senator", sum(laid.values()), seat=seat, words=f"{names(seat)}: {senate.in_words(laid)}, {_votes(laid)}")
        for seat, laid in vote.laid.items()
        if laid
    )
    leads = f"{names(vote.leader)} leads" if vote.leader is not None else "nobody has voted"
    return Shelf(f"Vote on {name_of(vote.card)}: {leads}", tuple(marks), now=True)


def _votes(laid: Mapping[CardId, int]) -> str:
    effects = ((_CARDS[card].effect, number) for card, number in laid.items() if card in _CARDS)
    votes = sum(number * effect.votes for effect, number in effects if isinstance(effect, Senator))
    return f"{votes} vote{'s' * (votes != 1)}"


_CARDS: Final = DATA.cards


def _priced(name: CardId, number: int) -> str:
    card = _CARDS.get(name)
    if card is None:
        return several([name] * number)
    kind = "vote" if card.kind == "vote" else f"{card.kind} card" if card.kind != "senator" else "senator"
    return f"{several([card.name] * number)} ({kind}, {f'{card.price} talents' if card.price else 'free'})"
