"""Figures of the scoreboard: whole numbers and halves, exact everywhere."""

import msgspec
import pytest

from domain.kernel.rules.marks import Figure, Standing, halved, spelled


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


def test_what_is_no_half_is_no_figure() -> None:
    with pytest.raises(msgspec.ValidationError, match=r"multiple of 0\.5"):
        msgspec.convert({"seat": "red", "figures": {"points": 0.25}}, Standing)
