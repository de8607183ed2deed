"""What the transparency log costs those who play, how quickly it proves an entry out of a million and is followed."""

import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from domain.kernel.ids import GameId
from domain.transparency.checkpoint import Checkpoint
from domain.transparency.entry import Entry
from domain.transparency.note import Note
from domain.transparency.policy import read_policy
from domain.transparency.tree import Frontier, leaf_hash
from projections.cursor import Cursor
from service.bots.client import Client
from service.bots.demonstration import own_service
from service.store.postgres.store import PostgresStore
from service.store.protocol import EventStore
from service.store.sqlite.store import SqliteStore
from service.store.transparency import Growth, Leaf, Published, TreeHead
from service.transparency.follower import Follower
from service.transparency.keys import check
from service.transparency.log import TransparencyLog
from tests.bench.cpu import spent
from tests.bench.measure import Figure, figure
from tests.bench.service import Table
from tests.helpers.postgres import Cluster, cluster
from tests.service.transparency.logs import KEY
from tests.service.transparency.shown import Shown

GAMES = 8
COMMANDS = 60
"""Of each game in each repeat."""
REPEATS = 15
AT = "2026-11-21T06:00:00.000000Z"
ENTRIES = 1_000_000
AT_ONCE = 10_000
CERTIFICATES = 500
FOLLOWED = 100_000
"""Entries of the log that is followed."""
EVENTS = 20
"""Of each of its games."""
FOLLOWINGS = 5


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
        yield _p95("certificate-p95", asyncio.run(_on_sqlite(Path(folder))), "SQLite")
    # As on a server, not as in tests: a buffer that holds all pages in use.
    with cluster(shared_buffers="256MB") as server:
        yield _p95("certificate-postgres-p95", asyncio.run(_on_postgres(server)), "PostgreSQL")


def _p95(bench: str, times: list[float], where: str) -> Figure:
    note = f"{CERTIFICATES} certificates of {ENTRIES} entries, {where}"
    return figure(bench, [sorted(times)[int(0.95 * len(times))] * 1000], "ms", note=note)


async def _on_sqlite(folder: Path) -> list[float]:
    return await _certified(await SqliteStore.open(folder / "tabularium.db"))


async def _on_postgres(server: Cluster) -> list[float]:
    async with server.database() as url:
        return await _certified(await PostgresStore.open(url))


async def _certified(store: EventStore) -> list[float]:
    frontier = Frontier()
    for start in range(0, ENTRIES, AT_ONCE):
        entries = [
            Entry("game", f"g{number // 20}", number % 20 + 1, f"{number:064x}", "running", AT)
            for number in range(start, start + AT_ONCE)
        ]
        leaves = [Leaf(GameId(entry.id), entry.version, entry.encoded) for entry in entries]
        placed = frontier.extend(leaf_hash(leaf.entry) for leaf in leaves)
        await store.tree.grow(Growth(start, leaves, placed, TreeHead(frontier.size, frontier.root, Cursor((start,)))))
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


class Followed(Shown):
    """A service whose log has many entries, of games with a given number of events each."""

    def __init__(self) -> None:
        super().__init__()
        self._newest: Note | None = None
        for number in range(FOLLOWED // EVENTS):
            self.play(f"g{number}", EVENTS)
            for row in self.games[f"g{number}"]:
                entry = Entry("game", GameId(f"g{number}"), row["version"], row["hash"], "running", row["at"])
                self.entries.append(entry.encoded)
        self._newest = self.checkpoint(self.entries)

    def checkpoint(self, entries: Sequence[bytes]) -> Note:
        return self._newest or super().checkpoint(entries)


def bench_following() -> Iterator[Figure]:
    policy = read_policy(f"log {KEY.signers[0].key}\nquorum none\n".encode())
    entries, streams, site = list[float](), list[float](), Followed()
    for _ in range(FOLLOWINGS):
        with tempfile.TemporaryDirectory(prefix="tabularium-") as folder:
            follower = Follower(site, policy, Path(folder), check)
            for rates, count in ((entries, FOLLOWED), (streams, FOLLOWED // EVENTS)):
                began = time.perf_counter()
                assert follower.look().streams == FOLLOWED // EVENTS
                rates.append(count / (time.perf_counter() - began))
            follower.close()
    note = f"a log of {FOLLOWED} entries for the first time, with a look at each of its {FOLLOWED // EVENTS} games"
    yield figure("follower-entries", entries, "1/s", note=f"{note}; the service is in memory")
    yield figure("follower-streams", streams, "1/s", note="games looked at again, with no new entry")


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {
    "signing": bench_signing,
    "certificates": bench_certificates,
    "following": bench_following,
}
