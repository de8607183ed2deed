"""A standing grant of a bystander leaves the active player their undo."""

from random import Random
from typing import Any

import pytest

from domain.boards import builtin
from domain.kernel.ids import Seat
from domain.kernel.proof.verify import verify
from domain.library import LIBRARY
from tests.helpers.play import Play

RULESET = LIBRARY.current("conquest-classic-friz")


def moving() -> tuple[Play, Seat, Seat]:
    """Return a game in which somebody has just moved, with them and a bystander."""
    rng, play = Random(2), Play(RULESET, builtin(RULESET.board), 3, 2)
    while not (len(play.game.undo_to) > 1 and "movement" in play.game.heading):
        play.step(rng)
    active: Any = play.game.undo_seat
    return play, active, next(seat for seat in play.game.players if seat != active)


@pytest.mark.rule("TAB-UNDO-03", "CC-ALY-05")
def test_a_standing_grant_leaves_the_active_player_their_undo() -> None:
    play, active, bystander = moving()
    before, may = play.game, play.game.undo_to
    play.command(bystander, {"type": "grant-standing", "to": active, "kind": "transit"})
    assert play.game.undo == {active: may, bystander: (before.version,)}
    play.undo(active, may[0])
    table: Any = play.game.table
    assert [(grant.by, grant.to) for grant in table.grants] == [(bystander, active)]
    earlier: Any = play.fold(may[0]).table
    earlier.grants.extend(table.grants)
    assert table.digest() == earlier.digest(), "all else is as it was"
    assert play.fold() == play.game
    assert verify(play.export(everything=True), play.library).ok


def test_talks_that_others_answer_do_not_stand_aside() -> None:
    play, active, bystander = moving()
    play.command(bystander, {"type": "propose-alliance", "members": [active]})
    assert list(play.game.undo) == [bystander]
