"""A ruleset of chapters and a course: what it collects of them, whom it asks, what follows, and when it is over."""

from collections.abc import Sequence
from types import ModuleType

import pytest

from domain.kernel.chance.draws import CommittedChance
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import GameId, RuleId
from domain.kernel.rules.course import Step, always
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
    return [Decision("put-up-prize", table.seats[:1], RuleId("TA-PUT-01"), "What is the prize?")]


def ask_for_bids(table: Table) -> Sequence[Decision]:
    return [Decision("choose-card", table.seats, RuleId("TA-BID-01"), "Which card?")]


def open_bidding(draft: Draft[Table]) -> None:
    draft.emit(BiddingOpened())


class Chaptered(TinyAuction):
    """The auction, as far as the bidding."""

    chapters = (
        chapter("prize", EVENTS=(PrizePutUp, BiddingOpened), COMMANDS=(PutUp, OpenBidding)),
        chapter("silence"),
        chapter("gifts", EVENTS=(CoinsGiven,), COMMANDS=(Give,)),
    )

    def step(self, table: Table) -> Step[Table]:
        if table.bidding:
            return ask_for_bids
        return always(open_bidding) if table.prize else ask_for_prize


class Stuck(Chaptered):
    """Nothing happens when a prize is put up."""

    def step(self, table: Table) -> Step[Table]:
        return always(lambda draft: None) if table.prize else super().step(table)


class Mute(Chaptered):
    """Nobody is asked when a prize is put up."""

    def step(self, table: Table) -> Step[Table]:
        return (lambda table: ()) if table.prize else super().step(table)


RULESET = Chaptered()


def at_table(rounds: int = 2) -> Draft[Table]:
    table = RULESET.lay(SEATS[:2], Setup(rounds), ROOM)
    return Draft(table, CommittedChance(bytes(32), GameId("course"), {}), Vault())


def asked(table: Table) -> list[str]:
    return [decision.kind for decision in RULESET.decisions(table)]


def test_events_and_commands_are_those_of_the_chapters_in_their_order() -> None:
    assert RULESET.events == (PrizePutUp, BiddingOpened, CoinsGiven)
    assert RULESET.commands == (PutUp, OpenBidding, Give)


def test_those_are_asked_whom_the_step_asks() -> None:
    draft = at_table()
    assert asked(draft.table) == ["put-up-prize"]
    draft.emit(BiddingOpened())
    assert asked(draft.table) == ["choose-card"]


def test_nobody_is_asked_where_something_follows() -> None:
    draft = at_table()
    draft.emit(PrizePutUp(1))
    assert asked(draft.table) == []


def test_nothing_follows_while_somebody_must_choose() -> None:
    draft = at_table()
    RULESET.advance(draft)
    assert draft.events == []


def test_what_follows_happens_until_somebody_must_choose() -> None:
    draft = at_table()
    draft.emit(PrizePutUp(1))
    RULESET.advance(draft)
    assert draft.events[1:] == [BiddingOpened()]
    assert asked(draft.table) == ["choose-card"]
    assert draft.asked == RULESET.decisions(draft.table)


def test_a_game_is_over_when_it_has_a_result_whoever_won() -> None:
    draft = at_table(rounds=1)
    draft.emit(PrizeTaken(SEATS[0]))
    assert RULESET.result(draft.table) == Result(SEATS[:2], "TA-END-01")
    assert asked(draft.table) == []
    RULESET.advance(draft)
    assert len(draft.events) == 1
    assert draft.asked == ()


@pytest.mark.parametrize("ruleset", [Stuck(), Mute()])
def test_a_game_that_stands_still_is_a_fault(ruleset: Chaptered) -> None:
    draft = at_table()
    draft.emit(PrizePutUp(1))
    with pytest.raises(AssertionError, match="nothing follows"):
        ruleset.advance(draft)
