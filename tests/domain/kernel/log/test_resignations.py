"""Seats that are resigned: what the house does for them, and when a game ends or pauses."""

from random import Random

import pytest

from domain.kernel.log import following, seating
from domain.kernel.log.clock import Clock
from domain.kernel.log.game import Decided
from domain.kernel.log.history import cause_of, read_event
from domain.kernel.log.lifecycle import GameEnded
from domain.kernel.log.record import Cause
from domain.kernel.proof.verify import verify
from tests.domain.kernel.log.around import (
    BLUE,
    GREEN,
    ONE_COIN,
    OPEN,
    OTHER,
    RED,
    STRANGER,
    TinyWithout,
    bidding,
    cards,
    judged,
    proved,
    refused,
    started,
    types,
    whole,
)
from tests.helpers.clocked import Clocked
from tests.helpers.play import OFFICIAL, Play, player_of
from tests.tiny.auction import ROOM, TinyAuction


@pytest.mark.rule("TAB-SEAT-04")
@pytest.mark.rule("TAB-SEAT-05")
def test_the_house_answers_for_a_seat_that_resigned_until_somebody_takes_it_over() -> None:
    play = judged(players=3)
    play.leave_answer(RED, {"decision": "put-up-prize", "command": ONE_COIN, "when": {"round": {"equals": 9}}})
    step = play.resign(RED)
    assert types(step)[:2] == ["seat-resigned", "answered-by-house"]
    assert (play.game.around.resigned, play.game.around.given_up) == ((RED,), (RED,))
    assert RED not in play.waiting
    assert play.game.answers == {}
    assert not play.game.undo
    for record in step.records[1:]:
        cause = cause_of(record)
        assert record.cause is None or (cause.by, cause.player, cause.seat) == ("house", None, RED)
    for act in (
        lambda: play.resign(RED),
        lambda: play.command(RED, ONE_COIN),
        lambda: play.leave_answer(RED, {"decision": "put-up-prize", "command": ONE_COIN}),
        lambda: play.ask_take_back(RED, 5),
        lambda: play.offer(RED),
        lambda: play.withdraw_offer(RED),
    ):
        assert refused(act).rule == "TAB-SEAT-04"
    assert play.options(RED) == []
    for _ in range(4):
        play.step(Random(1))
        assert RED not in play.waiting
    proved(play)
    play.take_over(RED, STRANGER)
    assert play.game.around.resigned == ()
    while RED not in play.waiting:
        play.step(Random(1))
    play.command(*((RED, OPEN) if play.game.decisions[0].kind == "put-up-prize" else play.pick(Random(1))))
    proved(play)
    whole(play)


@pytest.mark.rule("TAB-SEAT-04")
def test_only_its_player_resigns_a_seat_and_no_official_does() -> None:
    play = judged(players=3)
    earlier = play.at_each_version.__getitem__
    for player in (player_of(BLUE), OFFICIAL, STRANGER):
        act = lambda player=player: seating.resign(play.game, RED, earlier, play.chance, Cause(player), play.now)  # noqa: E731
        assert refused(act).rule == "TAB-SEAT-04"
    analysis = play.fork(by=OFFICIAL)
    assert refused(lambda: analysis.resign(RED)).rule == "TAB-FORK-03"
    assert refused(lambda: analysis.offer(RED)).rule == "TAB-FORK-03"
    gathering = Play(TinyAuction(), ROOM, 2, start=False)
    gathering.sit(RED, player_of(RED))
    assert refused(lambda: gathering.resign(RED)).rule == "TAB-SEAT-04"
    assert refused(lambda: gathering.offer(RED)).rule == "TAB-SEAT-01"


@pytest.mark.rule("TAB-SEAT-04")
def test_a_player_whose_seat_was_given_up_or_offered_may_still_resign() -> None:
    play = judged(players=3)
    play.give_up(RED)
    play.offer(RED, STRANGER)
    play.resign(RED)
    assert (play.game.around.given_up, play.game.around.offers) == ((RED,), {}), "nothing passes to anybody"
    play.offer(RED, OTHER, by=OFFICIAL)
    assert refused(lambda: play.take_over(RED, STRANGER)).rule == "TAB-SEAT-01"
    play.take_over(RED, OTHER)
    proved(play)


@pytest.mark.rule("TAB-SEAT-05")
def test_the_house_answers_after_a_whole_list_and_then_answers_left_in_advance_are_given() -> None:
    play = judged(players=3)
    while RED not in play.waiting:
        play.step(Random(1))
    play.resign(BLUE)
    choice = {"decision": "choose-card", "command": {"type": "choose-card", "card": min(cards(play, GREEN))}}
    play.leave_answer(GREEN, choice)
    step = play.command(RED, ONE_COIN, OPEN)
    houses = [number for number, kind in enumerate(types(step)) if kind == "answered-by-house"]
    given = types(step).index("answer-given")
    assert len(houses) >= 1
    assert houses[0] > types(step).index("bidding-opened") if "bidding-opened" in types(step) else True
    assert given < houses[0], "answers left in advance come first"
    proved(play)
    whole(play)


@pytest.mark.rule("TAB-SEAT-05")
def test_after_a_way_back_the_house_answers_again_and_after_a_pause_it_goes_on() -> None:
    play = bidding()
    start = play.game.version
    play.command(BLUE, {"type": "choose-card", "card": min(cards(play, BLUE))})
    play.rule_pause()
    assert types(play.resign(GREEN)) == ["seat-resigned"], "in a pause the house waits"
    assert types(play.rule_resume())[:2] == ["game-resumed", "answered-by-house"]
    step = play.rule_back(start)
    assert types(step)[:2] == ["moves-retracted", "answered-by-house"]
    assert GREEN not in play.waiting
    proved(play)
    whole(play)


@pytest.mark.rule("TAB-SEAT-04")
def test_a_request_that_only_waits_for_a_seat_that_resigns_is_granted() -> None:
    play = judged(players=3)
    start = play.game.version
    play.command(RED, ONE_COIN)
    play.ask_take_back(RED, start)
    play.answer_take_back(GREEN, play.game.version)
    assert types(play.resign(BLUE))[:2] == ["seat-resigned", "moves-retracted"]
    proved(play)


@pytest.mark.rule("TAB-SEAT-06")
def test_with_two_seats_the_other_wins_when_one_resigns() -> None:
    for paused in (False, True):
        play = judged()
        if paused:
            play.rule_pause()
        play.resign(BLUE)
        assert play.game.status == "over"
        ended = read_event(play.ruleset, play.records[-1])
        assert isinstance(ended, GameEnded)
        assert (ended.winners, ended.rule) == ((RED,), "TAB-SEAT-06")
        verdict = verify(play.export(), play.library)
        assert (verdict.ok, verdict.unproved) == (True, ()), verdict
        assert refused(lambda play=play: play.take_over(BLUE, STRANGER)).untimely


@pytest.mark.rule("TAB-SEAT-07")
def test_a_game_in_which_all_have_resigned_pauses_until_somebody_takes_a_seat_over() -> None:
    play = judged(players=3)
    for seat in (RED, BLUE):
        play.resign(seat)
        assert play.game.around.paused is None
    step = play.resign(GREEN)
    assert types(step)[:2] == ["seat-resigned", "game-paused"]
    assert play.game.around.paused == seating.NOBODY_PLAYS
    assert types(play.resume())[:2] == ["game-resumed", "game-paused"]
    play.take_over(GREEN, STRANGER)
    play.resume()
    assert play.game.around.paused is None
    assert play.waiting == [GREEN]
    proved(play)
    whole(play)


@pytest.mark.rule("TAB-SEAT-07")
def test_a_seat_that_is_out_of_the_game_is_nobody_who_plays() -> None:
    play = started(3, ruleset=TinyWithout())
    play.resign(RED)
    assert play.game.around.paused is None
    play.resign(GREEN)
    assert play.game.around.paused == seating.NOBODY_PLAYS


@pytest.mark.rule("TAB-CLK-12")
def test_a_clocked_game_in_which_the_rest_resigned_pauses_at_the_flag_of_the_last() -> None:
    play = Clocked(TinyAuction(), ROOM, 3, clock=Clock(kind="bank", time=60, increment=10))
    play.resign(RED)
    play.resign(BLUE)
    assert play.clocks.runs == (GREEN,)
    play.wait(100)
    assert "game-paused" in types(play.fall(GREEN))
    verdict = verify(play.export(), play.library)
    assert verdict.ok, verdict


def test_what_the_house_does_not_finish_at_once_is_done_before_anything_else() -> None:
    play = judged(players=4)
    for seat in (RED, BLUE):
        play.take(
            seating.resign(
                play.game, seat, play.at_each_version.__getitem__, play.chance, Cause(player_of(seat)), play.now
            )
        )
    assert play.game.left_to_house == RED
    few = list(following.following(Decided(play.game, ()), play.chance, play.vault, play.records[-1].at, most=1))
    assert [step.records[0].type for step in few] == ["answered-by-house"]
    at = play.records[-1].at
    for step in following.following(Decided(play.game, ()), play.chance, play.vault, at):
        play.take(step)
    assert play.game.left_to_house is None
    with_others = [record for record in play.records if record.type == "answered-by-house"]
    assert len(with_others) > 1
    assert refused(lambda: seating.answer_for(play.game, RED, play.chance, play.vault, at)).rule == "TAB-SEAT-05"
    assert refused(lambda: seating.pause_without_players(play.game, at)).rule == "TAB-SEAT-07"
