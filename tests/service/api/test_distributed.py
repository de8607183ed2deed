"""Whole games over HTTP on a log that Citus spreads over machines: what is about one stream goes to one machine.

The coordinator tells each command that it sends to a machine, before it answers the statement that it sends them for.
"""

import re
from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import asyncpg
import pytest
from msgspec import Struct

from tests.helpers.citus import as_superuser, distributed_database
from tests.helpers.postgres import connected
from tests.service.api.serving import Service, serving
from tests.service.api.test_one_book import (
    LISTS,
    all_about_a_dispute,
    all_about_a_game,
    all_about_a_league,
    all_about_an_archived_game,
    is_of_many,
)
from tests.service.api.test_transparency import KEY, certificate

AROUND: Final = re.compile(
    "issuing (BEGIN|COMMIT|ROLLBACK|PREPARE|SAVEPOINT|RELEASE|SET|SELECT assign_distributed)", re.IGNORECASE
)
"""What begins and ends a transaction on a machine."""


OF_MACHINES: Final = {
    "a new board, which all machines get": r"INSERT INTO tabularium\.boards",
    "where the books stand": r"FROM (tabularium\.)?books\b(?!.*\bWHERE book = )",
    "keys that have ended": r"DELETE FROM keys WHERE \(book, game, account, key\) IN",
    "the streams that have moved": r"^SELECT n\.game, e\.version, e\.hash, e\.at, n\.status",
}
"""The statements that are about many streams, and are others on one machine."""


class Asked(Struct, frozen=True):
    """A statement, and how many tasks the coordinator makes of it: none, when it looks at tables of its own."""

    statement: str
    tasks: int


@pytest.fixture
async def asked(monkeypatch: pytest.MonkeyPatch) -> list[Asked]:
    seen: list[Asked] = []
    issued: defaultdict[Any, int] = defaultdict(int)
    connect = asyncpg.connect

    def note(connection: Any, fields: dict[str, str], _: str) -> None:
        message = fields.get("M") or fields.get("message") or ""
        if message.startswith("issuing ") and not AROUND.match(message):
            issued[connection] += 1

    async def logged(*given: Any, **options: Any) -> Any:
        connection = await connect(*given, **options)
        connection.add_query_logger(
            lambda done: seen.append(Asked(" ".join(done.query.split()), issued.pop(connection, 0)))
        )
        return connection

    # What a pool would complain of, if it were told by a listener of each connection.
    monkeypatch.setattr(asyncpg.Connection, "_process_log_message", note)
    monkeypatch.setattr(asyncpg, "connect", logged)
    return seen


@pytest.fixture
async def database(asked: list[Asked]) -> AsyncIterator[str]:
    async with distributed_database() as url:
        name = urlsplit(url).path.removeprefix("/")
        async with connected(as_superuser(url)) as superuser:
            await superuser.execute(f"ALTER DATABASE {name} SET citus.log_remote_commands = on")
            yield url
            await superuser.execute(f"ALTER DATABASE {name} RESET ALL")


@pytest.fixture
async def service(tmp_path: Path, database: str) -> AsyncIterator[Service]:
    async with serving(tmp_path, database_url=database, snapshot_every=2, cache_games=1, log_key=KEY) as running:
        yield running


async def test_games_and_disputes_are_played_and_what_is_about_one_stream_is_one_task(
    service: Service, database: str, asked: list[Asked]
) -> None:
    people = [await service.register(name) for name in ("Anna", "Bert", "Julia")]
    await all_about_a_game(service, *people)
    over = await all_about_a_dispute(service, *people)
    await all_about_a_game(service, *people, readers="invited")
    await all_about_an_archived_game(service, database, people[0], over)
    await all_about_a_league(service)
    for path in LISTS:
        await service.get(path, people[0])
    # The tree has them, too: what a machine refuses beside requests is not seen by who asks.
    await certificate(service, over)
    many = {each.statement for each in asked if each.tasks > 1}
    of_machines = {what for what, text in OF_MACHINES.items() if any(re.search(text, each) for each in many)}
    assert of_machines == {*OF_MACHINES}
    astray = {each for each in many if not is_of_many(each) and not re.search("|".join(OF_MACHINES.values()), each)}
    assert astray == set()
    # Nothing has passed because it was never asked.
    of_one = " ".join(each.statement for each in asked if each.tasks == 1)
    wanted = (
        "append_to",
        "FROM log",
        "FROM snapshots",
        "FROM cases",
        "FROM segments",
        "FROM secrets",
        "FROM seeds",
        "FROM leagues",
    )
    assert [each for each in wanted if each not in of_one] == []
