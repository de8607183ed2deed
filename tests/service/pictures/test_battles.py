"""Battles as data: the dice of both sides, and how likely they hit, from the rules' own dice."""

from functools import cache
from itertools import product
from typing import Any

import pytest

from domain.conquest import dice
from domain.conquest.pieces import Units
from domain.kernel.log.game import Game
from domain.kernel.log.history import read_event
from domain.kernel.rules.marks import Battle, together
from domain.kernel.rules.message import Event
from domain.kernel.rules.ruleset import Rolled
from domain.library import LIBRARY
from domain.mare_nostrum.display.fight import chances as chances_of_legions
from service.bots.bot import GREEDY, RANDOM
from service.bots.simulation import Plan, Simulation
from service.games.views import Viewer
from service.pictures.frames import Camera
from service.pictures.scenes import sheet_of
from tests.helpers.sampling import sampled
from tests.service.pictures.test_scenes import at

PLAYED = sampled("battles that bots fight", LIBRARY.ids(), 2)


@cache
def rolls(name: str) -> list[tuple[Battle, Rolled]]:
    """Return the rolls with hits of the first game of bots that has any, each with the battle as it stood before."""
    return next(filter(None, (rolls_of(name, seed) for seed in range(2, 12))), [])


def rolls_of(name: str, seed: int) -> list[tuple[Battle, Rolled]]:
    seldom = name == "mare-nostrum"  # where only bots that play by chance attack by land
    rounds, level = (10, RANDOM) if seldom else (4, GREEDY)
    plan = Plan(name, LIBRARY.current(name).players[-1], seed, rounds=rounds, level=level)
    simulation, found = Simulation(plan), list[tuple[Battle, Rolled]]()
    for _ in simulation.play():
        pass
    for record in simulation.records:
        event: Any = read_event(simulation.game.ruleset, record)
        if not isinstance(event, Event) or record.type == "pursuit-rolled":  # which is after the battle
            continue
        before = at(simulation, simulation.records[: record.version - 1])
        for rolled in simulation.game.ruleset.rolled(event, before.table):
            battle = fought(before)
            if rolled.hits is not None and battle is not None:
                found.append((battle, rolled))
    return found


def fought(game: Game) -> Battle | None:
    assert game.table is not None
    return game.ruleset.battle(game.table, game.names)


@pytest.mark.parametrize("name", PLAYED)
def test_before_a_roll_it_says_which_dice_will_be_rolled_and_what_they_can_hit(name: str) -> None:
    seen = 0
    for battle, rolled in rolls(name):
        side = next(
            side
            for side in (battle.attacker, battle.defender)
            if (side.seat, side.nation) == (rolled.seat, rolled.nation)
        )
        assert side.marks
        assert side.throw is not None, (battle, rolled)
        assert side.throw.dice == len(rolled.faces), (battle, rolled)
        assert side.throw.chances[rolled.hits or 0] > 0, (battle, rolled)
        assert sum(side.throw.chances) == pytest.approx(1)
        assert side.throw.die in LIBRARY.current(name).dice
        seen += 1
    assert seen


@pytest.mark.parametrize("name", PLAYED)
def test_it_says_which_dice_hit_where_a_die_hits_by_itself(name: str) -> None:
    thrown = [rolled for _, rolled in rolls(name)]
    assert thrown
    for rolled in thrown:
        if name == "mare-nostrum":  # where the sum of all dice counts
            assert rolled.struck == ()
        else:
            assert len(rolled.struck) == len(rolled.faces)
            assert sum(rolled.struck) == rolled.hits, rolled


def test_of_more_dice_with_a_symbol_than_units_the_first_ones_hit() -> None:
    faces: tuple[dice.Face, ...] = ("blank", "infantry", "galley", "infantry", "catapult", "infantry")
    assert dice.struck(faces, Units(2, 0, 1)) == (False, True, False, True, True, False)
    assert dice.struck(faces, Units(0, 0, 0), 1) == (False, False, True, False, False, False)


@pytest.mark.parametrize(("units", "galleys"), [(Units(2, 1, 1), 0), (Units(0, 3, 0), 1), (Units(4, 0, 0), 0)])
def test_the_chances_of_battle_dice_are_counted_out(units: Units, galleys: int) -> None:
    thrown = list(product(dice.FACES, repeat=4))
    hits = [dice.hits(faces, units, galleys) for faces in thrown]
    counted = [hits.count(number) / len(thrown) for number in range(max(hits) + 1)]
    assert dice.chances(4, units, galleys) == pytest.approx(tuple(counted))


def test_the_chances_of_legions_are_counted_out() -> None:
    sums = [sum(faces) + 6 for faces in product(range(1, 7), repeat=3)]
    hits = [min(total // 5, 3) for total in sums]
    assert chances_of_legions(3, 6, 3) == pytest.approx(tuple(hits.count(number) / len(sums) for number in range(4)))


def test_independent_chances_add_up() -> None:
    assert together([(0.5, 0.5), (0.5, 0.5)]) == pytest.approx((0.25, 0.5, 0.25))
    assert together([]) == (1.0,)


def test_a_game_is_shown_to_its_end() -> None:
    simulation = Simulation(Plan("conquest-campaign", 2, seed=1, level=GREEDY))
    for _ in simulation.play():
        pass
    game, sheet = simulation.game, sheet_of(simulation.game)
    assert game.status == "over"
    last = simulation.records[-1]
    camera = Camera(sheet, Viewer(), simulation.vault, game.names, at(simulation, simulation.records[:-1]))
    assert camera.frame(last, game).version == last.version
    assert Camera(sheet, Viewer(), simulation.vault, game.names, game).scene(last.version).battle is None
