"""A club that holds a tournament over HTTP."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import httpx
from msgspec import Struct

from tests.service.api.serving import Player, Service

REGULATIONS: Mapping[str, Any] = {
    "ruleset": "tiny-auction",
    "stages": [{"type": "swiss", "rounds": 2}],
    "sizes": [2],
    "points": [[60, 0]],
    "bye": 30,
}
NAMES = ("Anna", "Bert", "Carl", "Dora", "Emil", "Fina", "Gert", "Hana")
LATE = {"reason": "They arrived an hour late."}


class Club(Struct, eq=False):
    """A tournament of a club: who directs it, and who plays in it."""

    service: Service
    director: Player
    players: Sequence[Player]
    url: str = ""

    async def announce(self, title: str = "Club evening", **changes: Any) -> dict[str, Any]:
        wish = {"regulations": {**REGULATIONS, **changes}, "title": title}
        told = await self.service.post("/v1/tournaments", self.director, wish)
        self.url = f"/v1/tournaments/{told['summary']['tournament']}"
        return told

    async def enter(self, *players: Player) -> None:
        for player in players or self.players:
            await self.do("entries", {}, player)
            await self.do("check-in", {"entropy": f"luck of {player.id}"}, player)

    async def do(self, what: str, body: Any = None, player: Player | None = None, **headers: str) -> dict[str, Any]:
        return await self.service.post(f"{self.url}/{what}", player or self.director, body, **headers)

    async def ask(self, what: str, body: Any = None, player: Player | None = None, **headers: str) -> httpx.Response:
        return await self.service.ask("POST", f"{self.url}/{what}", player or self.director, body, **headers)

    async def publish(self) -> dict[str, Any]:
        drawn = await self.do("rounds")
        return await self.do(f"rounds/{drawn['number']}/publication", {"draft": len(drawn["drafts"])})

    async def opened(self, number: int) -> dict[str, Any]:
        """Return a round when all its tables have games."""
        return await self.until(number, lambda table: table["game"] is not None)

    async def finished(self, number: int) -> dict[str, Any]:
        """Return a round when all its tables have results."""
        return await self.until(number, lambda table: table["result"] is not None)

    async def until(self, number: int, holds: Any) -> dict[str, Any]:
        for _ in range(3_000):
            found = await self.service.get(f"{self.url}/rounds/{number}")
            if all(map(holds, found["tables"])):
                return found
            await asyncio.sleep(0.02)
        raise AssertionError(f"round {number} goes on")

    def named(self, ids: Sequence[str]) -> list[Player]:
        return [player for player in self.players if player.id in ids]

    async def play(self, table: Mapping[str, Any]) -> None:
        players = self.named(table["players"])
        await self.service.post(f"/v1/games/{table['game']}/start", players[0])
        await self.service.play_out(table["game"], *players)

    async def play_round(self) -> dict[str, Any]:
        number = (await self.publish())["number"]
        for table in (await self.opened(number))["tables"]:
            await self.play(table)
        for table in (await self.finished(number))["tables"]:
            await self.do(f"rounds/{number}/tables/{table['number']}/confirmation")
        return await self.service.get(f"{self.url}/rounds/{number}")

    async def export(self, address: str | None = None) -> list[bytes]:
        answer = await self.service.client.get(f"{address or self.url}/export")
        assert answer.status_code == 200, answer.text
        return answer.content.splitlines(keepends=True)


async def club_of(service: Service, players: int = 4) -> Club:
    director = await service.register("Zeno")
    return Club(service, director, [await service.register(name) for name in NAMES[:players]])
