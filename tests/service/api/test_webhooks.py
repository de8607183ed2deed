"""Webhooks by the API: made, tried out, changed, and what was sent to them, by a service that runs."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import jsonschema
import pytest
from standardwebhooks import Webhook

from domain.kernel.ids import PlayerId
from service.base.clock import utc_now
from service.base.scopes import EVERYBODYS
from service.webhooks.secrets import new_key
from tests.service.api.serving import Answer, Player, Service, serving
from tests.service.api.test_statistics import caught_up
from tests.service.webhooks.receiving import Receiver, receiving

CONTRACT = (Path(__file__).parents[3] / "openapi" / "openapi.json").read_bytes()


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as opened:
        yield opened


@pytest.fixture
async def service(tmp_path: Path, database_url: str) -> AsyncIterator[Service]:
    settings: dict[str, Any] = {"database_url": database_url, "webhook_key": new_key(), "outward": "anywhere"}
    async with serving(tmp_path, durable=False, clock=utc_now, **settings) as running:
        yield running


@pytest.fixture
async def anna(service: Service) -> Player:
    return await service.register("Anna")


@pytest.fixture
async def bert(service: Service) -> Player:
    return await service.register("Bert")


async def eventually(look: Callable[[], Awaitable[Any]]) -> Any:
    """Return what a look finds as soon as it finds anything."""
    while True:
        if found := await look():
            return found
        await asyncio.sleep(0.02)


async def made(service: Service, player: Player, receiver: Receiver, **wish: Any) -> tuple[Answer, str]:
    """Return a webhook that is on, and its secret."""
    answer = await service.ask("POST", "/v1/webhooks", player, {"url": receiver.url(), **wish})
    assert answer.status_code == 201, answer.text
    issued = answer.json()

    async def on() -> Answer | None:
        now = await service.get(f"/v1/webhooks/{issued['webhook']['id']}", player)
        return now if now["status"] == "on" else None

    return await eventually(on), issued["secret"]


def stored_in(folder: Path) -> bytes:
    """Return what the files of an embedded store say."""
    return b"".join(each.read_bytes() for each in folder.glob("tabularium.db*"))


async def received(receiver: Receiver, kind: str) -> Any:
    async def look() -> Any:
        return next((each for each in receiver.got if each.json["type"] == kind), None)

    return await eventually(look)


async def test_a_program_is_told_that_it_is_its_turn(
    service: Service, anna: Player, bert: Player, receiver: Receiver
) -> None:
    webhook, secret = await made(service, anna, receiver)
    assert webhook["events"] == [
        *("seat.awaited", "game.started", "game.ended", "case.*", "webhook.*"),
        *("tournament.round_published", "tournament.announcement_made", "tournament.closed"),
    ]
    game = await service.begun(anna, bert)
    got = await received(receiver, "game.started")
    event = Webhook(secret).verify(got.body, got.headers)
    assert event["data"]["game"] == game
    assert event["data"]["address"] == f"/v1/games/{game}"
    await service.play_out(game, anna, bert)
    await received(receiver, "game.ended")
    awaited = await received(receiver, "seat.awaited")
    assert awaited.json["data"]["seats"] == ["red"]
    contract = json.loads(CONTRACT)
    schema = {"$ref": "#/components/schemas/WebhookEvent", "components": contract["components"]}
    for each in receiver.got:
        jsonschema.validate(each.json, schema)
    assert {"ping", "game.started", "game.ended", "seat.awaited"} == set(receiver.types())


async def test_an_account_sees_what_was_sent_and_sends_it_again(
    service: Service, anna: Player, bert: Player, receiver: Receiver
) -> None:
    webhook, _ = await made(service, anna, receiver, events=["game.started"])
    url = f"/v1/webhooks/{webhook['id']}"
    receiver.answers["/hook"] = "410 Gone\r\nContent-Length: 3\r\n\r\nbye"
    await service.begun(anna, bert)

    async def off() -> bool:
        return (await service.get(url, anna))["status"] == "off"

    await eventually(off)
    assert (await service.get(url, anna))["why"] == "gone"
    (failed,) = (await service.get(f"{url}/deliveries?status=failed", anna))["items"]
    assert failed["next"] is None
    assert [(each["status"], each["answer"]) for each in failed["attempts"]] == [(410, "bye")]
    for player, told in ((anna, [webhook["id"]]), (bert, [])):
        await caught_up(service)
        assert (await service.get("/v1/notifications", player))["state"]["webhooks_off"] == told
    receiver.answers.clear()
    wish = {"url": receiver.url(), "events": ["game.started"]}
    for _ in range(2):
        again = await service.ask("PUT", url, anna, wish)
        assert again.json()["status"] in ("new", "on")
        assert again.json()["why"] is None

    async def on() -> bool:
        return (await service.get(url, anna))["status"] == "on"

    await eventually(on)
    answer = await service.ask("POST", f"{url}/replay", anna, {"failed": True})
    assert (answer.status_code, answer.json()) == (202, {"deliveries": 1})

    async def delivered() -> list[Answer]:
        return (await service.get(f"{url}/deliveries?status=delivered&limit=1", anna))["items"]

    page = await service.get(f"{url}/deliveries?limit=1", anna)
    assert page["next"] is not None
    (first,) = await eventually(delivered)
    one = await service.ask("POST", f"{url}/deliveries/{failed['id']}/replay", anna)
    assert one.status_code == 202
    assert one.json()["id"] == failed["id"]
    assert first["id"]
    seen = (await service.get(f"{url}/deliveries?limit=1", anna))["items"]
    rest = await service.get(f"{url}/deliveries?cursor={page['next']}", anna)
    assert seen[0]["id"] not in {each["id"] for each in rest["items"]}


async def test_a_secret_is_shown_once_and_nowhere_else(
    service: Service, anna: Player, receiver: Receiver, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    webhook, secret = await made(service, anna, receiver)
    url = f"/v1/webhooks/{webhook['id']}"
    fresh = (await service.post(f"{url}/secret", anna, {}))["secret"]
    shown = [str(await service.get(path, anna)) for path in ("/v1/webhooks", url, f"{url}/deliveries")]
    deleted = await service.ask("DELETE", url, anna)
    everything = "".join([*shown, deleted.text, *capsys.readouterr()])
    stored = stored_in(tmp_path)
    for each in (secret, fresh):
        assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", each)
        assert each not in everything
        assert each.removeprefix("whsec_").encode() not in stored
    assert (await service.ask("GET", url, anna)).status_code == 404


async def test_a_key_makes_one_webhook_and_one_secret(service: Service, anna: Player, receiver: Receiver) -> None:
    body = {"url": receiver.url()}
    first, again = [await service.ask("POST", "/v1/webhooks", anna, body, idempotency_key="k") for _ in range(2)]
    assert first.json()["secret"] == again.json()["secret"]
    assert len((await service.get("/v1/webhooks", anna))["items"]) == 1
    other = await service.ask("POST", "/v1/webhooks", anna, {"url": receiver.url("/other")}, idempotency_key="k")
    assert other.json()["type"] == "/problems/key-reused"
    url = f"/v1/webhooks/{first.json()['webhook']['id']}/secret"
    one, same = [await service.ask("POST", url, anna, {"overlap": 60}, idempotency_key="s") for _ in range(2)]
    assert one.json()["secret"] == same.json()["secret"] != first.json()["secret"]
    assert one.json()["webhook"]["old_secret_until"] is not None
    reused = await service.ask("POST", url, anna, {"overlap": 61}, idempotency_key="s")
    assert reused.json()["type"] == "/problems/key-reused"
    at_once = await service.ask("POST", url, anna, {"overlap": 0})
    assert at_once.json()["webhook"]["old_secret_until"] is None


@pytest.mark.parametrize(
    ("body", "problem", "said"),
    [
        ({"url": "ftp://example.org/"}, "bad-target", "ftp:"),
        ({"url": "https://example.org/\u00e4"}, "bad-target", "characters"),
        ({"url": "https://me@example.org/"}, "bad-target", "user name"),
        ({"url": "https://example.org/", "about": "game"}, "invalid-body", "names none"),
        ({"url": "https://example.org/", "game": "g1"}, "invalid-body", "names a game"),
        ({"url": "https://example.org/", "about": "game", "game": "gnone"}, "unknown-game", "gnone"),
        ({"url": "https://example.org/", "about": "tournament"}, "invalid-body", "names none"),
        ({"url": "https://example.org/", "tournament": "t1"}, "invalid-body", "names a tournament"),
        ({"url": "https://example.org/", "about": "tournament", "tournament": "tno"}, "unknown-tournament", "tno"),
        ({"url": "https://example.org/", "about": "service"}, "scope-missing", "audit"),
        ({"url": "https://example.org/", "events": ["game.exploded"]}, "invalid-body", "game.exploded"),
        ({"url": "https://example.org/", "events": ["war.*"]}, "invalid-body", "war.*"),
        ({"url": "https://example.org/", "form": "teams"}, "invalid-body", "form"),
    ],
)
async def test_what_cannot_work_is_refused(
    service: Service, anna: Player, body: dict[str, Any], problem: str, said: str
) -> None:
    answer = await service.ask("POST", "/v1/webhooks", anna, body)
    assert answer.json()["type"] == f"/problems/{problem}"
    assert said in answer.text
    assert answer.json()["allowed"]
    assert (await service.get("/v1/webhooks", anna))["items"] == []


async def test_webhooks_are_their_owner_s_alone(
    service: Service, anna: Player, bert: Player, receiver: Receiver
) -> None:
    webhook, _ = await made(service, anna, receiver)
    url = f"/v1/webhooks/{webhook['id']}"
    for method, path, body in (
        ("GET", url, None),
        ("PUT", url, {"url": "https://example.org/"}),
        ("DELETE", url, None),
        ("POST", f"{url}/ping", None),
        ("POST", f"{url}/secret", {}),
        ("GET", f"{url}/deliveries", None),
        ("POST", f"{url}/deliveries/d1/replay", None),
        ("POST", f"{url}/replay", {}),
    ):
        answer = await service.ask(method, path, bert, body)
        assert answer.json()["type"] == "/problems/unknown-webhook", (method, path)
    assert (await service.ask("POST", f"{url}/deliveries/d1/replay", anna)).json()[
        "type"
    ] == "/problems/unknown-delivery"
    closed = await service.client.delete(f"/v1/players/me?confirm={anna.id}", headers=anna.headers)
    assert closed.status_code == 200
    assert await service.services.store.webhooks.webhooks(PlayerId(anna.id)) == []


async def test_a_ping_tries_it_out_and_ten_are_the_most(service: Service, anna: Player, receiver: Receiver) -> None:
    webhook, _ = await made(service, anna, receiver)
    pinged = await service.ask("POST", f"/v1/webhooks/{webhook['id']}/ping", anna)
    assert (pinged.status_code, pinged.json()["type"], pinged.json()["status"]) == (202, "ping", "waiting")
    for number in range(9):
        answer = await service.ask("POST", "/v1/webhooks", anna, {"url": receiver.url(f"/{number}")})
        assert answer.status_code == 201
    more = await service.ask("POST", "/v1/webhooks", anna, {"url": receiver.url("/more")})
    assert more.json()["type"] == "/problems/too-many-webhooks"


async def test_only_public_addresses_are_taken_unless_the_settings_say_so(tmp_path: Path) -> None:
    async with serving(tmp_path, durable=False) as service:
        anna = await service.register("Anna")
        for url in ("http://example.org/", "https://127.0.0.1/", "https://example.org:8443/", "https://2130706433/"):
            answer = await service.ask("POST", "/v1/webhooks", anna, {"url": url})
            assert (answer.status_code, answer.json()["path"]) == (422, "$.url")
        assert (await service.ask("POST", "/v1/webhooks", anna, {"url": "https://hooks.invalid/"})).status_code == 201
        assert (tmp_path / "webhooks.key").stat().st_mode & 0o077 == 0


async def test_without_a_usable_key_there_are_no_webhooks(tmp_path: Path) -> None:
    (tmp_path / "webhooks.key").write_text("nonsense\n")
    async with serving(tmp_path, durable=False) as service:
        anna = await service.register("Anna")
        answer = await service.ask("POST", "/v1/webhooks", anna, {"url": "https://example.org/"})
        assert answer.json()["type"] == "/problems/webhooks-off"
        assert (await service.get("/v1/webhooks", anna))["items"] == []


async def test_nobody_is_told_of_a_private_game_who_does_not_read_it(
    service: Service, anna: Player, bert: Player
) -> None:
    new = {"ruleset": "tiny-auction", "players": 2, "readers": "invited"}
    game = (await service.post("/v1/games", anna, new))["id"]
    wish = {"url": "https://hooks.invalid/", "about": "game", "game": game}
    assert (await service.ask("POST", "/v1/webhooks", bert, wish)).json()["type"] == "/problems/private"
    assert (await service.ask("POST", "/v1/webhooks", anna, wish)).status_code == 201


async def test_the_whole_service_is_for_auditors(service: Service, anna: Player, receiver: Receiver) -> None:
    await service.services.accounts.grant(cast(PlayerId, anna.id), (*EVERYBODYS, "audit"))
    token = (await service.post("/v1/tokens", anna, {"name": "hooks", "scopes": ["notify", "audit"]}))["token"]
    auditor = Player(anna.id, {"authorization": f"Bearer {token}"})
    webhook, _ = await made(service, auditor, receiver, about="service", events=["game.created"])
    assert webhook["about"] == "service"
    await service.gathering(await service.register("Bert"))
    await received(receiver, "game.created")
