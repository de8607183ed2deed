"""A browser on a page of the service: it keeps cookies, and says where its requests come from."""

import contextlib
from collections.abc import AsyncIterator

import httpx

from tests.helpers.authenticator import Authenticator
from tests.helpers.wire import Wire
from tests.service.api.serving import Player, Service


@contextlib.asynccontextmanager
async def browser(service: Service, player: Player | None = None) -> AsyncIterator[httpx.AsyncClient]:
    """Open a browser; with a player, it is signed in by the player's token."""
    address = str(service.client.base_url).rstrip("/")
    own = {"origin": address, "sec-fetch-site": "same-origin", "tabularium-page": "1"}
    async with httpx.AsyncClient(base_url=address, headers=own, timeout=60, transport=Wire()) as client:
        if player is not None:
            answer = await client.post("/v1/session", json={}, headers=player.headers)
            assert answer.status_code == 201, answer.text
        yield client


def authenticator(service: Service) -> Authenticator:
    """Return a device that makes passkeys on the pages of the service."""
    return Authenticator(str(service.client.base_url).rstrip("/"))
