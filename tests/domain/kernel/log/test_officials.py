"""Officials and their rulings."""

from collections.abc import Callable
from random import Random
from typing import Any

import msgspec
import pytest

from domain.kernel.ids import PlayerId
from domain.kernel.log.around import PAUSE_ALLOWS
from domain.kernel.log.ended import EndAnswered, EndProposed
from domain.kernel.log.event import GameEvent
from domain.kernel.log.history import read_event
from domain.kernel.log.lifecycle import (
    AnswerGiven,
    AnswerLeft,
    AnswerRevoked,
    GameAdjudicated,
    GameCancelled,
    GameCreated,
    GameEnded,
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
from domain.kernel.log.seated import OfferWithdrawn, SeatAssigned, SeatConfirmed, SeatOffered, SeatResigned
from domain.kernel.proof.origin import AROUND_THE_TABLE
from domain.kernel.proof.verify import verify
from domain.kernel.rules.loading import common_rules
from tests.domain.kernel.log.around import (
    BLUE,
    GREEN,
    ONE_COIN,
    OPEN,
    RED,
    STRANGER,
    judged,
    proved,
    refused,
    started,
    table_of,
    whole,
)
from tests.helpers.clocked import OF_CLOCKS
from tests.helpers.play import CASE, OFFICIAL, ORGANIZER, Play, player_of
from tests.tiny.auction import ROOM, TinyAuction


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
    assert "we look at the dice" in refused(lambda: play.command(RED, ONE_COIN)).wrong
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
def test_what_a_pause_allows_is_one_list_for_the_rule_and_the_problem() -> None:
    play = judged(players=3)
    play.name_official(STRANGER)
    play.leave_answer(RED, {"decision": "put-up-prize", "command": ONE_COIN, "when": {"round": {"equals": 9}}})
    left = play.game.version
    play.command(RED, ONE_COIN)
    to = play.game.version - 1
    play.ask_take_back(RED, to)
    asked = play.game.version
    play.give_up(BLUE)
    play.propose_end(RED, [RED, BLUE, GREEN])
    proposed = play.game.version
    play.offer(BLUE)
    play.rule_pause()
    assert PAUSE_ALLOWS in common_rules().rule("TAB-RUL-03").text
    assert PAUSE_ALLOWS in refused(lambda: play.command(RED, OPEN)).allowed
    acts: dict[type[GameEvent], Callable[[Play], object]] = {
        OfficialNamed: lambda at: at.name_official(PlayerId("another")),
        OfficialReleased: lambda at: at.release_official(STRANGER),
        OrganizerChanged: lambda at: at.pass_on(OFFICIAL),
        SeatGivenUp: lambda at: at.give_up(GREEN),
        SeatTakenOver: lambda at: at.take_over(BLUE, PlayerId("substitute")),
        SeatOffered: lambda at: at.offer(GREEN),
        OfferWithdrawn: lambda at: at.withdraw_offer(BLUE),
        SeatResigned: lambda at: at.resign(GREEN),
        AnswerLeft: lambda at: at.try_leave(RED, {"decision": "put-up-prize", "command": ONE_COIN}),
        AnswerRevoked: lambda at: at.revoke_answer(RED, left),
        TakeBackAsked: lambda at: at.ask_take_back(RED, to),
        TakeBackAnswered: lambda at: at.answer_take_back(GREEN, asked),
        EndProposed: lambda at: at.propose_end(GREEN, [RED, BLUE, GREEN]),
        EndAnswered: lambda at: at.answer_end(GREEN, proposed),
        RulesUpgraded: lambda at: at.try_upgrade(2),
        MovesRetracted: lambda at: at.rule_back(to),
        GameAdjudicated: lambda at: at.rule_result([[RED, BLUE, GREEN]]),
        GamePaused: lambda at: at.rule_pause(),
        GameResumed: lambda at: at.resume(),
    }
    before_the_game = {
        GameCreated,
        GameForked,
        SeatAssigned,
        SeatConfirmed,
        SeatTaken,
        SeatLeft,
        GameStarted,
        GameCancelled,
    }
    needs_the_table = {AnswerGiven}
    assert {*acts, *before_the_game, *needs_the_table} == {*AROUND_THE_TABLE, MovesRetracted} - {
        *OF_CLOCKS
    }  # test_clocks.py has those
    for event, act in acts.items():
        if event.in_pause:
            act(play.at(play.game.version))
        else:
            assert refused(lambda act=act: act(play.at(play.game.version))).rule == "TAB-RUL-03", event


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
