"""Ulysses: once per Commerce Phase the owner undoes a take; the taker takes one of their cards instead (MN-HER-11)."""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Names
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum.box import hands, phrases
from domain.mare_nostrum.box.data import Resource
from domain.mare_nostrum.box.state import Trade
from domain.mare_nostrum.box.table import Command, Event, Table, trade_of
from domain.mare_nostrum.economy.takes import CardTaken, exhausted, kinds, less

# --- events ---


class TakeRedirected(Event, frozen=True):
    """Ulysses' owner undid a take (MN-HER-11): the card is face up again, and the taker must take from them instead.

    Attributes:
        seat: Ulysses' owner.
        giver: the player who has the card again.
    """

    rules = ("MN-HER-11",)

    seat: Seat
    taker: Seat
    giver: Seat
    card: Resource

    def apply(self, table: Table) -> None:
        assert table.trade is not None, "a trade is under way"
        trade = table.trade
        table.trade = replace(
            trade,
            offers={**trade.offers, self.giver: (*trade.offers[self.giver], self.card)},
            taken={**trade.taken, self.taker: less(trade.taken[self.taker], self.card)},
            takes=trade.takes[:-1],
            taker=self.taker,
            forced=self.seat,
        )
        table.redirected = True

    def tell(self, names: Names) -> str:
        seat, taker = names(self.seat), names(self.taker)
        back = f"gave {phrases.card(self.card)} back to {names(self.giver)}"
        return f"{seat} used Ulysses: {taker} {back} and must take a card of {seat} instead."


class TakeStood(Event, frozen=True):
    """Ulysses' owner let a take stand (MN-HER-11)."""

    rules = ("MN-HER-11",)

    seat: Seat

    def apply(self, table: Table) -> None:
        assert table.trade is not None, "a trade is under way"
        table.trade = replace(table.trade, stood=len(table.trade.takes))

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} did not use Ulysses."


# --- using Ulysses ---


class Redirect(Command, frozen=True):
    """Undo the take just made between two others; the taker must take one of your cards instead (MN-HER-11)."""

    rules = ("MN-HER-11",)
    answers = frozenset({"redirect"})

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        assert draft.table.trade is not None, "a trade is under way"
        take = draft.table.trade.takes[-1]
        draft.emit(TakeRedirected(seat, take.taker, take.giver, take.card))
        offered = kinds(draft.table.trade.offers[seat])
        if len(offered) == 1:
            draft.emit(CardTaken(take.taker, seat, offered[0], automatic=True))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option("Undo the take")


class LetStand(Command, frozen=True):
    """Keep Ulysses for another take (MN-HER-11)."""

    rules = ("MN-HER-11",)
    answers = frozenset({"redirect"})
    gesture = Gesture(quiet=True, called="Let the take stand")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        draft.emit(TakeStood(seat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option()


class TakeInstead(Command, frozen=True):
    """Take one of the cards that Ulysses' owner offers; you must (MN-HER-11)."""

    rules = ("MN-HER-11",)
    answers = frozenset({"take-instead"})
    gesture = Gesture(cards=("card",), control="hand")

    card: Resource

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        trade = trade_of(draft.table)
        assert trade.forced is not None, "a take was undone"
        offer = trade.offers[trade.forced]
        if self.card not in offer:
            allowed = f"Face-up cards of {trade.forced}: {phrases.cards(hands.count(offer))}."
            raise Refusal(self.rule, f"You cannot take {self.card} from {trade.forced}.", allowed)
        draft.emit(CardTaken(seat, trade.forced, self.card))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        trade = trade_of(table)
        assert trade.forced is not None, "a take was undone"
        title = f"Take a card from {table.names(trade.forced)} instead"
        yield cls.option(title, {"card": schema.one_of(kinds(trade.offers[trade.forced]))})


def may_redirect(table: Table, trade: Trade) -> Seat | None:
    """Return Ulysses' owner if they may undo the last take, once per Commerce Phase; else None.

    The take must be between two others, the owner have a face-up card, and the taker be allowed to take it (MN-TRD-14).
    """
    owner = table.owner_of("redirect")
    if owner is None or table.redirected or len(trade.takes) <= trade.stood or not trade.offers.get(owner):
        return None
    *before, last = trade.takes
    if owner in (last.taker, last.giver) or exhausted(before, last.taker, owner):
        return None
    return owner


def take_instead(table: Table) -> list[Decision]:
    """Ask the taker of an undone take which card of Ulysses' owner they take instead."""
    trade = trade_of(table)
    assert trade.taker is not None, "somebody takes"
    assert trade.forced is not None, "a take was undone"
    return [
        Decision(
            "take-instead",
            (trade.taker,),
            RuleId("MN-HER-11"),
            f"Which card do you take from {table.names(trade.forced)} instead?",
            f"{table.names(trade.forced)} takes next.",
            {"giver": trade.forced, "cards": kinds(trade.offers[trade.forced])},
        )
    ]


def redirect(table: Table) -> list[Decision]:
    """Ask Ulysses' owner, after a take that they may undo, whether they undo it."""
    trade = trade_of(table)
    owner = may_redirect(table, trade)
    assert owner is not None, "a take may be undone"
    take = trade.takes[-1]
    taker, giver = table.names(take.taker), table.names(take.giver)
    return [
        Decision(
            "redirect",
            (owner,),
            RuleId("MN-HER-11"),
            f"Do you use Ulysses to undo that {taker} took {phrases.card(take.card)} from {giver}?",
            "Then the next player takes, or the same player takes a card of Ulysses' owner instead.",
            {"taker": take.taker, "giver": take.giver, "card": take.card},
        )
    ]


EVENTS = (TakeRedirected, TakeStood)
COMMANDS = (Redirect, LetStand, TakeInstead)
