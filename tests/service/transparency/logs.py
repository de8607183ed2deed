"""Sequencers to test with, over games that mean nothing, and the check of all that they ever signed."""

import asyncio
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from domain.kernel.ids import GameId, StreamId
from domain.kernel.log.record import Record
from domain.transparency.checkpoint import Checkpoint, read_checkpoint, verified
from domain.transparency.entry import read_entry
from domain.transparency.note import read_note
from domain.transparency.tree import Frontier, leaf_hash
from service.store.protocol import EventStore
from service.transparency.keys import LogKey, check, new_key, read_log_key
from service.transparency.sequencer import Sequencer
from tests.service.store.batches import addition, new_game, records

WRITTEN_KEY = new_key("games.example/log", lambda count: b"k" * count)
KEY = read_log_key(WRITTEN_KEY)


class EverybodysLessor:
    """Lets everybody do everything at once: the worst that a lease may do."""

    async def lease(self, holder: str, seconds: float, work: str) -> bool:
        return True


def sequencer(store: EventStore, directory: Path, key: LogKey = KEY) -> Sequencer:
    return Sequencer(store, key, directory, EverybodysLessor())


class Streams:
    """Streams that go on by an event at a time, each with a chain."""

    def __init__(self, store: EventStore, names: Iterable[str]) -> None:
        self._store = store
        self.chains: dict[GameId, list[Record]] = {GameId(name): [] for name in names}

    @property
    def hashes(self) -> dict[StreamId, list[bytes]]:
        """The hashes of the versions of each stream."""
        return {game: [record.hash for record in chain] for game, chain in self.chains.items()}

    async def go_on(self, name: str, status: str = "running") -> None:
        game = GameId(name)
        chain = self.chains[game]
        record = records(game, len(chain), previous=chain[-1].hash if chain else b"")
        batch = addition(name, len(chain), status=status) if chain else new_game(name, status=status)
        await self._store.append(replace(batch, records=record))
        chain.extend(record)

    async def go_on_at_random(self, rng: random.Random, times: int) -> None:
        for _ in range(times):
            await self.go_on(rng.choice(sorted(self.chains)))
            await asyncio.sleep(rng.random() / 500)


async def signed(store: EventStore, key: LogKey = KEY) -> list[Checkpoint]:
    """Return the checkpoints that were published, the smallest first, each with a signature that is right."""
    found = await store.tree._database.select("SELECT note FROM checkpoints ORDER BY size, number")  # type: ignore[attr-defined]
    notes = [read_note(note) for (note,) in found]
    for note in notes:
        assert verified(note, [signer.key for signer in key.signers], check)
    return [read_checkpoint(note.text) for note in notes]


async def is_signed(store: EventStore) -> bool:
    """Tell whether the newest checkpoint is of all that had happened when this was called.

    The tree may have the newest event of a stream though it did not reach it: an event that is appended while a turn
    reads is entered, and lies beyond the end that the turn read before. So what counts is whether anything is missing.
    """
    end, head = await store.end(), await store.tree.head()
    if head is None or await store.tree.moved(head.reached, end):
        return False
    # Read again, because the tree may have grown before `moved` looked into it.
    grown, newest = await store.tree.head(), await store.tree.published()
    return grown is not None and newest is not None and newest.size == grown.size


async def check_log(
    store: EventStore, hashes: Mapping[StreamId, Sequence[bytes]], key: LogKey = KEY
) -> list[Checkpoint]:
    """Check that all checkpoints are of one tree that has the newest head of every stream; return them.

    `hashes` are those of the versions of each stream.
    """
    checkpoints = await signed(store, key)
    entries = await store.tree.entries(0, 1_000_000)
    roots, frontier = {0: Frontier().root}, Frontier()
    for entry in entries:
        frontier.extend([leaf_hash(entry)])
        roots[frontier.size] = frontier.root
    assert checkpoints[-1].size == len(entries)
    for each in checkpoints:
        assert each.root == roots[each.size], f"a second root of size {each.size} was signed"
    newest: dict[str, int] = {}
    for entry in map(read_entry, entries):
        assert entry.hash == hashes[GameId(entry.id)][entry.version - 1].hex(), f"{entry} is not what was stored"
        assert entry.version > newest.get(entry.id, 0), f"{entry} is not newer than what was entered before"
        newest[entry.id] = entry.version
    assert newest == {stream: len(chain) for stream, chain in hashes.items() if chain}
    return checkpoints
