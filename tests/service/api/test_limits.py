"""Rate limits over HTTP: who sends too much gets 429 and is told when to come again; nobody else notices."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from domain.kernel.ids import PlayerId
from tests.helpers.redis import server
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_streams import socket_of


@pytest.fixture
async def limited(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(tmp_path, durable=False, rate_per_token=0.01, rate_per_address=0.02, rate_burst=500) as service:
        yield service  # 5 requests of a token, 10 of an address


async def test_a_token_is_limited_and_told_so(limited: Service) -> None:
    anna = await limited.register("Anna")
    for left in range(4, -1, -1):
        answer = await limited.ask("GET", "/v1/games", anna)
        assert answer.status_code == 200
        assert answer.headers["ratelimit-policy"] == '"address";q=10;w=500, "token";q=5;w=500'
        assert answer.headers["ratelimit"].endswith(f'"token";r={left};t={(5 - left) * 100}')
    answer = await limited.ask("GET", "/v1/games", anna, origin="https://elsewhere.example")
    body = answer.json()
    assert (answer.status_code, body["type"]) == (429, "/problems/too-many-requests")
    assert body["detail"] == "This token may send 0.01 requests a second, 5 after a rest."
    assert 0 < int(answer.headers["retry-after"]) <= 100
    assert answer.headers["ratelimit"].endswith('"token";r=0;t=500')
    assert "ratelimit" in answer.headers["access-control-expose-headers"].lower()
    # The address has some left, for somebody else.
    assert (await limited.ask("GET", "/v1/games")).status_code == 200


@pytest.mark.parametrize("disguise", ["subprotocol", "blanks"])
async def test_a_token_is_limited_however_it_is_disguised(limited: Service, disguise: str) -> None:
    anna = await limited.register("Anna")
    answers: list[int] = []
    for number in range(1, 8):
        blanks = b"\xa0" * number if disguise == "blanks" else b""
        headers = [(b"authorization", anna.headers["authorization"].encode() + blanks)]
        if disguise == "subprotocol":
            headers.insert(0, (b"sec-websocket-protocol", b"bearer.%d" % number))
        answers.append((await limited.client.get("/v1/players/me", headers=headers)).status_code)
    # With other blanks than spaces it is another token, which nobody has.
    assert answers == ([200] * 5 + [429] * 2 if disguise == "subprotocol" else [401] * 7)


async def test_an_address_is_limited_whatever_tokens_it_makes_up(limited: Service) -> None:
    answers = [
        await limited.ask("GET", "/v1/games/gone", None, None, authorization=f"Bearer tab_{number}")
        for number in range(12)
    ]
    assert [answer.status_code for answer in answers] == [401] * 10 + [429] * 2
    assert answers[-1].json()["detail"].startswith("This address")


async def test_processes_limit_together_and_without_redis_each_for_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "service.cluster.redis.TIMEOUT", 1.0
    )  # on a machine full of tests a quarter of a second is soon over

    async def admitted() -> list[int]:
        answers = [[await each.client.get("/v1/games") for _ in range(8)] for each in (one, two)]
        return [sum(answer.status_code == 200 for answer in each) for each in answers]

    limits: dict[str, Any] = {"durable": False, "rate_per_address": 0.01, "rate_burst": 1000}
    with server() as redis:
        async with (
            serving(tmp_path / "one", redis_url=redis.url, **limits) as one,
            serving(tmp_path / "two", redis_url=redis.url, **limits) as two,
        ):
            assert await admitted() == [8, 2]
        async with (
            serving(tmp_path / "one", redis_url=redis.url, **limits) as one,
            serving(tmp_path / "two", redis_url=redis.url, **limits) as two,
        ):
            redis.halt()
            assert await admitted() == [8, 8]


async def test_whether_the_service_lives_can_always_be_asked(limited: Service) -> None:
    for _ in range(20):
        for path in ("/health", "/ready", "/metrics"):
            assert (await limited.client.get(path)).status_code == 200
    assert (await limited.client.get("/v1/games")).status_code == 200


async def test_a_socket_counts_and_says_why_it_is_refused(limited: Service) -> None:
    anna, bert = await limited.register("Anna"), await limited.register("Bert")
    game = await limited.gathering(anna, bert)
    for _ in range(10):
        await limited.client.get("/v1/games")
    async with socket_of(limited, game) as socket:
        frame = json.loads(await socket.recv())
        with pytest.raises(ConnectionClosed):
            await socket.recv()
    assert frame["data"]["type"] == "/problems/too-many-requests"
    assert socket.close_code == 4000


async def test_a_proxy_is_believed_when_it_is_one_of_ours(tmp_path: Path) -> None:
    async with serving(tmp_path / "ours", durable=False, rate_per_address=0.01, rate_burst=100) as service:
        for number in range(3):
            answer = await service.client.get("/v1/games", headers={"x-forwarded-for": f"192.0.2.{number}"})
            assert answer.status_code == 200
        answer = await service.client.get("/v1/games", headers={"x-forwarded-for": "192.0.2.1"})
        assert answer.status_code == 429
    async with serving(tmp_path / "not", durable=False, rate_per_address=0.01, rate_burst=100, proxies="") as service:
        answers = [
            await service.client.get("/v1/games", headers={"x-forwarded-for": f"192.0.2.{number}"})
            for number in range(2)
        ]
        assert [answer.status_code for answer in answers] == [200, 429]


async def test_accounts_are_limited_by_the_address_they_are_registered_from(tmp_path: Path) -> None:
    async with serving(tmp_path, durable=False, registrations_per_address=2) as service:
        anna = await service.register("Anna")
        await service.register("Bert")
        # What is wrong with a request is said first, and counts for nothing.
        assert (await service.ask("POST", "/v1/players", None, {"name": ""})).status_code == 422
        answer = await service.ask("POST", "/v1/players", None, {"name": "Carla"})
        body = answer.json()
        assert (answer.status_code, body["type"]) == (429, "/problems/too-many-requests")
        assert body["detail"] == "This address may register 2 accounts an hour."
        assert 0 < int(answer.headers["retry-after"]) <= 1800
        assert answer.headers["ratelimit-policy"] == '"registration";q=2;w=3600'
        # An account makes no difference, another address does, and administrators may.
        assert (await service.ask("POST", "/v1/players", anna, {"name": "Carla"})).status_code == 429
        elsewhere = await service.ask("POST", "/v1/players", None, {"name": "Carla"}, x_forwarded_for="192.0.2.1")
        assert elsewhere.status_code == 201
        await service.services.accounts.grant(PlayerId(anna.id), frozenset({"account", "admin"}))
        token = await service.post("/v1/tokens", anna, {"name": "office", "scopes": ["admin"]})
        office = Player(anna.id, {"authorization": f"Bearer {token['token']}"})
        assert (await service.ask("POST", "/v1/players", office, {"name": "Carla"})).status_code == 201


async def test_without_limits_nothing_is_said_of_them(service: Service) -> None:
    assert "ratelimit" not in (await service.client.get("/v1/games")).headers
