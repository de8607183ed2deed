"""Games until they begin, and the promises that hold for every request that changes one."""

import asyncio
import hashlib

import pytest

from tests.service.api.serving import Player, Service


async def test_a_player_registers_once_and_is_known_by_the_token(service: Service) -> None:
    answer = await service.ask("POST", "/v1/players", body={"name": "Livia"})
    registered = answer.json()

    assert answer.status_code == 201
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["location"] == f"/v1/players/{registered['player']['id']}"
    livia = Player(registered["player"]["id"], {"authorization": f"Bearer {registered['token']}"})
    me = await service.get("/v1/players/me", livia)
    assert registered["player"].items() <= me.items()
    assert me["scopes"] == me["granted"] == ["account", "play", "organize", "judge", "notify"]
    assert await service.get(f"/v1/players/{livia.id}") == registered["player"]


async def test_a_name_that_looks_like_another_in_the_game_is_marked(service: Service, anna: Player) -> None:
    answer = await service.ask("POST", "/v1/players", body={"name": "\u0410nna"})  # with a Cyrillic A
    assert answer.status_code == 201
    other = Player(answer.json()["player"]["id"], {"authorization": f"Bearer {answer.json()['token']}"})
    game = await service.post("/v1/games", anna, {"ruleset": "tiny-auction", "players": 2})
    url = f"/v1/games/{game['id']}"
    await service.post(f"{url}/seats", anna, {"seat": "blue"})
    assert [seat["looks_alike"] for seat in (await service.get(url))["seats"]] == [False, False]
    await service.post(f"{url}/seats", other, {})
    assert [seat["looks_alike"] for seat in (await service.get(url))["seats"]] == [True, True]
    assert [seat["looks_alike"] for seat in (await service.get("/v1/games"))["items"][0]["seats"]] == [True, True]


async def test_an_official_whose_name_looks_like_a_players_is_marked(
    service: Service, anna: Player, bert: Player
) -> None:
    answer = await service.ask("POST", "/v1/players", body={"name": "\u0410nna"})  # with a Cyrillic A
    url = f"/v1/games/{(await service.post('/v1/games', anna, {'ruleset': 'tiny-auction', 'players': 2}))['id']}"
    await service.post(f"{url}/seats", anna, {"seat": "blue"})
    await service.post(f"{url}/seats", bert, {})
    for official in (answer.json()["player"]["id"], (await service.register("Julia")).id):
        assert (await service.ask("PUT", f"{url}/officials/{official}", anna)).status_code == 200
    shown = await service.get(url)
    assert {each["name"]: each["looks_alike"] for each in shown["seats"]} == {"Anna": True, "Bert": False}
    assert [each["looks_alike"] for each in shown["officials"]] == [True, False]


async def test_a_game_is_created_joined_and_started(service: Service, anna: Player, bert: Player) -> None:
    answer = await service.ask("POST", "/v1/games", anna, {"ruleset": "tiny-auction", "players": 2, "title": "Tuesday"})
    game = answer.json()
    assert (answer.status_code, answer.headers["etag"]) == (201, '"1"')
    assert answer.headers["location"] == f"/v1/games/{game['id']}"
    assert game["organizer"] == anna.id
    assert [seat["player"] for seat in game["seats"]] == [None, None]

    url = f"/v1/games/{game['id']}"
    await service.post(f"{url}/seats", anna, {"seat": "blue", "entropy": "my own dice"})
    await service.post(f"{url}/seats", bert, {})
    joined = await service.get(url)
    assert [(seat["seat"], seat["name"]) for seat in joined["seats"]] == [("red", "Bert"), ("blue", "Anna")]

    started = await service.post(f"{url}/start", bert)
    running = await service.get(url, anna)
    assert started["version"] == running["version"] > 3
    assert (running["status"], running["you"], running["heading"]) == ("running", "blue", "Round 1")
    assert running["decisions"][0]["seats"] == ["red"]


async def test_a_seat_can_be_left_before_the_game_begins(service: Service, anna: Player) -> None:
    game = await service.gathering(anna)
    left = await service.ask("DELETE", f"/v1/games/{game}/seats/red", anna)
    assert left.status_code == 200
    assert (await service.get(f"/v1/games/{game}"))["seats"][0]["player"] is None


async def test_games_are_listed_by_status_ruleset_and_player(service: Service, anna: Player, bert: Player) -> None:
    first = await service.begun(anna, bert)
    second = await service.gathering(anna)

    async def listed(query: str) -> list[str]:
        return [game["id"] for game in (await service.get(f"/v1/games?{query}"))["items"]]

    assert await listed("") == [second, first]
    assert await listed("status=running") == [first]
    assert await listed(f"player={bert.id}") == [first]
    assert await listed("ruleset=other") == []


async def test_a_list_is_read_page_by_page(service: Service, anna: Player) -> None:
    games = [await service.gathering(anna) for _ in range(5)]
    seen, query = [], "limit=2"
    while query:
        page = await service.get(f"/v1/games?{query}")
        seen += [game["id"] for game in page["items"]]
        query = page["next"] and f"limit=2&cursor={page['next']}"
    assert seen == games[::-1]


async def test_a_repeated_request_gets_the_first_answer(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    body = {"command": {"type": "put-up", "coins": 1}}
    url = f"/v1/games/{game}/commands"

    first = await service.post(url, anna, body, idempotency_key="k1")
    await service.give(game, anna, "put-up", coins=1)
    again = await service.post(url, anna, body, idempotency_key="k1")

    assert again == {**first, "repeated": True}
    assert (await service.get(f"/v1/games/{game}"))["version"] == first["version"] + 1


async def test_creating_with_the_same_key_creates_one_game(service: Service, anna: Player) -> None:
    body = {"ruleset": "tiny-auction", "players": 2}
    first = await service.post("/v1/games", anna, body, idempotency_key="once")
    again = await service.post("/v1/games", anna, body, idempotency_key="once")
    assert again == first
    assert len((await service.get("/v1/games"))["items"]) == 1


async def test_fifty_requests_with_one_key_have_one_effect(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    before = (await service.get(f"/v1/games/{game}"))["version"]
    body = {"command": {"type": "put-up", "coins": 1}}

    answers = await asyncio.gather(
        *(service.post(f"/v1/games/{game}/commands", anna, body, idempotency_key="k") for _ in range(50))
    )

    assert {answer["version"] for answer in answers} == {before + 1}
    assert (await service.get(f"/v1/games/{game}"))["version"] == before + 1


async def test_if_match_takes_a_command_only_at_that_version(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    version = (await service.get(f"/v1/games/{game}"))["version"]
    body = {"command": {"type": "put-up", "coins": 1}}
    url = f"/v1/games/{game}/commands"

    stale = await service.ask("POST", url, anna, body, if_match=f'"{version - 1}"')
    assert (stale.status_code, stale.json()["version"]) == (412, version)
    taken = await service.ask("POST", url, anna, body, if_match=f'"{version}"')
    assert (taken.status_code, taken.headers["etag"]) == (200, f'"{version + 1}"')


async def test_if_match_takes_what_rfc_9110_lets_it_be_or_says_what_it_takes(
    service: Service, anna: Player, bert: Player
) -> None:
    game = await service.begun(anna, bert)
    version = (await service.get(f"/v1/games/{game}"))["version"]
    url, body = f"/v1/games/{game}/commands/check", {"command": {"type": "put-up", "coins": 1}}

    async def status(*lines: str) -> int:
        headers = [*anna.headers.items(), *(("if-match", line) for line in lines)]
        answer = await service.client.post(url, json=body, headers=headers)
        if answer.status_code == 400:
            assert answer.json()["allowed"].startswith('Send one version or several, each in quotes: "17", "18".')
        return answer.status_code

    now, other = f'"{version}"', f'"{version + 1}"'
    for taken in ((now,), (f"{other}, {now}",), (f"{other} ,, {now},",), (other, now), ("*",), (str(version),)):
        assert await status(*taken) == 200, taken
    for stale in ((other,), (f'{other}, "1"',), (other, '"1"')):
        assert await status(*stale) == 412, stale
    for strange in (f"W/{now}", f"{now}, W/{now}", '"new"', f"{now}, {version}", "", ",", '"1', "**", f"{now}, *"):
        assert await status(strange) == 400, strange
    said = await service.ask("POST", url, anna, body, if_match=f'{other}, "1"')
    assert said.json()["detail"] == f"You expected version {version + 1} or 1, but the game is at version {version}."


async def test_the_log_holds_no_key_as_it_was_sent(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    url = f"/v1/games/{game}/commands"
    await service.post(url, anna, {"command": {"type": "put-up", "coins": 1}}, idempotency_key="my-secret-key")
    events = await service.get(f"/v1/games/{game}/events")
    hashed = hashlib.sha256(f"{anna.id}\0my-secret-key".encode()).hexdigest()[:32]
    assert events["items"][-1]["cause"]["key"] == hashed


@pytest.mark.parametrize("named", [True, False])
async def test_another_account_may_be_the_organizer(service: Service, anna: Player, bert: Player, named: bool) -> None:
    body = {"ruleset": "tiny-auction", "players": 2, **({"organizer": bert.id} if named else {})}
    game = await service.post("/v1/games", anna, body)
    assert game["organizer"] == (bert.id if named else anna.id)
