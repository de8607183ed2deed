"""Positions written by hand, for scenarios and problems. `Position` describes the format.

Fields without a description mean what they mean in `box.table.Table`, `box.state.Trade` and `box.pieces.Province`.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct, field

from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.board import Board, Map
from domain.kernel.rules.draft import Draft
from domain.mare_nostrum.box import hands
from domain.mare_nostrum.box.data import CIVILIZATIONS, ROLES, START_ROLES, Building, Resource, Role
from domain.mare_nostrum.box.editions import Rules
from domain.mare_nostrum.box.pieces import Fleet, Force, Province
from domain.mare_nostrum.box.state import Phase, Setup, TakenCard, Tie, Trade
from domain.mare_nostrum.box.table import Table
from domain.mare_nostrum.start.setup import bare


class Land(Struct, forbid_unknown_fields=True):
    """What is in a province. Land units, posts and triremes in port are listed by owner.

    Attributes:
        legions: those that have neither moved nor attacked this turn.
        moved: those that have moved this turn.
        fought: those that have attacked this turn.
    """

    owner: Seat | None = None
    marked: int = 0
    city: bool = False
    market: bool = False
    temple: bool = False
    caravans: tuple[Resource, ...] = ()
    legions: dict[Seat, int] = {}
    moved: dict[Seat, int] = {}
    fought: dict[Seat, int] = {}
    fortresses: dict[Seat, int] = {}
    posts: dict[Seat, tuple[str, ...]] = {}
    ports: dict[Seat, int] = {}

    def force(self, seat: Seat) -> Force:
        numbers = (each.get(seat, 0) for each in (self.legions, self.moved, self.fought, self.fortresses))
        return Force(*numbers, posts=self.posts.get(seat, ()))


class TradePosition(Struct, forbid_unknown_fields=True):
    """A trade under way; `chosen` are face-down offers, whose cards still count as part of the hands."""

    number: int
    traders: tuple[Seat, ...]
    chosen: dict[Seat, tuple[Resource, ...]] = {}
    offers: dict[Seat, tuple[Resource, ...]] = {}
    taken: dict[Seat, tuple[Resource, ...]] = {}
    taker: Seat | None = None
    takes: tuple[TakenCard, ...] = ()
    stood: int = 0
    forced: Seat | None = None
    short: Seat | None = None


class Position(Struct, forbid_unknown_fields=True):
    """A position. Except in the set-up, players own their capitals; everything else on the board must be listed.

    `seats` are the players; the other civilizations are neutral. The cards in `hands` and on the table come from the
    bank, and the buildings from the supply. `bank` and `supply` override the count of the piles that they name.
    """

    seats: tuple[Seat, ...]
    turn: int = 2
    phase: Phase = "construction"
    active: Seat | None = None
    done: tuple[Seat, ...] = ()
    roles: dict[Role, Seat] = {}
    """Who holds each role. By default, the civilization whose aid card has it; if nobody plays that, the first seat."""
    ties: tuple[Tie, ...] = ()
    hands: dict[Seat, dict[Resource, int]] = {}
    cards: dict[Seat, tuple[str, ...]] = {}
    provinces: dict[AreaId, Land] = {}
    fleets: dict[AreaId, dict[Seat, Fleet | int]] = {}
    bank: dict[Resource, int] = {}
    supply: dict[Building, int] = {}
    setup: Setup = field(default_factory=Setup)
    order: tuple[Seat, ...] = ()
    points: int = 0
    paid: bool = False
    trade: TradePosition | None = None
    redirected: bool = False
    free_marker: bool = False
    exchanged: bool = False
    replaced: dict[AreaId, Seat] = {}
    ashore: bool = False
    owed: dict[AreaId, tuple[Seat, ...]] = {}
    exploited: dict[AreaId, tuple[Seat, ...]] = {}
    seduced: bool = False


def arrange(content: Mapping[str, Any], rules: Rules, board: Board) -> Table:
    """Return the table of a position. Until `conceal`, it has empty hands, no trade and a full bank.

    Raises `ValueError` or `msgspec.ValidationError`.
    """
    position = msgspec.convert(dict(content), Position)
    if strangers := {*position.seats} - {*CIVILIZATIONS}:
        raise ValueError(f"these are not civilizations: {', '.join(sorted(strangers))}")
    seats = tuple(civilization for civilization in CIVILIZATIONS if civilization in position.seats)
    table = bare(Map.of(board), rules, position.setup, seats)
    table.turn, table.phase, table.active = position.turn, position.phase, position.active
    table.done, table.ties = list(position.done), list(position.ties)
    table.order, table.points = list(position.order), position.points
    table.roles = {role: _holder(role, position.roles, seats) for role in ROLES}
    for seat, cards in position.cards.items():
        table.cards[seat] = cards
    for name in ("paid", "redirected", "free_marker", "exchanged", "ashore", "seduced"):
        setattr(table, name, getattr(position, name))
    table.replaced, table.owed = dict(position.replaced), dict(position.owed)
    table.exploited = dict(position.exploited)
    _set_up_board(table, position)
    return table


def _holder(role: Role, holders: Mapping[Role, Seat], seats: tuple[Seat, ...]) -> Seat:
    if role in holders:
        return holders[role]
    return START_ROLES[role] if START_ROLES[role] in seats else seats[0]


def _set_up_board(table: Table, position: Position) -> None:
    if position.phase != "setup":
        for seat in table.seats:
            table.change_province(table.capitals[seat], owner=seat)
    for area, land in position.provinces.items():
        if area not in table.provinces:
            raise ValueError(f"{area} is not a province")
        table.provinces[area] = Province(
            owner=land.owner or table.provinces[area].owner, marked=land.marked, ports=dict(land.ports)
        )
        for seat in {**land.legions, **land.moved, **land.fought, **land.fortresses}:
            table.set_force(area, seat, land.force(seat))
        for kind in ("city", "market", "temple"):
            if getattr(land, kind):
                table.build(area, kind)
        for good in land.caravans:
            table.build(area, "caravan", good)
    table.supply.update(position.supply)
    for sea, fleets in position.fleets.items():
        for seat, fleet in fleets.items():
            table.set_fleet(sea, seat, Fleet(fresh=fleet) if isinstance(fleet, int) else fleet)


def conceal(draft: Draft[Table], content: Mapping[str, Any]) -> None:
    """Seal the hands and the face-down offers of a position, set its trade, and take the cards from the bank."""
    position = msgspec.convert(dict(content), Position)
    table = draft.table
    for seat in table.seats:
        cards = position.hands.get(seat, {})
        table.hold(seat, sum(cards.values()), hands.seal(draft, seat, cards))
        _take_from_bank(table, cards)
    if trade := position.trade:
        for cards_on_table in (*trade.offers.values(), *trade.taken.values()):
            _take_from_bank(table, Counter(cards_on_table))
        offers = {seat: draft.seal(list(offer), (seat,)) for seat, offer in trade.chosen.items()}
        table.trade = Trade(
            trade.number,
            trade.traders,
            offers,
            dict(trade.offers),
            dict(trade.taken),
            trade.taker,
            trade.takes,
            trade.stood,
            trade.forced,
            trade.short,
        )
    table.bank.update(position.bank)


def _take_from_bank(table: Table, cards: Mapping[Resource, int]) -> None:
    for card, number in cards.items():
        table.bank[card] -= number
