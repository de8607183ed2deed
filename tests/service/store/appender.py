"""A process that appends to a database as fast as it can: to games of its own, and to one that all fight for.

``python -m tests.service.store.appender URL NAME GAMES VERSIONS``
"""

import asyncio
import sys

from domain.kernel.ids import GameId
from service.store.postgres.store import PostgresStore
from service.store.protocol import Conflict
from tests.service.store.batches import addition, new_game

SHARED = GameId("shared")


async def main(url: str, name: str, games: int, versions: int) -> None:
    store = await PostgresStore.open(url)

    async def own(game: str) -> None:
        await store.append(new_game(game))
        for version in range(1, versions):
            await store.append(addition(game, version))

    async def shared() -> None:
        while (head := await store.head(SHARED)) < versions:
            try:
                await store.append(addition(SHARED, head, count=2, text=name))
            except Conflict:
                continue

    await asyncio.gather(shared(), *(own(f"{name}-{number}") for number in range(games)))
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
