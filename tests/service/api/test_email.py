"""E-mail by the API and the pages of a service that runs: asked for, confirmed by a link, and stopped by a click."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from service.base.clock import utc_now
from service.webhooks.secrets import new_key
from tests.helpers.mailing import Post, posting, text_of
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_tokens import narrower
from tests.service.api.test_webhooks import eventually, stored_in

EMAIL = "/v1/notifications/email"
ANNA = "anna@example.org"
NONE = {"available": True, "address": None, "status": None, "turns": False, "daily": False}


@pytest.fixture
async def post() -> AsyncIterator[Post]:
    async with posting() as opened:
        yield opened


@pytest.fixture
async def service(tmp_path: Path, database_url: str, post: Post) -> AsyncIterator[Service]:
    settings: dict[str, Any] = {"database_url": database_url, "webhook_key": new_key(), "smtp_url": post.url}
    settings |= {"smtp_from": "games@example.org", "public_url": "https://games.example.org"}
    async with serving(tmp_path, durable=False, clock=utc_now, **settings) as running:
        yield running


async def link(post: Post) -> str:
    """Return the path of the link in the e-mail that asks for confirmation."""

    async def came() -> Any:
        return post.to(ANNA)

    (message, *_) = await eventually(came)
    found = re.search(r"https://games\.example\.org(/email/confirm/\S+)", text_of(message))
    assert found is not None
    return found[1]


async def test_an_address_is_told_from_its_confirmation_until_a_click(
    service: Service, post: Post, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    anna = await service.register("Anna")
    assert await service.get(EMAIL, anna) == NONE
    wish = {"address": ANNA, "turns": True, "daily": True}
    entered = await service.ask("PUT", EMAIL, anna, wish)
    assert entered.json() == {**NONE, "address": "a…@example.org", "status": "new", "turns": True, "daily": True}
    path = await link(post)
    page = await service.client.get(path)
    assert page.status_code == 200
    assert '<form method="post"><button class="strong">Confirm</button>' in page.text
    assert "form-action 'self'" in page.headers["content-security-policy"]
    assert page.headers["referrer-policy"] == "no-referrer"
    assert (await service.get(EMAIL, anna))["status"] == "new", "a program that opens links confirms nothing"
    assert "is confirmed" in (await service.client.post(path)).text
    assert (await service.get(EMAIL, anna))["status"] == "on"
    assert "does not work" in (await service.client.post(f"{path}x")).text
    assert ANNA.encode() not in stored_in(tmp_path)
    (row,) = await service.services.store.webhooks.sealed()
    mailbox = json.loads(service.services.webhooks.sealer().open(row.secret))
    leave = f"/email/leave/{row.webhook}.{mailbox['leave']}"
    assert "Stop" in (await service.client.get(leave)).text
    assert (await service.get(EMAIL, anna))["status"] == "on"
    # As mail programs do it (RFC 8058): a form, no cookie, no token.
    one_click = await service.client.post(leave, data={"List-Unsubscribe": "One-Click"})
    assert one_click.status_code == 200
    assert await service.get(EMAIL, anna) == NONE
    said = capsys.readouterr()
    for secret in (ANNA, mailbox["leave"], mailbox["confirm"]):
        assert secret not in said.out + said.err
    assert "/email/leave/{secret" in said.out + said.err


async def test_the_inbox_says_that_a_mailbox_refuses(service: Service, post: Post) -> None:
    anna = await service.register("Anna")
    post.answers[ANNA] = "550 No such mailbox"
    await service.ask("PUT", EMAIL, anna, {"address": ANNA})

    async def refused() -> bool:
        return (await service.get("/v1/notifications", anna))["state"]["mail_refused"]

    await eventually(refused)
    assert (await service.get(EMAIL, anna))["status"] == "off"
    assert (await service.ask("DELETE", EMAIL, anna)).json() == NONE
    assert not await refused()


async def test_only_addresses_are_taken_and_only_from_tokens_for_that(service: Service, post: Post) -> None:
    anna = await service.register("Anna")
    for wrong in ("anna", "anna@", "@example.org", "anna@localhost", "a b@example.org", "a@example.org\nBcc: x@y.org"):
        answer = await service.ask("PUT", EMAIL, anna, {"address": wrong})
        assert answer.status_code == 422, wrong
        assert answer.json()["path"] == "$.address"
    for scope, status in (("notify", 200), ("play", 403)):
        for method, body in (("GET", None), ("PUT", {"turns": False}), ("DELETE", None)):
            player = await narrower(service, anna, scope)
            assert (await service.ask(method, EMAIL, player, body)).status_code == status
    assert post.got == []


async def test_without_a_mail_server_there_is_no_e_mail(tmp_path: Path) -> None:
    async with serving(tmp_path, durable=False) as service:
        anna: Player = await service.register("Anna")
        assert await service.get(EMAIL, anna) == {**NONE, "available": False}
        answer = await service.ask("PUT", EMAIL, anna, {"address": ANNA})
        assert answer.json()["type"] == "/problems/mail-off"
