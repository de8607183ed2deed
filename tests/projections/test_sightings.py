"""In which games a rule can be seen at work, and where."""

import random
from typing import Any

import pytest
from msgspec.structs import fields

from domain.boards import builtin
from domain.kernel.ids import GameId, RuleId, Seat
from domain.kernel.log.concerns import concerns
from domain.kernel.log.history import read_event, starts_of_commands
from domain.kernel.log.lifecycle import GAME_EVENTS
from domain.kernel.rules.ruleset import Ruleset
from domain.library import LIBRARY as RULESETS
from projections import sightings
from projections.projection import Projection
from projections.sightings import SIGHTINGS, Sighting, of_rule
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


def kinds(ruleset: Ruleset[Any], rule: str) -> list[str]:
    """Return the types of events that concern a rule."""
    return [kind for kind, rules in concerns(ruleset).items() if rule in rules]


async def seen(rows: ProjectionStore, rule: RuleId, ruleset: Ruleset[Any] = TINY) -> dict[str, int]:
    """Return the games that show a rule, in their order, each with the version."""
    return {each.game: each.version for each in await of_rule(rows, ruleset.id, rule, kinds(ruleset, rule))}


async def stored(rows: ProjectionStore, event: str) -> set[str]:
    found = await rows.select(SIGHTINGS, "SELECT game FROM {seen} WHERE event = ?", [event])
    return {game for (game,) in found}


async def test_each_rule_is_seen_at_the_first_version_whose_event_concerns_it(rows: ProjectionStore) -> None:
    plays = [classic_play(seed, 300) for seed in (3, 4)]
    log = MemoryLog(mixed([[(play.game.id, record) for record in play.records] for play in plays]))
    await runner(log, rows, ALONE, batch=29).catch_up()
    expected: dict[RuleId, dict[GameId, Sighting]] = {}
    named: set[RuleId] = set()
    concerned = concerns(CLASSIC)
    for play in plays:
        for record in play.records:
            if record.type == "seat-taken":
                continue
            event = read_event(CLASSIC, record)
            own = getattr(event, "rule", None)
            named |= {own} if own is not None and own not in concerned[record.type] else set()
            for rule in (*concerned.get(record.type, ()), *([own] if own is not None else [])):
                place = Sighting(play.game.id, record.version, record.type)
                expected.setdefault(rule, {}).setdefault(play.game.id, place)
    assert len(expected) > 60
    assert named, "no event names a rule that its type does not have"
    for rule in CLASSIC.catalogue.for_ruleset(CLASSIC.id):
        found = await of_rule(rows, CLASSIC.id, rule.id, kinds(CLASSIC, rule.id))
        assert {each.game: each for each in found} == expected.get(rule.id, {})
    assert await of_rule(rows, TINY.id, RuleId("CC-MOV-05"), ["legion-marched"]) == []


def test_what_an_event_calls_its_rule_is_the_id_of_one() -> None:
    for ruleset_id in RULESETS.ids():
        for event in (*RULESETS.current(ruleset_id).events, *GAME_EVENTS):
            assert [each.type for each in fields(event) if each.name == "rule" and each.type not in (RuleId, str)] == []


async def test_the_newest_games_come_first_and_older_ones_go(rows: ProjectionStore) -> None:
    number = sightings.KEPT + 8
    known: dict[str, int] = {}
    log = MemoryLog()
    for day in (*range(1, number, 2), *range(0, number, 2)):  # which is not the order of their creation
        log.rows += Dated(day).news(known)
    await runner(log, rows, ALONE).catch_up()
    newest = [f"game-{day}" for day in reversed(range(number))][: sightings.KEPT]
    assert [*await seen(rows, STARTED)] == newest
    # The game that began last came after the older ones went.
    assert await stored(rows, "game-started") <= {*newest, f"game-{number - 1 - sightings.KEPT}"}


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
    first = await seen(rows, RETRACTED)
    assert list(first) == ["game-2", "game-1"]
    await told(Dated(5))
    assert await stored(rows, "moves-retracted") == {"game-1", "game-2"}
    for play in (old, *newer):
        play.slip()
    await told(old, *newer)
    assert await seen(rows, RETRACTED) == first
    assert await stored(rows, "moves-retracted") == {"game-0", "game-1", "game-2"}
    await told(Dated(6))
    assert await stored(rows, "moves-retracted") == {"game-1", "game-2"}


async def test_a_version_that_was_taken_back_still_shows_its_rule(rows: ProjectionStore) -> None:
    play, rng = Play(CLASSIC, builtin(CLASSIC.board), 2, seed=3), random.Random(3)
    begun = play.game.version
    for _ in range(8):
        play.step(rng)
    log = MemoryLog((play.game.id, record) for record in play.records)
    await runner(log, rows, ALONE).catch_up()
    before = (await contents(rows, ALONE))["sightings.seen"]
    assert max(version for *_, version, _ in before) > begun
    play.rule(begun)
    log.rows.append((play.game.id, play.records[-1]))
    await runner(log, rows, ALONE).catch_up()
    after = (await contents(rows, ALONE))["sightings.seen"]
    assert [row for row in after if row[1] != "moves-retracted"] == before
    assert await seen(rows, RETRACTED, CLASSIC) == {play.game.id: play.game.version}


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
    assert {game for *_, game, _, _ in (await contents(rows, ALONE))["sightings.seen"]} == {over.game.id}
    assert await seen(rows, OFFICIALS) == {}
