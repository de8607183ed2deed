"""The bot that looks ahead: what it makes up fits what it sees, and it uses nothing else."""

import pickle
import re
from collections.abc import Iterator
from functools import cache, partial
from random import Random
from typing import Any
from unittest.mock import patch

import msgspec
import pytest

from domain.boards import builtin
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import Seat
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.ruleset import Ruleset
from domain.kernel.scenario import Scenario, run, runs
from domain.library import LIBRARY
from service.bots.bot import GREEDY, RANDOM, THINKER, Bot
from service.bots.players.conquest_classic import BoldCommander
from service.bots.registry import levels
from service.bots.scratch import Luck, Scratch
from service.bots.thinker import Budget, Thinker, clearly_best
from tests.helpers.sampling import sampled
from tests.helpers.scenarios import written

RULESETS = LIBRARY.ids()
HIDING = [each for each in RULESETS if not each.startswith(("conquest-classic", "italia"))]
"""Those that hide something in a game as it is set up when nothing is chosen."""
FEW = Budget(seconds=1e9, nodes=60)
"""What a bot chooses with it depends on nothing but its seed."""

FORGOTTEN = {
    "mare-nostrum": {"campaign", "build"},
    "italia-1": {"announce", "levy", "spend-tribute", "stacking"},
    "italia-2": {"announce", "buy", "spend-tribute", "submit"},
}
"""The decisions of which some depend on what no view shows: bots then imagine other options than they have."""


@cache
def facts(ruleset: str) -> Any:
    return msgspec.to_builtins(LIBRARY.current(ruleset).equip(builtin(LIBRARY.current(ruleset).board)))


def begun(ruleset: str, players: int, seed: int, **chosen: Any) -> Scratch:
    played = LIBRARY.current(ruleset)
    setup = msgspec.convert(chosen, played.setup)
    bare = played.lay(played.seats(players, setup), setup, played.equip(builtin(played.board)))
    return Scratch.after(played, played.begin(bare, Luck(seed)))


def positions(ruleset: str, seed: int, number: int, **chosen: Any) -> Iterator[tuple[Scratch, Seat]]:
    """Yield positions, far apart, of a game between random and greedy players, each with a seat that has to decide."""
    played, rng = LIBRARY.current(ruleset), Random(seed)
    now = begun(ruleset, played.players[seed % len(played.players)], seed, **chosen)
    bots = [levels(ruleset)[level](rng, facts(ruleset)) for level in (RANDOM, GREEDY)]
    for given in range(number * 23):
        if not (decisions := now.decisions):
            return
        seat = rng.choice(decisions[0].seats)
        if given % 23 == seed % 23 or given < number:
            yield now, seat
        now = now.play(seat, rng.choice(bots).choose(seat, now.view(seat), now.options(seat)), Luck(seed))


def imagined(now: Scratch, seat: Seat, seed: int, **chosen: Any) -> Scratch:
    ruleset = now.ruleset
    shown: Any = msgspec.convert(now.view(seat), ruleset.view_type)
    setup = msgspec.convert(chosen, ruleset.setup)
    seats = tuple(map(Seat, now.view(seat)["seats"]))
    draft = Draft(ruleset.lay(seats, setup, ruleset.equip(builtin(ruleset.board))), Luck(seed), Vault())
    ruleset.imagine(draft, shown, seat, Random(seed))
    return Scratch.after(ruleset, draft)


def thinker(ruleset: str, seed: int, budget: Budget = FEW) -> Bot:
    return levels(ruleset)[THINKER](Random(seed), facts(ruleset), budget=budget)  # type: ignore[call-arg]


@pytest.mark.parametrize("ruleset", sampled("what bots imagine", RULESETS, 2))
def test_an_imagined_position_looks_as_the_real_one(ruleset: str) -> None:
    for now, seat in positions(ruleset, 1, 15):
        worlds = [imagined(now, seat, each) for each in range(6)]
        assert all(world.view(seat) == now.view(seat) for world in worlds)
        assert any(world.options(seat) == now.options(seat) for world in worlds), "what it forgot made a difference"


@pytest.mark.parametrize("ruleset", sampled("what is imagined of scenarios", RULESETS, 1))
def test_a_position_of_a_scenario_is_imagined_as_it_is(ruleset: str) -> None:
    """Scenarios have thousands of positions that games of bots seldom reach."""
    played, unlike, forgotten = LIBRARY.current(ruleset), set[str](), set[str]()
    options = played.options

    def compare(scenario: Scenario, now: Scratch, seat: Seat) -> None:
        asked = {decision.kind for decision in now.decisions if seat in decision.seats}
        worlds = (imagined(now, seat, each, **chosen_in(scenario, played)) for each in range(6 if asked else 0))
        view, offered = looks(now.view(seat)), looks(now.options(seat))
        for world in worlds:
            if looks(world.view(seat)) != view:
                unlike.add(scenario.title)
            if looks(world.options(seat)) == offered:
                return
        forgotten.update(asked)

    def offer(scenario: Scenario, table: Any, seat: Seat, vault: Vault) -> list[Option]:
        with patch.object(played, "options", options):
            compare(scenario, Scratch(played, table, vault, 0), seat)
        return options(table, seat, vault)

    for path, scenarios in written():
        if ruleset.startswith(path.parent.name):
            for scenario, at in runs(scenarios, [played]):
                # A position of Mare Nostrum may have ties that do not follow from it.
                if at.version == played.version and "ties" not in (scenario.given or {}):
                    with patch.object(played, "options", partial(offer, scenario)):
                        run(scenario, played, builtin(played.board))
    assert unlike == set()
    assert forgotten == FORGOTTEN.get(ruleset, set())


def looks(view: Any) -> bytes:
    """Return a view without commitments: those of choices that are made up are others."""
    return re.sub(rb'"commitment":"[0-9a-f]+"', b"", msgspec.json.encode(view))


def chosen_in(scenario: Scenario, ruleset: Ruleset[Any]) -> dict[str, Any]:
    """Return what the creator of a scenario's game chose; a position has it in fields of the same names."""
    given = scenario.given or {}
    found = {**scenario.setup, **given, **given.get("options", {})}
    return {name: value for name, value in found.items() if name in ruleset.setup.__struct_fields__}


def test_imagined_hands_have_as_many_senators_as_are_seen() -> None:
    for now, seat in positions("conquest-campaign", 1, 2):
        world = imagined(now, seat, 1)
        for other, seen in now.view(seat)["seats"].items():
            hand = world.view(other)["seats"][other]["hand"]
            assert sum(hand.values()) == seen["senators"]


def test_targets_that_were_chosen_in_secret_are_imagined() -> None:
    chosen, met = {"individual_targets": True}, 0
    for now, seat in positions("italia-1", 1, 400, **chosen):
        if now.view(seat)["battle"] and now.view(seat)["battle"].get("sealed"):
            met += 1
            world = imagined(now, seat, 1, **chosen)
            assert world.options(seat) == now.options(seat)
            assert world.view(seat)["aiming"] == now.view(seat)["aiming"]
    assert met


@pytest.mark.parametrize("ruleset", sampled("what thinkers choose", RULESETS, 2))
def test_its_choices_are_lawful(ruleset: str) -> None:
    for now, seat in positions(ruleset, 3, 6):
        command = thinker(ruleset, 1).choose(seat, now.view(seat), now.options(seat))
        now.play(seat, command, Luck(1))


@pytest.mark.parametrize("ruleset", [each for each in RULESETS if each.startswith("conquest-classic")])
def test_its_ideas_are_marches_that_are_lawful(ruleset: str) -> None:
    guide, met = BoldCommander(Random(1), facts(ruleset)), 0
    for now, seat in positions(ruleset, 6, 12):
        ideas = guide.ideas(seat, now.view(seat), now.options(seat))
        asked = {option["command"] for option in now.options(seat)}
        assert not ideas or "march" in asked
        for command in ideas:
            now.play(seat, command, Luck(1))
        met += len(ideas) > 2
    assert met


@pytest.mark.parametrize("ruleset", sampled("what a thinker repeats", RULESETS, 2))
def test_a_seed_and_a_number_of_nodes_fix_what_it_chooses(ruleset: str) -> None:
    for now, seat in positions(ruleset, 4, 2):
        one, other = (
            thinker(ruleset, 7, Budget(1e9, 200)).choose(seat, now.view(seat), now.options(seat)) for _ in "ab"
        )
        assert one == other


@pytest.mark.parametrize("ruleset", HIDING)
def test_hidden_cards_make_no_difference_to_its_choice(ruleset: str) -> None:
    """Two games that differ only in what a seat cannot see; in both it does the same, and could not do otherwise."""
    differed = 0
    for now, seat in positions(ruleset, 5, 5):
        one, other = (imagined(now, seat, each) for each in (1, 2))
        others = [each for each in one.ruleset.seats(len(now.view(seat)["seats"])) if each != seat]
        differed += any(one.view(each) != other.view(each) for each in others)
        commands = [thinker(ruleset, 9).choose(seat, each.view(seat), each.options(seat)) for each in (one, other)]
        assert commands[0] == commands[1]
    assert differed


def test_it_takes_the_better_of_two_ways() -> None:
    """It sees by playing on what the greedy bot, which looks at the moment only, does not weigh at all."""
    tried = {0: [0.1, 0.2, 0.1, 0.2], 1: [0.3, 0.35, 0.3, 0.5], 2: [0.0, 0.0, 0.0, 0.0]}
    assert clearly_best(tried) == 1
    assert clearly_best({0: [0.1, 0.2, 0.3], 1: [0.3, 0.0, 0.31]}) == 0
    assert clearly_best({0: [0.1], 1: [0.9]}) == 0
    assert clearly_best(tried, margin=0.3) == 0


def test_it_goes_by_the_game_that_it_is_told() -> None:
    ruleset = next(each for each in RULESETS if len(LIBRARY.current(each).versions) > 1)
    board = {**facts(ruleset), "game": {"ruleset_version": 1, "setup": {}}}
    bot = pickle.loads(pickle.dumps(levels(ruleset)[THINKER](Random(1), board)))
    assert isinstance(bot, Thinker)
    assert bot.ruleset.version == 1
    newest = thinker(ruleset, 1)
    assert isinstance(newest, Thinker)
    assert newest.ruleset is LIBRARY.current(ruleset)
