"""The timekeeper: flags fall when they are due, and once, and nobody loses by an outage."""

import asyncio
import math
from contextlib import AsyncExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from structlog.testing import capture_logs

from domain.kernel.ids import GameId, book_of
from projections import deadlines
from projections.deadlines import CLOCKS
from projections.store import ProjectionStore
from service.base.clock import Clock, stamped, utc_now, written
from service.base.settings import Settings
from service.cluster.common_time import CommonTime, common_time
from service.doctor import examine
from service.doctor.finding import Finding
from service.games import timekeeper
from service.games.acts import Act
from service.games.games import Games
from service.games.requests import Done
from service.games.watch import Watch
from service.store.sqlite.store import SqliteStore
from tests.helpers.citus import database_of_the_run
from tests.service.api.serving import Player, serving
from tests.service.games.hall import MINUTE, QUIETLY, Hall, hall_in
from tests.service.rig import Hands

OPENS = {"commands": [{"type": "put-up", "coins": 1}, {"type": "open-bidding"}]}


@pytest.mark.rule("TAB-CLK-05")
@pytest.mark.rule("TAB-CLK-07")
async def test_a_game_whose_player_vanishes_is_answered_for_and_comes_to_its_end(
    hall: Hall, anna: Player, bert: Player
) -> None:
    game = await hall.begun(anna, bert)
    await hall.wait(61)
    assert "clock-expired" not in await hall.types(game), "in its grace"
    await hall.wait(1)
    (fallen,) = [each for each in await hall.events(game) if each["type"] == "clock-expired"]
    assert (fallen["cause"], fallen["event"]["seat"]) == ({"by": "clock"}, "red")
    service = hall.service
    while (now := await service.get(f"/v1/games/{game}"))["status"] == "running":
        (decision,) = now["decisions"]
        if "blue" not in decision["seats"]:
            await hall.wait(13)
        elif decision["kind"] == "choose-card":
            await service.give(game, bert, "choose-card", card=await service.first_card(game, bert))
        else:
            await service.post(f"/v1/games/{game}/commands", bert, OPENS)
    assert now["status"] == "over"
    assert now["given_up"] == ["red"], "from the third flag on"
    events = await hall.events(game)
    given = [each["cause"] for each in events if "command" in each.get("cause", {})]
    assert {(cause["seat"], cause.get("by")) for cause in given} == {("red", "clock"), ("blue", None)}
    assert "The clock answered for Red." in str(await service.get(f"/v1/games/{game}/history?limit=500"))
    await hall.proved(game)
    await hall.turn()
    assert await hall.service.services.rows.select(CLOCKS, "SELECT game FROM {deadlines}") == []
    lateness = (await service.ask("GET", "/metrics")).text
    assert "tabularium_clock_lateness_seconds_count 0.0" not in lateness


@pytest.mark.rule("TAB-CLK-06")
async def test_where_flags_are_claimed_the_timekeeper_lets_none_fall(hall: Hall, anna: Player, bert: Player) -> None:
    game = await hall.begun(anna, bert, at_zero="claim")
    await hall.wait(100)
    assert "clock-expired" not in await hall.types(game)
    assert (await hall.service.ask("POST", f"/v1/games/{game}/flags/red", bert)).status_code == 200
    await hall.proved(game)


@pytest.mark.rule("TAB-CLK-10")
async def test_in_quiet_hours_a_game_is_put_off(hall: Hall, anna: Player, bert: Player) -> None:
    minute = hall.time.now.hour * 60 + hall.time.now.minute
    game = await hall.begun(anna, bert, quiet={"begins": minute + 1, "ends": minute + 11})
    await hall.wait(9 * 60)
    assert "clock-expired" not in await hall.types(game)
    due = str((await hall.service.services.rows.select(CLOCKS, "SELECT due FROM {deadlines}"))[0][0])
    assert stamped(due) > hall.time.now + timedelta(minutes=1), "it is not looked at again before that"
    await hall.wait(3 * 60)
    assert "clock-expired" in await hall.types(game)
    await hall.proved(game)


# --- outages ---


@pytest.mark.rule("TAB-CLK-09")
async def test_when_everything_was_dead_for_an_hour_nobody_loses_by_it(hall: Hall, anna: Player, bert: Player) -> None:
    one, two, claims = [await hall.begun(anna, bert, at_zero=zero) for zero in ("answer", "answer", "claim")]
    await hall.wait(40)
    hall.sleep(3600)
    shown = await hall.service.get(f"/v1/games/{one}")
    done = await hall.service.post(f"/v1/games/{one}/commands", anna, OPENS, if_match=f'"{shown["version"]}"')
    assert done["after"] == shown["version"] + 2, "the credit came first, and what the client expected is taken"
    assert 28 < await hall.left(one, "red") <= 30.5, "twenty left, ten for the turn"
    claimed = await hall.service.ask("POST", f"/v1/games/{claims}/flags/red", bert)
    assert (claimed.status_code, claimed.json()["rule"]) == (409, "TAB-CLK-05")
    with capture_logs() as logs:
        await hall.turn()
    (told,) = [each for each in logs if each["event"] == "an outage was credited"]
    assert told["games"] == 1, "the others were credited when somebody did something in them"
    for game in (one, two, claims):
        assert (await hall.types(game)).count("outage-credited") == 1
        assert "clock-expired" not in await hall.types(game)
    assert 19 < await hall.left(two, "red") <= 20.5
    await hall.wait(23)
    assert (await hall.types(two)).count("clock-expired") == 1
    for game in (one, two, claims):
        await hall.proved(game)


@pytest.mark.rule("TAB-CLK-09")
async def test_while_a_part_of_the_log_was_away_its_players_lost_no_time_and_others_did(
    hall: Hall, anna: Player, bert: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = [await hall.begun(anna, bert) for _ in range(2)]
    books = frozenset(book_of(GameId(game)) for game in gone)
    there = await hall.begun(anna, bert)
    while book_of(GameId(there)) in books:
        there = await hall.begun(anna, bert)
    await hall.wait(40)

    async def away() -> frozenset[int]:
        return books

    with monkeypatch.context() as patched:
        patched.setattr(hall.service.services.store, "away", away)
        await hall.wait(120)
        assert "clock-expired" in await hall.types(there)
        # Another process takes over, and knows only what was noted.
        await hall.keeper.rest()
        hall.keeper = Hall(hall.service, hall.time).keeper
        await hall.wait(60)
    one, two = gone
    hall.sleep(3)
    await hall.service.post(f"/v1/games/{one}/commands", anna, OPENS)
    assert 28 < await hall.left(one, "red") <= 30.5, "twenty left, ten for the turn"
    await hall.turn()
    assert 19 < await hall.left(two, "red") <= 20.5
    for game in gone:
        assert (await hall.types(game)).count("outage-credited") == 1
        assert "clock-expired" not in await hall.types(game)
    assert "outage-credited" not in await hall.types(there)
    await hall.wait(23)
    assert "clock-expired" in await hall.types(two)
    for game in (*gone, there):
        await hall.proved(game)


@pytest.mark.rule("TAB-CLK-09")
@pytest.mark.parametrize("why", ["damaged", "full"])
async def test_while_the_log_takes_no_writes_nobody_loses_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    async with hall_in(tmp_path, "", Hands()) as hall:
        await hall.turn()
        game = await hall.begun(await hall.service.register("Anna"), await hall.service.register("Bert"))
        await hall.wait(40)
        connections = cast(SqliteStore, hall.service.services.store)._connections
        with monkeypatch.context() as patched:
            if why == "damaged":
                patched.setattr(connections, "_refused", why)
            else:
                patched.setattr(connections._translated, "full_at", math.inf)
            await hall.wait(120)
        hall.sleep(3)
        await hall.turn()
        assert 19 < await hall.left(game, "red") <= 20.5
        assert "clock-expired" not in await hall.types(game)
        await hall.proved(game)


@pytest.mark.rule("TAB-CLK-09")
async def test_a_short_absence_is_no_outage(hall: Hall, anna: Player, bert: Player) -> None:
    game = await hall.begun(anna, bert)
    hall.sleep(29)
    await hall.turn()
    assert "outage-credited" not in await hall.types(game)
    assert await hall.left(game, "red") < 31.1


@pytest.mark.rule("TAB-CLK-09")
async def test_while_rows_are_behind_the_log_nothing_counts_as_watched(hall: Hall, anna: Player, bert: Player) -> None:
    """A game that began just before an outage may be missing in the rows. Its time must be given back all the same."""
    game = await hall.begun(anna, bert)
    await hall.service.post(f"/v1/games/{game}/commands", anna, OPENS)
    hall.sleep(600)
    await hall.keeper.turn()
    assert "outage-credited" not in await hall.types(game)
    await hall.turn()
    assert (await hall.types(game)).count("outage-credited") == 1
    assert await hall.left(game, "blue") > 58


@pytest.mark.rule("TAB-CLK-09")
async def test_a_ruling_after_an_outage_takes_nobodys_time(hall: Hall, anna: Player, bert: Player) -> None:
    service, game = hall.service, await hall.begun(anna, bert)
    julia = await service.register("Julia")
    assert (await service.ask("PUT", f"/v1/games/{game}/officials/{julia.id}", anna)).is_success
    await service.give(game, anna, "put-up", coins=1)
    version = (await service.get(f"/v1/games/{game}"))["version"]
    wish = {"kind": "slip", "version": version, "statement": "A break?"}
    case = (await service.post(f"/v1/games/{game}/cases", anna, wish))["summary"]["case"]
    await hall.turn()
    hall.sleep(3600)
    answers: list[str] = []
    for _ in range(2):
        last = (await hall.events(game))[-1]
        ruling = {"decision": "pause", "rules": ["TAB-RUL-03"], "reason": "A break."}
        ruling |= {"version": last["version"], "hash": last["hash"]}
        ruled = await service.ask("POST", f"/v1/cases/{case}/rulings", julia, ruling)
        answers.append("ruled" if ruled.is_success else ruled.json()["rule"])
    assert answers == ["TAB-RUL-07", "ruled"], "the credit comes first, so the official has to look again"
    assert await hall.left(game, "red") > 59
    await hall.proved(game)


# --- several processes ---


async def test_three_timekeepers_let_each_flag_fall_once_and_none_too_early(
    tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = Hands()
    monkeypatch.setattr(timekeeper, "LEASE", 600.0)  # on a busy machine none ends before the lanes are shared
    async with AsyncExitStack() as stack:
        halls = [
            Hall(
                await stack.enter_async_context(
                    serving(tmp_path / name, database_url=postgres_url, clock=time, **QUIETLY)
                ),
                time,
            )
            for name in ("one", "two", "three")
        ]
        first = halls[0]
        anna, bert = await first.service.register("Anna"), await first.service.register("Bert")
        for _ in range(4):  # until they have shared the lanes fairly
            for hall in halls:
                hall.keeper._leased_until = 0.0
                await hall.turn()
        held = [set(hall.keeper._leased_lanes) for hall in halls]
        assert [len(each) for each in held] == [5, 5, 6] or sorted(map(len, held)) == [5, 5, 6]
        assert len(set.union(*held)) == 16
        games = [await first.begun(anna, bert) for _ in range(8)]

        async def pass_time(seconds: float) -> None:
            for _ in range(round(seconds / 20)):
                time.now += timedelta(seconds=20)
                await first.runner.catch_up()
                await asyncio.gather(*(hall.keeper.turn() for hall in halls))

        await pass_time(40)
        # The worst case: each believes that all lanes are its own.
        for hall in halls:
            hall.keeper._leased_lanes = range(16)
            hall.keeper._leased_until = float("inf")
            hall.keeper._until = dict(await hall.keeper._watch.read())
        await pass_time(60)
        for game in games:
            fallen = [each for each in await first.events(game) if each["type"] == "clock-expired"]
            begins = next(each["at"] for each in await first.events(game) if each["type"] == "clocks-ran")
            assert len(fallen) in (1, 2), "ten seconds are left after the first"
            assert stamped(fallen[0]["at"]) - stamped(begins) >= timedelta(seconds=62)
            await first.proved(game)


async def test_lanes_of_a_process_that_died_are_taken_over(
    tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = Hands()
    monkeypatch.setattr(timekeeper, "LEASE", 0.3)
    async with AsyncExitStack() as stack:
        one, two = [
            Hall(
                await stack.enter_async_context(
                    serving(tmp_path / name, database_url=postgres_url, clock=time, **QUIETLY)
                ),
                time,
            )
            for name in ("one", "two")
        ]
        anna, bert = await one.service.register("Anna"), await one.service.register("Bert")
        await one.turn()
        game = await one.begun(anna, bert)
        assert len(one.keeper._leased_lanes) == 16
        await asyncio.sleep(0.4)  # it is killed, and its lease ends
        time.now += timedelta(seconds=25)
        await two.turn()
        assert len(two.keeper._leased_lanes) == 16
        await two.wait(40)
        assert (await two.types(game)).count("clock-expired") == 1
        assert "outage-credited" not in await two.types(game)


@pytest.mark.rule("TAB-CLK-05")
async def test_of_an_answer_and_a_flag_at_the_same_moment_exactly_one_happens(
    tmp_path: Path, postgres_url: str
) -> None:
    """The answer comes to another process than that whose timekeeper looks for flags."""
    time, seen = Hands(), set[str]()
    async with AsyncExitStack() as stack:
        one, two = [
            Hall(
                await stack.enter_async_context(
                    serving(tmp_path / name, database_url=postgres_url, clock=time, **QUIETLY)
                ),
                time,
            )
            for name in ("one", "two")
        ]
        anna, bert = await one.service.register("Anna"), await one.service.register("Bert")
        await one.turn()
        for number in range(12):
            game = await one.begun(anna, bert)
            version = (await two.service.get(f"/v1/games/{game}"))["version"]
            await one.wait(60)
            time.now += timedelta(seconds=2)

            async def answer(game: str = game, version: int = version, number: int = number) -> int:
                await asyncio.sleep(0.002 * (number % 6))
                done = await two.service.ask("POST", f"/v1/games/{game}/commands", anna, OPENS, if_match=f'"{version}"')
                return done.status_code

            status, _ = await asyncio.gather(answer(), one.keeper.turn())
            types = await one.types(game)
            assert (status, types.count("clock-expired")) in ((200, 0), (412, 1)), types
            seen.add("answer" if status == 200 else "flag")
            await one.proved(game)
    assert seen, "which of them is quicker depends on the machine"


async def test_what_comes_too_late_to_be_done_by_the_clock_is_counted_as_a_lost_race(
    hall: Hall, anna: Player, bert: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, by_clock = await hall.begun(anna, bert), Games.by_clock
    assert not await hall.keeper._give_back(GameId(game), written(hall.time.now)), "no time was lost"
    await hall.wait(60)
    hall.time.now += timedelta(seconds=2)

    async def late(games: Games, game_id: GameId, act: Act) -> Done:
        await hall.service.post(f"/v1/games/{game}/commands", anna, OPENS)
        return await by_clock(games, game_id, act)

    monkeypatch.setattr(Games, "by_clock", late)
    await hall.keeper.turn()
    assert "clock-expired" not in await hall.types(game)
    commands = hall.service.services.metrics.commands
    for kind in ("fall", "credit-outage"):
        counts = {each: commands.labels(kind, each)._value.get() for each in ("accepted", "refused", "conflict")}
        assert counts == {"accepted": 0, "refused": 0, "conflict": 1}, kind


class Differs:
    """Rows whose server has the right time."""

    def __init__(self, right: Clock) -> None:
        self.right = right

    async def time(self) -> datetime:
        return self.right()


@pytest.mark.parametrize("wrong", [5.0, -5.0])
async def test_a_process_whose_clock_is_wrong_goes_by_the_time_of_the_database(
    tmp_path: Path, database_url: str, wrong: float
) -> None:
    right = Hands()
    clock = CommonTime(cast(ProjectionStore, Differs(right)))
    clock._own = right
    async with serving(tmp_path, database_url=database_url, clock=clock, **QUIETLY) as service:
        hall = Hall(service, right)
        await hall.turn()
        anna, bert = await service.register("Anna"), await service.register("Bert")
        game = await hall.begun(anna, bert)
        clock._own = lambda: right() + timedelta(seconds=wrong)
        with capture_logs() as logs:
            await clock.compare()
        assert round(next(each["seconds"] for each in logs)) == round(wrong)
        await hall.wait(60.5)
        assert "clock-expired" not in await hall.types(game)
        await hall.wait(1.6)
        assert "clock-expired" in await hall.types(game)
    clock._own = lambda: right() + timedelta(milliseconds=100)
    await clock.compare()
    assert clock.off == timedelta(0), "little is not corrected, and what was wrong once may be right by now"


async def test_processes_over_one_database_go_by_its_time(
    tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path, database_url=postgres_url, clock=utc_now, **QUIETLY) as service:
        assert isinstance(service.services.games._clock, CommonTime)
        monkeypatch.setattr("service.cluster.common_time.utc_now", lambda: utc_now() + timedelta(seconds=50))
        async with common_time(service.services.rows) as clock:
            assert abs(clock() - utc_now()) < timedelta(seconds=5)


async def test_the_doctor_says_since_when_nobody_has_watched(tmp_path: Path) -> None:
    async def found(url: str) -> list[Finding]:
        return [each async for each in examine(Settings(database_url=url)) if each.check == "clocks"]

    # The doctor asks all machines, which `postgres_url` forbids.
    async with database_of_the_run() as url, hall_in(tmp_path, url, Hands()) as hall:
        anna, bert = await hall.service.register("Anna"), await hall.service.register("Bert")
        assert await found(url) == []
        await hall.begun(anna, bert)
        (warned,) = await found(url)
        assert (warned.level, "1 games since 2026-11-21T06:" in warned.message) == ("warn", True)
        assert "TABULARIUM_CLOCKS=true" in warned.remedy
        rows = hall.service.services.rows
        await rows.watch(dict.fromkeys(range(16), written(await rows.time())), 16)
        assert [each.level for each in await found(url)] == ["ok"]


# --- as a part of the service ---

NEARLY = timedelta(seconds=5)
"""How exactly the service has noted until when it has watched."""


async def test_a_service_keeps_time_by_itself(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timekeeper, "TICK", 0.02)
    time = Hands()
    async with serving(tmp_path, database_url=database_url, clock=time, durable=False, bots=0) as service:
        hall = Hall(service, time)
        anna, bert = await service.register("Anna"), await service.register("Bert")
        watch = Watch(service.services.store, service.services.rows)

        async def watched() -> None:
            """Return when the service has looked at all clocks."""
            async with asyncio.timeout(60):
                while min((await watch.read()).values()) < written(time.now - NEARLY):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)

        await watched()
        game = (await service.post("/v1/games", anna, {"ruleset": "tiny-auction", "players": 2, "clock": MINUTE}))["id"]
        for player in (anna, bert):
            await service.post(f"/v1/games/{game}/seats", player, {})
        await service.post(f"/v1/games/{game}/start", anna)
        for _ in range(4):
            time.now += timedelta(seconds=16)
            await watched()
        async with asyncio.timeout(60):
            while "clock-expired" not in await hall.types(game):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        await hall.proved(game)


async def test_a_game_that_cannot_be_read_stops_no_other(
    hall: Hall, anna: Player, bert: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, other = await hall.begun(anna, bert), await hall.begun(anna, bert)
    games = hall.service.services.games
    whole = games.game

    async def game(game_id: GameId, at_least: int | None = None) -> Any:
        if game_id == broken:
            raise ValueError("a fault of ours")
        return await whole(game_id, at_least)

    with monkeypatch.context() as patched, capture_logs() as logs:
        patched.setattr(games, "game", game)
        await hall.wait(63)
    assert [each["game"] for each in logs if each["event"] == "a clock waits"] == [broken]
    assert "clock-expired" in await hall.types(other)
    assert "clock-expired" not in await hall.types(broken)
    await hall.wait(61)
    assert "clock-expired" in await hall.types(broken), "it is looked at again"


async def test_deadlines_are_found_by_time_and_book(hall: Hall, anna: Player, bert: Player) -> None:
    games = [await hall.begun(anna, bert) for _ in range(3)]
    rows = hall.service.services.rows
    await hall.service.post("/v1/games", anna, {"ruleset": "tiny-auction", "players": 2, "clock": "live"})
    await hall.turn()  # nobody waits in a game that gathers players
    ends = written(hall.time.now + timedelta(seconds=60))
    found = await deadlines.due(rows, range(64), ends, 10)
    assert [each.game for each in found] == games
    assert await deadlines.due(rows, range(64), written(hall.time.now), 10) == []
    assert sorted(await deadlines.running(rows, range(64), "", 10)) == sorted(games)
    assert await deadlines.running(rows, range(64), max(games), 10) == []
    await deadlines.later(rows, {found[0]: ends, deadlines.Due(GameId(games[1]), "another time"): ends})
    assert [each.game for each in await deadlines.due(rows, range(64), ends, 10)] == [games[1], games[2], games[0]]
