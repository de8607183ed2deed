"""Each query about one stream touches one book: the database itself says so of all that it is asked.

The tables are cut into four partitions by their books, and auto_explain tells the plan of each statement, those within
`append()` included. A statement that names no book would have all four in its plan.
"""

import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Final

import asyncpg
import msgspec
import pytest
from msgspec import Struct

from domain.kernel.ids import CaseId, GameId
from service.store.archiving import archive
from service.store.postgres.archive import opened
from service.store.postgres.migrations import migrate, packaged
from tests.helpers.postgres import connected, partitioned, shared_cluster
from tests.helpers.statements import OF_MANY, is_of_many
from tests.service.api.clubs import club_of
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_cases import Court
from tests.service.api.test_forks import fork
from tests.service.api.test_leagues import MISSED, Series
from tests.service.api.test_rounds import stands

EXPLAINED: Final = {
    "session_preload_libraries": "auto_explain",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_nested_statements": "on",
    "auto_explain.log_analyze": "on",
    "auto_explain.log_timing": "off",
    "auto_explain.log_format": "json",
    "auto_explain.log_level": "notice",
}

BATCH: Final = re.compile(r"unnest\((commands|entries|openings|seatings)")
"""A statement of `append()` for commands to several streams. Which parts it looks at shows when it runs."""


ABOUT_STREAMS: Final = {
    *("log", "heads", "games", "keys", "secrets", "chances", "snapshots", "seated", "unlisted", "private"),
    *("cases", "statements", "rulings", "forks", "segments", "tournaments", "seeds", "leagues"),
}

LISTS: Final = ("/v1/games", "/v1/cases", "/v1/tournaments", "/v1/leagues")

CONTRACT: Final = Path(__file__).parents[3] / "openapi" / "openapi.json"


class Plan(Struct, frozen=True):
    """A statement, and the parts of each table in its plan: for a batch, those that were looked at."""

    statement: str
    parts: dict[str, set[str]]

    @property
    def is_of_one_book(self) -> bool:
        return max(map(len, self.parts.values())) == 1

    @property
    def of_many(self) -> str | None:
        return is_of_many(self.statement)


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for each in plan.get("Plans", ()):
        yield from nodes(each)


def plan_of(told: dict[str, Any]) -> Plan:
    statement, parts = " ".join(told["Query Text"].split()), dict[str, set[str]]()
    for node in nodes(told["Plan"]):
        table, is_part, part = node.get("Relation Name", "").partition("_part_")
        if is_part and (node["Actual Loops"] or not BATCH.search(statement)):
            parts.setdefault(table, set()).add(part)
    return Plan(statement, parts)


@pytest.fixture
async def plans(monkeypatch: pytest.MonkeyPatch) -> list[Plan]:
    seen: list[Plan] = []

    def note(_: object, fields: dict[str, str], __: str) -> None:
        message = fields.get("M") or fields.get("message") or ""
        if "plan:\n" in message:
            seen.append(plan_of(json.loads(message.partition("plan:\n")[2])))

    # What a pool would complain of, if it were told by a listener of each connection.
    monkeypatch.setattr(asyncpg.Connection, "_process_log_message", note)
    return seen


@pytest.fixture
async def database(plans: list[Plan]) -> AsyncIterator[str]:
    async with shared_cluster().empty_database() as url:
        await migrate(url, packaged())
        async with connected(url) as owner:
            await owner.execute(partitioned(4))
        name = url.rpartition("/")[2]
        shared_cluster().sql(*(f"ALTER DATABASE {name} SET {key} = '{value}'" for key, value in EXPLAINED.items()))
        yield url


@pytest.fixture
async def service(tmp_path: Path, database: str) -> AsyncIterator[Service]:
    async with serving(
        tmp_path, database_url=database, projections=False, snapshot_every=2, cache_games=1, bots=0
    ) as running:
        yield running


def addresses(of: str) -> list[str]:
    """Return what the contract lets a client get about a game or a case alone, but for streams, which do not end."""
    paths: dict[str, Any] = msgspec.json.decode(CONTRACT.read_bytes())["paths"]
    return [
        path
        for path, ways in paths.items()
        if "get" in ways and re.findall(r"{(\w+)}", path) == [of] and not path.endswith(("/stream", "/socket"))
    ]


async def first_of_stream(service: Service, url: str, player: Player) -> str:
    async with service.client.stream(
        "GET", f"{url}/events/stream", headers={**player.headers, "last-event-id": "1"}
    ) as answer:
        return await anext(line async for line in answer.aiter_lines() if line.startswith("data:"))


async def all_about_a_game(service: Service, anna: Player, bert: Player, julia: Player, **more: Any) -> None:
    """Open a game, invite to it, begin it, and read all there is to read about it."""
    opened = {"ruleset": "tiny-auction", "players": 2, **more}
    game = (await service.post("/v1/games", anna, opened, idempotency_key=f"made-{len(more)}"))["id"]
    url = f"/v1/games/{game}"
    link = (await service.post(f"{url}/invitations", anna, {}))["token"]
    await service.post(f"{url}/seats", anna, {})
    await service.post(f"/v1/invitations/{link}", bert, {})
    assert (await service.ask("PUT", f"{url}/officials/{julia.id}", anna)).status_code == 200
    await service.ask("PATCH", url, anna, {"title": "Another"})
    await service.ask("PUT", f"{url}/listing", anna, {"listed": False})
    await service.post(f"{url}/start", anna)
    for _ in range(2):
        await service.post(f"{url}/commands", anna, {"command": {"type": "put-up", "coins": 1}}, idempotency_key="once")
    assert await first_of_stream(service, url, anna)
    for path in addresses("game"):
        await service.ask("GET", path.format(game=game), anna)


async def all_about_a_dispute(service: Service, anna: Player, bert: Player, julia: Player) -> GameId:
    """Play a game, dispute about it, read all there is to read about the case, erase, and fork the game.

    Returns the game, which is over.
    """
    game = await service.begun(anna, bert)
    url = f"/v1/games/{game}"
    assert (await service.ask("PUT", f"{url}/officials/{julia.id}", anna)).status_code == 200
    await service.give(game, anna, "put-up", coins=1)
    court = Court(service, anna, bert, anna, julia, game)
    case = await court.open(rules=["TA-PUT-01"])
    await service.post(f"{case}/statements", anna, {"statement": "So it was."})
    assert (await court.rule(case)).status_code == 200
    await service.post(f"{case}/appeal", anna, {"statement": "Look again."})
    assert (await service.ask("DELETE", f"{case}/statements/1", julia)).status_code in (200, 204)
    await service.give(game, anna, "open-bidding")
    await service.play_out(game, anna, bert)
    for purpose in ("continuation", "analysis"):
        await fork(service, url, anna, purpose=purpose)
    for path in addresses("case"):
        await service.ask("GET", path.format(case=case.rpartition("/")[2]), anna)
    for path in addresses("game"):
        await service.ask("GET", path.format(game=game), bert)
    return GameId(game)


async def all_about_an_archived_game(service: Service, database: str, player: Player, game: GameId) -> None:
    async with opened(database) as archived:
        assert [each.problem async for each in archive(archived, [game])] == [None]
    for path in addresses("game"):
        await service.ask("GET", path.format(game=game), player)


async def all_about_a_league(service: Service) -> None:
    """Hold a season of a league with one tournament, and read all there is to read about both; play a rematch."""
    series = Series(await club_of(service, 2))
    club, (anna, bert) = series.club, series.club.players
    await series.found()
    for player in (anna, bert):
        await series.do("placements", {"player": player.id, "division": 1, "reason": "Founder."})
    await series.do("seasons")
    tournament = await series.announce(1)
    await club.enter(anna, bert)
    drawing = await club.ask("rounds", prefer="respond-async")
    assert (await stands(club, drawing.headers["location"]))["status"] == "drafted"
    game = (await club.play_round())["tables"][0]["game"]
    await club.do("closing")
    await series.do("penalties", {"player": anna.id, **MISSED})
    await series.do("seasons/1/closing", idempotency_key="once")
    for path in addresses("tournament"):
        await service.ask("GET", path.format(tournament=tournament), club.director)
    for path in addresses("league"):
        await service.ask("GET", path.format(league=series.id), series.organizer)
    over = await service.begun(anna, bert)
    await service.post(f"/v1/games/{over}/seats/red/resignation", anna)
    for player in (anna, bert):
        assert (await service.ask("PUT", f"/v1/games/{over}/rematches/1", player, {})).status_code == 200
    for path in addresses("game"):
        for each in (game, over):
            await service.ask("GET", path.format(game=each), anna)


async def all_the_lists(service: Service, player: Player) -> None:
    """Read all lists and the whole log, seat a bot, which is counted, and count the events."""
    for path in LISTS:
        await service.get(path, player)
    case = (await service.get("/v1/cases"))["items"][0]["case"]
    await service.services.store.cases(after=CaseId(case))  # its second page
    game = await service.gathering(player)
    seat = f"/v1/games/{game}/seats/blue/bot"
    assert (await service.ask("PUT", seat, player, {"level": "random"})).status_code == 200
    assert await service.services.store.events()
    assert (await service.services.store.read_all())[0]


async def test_each_query_about_one_stream_touches_one_book(service: Service, database: str, plans: list[Plan]) -> None:
    people = [await service.register(name) for name in ("Anna", "Bert", "Julia")]
    await all_about_a_game(service, *people)
    over = await all_about_a_dispute(service, *people)
    await all_about_a_game(service, *people, readers="invited")
    await all_about_an_archived_game(service, database, people[0], over)
    await all_about_a_league(service)
    await all_the_lists(service, people[0])
    await service.services.store.ready()
    touching = [plan for plan in plans if plan.parts]
    astray = {plan.statement for plan in touching if not plan.is_of_one_book and plan.of_many is None}
    assert astray == set()
    # Nothing has passed because it was never asked, or because the list above says too much.
    assert {table for plan in touching if plan.of_many is None for table in plan.parts} >= ABOUT_STREAMS
    assert {plan.of_many for plan in touching} - {None} == {*OF_MANY}
