"""What somebody would try who wants into an account by way of an app, and how each try ends."""

import asyncio
import re
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from service.accounts.apps.protocol import PAUSE
from service.accounts.limits import DEVICE_CODES
from tests.service.api.apps import REDIRECT, App, bearer, error
from tests.service.api.browsers import authenticator, browser
from tests.service.api.serving import Player, Service, serving
from tests.service.rig import Hands


@pytest.fixture
def app(service: Service) -> App:
    return App(service)


async def allows(service: Service, player: Player) -> bool:
    return (await service.ask("GET", "/v1/players/me", player)).status_code == 200


def kind(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["type"].removeprefix("/problems/")


async def registered(service: Service, owner: Player) -> App:
    issued = await service.post("/v1/clients", owner, {"name": "Boards", "redirects": [REDIRECT]})
    return App(service, issued["client"]["id"], REDIRECT, issued["secret"])


# --- codes ---


async def test_a_code_that_comes_twice_ends_what_it_gave(app: App, anna: Player) -> None:
    code = await app.code(anna)
    tokens = (await app.redeem(code)).json()
    assert await allows(app.service, bearer(tokens))
    assert error(await app.redeem(code)) == (400, "invalid_grant")
    assert not await allows(app.service, bearer(tokens))
    assert error(await app.refresh(tokens["refresh_token"])) == (400, "invalid_grant")


async def test_a_code_is_good_for_its_app_and_its_address_only(app: App, anna: Player) -> None:
    code = await app.code(anna)
    thief = App(app.service, "Thief")
    thief.verifier = app.verifier
    assert error(await thief.redeem(code)) == (400, "invalid_grant")
    for address in ("https://boards.example.org/other", "https://thief.example.org/back", ""):
        assert error(await app.redeem(code, redirect_uri=address)) == (400, "invalid_grant")
    assert (await app.redeem(code)).status_code == 200, "nobody's tries have used it up"


async def test_nobody_gets_a_code_without_pkce(app: App, anna: Player) -> None:
    changes: tuple[dict[str, str | None], ...] = (
        {"code_challenge_method": "plain"},
        {"code_challenge_method": None},
        {"code_challenge": None},
        {"code_challenge": None, "code_challenge_method": None},
        {"code_challenge": "too-short"},
    )
    for change in changes:
        query = app.query("play", **change)
        asked = (await app.look(query)).json()
        assert "code_challenge" in asked["error"]
        address = (await app.decide(query, anna)).json()["address"]
        assert "error=invalid_request" in address
        assert "code=" not in address


async def test_nobody_redeems_a_code_without_its_verifier(app: App, anna: Player) -> None:
    code = await app.code(anna)
    for verifier in ("x" * 43, app.challenge, ""):
        assert error(await app.redeem(code, code_verifier=verifier))[0] == 400
    assert (await app.redeem(code)).status_code == 200


async def test_every_answer_names_its_issuer(app: App, anna: Player) -> None:
    """So that an app which talks to several servers never brings one's code to another (RFC 9207)."""
    issuer = (await app.service.get("/.well-known/oauth-authorization-server"))["issuer"]
    assert (await app.sent_back(anna))["iss"] == (await app.sent_back(anna, allow=False))["iss"] == issuer
    refused = (await app.look(app.query("account"))).json()["address"]
    assert httpx.URL(refused).params["iss"] == issuer


@pytest.mark.parametrize("what", ["code", "refresh token"])
async def test_of_two_processes_that_get_it_at_once_one_gives_tokens_and_they_end(
    tmp_path: Path, postgres_url: str, what: str
) -> None:
    """On PostgreSQL: a thief and an app that are equally quick."""
    async with (
        serving(tmp_path / "a", durable=False, database_url=postgres_url, token_cache=0) as one,
        serving(tmp_path / "b", durable=False, database_url=postgres_url, token_cache=0) as other,
    ):
        app, same, anna = App(one), App(other), await one.register("Anna")
        same.verifier = app.verifier
        for _ in range(5):
            if what == "code":
                code = await app.code(anna)
                answers = await asyncio.gather(app.redeem(code), same.redeem(code))
            else:
                token = (await app.signed_in(anna))["refresh_token"]
                answers = await asyncio.gather(app.refresh(token), same.refresh(token))
            assert sorted(answer.status_code for answer in answers) == [200, 400]
            (tokens,) = (answer.json() for answer in answers if answer.status_code == 200)
            assert not await allows(one, bearer(tokens))
            assert error(await same.refresh(tokens["refresh_token"])) == (400, "invalid_grant")


# --- where a browser is sent ---

BAD = (
    "",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "file:///etc/passwd",
    "vbscript:msgbox(1)",
    "blob:https://boards.example.org/1",
    "http://boards.example.org/back",
    "http://127.0.0.1.example.org/back",
    "http://localhost@example.org/back",
    "https://boards.example.org@thief.example/back",
    "https://thief.example\\@boards.example.org/back",
    "https://boards.example.org/back#fragment",
    "https://boards.exаmple.org/back",
    "https://2130706433/back",
    "https://boards.example.org/back\nLocation: https://thief.example",
    "//thief.example/back",
    "/back",
    "https://boards.example.org/" + "x" * 1000,
)


async def test_nobody_is_sent_to_an_address_that_is_none(app: App, anna: Player) -> None:
    for redirect in BAD:
        query = app.query(redirect_uri=redirect)
        looked, allowed = await app.look(query), await app.decide(query, anna)
        for answer in (looked, allowed, await app.decide(query, anna, allow=False)):
            assert kind(answer) == (400, "bad-app-request"), ascii(redirect)
            assert "address" not in answer.json()


async def test_a_registered_app_sends_people_to_its_own_addresses_only(
    service: Service, anna: Player, bert: Player
) -> None:
    app = await registered(service, bert)
    for redirect in ("https://thief.example/back", f"{REDIRECT}/more", f"{REDIRECT}?x=1", "http://127.0.0.1/back"):
        assert kind(await app.decide(app.query(redirect_uri=redirect), anna)) == (400, "bad-app-request")
    pretender = App(service, app.client)
    code = await app.code(anna)
    pretender.verifier = app.verifier
    assert error(await pretender.redeem(code)) == (401, "invalid_client"), "it has no secret"
    app.secret, secret = "tabc_guessed", app.secret
    assert error(await app.redeem(code)) == (401, "invalid_client")
    app.secret = secret
    assert (await app.redeem(code)).status_code == 200
    unknown = App(service, "app_q4w8x3c6v9m2k5n7")
    assert kind(await unknown.look(unknown.query())) == (400, "bad-app-request"), "nobody else has such an id"


async def test_an_error_sends_nobody_away_by_itself(app: App, anna: Player) -> None:
    """Or the service would lead anywhere, by a link that begins with its own address."""
    page = await app.service.client.get(f"/authorize?{app.query('account')}", follow_redirects=False)
    assert (page.status_code, "location" in page.headers) == (200, False)


# --- the person ---


@pytest.mark.parametrize("path", ["/authorize", "/device"])
async def test_no_other_page_frames_the_question(service: Service, path: str) -> None:
    page = await service.client.get(f"{path}?client_id=x")
    policy = page.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "default-src 'self'" in policy


@pytest.mark.parametrize("path", ["/v1/authorization/decision", "/v1/authorization/device/decision"])
async def test_no_other_page_answers_the_question(app: App, anna: Player, path: str) -> None:
    given = (await app.send("device")).json()
    body = {"query": app.query()} if "device" not in path else {"code": given["user_code"]}
    async with browser(app.service, anna) as page:
        for headers in (
            {"origin": "https://thief.example", "sec-fetch-site": "cross-site"},
            {"sec-fetch-site": "same-site"},
            {"tabularium-page": ""},
        ):
            answer = await page.post(path, json={**body, "allow": True}, headers=headers)
            assert kind(answer) == (403, "cross-site")
        assert (await page.get(path)).status_code == 405
        form = await page.post(path, data={"query": app.query(), "allow": "true"})
        assert kind(form) == (415, "unsupported-media-type")
        assert (await page.get("/v1/apps")).json()["items"] == []


async def test_a_guest_lets_no_app_in_before_the_account_lasts(app: App) -> None:
    given = (await app.send("device")).json()
    async with browser(app.service) as page:
        await page.post("/v1/session", json={})
        decided = {"query": app.query(), "allow": True}
        assert kind(await page.post("/v1/authorization/decision", json=decided)) == (403, "guest-account")
        on_device = {"code": given["user_code"], "allow": True}
        assert kind(await page.post("/v1/authorization/device/decision", json=on_device)) == (403, "guest-account")
        assert error(await app.poll(given["device_code"])) == (400, "authorization_pending")
        wanted = (await page.post("/v1/passkeys/challenge")).json()
        await page.post("/v1/passkeys", json=authenticator(app.service).create(wanted))
        assert (await page.post("/v1/authorization/decision", json=decided)).status_code == 200


async def test_who_is_shown_is_the_host_whatever_an_app_calls_itself(service: Service, anna: Player) -> None:
    app = App(service, "Tabularium", "https://xn--tabulriu-8za3r.example/back")
    asked = (await app.look(app.query(), anna)).json()
    assert (asked["name"], asked["site"]) == ("Tabularium", "xn--tabulriu-8za3r.example"), "as it is written in ASCII"
    for client in ("Tabul\u0430rium", "Tabularium\u202e", "x" * 101, " Tabularium", "", "Tab\nularium"):
        bad = App(service, client, app.redirect)
        assert kind(await bad.look(bad.query(), anna)) == (400, "bad-app-request"), ascii(client)


# --- what an app may do ---


async def test_no_app_gets_more_than_its_person_may_give(app: App, anna: Player) -> None:
    for scope in ("account", "admin", "audit", "play account", "everything"):
        asked = (await app.look(app.query(scope), anna)).json()
        assert "An app may ask for play, organize, judge, notify" in asked["error"]
        address = (await app.decide(app.query(scope), anna)).json()["address"]
        assert "error=invalid_scope" in address
        assert "code=" not in address
    await app.service.services.accounts.grant(anna.id, ("account", "notify"))  # type: ignore[arg-type]
    assert (await app.signed_in(anna, "play notify"))["scope"] == "notify"


async def test_an_app_gets_nothing_more_when_it_refreshes(app: App, anna: Player) -> None:
    tokens = await app.signed_in(anna, "play")
    for scope in ("play organize", "account", "notify"):
        assert error(await app.refresh(tokens["refresh_token"], scope=scope)) == (400, "invalid_scope")
    assert (await app.refresh(tokens["refresh_token"])).json()["scope"] == "play"


async def test_an_app_does_not_make_itself_at_home(app: App, anna: Player) -> None:
    tokens = await app.signed_in(anna, "play organize judge notify")
    asked = bearer(tokens)
    for method, path, body in (
        ("GET", "/v1/tokens", None),
        ("POST", "/v1/tokens", {"name": "x", "scopes": ["play"]}),
        ("POST", "/v1/session", {}),
        ("POST", "/v1/recovery-codes", None),
        ("POST", "/v1/authorization/decision", {"query": app.query(), "allow": True}),
        ("GET", "/v1/apps", None),
        ("POST", "/v1/clients", {"name": "x", "redirects": [REDIRECT]}),
    ):
        headers = {"tabularium_page": "1", "sec_fetch_site": "same-origin"} if path == "/v1/session" else {}
        answer = await app.service.ask(method, path, asked, body, **headers)
        assert kind(answer) == (403, "scope-missing"), path
    rotated = await app.service.ask("POST", "/v1/tokens/current/rotation", asked, {})
    assert kind(rotated) == (404, "no-such-token"), "or it would have a token that never ends"


async def test_no_other_value_of_a_sign_in_is_a_token(app: App, anna: Player) -> None:
    tokens, code = await app.signed_in(anna), await app.code(anna)
    secret, _, rest = tokens["refresh_token"].removeprefix("tabr_").partition(".")
    for value in (tokens["refresh_token"], secret, rest, f"tab_{secret}", f"taba_{secret}", code):
        answer = await app.service.ask("GET", "/v1/players/me", Player("", {"authorization": f"Bearer {value}"}))
        assert kind(answer) == (401, "unknown-token")
        assert answer.headers["www-authenticate"] == 'Bearer error="invalid_token"'
    assert error(await app.refresh(f"tabr_{secret}.")) == (400, "invalid_grant")
    assert error(await app.refresh(tokens["access_token"])) == (400, "invalid_grant")


async def test_a_refresh_token_that_comes_twice_ends_the_sign_in_and_is_told(app: App, anna: Player) -> None:
    stolen = (await app.signed_in(anna))["refresh_token"]
    tokens = (await app.refresh(stolen)).json()
    other = await app.signed_in(anna)
    assert error(await app.refresh(stolen)) == (400, "invalid_grant")
    assert [await allows(app.service, bearer(each)) for each in (tokens, other)] == [False, True]
    assert error(await app.refresh(tokens["refresh_token"])) == (400, "invalid_grant")
    (row,) = (await app.service.get("/v1/apps", anna))["items"]
    assert (row["reused"] is not None, row["sign_ins"]) == (True, 1)
    assert (await app.service.get("/v1/notifications", anna))["state"]["apps_reused"] == [row["id"]]
    assert not (await app.look(app.query(), anna)).json()["remembered"], "the person is asked again"
    await app.signed_in(anna)
    assert (await app.service.get("/v1/notifications", anna))["state"]["apps_reused"] == []


async def test_an_app_learns_and_ends_nothing_of_anothers(app: App, anna: Player, bert: Player) -> None:
    tokens = await app.signed_in(anna)
    for thief in (App(app.service, "Thief"), await registered(app.service, bert)):
        for token in (tokens["access_token"], tokens["refresh_token"]):
            assert (await thief.send("introspect", token=token)).json() == {"active": False}
            assert error(await thief.send("revoke", token=token)) == (400, "invalid_grant")
        assert error(await thief.refresh(tokens["refresh_token"])) == (400, "invalid_grant")
    its_own = anna.headers["authorization"].removeprefix("Bearer ")
    assert (await app.send("introspect", token=its_own)).json() == {"active": False}
    assert await allows(app.service, bearer(tokens))


# --- devices ---


async def test_nobody_guesses_the_code_of_a_device(app: App, anna: Player, bert: Player) -> None:
    given = [(await app.send("device")).json()["user_code"] for _ in range(20)]
    assert len({*given}) == 20
    assert all(re.fullmatch(r"[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}", code) for code in given)
    for number in range(DEVICE_CODES.burst):
        path = "/v1/authorization/device" + ("/decision" if number % 2 else "")
        body = {"code": "AAAA-AAAA", **({"allow": True} if number % 2 else {})}
        assert kind(await app.service.ask("POST", path, anna, body)) == (404, "unknown-device-code")
    limited = await app.service.ask("POST", "/v1/authorization/device", anna, {"code": given[0]})
    assert kind(limited) == (429, "too-many-requests")
    assert limited.json()["detail"] == "An account may enter 12 codes of devices an hour."
    assert (await app.service.ask("POST", "/v1/authorization/device", bert, {"code": given[0]})).status_code == 200
    assert 1_000 * DEVICE_CODES.burst / 20**8 < 1e-6, "nor do a thousand accounts in the ten minutes that it is good"


async def test_a_device_that_asks_too_often_waits_longer(tmp_path: Path) -> None:
    hands = Hands()
    async with serving(tmp_path, durable=False, clock=hands) as service:
        app = App(service)
        given = (await app.send("device")).json()
        heard = []
        for wait in (0, PAUSE, PAUSE - 1, PAUSE, 2 * PAUSE):
            hands.now += timedelta(seconds=wait)
            heard.append((await app.poll(given["device_code"])).json()["error"])
        pending, slow = "authorization_pending", "slow_down"
        assert heard == [pending, pending, slow, slow, slow]
        hands.now += timedelta(seconds=5 * PAUSE)
        assert (await app.poll(given["device_code"])).json()["error"] == pending


async def test_a_device_code_is_good_for_its_app_only(app: App, anna: Player) -> None:
    given = (await app.send("device")).json()
    await app.service.post("/v1/authorization/device/decision", anna, {"code": given["user_code"], "allow": True})
    assert error(await App(app.service, "Thief").poll(given["device_code"])) == (400, "unauthorized_client")
    assert error(await app.redeem(given["device_code"])) == (400, "invalid_grant")
    assert (await app.poll(given["device_code"])).status_code == 200


# --- what is sent ---


async def test_what_is_sent_badly_says_what_would_be_right(app: App, anna: Player) -> None:
    client, form = app.service.client, {"content-type": "application/x-www-form-urlencoded"}
    for body, headers in (
        (b"", form),
        (b"grant_type=password&client_id=x&username=a&password=b", form),
        (b"grant_type=authorization_code&client_id=x", form),
        (b"grant_type=authorization_code&grant_type=refresh_token&client_id=x", form),
        (b"grant_type=authorization_code&client_id=x&code=\xff", form),
        (b"grant_type=authorization_code&client_id=x&code=%ff", form),
        (b"grant_type=refresh_token&client_id=x&refresh_token=tabr_", form),
        (b"grant_type=refresh_token&client_id=x&refresh_token=" + b"x" * 2000, form),
        (b"&" * 500, form),
        (b'{"grant_type": "authorization_code"}', {"content-type": "application/json"}),
        (b"grant_type=authorization_code&code=c", {**form, "authorization": "Basic \xff"}),
        (b"grant_type=authorization_code&code=c", {**form, "authorization": "Basic eA=="}),
        (b"grant_type=authorization_code&code=c", {**form, "authorization": "Bearer x"}),
    ):
        for path in ("token", "device", "revoke", "introspect") if b"client_id" not in body else ("token",):
            sent = {name: value.encode("latin-1") for name, value in headers.items()}
            answer = await client.post(f"/oauth/{path}", content=body, headers=sent)  # type: ignore[arg-type]
            assert error(answer)[0] in (400, 401), (path, body)
    for path in ("revoke", "introspect"):
        assert error(await app.send(path)) == (400, "invalid_request")
        assert error(await app.send(path, token="x", token_type_hint="id_token"))[1] == "unsupported_token_type"
    in_address = await client.post(f"/oauth/token?code={await app.code(anna)}", data={"grant_type": "x"})
    assert error(in_address) == (400, "invalid_request"), "addresses are kept in logs"
    for query in ("", "client_id=x", "%ff", app.query() + "&client_id=Thief", app.query(state="x" * 1001)):
        assert kind(await app.look(query)) == (400, "bad-app-request")
    odd = (await app.look(app.query(response_type='"token"'))).json()
    assert odd["error"] == "Send response_type=code."


async def test_oauth_is_for_https_or_this_machine(app: App) -> None:
    answer = await app.service.client.post("/oauth/device", data={"client_id": "x"}, headers={"host": "games.example"})
    assert error(answer) == (400, "insecure_transport")
    refused = await app.service.ask("POST", "/v1/authorization", None, {"query": app.query()}, host="games.example")
    assert kind(refused) == (400, "bad-app-request")
