"""Ends that no rule book provides: agreed by the players, or of a game that nobody plays any more."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from domain.boards import builtin
from domain.kernel.log import snapshot
from domain.kernel.log.clock import Clock, milliseconds, moment
from domain.kernel.log.ended import ABANDONED_AFTER, EndProposed, GameAbandoned
from domain.kernel.log.ending import abandoned_at, finish, open_ends, order_of
from domain.kernel.log.history import read_event
from domain.kernel.log.lifecycle import GameEnded
from domain.kernel.proof.verify import verify
from domain.kernel.rules.ruleset import Result
from domain.library import LIBRARY
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
    whole,
)
from tests.helpers.clocked import Clocked
from tests.helpers.forger import Line, forged, rows
from tests.helpers.play import OFFICIAL, Play, player_of
from tests.helpers.sampling import sampled
from tests.tiny.auction import ROOM, TinyAuction

DAY = 24 * 60 * 60_000


def after(play: Play, days: float) -> str:
    """Return the time so many days after the last event."""
    return moment(milliseconds(play.records[-1].at) + round(days * DAY))


def next_round(play: Play) -> None:
    """Play until the round is over."""
    rng, round_ = Random(1), play.game.round
    while play.game.round == round_:
        play.step(rng)
        assert play.game.status == "running"


# --- agreed ends ---


@pytest.mark.rule("TAB-END-01")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_game_ends_when_every_other_seat_agrees_and_nobody_has_won(players: int) -> None:
    play = started(players)
    first, *others = play.game.players
    play.propose_end(first, others, (first,))
    proposed = play.game.version
    assert read_event(play.ruleset, play.records[-1]) == EndProposed(tuple(others), (tuple(others), (first,)), 1, first)
    for seat in others:
        assert play.game.status == "running"
        play.answer_end(seat, proposed)
    assert play.game.result == Result((), "TAB-END-01")
    ended = read_event(play.ruleset, play.records[-1])
    assert ended == GameEnded((), "TAB-END-01", play.secret.hex())
    found = finish(play.game)
    assert found is not None
    assert (found.winners, found.how, found.order) == ((), "agreed", (tuple(others), (first,)))
    proved(play)
    verdict = verify(play.export(), play.library)
    assert (verdict.unproved, verdict.finish) == ((), found)
    assert verdict.proved[-1].startswith("It ended by TAB-END-01, and its seats finished so: 1. ")


@pytest.mark.rule("TAB-END-01")
def test_the_game_goes_on_while_an_end_is_open() -> None:
    play = started(3)
    play.propose_end(RED, (RED, BLUE, GREEN))
    proposed = play.game.version
    play.answer_end(BLUE, proposed)
    play.command(RED, ONE_COIN)
    play.command(RED, OPEN)
    play.answer_end(GREEN, proposed)
    assert play.game.status == "over"
    proved(play)


@pytest.mark.rule("TAB-END-01")
def test_seats_that_are_out_or_given_up_are_not_asked_and_propose_nothing() -> None:
    play = started(3, ruleset=TinyWithout())
    assert refused(lambda: play.propose_end(BLUE, (RED, BLUE, GREEN))).rule == "TAB-END-01"
    play.propose_end(RED, (RED, BLUE, GREEN))
    proposed = play.game.version
    assert refused(lambda: play.answer_end(BLUE, proposed)).rule == "TAB-END-01"
    play.answer_end(GREEN, proposed)
    assert play.game.status == "over"
    proved(play)
    gone = started(3)
    gone.give_up(GREEN)
    assert refused(lambda: gone.propose_end(GREEN, (RED, BLUE, GREEN))).rule == "TAB-END-01"
    gone.propose_end(RED, (RED, BLUE, GREEN))
    gone.answer_end(BLUE, gone.game.version)
    assert gone.game.status == "over"
    proved(gone)
    alone = started(2)
    alone.give_up(BLUE)
    alone.propose_end(RED, (RED,), (BLUE,))
    assert (alone.game.status, alone.game.result) == ("over", Result((), "TAB-END-01")), "nobody else is asked"
    proved(alone)


@pytest.mark.rule("TAB-END-01")
@pytest.mark.parametrize("order", [[], [[]], [["red"]], [["red"], ["red", "blue"]], [["red", "blue"], []], [["mauve"]]])
def test_the_order_of_an_agreed_end_names_each_seat_once(order: Any) -> None:
    refusal = refused(lambda: started().propose_end(RED, *order))
    assert (refusal.rule, "each of red, blue once" in refusal.allowed) == ("TAB-END-01", True)


@pytest.mark.rule("TAB-END-01")
def test_no_end_is_agreed_before_the_start_nor_in_a_pause_nor_in_an_analysis() -> None:
    play = judged(3)
    play.propose_end(RED, (RED, BLUE, GREEN))
    proposed = play.game.version
    play.rule_pause()
    assert refused(lambda: play.propose_end(BLUE, (RED, BLUE, GREEN))).rule == "TAB-RUL-03"
    assert refused(lambda: play.answer_end(BLUE, proposed)).rule == "TAB-RUL-03"
    play.rule_resume()
    play.answer_end(BLUE, proposed)
    play.answer_end(GREEN, proposed)
    assert play.game.status == "over", "it was open all the time"
    assert refused(lambda: play.propose_end(BLUE, (RED, BLUE, GREEN))).rule == "TAB-LIFE-01"
    proved(play)
    early = Play(TinyAuction(), ROOM, 2, start=False)
    early.sit(RED, player_of(RED))
    assert refused(lambda: early.propose_end(RED, (RED, BLUE))).rule == "TAB-LIFE-01"
    analysis = judged().fork(by=OFFICIAL)
    refusal = refused(lambda: analysis.propose_end(RED, (RED, BLUE)))
    assert (refusal.rule, "close it" in refusal.allowed) == ("TAB-END-01", True)


@pytest.mark.rule("TAB-END-02")
def test_a_seat_proposes_one_end_in_a_round() -> None:
    play = started(3)
    play.propose_end(RED, (RED, BLUE, GREEN))
    first = play.game.version
    assert refused(lambda: play.propose_end(RED, (BLUE, GREEN), (RED,))).rule == "TAB-END-02"
    play.propose_end(BLUE, (BLUE,), (RED, GREEN))
    assert [*open_ends(play.game)] == [first, play.game.version], "each seat has one of its own"
    play.answer_end(GREEN, first, agrees=False)
    assert refused(lambda: play.propose_end(RED, (BLUE, GREEN), (RED,))).rule == "TAB-END-02", "it was turned down"
    next_round(play)
    assert not open_ends(play.game), "they have lapsed"
    refusal = refused(lambda: play.answer_end(GREEN, first + 1))
    assert (refusal.rule, refusal.allowed) == ("TAB-END-02", "There is no open proposal.")
    play.propose_end(RED, (BLUE, GREEN), (RED,))
    assert list(play.game.around.ends) == [play.game.version], "of earlier rounds nothing is kept"
    proved(play)
    whole(play)


@pytest.mark.rule("TAB-END-02")
def test_a_proposal_is_answered_by_those_who_are_asked_once() -> None:
    play = started(3)
    play.propose_end(RED, (RED, BLUE, GREEN))
    proposed = play.game.version
    assert refused(lambda: play.answer_end(RED, proposed)).rule == "TAB-END-02"
    play.answer_end(BLUE, proposed)
    assert refused(lambda: play.answer_end(BLUE, proposed)).rule == "TAB-END-02"
    assert open_ends(play.game)[proposed].waits_for == (GREEN,)
    play.answer_end(BLUE, proposed, agrees=False)
    assert not open_ends(play.game), "who has agreed may still turn it down"
    assert refused(lambda: play.answer_end(GREEN, proposed)).rule == "TAB-END-02"
    withdrawn = started(3)
    withdrawn.propose_end(RED, (RED, BLUE, GREEN))
    withdrawn.answer_end(RED, withdrawn.game.version, agrees=False)
    assert not open_ends(withdrawn.game)
    for each in (play, withdrawn):
        proved(each)


def agreed_after_a_resignation() -> Play:
    """Return a game whose end is agreed on by those who are left: a resignation closed the proposal before."""
    play = started(3)
    play.propose_end(RED, (RED, BLUE, GREEN))
    play.answer_end(BLUE, play.game.version)
    play.resign(GREEN)
    assert not open_ends(play.game)
    play.propose_end(RED, (RED, BLUE), (GREEN,))
    assert open_ends(play.game)[play.game.version].asks == (BLUE,)
    play.answer_end(BLUE, play.game.version)
    return play


@pytest.mark.rule("TAB-END-02")
def test_a_proposal_lapses_when_a_player_resigns() -> None:
    play = agreed_after_a_resignation()
    assert (play.game.status, order_of(play.game)) == ("over", ((RED, BLUE), (GREEN,)))
    proved(play)


@pytest.mark.rule("TAB-END-02")
def test_proposals_lapse_when_others_are_asked() -> None:
    """Else an end could be agreed on without the substitute of a seat, or with the word of one who has left."""
    play = started(3)
    play.propose_end(RED, (RED, BLUE, GREEN))
    proposed = play.game.version
    play.answer_end(BLUE, proposed)
    play.give_up(GREEN)
    assert not open_ends(play.game)
    play.propose_end(RED, (RED, BLUE), (GREEN,))
    assert open_ends(play.game)[play.game.version].asks == (BLUE,)
    play.take_over(GREEN, STRANGER)
    assert not open_ends(play.game)
    play.propose_end(RED, (RED, BLUE), (GREEN,))
    assert open_ends(play.game)[play.game.version].asks == (BLUE, GREEN)
    proved(play)
    clocked = Clocked(TinyAuction(), ROOM, 3, clock=Clock(kind="bank", time=60, at_zero="vacate"))
    clocked.propose_end(BLUE, (RED, BLUE, GREEN))
    seat = clocked.wait_for_fall()
    clocked.fall(seat)
    assert (seat, clocked.game.around.given_up, open_ends(clocked.game)) == (RED, (RED,), {})
    proved(clocked)


@pytest.mark.rule("TAB-END-02")
def test_a_proposal_stays_when_moves_of_its_round_are_taken_back() -> None:
    play = started(3)
    start = play.game.version
    play.command(RED, ONE_COIN)
    play.propose_end(GREEN, (RED, BLUE, GREEN))
    proposed = play.game.version
    play.undo(RED, start)
    assert [*open_ends(play.game)] == [proposed]
    play.answer_end(RED, proposed)
    play.answer_end(BLUE, proposed)
    assert play.game.status == "over"
    proved(play)


@pytest.mark.rule("TAB-END-01")
def test_where_the_rule_book_knows_acclamation_a_sole_winner_is_acclaimed() -> None:
    """CC-WIN-02 lets all players make one of them Caesar; CC-WIN-04 knows no draw, which may still be agreed on."""
    ruleset = LIBRARY.current("conquest-classic-friz")
    play = Play(ruleset, builtin(ruleset.board), 3)
    first, *others = play.game.players
    refusal = refused(lambda: play.propose_end(first, (others[0],), (first, others[1])))
    assert (refusal.rule, "propose-winner" in refusal.allowed) == ("CC-WIN-02", True)
    play.propose_end(first, others, (first,))
    proposed = play.game.version
    assert open_ends(play.game)[proposed].asks == tuple(others)
    play.answer_end(first, proposed, agrees=False)
    play.give_up(first)
    play.propose_end(others[0], (others[0],), (first, others[1]))
    play.answer_end(others[1], play.game.version)
    found = finish(play.game)
    assert found is not None
    assert (found.how, found.winners) == ("agreed", ()), "nobody is left who could acclaim with them"
    verdict = verify(play.export(), play.library)
    assert verdict.ok, verdict


# --- abandoned games ---


@pytest.mark.rule("TAB-END-04")
def test_a_game_in_which_nothing_happens_is_abandoned_without_a_winner() -> None:
    play = started()
    play.command(RED, ONE_COIN)
    since = play.records[-1].at
    assert abandoned_at(play.game, since) == after(play, ABANDONED_AFTER)
    early = refused(lambda: play.abandon(after(play, ABANDONED_AFTER - 0.001)))
    assert (early.rule, early.untimely) == ("TAB-END-04", True)
    play.abandon(after(play, ABANDONED_AFTER))
    abandoned, ended = (read_event(play.ruleset, record) for record in play.records[-2:])
    assert (abandoned, ended) == (GameAbandoned(since), GameEnded((), "TAB-END-04", play.secret.hex()))
    assert play.records[-2].cause == b'{"by":"clock"}'
    found = finish(play.game)
    assert found is not None
    assert (found.how, found.winners, found.order) == ("abandoned", (), ((RED, BLUE),))
    assert abandoned_at(play.game, since) is None
    assert refused(lambda: play.abandon(after(play, 400))).rule == "TAB-LIFE-01"
    proved(play)
    assert verify(play.export(), play.library).unproved == ()


@pytest.mark.rule("TAB-END-04")
def test_a_game_is_abandoned_after_the_days_that_were_chosen_and_so_is_its_continuation() -> None:
    play = Play(TinyAuction(), ROOM, 2, abandoned_after=14)
    assert b'"abandoned_after":14' in play.records[0].event
    assert b"abandoned_after" not in started().records[0].event
    assert snapshot.restore(snapshot.take(play.game), play.library, lambda _: ROOM).abandoned_after == 14
    before = play.game.version
    assert refused(lambda: play.abandon(after(play, 13.9))).rule == "TAB-END-04"
    play.abandon(after(play, 14))
    proved(play)
    fork = play.fork(before, "continuation", player_of(RED))
    assert fork.game.abandoned_after == 14
    for days in (13, 367, 0):
        refusal = refused(lambda days=days: Play(TinyAuction(), ROOM, 2, abandoned_after=days))
        assert (refusal.rule, "14 to 366" in refusal.allowed) == ("TAB-END-04", True)


@pytest.mark.rule("TAB-END-04")
def test_a_paused_game_is_abandoned_too_but_no_analysis_and_none_that_has_not_begun() -> None:
    play = judged()
    play.rule_pause()
    play.abandon(after(play, 90))
    assert (play.game.status, play.game.around.paused) == ("over", None)
    proved(play)
    analysis = judged().fork(by=OFFICIAL)
    assert abandoned_at(analysis.game, analysis.now) is None
    assert refused(lambda: analysis.abandon(after(analysis, 1_000))).rule == "TAB-END-04"
    early = Play(TinyAuction(), ROOM, 2, start=False)
    assert refused(lambda: early.abandon(after(early, 1_000))).rule == "TAB-LIFE-01"


@pytest.mark.rule("TAB-END-04")
def test_no_game_is_abandoned_while_a_clock_has_time_left() -> None:
    clock = Clock(kind="bank", time=60 * 24 * 3600, grace=0, at_zero="claim", days_off=60)
    play = Clocked(TinyAuction(), ROOM, 2, clock=clock)
    play.take_day_off(RED)
    falls = play.clocks.falls_at(RED)
    assert abandoned_at(play.game, play.now) == after(play, 90)
    assert falls is not None
    assert falls < after(play, 90)
    short = Clocked(TinyAuction(), ROOM, 2, clock=clock, abandoned_after=14)
    falls = short.clocks.falls_at(RED)
    assert falls is not None
    assert abandoned_at(short.game, short.now) == falls
    assert refused(lambda: short.abandon(after(short, 59.9))).rule == "TAB-END-04"
    short.abandon(falls)
    proved(short)


# --- random games, and forgeries ---


def random_game(seed: int) -> Play:
    """Return a game in which much happens around the table and that may end by agreement."""
    rng, play = Random(seed), started(2 + seed % 3, seed)
    play.may_end = True
    for _ in range(60):
        if play.game.status != "running":
            break
        if play.game.around.paused is not None or rng.random() < 0.5:
            play.around_at_random(rng)
        elif play.game.undo and rng.random() < 0.3:
            play.undo(*rng.choice([(seat, to) for seat, may in play.game.undo.items() for to in may]))
        else:
            play.step(rng)
    if play.game.status == "running" and rng.random() < 0.3:
        play.abandon(after(play, 90 + rng.random()))
    return play


@pytest.mark.parametrize("seed", sampled("random games with agreed ends", range(1_000), 12))
def test_a_random_game_with_agreed_ends_folds_alike_and_is_proved(seed: int) -> None:
    play = random_game(seed)
    for version, game in play.at_each_version.items():
        assert play.fold(version) == game
    restored = snapshot.restore(snapshot.take(play.game), play.library, lambda _: ROOM)
    assert restored == play.game
    proved(play)


def test_random_games_end_in_every_way() -> None:
    met = {found.how for seed in range(30) if (found := finish(random_game(seed).game)) is not None}
    assert met >= {"agreed", "abandoned"}


def agreed() -> Play:
    play = started(3)
    play.command(RED, ONE_COIN)
    play.give_up(GREEN)
    play.propose_end(RED, (RED, BLUE), (GREEN,))
    play.answer_end(BLUE, play.game.version)
    return play


def abandoned() -> Play:
    play = started()
    play.command(RED, ONE_COIN)
    play.abandon(after(play, 90))
    return play


def asks_less(lines: list[Line]) -> None:
    rows(lines, "end-proposed")[0]["event"]["asks"] = []


def answers_for_another(lines: list[Line]) -> None:
    row = rows(lines, "end-answered")[0]
    row["event"]["seat"] = row["cause"]["seat"] = GREEN
    row["cause"]["player"] = player_of(GREEN)


def wins(lines: list[Line]) -> None:
    rows(lines, "game-ended")[0]["event"]["winners"] = [RED]


def another_round(lines: list[Line]) -> None:
    rows(lines, "end-proposed")[0]["event"]["round"] = 2


def turned_down(lines: list[Line]) -> None:
    rows(lines, "end-answered")[0]["event"]["agrees"] = False


@pytest.mark.parametrize("forge", [asks_less, answers_for_another, wins, another_round, turned_down])
def test_a_forged_agreement_is_named(forge: Callable[[list[Line]], None]) -> None:
    play = agreed()
    verdict = verify(forged(play.export(), forge), play.library)
    assert not verdict.ok
    assert verdict.version in range(play.game.version - 3, play.game.version + 1), verdict


def too_early(lines: list[Line]) -> None:
    for row in (rows(lines, "game-abandoned")[0], rows(lines, "game-ended")[0]):
        row["at"] = moment(milliseconds(row["at"]) - 1_000)


def by_a_player(lines: list[Line]) -> None:
    rows(lines, "game-abandoned")[0]["cause"] = {"player": player_of(RED)}


def since_earlier(lines: list[Line]) -> None:
    rows(lines, "game-abandoned")[0]["event"]["since"] = "2025-01-01T00:00:00.000000Z"


@pytest.mark.parametrize("forge", [too_early, by_a_player, since_earlier, wins])
def test_a_forged_abandonment_is_named(forge: Callable[[list[Line]], None]) -> None:
    play = abandoned()
    verdict = verify(forged(play.export(), forge), play.library)
    assert not verdict.ok
    assert verdict.version in (play.game.version - 1, play.game.version), verdict
