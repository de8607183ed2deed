"""The chain of takes: who takes which card from whom, its end, the compensation (MN-TRD-10 to MN-TRD-21)."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from domain.kernel.chance.secret import Sealed, Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Names
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum.box import hands, phrases
from domain.mare_nostrum.box.data import BANK, Resource
from domain.mare_nostrum.box.state import TakenCard, Trade
from domain.mare_nostrum.box.table import Command, Event, Table, trade_of

# --- events ---


class CardTaken(Event, frozen=True):
    """A player took a face-up card; the player who lost it takes next (MN-TRD-11, MN-TRD-13).

    Attributes:
        giver: the player who lost the card.
        automatic: whether it was the only card that could be taken.
    """

    rules = ("MN-TRD-11", "MN-TRD-13")

    taker: Seat
    giver: Seat
    card: Resource
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        trade = trade_of(table)
        offers, takes = trade.offers.copy(), trade.taken.copy()
        offers[self.giver] = less(offers[self.giver], self.card)
        takes[self.taker] = (*takes.get(self.taker, ()), self.card)
        table.trade = replace(
            trade,
            offers=offers,
            taken=takes,
            takes=(*trade.takes, TakenCard(self.taker, self.giver, self.card)),
            taker=self.giver,
            forced=None,
        )

    def tell(self, names: Names) -> str:
        return f"{names(self.taker)} took {phrases.card(self.card)} from {names(self.giver)}."


class TradeEnded(Event, frozen=True):
    """The chain ended; the cards that players took, and the rest of their offers, went into their hands (MN-TRD-21).

    Attributes:
        rule: the rule by which it ended.
        acquired: the cards that each player took.
        returned: the cards of each offer that nobody took.
        short: who has one card less than before and gets one from the Director (MN-TRD-19); null for nobody.
    """

    rules = ("MN-TRD-21",)

    rule: str
    acquired: dict[Seat, tuple[Resource, ...]]
    returned: dict[Seat, tuple[Resource, ...]]
    short: Seat | None

    def apply(self, table: Table) -> None:
        assert table.trade is not None, "a trade is under way"
        for cards in (self.acquired, self.returned):
            for seat, each in cards.items():
                table.pass_openly(seat, hands.count(each))
        table.trade = replace(table.trade, offers={}, taken={}, taker=None, short=self.short)

    def tell(self, names: Names) -> str:
        returned = [
            f"{names(seat)} took back {phrases.cards(hands.count(each))}"
            for seat, each in phrases.by_seat(self.returned)
        ]
        short = [f"{names(self.short)} was one card short"] if self.short else []
        return f"{'; '.join(['The trade ended', *returned, *short])}."


class CardGiven(Event, frozen=True):
    """The Director of Commerce gave a card to the player who was one short; only these two know which (MN-TRD-20).

    Attributes:
        card: the card; only these two can read it.
        hands: the hands of these two; only its owner can read each.
    """

    rules = ("MN-TRD-20",)

    giver: Seat
    receiver: Seat
    card: Sealed
    hands: dict[Seat, Sealed]

    def apply(self, table: Table) -> None:
        assert table.trade is not None, "a trade has ended"
        for seat, more in ((self.giver, -1), (self.receiver, 1)):
            table.hold(seat, table.hands[seat].count + more, self.hands[seat])
        table.trade = replace(table.trade, short=None)

    def tell(self, names: Names) -> str:
        return f"{names(self.giver)} gave {names(self.receiver)} a card."


# --- what may be taken ---


def less(cards: tuple[Resource, ...], card: Resource) -> tuple[Resource, ...]:
    """Return the cards without one of that kind."""
    place = cards.index(card)
    return cards[:place] + cards[place + 1 :]


def exhausted(takes: Sequence[TakenCard], one: Seat, other: Seat) -> bool:
    """Tell whether the last two takes were both between these players, so that no third may follow (MN-TRD-14)."""
    last = takes[-2:]
    return len(last) == 2 and all({take.taker, take.giver} == {one, other} for take in last)


def open_to(trade: Trade, taker: Seat) -> dict[Seat, list[Resource]]:
    """Return the kinds of cards that a player may take now, by owner (MN-TRD-12, MN-TRD-14)."""
    return {
        giver: kinds(offer)
        for giver, offer in trade.offers.items()
        if offer and giver != taker and not exhausted(trade.takes, taker, giver)
    }


def _offers(table: Table, trade: Trade, taker: Seat) -> dict[Seat, list[Resource]]:
    """Return the cards that the next taker may take; none when one offer is left and the set-up ends the chain then."""
    if table.setup.lone_offer_ends_trade is True and sum(map(bool, trade.offers.values())) == 1:
        return {}
    return open_to(trade, taker)


def kinds(cards: Iterable[Resource]) -> list[Resource]:
    """Return each kind once, in the order of the bank."""
    present = set(cards)
    return [card for card in BANK if card in present]


# --- taking ---


class Take(Command, frozen=True):
    """Take a face-up card of another trader (MN-TRD-10, MN-TRD-12).

    Attributes:
        giver: the player whose card you take.
    """

    rules = ("MN-TRD-12", "MN-TRD-10")
    answers = frozenset({"take"})
    gesture = Gesture(targets=("giver",), cards=("card",), control="hand")

    giver: Seat
    card: Resource

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        trade = trade_of(draft.table)
        self._check(trade, seat)
        draft.emit(CardTaken(seat, self.giver, self.card))

    def _check(self, trade: Trade, seat: Seat) -> None:
        wrong = f"You cannot take {self.card} from {self.giver}."
        if self.giver == seat:
            raise Refusal("MN-TRD-12", wrong, "Take a card from another player.")
        if self.giver not in trade.traders:
            raise Refusal("MN-TRD-07", wrong, f"Players who take part in this trade: {', '.join(trade.traders)}.")
        if exhausted(trade.takes, seat, self.giver):
            raise Refusal("MN-TRD-14", wrong, "You two have just taken from each other. Take from another player.")
        offer = trade.offers[self.giver]
        if self.card not in offer:
            rule = "MN-TRD-13" if self.card in trade.taken.get(self.giver, ()) else "MN-TRD-12"
            raise Refusal(rule, wrong, f"Face-up cards of {self.giver}: {phrases.cards(hands.count(offer))}.")

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        assert table.trade is not None, "a trade is under way"
        for giver, cards in open_to(table.trade, seat).items():
            title = f"Take a card from {table.names(giver)}"
            yield cls.option(title, {"giver": schema.const(giver), "card": schema.one_of(cards)})


# --- the compensation ---


class GiveCard(Command, frozen=True):
    """Give any card in your hand to the player who is one card short (MN-TRD-20)."""

    rules = ("MN-TRD-20",)
    answers = frozenset({"give-card"})
    sealed = True
    gesture = Gesture(cards=("card",), control="hand")

    card: Resource

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        assert table.trade is not None, "a trade has ended"
        assert table.trade.short is not None, "a player is one card short"
        receiver, own = table.trade.short, hands.hand_of(table, seat, draft)
        if self.card not in own:
            raise Refusal(self.rule, f"You cannot give {self.card}.", f"Your hand: {phrases.cards(own)}.")
        other = hands.hand_of(table, receiver, draft)
        card = draft.seal(self.card, (seat, receiver))
        own[self.card] -= 1
        other[self.card] = other.get(self.card, 0) + 1
        sealed = {holder: hands.seal(draft, holder, cards) for holder, cards in ((seat, own), (receiver, other))}
        draft.emit(CardGiven(seat, receiver, card, sealed))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option("Give a card", {"card": schema.one_of(hands.hand_of(table, seat, vault))})


# --- the order of things ---


def take(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the next taker, where there is a choice; end the chain when there is no card to take."""
    trade = trade_of(table)
    taker = trade.taker
    assert taker is not None, "somebody takes"
    offers = _offers(table, trade, taker)
    if not offers:
        return lambda draft: _end(draft, trade)
    if sum(map(len, offers.values())) == 1:
        [(giver, [card])] = offers.items()
        return lambda draft: draft.emit(CardTaken(taker, giver, card, automatic=True))
    return [
        Decision(
            "take",
            (taker,),
            RuleId("MN-TRD-12" if trade.takes else "MN-TRD-10"),
            "Which card do you take, and from whom?",
            "The player who loses the card takes next.",
            {"offers": offers},
        )
    ]


def compensate(table: Table) -> list[Decision]:
    """Ask the Director, after the chain, for a card for the player who is one short."""
    assert table.trade is not None, "a trade has ended"
    assert table.trade.short is not None, "somebody is short"
    short = table.trade.short
    return [
        Decision(
            "give-card",
            (table.roles["director-of-commerce"],),
            RuleId("MN-TRD-20"),
            f"Which card do you give to {table.names(short)}, who is one card short?",
            "Construction begins after this choice.",
            {"receiver": short},
        )
    ]


def _end(draft: Draft[Table], trade: Trade) -> None:
    rest = {seat: offer for seat, offer in trade.offers.items() if offer}
    last = trade.takes[-1].giver
    short = last if last != draft.table.roles["director-of-commerce"] else None
    draft.emit(TradeEnded(_why(trade, rest.keys()), trade.taken, rest, short))


def _why(trade: Trade, seats: Iterable[Seat]) -> str:
    """Return the rule by which the chain ended, by who has cards left: only the taker, two players, or any others."""
    holders = set(seats)
    if holders == {trade.taker}:
        return "MN-TRD-16"
    return "MN-TRD-17" if len(holders) == 2 else "MN-TRD-15"


EVENTS = (CardTaken, TradeEnded, CardGiven)
COMMANDS = (Take, GiveCard)
