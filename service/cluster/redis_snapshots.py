"""Snapshots of running games in Redis: much newer than those in the store, and lost when Redis is.

With them, a process that loads a game, from another process or again, has to read and fold only a few of its events.
Like all snapshots, they are only hints, and sealed, because Redis is not trusted to return what was put there.
"""

from typing import Any, Final

import msgspec

from domain.kernel.ids import GameId
from service.cluster.away import RedisAway
from service.cluster.redis import Redis
from service.store.protocol import StoreUnavailable
from service.store.snapshots import Snapshot

KEPT: Final = 3600
"""Seconds for which the snapshot of a game that does not go on is kept."""

EVERY: Final = 32
"""Events between two snapshots of a game: taking one costs 25 µs, and sending it 11 kB."""

# A value begins with its version in 20 digits, so that an older snapshot never takes the place of a newer one.
_KEEP: Final = """
local kept = redis.call('GETRANGE', KEYS[1], 0, 19)
if kept < string.sub(ARGV[1], 1, 20) then redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2]) end
"""

_DECODER: Final = msgspec.msgpack.Decoder(Snapshot)


class RedisSnapshots:
    """A `SnapshotStore` in Redis. Raises `StoreUnavailable` while Redis does not answer."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def newest(self, game: GameId) -> Snapshot | None:
        content: Any = await self._ask("GET", _name(game))
        try:
            return _DECODER.decode(content[20:]) if content is not None else None
        except (ValueError, msgspec.MsgspecError):
            await self.drop(game)
            return None

    async def keep(self, snapshot: Snapshot) -> None:
        value = b"%020d%b" % (snapshot.version, msgspec.msgpack.encode(snapshot))
        await self._ask("EVAL", _KEEP, 1, _name(snapshot.game), value, KEPT)

    async def drop(self, game: GameId) -> None:
        await self._ask("DEL", _name(game))

    async def close(self) -> None:
        """Do nothing: the caller closes Redis."""

    async def _ask(self, *command: Any) -> Any:
        try:
            return await self._redis.ask(lambda client: client.execute_command(*command))
        except RedisAway as error:
            raise StoreUnavailable(str(error)) from error


def _name(game: GameId) -> str:
    return f"tabularium:snapshot:{game}"
