"""Buying heroes and wonders (MN-PRC-09 to MN-PRC-11, MN-HER-01 to MN-HER-03); the fourth one wins (chapter WIN)."""

from collections.abc import Iterable

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Names
from domain.kernel.rules.refusal import Refusal, or_none
from domain.mare_nostrum.box import hands, phrases
from domain.mare_nostrum.box.data import CARDS, CardId, Resource
from domain.mare_nostrum.box.table import Command, Event, Table
from domain.mare_nostrum.economy import combinations
from domain.mare_nostrum.economy.construction import Obstacle
from domain.mare_nostrum.turn import winning


class CardAcquired(Event, frozen=True):
    """A player bought a hero or a wonder; it works from now on (MN-BLD-13).

    Attributes:
        paid: the cards of the combination, by kind.
    """

    rules = ("MN-BLD-13",)

    seat: Seat
    card: CardId
    paid: dict[Resource, int]

    def apply(self, table: Table) -> None:
        table.draw(self.seat, hands.negated(self.paid))
        table.cards[self.seat] = (*table.cards[self.seat], self.card)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} acquired {_title(self.card)} for {phrases.cards(self.paid)}."


def _title(card: str) -> str:
    name = CARDS[card].name
    return name if CARDS[card].kind == "hero" else f"the {name.removeprefix('The ')}"


def on_sale(table: Table, seat: Seat) -> tuple[str, ...]:
    """Return the heroes and wonders that a player may buy, not other civilizations' heroes (MN-HER-01, MN-HER-02)."""
    return tuple(card for card in table.available if CARDS[card].civilization in (None, seat))


def _find_obstacle(table: Table, seat: Seat, card: str) -> Obstacle | None:
    if card in CARDS and CARDS[card].civilization not in (None, seat):
        return "MN-HER-01", f"Only {str(CARDS[card].civilization).title()} can have {CARDS[card].name}."
    if card not in table.available:
        return "MN-HER-02", f"You can buy: {or_none(on_sale(table, seat))}."
    return None


class Acquire(Command, frozen=True):
    """Buy a hero or a wonder of your choice (MN-HER-02), for one combination of exactly its price.

    Attributes:
        pay: the cards of the combination, in any order.
    """

    rules = ("MN-HER-02",)
    answers = frozenset({"build"})
    gesture = Gesture(cards=("card", "pay"), control="hand")

    card: CardId
    pay: tuple[Resource, ...]

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        if (obstacle := _find_obstacle(draft.table, seat, self.card)) is not None:
            raise Refusal(obstacle[0], f"You cannot acquire {self.card}.", obstacle[1])
        paid = combinations.checked(self.pay, CARDS[self.card].price, hands.hand_of(draft.table, seat, draft))
        draft.emit(CardAcquired(seat, self.card, paid))
        winning.check(draft, seat)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        hand, cards = hands.hand_of(table, seat, vault), on_sale(table, seat)
        for price in sorted({CARDS[card].price for card in cards}):
            choice = schema.one_of(card for card in cards if CARDS[card].price == price)
            for pay, word in combinations.payments(hand, price):
                yield cls.option(f"Acquire a hero or wonder for {word}", {"card": choice, "pay": pay})


EVENTS = (CardAcquired,)
COMMANDS = (Acquire,)
