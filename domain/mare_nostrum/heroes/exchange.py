"""Cleopatra's exchange with the bank (MN-HER-17)."""

from collections.abc import Iterable, Mapping

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Names
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum.box import hands, phrases
from domain.mare_nostrum.box.data import GOODS, TAX, Resource
from domain.mare_nostrum.box.table import Command, Event, Table


class CardExchanged(Event, frozen=True):
    """Cleopatra's owner gave a card to the bank and took another one (MN-HER-17).

    Attributes:
        give: what went to the bank.
        take: what came from the bank.
    """

    rules = ("MN-HER-17",)

    seat: Seat
    give: Resource
    take: Resource

    def apply(self, table: Table) -> None:
        table.draw(self.seat, {self.give: -1, self.take: 1})
        table.exchanged = True

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} exchanged {phrases.card(self.give)} for {phrases.card(self.take)} with the bank."


class Exchange(Command, frozen=True):
    """Give a tax card for a good of your choice, or a good for a tax card, once in a Construction Phase (MN-HER-17).

    Attributes:
        give: what goes to the bank.
        take: what comes from the bank.
    """

    rules = ("MN-HER-17",)
    answers = frozenset({"build"})
    gesture = Gesture(cards=("give", "take"), control="hand")

    give: Resource
    take: Resource

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        wrong = f"You cannot exchange {self.give} for {self.take}."
        if not table.has(seat, "exchange"):
            raise Refusal(self.rule, wrong, "Only Cleopatra's owner can exchange cards with the bank.")
        if table.exchanged:
            raise Refusal(self.rule, wrong, "You have already exchanged a card in this Construction Phase.")
        if (self.give == TAX) == (self.take == TAX):
            raise Refusal(self.rule, wrong, "One of the two must be a tax card, and the other a good.")
        if not hands.hand_of(table, seat, draft).get(self.give):
            raise Refusal(self.rule, wrong, f"You have no {self.give} in hand.")
        if not table.bank.get(self.take):
            raise Refusal(self.rule, wrong, f"The bank has no {self.take}.")
        draft.emit(CardExchanged(seat, self.give, self.take))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if table.exchanged or not table.has(seat, "exchange"):
            return
        hand = hands.hand_of(table, seat, vault)
        yield from _exchanges([TAX], GOODS, hand, table.bank, "Exchange a tax for a good")
        yield from _exchanges(GOODS, [TAX], hand, table.bank, "Exchange a good for a tax")


def _exchanges(
    give: Iterable[Resource],
    take: Iterable[Resource],
    hand: Mapping[Resource, int],
    bank: Mapping[Resource, int],
    title: str,
) -> Iterable[Option]:
    given_cards, taken_cards = [card for card in give if hand.get(card)], [card for card in take if bank[card]]
    if given_cards and taken_cards:
        fields = {"give": schema.one_of(given_cards), "take": schema.one_of(taken_cards)}
        yield Exchange.option(title, fields)


EVENTS = (CardExchanged,)
COMMANDS = (Exchange,)
