"""What happens around a table: officials, pauses, rulings on cases, and moves taken back by consent."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from domain.kernel.canonical import canonical
from domain.kernel.ids import PlayerId, Seat, Version
from domain.kernel.log import answering, organizing, retracting, seating, snapshot
from domain.kernel.log.around import PAUSE_ALLOWS, Asked
from domain.kernel.log.fold import continued, later, resume
from domain.kernel.log.game import Game
from domain.kernel.log.history import read_event, retraction, stays
from domain.kernel.log.lifecycle import (
    GAME_EVENTS,
    AnswerGiven,
    AnswerLeft,
    AnswerRevoked,
    GameAdjudicated,
    GameCancelled,
    GameCreated,
    GameEnded,
    GameEvent,
    GameForked,
    GamePaused,
    GameResumed,
    GameStarted,
    MovesRetracted,
    OfficialNamed,
    OfficialReleased,
    OrganizerChanged,
    RulesUpgraded,
    SeatGivenUp,
    SeatLeft,
    SeatTaken,
    SeatTakenOver,
    TakeBackAnswered,
    TakeBackAsked,
)
from domain.kernel.log.record import Cause
from domain.kernel.proof import origin, replay
from domain.kernel.proof.origin import AROUND_THE_TABLE
from domain.kernel.proof.verify import verify
from domain.kernel.rules.loading import common_rules
from domain.kernel.rules.message import type_name
from domain.kernel.rules.refusal import Refusal
from tests.helpers.play import CASE, OFFICIAL, ORGANIZER, Play, player_of
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


# --- at the table and around it ---


def test_type_is_the_last_field_of_every_event_around_the_table() -> None:
    """So a retraction sees from an event's last bytes whether it stays."""
    example: dict[str, Any] = {
        "player": "p",
        "reason": "r",
        "seat": "s",
        "to": 1,
        "asked": 1,
        "agrees": True,
        "asks": "present",
    }
    for event in GAME_EVENTS:
        needed = {name: example[name] for name in event.__struct_fields__ if event.around}
        assert sorted([*needed, "type"])[-1] == "type"
        if event.around:
            assert canonical(event(**needed)).endswith(b'"type":"%b"}' % type_name(event).encode())
    assert sum(event.around for event in GAME_EVENTS) == 9


def test_a_retraction_takes_back_what_happened_at_the_table_and_nothing_around_it() -> None:
    play = judged()
    start = play.game.version
    play.command(RED, ONE_COIN)
    play.name_official(STRANGER)
    play.rule_pause()
    play.rule(start)  # as organizers' programs still may
    assert table_of(play.game) == table_of(play.at_each_version[start])
    assert play.game.around.is_official(STRANGER)
    assert play.game.around.paused == "we look"
    proved(play)


def test_nothing_around_the_table_settles_an_undo() -> None:
    play = judged(players=3)
    play.command(RED, ONE_COIN)
    may = play.game.undo
    assert may[RED]
    play.name_official(STRANGER)
    play.ask_take_back(RED, may[RED][-1])
    play.answer_take_back(BLUE, play.game.version, agrees=False)
    play.release_official(STRANGER)
    play.rule_pause()
    play.rule_resume()
    assert play.game.undo == may
    assert play.fold().undo == may
    play.undo(RED, may[RED][-1])
    assert play.game.around.officials == {OFFICIAL: True, STRANGER: False}
    proved(play)


@pytest.mark.rule("TAB-LIFE-05")
def test_a_seat_that_was_given_up_is_taken_over_for_good() -> None:
    play = judged(players=3)
    play.leave_answer(RED, {"decision": "put-up-prize", "command": ONE_COIN, "when": {"round": {"equals": 9}}})
    start = play.game.version
    play.command(RED, ONE_COIN)
    assert refused(lambda: play.take_over(RED, STRANGER)).rule == "TAB-LIFE-05"
    play.give_up(RED)
    assert refused(lambda: play.give_up(RED)).rule == "TAB-LIFE-05"
    play.command(RED, OPEN)  # its player holds it until it is taken over
    assert refused(lambda: play.take_over(RED, player_of(BLUE))).rule == "TAB-LIFE-03"
    assert refused(lambda: play.take_over(RED, OFFICIAL)).rule == "TAB-RUL-01"
    play.take_over(RED, STRANGER)
    assert refused(lambda: play.name_official(STRANGER)).rule == "TAB-RUL-01"
    assert (play.game.players[RED], play.game.around.given_up, play.game.answers) == (STRANGER, (), {})
    play.rule_back(start)
    assert play.game.players[RED] == STRANGER, "it is not given back"
    proved(play)
    whole(play)
    assert refused(lambda: play.give_up(BLUE)).rule == "TAB-LIFE-05"


@pytest.mark.rule("TAB-LIFE-05")
def test_a_seat_is_given_up_by_its_player_in_a_running_game() -> None:
    play = Play(TinyAuction(), ROOM, 2, start=False)
    play.sit(RED, player_of(RED))
    assert refused(lambda: play.give_up(RED)).rule == "TAB-LIFE-05"
    running = started()
    earlier = running.at_each_version.__getitem__
    by_another = refused(lambda: seating.give_up_seat(running.game, RED, earlier, Cause(STRANGER), running.now))
    assert by_another.rule == "TAB-LIFE-05"
    analysis = judged().fork(by=OFFICIAL)
    assert refused(lambda: analysis.give_up(RED)).rule == "TAB-FORK-03"


@pytest.mark.rule("TAB-LIFE-06")
def test_a_game_whose_organizer_is_gone_passes_to_officials_and_then_to_players() -> None:
    play = started(players=3)
    start = play.game.version
    play.command(RED, ONE_COIN)
    play.give_up(RED)
    assert organizing.heirs(play.game) == (player_of(BLUE), player_of(GREEN))
    play.name_official()
    assert organizing.heirs(play.game)[0] == OFFICIAL
    for player, cause in ((STRANGER, None), (player_of(RED), None), (OFFICIAL, Cause(player_of(BLUE)))):
        assert refused(lambda player=player, cause=cause: play.pass_on(player, cause)).rule == "TAB-LIFE-06"
    play.rule_pause()
    play.pass_on(OFFICIAL)
    play.rule_back(start)
    assert play.game.organizer == OFFICIAL, "no ruling takes it back"
    assert refused(lambda: play.name_official(STRANGER, Cause(ORGANIZER))).rule == "TAB-RUL-01"
    play.name_official(STRANGER)
    proved(play)
    whole(play)
    assert refused(lambda: play.pass_on(player_of(BLUE))).rule == "TAB-LIFE-06"


def test_nothing_around_the_table_calls_for_an_answer_in_advance(monkeypatch: pytest.MonkeyPatch) -> None:
    """After an undo whoever is asked again may think again; naming an official must not answer for them."""
    for module in (answering, replay):
        monkeypatch.setattr(module, "AT_ONCE", 1)  # so that an answer stays due
    play = judged()
    auctioneer = play.waiting[0]
    play.leave_answer(auctioneer, {"decision": "put-up-prize", "command": ONE_COIN})
    assert play.records[-2].type == "answer-given"
    for act in (play.release_official, play.name_official, play.rule_pause, play.rule_resume):
        act()
    assert stays(play.records[-1])
    play.command(auctioneer, ONE_COIN)
    assert [record.type for record in play.records[-3:]] == ["prize-put-up", "answer-given", "prize-put-up"]
    proved(play)
    whole(play)


def retold(play: Play, every: int) -> Iterator[Game]:
    """Yield each version of a game as a cache shows the past: from positions kept every so often."""
    kept: dict[Version, Game] = {}

    def at(version: Version) -> Game:
        start = version // every * every
        if version in kept:
            return kept[version]
        if not start:
            return play.fold(version)
        base = at(start) if start < version else at(start - every) if start > every else play.fold(start - 1)
        records = play.records[base.version : version]
        for index in reversed(range(len(records))):
            to = retraction(records[index])
            if to is not None and to < base.version:
                game = later(at(to), records[index:], at(base.version + index))
                break
        else:
            game = later(base, records)
        if version % every == 0:
            kept[version] = game
        return game

    for version in range(1, play.game.version + 1):
        yield at(version)


@pytest.mark.parametrize("seed", range(40))
def test_random_interleavings_fold_resume_and_verify_alike(seed: int) -> None:
    """Commands, undo, rulings, officials, pauses, requests and answers in advance, in any order."""
    rng, play = Random(seed), started(2 + seed % 3, seed)
    for _ in range(70):
        if play.game.status != "running":
            break
        if play.game.around.paused is not None or rng.random() < 0.4:
            play.around_at_random(rng)
        elif play.game.undo and rng.random() < 0.3:
            play.undo(*rng.choice([(seat, to) for seat, may in play.game.undo.items() for to in may]))
        elif rng.random() < 0.1:
            play.leave_at_random(rng)
        else:
            play.step(rng)
    for version, game in play.at_each_version.items():
        assert play.fold(version) == game
    past_games = dict(enumerate(retold(play, 7), start=1))
    for version, game in play.at_each_version.items():
        past = past_games[version]
        assert (past.around, past.answers, past.players) == (game.around, game.answers, game.players)
        assert past.table == game.table or table_of(past) == table_of(game)
    ends = sorted(play.at_each_version)
    for version in rng.sample(ends, min(12, len(ends))):
        cached = snapshot.restore(snapshot.take(play.at_each_version[version]), play.library, lambda _: play.board)
        assert cached == play.at_each_version[version]
        for end in (end for end in ends if end >= version):
            tail = play.records[version:end]
            backs = [to for to in map(retraction, tail) if to is not None]
            if all(to >= version for to in backs):
                assert resume(cached, tail) == play.at_each_version[end]
            if not backs:
                assert continued(cached, tail) == play.at_each_version[end]
    proved(play)
    whole(play)


def test_the_interleavings_contain_everything() -> None:
    met: Counter[str] = Counter()
    for seed in range(12):
        rng, play = Random(seed), started(3, seed)
        for _ in range(60):
            if play.game.status != "running":
                break
            play.around_at_random(rng) if play.game.around.paused is not None or rng.random() < 0.5 else play.step(rng)
        met.update(record.type for record in play.records)
        events = [read_event(play.ruleset, record) for record in play.records]
        met.update(f"by {event.by}" for event in events if isinstance(event, MovesRetracted))
    around = {type_name(event) for event in GAME_EVENTS if event.around}
    assert around | {"by ruling", "by consent"} <= set(met)


# --- officials ---


@pytest.mark.rule("TAB-RUL-01")
def test_the_organizer_names_and_releases_officials() -> None:
    play = started()
    for cause in (Cause(STRANGER), Cause(player_of(RED))):
        assert refused(lambda cause=cause: play.name_official(cause=cause)).rule == "TAB-RUL-01"
    play.name_official()
    assert play.game.around.is_official(OFFICIAL)
    assert refused(play.name_official).rule == "TAB-RUL-01"
    assert refused(lambda: play.release_official(cause=Cause(STRANGER))).rule == "TAB-RUL-01"
    play.release_official()
    assert not play.game.around.is_official(OFFICIAL)
    assert refused(play.release_official).rule == "TAB-RUL-01"
    play.name_official()
    play.name_official(ORGANIZER)
    proved(play)


@pytest.mark.rule("TAB-RUL-01")
def test_nobody_judges_a_game_that_they_play_or_played() -> None:
    play = Play(TinyAuction(), ROOM, 2, start=False)
    play.sit(RED, PlayerId("p"))
    play.leave(RED, PlayerId("p"))
    play.sit(RED, PlayerId("q"))
    for player in ("p", "q"):
        assert refused(lambda player=player: play.name_official(PlayerId(player))).rule == "TAB-RUL-01"
    play.name_official()
    assert refused(lambda: play.sit(BLUE, OFFICIAL)).rule == "TAB-RUL-01"
    play.release_official()
    assert refused(lambda: play.sit(BLUE, OFFICIAL)).rule == "TAB-RUL-01"
    play.sit(BLUE, PlayerId("r"))
    play.start()
    proved(play)


@pytest.mark.rule("TAB-RUL-01")
def test_officials_are_named_until_the_game_has_ended() -> None:
    over = started().run(Random(1))
    assert over.game.status == "over"
    cancelled = Play(TinyAuction(), ROOM, 2, start=False)
    cancelled.name_official()
    cancelled.cancel()
    for act in (over.name_official, cancelled.release_official):
        refusal = refused(act)
        assert (refusal.rule, refusal.untimely) == ("TAB-RUL-01", True)
    proved(cancelled)


# --- rulings ---


def every_ruling(play: Play, cause: Cause | None = None) -> list[Callable[[], object]]:
    return [
        lambda: play.rule_back(play.game.version - 1, cause=cause),
        lambda: play.rule_result([[RED], [BLUE]], cause=cause),
        lambda: play.rule_pause(cause=cause),
        lambda: play.rule_resume(cause=cause),
    ]


@pytest.mark.rule("TAB-RUL-02")
def test_only_an_official_rules_and_names_a_case() -> None:
    play = judged()
    play.command(RED, ONE_COIN)
    for player in (ORGANIZER, player_of(RED), STRANGER):
        for act in every_ruling(play, Cause(player, case=CASE)):
            assert refused(act).rule == "TAB-RUL-02"
    for act in every_ruling(play, Cause(OFFICIAL)):
        assert refused(act).rule == "TAB-RUL-02"
    play.release_official()
    for act in every_ruling(play):
        assert refused(act).rule == "TAB-RUL-02"


@pytest.mark.rule("TAB-RUL-02")
@pytest.mark.parametrize("reason", ["", "  ", "x" * 2_001, "two\nlines", "a\x00", "\u202eturned", "\ud800"])
def test_the_reason_of_a_ruling_is_a_line(reason: str) -> None:
    play = judged()
    play.command(RED, ONE_COIN)
    for act in (
        lambda: play.rule_back(play.game.version - 1, reason),
        lambda: play.rule_result([[RED], [BLUE]], reason),
        lambda: play.rule_pause(reason),
    ):
        assert refused(act).rule == "TAB-RUL-02"
    assert play.rule_pause("x" * 2_000)


@pytest.mark.rule("TAB-RUL-02")
def test_rulings_belong_to_a_running_game() -> None:
    play = Play(TinyAuction(), ROOM, 2, start=False)
    play.name_official()
    for act in every_ruling(play):
        assert refused(act).rule == "TAB-RUL-02"
    over = judged()
    over.rule_result([[RED], [BLUE]])
    for act in every_ruling(over):
        assert refused(act).rule == "TAB-RUL-02"


@pytest.mark.rule("TAB-UNDO-02")
def test_a_ruling_goes_back_to_the_version_before_a_command() -> None:
    play = judged()
    start = play.game.version
    play.command(RED, ONE_COIN)
    for to in (0, 2, start - 1, play.game.version, play.game.version + 5, -1):
        assert refused(lambda to=to: play.rule_back(to)).rule == "TAB-UNDO-02"
    play.rule_pause()
    play.rule_back(start)
    back = msgspec.json.decode(play.records[-1].event, type=MovesRetracted)
    assert (back.to, back.by, back.reason) == (start, "ruling", "a slip")
    assert msgspec.json.decode(play.records[-1].cause or b"", type=Cause) == Cause(OFFICIAL, case=CASE)
    assert play.game.around.paused is not None
    proved(play)


@pytest.mark.rule("TAB-RUL-03")
def test_a_paused_game_takes_no_commands_and_shows_its_decisions() -> None:
    play = judged()
    play.command(RED, ONE_COIN)
    to, open_decisions = play.game.undo[RED][-1], play.game.decisions
    play.ask_take_back(RED, to)
    asked = play.game.version
    play.rule_pause("we look at the dice")
    assert play.game.decisions == open_decisions
    assert not any(play.game.options(seat, play.vault) for seat in play.game.players)
    answer = {"decision": "put-up-prize", "command": ONE_COIN}
    for act in (
        lambda: play.command(RED, ONE_COIN),
        lambda: play.undo(RED, to),
        lambda: play.try_leave(RED, answer),
        lambda: play.ask_take_back(RED, to),
        lambda: play.answer_take_back(BLUE, asked),
        lambda: play.try_upgrade(2),
        play.rule_pause,
    ):
        refusal = refused(act)
        assert (refusal.rule, refusal.untimely) == ("TAB-RUL-03", True)
    assert "we look at the dice" in refused(lambda: play.command(RED, ONE_COIN)).asked
    play.rule_resume()
    assert refused(play.rule_resume).rule == "TAB-RUL-03"
    assert play.game.undo[RED][-1] == to
    play.answer_take_back(BLUE, asked)
    assert table_of(play.game) == table_of(play.at_each_version[to])
    proved(play)


@pytest.mark.rule("TAB-RUL-03")
def test_whoever_may_pause_may_resume_and_the_organizer_where_no_official_is_left() -> None:
    play = judged()
    play.command(RED, ONE_COIN)
    play.name_official(STRANGER)
    for resumes in (OFFICIAL, STRANGER):
        play.rule_pause()
        for other in (ORGANIZER, player_of(RED)):
            assert refused(lambda other=other: play.resume(other)).rule == "TAB-RUL-03"
        play.resume(resumes)
        assert play.game.around.paused is None
    assert refused(play.resume).untimely
    play.rule_pause()
    for official in (STRANGER, OFFICIAL):
        assert "an official resumes" in refused(lambda: play.command(RED, OPEN)).allowed
        play.release_official(official, Cause(official))
    assert "the organizer resumes" in refused(lambda: play.command(RED, OPEN)).allowed
    assert refused(lambda: play.resume(OFFICIAL)).rule == "TAB-RUL-03"
    play.resume(ORGANIZER)
    proved(play)
    whole(play)


@pytest.mark.rule("TAB-RUL-03")
def test_what_a_pause_allows_is_one_list_for_the_rule_the_problem_and_both_verifiers() -> None:
    play = judged(players=3)
    play.name_official(STRANGER)
    play.leave_answer(RED, {"decision": "put-up-prize", "command": ONE_COIN, "when": {"round": {"equals": 9}}})
    left = play.game.version
    play.command(RED, ONE_COIN)
    to = play.game.version - 1
    play.ask_take_back(RED, to)
    asked = play.game.version
    play.give_up(BLUE)
    play.rule_pause()
    assert PAUSE_ALLOWS in common_rules().rule("TAB-RUL-03").text
    assert PAUSE_ALLOWS in refused(lambda: play.command(RED, OPEN)).allowed
    acts: dict[type[GameEvent], Callable[[Play], object]] = {
        OfficialNamed: lambda at: at.name_official(PlayerId("another")),
        OfficialReleased: lambda at: at.release_official(STRANGER),
        OrganizerChanged: lambda at: at.pass_on(OFFICIAL),
        SeatGivenUp: lambda at: at.give_up(GREEN),
        SeatTakenOver: lambda at: at.take_over(BLUE, PlayerId("substitute")),
        AnswerLeft: lambda at: at.try_leave(RED, {"decision": "put-up-prize", "command": ONE_COIN}),
        AnswerRevoked: lambda at: at.revoke_answer(RED, left),
        TakeBackAsked: lambda at: at.ask_take_back(RED, to),
        TakeBackAnswered: lambda at: at.answer_take_back(GREEN, asked),
        RulesUpgraded: lambda at: at.try_upgrade(2),
        MovesRetracted: lambda at: at.rule_back(to),
        GameAdjudicated: lambda at: at.rule_result([[RED, BLUE, GREEN]]),
        GamePaused: lambda at: at.rule_pause(),
        GameResumed: lambda at: at.resume(),
    }
    before_the_game = {GameCreated, GameForked, SeatTaken, SeatLeft, GameStarted, GameCancelled}
    needs_the_table = {AnswerGiven}
    assert {*acts, *before_the_game, *needs_the_table} == {*AROUND_THE_TABLE, MovesRetracted}
    for event, act in acts.items():
        if event.in_pause:
            act(play.at(play.game.version))
        else:
            assert refused(lambda act=act: act(play.at(play.game.version))).rule == "TAB-RUL-03", event
    script = (Path(origin.__file__).parents[3] / "service/viewer/proof/origin.js").read_text()
    listed = re.findall(r'"([a-z-]+)"', script.partition("const DURING_A_PAUSE = [")[2].partition("]")[0])
    assert set(listed) == {type_name(event) for event in acts if event.in_pause} - {type_name(MovesRetracted)}


@pytest.mark.rule("TAB-RUL-04")
def test_a_ruling_on_the_result_ends_the_game_and_publishes_its_secret() -> None:
    play = judged(players=3)
    play.command(RED, ONE_COIN)
    play.rule_pause()
    play.rule_result([[BLUE, RED], [GREEN]])
    adjudicated, ended = (read_event(play.ruleset, record) for record in play.records[-2:])
    assert adjudicated == GameAdjudicated(((BLUE, RED), (GREEN,)), "time is up")
    assert ended == GameEnded((BLUE, RED), "TAB-RUL-04", play.secret.hex())
    assert "1. Blue and Red; 3. Green" in adjudicated.tell(play.game.names)
    assert (play.game.status, play.game.around.paused, play.game.decisions) == ("over", None, ())
    assert play.game.result is not None
    assert play.game.result.winners == (BLUE, RED)
    verdict = verify(play.export(), play.library)
    assert (verdict.ok, verdict.unproved) == (True, ())
    proved(play)


@pytest.mark.rule("TAB-RUL-04")
@pytest.mark.parametrize("order", [[], [[]], [["red"]], [["red"], ["red", "blue"]], [["red", "blue"], []], [["mauve"]]])
def test_the_order_of_a_result_names_each_seat_once(order: Any) -> None:
    play = judged()
    assert refused(lambda: play.rule_result(order)).rule == "TAB-RUL-04"


# --- by consent ---


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
