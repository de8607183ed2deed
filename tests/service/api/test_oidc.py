"""Tokens of another issuer: who comes with one has an account, and whatever is wrong with one is said."""

import asyncio
import base64
import hmac
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from service.accounts import oidc
from service.accounts.accounts import JWT_TOKENS_LAST
from service.accounts.caller import IssuerAway, UnknownToken
from service.base.clock import later
from service.base.scopes import EVERYBODYS
from service.base.settings import Settings
from tests.helpers.issuer import AUDIENCE, Provider, provider
from tests.service.api.serving import Player, Service, serving


@pytest.fixture
def issuer() -> Iterator[Provider]:
    with provider() as running:
        yield running


def trust(data: Path, issuer: Provider) -> AbstractAsyncContextManager[Service]:
    """Run a service that trusts the issuer, and reads every token anew."""
    return serving(data, durable=False, oidc_issuer=issuer.url, oidc_audience=AUDIENCE, token_cache=0.0)


@pytest.fixture
async def trusting(tmp_path: Path, issuer: Provider) -> AsyncIterator[Service]:
    async with trust(tmp_path, issuer) as running:
        yield running


@pytest.fixture
async def mapping(tmp_path: Path, issuer: Provider) -> AsyncIterator[Service]:
    """A service to which the issuer says who may do what."""
    async with serving(
        tmp_path / "mapping",
        durable=False,
        oidc_issuer=issuer.url,
        oidc_audience=AUDIENCE,
        oidc_algorithms="RS256,ES256",
        oidc_leeway=0.0,
        oidc_scope_claim="realm_access.roles",
        oidc_scopes="players=play,games-admin=admin,games-admin-tokens=account",
        token_cache=0.0,
    ) as running:
        yield running


def bearer(token: str) -> Player:
    return Player("", {"authorization": f"Bearer {token}"})


async def refusal(service: Service, token: str) -> tuple[int, str, str]:
    answer = await service.ask("GET", "/v1/players/me", bearer(token))
    body = answer.json()
    return answer.status_code, body["type"].removeprefix("/problems/"), body["detail"]


# --- accounts ---


async def test_a_person_known_to_the_issuer_has_one_account_and_plays(
    tmp_path: Path, database_url: str, issuer: Provider
) -> None:
    async with serving(
        tmp_path, durable=False, database_url=database_url, oidc_issuer=issuer.url, oidc_audience=AUDIENCE
    ) as service:
        livia = bearer(issuer.token("livia", name="Livia"))
        me = await service.get("/v1/players/me", livia)
        assert (me["name"], me["token"]) == ("Livia", None)
        assert me["scopes"] == me["granted"] == list(EVERYBODYS)
        again = await service.get("/v1/players/me", bearer(issuer.token("livia", name="Another")))
        assert (again["id"], again["name"]) == (me["id"], "Livia")
        marcus = bearer(issuer.token("marcus"))
        assert (await service.get("/v1/players/me", marcus))["id"] != me["id"]
        game = await service.begun(livia, marcus)
        assert (await service.get(f"/v1/games/{game}", livia))["you"] == "red"
        assert (await service.get(f"/v1/games/{game}/state", marcus))["seat"] == "blue"


async def test_one_of_the_issuers_makes_tokens_of_his_own(trusting: Service, issuer: Provider) -> None:
    livia = bearer(issuer.token("livia"))
    made = await trusting.post("/v1/tokens", livia, {"name": "bot", "scopes": ["play"]})
    me = await trusting.get("/v1/players/me", bearer(made["token"]))
    assert me["id"] == (await trusting.get("/v1/players/me", livia))["id"]
    answer = await trusting.ask("DELETE", "/v1/tokens/current", livia)
    assert answer.json()["type"] == "/problems/no-such-token"


async def test_a_jwt_makes_no_token_that_is_wider_or_lasts(mapping: Service, issuer: Provider) -> None:
    """A scope that the issuer takes away ends: no token of the account keeps it for ever."""
    livia = bearer(issuer.token("livia", realm_access={"roles": ["players", "games-admin-tokens"]}))
    for scope in ("organize", "account"):
        answer = await mapping.ask("POST", "/v1/tokens", livia, {"name": "x", "scopes": ["play", scope]})
        assert (answer.status_code, answer.json()["scopes"]) == (403, [scope])
    late = {"name": "x", "scopes": ["play"], "expires": "2099-01-01T00:00:00Z"}
    answer = await mapping.ask("POST", "/v1/tokens", livia, late)
    assert (answer.status_code, answer.json()["path"]) == (422, "$.expires")
    made = await mapping.post("/v1/tokens", livia, {"name": "x", "scopes": ["play"]})
    assert made["details"]["expires"] <= later(mapping.services.accounts.now(), JWT_TOKENS_LAST)
    again = await mapping.post("/v1/tokens/current/rotation", bearer(made["token"]), {})
    assert again["details"]["expires"] == made["details"]["expires"]


async def test_a_jwt_replaces_no_token_that_is_wider_or_lasts(mapping: Service, issuer: Provider) -> None:
    livia = bearer(issuer.token("livia", realm_access={"roles": ["players", "games-admin-tokens"]}))
    me = (await mapping.get("/v1/players/me", livia))["id"]
    wider, _ = await mapping.services.accounts.issue(me, "wider", ["account", "play"])
    answer = await mapping.ask("POST", f"/v1/tokens/{wider.token}/rotation", livia, {})
    assert (answer.status_code, answer.json()["scopes"]) == (403, ["account"])
    lasting, _ = await mapping.services.accounts.issue(me, "lasting", ["play"])
    made = await mapping.post(f"/v1/tokens/{lasting.token}/rotation", livia, {})
    assert made["details"]["expires"] <= later(mapping.services.accounts.now(), JWT_TOKENS_LAST)


@pytest.mark.parametrize("name", [None, "", " ", "x" * 81, "a\nb", 7])
async def test_a_name_that_is_none_is_replaced(trusting: Service, issuer: Provider, name: Any) -> None:
    me = await trusting.get("/v1/players/me", bearer(issuer.token(name=name, preferred_username=name)))
    assert me["name"] == "player"


async def test_a_closed_account_stays_closed_whatever_the_issuer_says(trusting: Service, issuer: Provider) -> None:
    livia = bearer(issuer.token())
    me = await trusting.get("/v1/players/me", livia)
    await trusting.services.accounts.close(me["id"])
    status, kind, detail = await refusal(trusting, issuer.token())
    assert (status, kind) == (401, "token-ended")
    assert "account was closed" in detail


async def test_the_issuer_does_not_give_back_a_scope_that_an_administrator_took_away(
    trusting: Service, issuer: Provider
) -> None:
    me = await trusting.get("/v1/players/me", bearer(issuer.token()))
    await trusting.services.accounts.grant(me["id"], ["account"])
    assert (await trusting.get("/v1/players/me", bearer(issuer.token())))["scopes"] == ["account"]


async def test_the_issuer_says_what_a_token_may_be_used_for(mapping: Service, issuer: Provider) -> None:
    cases: list[tuple[Any, list[str]]] = [
        (["players", "others"], ["play"]),
        (["games-admin"], ["admin"]),
        ("players games-admin", ["play", "admin"]),
        (["admin", "account"], []),
        ([["players"], 1, None], []),
        (7, []),
        (None, []),
    ]
    for roles, scopes in cases:
        token = issuer.token(realm_access={"roles": roles})
        assert (await mapping.get("/v1/players/me", bearer(token)))["scopes"] == scopes, roles
    others: list[dict[str, Any]] = [{}, {"realm_access": ["players"]}, {"scope": "players"}]
    for claims in others:
        assert (await mapping.get("/v1/players/me", bearer(issuer.token(**claims))))["scopes"] == []


async def test_an_administrator_by_the_issuers_word_has_no_token_for_it_of_ours(
    mapping: Service, issuer: Provider
) -> None:
    admin = bearer(issuer.token(realm_access={"roles": ["games-admin", "games-admin-tokens"]}))
    await mapping.get("/v1/players", admin)
    answer = await mapping.ask("POST", "/v1/tokens", admin, {"name": "x", "scopes": ["admin"]})
    assert answer.json()["type"] == "/problems/scope-missing"


async def test_without_an_issuer_a_jwt_is_nobodys_token(service: Service, issuer: Provider) -> None:
    assert await refusal(service, issuer.token()) == (401, "unknown-token", "No account has this token.")


# --- what is wrong with a token ---


def unsigned(**claims: Any) -> str:
    def part(value: dict[str, Any]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    return f"{part({'alg': 'none', 'kid': 'first'})}.{part(claims)}."


def altered(token: str, **claims: Any) -> str:
    """Return a JWT with other claims and the signature of the first."""
    header, payload, signature = token.split(".")
    said = json.loads(base64.urlsafe_b64decode(payload + "=="))
    changed = base64.urlsafe_b64encode(json.dumps({**said, **claims}).encode()).decode().rstrip("=")
    return f"{header}.{changed}.{signature}"


def signed_with_the_public_key(issuer: Provider) -> str:
    """Return a JWT that takes the published half of the issuer's key for a shared secret (CVE-2015-9235)."""
    public = issuer.keys["first"].public_key()
    pem = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    header = base64.urlsafe_b64encode(json.dumps({"alg": "HS256", "kid": "first"}).encode()).decode().rstrip("=")
    payload = issuer.token().split(".")[1]
    signature = hmac.digest(pem, f"{header}.{payload}".encode(), "sha256")
    return f"{header}.{payload}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"


async def test_a_bad_jwt_is_refused_with_what_is_wrong_with_it(trusting: Service, issuer: Provider) -> None:
    now = int(time.time())
    stranger = rsa.generate_private_key(65537, 2048)
    claims = {"iss": issuer.url, "aud": AUDIENCE, "sub": "livia", "exp": now + 60}
    cases = {
        issuer.token(aud="another"): "not for the audience 'tabularium'",
        issuer.token(aud=None): "aud",
        issuer.token(iss="https://another.example"): "not of the issuer http://127.0.0.1",
        issuer.token(iss=None): "iss",
        issuer.token(exp=None): "exp",
        issuer.token(sub=None): "sub",
        issuer.token(""): "its subject is not 1 to 255",
        issuer.token("x" * 256): "its subject is not 1 to 255",
        issuer.token("a\0b"): "its subject is not 1 to 255",
        issuer.token(exp=10**30): "its expiry time is out of range",
        issuer.token(exp="soon"): "",
        issuer.token(nbf=now + 3600): "not yet valid",
        jwt.encode(claims, stranger, "RS256", {"kid": "first"}): "signature verification failed",
        jwt.encode(claims, stranger, "RS256", {"kid": "unheard-of"}): "publishes no such key",
        altered(issuer.token(), sub="marcus"): "signature verification failed",
        issuer.token() + "==": "not in the base64url of RFC 7515",
        unsigned(**claims): "not signed with RS256",
        signed_with_the_public_key(issuer): "not signed with RS256",
        jwt.encode(claims, "a secret of thirty-two characters", "HS256", {"kid": "first"}): "not signed with RS256",
        issuer.token(algorithm="PS256"): "not signed with RS256",
        issuer.token(key_id="curve", algorithm="ES256"): "not signed with RS256",
        "a.b.c": "",
        "..": "",
        base64.urlsafe_b64encode(b"[" * 11_000).decode() + ".e30.e30": "",
        base64.urlsafe_b64encode(b'{"kid": "first"}').decode() + ".e30.e30": "not signed with RS256",
        base64.urlsafe_b64encode(b'{"alg": ["RS256"], "kid": []}').decode() + ".e30.e30": "",
    }
    for token, says in cases.items():
        status, kind, detail = await refusal(trusting, token)
        assert (status, kind) == (401, "unknown-token"), (says, detail)
        assert detail.startswith("The service does not accept this JWT: "), detail
        assert says in detail
    with pytest.raises(UnknownToken, match="not ASCII"):
        await trusting.services.accounts.callers.authenticate("\udcff.e30.e30")
    assert await trusting.services.accounts.players(None, "", 10) == [], "nobody got an account"  # type: ignore[reportArgumentType]


async def test_a_jwt_expires_with_the_leeway_that_is_set(trusting: Service, mapping: Service, issuer: Provider) -> None:
    just_now, long_ago = issuer.token(exp=int(time.time()) - 5), issuer.token(exp=int(time.time()) - 60)
    assert (await trusting.ask("GET", "/v1/players/me", bearer(just_now))).status_code == 200
    assert await refusal(trusting, long_ago) == (401, "token-ended", "The JWT has expired.")
    assert (await refusal(mapping, just_now))[1] == "token-ended"


async def test_other_algorithms_are_taken_where_they_are_allowed(mapping: Service, issuer: Provider) -> None:
    token = issuer.token(key_id="curve", algorithm="ES256")
    assert (await mapping.ask("GET", "/v1/players/me", bearer(token))).status_code == 200
    mixed = jwt.encode({"sub": "x"}, issuer.keys["curve"], "ES256", {"kid": "first"})  # type: ignore[reportArgumentType]
    assert (await refusal(mapping, mixed))[
        2
    ] == "The service does not accept this JWT: the key that it names does not fit."


# --- keys ---


async def test_the_issuers_keys_are_read_once_and_serve_while_it_is_away(trusting: Service, issuer: Provider) -> None:
    for _ in range(3):
        await trusting.get("/v1/players/me", bearer(issuer.token()))
    assert issuer.asked == ["/realm/.well-known/openid-configuration", "/realm/keys"]
    issuer.away = True
    await trusting.get("/v1/players/me", bearer(issuer.token("marcus")))


async def test_a_new_key_is_found_when_a_token_names_it(
    trusting: Service, issuer: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oidc, "PAUSE", 600.0)
    await trusting.get("/v1/players/me", bearer(issuer.token()))
    issuer.add_key("second")
    assert "publishes no such key" in (await refusal(trusting, issuer.token(key_id="second")))[2]
    assert len(issuer.asked) == 2, "it is not asked again at once: anybody can make up keys"
    monkeypatch.setattr(oidc, "PAUSE", 0.0)
    await trusting.get("/v1/players/me", bearer(issuer.token(key_id="second")))
    await trusting.get("/v1/players/me", bearer(issuer.token(key_id="first")))


async def test_a_key_that_was_withdrawn_is_taken_until_the_keys_are_read_again(
    tmp_path: Path, issuer: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oidc, "REFRESH", 0.5)
    monkeypatch.setattr(oidc, "PAUSE", 0.1)
    async with trust(tmp_path, issuer) as service:
        issuer.add_key("second")
        await service.get("/v1/players/me", bearer(issuer.token()))
        issuer.withdraw("first")
        async with asyncio.timeout(20):
            while (await service.ask("GET", "/v1/players/me", bearer(issuer.token()))).status_code == 200:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        issuer.away = True
        assert "publishes no such key" in (await refusal(service, issuer.token()))[2]


async def test_a_token_without_a_keys_id_is_taken_while_there_is_but_one_key(
    trusting: Service, issuer: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oidc, "PAUSE", 0.0)
    token = issuer.token(headers={})
    await trusting.get("/v1/players/me", bearer(token))
    issuer.add_key("second")
    unheard = issuer.token(headers={"kid": "unheard-of"})  # the keys are read again for it
    assert "publishes no such key" in (await refusal(trusting, unheard))[2]
    assert "publishes no such key" in (await refusal(trusting, token))[2]


@pytest.mark.parametrize(
    "published",
    [
        [{"kty": "oct", "k": "c2VjcmV0", "kid": "first", "alg": "RS256"}],
        [{"kty": "RSA", "kid": "first"}],
        ["first"],
        [],
    ],
)
async def test_what_is_no_key_is_none(tmp_path: Path, issuer: Provider, published: list[Any]) -> None:
    issuer.published = published
    async with trust(tmp_path, issuer) as service:
        assert (await refusal(service, issuer.token()))[0] in (401, 503)


async def test_a_key_for_something_else_checks_no_signature(tmp_path: Path, issuer: Provider) -> None:
    issuer.add_key("sealing", use="enc")
    issuer.add_key("other", alg="RS512")
    async with trust(tmp_path, issuer) as service:
        for key_id in ("sealing", "other"):
            assert "publishes no such key" in (await refusal(service, issuer.token(key_id=key_id)))[2]


async def test_an_issuer_that_was_never_there_is_said_and_our_own_tokens_go_on(
    tmp_path: Path, issuer: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    issuer.away = True
    async with trust(tmp_path, issuer) as service:
        answer = await service.ask("GET", "/v1/players/me", bearer(issuer.token()))
        assert (answer.status_code, answer.json()["type"]) == (503, "/problems/unavailable")
        assert answer.json()["detail"] == f"The keys of {issuer.url} are not known, and it does not answer."
        assert answer.headers["retry-after"]
        await service.get("/v1/players/me", await service.register("Anna"))
        issuer.away = False
        monkeypatch.setattr(oidc, "PAUSE", 0.0)
        await service.get("/v1/players/me", bearer(issuer.token()))


@pytest.mark.parametrize("address", ["https://keys.example:port/", "https://keys.example/\n"])
async def test_keys_at_an_address_that_is_none_are_as_good_as_away(issuer: Provider, address: str) -> None:
    issuer.discovery["jwks_uri"] = address
    asking = oidc.Issuer(Settings(oidc_issuer=issuer.url, oidc_audience=AUDIENCE))
    with pytest.raises(IssuerAway):
        await asking.identify(issuer.token())
    await asking.close()


@pytest.mark.parametrize(
    "told",
    [
        {"issuer": "https://another.example"},
        {"jwks_uri": "http://keys.example/"},
        {"jwks_uri": "ftp://127.0.0.1/"},
        {"jwks_uri": None},
    ],
)
async def test_a_discovery_that_lies_is_not_believed(tmp_path: Path, issuer: Provider, told: Any) -> None:
    issuer.discovery |= told
    async with trust(tmp_path, issuer) as service:
        assert (await refusal(service, issuer.token()))[0] == 503
    assert set(issuer.asked) == {"/realm/.well-known/openid-configuration"}
