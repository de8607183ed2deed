"""Sessions: how a browser is signed in by a cookie, and why nothing but a page of the service can act with it."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import connect

from domain.kernel.ids import PlayerId
from service.accounts.accounts import MOST_SESSIONS, MOST_TOKENS
from service.api.bearer import COOKIE
from service.api.contract.document import endpoints
from service.base.scopes import EVERYBODYS, SCOPES
from tests.service.api.browsers import browser
from tests.service.api.serving import Player, Service, serving


def kind(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["type"].removeprefix("/problems/")


async def session(service: Service, player: Player) -> dict[str, str]:
    """Return the cookie of a browser in which a player is signed in, as a header."""
    async with browser(service, player) as page:
        return {"cookie": f"other=1; {COOKIE}={page.cookies[COOKIE]}"}


# --- signing in and out ---


async def test_a_guest_plays_after_one_request(service: Service) -> None:
    async with browser(service) as page:
        answer = await page.post("/v1/session", json={})
        assert answer.status_code == 201
        me = answer.json()["player"]
        assert me["name"].startswith("Guest ")
        assert me["scopes"] == list(EVERYBODYS)
        assert "token" not in answer.text.replace('"token":"s', "")
        attributes = {part.strip() for part in answer.headers["set-cookie"].split(";")[1:]}
        assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= attributes
        assert "Secure" not in attributes
        game = await page.post("/v1/games", json={"ruleset": "tiny-auction", "players": 2})
        assert game.json()["organizer"] == me["id"]
        assert (await page.get("/v1/session")).json() == answer.json()


async def test_a_guest_may_have_a_name_and_a_repetition_opens_no_second_account(service: Service) -> None:
    headers = {"idempotency-key": str(uuid.uuid4())}
    async with browser(service) as one, browser(service) as other:
        first = await one.post("/v1/session", json={"name": "Livia"}, headers=headers)
        again = await other.post("/v1/session", json={"name": "Livia"}, headers=headers)
        assert first.json()["player"]["name"] == "Livia"
        assert (first.json(), one.cookies[COOKIE]) == (again.json(), other.cookies[COOKIE])
        async with browser(service) as third:
            guessed = await third.post("/v1/session", json={}, headers={"idempotency-key": "1"})
            assert kind(guessed) == (400, "invalid-header")


async def test_on_https_the_cookie_is_secure(service: Service) -> None:
    async with browser(service) as page:
        answer = await page.post("/v1/session", json={}, headers={"x-forwarded-proto": "https"})
        assert "; Secure" in answer.headers["set-cookie"]


async def test_a_token_signs_a_browser_in_for_what_it_may_do(service: Service, anna: Player) -> None:
    async with browser(service, anna) as page:
        assert (await page.get("/v1/players/me")).json()["id"] == anna.id
    narrow = await service.post("/v1/tokens", anna, {"name": "bot", "scopes": ["play"]})
    async with browser(service) as page:
        weak = {"authorization": f"Bearer {narrow['token']}"}
        assert kind(await page.post("/v1/session", json={}, headers=weak)) == (403, "scope-missing")
        both = await page.post("/v1/session", json={"name": "Eva"}, headers=anna.headers)
        assert kind(both) == (422, "invalid-body")
        assert COOKIE not in page.cookies
    few = await service.post("/v1/tokens", anna, {"name": "page", "scopes": ["account", "play"]})
    async with browser(service, Player(anna.id, {"authorization": f"Bearer {few['token']}"})) as page:
        assert (await page.get("/v1/session")).json()["player"]["scopes"] == ["account", "play"]


async def test_no_other_session_takes_the_place_of_one(service: Service, anna: Player, bert: Player) -> None:
    async with browser(service, anna) as page:
        for headers in ({}, bert.headers):
            answer = await page.post("/v1/session", json={}, headers=headers)
            assert kind(answer) == (409, "already-signed-in")
            assert answer.json()["detail"] == "This browser is signed in as Anna."
        assert (await page.get("/v1/session")).json()["player"]["id"] == anna.id


NOBODY = {"player": None, "lasting": False, "provider": None}


async def test_a_session_is_refused_after_sign_out(service: Service, anna: Player) -> None:
    async with browser(service, anna) as page:
        replayed = {"cookie": f"{COOKIE}={page.cookies[COOKIE]}"}
        assert (await page.delete("/v1/session")).json() == NOBODY
        assert COOKIE not in page.cookies
        assert (await page.delete("/v1/session")).json() == NOBODY
    for method, path in (("GET", "/v1/players/me"), ("GET", "/v1/games"), ("POST", "/v1/games")):
        async with browser(service) as page:
            answer = await page.request(method, path, headers=replayed, json={} if method == "POST" else None)
            if path != "/v1/games" or method == "POST":
                assert kind(answer) == (401, "session-ended")
                assert answer.headers["www-authenticate"] == 'Bearer error="invalid_token"'
                assert f"{COOKIE}=; Path=/; Max-Age=0" in answer.headers["set-cookie"]
    shown = await service.client.get("/v1/session", headers=replayed)
    assert (shown.json(), "Max-Age=0" in shown.headers["set-cookie"]) == (NOBODY, True)
    assert (await service.get("/v1/players/me", anna))["id"] == anna.id, "the token is another matter"


async def test_sessions_are_listed_and_revoked_beside_tokens(service: Service, anna: Player) -> None:
    async with browser(service, anna) as page:
        rows = (await page.get("/v1/tokens")).json()["items"]
        assert [(row["session"], row["id"][0]) for row in rows] == [(True, "s"), (False, "t")]
        rotated = await page.post("/v1/tokens/current/rotation", json={})
        assert kind(rotated) == (404, "no-such-token"), "its value would be told to a script"
        await service.ask("DELETE", f"/v1/tokens/{rows[0]['id']}", anna)
        assert kind(await page.get("/v1/players/me")) == (401, "session-ended")


async def test_a_session_is_no_token_and_a_token_is_no_session(service: Service, anna: Player) -> None:
    async with browser(service, anna) as page:
        value = page.cookies[COOKIE]
    answer = await service.client.get("/v1/players/me", headers={"authorization": f"Bearer {value}"})
    assert kind(answer) == (401, "unknown-token")
    token = anna.headers["authorization"].removeprefix("Bearer ")
    answer = await service.client.get("/v1/players/me", headers={"cookie": f"{COOKIE}={token}"})
    assert kind(answer) == (401, "session-ended")


async def test_a_token_counts_before_a_session(service: Service, anna: Player, bert: Player) -> None:
    async with browser(service, anna) as page:
        assert (await page.get("/v1/players/me", headers=bert.headers)).json()["id"] == bert.id


async def test_a_closed_account_is_signed_out(service: Service, anna: Player) -> None:
    async with browser(service, anna) as page:
        await service.services.accounts.close(PlayerId(anna.id))
        assert kind(await page.get("/v1/players/me")) == (401, "session-ended")


async def test_the_oldest_of_too_many_sessions_ends_and_tokens_are_counted_alone(
    service: Service, anna: Player
) -> None:
    async with browser(service, anna) as first:
        for _ in range(MOST_SESSIONS):
            await session(service, anna)
        assert kind(await first.get("/v1/players/me")) == (401, "session-ended")
    rows = (await service.get("/v1/tokens", anna))["items"]
    assert sum(row["session"] for row in rows) == MOST_SESSIONS
    assert len(rows) - MOST_SESSIONS < MOST_TOKENS
    await service.post("/v1/tokens", anna, {"name": "x", "scopes": ["play"]})


async def test_no_more_sessions_stay_of_those_that_begin_at_once(service: Service, anna: Player) -> None:
    async with AsyncExitStack() as all_open:
        pages = [await all_open.enter_async_context(browser(service)) for _ in range(MOST_SESSIONS + 10)]
        await asyncio.gather(*(page.post("/v1/session", json={}, headers=anna.headers) for page in pages))
    assert sum(row["session"] for row in (await service.get("/v1/tokens", anna))["items"]) == MOST_SESSIONS


async def test_nobody_registers_where_registration_is_closed(tmp_path: Path) -> None:
    async with serving(tmp_path, durable=False, registration=False) as service, browser(service) as page:
        assert kind(await page.post("/v1/session", json={})) == (403, "registration-closed")


async def test_new_guests_of_one_address_are_limited(tmp_path: Path) -> None:
    async with serving(tmp_path, durable=False, registrations_per_address=2) as service:
        for expected in (201, 201, 429):
            async with browser(service) as page:
                assert (await page.post("/v1/session", json={})).status_code == expected


# --- nothing but a page of the service acts with it ---

ELSEWHERE: dict[str, dict[str, str | None]] = {
    "another site": {"origin": "https://example.org", "sec-fetch-site": "cross-site"},
    "another site, in an old browser": {"origin": "https://example.org", "sec-fetch-site": None},
    "another port of this host": {"origin": "http://127.0.0.1:1", "sec-fetch-site": "same-site"},
    "no site at all": {"origin": "null", "sec-fetch-site": None},
    "the same host by another name": {"origin": "http://localhost", "sec-fetch-site": None},
    "a browser that only says how far": {"origin": None, "sec-fetch-site": "cross-site"},
    "a form": {"tabularium-page": None, "origin": None, "sec-fetch-site": None},
    "a form of this host": {"tabularium-page": None},
}


@pytest.mark.parametrize("where", ELSEWHERE)
async def test_every_writing_endpoint_refuses_a_session_from(service: Service, anna: Player, where: str) -> None:
    own: dict[str, str | None] = {
        "origin": str(service.client.base_url).rstrip("/"),
        "sec-fetch-site": "same-origin",
        "tabularium-page": "1",
    }
    headers = {name: value for name, value in {**own, **ELSEWHERE[where]}.items() if value is not None}
    cookie = await session(service, anna)
    game, asked = await service.gathering(anna), set[str]()
    before = await service.get(f"/v1/games/{game}", anna)
    for path, method, said in endpoints():
        if method == "GET" or (said.account == "none" and said.tag != "Sessions"):
            continue
        address = path.replace("{game}", game).replace("{player}", anna.id).replace("{seat}", "red")
        body = {} if said.body is not None else None
        answer = await service.client.request(method, address, json=body, headers={**headers, **cookie})
        assert kind(answer) == (403, "cross-site"), (said.name, answer.text)
        asked.add(said.name)
    assert {"createGame", "giveCommands", "makeToken", "changeMe", "endSession", "openCase"} <= asked
    assert await service.get(f"/v1/games/{game}", anna) == before
    assert (await service.client.get("/v1/players/me", headers=cookie)).json()["id"] == anna.id


async def test_no_other_site_signs_a_browser_in(service: Service, anna: Player) -> None:
    """Or somebody would play as an account of the attacker's, and tell it their secrets."""
    for headers in ({}, {"origin": "https://example.org", "tabularium-page": "1"}):
        for who in ({}, anna.headers):
            answer = await service.client.post("/v1/session", json={}, headers={**headers, **who})
            assert kind(answer) == (403, "cross-site")
            assert "set-cookie" not in answer.headers


async def test_no_other_site_may_send_the_header_or_read_an_answer(service: Service, anna: Player) -> None:
    ask = {"origin": "https://example.org", "access-control-request-method": "POST"}
    allowed = await service.client.options(
        "/v1/games", headers={**ask, "access-control-request-headers": "tabularium-page"}
    )
    assert allowed.status_code == 400
    cookie = await session(service, anna)
    answer = await service.client.get("/v1/players/me", headers={"origin": "https://example.org", **cookie})
    assert "access-control-allow-credentials" not in answer.headers


async def test_a_token_needs_none_of_this(service: Service, anna: Player) -> None:
    answer = await service.client.post(
        "/v1/games",
        json={"ruleset": "tiny-auction", "players": 2},
        headers={**anna.headers, **await session(service, anna), "origin": "https://example.org"},
    )
    assert answer.status_code == 201


# --- what it may do and see is what a token may ---


@pytest.mark.parametrize("scope", SCOPES)
async def test_each_endpoint_takes_sessions_as_it_takes_tokens(tmp_path: Path, scope: str) -> None:
    async with serving(tmp_path, durable=False) as service:
        row, _ = await service.services.accounts.register("Anna", SCOPES)
        _, value = await service.services.accounts.open_session(row.player, [scope])  # type: ignore[reportArgumentType]
        async with browser(service) as page:
            for path, method, said in endpoints():
                if not said.scopes:
                    continue
                path = path.replace("{player}", row.player if scope == "judge" else "nothing")  # as in test_tokens
                for name in ("game", "token"):
                    path = path.replace(f"{{{name}}}", "nothing")
                address, body = path.replace("{seat}", "red"), {} if said.body else None
                cookie = {"cookie": f"{COOKIE}={value}"}
                async with page.stream(method, address, json=body, headers=cookie) as answer:
                    if not answer.headers.get("content-type", "").startswith("text/event-stream"):
                        await answer.aread()
                missing = answer.status_code == 403 and answer.json()["type"] == "/problems/scope-missing"
                assert missing == (scope not in said.scopes), said.name


async def test_a_session_shows_what_its_accounts_token_shows(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    await service.give(game, anna, "put-up", coins=1)
    await service.give(game, anna, "open-bidding")
    shown = 0
    for player in (anna, bert, await service.register("Carla")):
        cookie = await session(service, player)
        for path, method, said in endpoints():
            if method != "GET" or "{game}" not in path or said.account == "none" or "stream" in path:
                continue
            address = path.replace("{game}", game)
            if "{" in address:
                continue
            by_token = await service.client.get(address, headers=player.headers)
            by_session = await service.client.get(address, headers=cookie)
            if by_token.status_code == 200:
                assert by_session.content == by_token.content, address
                shown += by_token.content != (await service.client.get(address)).content
    assert shown > 4, "some of it is secret"


async def test_a_stream_knows_its_reader_by_the_session_and_ends_with_it(
    service: Service, anna: Player, bert: Player
) -> None:
    game = await service.begun(anna, bert)
    theirs = (await service.get(f"/v1/games/{game}/events", anna))["items"]
    async with browser(service, anna) as page:
        cookie = {"cookie": f"{COOKIE}={page.cookies[COOKIE]}"}
        async with service.client.stream("GET", f"/v1/games/{game}/events/stream?after=0", headers=cookie) as stream:
            lines = stream.aiter_lines()
            seen = [json.loads(line[6:]) async for line in _some_data(lines, len(theirs))]
            assert seen == theirs
            assert seen != (await service.get(f"/v1/games/{game}/events"))["items"], "a spectator sees less"
            await page.delete("/v1/session")
            assert [line async for line in lines if line.startswith("data:")] == []


async def _some_data(lines: AsyncIterator[str], count: int) -> AsyncIterator[str]:
    async for line in lines:
        if line.startswith("data:"):
            yield line
            count -= 1
        if not count:
            return


async def test_a_websocket_takes_a_session_only_from_a_page_of_the_service(
    service: Service, anna: Player, bert: Player
) -> None:
    game = await service.begun(anna, bert)
    cookie = await session(service, anna)
    own = str(service.client.base_url).rstrip("/")
    url = f"{own.replace('http', 'ws', 1)}/v1/games/{game}/events/socket?after=0"
    theirs = {each["version"]: each for each in (await service.get(f"/v1/games/{game}/events", anna))["items"]}
    async with connect(url, proxy=None, origin=own, additional_headers=cookie) as socket:  # type: ignore[reportArgumentType]
        for _ in range(4):
            frame = json.loads(await socket.recv())
            assert frame["data"] == theirs[frame["id"]]
    for origin in (None, "https://example.org", "null"):
        async with connect(url, proxy=None, origin=origin, additional_headers=cookie) as socket:  # type: ignore[reportArgumentType]
            frame = json.loads(await socket.recv())
            assert (frame["event"], frame["data"]["type"]) == ("problem", "/problems/cross-site")
