"""Scenarios, by the tiny game: positions with hidden cards, dice laid down, and what is wrong is said."""

from contextlib import nullcontext
from typing import Any, ClassVar

import pytest
from msgspec.structs import replace

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.versions import Change
from domain.kernel.scenario import Failure, ScenarioError, read, run, runs
from tests.tiny.auction import ROOM, Table, TinyAuction

TIE = """
[[scenario]]
title = "A tie is settled by dice"
rules = ["TA-BID-04"]
given = { hands = { red = [5, 1], blue = [5, 2] }, coins = { red = 1, blue = 0 }, bidding = true, prize = 2, bank = 9 }
dice = [["six", 6], [2, 3]]

[[scenario.step]]
seat = "red"
command = { type = "choose-card", card = 3 }
refused = "TA-BID-01"

[[scenario.step]]
seat = "red"
command = { type = "choose-card", card = 5 }
events = [{ type = "card-chosen", seat = "red" }]
absent = ["cards-revealed"]
decisions = [{ kind = "choose-card", seats = ["blue"] }]
offers = [{ seat = "blue", command = { type = "choose-card", card = 2 } }]
lacks = [{ seat = "blue", command = { type = "choose-card", card = 1 } }]

[[scenario.step]]
seat = "blue"
command = { type = "choose-card", card = 5 }
events = [
    { type = "cards-revealed" },
    { type = "tie-rolled", roll = { faces = [6, 6] } },
    { type = "tie-rolled", highest = ["blue"] },
    { type = "prize-taken", seat = "blue" },
]
then = { "coins.blue" = 2, "coins.red" = 1, round = 2, prize = 0, spent = [5, 5] }
"""


def play(text: str) -> None:
    (scenario,) = read(text)
    run(scenario, TinyAuction(), ROOM)


@pytest.mark.rule("TA-BID-04")
def test_a_scenario_with_hidden_cards_and_dice() -> None:
    play(TIE)


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        ("[2, 3]]", "[3, 2]]", "step 3: no event"),
        ("[2, 3]]", "[2, 3], [1]]", "the scenario has 3 rolls; 2 were rolled"),
        ('[["six", 6], [2, 3]]', '[["six", 6]]', "step 3: all 1 rolls of the scenario are used"),
        ("card = 3", "card = 5", "step 1: .* was accepted"),
        ('refused = "TA-BID-01"', 'refused = "TA-BID-02"', "TA-BID-02 was expected"),
        ("roll = { faces = [6, 6] }", "roll = {}", "step 3: no event"),
        ('absent = ["cards-revealed"]', 'absent = ["card-chosen"]', "step 2: .*happened"),
        ('seats = ["blue"]', 'seats = ["red"]', "is not open"),
        ("card = 2 }", "card = 4 }", "not on offer"),
        ("card = 2 }", 'card = 2 }, rule = "TA-BID-04"', "not on offer"),
        ("card = 2 }", 'card = 2 }, decision = "open-bidding"', "not on offer"),
        ("card = 1 } }", 'card = 2 }, rule = "TA-BID-01" }', "on offer"),
        ("card = 1 }", "card = 2 }", "on offer"),
        ('"coins.blue" = 2', '"coins.blue" = 3', "coins.blue is 2, not 3"),
        ('"coins.red" = 1', '"coin.red" = 0', "coin.red: there is no field coin"),
        ("round = 2", '"round.number" = 0', "round.number: there is nothing in 2"),
        ('absent = ["cards-revealed"]', 'absent = ["cards-shown"]', "no event is called cards-shown"),
    ],
)
def test_a_scenario_that_does_not_come_out_says_where(right: str, wrong: str, complaint: str) -> None:
    assert TIE.count(right) == 1
    with pytest.raises(Failure, match=complaint):
        play(TIE.replace(right, wrong))


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('"six", 6', '"seven", 6'),
        ("prize = 2", "price = 2"),
        ("title", "name"),
        ("[[scenario]]", "[[scenario"),
        ("hands = ", "hand = "),
    ],
)
def test_a_scenario_that_cannot_be_read_says_why(right: str, wrong: str) -> None:
    with pytest.raises(ScenarioError):
        play(TIE.replace(right, wrong, 1))


class Particular(TinyAuction):
    """Opens no game for two."""

    def seats(self, players: int, choices: Any = None) -> tuple[Seat, ...]:
        if players == 2:
            raise Refusal("TA-BID-01", "Two were to play.", "Three may.")
        return super().seats(players, choices)


@pytest.mark.parametrize(
    ("players", "refused", "complaint"),
    [
        (2, "TA-BID-01", ""),
        (2, "TA-BID-02", "refused by TA-BID-01.*; TA-BID-02 was expected"),
        (9, "TAB-LIFE-02", ""),
        (3, "TA-BID-01", "the game was opened; a refusal by TA-BID-01 was expected"),
        (2, "", "refused by TA-BID-01.*; no refusal was expected"),
    ],
)
def test_a_game_that_may_not_be_opened(players: int, refused: str, complaint: str) -> None:
    ending = f'refused = "{refused}"' if refused else "step = [{}]"
    (scenario,) = read(f'[[scenario]]\ntitle = "A set-up"\nrules = []\nplayers = {players}\n{ending}')
    with pytest.raises(Failure, match=complaint) if complaint else nullcontext():
        run(scenario, Particular(), ROOM)


OPENING = """
[[scenario]]
title = "The cards are dealt"
rules = []
players = 2
step = [{ events = [{ type = "cards-dealt" }], absent = ["cards-revealed"] }]
"""


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ('[{ events = [{ type = "cards-revealed" }] }]', "step 1: no event"),
        ('[{ absent = ["cards-dealt"] }]', "step 1: .*happened"),
        ('[{}, { events = [{ type = "cards-dealt" }] }]', "step 2: no event"),
    ],
)
def test_a_first_look_sees_what_opened_the_game(wrong: str, complaint: str) -> None:
    play(OPENING)
    with pytest.raises(Failure, match=complaint):
        play(f"{OPENING[: OPENING.index('step =')]}step = {wrong}")


def test_a_scenario_looks_at_something() -> None:
    with pytest.raises(ScenarioError, match="has a step"):
        play('[[scenario]]\ntitle = "Nothing"\nrules = []')


LOOK = """
[[scenario]]
title = "Red chooses a card"
rules = []
given = { hands = { red = [5, 1], blue = [5, 2] }, coins = { red = 1, blue = 0 }, bidding = true, prize = 2, bank = 9 }
step = [{ decisions = [{ kind = "choose-card", seats = ["red", "blue"] }] }]
"""


class Generous(TinyAuction):
    """Offers a choice of these cards besides."""

    cards: ClassVar[tuple[int, ...]]

    def options(self, table: Table, seat: Seat, vault: Vault) -> list[Option]:
        choice = schema.command("choose-card", {"card": schema.one_of(self.cards)})
        return [*super().options(table, seat, vault), Option("choose-card", RuleId("TA-BID-01"), choice, "A card")]


@pytest.mark.parametrize(
    ("cards", "complaint"),
    [
        ((5,), ""),
        ((9, 5), "step 1: 'A card' is on offer to blue, but: .*chose a 9"),
        ((5, 9), "step 1: 'A card' is on offer to blue, but: .*chose a 9"),
        ((), "step 1: 'A card' is on offer to blue, but: "),
    ],
)
def test_the_edges_of_what_is_on_offer_are_accepted(
    cards: tuple[int, ...], complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (scenario,) = read(LOOK)
    monkeypatch.setattr(Generous, "cards", cards, raising=False)
    with pytest.raises(Failure, match=complaint) if complaint else nullcontext():
        run(scenario, Generous(), ROOM)


class Revised(TinyAuction):
    """Tiny Auction with a second and a third version."""

    changes: ClassVar[tuple[Change, ...]] = tuple(Change("", since, (RuleId("TA-BID-04"),), "", "") for since in (2, 3))


@pytest.mark.parametrize(
    ("said", "versions"),
    [("", [1, 2, 3]), ("until = 1", [1]), ("since = 2", [2, 3]), ("since = 2\nuntil = 2", [2])],
)
def test_a_scenario_holds_in_every_version_unless_it_says_otherwise(said: str, versions: list[int]) -> None:
    scenarios = read(f'[[scenario]]\ntitle = "Some"\nrules = []\n{said}')
    assert [ruleset.version for _, ruleset in runs(scenarios, [Revised()])] == versions


def test_a_scenario_for_no_version_that_there_is_would_never_fail() -> None:
    scenarios = read('[[scenario]]\ntitle = "Some"\nrules = []\nsince = 4')
    with pytest.raises(ScenarioError, match="'Some' holds in no version of tiny-auction; it has 1 to 3"):
        list(runs(scenarios, [Revised()]))


def test_a_refusal_by_a_rule_that_the_ruleset_does_not_have_fails() -> None:
    ruleset = TinyAuction()
    rules = [
        replace(rule, applies=("another",)) if rule.id == "TA-BID-01" else rule for rule in ruleset.catalogue.rules
    ]
    ruleset.catalogue = replace(ruleset.catalogue, rules=tuple(rules))
    with pytest.raises(Failure, match=r"refused by TA-BID-01.*name the ruleset in its `applies`"):
        run(read(TIE)[0], ruleset, ROOM)
