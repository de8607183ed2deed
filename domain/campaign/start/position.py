"""Positions written by hand, for scenarios and problems. `Position` describes the format."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct, field

from domain.campaign.box import hands
from domain.campaign.box.data import CardId, Data
from domain.campaign.box.state import Army, Hand, Phase, Player, Turn
from domain.campaign.box.table import Table, plus
from domain.campaign.start.setup import bare, fit
from domain.conquest.pieces import Units
from domain.conquest.seats import COLOURS
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.board import Board, Map
from domain.kernel.rules.draft import Draft


class Force(Struct, forbid_unknown_fields=True):
    """Pieces of one seat in one place: land units in a province, or galleys in a sea zone."""

    seat: Seat
    at: AreaId
    infantry: int = 0
    cavalry: int = 0
    catapults: int = 0
    generals: int = 0
    caesar: bool = False
    galleys: int = 0


class Position(Struct, forbid_unknown_fields=True):
    """A position. What you leave out is empty, or as in the first round of the first season.

    `alliances` are the members of A and those of B, each in the order of their turns.
    """

    alliances: tuple[list[Seat], list[Seat]]
    seats: list[Seat] = field(default_factory=list[Seat])
    """All players; needed only if some are in no alliance yet."""
    turn: Seat | None = None
    """Whose turn it is; leave it out if the next turn has not begun."""
    phase: Phase = "actions"
    season: int = 1
    seasons: int = 4
    round: int = 1
    actions: int = 2
    acquired: bool = False
    first: Seat | None = None
    done: list[Seat] = field(default_factory=list[Seat])
    talents: dict[Seat, int] = field(default_factory=dict[Seat, int])
    points: dict[Seat, int] = field(default_factory=dict[Seat, int])
    chaos: dict[Seat, int] = field(default_factory=dict[Seat, int])
    influence: dict[Seat, dict[AreaId, int]] = field(default_factory=dict[Seat, dict[AreaId, int]])
    tokens: dict[AreaId, int] = field(default_factory=dict[AreaId, int])
    cities: dict[AreaId, Seat] = field(default_factory=dict[AreaId, Seat])
    forces: list[Force] = field(default_factory=list[Force])
    display: dict[CardId, int] = field(default_factory=dict[CardId, int])
    """Cards on display, besides the vote cards that nobody owns."""
    cards: dict[Seat, dict[CardId, int]] = field(default_factory=dict[Seat, dict[CardId, int]])
    used: dict[Seat, dict[CardId, int]] = field(default_factory=dict[Seat, dict[CardId, int]])
    senators: dict[Seat, dict[CardId, int]] = field(default_factory=dict[Seat, dict[CardId, int]])
    """Senators in hand; players who are not named hold those of the set-up."""
    pool: dict[AreaId, int] | None = None
    """Province tokens that are left to draw."""
    deck: dict[CardId, int] | None = None
    """Cards that are left to draw."""


def arrange(content: Mapping[str, Any], data: Data, board: Board) -> Table:
    """Return the table of a position. Raises `ValueError` or `msgspec.ValidationError` if it is impossible."""
    position = msgspec.convert(dict(content), Position)
    a, b = position.alliances
    seats = {*a, *b, *position.seats}
    if unknown := seats - COLOURS.keys():
        raise ValueError(f"no such seats: {', '.join(sorted(unknown))}")
    table = bare(Map.of(board), data, tuple(seat for seat in COLOURS if seat in seats), position.seasons)
    fit(table)
    table.alliance_a[:], table.alliance_b[:] = a, b
    table.phase, table.season, table.round = position.phase, position.season, position.round
    table.first = position.first or table.seats[0]
    table.done[:] = position.done
    if position.turn is not None and position.phase == "actions":
        table.turn = Turn(position.turn, position.actions, position.acquired)
        table.done[:] = position.done or table.order[: table.order.index(position.turn)]
    for seat in table.seats:
        talents = position.talents.get(seat, data.start.talents)
        chaos = position.chaos.get(seat, 0)
        table.players[seat] = Player(talents, position.points.get(seat, 0), chaos)
    _lay_pieces(table, position)
    _lay_cards(table, position)
    return table


def _lay_pieces(table: Table, position: Position) -> None:
    for seat, places in position.influence.items():
        for area, number in places.items():
            if area not in table.keys:
                raise ValueError(f"influence in {area}, which is no key province")
            table.add_influence(area, seat, number)
    for area, number in position.tokens.items():
        table.add_tokens(area, number)
        table.pool[area] -= number
    if position.pool is not None:
        table.pool = dict(position.pool)
    for area, owner in position.cities.items():
        table.set_city(area, owner)
    for force in position.forces:
        if force.at not in table.map or force.seat not in table.seats:
            raise ValueError(f"no such place or seat: {force.at}, {force.seat}")
        if (force.at in table.map.seas) != bool(force.galleys):
            raise ValueError(f"{force.at}: galleys must be in sea zones, and land units in provinces")
        if force.galleys:
            table.add_galleys(force.at, force.seat, force.galleys)
            continue
        army = Army(Units(force.infantry, force.cavalry, force.catapults), force.generals, force.caesar)
        table.set_army(force.at, force.seat, table.army(force.at, force.seat) + army)
    for seat in table.seats:
        if exceeded := [kind for kind, rest in table.supply(seat).items() if rest < 0]:
            raise ValueError(f"{seat} has more {', '.join(exceeded)} than there are")


def _lay_cards(table: Table, position: Position) -> None:
    for seat, cards in position.cards.items():
        for card, number in cards.items():
            _take(table, card, number)
            table.owned[seat] = plus(table.owned[seat], card, number)
    for seat, cards in position.used.items():
        table.used[seat] = dict(cards)
    for card, number in position.display.items():
        _take(table, card, number)
        table.display = plus(table.display, card, number)
    for seat in table.seats:
        for card, number in _senators(table, position, seat).items():
            _take(table, card, number)
    if position.deck is not None:
        table.deck = dict(position.deck)


def _take(table: Table, card: CardId, number: int) -> None:
    """Take cards from the deck, or vote cards from the display. Raises `ValueError` when there are too few."""
    if card not in table.cards:
        raise ValueError(f"there is no card {card!r}")
    stock = table.display if table.cards[card].kind == "vote" else table.deck
    if stock.get(card, 0) < number:
        raise ValueError(f"there are only {stock.get(card, 0)} cards {card!r} left")
    stock[card] -= number
    if not stock[card] and stock is table.display:
        del table.display[card]


def _senators(table: Table, position: Position, seat: Seat) -> dict[CardId, int]:
    return position.senators.get(seat, dict.fromkeys(table.data.start.senators, 1))


def conceal(draft: Draft[Table], content: Mapping[str, Any]) -> None:
    """Seal the hands of a position."""
    position = msgspec.convert(dict(content), Position)
    for seat in draft.table.seats:
        senators = _senators(draft.table, position, seat)
        draft.table.hands[seat] = Hand(sum(senators.values()), hands.seal(draft, seat, senators))
