"""The sequencer adds an entry to the tree for the newest event of each stream that changed, and signs the stored tree.

The order matters. The tree grows by compare-and-set. Only a stored tree is signed. The checkpoint is then written to a
file outside the database, and published after that. So each size has one root, even if processes are killed or two run
at once. And if the database is restored from an older copy, the file shows that more was signed.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Final, Protocol
from uuid import uuid4

from domain.transparency.checkpoint import Checkpoint
from domain.transparency.entry import Entry, kind_of
from domain.transparency.note import Note, NoteError
from domain.transparency.policy import Party
from domain.transparency.tree import Frontier, leaf_hash
from projections.cursor import Cursor
from projections.store import Unavailable
from service.cluster.wake import Wake
from service.observe.background import background
from service.observe.logging import log
from service.store.protocol import EventStore, StoreError
from service.store.transparency import Growth, Leaf, Published, StreamHead, TreeHead, TreeMoved
from service.transparency.cosigning import cosigning
from service.transparency.kept import Kept
from service.transparency.keys import LogKey
from service.transparency.log import TransparencyLog

NOBODY: Final[Mapping[str, Party]] = MappingProxyType({})

EVERY: Final = 1.0
"""The least seconds from the beginning of a turn that signed something to the next turn."""

CHUNK: Final = 1_000
"""How many positions of the log one step covers at most. A long log without entries takes many steps."""

LEASE: Final = 5.0
"""Seconds for which one process gets the work. If it dies, another takes over after this time at most."""

POLL: Final = 1.0
"""Seconds until the next turn if the bell does not ring, another process has the lease, or a turn failed."""


class Bell(Protocol):
    """Wakes the sequencer when something was appended to the log."""

    closed: bool

    async def wait(self, seconds: float | None = None) -> bool:
        """Wait until it rings; return True if it has rung since the last wait, False after `seconds`."""
        ...


class Lessor(Protocol):
    """Lets one process at a time do some work."""

    async def lease(self, holder: str, seconds: float, work: str) -> bool:
        """Return whether `holder` may do the work for that number of seconds. Raises `Unavailable`."""
        ...


class Rewound(Exception):
    """The stored tree does not extend the kept checkpoint: the database was restored from an older copy, or changed."""

    def __init__(self, signed: Checkpoint, size: int) -> None:
        stored = f"has a tree of {size}" if size < signed.size else "has another tree of that size"
        super().__init__(
            f"a checkpoint of {signed.size} entries was signed for {signed.origin}, and the database {stored}:"
            " it was restored from an older copy, or changed"
        )
        self.signed = signed


class Stopped(Exception):
    """Signing was stopped until the process restarts: a witness has seen a larger tree than the database has."""


class Sequencer:
    """Adds entries for the newest events of all streams to the tree, and signs it."""

    def __init__(self, store: EventStore, key: LogKey, directory: Path, lessor: Lessor) -> None:
        """`directory` is where the newest checkpoint is kept, apart from the database."""
        self._store = store
        self._tree = store.tree
        self._log = TransparencyLog(store.tree)
        self._key = key
        self._kept_checkpoint = Kept(directory, key.origin)
        self._lessor = lessor
        self._name = uuid4().hex
        self._leased_until = 0.0
        self._head: TreeHead | None = None
        self._frontier = Frontier()
        self._position = self._end = Cursor.start(store.books)
        self._published = 0
        self._stopped = ""

    @property
    def leads(self) -> bool:
        """Whether this process has the lease, and signing was not stopped."""
        return time.monotonic() < self._leased_until and not self._stopped

    def stop(self, why: str) -> None:
        """Stop signing until the process restarts. `why` becomes the message of `Stopped`."""
        self._stopped = why

    # --- serving ---

    async def run(self, bell: Bell, signing: Callable[[bool], None] = lambda signs: None) -> None:
        """Take turns until the bell is closed. One process at a time has the lease; the others try to get it.

        `signing` is called after each turn: True if it succeeded or another process has the lease, else False.
        """
        complaint = ""
        try:
            while not bell.closed:
                began = time.monotonic()
                try:
                    has_signed = await self.turn()
                    complaint = ""
                    signing(True)
                except (Rewound, Stopped, StoreError, Unavailable, OSError, NoteError) as error:
                    if str(error) != complaint:
                        complaint = str(error)
                        level = log.error if isinstance(error, (Rewound, Stopped, NoteError)) else log.warning
                        level("nothing is signed", why=complaint)
                    has_signed = None
                    signing(False)
                if has_signed is None:
                    await asyncio.sleep(POLL)
                elif has_signed:
                    await asyncio.sleep(max(0.0, EVERY - (time.monotonic() - began)))
                else:
                    await bell.wait(POLL)
        finally:
            self._leased_until = 0.0
            with suppress(Unavailable):
                await self._lessor.lease(self._name, 0, "sequencer")

    async def turn(self) -> bool | None:
        """Enter and sign the log to its end, if this process has the lease or gets it.

        Returns:
            whether a tree was signed; None when another process has the lease.

        Raises:
            Rewound: the stored tree does not extend the kept checkpoint.
            Stopped: `stop` was called.
            StoreError, Unavailable, OSError: the store, the leases or the data directory cannot be used.
            NoteError: the newest checkpoint that was kept cannot be read.
        """
        signed = False
        while True:
            if self._stopped:
                raise Stopped(self._stopped)
            now = time.monotonic()
            if now > self._leased_until - LEASE / 2:
                if not await self._lessor.lease(self._name, LEASE, "sequencer"):
                    self._head = None
                    return None
                self._leased_until = now + LEASE
            signed |= await self.step()
            if self._position.reaches(self._end):
                return signed

    async def step(self) -> bool:
        """Add entries for the streams that changed in the next part of the log. Then sign and publish the tree.

        Return whether a tree was signed. This is correct without the lease, too. Raises what `turn` raises.
        """
        await self._reload_if_changed()
        self._end = await self._store.end()
        until = self._position.towards(self._end, CHUNK)
        heads = await self._tree.moved(self._position, until)
        if heads:
            try:
                await self._grow(heads, until)
            except TreeMoved:  # another process added entries first: the next step reads the tree again
                self._head = None
                return False
        self._position = until
        return await self._publish()

    async def _reload_if_changed(self) -> None:
        """Read the frontier and position of the stored tree again, if its head is not the one that this process has."""
        head = await self._tree.head() or TreeHead(0, Frontier().root, Cursor.start(self._store.books))
        if head == self._head:
            return
        self._head = None
        await check_signed(self._kept_checkpoint, self._log, head.size)
        published = await self._tree.published()
        self._published = published.size if published is not None and published.origin == self._key.origin else -1
        self._frontier = await self._log.frontier(head)
        self._head, self._position = head, head.reached

    async def _grow(self, heads: list[StreamHead], reached: Cursor) -> None:
        frontier = self._frontier.copy()
        leaves = [Leaf(head.stream, head.version, _entry(head).encoded) for head in heads]
        placed = frontier.extend(leaf_hash(leaf.entry) for leaf in leaves)
        head = TreeHead(frontier.size, frontier.root, reached)
        await self._tree.grow(Growth(self._frontier.size, leaves, placed, head))
        self._frontier, self._head = frontier, head

    async def _publish(self) -> bool:
        """Sign the stored tree, write the checkpoint to the file, and publish it. Return False if that was done."""
        head = self._head
        if head is None or head.size <= max(self._published, 0):
            return False
        text = Checkpoint(self._key.origin, head.size, head.root).text
        note = Note(text, tuple(self._key.signatures(text)))
        await asyncio.to_thread(self._kept_checkpoint.keep, note)
        await self._tree.publish(Published(self._key.origin, head.size, str(note)))
        self._published = head.size
        return True


async def check_signed(memory: Kept, log: TransparencyLog, size: int) -> Checkpoint | None:
    """Return the newest checkpoint that was kept; None without one. The stored tree of `size` must extend it.

    Raises:
        Rewound: it does not.
        StoreError, OSError, NoteError: the tree or the checkpoint cannot be read.
    """
    signed = await asyncio.to_thread(memory.newest)
    if signed is not None and (signed.size > size or signed.root != await log.root(signed.size)):
        raise Rewound(signed, size)
    return signed


def _entry(head: StreamHead) -> Entry:
    return Entry(kind_of(head.stream), head.stream, head.version, head.hash.hex(), head.status, head.at)


@asynccontextmanager
async def sequencing(
    store: EventStore,
    key: LogKey | None,
    directory: Path,
    lessor: Lessor,
    wake: Wake,
    witnesses: Mapping[str, Party] = NOBODY,
    signing: Callable[[bool], None] = lambda signs: None,
) -> AsyncIterator[None]:
    """Run the sequencer in this event loop, if this process has the key of the log.

    A second task sends the checkpoints to the witnesses. `signing` is called as by `Sequencer.run`.
    """
    if key is None:
        yield
        return
    async with wake.subscribe(None) as bell:
        sequencer = Sequencer(store, key, directory, lessor)
        async with (
            background("checkpoints are signed", sequencer.run(bell, signing)),
            cosigning(store.tree, witnesses, lambda: sequencer.leads, sequencer.stop),
        ):
            yield
