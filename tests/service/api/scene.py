"""A game to send requests about: it is Anna's turn, Bert waits, and Carla only watches."""

from typing import Any

import httpx

from tests.service.api.serving import Player, Service

NEW_GAME = {"ruleset": "tiny-auction", "players": 2}
PUT_UP = {"command": {"type": "put-up", "coins": 1}}


class Scene:
    """A game of Anna and Bert that waits for Anna, and Carla who only watches."""

    def __init__(self, service: Service, anna: Player, bert: Player, carla: Player, game: str) -> None:
        self.service, self.anna, self.bert, self.carla, self.game = service, anna, bert, carla, game
        self.url = f"/v1/games/{game}"

    async def ask(self, method: str, path: str, *rest: Any, **headers: str) -> httpx.Response:
        return await self.service.ask(method, path, *rest, **headers)


async def scene_of(service: Service, anna: Player, bert: Player) -> Scene:
    """Return the scene of a game that has just begun. It registers Carla."""
    return Scene(service, anna, bert, await service.register("Carla"), await service.begun(anna, bert))
