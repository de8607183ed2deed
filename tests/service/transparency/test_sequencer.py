"""The sequencer: every stream's newest head is signed, of one size there is one root, and an old copy is noticed."""

import asyncio
import random
import shutil
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from domain.kernel.ids import GameId
from domain.transparency.checkpoint import read_checkpoint, verified
from domain.transparency.entry import read_entry
from domain.transparency.note import NoteError
from domain.transparency.tiles import Tile, entries_of, hashes_of
from domain.transparency.tree import continues, leaf_hash
from projections.cursor import Cursor
from service.cluster.wake import LocalWake
from service.observe.metrics import Metrics
from service.store.protocol import EventStore
from service.store.sqlite.store import SqliteStore
from service.transparency import sequencer as module
from service.transparency.kept import Kept
from service.transparency.keys import check, new_key, read_log_key, successor
from service.transparency.log import TransparencyLog
from service.transparency.sequencer import Rewound, sequencing
from tests.service.store.adapters import INDEXED, Adapter, Open
from tests.service.transparency.logs import KEY, EverybodysLessor, Streams, check_log, is_signed, sequencer, signed

G = GameId("g1")


@pytest.fixture(params=["sqlite", "postgres", "distributed"])
async def data(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Open]:
    adapter: Adapter = INDEXED[request.param]
    async with adapter(tmp_path) as open_store:
        yield open_store


@pytest.fixture
async def store(data: Open) -> EventStore:
    return await data()


async def test_streams_that_moved_are_entered_once_with_their_newest_head(store: EventStore, tmp_path: Path) -> None:
    streams, works = Streams(store, ("g1", "g2")), sequencer(store, tmp_path)
    assert await works.turn() is False
    for name in ("g1", "g2", "g1", "g1"):
        await streams.go_on(name)
    assert await works.turn() is True
    assert await works.turn() is False
    entries = [read_entry(entry) for entry in await store.tree.entries(0, 10)]
    assert [(entry.id, entry.version, entry.status, entry.kind) for entry in entries] == [
        ("g2", 1, "running", "game"), ("g1", 3, "running", "game"),
    ]  # fmt: skip
    await streams.go_on("g1", status="over")
    assert await works.turn() is True
    assert read_entry((await store.tree.entries(2, 3))[0]).status == "over"
    assert [head.size for head in await check_log(store, streams.hashes)] == [2, 3]


async def test_an_event_that_is_appended_while_a_turn_reads_is_entered_once(
    store: EventStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    streams, works, ends = Streams(store, ("g1",)), sequencer(store, tmp_path), store.end
    await streams.go_on("g1")

    async def end_before_the_event() -> Cursor:
        end = await ends()
        await streams.go_on("g1")
        return end

    with monkeypatch.context() as patched:
        patched.setattr(store, "end", end_before_the_event)
        assert await works.turn() is True
    head = await store.tree.head()
    assert head is not None
    assert not head.reached.reaches(await store.end())
    assert await is_signed(store), "though the tree did not reach the event, it has it"
    assert await works.turn() is False
    assert [read_entry(entry).version for entry in await store.tree.entries(0, 10)] == [2]


async def test_a_log_of_before_is_entered_in_steps(
    store: EventStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CHUNK", 3)
    streams = Streams(store, [f"g{number}" for number in range(8)])
    for name in streams.chains:
        await streams.go_on(name)
    assert await sequencer(store, tmp_path).turn() is True
    assert [head.size for head in await check_log(store, streams.hashes)] == [3, 6, 8]


async def test_what_was_published_is_proved(store: EventStore, tmp_path: Path) -> None:
    log, works = TransparencyLog(store.tree), sequencer(store, tmp_path)
    assert await log.checkpoint() is None
    assert await log.certificate(G) is None
    streams = Streams(store, [f"g{number}" for number in range(300)])
    for name in streams.chains:
        await streams.go_on(name)
    assert await log.certificate(G) is None
    await works.turn()
    before = await log.checkpoint()
    await streams.go_on("g1")
    await streams.go_on("g1")
    await works.turn()
    note = await log.checkpoint()
    assert before is not None
    assert note is not None
    assert verified(note, [KEY.signers[0].key], check)
    old, new = read_checkpoint(before.text), read_checkpoint(note.text)
    assert (old.size, new.size) == (300, 301)
    assert continues(300, old.root, 301, new.root, await log.consistency(300, 301))
    first = await log.certificate(G, 1)
    assert first is not None
    assert first.index < 300
    for version, place in ((1, first.index), (2, 300), (3, 300), (None, 300)):
        proof = await log.certificate(G, version)
        assert proof is not None
        assert proof.index == place
        assert proof.extra is not None
        assert proof.proves(proof.extra)
        assert read_entry(proof.extra).id == "g1"
    assert await log.certificate(G, 4) is None
    # What is not published is not shown, even when it is stored.
    assert await log.tile(Tile(0, 1, 46)) is None
    assert await log.bundle(Tile(0, 1, 46)) is None
    tile, bundled = await log.tile(Tile(0, 1, 45)), await log.bundle(Tile(0, 1, 45))
    assert tile is not None
    assert bundled is not None
    entries = entries_of(bundled, Tile(0, 1, 45))
    assert list(map(leaf_hash, entries)) == hashes_of(tile, Tile(0, 1, 45))


async def test_a_certificate_is_of_a_checkpoint_that_a_witness_saw_if_there_is_one(
    store: EventStore, tmp_path: Path
) -> None:
    log, works, streams = TransparencyLog(store.tree), sequencer(store, tmp_path), Streams(store, ("g1", "g2"))
    await streams.go_on("g1")
    await works.turn()
    await store.tree.cosign(KEY.origin, 1, "— w1.example AAAAAGFhYWE=\n")
    await streams.go_on("g2")
    await works.turn()
    first, second = await log.certificate(G), await log.certificate(GameId("g2"))
    assert first is not None
    assert second is not None
    assert (first.checkpoint.size, second.checkpoint.size) == (1, 2)
    assert [each.name for each in first.note.signatures] == [KEY.origin, "w1.example"]


class Killed(Exception):
    pass


class Deadly:
    """A part of the store in which the process dies again and again: before a step, or after it."""

    def __init__(self, tree: Any, rng: random.Random) -> None:
        self._tree = tree
        self._rng = rng

    def __getattr__(self, name: str) -> Any:
        step = getattr(self._tree, name)

        async def tried(*arguments: Any) -> Any:
            self._die()
            done = await step(*arguments)
            self._die()
            return done

        return tried

    def _die(self) -> None:
        if self._rng.random() < 0.05:
            raise Killed


async def test_several_sequencers_that_are_killed_sign_one_tree(data: Open, tmp_path: Path) -> None:
    """Three sequencers without a lease, each killed again and again and started anew, while streams go on."""
    stores = [await data() for _ in range(3)]
    streams = [Streams(stores[0], [f"g{each}{number}" for number in range(4)]) for each in "abc"]
    rngs = [random.Random(number) for number in range(3)]
    kills = Counter[int]()

    async def play() -> None:
        # How much is signed meanwhile is not the same on each store.
        while kills.total() <= 10 or len(await signed(stores[0])) <= 3:
            await asyncio.gather(*(each.go_on_at_random(rng, 60) for each, rng in zip(streams, rngs, strict=True)))

    async def run(number: int, rng: random.Random) -> None:
        works = None
        while not playing.done():
            if works is None:
                works = sequencer(stores[number], tmp_path / str(number))
                works._tree = works._log.tree = Deadly(works._tree, rng)  # type: ignore[assignment]
            try:
                await works.turn()
            except Killed:
                kills[number], works = kills[number] + 1, None
            await asyncio.sleep(0)

    playing = asyncio.create_task(play())
    await asyncio.gather(playing, *(run(number, random.Random(number)) for number in range(3)))
    await sequencer(stores[0], tmp_path / "0").turn()
    whole = Streams(stores[0], ())
    for each in streams:
        whole.chains |= each.chains
    checkpoints = await check_log(stores[0], whole.hashes)
    assert len({head.size for head in checkpoints}) == len(checkpoints)


async def test_it_follows_the_log_until_the_service_stops(store: EventStore, tmp_path: Path) -> None:
    streams, wake, told = Streams(store, ("g1",)), LocalWake(), list[bool]()
    async with sequencing(store, KEY, tmp_path, EverybodysLessor(), wake, signing=told.append):
        await streams.go_on("g1")
        wake.notify(G, 1)
        async with asyncio.timeout(20):
            while await store.tree.published() is None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    assert set(told) == {True}
    await streams.go_on("g1")
    async with sequencing(store, None, tmp_path, EverybodysLessor(), wake):
        assert len(await signed(store)) == 1


# --- an old copy ------------------------------------------------------------------------------------------------------


@pytest.fixture
async def rewound(tmp_path: Path) -> AsyncIterator[tuple[SqliteStore, Streams]]:
    """A store as it was when one event was signed; two were."""
    path = tmp_path / "tabularium.db"
    store = await SqliteStore.open(path)
    streams = Streams(store, ("g1", "g2"))
    await streams.go_on("g1")
    await sequencer(store, tmp_path).turn()
    await store.close()
    shutil.copy(path, tmp_path / "copy.db")
    store = await SqliteStore.open(path)
    streams._store = store
    await streams.go_on("g2")
    await sequencer(store, tmp_path).turn()
    await store.close()
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    shutil.copy(tmp_path / "copy.db", path)
    store = await SqliteStore.open(path)
    streams = Streams(store, ("g1", "g3", "g4"))
    streams.chains[G] = await store.read(G)
    yield store, streams
    await store.close()


async def test_an_old_copy_of_the_database_is_noticed_and_nothing_is_signed(
    rewound: tuple[SqliteStore, Streams], tmp_path: Path
) -> None:
    store, streams = rewound
    with pytest.raises(Rewound, match=r"of 2 entries was signed .* and the database has a tree of 1"):
        await sequencer(store, tmp_path).turn()
    metrics = Metrics()
    async with (
        asyncio.timeout(20),
        sequencing(store, KEY, tmp_path, EverybodysLessor(), LocalWake(), signing=metrics.signing.set),
    ):
        while b"tabularium_signing 0.0" not in metrics.exposition("")[0]:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    # Nor when the copy has grown past it, by whom ever.
    await streams.go_on("g3")
    await streams.go_on("g4")
    await sequencer(store, tmp_path / "elsewhere").turn()
    with pytest.raises(Rewound, match="has another tree of that size"):
        await sequencer(store, tmp_path).turn()


async def test_a_new_origin_that_names_where_the_old_one_ended_goes_on(
    rewound: tuple[SqliteStore, Streams], tmp_path: Path
) -> None:
    store, streams = rewound
    with pytest.raises(Rewound) as caught:
        await sequencer(store, tmp_path).turn()
    origin = successor(KEY.origin, caught.value.signed)
    assert origin == f"games.example/log/after/2-{caught.value.signed.root.hex()[:16]}"
    assert successor(origin, caught.value.signed) == origin
    key = read_log_key(new_key(origin, lambda count: b"n" * count))
    works = sequencer(store, tmp_path, key)
    assert await works.turn() is True
    await streams.go_on("g3")
    assert await works.turn() is True
    published = await store.tree.published()
    assert published is not None
    assert (published.origin, published.size) == (origin, 2)


async def test_a_damaged_memory_of_what_was_signed_is_no_reason_to_go_on(
    rewound: tuple[SqliteStore, Streams], tmp_path: Path
) -> None:
    Kept(tmp_path, KEY.origin).path.write_text("nothing")
    with pytest.raises(NoteError, match="is damaged"):
        await sequencer(rewound[0], tmp_path).turn()
