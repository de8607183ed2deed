"""The end of the Construction Phase: unused cards go back, but a few may be kept (MN-CMB-05 to MN-CMB-08, MN-WON-02).

All players choose in secret and at the same time what to keep. When everybody has chosen, the bank takes all other
cards together. So everybody learns how many cards each player kept, but not which.
"""

from collections import Counter
from collections.abc import Iterable
from typing import ClassVar, Final

from msgspec import Struct

from domain.kernel.chance.secret import Sealed, Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Count, Names, enumerated
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum.box import hands, phrases
from domain.mare_nostrum.box.data import KEPT_TAXES, TAX, Resource
from domain.mare_nostrum.box.table import Command, Event, Table
from domain.mare_nostrum.turn import turn

KEPT_GOODS: Final = 1
"""Goods cards that the owner of the Hanging Gardens may keep for the next turn (MN-CMB-07)."""

# --- events ---


class CardsLaidAside(Event, frozen=True):
    """A player chose what to keep; nobody else sees yet which cards, or how many (MN-CMB-06).

    Attributes:
        cards: what they keep, by kind; only they can read it.
    """

    rules = ("MN-CMB-06",)

    seat: Seat
    cards: Sealed

    def apply(self, table: Table) -> None:
        table.kept[self.seat] = self.cards

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} chose what to keep."


class Kept(Struct, frozen=True):
    """The hand that a player keeps.

    Attributes:
        count: how many cards.
        cards: which, by kind; only that player can read it.
    """

    count: Count
    cards: Sealed


class CardsDiscarded(Event, frozen=True):
    """Everybody discarded what they did not keep (MN-CMB-05, MN-CMB-08).

    Attributes:
        cards: the discards of all players together, by kind.
        hands: what each keeps.
    """

    rules = ("MN-CMB-05", "MN-CMB-08")
    reveals: ClassVar[bool] = True

    cards: dict[Resource, Count]
    hands: dict[Seat, Kept]

    def apply(self, table: Table) -> None:
        for card, number in self.cards.items():
            table.bank[card] += number
        for seat, hand in self.hands.items():
            table.hold(seat, hand.count, hand.cards)
        table.kept.clear()

    def tell(self, names: Names) -> str:
        kept = [f"{names(seat)} kept {hand.count or 'none'}" for seat, hand in phrases.by_seat(self.hands)]
        return f"Of the unused cards, {enumerated(kept)}; {phrases.cards(self.cards)} went back to the bank."


# --- keeping ---


class Keep(Command, frozen=True):
    """Keep up to two tax cards (MN-CMB-06) and, with the Hanging Gardens, one goods card (MN-CMB-07).

    Attributes:
        cards: what to keep, by kind.
    """

    rules = ("MN-CMB-06", "MN-CMB-07")
    answers = frozenset({"keep"})
    sealed = True
    gesture = Gesture(cards=("cards",), keeps=("cards",), control="hand")

    cards: dict[Resource, Count]

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        hand, taxes = hands.hand_of(table, seat, draft), self.cards.get(TAX, 0)
        wrong = f"You asked to keep {phrases.cards(self.cards)}."
        goods = {card: number for card, number in self.cards.items() if card != TAX}
        if taxes > KEPT_TAXES:
            raise Refusal("MN-CMB-06", wrong, f"You can keep at most {KEPT_TAXES} tax cards.")
        if goods and not table.has(seat, "keep-good"):
            raise Refusal("MN-CMB-05", wrong, "Only the owner of the Hanging Gardens can keep a goods card.")
        if sum(goods.values()) > KEPT_GOODS:
            raise Refusal("MN-CMB-07", wrong, "With the Hanging Gardens, you can keep one goods card.")
        if any(card not in hand or number > hand[card] for card, number in self.cards.items()):
            rule = "MN-CMB-06" if taxes > hand.get(TAX, 0) else "MN-CMB-07"
            raise Refusal(rule, wrong, f"Your hand: {phrases.cards(hand)}.")
        draft.emit(CardsLaidAside(seat, hands.seal(draft, seat, self.cards)))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        hand = hands.hand_of(table, seat, vault)
        goods = [card for card in hand if card != TAX] if table.has(seat, "keep-good") else []
        counts = {good: schema.count(0, KEPT_GOODS) for good in goods}
        if TAX in hand:
            counts[TAX] = schema.count(0, min(KEPT_TAXES, hand[TAX]))
        most = {"of": goods, "maximum": KEPT_GOODS} if goods else None
        title = "Keep cards and discard the rest" if counts else "Discard all your cards"
        yield cls.option(title, {"cards": schema.record(counts, counts, x_total=most)})


def _discard(draft: Draft[Table]) -> None:
    table = draft.table
    discards, kept = Counter[Resource](), dict[Seat, Kept]()
    for seat in (seat for seat in table.seats if seat in table.kept):
        cards: hands.Cards = draft.open(table.kept[seat])
        discards += Counter(hands.hand_of(table, seat, draft)) - Counter(cards)
        kept[seat] = Kept(sum(cards.values()), table.kept[seat])
    if kept:
        draft.emit(CardsDiscarded(hands.count(hands.single_cards(discards)), kept))
    turn.enter(draft, "military")


def _waiting(table: Table) -> tuple[Seat, ...]:
    """Return who holds cards, which is public (MN-TRD-04), and has not chosen yet."""
    return tuple(seat for seat in table.seats if table.hands[seat].count and seat not in table.kept)


def lay_aside(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask all who hold cards what they keep, at the same time; then discard and begin the Military Phase."""
    waiting = _waiting(table)
    if not waiting:
        return _discard
    return [
        Decision(
            "keep",
            waiting,
            RuleId("MN-CMB-06"),
            "Which cards do you keep for the next turn?",
            "All others go back to the bank when everybody has chosen.",
        )
    ]


EVENTS = (CardsLaidAside, CardsDiscarded)
COMMANDS = (Keep,)
