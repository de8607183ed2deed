"""What a picture shows: figures are exact everywhere, and what a seat loses is found by comparing two positions."""

import msgspec
import pytest

from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.marks import Figure, Mark, Marks, Place, Stack, Standing, halved, lost_pieces, spelled


@pytest.mark.parametrize(
    ("halves", "json", "written"),
    [
        (24, b"12", "12"),
        (25, b"12.5", "12½"),
        (1, b"0.5", "½"),
        (0, b"0", "0"),
        (-1, b"-0.5", "-½"),
        (-25, b"-12.5", "-12½"),
    ],
)
def test_halves_are_exact_in_json_and_in_words(halves: int, json: bytes, written: str) -> None:
    figure = halved(halves)
    assert msgspec.json.encode(figure) == json
    assert msgspec.json.decode(json, type=Figure) == figure
    assert figure * 2 == halves
    assert spelled(figure) == written


def test_a_figure_is_a_whole_number_or_a_half() -> None:
    with pytest.raises(msgspec.ValidationError, match=r"multiple of 0\.5"):
        msgspec.convert({"seat": "red", "figures": {"points": 0.25}}, Standing)


RED, BLUE, ROMA, GALLIA = Seat("red"), Seat("blue"), AreaId("roma"), AreaId("gallia")


def army(seat: Seat, infantry: int) -> Stack:
    return Stack(seat, (Mark("infantry", infantry), Mark("galley", seat=BLUE)), "an army")


def test_what_is_gone_is_what_a_seat_had_on_the_whole_board_and_has_no_longer() -> None:
    city, lent = Mark("city"), Mark("city", seat=RED)
    before = Marks({ROMA: Place(RED, (city,), (army(RED, 3), army(BLUE, 5))), GALLIA: Place(BLUE, (city, lent))})
    moved = Marks({ROMA: Place(RED, (city,), (army(RED, 1),)), GALLIA: Place(BLUE, (city, lent), (army(RED, 2),))})
    assert lost_pieces(before, moved, RED, {}) == {}
    assert lost_pieces(before, moved, BLUE, {}) == {"infantry": 5}
    razed = Marks({ROMA: Place(None, (), (army(RED, 2),)), GALLIA: Place(RED, (city,))})
    assert lost_pieces(before, razed, RED, {}) == {"city": 1, "infantry": 1}


def test_what_is_only_in_another_state_is_not_gone() -> None:
    guises = {"walled-city": "city"}
    open_city = Marks({ROMA: Place(RED, (Mark("city"),))})
    walled = Marks({ROMA: Place(RED, (Mark("walled-city"),))})
    assert lost_pieces(open_city, walled, RED, guises) == lost_pieces(walled, open_city, RED, guises) == {}
    assert lost_pieces(walled, Marks({}), RED, guises) == {"walled-city": 1}
    both = Marks({ROMA: Place(RED, (Mark("walled-city"),)), GALLIA: Place(RED, (Mark("city"),))})
    assert lost_pieces(both, open_city, RED, guises) == {"walled-city": 1}
