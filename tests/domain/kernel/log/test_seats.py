"""Seats that are offered, taken over and resigned: who may, what passes, what the house does, what a proof names."""

import pytest

from domain.kernel.ids import Seat
from domain.kernel.log import seating
from domain.kernel.log.clock import Clock
from domain.kernel.log.record import Cause
from domain.kernel.proof.verify import verify
from tests.domain.kernel.log.around import (
    BANK,
    BLUE,
    GREEN,
    ONE_COIN,
    OPEN,
    OTHER,
    RED,
    STRANGER,
    judged,
    left_open,
    let_open,
    proved,
    refused,
    types,
    whole,
)
from tests.helpers.clocked import Clocked
from tests.helpers.play import OFFICIAL, ORGANIZER, Play, player_of
from tests.tiny.auction import ROOM, TinyAuction

WHITE = Seat("white")


@pytest.mark.rule("TAB-SEAT-01")
def test_a_player_offers_a_seat_to_an_account_which_alone_may_take_it_over() -> None:
    play = judged(players=3)
    play.command(RED, ONE_COIN)
    may = play.game.undo
    play.offer(RED, STRANGER)
    assert refused(lambda: play.offer(RED)).rule == "TAB-SEAT-01"
    assert STRANGER in refused(lambda: play.take_over(RED, OTHER)).allowed
    assert play.game.lets_in(STRANGER)
    assert not play.game.lets_in(OTHER)
    assert play.game.players[RED] == player_of(RED), "nobody is seated by others"
    play.take_over(RED, STRANGER)
    assert (play.game.players[RED], play.game.around.offers) == (STRANGER, {})
    assert play.game.around.held == {RED: (player_of(RED),)}
    assert (play.game.entropy[RED], play.game.undo) == ("entropy of red", may)
    assert not play.game.lets_in(player_of(RED))
    play.command(RED, OPEN)
    proved(play)
    whole(play)
    for act in (lambda: play.offer(BLUE), lambda: play.resign(BLUE), lambda: play.take_over(BLUE, OTHER)):
        assert refused(act).untimely


@pytest.mark.rule("TAB-SEAT-01")
def test_a_seat_is_offered_by_its_player_or_an_official_to_anybody_and_withdrawn_by_either() -> None:
    play = judged(players=3)
    by_another = Cause(player_of(BLUE), RED)
    assert refused(lambda: seating.offer_seat(play.game, RED, None, by_another, play.now)).rule == "TAB-SEAT-01"
    assert refused(lambda: play.offer(RED, by=STRANGER)).rule == "TAB-SEAT-01"
    assert refused(lambda: play.withdraw_offer(RED)).rule == "TAB-SEAT-01"
    play.offer(RED, by=OFFICIAL)
    play.offer(BLUE)
    play.withdraw_offer(RED)
    play.withdraw_offer(BLUE, by=OFFICIAL)
    assert refused(lambda: play.take_over(RED, STRANGER)).rule == "TAB-LIFE-05"
    play.offer(RED, by=OFFICIAL)
    play.rule_pause()
    play.take_over(RED, STRANGER)  # also in a pause
    proved(play)
    whole(play)


@pytest.mark.rule("TAB-SEAT-02")
def test_a_substitute_has_seen_no_more_of_the_game_than_its_seat() -> None:
    play = judged(players=3)
    play.name_official(OTHER)
    play.release_official(OTHER)
    play.offer(RED)
    for player, rule in ((player_of(BLUE), "TAB-LIFE-03"), (OFFICIAL, "TAB-RUL-01"), (OTHER, "TAB-RUL-01")):
        assert refused(lambda player=player: play.take_over(RED, player)).rule == rule
        assert refused(lambda player=player: play.offer(GREEN, player)).rule == rule
    play.take_over(RED, STRANGER)
    play.offer(BLUE)
    assert refused(lambda: play.take_over(BLUE, player_of(RED))).rule == "TAB-SEAT-02"
    assert refused(lambda: play.offer(GREEN, player_of(RED))).rule == "TAB-SEAT-02"
    play.offer(RED, player_of(RED))
    play.take_over(RED, player_of(RED))  # who has seen no other hand
    play.take_over(BLUE, ORGANIZER)  # who sees what spectators see
    proved(play)
    whole(play)


@pytest.mark.rule("TAB-SEAT-02")
def test_whoever_organizes_a_game_and_sees_all_of_it_is_no_substitute() -> None:
    play = Play(TinyAuction(), ROOM, 2, organizer_sees="all")
    play.offer(RED)
    assert refused(lambda: play.take_over(RED, ORGANIZER)).rule == "TAB-SEAT-02"
    assert refused(lambda: play.offer(BLUE, ORGANIZER)).rule == "TAB-SEAT-02"
    play.take_over(RED, STRANGER)
    play.pass_on(player_of(BLUE))
    play.offer(RED)
    assert refused(lambda: play.take_over(RED, ORGANIZER)).rule == "TAB-SEAT-02", "who has seen it all"
    proved(play)


@pytest.mark.rule("TAB-SEAT-02")
def test_a_seat_that_was_left_before_the_game_began_gave_nothing_away() -> None:
    play = Play(TinyAuction(), ROOM, 2, start=False)
    play.sit(BLUE, STRANGER)
    play.leave(BLUE, STRANGER)
    for seat in (RED, BLUE):
        play.sit(seat, player_of(seat))
    play.start()
    play.offer(RED, STRANGER)
    play.take_over(RED, STRANGER)
    proved(play)


@pytest.mark.rule("TAB-SEAT-03")
def test_what_was_left_in_advance_ends_and_requests_of_the_seat_stay() -> None:
    play = judged(players=3)
    play.leave_answer(RED, {"decision": "put-up-prize", "command": ONE_COIN, "when": {"round": {"equals": 9}}})
    play.command(RED, ONE_COIN)
    start = play.game.version - 1
    play.ask_take_back(RED, start)
    asked = play.game.version
    play.offer(RED)
    play.take_over(RED, STRANGER)
    assert play.game.answers == {}
    assert play.game.around.open_request(RED) == asked
    play.answer_take_back(RED, asked, agrees=False)
    proved(play)


@pytest.mark.rule("TAB-SEAT-03")
def test_only_whoever_takes_over_an_open_seat_for_the_first_time_has_the_whole_time() -> None:
    def left_after(*, gives_up: bool) -> list[float]:
        play = Clocked(TinyAuction(), ROOM, 3, clock=Clock(kind="bank", time=60))
        found: list[float] = []
        for player in (STRANGER, OTHER, STRANGER):
            play.wait(10)
            if gives_up:
                play.give_up(RED)
            else:
                play.offer(RED)
            play.take_over(RED, player)
            found.append(play.left(RED))
        verdict = verify(play.export(), play.library)
        assert verdict.ok, verdict
        return found

    assert left_after(gives_up=False) == [50, 40, 30]
    assert left_after(gives_up=True) == [60, 60, 50]


@pytest.mark.rule("TAB-LIFE-05")
def test_a_seat_that_its_clock_left_open_is_taken_over_by_anybody_who_may() -> None:
    play = Clocked(TinyAuction(), ROOM, 3, clock=Clock(kind="bank", time=60, at_zero="vacate"))
    play.wait(62)
    play.fall(RED)
    play.offer(RED, OTHER)
    assert refused(lambda: play.take_over(RED, STRANGER)).rule == "TAB-SEAT-01", "it is kept for another"
    play.withdraw_offer(RED)
    play.take_over(RED, STRANGER)
    assert play.left(RED) == 60
    verdict = verify(play.export(), play.library)
    assert verdict.ok, verdict


@pytest.mark.rule("TAB-SEAT-11")
@pytest.mark.parametrize(
    ("clock", "gets"),
    [
        (BANK, 5),
        (Clock(kind="bank", time=60, at_zero="vacate"), 0),
        (Clock(kind="decision", time=30, vacate_after=1), 30),
    ],
    ids=["bank", "bank without increment", "decision"],
)
def test_a_player_takes_back_a_seat_that_its_clock_left_open(clock: Clock, gets: int) -> None:
    play = left_open(clock)
    player, other = player_of(RED), player_of(BLUE)
    assert (play.left(RED), play.game.around.given_up) == (0, (RED,))
    assert refused(lambda: play.give_up(RED)).allowed == "Take it back, or leave it to a substitute."
    assert refused(lambda: play.take_over(RED, other)).rule == "TAB-LIFE-03"
    play.offer(RED)
    step = play.take_over(RED, player)
    assert types(step) == ["seat-taken-over", "clocks-ran"]
    assert (play.left(RED), play.game.around.given_up, play.game.around.offers) == (gets, (), {})
    assert (play.game.players[RED], play.game.around.held, play.clocks.flags[RED]) == (player, {}, 1)
    assert refused(lambda: play.take_over(RED, player)).rule == "TAB-LIFE-05", "it is open no more"
    let_open(play)
    assert play.clocks.flags[RED] == 2, "the next flag leaves it open again"
    play.take_over(RED, STRANGER)
    assert play.left(RED) == clock.time, "a substitute has the whole time"
    assert refused(lambda: play.take_over(RED, player)).rule == "TAB-LIFE-05"
    proved(play)
    whole(play)


@pytest.mark.rule("TAB-SEAT-11")
def test_a_seat_is_not_taken_back_that_its_player_gave_up_offered_or_resigned() -> None:
    play = left_open(BANK)
    player = player_of(RED)
    play.offer(RED, OTHER)
    assert refused(lambda: play.take_over(RED, player)).rule == "TAB-SEAT-01"
    play.withdraw_offer(RED)
    play.resign(RED)
    assert refused(lambda: play.take_over(RED, player)).wrong == "You have resigned red."
    play.give_up(BLUE)
    refusal = refused(lambda: play.take_over(BLUE, player_of(BLUE)))
    assert (refusal.rule, refusal.wrong) == ("TAB-SEAT-11", "blue is your seat.")
    play.offer(GREEN)
    assert refused(lambda: play.take_over(GREEN, player_of(GREEN))).rule == "TAB-SEAT-11"
