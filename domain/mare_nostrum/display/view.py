"""What a seat or a spectator sees of a table: everything except the cards that others hold, keep or offer face down."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from domain.kernel.chance.secret import Sealed, Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.schema import Random
from domain.mare_nostrum.box import hands
from domain.mare_nostrum.box.data import (
    BANK,
    CARDS,
    KEPT_TAXES,
    PRICES,
    ROLES,
    TAX,
    Building,
    CardId,
    Item,
    Resource,
    Role,
    price_of,
)
from domain.mare_nostrum.box.pieces import Fleet, Province
from domain.mare_nostrum.box.state import Battle, Entry, Hand, Holding, Phase, Spoils, TakenCard, Trade
from domain.mare_nostrum.box.table import Table
from domain.mare_nostrum.economy import combinations
from domain.mare_nostrum.turn import roles


class SeatView(Struct, frozen=True, kw_only=True):
    """A player's standing.

    Attributes:
        count: how many cards they have in hand, which is public (MN-TRD-04).
        hand: the cards in hand, by kind; null for those who may not see them.
        purchases: all maximal purchases of that hand, each a list of the sizes of combinations that it pays together.
        cards: their heroes and wonders, in the order of purchase.
        stock: the pieces that they have left to place (MN-PCS-04).
        totals: their total for each role (MN-ROL-04 to MN-ROL-07).
        prices: how many cards an item costs them.
    """

    capital: AreaId
    count: int
    hand: dict[Resource, int] | None
    purchases: tuple[combinations.Purchase, ...] | None
    cards: tuple[CardId, ...]
    stock: dict[Item, int]
    totals: dict[Role, int]
    prices: dict[Item, int]


class TradeView(Struct, frozen=True, kw_only=True):
    """The trade.

    Attributes:
        number: how many cards each trader offers.
        traders: who takes part, in seat order.
        chosen: the face-down offers; null where the viewer may not see them.
        offers: the face-up cards, by owner; empty until all have been turned over.
        taken: the cards taken so far, by taker.
        taker: who takes next; null before the reveal and when the chain has ended.
        takes: the takes so far, without one that Ulysses undid.
        forced: Ulysses' owner, when the taker must now take from them (MN-HER-11).
        short: who has one card less than before the trade, when the Director must give them one (MN-TRD-19).
    """

    number: int
    traders: tuple[Seat, ...]
    chosen: dict[Seat, tuple[Resource, ...] | None]
    offers: dict[Seat, tuple[Resource, ...]]
    taken: dict[Seat, tuple[Resource, ...]]
    taker: Seat | None
    takes: tuple[TakenCard, ...]
    forced: Seat | None
    short: Seat | None


class View(Struct, frozen=True, kw_only=True):
    """The position as the viewer may see it.

    Attributes:
        turn: the number of the turn; 0 during the set-up.
        active: the active player, in construction or in the Military Phase.
        done: who has had their construction turn or military turn in this phase.
        roles: who holds each role.
        neutral: the civilizations that nobody plays.
        bank: the open piles.
        supply: the building tokens not on the board.
        available: the heroes and wonders that nobody owns yet.
        fleets: the triremes at sea, by sea space and owner.
        redirected: whether Ulysses has been used in this Commerce Phase (MN-HER-11).
        free_marker: whether Hammurabi's free marker has been placed this turn (MN-HER-14).
        exchanged: whether Cleopatra's exchange has been used in this Construction Phase (MN-HER-17).
        kept: the cards that players chose to keep; null where the viewer may not see them.
        owed: provinces at war since an earlier turn, and who had land units there when this turn began (MN-WAR-03).
        ashore: whether the active player has moved or fought with a legion, after which triremes cannot act
            (MN-MIL-03).
        seduced: whether Helen has been used in this Military Phase (MN-HER-07).
        entry: legions that have just entered, of which Helen's owner may convert one.
        spoils: a province where an invader has to pillage, occupy or convert.
        holding: a province where an occupier who was attacked has to choose what to keep holding.
        founders: those who still have to spend points in the free set-up, in this order.
        points: the set-up points that the first of `founders` can still spend.
    """

    turn: int
    phase: Phase
    active: Seat | None
    done: list[Seat]
    roles: dict[Role, Seat]
    neutral: tuple[Seat, ...]
    seats: dict[Seat, SeatView]
    bank: dict[Resource, int]
    supply: dict[Building, int]
    available: tuple[CardId, ...]
    provinces: dict[AreaId, Province]
    fleets: dict[AreaId, dict[Seat, Fleet]]
    trade: TradeView | None
    redirected: bool
    free_marker: bool
    exchanged: bool
    kept: dict[Seat, dict[Resource, int] | None]
    owed: dict[AreaId, tuple[Seat, ...]]
    ashore: bool
    seduced: bool
    entry: Entry | None
    battle: Battle | None
    spoils: Spoils | None
    holding: Holding | None
    founders: list[Seat]
    points: int
    winner: Seat | None


def of(table: Table, vault: Vault) -> View:
    """Return what the holder of `vault` sees."""
    totals: dict[Role, dict[Seat, int]] = {role: roles.totals(table, role) for role in ROLES}
    return View(
        turn=table.turn,
        phase=table.phase,
        active=table.active,
        done=table.done,
        roles=table.roles,
        neutral=table.neutral,
        seats={seat: _standing(table, seat, vault, totals) for seat in table.seats},
        bank=table.bank,
        supply=table.supply,
        available=table.available,
        provinces=table.provinces,
        fleets=table.fleets,
        trade=_trade(table, vault),
        redirected=table.redirected,
        free_marker=table.free_marker,
        exchanged=table.exchanged,
        kept=_read(table.kept, vault),
        owed=table.owed,
        ashore=table.ashore,
        seduced=table.seduced,
        entry=table.entry,
        battle=table.battle,
        spoils=table.spoils,
        holding=table.holding,
        founders=table.order,
        points=table.points,
        winner=table.winner,
    )


def _standing(table: Table, seat: Seat, vault: Vault, totals: Mapping[Role, Mapping[Seat, int]]) -> SeatView:
    cards = table.cards[seat]
    hand = hands.hand_of(table, seat, vault) if hands.is_read_by(table, seat, vault) else None
    prices: dict[Item, int] = {item: price_of(item, cards) for item in PRICES}
    sizes = {*prices.values(), *(CARDS[card].price for card in table.available)}
    return SeatView(
        capital=table.capitals[seat],
        count=table.hands[seat].count,
        hand=hand,
        purchases=combinations.purchases(hand, sizes) if hand is not None else None,
        cards=cards,
        stock=table.stock(seat),
        totals={role: totals[role][seat] for role in ROLES},
        prices=prices,
    )


def _trade(table: Table, vault: Vault) -> TradeView | None:
    trade = table.trade
    if trade is None:
        return None
    return TradeView(
        number=trade.number,
        traders=trade.traders,
        chosen=_read(trade.chosen, vault),
        offers=trade.offers,
        taken=trade.taken,
        taker=trade.taker,
        takes=trade.takes,
        forced=trade.forced,
        short=trade.short,
    )


def _read(sealed: Mapping[Seat, Sealed], vault: Vault) -> dict[Seat, Any]:
    return {seat: vault.open(each) if vault.holds(each) else None for seat, each in sealed.items()}


# --- from a view to a table ---


def imagine(draft: Draft[Table], view: View, viewer: Seat, rng: Random) -> None:
    """Fill a bare table with a position that `view` could show. Cards that it does not show are dealt at random.

    What else no view shows (such as who has pillaged where, and whose marker was replaced) is left out.
    """
    table = draft.table
    table.assume(view, "seats", "trade", "kept")
    table.order = view.founders
    table.paid = view.phase not in ("setup", "roles")
    table.cards = {seat: standing.cards for seat, standing in view.seats.items()}
    if view.phase == "roles":
        table.ties = roles.tied(table)
    dealt = _dealt(view, rng)
    for seat, cards in dealt.items():
        table.hands[seat] = Hand(view.seats[seat].count, hands.seal(draft, seat, cards))
    for seat, aside in view.kept.items():
        own = {TAX: min(KEPT_TAXES, dealt[seat].get(TAX, 0))} if aside is None else aside
        table.kept[seat] = hands.seal(draft, seat, own)
    if (trade := view.trade) is not None:
        offers = {
            seat: draft.seal(
                rng.sample(hands.single_cards(dealt[seat]), trade.number) if offer is None else list(offer), (seat,)
            )
            for seat, offer in trade.chosen.items()
        }
        # No view shows whether Ulysses' owner has accepted the last take, so guess.
        is_redirecting = bool(trade.takes) and table.owner_of("redirect") == viewer and rng.random() < 0.5
        table.trade = Trade(
            trade.number,
            trade.traders,
            offers,
            trade.offers,
            trade.taken,
            trade.taker,
            trade.takes,
            len(trade.takes) - is_redirecting,
            trade.forced,
            trade.short,
        )


def _dealt(view: View, rng: Random) -> dict[Seat, hands.Cards]:
    """Return all hands: those that the view shows, and for the others, cards that it does not show, dealt at random."""
    trade = view.trade
    open_ = [] if trade is None else [*trade.offers.values(), *trade.taken.values()]
    visible = [
        view.bank,
        *(each.hand for each in view.seats.values() if each.hand is not None),
        *map(hands.count, open_),
    ]
    unseen = [card for card in BANK for _ in range(BANK[card] - sum(each.get(card, 0) for each in visible))]
    dealt, hands_of = rng.sample(unseen, len(unseen)), dict[Seat, hands.Cards]()
    for seat, standing in view.seats.items():
        if standing.hand is not None:
            hands_of[seat] = standing.hand
        else:
            hands_of[seat] = hands.count(dealt[: standing.count])
            del dealt[: standing.count]
    return hands_of
