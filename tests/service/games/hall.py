"""A service whose time a test puts on by hand, and a timekeeper that takes its turns when it says so."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

from domain.kernel.ids import GameId
from domain.kernel.proof.verify import verify
from service.base.clock import written
from service.games.timekeeper import Timekeeper
from service.games.watch import Watch
from service.readmodels import runner
from tests.service.api.serving import Answer, Player, Service, serving
from tests.service.rig import LIBRARY, Hands

MINUTE: dict[str, Any] = {"kind": "bank", "time": 60, "increment": 10, "cap": 90}


class Hall:
    """A service whose time is put on by hand, and a timekeeper that takes its turns when a test says so."""

    def __init__(self, service: Service, time: Hands) -> None:
        self.service, self.time = service, time
        parts = service.services
        self.runner = runner(parts.store, parts.rows, LIBRARY)
        self.keeper = Timekeeper(parts.games, parts.store, parts.rows, Watch(parts.store, parts.rows), parts.metrics)

    async def turn(self) -> None:
        await self.runner.catch_up()
        await self.keeper.turn()

    async def wait(self, seconds: float) -> None:
        """Let time pass, watched as by a timekeeper that never sleeps for long."""
        until = self.time.now + timedelta(seconds=seconds)
        while self.time.now < until:
            self.time.now = min(until, self.time.now + timedelta(seconds=20))
            await self.turn()

    def sleep(self, seconds: float) -> None:
        """Let time pass that nobody watches."""
        self.time.now += timedelta(seconds=seconds)

    async def begun(self, anna: Player, bert: Player, **clock: Any) -> str:
        new = {"ruleset": "tiny-auction", "players": 2, "clock": {**MINUTE, **clock}}
        game = (await self.service.post("/v1/games", anna, new))["id"]
        for player in (anna, bert):
            await self.service.post(f"/v1/games/{game}/seats", player, {})
        await self.service.post(f"/v1/games/{game}/start", anna)
        await self.turn()
        return game

    async def events(self, game: str) -> list[Answer]:
        return (await self.service.get(f"/v1/games/{game}/events?limit=500"))["items"]

    async def types(self, game: str) -> list[str]:
        return [each["type"] for each in await self.events(game)]

    async def left(self, game: str, seat: str) -> float:
        """Return the seconds that a seat has left now."""
        clocks = (await self.service.services.games.game(GameId(game))).clocks
        assert clocks is not None
        return clocks.shows(cast(Any, seat), written(self.time.now)) / 1000

    async def proved(self, game: str) -> None:
        export = await self.service.ask("GET", f"/v1/games/{game}/export")
        verdict = verify(export.content.splitlines(keepends=True), LIBRARY)
        assert verdict.ok, verdict.problem


QUIETLY: dict[str, Any] = {"durable": False, "clocks": False, "projections": False, "bots": 0}


@asynccontextmanager
async def hall_in(path: Path, database_url: str, time: Hands) -> AsyncIterator[Hall]:
    async with serving(path, database_url=database_url, clock=time, **QUIETLY) as service:
        yield Hall(service, time)
