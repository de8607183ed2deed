"""Seats that are offered, taken over and resigned: who may, what passes, what the house does, what a proof names."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from domain.kernel.ids import PlayerId, Seat
from domain.kernel.log import following, seating, snapshot
from domain.kernel.log.clock import Clock
from domain.kernel.log.fold import continued
from domain.kernel.log.game import Decided
from domain.kernel.log.history import cause_of, read_event
from domain.kernel.log.lifecycle import GameEnded
from domain.kernel.log.record import Cause
from domain.kernel.log.seated import SEAT_EVENTS
from domain.kernel.proof.verify import verify
from domain.kernel.rules import schema
from domain.kernel.rules.message import type_name
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
    whole,
)
from tests.helpers.clocked import Clocked
from tests.helpers.forger import Line, forged, rows, rows_of
from tests.helpers.play import OFFICIAL, ORGANIZER, Play, player_of
from tests.helpers.sampling import sampled
from tests.tiny.auction import ROOM, TinyAuction

OTHER = PlayerId("other")
WHITE = Seat("white")


def types(step: Decided) -> list[str]:
    return [record.type for record in step.records]


def cards(play: Play, seat: Seat) -> list[int]:
    vault = play.vault.read_by(seat)
    return [vault.open(card) for card in play.game.table.hands[seat]]  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue]


def bidding(players: int = 3) -> Play:
    """Return a game in which all seats have to choose a card at the same time."""
    play = judged(players)
    play.command(RED, ONE_COIN)
    play.command(RED, OPEN)
    return play


# --- offers ---


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


BANK = Clock(kind="bank", time=60, increment=5, at_zero="vacate")
OFTEN = Clock(kind="bank", time=60, increment=5)


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
    assert refused(lambda: play.take_over(RED, player)).asked == "You have resigned red."
    play.give_up(BLUE)
    refusal = refused(lambda: play.take_over(BLUE, player_of(BLUE)))
    assert (refusal.rule, refusal.asked) == ("TAB-SEAT-11", "blue is your seat.")
    play.offer(GREEN)
    assert refused(lambda: play.take_over(GREEN, player_of(GREEN))).rule == "TAB-SEAT-11"


def given_back(lines: list[Line]) -> None:
    """Let a player take the seat back who has given it up: the clock is not said to have left it open."""
    for row in rows(lines, "clock-expired"):
        row["event"]["then"] = "answer"


def taken_back_by_another(lines: list[Line]) -> None:
    row = rows(lines, "seat-taken-over")[0]
    row["cause"]["player"] = row["event"]["player"] = "player-blue"


def taken_back_with_the_whole_time(lines: list[Line]) -> None:
    row = rows(lines, "seat-taken-over")[0]
    rows_of(lines)[row["version"]]["event"]["left"]["red"] = 60_000


def taken_back_after_resigning(lines: list[Line]) -> None:
    """The player offered the seat to anybody before; say that they resigned."""
    row = rows(lines, "seat-offered")[0]
    row["event"] = {"seat": "red", "type": "seat-resigned"}


def taken_back() -> Clocked:
    """Return a game whose player takes the seat back that the clock left open."""
    play = left_open(BANK)
    play.offer(RED)
    play.take_over(RED, player_of(RED))
    for _ in range(3):
        play.step(Random(1))
    return play


TAKEN_BACK: dict[Callable[[list[Line]], None], str] = {
    taken_back_by_another: "already have a seat",
    taken_back_with_the_whole_time: '"red":5000}.* is right',
    taken_back_after_resigning: "house did not answer|You have resigned",
    given_back: '"then":"vacate".* is right',
}


@pytest.mark.rule("TAB-SEAT-11")
@pytest.mark.parametrize("forge", TAKEN_BACK)
def test_a_proof_names_a_seat_taken_back_that_could_not_be(forge: Callable[[list[Line]], None]) -> None:
    play = taken_back()
    assert verify(play.export(), play.library).ok
    verdict = verify(forged(play.export(), forge), play.library)
    assert not verdict.ok
    assert verdict.problem is not None
    assert re.search(TAKEN_BACK[forge], verdict.problem), verdict.problem


# --- resigning ---


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


# --- all of it ---


def random_game(seed: int, commands: int = 60) -> Play:
    """Return a game with resignations, offers and hand overs, answers in advance, undo, rulings and pauses."""
    rng = Random(seed)
    play: Play
    if seed % 3:
        play = Play(TinyAuction(), ROOM, rng.choice((3, 4)), seed)
    else:
        play = Clocked(TinyAuction(), ROOM, rng.choice((3, 4)), seed, clock=rng.choice((BANK, OFTEN)))
    for _ in range(commands):
        if play.game.status != "running":
            break
        _one_act(play, rng)
    return play


def _one_act(play: Play, rng: Random) -> None:
    around, chosen = play.game.around, rng.random()
    if chosen < 0.25:
        _change_hands(play, rng)
    elif chosen < 0.35:
        play.around_at_random(rng)
    elif around.paused is not None:
        play.resume(next((each for each, holds in around.officials.items() if holds), play.game.organizer))
    elif chosen < 0.42 and (may := [(seat, to) for seat, all_ in play.game.undo.items() for to in all_]):
        seat, to = rng.choice(may)
        if seat not in around.resigned:
            play.undo(seat, to)
    elif chosen < 0.5:
        play.leave_at_random(rng)
    elif isinstance(play, Clocked) and chosen < 0.6 and play.clocks.runs:
        play.fall(play.wait_for_fall())
    else:
        play.step(rng)


def _change_hands(play: Play, rng: Random) -> None:
    """Let a seat be offered, taken over or resigned, or refuse that to somebody who may not."""
    seat = rng.choice(list(play.game.players))
    player = rng.choice((*map(PlayerId, ("one", "two", "three")), play.game.players[seat] or STRANGER))
    officials = [each for each, holds in play.game.around.officials.items() if holds]
    acts: list[Callable[[], Any]] = [
        lambda: play.offer(seat, rng.choice((None, player))),
        lambda: play.offer(seat, None, by=rng.choice(officials or [STRANGER])),
        *[lambda: play.withdraw_offer(seat)] * 3,
        *[lambda: play.take_over(seat, player)] * 4,
        *[lambda: play.resign(seat)] * 2,
    ]
    if isinstance(play, Clocked) and (vacated := play.clocks.vacated):
        acts = [*acts, *[lambda: play.take_over(vacated[0], play.game.players[vacated[0]] or STRANGER)] * 10]
    try:
        rng.choice(acts)()
    except Refusal as refusal:
        assert refusal.rule.startswith(("TAB-SEAT", "TAB-LIFE", "TAB-RUL", "TAB-FORK")), refusal  # noqa: PT017


@pytest.mark.parametrize("seed", sampled("random games whose seats change hands", range(1_000), 12))
def test_a_random_game_whose_seats_change_hands_folds_alike_and_is_proved(seed: int) -> None:
    play = random_game(seed)
    assert play.game.left_to_house is None
    assert play.fold() == play.game
    restored = snapshot.restore(snapshot.take(play.game), play.library, lambda _: ROOM)
    assert (restored.around, restored.players) == (play.game.around, play.game.players)
    for version, game in play.at_each_version.items():
        tail = [record for record in play.records if record.version > version]
        if tail and not any(record.type == "moves-retracted" for record in tail):
            assert continued(game, tail).around == play.game.around
            break
    for viewer in (None, *play.game.players):
        verdict = verify(play.export(viewer), play.library)
        assert verdict.ok, (seed, verdict)


def test_random_games_whose_seats_change_hands_contain_everything() -> None:
    met: Counter[str] = Counter()
    for seed in range(60):
        play = random_game(seed)
        met.update(record.type for record in play.records)
        met["taken back"] += sum(taken_back_by(play))
    during_the_game = {*map(type_name, SEAT_EVENTS)} - {"seat-assigned", "seat-confirmed"}
    assert {*during_the_game, "seat-taken-over", "answer-given", "moves-retracted"} <= set(met)
    assert met["taken back"]


def taken_back_by(play: Play) -> Iterator[bool]:
    """Tell of each seat that was taken over whether its own player did it."""
    holders = {seat: player_of(seat) for seat in play.game.players}
    for record in play.records:
        if record.type == "seat-taken-over":
            taken = read_event(play.ruleset, record)
            yield holders[taken.seat] == taken.player
            holders[taken.seat] = taken.player


# --- forgeries ---


def accepted_by_another(player: str, *, offered: bool = True) -> Callable[[list[Line]], None]:
    def forge(lines: list[Line]) -> None:
        if offered:
            del rows(lines, "seat-offered")[-1]["event"]["to"]
        row = rows(lines, "seat-taken-over")[-1]
        row["cause"]["player"] = row["event"]["player"] = player

    return forge


def resigned_by_another(lines: list[Line]) -> None:
    rows(lines, "seat-resigned")[0]["cause"]["player"] = "player-green"


def resigned_for_another(lines: list[Line]) -> None:
    row = rows(lines, "seat-resigned")[0]
    row["event"]["seat"] = row["cause"]["seat"] = "green"


def answered_for_a_seat_that_is_held(lines: list[Line]) -> None:
    row = rows(lines, "answered-by-house")[0]
    row["event"]["seat"] = row["cause"]["seat"] = "green"


def answer_of_the_house_by_a_player(lines: list[Line]) -> None:
    row = rows(lines, "answered-by-house")[0]
    row["cause"] = {**row["cause"], "player": "player-blue"}


def answer_of_the_house_by_the_clock(lines: list[Line]) -> None:
    rows(lines, "answered-by-house")[0]["cause"]["by"] = "clock"


def answered_later(lines: list[Line]) -> None:
    row = rows(lines, "answered-by-house")[-1]
    for each in rows_of(lines)[row["version"] - 1 :]:
        each["at"] = "2026-01-01T00:00:09.900000Z"


def not_answered(lines: list[Line]) -> None:
    first = rows(lines, "answered-by-house")[0]
    step = rows_of(lines)[first["version"] - 1 :]
    length = next(number for number, row in enumerate(step[1:], start=1) if "cause" in row)
    for row in step[:length]:
        lines.remove(row)


def a_command_instead(lines: list[Line]) -> None:
    row = rows(lines, "answered-by-house")[0]
    row["cause"] = {"player": "player-blue", "seat": "blue", "command": row["cause"]["command"]}
    lines.remove(row)
    rows_of(lines)[row["version"] - 1]["cause"] = row["cause"]


def command_by_the_house(lines: list[Line]) -> None:
    commands = [row for row in rows_of(lines) if "command" in row.get("cause", ()) and "by" not in row["cause"]]
    row = commands[0]
    del row["cause"]["player"]
    row["cause"]["by"] = "house"


def paused_by_the_house(lines: list[Line]) -> None:
    row = rows(lines, "game-paused")[0]
    row["cause"] = {"by": "house"}
    row["event"]["reason"] = seating.NOBODY_PLAYS


def offered_by_another(lines: list[Line]) -> None:
    rows(lines, "seat-offered")[0]["cause"] = {"player": "stranger"}


def offered_to_another(lines: list[Line]) -> None:
    rows(lines, "seat-offered")[-1]["event"]["to"] = "somebody-else"


def never_offered(lines: list[Line]) -> None:
    lines.remove(rows(lines, "seat-offered")[-1])


def withdrawn_by_another(lines: list[Line]) -> None:
    rows(lines, "offer-withdrawn")[0]["cause"]["player"] = "player-green"


def withdrawn_before(lines: list[Line]) -> None:
    row = rows(lines, "offer-withdrawn")[0]
    lines.insert(lines.index(row), {**row, "event": dict(row["event"]), "cause": dict(row["cause"])})


FORGERIES: dict[Callable[[list[Line]], None], str] = {
    accepted_by_another("official"): "an official of this game",
    accepted_by_another("former"): "an official of this game",
    accepted_by_another("player-green"): "already have a seat",
    accepted_by_another("somebody-else", offered=False): "offered to another account",
    resigned_by_another: "who does not hold blue",
    resigned_for_another: "is a resignation by player-blue, who does not hold green",
    answered_for_a_seat_that_is_held: "It answers only for the first seat that resigned",
    answer_of_the_house_by_a_player: "names an account or a request",
    answer_of_the_house_by_the_clock: "the clock did it, which never causes answered-by-house",
    answered_later: "later than it was called for",
    not_answered: "the house did not answer for blue",
    a_command_instead: "who has resigned",
    command_by_the_house: "says that the house did it, which never causes",
    paused_by_the_house: "when all seats that are not out of it have resigned",
    offered_by_another: "who is no official of the game",
    offered_to_another: "Only somebody-else can take it over",
    never_offered: "neither given up by its player nor offered",
    withdrawn_by_another: "who does not hold red",
    withdrawn_before: "is not offered",
}


def resigned_of_two() -> Play:
    play = judged()
    play.resign(BLUE)
    return play


def handed_over() -> Play:
    """Return a game in which red offers its seat, takes that back, and hands it over; then blue resigns."""
    play = judged(players=3)
    play.name_official(PlayerId("former"))
    play.release_official(PlayerId("former"))
    play.rule_pause()
    play.rule_resume()
    play.command(RED, ONE_COIN)
    play.offer(RED)
    play.withdraw_offer(RED)
    play.offer(RED, STRANGER)
    play.take_over(RED, STRANGER)
    play.command(RED, OPEN)
    play.resign(BLUE)
    for _ in range(6):
        play.step(Random(1))
    return play


@pytest.mark.rule("TAB-SEAT-02")
@pytest.mark.rule("TAB-SEAT-05")
@pytest.mark.parametrize("forge", FORGERIES, ids=[f"{number}" for number in range(len(FORGERIES))])
@pytest.mark.parametrize("over", [False, True], ids=["running", "over"])
def test_a_proof_names_every_forged_change_of_hands(forge: Callable[[list[Line]], None], over: bool) -> None:
    play = handed_over()
    if over:
        play.run(Random(1))
    verdict = verify(play.export(), play.library)
    assert verdict.ok, verdict
    verdict = verify(forged(play.export(), forge), play.library)
    assert not verdict.ok
    assert verdict.version is not None
    assert FORGERIES[forge] in verdict.problem, verdict.problem
