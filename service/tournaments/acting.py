"""Acting in a tournament or a league: how an account's act is decided, stored and repeated."""

import asyncio
import hashlib
import itertools
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar
from weakref import WeakValueDictionary

import msgspec

from domain.kernel.ids import PlayerId, StreamId, Version
from domain.kernel.log.record import Cause, Record, first_broken
from service.base.clock import Clock, stamp
from service.base.ids import ID_BYTES, new_id
from service.cluster.wake import Wake
from service.games.cache import GameDamaged
from service.games.commands import ATTEMPTS
from service.games.requests import StaleVersion, hashed_key
from service.store.protocol import Conflict, EventStore, KeyReused, KeyUse, StoreUnavailable


class State(Protocol):
    """The state that the records of a stream fold into."""

    @property
    def version(self) -> Version: ...
    @property
    def head(self) -> bytes: ...


class Row(Protocol):
    """The row of a stream in the index."""

    @property
    def title(self) -> str: ...
    @property
    def version(self) -> Version: ...


Id = TypeVar("Id", bound=StreamId)
S = TypeVar("S", bound=State)
Inscribed = TypeVar("Inscribed")
Kept = TypeVar("Kept")


class Acting(ABC, Generic[Id, S, Inscribed, Kept]):
    """All streams of one kind in a store, with one act at a time in each. A repeated request gets the first answer."""

    what: ClassVar[str]
    """The word for a stream in messages."""
    prefix: ClassVar[str]
    """The first letter of the ids of its streams."""
    unknown: ClassVar[type[LookupError]]
    """The error for an id that no stream has."""
    in_memory: ClassVar[int]
    """How many streams stay in memory: the most recently used."""

    def __init__(self, store: EventStore, wake: Wake, clock: Clock, randomness: Callable[[int], bytes]) -> None:
        self._store = store
        self._wake = wake
        self._clock = clock
        self._randomness = randomness
        self._turns: WeakValueDictionary[Id, asyncio.Lock] = WeakValueDictionary()
        self._in_memory: OrderedDict[Id, Kept] = OrderedDict()

    async def now(self, stream: Id) -> Kept:
        """Return a stream as it is now. Reads only the events after the version in memory. Raises `unknown`."""
        # The regulations of a tournament can name any text as a league.
        row = await self._row(stream) if stream.isalnum() else None
        if row is None:
            raise self.unknown(f"There is no {self.what} {stream!r}.")
        before_entry = self._in_memory.get(stream)
        before = self._state(before_entry)[0] if before_entry is not None else None
        records: Sequence[Record] = ()
        if before is None or before.version < row.version:
            records = await self._store.read(stream, before.version if before is not None else 0)
            self._check(stream, records, before)
        return self._keep(stream, self._folded(stream, row.title, records, before_entry))

    async def at(self, stream: Id, version: Version) -> Kept:
        """Return a stream as it was at a version that it has reached. Raises `unknown`."""
        now = await self.now(stream)
        state, title = self._state(now)
        if state.version == version:
            return now
        return self._folded(stream, title, await self._store.read(stream, 0, version))

    def _keep(self, stream: Id, entry: Kept) -> Kept:
        other = self._in_memory.get(stream)
        # Replace an equal version, too: a title changes without an event.
        if other is None or self._state(other)[0].version <= self._state(entry)[0].version:
            self._in_memory[stream] = entry
        self._in_memory.move_to_end(stream)
        if len(self._in_memory) > self.in_memory:
            self._in_memory.popitem(last=False)
        return entry

    @abstractmethod
    async def _row(self, stream: Id) -> Row | None:
        """Return the row of a stream in the index, or None."""

    @abstractmethod
    def _folded(self, stream: Id, title: str, records: Sequence[Record], before: Kept | None = None) -> Kept:
        """Return a stream folded from all of its records, or from those that follow `before`, if there are any."""

    @abstractmethod
    def _state(self, entry: Kept) -> tuple[S, str]:
        """Return the state and the title of a stream."""

    @abstractmethod
    async def _append(self, inscribed: Inscribed, expected: Version, title: str, use: KeyUse | None) -> Kept:
        """Store the events of an act. Raises `Conflict` when the stream has moved on from version `expected`."""

    @abstractmethod
    def _repeating(self, entry: Kept) -> Kept:
        """Return a stream marked as the answer to a repeated request."""

    async def records(self, stream: Id, after: Version = 0, limit: int | None = None) -> list[Record]:
        """Return the records of a stream after a version."""
        return await self._store.read(stream, after, limit)

    async def act(
        self,
        stream: Id,
        player: PlayerId,
        content: Sequence[Any],
        decide: Callable[[S, Cause, str], Inscribed],
        *,
        expected: Collection[Version] | None = None,
        key: str | None = None,
    ) -> Kept:
        """Let an account do something. `content` is the request that belongs to the idempotency key.

        Raises:
            Refusal: a rule forbids it.
            StaleVersion: the stream is at none of the `expected` versions.
            KeyReused: the key was used for another request before.
        """
        use = key_use(player, key, content)
        cause = Cause(player, key=use.key if use is not None else None)
        async with self._turn(stream):
            for _ in range(ATTEMPTS):
                now = await self.now(stream)
                if use is not None and (first := await self._first(stream, use)) is not None:
                    return first
                state, title = self._state(now)
                if expected is not None and state.version not in expected:
                    raise StaleVersion(expected, state.version, self.what)
                try:
                    return await self._append(decide(state, cause, stamp(self._clock)), state.version, title, use)
                except Conflict:  # another process was quicker
                    continue
        raise StoreUnavailable(f"{stream} changed {ATTEMPTS} times while the service decided this; try again")

    def _turn(self, stream: Id) -> asyncio.Lock:
        """Return the lock of a stream, so that acts of this process happen one at a time and do not conflict."""
        return self._turns.setdefault(stream, asyncio.Lock())

    def _new_ids(self, player: PlayerId, key: str | None) -> Iterator[str]:
        """Yield ids for a new stream. With a key, they follow from the account and the key."""
        for number in itertools.count():
            seed = self._randomness(ID_BYTES)
            if key is not None:
                text = f"{self.what}/{hashed_key(player, key)}/{number}"
                seed = hashlib.sha256(text.encode()).digest()[:ID_BYTES]
            yield new_id(self.prefix, seed)

    def _check(self, stream: Id, records: Sequence[Record], before: S | None = None) -> None:
        """Raise `GameDamaged` unless the records continue the hash chain of the stream."""
        after, previous = (before.version, before.head) if before is not None else (0, None)
        if not records or first_broken(stream, records, after, previous) is not None:
            raise GameDamaged(f"{self.what} {stream} is damaged in the store")

    async def _first(self, stream: Id, use: KeyUse) -> Kept | None:
        """Return the answer to an earlier request with this key; None when there was none. Raises `KeyReused`."""
        first_use = await self._store.use_of_key(stream, use.account, use.key)
        if first_use is None:
            return None
        if first_use.fingerprint != use.fingerprint:
            raise KeyReused
        return await self._repeated(stream, first_use.added.version)

    async def _repeated(self, stream: Id, version: Version) -> Kept:
        return self._repeating(await self.at(stream, version))


def key_use(player: PlayerId, key: str | None, content: Sequence[Any]) -> KeyUse | None:
    """Return the use of an idempotency key for a request with this content; None without a key."""
    if key is None:
        return None
    digest = hashlib.sha256(msgspec.json.encode(list(content), order="deterministic")).digest()
    return KeyUse(player, hashed_key(player, key), digest)
