"""The transparency log in every store: one tree of each size, however many add to it, and no row that ever changes."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import asyncpg
import pytest

from domain.kernel.ids import GameId
from domain.transparency.tree import Frontier, Range, Run, includes, inclusion, leaf_hash, range_hash, runs
from projections.cursor import Cursor
from service.store.postgres.store import PostgresStore
from service.store.protocol import Append, EventStore
from service.store.sqlite.store import SqliteStore
from service.store.transparency import Growth, Leaf, Published, StreamHead, TreeHead, TreeMoved
from tests.helpers.postgres import connected, shared_cluster
from tests.service.store.adapters import INDEXED, Adapter, Open
from tests.service.store.batches import AT, new_game, records

G, H = GameId("g1"), GameId("g2")


@pytest.fixture(params=INDEXED.values(), ids=list(INDEXED))
async def data(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Open]:
    adapter: Adapter = request.param
    async with adapter(tmp_path) as open_store:
        yield open_store


@pytest.fixture
async def store(data: Open) -> EventStore:
    return await data()


START = Cursor((0,))


def growth(frontier: Frontier, *entries: bytes, stream: GameId = G, at: Cursor = START) -> Growth:
    """Return what adds entries to a tree, as versions of one stream; `frontier` goes on."""
    expected = frontier.size
    leaves = [Leaf(stream, expected + 1 + number, entry) for number, entry in enumerate(entries)]
    placed = frontier.extend(map(leaf_hash, entries))
    return Growth(expected, leaves, placed, TreeHead(frontier.size, frontier.root, at))


async def test_a_tree_grows_and_is_read_back(store: EventStore) -> None:
    assert await store.tree.head() is None
    assert await store.tree.logged(G) is None
    frontier, entries = Frontier(), [b'{"version":%d}' % number for number in range(600)]
    for start, stop in ((0, 1), (1, 300), (300, 600)):
        at = Cursor(tuple(stop + book for book in range(store.books)))
        await store.tree.grow(growth(frontier, *entries[start:stop], at=at))
        assert await store.tree.head() == TreeHead(stop, frontier.root, at)
    assert await store.tree.entries(0, 1000) == entries
    assert await store.tree.entries(255, 257) == entries[255:257]
    assert await store.tree.leaves(255, 257) == [Leaf(G, 256, entries[255]), Leaf(G, 257, entries[256])]
    needed = runs([*inclusion(299, 600), Range(0, 600)])
    read = dict(zip(needed, await store.tree.hashes(needed), strict=True))
    assert range_hash(Range(0, 600), read.__getitem__) == frontier.root
    proof = [range_hash(each, read.__getitem__) for each in inclusion(299, 600)]
    assert includes(leaf_hash(entries[299]), 299, 600, proof, frontier.root)
    assert list(map(len, await store.tree.hashes([Run(1, 0, 256), Run(2, 0, 1)]))) == [2, 0]
    assert await store.tree.hashes([]) == []


async def test_the_first_entry_that_has_a_version_is_found(store: EventStore) -> None:
    frontier = Frontier()
    first = growth(frontier, b"3")
    await store.tree.grow(Growth(0, [Leaf(G, 3, b"3")], first.hashes, first.head))
    second = growth(frontier, b"7", b"other")
    await store.tree.grow(Growth(1, [Leaf(G, 7, b"7"), Leaf(H, 1, b"other")], second.hashes, second.head))
    assert await store.tree.logged(G) == (1, b"7")
    assert [await store.tree.logged(G, version) for version in (1, 3, 4, 7, 8)] == [
        (0, b"3"), (0, b"3"), (1, b"7"), (1, b"7"), None,
    ]  # fmt: skip
    assert await store.tree.logged(H, 1) == (2, b"other")
    assert await store.tree.logged(GameId("\0")) is None


async def test_one_of_many_that_add_to_a_tree_wins(data: Open) -> None:
    stores = [await data() for _ in range(3)]
    frontier = Frontier()
    for round_number in range(5):
        before = frontier.copy()
        tries = [growth(before.copy(), *[b"%d %d" % (round_number, each)] * (each % 3 + 1)) for each in range(9)]
        done = await asyncio.gather(
            *(stores[number % 3].tree.grow(each) for number, each in enumerate(tries)), return_exceptions=True
        )
        won = [each for each, outcome in zip(tries, done, strict=True) if outcome is None]
        assert [type(each) for each in done if each is not None] == [TreeMoved] * 8
        frontier.extend(leaf_hash(leaf.entry) for leaf in won[0].leaves)
        head = await stores[0].tree.head()
        assert head is not None
        assert (head.size, head.root) == (frontier.size, frontier.root)
        assert len(await stores[0].tree.entries(0, 1000)) == frontier.size


async def test_what_does_not_fit_the_tree_changes_nothing(store: EventStore) -> None:
    frontier = Frontier()
    await store.tree.grow(growth(frontier, b"a", b"b"))
    head = await store.tree.head()
    for wrong in (growth(Frontier(), b"c"), growth(Frontier(9, [b"", b""]), b"c")):
        with pytest.raises(TreeMoved, match="the tree has 2 leaves"):
            await store.tree.grow(wrong)
    with pytest.raises(ValueError, match="do not lead"):
        await store.tree.grow(Growth(2, [], [], TreeHead(2, bytes(32), START)))
    # A stream never has two entries of one version: the whole growth fails with it.
    fitting = growth(frontier, b"c", b"d")
    with pytest.raises(Exception, match=r"(?i)unique"):
        await store.tree.grow(Growth(2, [Leaf(H, 1, b"c"), Leaf(G, 1, b"d")], fitting.hashes, fitting.head))
    assert await store.tree.head() == head
    assert await store.tree.entries(0, 1000) == [b"a", b"b"]
    assert list(map(len, await store.tree.hashes([Run(0, 0, 10)]))) == [2]


async def test_the_largest_checkpoint_is_the_published_one(store: EventStore) -> None:
    assert await store.tree.published() is None
    one, three = Published("log", 1, "one"), Published("log", 3, "three")
    for each in (three, one, Published("log", 3, "again")):
        await store.tree.publish(each)
    assert await store.tree.published() == three
    await store.tree.publish(Published("log/2", 3, "new origin"))
    assert await store.tree.published() == Published("log/2", 3, "new origin")


async def test_cosignatures_are_kept_with_their_checkpoint(store: EventStore) -> None:
    for size in (1, 2, 3):
        await store.tree.publish(Published("log", size, f"note {size}"))
    assert await store.tree.cosigned("log") is None
    for line in ("b", "a", "b"):
        await store.tree.cosign("log", 2, line)
    await store.tree.cosign("log", 1, "late")
    assert await store.tree.cosignatures("log", 2) == ["b", "a"]
    assert await store.tree.cosignatures("log", 3) == await store.tree.cosignatures("other", 2) == []
    assert await store.tree.cosigned("log") == Published("log", 2, "note 2")


def head_of(game: GameId, version: int, status: str) -> StreamHead:
    return StreamHead(game, version, records(game, 0, version)[-1].hash, AT, status)


async def test_streams_that_moved_are_told_with_their_newest_head(store: EventStore) -> None:
    start = Cursor.start(store.books)
    assert await store.tree.moved(start, await store.end()) == []
    await store.append(new_game("g1", count=2))
    await store.append(new_game("g2", count=1))
    middle = await store.end()
    chained = records(G, 0, 3)
    await store.append(Append(game=G, expected=2, records=chained[2:], status="running"))
    end = await store.end()
    both = await store.tree.moved(start, end)
    assert sorted(both, key=lambda head: head.stream) == [head_of(G, 3, "running"), head_of(H, 1, "gathering")]
    assert await store.tree.moved(start, middle) == both
    assert await store.tree.moved(middle, end) == [head_of(G, 3, "running")]
    assert await store.tree.moved(end, end) == []
    first = growth(Frontier(), b"x")
    await store.tree.grow(Growth(0, [Leaf(G, 3, b"x")], first.hashes, first.head))
    assert await store.tree.moved(start, end) == [head_of(H, 1, "gathering")]


COLUMNS = {"entries": "entry", "hashes": "hash", "trees": "root", "checkpoints": "note", "cosignatures": "line"}
CHANGES = [
    *(f"UPDATE {table} SET {column} = {column}" for table, column in COLUMNS.items()),
    *(f"DELETE FROM {table}" for table in COLUMNS),
]


async def filled(store: EventStore) -> None:
    await store.tree.grow(growth(Frontier(), b"x"))
    await store.tree.publish(Published("log", 1, "note"))
    await store.tree.cosign("log", 1, "line")


async def test_the_rows_of_a_file_are_never_changed(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "tabularium.db")
    await filled(store)
    await store.close()
    with closing(sqlite3.connect(tmp_path / "tabularium.db")) as connection:
        for statement in CHANGES:
            with pytest.raises(sqlite3.IntegrityError, match="of the transparency log are never"):
                connection.execute(statement)


async def test_the_rows_of_a_database_are_never_changed_not_even_by_its_owner(tmp_path: Path) -> None:
    async with shared_cluster().database() as url:
        store = await PostgresStore.open(url)
        await filled(store)
        await store.close()
        async with connected(url) as connection:
            await connection.execute("SET search_path = tabularium")
            for statement in [*CHANGES, *(f"TRUNCATE {table}" for table in COLUMNS)]:
                with pytest.raises(asyncpg.InsufficientPrivilegeError, match="are never changed and never deleted"):
                    await connection.execute(statement)
