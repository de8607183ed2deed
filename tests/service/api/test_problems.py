"""Every kind of problem is listed, can happen, and says what was wrong and what would have been right."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from typing import Any
from unittest import mock

import httpx
import msgspec
import pytest
from litestar import Litestar
from msgspec.structs import replace

from domain.kernel.ids import GameId
from domain.kernel.log.game import Game
from service.accounts.code_flow import Provider
from service.accounts.limits import Limit, Standing, TooMany
from service.accounts.oidc import Issuer
from service.api import problems
from service.api.bearer import COOKIE
from service.api.problems.problem import Kind
from service.api.problems.published import KINDS
from service.app import create_app
from service.base.clock import utc_now
from service.connections.counting import Connections
from service.connections.http import HttpConnection
from service.imports import imports
from service.leagues.leagues import MOST_LEAGUES
from service.observe.metrics import Metrics
from service.store.protocol import StoreUnavailable
from service.tournaments.committee import MOST_TOURNAMENTS
from tests.helpers.authenticator import PROOF, Authenticator
from tests.helpers.browsers import Subscriber
from tests.helpers.issuer import CLIENT, provider
from tests.service.api.apps import REDIRECT, App
from tests.service.api.browsers import authenticator, browser
from tests.service.api.scene import NEW_GAME, PUT_UP, Scene
from tests.service.api.serving import Player
from tests.service.api.test_imports import bring, exported, here
from tests.tiny.auction import TinyAuction

TABLE = {"ruleset": "tiny-auction", "players": 2}

Provoke = Callable[[Scene], Awaitable[httpx.Response]]


async def _take_taken_seat(s: Scene) -> httpx.Response:
    game = await s.service.gathering(s.anna)
    return await s.ask("POST", f"/v1/games/{game}/seats", s.bert, {"seat": "red"})


async def _reuse_key(s: Scene) -> httpx.Response:
    await s.ask("POST", f"{s.url}/commands", s.anna, PUT_UP, idempotency_key="k")
    other = {"command": {"type": "put-up", "coins": 2}}
    return await s.ask("POST", f"{s.url}/commands", s.anna, other, idempotency_key="k")


async def _replay_nothing(s: Scene) -> httpx.Response:
    made = await s.ask("POST", "/v1/webhooks", s.bert, {"url": "https://hooks.invalid/"})
    return await s.ask("POST", f"/v1/webhooks/{made.json()['webhook']['id']}/deliveries/dgone/replay", s.bert)


async def _make_too_many_webhooks(s: Scene) -> httpx.Response:
    for _ in range(10):
        await s.ask("POST", "/v1/webhooks", s.anna, {"url": "https://hooks.invalid/"})
    return await s.ask("POST", "/v1/webhooks", s.anna, {"url": "https://hooks.invalid/"})


async def _assign_without_consent(s: Scene) -> httpx.Response:
    game = (await s.service.post("/v1/games", s.anna, TABLE))["id"]
    return await s.ask("POST", f"/v1/games/{game}/seats/red/assignment", s.anna, {"player": s.bert.id})


async def _let_too_many_seat_me(s: Scene) -> httpx.Response:
    with mock.patch("service.organizing.consents.MOST_CONSENTS", 0):
        return await s.ask("PUT", f"/v1/players/me/consents/{s.bert.id}", s.anna)


async def _ask_for_too_many_games(s: Scene) -> httpx.Response:
    with mock.patch("service.organizing.bulks.MOST_A_DAY", 0):
        return await s.ask("POST", "/v1/bulks", s.anna, {"games": [TABLE]})


async def _make_a_webhook_where_there_are_none(s: Scene) -> httpx.Response:
    with mock.patch.object(s.service.services.webhooks, "_sealer", None):
        return await s.ask("POST", "/v1/webhooks", s.bert, {"url": "https://hooks.invalid/"})


async def _add_device(s: Scene, number: int) -> httpx.Response:
    browser = Subscriber(f"https://push.invalid/{number}")
    return await s.ask("POST", "/v1/notifications/push", s.anna, browser.subscription())


async def _add_too_many_devices(s: Scene) -> httpx.Response:
    for number in range(10):
        await _add_device(s, number)
    return await _add_device(s, 10)


async def _add_a_device_where_nothing_is_pushed(s: Scene) -> httpx.Response:
    with mock.patch.object(s.service.services.devices, "_key", None):
        return await _add_device(s, 0)


async def _ask_an_address_too_often(s: Scene) -> httpx.Response:
    with mock.patch.object(s.service.services.mailboxes, "sends", True):
        for number in range(3):
            await s.ask("PUT", "/v1/notifications/email", s.anna, {"address": f"a{number}@example.org"})
        return await s.ask("PUT", "/v1/notifications/email", s.anna, {"address": "another@example.org"})


async def _fork(s: Scene) -> httpx.Response:
    now = await s.service.get(s.url)
    return await s.ask("POST", f"{s.url}/forks", s.anna, {"version": now["version"]})


async def _compare_two_rulesets(s: Scene) -> httpx.Response:
    class Chess(TinyAuction):
        id = "chess"

    games, game = s.service.services.games, s.url.rpartition("/")[2]
    now = await games.game(GameId(game))

    async def of_another_ruleset(game: GameId, known: int | None = None) -> Game:
        return msgspec.structs.replace(now, ruleset=Chess()) if game == "gother" else now

    with mock.patch.object(games, "game", of_another_ruleset):
        return await s.ask("GET", f"{s.url}/comparison?with=gother")


async def _count_a_fork(s: Scene) -> httpx.Response:
    games, game = s.service.services.games, s.url.rpartition("/")[2]
    fork = msgspec.structs.replace(await games.game(GameId(game)), forked=mock.sentinel.forked)
    with mock.patch.object(games, "game", mock.AsyncMock(return_value=fork)):
        return await s.ask("GET", "/v1/games/gfork/scoreboard")


async def _move_time_back(s: Scene) -> httpx.Response:
    app = create_app(replace(s.service.services, sandbox=mock.Mock()))
    transport = httpx.ASGITransport(app)  # type: ignore[reportArgumentType]
    async with httpx.AsyncClient(transport=transport, base_url="http://sandbox") as client:
        return await client.put("/v1/sandbox/time", json={"at": "1999-01-01T00:00:00Z"})


async def _fail_with(s: Scene, error: Exception) -> httpx.Response:
    async def fail() -> None:
        raise error

    s.service.services.store.ready = fail
    return await s.ask("GET", "/ready")


async def _ask_too_early(s: Scene) -> httpx.Response:
    async def none() -> None:
        return None

    with mock.patch.object(s.service.services.transparency, "checkpoint", none):
        return await s.ask("GET", "/transparency/checkpoint")


async def _invite_without_end(s: Scene) -> httpx.Response:
    game = await s.service.gathering(s.anna)
    answer = await s.ask("POST", f"/v1/games/{game}/invitations", s.anna)
    while answer.status_code < 400:
        answer = await s.ask("POST", f"/v1/games/{game}/invitations", s.anna)
    return answer


async def _invite_a_bot(s: Scene) -> httpx.Response:
    game = await s.service.gathering(s.anna)
    token = (await s.service.post(f"/v1/games/{game}/invitations", s.anna))["token"]
    (bot,) = await s.service.services.accounts.bots_at("random", 1)
    _, value = await s.service.services.accounts.issue(bot.player, "stolen", ("play",))
    return await s.ask("POST", f"/v1/invitations/{token}", None, {}, authorization=f"Bearer {value}")


async def _sign_in_by(s: Scene, what: str, body: dict[str, str]) -> httpx.Response:
    async with browser(s.service) as page:
        return await page.post(f"/v1/session/{what}", json=body)


async def _register_passkeys(s: Scene, key: Authenticator, times: int = 1, *, another: bool = False) -> httpx.Response:
    async with browser(s.service, await s.service.register("Gaius")) as page:
        answer = await page.get("/v1/passkeys")
        for _ in range(times):
            wanted = (await page.post("/v1/passkeys/challenge")).json()
            made = Authenticator(key.origin).create(wanted) if another else key.create(wanted)
            answer = await page.post("/v1/passkeys", json=made)
        return answer


async def _at_provider(s: Scene, *subjects: str, before: tuple[str, ...] = (), error: str = "") -> httpx.Response:
    """Return what a guest gets who signs in as one after another of these; others did so before, elsewhere."""
    services = s.service.services
    with provider() as issuer:
        told = {"oidc_issuer": issuer.url, "oidc_audience": "tabularium", "oidc_client_id": CLIENT, "oidc_name": "X"}
        settings = msgspec.structs.replace(services.settings, **told)
        asking = Issuer(settings)
        changed = Provider(asking, settings, services.store.accounts, utc_now)
        async with _changed(s, provider=changed), browser(s.service) as other, browser(s.service) as page:
            answer = await page.post("/v1/session", json={})
            for client, subject in (*((other, each) for each in before), *((page, each) for each in subjects)):
                address = (await client.post("/v1/session/provider", json={})).json()["address"]
                given = issuer.sign_in(address, subject)
                if error:
                    given = {"state": given["state"], "error": error}
                answer = await client.post("/v1/session/provider/answer", json=given)
        await asking.close()
    return answer


async def _use_ended_session(s: Scene) -> httpx.Response:
    async with browser(s.service) as page:
        await page.post("/v1/session", json={})
        session = page.cookies[COOKIE]
        await page.delete("/v1/session")
        return await s.ask("GET", "/v1/players/me", cookie=f"{COOKIE}={session}")


async def _write_from_another_site(s: Scene) -> httpx.Response:
    async with browser(s.service) as page:
        await page.post("/v1/session", json={})
        return await page.patch("/v1/players/me", json={"name": "Mine"}, headers={"origin": "https://example.org"})


async def _sign_in_twice(s: Scene) -> httpx.Response:
    async with browser(s.service) as page:
        await page.post("/v1/session", json={})
        return await page.post("/v1/session", json={})


async def _use_ended_token(s: Scene) -> httpx.Response:
    diana = await s.service.register("Diana")
    await s.ask("DELETE", "/v1/tokens/current", diana)
    return await s.ask("GET", "/v1/players/me", diana)


async def _register_where_it_is_closed(s: Scene) -> httpx.Response:
    settings = msgspec.structs.replace(s.service.services.settings, registration=False)
    return await _ask_of(s, "POST", "/v1/players", {"name": "Eva"}, settings=settings)


async def _ask_of(s: Scene, method: str, path: str, body: Any = None, **parts: Any) -> httpx.Response:
    """Return what a service answers of which some parts are others."""
    async with _changed(s, **parts):
        return await s.ask(method, path, None, body)


@asynccontextmanager
async def _changed(s: Scene, **parts: Any) -> AsyncIterator[None]:
    """A context in which some parts of the service are others."""
    app = s.service.server.config.app
    while not isinstance(app, Litestar):
        app = app.app  # type: ignore[reportAttributeAccessIssue]
    app.state["services"] = msgspec.structs.replace(s.service.services, **parts)
    yield
    app.state["services"] = s.service.services


async def _let_an_app_in_as_a_guest(s: Scene) -> httpx.Response:
    async with browser(s.service) as page:
        await page.post("/v1/session", json={})
        return await page.post("/v1/authorization/decision", json={"query": App(s.service).query(), "allow": True})


async def _register_too_many_apps(s: Scene) -> httpx.Response:
    with mock.patch("service.accounts.apps.apps.MOST_CLIENTS", 0):
        return await s.ask("POST", "/v1/clients", s.anna, {"name": "One more", "redirects": [REDIRECT]})


async def _seat_too_many_bots(s: Scene) -> httpx.Response:
    return [await _seat_a_bot(s) for _ in range(25)][-1]


async def _seat_a_bot(s: Scene) -> httpx.Response:
    url = f"/v1/games/{(await s.service.post('/v1/games', s.anna, NEW_GAME))['id']}"
    return await s.ask("PUT", f"{url}/seats/red/bot", s.anna, {"level": "random"})


async def _make_too_many_tokens(s: Scene) -> httpx.Response:
    eva = await s.service.register("Eva")
    answer = await s.ask("GET", "/v1/tokens", eva)
    while answer.status_code < 400:
        answer = await s.ask("POST", "/v1/tokens", eva, {"name": "one more", "scopes": ["play"]})
    return answer


async def _replace_a_token_twice(s: Scene) -> httpx.Response:
    fritz = await s.service.register("Fritz")
    await s.ask("POST", "/v1/tokens/current/rotation", fritz, {"overlap": 3600})
    return await s.ask("POST", "/v1/tokens/current/rotation", fritz, {"overlap": 3600})


async def _send(s: Scene, request: bytes, held: int = 0, **settings: Any) -> httpx.Response:
    """Return what comes for bytes that no client sends, on a connection with other limits, beside others held open."""
    config = s.service.server.config
    limits = Connections(msgspec.structs.replace(s.service.services.settings, **settings), Metrics())
    before, config.http_protocol_class = config.http_protocol_class, partial(HttpConnection, limits)  # type: ignore[reportAttributeAccessIssue]
    host, port = s.service.client.base_url.host, s.service.client.base_url.port
    async with AsyncExitStack() as opened:
        for _ in range(held):
            _, held_open = await asyncio.open_connection(host, port)
            opened.callback(held_open.close)
        while len(limits) < held:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        reader, writer = await asyncio.open_connection(host, port)
        opened.callback(writer.close)
        writer.write(request)
        head, _, content = (await reader.read()).partition(b"\r\n\r\n")
    config.http_protocol_class = before
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return httpx.Response(int(first.split()[1]), headers=headers, content=content)


async def _case(s: Scene) -> tuple[str, Player, str]:
    """Return the addresses of a case and of the game that it is about, and an official of that."""
    judge, url = await s.service.register("Julia"), f"/v1/games/{await s.service.begun(s.anna, s.bert)}"
    await s.service.ask("PUT", f"{url}/officials/{judge.id}", s.anna)
    opened = await s.service.post(f"{url}/cases", s.anna, {"kind": "slip", "version": 4, "statement": "Oh."})
    return f"/v1/cases/{opened['summary']['case']}", judge, url


async def _rule(s: Scene, by: str = "judge", times: int = 1, **changes: Any) -> httpx.Response:
    case, judge, url = await _case(s)
    player = {"judge": judge, "bert": s.bert, "carla": s.carla}[by]
    event = (await s.service.get(f"{url}/events?limit=500"))["items"][-1]
    ruling = {"decision": "stands", "rules": ["TAB-UNDO-02"], "reason": "So."}
    ruling |= {"version": event["version"], "hash": event["hash"], **changes}
    answer = await s.ask("POST", f"{case}/rulings", player, ruling)
    for _ in range(times - 1):
        answer = await s.ask("POST", f"{case}/rulings", player, ruling)
    return answer


async def _speak_in_closed_case(s: Scene) -> httpx.Response:
    case, _, _ = await _case(s)
    await s.ask("POST", f"{case}/withdrawal", s.anna)
    return await s.ask("POST", f"{case}/statements", s.anna, {"statement": "One more thing."})


async def _erase_nothing(s: Scene) -> httpx.Response:
    case, judge, _ = await _case(s)
    return await s.ask("DELETE", f"{case}/statements/9", judge)


async def _look_at_a_private_game(s: Scene) -> httpx.Response:
    wish = {"ruleset": "tiny-auction", "players": 2, "readers": "invited"}
    game = (await s.service.post("/v1/games", s.anna, wish))["id"]
    return await s.ask("GET", f"/v1/games/{game}", s.bert)


async def _look_at_a_withheld_fork(s: Scene) -> httpx.Response:
    judge, url = await s.service.register("Julia"), f"/v1/games/{await s.service.begun(s.anna, s.bert)}"
    await s.service.ask("PUT", f"{url}/officials/{judge.id}", s.anna)
    version = (await s.service.get(url))["version"]
    fork = await s.service.post(f"{url}/forks", judge, {"version": version})
    return await s.ask("GET", f"/v1/games/{fork['id']}", s.anna)


async def _announce(s: Scene) -> httpx.Response:
    regulations = {"ruleset": "tiny-auction", "stages": [{"type": "swiss", "rounds": 1}]}
    wish = {"regulations": {**regulations, "sizes": [2], "points": [[60, 0]]}}
    return await s.ask("POST", "/v1/tournaments", s.anna, wish)


async def _direct_anothers_tournament(s: Scene) -> httpx.Response:
    tournament = (await _announce(s)).json()["summary"]["tournament"]
    return await s.ask("POST", f"/v1/tournaments/{tournament}/rounds", s.bert)


async def _look_at_no_round(s: Scene) -> httpx.Response:
    tournament = (await _announce(s)).json()["summary"]["tournament"]
    return await s.ask("GET", f"/v1/tournaments/{tournament}/rounds/9")


async def _announce_too_many(s: Scene) -> httpx.Response:
    for _ in range(MOST_TOURNAMENTS):
        await _announce(s)
    return await _announce(s)


async def _found(s: Scene) -> httpx.Response:
    return await s.ask("POST", "/v1/leagues", s.anna, {"regulations": {"points": [3, 1], "best": 2}})


async def _lead_anothers_league(s: Scene) -> httpx.Response:
    league = (await _found(s)).json()["summary"]["league"]
    return await s.ask("POST", f"/v1/leagues/{league}/seasons", s.bert)


async def _look_at_no_season(s: Scene) -> httpx.Response:
    league = (await _found(s)).json()["summary"]["league"]
    return await s.ask("GET", f"/v1/leagues/{league}?season=9")


async def _found_too_many(s: Scene) -> httpx.Response:
    for _ in range(MOST_LEAGUES):
        await _found(s)
    return await _found(s)


async def _import_too_many(s: Scene) -> httpx.Response:
    s.service.services.imports.examine = here
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(imports, "MOST_IMPORTS", 0)
        return await bring(s.service, s.anna, exported(6))


async def _delete_anothers_import(s: Scene) -> httpx.Response:
    s.service.services.imports.examine = here
    return await s.ask("DELETE", (await bring(s.service, s.anna)).headers["location"], s.bert)


async def _import_nothing(s: Scene) -> httpx.Response:
    s.service.services.imports.examine = here
    return await bring(s.service, s.anna, "")


PROVOKED: dict[str, Provoke] = {
    "unknown-import": lambda s: s.ask("GET", "/v1/imports/xgone"),
    "not-importer": _delete_anothers_import,
    "not-imported": _import_nothing,
    "too-many-imports": _import_too_many,
    "unknown-league": lambda s: s.ask("GET", "/v1/leagues/lgone"),
    "unknown-season": _look_at_no_season,
    "not-league-organizer": _lead_anothers_league,
    "too-many-leagues": _found_too_many,
    "unknown-tournament": lambda s: s.ask("GET", "/v1/tournaments/tgone"),
    "unknown-round": _look_at_no_round,
    "not-a-director": _direct_anothers_tournament,
    "too-many-tournaments": _announce_too_many,
    "unknown-case": lambda s: s.ask("GET", "/v1/cases/cgone"),
    "unknown-statement": _erase_nothing,
    "not-an-official": lambda s: _rule(s, "carla"),
    "own-game": lambda s: _rule(s, "bert"),
    "case-closed": _speak_in_closed_case,
    "already-ruled": lambda s: _rule(s, times=2),
    "stale-ruling": lambda s: _rule(s, version=1),
    "malformed-request": lambda s: _send(s, b"\x16\x03\x01\x02\x00\r\n"),
    "request-timeout": lambda s: _send(s, b"GET / HTTP/1.1\r\n", header_timeout=0.1),
    "uri-too-long": lambda s: s.ask("GET", f"/v1/games?text={'a' * 9000}"),
    "too-many-connections": lambda s: _send(s, b"", held=2, connections_per_address=2, proxies=""),
    "headers-too-large": lambda s: s.ask("GET", "/v1/games", cookie="a" * 20_000),
    "malformed-json": lambda s: s.ask("POST", "/v1/players", None, b'{"name": '),
    "invalid-query": lambda s: s.ask("GET", "/v1/games?page=2"),
    "invalid-header": lambda s: s.ask("POST", f"{s.url}/commands", s.anna, PUT_UP, if_match="new"),
    "missing-token": lambda s: s.ask("POST", "/v1/games", None, NEW_GAME),
    "unknown-token": lambda s: s.ask("GET", s.url, None, None, authorization="Bearer tab_nobodys"),
    "token-ended": _use_ended_token,
    "session-ended": _use_ended_session,
    "passkey-refused": lambda s: _sign_in_by(s, "passkey", dict.fromkeys(PROOF, "AAAA")),
    "passkey-known": lambda s: _register_passkeys(s, authenticator(s.service), 2),
    "too-many-passkeys": lambda s: _register_passkeys(s, authenticator(s.service), 21, another=True),
    "unknown-passkey": lambda s: s.ask("DELETE", "/v1/passkeys/kgone", s.anna),
    "code-refused": lambda s: _sign_in_by(s, "recovery-code", {"code": "aaaa-aaaa-aaaa-aaaa"}),
    "no-provider": lambda s: _sign_in_by(s, "provider", {}),
    "sign-in-refused": lambda s: _at_provider(s, "livia", error="access_denied"),
    "other-account": lambda s: _at_provider(s, "livia", before=("livia",)),
    "already-linked": lambda s: _at_provider(s, "livia", "marcus"),
    "unknown-invitation": lambda s: s.ask("GET", "/v1/invitations/inv_guessed"),
    "too-many-invitations": _invite_without_end,
    "not-for-bots": _invite_a_bot,
    "cross-site": _write_from_another_site,
    "already-signed-in": _sign_in_twice,
    "scope-missing": lambda s: s.ask("GET", "/v1/log", s.anna),
    "registration-closed": _register_where_it_is_closed,
    "unknown-webhook": lambda s: s.ask("GET", "/v1/webhooks/wgone", s.anna),
    "unknown-delivery": _replay_nothing,
    "too-many-webhooks": _make_too_many_webhooks,
    "bad-target": lambda s: s.ask("POST", "/v1/webhooks", s.anna, {"url": "http://example.org/"}),
    "bad-app-request": lambda s: s.ask("POST", "/v1/authorization", None, {"query": "client_id=x"}),
    "guest-account": _let_an_app_in_as_a_guest,
    "unknown-device-code": lambda s: s.ask("POST", "/v1/authorization/device", s.anna, {"code": "BCDF-GHJK"}),
    "unknown-app": lambda s: s.ask("DELETE", "/v1/apps/ogone", s.anna),
    "too-many-clients": _register_too_many_apps,
    "unknown-bulk": lambda s: s.ask("GET", "/v1/bulks/bgone", s.anna),
    "no-sandbox": lambda s: s.ask("POST", "/v1/sandbox/reset"),
    "time-out-of-reach": _move_time_back,
    "bulk-refused": lambda s: s.ask("POST", "/v1/bulks", s.anna, {"games": [TABLE | {"players": 9}]}),
    "not-consented": _assign_without_consent,
    "too-many-consents": _let_too_many_seat_me,
    "too-many-games": _ask_for_too_many_games,
    "webhooks-off": _make_a_webhook_where_there_are_none,
    "unknown-device": lambda s: s.ask("DELETE", "/v1/notifications/push/dgone", s.anna),
    "too-many-devices": _add_too_many_devices,
    "push-off": _add_a_device_where_nothing_is_pushed,
    "mail-off": lambda s: s.ask("PUT", "/v1/notifications/email", s.anna, {"address": "anna@example.org"}),
    "too-many-confirmations": _ask_an_address_too_often,
    "no-such-token": lambda s: s.ask("DELETE", "/v1/tokens/tgone", s.anna),
    "too-many-tokens": _make_too_many_tokens,
    "too-many-bots": _seat_too_many_bots,
    "token-replaced": _replace_a_token_twice,
    "fork-hides": _fork,
    "withheld": _look_at_a_withheld_fork,
    "private": _look_at_a_private_game,
    "not-comparable": _compare_two_rulesets,
    "not-seated": lambda s: s.ask("POST", f"{s.url}/commands", s.carla, PUT_UP),
    "options-hidden": lambda s: s.ask("GET", f"{s.url}/options?seat=red", s.carla),
    "not-organizer": lambda s: s.ask("PATCH", s.url, s.carla, {"title": "Mine"}),
    "unknown-path": lambda s: s.ask("GET", "/v1/tables"),
    "unknown-dump": lambda s: s.ask("GET", "/v1/dumps/games-2026-10.csv"),
    "unknown-tile": lambda s: s.ask("GET", "/transparency/tile/0/x001/000"),
    "not-logged-yet": _ask_too_early,
    "unknown-ruleset": lambda s: s.ask("POST", "/v1/games", s.anna, {**NEW_GAME, "ruleset": "chess"}),
    "no-map": lambda s: _ask_of(s, "GET", f"{s.url}/board.svg", drawings=lambda board: None),
    "unknown-document": lambda s: s.ask("GET", "/v1/rulesets/tiny-auction/documents/cards"),
    "unknown-lesson": lambda s: s.ask("GET", "/v1/rulesets/tiny-auction/tutorial/march"),
    "unknown-rule": lambda s: s.ask("GET", "/v1/rulesets/tiny-auction/rules/TA-BID-99"),
    "unknown-player": lambda s: s.ask("POST", "/v1/games", s.anna, {**NEW_GAME, "organizer": "pnobody"}),
    "unknown-game": lambda s: s.ask("GET", "/v1/games/gone/state"),
    "not-counted": _count_a_fork,
    "unknown-seat": lambda s: s.ask("POST", f"{s.url}/seats", s.carla, {"seat": "pink"}),
    "unknown-level": lambda s: s.ask("PUT", f"{s.url}/seats/red/bot", s.anna, {"level": "grandmaster"}),
    "unknown-take-back": lambda s: s.ask("POST", f"{s.url}/take-backs/3/answer", s.anna, {"agrees": True}),
    "unknown-end-proposal": lambda s: s.ask("POST", f"{s.url}/end-proposals/3/answer", s.anna, {"agrees": True}),
    "unknown-answer": lambda s: s.ask("DELETE", f"{s.url}/answers/3", s.anna),
    "unknown-chart": lambda s: s.ask("GET", f"{s.url}/charts/tribute.svg"),
    "unknown-version": lambda s: s.ask("GET", f"{s.url}/state?version=999"),
    "method-not-allowed": lambda s: s.ask("PUT", "/v1/games", s.anna, NEW_GAME),
    "not-now": lambda s: s.ask("POST", f"{s.url}/commands", s.bert, PUT_UP),
    "seat-taken": _take_taken_seat,
    "stale-version": lambda s: s.ask("POST", f"{s.url}/commands", s.anna, PUT_UP, if_match='"1"'),
    "body-too-large": lambda s: s.ask("POST", f"{s.url}/commands", s.anna, b" " * 70_000),
    "range-not-satisfiable": lambda s: s.ask("GET", f"{s.url}/export", range="bytes=9999999-"),
    "unsupported-media-type": lambda s: s.ask("POST", "/v1/players", None, b"{}", content_type="text/plain"),
    "invalid-body": lambda s: s.ask("POST", "/v1/games", s.anna, {**NEW_GAME, "players": "2"}),
    "invalid-document": lambda s: s.ask("POST", "/v1/games", s.anna, {**NEW_GAME, "documents": {"deck": {}}}),
    "invalid-board": lambda s: s.ask("POST", "/v1/games", s.anna, {**NEW_GAME, "board": {"id": "flat"}}),
    "key-reused": _reuse_key,
    "refused": lambda s: s.ask("POST", f"{s.url}/commands", s.anna, {"command": {"type": "put-up", "coins": 10**9}}),
    "upgrade-required": lambda s: s.ask("GET", f"{s.url}/events/socket"),
    "too-many-requests": lambda s: _fail_with(s, TooMany([Standing(Limit("token", 20, 200), 0, 0.05)])),
    "internal-error": lambda s: _fail_with(s, RuntimeError("a fault of ours")),
    "unavailable": lambda s: _fail_with(s, StoreUnavailable("the disk is full")),
}


def test_the_list_has_every_kind_once() -> None:
    modules = [import_module(f"{problems.__name__}.{each.name}") for each in iter_modules(problems.__path__)]
    kinds = {value.slug for module in modules for value in vars(module).values() if isinstance(value, Kind)}
    assert Counter(kind.slug for kind in KINDS) == Counter(kinds)


def test_every_kind_of_problem_is_provoked() -> None:
    assert set(PROVOKED) == {kind.slug for kind in KINDS}


async def test_a_problem_says_what_is_wrong_and_what_would_be_right(scene: Scene) -> None:
    for kind in KINDS:
        answer = await PROVOKED[kind.slug](scene)
        body = answer.json()

        assert (answer.status_code, body["status"]) == (kind.status, kind.status), body
        assert answer.headers["content-type"] == "application/problem+json"
        assert (body["type"], body["title"]) == (f"/problems/{kind.slug}", kind.title)
        assert body["detail"]
        assert body["instance"] == f"urn:uuid:{answer.headers['request-id']}"
        page = await scene.ask("GET", body["type"])
        assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")


async def test_an_error_of_ours_tells_nothing_of_our_inside(scene: Scene) -> None:
    answer = await _fail_with(scene, RuntimeError("/secret/path"))
    assert "secret" not in answer.text


async def test_a_refusal_carries_the_rule_its_source_the_decision_and_where_the_options_are(scene: Scene) -> None:
    body = (await PROVOKED["refused"](scene)).json()
    assert body["rule"] == "TA-PUT-01"
    assert body["rule_title"]
    assert body["source"].startswith("tests/tiny")
    assert body["decision"]["kind"] == "put-up-prize"
    assert body["allowed"]
    options = await scene.ask("GET", body["options_url"], scene.anna)
    assert options.status_code == 200
