"""A process that folds projections over a log that is the same in every process, until it is killed.

``python -m tests.projections.folding URL LEASE`` prints how many events each turn has folded.
"""

import asyncio
import sys
from typing import Final

import projections.runner
from projections.rules import RULES
from projections.sightings import SIGHTINGS
from service.store.postgres.rows import PostgresRows
from tests.projections.logs import BookLog, mixed, runner, tiny_game

FOLDED: Final = (RULES, SIGHTINGS)


def log() -> BookLog:
    return BookLog(mixed([tiny_game(seed, 2 + seed % 3, commands=11, undo=True) for seed in range(6)]))


async def fold(url: str, lease: float) -> None:
    projections.runner.LEASE = lease
    each = runner(log(), await PostgresRows.open(url), FOLDED, batch=24)
    while True:
        print(await each.turn() or 0, flush=True)


if __name__ == "__main__":
    asyncio.run(fold(sys.argv[1], float(sys.argv[2])))
