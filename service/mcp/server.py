"""The tools of the MCP server. Each calls the API of a running service, with the rights of an ordinary client."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any, Final
from urllib.parse import quote

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field
from tabularium_client import Problem, TabulariumError

from domain.kernel.proof.verify import verify
from domain.kernel.rules.ruleset import Library
from domain.library import LIBRARY
from service.bots.client import Client
from service.mcp import words

INSTRUCTIONS: Final = """\
Tabularium referees strategy board games by their printed rules. To play: `look` at a game, ask for `options`, and send
a command that fits an option's schema with `command`, with the version that you looked at. A refusal names the rule
that forbids it; `rule` shows it. Areas and pieces are named by ids. You see only what your seat may see."""

READS: Final = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ACTS: Final = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)

Game = Annotated[str, Field(description="The id of a game.", max_length=64)]
RulesetId = Annotated[str, Field(description="The id of a ruleset, such as italia-1.", max_length=64)]
Version = Annotated[int, Field(ge=1, description="A version: the number of a game's events.")]


def server(client: Client, library: Library = LIBRARY) -> MCPServer[Any]:
    """Return a server whose tools ask a service as the account of `client`, or as a spectator."""
    mcp: MCPServer[Any] = MCPServer("tabularium", instructions=INSTRUCTIONS, log_level="WARNING")

    async def ask(path: str, **query: Any) -> Any:
        return await _call(client.get, path, **query)

    @mcp.tool(annotations=READS)
    async def list_games(
        waiting: Annotated[bool, Field(description="Only games in which this account has to decide.")] = False,
        text: Annotated[str, Field(description="Words of the title or of players.", max_length=80)] = "",
    ) -> str:
        """List games, the newest first: at most 20."""
        if waiting:
            answer = await ask("/v1/players/me/games", waiting="true", limit=20)
        else:
            answer = await ask("/v1/games", limit=20, **({"text": text} if text else {}))
        return words.bounded(map(words.summary, answer["items"])) or "There are none."

    @mcp.tool(annotations=READS)
    async def look(game: Game) -> str:
        """Tell the position of a game in words: seats, who has to decide, the board, and what happened last."""
        at = _at(game)
        position = await ask(at)
        marks = None
        with suppress(ToolError):  # there is no board before the start
            marks = await ask(f"{at}/marks")
        events = await ask(f"{at}/history", after=max(0, position["version"] - 12))
        return words.bounded(words.position(position, marks, events), "Ask for `history` of the last versions alone.")

    @mcp.tool(annotations=READS)
    async def options(
        game: Game,
        number: Annotated[int | None, Field(ge=1, description="Only this option, with its whole schema.")] = None,
    ) -> str:
        """List what your seat may do now: each option with the JSON Schema that its command must fit.

        Beside JSON Schema, x-total, x-cost and x-sum bound sums of the properties that they name.
        """
        answer = await ask(f"{_at(game)}/options")
        if number is None:
            return words.bounded(words.options(answer), "Ask for single options by `number`.")
        if number > len(answer["options"]):
            raise ToolError(f"There is no option {number}: there are {len(answer['options'])}.")
        return words.bounded([words.schema_of(answer["options"][number - 1])])

    @mcp.tool(annotations=ACTS)
    async def command(
        game: Game,
        command: Annotated[dict[str, Any], Field(description="The command, with its type.")],
        version: Annotated[int, Field(ge=1, description="The version that you looked at.")],
        key: Annotated[str, Field(pattern="^[!-~]{1,255}$", description="New for each command; the same to retry it.")],
    ) -> str:
        """Give a command for your seat, and tell what happened. You cannot always take it back."""
        at = _at(game)
        accepted = await _call(client.post, f"{at}/commands", {"command": command}, key=key, version=version)
        news = await ask(f"{at}/history", after=accepted["after"], limit=100)
        detail = await ask(at)
        deciding = [f"Asked now: {', '.join(each['seats'])}: {each['title']}" for each in detail["decisions"]]
        return words.bounded([f"Accepted: version {accepted['version']}.", *words.sentences(news), *deciding])

    @mcp.tool(annotations=READS)
    async def history(
        game: Game,
        after: Annotated[int, Field(ge=0, description="Tell what followed this version.")] = 0,
        limit: Annotated[int, Field(ge=1, le=200)] = 50,
    ) -> str:
        """Tell what happened in a game, in sentences with their versions."""
        answer = await ask(f"{_at(game)}/history", after=after, limit=limit)
        more = [f"Go on after version {answer['next']}."] if answer["next"] is not None else []
        return words.bounded([*words.sentences(answer), *more], "Ask with a smaller `limit`.")

    @mcp.tool(annotations=READS)
    async def rule(ruleset: RulesetId, rule: Annotated[str, Field(max_length=64)]) -> str:
        """Show a rule by its id, such as IT-BAT-01, with its source and our ruling."""
        return words.bounded(words.rule(await ask(f"/v1/rulesets/{_safe(ruleset)}/rules/{_safe(rule)}")))

    @mcp.tool(annotations=READS)
    async def search_rules(ruleset: RulesetId, text: Annotated[str, Field(min_length=2, max_length=80)]) -> str:
        """Find the rules of a ruleset that contain words: at most 10."""
        answer = await ask(f"/v1/rulesets/{_safe(ruleset)}/rules", text=text, limit=10)
        return words.bounded("\n".join(words.rule(each)) for each in answer["items"]) or "No rule contains that."

    @mcp.tool(annotations=READS)
    async def verify_game(game: Game) -> str:
        """Prove the log of a game here, by the rules themselves: its hashes, dice, secrets and every command."""
        export = await _call(client.content, "/v1/games/{game}/export", game=game)
        verdict = await asyncio.to_thread(verify, export.splitlines(keepends=True), library)
        if not verdict.ok:
            return f"NOT PROVED. Version {verdict.version}, line {verdict.line} is wrong: {verdict.problem}"
        unproved = [f"Not yet: {each}" for each in verdict.unproved]
        return words.bounded([f"Proved: {verdict.events} events, {verdict.status}.", *verdict.proved, *unproved])

    return mcp


async def _call(call: Callable[..., Any], *arguments: Any, **query: Any) -> Any:
    """Call the client in a thread and return its result. Raises `ToolError` for a problem."""
    try:
        return await asyncio.to_thread(call, *arguments, **query)
    except Problem as problem:
        raise ToolError(words.refusal(problem.document) or str(problem)) from None
    except TabulariumError as error:
        raise ToolError(str(error)) from None


def _at(game: str) -> str:
    return f"/v1/games/{_safe(game)}"


def _safe(part: str) -> str:
    return quote(part, safe="")
