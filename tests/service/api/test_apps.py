"""Apps of strangers sign people in (OAuth 2.1): the ways in, what the tokens are good for, and how that ends."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata

from service.accounts.apps.apps import MOST_CLIENTS, MOST_SIGN_INS
from tests.service.api.apps import CLIENT, REDIRECT, App, bearer, error
from tests.service.api.browsers import browser
from tests.service.api.serving import Player, Service, serving
from tests.service.rig import Hands


@pytest.fixture
def app(service: Service) -> App:
    return App(service)


async def allows(service: Service, player: Player) -> bool:
    return (await service.ask("GET", "/v1/players/me", player)).status_code == 200


# --- ways in ---


async def test_a_strangers_app_signs_somebody_in_without_being_registered(app: App, anna: Player) -> None:
    asked = (await app.look(app.query("play notify"))).json()
    assert (asked["name"], asked["kind"], asked["site"]) == (CLIENT, "web", "boards.example.org")
    assert (asked["scopes"], asked["registered"], asked["error"]) == (["play", "notify"], False, "")
    back = await app.sent_back(anna, "play notify")
    assert (back["state"], back["iss"]) == ("k3w7", app.issuer)
    answer = await app.redeem(back["code"])
    tokens = answer.json()
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    assert (tokens["token_type"], tokens["expires_in"], tokens["scope"]) == ("Bearer", 3600, "play notify")
    me = await app.service.get("/v1/players/me", bearer(tokens))
    assert (me["id"], me["scopes"]) == (anna.id, ["play", "notify"])
    await app.service.get("/v1/notifications", bearer(tokens))


async def test_who_says_no_sends_the_app_away_without_a_code(app: App, anna: Player) -> None:
    back = await app.sent_back(anna, allow=False)
    assert (back["error"], back["state"], back["iss"]) == ("access_denied", "k3w7", app.issuer)
    assert "code" not in back
    assert (await app.service.get("/v1/apps", anna))["items"] == []


async def test_an_app_that_asks_for_nothing_learns_who_somebody_is(app: App, anna: Player) -> None:
    answer = await app.decide(app.query(scope=None), anna)  # type: ignore[arg-type]
    code = answer.json()["address"].partition("code=")[2].partition("&")[0]
    tokens = (await app.redeem(code)).json()
    assert tokens["scope"] == ""
    assert (await app.service.get("/v1/players/me", bearer(tokens)))["scopes"] == []
    game = await app.service.ask("POST", "/v1/games", bearer(tokens), {"ruleset": "tiny-auction", "players": 2})
    assert game.json()["type"] == "/problems/scope-missing"


@pytest.mark.parametrize("redirect", ["http://127.0.0.1:51004/back", "http://[::1]:9/back", "com.example.boards:/back"])
async def test_a_program_on_somebodys_machine_signs_them_in(service: Service, anna: Player, redirect: str) -> None:
    app = App(service, "board-room-cli", redirect)
    asked = (await app.look(app.query(), anna)).json()
    assert asked["kind"] == ("app" if redirect.startswith("com") else "program")
    await app.signed_in(anna)
    again = (await app.look(app.query(), anna)).json()
    assert not again["remembered"], "another program could be there"


async def test_a_device_signs_somebody_in(app: App, anna: Player) -> None:
    given = (await app.send("device", scope="play")).json()
    assert given["verification_uri"] == f"{app.issuer}/device"
    assert given["verification_uri_complete"].endswith(f"?user_code={given['user_code']}")
    assert (given["expires_in"], given["interval"]) == (600, 5)
    assert error(await app.poll(given["device_code"])) == (400, "authorization_pending")
    code = given["user_code"].lower().replace("-", " ")
    asked = await app.service.post("/v1/authorization/device", anna, {"code": code})
    assert (asked["name"], asked["kind"], asked["scopes"]) == (CLIENT, "device", ["play"])
    decided = {"code": code, "allow": True}
    await app.service.post("/v1/authorization/device/decision", anna, decided)
    twice = await app.service.ask("POST", "/v1/authorization/device/decision", anna, decided)
    assert twice.json()["type"] == "/problems/unknown-device-code"
    tokens = (await app.poll(given["device_code"])).json()
    assert (await app.service.get("/v1/players/me", bearer(tokens)))["id"] == anna.id
    assert error(await app.poll(given["device_code"])) == (400, "invalid_grant")
    assert not await allows(app.service, bearer(tokens)), "a second use of a device code ends what the first gave"


async def test_a_device_that_nobody_lets_in_hears_of_it(app: App, anna: Player) -> None:
    given = (await app.send("device")).json()
    await app.service.post("/v1/authorization/device/decision", anna, {"code": given["user_code"], "allow": False})
    assert error(await app.poll(given["device_code"])) == (400, "access_denied")


async def test_a_registered_app_proves_who_it_is(service: Service, anna: Player, bert: Player) -> None:
    body = {"name": "Boards of Bert", "redirects": [REDIRECT, "http://127.0.0.1/back"]}
    issued = await service.post("/v1/clients", bert, body, idempotency_key="one")
    assert await service.post("/v1/clients", bert, body, idempotency_key="one") == issued
    other = await service.ask("POST", "/v1/clients", bert, {**body, "name": "Other"}, idempotency_key="one")
    assert other.json()["type"] == "/problems/key-reused"
    assert issued["secret"] not in str(await service.get("/v1/clients", bert))
    app = App(service, issued["client"]["id"], REDIRECT, issued["secret"])
    asked = (await app.look(app.query())).json()
    assert (asked["name"], asked["registered"]) == ("Boards of Bert", True)
    tokens = await app.signed_in(anna)
    assert (await app.refresh(tokens["refresh_token"])).status_code == 200
    by_form = await service.client.post(
        "/oauth/introspect",
        data={"client_id": app.client, "client_secret": app.secret, "token": tokens["access_token"]},
    )
    assert by_form.json()["active"], "client_secret_post is another way"
    assert (await service.ask("DELETE", f"/v1/clients/{app.client}", anna)).status_code == 404
    assert (await service.ask("DELETE", f"/v1/clients/{app.client}", bert)).status_code == 200
    assert (await service.ask("DELETE", f"/v1/clients/{app.client}", bert)).status_code == 404
    assert (await app.look(app.query())).json()["type"] == "/problems/bad-app-request"
    assert (await service.get("/v1/apps", anna))["items"] == []


async def test_an_account_registers_only_so_many_apps(service: Service, anna: Player) -> None:
    body = {"name": "One more", "redirects": [REDIRECT]}
    for _ in range(MOST_CLIENTS):
        await service.post("/v1/clients", anna, body)
    refused = await service.ask("POST", "/v1/clients", anna, body)
    assert refused.json()["type"] == "/problems/too-many-clients"
    bad = await service.ask("POST", "/v1/clients", anna, {"name": "x", "redirects": ["http://boards.example.org/"]})
    assert (bad.status_code, bad.json()["path"]) == (422, "$.redirects")


async def test_the_metadata_says_where_everything_is(service: Service) -> None:
    found = await service.get("/.well-known/oauth-authorization-server")
    AuthorizationServerMetadata(found).validate()
    assert found["issuer"] == str(service.client.base_url).rstrip("/")
    assert found["code_challenge_methods_supported"] == ["S256"]
    assert "account" not in found["scopes_supported"]
    for name, address in found.items():
        if name.endswith("_endpoint"):
            method = "GET" if name.startswith("authorization") else "POST"
            assert (await service.client.request(method, address)).status_code in (200, 400, 401), name


# --- what tokens are good for ---


async def test_a_refresh_token_is_good_once_and_gives_another(app: App, anna: Player) -> None:
    tokens = await app.signed_in(anna, "play notify")
    second = (await app.refresh(tokens["refresh_token"], scope="play")).json()
    assert (second["scope"], second["access_token"] != tokens["access_token"]) == ("play", True)
    third = (await app.refresh(second["refresh_token"])).json()
    assert third["scope"] == "play notify", "what was asked for once is what this access token gets"
    allowed = [await allows(app.service, bearer(each)) for each in (tokens, second, third)]
    assert allowed == [False, True, True], "the last but one ends"


async def test_an_app_is_remembered_at_its_host_and_asks_again_for_more(app: App, anna: Player) -> None:
    await app.signed_in(anna)
    remembered = {
        scope: (await app.look(app.query(scope), anna)).json()["remembered"] for scope in ("", "play", "play notify")
    }
    assert remembered == {"": True, "play": True, "play notify": False}
    elsewhere = App(app.service, CLIENT, "https://boards.example.net/back")
    assert not (await elsewhere.look(elsewhere.query(), anna)).json()["remembered"]
    await app.signed_in(anna, "notify")
    assert (await app.look(app.query("play notify"), anna)).json()["remembered"]


async def test_a_person_lets_an_app_do_a_part_of_what_it_asks_for(app: App, anna: Player) -> None:
    """RFC 6749, 3.3: the token answer names the scopes when they are fewer."""

    async def given(only: list[str], asked: str = "play judge notify") -> Any:
        answer = await app.decide(app.query(asked), anna, scopes=only)
        return (await app.redeem(code_of(answer.json()["address"]))).json()

    tokens = await given(["play", "notify"])
    assert tokens["scope"] == "play notify"
    assert (await app.service.get("/v1/players/me", bearer(tokens)))["scopes"] == ["play", "notify"]
    assert (await app.refresh(tokens["refresh_token"])).json()["scope"] == "play notify"
    seen = {scope: (await app.look(app.query(scope), anna)).json()["remembered"] for scope in ("play", "play judge")}
    assert seen == {"play": True, "play judge": False}
    assert (await given([], "notify"))["scope"] == "", "then it learns who somebody is"
    assert (await app.service.get("/v1/apps", anna))["items"][0]["scopes"] == ["play"], (
        "what was taken back is forgotten"
    )
    refused = await app.decide(app.query("play"), anna, scopes=["play", "judge"])
    assert (refused.status_code, refused.json()["type"]) == (422, "/problems/invalid-body")
    assert refused.json()["allowed"] == "Expected some of play."


async def test_a_person_lets_a_device_do_a_part_of_what_it_asks_for(app: App, anna: Player) -> None:
    device = (await app.send("device", scope="play judge")).json()
    decision = {"code": device["user_code"], "allow": True, "scopes": ["account"]}
    path = "/v1/authorization/device/decision"
    refused = await app.service.ask("POST", path, anna, decision)
    assert (refused.status_code, refused.json()["path"]) == (422, "$.scopes")
    await app.service.post(path, anna, {**decision, "scopes": ["play"]})
    assert (await app.poll(device["device_code"])).json()["scope"] == "play"


def code_of(address: str) -> str:
    return dict(parse_qsl(urlsplit(address).query))["code"]


async def test_an_account_sees_its_apps_and_shuts_one_out(app: App, anna: Player, bert: Player) -> None:
    first, second = await app.signed_in(anna), await app.signed_in(anna)
    other = await App(app.service, "Other", "https://other.example.org/").signed_in(anna)
    await app.signed_in(bert)
    await app.service.get("/v1/players/me", bearer(first))
    await app.service.services.accounts.callers.flush()
    newest, oldest = (await app.service.get("/v1/apps", anna))["items"]
    assert (newest["name"], oldest["name"]) == ("Other", CLIENT)
    assert (oldest["site"], oldest["scopes"], oldest["sign_ins"]) == ("boards.example.org", ["play"], 2)
    assert (oldest["used"] is not None, oldest["reused"]) == (True, None)
    rows = (await app.service.get("/v1/tokens", anna))["items"]
    assert sorted((row["app"], row["name"]) for row in rows if not row["session"])[0] == (False, "registration")
    assert len([row for row in rows if row["app"]]) == 3
    theirs = await app.service.ask("DELETE", f"/v1/apps/{oldest['id']}", bert)
    assert (theirs.status_code, theirs.json()["type"]) == (404, "/problems/unknown-app")
    assert (await app.service.ask("DELETE", f"/v1/apps/{oldest['id']}", anna)).status_code == 200
    allowed = [await allows(app.service, bearer(each)) for each in (first, second, other)]
    assert allowed == [False, False, True]
    assert error(await app.refresh(first["refresh_token"])) == (400, "invalid_grant")
    assert not (await app.look(app.query(), anna)).json()["remembered"]
    assert len((await app.service.get("/v1/apps", bert))["items"]) == 1


async def test_the_oldest_of_too_many_sign_ins_of_an_app_ends(app: App, anna: Player) -> None:
    first = await app.signed_in(anna)
    for _ in range(MOST_SIGN_INS):
        await app.signed_in(anna)
    assert not await allows(app.service, bearer(first))
    (row,) = (await app.service.get("/v1/apps", anna))["items"]
    assert row["sign_ins"] == MOST_SIGN_INS


async def test_an_app_signs_itself_out(app: App, anna: Player) -> None:
    for which in ("access_token", "refresh_token"):
        tokens = await app.signed_in(anna)
        assert (await app.send("introspect", token=tokens[which])).json()["active"]
        assert (await app.send("revoke", token=tokens[which])).status_code == 200
        assert (await app.send("revoke", token=tokens[which])).status_code == 200
        assert (await app.send("introspect", token=tokens[which])).json() == {"active": False}
        assert not await allows(app.service, bearer(tokens))
        assert error(await app.refresh(tokens["refresh_token"])) == (400, "invalid_grant")
    assert (await app.send("revoke", token="tabr_unknown")).status_code == 200, "as RFC 7009 says"
    tokens = await app.signed_in(anna)
    assert (await app.service.ask("DELETE", "/v1/tokens/current", bearer(tokens))).status_code == 200
    assert not await allows(app.service, bearer(tokens))


async def test_introspection_says_whose_a_token_is(app: App, anna: Player) -> None:
    tokens = await app.signed_in(anna)
    said = (await app.send("introspect", token=tokens["access_token"])).json()
    assert (said["sub"], said["client_id"], said["scope"], said["iss"]) == (anna.id, CLIENT, "play", app.issuer)
    assert said["exp"] - said["iat"] == 3600
    refresh = (await app.send("introspect", token=tokens["refresh_token"])).json()
    assert refresh["exp"] - refresh["iat"] == 90 * 24 * 3600


async def test_what_an_app_added_goes_with_it(app: App, anna: Player) -> None:
    tokens = await app.signed_in(anna, "notify")
    for player in (bearer(tokens), anna):
        await app.service.post("/v1/webhooks", player, {"url": "https://hooks.invalid/"})
    (row,) = (await app.service.get("/v1/apps", anna))["items"]
    await app.service.ask("DELETE", f"/v1/apps/{row['id']}", anna)
    assert len((await app.service.get("/v1/webhooks", anna))["items"]) == 1


@pytest.mark.parametrize("how", ["the account", "the app"])
async def test_a_stream_ends_with_the_app_that_follows_it(tmp_path: Path, how: str) -> None:
    """Though nothing happens, no heartbeat comes and its token is remembered for long."""
    async with serving(tmp_path, durable=False, heartbeat=600, token_cache=60) as service, asyncio.timeout(30):
        app, anna, bert = App(service), await service.register("Anna"), await service.register("Bert")
        game = await service.begun(anna, bert)
        tokens = await app.signed_in(anna)
        (row,) = (await service.get("/v1/apps", anna))["items"]
        stream = service.client.stream("GET", f"/v1/games/{game}/events/stream", headers=bearer(tokens).headers)
        async with stream as answer:
            lines = answer.aiter_lines()
            assert await anext(lines) == "retry: 2000"
            if how == "the account":
                await service.ask("DELETE", f"/v1/apps/{row['id']}", anna)
            else:
                await app.send("revoke", token=tokens["refresh_token"])
            assert not [line async for line in lines if line.startswith("event: ")]


async def test_a_closed_account_lets_nobody_in(app: App, anna: Player, bert: Player) -> None:
    issued = await app.service.post("/v1/clients", bert, {"name": "Bert's", "redirects": [REDIRECT]})
    of_bert = App(app.service, issued["client"]["id"], REDIRECT, issued["secret"])
    anna_at_bert, berts = await of_bert.signed_in(anna), await app.signed_in(bert)
    used = await of_bert.signed_in(anna, "notify")  # this process remembers a token for a moment after its use
    await app.service.post("/v1/webhooks", bearer(used), {"url": "https://hooks.invalid/"})
    closed = await app.service.ask("DELETE", f"/v1/players/me?confirm={bert.id}", bert)
    assert closed.status_code == 200
    assert error(await app.refresh(berts["refresh_token"])) == (400, "invalid_grant")
    assert not await allows(app.service, bearer(anna_at_bert)), "the app that they registered ends, too"
    for path in ("/v1/apps", "/v1/webhooks"):
        assert (await app.service.get(path, anna))["items"] == [], "nothing of the app is left"


async def test_in_a_browser_a_person_lets_an_app_in(app: App, anna: Player) -> None:
    async with browser(app.service, anna) as page:
        answer = await page.post("/v1/authorization/decision", json={"query": app.query(), "allow": True})
        assert answer.status_code == 200
        assert (await page.get("/v1/apps")).json()["items"][0]["sign_ins"] == 0, "until the app comes with the code"


# --- times ---


async def test_tokens_and_codes_end_at_their_time(tmp_path: Path) -> None:
    hands = Hands()

    def move(**by: float) -> None:
        hands.now += timedelta(**by)

    async with serving(tmp_path, durable=False, clock=hands, token_cache=0) as service:
        app, anna = App(service), await service.register("Anna")
        late = await app.code(anna)
        tokens = await app.signed_in(anna)
        move(seconds=59)
        assert (await app.redeem(late)).status_code == 200
        late = await app.code(anna)
        move(seconds=60)
        assert error(await app.redeem(late)) == (400, "invalid_grant")
        assert await allows(service, bearer(tokens))
        move(hours=1)
        assert not await allows(service, bearer(tokens))
        assert (await app.send("introspect", token=tokens["access_token"])).json() == {"active": False}
        move(days=89)
        tokens = (await app.refresh(tokens["refresh_token"])).json()
        move(days=90, seconds=1)
        assert error(await app.refresh(tokens["refresh_token"])) == (400, "invalid_grant")
        given = (await app.send("device")).json()
        move(minutes=10)
        assert error(await app.poll(given["device_code"])) == (400, "expired_token")
