"""What happens around the table beside what happens at it: seats that change hands, organizers, interleavings."""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from domain.kernel.canonical import canonical
from domain.kernel.ids import Version
from domain.kernel.log import answering, organizing, seating, snapshot
from domain.kernel.log.fold import continued, later, resume
from domain.kernel.log.game import Game
from domain.kernel.log.history import read_event, retraction, stays
from domain.kernel.log.lifecycle import GAME_EVENTS, MovesRetracted
from domain.kernel.log.record import Cause
from domain.kernel.log.seated import SEAT_EVENTS
from domain.kernel.proof import replay
from domain.kernel.rules.message import type_name
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
from tests.helpers.play import OFFICIAL, ORGANIZER, Play, player_of
from tests.tiny.auction import ROOM, TinyAuction


def test_type_is_the_last_field_of_every_event_that_stays() -> None:
    """So a retraction sees from an event's last bytes whether it stays."""
    staying = [event for event in GAME_EVENTS if event.stays]
    assert staying
    for event in staying:
        fields: dict[str, Any] = dict.fromkeys(event.__struct_fields__, 1)
        assert canonical(event(**fields)).endswith(b'"type":"%b"}' % type_name(event).encode())


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
    """After an undo, the seat that is asked again may think again; naming an official must not answer for it."""
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
    staying = {type_name(event) for event in GAME_EVENTS if event.stays} - {
        *map(type_name, (*OF_CLOCKS, *SEAT_EVENTS))
    }  # test_clocks.py and test_seats.py have those
    assert staying | {"by ruling", "by consent"} <= set(met)
