"""Moves that are taken back by consent."""

from random import Random

import pytest
from msgspec import UNSET

from domain.kernel.canonical import canonical
from domain.kernel.ids import Seat, Version
from domain.kernel.log import retracting
from domain.kernel.log.around import Asked
from domain.kernel.log.history import read_event, retraction
from domain.kernel.log.lifecycle import MovesRetracted
from domain.kernel.log.record import Cause
from domain.kernel.rules.refusal import Refusal
from tests.domain.kernel.log.around import (
    BLUE,
    GREEN,
    ONE_COIN,
    OPEN,
    RED,
    STRANGER,
    TinyWithout,
    judged,
    proved,
    refused,
    started,
    table_of,
)
from tests.helpers.play import Play, player_of


def asked(play: Play, seat: Seat = RED) -> tuple[Version, Version]:
    """Let a seat give a command and ask to take it back; return the version to go to and that of the request."""
    to = play.game.version
    play.command(seat, ONE_COIN)
    play.ask_take_back(seat, to)
    return to, play.game.version


@pytest.mark.rule("TAB-UNDO-04")
def test_moves_are_taken_back_when_every_other_seat_agrees() -> None:
    play = started(3)
    to, request = asked(play)
    play.answer_take_back(BLUE, request)
    assert play.game.asked_by(play.game.around.asked[request]) == (GREEN,)
    play.answer_take_back(GREEN, request)
    back = read_event(play.ruleset, play.records[-1])
    assert back == MovesRetracted(to, "consent")
    assert play.records[-1].cause is None
    assert table_of(play.game) == table_of(play.at_each_version[to])
    assert not play.game.around.asked
    assert "All seats agreed" in back.tell(play.game.names)
    proved(play)


@pytest.mark.rule("TAB-UNDO-04")
def test_consent_takes_back_what_undo_cannot() -> None:
    """Others moved since, and something was revealed: undo is settled, consent is not."""
    play = started().run(Random(4), 6)
    seat = next(seat for seat in play.game.players if seat not in play.game.undo)
    own = [to for to in play.at_each_version if refuses_not(play, seat, to)]
    to = min(own)
    play.ask_take_back(seat, to)
    other = next(each for each in play.game.players if each != seat)
    draws = play.game.draws
    play.answer_take_back(other, play.game.version)
    assert table_of(play.game) == table_of(play.at_each_version[to])
    assert play.game.draws == draws, "drawn dice never come back"
    proved(play)


def refuses_not(play: Play, seat: Seat, to: Version) -> bool:
    try:
        play.at(play.game.version).ask_take_back(seat, to)
    except Refusal:
        return False
    return True


@pytest.mark.rule("TAB-UNDO-04")
def test_a_seat_names_a_version_before_a_command_of_its_own() -> None:
    play = started()
    to = play.game.version
    play.command(RED, ONE_COIN)
    for seat, version in ((BLUE, to), (RED, to - 1), (RED, to + 1), (RED, 0), (RED, 10_000)):
        assert refused(lambda seat=seat, version=version: play.ask_take_back(seat, version)).rule == "TAB-UNDO-04"
    play.undo(RED, to)
    assert refused(lambda: play.ask_take_back(RED, to)).rule == "TAB-UNDO-04", "it does not count any more"


@pytest.mark.rule("TAB-UNDO-04")
def test_a_seat_that_is_out_of_the_game_is_not_waited_for() -> None:
    play = started(3, ruleset=TinyWithout())
    to, request = asked(play)
    assert refused(lambda: play.answer_take_back(BLUE, request, agrees=False)).rule == "TAB-UNDO-04"
    play.answer_take_back(GREEN, request)
    assert table_of(play.game) == table_of(play.at_each_version[to])
    alone = started(2, ruleset=TinyWithout())
    to = alone.game.version
    alone.command(RED, ONE_COIN)
    alone.ask_take_back(RED, to)
    assert retraction(alone.records[-1]) == to
    for each in (play, alone):
        proved(each)


@pytest.mark.rule("TAB-UNDO-04")
def test_a_seat_that_was_given_up_is_neither_asked_nor_waited_for() -> None:
    play = started(3)
    play.give_up(BLUE)
    to, request = asked(play)
    assert refused(lambda: play.answer_take_back(BLUE, request)).rule == "TAB-UNDO-04"
    play.answer_take_back(GREEN, request)
    assert table_of(play.game) == table_of(play.at_each_version[to])
    later = started(3)
    to, request = asked(later)
    later.answer_take_back(GREEN, request)
    later.give_up(BLUE)
    assert retraction(later.records[-1]) == to, "nobody is left to agree"
    replaced = started(3)
    replaced.give_up(BLUE)
    to, request = asked(replaced)
    replaced.take_over(BLUE, STRANGER)
    replaced.answer_take_back(GREEN, request)
    replaced.answer_take_back(BLUE, request)
    assert retraction(replaced.records[-1]) == to, "who took it over is asked"
    for each in (play, later, replaced):
        proved(each)


@pytest.mark.rule("TAB-UNDO-04")
def test_a_request_of_before_still_waits_for_seats_that_were_given_up() -> None:
    play = started(3)
    play.give_up(BLUE)
    to = play.game.version
    play.command(RED, ONE_COIN)
    cause, earlier = Cause(player_of(RED)), play.at_each_version.__getitem__
    play.take(retracting.ask_take_back(play.game, RED, to, play.records, earlier, cause, play.now, asks=UNSET))
    assert play.records[-1].event == canonical({"seat": RED, "to": to, "type": "take-back-asked"})
    play.answer_take_back(GREEN, play.game.version)
    assert retraction(play.records[-1]) is None
    play.command(RED, OPEN)
    proved(play)


@pytest.mark.rule("TAB-UNDO-05")
def test_a_seat_has_one_open_request() -> None:
    play = started(3)
    to, request = asked(play)
    play.command(RED, ONE_COIN)
    assert not play.game.around.asked, "the game has moved on"
    assert refused(lambda: play.answer_take_back(BLUE, request)).rule == "TAB-UNDO-05"
    play.ask_take_back(RED, to)
    again = play.game.version
    assert refused(lambda: play.ask_take_back(RED, play.game.undo[RED][-1])).rule == "TAB-UNDO-05"
    assert play.game.around.asked == {again: Asked(RED, to, asks_present=True)}
    proved(play)


@pytest.mark.rule("TAB-UNDO-05")
def test_each_other_seat_answers_once_and_one_refusal_closes_the_request() -> None:
    play = started(3)
    to, request = asked(play)
    assert refused(lambda: play.answer_take_back(RED, request)).rule == "TAB-UNDO-05", "their own"
    play.answer_take_back(BLUE, request)
    assert refused(lambda: play.answer_take_back(BLUE, request)).rule == "TAB-UNDO-05"
    play.answer_take_back(GREEN, request, agrees=False)
    assert play.game.around.asked[request].is_closed
    assert refused(lambda: play.answer_take_back(GREEN, request)).rule == "TAB-UNDO-05"
    assert refused(lambda: play.ask_take_back(RED, to)).rule == "TAB-UNDO-05", "not before the game moves on"
    assert play.game.undo[RED], "and undo stands"
    proved(play)


@pytest.mark.rule("TAB-UNDO-05")
def test_the_seat_that_asked_withdraws() -> None:
    play = started(3)
    _, request = asked(play)
    play.answer_take_back(RED, request, agrees=False)
    assert play.game.around.asked[request].is_closed
    assert refused(lambda: play.answer_take_back(BLUE, request)).rule == "TAB-UNDO-05"
    proved(play)


@pytest.mark.rule("TAB-UNDO-05")
def test_an_undo_and_a_ruling_end_all_requests() -> None:
    for back in (lambda play, to: play.undo(RED, to), lambda play, to: play.rule_back(to)):
        play = judged(3)
        to, request = asked(play)
        back(play, to)
        assert not play.game.around.asked
        assert refused(lambda play=play, request=request: play.answer_take_back(BLUE, request)).rule == "TAB-UNDO-05"
        proved(play)
