"""The set-up: who plays, who is first, and the first influence on the map (chapter SET)."""

from functools import cache
from typing import Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from domain.campaign.box import hands, lots
from domain.campaign.box.data import Data
from domain.campaign.box.lots import Lots, several
from domain.campaign.box.state import ITALIA, Hand, Player, Province
from domain.campaign.box.table import Event, Table
from domain.conquest.seats import COLOURS, Colours
from domain.kernel.chance.secret import Sealed
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.board import Map
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Draw, Names
from domain.kernel.rules.refusal import Refusal

PLAYERS = (2, 3, 4, 5, 6)


class Setup(Struct, frozen=True, forbid_unknown_fields=True):
    """What you choose when you create a game.

    Attributes:
        seasons: how many seasons are played (CS-END-05).
        colours: the colours in play, one for each player (CS-SET-02); the first of the six if you name none.
    """

    seasons: Literal[4, 5] = 4
    colours: Colours | UnsetType = UNSET


def seats(players: int, choices: Setup) -> tuple[Seat, ...]:
    """Return the seats of a game, clockwise; none when the rules have no game for this number of players.

    Raises:
        Refusal: there is not one colour for each player (CS-SET-02).
    """
    if players not in PLAYERS:
        return ()
    colours = tuple(map(Seat, choices.colours or ())) or tuple(COLOURS)[:players]
    if len(colours) != players or len(set(colours)) < players:
        wrong = f"You chose the colours {', '.join(colours)} for {players} players."
        raise Refusal("CS-SET-02", wrong, f"Choose {players} different colours from {', '.join(COLOURS)}.")
    return tuple(seat for seat in COLOURS if seat in colours)


def bare(board: Map, data: Data, seats: tuple[Seat, ...], seasons: int) -> Table:
    """Return the table before the set-up: an empty board, no token or card drawn, all vote cards on display."""
    cards = {card.id: card for card in data.card}
    return Table(
        map=board,
        data=data,
        cards=cards,
        seasons=seasons,
        seats=seats,
        players={seat: Player(data.start.talents) for seat in seats},
        provinces={area: Province() for area in board.lands},
        pool=dict(sorted(data.tokens.items())),
        deck={card.id: card.copies for _, card in sorted(cards.items()) if card.kind != "vote"},
        display={card.id: card.copies for _, card in sorted(cards.items()) if card.kind == "vote"},
        owned={seat: {} for seat in seats},
        used={seat: {} for seat in seats},
        hands={seat: Hand() for seat in seats},
    )


def fit(table: Table) -> None:
    """Raise `ValueError` when the board lacks something that the rules or cards name (CS-BRD-02, CS-BRD-03)."""
    for area in table.data.tokens:
        if area not in table.map.lands:
            raise ValueError(f"the board has no province {area!r}, which is a key province of this game")
        key = table.map.area(area).key
        needed = 3 if area == ITALIA else 2
        if key is None or len(key.vp) != needed:
            raise ValueError(f"key.vp of {area} must have {needed} numbers, for the first places that score there")
    for area in table.keys:
        if area not in table.data.tokens:
            raise ValueError(f"{area} cannot be a key province: there are no province tokens for it")
    for card in table.data.card:
        for area in named_by(card.effect):
            if area not in table.map:
                raise ValueError(f"the board has no area {area!r}, which the card {card.name} names")


@cache  # a table is laid each time a game is loaded
def named_by(effect: Struct) -> list[AreaId]:
    """Return the areas that the effect of a card names."""
    areas_of_card: list[AreaId] = []
    for name in effect.__struct_fields__:
        match name, getattr(effect, name):
            case _, Struct() as inner:
                areas_of_card += named_by(inner)
            case "province" | "to", str(area):
                areas_of_card.append(AreaId(area))
            case "provinces" | "places", areas:
                areas_of_card.extend(areas)
            case _:
                pass
    return areas_of_card


# --- what happens ---


class FirstPlayerDrawn(Event, frozen=True):
    """The first player was drawn (CS-SET-11).

    Attributes:
        order: the players as they were drawn; the first of them opens the first auction.
    """

    rules = ("CS-SET-11",)

    draw: Draw
    order: tuple[Seat, ...]

    def apply(self, table: Table) -> None:
        table.first = self.order[0]

    def tell(self, names: Names) -> str:
        return f"{names(self.order[0])} is the first player."


class SenatorsDealt(Event, frozen=True):
    """Every player got the same senators (CS-SET-05); the Senate Votes lie face up (CS-SET-06).

    Attributes:
        hands: the hands, sealed.
    """

    rules = ("CS-SET-05", "CS-SET-06", "CS-SET-07")

    hands: dict[Seat, Sealed]

    def apply(self, table: Table) -> None:
        for seat, sealed in self.hands.items():
            table.hands[seat] = Hand(len(table.data.start.senators), sealed)
            for card in table.data.start.senators:
                table.deck[card] -= 1

    def tell(self, names: Names) -> str:
        return f"{names.all(self.hands)} got their first senators."


class InfluenceDrawn(Event, frozen=True):
    """Province tokens were drawn for the first influence (CS-SET-08); those of Italia were put back (CS-SET-09).

    Attributes:
        lots: the tokens as they were drawn, those of Italia among them.
        influence: the provinces of each player, one for each influence token.
    """

    rules = ("CS-SET-08", "CS-SET-09", "CS-SET-10")

    lots: Lots
    influence: dict[Seat, tuple[AreaId, ...]]

    def apply(self, table: Table) -> None:
        for seat, areas in self.influence.items():
            for area in areas:
                table.add_influence(area, seat, 1)
                table.pool[area] -= 1
        table.phase = "season"

    def tell(self, names: Names) -> str:
        each = [f"{names(seat)} in {several(map(names, areas))}" for seat, areas in sorted(self.influence.items())]
        return f"The first influence: {'; '.join(each)}."


# --- the steps ---


def open(draft: Draft[Table]) -> None:  # noqa: A001  (the word of the ruleset protocol)
    """Draw the first player and the first influence, and deal the senators."""
    table = draft.table
    order = draft.shuffle(table.seats)
    draft.emit(FirstPlayerDrawn(draft.draws, tuple(order)))
    senators = dict.fromkeys(table.data.start.senators, 1)
    draft.emit(SenatorsDealt({seat: hands.seal(draft, seat, senators) for seat in table.seats}))
    draft.emit(_draw_influence(draft, order[0]))


def _draw_influence(draft: Draft[Table], first: Seat) -> InfluenceDrawn:
    """Draw tokens for one player after the other. Those of Italia are set aside meanwhile, so they do not count."""
    table = draft.table
    tokens_each = table.data.start.influence
    order = lots.draw(draft, table.pool, sum(table.pool.values()))
    needed = tokens_each * len(table.seats)
    last = [place for place, area in enumerate(order.drawn) if area != ITALIA][needed - 1]
    until_last = order.drawn[: last + 1]
    tokens = iter([AreaId(area) for area in until_last if area != ITALIA])
    influence = {seat: tuple(next(tokens) for _ in range(tokens_each)) for seat in table.clockwise(first)}
    return InfluenceDrawn(replace(order, drawn=until_last), influence)


EVENTS = (FirstPlayerDrawn, SenatorsDealt, InfluenceDrawn)
