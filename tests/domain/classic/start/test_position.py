"""What a position written down by hand may say of the fallen."""

from typing import Any

import pytest

from domain.boards import builtin
from domain.classic.box.editions import FRIZ
from domain.classic.box.table import Table
from domain.classic.start.position import arrange
from domain.kernel.ids import AreaId, Seat


def arranged(**given: Any) -> Table:
    players = {"red": "macedonia", "blue": "egypt", "green": "italia", "yellow": "hispania"}
    return arrange({"players": players, **given}, FRIZ, builtin("conquest"))


def test_what_the_fallen_had_is_with_the_last_captor() -> None:
    table = arranged(
        fallen={"blue": "red", "red": "green"},
        turn="blue",
        prisoners=[{"general": "blue-general-1", "captor": "yellow"}],
    )
    assert table.playing() == ["yellow", "green"]
    assert table.acting == "green"
    assert {seat: player.colours for seat, player in table.players.items()} == {
        "red": (),
        "blue": (),
        "green": ("green", "blue", "red"),
        "yellow": ("yellow",),
    }
    assert table.provinces[AreaId("egypt")].owner == Seat("green")
    assert table.leaders["blue-general-1"].owner == Seat("green")


@pytest.mark.parametrize("fallen", [{"red": "red"}, {"red": "blue", "blue": "red"}, {"green": "red", "red": "green"}])
def test_takeovers_that_go_round_in_a_circle_make_no_sense(fallen: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="form a circle"):
        arranged(fallen=fallen)


def test_the_fallen_have_no_pieces() -> None:
    with pytest.raises(ValueError, match="blue is not in the game"):
        arranged(fallen={"blue": "red"}, forces=[{"seat": "blue", "at": "asia", "infantry": 1}])
