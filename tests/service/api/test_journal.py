"""What the service's own log says, and what it never says."""

import json
import logging
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from domain.kernel.ids import GameId
from service.accounts import values
from service.accounts.apps import apps, protocol
from service.observe.logging import configure, log
from service.webhooks import secrets
from tests.service.api.serving import Service, serving


async def test_a_log_line_of_a_failure_holds_no_local_variables(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    configure("info")
    async with serving(tmp_path) as service:
        anna = await service.register("Anna")

        async def fail(*given: object, **named: object) -> object:
            canary = "do-not-tell"  # noqa: F841  # stands for a token or a secret in a frame
            raise RuntimeError("broken")

        service.services.games.game = fail  # type: ignore[method-assign]
        assert (await service.client.get("/v1/games/some", headers=anna.headers)).status_code == 500
    said = capsys.readouterr().err
    failure = next(line for line in map(json.loads, said.splitlines()) if line["event"] == "request failed")
    assert failure["exception"][0]["exc_value"] == "broken"
    assert failure["exception"][0]["frames"][-1]["name"] == "fail"
    assert "do-not-tell" not in said
    assert anna.headers["authorization"].removeprefix("Bearer ") not in said


async def test_secrets_sent_to_the_service_are_not_in_its_log(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, database_url: str
):
    configure("debug")
    async with serving(tmp_path, database_url=database_url) as service:
        hidden = await _confide(service)
    said = capsys.readouterr().err
    requests = [line for line in map(json.loads, said.splitlines()) if line["event"] == "request"]
    assert len(requests) > 15
    assert "/v1/games/…" in [request["path"] for request in requests]
    for word in hidden:
        assert word not in said, word


async def _confide(service: Service) -> list[str]:
    """Tell the service what it must not repeat, wherever something can be put; return it."""
    anna, bert = await service.register("Canary-Name"), await service.register("Bert")
    game = await service.gathering(anna, bert)
    path, token = f"/v1/games/{game}", anna.headers["authorization"].removeprefix("Bearer ")
    jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJl"

    body = {"ruleset": "tiny-auction", "players": 2}
    other = (await service.post("/v1/games", anna, body, idempotency_key="canary-key"))["id"]
    await service.post(f"/v1/games/{other}/seats", anna, {"entropy": "canary-entropy"})
    await service.post(f"{path}/start", anna)
    for sent in (b'{"command": {"type": "canary-command"}}', b'{"canary-body": 1}', b"canary-broken", b"[" * 100_000):
        assert (await service.ask("POST", f"{path}/commands", anna, sent)).status_code in (400, 413, 422)
    for wrong in (token, f"Bearer {token}x", f"Bearer {jwt}", "Basic canary-basic"):
        assert (await service.ask("GET", path, authorization=wrong)).status_code == 401
    for odd in (f"{path}?token={token}", f"{path}?canary=1", f"/v1/games/{token}", f"/v1/{jwt}", f"/{token}/{token}"):
        assert (await service.ask("GET", odd, anna)).status_code in (400, 404)
    headers = {"cookie": "canary-cookie", "last_event_id": "canary-last", "if_none_match": "canary-match"}
    assert (await service.ask("GET", f"{path}/events/stream", anna, **headers)).status_code == 400
    address = str(service.client.base_url).replace("http", "ws")
    protocols = [Subprotocol("tabularium.v1"), Subprotocol(f"bearer.{token}")]
    async with connect(f"{address}{path}/events/socket?after=0", subprotocols=protocols) as socket:
        await socket.recv()
    invitation = (await service.post(f"/v1/games/{other}/invitations", anna))["token"]
    await service.get(f"/v1/invitations/{invitation}")
    stored = await service.services.store.load(GameId(game))
    assert stored is not None
    return [token, token[4:], invitation[4:], jwt, "canary", "Canary", "entropy", stored.chance.hex()]


def prefixes() -> list[str]:
    """Return what secret values of the service begin with."""
    modules = (values, protocol, apps, secrets)
    named = [(module, name) for module in modules for name in vars(module) if name.endswith("PREFIX")]
    return sorted({getattr(module, name) for module, name in named})


@pytest.mark.parametrize("prefix", prefixes())
def test_a_secret_that_is_logged_all_the_same_is_struck_out(capsys: pytest.CaptureFixture[str], prefix: str):
    configure("info")
    secret = values.random_value(prefix)
    log.info("said", what=[secret], why=f"it was {secret}!", path=f"/v1/invitations/{secret}")
    logging.getLogger("library").warning("gave %s", secret)
    said = capsys.readouterr().err
    assert secret[len(prefix) :][:10] not in said
    assert len(said.splitlines()) == 2


def test_an_entry_is_one_line_of_ascii_whatever_somebody_asked_for(capsys: pytest.CaptureFixture[str]):
    configure("info")
    log.info("request", path="/v1/games/\x85\u2028\x9b2Jé")
    said = capsys.readouterr().err
    assert said.isascii()
    assert json.loads(said)["path"] == "/v1/games/\x85\u2028\x9b2Jé"
