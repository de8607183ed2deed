"""The honest games whose exports are forged."""

from collections.abc import Callable, Mapping
from functools import cache
from random import Random
from typing import Any, Final

from domain.kernel.ids import PlayerId, Seat
from domain.kernel.rules.ruleset import Library
from tests.helpers.play import Play
from tests.tiny.auction import ROOM, TinyAuction
from tests.tiny.corrected import Corrected

LIBRARY: Final = Library([Corrected()])
MALLORY: Final = "mallory"
RED: Final = "player-red"


def seated(seed: int) -> Play:
    """A game before its start: red sat down, left, and sat down again."""
    play = Play(TinyAuction(), ROOM, 3, seed, start=False)
    for seat in play.game.players:
        play.sit(seat, player(seat), f"entropy of {seat}", key="0a" * 16)
    play.leave(Seat("red"), player(Seat("red")))
    play.sit(Seat("red"), player(Seat("red")))
    return play


def player(seat: Seat) -> Any:
    return f"player-{seat}"


def cancelled() -> tuple[bytes, ...]:
    play = seated(5)
    play.name_official()
    play.cancel()
    return tuple(play.export())


@cache
def finished() -> Play:
    """A whole game, with an undo and a ruling in it."""
    play = Play(TinyAuction(), ROOM, 3, 3)
    auctioneer = play.waiting[0]
    play.command(auctioneer, {"type": "put-up", "coins": 1})
    play.undo(auctioneer, play.game.undo_to[0])
    play.command(auctioneer, {"type": "put-up", "coins": 2})
    play.rule(play.game.version - 1)
    play.run(Random(3))
    assert play.game.status == "over"
    return play


@cache
def over() -> tuple[bytes, ...]:
    return tuple(finished().export())


@cache
def playing() -> Play:
    """A game that goes on after a round: what needed the secret can only be folded by its readers."""
    play = Play(TinyAuction(), ROOM, 3, 4)
    while not play.game.table or play.game.table.round < 3:  # type: ignore[attr-defined]
        play.step(Random(4))
    return play


@cache
def moved() -> tuple[bytes, ...]:
    """A game that its organizer moved to the second version of its ruleset."""
    play = Play(Corrected(1), ROOM, 2, 6)
    play.command(play.waiting[0], {"type": "put-up", "coins": 2})
    play.upgrade(2)
    play.command(play.waiting[0], {"type": "put-up", "coins": 1})
    return tuple(play.export())


@cache
def judged() -> Play:
    """A game with officials: judged and released, paused and resumed, with moves taken back by ruling and consent."""
    play = Play(TinyAuction(), ROOM, 3, 8)
    red, other, third = play.waiting[0], *(seat for seat in play.game.players if seat != play.waiting[0])
    play.name_official()
    play.name_official(PlayerId("steward"))
    to = play.game.version
    play.command(red, {"type": "put-up", "coins": 1})
    play.rule_pause("the dice fell off the table")
    play.rule_back(to, "they did")
    play.rule_resume()
    to = play.game.version
    play.command(red, {"type": "put-up", "coins": 2})
    play.ask_take_back(red, to)
    asked = play.game.version
    play.answer_take_back(other, asked)
    play.release_official(PlayerId("steward"))
    play.answer_take_back(third, asked)
    to = play.game.version
    play.command(red, {"type": "put-up", "coins": 1})
    play.ask_take_back(red, to)
    play.answer_take_back(other, play.game.version, agrees=False)
    return play


@cache
def adjudicated() -> tuple[bytes, ...]:
    play = judged().at(judged().game.version)
    first, *others = play.game.players
    play.rule_result([others, [first]], "two against one")
    return tuple(play.export())


@cache
def answering() -> Play:
    """A game with answers left in advance: red's is given at once, green's is revoked, another of his is given."""
    play = Play(Corrected(1), ROOM, 3, 3)
    red, green, blue = play.waiting[0], *(seat for seat in play.game.players if seat != play.waiting[0])
    play.leave_answer(red, _answer("put-up-prize", {"type": "put-up", "coins": 1}) | {"until": "once"})
    play.leave_answer(blue, _answer("put-up-prize", {"type": "put-up", "coins": 1}))
    revoked = play.leave_answer(green, _bid(play, green)).game.version
    play.revoke_answer(green, revoked)
    play.leave_answer(green, _bid(play, green))
    play.command(red, {"type": "put-up", "coins": 1})
    play.command(red, {"type": "open-bidding"})
    return play


def _answer(decision: str, command: Any) -> dict[str, Any]:
    return {"decision": decision, "command": command}


def _bid(play: Play, seat: Seat) -> dict[str, Any]:
    hand: Any = play.game.table.hands[seat]  # type: ignore[union-attr]
    return _answer("choose-card", {"type": "choose-card", "card": min(map(play.vault.open, hand))})


@cache
def answered() -> tuple[bytes, ...]:
    play = answering().at(answering().game.version)
    return tuple(play.run(Random(3)).export())


def running() -> tuple[bytes, ...]:
    return tuple(playing().export())


def gathering() -> tuple[bytes, ...]:
    return tuple(seated(5).export())


def handed_over() -> tuple[bytes, ...]:
    """A game in which a seat was given up and taken over, twice, and an official was named."""
    play = Play(TinyAuction(), ROOM, 3, 9)
    play.name_official()
    rng = Random(9)
    for player in ("first", "second"):
        play.run(rng, 3)
        play.give_up(Seat("red"))
        play.run(rng, 2)
        play.take_over(Seat("red"), PlayerId(player))
    return tuple(play.run(rng).export())


GAMES: Final[Mapping[str, Callable[[], tuple[bytes, ...]]]] = {
    "over": over,
    "running": running,
    "red's": lambda: tuple(playing().export(Seat("red"))),
    "everybody's": lambda: tuple(playing().export(everything=True)),
    "gathering": gathering,
    "moved": moved,
    "answering": lambda: tuple(answering().export()),
    "answered": answered,
    "judged": lambda: tuple(judged().export()),
    "adjudicated": adjudicated,
    "handed over": handed_over,
    "cancelled": cancelled,
}
