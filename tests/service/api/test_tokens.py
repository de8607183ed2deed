"""Tokens: several for an account, each good for some things, for as long as it lasts."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect

from domain.kernel.ids import PlayerId
from service.accounts.accounts import MOST_TOKENS
from service.api.contract.document import endpoints
from service.api.problems.access import TOKEN_ENDED
from service.base.scopes import EVERYBODYS, SCOPES, Scope
from tests.service.api.serving import Player, Service, serving


async def narrower(service: Service, player: Player, *scopes: str, **more: Any) -> Player:
    """Return a player with another token of his, for `scopes`."""
    made = await service.post("/v1/tokens", player, {"name": " ".join(scopes), "scopes": scopes, **more})
    assert made["token"].startswith("tab_")
    return Player(player.id, {"authorization": f"Bearer {made['token']}"})


async def problem(service: Service, method: str, path: str, player: Player, body: Any = None) -> tuple[str, Any]:
    answer = await service.ask(method, path, player, body)
    return answer.json()["type"].removeprefix("/problems/"), answer.json()


# --- what a token may be used for ---


@pytest.mark.parametrize("scope", SCOPES)
async def test_each_endpoint_takes_the_tokens_that_it_says_and_no_others(tmp_path: Path, scope: Scope) -> None:
    """What the contract says of every endpoint, asked with a token that is good for one thing only."""
    async with serving(tmp_path, durable=False) as service:
        row, _ = await service.services.accounts.register("Anna", SCOPES)
        _, value = await service.services.accounts.issue(row.player, scope, [scope])
        anna = Player(row.player, {"authorization": f"Bearer {value}"})
        refused, let_in = set(), set()
        for path, method, said in endpoints():
            if not said.scopes:
                continue
            # An official needs `judge` to be released by themselves, and nothing else needs it of a player.
            path = path.replace("{player}", row.player if scope == "judge" else "nothing")
            for name in ("game", "token"):
                path = path.replace(f"{{{name}}}", "nothing")
            address, body = path.replace("{seat}", "red"), {} if said.body else None
            async with service.client.stream(method, address, headers=anna.headers, json=body) as answer:
                if not answer.headers.get("content-type", "").startswith("text/event-stream"):  # which has no end
                    await answer.aread()
            missing = answer.status_code == 403 and answer.json()["type"] == "/problems/scope-missing"
            (refused if missing else let_in).add((said.name, scope in said.scopes))
            if missing:
                asked = {*answer.json()["scopes"]}
                assert asked
                assert asked <= {*said.scopes}
                assert answer.headers["www-authenticate"].startswith('Bearer error="insufficient_scope"')
        assert {right for _, right in refused} == {False}
        assert {right for _, right in let_in} == {True} & {scope in said.scopes for _, _, said in endpoints()}


def test_the_endpoints_that_take_any_token_are_these() -> None:
    """What asks for an account and for no scope: who am I, and what a token may do to itself."""
    found = {said.name for _, _, said in endpoints() if said.account == "required" and not said.scopes}
    assert found == {"showMe", "rotateToken", "revokeToken"}


async def test_a_bots_token_plays_and_does_nothing_else(service: Service, anna: Player, bert: Player) -> None:
    bot = await narrower(service, anna, "play")
    me = await service.get("/v1/players/me", bot)
    assert (me["id"], me["scopes"], me["granted"]) == (anna.id, ["play"], list(EVERYBODYS))
    game = await service.gathering(bert)
    await service.post(f"/v1/games/{game}/seats", bot, {})
    await service.post(f"/v1/games/{game}/start", bot)
    state = await service.get(f"/v1/games/{game}/state", bot)
    assert state["seat"] == "blue"
    kind, body = await problem(service, "POST", "/v1/games", bot, {"ruleset": "tiny-auction", "players": 2})
    assert (kind, body["scopes"]) == ("scope-missing", ["organize"])
    assert body["detail"] == "The token has the scope play; this needs organize."
    assert "POST /v1/tokens" in body["allowed"]
    assert (await problem(service, "GET", "/v1/tokens", bot))[0] == "scope-missing"


async def test_a_token_shows_what_its_scopes_let_it_see(service: Service, anna: Player, bert: Player) -> None:
    """Everywhere that a game is shown: `play` sees a seat's secrets, `organize` an organizer's, the others none."""
    olga = await service.register("Olga")
    game = await service.begun(anna, bert, organizer=olga, organizer_sees="all")
    await service.give(game, anna, "put-up", coins=1)
    await service.give(game, anna, "open-bidding")
    await service.give(game, anna, "choose-card", card=await service.first_card(game, anna))
    spectator, seat, organizer = [await seen(service, game, player) for player in (None, anna, olga)]
    assert spectator != seat != organizer != spectator
    for player, scope, sees in (
        *((anna, "play", seat), (anna, "organize", spectator), (anna, "account", spectator)),
        *((olga, "organize", organizer), (olga, "play", spectator), (olga, "account", spectator)),
    ):
        assert await seen(service, game, await narrower(service, player, scope)) == sees, scope


async def seen(service: Service, game: str, player: Player | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for what in ("", "/state", "/state?version=5", "/events", "/history", "/export"):
        answer = await service.ask("GET", f"/v1/games/{game}{what}", player)
        assert answer.status_code == 200
        found[what] = answer.text
    async with service.client.stream(
        "GET", f"/v1/games/{game}/events/stream?after=0", headers=player.headers if player else {}
    ) as stream:
        version = (await service.get(f"/v1/games/{game}"))["version"]
        lines: list[str] = []
        async for line in stream.aiter_lines():
            lines.append(line)
            if line == "" and f"id: {version}" in lines:
                break
    return {**found, "stream": lines}


async def test_starting_a_game_needs_the_scope_of_the_role_in_it(service: Service, anna: Player, bert: Player) -> None:
    """The answer to a start shows what was dealt: to a seat its own hand, to an organizer all."""
    olga = await service.register("Olga")
    for player, wrong, right in ((anna, "organize", "play"), (olga, "play", "organize")):
        game = await service.gathering(anna, bert, organizer=olga)
        refused = await narrower(service, player, wrong)
        kind, body = await problem(service, "POST", f"/v1/games/{game}/start", refused)
        assert (kind, body["scopes"]) == ("scope-missing", [right])
        await service.post(f"/v1/games/{game}/start", await narrower(service, player, right))


# --- making ---


async def test_a_token_is_made_listed_and_used(service: Service, anna: Player) -> None:
    body = {"name": "my bot", "scopes": ["organize", "play", "play"], "expires": "2027-01-01T01:00:00+01:00"}
    answer = await service.ask("POST", "/v1/tokens", anna, body)
    made = answer.json()
    assert (answer.status_code, answer.headers["cache-control"]) == (201, "no-store")
    assert made["details"]["scopes"] == ["play", "organize"]
    assert made["details"]["expires"] == "2027-01-01T00:00:00.000000Z"
    bot = Player(anna.id, {"authorization": f"Bearer {made['token']}"})
    me = await service.get("/v1/players/me", bot)
    assert (me["id"], me["token"], me["ends"]) == (anna.id, made["details"]["id"], made["details"]["expires"])

    await service.services.accounts.callers.flush()
    page = await service.get("/v1/tokens", anna)
    assert [(token["name"], token["used"] is not None) for token in page["items"]] == [
        ("my bot", True),
        ("registration", True),
    ]
    assert made["token"] not in str(page)


async def test_nobody_makes_a_token_for_what_he_was_not_granted(service: Service, anna: Player) -> None:
    for scope in ("audit", "admin"):
        kind, body = await problem(service, "POST", "/v1/tokens", anna, {"name": "x", "scopes": ["play", scope]})
        assert (kind, body["scopes"]) == ("scope-missing", [scope])
        assert "administrator" in body["allowed"]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"name": "x", "scopes": []}, "$.scopes"),
        ({"name": "x", "scopes": ["everything"]}, "$.scopes[0]"),
        ({"name": "", "scopes": ["play"]}, "$.name"),
        ({"name": "x", "scopes": ["play"], "expires": "2020-01-01T00:00:00Z"}, "$.expires"),
        ({"name": "x", "scopes": ["play"], "expires": "2027-01-01T00:00:00"}, "$.expires"),
        ({"name": "x", "scopes": ["play"], "expires": "9999-12-31T23:59:59-23:00"}, "$.expires"),
        ({"name": "x", "scopes": ["play"], "expires": 1}, "$.expires"),
    ],
)
async def test_a_token_that_is_not_allowed_is_not_made(service: Service, anna: Player, body: Any, path: str) -> None:
    kind, said = await problem(service, "POST", "/v1/tokens", anna, body)
    assert (kind, said["path"]) == ("invalid-body", path)


async def test_an_account_has_only_so_many_tokens(service: Service, anna: Player) -> None:
    for _ in range(MOST_TOKENS - 1):
        await service.post("/v1/tokens", anna, {"name": "x", "scopes": ["play"]})
    body = {"name": "x", "scopes": ["play"]}
    assert (await problem(service, "POST", "/v1/tokens", anna, body))[0] == "too-many-tokens"
    last = (await service.get("/v1/tokens", anna))["items"][0]
    await service.ask("DELETE", f"/v1/tokens/{last['id']}", anna)
    await service.post("/v1/tokens", anna, body)


# --- ending ---


async def test_a_revoked_token_is_refused_at_once(service: Service, anna: Player) -> None:
    bot = await narrower(service, anna, "play")
    token = (await service.get("/v1/players/me", bot))["token"]
    revoked = await service.ask("DELETE", f"/v1/tokens/{token}", anna)
    assert revoked.json()["revoked"] is not None
    answer = await service.ask("GET", "/v1/players/me", bot)
    assert (answer.status_code, answer.json()["type"]) == (401, "/problems/token-ended")
    assert "was revoked at 2026-" in answer.json()["detail"]
    assert answer.headers["www-authenticate"] == 'Bearer error="invalid_token"'
    assert (await service.ask("DELETE", f"/v1/tokens/{token}", anna)).json() == revoked.json()
    assert len((await service.get("/v1/tokens", anna))["items"]) == 1


async def test_a_token_may_end_itself_and_no_other(service: Service, anna: Player, bert: Player) -> None:
    bot, other = await narrower(service, anna, "play"), await narrower(service, anna, "play")
    others = (await service.get("/v1/players/me", other))["token"]
    for method, path, body in (("DELETE", f"/v1/tokens/{others}", None), ("POST", f"/v1/tokens/{others}/rotation", {})):
        assert (await problem(service, method, path, bot, body))[0] == "scope-missing"
        assert (await problem(service, method, path, bert, body))[0] == "no-such-token"
    await service.get("/v1/players/me", other)
    assert (await service.ask("DELETE", "/v1/tokens/current", bot)).status_code == 200
    assert (await problem(service, "GET", "/v1/players/me", bot))[0] == "token-ended"


async def test_a_token_expires(service: Service, anna: Player) -> None:
    # The clock of these tests goes on by a second whenever it is looked at.
    now = service.services.accounts.now()
    bot = await narrower(service, anna, "play", expires=now.replace(now[14:16], "59", 1))
    await service.get("/v1/players/me", bot)
    for _ in range(3600):
        service.services.accounts.now()
    kind, body = await problem(service, "GET", "/v1/players/me", bot)
    assert kind == "token-ended"
    assert "ended at" in body["detail"]


async def test_a_token_is_replaced_and_the_old_one_holds_on_for_a_while(service: Service, anna: Player) -> None:
    bot = await narrower(service, anna, "play", expires="2026-12-21T06:00:00Z")
    old = await service.get("/v1/players/me", bot)
    made = await service.post(f"/v1/tokens/{old['token']}/rotation", anna, {"overlap": 3600})
    assert (made["details"]["name"], made["details"]["scopes"]) == ("play", ["play"])
    assert made["details"]["expires"] > old["ends"], "it lasts as long as the old one was made to last"
    assert (await service.get("/v1/players/me", bot))["ends"] < "2026-11-21T08"

    bot = Player(anna.id, {"authorization": f"Bearer {made['token']}"})
    again = await service.post("/v1/tokens/current/rotation", bot, {"overlap": 0})
    assert again["details"]["expires"] == made["details"]["expires"], "no token prolongs itself"
    await service.get("/v1/players/me", Player(anna.id, {"authorization": f"Bearer {again['token']}"}))
    assert (await problem(service, "GET", "/v1/players/me", bot))[0] == "token-ended"
    ended = made["details"]["id"]
    kind, body = await problem(service, "POST", f"/v1/tokens/{ended}/rotation", anna, {})
    assert (kind, body["detail"]) == ("no-such-token", f"Token '{ended}' has ended.")


async def test_a_token_is_replaced_once(service: Service, anna: Player) -> None:
    """Otherwise a thief could make any number of tokens from one, which all outlive it."""
    bot = await narrower(service, anna, "play")
    await service.post("/v1/tokens/current/rotation", bot, {"overlap": 3600})
    for asker in (bot, anna):
        token = (await service.get("/v1/players/me", bot))["token"]
        kind, body = await problem(service, "POST", f"/v1/tokens/{token}/rotation", asker, {"overlap": 3600})
        assert kind == "token-replaced"
        assert "ends at 2026-" in body["detail"]
    assert len((await service.get("/v1/tokens", anna))["items"]) == 3


async def test_replaced_tokens_count_while_they_hold_on(service: Service, anna: Player) -> None:
    bot = await narrower(service, anna, "play")
    for _ in range(MOST_TOKENS - 2):
        await narrower(service, anna, "play")
    kind, _ = await problem(service, "POST", "/v1/tokens/current/rotation", bot, {"overlap": 1})
    assert kind == "too-many-tokens"
    await service.post("/v1/tokens/current/rotation", bot, {"overlap": 0})
    assert len((await service.get("/v1/tokens", anna))["items"]) == MOST_TOKENS


async def test_a_stream_ends_with_its_token(service: Service, anna: Player, bert: Player) -> None:
    """No event is shown to a token that was revoked before it happened."""
    game = await service.begun(anna, bert)
    bot = await narrower(service, anna, "play")
    token = (await service.get("/v1/players/me", bot))["token"]
    async with service.client.stream("GET", f"/v1/games/{game}/events/stream", headers=bot.headers) as stream:
        lines = stream.aiter_lines()
        assert await anext(lines) == "retry: 2000"
        await service.give(game, anna, "put-up", coins=1)
        while not (await anext(lines)).startswith("event: "):
            pass
        await service.ask("DELETE", f"/v1/tokens/{token}", anna)
        await service.give(game, anna, "open-bidding")
        assert not [line async for line in lines if line.startswith("id: ")]


@pytest.mark.parametrize("over", ["server-sent events", "a socket"])
@pytest.mark.parametrize("how", ["revoked", "account closed"])
async def test_an_idle_stream_ends_with_its_token(tmp_path: Path, over: str, how: str) -> None:
    """Though nothing happens, no heartbeat comes and its token is remembered for long."""
    async with serving(tmp_path, heartbeat=600, token_cache=60) as service:
        anna, bert = await service.register("Anna"), await service.register("Bert")
        game = await service.begun(anna, bert)
        bot = await narrower(service, anna, "play")
        token = (await service.get("/v1/players/me", bot))["token"]

        async def end() -> None:
            if how == "revoked":
                await service.ask("DELETE", f"/v1/tokens/{token}", anna)
            else:
                await service.services.accounts.close(PlayerId(anna.id))

        if over == "a socket":
            url = str(service.client.base_url).replace("http", "ws") + f"/v1/games/{game}/events/socket"
            async with connect(url, proxy=None, additional_headers=bot.headers) as socket:
                await end()
                assert json.loads(await socket.recv())["data"]["type"] == TOKEN_ENDED.type
        else:
            async with service.client.stream("GET", f"/v1/games/{game}/events/stream", headers=bot.headers) as stream:
                lines = stream.aiter_lines()
                assert await anext(lines) == "retry: 2000"
                await end()
                assert not [line async for line in lines if line.startswith("event: ")]


@pytest.fixture
async def two(tmp_path: Path, postgres_url: str) -> AsyncIterator[tuple[Service, Service]]:
    """Two services over one database."""
    async with (
        serving(tmp_path / "a", database_url=postgres_url, token_cache=0.3, heartbeat=600) as one,
        serving(tmp_path / "b", database_url=postgres_url, token_cache=0.3, heartbeat=600) as other,
    ):
        yield one, other


@pytest.mark.parametrize("how", ["revoked", "replaced"])
async def test_an_idle_stream_ends_when_another_process_ends_its_token(two: tuple[Service, Service], how: str) -> None:
    one, other = two
    anna, bert = await one.register("Anna"), await one.register("Bert")
    game = await one.begun(anna, bert)
    bot = await narrower(one, anna, "play")
    token = (await other.get("/v1/players/me", bot))["token"]
    async with other.client.stream("GET", f"/v1/games/{game}/events/stream", headers=bot.headers) as stream:
        lines = stream.aiter_lines()
        assert await anext(lines) == "retry: 2000"
        if how == "revoked":
            await one.ask("DELETE", f"/v1/tokens/{token}", anna)
        else:
            await one.post(f"/v1/tokens/{token}/rotation", anna, {"overlap": 0})
        assert not [line async for line in lines if line.startswith("event: ")]


@pytest.mark.parametrize("how", ["revoked", "replaced"])
async def test_a_token_revoked_in_one_process_is_soon_refused_by_another(
    two: tuple[Service, Service], how: str
) -> None:
    """Whatever the clock of the other says: that of the first is ahead here."""
    one, other = two
    anna = await one.register("Anna")
    bot = await narrower(one, anna, "play")
    token = (await other.get("/v1/players/me", bot))["token"]
    if how == "revoked":
        await one.ask("DELETE", f"/v1/tokens/{token}", anna)
    else:
        await one.post(f"/v1/tokens/{token}/rotation", anna, {"overlap": 0})
    await asyncio.sleep(0.3)
    assert (await problem(other, "GET", "/v1/players/me", bot))[0] == "token-ended"
