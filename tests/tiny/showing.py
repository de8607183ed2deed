"""Tiny Auction in which the auctioneer may show a card: an event that reveals something without a draw."""

from collections.abc import Iterable
from typing import ClassVar

from domain.kernel.chance.secret import Opened, Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Count
from domain.kernel.rules.refusal import Refusal, refuse_unless
from tests.tiny.auction import Command, Event, Table, TinyAuction


class CardShown(Event, frozen=True):
    """A seat showed everybody a card of its hand and keeps it; in this round it gives nothing."""

    reveals: ClassVar[bool] = True

    seat: Seat
    card: Opened

    def apply(self, table: Table) -> None:
        table.gave.append(self.seat)


class ShowCard(Command, frozen=True):
    rules = ("TA-GIV-01",)
    answers = frozenset({"put-up-prize"})

    card: Count

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        refuse_unless(
            seat not in draft.table.gave, self.rule, "A card was shown.", "A seat gives or shows once a round."
        )
        for sealed in draft.table.hands[seat]:
            if draft.open(sealed) == self.card:
                draft.emit(CardShown(seat, draft.reveal(sealed)))
                return
        raise Refusal(self.rule, f"{seat} showed a {self.card}.", "Show a card of your hand.")

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if seat not in table.gave:
            cards = schema.one_of(sorted({vault.open(card) for card in table.hands[seat]}))
            yield Option("show-card", RuleId(cls.rule), schema.command("show-card", {"card": cards}))


class Showing(TinyAuction):
    events = (*TinyAuction.events, CardShown)
    commands = (*TinyAuction.commands, ShowCard)
