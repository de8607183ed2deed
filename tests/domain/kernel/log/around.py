"""Games of the tiny auction with an official, and what must be true of them whatever happened around the table."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from domain.kernel.ids import PlayerId, Seat
from domain.kernel.log.game import Game
from domain.kernel.proof.verify import verify
from domain.kernel.rules.refusal import Refusal
from tests.helpers.play import Play
from tests.tiny.auction import ROOM, TinyAuction

RED, BLUE, GREEN = map(Seat, ("red", "blue", "green"))
ONE_COIN = {"type": "put-up", "coins": 1}
OPEN = {"type": "open-bidding"}
STRANGER = PlayerId("stranger")


class TinyWithout(TinyAuction):
    """The tiny auction, without one of its seats: blue is out of the game."""

    def out(self, table: Any) -> tuple[Seat, ...]:
        return (BLUE,)


def started(players: int = 2, seed: int = 1, ruleset: TinyAuction | None = None) -> Play:
    return Play(ruleset or TinyAuction(), ROOM, players, seed)


def judged(players: int = 2, seed: int = 1) -> Play:
    play = started(players, seed)
    play.name_official()
    return play


def refused(act: Callable[[], object]) -> Refusal:
    with pytest.raises(Refusal) as caught:
        act()
    return caught.value


def table_of(game: Game) -> str:
    assert game.table is not None
    return game.table.digest()


def proved(play: Play) -> None:
    """Fold and verify agree with what was decided."""
    assert play.fold() == play.game
    for viewer in (None, *play.game.players):
        verdict = verify(play.export(viewer), play.library)
        assert verdict.ok, verdict


def whole(play: Play) -> None:
    """Played to its end, it is proved with all dice and secrets."""
    if play.game.around.paused is not None:
        play.rule_resume()
    play.run(Random(1))
    verdict = verify(play.export(), play.library)
    assert (verdict.ok, verdict.status, verdict.unproved) == (True, "over", ()), verdict
