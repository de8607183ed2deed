"""The AsyncAPI document: valid by AsyncAPI's own schema, complete, and true of what a service sends."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import websockets
from jsonschema import Draft202012Validator
from jsonschema_rs import Draft7Validator

from domain.boards import builtin
from domain.library import LIBRARY
from service.api.contract import files as contract
from service.api.contract.asyncapi import STREAM, async_document
from service.webhooks.events import FAMILIES
from tests.contract.clients import installed
from tests.service.api.serving import Service, serving


@cache
def openapi() -> dict[str, Any]:
    return json.loads(contract.published(LIBRARY))


@cache
def asyncapi() -> dict[str, Any]:
    return async_document(openapi())


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(tmp_path, LIBRARY, builtin, durable=False) as running:
        yield running


def validator(name: str) -> Draft202012Validator:
    """Return what validates the payload of the one message of a channel."""
    (message,) = asyncapi()["channels"][name]["messages"].values()
    payload = json.loads(json.dumps(message["payload"]).replace('"openapi.json#', '"#'))
    return Draft202012Validator({**payload, "components": openapi()["components"]})


def test_it_is_valid_by_the_schema_of_asyncapi() -> None:
    schema = json.loads(installed("@asyncapi", "specs", "schemas", "3.0.0.json").read_text())
    assert [each.message for each in Draft7Validator(schema).iter_errors(asyncapi())] == []
    broken = asyncapi() | {"channels": {"one": {"messages": []}}}
    assert not Draft7Validator(schema).is_valid(broken)


def test_every_stream_socket_and_webhook_is_in_it() -> None:
    streams = {
        path
        for path, methods in openapi()["paths"].items()
        for said in methods.values()
        for status, answer in said["responses"].items()
        if status == "101" or STREAM in answer.get("content", {})
    }
    assert {path for path in openapi()["paths"] if path.endswith(("/stream", "/socket"))} == streams
    addresses = [channel["address"] for channel in asyncapi()["channels"].values()]
    assert {each for each in addresses if each is not None} == streams
    assert addresses.count(None) == len(FAMILIES)
    assert asyncapi()["operations"].keys() == asyncapi()["channels"].keys()


def test_every_type_that_it_names_is_in_the_contract() -> None:
    named = {part.partition('"')[0] for part in json.dumps(asyncapi()).split('"openapi.json#/components/schemas/')[1:]}
    assert {"EventView", "Frame", "WebhookEvent", "TournamentEventView", "BulkGameView", "Waiting"} <= named
    assert named <= openapi()["components"]["schemas"].keys()
    assert '"#/components/schemas/' not in json.dumps(asyncapi())


def test_the_examples_of_webhooks_are_what_they_say() -> None:
    for name, channel in asyncapi()["channels"].items():
        if channel["address"] is None:
            (message,) = channel["messages"].values()
            for example in message["examples"]:
                validator(name).validate(example["payload"])


async def test_a_service_serves_it_beside_its_contract(service: Service) -> None:
    assert await service.get("/asyncapi.json") == asyncapi()


@asynccontextmanager
async def following(service: Service, path: str, token: dict[str, str]) -> AsyncIterator[AsyncIterator[Any]]:
    """Open a stream; lend the data of its frames."""

    async def frames(lines: AsyncIterator[str]) -> AsyncIterator[Any]:
        async for line in lines:
            if line.startswith("data: "):
                yield json.loads(line.removeprefix("data: "))

    async with service.client.stream("GET", path, headers=token) as answer:
        assert answer.status_code == 200, await answer.aread()
        yield frames(answer.aiter_lines())


async def test_what_streams_send_is_what_it_says(service: Service) -> None:
    anna, bert = [await service.register(name) for name in ("Anna", "Bert")]
    body = {"ruleset": "conquest-classic-friz", "players": 2}
    game = (await service.post("/v1/games", anna, body))["id"]
    for player in (anna, bert):
        await service.post(f"/v1/games/{game}/seats", player, {})
    await service.client.put(f"/v1/games/{game}/officials/{anna.id}", headers=anna.headers)
    paths = {
        "streamEvents": f"/v1/games/{game}/events/stream?after=0",
        "streamMyEvents": "/v1/players/me/events/stream",
        "streamWaiting": "/v1/players/me/waiting/stream",
        "streamNotifications": "/v1/notifications/stream",
    }
    seen: dict[str, Any] = {}
    async with asyncio.timeout(60):
        async with following(service, paths["streamMyEvents"], anna.headers) as frames:
            await service.post(f"/v1/games/{game}/start", anna, {})
            seen["streamMyEvents"] = await anext(frames)
        bulk = (await service.ask("POST", "/v1/bulks", anna, {"games": [body]})).json()["id"]
        regulations = (await service.get(f"/v1/rulesets/{body['ruleset']}/tournament-presets"))["items"][0]
        made = await service.post("/v1/tournaments", anna, {"title": "Cup", "regulations": regulations["regulations"]})
        asked = (await service.get(f"/v1/games/{game}"))["decisions"][0]["seats"]
        awaited = anna if "red" in asked else bert
        doubt = {"version": 6, "kind": "dice", "statement": "Again?"}
        case = await service.post(f"/v1/games/{game}/cases", bert, doubt)
        paths["streamBulk"] = f"/v1/bulks/{bulk}/stream"
        paths["streamTournamentEvents"] = f"/v1/tournaments/{made['summary']['tournament']}/stream?after=0"
        paths["streamCaseEvents"] = f"/v1/cases/{case['summary']['case']}/stream?after=0"
        for name in paths.keys() - seen.keys():
            player = awaited if name == "streamWaiting" else anna
            async with following(service, paths[name], player.headers | {"Last-Event-ID": "0"}) as frames:
                seen[name] = await anext(frames)
        address = f"{service.client.base_url}/v1/games/{game}/events/socket?after=0".replace("http", "ws", 1)
        async with websockets.connect(address) as socket:
            seen["openSocket"] = json.loads(await socket.recv())
    sent = {name for name, channel in asyncapi()["channels"].items() if channel["address"] is not None}
    assert seen.keys() == sent
    for name, data in seen.items():
        validator(name).validate(data)
        assert not validator(name).is_valid({"unknown": data}), name
