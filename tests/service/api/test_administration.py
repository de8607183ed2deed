"""What administrators and auditors may do, and what not even they may."""

from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from domain.kernel.ids import PlayerId
from domain.kernel.proof.verify import verify
from projections.cursor import Cursor
from service.base.scopes import EVERYBODYS, Scope
from service.store.protocol import StoreUnavailable
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_mine import eventually
from tests.service.rig import LIBRARY


async def appointed(service: Service, *scopes: Scope) -> Player:
    row, value = await service.services.accounts.register("Olga", (*EVERYBODYS, *scopes))
    return Player(row.player, {"authorization": f"Bearer {value}"})


async def only(service: Service, player: Player, scope: str) -> Player:
    made = await service.post("/v1/tokens", player, {"name": scope, "scopes": [scope]})
    return Player(player.id, {"authorization": f"Bearer {made['token']}"})


async def put(service: Service, player: Player, of: str, *scopes: str) -> Any:
    answer = await service.ask("PUT", f"/v1/players/{of}/scopes", player, {"scopes": scopes})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_an_administrator_makes_an_auditor_who_makes_his_token(service: Service, anna: Player) -> None:
    admin = await only(service, await appointed(service, "admin"), "admin")
    account = await put(service, admin, anna.id, *EVERYBODYS, "audit")
    assert account["scopes"] == ["account", "play", "organize", "judge", "notify", "audit"]
    auditor = await only(service, anna, "audit")
    assert (await service.get("/v1/log", auditor))["items"] == []
    page = await service.get("/v1/players?scope=audit", auditor)
    assert [account["id"] for account in page["items"]] == [anna.id]


async def test_an_auditor_reads_every_log_and_no_secret_of_a_running_game(
    service: Service, anna: Player, bert: Player
) -> None:
    auditor = await only(service, await appointed(service, "audit"), "audit")
    game = await service.begun(anna, bert)
    await service.give(game, anna, "put-up", coins=1)
    await service.give(game, anna, "open-bidding")
    await service.give(game, anna, "choose-card", card=await service.first_card(game, anna))
    events = (await service.get(f"/v1/games/{game}/events?limit=500"))["items"]
    seen: list[Any] = []
    cursor = ""
    while page := (answer := await service.get(f"/v1/log?limit=3{cursor}", auditor))["items"]:
        seen += page
        cursor = f"&cursor={answer['next']}"
    assert seen == [{"game": game, "event": event} for event in events]
    for what in ("", "/state", "/events", "/history", "/export"):
        answer = await service.ask("GET", f"/v1/games/{game}{what}", auditor)
        assert answer.text == (await service.ask("GET", f"/v1/games/{game}{what}")).text
    await service.give(game, bert, "choose-card", card=await service.first_card(game, bert))
    more = await service.get(f"/v1/log?{cursor.removeprefix('&')}", auditor)
    assert more["items"], "its cursor goes on when there is more"


async def test_the_log_says_where_it_ends_and_refuses_a_cursor_beyond(
    service: Service, anna: Player, bert: Player
) -> None:
    auditor = await only(service, await appointed(service, "audit"), "audit")
    await service.begun(anna, bert)
    whole = await service.get("/v1/log?limit=500", auditor)
    number = len(whole["items"])
    for limit in (1, number - 1):
        assert not (await service.get(f"/v1/log?limit={limit}", auditor))["last"]
    end = await service.get(f"/v1/log?limit={number}", auditor)
    assert end == whole
    assert end["last"], "also a full page may be the last"
    after = await service.get(f"/v1/log?cursor={end['next']}", auditor)
    assert after == {"items": [], "next": end["next"], "last": True}
    one_more = Cursor.parse(end["next"], service.services.store.books).plus({0: 1})
    beyond = await service.ask("GET", f"/v1/log?cursor={one_more}", auditor)
    assert (beyond.status_code, beyond.json()["type"]) == (400, "/problems/invalid-query")
    assert f"ends at {end['next']}" in beyond.json()["detail"]


async def test_an_auditor_who_organizes_or_plays_sees_no_more_by_an_auditors_token(
    service: Service, anna: Player, bert: Player
) -> None:
    olga = await appointed(service, "audit")
    game = await service.begun(anna, bert, organizer=olga, organizer_sees="all")
    auditor = await only(service, olga, "audit")
    assert (await service.get(f"/v1/games/{game}/state", olga))["everything"]
    assert not (await service.get(f"/v1/games/{game}/state", auditor))["everything"]


async def test_accounts_and_their_tokens_are_listed_without_any_value(
    service: Service, anna: Player, bert: Player
) -> None:
    olga = await appointed(service, "audit")
    page = await service.get("/v1/players?limit=2", olga)
    rest = await service.get(f"/v1/players?limit=2&cursor={page['next']}", olga)
    assert sorted(account["id"] for account in page["items"] + rest["items"]) == sorted([anna.id, bert.id, olga.id])
    assert rest["next"] is None
    tokens = await service.get(f"/v1/players/{anna.id}/tokens", olga)
    assert [token["name"] for token in tokens["items"]] == ["registration"]
    assert anna.headers["authorization"].removeprefix("Bearer ") not in str(tokens)


async def test_a_scope_taken_from_an_account_is_taken_from_its_tokens(service: Service, anna: Player) -> None:
    admin = await appointed(service, "admin")
    await put(service, admin, anna.id, "account", "organize")
    me = await service.get("/v1/players/me", anna)
    assert me["scopes"] == me["granted"] == ["account", "organize"]
    game = await service.gathering(admin)
    answer = await service.ask("POST", f"/v1/games/{game}/seats", anna, {})
    assert answer.json()["type"] == "/problems/scope-missing"
    assert "administrator" in answer.json()["allowed"]
    await put(service, admin, anna.id, *EVERYBODYS)
    await service.post(f"/v1/games/{game}/seats", anna, {})


async def test_an_administrator_ends_anybodys_token_and_gets_none(service: Service, anna: Player) -> None:
    admin = await only(service, await appointed(service, "admin"), "admin")
    (token,) = (await service.get(f"/v1/players/{anna.id}/tokens", admin))["items"]
    answer = await service.ask("POST", f"/v1/tokens/{token['id']}/rotation", admin, {})
    assert answer.json()["type"] == "/problems/no-such-token"
    assert (await service.ask("DELETE", f"/v1/tokens/{token['id']}", admin)).status_code == 200
    assert (await service.ask("GET", "/v1/players/me", anna)).json()["type"] == "/problems/token-ended"


async def test_an_administrator_makes_nothing_of_his_own_wider_tokens(service: Service) -> None:
    """The scope `admin` ends tokens; what a replacement is worth takes `account`."""
    olga = await appointed(service, "admin")
    admin = await only(service, olga, "admin")
    wider = (await service.get("/v1/players/me", olga))["token"]
    refused = (await service.ask("POST", f"/v1/tokens/{wider}/rotation", admin, {})).json()
    assert (refused["type"], refused["scopes"]) == ("/problems/scope-missing", ["account"])
    assert (await service.ask("DELETE", f"/v1/tokens/{wider}", admin)).status_code == 200


async def test_a_closed_account_does_nothing_more_and_its_games_stay(
    service: Service, anna: Player, bert: Player
) -> None:
    admin = await appointed(service, "admin")
    game = await service.begun(anna, bert)
    closed = (await service.ask("DELETE", f"/v1/players/{anna.id}", admin)).json()
    assert closed["closed"] is not None
    answer = await service.ask("GET", "/v1/players/me", anna)
    assert (answer.status_code, answer.json()["type"]) == (401, "/problems/token-ended")
    assert "account was closed" in answer.json()["detail"]
    shown = await service.get(f"/v1/games/{game}", bert)
    assert (shown["seats"][0]["player"], shown["given_up"]) == (anna.id, ["red"])
    assert (await service.ask("DELETE", f"/v1/players/{anna.id}", admin)).json() == closed


async def test_players_close_their_own_accounts(service: Service, anna: Player, bert: Player) -> None:
    julia, carl = await service.register("Julia"), await service.register("Carl")
    over, game = await service.begun(anna, bert, rounds=1), await service.begun(anna, bert)
    await service.play_out(over, anna, bert)
    judged = await service.begun(bert, carl)
    await service.ask("PUT", f"/v1/games/{judged}/officials/{anna.id}", bert)
    wish = {"ruleset": "tiny-auction", "players": 2, "title": "Anna and friends"}
    waiting = (await service.post("/v1/games", anna, wish))["id"]
    await service.post(f"/v1/games/{waiting}/seats", julia, {})
    await eventually(service, "/v1/games?text=anna", lambda page: len(page["items"]) == 1)
    before = (await service.ask("GET", f"/v1/games/{over}/export")).content
    playing = await only(service, anna, "play")
    url = f"/v1/players/me?confirm={anna.id}"
    for wrong in ("", f"?confirm={bert.id}"):
        assert (await service.ask("DELETE", f"/v1/players/me{wrong}", anna)).json()["type"] == "/problems/invalid-query"
    refused = await service.ask("DELETE", url, playing)
    assert (refused.status_code, refused.json()["type"]) == (403, "/problems/scope-missing")

    answer = await service.ask("DELETE", url, anna)
    name = answer.json()["name"]
    assert (answer.status_code, "Anna" in answer.text, name) == (200, False, f"Former player {anna.id[1:6]}")
    for player in (anna, playing):
        assert (await service.ask("DELETE", url, player)).json()["type"] == "/problems/token-ended"
    shown = {each: await service.get(f"/v1/games/{each}", bert) for each in (over, game, waiting, judged)}
    assert "Anna" not in str(shown)
    assert shown[over]["seats"][0]["name"] == shown[game]["seats"][0]["name"] == name
    assert (shown[game]["given_up"], shown[game]["organizer"]) == (["red"], bert.id)
    assert (shown[waiting]["title"], shown[waiting]["organizer"]) == (f"{name} and friends", julia.id)
    assert (shown[judged]["officials"], (await service.get("/v1/games?text=anna"))["items"]) == ([], [])
    assert (await service.get(f"/v1/players/{anna.id}"))["name"] == name
    assert (await service.ask("GET", f"/v1/games/{over}/export")).content == before
    export = (await service.ask("GET", f"/v1/games/{game}/export")).content
    assert verify(export.splitlines(keepends=True), LIBRARY).ok


@pytest.mark.parametrize("breaks", ["unlink_all", "close"])
async def test_a_closing_that_breaks_off_can_be_repeated(
    service: Service, anna: Player, monkeypatch: pytest.MonkeyPatch, breaks: str
) -> None:
    accounts, url = service.services.accounts, f"/v1/players/me?confirm={anna.id}"
    await service.services.store.accounts.link(PlayerId(anna.id), "https://login.example", "anna")
    with monkeypatch.context() as patched:
        patched.setattr(accounts, breaks, mock.AsyncMock(side_effect=StoreUnavailable("away")))
        assert (await service.ask("DELETE", url, anna)).status_code == 503
    assert (await service.ask("DELETE", url, anna)).status_code == 200
    assert await service.services.store.accounts.identities(PlayerId(anna.id)) == []


@pytest.mark.parametrize("path", ["/v1/players/nobody", "/v1/players/nobody/scopes", "/v1/players/nobody/tokens"])
async def test_nobodys_account_is_not_found(service: Service, path: str) -> None:
    admin = await appointed(service, "admin")
    method = {"nobody": "DELETE", "scopes": "PUT", "tokens": "GET"}[path.rpartition("/")[2]]
    answer = await service.ask(method, path, admin, {"scopes": []} if method == "PUT" else None)
    assert answer.json()["type"] == "/problems/unknown-player"


@pytest.mark.rule("TAB-LIFE-06")
async def test_a_game_passes_on_when_the_account_of_its_organizer_is_closed(
    service: Service, anna: Player, bert: Player
) -> None:
    admin = await appointed(service, "admin")
    running, waiting = await service.begun(anna, bert), await service.gathering(anna)
    await service.ask("PUT", f"/v1/games/{waiting}/seats/blue/bot", anna, {"level": "random"})
    await service.ask("DELETE", f"/v1/players/{anna.id}", admin)
    shown = await service.get(f"/v1/games/{running}", bert)
    assert (shown["organizer"], shown["given_up"]) == (bert.id, ["red"])
    assert (await service.get(f"/v1/games/{waiting}"))["status"] == "cancelled", "only a bot is left"
    for row in (await service.get("/v1/players/me/games", bert))["items"]:
        assert row["organizer"] == bert.id
    assert (await service.ask("PUT", f"/v1/games/{running}/seats/red/bot", bert, {"level": "random"})).is_success
    events = (await service.get(f"/v1/games/{running}/events"))["items"]
    assert [each["type"] for each in events[-3:]] == ["seat-given-up", "organizer-changed", "seat-taken-over"]
    await service.ask("DELETE", f"/v1/players/{anna.id}", admin)
    events = (await service.get(f"/v1/games/{running}/events"))["items"]
    passed = [each["type"] for each in events if each["type"] in ("seat-given-up", "organizer-changed")]
    assert passed == ["seat-given-up", "organizer-changed"], "repeating it changes nothing; the bot may have moved"


async def test_where_registration_is_closed_administrators_open_accounts(tmp_path: Path) -> None:
    async with serving(tmp_path, durable=False, registration=False) as service:
        admin = await only(service, await appointed(service, "admin"), "admin")
        for player in (None, await appointed(service, "audit")):
            answer = await service.ask("POST", "/v1/players", player, {"name": "Livia"})
            assert (answer.status_code, answer.json()["type"]) == (403, "/problems/registration-closed")
        opened = await service.post("/v1/players", admin, {"name": "Livia"})
        livia = Player(opened["player"]["id"], {"authorization": f"Bearer {opened['token']}"})
        assert (await service.get("/v1/players/me", livia))["scopes"] == list(EVERYBODYS)
