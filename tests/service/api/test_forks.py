"""Forks over HTTP: who makes one, where it is listed, and where it is not."""

from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from domain.boards import builtin
from domain.kernel.proof.verify import verify
from domain.kernel.rules import schema
from domain.library import LIBRARY as GAMES
from service.games.forks import MOST_ANALYSES
from tests.service.api.serving import Player, Service, serving
from tests.service.rig import LIBRARY


@pytest.fixture
async def over(service: Service, anna: Player, bert: Player) -> str:
    """The address of a game of Anna and Bert that is over."""
    game = await service.begun(anna, bert, rounds=2)
    await service.play_out(game, anna, bert)
    return f"/v1/games/{game}"


async def start_of(service: Service, url: str) -> int:
    """Return the version at which the game waited for its first command."""
    events = (await service.get(f"{url}/events?limit=500"))["items"]
    return next(event["version"] for event in events if "command" in event.get("cause", {})) - 1


async def fork(service: Service, url: str, player: Player, **more: Any) -> dict[str, Any]:
    return await service.post(f"{url}/forks", player, {"version": await start_of(service, url), **more})


def wrong(answer: httpx.Response) -> tuple[int, str, str]:
    body = answer.json()
    return answer.status_code, body["type"].removeprefix("/problems/"), body.get("rule", "")


@pytest.mark.rule("TAB-FORK-03")
async def test_everybody_makes_an_analysis_of_a_game_that_is_over_and_plays_it(service: Service, over: str) -> None:
    carl = await service.register("Carl")
    version = await start_of(service, over)
    made = await service.ask("POST", f"{over}/forks", carl, {"version": version, "title": "What if?"})
    assert made.status_code == 201
    shown = made.json()
    url = made.headers["location"]
    assert shown["fork"] == {
        "parent": over.rpartition("/")[2],
        "version": version,
        "purpose": "analysis",
        "withheld": None,
    }
    assert (shown["title"], shown["status"], shown["organizer"], shown["version"]) == (
        "What if?",
        "running",
        carl.id,
        1,
    )
    assert {seat["player"] for seat in shown["seats"]} == {carl.id}
    assert (await service.get(over))["fork"] is None
    assert wrong(await service.ask("GET", f"{url}/scoreboard")) == (404, "not-counted", "")
    before, after = await service.get(f"{over}/state?version={version}"), await service.get(f"{url}/state")
    assert before["decisions"] == after["decisions"]
    await service.play_out(shown["id"], carl)
    export = await service.ask("GET", f"{url}/export")
    verdict = verify(export.content.splitlines(keepends=True), LIBRARY)
    assert (verdict.ok, verdict.status, verdict.unproved) == (True, "over", ()), verdict.problem


async def test_forks_are_marked_and_only_in_the_lists_where_they_belong(
    service: Service, over: str, anna: Player
) -> None:
    carl = await service.register("Carl")
    made = [(await fork(service, over, carl, title=str(number)))["id"] for number in range(3)]
    listed = (await service.get(f"{over}/forks"))["items"]
    assert [each["id"] for each in listed] == made[::-1]
    assert {each["fork"]["purpose"] for each in listed} == {"analysis"}
    page = await service.get(f"{over}/forks?limit=2")
    rest = await service.get(f"{over}/forks?limit=2&cursor={page['next']}")
    assert [each["id"] for each in (*page["items"], *rest["items"])] == made[::-1]
    for query in ("", "?status=running", f"?player={carl.id}", f"?waiting_for={carl.id}"):
        games = (await service.get(f"/v1/games{query}"))["items"]
        assert not {each["id"] for each in games} & set(made), query
    mine = (await service.get("/v1/players/me/games", carl))["items"]
    assert [each["id"] for each in mine] == made[::-1]
    assert all(each["fork"] for each in mine)
    assert (await service.get("/v1/players/me/games?waiting=true", carl))["items"] == []
    assert (await service.get("/v1/players/me/games", anna))["items"][0]["fork"] is None
    assert (await service.ask("GET", "/v1/games/gnone/forks")).status_code == 404


@pytest.mark.rule("TAB-LIM-04")
async def test_a_game_has_ten_continuations_at_most(
    service: Service, over: str, anna: Player, bert: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.games.forks.MOST_CONTINUATIONS", 1)
    made = await fork(service, over, bert, purpose="continuation")
    wish = {"version": made["fork"]["version"], "purpose": "continuation"}
    refused = await service.ask("POST", f"{over}/forks", bert, wish)
    assert (refused.status_code, refused.json()["rule"]) == (409, "TAB-LIM-04")
    assert (await service.ask("DELETE", f"/v1/games/{made['id']}", anna)).status_code == 200
    await fork(service, over, bert, purpose="continuation")


@pytest.mark.rule("TAB-FORK-04")
async def test_the_same_players_confirm_a_continuation_and_go_on(
    service: Service, over: str, anna: Player, bert: Player
) -> None:
    made = await fork(service, over, bert, purpose="continuation")
    url = f"/v1/games/{made['id']}"
    assert (made["status"], made["organizer"]) == ("gathering", anna.id)
    carl = await service.register("Carl")
    assert wrong(await service.ask("POST", f"{url}/seats", carl, {}))[1] == "seat-taken"
    for player in (anna, bert):
        await service.post(f"{url}/seats", player, {"entropy": "mine"})
    await service.play_out(made["id"], anna, bert)
    assert (await service.get("/v1/players/me/games", bert))["items"][0]["id"] == made["id"]


@pytest.mark.rule("TAB-FORK-04")
async def test_a_ruling_lets_a_game_that_is_over_continue_without_waiting_for_all(
    service: Service, anna: Player, bert: Player
) -> None:
    julia, game = await service.register("Julia"), await service.begun(anna, bert, rounds=2)
    over = f"/v1/games/{game}"
    assert (await service.ask("PUT", f"{over}/officials/{julia.id}", anna)).status_code == 200
    await service.play_out(game, anna, bert)
    opened = await service.post(f"{over}/cases", anna, {"kind": "dice", "version": 4, "statement": "Those dice!"})
    case = f"/v1/cases/{opened['summary']['case']}"
    end = (await service.get(f"{over}/events?limit=500"))["items"][-1]
    fork_id = (await fork(service, over, anna, purpose="continuation"))["id"]
    ruling = {"decision": "continue", "rules": ["TAB-FORK-04"], "reason": "Roll them again.", "to": fork_id}
    ruling |= {"version": end["version"], "hash": end["hash"]}
    for to in ("gnone", game, 5):
        refused = await service.ask("POST", f"{case}/rulings", julia, ruling | {"to": to})
        assert wrong(refused)[2] == "TAB-RUL-09", refused.text
    await service.post(f"/v1/games/{fork_id}/seats", bert, {"entropy": "mine"})
    await service.post(f"{case}/rulings", julia, ruling)
    shown = await service.get(f"/v1/games/{fork_id}")
    assert shown["status"] == "running"
    assert {seat["player"] for seat in shown["seats"]} == {anna.id, bert.id}
    assert (await service.get("/v1/players/me/games", anna))["items"][0]["id"] == fork_id
    await service.play_out(fork_id, anna, bert)
    export = await service.ask("GET", f"/v1/games/{fork_id}/export")
    assert verify(export.content.splitlines(keepends=True), LIBRARY).ok


@pytest.mark.rule("TAB-FORK-02")
async def test_nobody_forks_what_a_game_hides_while_it_runs(service: Service, anna: Player, bert: Player) -> None:
    game = f"/v1/games/{await service.begun(anna, bert)}"
    now = (await service.get(game))["version"]
    for player in (anna, bert, await service.register("Carl")):
        answer = await service.ask("POST", f"{game}/forks", player, {"version": now})
        assert wrong(answer) == (409, "fork-hides", "TAB-FORK-02")
    assert (await service.get(f"{game}/forks"))["items"] == []


@pytest.mark.rule("TAB-FORK-05")
@pytest.mark.parametrize("forks", ["players", "officials"])
async def test_where_nothing_is_hidden_those_who_take_part_fork_unless_the_creator_forbids_it(
    tmp_path: Path, database_url: str, forks: str
) -> None:
    async with serving(tmp_path, GAMES, builtin, durable=False, database_url=database_url) as service:
        anna, bert, carl = [await service.register(name) for name in ("Anna", "Bert", "Carl")]
        shown = await service.post(
            "/v1/games", anna, {"ruleset": "conquest-classic-friz", "players": 2, "forks": forks}
        )
        url = f"/v1/games/{shown['id']}"
        assert shown["forks"] == forks
        for player in (anna, bert):
            await service.post(f"{url}/seats", player, {})
        version = (await service.post(f"{url}/start", anna))["version"]
        for player in (anna, bert, carl):
            answer = await service.ask("POST", f"{url}/forks", player, {"version": version})
            if forks == "officials" or player is carl:
                assert wrong(answer) == (409, "not-now", "TAB-FORK-05")
                continue
            assert answer.status_code == 201
            made = f"/v1/games/{answer.json()['id']}"
            option = (await service.get(f"{made}/options", player))["options"][0]
            await service.post(f"{made}/commands", player, {"command": schema.sample(option["schema"], Random(1))})


@pytest.mark.rule("TAB-FORK-06")
async def test_an_account_has_so_many_open_analyses_and_closes_them(
    service: Service, over: str, anna: Player, bert: Player
) -> None:
    made = [await fork(service, over, anna, title=str(number)) for number in range(MOST_ANALYSES)]
    body = {"version": await start_of(service, over)}
    assert wrong(await service.ask("POST", f"{over}/forks", anna, body)) == (409, "not-now", "TAB-FORK-06")
    await fork(service, over, bert)
    last = f"/v1/games/{made[-1]['id']}"
    assert wrong(await service.ask("DELETE", last, bert))[:2] == (403, "not-organizer")
    closed = await service.ask("DELETE", last, anna)
    assert (closed.status_code, closed.json()["events"][0]["type"]) == (200, "game-cancelled")
    assert (await service.get(last))["status"] == "cancelled"
    assert (await service.ask("POST", f"{over}/forks", anna, body)).status_code == 201


async def test_a_repeated_request_makes_one_fork(service: Service, over: str, anna: Player) -> None:
    body = {"version": await start_of(service, over)}
    first = await service.ask("POST", f"{over}/forks", anna, body, idempotency_key="k")
    for number in range(MOST_ANALYSES - 1):
        await fork(service, over, anna, title=str(number))
    again = await service.ask("POST", f"{over}/forks", anna, body, idempotency_key="k")
    assert (again.status_code, again.json()["id"]) == (201, first.json()["id"])
    assert again.headers["location"] == first.headers["location"]
    other = await service.ask("POST", f"{over}/forks", anna, {**body, "title": "?"}, idempotency_key="k")
    assert wrong(other)[:2] == (422, "key-reused")


@pytest.mark.rule("TAB-FORK-01")
async def test_a_game_that_is_not_a_fork_is_refused(service: Service, over: str, anna: Player) -> None:
    end = (await service.get(over))["version"]
    for version in (1, end):
        refused = await service.ask("POST", f"{over}/forks", anna, {"version": version})
        assert wrong(refused) == (422, "refused", "TAB-FORK-01")
    assert wrong(await service.ask("POST", f"{over}/forks", anna, {"version": end + 1}))[1] == "unknown-version"
    for body in ({}, {"version": 0}, {"version": 2**60}, {"version": "5"}, {"version": 5, "purpose": "fun"}, {"to": 5}):
        assert wrong(await service.ask("POST", f"{over}/forks", anna, body))[1] == "invalid-body"
    assert wrong(await service.ask("POST", f"{over}/forks", None, {"version": 5}))[1] == "missing-token"


async def test_the_stream_of_an_account_tells_of_its_new_forks(service: Service, over: str) -> None:
    carl = await service.register("Carl")
    made = await fork(service, over, carl)
    async with service.client.stream("GET", "/v1/players/me/events/stream?after=0", headers=carl.headers) as answer:
        async for text in answer.aiter_text():
            if made["id"] in text:
                assert "game-forked" in text
                break
