"""What the transparency log costs those who play, and how quickly it proves an entry out of a million."""

import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from domain.kernel.ids import GameId
from domain.transparency.checkpoint import Checkpoint
from domain.transparency.entry import Entry
from domain.transparency.note import Note
from domain.transparency.tree import Frontier, leaf_hash
from service.bots.client import Client
from service.bots.demonstration import own_service
from service.store.sqlite.store import SqliteStore
from service.store.transparency import Growth, Leaf, Published, TreeHead
from service.transparency.log import TransparencyLog
from tests.bench.cpu import spent
from tests.bench.measure import Figure, figure
from tests.bench.service import Table
from tests.service.transparency.logs import KEY

GAMES = 8
COMMANDS = 60
"""Of each game in each repeat."""
REPEATS = 15
AT = "2026-11-21T06:00:00.000000Z"
ENTRIES = 1_000_000
AT_ONCE = 10_000
CERTIFICATES = 500


def bench_signing() -> Iterator[Figure]:
    with own_service() as on, own_service(transparency="false") as off, Client(on) as one, Client(off) as other:
        signed = [Table(one, number) for number in range(GAMES)]
        plain = [Table(other, number) for number in range(GAMES)]
        ratios = list[float]()
        for _ in range(REPEATS):
            without, with_log = (
                spent(address, [partial(table.turns, commands=COMMANDS) for table in tables])
                for address, tables in ((off, plain), (on, signed))
            )
            ratios.append(without / with_log)
    note = f"processor time of a command without the log, to that with it; {GAMES} connections, in turn"
    yield figure("signing-ratio", ratios, "of a service that signs nothing", goal=">= 0.95", note=note)


def bench_certificates() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="tabularium-") as folder:
        times = sorted(asyncio.run(_certified(Path(folder))))
    note = f"{CERTIFICATES} certificates of {ENTRIES} entries, SQLite"
    yield figure("certificate-p95", [times[int(0.95 * len(times))] * 1000], "ms", note=note)


async def _certified(folder: Path) -> list[float]:
    store, frontier = await SqliteStore.open(folder / "tabularium.db"), Frontier()
    for start in range(0, ENTRIES, AT_ONCE):
        entries = [
            Entry("game", f"g{number // 20}", number % 20 + 1, f"{number:064x}", "running", AT)
            for number in range(start, start + AT_ONCE)
        ]
        leaves = [Leaf(GameId(entry.id), entry.version, entry.encoded) for entry in entries]
        placed = frontier.extend(leaf_hash(leaf.entry) for leaf in leaves)
        await store.tree.grow(Growth(start, leaves, placed, TreeHead(frontier.size, frontier.root, start)))
    text = Checkpoint(KEY.origin, ENTRIES, frontier.root).text
    await store.tree.publish(Published(KEY.origin, ENTRIES, str(Note(text, tuple(KEY.signatures(text))))))
    log, times = TransparencyLog(store.tree), list[float]()
    for number in range(CERTIFICATES):
        game = GameId(f"g{number * 7919 % (ENTRIES // 20)}")
        began = time.perf_counter()
        proof = await log.certificate(game, number % 20 + 1)
        times.append(time.perf_counter() - began)
        assert proof is not None
        assert proof.extra is not None
        assert proof.proves(proof.extra)
    await store.close()
    return times


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {
    "signing": bench_signing,
    "certificates": bench_certificates,
}
