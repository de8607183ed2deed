"""Cursors over a log in books: their texts, and fair shares of what follows."""

import random

import pytest

from projections.cursor import ALL_BOOKS, Cursor, Place, UnknownCursor

BOOKS = 64


def test_a_number_is_the_same_position_in_every_book() -> None:
    cursor = Cursor.parse("17", BOOKS)
    assert cursor.positions == (17,) * BOOKS
    assert str(cursor) == "17"
    assert str(Cursor.parse(None, BOOKS)) == "0"


@pytest.mark.parametrize("largest", [1, 127, 128, 10**4, 10**9, 2**62])
def test_a_text_says_where_each_book_is(largest: int) -> None:
    rng = random.Random(largest)
    cursor = Cursor(tuple(rng.randint(0, largest) for _ in range(BOOKS)))
    assert Cursor.parse(str(cursor), BOOKS) == cursor
    assert len(str(cursor)) <= 2 + BOOKS * 4 * (1 + largest.bit_length() // 7) // 3 + 16


@pytest.mark.parametrize(
    "text",
    ["", "-1", "1.5", "x", "v", "vAA", "v!!", "1" * 19, "v" + "A" * 900, "v" + "_" * 300, "٣"],
)
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(UnknownCursor, match="use one from an earlier answer"):
        Cursor.parse(text, BOOKS)


def test_a_place_has_one_text_alone() -> None:
    """What is compared as text, such as a checkpoint, must not have two forms."""
    text = str(Cursor((5, *[9] * (BOOKS - 1))))
    with pytest.raises(UnknownCursor):
        Cursor.parse(text + "AA", BOOKS)
    with pytest.raises(UnknownCursor):
        Cursor.parse(text, BOOKS - 1)


def test_records_move_their_own_book_on() -> None:
    cursor = Cursor((4, 4, 4)).after([Place(1, 5), Place(1, 6)])
    assert cursor == Cursor((4, 6, 4))
    assert cursor.has(Place(1, 6))
    assert not cursor.has(Place(0, 5))
    assert cursor.reaches(Cursor((4, 4, 4)))
    assert not Cursor((9, 5, 9)).reaches(cursor)
    assert cursor.after([Place(ALL_BOOKS, 7)]) == Cursor((7, 7, 7))


def test_every_book_gets_its_share() -> None:
    start, end = Cursor((0, 0, 0, 9)), Cursor((100, 2, 100, 9))
    assert start.shares(end, 20) == {0: 9, 1: 2, 2: 9}
    assert start.shares(end, 2) == {0: 1, 2: 1}, "the ones furthest behind"
    assert start.shares(end, 1000) == {0: 100, 1: 2, 2: 100}


def test_shares_lead_to_the_end_and_never_exceed_what_was_asked_for() -> None:
    rng = random.Random(7)
    for _ in range(30):
        most = rng.randint(5, 100)
        at = Cursor(tuple(rng.randint(0, 50) for _ in range(BOOKS)))
        end = Cursor(tuple(rng.randint(0, 200) for _ in range(BOOKS)))
        while left := at.distance(end):
            at, before = at.towards(end, most), at
            assert 0 < before.distance(at) <= most
            assert at.distance(end) == left - before.distance(at)
        assert at.reaches(end)
