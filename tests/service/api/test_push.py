"""Devices by the API of a service that runs: switched on by what a browser gives, told, and switched off."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from service.base.clock import utc_now
from service.webhooks.push import new_push_key
from service.webhooks.secrets import new_key
from tests.helpers.browsers import Subscriber, octets
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_tokens import narrower
from tests.service.api.test_webhooks import eventually, stored_in
from tests.service.webhooks.receiving import Receiver, receiving

PUSH = "/v1/notifications/push"


@pytest.fixture
async def push_service() -> AsyncIterator[Receiver]:
    async with receiving() as opened:
        opened.answers["/send/anna"] = "201 Created\r\n"
        yield opened


@pytest.fixture
async def service(tmp_path: Path, database_url: str) -> AsyncIterator[Service]:
    keys: dict[str, Any] = {"webhook_key": new_key(), "push_key": new_push_key()}
    async with serving(
        tmp_path, durable=False, clock=utc_now, database_url=database_url, outward="anywhere", **keys
    ) as running:
        yield running


async def test_a_browser_is_told_until_it_is_switched_off(
    service: Service, tmp_path: Path, push_service: Receiver
) -> None:
    anna, bert = await service.register("Anna"), await service.register("Bert")
    listed = await service.get(PUSH, anna)
    assert listed["items"] == []
    assert len(octets(listed["key"])) == 65
    browser = Subscriber(push_service.url("/send/anna"))
    answer = await service.ask("POST", PUSH, anna, browser.subscription())
    assert answer.status_code == 201
    device = answer.json()

    async def active() -> bool:
        return (await service.get(PUSH, anna))["items"] == [{**device, "active": True}]

    await eventually(active)
    assert device["service"] == "127.0.0.1"
    assert (await service.ask("POST", PUSH, anna, browser.subscription())).json()["id"] == device["id"]
    game = await service.begun(bert, anna)  # Bert starts it

    async def told() -> bool:
        return any(browser.shown(each.body)["tag"] == game for each in push_service.got)

    await eventually(told)
    shown = [browser.shown(each.body) for each in push_service.got]
    assert shown[0] == {
        "title": "Tabularium",
        "body": "This device gets notifications from now on.",
        "url": "/account/notices",
        "tag": "ping",
    }
    assert shown[1]["body"] == "The game has begun."
    assert b"/send/anna" not in stored_in(tmp_path)
    theirs = await service.ask("DELETE", f"{PUSH}/{device['id']}", bert)
    assert theirs.status_code == 404
    assert (await service.ask("DELETE", f"{PUSH}/{device['id']}", anna)).status_code == 200
    assert (await service.ask("DELETE", f"{PUSH}/{device['id']}", anna)).status_code == 404
    assert (await service.get(PUSH, anna))["items"] == []
    assert (await service.get("/v1/webhooks", anna))["items"] == []


async def test_only_a_token_for_that_has_a_device_told(service: Service, anna: Player) -> None:
    subscription = Subscriber("https://push.invalid/").subscription()
    for scope, status in (("notify", 201), ("play", 403)):
        answer = await service.ask("POST", PUSH, await narrower(service, anna, scope), subscription)
        assert answer.status_code == status
    assert (await service.ask("POST", PUSH, None, subscription)).status_code == 401


async def test_what_is_no_subscription_is_refused_with_what_would_be_right(service: Service, anna: Player) -> None:
    good = Subscriber("https://push.invalid/").subscription()
    for wrong, path in (
        ({"endpoint": "ftp://push.invalid/"}, "$.endpoint"),
        ({"keys": {**good["keys"], "auth": "AAAA"}}, "$.keys"),
        ({"keys": {**good["keys"], "p256dh": "BAAA"}}, "$.keys"),
        ({"keys": {"auth": good["keys"]["auth"]}}, "$.keys"),
        ({"keys": {**good["keys"], "auth": "?"}}, "$.keys.auth"),
    ):
        answer = await service.ask("POST", PUSH, anna, {**good, **wrong})
        assert answer.status_code == 422
        problem = answer.json()
        assert problem["path"] == path
        assert problem["allowed"]
