"""In which games a rule can be seen at work, and where."""

import random

import pytest

from domain.boards import builtin
from domain.kernel.ids import GameId, RuleId, Seat
from domain.kernel.log.concerns import rules_of
from domain.kernel.log.history import read_event, starts_of_commands
from domain.kernel.rules.message import type_name
from projections import sightings
from projections.projection import Projection
from projections.sightings import SEEN, SIGHTINGS, Sighting, of_rule
from projections.store import ProjectionStore
from tests.helpers.play import Play, player_of
from tests.projections.logs import CLASSIC, TINY, MemoryLog, Row, classic_play, contents, mixed, runner
from tests.tiny.auction import ROOM

RED = Seat("red")
STARTED, RETRACTED, OFFICIALS = RuleId("TAB-LIFE-02"), RuleId("TAB-UNDO-02"), RuleId("TAB-RUL-01")
ALONE: tuple[Projection, ...] = (SIGHTINGS,)


class Dated(Play):
    """A game of its own day: the day says which game is newer, and the id does not."""

    def __init__(self, day: int) -> None:
        self.day = day
        super().__init__(TINY, ROOM, 2, seed=day)

    @property
    def now(self) -> str:
        return f"2026-{1 + self.day // 28:02}-{1 + self.day % 28:02}T00:00:00.{len(self.records):06}Z"

    def slip(self) -> None:
        """Give a command and take it back."""
        before = self.game.version
        self.command(RED, {"type": "put-up", "coins": 1})
        self.undo(RED, before)

    def news(self, known: dict[str, int]) -> list[Row]:
        """Return the records since the last call."""
        after = known.get(self.game.id, 0)
        known[self.game.id] = len(self.records)
        return [(self.game.id, record) for record in self.records[after:]]


async def games_of(rows: ProjectionStore, rule: RuleId) -> list[str]:
    return [each.game for each in await of_rule(rows, TINY.id, rule)]


async def stored(rows: ProjectionStore, rule: RuleId) -> set[str]:
    found = await rows.select(SIGHTINGS, "SELECT game FROM {seen} WHERE rule = ?", [rule])
    return {game for (game,) in found}


async def test_each_rule_is_seen_at_the_first_version_whose_event_concerns_it(rows: ProjectionStore) -> None:
    plays = [classic_play(seed, 200) for seed in (3, 4)]
    log = MemoryLog(mixed([[(play.game.id, record) for record in play.records] for play in plays]))
    await runner(log, rows, ALONE, batch=29).catch_up()
    expected: dict[tuple[RuleId, GameId], Sighting] = {}
    for play in plays:
        for record in play.records:
            if record.type != "seat-taken":
                event = read_event(CLASSIC, record)
                for rule in rules_of(CLASSIC, event):
                    seen = Sighting(play.game.id, record.version, type_name(type(event)))
                    expected.setdefault((rule, play.game.id), seen)
    found = await rows.select(SIGHTINGS, "SELECT rule, game, version, event FROM {seen}")
    assert {(rule, game): Sighting(game, version, event) for rule, game, version, event in found} == expected
    assert len(expected) > 60
    assert {each.game for each in await of_rule(rows, CLASSIC.id, RuleId("CC-BAT-18"))} == {
        game for rule, game in expected if rule == "CC-BAT-18"
    }


async def test_an_event_shows_the_rule_that_it_names_itself() -> None:
    play = classic_play(3, 300)
    named = {
        (event.rule, rules_of(CLASSIC, event))
        for event in (read_event(CLASSIC, record) for record in play.records)
        if hasattr(event, "rule")
    }
    assert named
    for rule, rules in named:
        assert rule in rules
        assert len(set(rules)) == len(rules)


async def test_the_newest_games_come_first_and_older_ones_go(rows: ProjectionStore) -> None:
    number = sightings.KEPT + 8
    known: dict[str, int] = {}
    log = MemoryLog()
    for day in (*range(1, number, 2), *range(0, number, 2)):  # which is not the order of their creation
        log.rows += Dated(day).news(known)
    await runner(log, rows, ALONE).catch_up()
    newest = [f"game-{day}" for day in reversed(range(number))][: sightings.KEPT]
    assert await games_of(rows, STARTED) == newest
    # The game that began last came after the older ones went.
    assert await stored(rows, STARTED) <= {*newest, f"game-{number - 1 - sightings.KEPT}"}


async def test_an_old_game_that_goes_on_does_not_come_back(
    rows: ProjectionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sightings, "KEPT", 2)
    known: dict[str, int] = {}
    log = MemoryLog()

    async def told(*plays: Play) -> None:
        for play in plays:
            assert isinstance(play, Dated)
            log.rows += play.news(known)
        await runner(log, rows, ALONE).catch_up()

    old, *newer = plays = [Dated(day) for day in range(3)]
    for play in plays:
        play.slip()
    await told(*plays)
    first = {each.game: each.version for each in await of_rule(rows, TINY.id, RETRACTED)}
    assert list(first) == ["game-2", "game-1"]
    await told(Dated(5))
    assert await stored(rows, RETRACTED) == {"game-1", "game-2"}
    for play in (old, *newer):
        play.slip()
    await told(old, *newer)
    assert {each.game: each.version for each in await of_rule(rows, TINY.id, RETRACTED)} == first
    assert await stored(rows, RETRACTED) == {"game-0", "game-1", "game-2"}
    await told(Dated(6))
    assert await stored(rows, RETRACTED) == {"game-1", "game-2"}


async def test_a_version_that_was_taken_back_still_shows_its_rule(rows: ProjectionStore) -> None:
    play, rng = Play(CLASSIC, builtin(CLASSIC.board), 2, seed=3), random.Random(3)
    begun = play.game.version
    for _ in range(8):
        play.step(rng)
    log = MemoryLog((play.game.id, record) for record in play.records)
    await runner(log, rows, ALONE).catch_up()
    before = await contents(rows, ALONE)
    assert max(row[3] for row in before["sightings.seen"]) > begun
    play.rule(begun)
    log.rows.append((play.game.id, play.records[-1]))
    await runner(log, rows, ALONE).catch_up()
    after = await contents(rows, ALONE)
    new = {row[1] for row in after["sightings.seen"]} - {row[1] for row in before["sightings.seen"]}
    assert new == {*rules_of(CLASSIC, read_event(CLASSIC, play.records[-1]))}
    assert [row for row in after["sightings.seen"] if row[1] not in new] == before["sightings.seen"]


async def test_a_game_that_never_began_and_a_fork_show_nothing(rows: ProjectionStore) -> None:
    cancelled = Play(TINY, ROOM, 2, seed=1, start=False)
    cancelled.sit(RED, player_of(RED))
    cancelled.name_official()
    cancelled.cancel()
    over = Dated(2).run(random.Random(2))
    fork = over.fork(min(starts_of_commands(over.records)))
    fork.run(random.Random(3))
    log = MemoryLog((play.game.id, record) for play in (cancelled, over, fork) for record in play.records)
    await runner(log, rows, ALONE).catch_up()
    columns = ", ".join([*SEEN.key, *SEEN.columns])
    found = await rows.select(SIGHTINGS, f"SELECT {columns} FROM {{seen}}")
    assert {row[2] for row in found} == {over.game.id}
    assert await games_of(rows, OFFICIALS) == []
