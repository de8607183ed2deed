"""Commands that stand aside: they leave other seats their undo, and stay when it is used."""

from random import Random
from typing import Any

import pytest

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import Seat
from domain.kernel.log import retracting
from domain.kernel.log.fold import fold, resume
from domain.kernel.log.history import given_again, others_since
from domain.kernel.log.record import Cause
from domain.kernel.log.snapshot import restore, take
from domain.kernel.proof.verify import verify
from domain.kernel.rules.command import Command
from domain.kernel.rules.refusal import Refusal
from tests.helpers.play import Play
from tests.tiny.auction import ROOM
from tests.tiny.house import House

RED, BLUE, GREEN = map(Seat, ("red", "blue", "green"))
ONE_COIN = {"type": "put-up", "coins": 1}
OPEN = {"type": "open-bidding"}

pytestmark = pytest.mark.rule("TAB-UNDO-03")


def gift(to: Seat, coins: int = 1) -> dict[str, Any]:
    return {"type": "give", "coins": {to: coins}}


def second_round(rich: Seat) -> Play:
    """Return a game of three in which blue is the auctioneer and `rich` has two coins."""
    for seed in range(1, 100):
        play = Play(House(), ROOM, 3, seed)
        play.command(RED, {"type": "put-up", "coins": 2}, OPEN)
        for seat in (RED, BLUE, GREEN):
            if play.game.table.bidding:  # type: ignore[union-attr]
                card: Any = play.vault.open(play.game.table.hands[seat][0])  # type: ignore[union-attr]
                play.command(seat, {"type": "choose-card", "card": card})
        if play.game.table.coins[rich] == 2:  # type: ignore[union-attr]
            assert play.game.undo == {}
            return play
    raise AssertionError(rich)


def coins(play: Play) -> dict[Seat, int]:
    table: Any = play.game.table
    return dict(table.coins)


def agreed(play: Play) -> None:
    """Check that the game is the same folded from its log, and that both it and the whole game are proved."""
    assert play.fold() == play.game
    assert list(play.fold().undo.items()) == list(play.game.undo.items())
    assert verify(play.export(everything=True), play.library).ok
    rest = Play(House(), ROOM, 3)
    rest.__dict__ |= play.__dict__ | {"records": list(play.records), "secrets": list(play.secrets)}
    verdict = verify(rest.run(Random(1)).export(), play.library)
    assert verdict.ok, verdict


def undone() -> Play:
    """Return a game in which a gift was given again after an undo."""
    play = second_round(RED)
    start = play.game.version
    play.command(BLUE, ONE_COIN)
    play.command(RED, gift(GREEN))
    play.undo(BLUE, start)
    return play


def test_a_bystander_leaves_the_active_player_their_undo() -> None:
    play = second_round(RED)
    start = play.game.version
    play.command(BLUE, ONE_COIN)
    play.command(RED, gift(GREEN))
    play.command(BLUE, ONE_COIN)
    assert play.game.undo == {BLUE: (start, start + 2)}, "who decided has acted on the gift: it stands"
    undo = [option for option in play.game.options(BLUE, Vault()) if option.command == "undo"]
    assert undo[0].schema["properties"]["to"] == {"enum": [start, start + 2]}
    agreed(play)
    play.undo(BLUE, start)
    assert play.game.table.prize == 0  # type: ignore[union-attr]
    assert coins(play) == {RED: 1, BLUE: 0, GREEN: 1}
    retracted, given = play.records[-2:]
    assert given_again(retracted) == (start + 2,)
    assert given.event == play.records[start + 1].event
    assert given.at == retracted.at
    assert play.game.undo == {RED: (start + 4,)}, "it may be taken back again"
    agreed(play)


def test_each_takes_back_their_own() -> None:
    play = second_round(RED)
    start = play.game.version
    play.command(BLUE, ONE_COIN)
    play.command(RED, gift(GREEN))
    assert play.game.undo == {BLUE: (start,), RED: (start + 1,)}
    for loaded in (play.fold(), restore(take(play.game), play.library, lambda _: ROOM)):
        assert list(loaded.undo.items()) == list(play.game.undo.items())
    base = fold(play.records[:start], play.game.id, play.library, lambda _: ROOM)
    assert resume(base, play.records[start:]).undo == play.game.undo
    play.undo(RED, start + 1)
    assert coins(play) == {RED: 2, BLUE: 0, GREEN: 0}
    assert given_again(play.records[-1]) == ()
    assert b"again" not in play.records[-1].event
    assert play.game.undo == {BLUE: (start,)}
    agreed(play)


def test_what_rested_on_what_was_taken_back_lapses() -> None:
    play = second_round(BLUE)
    start = play.game.version
    play.command(BLUE, gift(RED))
    play.command(RED, gift(GREEN))
    assert play.game.undo == {BLUE: (start,), RED: (start + 1,)}
    play.undo(BLUE, start)
    assert coins(play) == {RED: 0, BLUE: 2, GREEN: 0}
    assert given_again(play.records[-1]) == ()
    assert play.game.undo == {}
    agreed(play)


def test_what_is_drawn_settles_all() -> None:
    play = second_round(RED)
    play.command(BLUE, ONE_COIN)
    play.command(RED, gift(GREEN))
    play.command(BLUE, OPEN)
    seat = play.waiting[0]
    card: Any = play.vault.open(play.game.table.hands[seat][0])  # type: ignore[union-attr]
    play.command(seat, {"type": "choose-card", "card": card})
    assert play.game.undo == {}
    with pytest.raises(Refusal, match="TAB-UNDO-01"):
        play.undo(BLUE, play.game.version - 4)


def forged(*, forget: bool, instead: dict[str, Any] | None = None) -> Play:
    """Return a game in which a gift is not given again after an undo, or another one is; or it is not even named."""
    play = second_round(RED)
    start = play.game.version
    play.command(BLUE, ONE_COIN)
    play.command(RED, gift(GREEN))
    cause = Cause(play.game.players[BLUE], BLUE)
    others = () if forget else others_since(play.records, start, BLUE)
    play.take(retracting.go_on_from(play.game, play.fold(start), "undo", "", cause, play.now, others))
    if instead is not None:
        play.command(RED, instead)
    return play


@pytest.mark.parametrize(
    ("play", "problem"),
    [
        (forged(forget=True), "is not what follows from the rules"),
        (forged(forget=True, instead=gift(GREEN)), "is not what follows from the rules"),
        (forged(forget=False), "The log ends before the commands that an undo gives again."),
        (forged(forget=False, instead=gift(BLUE)), "is not the command that the undo before it gives again"),
        (forged(forget=False, instead=gift(GREEN)), "is not the command that the undo before it gives again"),
    ],
    ids=["forgotten", "not named", "left out", "another", "later"],
)
def test_a_log_that_forgets_what_stays_is_not_proved(play: Play, problem: str) -> None:
    for everything in (False, True):
        verdict = verify(play.export(everything=everything), play.library)
        assert not verdict.ok
        assert problem in verdict.problem


def test_a_command_that_answers_a_decision_or_hides_does_not_stand_aside() -> None:
    for name, declared in (("answers", frozenset({"put-up-prize"})), ("sealed", True)):
        with pytest.raises(TypeError, match="does not stand aside"):
            type("Wrong", (Command,), {"aside": True, name: declared})
