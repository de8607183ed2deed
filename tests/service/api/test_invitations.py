"""Invitations and private games: who gets a seat by a link, and who finds a game."""

import asyncio
import base64
import uuid
from typing import Any

import httpx
import pytest
import structlog

from service.accounts.invitations import MOST_INVITATIONS
from tests.service.api.browsers import browser
from tests.service.api.serving import Player, Service

NEW_GAME: dict[str, Any] = {"ruleset": "tiny-auction", "players": 2}


def kind(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["type"].removeprefix("/problems/")


async def invited(service: Service, organizer: Player, **game: Any) -> tuple[str, str]:
    """Return a new game and the address of an invitation to it."""
    made = (await service.post("/v1/games", organizer, {**NEW_GAME, **game}))["id"]
    token = (await service.post(f"/v1/games/{made}/invitations", organizer))["token"]
    return made, f"/v1/invitations/{token}"


# --- invitations ---


async def test_a_link_seats_those_who_follow_it_until_the_seats_are_full(
    service: Service, anna: Player, bert: Player
) -> None:
    game, url = await invited(service, anna, title="Ours")
    shown = await service.get(url)
    assert (shown["organizer"], shown["free"], shown["you"]) == ("Anna", 2, None)
    assert (shown["game"]["id"], shown["game"]["title"]) == (game, "Ours")
    async with browser(service) as page:
        guest = (await page.post("/v1/session", json={})).json()["player"]
        assert (await page.post(url, json={"entropy": "mine"})).json() == {"game": game, "seat": "red", "version": 2}
        assert (await page.get(url)).json()["you"] == "red"
    assert (await service.post(url, bert, {}))["seat"] == "blue"
    assert (await service.get(url))["free"] == 0
    full = await service.ask("POST", url, await service.register("Carla"), {})
    assert kind(full) == (409, "seat-taken")
    assert full.json()["rule"] == "TAB-LIFE-03"
    seats = (await service.get(f"/v1/games/{game}"))["seats"]
    assert [seat["player"] for seat in seats] == [guest["id"], bert.id]


async def test_a_bot_of_somebodys_follows_none(service: Service, anna: Player, bert: Player) -> None:
    _, url = await invited(service, anna)
    await service.ask("PUT", "/v1/players/me/bot", bert)
    assert kind(await service.ask("POST", url, bert, {})) == (403, "not-for-bots")


async def test_following_it_twice_gives_the_same_seat(service: Service, anna: Player, bert: Player) -> None:
    game, url = await invited(service, anna)
    answers = await asyncio.gather(*(service.post(url, bert, {"entropy": str(n)}) for n in range(5)))
    assert {answer["seat"] for answer in answers} == {"red"}
    assert (await service.get(f"/v1/games/{game}"))["version"] == 2
    await service.post(url, anna, {})
    await service.post(f"/v1/games/{game}/start", anna)
    # A player who comes by the link again is led to their seat; nobody else is.
    assert (await service.post(url, bert, {}))["seat"] == "red"
    late = await service.ask("POST", url, await service.register("Carla"), {})
    assert kind(late) == (409, "not-now")
    assert late.json()["rule"].startswith("TAB-LIFE-")


async def test_only_the_organizer_invites_and_only_before_the_start(
    service: Service, anna: Player, bert: Player
) -> None:
    game, _ = await invited(service, anna)
    for method in ("GET", "POST"):
        assert kind(await service.ask(method, f"/v1/games/{game}/invitations", bert)) == (403, "not-organizer")
        assert kind(await service.ask(method, f"/v1/games/{game}/invitations")) == (401, "missing-token")
    begun = await service.begun(anna, bert)
    assert kind(await service.ask("POST", f"/v1/games/{begun}/invitations", anna)) == (409, "not-now")
    assert kind(await service.ask("POST", "/v1/games/gone/invitations", anna)) == (404, "unknown-game")


async def test_a_revoked_invitation_seats_nobody(service: Service, anna: Player, bert: Player) -> None:
    game, url = await invited(service, anna)
    (row,) = (await service.get(f"/v1/games/{game}/invitations", anna))["items"]
    address = f"/v1/games/{game}/invitations/{row['id']}"
    assert kind(await service.ask("DELETE", address, bert)) == (403, "not-organizer")
    other = await service.gathering(bert)
    elsewhere = await service.ask("DELETE", f"/v1/games/{other}/invitations/{row['id']}", bert)
    assert kind(elsewhere) == (404, "unknown-invitation")
    assert (await service.get(url))["free"] == 2
    revoked = (await service.ask("DELETE", address, anna)).json()
    assert revoked["revoked"] is not None
    assert (await service.ask("DELETE", address, anna)).json() == revoked
    for method, body in (("GET", None), ("POST", {})):
        assert kind(await service.ask(method, url, bert, body)) == (404, "unknown-invitation")


async def test_a_value_cannot_be_guessed_and_is_kept_nowhere(service: Service, anna: Player) -> None:
    with structlog.testing.capture_logs() as lines:
        game, url = await invited(service, anna)
        await service.get(url)
    value = url.rpartition("/inv_")[2]
    assert len(base64.urlsafe_b64decode(value + "=" * (-len(value) % 4))) * 8 >= 128
    assert value not in str(lines)
    assert any("/v1/invitations/{secret" in line.get("path", "") for line in lines)
    assert value not in (await service.client.get(f"/v1/games/{game}/invitations", headers=anna.headers)).text
    for guess in (url[:-1], f"{url}x", url.replace("inv_", ""), "/v1/invitations/%00"):
        assert kind(await service.ask("GET", guess)) == (404, "unknown-invitation")


async def test_a_repetition_gets_the_same_invitation(service: Service, anna: Player) -> None:
    game = await service.gathering(anna)
    path, key = f"/v1/games/{game}/invitations", str(uuid.uuid4())
    answers = [await service.post(path, anna, idempotency_key=key) for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    assert (await service.get(f"/v1/invitations/{answers[0]['token']}"))["game"]["id"] == game
    for _ in range(MOST_INVITATIONS - 1):
        await service.post(path, anna)
    assert await service.post(path, anna, idempotency_key=key) == answers[0]
    assert kind(await service.ask("POST", path, anna)) == (409, "too-many-invitations")
    assert len((await service.get(path, anna))["items"]) == MOST_INVITATIONS


async def test_no_more_invitations_are_made_at_once_than_one_after_another(service: Service, anna: Player) -> None:
    path = f"/v1/games/{await service.gathering(anna)}/invitations"
    made = await asyncio.gather(*(service.ask("POST", path, anna) for _ in range(MOST_INVITATIONS + 10)))
    assert sorted(each.status_code for each in made) == [201] * MOST_INVITATIONS + [409] * 10


async def test_revoking_makes_no_room_for_ever_more_invitations(
    service: Service, anna: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.accounts.invitations.MOST_MADE", 3)
    path = f"/v1/games/{await service.gathering(anna)}/invitations"
    for _ in range(3):
        made = await service.post(path, anna)
        await service.ask("DELETE", f"{path}/{made['details']['id']}", anna)
    assert kind(await service.ask("POST", path, anna)) == (409, "too-many-invitations")


async def test_an_official_gets_no_seat_by_a_link(service: Service, anna: Player, bert: Player) -> None:
    game, url = await invited(service, anna)
    await service.ask("PUT", f"/v1/games/{game}/officials/{bert.id}", anna)
    answer = await service.ask("POST", url, bert, {})
    assert answer.json()["rule"] == "TAB-RUL-01"


# --- private games ---


async def listed(service: Service, path: str, player: Player | None = None) -> set[str]:
    return {game["id"] for game in (await service.get(path, player))["items"]}


async def until_told(service: Service, game: str) -> None:
    """Wait until the read models have a game."""
    async with asyncio.timeout(60):
        while game not in await listed(service, f"/v1/games?text={game}"):  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_a_private_game_is_listed_for_those_who_play_or_organize_it(
    service: Service, anna: Player, bert: Player
) -> None:
    carla = await service.register("Carla")
    made = await service.post("/v1/games", anna, {**NEW_GAME, "title": "Secret club", "listed": False})
    open_game = (await service.post("/v1/games", anna, {**NEW_GAME, "title": "Open club"}))["id"]
    game = made["id"]
    assert made["listed"] is False
    await service.post(f"/v1/games/{game}/seats", bert, {})
    await until_told(service, open_game)
    everywhere = ("/v1/games", "/v1/games?text=club", f"/v1/games?text={game}", f"/v1/games?player={bert.id}")
    for path in everywhere:
        assert game not in await listed(service, path), path
        for player in (anna, bert, carla):
            assert game not in await listed(service, path, player), path
    assert open_game in await listed(service, "/v1/games?text=club")
    mine = (await service.get("/v1/players/me/games", anna))["items"]
    assert {each["id"]: each["listed"] for each in mine} == {game: False, open_game: True}
    assert await listed(service, "/v1/players/me/games", bert) == {game}
    assert await listed(service, "/v1/players/me/games", carla) == set()
    assert (await service.get(f"/v1/games/{game}", carla))["listed"] is False, "its address is enough to look"


async def test_a_game_made_private_later_disappears_from_lists_and_comes_back(
    service: Service, anna: Player, bert: Player
) -> None:
    game = await service.begun(anna, bert)
    await until_told(service, game)
    before = await service.get(f"/v1/games/{game}")
    path = f"/v1/games/{game}/listing"
    assert kind(await service.ask("PUT", path, bert, {"listed": False})) == (403, "not-organizer")
    assert kind(await service.ask("PUT", path, anna, {"listed": "no"})) == (422, "invalid-body")
    for _ in range(2):
        hidden = (await service.ask("PUT", path, anna, {"listed": False})).json()
        assert (hidden["listed"], hidden["version"], hidden["head"]) == (False, before["version"], before["head"])
    for path_of_list in ("/v1/games", f"/v1/games?text={game}", "/v1/games?status=running"):
        assert game not in await listed(service, path_of_list)
    assert game not in await listed(service, f"/v1/games?waiting_for={anna.id}")
    assert (await service.ask("PUT", path, anna, {"listed": True})).json()["listed"] is True
    for path_of_list in ("/v1/games", f"/v1/games?text={game}", f"/v1/games?waiting_for={anna.id}"):
        assert game in await listed(service, path_of_list)


async def test_cases_of_a_private_game_are_listed_at_the_game_only(
    service: Service, anna: Player, bert: Player
) -> None:
    game = await service.begun(anna, bert)
    case = {"kind": "slip", "version": 4, "statement": "Oh."}
    opened = (await service.post(f"/v1/games/{game}/cases", anna, case))["summary"]["case"]

    async def cases(path: str) -> set[str]:
        return {each["case"] for each in (await service.get(path))["items"]}

    assert opened in await cases("/v1/cases")
    await service.ask("PUT", f"/v1/games/{game}/listing", anna, {"listed": False})
    assert opened not in await cases("/v1/cases")
    assert opened in await cases(f"/v1/games/{game}/cases")
