"""Games of the tiny auction with an official, and what must be true of them whatever happened around the table."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from domain.kernel.ids import PlayerId, Seat
from domain.kernel.log.clock import Clock
from domain.kernel.log.game import Decided, Game
from domain.kernel.proof.verify import verify
from domain.kernel.rules import schema
from domain.kernel.rules.refusal import Refusal
from tests.helpers.clocked import Clocked
from tests.helpers.play import Play
from tests.tiny.auction import ROOM, TinyAuction

RED, BLUE, GREEN = map(Seat, ("red", "blue", "green"))
ONE_COIN = {"type": "put-up", "coins": 1}
OPEN = {"type": "open-bidding"}
STRANGER, OTHER = PlayerId("stranger"), PlayerId("other")

BANK = Clock(kind="bank", time=60, increment=5, at_zero="vacate")
OFTEN = Clock(kind="bank", time=60, increment=5)


class TinyWithout(TinyAuction):
    """The tiny auction, without one of its seats: blue is out of the game."""

    def out(self, table: Any) -> tuple[Seat, ...]:
        return (BLUE,)


def started(players: int = 2, seed: int = 1, ruleset: TinyAuction | None = None) -> Play:
    return Play(ruleset or TinyAuction(), ROOM, players, seed)


def gathering(players: int = 2) -> Play:
    return Play(TinyAuction(), ROOM, players, start=False)


def judged(players: int = 2, seed: int = 1) -> Play:
    play = started(players, seed)
    play.name_official()
    return play


def bidding(players: int = 3) -> Play:
    """Return a game in which all seats have to choose a card at the same time."""
    play = judged(players)
    play.command(RED, ONE_COIN)
    play.command(RED, OPEN)
    return play


def left_open(clock: Clock, players: int = 3) -> Clocked:
    """Return a game in which the clock of red, who begins, has left the seat open."""
    play = Clocked(TinyAuction(), ROOM, players, clock=clock)
    let_open(play)
    return play


def let_open(play: Clocked) -> None:
    """Play on until the clock of red leaves the seat open; the others answer."""
    while RED not in play.clocks.vacated:
        others = [seat for seat in play.waiting if seat != RED]
        if others:
            option = next(each for each in play.options(others[0]) if each.decision)
            play.command(others[0], schema.sample(option.schema, Random(1)))
        else:
            play.fall(play.wait_for_fall())


def refused(act: Callable[[], object]) -> Refusal:
    with pytest.raises(Refusal) as caught:
        act()
    return caught.value


def types(step: Decided) -> list[str]:
    return [record.type for record in step.records]


def cards(play: Play, seat: Seat) -> list[int]:
    vault = play.vault.read_by(seat)
    return [vault.open(card) for card in play.game.table.hands[seat]]  # pyrefly: ignore[missing-attribute]


def card(play: Play, seat: Seat, which: int = 0) -> dict[str, Any]:
    """The command that bids one of the cards in hand."""
    table: Any = play.game.table
    return {"type": "choose-card", "card": play.vault.open(table.hands[seat][which])}


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
