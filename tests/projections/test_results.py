"""Results follow rulings and continuations: who has won, after everything that was decided about a game."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

from domain.kernel.ids import GameId, PlayerId, Seat
from projections import players, scoreboard
from projections.store import ProjectionStore
from tests.helpers.judging import OTHER_JUDGE, Court
from tests.helpers.play import Play, player_of
from tests.projections.logs import MemoryLog, Row, contents, from_zero, mixed, runner
from tests.tiny.auction import ROOM, TinyAuction

RED, BLUE = Seat("red"), Seat("blue")
SUBSTITUTE = PlayerId("substitute")


def court_of(seed: int, cases: int = 1) -> list[Court]:
    """Return cases about a game that is over."""
    play = Play(TinyAuction(), ROOM, 2, seed=seed)
    courts = [Court(play, f"c{seed}-{number}") for number in range(cases)]
    play.run(Random(seed))
    opened = []
    for court in courts:
        filed = court.open(player_of(RED), "dice", 5 + len(opened), others=opened)
        opened.append(filed.case.row)
    return courts


def continued(court: Court, seed: int = 2, *, sit: bool = True) -> Play:
    """Return a continuation of the game, which nobody has played yet."""
    play = court.play
    version = next(at for at, game in play.at_each_version.items() if game.status == "running")
    fork = play.fork(version, "continuation", player_of(RED), seed)
    court.forks[fork.game.id] = fork
    if sit:
        for seat in fork.game.players:
            fork.sit(seat, player_of(seat))
    return fork


def rows_of(*streams: Play | Court) -> list[Row]:
    return [
        (each.game.id if isinstance(each, Play) else each.id, record) for each in streams for record in each.records
    ]


async def won(rows: ProjectionStore, player: PlayerId) -> tuple[int, int, int]:
    """Return how many games of a player go on, are over, and are won."""
    (record,) = await players.of_player(rows, player) or [players.RulesetRecord("", 0, 0, 0, 0)]
    return record.running, record.finished, record.won


class Kept:
    """A log that goes on, and the rows that are kept up with it."""

    def __init__(self, rows: ProjectionStore) -> None:
        self.log = MemoryLog()
        self.keeper = runner(self.log, rows, batch=11)

    async def up_with(self, *streams: Play | Court) -> None:
        """Append what has happened in streams since, and fold it."""
        known = {(stream, record.version) for stream, record in self.log.rows}
        self.log.rows += [row for row in rows_of(*streams) if (row[0], row[1].version) not in known]
        await self.keeper.catch_up()


@pytest.fixture
def kept(rows: ProjectionStore) -> Kept:
    return Kept(rows)


async def winners(rows: ProjectionStore, game: GameId) -> tuple[Seat, ...]:
    found = await scoreboard.of_game(rows, game)
    assert found is not None
    return found.winners


async def test_a_ruling_on_the_result_changes_who_won(rows: ProjectionStore, kept: Kept) -> None:
    (court,) = court_of(1)
    play = court.play
    await kept.up_with(play)
    assert play.game.result is not None
    (winner,) = play.game.result.winners
    (loser,) = set(play.game.players) - {winner}
    assert (await won(rows, player_of(winner)), await won(rows, player_of(loser))) == ((0, 1, 1), (0, 1, 0))
    court.rule(decision="result", order=((loser,), (winner,)))
    await kept.up_with(play, court)
    assert (await won(rows, player_of(winner)), await won(rows, player_of(loser))) == ((0, 1, 0), (0, 1, 1))
    found = await scoreboard.of_game(rows, play.game.id)
    assert found is not None
    assert (found.status, found.winners, found.ended_by) == ("over", (loser,), "TAB-RUL-09")
    assert (found.ruled_by, found.continued_in) == (court.id, None)


@pytest.mark.parametrize("decision", ["dismissed", "result"])
async def test_a_ruling_after_an_appeal_replaces_the_first(rows: ProjectionStore, kept: Kept, decision: str) -> None:
    (court,) = court_of(1)
    play = court.play
    assert play.game.result is not None
    (winner,) = play.game.result.winners
    (loser,) = set(play.game.players) - {winner}
    court.rule(decision="result", order=((loser,), (winner,)))
    court.appeal(player_of(winner))
    await kept.up_with(play, court)
    assert await winners(rows, play.game.id) == (loser,), "until then the ruling stands"
    more: dict[str, Any] = {"order": ((winner, loser),)} if decision == "result" else {}
    court.rule(OTHER_JUDGE, decision, **more)
    await kept.up_with(play, court)
    expected = (winner, loser) if decision == "result" else (winner,)
    assert await winners(rows, play.game.id) == expected
    for seat in (winner, loser):
        assert await won(rows, player_of(seat)) == (0, 1, int(seat in expected))


async def test_the_newest_ruling_of_several_cases_holds(rows: ProjectionStore, kept: Kept) -> None:
    first, second = court_of(1, 2)
    play = first.play
    second.rule(decision="result", order=((RED,), (BLUE,)))
    first.state(player_of(RED))
    first.rule(decision="result", order=((BLUE,), (RED,)))
    await kept.up_with(play, first, second)
    # In memory both happen at one moment, so the case with the larger number has the last word.
    assert await winners(rows, play.game.id) == (RED,)


@pytest.mark.parametrize("sit", [True, False])
async def test_a_game_that_continues_counts_once_as_what_that_ends_with(
    rows: ProjectionStore, kept: Kept, sit: bool
) -> None:
    (court,) = court_of(1)
    play, fork = court.play, continued(court, sit=sit)
    await kept.up_with(play, fork, court)
    before = [await won(rows, player_of(seat)) for seat in play.game.players]
    assert [each[:2] for each in before] == [(0, 1), (0, 1)], "a fork that no ruling named does not count"
    court.rule(decision="continue", to=fork.game.id)
    await kept.up_with(play, fork, court)
    assert [await won(rows, player_of(seat)) for seat in play.game.players] == [(1, 0, 0), (1, 0, 0)]
    found = await scoreboard.of_game(rows, play.game.id)
    assert found is not None
    assert (found.winners, found.ended_by, found.continued_in) == ((), None, fork.game.id)
    fork.give_up(BLUE)
    fork.take_over(BLUE, SUBSTITUTE)
    fork.run(Random(4))
    await kept.up_with(play, fork, court)
    assert fork.game.result is not None
    for seat, player in fork.game.players.items():
        assert player is not None
        assert await won(rows, player) == (0, 1, int(seat in fork.game.result.winners))
    assert await won(rows, player_of(BLUE)) == (0, 0, 0)
    assert await winners(rows, play.game.id) == fork.game.result.winners


async def test_a_continuation_may_itself_be_ruled_on_and_continue(rows: ProjectionStore, kept: Kept) -> None:
    (court,) = court_of(1)
    fork = continued(court)
    further = Court(fork, "cfurther")
    court.rule(decision="continue", to=fork.game.id)
    fork.run(Random(4))
    further.open(player_of(RED), "dice", 5)
    last = continued(further, 3)
    further.rule(decision="continue", to=last.game.id)
    last.run(Random(5))
    assert last.game.result is not None
    await kept.up_with(court.play, fork, last, court, further)
    for seat in last.game.players:
        assert await won(rows, player_of(seat)) == (0, 1, int(seat in last.game.result.winners))
    assert await winners(rows, court.play.game.id) == last.game.result.winners
    further.appeal(player_of(RED))
    further.rule(OTHER_JUDGE, "result", order=((RED, BLUE),))
    await kept.up_with(court.play, fork, last, court, further)
    assert [await won(rows, player_of(seat)) for seat in last.game.players] == [(0, 1, 1), (0, 1, 1)]
    assert await winners(rows, court.play.game.id) == (RED, BLUE)


async def test_an_analysis_counts_nowhere_though_a_ruling_names_its_game(rows: ProjectionStore, kept: Kept) -> None:
    (court,) = court_of(1)
    play = court.play
    version = next(at for at, game in play.at_each_version.items() if game.status == "running")
    analysis = play.fork(version, "analysis", player_of(RED)).run(Random(3))
    court.rule(decision="result", order=((RED,), (BLUE,)))
    await kept.up_with(play, analysis, court)
    assert (await won(rows, player_of(RED)), await won(rows, player_of(BLUE))) == ((0, 1, 1), (0, 1, 0))


@pytest.mark.parametrize("batch", [1, 7, 1000])
async def test_rows_that_were_kept_up_are_those_of_a_rebuild(rows: ProjectionStore, batch: int, tmp_path: Path) -> None:
    streams: list[list[Row]] = []
    for seed in range(1, 7):
        rng = Random(seed)
        first, second = court_of(seed, 2)
        fork = continued(first)
        if rng.random() < 0.7:
            first.rule(decision="continue", to=fork.game.id)
        fork.run(rng)
        order = ((BLUE,), (RED,)) if rng.random() < 0.5 else ((RED, BLUE),)
        second.rule(decision="result", order=order)
        if rng.random() < 0.5:
            second.appeal(player_of(RED))
            second.rule(OTHER_JUDGE, "dismissed")
        # What was ruled follows the end of the game and the beginning of the fork, as in every log.
        streams.append(rows_of(first.play, fork, first, second))
    log = MemoryLog()
    keeper = runner(log, rows, batch=batch)
    whole = mixed(streams, seed=batch)
    for start in range(0, len(whole), 37):
        log.rows.extend(whole[start : start + 37])
        await keeper.catch_up()
    found = await contents(rows)
    assert found["players.rulings"]
    assert found == await from_zero(log, tmp_path / "zero.db")
    for name in ("players", "scoreboard"):
        await runner(log, rows).rebuild(name)
    assert await contents(rows) == found
