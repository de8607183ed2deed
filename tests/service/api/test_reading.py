"""JSON is read in one pass, and what is wrong with it is named as what it is."""

import json
import re
from collections.abc import Callable

import msgspec
import pytest

from service.api.games.bodies import NewGame
from service.api.play.bodies import Orders
from service.api.players.bodies import Registration
from service.api.problems.play import REFUSED
from service.api.problems.problem import LONGEST, LONGEST_PATH, Problem
from service.api.problems.request import MALFORMED_JSON
from service.api.reading import _lone_surrogate, _refuse_repeated, read_json
from tests.helpers.work import LINEAR, Counted, growth

NAME = msgspec.json.Decoder(Registration)
GAME = msgspec.json.Decoder(NewGame)
ORDERS = msgspec.json.Decoder(Orders)


def problem(raw: bytes, decoder: msgspec.json.Decoder = NAME) -> Problem:
    with pytest.raises(Problem) as raised:
        read_json(raw, decoder)
    return raised.value


# --- Work -------------------------------------------------------------------------------------------------------------

Pairs = Callable[[int], list[tuple[str, None]]]

REPEATED: dict[str, Pairs] = {
    "the last": lambda n: [(Counted(f"m{each}"), None) for each in (*range(n), n - 1)],
    "the first": lambda n: [(Counted(f"m{each}"), None) for each in (*range(n), 0)],
    "all": lambda n: [(Counted("m"), None) for _ in range(n)],
}


@pytest.mark.parametrize("which", REPEATED)
def test_a_repeated_member_is_found_in_one_pass(which: str) -> None:
    def refuse(pairs: list[tuple[str, None]]) -> None:
        with pytest.raises(ValueError, match="twice"):
            _refuse_repeated(pairs)

    assert growth(refuse, REPEATED[which], 300) <= LINEAR


def test_a_lone_surrogate_is_found_in_one_pass() -> None:
    def search(raw: bytes) -> None:
        assert _lone_surrogate(raw) == "\\ud800"

    assert growth(search, lambda size: rb"\\\ud83d\ude00" * size + rb"\ud800", 300) <= LINEAR


# --- Words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (r"\ud800", r"\ud800"),
        (r"\uDC00x", r"\uDC00"),
        (r"\ud83dA", r"\ud83d"),
        (r"\ud83d\n\ude00", r"\ud83d"),
        (r"\ud83d\ude00\udfff", r"\udfff"),
        (r"\ud83d\ud83d\ude00", r"\ud83d"),
        (r"\\\ud800", r"\ud800"),
    ],
)
def test_a_lone_surrogate_is_named(text: str, named: str) -> None:
    said = problem(f'{{"name": "{text}"}}'.encode())
    assert said.kind is MALFORMED_JSON
    assert f"{named} is half of a surrogate pair" in said.detail
    for raw in (f'{{"{text}": 1}}', f'{{"setup": {{"x": "{text}"}}}}', f'{{"players": "{text}"}}'):
        assert "surrogate" in problem(raw.encode(), GAME).detail
    assert "surrogate" in problem(f'{{"command": {{"type": "{text}"}}}}'.encode(), ORDERS).detail


@pytest.mark.parametrize("text", [r"\ud83d\ude00", r"\\ud800", r"\\\\udfff", "\U0001f600"])
def test_a_whole_character_is_none(text: str) -> None:
    assert _lone_surrogate(text.encode()) is None
    assert read_json(f'{{"name": "{text}"}}'.encode(), NAME).name == json.loads(f'"{text}"')


@pytest.mark.parametrize("digits", [5_000, 60_000])
def test_a_number_of_many_digits_is_named(digits: int) -> None:
    number = b"9" * digits
    for raw, decoder in (
        (b'{"ruleset": "r", "players": ' + number + b"}", GAME),
        (b'{"ruleset": "r", "players": ' + number + b".5}", GAME),
        (b'{"ruleset": "r", "players": 2, "setup": {"x": -' + number + b"}}", GAME),
        (b'{"command": {"type": "march", "legions": ' + number + b"}}", ORDERS),
    ):
        assert f"number of {digits:,} digits" in problem(raw, decoder).detail


def test_bytes_that_are_no_text_are_named_with_their_place() -> None:
    assert "byte 10 is not UTF-8" in problem(b'{"name": "\xed\xa0\x80"}').detail
    assert "byte 0 is not UTF-8" in problem(b"\xff\xfe{").detail


def test_a_fault_at_the_top_lies_at_the_top_whatever_it_is_called() -> None:
    assert problem(b'{"names": "Ann"}').members["path"] == "$"
    assert problem(b'{"players": 2, "setup": {}, "rule - at `set": 1}', GAME).members["path"].startswith("$")


# --- Length -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "decoder"),
    [
        (b'{"name": "A", "' + b"x" * 60_000 + b'": 1}', NAME),
        (b'{"name": "A", "' + b"x" * 60_000 + b'": 1, "' + b"x" * 60_000 + b'": 1}', NAME),
        (b'{"' + b"\\u00e4" * 9_000 + b'": 1}', ORDERS),
    ],
)
def test_problems_repeat_little_of_a_long_value(raw: bytes, decoder: msgspec.json.Decoder) -> None:
    said = problem(raw, decoder)
    assert len(said.detail) <= LONGEST
    assert len(str(said)) <= LONGEST + 40
    assert said.detail.startswith(
        ("Object contains unknown field `", "The service cannot read the body: an object has")
    )


def test_the_middle_of_a_long_problem_is_left_out() -> None:
    said = Problem(REFUSED, "The name is " + "x" * 10_000 + ".", "y" * 10_000, path="$." + "z" * 10_000)
    assert (len(said.detail), len(said.allowed)) == (LONGEST, LONGEST)
    assert re.fullmatch("The name is x+ … x+[.]", said.detail)
    assert len(said.members["path"]) == LONGEST_PATH
    short = Problem(REFUSED, "x" * LONGEST)
    assert short.detail == "x" * LONGEST
