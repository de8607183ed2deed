"""Projections over HTTP: what they tell, what they refuse, and that they follow the log by themselves."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from projections.library import PROJECTIONS
from projections.store import NotBuilt
from service.api.problems.accounts import UNKNOWN_PLAYER
from service.api.problems.games import UNKNOWN_GAME
from service.api.problems.request import INVALID_QUERY
from service.base.settings import DATABASE_URL
from service.cli import main
from service.cli.projections import standings
from service.readmodels import runner
from tests.service.api.serving import Answer, Player, Service, serving
from tests.service.rig import LIBRARY

PATIENCE = 1200
"""How often to look, 25 ms apart: projections give way to whatever keeps the machine busy."""


async def until(service: Service, path: str, **wanted: Any) -> Answer:
    """Ask until the answer has these members: projections follow a moment later."""
    answer: Answer = {}
    for _ in range(PATIENCE):
        asked = await service.ask("GET", path)
        answer = asked.json()
        if asked.status_code == 200 and all(answer.get(name) == value for name, value in wanted.items()):
            return answer
        await asyncio.sleep(0.025)
    raise AssertionError(f"{path} never came to {wanted}: {answer}")


async def caught_up(service: Service) -> None:
    """Return when all projections have folded the whole log."""
    standing = []
    for _ in range(PATIENCE):
        standing = standings(await service.services.rows.generations(), await service.services.store.events())
        if all((each.state, each.behind) == ("live", 0) for each in standing):
            return
        await asyncio.sleep(0.025)
    raise AssertionError(standing)


async def test_the_scoreboard_follows_a_game_to_its_end(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert, rounds=2)
    begun = await until(service, f"/v1/games/{game}/scoreboard", status="running")
    assert (begun["round"], begun["heading"], begun["ended"], begun["winners"]) == (1, "Round 1", None, [])
    await service.play_out(game, anna, bert)
    over = await until(service, f"/v1/games/{game}/scoreboard", status="over")
    assert over["version"] == (await service.get(f"/v1/games/{game}"))["version"]
    assert over["winners"] == (await service.get(f"/v1/games/{game}"))["result"]["winners"]
    assert over["ended_by"] == "TA-END-01"
    assert [each["round"] for each in over["rounds"]] == [1, 2]
    final = (await service.get(f"/v1/games/{game}/state"))["view"]["coins"]
    assert {seat: score["coins"] for seat, score in over["rounds"][-1]["scores"].items()} == final


async def test_the_timeline_is_read_page_by_page(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert, rounds=2)
    await service.play_out(game, anna, bert)
    await caught_up(service)
    whole = await service.get(f"/v1/games/{game}/timeline")
    assert [entry["kind"] for entry in whole["items"]][-1] == "end"
    items, cursor = [], ""
    while cursor is not None:
        page = await service.get(f"/v1/games/{game}/timeline?limit=2{cursor and f'&cursor={cursor}'}")
        items, cursor = items + page["items"], page["next"]
    assert items == whole["items"]


async def test_a_record_counts_games_and_wins(service: Service, anna: Player, bert: Player) -> None:
    assert await until(service, f"/v1/players/{bert.id}/record", finished=0, rulesets=[])
    game = await service.begun(anna, bert, rounds=1)
    await service.play_out(game, anna, bert)
    seats = {seat["seat"]: seat["player"] for seat in (await service.get(f"/v1/games/{game}"))["seats"]}
    winners = {seats[seat] for seat in (await service.get(f"/v1/games/{game}"))["result"]["winners"]}
    for player in (anna, bert):
        record = await until(service, f"/v1/players/{player.id}/record", finished=1)
        assert record["won"] == record["rulesets"][0]["won"] == int(player.id in winners)


async def test_games_are_found_by_their_titles(service: Service, anna: Player, bert: Player) -> None:
    for title in ("Tuesday at Livia's", "Tuesday, the second table", "WÖCHENTLICH", "50% off"):
        await service.post("/v1/games", anna, {"ruleset": "tiny-auction", "players": 2, "title": title})
    newest = await service.gathering(bert)

    async def titles(query: str) -> list[str]:
        return [game["title"] for game in (await service.get(f"/v1/games?{query}"))["items"]]

    await caught_up(service)
    assert await titles("text=tuesday") == ["Tuesday, the second table", "Tuesday at Livia's"]
    assert await titles("text=second+TUESDAY") == ["Tuesday, the second table"]
    assert await titles("text=w%C3%B6chent") == ["WÖCHENTLICH"]
    assert await titles("text=0%25") == ["50% off"]
    assert await titles("text=tuesday&status=running") == []
    assert await titles(f"text=auction&player={bert.id}") == [""]
    (found,) = (await service.get(f"/v1/games?text={newest}"))["items"]
    assert found == next(game for game in (await service.get("/v1/games"))["items"] if game["id"] == newest)

    first = await service.get("/v1/games?text=tuesday&limit=1")
    second = await service.get(f"/v1/games?text=tuesday&limit=1&cursor={first['next']}")
    assert [game["title"] for game in (*first["items"], *second["items"])] == await titles("text=tuesday")
    assert second["next"] is None
    assert await titles(f"cursor={first['next']}") == ["Tuesday at Livia's"], "the same cursor, without words"


async def test_refusals_are_counted_by_rule(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    for _ in range(3):
        orders = {"command": {"type": "put-up", "coins": 99}}
        assert (await service.ask("POST", f"/v1/games/{game}/commands", anna, orders)).status_code == 422
        assert (await service.ask("POST", f"/v1/games/{game}/commands/check", anna, orders)).status_code == 422
    assert (await service.ask("POST", f"/v1/games/{game}/start", anna)).status_code == 409
    await service.give(game, anna, "put-up", coins=1)
    found: list[Answer] = []
    for _ in range(PATIENCE):
        found = (await until(service, "/v1/statistics/rules?ruleset=tiny-auction", next=None))["items"]
        if len(found) == 2 and found[0]["per_command"] is not None:
            break
        await asyncio.sleep(0.025)
    assert [(each["rule"], each["refusals"]) for each in found] == [("TA-PUT-01", 3), ("TAB-LIFE-02", 1)]
    assert found[0]["per_command"] == 3
    assert all(each["title"] for each in found)
    assert (await service.get("/v1/statistics/rules?ruleset=chess"))["items"] == []


async def test_dice_are_counted_and_tested(service: Service, anna: Player, bert: Player) -> None:
    assert (await until(service, "/v1/statistics/dice", next=None))["items"] == []
    rolled: dict[str, int] = {}
    while len(rolled) < 3:  # in every second game nobody ties
        game = await service.begun(anna, bert)
        await service.play_out(game, anna, bert)
        events = (await service.get(f"/v1/games/{game}/events?limit=500"))["items"]
        faces = [face for each in events if each["type"] == "tie-rolled" for face in each["event"]["roll"]["faces"]]
        if faces:
            rolled[game] = len(faces)
    for game, dice in rolled.items():
        items: list[Answer] = []
        for _ in range(PATIENCE):
            items = (await service.get(f"/v1/statistics/dice?game={game}"))["items"]
            if items and items[0]["rolled"] == dice:
                break
            await asyncio.sleep(0.025)
        (tally,) = items
        assert (tally["ruleset"], tally["die"], tally["rolled"]) == ("tiny-auction", "d6", dice)
        assert sum(face["times"] for face in tally["faces"]) == dice
        assert tally["fairness"] is None
    (whole,) = (await service.get("/v1/statistics/dice?ruleset=tiny-auction"))["items"]
    assert whole["rolled"] == sum(rolled.values())


async def test_what_there_is_not_is_not_found(service: Service) -> None:
    for path, problem in {
        "/v1/games/gone/scoreboard": UNKNOWN_GAME,
        "/v1/games/gone/timeline": UNKNOWN_GAME,
        "/v1/players/gone/record": UNKNOWN_PLAYER,
        "/v1/games/gone/timeline?cursor=zzz": INVALID_QUERY,
        "/v1/games/gone/timeline?cursor=WzFlMzAsImEiXQ==": INVALID_QUERY,
        "/v1/games?text=": INVALID_QUERY,
        "/v1/games?text=a&cursor=5": INVALID_QUERY,
        "/v1/statistics/dice?face=6": INVALID_QUERY,
    }.items():
        answer = await service.ask("GET", path)
        assert answer.json()["type"] == problem.type, path


async def test_projections_that_are_not_built_say_so(tmp_path: Path) -> None:
    async with serving(tmp_path, durable=False, projections=False) as service:
        answer = await service.ask("GET", "/v1/statistics/dice")
        assert answer.status_code == 503
        assert answer.headers["retry-after"]
        with pytest.raises(NotBuilt):
            await service.services.rows.select(_dice(), "SELECT 1 FROM {faces}")


def _dice() -> Any:
    from projections.dice import DICE

    return DICE


async def test_a_lost_file_of_projections_is_built_anew(tmp_path: Path) -> None:
    async with serving(tmp_path, durable=False) as service:
        anna, bert = await service.register("Anna"), await service.register("Bert")
        game = await service.begun(anna, bert, rounds=1)
        await service.play_out(game, anna, bert)
        before = await until(service, f"/v1/games/{game}/scoreboard", status="over")
    for damage in (lambda path: path.unlink(), lambda path: path.write_bytes(b"no database at all, " * 1000)):
        for suffix in ("-wal", "-shm"):
            (tmp_path / f"projections.db{suffix}").unlink(missing_ok=True)
        damage(tmp_path / "projections.db")
        async with serving(tmp_path, durable=False) as service:
            assert await until(service, f"/v1/games/{game}/scoreboard", status="over") == before


# --- the command line -------------------------------------------------------------------------------------------------


async def test_projections_are_rebuilt_from_the_command_line_while_the_service_goes_on(
    service: Service, anna: Player, bert: Player
) -> None:
    game = await service.begun(anna, bert, rounds=1)
    await service.play_out(game, anna, bert)
    before = await until(service, f"/v1/games/{game}/scoreboard", status="over")
    settings = service.services.settings
    environment = {**os.environ, "TABULARIUM_DATA": str(settings.data), DATABASE_URL: settings.database_url}

    async def command(*arguments: str) -> tuple[int, str]:
        called = (sys.executable, "-m", "service.cli", "projections", *arguments)
        process = await asyncio.create_subprocess_exec(*called, stdout=asyncio.subprocess.PIPE, env=environment)
        said, _ = await process.communicate()
        assert process.returncode is not None
        return process.returncode, said.decode()

    code, said = await command("status")
    assert (code, said.count("live")) == (0, len(PROJECTIONS) + 1), said  # ratings have a row of their own
    # The command line knows the rulesets of the package alone, and not the tiny one: what needs a ruleset stops.
    code, said = await command("rebuild", "scoreboard")
    assert code == 1
    assert "stopped at version" in said
    assert "stay as they were" in said
    code, said = await command("rebuild", "lobby")
    assert code == 0, said
    assert "lobby" in said
    assert await until(service, f"/v1/games/{game}/scoreboard", status="over") == before
    code, said = await command("status", "--json")
    assert '"trouble"' in said
    found = await service.services.rows.generations()
    assert {each.projection: each.number for each in found if each.live}["lobby"] == 2
    code, said = await command("rebuild", "lobby", "--processes", "2")
    assert code == 0, said
    found = await service.services.rows.generations()
    assert {each.projection: each.number for each in found if each.live}["lobby"] == 3

    code, said = await command("rebuild", "ratings")
    assert (code, "ratings" in said) == (0, True), said
    code, said = await command("rebuild", "rating")
    assert code == 2

    await found_in_lobby(service, await service.gathering(anna))


async def found_in_lobby(service: Service, game: str) -> None:
    """Return when the lobby lists a game."""
    for _ in range(800):
        asked = await service.ask("GET", f"/v1/games?text={game}")
        if asked.status_code == 200 and asked.json()["items"]:
            return
        await asyncio.sleep(0.025)
    raise AssertionError("nobody follows the log")


async def test_projections_are_kept_by_processes_of_their_own_of_which_one_may_be_killed(
    tmp_path: Path, database_url: str
) -> None:
    environment = {**os.environ, "TABULARIUM_DATA": str(tmp_path), DATABASE_URL: database_url}
    called = (sys.executable, "-m", "service.cli", "projections", "run")
    async with serving(tmp_path, durable=False, projections=False, database_url=database_url) as service:
        first = await asyncio.create_subprocess_exec(*called, env=environment)
        anna = await service.register("Anna")
        await found_in_lobby(service, await service.gathering(anna))
        second = await asyncio.create_subprocess_exec(*called, env=environment)
        first.kill()
        await first.wait()
        await found_in_lobby(service, await service.gathering(anna))
        second.terminate()
        assert await second.wait() == 0


def test_the_command_line_names_what_there_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, said in {
        ("rebuild", "chess"): "known: lobby, scoreboard",
        ("status", "--data", str(tmp_path)): "contains no database",
    }.items():
        with pytest.raises(SystemExit) as ended:
            main(["projections", *arguments])
        assert ended.value.code == 2
        assert said in capsys.readouterr().err


async def test_a_second_runner_beside_the_service_counts_nothing_twice(
    service: Service, anna: Player, bert: Player
) -> None:
    rows: Any = service.services.rows
    beside = runner(service.services.store, rows, LIBRARY)
    for _ in range(3):
        game = await service.begun(anna, bert, rounds=1)
        await asyncio.gather(service.play_out(game, anna, bert), beside.catch_up())
        board = await until(service, f"/v1/games/{game}/scoreboard", status="over")
        events = (await service.get(f"/v1/games/{game}/events?limit=500"))["items"]
        assert board["commands"] == sum("command" in each.get("cause", {}) for each in events)
