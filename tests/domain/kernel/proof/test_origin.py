"""Of every event around the table it is said who may bring it about."""

from typing import get_args, get_type_hints

import pytest

from domain.kernel.ids import PlayerId, Seat
from domain.kernel.log.clocked import ClocksRan
from domain.kernel.log.event import GameEvent
from domain.kernel.log.lifecycle import GAME_EVENTS, GameEnded, MovesRetracted, SeatsMoved
from domain.kernel.log.record import Cause
from domain.kernel.proof.origin import AROUND_THE_TABLE, BY_CLOCK, BY_HOUSE, Origin, objection, origin_of

FOLLOWING = (GameEnded, SeatsMoved, ClocksRan)
"""Events around the table that nobody brings about: they follow from others."""


@pytest.mark.parametrize("event", [each for each in GAME_EVENTS if each not in (*FOLLOWING, MovesRetracted)])
def test_every_event_around_the_table_has_an_origin(event: type[GameEvent]) -> None:
    assert {**BY_HOUSE, **AROUND_THE_TABLE, **BY_CLOCK}[event].by in get_args(get_type_hints(Origin)["by"])


def test_that_players_move_to_other_seats_is_brought_about_by_nobody() -> None:
    moved = SeatsMoved({Seat("red"): PlayerId("mallory")})
    assert origin_of(moved, Cause()) is None
    assert "follows from nothing" in objection(None, moved, Cause(player=PlayerId("mallory")))


def test_the_end_of_a_game_is_brought_about_by_nobody() -> None:
    end = GameEnded((), "TA-END-01", "00" * 32)
    assert origin_of(end, Cause()) is None
    assert "follows from nothing" in objection(None, end, Cause(player=PlayerId("mallory"), seat=Seat("red")))
