"""Dice and shuffles: the same in every language, fair, and fixed before the game."""

import hashlib
import hmac
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.kernel.chance.draws import CommittedChance, ScriptedChance, commitment_to
from domain.kernel.ids import GameId, Seat

# Known answers, for a check in any language: the secret is the bytes 00 01 … 1f, the game "game-1".
SECRET = bytes(range(32))
GAME = GameId("game-1")
ENTROPY = {Seat("red"): "alpha", Seat("blue"): "Ω"}
COMMITMENT = "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
CONTEXT = "7ce5ef4da4d98d54cfb0e3e0725d5a54d8ea3dba944973e215a639048887359b"
FIRST_BLOCK_OF_DRAW_1 = "54ccfc1a3715df83d72d9c1922128e63e1db7115702770f9421d65b5176563eb"
TEN_DICE = {
    1: (1, 1, 3, 2, 4, 2, 6, 6, 4, 1),
    2: (5, 3, 4, 6, 2, 1, 6, 1, 1, 3),
    3: (5, 3, 3, 5, 6, 5, 6, 4, 1, 3),
}
ORDER_OF_TEN = {
    1: (0, 3, 4, 7, 9, 5, 2, 8, 1, 6),
    2: (1, 7, 3, 0, 4, 8, 2, 5, 6, 9),
    3: (6, 7, 4, 8, 2, 3, 1, 9, 5, 0),
}
SALTS = {
    1: "54ccfc1a3715df83d72d9c1922128e63",
    2: "527a09bf67d2ef4e8a4a6ecd7319654d",
    3: "d6cef23a234c7de10068722862e9172d",
}
FOUR_DICE_OF_20_IN_DRAW_2_TO_THE_40 = (3, 4, 10, 17)
TEN_DICE_WITHOUT_ENTROPY = (6, 3, 1, 4, 5, 2, 1, 6, 3, 2)

CHANCE = CommittedChance(SECRET, GAME, ENTROPY)


def test_known_answers() -> None:
    assert commitment_to(SECRET) == COMMITMENT
    for draw in (1, 2, 3):
        assert CHANCE.dice(draw, 10, 6) == TEN_DICE[draw]
        assert CHANCE.order(draw, range(10)) == ORDER_OF_TEN[draw]
        assert CHANCE.salt(draw).hex() == SALTS[draw]
    assert CHANCE.dice(2**40, 4, 20) == FOUR_DICE_OF_20_IN_DRAW_2_TO_THE_40
    assert CommittedChance(SECRET, GAME, {}).dice(1, 10, 6) == TEN_DICE_WITHOUT_ENTROPY


def test_the_known_answers_follow_from_the_description() -> None:
    """A second implementation, written from the module's words alone."""
    context = hashlib.sha256('{"entropy":{"blue":"Ω","red":"alpha"},"game":"game-1"}'.encode()).digest()
    assert context.hex() == CONTEXT
    block = hmac.new(SECRET, context + b"\0\0\0\0\0\0\0\x01" + b"\0\0\0\0", hashlib.sha256).digest()
    assert block.hex() == FIRST_BLOCK_OF_DRAW_1
    assert tuple(byte % 6 + 1 for byte in block if byte < 252)[:10] == TEN_DICE[1]
    stream = block + hmac.new(SECRET, context + b"\0\0\0\0\0\0\0\x01" + b"\0\0\0\x01", hashlib.sha256).digest()
    order, at = list(range(10)), 0
    for last in range(9, 0, -1):
        number = int.from_bytes(stream[at : at + 4], "big")
        at += 4  # none of these nine numbers is among the few that are thrown away
        other = number % (last + 1)
        order[last], order[other] = order[other], order[last]
    assert tuple(order) == ORDER_OF_TEN[1]


def test_the_order_in_which_seats_joined_makes_no_difference() -> None:
    turned = dict(reversed(ENTROPY.items()))
    assert CommittedChance(SECRET, GAME, turned).dice(1, 10, 6) == TEN_DICE[1]


@pytest.mark.parametrize(
    "other",
    [
        CommittedChance(SECRET[::-1], GAME, ENTROPY),
        CommittedChance(SECRET, GameId("game-2"), ENTROPY),
        CommittedChance(SECRET, GAME, {**ENTROPY, Seat("red"): "alphb"}),
        CommittedChance(SECRET, GAME, {}),
    ],
)
def test_secret_game_and_entropy_each_change_the_dice(other: CommittedChance) -> None:
    assert other.dice(1, 30, 6) != CHANCE.dice(1, 30, 6)


@given(st.integers(1, 10_000), st.integers(0, 60), st.integers(1, 256))
@settings(deadline=None)
def test_faces_are_those_of_the_die(draw: int, count: int, sides: int) -> None:
    faces = CHANCE.dice(draw, count, sides)
    assert len(faces) == count
    assert all(1 <= face <= sides for face in faces)
    assert faces == CHANCE.dice(draw, count, sides)


@pytest.mark.parametrize("sides", [0, -1, 257, 1000])
def test_a_die_that_bytes_cannot_throw_is_an_error(sides: int) -> None:
    with pytest.raises(ValueError, match="1 to 256"):
        CHANCE.dice(1, 1, sides)


@given(st.integers(1, 10_000), st.integers(0, 60))
@settings(deadline=None)
def test_an_order_is_a_permutation(draw: int, length: int) -> None:
    assert sorted(CHANCE.order(draw, range(length))) == list(range(length))


def chi_square(counts: Counter[object], cells: int) -> float:
    expected = counts.total() / cells
    return sum((count - expected) ** 2 / expected for count in counts.values()) + (cells - len(counts)) * expected


# The 99.9 % points of chi-square; the dice are fixed, so these tests pass always or never.
@pytest.mark.parametrize(("sides", "limit"), [(2, 10.83), (6, 20.52), (20, 43.82), (100, 148.2), (200, 266.4)])
def test_dice_are_fair(sides: int, limit: float) -> None:
    counts: Counter[object] = Counter(face for draw in range(1, 301) for face in CHANCE.dice(draw, 100, sides))
    assert chi_square(counts, sides) < limit


def test_bytes_that_would_favour_a_face_are_thrown_away() -> None:
    # With 200 sides and no rejection, faces 1 to 56 would come twice as often.
    counts = Counter(face for draw in range(1, 301) for face in CHANCE.dice(draw, 100, 200))
    low = sum(count for face, count in counts.items() if face <= 56)
    assert abs(low / counts.total() - 56 / 200) < 0.01


def test_shuffles_are_fair() -> None:
    counts: Counter[object] = Counter(CHANCE.order(draw, range(4)) for draw in range(1, 12_001))
    assert set(counts) == set(permutations(range(4)))
    assert chi_square(counts, 24) < 49.73


def test_draws_are_independent() -> None:
    counts: Counter[object] = Counter(CHANCE.dice(draw, 1, 6) + CHANCE.dice(draw + 1, 1, 6) for draw in range(1, 7_201))
    assert chi_square(counts, 36) < 66.62


def test_scripted_dice_fall_as_laid_down() -> None:
    chance = ScriptedChance([(1, 2), (6,)])
    assert chance.dice(1, 2, 6) == (1, 2)
    with pytest.raises(LookupError, match="2 dice of 6"):
        chance.dice(2, 2, 6)
    assert chance.dice(2, 1, 6) == (6,)
    assert chance.used == 2
    with pytest.raises(LookupError, match="all 2 rolls"):
        chance.dice(3, 1, 6)
    with pytest.raises(LookupError):
        ScriptedChance([(7,)]).dice(1, 1, 6)
    with pytest.raises(LookupError, match=r"dice of 7 sides were rolled; the ruleset has dice of \[6\]"):
        ScriptedChance([(6,)], {6}).dice(1, 1, 7)


def test_scripted_salts_differ_and_orders_stay() -> None:
    chance = ScriptedChance([])
    assert chance.salt(1) != chance.salt(2)
    assert chance.order(1, "abc") == (0, 1, 2)


def test_scripted_lots_come_first_and_others_keep_their_order() -> None:
    chance = ScriptedChance([], lots=[["c", "b"], []])
    assert chance.order(1, "abbc") == (3, 1, 0, 2)
    assert chance.order(2, "ab") == chance.order(3, "ab") == (0, 1)
    assert chance.shuffles == 3
    with pytest.raises(LookupError, match="lays down 'x'"):
        ScriptedChance([], lots=[["x"]]).order(1, "ab")
