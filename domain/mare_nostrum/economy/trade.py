"""Trade: the Director's number, and offers that stay face down until all are turned over (MN-TRD-01 to MN-TRD-09).

Everybody may know who has chosen an offer, but not what they chose: until the reveal, nothing that others see depends
on it. So the engine chooses for a player only where the number of their cards leaves no choice.
"""

from collections.abc import Iterable
from typing import ClassVar

from msgspec.structs import replace

from domain.kernel.chance.secret import Opened, Sealed, Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Count, Names
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum.box import hands, phrases
from domain.mare_nostrum.box.data import Resource
from domain.mare_nostrum.box.state import Trade
from domain.mare_nostrum.box.table import Command, Event, Table, trade_of
from domain.mare_nostrum.turn import turn

# --- events ---


class NumberNamed(Event, frozen=True):
    """The Director of Commerce named how many cards everybody offers (MN-TRD-01).

    Attributes:
        number: how many; 0 for no trade in this turn.
        traders: those who hold that many cards, and take part.
        automatic: whether the Director holds no card and could only name 0.
    """

    rules = ("MN-TRD-01",)

    seat: Seat
    number: Count
    traders: tuple[Seat, ...]
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        table.trade = Trade(self.number, self.traders)

    def tell(self, names: Names) -> str:
        if not self.number:
            return f"{names(self.seat)} named 0 cards, so there is no trade."
        cards = "1 card" if self.number == 1 else f"{self.number} cards"
        if len(self.traders) < 2:
            return f"{names(self.seat)} named {cards}; nobody else has that many, so there is no trade."
        return f"{names(self.seat)} named {cards}; {names.all(self.traders)} trade."


class OfferMade(Event, frozen=True):
    """A player laid their offer face down (MN-TRD-05).

    Attributes:
        offer: the cards; only that player can read them until all are turned over.
        automatic: whether the offer is the whole hand.
    """

    rules = ("MN-TRD-05",)

    seat: Seat
    offer: Sealed
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        assert table.trade is not None, "a number was named"
        table.trade = replace(table.trade, chosen={**table.trade.chosen, self.seat: self.offer})

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} laid an offer face down."


class OffersRevealed(Event, frozen=True):
    """All offers were turned over at the same time (MN-TRD-09).

    Attributes:
        offers: the cards that each player offers, with the proof that they were laid down before.
        taker: who takes first: the Director of Commerce.
    """

    rules = ("MN-TRD-09",)
    reveals: ClassVar[bool] = True

    offers: dict[Seat, Opened]
    taker: Seat

    def apply(self, table: Table) -> None:
        assert table.trade is not None, "a number was named"
        offers: dict[Seat, tuple[Resource, ...]]
        offers = {seat: tuple(self.offers[seat].value) for seat in table.trade.traders}
        for seat, cards in offers.items():
            table.pass_openly(seat, hands.negated(hands.count(cards)))
        table.trade = replace(table.trade, chosen={}, offers=offers, taker=self.taker)

    def tell(self, names: Names) -> str:
        offers = phrases.by_seat(self.offers)
        offered = [f"{names(seat)} offered {phrases.cards(hands.count(offer.value))}" for seat, offer in offers]
        return f"The offers were turned over: {'; '.join(offered)}."


# --- the number ---


class NameNumber(Command, frozen=True):
    """Name how many cards everybody must offer, up to the number in your hand (MN-TRD-01).

    Attributes:
        number: how many; 0 for no trade in this turn.
    """

    rules = ("MN-TRD-01",)
    answers = frozenset({"name-number"})
    gesture = Gesture(counts=("number",), control="bid")

    number: Count = 0

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        most = draft.table.hands[seat].count
        if self.number > most:
            wrong = f"You named {self.number} cards."
            raise Refusal(self.rule, wrong, f"Name a number from 0 to {most}, which is how many you hold.")
        draft.emit(NumberNamed(seat, self.number, traders(draft.table, self.number)))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option("Name how many cards are offered", {"number": schema.count(0, table.hands[seat].count)})


def traders(table: Table, number: int) -> tuple[Seat, ...]:
    """Return who takes part when this number is named: all who hold as many (MN-TRD-03, MN-TRD-06, MN-TRD-07)."""
    return tuple(seat for seat in table.seats if number and table.hands[seat].count >= number)


# --- the offers ---


class Offer(Command, frozen=True):
    """Lay exactly the named number of your cards face down (MN-TRD-05).

    Attributes:
        cards: how many of each kind.
    """

    rules = ("MN-TRD-05",)
    answers = frozenset({"offer"})
    sealed = True
    gesture = Gesture(cards=("cards",), control="hand")

    cards: dict[Resource, Count]

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        assert table.trade is not None, "a number was named"
        hand, number = hands.hand_of(table, seat, draft), table.trade.number
        wrong = f"You asked to offer {phrases.cards(self.cards)}."
        if any(card not in hand or count > hand[card] for card, count in self.cards.items()):
            raise Refusal(self.rule, wrong, f"Your hand: {phrases.cards(hand)}.")
        if sum(self.cards.values()) != number:
            raise Refusal(self.rule, wrong, f"Everybody must offer exactly {number}.")
        _offer(draft, seat, self.cards)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        assert table.trade is not None, "a number was named"
        number, hand = table.trade.number, hands.hand_of(table, seat, vault)
        counts = {card: schema.count(0, count) for card, count in hand.items()}
        cards = schema.record(counts, counts, x_sum={"minimum": number, "maximum": number})
        yield cls.option("Lay your offer face down", {"cards": cards})


def _offer(draft: Draft[Table], seat: Seat, cards: hands.Cards, *, automatic: bool = False) -> None:
    draft.emit(OfferMade(seat, draft.seal(hands.single_cards(cards), (seat,)), automatic))


def _waiting(trade: Trade) -> list[Seat]:
    """Return the traders who must still make an offer."""
    if len(trade.traders) < 2 or trade.offers or trade.takes:
        return []
    return [seat for seat in trade.traders if seat not in trade.chosen]


def _all_in(table: Table, trade: Trade) -> list[Seat]:
    """Return the traders who must offer their whole hand, which is no secret: hand sizes are public (MN-TRD-04)."""
    return [seat for seat in _waiting(trade) if table.hands[seat].count == trade.number]


def _reveal(draft: Draft[Table]) -> None:
    trade = trade_of(draft.table)
    offers = {seat: draft.reveal(trade.chosen[seat]) for seat in trade.traders}
    draft.emit(OffersRevealed(offers, draft.table.roles["director-of-commerce"]))


# --- the order of things ---


def name_number(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the Director how many cards everybody offers; without a card in hand, the Director names 0."""
    director = table.roles["director-of-commerce"]
    if not table.hands[director].count:
        return lambda draft: draft.emit(NumberNamed(director, 0, (), automatic=True))
    return [
        Decision(
            "name-number",
            (director,),
            RuleId("MN-TRD-01"),
            "How many cards does everybody offer?",
            "Players who hold fewer cards take no part. With 0 there is no trade.",
            {"maximum": table.hands[director].count},
        )
    ]


def offer(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask all who take part for their offers, at the same time; reveal them; after the trade, begin construction."""
    trade = trade_of(table)
    if all_in := _all_in(table, trade):
        seat = all_in[0]
        return lambda draft: _offer(draft, seat, hands.hand_of(table, seat, draft), automatic=True)
    if waiting := _waiting(trade):
        return [
            Decision(
                "offer",
                tuple(waiting),
                RuleId("MN-TRD-05"),
                "Which card do you offer?" if trade.number == 1 else f"Which {trade.number} cards do you offer?",
                "All offers are turned over when everybody has chosen.",
                {"number": trade.number, "traders": list(trade.traders)},
            )
        ]
    return _reveal if trade.chosen else lambda draft: turn.enter(draft, "construction")


EVENTS = (NumberNamed, OfferMade, OffersRevealed)
COMMANDS = (NameNumber, Offer)
