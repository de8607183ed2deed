"""Who is told what: of their games, while they take part, and of the cases about these."""

from pathlib import Path
from random import Random

import pytest

from domain.kernel.ids import PlayerId, Seat
from domain.kernel.log import officials
from domain.kernel.log.history import starts_of_commands
from projections import inbox
from projections.inbox import Kind, Notice, notices_of
from projections.store import ProjectionStore
from tests.helpers.clocked import MINUTE, Clocked
from tests.helpers.judging import JUDGE, OTHER_JUDGE, Court
from tests.helpers.play import OFFICIAL, ORGANIZER, Play, player_of
from tests.projections.logs import TINY, MemoryLog, Row, contents, from_zero, mixed, runner
from tests.tiny.auction import ROOM

RED, BLUE, GREEN = Seat("red"), Seat("blue"), Seat("green")
SUBSTITUTE = PlayerId("substitute")


def rows_of(*streams: Play | Court) -> list[Row]:
    return [
        (each.game.id if isinstance(each, Play) else each.id, record) for each in streams for record in each.records
    ]


async def told(rows: ProjectionStore, *streams: Play | Court) -> None:
    await runner(MemoryLog(mixed([rows_of(each) for each in streams])), rows, batch=7).catch_up()


async def kinds(rows: ProjectionStore, player: PlayerId, *but: Kind) -> list[Kind]:
    return [notice.kind for notice in reversed(await notices_of(rows, player, but))]


async def test_the_seats_and_officials_of_a_game_are_told_what_happens_around_its_table(rows: ProjectionStore) -> None:
    play = Play(TINY, ROOM, 3, seed=1)
    play.name_official(OFFICIAL)
    play.name_official(JUDGE)
    play.step(Random(1))
    asks = play.game.undo_seat
    assert asks is not None
    play.undo(asks, play.game.undo_to[0])  # of which nobody is told
    for _ in range(3):
        play.step(Random(1))
    asks = play.game.undo_seat
    assert asks is not None
    back = max(starts_of_commands(play.records)) - 1
    play.ask_take_back(asks, back)
    play.rule_pause()
    play.rule_resume()
    play.rule_back(back)
    play.rule_result([[BLUE, GREEN], [RED]])
    await told(rows, play)
    of_all: list[Kind] = ["game-paused", "game-resumed", "moves-retracted", "game-over"]
    for seat in play.game.players:
        asked: list[Kind] = ["take-back-asked"] if seat != asks else []
        assert await kinds(rows, player_of(seat)) == ["game-started", *asked, *of_all]
    assert await kinds(rows, JUDGE) == ["official-named", *of_all]
    # Who did it knows.
    assert await kinds(rows, OFFICIAL) == ["official-named", "game-over"]
    assert await kinds(rows, ORGANIZER) == []
    assert await kinds(rows, JUDGE, "game-paused", "game-over") == [
        "official-named",
        "game-resumed",
        "moves-retracted",
    ]
    (over, *_) = await notices_of(rows, JUDGE)
    assert over == Notice(play.records[-1].at, play.game.id, play.game.id, play.game.version, "game-over", None)


async def test_who_takes_a_seat_over_is_told_what_comes_then_and_the_one_before_nothing_more(
    rows: ProjectionStore,
) -> None:
    play = Play(TINY, ROOM, 3, seed=2)
    play.name_official(OFFICIAL)
    play.rule_pause()
    play.rule_resume()
    play.give_up(RED)
    play.take_over(RED, SUBSTITUTE)
    play.rule_pause()
    play.release_official(OFFICIAL)
    await told(rows, play)
    before: list[Kind] = ["game-started", "game-paused", "game-resumed"]
    # Who did it knows.
    assert await kinds(rows, player_of(RED)) == [*before, "seat-taken-over"]
    assert await kinds(rows, player_of(BLUE)) == [*before, "seat-open", "seat-taken-over", "game-paused"]
    assert await kinds(rows, SUBSTITUTE) == ["game-paused"]
    (opened,) = [notice for notice in await notices_of(rows, player_of(BLUE)) if notice.kind == "seat-open"]
    assert opened.seat == RED


async def test_who_is_offered_a_seat_is_told_so_and_nothing_else_before_taking_it(
    rows: ProjectionStore,
) -> None:
    play = Play(TINY, ROOM, 3, seed=5)
    play.offer(RED, SUBSTITUTE)
    play.propose_end(BLUE, [BLUE], [RED, GREEN])
    play.take_over(RED, SUBSTITUTE)
    play.offer(GREEN)
    play.resign(GREEN)
    await told(rows, play)
    assert await kinds(rows, SUBSTITUTE) == ["seat-offered", "seat-open", "seat-open"]
    assert await kinds(rows, player_of(RED)) == ["game-started", "end-proposed", "seat-taken-over"]
    assert await kinds(rows, player_of(BLUE)) == ["game-started", "seat-taken-over", "seat-open", "seat-open"]


async def test_who_is_assigned_a_seat_is_told_so_and_who_had_it_hears_no_more(rows: ProjectionStore) -> None:
    play = Play(TINY, ROOM, 2, seed=5, start=False)
    play.assign(RED, SUBSTITUTE)
    play.assign(RED, player_of(RED))
    play.sit(BLUE, player_of(BLUE))
    play.start()
    await told(rows, play)
    assert await kinds(rows, SUBSTITUTE) == ["seat-assigned"]
    assert await kinds(rows, player_of(RED)) == ["seat-assigned", "game-started"]
    assert await kinds(rows, player_of(BLUE)) == ["game-started"]
    (notice,) = await notices_of(rows, SUBSTITUTE)
    assert notice.seat == RED


async def test_who_leaves_before_the_start_is_told_nothing(rows: ProjectionStore) -> None:
    play = Play(TINY, ROOM, 2, seed=3, start=False)
    play.sit(RED, SUBSTITUTE)
    play.leave(RED, SUBSTITUTE)
    play.sit(BLUE, player_of(BLUE))
    play.cancel()
    await told(rows, play)
    assert await kinds(rows, SUBSTITUTE) == []
    assert await kinds(rows, player_of(BLUE)) == ["game-cancelled"]


async def test_a_released_official_is_told_nothing_more(rows: ProjectionStore) -> None:
    play = Play(TINY, ROOM, 2, seed=4)
    play.name_official(OFFICIAL)
    play.name_official(JUDGE)
    play.release_official(JUDGE)
    play.rule_pause()
    await told(rows, play)
    assert await kinds(rows, JUDGE) == ["official-named"]
    assert "game-paused" in await kinds(rows, player_of(RED))


async def test_the_seats_are_told_of_flags(rows: ProjectionStore) -> None:
    play = Clocked(TINY, ROOM, 2, seed=5, clock=MINUTE)
    play.name_official(OFFICIAL)
    fell = play.wait_for_fall()
    play.fall(fell)
    await told(rows, play)
    for seat in (RED, BLUE):
        flag = next(each for each in await notices_of(rows, player_of(seat)) if each.kind == "flag-fell")
        assert flag.seat == fell
    assert "flag-fell" not in await kinds(rows, OFFICIAL)


async def test_parties_and_officials_are_told_of_cases(rows: ProjectionStore) -> None:
    play = Play(TINY, ROOM, 2, seed=6)
    court = Court(play)
    for _ in range(3):
        play.step(Random(6))
    court.open(player_of(RED), "dice", 5)
    court.answer(player_of(BLUE))
    court.rule(decision="stands")
    court.appeal(player_of(BLUE))
    await told(rows, play, court)
    of_case: dict[PlayerId, list[Kind]] = {
        player_of(RED): ["case-answered", "ruled", "appealed"],
        player_of(BLUE): ["case-opened", "ruled"],
        JUDGE: ["case-opened", "case-answered", "appealed"],
        OTHER_JUDGE: ["case-opened", "case-answered", "ruled", "appealed"],
    }
    for player, expected in of_case.items():
        found = [each for each in reversed(await notices_of(rows, player)) if each.case is not None]
        assert [each.kind for each in found] == expected
        assert {(each.game, each.case) for each in found} == {(play.game.id, court.id)}


async def test_a_substitute_is_told_nothing_of_cases_before_them(rows: ProjectionStore) -> None:
    play = Play(TINY, ROOM, 3, seed=7)
    court = Court(play)
    for _ in range(3):
        play.step(Random(7))
    court.open(player_of(BLUE), "dice", 5)
    play.name_official()
    play.give_up(RED)
    play.take_over(RED, SUBSTITUTE)
    play.rule_pause()
    await told(rows, play, court)
    assert "case-opened" in await kinds(rows, player_of(RED))
    assert await kinds(rows, SUBSTITUTE) == ["game-paused"]


async def test_players_are_told_that_their_game_goes_on_in_a_continuation(rows: ProjectionStore) -> None:
    play = Play(TINY, ROOM, 2, seed=8)
    version = play.game.version
    play.run(Random(8))
    fork = play.fork(version, "continuation", player_of(RED))
    fork.take(officials.rule_start(fork.game, fork.on_a_case, fork.now))
    analysis = play.fork(version, "analysis", player_of(BLUE), seed=9)
    await told(rows, play, fork, analysis)
    found = await notices_of(rows, player_of(BLUE))
    assert [each.kind for each in found if each.game == fork.game.id] == ["game-started"]
    assert [each for each in found if each.game == analysis.game.id] == []


async def test_a_game_keeps_its_newest_notices(
    rows: ProjectionStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(inbox, "KEPT", 4)
    play = Play(TINY, ROOM, 2, seed=10)
    play.name_official(OFFICIAL)
    for _ in range(3):
        play.rule_pause()
        play.rule_resume()
    await told(rows, play)
    kept: list[Kind] = ["game-paused", "game-resumed", "game-paused", "game-resumed"]
    assert await kinds(rows, player_of(RED)) == kept
    again = await from_zero(MemoryLog(rows_of(play)), tmp_path / "again.db")
    assert await contents(rows) == again


async def test_of_many_games_those_are_looked_through_that_were_told_last(
    rows: ProjectionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    plays = [Play(TINY, ROOM, 2, seed=number) for number in range(4)]
    for play in (*plays[1:], plays[0]):
        play.name_official(OFFICIAL)
        play.rule_pause()
    await told(rows, *plays)
    assert len({each.game for each in await notices_of(rows, player_of(RED))}) == 4
    monkeypatch.setattr(inbox, "GAMES", 2)
    newest = {each.game for each in (await notices_of(rows, player_of(RED)))}
    assert len(newest) == 2
    monkeypatch.setattr(inbox, "MOST", 3)
    found = await notices_of(rows, player_of(RED))
    assert len(found) == 3
    assert found == sorted(found, key=lambda each: (each.at, each.stream, each.version), reverse=True)
