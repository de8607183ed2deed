"""Clocks: what they count, when flags fall, what follows, and that a proof notices every time that is wrong."""

from collections.abc import Callable
from random import Random
from typing import Any, cast

import pytest

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import PlayerId, Seat
from domain.kernel.log import timing
from domain.kernel.log.clock import LONGEST, PRESETS, Clock, Clocks, Quiet, milliseconds, require_sound
from domain.kernel.log.clocked import ClockExpired, ClocksRan, DefaultGiven
from domain.kernel.log.history import cause_of, read_event
from domain.kernel.log.lifecycle import GameEnded, GamePaused
from domain.kernel.log.record import Cause
from domain.kernel.proof.verify import verify
from domain.kernel.rules.refusal import Refusal
from tests.domain.kernel.log.around import BLUE, GREEN, ONE_COIN, OPEN, RED, refused
from tests.helpers.clocked import MINUTE, OF_CLOCKS, Clocked
from tests.helpers.forger import Line, forged, rows
from tests.helpers.play import CASE, OFFICIAL, ORGANIZER, Play, player_of
from tests.tiny.auction import ROOM, TinyAuction


def clocked(players: int = 2, clock: Clock | None = MINUTE, *, start: bool = True) -> Clocked:
    return Clocked(TinyAuction(), ROOM, players, clock=clock, start=start)


def bidding(players: int = 3, clock: Clock = MINUTE) -> Clocked:
    """Return a game in which all seats have to choose a card at the same time."""
    play = clocked(players, clock)
    play.command(RED, ONE_COIN)
    play.command(RED, OPEN)
    return play


def proved(play: Play) -> None:
    for viewer in (None, *play.game.players):
        verdict = verify(play.export(viewer), play.library)
        assert verdict.ok, verdict
    assert play.fold().clocks == play.game.clocks


@pytest.mark.rule("TAB-CLK-01")
def test_only_the_organizer_chooses_the_clock_and_only_before_the_start() -> None:
    play = clocked(clock=None, start=False)
    assert refused(lambda: play.set_clock(MINUTE, PlayerId("stranger"))).rule == "TAB-CLK-01"
    play.set_clock(MINUTE)
    play.set_clock(None)
    assert play.game.clocks is None
    play.set_clock(MINUTE)
    for seat in play.game.players:
        play.sit(seat, player_of(seat))
    play.start()
    for clock in (None, MINUTE):
        refusal = refused(lambda clock=clock: play.set_clock(clock))
        assert (refusal.rule, refusal.untimely) == ("TAB-CLK-01", True)
    play.name_official()
    proved(play)
    assert play.fork(by=OFFICIAL).game.clocks is None


@pytest.mark.rule("TAB-CLK-01")
def test_a_game_that_somebody_creates_for_its_organizer_may_come_with_a_clock() -> None:
    play = Clocked.created_by(PlayerId("creator"), TinyAuction(), ROOM, 2, MINUTE)
    assert [(record.type, record.cause is None) for record in play.records] == [
        ("game-created", False),
        ("clock-set", True),
    ]
    assert (play.clocks.clock, play.game.organizer) == (MINUTE, ORGANIZER)
    assert refused(lambda: play.set_clock(None, PlayerId("creator"))).rule == "TAB-CLK-01"
    with pytest.raises(Refusal) as caught:
        Clocked.created_by(ORGANIZER, TinyAuction(), ROOM, 3, Clock(kind="bank", time=60, at_zero="end"))
    assert caught.value.rule == "TAB-CLK-02"
    for seat in play.game.players:
        play.sit(seat, player_of(seat))
    play.start()
    play.run(Random(1))
    proved(play)


def chosen(lines: list[Line]) -> Line:
    return rows(lines, "clock-set")[0]["event"]


def for_two_in_a_game_of_three(lines: list[Line]) -> None:
    rows(lines, "game-created")[0]["event"]["seats"] = ["red", "blue", "green"]
    chosen(lines)["clock"]["at_zero"] = "end"


def after_somebody_sat(lines: list[Line]) -> None:
    at = lines.index(rows(lines, "clock-set")[0])
    lines.insert(at + 1, lines.pop(at))


@pytest.mark.rule("TAB-CLK-01")
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda lines: chosen(lines).update(clock=None), "clock-set follows from nothing"),
        (lambda lines: chosen(lines)["clock"].update(time=5), "The clock has time = 5"),
        (for_two_in_a_game_of_three, "Only with two seats"),
        (after_somebody_sat, "clock-set follows from nothing"),
    ],
)
def test_a_clock_that_comes_with_a_game_is_decided_again(change: Callable[[list[Line]], object], told: str) -> None:
    play = Clocked.created_by(PlayerId("creator"), TinyAuction(), ROOM, 2, MINUTE)
    for seat in play.game.players:
        play.sit(seat, player_of(seat))
    verdict = verify(forged(play.export(), change), play.library)
    assert not verdict.ok
    assert told in (verdict.problem or ""), verdict


@pytest.mark.rule("TAB-CLK-01")
def test_a_game_without_a_clock_has_no_event_of_clocks() -> None:
    play = clocked(clock=None).run(Random(1))
    assert not {type(read_event(play.ruleset, record)) for record in play.records} & {*OF_CLOCKS}
    assert refused(lambda: clocked(clock=None).give_time(RED, BLUE, 5)).rule == "TAB-CLK-01"


@pytest.mark.rule("TAB-CLK-02")
@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"time": 0}, "time = 0"),
        ({"time": 365 * 24 * 3600}, "time = 31536000"),
        ({"time": 60, "cap": 59}, "more than its cap"),
        ({"time": 60, "cap": 60, "increment": 61}, "increment = 61"),
        ({"time": 60, "increment": -1}, "increment = -1"),
        ({"time": 60, "cap": LONGEST + 1}, "cap ="),
        ({"time": 60, "grace": 3601}, "grace = 3601"),
        ({"time": 60, "days_off": 61}, "days_off = 61"),
        ({"time": 60, "vacate_after": -1}, "vacate_after = -1"),
        ({"time": 60, "kind": "decision", "increment": 1}, "Only a bank"),
        ({"time": 60, "at_zero": "end"}, "Only with two seats"),
        ({"time": 60, "quiet": Quiet(0, 0)}, "0 minutes"),
        ({"time": 60, "quiet": Quiet(0, 721)}, "721 minutes"),
        ({"time": 60, "quiet": Quiet(-1, 60)}, "minutes of the day"),
        ({"time": 60, "quiet": Quiet(1380, 1440)}, "minutes of the day"),
    ],
)
def test_a_clock_out_of_bounds_is_refused_with_what_would_be_right(wrong: dict[str, Any], told: str) -> None:
    play = clocked(players=3, clock=None, start=False)
    refusal = refused(lambda: play.set_clock(Clock(**dict[str, Any](kind="bank") | wrong)))
    assert refusal.rule == "TAB-CLK-02"
    assert told in str(refusal)


@pytest.mark.rule("TAB-CLK-02")
def test_presets_are_sound_and_two_seats_may_play_until_a_flag_falls() -> None:
    for clock in PRESETS.values():
        require_sound(clock, 6)
    require_sound(Clock(kind="bank", time=60, at_zero="end"), 2)


@pytest.mark.rule("TAB-CLK-03")
def test_the_clocks_of_the_seats_that_are_waited_for_run_to_the_millisecond() -> None:
    play = clocked(players=3)
    assert (play.clocks.runs, play.left(RED)) == ((RED,), 60)
    play.wait(10.2504)
    events = play.game.version
    play.command(RED, ONE_COIN)
    assert play.records[-1].type != "clocks-ran", "the same seat is waited for: its clock runs on"
    assert play.game.version == events + 1
    play.command(RED, OPEN)
    assert play.clocks.runs == (RED, BLUE, GREEN)
    assert (play.clocks.left[RED], play.clocks.left[BLUE]) == (60_000 - 10_250 + 10_000, 60_000)
    play.wait(5)
    play.command(BLUE, {"type": "choose-card", "card": min(play_hand(play, BLUE))})
    assert play.clocks.runs == (RED, GREEN)
    assert (play.left(BLUE), play.left(GREEN)) == (55, 55)
    play.wait(5)
    assert (play.left(BLUE), play.left(GREEN)) == (55, 50)
    proved(play)


def play_hand(play: Clocked, seat: Seat) -> list[int]:
    vault = play.vault.read_by(seat)
    return [vault.open(card) for card in play.game.table.hands[seat]]  # pyrefly: ignore[missing-attribute]


@pytest.mark.rule("TAB-CLK-03")
def test_a_clock_for_each_decision_begins_anew_when_something_else_is_asked() -> None:
    play = clocked(players=2, clock=Clock(kind="decision", time=30))
    play.wait(20)
    play.command(RED, ONE_COIN)
    assert play.left(RED) == 10, "the same decision is still open"
    play.command(RED, OPEN)
    assert (play.left(RED), play.left(BLUE)) == (30, 30)
    proved(play)


@pytest.mark.rule("TAB-CLK-04")
def test_a_bank_grows_once_for_each_turn_up_to_its_cap_however_often_the_turn_ends() -> None:
    play = clocked(players=2)
    play.command(RED, ONE_COIN)
    for left in (70, 70, 70):
        play.command(RED, OPEN)
        assert (play.left(RED), play.left(BLUE)) == (left, 60)
        play.undo(RED, play.game.undo[RED][-1])
        assert play.left(RED) == left
    play.command(RED, OPEN)
    for seat in (RED, BLUE):
        play.command(seat, {"type": "choose-card", "card": min(play_hand(play, seat))})
    assert play.left(RED) == 70, "to choose a card is no turn of one's own"
    proved(play)
    capped = clocked(clock=Clock(kind="bank", time=60, increment=10, cap=65))
    capped.command(RED, ONE_COIN, OPEN)
    assert capped.left(RED) == 65


@pytest.mark.rule("TAB-CLK-05")
def test_a_flag_falls_when_time_and_grace_are_up_and_not_before() -> None:
    play = clocked()
    due = play.clocks.next_fall()
    play.wait(61.999)
    refusal = refused(lambda: play.fall(RED))
    assert (refusal.rule, refusal.untimely) == ("TAB-CLK-05", True)
    assert due is not None
    assert due[0] in refusal.allowed
    in_grace = cast(Clocked, play.at(play.game.version))
    in_grace.command(RED, ONE_COIN)
    in_grace.command(RED, OPEN)
    assert in_grace.left(RED) == 10
    assert refused(lambda: play.fall(BLUE)).rule == "TAB-CLK-05"
    play.wait(0.001)
    assert play.now == due[0]
    before = play.game.version
    play.fall(RED)
    fallen, ran, given = (read_event(play.ruleset, record) for record in play.records[before : before + 3])
    assert (fallen, type(ran), given) == (ClockExpired(RED, "answer"), ClocksRan, DefaultGiven(RED))
    assert ran.left == {RED: 10_000, BLUE: 60_000}
    for record in play.records[before:]:
        assert record.cause is None or cause_of(record).by == "clock"
    proved(play)


@pytest.mark.rule("TAB-CLK-06")
def test_at_the_third_flag_the_seat_is_open_to_a_substitute_and_has_no_time_until_then() -> None:
    play = clocked(players=3)
    thens: list[str] = []
    for _ in range(4):
        while RED not in play.clocks.runs:
            play.step(Random(1))
        play.wait(200)
        thens.append(read_event(play.ruleset, play.fall(RED).records[0]).then)
        wakes = next((seat for seat in play.waiting if seat != RED), None)
        if wakes is not None:
            play.command(wakes, {"type": "choose-card", "card": min(play_hand(play, wakes))})
    assert thens == ["answer", "answer", "vacate", "answer"]
    assert play.game.around.given_up == (RED,)
    assert play.left(RED) == 0
    play.take_over(RED, PlayerId("substitute"))
    assert play.left(RED) == 60
    assert (play.clocks.vacated, play.clocks.flags.get(RED)) == ((), None)
    proved(play)


@pytest.mark.rule("TAB-CLK-06")
def test_where_flags_are_claimed_they_fall_only_when_somebody_else_asks() -> None:
    play = clocked(players=3, clock=Clock(kind="bank", time=60, at_zero="claim"))
    play.name_official()
    play.wait(100)
    own, stranger = Cause(player_of(RED), RED), Cause(PlayerId("stranger"))
    for cause in (timing.BY_CLOCK, own, stranger):
        assert refused(lambda cause=cause: play.fall(RED, cause)).rule == "TAB-CLK-06"
    for cause in (Cause(player_of(BLUE), BLUE), Cause(OFFICIAL)):
        claimed = cast(Clocked, play.at(play.game.version))
        claimed.fall(RED, cause)
        assert "default-given" in {record.type for record in claimed.records}
        proved(claimed)
    other = clocked()
    other.wait(100)
    assert refused(lambda: other.fall(RED, Cause(player_of(BLUE), BLUE))).rule == "TAB-CLK-06"


@pytest.mark.rule("TAB-CLK-06")
def test_a_game_of_two_seats_may_end_when_a_flag_falls() -> None:
    play = clocked(clock=Clock(kind="bank", time=60, at_zero="end"))
    play.wait(62)
    play.fall(RED)
    assert play.game.status == "over"
    ended = read_event(play.ruleset, play.records[-1])
    assert isinstance(ended, GameEnded)
    assert (ended.winners, ended.rule) == ((BLUE,), "TAB-CLK-06")
    verdict = verify(play.export(), play.library)
    assert verdict.ok, verdict
    assert not verdict.unproved


@pytest.mark.rule("TAB-CLK-07")
def test_a_default_answer_follows_at_once_is_an_option_and_cannot_be_undone() -> None:
    play = bidding()
    play.wait(62)
    step = play.fall(BLUE)
    assert [record.type for record in step.records if record.cause is not None] == ["clock-expired", "default-given"]
    assert not play.game.undo
    chosen = play.game.table.chosen[BLUE]  # pyrefly: ignore[missing-attribute]
    assert play.vault.open(chosen) in play_hand(play, BLUE)
    expired = timing.expire(play.game, GREEN, play.chance, timing.BY_CLOCK, play.now).game
    assert expired.seat_after_flag == GREEN
    assert (
        refused(lambda: timing.answer_by_default(play.game, RED, play.chance, Vault(), play.now)).rule == "TAB-CLK-07"
    )
    proved(play)


@pytest.mark.rule("TAB-CLK-08")
def test_officials_credit_time_and_seats_give_some() -> None:
    play = clocked(players=3)
    assert refused(lambda: play.give_time(BLUE, BLUE, 5)).rule == "TAB-CLK-08"
    assert refused(lambda: play.give_time(BLUE, Seat("grey"), 5)).rule == "TAB-CLK-08"
    for seconds in (0, -5, LONGEST + 1, 61):
        assert refused(lambda seconds=seconds: play.give_time(BLUE, RED, seconds)).rule == "TAB-CLK-08"
    play.give_time(BLUE, RED, 20)
    play.give_time(BLUE, RED, 40)
    assert (play.left(RED), play.left(BLUE)) == (90, 60), "no gift raises a bank above its cap"
    assert refused(lambda: play.give_time(BLUE, GREEN, 1)).rule == "TAB-CLK-08"
    assert refused(lambda: play.credit_time(RED, 5)).rule == "TAB-CLK-08"
    play.name_official()
    play.wait(30)
    play.credit_time(RED, 5)
    assert play.left(RED) == 65
    play.rule_pause()
    play.credit_time(RED, 5, Cause(OFFICIAL, case=CASE))
    assert play.left(RED) == 70
    assert refused(lambda: play.give_time(GREEN, RED, 5)).rule == "TAB-RUL-03"
    proved(play)
    each = clocked(players=2, clock=Clock(kind="decision", time=30))
    assert refused(lambda: each.give_time(RED, BLUE, 5)).rule == "TAB-CLK-08"
    each.give_time(BLUE, RED, 5)
    assert each.left(RED) == 35
    proved(each)


@pytest.mark.rule("TAB-CLK-09")
def test_the_time_of_an_outage_is_not_counted_and_nobody_gains_by_it() -> None:
    play = bidding()
    began = play.now
    play.wait(10)
    fell = play.now
    play.wait(3600)
    play.credit_outage(fell)
    assert (play.left(BLUE), play.left(GREEN)) == (50, 50)
    play.wait(40)
    play.credit_outage("2000-01-01T00:00:00.000000Z")  # no earlier than the clocks last ran
    assert play.left(BLUE) == 50
    play.wait(30)
    assert refused(lambda: play.credit_outage(began)).rule == "TAB-CLK-09"
    play.name_official()
    play.rule_pause()
    assert refused(lambda: play.credit_outage(began)).rule == "TAB-RUL-03"
    proved(play)


@pytest.mark.rule("TAB-CLK-10")
def test_quiet_hours_are_not_counted() -> None:
    quiet = Quiet(22 * 60, 7 * 60)
    clocks = Clocks(
        Clock(kind="bank", time=4 * 3600, grace=0, quiet=quiet),
        at="2026-01-01T20:00:00.000000Z",
        left={RED: 4 * 3_600_000},
        runs=(RED,),
    )
    assert clocks.shows(RED, "2026-01-01T22:00:00.000000Z") == 2 * 3_600_000
    assert clocks.shows(RED, "2026-01-02T07:00:00.000000Z") == 2 * 3_600_000
    assert clocks.shows(RED, "2026-01-02T08:00:00.000000Z") == 1 * 3_600_000
    assert clocks.falls_at(RED) == "2026-01-02T09:00:00.000000Z"


@pytest.mark.rule("TAB-CLK-10")
@pytest.mark.parametrize("seed", range(20))
def test_a_flag_falls_at_the_first_moment_that_counting_allows(seed: int) -> None:
    rng = Random(seed)
    begins = rng.randrange(24 * 60)
    quiet = Quiet(begins, (begins + rng.randint(1, 720)) % (24 * 60)) if seed else None
    at = f"2026-03-0{rng.randint(1, 9)}T{rng.randrange(24):02}:{rng.randrange(60):02}:00.{rng.randrange(1000):03}000Z"
    left = rng.randint(1, 10 * 24 * 3_600_000)
    clocks = Clocks(Clock(kind="bank", time=60, grace=0, quiet=quiet), at=at, left={RED: left}, runs=(RED,))
    falls = clocks.falls_at(RED)
    assert falls is not None
    before = timing.moment(milliseconds(falls) - 1)
    assert (clocks.may_fall(RED, before), clocks.may_fall(RED, falls)) == (False, True)


@pytest.mark.rule("TAB-CLK-10")
def test_a_day_off_is_not_counted_and_there_are_as_many_as_were_chosen() -> None:
    play = bidding(clock=Clock(kind="bank", time=60, days_off=1))
    play.wait(10)
    play.take_day_off(BLUE)
    assert refused(lambda: play.take_day_off(BLUE)).rule == "TAB-CLK-10"
    play.wait(24 * 3600)
    assert (play.left(BLUE), play.left(GREEN)) == (50, 50 - 24 * 3600)
    assert refused(lambda: play.take_day_off(GREEN)).rule == "TAB-CLK-10"
    play.wait(20)
    assert play.left(BLUE) == 30
    proved(play)
    twice = bidding(clock=Clock(kind="bank", time=60, days_off=2))
    twice.take_day_off(BLUE)
    assert "lasts until" in refused(lambda: twice.take_day_off(BLUE)).wrong


@pytest.mark.rule("TAB-CLK-11")
def test_no_way_back_gives_time_back() -> None:
    play = clocked(players=2, clock=Clock(kind="bank", time=60))
    play.name_official()
    start = play.game.version
    play.wait(10)
    play.command(RED, ONE_COIN)
    play.wait(10)
    play.command(RED, OPEN)
    play.wait(10)
    play.undo(RED, start + 1)
    assert (play.left(RED), play.left(BLUE), play.clocks.runs) == (30, 50, (RED,))
    play.wait(5)
    play.rule_back(start)
    assert (play.left(RED), play.left(BLUE)) == (25, 50)
    play.credit_time(RED, 20, Cause(OFFICIAL, case=CASE))
    assert play.left(RED) == 45
    proved(play)


@pytest.mark.rule("TAB-CLK-03")
def test_in_a_pause_all_clocks_stand() -> None:
    play = clocked()
    play.name_official()
    play.wait(10)
    play.rule_pause()
    play.wait(1000)
    assert (play.left(RED), play.clocks.runs, play.clocks.next_fall()) == (50, (), None)
    play.rule_resume()
    assert (play.left(RED), play.clocks.runs) == (50, (RED,))
    proved(play)


@pytest.mark.rule("TAB-CLK-12")
def test_when_every_seat_was_answered_for_the_game_pauses_itself() -> None:
    play = bidding(clock=Clock(kind="bank", time=60, increment=20))
    play.wait(100)
    play.fall(RED)
    play.fall(BLUE)
    step = play.fall(GREEN)
    assert [record.type for record in step.records] == ["clock-expired", "game-paused", "clocks-ran"]
    assert isinstance(read_event(play.ruleset, step.records[1]), GamePaused)
    assert (play.game.around.paused, play.clocks.runs) == (timing.NOBODY_ANSWERS, ())
    play.wait(1000)
    play.resume(ORGANIZER)
    assert play.left(GREEN) == 20
    proved(play)
    other = bidding()
    other.wait(100)
    other.fall(RED)
    other.command(GREEN, {"type": "choose-card", "card": min(play_hand(other, GREEN))})
    assert other.clocks.absent == (), "a player is there"
    other.fall(BLUE)
    assert other.game.around.paused is None
    proved(other)
