"""A ruleset of chapters: what it collects of them, whom it asks, what follows, and when it is over."""

from collections.abc import Sequence
from types import ModuleType

import pytest

from domain.kernel.chance.draws import CommittedChance
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import GameId, RuleId
from domain.kernel.rules.book import Book
from domain.kernel.rules.decision import Decision
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.ruleset import Result
from tests.tiny.auction import (
    ROOM,
    SEATS,
    BiddingOpened,
    CoinsGiven,
    Give,
    OpenBidding,
    PrizePutUp,
    PrizeTaken,
    PutUp,
    Setup,
    Table,
    TinyAuction,
)


def chapter(name: str, **contents: object) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(contents)
    return module


def ask_for_prize(table: Table) -> Sequence[Decision]:
    return () if table.prize else [Decision("put-up-prize", table.seats[:1], RuleId("TA-PUT-01"), "What is the prize?")]


def ask_for_bids(table: Table) -> Sequence[Decision]:
    return [Decision("choose-card", table.seats, RuleId("TA-BID-01"), "Which card?")] if table.bidding else ()


def open_bidding(draft: Draft[Table]) -> bool:
    if not draft.table.prize or draft.table.bidding:
        return False
    draft.emit(BiddingOpened())
    return True


class Chaptered(Book[Table], TinyAuction):
    """The auction, as far as the bidding."""

    chapters = (
        chapter("prize", EVENTS=(PrizePutUp, BiddingOpened), COMMANDS=(PutUp, OpenBidding)),
        chapter("silence"),
        chapter("gifts", EVENTS=(CoinsGiven,), COMMANDS=(Give,)),
    )
    deciders = (ask_for_prize, ask_for_bids)
    settlers = (open_bidding,)


BOOK = Chaptered()


def at_table(rounds: int = 2) -> Draft[Table]:
    table = BOOK.lay(SEATS[:2], Setup(rounds), ROOM)
    return Draft(table, CommittedChance(bytes(32), GameId("book"), {}), Vault())


def asked(table: Table) -> list[str]:
    return [decision.kind for decision in BOOK.decisions(table)]


def test_events_and_commands_are_those_of_the_chapters_in_their_order() -> None:
    assert BOOK.events == (PrizePutUp, BiddingOpened, CoinsGiven)
    assert BOOK.commands == (PutUp, OpenBidding, Give)


def test_the_first_decider_that_finds_a_decision_is_heard() -> None:
    draft = at_table()
    draft.emit(BiddingOpened())
    assert asked(draft.table) == ["put-up-prize"]
    draft.emit(PrizePutUp(1))
    assert asked(draft.table) == ["choose-card"]


def test_nothing_follows_while_somebody_must_choose() -> None:
    draft = at_table()
    BOOK.advance(draft)
    assert draft.events == []


def test_what_follows_happens_until_somebody_must_choose() -> None:
    draft = at_table()
    draft.emit(PrizePutUp(1))
    BOOK.advance(draft)
    assert draft.events[1:] == [BiddingOpened()]
    assert asked(draft.table) == ["choose-card"]


def test_a_game_is_over_when_it_has_a_result_whoever_won() -> None:
    draft = at_table(rounds=1)
    draft.emit(PrizeTaken(SEATS[0]))
    assert BOOK.result(draft.table) == Result(SEATS[:2], "TA-END-01")
    assert asked(draft.table) == []
    BOOK.advance(draft)
    assert len(draft.events) == 1


def test_a_game_that_stands_still_is_a_fault() -> None:
    draft = at_table()
    draft.emit(PrizePutUp(1))
    stuck = type("Stuck", (Chaptered,), {"settlers": ()})()
    with pytest.raises(AssertionError, match="nothing follows"):
        stuck.advance(draft)
