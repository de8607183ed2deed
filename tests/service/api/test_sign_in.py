"""Signing in to the pages through the provider, and all that may go wrong or be tried on the way."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from domain.kernel.ids import PlayerId
from service.accounts import code_flow
from service.accounts.accounts import JWT_TOKENS_LAST
from service.accounts.code_flow import FLOW_LASTS, Flow
from service.api.bearer import COOKIE
from service.api.cookies import FLOW
from service.base.clock import later
from service.base.scopes import EVERYBODYS
from tests.helpers.issuer import AUDIENCE, CLIENT, Provider, provider
from tests.service.api.browsers import browser
from tests.service.api.serving import Player, Service, serving

PROVIDER = "/v1/session/provider"


@pytest.fixture
def issuer() -> Iterator[Provider]:
    with provider() as running:
        yield running


def settings(issuer: Provider, **more: Any) -> dict[str, Any]:
    return {"oidc_issuer": issuer.url, "oidc_audience": AUDIENCE, "oidc_client_id": CLIENT, "token_cache": 0.0, **more}


@pytest.fixture
async def service(tmp_path: Path, database_url: str, issuer: Provider) -> AsyncIterator[Service]:
    async with serving(tmp_path, durable=False, database_url=database_url, **settings(issuer)) as running:
        yield running


def kind(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["type"].removeprefix("/problems/")


async def address(page: httpx.AsyncClient, *, leave: bool = False) -> str:
    answer = await page.post(PROVIDER, json={"leave": leave})
    assert answer.status_code == 200, answer.text
    return answer.json()["address"]


async def come_back(
    page: httpx.AsyncClient, issuer: Provider, subject: str = "livia", *, leave: bool = False
) -> httpx.Response:
    """Sign in at the provider, and bring back what it gives."""
    return await page.post(f"{PROVIDER}/answer", json=issuer.sign_in(await address(page, leave=leave), subject))


async def nobody(page: httpx.AsyncClient) -> bool:
    return (await page.get("/v1/session")).json()["player"] is None


def bearer(token: str) -> Player:
    return Player("", {"authorization": f"Bearer {token}"})


# --- signing in ---


async def test_a_browser_is_sent_to_the_provider_with_all_that_the_flow_needs(
    service: Service, issuer: Provider
) -> None:
    async with browser(service) as page:
        answer = await page.post(PROVIDER, json={})
        place, asked = answer.json()["address"].split("?")
        assert place == f"{issuer.url}/authorize"
        said = dict(parse_qsl(asked))
        assert {**said, "state": "", "nonce": "", "code_challenge": ""} == {
            "response_type": "code",
            "client_id": CLIENT,
            "redirect_uri": f"{page.base_url}/sign-in".replace("//sign", "/sign"),
            "scope": "openid profile",
            "code_challenge_method": "S256",
            **dict.fromkeys(("state", "nonce", "code_challenge"), ""),
        }
        attributes = {part.strip() for part in answer.headers["set-cookie"].split(";")[1:]}
        assert {"HttpOnly", "SameSite=Strict", f"Path={PROVIDER}", "Max-Age=600"} <= attributes
        kept = page.cookies[FLOW]
        flow = Flow.read(kept)
        assert flow
        secret = {kept, flow.verifier}
        assert not any(each in answer.text for each in secret), "what proves who asked is in no address"
        assert (said["state"], said["nonce"]) == (flow.state, flow.nonce)
        assert len({flow.state, flow.nonce, flow.verifier, said["code_challenge"]}) == 4
        https = await page.post(PROVIDER, json={}, headers={"x-forwarded-proto": "https"})
        assert "; Secure" in https.headers["set-cookie"]


async def test_the_account_is_the_one_of_the_persons_jwts(service: Service, issuer: Provider) -> None:
    before = await service.get("/v1/players/me", bearer(issuer.token("marcus", name="Marcus")))
    async with browser(service) as page:
        assert (await page.get("/v1/session")).json()["provider"] == {
            "name": urlsplit(issuer.url).netloc,
            "linked": False,
        }
        answer = await come_back(page, issuer, "marcus")
        assert answer.status_code == 201, answer.text
        session = answer.json()
        assert (session["player"]["id"], session["player"]["name"]) == (before["id"], "Marcus")
        assert (session["lasting"], session["provider"]["linked"]) == (True, True)
        assert session["player"]["scopes"] == list(EVERYBODYS)
        assert (await page.get("/v1/session")).json() == session
    async with browser(service) as page:
        new = (await come_back(page, issuer, "livia")).json()["player"]
        assert (new["name"], new["id"] != before["id"]) == ("Livia", True)
        again = await service.get("/v1/players/me", bearer(issuer.token("livia")))
        assert again["id"] == new["id"]


async def test_a_session_ends_as_whatever_is_made_with_a_jwt(service: Service, issuer: Provider) -> None:
    async with browser(service) as page:
        ends = (await come_back(page, issuer)).json()["player"]["ends"]
    now = service.services.accounts.now()
    assert later(now, JWT_TOKENS_LAST - timedelta(minutes=5)) < ends <= later(now, JWT_TOKENS_LAST)


async def test_a_session_may_do_what_the_provider_says_and_no_more_than_the_account(
    tmp_path: Path, issuer: Provider
) -> None:
    mapped = settings(issuer, oidc_scope_claim="roles", oidc_scopes="players=play,chief=admin")
    async with serving(tmp_path, durable=False, **mapped) as service, browser(service) as page:
        issuer.claims = {"roles": ["players", "chief"]}
        me = (await come_back(page, issuer)).json()["player"]
        assert me["scopes"] == ["play"]
        # Without `account` nobody is linked with it who comes along.
        assert kind(await page.post(PROVIDER, json={})) == (403, "scope-missing")
        assert kind(await page.post(f"{PROVIDER}/answer", json={"state": "x"})) == (403, "sign-in-refused")


@pytest.mark.parametrize("takes", [None, ["client_secret_basic", "client_secret_post"], ["client_secret_post"]])
async def test_the_client_proves_itself_with_its_secret(tmp_path: Path, issuer: Provider, takes: Any) -> None:
    issuer.secret = "hush: a secret/with%characters"
    if takes:
        issuer.discovery["token_endpoint_auth_methods_supported"] = takes
    if takes != ["client_secret_post"]:
        issuer.secret = "hush"
    for secret, expected in ((issuer.secret, 201), ("wrong", 403), ("", 403)):
        async with (
            serving(tmp_path / secret[:1], durable=False, **settings(issuer, oidc_client_secret=secret)) as service,
            browser(service) as page,
        ):
            answer = await come_back(page, issuer)
            assert answer.status_code == expected, answer.text
            assert expected == 201 or "invalid_client" in answer.json()["detail"]
            assert issuer.secret not in answer.text


async def test_without_a_provider_there_is_none(tmp_path: Path, issuer: Provider) -> None:
    trusted: dict[str, Any] = {"oidc_issuer": issuer.url, "oidc_audience": AUDIENCE}
    for given in (dict[str, Any](), trusted):
        async with serving(tmp_path / str(len(given)), durable=False, **given) as service, browser(service) as page:
            assert (await page.get("/v1/session")).json()["provider"] is None
            assert kind(await page.post(PROVIDER, json={})) == (404, "no-provider")
            assert kind(await page.post(f"{PROVIDER}/answer", json={"state": "x"})) == (404, "no-provider")


async def test_a_closed_account_is_not_signed_in(service: Service, issuer: Provider) -> None:
    async with browser(service) as page:
        me = (await come_back(page, issuer)).json()["player"]["id"]
        await service.services.accounts.close(PlayerId(me))
        page.cookies.delete(COOKIE)
        assert kind(await come_back(page, issuer)) == (401, "token-ended")
        assert COOKIE not in page.cookies


# --- accounts that there are ---


async def test_a_guests_account_becomes_lasting_and_nothing_of_it_is_lost(
    service: Service, issuer: Provider, anna: Player
) -> None:
    async with browser(service) as page, browser(service) as other:
        guest = (await page.post("/v1/session", json={"name": "Guest"})).json()["player"]
        game = (await page.post("/v1/games", json={"ruleset": "tiny-auction", "players": 2})).json()["id"]
        before = page.cookies[COOKIE]
        answer = await come_back(page, issuer)
        assert answer.status_code == 201, answer.text
        linked = answer.json()
        assert (linked["player"]["id"], linked["player"]["name"]) == (guest["id"], "Guest")
        assert (linked["player"]["scopes"], linked["player"]["ends"]) == (guest["scopes"], None)
        assert (linked["lasting"], linked["provider"]["linked"]) == (True, True)
        # A stranger who knew the guest's session is not signed in by it.
        assert page.cookies[COOKIE] != before
        stolen = await service.client.get("/v1/players/me", headers={"cookie": f"{COOKIE}={before}"})
        assert kind(stolen) == (401, "session-ended")
        # On another device the person is the same.
        elsewhere = (await come_back(other, issuer)).json()["player"]
        assert elsewhere["id"] == guest["id"]
        assert (await other.get(f"/v1/games/{game}")).json()["organizer"] == guest["id"]
        assert (await service.get("/v1/players/me", bearer(issuer.token("livia"))))["id"] == guest["id"]
        # Doing it again changes nothing.
        assert (await come_back(page, issuer)).json()["player"]["id"] == guest["id"]


async def test_nobody_leaves_an_account_behind_without_being_asked(service: Service, issuer: Provider) -> None:
    async with browser(service) as page:
        livia = (await come_back(page, issuer, "livia")).json()["player"]
    async with browser(service) as page:
        guest = (await page.post("/v1/session", json={"name": "Guest"})).json()["player"]
        value = page.cookies[COOKIE]
        answer = await come_back(page, issuer, "livia")
        assert kind(answer) == (409, "other-account")
        name = urlsplit(issuer.url).netloc
        assert answer.json()["detail"] == f"{name} signs you in as Livia. This browser is signed in as Guest."
        now = (await page.get("/v1/session")).json()
        assert (now["player"]["id"], now["lasting"], now["provider"]["linked"]) == (guest["id"], False, False)
        assert page.cookies[COOKIE] == value
        changed = await come_back(page, issuer, "livia", leave=True)
        assert changed.json()["player"]["id"] == livia["id"]
        ended = await service.client.get("/v1/players/me", headers={"cookie": f"{COOKIE}={value}"})
        assert kind(ended) == (401, "session-ended")


async def test_consent_to_leave_is_for_the_request_that_had_it(service: Service, issuer: Provider) -> None:
    """A cookie that is changed to say so has another state."""
    async with browser(service) as page:
        await come_back(page, issuer, "livia")
    async with browser(service) as page:
        await page.post("/v1/session", json={"name": "Guest"})
        given = issuer.sign_in(await address(page), "livia")
        forged = {"cookie": f"{COOKIE}={page.cookies[COOKIE]}; {FLOW}={page.cookies[FLOW]}.leave"}
        page.cookies.clear()
        answer = await page.post(f"{PROVIDER}/answer", json=given, headers=forged)
        assert kind(answer) == (403, "sign-in-refused")


async def test_an_account_has_one_person_of_the_provider(service: Service, issuer: Provider, anna: Player) -> None:
    async with browser(service, anna) as page:
        assert (await come_back(page, issuer, "anna")).status_code == 201
        assert kind(await come_back(page, issuer, "stranger")) == (409, "already-linked")
    async with browser(service) as stranger:
        assert (await come_back(stranger, issuer, "stranger")).json()["player"]["id"] != anna.id


async def test_a_link_is_removed(service: Service, issuer: Provider, anna: Player) -> None:
    async with browser(service, anna) as page:
        await come_back(page, issuer, "anna")
        assert (await page.delete(PROVIDER)).json()["linked"] is False
        assert (await page.delete(PROVIDER)).status_code == 200
        now = (await page.get("/v1/session")).json()
        assert (now["player"]["id"], now["lasting"], now["provider"]["linked"]) == (anna.id, False, False)
    other = await service.get("/v1/players/me", bearer(issuer.token("anna")))
    assert other["id"] != anna.id
    narrow = await service.post("/v1/tokens", anna, {"name": "bot", "scopes": ["play"]})
    assert kind(await service.ask("DELETE", PROVIDER, bearer(narrow["token"]))) == (403, "scope-missing")


# --- what goes wrong ---


async def test_a_refusal_by_the_provider_is_shown_and_changes_nothing(service: Service, issuer: Provider) -> None:
    async with browser(service) as page:
        for error, said in (("access_denied", "access_denied"), ("<b>\n", "no"), ("x" * 100, "no")):
            state = issuer.sign_in(await address(page))["state"]
            answer = await page.post(f"{PROVIDER}/answer", json={"state": state, "error": error})
            assert kind(answer) == (403, "sign-in-refused")
            assert answer.json()["detail"].endswith(f"did not sign you in: {said}.")
        assert await nobody(page)


async def test_a_provider_that_is_away_is_said_and_changes_nothing(service: Service, issuer: Provider) -> None:
    async with browser(service) as page:
        given = issuer.sign_in(await address(page))
        issuer.away = True
        answer = await page.post(f"{PROVIDER}/answer", json=given)
        assert kind(answer) == (503, "unavailable")
        assert "does not answer" in answer.json()["detail"]
        assert answer.headers["retry-after"]
        assert await nobody(page)
        issuer.away = False
        assert (await come_back(page, issuer)).status_code == 201
    assert len(await service.services.accounts.players(None, PlayerId(""), 10)) == 1


async def test_a_provider_that_was_never_there_is_said(tmp_path: Path, issuer: Provider) -> None:
    issuer.away = True
    async with serving(tmp_path, durable=False, **settings(issuer)) as service, browser(service) as page:
        assert kind(await page.post(PROVIDER, json={})) == (503, "unavailable")
        assert FLOW not in page.cookies


@pytest.mark.parametrize("place", ["authorization_endpoint", "token_endpoint"])
@pytest.mark.parametrize("said", [None, "http://login.example/", 7])
async def test_nobody_is_sent_to_places_that_are_not_safe(
    tmp_path: Path, issuer: Provider, place: str, said: Any
) -> None:
    issuer.discovery[place] = said
    async with serving(tmp_path, durable=False, **settings(issuer)) as service, browser(service) as page:
        assert kind(await page.post(PROVIDER, json={})) == (503, "unavailable")


@pytest.mark.parametrize("told", [{}, {"id_token": 7}, [], "no", {"id_token": "a.b.c"}, {"expires_in": "soon"}])
async def test_an_answer_that_is_none_signs_nobody_in(
    service: Service, issuer: Provider, monkeypatch: pytest.MonkeyPatch, told: Any
) -> None:
    monkeypatch.setattr(issuer, "exchange", lambda form, authorization: (200, told))
    async with browser(service) as page:
        assert (await come_back(page, issuer)).status_code in (403, 503)
        assert await nobody(page)


def _minutes(number: int) -> int:
    return int(time.time()) + 60 * number


@pytest.mark.parametrize(
    ("claims", "says"),
    [
        ({"nonce": "another"}, "its nonce is not the one"),
        ({"nonce": None}, "its nonce is not the one"),
        ({"nonce": 7}, "its nonce is not the one"),
        ({"aud": AUDIENCE}, "not for the audience"),
        ({"aud": "another-client"}, "not for the audience"),
        ({"aud": [CLIENT, "another-client"]}, "made for another client"),
        ({"azp": "another-client"}, "made for another client"),
        ({"iss": "https://another.example"}, "not of the issuer"),
        ({"exp": _minutes(-5)}, "has expired"),
        ({"nbf": _minutes(60)}, "not yet valid"),
        ({"iat": _minutes(60)}, "not yet valid"),
        ({"iat": None}, "iat"),
        ({"exp": None}, "exp"),
        ({"sub": ""}, "its subject is not 1 to 255"),
    ],
)
async def test_an_id_token_that_is_not_for_this_is_refused(
    service: Service, issuer: Provider, claims: dict[str, Any], says: str
) -> None:
    if "sub" in claims:
        claims = {}
        subject = ""
    else:
        subject = "livia"
    issuer.claims = claims
    async with browser(service) as page:
        answer = await come_back(page, issuer, subject)
        assert kind(answer) == (403, "sign-in-refused")
        assert says in answer.json()["detail"]
        assert COOKIE not in page.cookies
    assert await service.services.accounts.players(None, PlayerId(""), 10) == [], "nobody got an account"


async def test_an_id_token_with_another_signature_is_refused(service: Service, issuer: Provider) -> None:
    issuer.keys["stranger"] = rsa.generate_private_key(65537, 2048)
    for signing, says in (
        ({"key_id": "stranger", "headers": {"kid": "first"}}, "signature verification failed"),
        ({"key_id": "stranger"}, "publishes no such key"),
        ({"algorithm": "PS256"}, "not signed with RS256"),
    ):
        issuer.signing = signing
        async with browser(service) as page:
            answer = await come_back(page, issuer)
            assert (kind(answer), says in answer.json()["detail"]) == ((403, "sign-in-refused"), True), answer.text


# --- attacks ---


async def test_an_answer_to_another_browser_signs_nobody_in(service: Service, issuer: Provider) -> None:
    """Or somebody would be signed in to the attacker's account by a link, and play there."""
    async with browser(service) as attacker, browser(service) as victim, browser(service) as waiting:
        theirs = issuer.sign_in(await address(attacker), "mallory")
        assert kind(await victim.post(f"{PROVIDER}/answer", json=theirs)) == (403, "sign-in-refused")
        mine = issuer.sign_in(await address(waiting), "livia")
        assert kind(await waiting.post(f"{PROVIDER}/answer", json=theirs)) == (403, "sign-in-refused")
        # A code of another's, with the state of one's own.
        mixed = {**mine, "code": theirs["code"]}
        assert kind(await waiting.post(f"{PROVIDER}/answer", json=mixed)) == (403, "sign-in-refused")
        assert await nobody(victim)
        assert await nobody(waiting)


async def test_an_answer_is_good_once_and_only_the_newest(service: Service, issuer: Provider) -> None:
    async with browser(service) as page:
        old = issuer.sign_in(await address(page))
        asked = await address(page)
        given = issuer.sign_in(asked)
        assert kind(await page.post(f"{PROVIDER}/answer", json=old)) == (403, "sign-in-refused")
        answers = await asyncio.gather(*(page.post(f"{PROVIDER}/answer", json=given) for _ in range(4)))
        assert sorted(answer.status_code for answer in answers) == [201, 403, 403, 403]
        await page.delete("/v1/session")
        # Even by a provider that gives another code for the same request.
        answer = await page.post(f"{PROVIDER}/answer", json=issuer.sign_in(asked))
        assert kind(answer) == (403, "sign-in-refused")
        assert "used before" in answer.json()["detail"]
        assert await nobody(page)


async def test_an_answer_comes_in_time(service: Service, issuer: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_flow, "FLOW_LASTS", FLOW_LASTS * 0)
    async with browser(service) as page:
        assert kind(await come_back(page, issuer)) == (403, "sign-in-refused")


async def test_an_answer_is_for_whoever_was_signed_in_when_it_was_asked_for(
    service: Service, issuer: Provider, anna: Player
) -> None:
    """Or the provider would sign in to an account that was only looked at in between."""
    async with browser(service) as page:
        given = issuer.sign_in(await address(page), "mallory")
        await page.post("/v1/session", json={}, headers=anna.headers)
        assert kind(await page.post(f"{PROVIDER}/answer", json=given)) == (403, "sign-in-refused")
        assert (await page.get("/v1/session")).json()["provider"]["linked"] is False


async def test_a_code_for_another_client_is_refused(service: Service, issuer: Provider) -> None:
    async with browser(service) as page:
        asked = await address(page)
        given = issuer.sign_in(asked.replace(f"client_id={CLIENT}", "client_id=another-client"))
        assert kind(await page.post(f"{PROVIDER}/answer", json=given)) == (403, "sign-in-refused")


async def test_an_answer_of_another_provider_is_refused(service: Service, issuer: Provider) -> None:
    async with browser(service) as page:
        given = {**issuer.sign_in(await address(page)), "iss": "https://another.example"}
        assert kind(await page.post(f"{PROVIDER}/answer", json=given)) == (403, "sign-in-refused")


async def test_a_code_that_was_stolen_is_worth_nothing_without_the_browser(service: Service, issuer: Provider) -> None:
    """The code's verifier is in no address, so the thief cannot have it."""
    async with browser(service) as victim, browser(service) as thief:
        stolen = issuer.sign_in(await address(victim), "livia")["code"]
        own = issuer.sign_in(await address(thief), "mallory")
        answer = await thief.post(f"{PROVIDER}/answer", json={**own, "code": stolen})
        assert kind(answer) == (403, "sign-in-refused")
        assert "invalid_grant" in answer.json()["detail"]


async def test_a_session_that_was_planted_is_not_the_one_that_signs_in(
    service: Service, issuer: Provider, anna: Player
) -> None:
    async with browser(service, anna) as attacker, browser(service) as victim:
        planted = attacker.cookies[COOKIE]
        await attacker.delete("/v1/session")
        victim.cookies.set(COOKIE, planted, domain="127.0.0.1")
        answer = await come_back(victim, issuer)
        assert answer.status_code == 201, answer.text
        value = next(cookie for cookie in answer.headers.get_list("set-cookie") if cookie.startswith(COOKIE))
        assert planted not in value
        assert answer.json()["player"]["id"] != anna.id


@pytest.mark.parametrize("cookie", ["", "x", ".leave", "AAAA", "A" * 43 + "!", "é"])
async def test_a_cookie_that_is_none_of_ours_is_refused(service: Service, issuer: Provider, cookie: str) -> None:
    async with browser(service) as page:
        given = issuer.sign_in(await address(page))
        page.cookies.clear()
        headers = {"cookie": f"{FLOW}={cookie}".encode()}
        answer = await page.post(f"{PROVIDER}/answer", json=given, headers=headers)  # type: ignore[reportArgumentType]
        assert kind(answer) == (403, "sign-in-refused")


async def test_the_provider_sends_browsers_to_the_service_and_nowhere_else(service: Service, issuer: Provider) -> None:
    """The page to return to is no parameter, and another host gets no address at all."""
    async with browser(service) as page:
        for more in ({"return": "https://evil.example"}, {"redirect_uri": "https://evil.example"}):
            assert kind(await page.post(PROVIDER, json=more)) == (422, "invalid-body")
        elsewhere = await page.post(PROVIDER, json={}, headers={"origin": "https://evil.example"})
        assert kind(elsewhere) == (403, "cross-site")
        assert FLOW not in page.cookies
