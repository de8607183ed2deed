"""The set-up: who leads which nations, and what stands where at the beginning (chapter SET)."""

from domain.italia.box.cards import Cards
from domain.italia.box.data import Data
from domain.italia.box.editions import Rules
from domain.italia.box.pieces import Army, LeaderId, NationId, Units
from domain.italia.box.state import City, Nation, Options
from domain.italia.box.table import Event, Table
from domain.italia.turn.sequence import RoundBegan
from domain.kernel.ids import AreaId
from domain.kernel.rules.board import Board, Map
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names


class PiecesSetUp(Event, frozen=True):
    """All pieces of the set-up were placed (IT-SET-04), without regard to stacking (IT-SET-06).

    Attributes:
        armies: land units and leaders by area and nation.
        fleets: how many fleets by sea area and nation.
        cities: the areas with a city.
    """

    rules = ("IT-SET-04", "IT-SET-05", "IT-SET-06", "IT-SET-07")

    armies: dict[AreaId, dict[NationId, Army]]
    fleets: dict[AreaId, dict[NationId, int]]
    cities: tuple[AreaId, ...]

    def apply(self, table: Table) -> None:
        for area, armies in sorted(self.armies.items()):  # the log does not keep the order
            for nation, army in sorted(armies.items()):
                table.add(area, nation, army)
                arrivals = {**table.nations[nation].came, **dict.fromkeys(army.leaders, 1)}
                table.change(nation, came=arrivals)  # IT-RNF-13: they leave in the second turn
        for sea, fleets in sorted(self.fleets.items()):
            for nation, number in sorted(fleets.items()):
                table.add_fleets(nation, sea, number)
        for area in self.cities:
            nations = table.nations_at(area)
            table.cities[area] = City(owner=table.seat_of(nations[0]) if nations else None)

    def tell(self, names: Names) -> str:
        return "The pieces were set up."


def bare(data: Data, cards: Cards, rules: Rules, options: Options, board: Board) -> Table:
    """Return the table before any piece is placed; each nation has the gold that its card says (IT-SET-05)."""
    nations = {nation: Nation(gold=card.starting_gold) for nation, card in cards.nations.items()}
    return Table(
        map=Map.of(board), data=data, cards=cards, rules=rules, options=options, seats=cards.seats, nations=nations
    )


def open(draft: Draft[Table]) -> None:  # noqa: A001  (the word of the ruleset protocol)
    """Place the pieces and begin the first round."""
    cards = draft.table.cards
    armies: dict[AreaId, dict[NationId, Army]] = {}
    fleets: dict[AreaId, dict[NationId, int]] = {}
    cities: list[AreaId] = []
    for nation, card in cards.nations.items():
        for place in card.setup:
            units: Units = {kind: number for kind, number in place.units.items() if kind != "fleet"}
            leaders: tuple[LeaderId, ...] = () if place.leader is None else (place.leader,)
            if units or leaders:
                armies.setdefault(place.area, {})[nation] = Army(units, leaders)
            if place.units.get("fleet"):
                fleets.setdefault(place.area, {})[nation] = place.units["fleet"]
            if place.city:
                cities.append(place.area)
    draft.emit(PiecesSetUp(armies, fleets, tuple(cities)))
    draft.emit(RoundBegan(1))


EVENTS = (PiecesSetUp,)
