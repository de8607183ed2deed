"""Organizing over HTTP: who lets whom seat them, seats that are assigned and confirmed, games created together."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from domain.kernel.proof.verify import verify
from service.base.clock import written
from tests.service.api.serving import Answer, Player, Service
from tests.service.rig import LIBRARY

TABLE = {"ruleset": "tiny-auction", "players": 2}


@pytest.fixture
async def club(service: Service) -> tuple[Service, Player, Player, Player]:
    """Return an organizer and two players who let them seat them."""
    anna, bert, carl = [await service.register(name) for name in ("Anna", "Bert", "Carl")]
    for player in (bert, carl):
        await put(service, f"/v1/players/me/consents/{anna.id}", player)
    return service, anna, bert, carl


async def put(service: Service, path: str, player: Player) -> Answer:
    answer = await service.ask("PUT", path, player)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def wrong(service: Service, method: str, path: str, player: Player, body: Any = None) -> tuple[int, str]:
    answer = await service.ask(method, path, player, body)
    return answer.status_code, answer.json()["type"].removeprefix("/problems/")


async def create(service: Service, player: Player, *games: Any, key: str | None = None, **wish: Any) -> Answer:
    headers = {} if key is None else {"idempotency_key": key}
    answer = await service.ask("POST", "/v1/bulks", player, {"games": games, **wish}, **headers)
    assert answer.status_code == 202, answer.text
    assert answer.headers["location"] == f"/v1/bulks/{answer.json()['id']}"
    return answer.json()


async def became(service: Service, player: Player, bulk: str, *statuses: str) -> list[Answer]:
    """Return what became of the games of a bulk as soon as it is what is expected."""
    games = list[Answer]()
    for _ in range(400):
        games = (await service.get(f"/v1/bulks/{bulk}", player))["games"]
        if tuple(each["status"] for each in games) == statuses:
            return games
        await asyncio.sleep(0.05)
    raise AssertionError(games)


async def test_an_account_says_which_organizers_may_seat_it(club: tuple[Service, Player, Player, Player]) -> None:
    service, anna, bert, carl = club
    url = "/v1/players/me/consents"
    assert [each["organizer"] for each in (await service.get(url, bert))["items"]] == [anna.id]
    first = await put(service, f"{url}/{carl.id}", bert)
    assert await put(service, f"{url}/{carl.id}", bert) == first
    left = await service.ask("DELETE", f"{url}/{anna.id}", bert)
    assert [each["organizer"] for each in left.json()["items"]] == [carl.id]
    assert (await service.ask("DELETE", f"{url}/{anna.id}", bert)).json() == left.json()
    assert await wrong(service, "PUT", f"{url}/pnobody", bert) == (404, "unknown-player")
    assert await wrong(service, "PUT", f"{url}/{bert.id}", bert) == (404, "unknown-player")


@pytest.mark.rule("TAB-SEAT-08")
@pytest.mark.rule("TAB-SEAT-09")
async def test_a_seat_is_assigned_to_who_agreed_confirmed_and_proved(
    club: tuple[Service, Player, Player, Player],
) -> None:
    service, anna, bert, carl = club
    game = (await service.post("/v1/games", anna, TABLE))["id"]
    red, blue = (f"/v1/games/{game}/seats/{seat}" for seat in ("red", "blue"))
    dora = await service.register("Dora")
    assert await wrong(service, "POST", f"{red}/assignment", anna, {"player": dora.id}) == (409, "not-consented")
    assert await wrong(service, "POST", f"{red}/assignment", bert, {"player": bert.id}) == (403, "not-organizer")
    await service.post(f"{red}/assignment", anna, {"player": carl.id})
    answers = [
        await service.ask("POST", f"{red}/assignment", anna, {"player": bert.id}, idempotency_key="k") for _ in range(2)
    ]
    assert answers[0].json()["events"][0]["event"] == {"type": "seat-assigned", "seat": "red", "player": bert.id}
    assert answers[1].json()["version"] == answers[0].json()["version"]
    assert (await service.get(f"/v1/games/{game}"))["assigned"] == ["red"]
    assert await wrong(service, "POST", f"{red}/confirmation", carl, {}) == (422, "refused")
    await service.post(f"{red}/confirmation", bert, {"entropy": "dice of bert"})
    assert await wrong(service, "POST", f"{red}/assignment", anna, {"player": carl.id}) == (422, "refused")
    await service.post(f"{blue}/assignment", anna, {"player": carl.id})
    await service.post(f"/v1/games/{game}/start", anna)
    assert await wrong(service, "POST", f"{blue}/confirmation", carl, {}) == (409, "not-now")
    await service.play_out(game, bert, carl)
    export = await service.ask("GET", f"/v1/games/{game}/export")
    verdict = verify(export.content.splitlines(keepends=True), LIBRARY)
    assert (verdict.ok, verdict.status) == (True, "over"), verdict
    mine = (await service.get("/v1/players/me/games", bert))["items"]
    assert [each["id"] for each in mine] == [game]


async def test_games_are_created_together_and_who_is_seated_is_told(
    club: tuple[Service, Player, Player, Player],
) -> None:
    service, anna, bert, carl = club
    seats = {"red": bert.id, "blue": carl.id}
    games = [{**TABLE, "title": f"Table {each}", "seats": seats, "clock": "live"} for each in range(1, 41)]
    made = await create(service, anna, *games, key="evening")
    assert [each["status"] for each in made["games"]] == ["queued"] * 40
    opened = await became(service, anna, made["id"], *["open"] * 40)
    assert (await create(service, anna, *games, key="evening"))["id"] == made["id"]
    assert len({each["game"] for each in opened}) == 40
    mine = (await service.get("/v1/players/me/games?limit=100", carl))["items"]
    assert {each["id"] for each in mine} == {each["game"] for each in opened}
    first = await service.get(f"/v1/games/{opened[0]['game']}", anna)
    assert (first["title"], first["organizer"]) == ("Table 1", anna.id)
    assert first["clock"] is not None
    assert await wrong(service, "GET", f"/v1/bulks/{made['id']}", bert) == (404, "unknown-bulk")


async def test_what_is_wrong_with_any_game_is_named_and_none_is_created(
    club: tuple[Service, Player, Player, Player],
) -> None:
    service, anna, bert, carl = club
    dora = await service.register("Dora")
    games = [{**TABLE, "seats": {"red": bert.id}}, {**TABLE, "seats": {"red": carl.id, "blue": dora.id}}]
    answer = await service.ask("POST", "/v1/bulks", anna, {"games": games})
    told = answer.json()
    assert (answer.status_code, told["type"]) == (422, "/problems/bulk-refused")
    assert told["faults"] == [{"game": 2, "seat": "blue", "detail": f"'{dora.id}' does not let you seat them."}]
    assert (await service.get("/v1/players/me/games", bert))["items"] == []
    assert await wrong(service, "POST", "/v1/bulks", anna, {"games": []}) == (422, "invalid-body")
    assert await wrong(service, "POST", "/v1/bulks", anna, {"games": [TABLE] * 101}) == (422, "invalid-body")
    late = {"games": [TABLE], "starts_at": "2026-11-27T19:00:00"}
    assert await wrong(service, "POST", "/v1/bulks", anna, late) == (422, "invalid-body")


@contextlib.asynccontextmanager
async def followed(service: Service, path: str, player: Player, **headers: str) -> AsyncIterator[list[Answer]]:
    """Lend the frames of a stream that ends."""
    frames = list[Answer]()
    sent = {**player.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
    async with service.client.stream("GET", path, headers=sent, timeout=30) as answer:
        assert answer.status_code == 200
        async for line in answer.aiter_lines():
            if line.startswith("data:"):
                frames.append(json.loads(line.removeprefix("data:")))
    yield frames


async def test_a_stream_tells_what_becomes_of_games_until_all_have_started_or_were_cancelled(
    club: tuple[Service, Player, Player, Player],
) -> None:
    service, anna, bert, carl = club
    now = written(service.services.games._clock())
    seats = {"red": bert.id, "blue": carl.id}
    made = await create(service, anna, {**TABLE, "seats": seats, "starts_at": now}, TABLE, TABLE)
    url = f"/v1/bulks/{made['id']}"
    await became(service, anna, made["id"], "started", "open", "open")
    cancelled = await service.ask("DELETE", url, anna)
    assert (cancelled.status_code, cancelled.json()["cancelled"] is not None) == (202, True)
    async with followed(service, f"{url}/stream", anna) as frames:
        pass
    assert {each["number"]: each["status"] for each in frames} == {1: "started", 2: "cancelled", 3: "cancelled"}
    last = max(each["changed"] for each in frames)
    async with followed(service, f"{url}/stream", anna, last_event_id=str(last - 1)) as again:
        pass
    assert [each["changed"] for each in again] == [last]
    await became(service, anna, made["id"], "started", "cancelled", "cancelled")
    assert await wrong(service, "GET", f"{url}/stream", bert) == (404, "unknown-bulk")
    assert await wrong(service, "DELETE", url, bert) == (404, "unknown-bulk")
