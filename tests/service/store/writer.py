"""A process that plays games into a store until it is killed, and says what was acknowledged.

``python -m tests.service.store.writer DIRECTORY`` prints a line ``GAME VERSION`` for each round, after it was played.
"""

import asyncio
import sys
from pathlib import Path

from tests.service.rig import Rig, open_rig


async def keep_playing(rig: Rig) -> None:
    while True:
        game = await rig.begun(rounds=3)
        while (now := await rig.games.game(game)).status == "running":
            version = await rig.play_round(game)
            print(game, version, flush=True)
        print(game, now.version, flush=True)


async def main(path: Path) -> None:
    async with open_rig(path) as rig:
        await asyncio.gather(*(keep_playing(rig) for _ in range(4)))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
