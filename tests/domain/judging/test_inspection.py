"""What a judge looks at in a log: dice drawn again and how likely they were, and what going back would cost."""

import itertools
from collections import Counter
from typing import Any

import msgspec
import pytest

from domain.judging.inspection import Draw, draws_in, likeliest, probability, step_around, way_back
from domain.kernel.chance.draws import CommittedChance
from domain.kernel.chance.evidence import Dice, draw_of
from domain.kernel.log.fold import fold
from domain.kernel.log.game import Game
from domain.kernel.log.history import effective_records, starts_of_commands, steps
from domain.kernel.log.record import Record
from domain.kernel.proof import reading
from domain.kernel.rules.message import type_name
from domain.kernel.rules.ruleset import Ruleset
from domain.library import LIBRARY
from tests.recorded import recorded

BATTLE = ("infantry", "infantry", "cavalry", "catapult", "galley", "miss")


def test_the_faces_of_some_dice_are_as_likely_as_they_are() -> None:
    for dice in (1, 2, 4):
        counted = Counter(tuple(sorted(roll)) for roll in itertools.product(BATTLE, repeat=dice))
        rolls = sum(counted.values())
        for roll, times in counted.items():
            assert probability(Counter(roll), BATTLE) == pytest.approx(times / rolls)
        assert probability(likeliest(dice, BATTLE), BATTLE) == pytest.approx(max(counted.values()) / rolls)
    assert 0 < probability(likeliest(400, BATTLE), BATTLE) < 1


def whole(ruleset: str) -> tuple[Game, list[Record]]:
    """Return a recorded game in which dice were rolled, and its log."""
    shapes = {type_name(each) for each in LIBRARY.current(ruleset).chance}
    for each in recorded(ruleset):
        read = reading.read(each.lines())
        records = list(read.records)
        if any(record.type in shapes for record in records[10:]) and len(records) < 1500:
            return fold(records, read.game, LIBRARY, lambda _, board=read.board: board), records
    raise AssertionError("no game of this ruleset has dice")


@pytest.fixture(params=["conquest-classic-2005", "mare-nostrum"], scope="module")
def played(request: pytest.FixtureRequest) -> tuple[Game, list[Record]]:
    return whole(request.param)


def test_a_step_is_what_was_accepted_as_one(played: tuple[Game, list[Record]]) -> None:
    _, records = played
    for step in steps(records):
        for record in step:
            assert list(step_around(records, record.version)) == step


def chance_of(game: Game, records: list[Record]) -> CommittedChance:
    return game.chance(bytes.fromhex(msgspec.json.decode(records[-1].event)["secret"]))


def drawn(ruleset: Ruleset[Any], game: Game, step: list[Record], chance: CommittedChance | None) -> list[Draw]:
    return list(draws_in(step, ruleset, tuple(game.players), chance))


def test_dice_drawn_again_are_those_of_the_log(played: tuple[Game, list[Record]]) -> None:
    game, records = played
    chance, other = chance_of(game, records), CommittedChance(b"\0" * 32, game.id, game.entropy)
    rolls, wrong = 0, 0
    for step in steps(records):
        for draw, plain in zip(
            drawn(game.ruleset, game, step, chance), drawn(game.ruleset, game, step, None), strict=True
        ):
            assert (plain.raw, plain.again, plain.shown) == (None, None, draw.shown)
            if draw.kind == "dice":
                assert draw.again == draw.shown
                assert draw.probability is not None
                assert draw.likeliest is not None
                assert 0 < draw.probability <= draw.likeliest <= 1
                rolls += 1
            elif draw.again is not None:
                assert draw.again == draw.shown
        wrong += sum(each.again != each.shown for each in drawn(game.ruleset, game, step, other) if each.kind == "dice")
    assert rolls > 2
    assert wrong


def test_going_back_costs_what_the_log_says(played: tuple[Game, list[Record]]) -> None:
    game, records = played
    dice = {type_name(event): shown for event, shown in game.ruleset.chance.items()}
    for end in range(len(records) // 3, len(records), max(1, len(records) // 5)):
        past = records[:end]
        for to in sorted(starts_of_commands(past))[:: max(1, end // 40)]:
            way = way_back(to, past, game.ruleset, tuple(game.players))
            later = {start for start in starts_of_commands(past) if start >= to}
            assert way.commands == len(later)
            assert [each.version - 1 for each in way.taken] == sorted(later)[:100]
            assert way.draws == past[-1].draws - past[to - 1].draws
            rolled = [
                record.version
                for record in effective_records(past)
                if record.version > to
                and any(
                    isinstance(each, Dice) and draw_of(msgspec.json.decode(record.event), each) is not None
                    for each in dice.get(record.type, ())
                )
            ]
            assert list(way.rolls) == rolled[:100]
            assert all(to < version <= end for each in way.learnt for version in each.versions)
