"""Mare Nostrum keeps the laws: no card is lost, and no piece comes or goes but by an event that says so."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from domain.boards import builtin
from domain.kernel.ids import Seat
from domain.kernel.rules.message import Event
from domain.mare_nostrum.box import chains, hands
from domain.mare_nostrum.box.data import BANK, GOODS, SUPPLY
from domain.mare_nostrum.box.pieces import Force, Province
from domain.mare_nostrum.box.table import Table
from domain.mare_nostrum.combat.losses import LossesRemoved
from domain.mare_nostrum.combat.naval import NavalBattleEnded
from domain.mare_nostrum.economy.construction import PieceBuilt
from domain.mare_nostrum.economy.discard import CardsDiscarded
from domain.mare_nostrum.economy.influence import InfluencePlaced
from domain.mare_nostrum.economy.trade import OffersRevealed
from domain.mare_nostrum.heroes.helen import LegionSeduced
from domain.mare_nostrum.ruleset import MareNostrum
from domain.mare_nostrum.start import setup
from domain.mare_nostrum.start.founding import PieceFounded
from tests.helpers.laws.laws import Laws
from tests.helpers.laws.twins import Bare

CARDS = 123
UNITS = ("fresh", "moved", "fought", "fortresses", "spent", "manned")


class MareNostrumLaws(Laws):
    ruleset = MareNostrum()
    board = builtin("mare-nostrum")
    commands = 10

    def pieces(self, table: Table) -> Mapping[str, int]:
        """Count the cards, the tokens in the supply and on the board, and everybody's pieces on the board."""
        count: Counter[str] = Counter()
        for card, number in cards(table).items():
            count[card] += number
        for token, number in tokens(table).items():
            count[token] += number
        for owner in (*table.seats, *table.neutral):
            count.update({f"{piece} of {owner}": number for piece, number in table.on_board(owner).items()})
        return count

    def changes(self, table: Table, event: Event[Any]) -> Mapping[str, int]:
        match event:
            case setup.EmpireLaidOut(seat, _, start):
                own = Counter(piece for pieces in start.values() for piece in pieces)
                units = {f"{piece} of {seat}": own[piece] for piece in ("legion", "fortress", "trireme")}
                return {**units, f"influence of {seat}": len(start)}
            case setup.NeutralPlaced(owner, _, neighbours):
                around = len(neighbours) + 1
                return {f"influence of {owner}": around, f"legion of {owner}": around, f"fortress of {owner}": 1}
            case PieceBuilt(seat, item) | PieceFounded(seat, item):
                return {f"{item} of {seat}": 1} if item in ("influence", "legion", "fortress", "trireme") else {}
            case InfluencePlaced(seat, _, _, replaced):
                return {f"influence of {seat}": 1, **({f"influence of {replaced}": -1} if replaced else {})}
            case LossesRemoved(_, seat, legions, fortresses):
                return {f"legion of {seat}": -legions, f"fortress of {seat}": -fortresses}
            case NavalBattleEnded(_, sunk):
                return {f"trireme of {seat}": -number for seat, number in sunk.items()}
            case LegionSeduced(seat, _, invader):
                return {f"legion of {seat}": 1, f"legion of {invader}": -1}
            case _:
                return {}

    def faults(self, table: Table) -> Iterator[str]:
        held = sum(hand.count for hand in table.hands.values())
        lying = sum(len(cards) for pile in piles(table) for cards in pile.values())
        if sum(table.bank.values()) + held + lying != CARDS:
            yield f"{CARDS} cards are {table.bank}, {held} in hands and {lying} on the table"
        yield from (f"{number} {card} in the bank" for card, number in table.bank.items() if number < 0)
        yield from (f"{number} {token} in the supply" for token, number in table.supply.items() if number < 0)
        if tokens(table) != SUPPLY[len(table.seats)]:
            yield f"the building tokens are {tokens(table)}"
        for owner in (*table.seats, *table.neutral):
            yield from (f"{left} {piece} of {owner} left" for piece, left in table.stock(owner).items() if left < 0)
        owned = [card for cards in table.cards.values() for card in cards]
        if len(set(owned)) != len(owned):
            yield f"a hero or wonder has two owners: {owned}"
        for seat in table.seats:
            capital = table.capitals[seat]
            if table.turn and table.provinces[capital].owner != seat:
                yield f"{capital} is {table.provinces[capital].owner}'s"
        for area, province in table.provinces.items():
            yield from (f"{area}: {fault}" for fault in self._faults_of(table, area, province))
        for sea, fleets in table.fleets.items():
            numbers = [(fleet.fresh, fleet.moved, fleet.fought) for fleet in fleets.values()]
            if not numbers or any(min(number) < 0 or not sum(number) for number in numbers):
                yield f"{sea}: {fleets}"

    def _faults_of(self, table: Table, area: Any, province: Province) -> Iterator[str]:
        if len(set(province.caravans)) != len(province.caravans) or not {*province.caravans} <= {*table.icons(area)}:
            yield f"caravans on {province.caravans}, icons {table.icons(area)}"
        if province.city and not table.sites(area):
            yield "a city without a site"
        if province.buildings and province.owner is None:
            yield f"{province.buildings} without a marker"
        if province.ports and not chains.seas_of(table, area):
            yield "triremes in port without a coast"
        yield from (f"{number} triremes of {seat} in port" for seat, number in province.ports.items() if number < 1)
        for owner, force in province.forces.items():
            most = 2 if table.has(owner, "second-fortress") else 1
            if not is_force(force) or force.fortresses > most:
                yield f"no force of {owner}: {force}"
            if force.posts and owner == province.owner:
                yield f"{owner} stands on {force.posts} in his own province"
            if force.posts and province.at_war and table.phase not in ("construction", "discard", "military", "over"):
                yield f"{owner} stands on {force.posts} in a province at war since an earlier turn"
            if not {*force.posts} <= {*province.buildings, "influence"}:
                yield f"{owner} stands on {force.posts} of {province.buildings}"

    def opened(self, game: Bare, viewer: Seat | None) -> Any:
        return revealed(game)

    def test_hands_hold_what_they_count(self, seed: int) -> None:
        play = self.played(seed)
        for game in play.at_each_version.values():
            table = game.table
            if not isinstance(table, Table) or not table.turn:
                continue
            for seat in table.seats:
                held = hands.hand_of(table, seat, play.vault)
                assert min(held.values(), default=1) > 0
                assert sum(held.values()) == table.hands[seat].count

    def test_every_card_is_somewhere(self, seed: int) -> None:
        play = self.played(seed)
        for game in play.at_each_version.values():
            table = game.table
            if not isinstance(table, Table) or not table.turn:
                continue
            everywhere = Counter(table.bank)
            for seat in table.seats:
                everywhere.update(hands.hand_of(table, seat, play.vault))
            for pile in piles(table):
                for lying in pile.values():
                    everywhere.update(lying)
            assert everywhere == BANK


def revealed(game: Bare) -> list[Any]:
    """What the events may show of hands: the offers, and at the discard all cards together and how many each keeps."""
    told: list[Any] = []
    for event in game.events:
        if isinstance(event, OffersRevealed):
            told.append({seat: offer.value for seat, offer in event.offers.items()})
        elif isinstance(event, CardsDiscarded):
            told.append((event.cards, {seat: kept.count for seat, kept in event.hands.items()}))
    return told


def cards(table: Table) -> Mapping[str, int]:
    """Count all cards, wherever they are; by kind none can be counted without reading hands."""
    held = sum(hand.count for hand in table.hands.values())
    return {
        "cards": sum(table.bank.values()) + held + sum(len(lying) for pile in piles(table) for lying in pile.values())
    }


def piles(table: Table) -> tuple[Mapping[Seat, tuple[str, ...]], ...]:
    """Return the cards that lie before players in the trade."""
    return (table.trade.offers, table.trade.taken) if table.trade is not None else ()


def tokens(table: Table) -> dict[str, int]:
    """Count the building tokens in the supply and on the board."""
    count = Counter[str](dict(table.supply))
    for province in table.provinces.values():
        count.update("caravan" if post in GOODS else post for post in province.buildings)
    return dict(count)


def is_force(force: Force) -> bool:
    """Tell whether there are units in it, none of them less than nothing, and a legion for each post."""
    numbers = [getattr(force, name) for name in UNITS]
    return min(numbers) >= 0 and force.units > 0 and len(force.posts) <= force.legions


class TestIntroductoryLaws(MareNostrumLaws):
    seeds = (18, 22, 2)  # one for each number of players; these games are short


class TestFreeLaws(MareNostrumLaws):
    seeds = (15, 19, 23)

    def setup(self, seed: int) -> Mapping[str, Any]:
        return {"layout": "free"}
