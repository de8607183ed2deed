"""An app of a stranger's, as its makers would write it: it asks for access, and exchanges codes for tokens."""

import base64
import hashlib
import secrets
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx

from tests.service.api.serving import Player, Service

REDIRECT = "https://boards.example.org/back"
CLIENT = "Board Room"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


class App:
    """An app without registration, unless it has a secret."""

    def __init__(self, service: Service, client: str = CLIENT, redirect: str = REDIRECT, secret: str = "") -> None:
        self.service = service
        self.client = client
        self.redirect = redirect
        self.secret = secret
        self.verifier = secrets.token_urlsafe(48)

    @property
    def issuer(self) -> str:
        return str(self.service.client.base_url).rstrip("/")

    @property
    def challenge(self) -> str:
        return base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).decode().rstrip("=")

    def query(self, scope: str = "play", **changes: str | None) -> str:
        """Return with what it sends a browser to `/authorize`; None leaves a parameter out."""
        asked: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.client,
            "redirect_uri": self.redirect,
            "scope": scope,
            "state": "k3w7",
            "code_challenge": self.challenge,
            "code_challenge_method": "S256",
            **changes,
        }
        return urlencode({name: value for name, value in asked.items() if value is not None})

    async def look(self, query: str, player: Player | None = None) -> httpx.Response:
        return await self.service.ask("POST", "/v1/authorization", player, {"query": query})

    async def decide(self, query: str, player: Player, *, allow: bool = True, **more: Any) -> httpx.Response:
        path = "/v1/authorization/decision"
        return await self.service.ask("POST", path, player, {"query": query, "allow": allow, **more})

    async def sent_back(self, player: Player, scope: str = "play", *, allow: bool = True) -> dict[str, str]:
        """Return with what the browser comes back after its person has decided."""
        answer = await self.decide(self.query(scope), player, allow=allow)
        assert answer.status_code == 200, answer.text
        address = answer.json()["address"]
        assert address.startswith(self.redirect + "?")
        return dict(parse_qsl(urlsplit(address).query))

    async def code(self, player: Player, scope: str = "play") -> str:
        return (await self.sent_back(player, scope))["code"]

    async def send(self, what: str, **form: str) -> httpx.Response:
        auth = httpx.BasicAuth(self.client, self.secret) if self.secret else httpx.USE_CLIENT_DEFAULT
        named = {} if self.secret else {"client_id": self.client}
        return await self.service.client.post(f"/oauth/{what}", data={**named, **form}, auth=auth)

    async def redeem(self, code: str, **changes: str) -> httpx.Response:
        asked = {"code": code, "redirect_uri": self.redirect, "code_verifier": self.verifier, **changes}
        return await self.send("token", grant_type="authorization_code", **asked)

    async def refresh(self, token: str, **changes: str) -> httpx.Response:
        return await self.send("token", grant_type="refresh_token", refresh_token=token, **changes)

    async def poll(self, code: str) -> httpx.Response:
        return await self.send("token", grant_type=DEVICE, device_code=code)

    async def signed_in(self, player: Player, scope: str = "play") -> dict[str, Any]:
        """Return the tokens that it has after somebody has let it in."""
        answer = await self.redeem(await self.code(player, scope))
        assert answer.status_code == 200, answer.text
        return answer.json()


def bearer(tokens: dict[str, Any]) -> Player:
    return Player("", {"authorization": f"Bearer {tokens['access_token']}"})


def error(answer: httpx.Response) -> tuple[int, str]:
    assert answer.headers["cache-control"] == "no-store"
    assert answer.json().get("error_description"), f"{answer.text}: it says what would have been right"
    return answer.status_code, answer.json()["error"]
