"""The MCP server, asked by the client of its SDK: a whole game by tools alone, refusals with their rules, bounds."""

import json
import re
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from mcp import Client as McpClient
from mcp import StdioServerParameters

from domain.boards import builtin
from domain.kernel.rules import schema
from domain.library import LIBRARY as REAL
from service.bots.client import Client
from service.mcp.server import server
from service.mcp.words import LONGEST, bounded
from tests.service.api.serving import Player, Service, serving
from tests.service.rig import LIBRARY

TOOLS = {"list_games", "look", "options", "command", "history", "rule", "search_rules", "verify_game"}


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(tmp_path, durable=False) as running:
        yield running


def token_of(player: Player) -> str:
    return player.headers["authorization"].removeprefix("Bearer ")


@asynccontextmanager
async def model(service: Service, player: Player | None = None) -> AsyncIterator[McpClient]:
    """Provide the tools of a model, for an account or a spectator."""
    with Client(str(service.client.base_url), token_of(player) if player else None) as client:
        async with McpClient(server(client, LIBRARY)) as tools:
            yield tools


async def said(tools: McpClient, tool: str, **given: Any) -> str:
    result = await tools.call_tool(tool, given)
    text = "\n".join(each.text for each in result.content)  # type: ignore[reportAttributeAccessIssue]
    assert len(text) <= LONGEST + 100
    return f"Error: {text}" if result.is_error else text


async def play_on(tools: McpClient, game: str, number: int) -> bool:
    """Give one command, from what the tools say alone; tell whether this seat had to decide."""
    found = await said(tools, "options", game=game)
    version = re.match(r"Version (\d+), seat (\w+)", found)
    assert version is not None, found
    if not re.search(rf"^Asked: (\w+, )*{version[2]}[,:]", found, re.M):
        return False
    schemas = re.findall(r"^\d+\. .* \[(?!undo|give)\w.*?, rule .*?\] (\{.*\})$", found, re.M)
    rng = Random(number)
    command = schema.sample(json.loads(rng.choice(schemas)), rng)
    told = await said(tools, "command", game=game, command=command, version=int(version[1]), key=f"k{number}")
    assert told.startswith("Accepted: version "), told
    assert await said(tools, "command", game=game, command=command, version=int(version[1]), key=f"k{number}") == told
    return True


async def test_a_whole_game_is_played_and_proved_by_tools_alone(service: Service) -> None:
    anna, bert = [await service.register(name) for name in ("Anna", "Bert")]
    game = await service.begun(anna, bert)
    async with AsyncExitStack() as stack:
        seats = [await stack.enter_async_context(model(service, each)) for each in (anna, bert)]
        assert game in await said(seats[0], "list_games", waiting=True)
        for number in range(200):
            if "over" in (await said(seats[0], "list_games")).splitlines()[0]:
                break
            assert [each for each in seats if await play_on(each, game, number)]
        assert "Winners: " in await said(seats[1], "look", game=game)
        assert (await said(seats[0], "verify_game", game=game)).startswith("Proved: ")
        assert "won" in await said(seats[0], "history", game=game)


async def test_tools_are_few_say_what_they_do_and_whether_they_change_anything(service: Service) -> None:
    async with model(service) as tools:
        found = {each.name: each for each in (await tools.list_tools()).tools}
    assert set(found) == TOOLS
    for name, tool in found.items():
        assert tool.description is not None
        assert len(tool.description) < 300, name
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (name != "command"), name


async def test_a_refusal_names_its_rule_and_nothing_happens(service: Service) -> None:
    anna, bert = [await service.register(name) for name in ("Anna", "Bert")]
    game = await service.begun(anna, bert)
    before = await service.get(f"/v1/games/{game}")
    given = {"game": game, "version": before["version"], "key": "k"}
    async with model(service, anna) as tools, model(service) as spectator:
        refused = await said(tools, "command", command={"type": "put-up", "coins": 99}, **given)
        assert refused.startswith("Error: ")
        assert "Rule TA-PUT-01: " in refused
        stale = await said(tools, "command", command={"type": "put-up", "coins": 1}, **given | {"version": 1})
        assert "at version" in stale
        assert "token" in await said(spectator, "command", command={"type": "put-up", "coins": 1}, **given)
        assert "gone" in await said(tools, "look", game="gone")
        assert "Error" in await said(tools, "look", game="../players/me")
    assert await service.get(f"/v1/games/{game}") | {"now": 0} == before | {"now": 0}


async def test_rules_are_looked_up_and_found(tmp_path: Path) -> None:
    async with serving(tmp_path, REAL, builtin, durable=False) as service, model(service) as tools:
        found = await said(tools, "search_rules", ruleset="italia-1", text="battle")
        assert "IT-OVR-05: " in found
        shown = await said(tools, "rule", ruleset="italia-1", rule="IT-BAT-01")
        assert "Source: Rules (Italian" in shown
        assert "Ruling: OURS" in shown
        assert "Error: " in await said(tools, "rule", ruleset="italia-1", rule="IT-NO-01")


def test_no_answer_is_longer_than_it_may_be() -> None:
    assert bounded(["short"]) == "short"
    long = bounded(["x" * 100] * 1000, "Ask less.")
    assert len(long) < LONGEST + 100
    assert long.endswith("[Cut off. Ask less.]")


async def test_it_speaks_over_stdin_and_stdout(service: Service) -> None:
    anna = await service.register("Anna")
    url = str(service.client.base_url)
    arguments = ["-m", "service.cli", "mcp", "--url", url, "--token", token_of(anna)]
    async with McpClient(StdioServerParameters(command=sys.executable, args=arguments, cwd=Path.cwd())) as tools:
        assert {each.name for each in (await tools.list_tools()).tools} == TOOLS
        assert "There are none." in await said(tools, "list_games")
