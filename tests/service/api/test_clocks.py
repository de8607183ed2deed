"""Clocks over HTTP: choosing one, what a game tells of it, time that is given, flags that are claimed."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from domain.kernel.ids import GameId, Seat
from domain.kernel.log.clock import DAY, LONGEST
from domain.kernel.proof.verify import verify
from projections.lanes import LANES
from service.base.clock import stamped, written
from service.games.clocks import Fall
from tests.service.api.serving import Answer, Player, Service, serving
from tests.service.api.test_cases import Court
from tests.service.api.test_mine import eventually
from tests.service.api.test_tokens import narrower
from tests.service.rig import LIBRARY, Hands

NEW = {"ruleset": "tiny-auction", "players": 2}
MINUTE: dict[str, Any] = {"kind": "bank", "time": 60, "increment": 10, "cap": 90}


class Table(Struct, eq=False):
    """A service with a clock that is put on by hand, and a game of Anna (red) and Bert (blue) in it."""

    service: Service
    time: Hands
    anna: Player
    bert: Player
    game: str

    @property
    def url(self) -> str:
        return f"/v1/games/{self.game}"

    async def wait(self, seconds: float) -> None:
        """Let time pass, as if the clocks were watched all the while."""
        self.time.now += timedelta(seconds=seconds)
        for lanes in (1, LANES):
            await self.service.services.rows.watch(dict.fromkeys(range(lanes), written(self.time.now)), lanes)

    async def clock(self, seat: str) -> Answer:
        shown = await self.service.get(self.url)
        return next(each for each in shown["clocks"]["seats"] if each["seat"] == seat)

    async def problem(self, method: str, path: str, player: Player | None, body: Any = None) -> tuple[int, str, str]:
        answer = await self.service.ask(method, self.url + path, player, body)
        told = answer.json()
        return answer.status_code, told["type"].removeprefix("/problems/"), told.get("rule", "")

    async def proved(self) -> None:
        export = await self.service.ask("GET", f"{self.url}/export")
        verdict = verify(export.content.splitlines(keepends=True), LIBRARY)
        assert verdict.ok, verdict.problem


async def begun(service: Service, anna: Player, bert: Player, clock: Any) -> str:
    game = (await service.post("/v1/games", anna, {**NEW, "clock": clock}))["id"]
    for player in (anna, bert):
        await service.post(f"/v1/games/{game}/seats", player, {})
    await service.post(f"/v1/games/{game}/start", anna)
    return game


@pytest.fixture
async def table(tmp_path: Path, database_url: str, request: pytest.FixtureRequest) -> AsyncIterator[Table]:
    clock, time = getattr(request, "param", MINUTE), Hands()
    async with serving(tmp_path, durable=False, database_url=database_url, clock=time, clocks=False) as service:
        anna, bert = await service.register("Anna"), await service.register("Bert")
        yield Table(service, time, anna, bert, await begun(service, anna, bert, clock))


@pytest.mark.rule("TAB-CLK-01")
@pytest.mark.rule("TAB-CLK-02")
async def test_a_clock_is_chosen_with_the_game_or_by_name_and_changed_until_it_starts(
    service: Service, anna: Player, bert: Player
) -> None:
    body = {**NEW, "clock": "fast"}
    created = await service.ask("POST", "/v1/games", anna, body, idempotency_key="k")
    game = created.json()
    assert (created.status_code, game["version"], game["clocks"], game["now"]) == (201, 2, None, None)
    assert (game["clock"]["time"], game["clock"]["increment"]) == (2 * 24 * 3600, 8 * 3600)
    url = f"/v1/games/{game['id']}"
    await service.post(f"{url}/seats", anna, {})
    again = await service.ask("POST", "/v1/games", anna, body, idempotency_key="k")
    assert (again.status_code, again.content) == (201, created.content)
    other = await service.ask("POST", "/v1/games", anna, {**NEW, "clock": "slow"}, idempotency_key="k")
    assert other.json()["type"] == "/problems/key-reused"
    assert (await service.get(url))["clock"] == game["clock"], "shown before everybody sits"
    stranger = await service.ask("PUT", f"{url}/clock", bert, {"clock": None})
    assert (stranger.status_code, stranger.json()["type"]) == (403, "/problems/not-organizer")
    for clock, shown in ((None, None), ({**MINUTE, "quiet": {"begins": 1380, "ends": 420}}, 60)):
        changed = await service.ask("PUT", f"{url}/clock", anna, {"clock": clock})
        assert changed.status_code == 200, changed.text
        assert [each["type"] for each in changed.json()["events"]] == ["clock-set"]
        now = (await service.get(url))["clock"]
        assert (now and now["time"]) == shown
    await service.post(f"{url}/seats", bert, {})
    await service.post(f"{url}/start", anna)
    late = await service.ask("PUT", f"{url}/clock", anna, {"clock": "live"})
    assert (late.status_code, late.json()["rule"]) == (409, "TAB-CLK-01")


@pytest.mark.rule("TAB-CLK-01")
async def test_a_game_for_another_organizer_is_created_with_a_clock_which_they_can_change(
    service: Service, anna: Player, bert: Player
) -> None:
    body = {**NEW, "clock": "fast", "organizer": bert.id}
    game = await service.post("/v1/games", anna, body, idempotency_key="k")
    assert (game["version"], game["organizer"], game["clock"]["time"]) == (2, bert.id, 2 * 24 * 3600)
    assert (await service.post("/v1/games", anna, body, idempotency_key="k"))["id"] == game["id"]
    url = f"/v1/games/{game['id']}"
    for player, status in ((anna, 403), (bert, 200)):
        assert (await service.ask("PUT", f"{url}/clock", player, {"clock": MINUTE})).status_code == status
    export = await service.ask("GET", f"{url}/export")
    verdict = verify(export.content.splitlines(keepends=True), LIBRARY)
    assert verdict.ok, verdict.problem
    (event,) = [each for each in (await service.get(f"{url}/events"))["items"] if each["version"] == 2]
    assert (event["type"], "cause" in event) == ("clock-set", False)


async def test_lists_and_invitations_show_the_clock_before_anybody_sits_down(service: Service, anna: Player) -> None:
    clocks: dict[str, Any] = {"fast": "fast", "own": {**MINUTE, "at_zero": "vacate"}, "none": None}
    games = {
        pace: (await service.post("/v1/games", anna, {**NEW, "title": "Of clocks", "clock": clock}))["id"]
        for pace, clock in clocks.items()
    }
    shown = {game: (await service.get(f"/v1/games/{game}"))["clock"] for game in games.values()}
    assert shown[games["own"]]["at_zero"] == "vacate"
    for pace, game in games.items():
        found = f"/v1/games?clock={pace}&status=gathering&text=clocks"
        await eventually(service, found, lambda page, game=game: [each["id"] for each in page["items"]] == [game])
        invited = await service.post(f"/v1/games/{game}/invitations", anna)
        assert (await service.get(f"/v1/invitations/{invited['token']}"))["game"]["clock"] == shown[game]
    assert (await service.get("/v1/games?clock=slow"))["items"] == []
    for address in ("/v1/games", "/v1/games?text=clocks", "/v1/players/me/games"):
        page = await service.get(address, anna)
        assert {each["id"]: each["clock"] for each in page["items"]} == shown, address


async def test_games_are_listed_without_their_clocks_while_the_lobby_is_built(tmp_path: Path) -> None:
    async with serving(tmp_path, durable=False, projections=False) as service:
        anna = await service.register("Anna")
        await service.post("/v1/games", anna, {**NEW, "clock": "fast"})
        assert [each["clock"] for each in (await service.get("/v1/games"))["items"]] == [None]
        assert (await service.ask("GET", "/v1/games?clock=fast")).status_code == 503


@pytest.mark.rule("TAB-CLK-02")
async def test_a_clock_out_of_bounds_is_refused_with_the_house_rule(service: Service, anna: Player) -> None:
    game = (await service.post("/v1/games", anna, NEW))["id"]
    for wrong, told in (
        ({"time": 0}, "time = 0"),
        ({"time": 365 * 24 * 3600}, "time = 31536000"),
        ({"increment": 91}, "increment = 91"),
        ({"time": 10**30}, "time = 1"),
        ({"at_zero": "end", "cap": 5}, "cap = 5"),
    ):
        clock = {"clock": {**MINUTE, **wrong}}
        for method, path, body in (("POST", "/v1/games", {**NEW, **clock}), ("PUT", f"/v1/games/{game}/clock", clock)):
            answer = await service.ask(method, path, anna, body)
            problem = answer.json()
            assert (answer.status_code, problem["rule"]) == (422, "TAB-CLK-02")
            assert told in problem["detail"]
            assert problem["allowed"].startswith("Expected")
            assert problem["path"] == f"$.clock.{told.split()[0]}"


async def test_a_clock_of_another_shape_is_an_invalid_body(service: Service, anna: Player) -> None:
    for clock in ("eternal", 60, [], {"kind": "sand", "time": 60}, {"kind": "bank"}, {**MINUTE, "seconds": 1}):
        answer = await service.ask("POST", "/v1/games", anna, {**NEW, "clock": clock})
        assert (answer.status_code, answer.json()["type"]) == (422, "/problems/invalid-body"), clock


@pytest.mark.rule("TAB-CLK-03")
async def test_a_game_tells_what_each_seat_has_left_whose_clock_runs_and_the_time(table: Table) -> None:
    await table.wait(10)
    shown = await table.service.get(table.url)
    red, blue = shown["clocks"]["seats"]
    assert (red["left"], red["runs"], blue["left"], blue["runs"], blue["falls_at"]) == (60000, True, 60000, False, None)
    passed = stamped(shown["now"]) - stamped(shown["clocks"]["at"])
    assert timedelta(seconds=10) <= passed < timedelta(seconds=11)
    assert stamped(red["falls_at"]) - stamped(shown["clocks"]["at"]) == timedelta(seconds=62)
    await table.service.give(table.game, table.anna, "put-up", coins=1)
    await table.service.give(table.game, table.anna, "open-bidding")
    state = await table.service.get(f"{table.url}/state")
    red, blue = state["clocks"]["seats"]
    assert (red["runs"], blue["runs"]) == (True, True)
    assert 59_000 < red["left"] <= 60_000, "ten seconds went by, and ten came for the turn"
    assert (await table.service.get(f"{table.url}/snapshot"))["clocks"] == state["clocks"]
    past = await table.service.get(f"{table.url}/state?version=2")
    assert past["clocks"] is None
    without = await table.service.get(f"/v1/games/{await table.service.begun(table.anna, table.bert)}")
    assert (without["clock"], without["clocks"], without["now"]) == (None, None, None)
    await table.proved()


@pytest.mark.rule("TAB-CLK-03")
@pytest.mark.rule("TAB-CLK-08")
async def test_seats_give_time_and_officials_credit_it_also_in_a_pause_in_which_clocks_stand(table: Table) -> None:
    service, url = table.service, table.url
    carla = await service.register("Carla")
    body = {"seat": "red", "seconds": 20}
    given = await service.post(f"{url}/time", table.bert, body, idempotency_key="k")
    assert [each["type"] for each in given["events"]] == ["time-given", "clocks-ran"]
    again = await service.post(f"{url}/time", table.bert, body, idempotency_key="k")
    assert (again["repeated"], again["version"]) == (True, given["version"])
    assert 79_000 < (await table.clock("red"))["left"] <= 80_000
    assert (await table.clock("blue"))["left"] == 60_000
    for seat, seconds, player, problem in (
        ("red", 5, table.anna, (422, "refused", "TAB-CLK-08")),
        ("red", 41, table.bert, (422, "refused", "TAB-CLK-08")),
        ("pink", 5, table.bert, (404, "unknown-seat", "")),
        ("red", 5, carla, (403, "not-seated", "")),
        ("red", 0, table.bert, (422, "invalid-body", "")),
        ("red", LONGEST + 1, table.bert, (422, "invalid-body", "")),
        ("red", 5, None, (401, "missing-token", "")),
    ):
        assert await table.problem("POST", "/time", player, {"seat": seat, "seconds": seconds}) == problem
    assert (await service.ask("PUT", f"{url}/officials/{carla.id}", table.anna)).status_code == 200
    assert await table.problem("POST", "/time", await narrower(service, carla, "play"), body) == (
        403,
        "scope-missing",
        "",
    )
    judge = await narrower(service, carla, "judge")
    credited = await service.post(f"{url}/time", judge, {"seat": "red", "seconds": 500})
    assert [each["type"] for each in credited["events"]] == ["time-credited", "clocks-ran"]
    assert (await table.clock("red"))["left"] == 90_000, "the cap"
    court = Court(service, table.anna, table.bert, carla, carla, table.game)
    ruled = await court.rule(await court.open(table.bert), decision="pause")
    assert ruled.is_success, ruled.text
    red = await table.clock("red")
    assert (red["runs"], red["falls_at"]) == (False, None)
    await table.wait(3600)
    assert (await table.problem("POST", "/time", table.bert, body))[1:] == ("not-now", "TAB-RUL-03")
    await service.post(f"{url}/time", judge, {"seat": "blue", "seconds": 5})
    assert (await service.ask("DELETE", f"{url}/pause", judge)).is_success
    assert (await table.clock("red"))["left"] == red["left"], "the pause was not counted"
    assert (await table.clock("blue"))["left"] == 65_000
    await table.proved()


@pytest.mark.rule("TAB-CLK-05")
@pytest.mark.rule("TAB-CLK-06")
@pytest.mark.parametrize("table", [{**MINUTE, "at_zero": "claim"}], indirect=True)
async def test_a_flag_is_claimed_by_another_seat_or_an_official_when_it_is_due_and_once(table: Table) -> None:
    service, url = table.service, table.url
    carla = await service.register("Carla")
    assert await table.problem("POST", "/flags/red", table.bert) == (409, "not-now", "TAB-CLK-05")
    assert await table.problem("POST", "/flags/pink", table.bert) == (404, "unknown-seat", "")
    assert await table.problem("POST", "/flags/red", carla) == (403, "not-seated", "")
    await table.wait(61.5)
    assert await table.problem("POST", "/flags/red", table.bert) == (409, "not-now", "TAB-CLK-05"), "in its grace"
    await table.wait(2)
    assert await table.problem("POST", "/flags/red", table.anna) == (422, "refused", "TAB-CLK-06"), "of one's own"
    claims = await asyncio.gather(*(service.ask("POST", f"{url}/flags/red", table.bert) for _ in range(5)))
    assert sorted(each.status_code for each in claims) == [200, 409, 409, 409, 409]
    done = next(each.json() for each in claims if each.status_code == 200)
    assert [each["type"] for each in done["events"]][:3] == ["clock-expired", "clocks-ran", "default-given"]
    assert (await table.clock("red"))["flags"] == 1
    assert (await table.clock("red"))["absent"]
    assert (await service.ask("PUT", f"{url}/officials/{carla.id}", table.anna)).status_code == 200
    assert await table.problem("POST", "/flags/red", carla) == (409, "not-now", "TAB-CLK-05")
    await table.proved()


@pytest.mark.rule("TAB-CLK-10")
@pytest.mark.parametrize("table", [{**MINUTE, "days_off": 1}], indirect=True)
async def test_a_seat_takes_its_days_off(table: Table) -> None:
    off = await table.service.post(f"{table.url}/days-off", table.anna)
    assert [each["type"] for each in off["events"]] == ["day-off-taken", "clocks-ran"]
    red = await table.clock("red")
    shown = await table.service.get(table.url)
    assert red["days_off"] == 0
    ends = stamped(shown["clocks"]["at"]) + timedelta(milliseconds=DAY)
    assert abs(stamped(red["off_until"]) - ends) < timedelta(milliseconds=2)
    assert stamped(red["falls_at"]) > ends
    assert await table.problem("POST", "/days-off", table.anna) == (422, "refused", "TAB-CLK-10")
    assert await table.problem("POST", "/days-off", await table.service.register("Carla")) == (403, "not-seated", "")


@pytest.mark.rule("TAB-CLK-03")
async def test_the_time_at_which_a_command_arrives_counts_and_not_that_at_which_its_turn_comes(table: Table) -> None:
    """A command waits for the lock of its game while nine seconds pass."""
    games = table.service.services.games
    await table.service.give(table.game, table.anna, "put-up", coins=1)
    before = (await table.clock("red"))["left"]
    async with games._cache.locked(GameId(table.game)):
        waits = asyncio.create_task(table.service.give(table.game, table.anna, "open-bidding"))
        async with asyncio.timeout(10):
            while not games._in_flight._running:  # noqa: ASYNC110
                await asyncio.sleep(0.005)
        await table.wait(9)
    done = await waits
    assert stamped(done["events"][-1]["at"]) < table.time.now - timedelta(seconds=8)
    assert (await table.clock("red"))["left"] > before + 9000, "the turn brought ten seconds and took almost none"


@pytest.mark.rule("TAB-SEAT-11")
@pytest.mark.parametrize("table", [{**MINUTE, "at_zero": "vacate"}], indirect=True)
async def test_a_player_takes_back_the_seat_that_the_clock_left_open(table: Table) -> None:
    service, accept = table.service, f"{table.url}/seats/red/acceptance"
    assert await table.problem("POST", "/seats/red/acceptance", table.anna) == (422, "refused", "TAB-LIFE-05")
    await table.wait(63)
    await service.services.games.by_clock(GameId(table.game), Fall(Seat("red")))
    red = await table.clock("red")
    assert (red["vacated"], red["left"], (await service.get(table.url))["given_up"]) == (True, 0, ["red"])
    assert await table.problem("POST", "/seats/red/acceptance", table.bert) == (422, "refused", "TAB-LIFE-03")
    taken = await service.post(accept, table.anna, idempotency_key="k")
    assert [each["type"] for each in taken["events"]] == ["seat-taken-over", "clocks-ran"]
    assert (await service.post(accept, table.anna, idempotency_key="k"))["repeated"]
    red = await table.clock("red")
    assert (red["vacated"], red["left"], (await service.get(table.url))["given_up"]) == (False, 10_000, [])
    await table.proved()
