"""Appends a second into PostgreSQL, against what pgbench reaches with single-row inserts of the same size.

Run as a program it is one process of the measurement: ``python -m tests.bench.appends URL CLIENTS SECONDS NAME``.
"""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
import uvloop
from msgspec import Raw

from domain.kernel.ids import GameId, PlayerId, Seat, Version
from domain.kernel.log.record import Cause, Record, genesis, inscribe
from service.store.postgres.store import PostgresStore
from service.store.protocol import Append, KeyUse, Opening
from tests.bench.measure import Figure, figure
from tests.helpers.postgres import Cluster, cluster

SECONDS: Final = 4.0
REPEATS: Final = 3
PROCESSES: Final = 2

SCHEMA: Final = "CREATE TABLE bare (id bigserial PRIMARY KEY, body text NOT NULL)"
TEXT: Final = "x" * 220
"""Makes an event of about 300 bytes, the median of a game of Conquest."""


class Moved(msgspec.Struct, frozen=True, tag="moved"):
    """An event of the usual size."""

    text: str = TEXT


def bench_append() -> Iterator[Figure]:
    # As a server has it, not as tests do: a buffer that holds what is worked on.
    with cluster(shared_buffers="256MB") as server:
        script = server.data.parent / "insert.sql"
        script.write_text(f"INSERT INTO bare (body) VALUES ('{'x' * _size()}');\n")
        script.chmod(0o644)
        server.sql(SCHEMA, database="migrated")
        for clients in (1, 8, 32):
            bare, ours = list[float](), list[float]()
            for attempt in range(REPEATS):
                bare.append(_pgbench(server, script, clients))
                ours.append(_appends(server.url("migrated"), clients, attempt))
            ratios = [mine / plain for mine, plain in zip(ours, bare, strict=True)]
            goal = ">= 0.5" if clients == 32 else ""
            processes = min(PROCESSES, clients)
            note = f"{clients} clients in {processes} processes; pgbench with as many"
            yield figure(f"append-{clients}-ratio", ratios, "of single-row inserts", goal=goal, note=note)
            yield figure(
                f"append-{clients}", ours, "1/s", note="commands, each of one event, with their idempotency keys"
            )
            yield figure(f"append-{clients}-pgbench", bare, "1/s")


def _size() -> int:
    """Return how many bytes a stored event has: its own, and those of what caused it."""
    return len(msgspec.json.encode(Moved())) + 150


def _pgbench(server: Cluster, script: Path, clients: int) -> float:
    said = server.run(
        "pgbench", "-n", "-M", "prepared", "-f", str(script), "-c", str(clients), "-j", str(min(clients, PROCESSES)),
        "-T", str(round(SECONDS)), server.url("migrated", "superuser"),
    ).decode()  # fmt: skip
    return float(next(line for line in said.splitlines() if line.startswith("tps")).split()[2])


def _appends(url: str, clients: int, attempt: int) -> float:
    processes = min(PROCESSES, clients)
    running = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                __name__,
                url,
                str(clients // processes),
                str(SECONDS),
                f"{clients}-{attempt}-{number}",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(processes)
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    return sum(float(process.communicate()[0]) for process in running)


async def _work(url: str, clients: int, seconds: float, name: str) -> None:
    store = await PostgresStore.open(url)
    await asyncio.gather(*(_open(store, GameId(f"{name}-{number}")) for number in range(clients)))
    print("ready", flush=True)
    sys.stdin.readline()
    began = time.perf_counter()
    done = await asyncio.gather(
        *(_go_on(store, GameId(f"{name}-{number}"), began + seconds) for number in range(clients))
    )
    print(sum(done) / (time.perf_counter() - began), flush=True)
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

if __name__ == "__main__":
    uvloop.run(_work(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]))
