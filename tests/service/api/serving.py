"""A running service to test with: uvicorn on a free port of this machine, the tiny auction in it."""

import asyncio
import contextlib
import json
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
from litestar.types import ASGIApp
from msgspec import Struct

from domain.kernel.rules.board import Board
from domain.kernel.rules.ruleset import Library
from service.api.services import Services
from service.app import create_app, open_services
from service.base.clock import Clock
from service.base.settings import Settings
from service.base.sockets import listen
from service.pictures.scenes import Drawings
from service.server import Server
from tests.helpers.wire import Wire
from tests.service.rig import LIBRARY, own_board, own_drawing, ticking

Answer = dict[str, Any]


class Player(Struct, frozen=True):
    """An account and what it sends to say who it is."""

    id: str
    headers: dict[str, str]


class Service(Struct, eq=False):
    """A running service, and requests to it that are expected to be taken."""

    services: Services
    server: Server
    client: httpx.AsyncClient

    async def get(self, path: str, player: Player | None = None, **headers: str) -> Answer:
        answer = await self.client.get(path, headers=_headers(player, headers))
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def post(self, path: str, player: Player, body: Any = None, **headers: str) -> Answer:
        answer = await self.ask("POST", path, player, body, **headers)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()

    async def ask(
        self, method: str, path: str, player: Player | None = None, body: Any = None, **headers: str
    ) -> httpx.Response:
        """Return whatever is answered. Header names have `_` for `-`; a body of bytes is sent as it is."""
        content = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        declared = {} if content is None else {"content-type": "application/json"}
        sent = {**declared, **_headers(player, headers)}
        return await self.client.request(method, path, content=content, headers=sent)

    async def register(self, name: str) -> Player:
        answer = await self.client.post("/v1/players", json={"name": name})
        assert answer.status_code == 201, answer.text
        registered = answer.json()
        return Player(registered["player"]["id"], {"authorization": f"Bearer {registered['token']}"})

    async def gathering(
        self, *players: Player, organizer: Player | None = None, organizer_sees: str = "spectator", **setup: Any
    ) -> str:
        """Return a new game of the tiny auction in which these players have taken the seats, in turn."""
        body = {"ruleset": "tiny-auction", "players": max(2, len(players)), "setup": setup}
        body["organizer_sees"] = organizer_sees
        game = (await self.post("/v1/games", organizer or players[0], body))["id"]
        for player in players:
            await self.post(f"/v1/games/{game}/seats", player, {})
        return game

    async def begun(
        self, *players: Player, organizer: Player | None = None, organizer_sees: str = "spectator", **setup: Any
    ) -> str:
        """Return a game of these players that has begun."""
        game = await self.gathering(*players, organizer=organizer, organizer_sees=organizer_sees, **setup)
        await self.post(f"/v1/games/{game}/start", players[0])
        return game

    async def give(self, game: str, player: Player, kind: str, **fields: Any) -> Answer:
        return await self.post(f"/v1/games/{game}/commands", player, {"command": {"type": kind, **fields}})

    async def first_card(self, game: str, player: Player) -> int:
        options = (await self.get(f"/v1/games/{game}/options", player))["options"]
        card = next(option for option in options if option["command"] == "choose-card")["schema"]["properties"]["card"]
        return card["const"] if "const" in card else card["enum"][0]

    async def play_out(self, game: str, *players: Player) -> None:
        """Play a game of the tiny auction to its end, with the first card that each may bid."""
        while (now := await self.get(f"/v1/games/{game}"))["status"] == "running":
            (decision,) = now["decisions"]
            holder = {seat["seat"]: seat["player"] for seat in now["seats"]}[decision["seats"][0]]
            player = next(each for each in players if each.id == holder)
            if decision["kind"] == "choose-card":
                await self.give(game, player, "choose-card", card=await self.first_card(game, player))
            else:
                await self.give(game, player, "put-up", coins=1)
                await self.give(game, player, "open-bidding")


class _Prompt(Server):
    """A server that ends at once when a test is done with it: uvicorn looks ten times a second, and waits as long."""

    def __init__(self, services: Services, app: ASGIApp) -> None:
        super().__init__(services, app)
        self._done = asyncio.Event()

    def stop(self) -> None:
        self.should_exit = True
        self._done.set()

    async def main_loop(self) -> None:
        ticking, done = asyncio.create_task(super().main_loop()), asyncio.create_task(self._done.wait())
        try:
            await asyncio.wait({ticking, done}, return_when=asyncio.FIRST_COMPLETED)
            if ticking.done():
                await ticking
        finally:
            ticking.cancel()
            done.cancel()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for connection in list(self.server_state.connections):
            connection.shutdown()
        await asyncio.sleep(0.001)  # in which it learns that its clients have gone
        if self.server_state.connections or self.server_state.tasks:
            await super().shutdown(sockets)
        for server in self.servers:
            server.close()


def _headers(player: Player | None, more: dict[str, str]) -> dict[str, str]:
    return {**(player.headers if player else {}), **{name.replace("_", "-"): value for name, value in more.items()}}


@contextlib.asynccontextmanager
async def serving(
    data: Path,
    library: Library = LIBRARY,
    boards: Callable[[str], Board] = own_board,
    randomness: Callable[[int], bytes] = secrets.token_bytes,
    clock: Clock | None = None,
    drawings: Drawings = own_drawing,
    door: socket.socket | None = None,
    app: Callable[[Services], ASGIApp] = create_app,
    **settings: Any,
) -> AsyncIterator[Service]:
    """Run the service over the files in `data`: on a free port, or where `door` listens, which is left open."""
    chosen = Settings(data=data, port=0, **settings)
    with listen("127.0.0.1", 0) if door is None else door.dup() as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        async with open_services(chosen, library, boards, clock or ticking(), randomness, drawings) as services:
            server = _Prompt(services, app(services))
            running = asyncio.create_task(server.serve(sockets=[listening]))
            # Connections wait in the socket's queue until the server has started.
            async with httpx.AsyncClient(base_url=address, timeout=60, transport=Wire()) as client:
                yield Service(services, server, client)
            server.stop()
            await asyncio.wait_for(running, 60)
