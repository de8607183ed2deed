"""Passkeys and recovery codes: how somebody comes back, and nobody else comes in their place."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from domain.kernel.ids import PlayerId
from service.accounts import passkeys
from service.accounts.passkeys import CODES, Passkeys, Place, from_base64url, handle_of, to_base64url
from service.base.clock import utc_now
from tests.helpers.authenticator import PRESENT, Authenticator
from tests.service.api.browsers import authenticator, browser
from tests.service.api.serving import Player, Service


def kind(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["type"].removeprefix("/problems/")


async def registered(service: Service, player: Player) -> Authenticator:
    """Return a device with a new passkey of a player."""
    device = authenticator(service)
    async with browser(service, player) as page:
        wanted = (await page.post("/v1/passkeys/challenge")).json()
        answer = await page.post("/v1/passkeys", json=device.create(wanted))
        assert answer.status_code == 201, answer.text
    return device


async def sign_in(page: httpx.AsyncClient, device: Authenticator, **changes: str) -> httpx.Response:
    wanted = (await page.post("/v1/session/passkey/challenge")).json()
    return await page.post("/v1/session/passkey", json={**device.sign(wanted), **changes})


# --- passkeys ---


async def test_a_guest_comes_back_by_a_passkey_on_another_device(service: Service) -> None:
    device = authenticator(service)
    async with browser(service) as page, browser(service) as other:
        guest = (await page.post("/v1/session", json={"name": "Livia"})).json()
        assert guest["lasting"] is False
        wanted = (await page.post("/v1/passkeys/challenge")).json()
        assert (wanted["host"], wanted["name"], wanted["known"]) == ("127.0.0.1", "Livia", [])
        made = await page.post("/v1/passkeys", json=device.create(wanted, "my phone"))
        assert (made.json()["name"], made.json()["used"]) == ("my phone", None)
        assert (await page.get("/v1/session")).json()["lasting"] is True
        await page.delete("/v1/session")
        answer = await sign_in(other, device)
        assert answer.status_code == 201, answer.text
        assert answer.json()["player"]["id"] == guest["player"]["id"]
        assert answer.json()["player"]["scopes"] == guest["player"]["scopes"]
        (row,) = (await other.get("/v1/passkeys")).json()["items"]
        assert row["used"] is not None
        assert (await other.post("/v1/passkeys/challenge")).json()["known"] == [device.sign(wanted)["id"]]


async def test_a_challenge_is_good_once_and_for_one_account(service: Service, anna: Player, bert: Player) -> None:
    device = authenticator(service)
    async with browser(service, anna) as hers, browser(service, bert) as his, browser(service) as nobody:
        wanted = (await hers.post("/v1/passkeys/challenge")).json()
        assert kind(await his.post("/v1/passkeys", json=device.create(wanted))) == (403, "passkey-refused")
        assert (await hers.post("/v1/passkeys", json=device.create(wanted))).status_code == 201
        again = await hers.post("/v1/passkeys", json=authenticator(service).create(wanted))
        assert kind(again) == (403, "passkey-refused")
        # One to register signs nobody in, nor the other way round.
        wanted = (await hers.post("/v1/passkeys/challenge")).json()
        assert kind(await nobody.post("/v1/session/passkey", json=device.sign(wanted))) == (403, "passkey-refused")
        wanted = (await nobody.post("/v1/session/passkey/challenge")).json()
        other = authenticator(service).create({**wanted, "user": handle_of(PlayerId(anna.id))})
        assert kind(await hers.post("/v1/passkeys", json=other)) == (403, "passkey-refused")
        signed = device.sign(wanted)
        assert (await nobody.post("/v1/session/passkey", json=signed)).status_code == 201
        await nobody.delete("/v1/session")
        assert kind(await nobody.post("/v1/session/passkey", json=signed)) == (403, "passkey-refused")


async def test_a_challenge_ends(service: Service, anna: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    device = await registered(service, anna)
    monkeypatch.setattr(passkeys, "CHALLENGE_LASTS", passkeys.CHALLENGE_LASTS * 0)
    async with browser(service) as page:
        assert kind(await sign_in(page, device)) == (403, "passkey-refused")


async def test_nobody_ends_a_sign_in_by_asking_for_challenges(service: Service, anna: Player) -> None:
    """They were kept in one table for all, where the oldest gave way: 10,000 requests ended everybody's sign-in."""
    device = await registered(service, anna)
    made = Passkeys(service.services.store.accounts, lambda: datetime(2026, 11, 21, 6, tzinfo=UTC))
    async with browser(service) as page:
        wanted = (await page.post("/v1/session/passkey/challenge")).json()
        for _ in range(10_001):
            await made.challenge(None)
        assert (await page.post("/v1/session/passkey", json=device.sign(wanted))).status_code == 201


async def test_another_process_takes_a_challenge_and_refuses_it_a_second_time(service: Service, anna: Player) -> None:
    device = await registered(service, anna)
    here, there = (Passkeys(service.services.store.accounts, utc_now) for _ in range(2))
    signed = device.sign({"challenge": await here.challenge(None), "host": device.host})
    response = {"clientDataJSON": signed["client_data"], "authenticatorData": signed["authenticator_data"]}
    response |= {"signature": signed["signature"], "userHandle": signed["user"]}
    credential = {"id": signed["id"], "rawId": signed["id"], "type": "public-key", "response": response}
    at = Place(device.host, device.origin)
    proofs = (each.prove(credential, at) for each in (there, here))
    answers: Sequence[object] = await asyncio.gather(*proofs, return_exceptions=True)
    assert sorted(type(each).__name__ for each in answers) == ["PasskeyRefused", "str"]
    assert anna.id in answers


@pytest.mark.parametrize("at", [0, 20, -1])
async def test_a_challenge_that_somebody_changed_is_refused(service: Service, anna: Player, at: int) -> None:
    device, made = await registered(service, anna), service.services.accounts.passkeys
    changed = bytearray(from_base64url(await made.challenge(None)))
    changed[at] ^= 1
    wanted = {"challenge": to_base64url(bytes(changed)), "host": device.host}
    async with browser(service) as page:
        for challenge in (wanted["challenge"], "", "AAAA"):
            answer = await page.post("/v1/session/passkey", json=device.sign({**wanted, "challenge": challenge}))
            assert kind(answer) == (403, "passkey-refused")


def _elsewhere(device: Authenticator) -> None:
    device.origin = "https://example.org"


def _for_another_host(device: Authenticator) -> None:
    device.host = "example.org"


def _without_knowing_its_owner(device: Authenticator) -> None:
    device.flags = PRESENT


@pytest.mark.parametrize("wrong", [_elsewhere, _for_another_host, _without_knowing_its_owner])
async def test_what_signs(service: Service, anna: Player, wrong: Callable[[Authenticator], None]) -> None:
    device, new = await registered(service, anna), authenticator(service)
    for each in (device, new):
        wrong(each)
    async with browser(service) as page:
        assert kind(await sign_in(page, device)) == (403, "passkey-refused")
    async with browser(service, anna) as page:
        wanted = (await page.post("/v1/passkeys/challenge")).json()
        assert kind(await page.post("/v1/passkeys", json=new.create(wanted))) == (403, "passkey-refused")


async def test_a_copy_that_counts_too_little_is_refused(service: Service, anna: Player) -> None:
    device = await registered(service, anna)
    async with browser(service) as page:
        assert (await sign_in(page, device)).status_code == 201
        await page.delete("/v1/session")
        device.count = 0
        assert kind(await sign_in(page, device)) == (403, "passkey-refused")


async def test_a_passkey_of_another_account_is_refused(service: Service, anna: Player, bert: Player) -> None:
    hers, his = await registered(service, anna), await registered(service, bert)
    async with browser(service) as page:
        forged: list[dict[str, str]] = [
            {"user": handle_of(PlayerId(bert.id))},
            {"id": his.sign({"challenge": "AAAA"})["id"], "user": handle_of(PlayerId(bert.id))},
            {"signature": hers.sign({"challenge": "AAAA"})["signature"]},
            {"id": "AAAA"},
            {"id": "A"},
        ]
        for changes in forged:
            assert kind(await sign_in(page, hers, **changes)) == (403, "passkey-refused"), changes
        assert (await page.get("/v1/session")).json()["player"] is None
    async with browser(service, bert) as page:
        wanted = (await page.post("/v1/passkeys/challenge")).json()
        assert kind(await page.post("/v1/passkeys", json=hers.create(wanted))) == (409, "passkey-known")
    row = (await service.get("/v1/passkeys", anna))["items"][0]
    assert kind(await service.ask("DELETE", f"/v1/passkeys/{row['id']}", bert)) == (404, "unknown-passkey")
    assert len((await service.get("/v1/passkeys", anna))["items"]) == 1


async def test_a_removed_passkey_signs_nobody_in(service: Service, anna: Player) -> None:
    device = await registered(service, anna)
    (row,) = (await service.get("/v1/passkeys", anna))["items"]
    assert (await service.ask("DELETE", f"/v1/passkeys/{row['id']}", anna)).json() == row
    assert kind(await service.ask("DELETE", f"/v1/passkeys/{row['id']}", anna)) == (404, "unknown-passkey")
    async with browser(service) as page:
        assert kind(await sign_in(page, device)) == (403, "passkey-refused")


async def test_a_closed_account_is_not_signed_in(service: Service, anna: Player) -> None:
    device = await registered(service, anna)
    await service.services.accounts.close(PlayerId(anna.id))
    async with browser(service) as page:
        assert kind(await sign_in(page, device)) == (403, "passkey-refused")  # it went with the account


async def test_nobody_is_signed_in_over_somebody_or_from_another_site(
    service: Service, anna: Player, bert: Player
) -> None:
    device = await registered(service, anna)
    async with browser(service, bert) as page:
        assert kind(await sign_in(page, device)) == (409, "already-signed-in")
    for path in ("passkey", "passkey/challenge", "recovery-code"):
        answer = await service.client.post(f"/v1/session/{path}", json={})
        assert kind(answer) == (403, "cross-site")


DEEP = to_base64url(b'{"more":' + b"[" * 2_900 + b"]" * 2_900 + b"}")


@pytest.mark.parametrize("garbage", ["AAAA", "e30", "eyJjaGFsbGVuZ2UiOjF9", "A", "_-_-", pytest.param(DEEP, id="deep")])
async def test_garbage_is_refused(service: Service, anna: Player, garbage: str) -> None:
    device = await registered(service, anna)
    async with browser(service) as page:
        wanted = (await page.post("/v1/session/passkey/challenge")).json()
        for name in ("client_data", "authenticator_data", "signature", "id", "user"):
            body: dict[str, Any] = {**device.sign(wanted), name: garbage}
            assert kind(await page.post("/v1/session/passkey", json=body)) == (403, "passkey-refused"), name
    async with browser(service, anna) as page:
        for name in ("client_data", "attestation"):
            wanted = (await page.post("/v1/passkeys/challenge")).json()
            body = {**authenticator(service).create(wanted), name: garbage}
            assert kind(await page.post("/v1/passkeys", json=body)) == (403, "passkey-refused"), name


# --- recovery codes ---


async def test_a_recovery_code_signs_in_once(service: Service, anna: Player) -> None:
    codes = (await service.post("/v1/recovery-codes", anna))["codes"]
    assert len({*codes}) == CODES
    written = codes[0].upper().replace("-", " ")
    async with browser(service) as one, browser(service) as other:
        answers = await asyncio.gather(
            *(page.post("/v1/session/recovery-code", json={"code": written}) for page in (one, other))
        )
        assert sorted(answer.status_code for answer in answers) == [201, 403]
        (good,) = [answer for answer in answers if answer.status_code == 201]
        assert good.json()["player"]["id"] == anna.id
        assert good.json()["lasting"] is True
    assert await service.get("/v1/recovery-codes", anna) == {"left": CODES - 1}


async def test_new_codes_replace_the_old_ones(service: Service, anna: Player, bert: Player) -> None:
    old = (await service.post("/v1/recovery-codes", anna))["codes"]
    his = (await service.post("/v1/recovery-codes", bert))["codes"]
    new = (await service.post("/v1/recovery-codes", anna))["codes"]
    for code, expected in ((old[1], 403), (new[1], 201), (his[1], 201)):
        async with browser(service) as page:
            assert (await page.post("/v1/session/recovery-code", json={"code": code})).status_code == expected


async def test_a_narrow_token_gets_no_way_into_the_account(service: Service, anna: Player) -> None:
    made = await service.post("/v1/tokens", anna, {"name": "bot", "scopes": ["play"]})
    bot = Player(anna.id, {"authorization": f"Bearer {made['token']}"})
    for method, path in (
        ("POST", "/v1/passkeys/challenge"),
        ("GET", "/v1/passkeys"),
        ("POST", "/v1/recovery-codes"),
        ("GET", "/v1/recovery-codes"),
    ):
        assert kind(await service.ask(method, path, bot)) == (403, "scope-missing")
