"""Processes of the service, quick to start: one process has imported everything, and forks whenever it is told to.

``python -m tests.faults.nursery`` starts a process of the service for every line that it reads, and prints ``PID
ADDRESS`` once it takes requests. When it goes away, so do they. Where ``NURSERY_AHEAD`` names a file, their clocks are
as many hours ahead as stand in it.
"""

import asyncio
import contextlib
import ctypes
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping
from datetime import datetime, timedelta
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import httpx
import uvloop
from msgspec import Struct

from domain import library
from domain.boards import builtin
from domain.kernel.rules.board import Board
from domain.kernel.rules.ruleset import Library
from service.app import create_app, open_services
from service.base.clock import Clock, utc_now
from service.base.settings import PREFIX, Settings, from_env
from service.base.sockets import address_of, listen
from service.observe.logging import configure
from service.server import Server
from service.store.protocol import StoreError
from tests.tiny.auction import ROOM, TinyAuction

LIBRARY: Final = Library([TinyAuction(), *map(library.LIBRARY.current, ("conquest-classic-friz", "mare-nostrum"))])
AHEAD: Final = "NURSERY_AHEAD"
LATE: Final = (
    "service.cluster.redis",
    "service.cluster.redis_snapshots",
    "service.store.postgres.store",
    "service.store.postgres.rows",
    "service.store.postgres.snapshots",
)
_PDEATHSIG: Final = 1


def boards(board_id: str) -> Board:
    return ROOM if board_id == ROOM.id else builtin(board_id)


# --- in the nursery ---------------------------------------------------------------------------------------------------


def clock() -> Clock:
    """Return the clock of the service: that of the machine, unless a file says by how much it is ahead of that."""
    if not (file := os.environ.get(AHEAD)):
        return utc_now

    def ahead() -> datetime:
        return utc_now() + timedelta(hours=int(Path(file).read_text()))

    return ahead


async def serve(settings: Settings) -> None:
    """Serve as `service.server.serve` does, with the tiny auction among the rulesets."""
    async with open_services(settings, LIBRARY, boards, clock()) as services:
        with listen(settings.host, settings.port) as listening:
            os.write(1, f"{os.getpid()} {address_of(listening)}\n".encode())
            await Server(services).serve(sockets=[listening])


async def rehearse(settings: Settings) -> None:
    """Serve nobody, so that what is imported or compiled late is there before the first fork."""
    for late in LATE:
        import_module(late)
    async with open_services(settings, LIBRARY, boards) as services:
        transport = httpx.ASGITransport(create_app(services))  # type: ignore[reportArgumentType]
        async with httpx.AsyncClient(transport=transport, base_url="http://rehearsal") as client:
            for path in ("/health", "/v1/games"):
                await client.get(path)


def main() -> None:
    settings = from_env(os.environ)
    configure(settings.log_level)
    with TemporaryDirectory() as data:
        uvloop.run(rehearse(Settings(data=Path(data))))
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that killed processes leave no zombies
    for _ in sys.stdin:
        if os.fork() == 0:
            ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGKILL)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _serve_until_killed(settings)


def _serve_until_killed(settings: Settings) -> None:
    """Serve; when there is no database to begin with, begin again, as a supervisor would let it."""
    while True:
        try:
            uvloop.run(serve(settings))
            os._exit(0)
        except StoreError:
            time.sleep(0.1)


# --- outside ----------------------------------------------------------------------------------------------------------


class Process(Struct, frozen=True):
    """A process of the service."""

    pid: int
    address: str

    def kill(self) -> None:
        """Kill it, as the kernel does when memory runs out."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)


class Nursery:
    """Starts processes of the service. To be made by `nursery`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._asking = asyncio.Lock()

    async def start(self) -> Process:
        """Return a new process, which takes requests."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        async with self._asking:
            self._process.stdin.write(b"\n")
            said = await asyncio.wait_for(self._process.stdout.readline(), 180)
        pid, address = said.decode().split()
        return Process(int(pid), address)


@contextlib.asynccontextmanager
async def nursery(settings: Mapping[str, str], log: Path, ahead: Path | None = None) -> AsyncIterator[Nursery]:
    """Lend a nursery whose processes have these settings, and write their logs into one file.

    `ahead` says by how many hours their clocks are ahead of that of the machine.
    """
    with log.open("ab") as stderr:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.faults.nursery"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env={
                **os.environ,
                **{PREFIX + name.upper(): value for name, value in settings.items()},
                **({AHEAD: str(ahead)} if ahead is not None else {}),
            },
        )
    try:
        yield Nursery(process)
    finally:
        process.kill()
        await process.wait()


if __name__ == "__main__":
    main()
