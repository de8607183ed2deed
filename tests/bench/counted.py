"""What `instructions` counts: the service and the bare routes in one process, which also asks them over loopback.

``python -m tests.bench.counted FOLDER`` runs under callgrind, which begins to count anew at `os.getpgrp` and writes
what it has counted at `os.ctermid`: around each `Window`. They are printed in their order, one JSON line for each.

Nothing here depends on time. Under callgrind the process is fifty times as slow as without it, so in a command's time
would be timers that go off meanwhile, and transactions would seem to take longer than the event loop waits for.
"""

import asyncio
import contextlib
import gc
import os
import socket
import subprocess
import sys
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec
import uvicorn
import uvloop
from msgspec import Struct

from domain.kernel.log.fold import fold
from domain.library import LIBRARY
from projections import runner
from service import readmodels
from service.accounts import callers
from service.app import open_services
from service.base.settings import Settings
from service.base.sockets import address_of, listen
from service.bots import playing
from service.bots.client import Client
from service.cluster import tail
from service.games import timekeeper, watch
from service.observe.logging import configure
from service.organizing import opening
from service.server import Server
from service.store.sqlite import store
from service.tournaments import secretary
from service.webhooks import following, sending
from tests.bench.bare import app_with, on_sqlite
from tests.bench.kernel import KINDS, Played, played
from tests.bench.service import TURN, Table, Wire, state_requests

ROUNDS: Final = 3
"""That are counted, after one that warms up."""
COMMANDS: Final = 3 * len(TURN)
"""In each window."""
WINDOWS: Final = 3
"""Of commands in a round: in some of them the service keeps a snapshot of the game, or a thread has to wait."""
REQUESTS: Final = 20
"""Of any other kind in each window."""
WATCHERS: Final = 10
EVENTS: Final = 120
"""Of each game that is folded, and of which some commands are decided."""
QUIET: Final = 0.03
"""Seconds after which whatever a request causes has begun."""
NEVER: Final = 3600.0
LONGEST_TICK: Final = 2.5
"""Seconds in which each part of the service that looks around by itself would have done so."""


class Window(Struct, frozen=True):
    """A count over a number of equal requests, between which the process paused a number of times."""

    name: str
    count: int
    pauses: int = 0


class Loop(uvloop.Loop):
    """An event loop that counts its pauses, whose own instructions are taken off."""

    def __init__(self) -> None:
        super().__init__()
        self.pauses = 0

    async def settle(self) -> None:
        """Wait until everything has happened that a request causes. In the windows no thread works."""
        self.pauses += 1
        await asyncio.sleep(QUIET)

    async def stay_idle(self) -> None:
        """See that nothing happens by itself. The busier the machine, the more of it there would be in a window."""
        waiting = asyncio.ensure_future(asyncio.sleep(LONGEST_TICK))
        await asyncio.sleep(0)
        timers: list[str] = []

        def note(*_: object, **__: object) -> asyncio.TimerHandle:
            timers.append(" < ".join(f"{each.filename}:{each.lineno}" for each in traceback.extract_stack()[-2:-6:-1]))
            return uvloop.Loop.call_later(self, NEVER, print)

        own = vars(self)
        own["call_later"] = own["call_at"] = note
        await waiting
        assert not timers, f"`without_clock` leaves timers: {timers}"
        del own["call_later"], own["call_at"]


class Bare(uvicorn.Server):
    """A server that does nothing ten times a second."""

    async def main_loop(self) -> None:
        await asyncio.Event().wait()


class Service(Bare, Server):
    """The service's own, without that as well."""


class Notebook(Wire):
    """Keeps the requests that it is to send."""

    def __init__(self) -> None:
        self.requests: list[bytes] = []

    async def ask(self, request: bytes) -> bytes:
        self.requests.append(request)
        return b""


class Line:
    """A connection that costs this process, whose instructions are counted, as little as possible."""

    def __init__(self, address: str) -> None:
        place = urlsplit(address)
        self._socket = socket.create_connection((place.hostname or "", place.port or 0))
        self._socket.setblocking(False)

    async def ask(self, request: bytes) -> bytes:
        """Send a whole request; return the body of its answer, which comes at once."""
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(self._socket, request)
        answer = await loop.sock_recv(self._socket, 1 << 20)
        assert answer.startswith(b"HTTP/1.1 2"), answer.decode()
        return answer.partition(b"\r\n\r\n")[2]

    def close(self) -> bytes:
        """Return what has come since; then close."""
        with self._socket:
            return self._socket.recv(1 << 20)


Step = Callable[[], Awaitable[object]]


class Bench:
    """The services, and what is asked of them."""

    def __init__(self, loop: Loop, served: str, bare: str, table: Table, clocked: Table, follow: Step) -> None:
        """`clocked` is a game with a clock. `follow` brings the projections to the end of the log."""
        self._loop = loop
        self._served = served
        self._line, self._bare = Line(served), Line(bare)
        self._table, self._clocked = table, clocked
        self._follow = follow
        self._read = state_requests(table)[0]
        self._stream = f"GET /v1/games/{table.game}/events/stream HTTP/1.1\r\nHost: bench\r\n\r\n".encode()
        self._games = [played(kind, 1, EVENTS) for kind in KINDS if kind.ruleset.startswith("italia")]

    async def round(self) -> None:
        """Do once all that is counted."""
        await self._loop.settle()
        with self._window("pause", REQUESTS):
            for _ in range(REQUESTS):
                await asyncio.sleep(QUIET)
        await self._bare.ask(posted("/keep", await self._line.ask(self._read)))
        await self._repeat("bare-insert", self._bare, posted("/insert", b"{}"))
        await self._repeat("bare-read", self._bare, KEPT)
        await self._repeat("read", self._line, self._read)
        requests = await self._commands(self._table, (WINDOWS + 2) * COMMANDS + (WINDOWS + 1) * len(TURN))
        for _ in range(WINDOWS):
            with self._window("command", COMMANDS):
                await self._send(requests, COMMANDS)
        clocked = await self._commands(self._clocked, COMMANDS)
        with self._window("command-clocked", COMMANDS):
            await self._send(clocked, COMMANDS)
        await self._follow()
        for _ in range(WINDOWS):
            with self._window("command-projected", len(TURN)):
                for _ in TURN:
                    await self._send(requests, 1)
                    await self._follow()
        with self._window("command-projected-together", COMMANDS):
            await self._send(requests, COMMANDS)
            await self._follow()
        watchers = [Line(self._served) for _ in range(WATCHERS)]
        for watcher in watchers:
            await watcher.ask(self._stream)
        await self._send(requests, len(TURN))
        with self._window("command-watched", COMMANDS):
            await self._send(requests, COMMANDS)
        shown = {watcher.close().count(b"\nevent: ") for watcher in watchers}
        assert len(shown) == 1, "all see the same"
        assert min(shown) > COMMANDS, "and see everything"
        await self._loop.settle()
        for game in self._games:
            self._domain(game)

    @contextlib.contextmanager
    def _window(self, name: str, count: int) -> Iterator[None]:
        """Count what happens in this context."""
        gc.collect()
        gc.freeze()
        pauses = self._loop.pauses
        os.getpgrp()
        yield
        os.ctermid()
        print(msgspec.json.encode(Window(name, count, self._loop.pauses - pauses)).decode(), flush=True)

    async def _repeat(self, name: str, line: Line, request: bytes) -> None:
        with self._window(name, REQUESTS):
            for _ in range(REQUESTS):
                await line.ask(request)

    async def _commands(self, table: Table, count: int) -> Iterator[bytes]:
        notebook = Notebook()
        await table.turns(notebook, count)
        return iter(notebook.requests)

    async def _send(self, requests: Iterator[bytes], count: int) -> None:
        for _ in range(count):
            await self._line.ask(next(requests))
            await self._loop.settle()

    def _domain(self, game: Played) -> None:
        simulation, now = game.simulation, game.simulation.game
        chance, vault = now.chance(simulation.secret), simulation.vault
        with self._window(f"{now.ruleset.id}-fold", len(game.records)):
            fold(game.records, now.id, LIBRARY, lambda _: now.board)
        sample = game.given[::3]
        with self._window(f"{now.ruleset.id}-decide", len(sample)):
            for given in sample:
                before = given.game
                before.ruleset.decide(before.table, given.seat, given.command, chance, vault, before.draws)


KEPT: Final = b"GET /kept HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer " + b"x" * 47 + b"\r\n\r\n"


def posted(path: str, body: bytes) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def without_clock() -> None:
    """Have nothing happen, or happen otherwise, because of the time that passes."""
    store.QUICK = tail.POLL = playing.POLL = runner.POLL = readmodels.FLUSH = callers.FLUSH = NEVER
    playing.LEASE = 10 * NEVER
    sending.TICK = following.POLL = opening.TICK = secretary.LOOK = NEVER
    timekeeper.TICK, watch.LONGEST = NEVER, timedelta(seconds=10 * NEVER)
    tail.GATHER = playing.GATHER = QUIET / 30


@contextlib.asynccontextmanager
async def opened(folder: Path, loop: Loop) -> AsyncIterator[Bench]:
    # Bots follow the log as they do by default. Projections are brought up to date when it is their turn.
    settings = Settings(
        data=folder, projections=False, transparency=False, token_cache=NEVER, idle_timeout=NEVER, heartbeat=NEVER
    )
    async with open_services(settings) as services, contextlib.AsyncExitStack() as stack:
        app = app_with(on_sqlite(folder / "bare.db"))
        configure()  # after the bare app, which has its own idea of a log
        keep_alive = int(NEVER)
        config = uvicorn.Config(app, lifespan="off", log_config=None, access_log=False, timeout_keep_alive=keep_alive)
        bare = await stack.enter_async_context(serving(Bare(config)))
        served = await stack.enter_async_context(serving(Service(services)))
        client = stack.enter_context(Client(served))
        table = await asyncio.to_thread(Table, client, 1)
        await services.rows.watch({0: services.games.time()}, 1)
        clocked = await asyncio.to_thread(Table, client, 2, clock="slow")
        yield Bench(
            loop, served, bare, table, clocked, readmodels.runner(services.store, services.rows, LIBRARY).catch_up
        )


@contextlib.asynccontextmanager
async def serving(server: uvicorn.Server) -> AsyncIterator[str]:
    """Serve in this event loop; lend the address."""
    with listen("127.0.0.1", 0) as listening:
        running = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:  # noqa: ASYNC110
            await asyncio.sleep(QUIET)
        yield address_of(listening)
        running.cancel()


def begin_to_count() -> None:
    """Have callgrind count: until now the process was only five times as slow as without it."""
    arguments = ["vgdb", f"--pid={os.getpid()}", "instrumentation", "on"]
    with subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as asking:
        while asking.poll() is None:  # callgrind listens between the instructions of a process that does not wait
            pass
    assert asking.returncode == 0, "vgdb does not reach callgrind"


async def count(folder: Path, loop: Loop) -> None:
    async with opened(folder, loop) as bench:
        await bench.round()
        await loop.stay_idle()
        begin_to_count()
        for _ in range(ROUNDS):
            await bench.round()
        os._exit(0)  # what there is to close is not counted


def main(folder: str) -> None:
    without_clock()
    loop = Loop()
    with asyncio.Runner(loop_factory=lambda: loop) as running:
        running.run(count(Path(folder), loop))


if __name__ == "__main__":
    main(*sys.argv[1:])
