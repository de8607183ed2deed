"""A sandbox: one service after another, each with a copy of the same first data.

It is an ASGI app that passes requests to the newest service. A reset opens the next service. The old one ends after its
last request, and the reset does not wait for that.
"""

import asyncio
import itertools
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Final

from litestar.types import ASGIApp, Receive, Scope, Send
from msgspec.structs import replace

from domain.kernel.ids import BOOKS
from projections import deadlines, stillness
from projections.cursor import reaches
from projections.deadlines import CLOCKS
from projections.stillness import STILLNESS
from service.api.controls import Seeded
from service.api.services import Services
from service.app import create_app, open_services
from service.base.clock import stamped, written
from service.base.private import make_file, make_folder
from service.cluster.lease import Lease
from service.games.timekeeper import Timekeeper
from service.games.watch import Watch
from service.observe.background import background
from service.sandbox.known import HandSet, known_bytes
from service.sandbox.seed import OPENED_AT, Seeding
from service.sandbox.settings import SandboxSettings
from service.store.protocol import StoreUnavailable
from service.store.sqlite.lock import only_service
from service.tournaments.secretary import Secretary

MARK: Final = "this-is-a-sandbox"
"""The file that marks a folder as one that a sandbox may empty."""

MOMENTS: Final = 500
"""The most moments with something due in one move of the time: a game may go on for long without its players."""

PATIENCE: Final = 10.0
"""How many seconds a move of the time waits for the projections."""

POLL: Final = 0.01


class Sandbox:
    """The services of a sandbox, as an ASGI app. `open_sandbox` makes it."""

    def __init__(self, settings: SandboxSettings, seeded: Seeded, began: datetime) -> None:
        self.seeded = seeded
        self._settings = settings
        self._began = began
        self._numbers = itertools.count(1)
        self._turns = asyncio.Lock()
        self._lives: set[asyncio.Task[None]] = set()
        self._now: _Life | None = None

    @property
    def services(self) -> Services:
        """The container of the present service."""
        return self._life.services

    @property
    def _life(self) -> "_Life":
        assert self._now is not None, "it is open"
        return self._now

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._life.answer(scope, receive, send)

    async def move(self, at: datetime) -> None:
        """Move the time forward, and do what is due until then."""
        async with self._turns:
            await self._life.move(at)

    async def reset(self) -> None:
        """Replace the service by a new one with the first data."""
        async with self._turns:
            await self._begin()

    async def _begin(self) -> None:
        ready = asyncio.get_running_loop().create_future()
        life = asyncio.create_task(self._live(ready))
        self._lives.add(life)
        life.add_done_callback(self._lives.discard)
        await asyncio.wait([ready, life], return_when=asyncio.FIRST_COMPLETED)
        if life.done():
            life.result()
        before, self._now = self._now, ready.result()
        if before is not None:
            before.end()

    async def _live(self, ready: "asyncio.Future[_Life]") -> None:
        folder = self._settings.data / f"games-{next(self._numbers)}"
        await asyncio.to_thread(shutil.copytree, self._settings.data / "seed", folder)
        clock, settings = HandSet(self._began), replace(self._settings, data=folder)
        async with open_services(settings, clock=clock, randomness=known_bytes("sandbox"), sandbox=self) as services:
            life = _Life(services, clock)
            async with life.going_on():
                ready.set_result(life)
                await life.wait_for_end()
        await asyncio.to_thread(shutil.rmtree, folder)

    def end_streams(self) -> None:
        """End all streams, because the sandbox stops."""
        if self._now is not None:
            self._now.services.wake.close()

    async def close(self) -> None:
        """Stop the present service, and wait for the ones before it."""
        if self._now is not None:
            self._now.end()
        if self._lives:
            await asyncio.wait(self._lives)


class _Life:
    """One of the services of a sandbox, with its clock, from its start or a reset until the next reset."""

    def __init__(self, services: Services, clock: HandSet) -> None:
        self.services = services
        self._clock = clock
        self._app: ASGIApp = create_app(services)
        self._open = 0
        self._is_over = asyncio.Event()
        self._is_idle = asyncio.Event()
        self._is_idle.set()
        games, store, rows = services.games, services.store, services.rows
        self._timekeeper = Timekeeper(games, store, rows, Watch(store, rows), services.metrics)

        async def wanted() -> bool:
            return any([await store.tournaments(status=status, limit=1) for status in ("running", "cancelled")])

        self._secretary = Secretary(
            services.committee, games, store, services.desk, clock, Lease(rows, "tournaments", wanted)
        )

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._open += 1
        self._is_idle.clear()
        try:
            await self._app(scope, receive, send)
        finally:
            self._open -= 1
            if not self._open:
                self._is_idle.set()

    def end(self) -> None:
        """End streams, and end the service after its last request. The next service takes new ones."""
        self.services.wake.close()
        self._is_over.set()

    async def wait_for_end(self) -> None:
        """Wait until `end` was called and the last request has been answered."""
        await self._is_over.wait()
        await self._is_idle.wait()

    @asynccontextmanager
    async def going_on(self) -> AsyncIterator[None]:
        """A context in which the service runs tournaments, and `move` can check clocks."""
        await self._timekeeper.skip(self.services.games.time())
        async with (
            self.services.wake.subscribe(None, self._secretary.heeds) as bell,
            background("tournaments go on", self._secretary.run(bell)),
        ):
            yield
        await self._timekeeper.rest()
        await self._secretary.rest()

    async def move(self, at: datetime) -> None:
        """Move the time to `at`, or less far if something is due at `MOMENTS` moments before it."""
        for _ in range(MOMENTS):
            moment_due = await self._next_due(written(at))
            if moment_due is None:
                await self._put(at)
                break
            await self._put(max(self._clock.now, stamped(moment_due)))
            await self._timekeeper.turn()
            await self._timekeeper.look_for_still()
        await self._secretary.turn()
        await self._caught_up()

    async def _next_due(self, until: str) -> str | None:
        """Return the next time, up to a limit, at which a clock may run out or a game may be abandoned."""
        await self._caught_up()
        rows, books = self.services.rows, range(BOOKS)
        clocks = [each.at for each in await deadlines.due(rows, books, until, 1)]
        return min(clocks + [each.due for each in await stillness.due(rows, books, until, 1)], default=None)

    async def _put(self, at: datetime) -> None:
        await self._timekeeper.skip(written(at))
        self._clock.now = at

    async def _caught_up(self) -> None:
        """Wait until the projections of due times have read the whole log. Raises `StoreUnavailable`."""
        end = str(await self.services.store.end())
        for _ in range(round(PATIENCE / POLL)):
            rows = await self.services.rows.generations()
            read = {each.projection for each in rows if each.live and reaches(each.cursor, end)}
            if {CLOCKS.name, STILLNESS.name} <= read:
                return
            await asyncio.sleep(POLL)
        raise StoreUnavailable("the projections are far behind; move the time again")


@asynccontextmanager
async def open_sandbox(settings: SandboxSettings) -> AsyncIterator[Sandbox]:
    """Fill the folder that the settings name, and open a sandbox there.

    Raises:
        StoreUnavailable: the folder was not made by a sandbox, or another one holds it. Nothing was changed.
    """
    with only_service(_folder(settings.data)):
        for path in settings.data.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
        clock, randomness = HandSet(OPENED_AT), known_bytes("seed")
        seed = replace(settings, data=settings.data / "seed", bots=0)
        async with open_services(seed, clock=clock, randomness=randomness) as services:
            seeded = await Seeding(services, randomness, clock).seed()
        sandbox = Sandbox(settings, seeded, clock.now)
        await sandbox.reset()
        try:
            yield sandbox
        finally:
            await sandbox.close()


def _folder(data: Path) -> Path:
    """Return a folder that is empty, or was made by a sandbox before. Raises `StoreUnavailable`."""
    try:
        make_folder(data)
        if any(data.iterdir()) and not (data / MARK).exists():
            raise StoreUnavailable(
                f"{data} was not made by a sandbox, which would empty it: name a new folder with --data"
            )
        make_file(data / MARK)
    except OSError as error:
        raise StoreUnavailable(f"{data} cannot be the folder of a sandbox: {error.strerror}") from error
    return data
