"""Appends a second into PostgreSQL, against what pgbench reaches with single-row inserts of the same size.

Run as a program it prints the table of deploy/README.md. With arguments it is one process of the measurement:
``python -m tests.bench.appends URL CLIENTS SECONDS NAME``.
"""

import asyncio
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Final

import msgspec
import uvloop
from msgspec import Raw

from domain.kernel.ids import GameId, PlayerId, Seat, Version
from domain.kernel.log.record import Cause, Record, genesis, inscribe
from service.store.postgres.distributed import open_store
from service.store.postgres.store import PostgresStore
from service.store.protocol import Append, KeyUse, Opening
from tests.bench.measure import Figure, figure, processor
from tests.helpers.postgres import Cluster, cluster

SECONDS: Final = 4.0
REPEATS: Final = 3
CLIENTS: Final = (1, 8, 32)
PROCESSES: Final = (1, 2, 4)

BUFFERS: Final = "256MB"
"""As on a server, not as in tests: a buffer that holds all pages in use."""

SCHEMA: Final = "CREATE TABLE bare (id bigserial PRIMARY KEY, body text NOT NULL)"
TEXT: Final = "x" * 220
"""Makes an event of about 300 bytes, the median of a game of Conquest."""


class Moved(msgspec.Struct, frozen=True, tag="moved"):
    """An event of the usual size."""

    text: str = TEXT


class Side(msgspec.Struct):
    """What was measured of one of the two: commands a second, and microseconds of processor that each took."""

    rates: list[float] = msgspec.field(default_factory=list[float])
    server: list[float] = msgspec.field(default_factory=list[float])
    client: list[float] = msgspec.field(default_factory=list[float])

    def add(self, run: "Run") -> None:
        self.rates.append(run.rate)
        self.server.append(run.server / run.count * 1e6)
        self.client.append(run.client / run.count * 1e6)


class Run(msgspec.Struct):
    """What one run did: commands a second and in all, and the seconds of processor of the server and of its clients."""

    rate: float
    count: int
    server: float
    client: float


def measured(clients: int, processes: int) -> tuple[Side, Side]:
    """Return what pgbench and the service's store reach, in turn, with so many clients in so many processes."""
    bare, ours = Side(), Side()
    with _server() as (server, script):
        for attempt in range(REPEATS):
            bare.add(by_pgbench(server, script, clients, processes))
            ours.add(by_store(server.url("migrated"), [server], clients, processes, f"{attempt}"))
    return bare, ours


@contextmanager
def _server() -> Iterator[tuple[Cluster, Path]]:
    with cluster(shared_buffers=BUFFERS) as server:
        yield server, script_of_pgbench(server)


def script_of_pgbench(server: Cluster) -> Path:
    """Make the table that pgbench inserts into, and return the file of its statement."""
    script = server.data.parent / "insert.sql"
    script.write_text(f"INSERT INTO bare (body) VALUES ('{'x' * _size()}');\n")
    script.chmod(0o644)
    server.sql(SCHEMA, database="migrated")
    return script


def bench_append() -> Iterator[Figure]:
    for clients in CLIENTS:
        for processes in (each for each in PROCESSES if each <= clients):
            bare, ours = measured(clients, processes)
            name = f"append-{clients}x{processes}"
            note = f"{clients} clients in {processes} processes; pgbench with as many"
            goal = {8: ">= 0.7", 32: ">= 0.85"}.get(clients, "") if processes == 1 else ""
            yield figure(f"{name}-ratio", shares(ours.rates, bare.rates), "of pgbench", goal=goal, note=note)
            yield figure(f"{name}-server-ratio", shares(ours.server, bare.server), "of its processor", note="a command")
            for kind, side in (("ours", ours), ("pgbench", bare)):
                yield figure(f"{name}-{kind}", side.rates, "1/s", note="commands of one event, with idempotency keys")
                yield figure(f"{name}-{kind}-server", side.server, "µs of processor")
                yield figure(f"{name}-{kind}-client", side.client, "µs of processor")


def table() -> Iterator[str]:
    """Yield the lines of the table in deploy/README.md."""
    yield f"load of the machine before: {os.getloadavg()[0]:.1f}"
    yield "| clients | processes | commands a second | the server's processor for one | a process's processor for one |"
    yield "|---:|---:|---:|---:|---:|"
    for clients in CLIENTS:
        for processes in (each for each in PROCESSES if each <= clients):
            bare, ours = measured(clients, processes)
            rate, server = median(shares(ours.rates, bare.rates)), median(shares(ours.server, bare.server))
            yield f"| {clients} | {processes} | {rate:.2f} | {server:.1f} | {median(ours.client):.0f} µs |"


def shares(ours: Sequence[float], bare: Sequence[float]) -> list[float]:
    return [mine / plain for mine, plain in zip(ours, bare, strict=True)]


def _size() -> int:
    """Return how many bytes a stored event has: its own, and those of what caused it."""
    return len(msgspec.json.encode(Moved())) + 150


def by_pgbench(server: Cluster, script: Path, clients: int, processes: int) -> Run:
    """Insert single rows for `SECONDS`."""
    before, children = processor([server]), sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    said = server.run(
        "pgbench", "-n", "-M", "prepared", "-f", str(script), "-c", str(clients), "-j", str(processes),
        "-T", str(round(SECONDS)), server.url("migrated", "superuser"),
    ).decode()  # fmt: skip
    rate, count = (
        next(line for line in said.splitlines() if line.startswith(what)).partition(end)[2].split()[0]
        for what, end in (("tps", "="), ("number of transactions actually processed", ":"))
    )
    client = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - children
    return Run(float(rate), int(count.partition("/")[0]), processor([server]) - before, client)


def by_store(url: str, servers: Sequence[Cluster], clients: int, processes: int, attempt: str) -> Run:
    """Append to games of their own for `SECONDS`, which no other `attempt` has."""
    names = [f"{clients}-{attempt}-{number}" for number in range(processes)]
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.bench.appends", url, str(clients // processes), str(SECONDS), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in names
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    before = processor(servers)
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [msgspec.json.decode(process.communicate()[0], type=Run) for process in running]
    return Run(
        sum(each.rate for each in said),
        sum(each.count for each in said),
        processor(servers) - before,
        sum(each.client for each in said),
    )


async def _work(url: str, clients: int, seconds: float, name: str) -> None:
    store = await open_store(url)
    await asyncio.gather(*(_open(store, GameId(f"{name}-{number}")) for number in range(clients)))
    print("ready", flush=True)
    sys.stdin.readline()
    began, taken = time.perf_counter(), time.process_time()
    done = await asyncio.gather(
        *(_go_on(store, GameId(f"{name}-{number}"), began + seconds) for number in range(clients))
    )
    rate = sum(done) / (time.perf_counter() - began)
    print(msgspec.json.encode(Run(rate, sum(done), 0.0, time.process_time() - taken)).decode(), flush=True)
    await store.close()


def _record(game: GameId, head: bytes, version: Version) -> Record:
    cause = Cause(player=PlayerId("p"), seat=Seat("red"), command=Raw(b'{"type":"move"}'), key="k" * 32)
    return inscribe(game, head, version, Moved(), schema=1, draws=0, at="2026-01-01T00:00:00.000Z", cause=cause)


async def _open(store: PostgresStore, game: GameId) -> None:
    record = _record(game, genesis(game), 1)
    opening = Opening("bench", 1, game, PlayerId("p"), b"c" * 32, "b" * 64, b"{}")
    await store.append(Append(game, 0, [record], "running", seats={}, opening=opening))


async def _go_on(store: PostgresStore, game: GameId, until: float) -> int:
    """Append to one game, one command after the other; return how many were acknowledged."""
    head = (await store.read(game))[0].hash
    version = 1
    while time.perf_counter() < until:
        version += 1
        record = _record(game, head, version)
        use = KeyUse(PlayerId("p"), f"{version}", b"f" * 32)
        await store.append(Append(game, version - 1, [record], "running", key=use))
        head = record.hash
    return version - 1


BENCHMARKS = {"append": bench_append}

if __name__ == "__main__" and len(sys.argv) == 1:
    for line in table():
        print(line, flush=True)
elif __name__ == "__main__":
    uvloop.run(_work(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]))
