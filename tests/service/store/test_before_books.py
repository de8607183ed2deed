"""A database of the release before books goes on: a file, and one of PostgreSQL that is written and read meanwhile.

`before_books/` has both as that release left them, and what it said of them. tests/README.md tells how they were made.
"""

import asyncio
import hashlib
import itertools
import json
import lzma
from base64 import b64encode
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from typer.testing import CliRunner

from domain.kernel.ids import GameId, StreamId
from domain.kernel.log.record import Record, first_broken
from domain.transparency.tree import Frontier, leaf_hash
from service.cli import app
from service.store.postgres.migrations import migrate, open_books
from service.store.postgres.store import PostgresStore
from service.store.postgres.writer import append_with
from service.store.protocol import Append, EventStore, Opening
from service.store.sqlite.store import SqliteStore
from service.transparency.keys import new_key
from tests.helpers.postgres import connected, shared_cluster
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_statistics import caught_up
from tests.service.rig import fixed_randomness, open_rig
from tests.service.store.test_books_upgrade import note_as_whole, read_as_before, read_to_the_end, upgrades

FOLDER: Final = Path(__file__).with_name("before_books")
LOG_KEY: Final = new_key("games.example/log", fixed_randomness("key"))


def kept(name: str) -> bytes:
    return lzma.decompress((FOLDER / f"{name}.xz").read_bytes())


EXPECTED: Final[dict[str, Any]] = json.loads(kept("expected.json"))
"""What the release before said: of each export its SHA-256, of each stream its head, all events in order, and more."""


@asynccontextmanager
async def served(data: Path, url: str = "") -> AsyncIterator[Service]:
    async with serving(data, durable=False, database_url=url, log_key=LOG_KEY) as service:
        yield service


def versions(found: Iterable[tuple[StreamId, Record]]) -> list[tuple[str, int]]:
    """Return what was read, by stream: two books come in any order, one stream does not."""
    return sorted(((str(stream), record.version) for stream, record in found), key=lambda each: each[0])


async def check_cursors(store: EventStore, more: list[tuple[str, int]] | None = None) -> None:
    """Check that a reader with a cursor of before misses nothing of what followed, and gets none of it twice."""
    rows = [(stream, version) for stream, version in EXPECTED["rows"]]
    for cursor, seen in [("0", 0), *EXPECTED["cursors"]]:
        follow = sorted(rows[seen:] + (more or []), key=lambda each: each[0])
        assert versions(await read_to_the_end(store, cursor)) == follow, cursor


async def check_service(service: Service, store: str) -> None:
    """Check that the service answers as the release before did, and that its games go on."""
    players = {name: Player(account, bearer(token)) for name, (account, token) in EXPECTED["players"].items()}
    for name, player in players.items():
        assert (await service.get("/v1/players/me", player))["name"] == name
    for which, (status, digest) in EXPECTED["exports"].items():
        game, _, name = which.partition(" ")
        answer = await service.ask("GET", f"/v1/games/{game}/export", players.get(name))
        assert answer.status_code == status, which
        assert digest in (None, hashlib.sha256(answer.content).hexdigest()), f"the export of {which} is another one"
    for stream, (version, digest) in EXPECTED["heads"].items():
        last = (await service.services.store.read(GameId(stream)))[-1]
        assert (last.version, last.hash.hex()) == (version, digest), stream
    listed = [each["id"] for each in (await service.get("/v1/games?limit=100"))["items"]]
    assert [game for game in listed if game in EXPECTED["heads"]] == EXPECTED["lobby"]
    path, name, body, key, answer = EXPECTED["repeat"]
    again = await service.post(path, players[name], body, idempotency_key=key)
    assert (again["after"], again["version"], again["repeated"]) == (answer["after"], answer["version"], True)
    assert [event["hash"] for event in again["events"]] == [event["hash"] for event in answer["events"]]
    await service.post(f"/v1/invitations/{EXPECTED['invitation']}", players["Anna"], {})
    game = path.split("/")[3]
    await service.play_out(game, players["Carla"], players["Anna"])
    await check_tree(service, EXPECTED["checkpoints"][store], GameId(game))
    await caught_up(service)  # the rows that the release before made included


async def check_tree(service: Service, checkpoint: str, game: GameId) -> None:
    """Check that the transparency log grew from what it had signed, up to the newest head of a game."""
    tree, (_, size, root, *_) = service.services.store.tree, checkpoint.split("\n")
    async with asyncio.timeout(30):
        head = await service.services.store.head(game)
        while await tree.logged(game, head) is None:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    before = Frontier()
    before.extend(leaf_hash(entry) for entry in await tree.entries(0, int(size)))
    assert b64encode(before.root).decode() == root
    signed = await tree.published()
    assert signed is not None
    assert signed.size > int(size)


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


async def test_a_file_of_before_books_goes_on(tmp_path: Path) -> None:
    (tmp_path / "tabularium.db").write_bytes(kept("tabularium.db"))
    store = await SqliteStore.open(tmp_path / "tabularium.db")
    await check_cursors(store)
    await store.close()
    async with served(tmp_path) as service:
        await check_service(service, "sqlite")


@pytest.fixture
async def database() -> AsyncIterator[str]:
    async with shared_cluster().empty_database() as url:
        shared_cluster().run("psql", "-qX", "-v", "ON_ERROR_STOP=1", url, stdin=kept("postgres.sql"))
        yield url


async def test_a_database_of_before_books_is_migrated_and_goes_on(database: str, tmp_path: Path) -> None:
    migrating = await asyncio.to_thread(CliRunner().invoke, app, ["migrate", "--url", database])
    assert migrating.exit_code == 0, migrating.output
    for opening in (False, True):
        if opening:
            await open_books(database)
        store = await PostgresStore.open(database)
        await check_cursors(store)
        await store.close()
    async with served(tmp_path, database) as service:
        await check_service(service, "postgres")


async def played(folder: Path, number: int) -> list[Append]:
    """Return what appends a game, a version at a time; another game for each number."""
    async with open_rig(folder / str(number)) as rig:
        game = await rig.begun(rounds=3)
        for _ in range(2):
            await rig.play_round(game)
        row, stored = await rig.store.game(game), await rig.store.load(game)
        assert row is not None
        assert stored is not None
        board = json.loads(stored.records[0].event)["board"]
        file = await rig.store.board(board)
        assert file is not None
    opening = Opening(row.ruleset, row.ruleset_version, row.title, row.organizer, stored.chance, board, file)
    first = Append(game, 0, stored.records[:1], "running", stored.secrets, seats=row.seats, opening=opening)
    later = [Append(game, record.version - 1, [record], "running") for record in stored.records[1:]]
    return [first, *later]


async def test_a_database_is_migrated_while_processes_of_before_write_and_read(database: str, tmp_path: Path) -> None:
    games = [await played(tmp_path, number) for number in range(4)]
    appended, seen = list[tuple[str, int]](), list[tuple[int, str, int]]()
    over = asyncio.Event()

    async def append(connection: Any) -> None:
        """Append as a process of before does: whole games, side by side, a little of them after the migration."""
        turns = [batch for batches in itertools.zip_longest(*games) for batch in batches if batch is not None]
        for number, batch in enumerate(turns):
            if number == len(turns) * 3 // 4:
                await over.wait()
            (row,) = await append_with(connection, [batch])
            assert row["outcome"] == "accepted"
            appended.append((str(batch.game), batch.records[-1].version))

    async def follow(connection: Any, appending: asyncio.Task[None]) -> None:
        while not (appending.done() and len(seen) == len(EXPECTED["rows"]) + len(appended)):
            seen.extend(await read_as_before(connection, seen[-1][0] if seen else 0))
            await asyncio.sleep(0)

    async with connected(database) as writing, connected(database) as reading:
        for connection in (writing, reading):
            await connection.execute("SET ROLE tabularium_service")
        appending = asyncio.create_task(append(writing))
        following = asyncio.create_task(follow(reading, appending))
        await migrate(database, upgrades())
        before = len(appended)
        over.set()
        async with asyncio.timeout(60):
            await asyncio.gather(appending, following)
    assert 0 < before < len(appended)
    rows = [(stream, version) for stream, version in EXPECTED["rows"]]
    assert [each[1:] for each in seen] == rows + appended, "read once each, in the order in which they were stored"
    await note_as_whole(database)
    store = await PostgresStore.open(database)
    await check_cursors(store, appended)
    await open_books(database)
    await check_cursors(store, appended)
    await store.close()
    async with served(tmp_path, database) as service:
        for game, *_ in games:
            records = await service.services.store.read(game.game)
            assert first_broken(game.game, records) is None
        await check_service(service, "postgres")
