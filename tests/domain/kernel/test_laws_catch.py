"""The laws find rulesets that break them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest

from domain.kernel.chance.secret import Sealed, Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from tests.domain.kernel import test_tiny_laws  # the module: its class is not to be run here again
from tests.helpers.laws.laws import Laws
from tests.tiny.auction import DECK, HAND, BiddingOpened, CardsDealt, Command, Event, Table, TinyAuction, View


def laws(broken: type[TinyAuction]) -> Laws:
    return type("Broken", (test_tiny_laws.TestTinyLaws,), {"ruleset": broken(), "commands": 30})()


def assert_caught(law: str, broken: type[TinyAuction]) -> None:
    check = getattr(laws(broken), law)
    with pytest.raises((AssertionError, ValueError, KeyError)):
        any(check(seed) for seed in range(12))


class Forgetful(TinyAuction):
    """Its view has a side effect on the table."""

    def view(self, table: Table, vault: Vault) -> View:
        table.spent.append(0)
        return super().view(table, vault)


def test_a_view_that_changes_the_table() -> None:
    assert_caught("test_looking_changes_nothing", Forgetful)


class Careless(TinyAuction):
    """It changes the table behind the events' back."""

    def advance(self, draft: Draft[Table]) -> None:
        if draft.table.prize == 1:
            draft.table.bank -= 1
        super().advance(draft)


def test_a_change_without_an_event() -> None:
    assert_caught("test_folding_the_log_gives_the_game_that_was_decided_on", Careless)


def test_a_coin_that_is_lost() -> None:
    assert_caught("test_pieces_are_neither_created_nor_lost", Careless)


class Leaky(TinyAuction):
    """It deals each hand sorted, and the stock too: places tell what lies there."""

    def open(self, draft: Draft[Table]) -> None:
        deck = draft.shuffle(DECK)
        hands = {seat: [deck.pop() for _ in range(HAND)] for seat in draft.table.seats}
        readers = [(seat, card) for seat, hand in hands.items() for card in hand]
        sealed = {seat: list[Any]() for seat in hands}
        for seat, card in sorted(readers, key=lambda each: each[1]):
            sealed[seat].append(draft.seal(card, (seat,)))
        dealt = {seat: tuple(cards) for seat, cards in sealed.items()}
        draft.emit(CardsDealt(dealt, tuple(draft.seal(card, ()) for card in deck)))


def test_an_order_of_sealing_that_tells_something() -> None:
    assert_caught("test_what_a_seat_may_not_see_makes_no_difference_to_it", Leaky)


class Telling(TinyAuction):
    """Its decisions depend on what is hidden."""

    def open(self, draft: Draft[Table]) -> None:
        super().open(draft)
        if draft.open(draft.table.hands[Seat("blue")][0]) > 2:
            draft.emit(BiddingOpened())


def test_an_event_that_depends_on_what_is_hidden() -> None:
    assert_caught("test_what_a_seat_may_not_see_makes_no_difference_to_it", Telling)


class LotDrawn(Event, frozen=True):
    lot: Sealed
    told: int

    def apply(self, table: Table) -> None:
        pass


class DrawLot(Command, frozen=True):
    rules = ("TA-PUT-01",)
    answers = frozenset({"put-up-prize"})

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        lot = draft.shuffle([1, 2, 3])[0]
        draft.emit(LotDrawn(draft.seal(lot, (seat,)), self.tell_of(lot)))

    @staticmethod
    def tell_of(lot: int) -> int:
        return 0

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield Option("draw-lot", RuleId(cls.rule), schema.command("draw-lot"))


class DrawLotAloud(DrawLot, frozen=True, tag="draw-lot"):
    @staticmethod
    def tell_of(lot: int) -> int:
        return lot


class Discreet(TinyAuction):
    """A seat that puts up a prize may draw a lot in secret."""

    events = (*TinyAuction.events, LotDrawn)
    commands = (DrawLot, *TinyAuction.commands)


class Indiscreet(Discreet):
    """The event tells the lot to all."""

    commands = (DrawLotAloud, *TinyAuction.commands)


def test_a_draw_in_the_middle_of_a_game_that_is_told() -> None:
    laws(Discreet).test_what_a_seat_may_not_see_makes_no_difference_to_it(0)
    assert any(kind == "draw-lot" for kind, _ in laws(Discreet).pairs(0))
    assert_caught("test_what_a_seat_may_not_see_makes_no_difference_to_it", Indiscreet)


class Generous(TinyAuction):
    """It offers a coin more than it accepts."""

    def options(self, table: Table, seat: Seat, vault: Vault) -> list[Option]:
        return [_more(option, 1) for option in super().options(table, seat, vault)]


class Mean(TinyAuction):
    """It offers a coin less than it accepts."""

    def options(self, table: Table, seat: Seat, vault: Vault) -> list[Option]:
        return [_more(option, -1) for option in super().options(table, seat, vault)]


def _more(option: Option, coins: int) -> Option:
    most = option.schema["properties"].get("coins", {}).get("maximum", 0) + coins
    if option.command != "put-up" or not most:
        return option
    return Option(option.command, option.rule, schema.command("put-up", {"coins": schema.count(1, most)}))


@pytest.mark.parametrize("broken", [Generous, Mean])
def test_options_that_are_not_what_is_accepted(broken: type[TinyAuction]) -> None:
    assert_caught("test_every_option_is_accepted_and_nothing_else", broken)


class Stuck(TinyAuction):
    """It ends in the middle, waiting for nobody."""

    def decisions(self, table: Table) -> Sequence[Decision]:
        return () if table.round == 2 else super().decisions(table)


def test_a_game_that_waits_for_nobody() -> None:
    assert_caught("test_a_random_game_ends_and_is_proved", Stuck)


class Scatter(Event, frozen=True):
    order: list[str]

    def apply(self, table: Table) -> None:
        table.spent.extend(map(len, self.order))


class Shuffle(Command, frozen=True):
    rules = ("TA-PUT-01",)
    answers = frozenset({"put-up-prize"})

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        draft.emit(Scatter(list({"a", "bb", "ccc", "dddd", "eeeee"})))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield Option("shuffle", TinyAuction.commands[0].rule, schema.command("shuffle"))  # type: ignore[arg-type]


class Unordered(TinyAuction):
    """It iterates over a set."""

    events = (*TinyAuction.events, Scatter)
    commands = (Shuffle, *TinyAuction.commands)


class UnorderedLaws(test_tiny_laws.TestTinyLaws):
    ruleset = Unordered()
    commands = 2

    def pieces(self, table: Table) -> Mapping[str, int]:
        return {}


def test_an_order_of_a_set_that_makes_a_difference() -> None:
    with pytest.raises(AssertionError):
        UnorderedLaws().test_the_order_of_sets_makes_no_difference()
