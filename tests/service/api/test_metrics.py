"""What /metrics says while a game is played."""

import asyncio
import math
import time
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace
from prometheus_client.parser import text_string_to_metric_families

from domain.kernel.ids import GameId, Version
from projections.library import COUNTED, PROJECTIONS
from projections.store import Generation, Trouble
from service.api.operations.exporter import Exporter
from service.base.clock import stamp, utc_now
from service.observe.metrics import Metrics, feel_the_loop
from service.server import serving_metrics
from tests.service.api.serving import Service, serving


async def read(service: Service, name: str, **labels: str) -> float | None:
    """Return the value of one sample; None when there is none."""
    answer = await service.client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=")
    for family in text_string_to_metric_families(answer.text):
        for sample in family.samples:
            if sample.name == name and sample.labels == labels:
                return sample.value
    return None


async def test_requests_to_games_are_counted_by_outcome(service: Service):
    anna, bert = await service.register("Anna"), await service.register("Bert")
    game = await service.begun(anna, bert)
    assert await read(service, "tabularium_commands_total", kind="create", outcome="accepted") == 1
    assert await read(service, "tabularium_commands_total", kind="take-seat", outcome="accepted") == 2
    assert await read(service, "tabularium_append_seconds_count") == 4
    events = await read(service, "tabularium_events_appended_total")
    assert events == (await service.get(f"/v1/games/{game}"))["version"]

    body = {"command": {"type": "put-up", "coins": 1}}
    path = f"/v1/games/{game}/commands"
    for _ in range(2):
        await service.post(path, anna, body, idempotency_key="once")
    assert (await service.ask("POST", path, bert, body)).status_code == 409
    assert (await service.ask("POST", path, anna, body, if_match='"1"')).status_code == 412
    carl = await service.register("Carl")
    assert (await service.ask("POST", path, carl, body)).status_code == 403
    for outcome in ("accepted", "repeated", "refused", "conflict", "turned-away"):
        assert await read(service, "tabularium_commands_total", kind="command", outcome=outcome) == 1, outcome
    assert await read(service, "tabularium_commands_total", kind="command", outcome="failed") == 0

    refusal = (await service.ask("POST", path, bert, body)).json()
    assert await read(service, "tabularium_refusals_total", ruleset="tiny-auction", rule=refusal["rule"]) == 2


async def test_requests_are_counted_by_the_template_of_their_path(service: Service):
    for path in ("/v1/games/nothing", "/v1/games/nowhere", "/nothing/at/all", "/v1/players/nobody/nothing"):
        assert (await service.client.get(path)).status_code == 404
    assert (await service.client.request("PROPFIND", "/health")).status_code == 405
    count = "tabularium_http_requests_total"
    assert await read(service, count, method="GET", route="/v1/games/{game}", status="404") == 2
    assert await read(service, count, method="GET", route="unmatched", status="404") == 2
    assert await read(service, count, method="other", route="unmatched", status="405") == 1
    said = (await service.client.get("/metrics")).text
    assert "nowhere" not in said
    assert "PROPFIND" not in said


async def test_caches_and_connections_are_watched(service: Service):
    anna = await service.register("Anna")
    game = await service.gathering(anna)
    hits = await read(service, "tabularium_cache_requests_total", cache="games", result="hit") or 0
    misses = await read(service, "tabularium_cache_requests_total", cache="games", result="miss") or 0
    await service.get(f"/v1/games/{game}")
    assert (await service.client.get("/v1/games/nothing")).status_code == 404
    assert (await read(service, "tabularium_cache_requests_total", cache="games", result="hit") or 0) > hits
    assert await read(service, "tabularium_cache_requests_total", cache="games", result="miss") == misses + 1
    assert await read(service, "tabularium_games_in_memory") == 1
    settings = service.services.settings
    limit = await read(service, "tabularium_database_connections", state="limit")
    assert limit == (settings.database_connections if settings.database_url else None)


async def test_a_projection_that_stopped_is_told(service: Service):
    await service.gathering(await service.register("Anna"))
    rows = service.services.rows
    stopped = next(each for each in await rows.generations() if each.projection == "lobby")
    broken = replace(stopped, trouble=Trouble(GameId("g1"), Version(7), "ValueError: no such seat"))

    async def generations() -> list[Generation]:
        return [broken]

    rows.generations = generations
    assert await read(service, "tabularium_projection_stopped", projection="lobby") == 1
    assert await read(service, "tabularium_projection_stopped", projection="dice") == 0


async def test_those_who_follow_a_game_are_counted_until_they_go(service: Service):
    anna, bert = await service.register("Anna"), await service.register("Bert")
    game = await service.begun(anna, bert)
    async with service.client.stream("GET", f"/v1/games/{game}/events/stream?after=0") as stream:
        lines = stream.aiter_lines()
        while "id: 4" not in await anext(lines):
            pass
        assert await read(service, "tabularium_stream_clients", kind="sse") == 1
        assert await read(service, "tabularium_stream_clients", kind="websocket") == 0
        assert (await read(service, "tabularium_stream_events_total", kind="sse") or 0) >= 4
    for _ in range(1000):
        if await read(service, "tabularium_stream_clients", kind="sse") == 0:
            return
        await asyncio.sleep(0.01)
    pytest.fail("who has gone is still counted")


async def test_the_delay_of_events_is_measured_of_those_that_were_waited_for():
    metrics = Metrics()
    with metrics.following("sse") as sent:
        sent(["2026-11-21T06:25:14.000000Z", stamp(lambda: utc_now() - timedelta(hours=1))])
        sent([stamp(lambda: utc_now() + timedelta(hours=1))])
    told = metrics.exposition("")[0].decode()
    assert 'tabularium_stream_events_total{kind="sse"} 3.0' in told
    assert 'tabularium_stream_delay_seconds_count{kind="sse"} 1.0' in told
    assert 'tabularium_stream_delay_seconds_sum{kind="sse"} 0.0' in told, "a clock ahead of ours is no delay"


async def test_a_loop_that_is_late_is_felt(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("service.observe.metrics.BEAT", 0.01)
    metrics = Metrics()
    task = asyncio.create_task(feel_the_loop(metrics))
    await asyncio.sleep(0)
    time.sleep(0.3)  # noqa: ASYNC251  # what must not be done, done on purpose
    await asyncio.sleep(0.05)
    task.cancel()
    (family,) = metrics.loop_delay.collect()
    counts = {sample.labels.get("le"): sample.value for sample in family.samples}
    assert counts["+Inf"] > counts["0.25"]


async def test_projections_say_how_far_behind_they_are(tmp_path: Path):
    name = PROJECTIONS[0].name
    async with serving(tmp_path, projections=False) as service:
        game = await service.gathering(await service.register("Anna"))
        behind = (await service.get(f"/v1/games/{game}"))["version"]
        assert await read(service, "tabularium_projection_behind_events", projection=name) == behind
    async with serving(tmp_path) as service:
        assert await read(service, "tabularium_projection_behind_events", projection=name) == 0
        assert await read(service, "tabularium_projection_behind_seconds", projection=name) == 0
        assert await read(service, "tabularium_projection_stopped", projection=name) == 0
        assert await read(service, "tabularium_projection_behind_events", projection="ratings") == 0


async def test_metrics_are_told_when_the_store_does_not_answer(service: Service):
    await service.services.rows.close()
    for projection in (*PROJECTIONS, *COUNTED):
        value = await read(service, "tabularium_projection_behind_events", projection=projection.name)
        assert value is not None
        assert math.isnan(value)


async def test_metrics_have_a_port_of_their_own_when_one_is_set(tmp_path: Path):
    async with serving(tmp_path, metrics_port=0) as service:
        services = service.services
        assert (await service.client.get("/metrics")).status_code == 404, "not on the public port"
        exporter = Exporter(services.metrics, services.store, services.rows)
        async with (
            serving_metrics(exporter, services.settings, services.metrics) as address,
            httpx.AsyncClient() as client,
        ):
            answer = await client.get(f"{address}/metrics")
            assert answer.headers["content-type"].startswith("text/plain; version=")
            assert 'route="unmatched",status="404"} 1.0' in answer.text
            openmetrics = await client.get(f"{address}/metrics", headers={"accept": "application/openmetrics-text"})
            assert openmetrics.text.endswith("# EOF\n")
