"""The service over two PostgreSQL servers: whole games on both, and what goes on while one of them is away."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from domain.kernel.ids import GameId, book_of
from domain.kernel.proof.verify import verify
from service.bots import playing
from service.store.postgres.books import ALL, spans
from service.transparency.keys import new_key
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_forks import start_of
from tests.service.bots.test_playing import QUICK, play_out, seat_bots
from tests.service.rig import LIBRARY
from tests.service.store.adapters import servers
from tests.service.store.test_spread import HALF, away

Pair = tuple[Service, Service, str]


@pytest.fixture
async def pair(tmp_path: Path) -> AsyncIterator[Pair]:
    """Two processes over the same two servers, and the address of the server that is not the home."""
    async with servers(HALF) as kept, AsyncExitStack() as stack:
        home, other = kept
        settings: dict[str, Any] = {**QUICK, "database_url": home, "book_servers": f"{spans(ALL - HALF)}={other}"}
        key = new_key("games.example/log", bytes)
        one = await stack.enter_async_context(serving(tmp_path / "one", log_key=key, **settings))
        two = await stack.enter_async_context(
            serving(tmp_path / "two", bots=0, projections=False, transparency=False, **settings)
        )
        yield one, two, other


async def seated_on(service: Service, player: Player, *, home: bool) -> GameId:
    """Return a game on the home or on the other server, in which a player sits on the first seat."""
    while True:
        made = await service.post("/v1/games", player, {"ruleset": "tiny-auction", "players": 2, "setup": {}})
        game = GameId(made["id"])
        if (book_of(game) in HALF) == home:
            await service.post(f"/v1/games/{game}/seats", player, {})
            return game


async def test_games_with_bots_forks_and_cases_are_played_on_both_servers(pair: Pair) -> None:
    one, two, _ = pair
    anna = await one.register("Anna")
    games: list[GameId] = []
    for home in (True, False):
        game = await seated_on(one, anna, home=home)
        await seat_bots(one, anna, game)
        url = f"/v1/games/{game}"
        complaint = {"kind": "slip", "version": 3, "statement": "I clicked on the wrong one."}
        case = (await two.post(f"{url}/cases", anna, complaint))["summary"]["case"]
        await play_out(one, anna, game)
        fork = (await two.post(f"{url}/forks", anna, {"version": await start_of(one, url)}))["id"]
        assert {book_of(each) for each in (case, fork)} == {book_of(game)}
        assert [each["case"] for each in (await one.get(f"{url}/cases", anna))["items"]] == [case]
        assert [each["id"] for each in (await two.get(f"{url}/forks", anna))["items"]] == [fork]
        export = await two.client.get(f"{url}/export", headers=anna.headers)
        assert verify(export.content.splitlines(keepends=True), LIBRARY).status == "over"
        async with asyncio.timeout(30):
            for stream in (game, case, fork):
                while await one.services.store.tree.logged(stream) is None:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
        games += [game, fork]
    for service in (one, two):
        listed = [each["id"] for each in (await service.get("/v1/games?limit=100"))["items"]]
        assert {games[0], games[2]} <= {*listed}
        over = [each["id"] for each in (await service.get("/v1/games?status=over&limit=1"))["items"]]
        assert over == [games[2]]
    async with asyncio.timeout(30):
        while (await one.get(f"/v1/players/{anna.id}/record"))["finished"] < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def test_while_a_server_is_away_its_games_answer_503_and_others_go_on(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "POLL", 0.02)  # bots look so often while they cannot be told
    one, two, other = pair
    anna = await one.register("Anna")
    here, there = [await seated_on(one, anna, home=home) for home in (True, False)]
    for game in (here, there):
        await seat_bots(one, anna, game)
    put_up = {"command": {"type": "put-up", "coins": 1}}
    # To write all that led to a 503 into the journal takes a second each time.
    with capture_logs():
        async with away(other):
            for service, method, path, body in ((one, "GET", "", None), (two, "POST", "/commands", put_up)):
                answer = await service.ask(method, f"/v1/games/{there}{path}", anna, body)
                assert answer.status_code == 503, answer.text
                assert int(answer.headers["retry-after"]) >= 1
            await play_out(one, anna, here)
            assert (await two.get(f"/v1/games/{here}"))["status"] == "over"
            assert (await two.client.get("/ready")).status_code == 200
        async with asyncio.timeout(30):
            for service in (one, two):
                while (await service.ask("GET", f"/v1/games/{there}")).status_code == 503:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
    await play_out(two, anna, there)
