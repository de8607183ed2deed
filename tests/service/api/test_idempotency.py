"""Requests that are repeated: each endpoint that changes something, with one key and with another."""

import asyncio
import re
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from msgspec import Struct

from domain.kernel.ids import PlayerId
from service.api.contract.document import endpoints
from service.base.clock import written
from service.store.expiry import BATCH, forget_ended
from tests.service.api.serving import Player, Service, serving
from tests.service.rig import Hands

NO_KEY = {"checkCommands", "checkPublication", "checkUpgrade", "askWhatIf", "tryLesson"}
"""What changes nothing, although its method is POST."""

OF_ONE_GAME = {"invite"}
"""What has no body, and whose keys count for the game in its address: a key cannot stand for two requests."""

REPEATABLE = re.compile(
    r"repeating (it|the request) (changes nothing|gives another)|so does repeating it"
    r"|repeated request (?!with the same `Idempotency-Key`)[^.]*changes nothing",
    re.IGNORECASE,
)


def bearer(token: str, player: str = "") -> Player:
    return Player(player, {"authorization": f"Bearer {token}"})


def same(one: httpx.Response, other: httpx.Response) -> bool:
    return (one.status_code, one.content) == (other.status_code, other.content)


def repeated(first: httpx.Response, again: httpx.Response) -> bool:
    """Tell whether one answer is the other's, byte for byte but for the word that says so."""
    expected = first.content.replace(b'"repeated":false', b'"repeated":true')
    return (again.status_code, again.headers.get("etag")) == (200, first.headers["etag"]) and again.content == expected


def kind(answer: httpx.Response) -> str:
    return answer.json()["type"].removeprefix("/problems/")


def test_every_endpoint_that_changes_something_says_what_a_repetition_does() -> None:
    found: dict[str, tuple[bool, bool]] = {}
    for _, method, said in endpoints():
        if method != "GET" and said.name not in NO_KEY:
            takes, says = "Idempotency-Key" in said.headers, bool(REPEATABLE.search(" ".join(said.description.split())))
            found[said.name] = takes, says
            said_so = "`Idempotency-Key`" in said.description
            assert takes == said_so, f"say in the docstring of {said.name} what an `Idempotency-Key` does, or take none"
            reusable = takes and said.name not in OF_ONE_GAME
            assert reusable == ("key-reused" in {each.slug for each in said.problems}), said.name
    assert {name for name, (takes, says) in found.items() if takes == says} == set()


# --- accounts and tokens ---


async def test_a_repeated_registration_opens_one_account(service: Service) -> None:
    key = str(uuid4())
    first = await service.ask("POST", "/v1/players", None, {"name": "Anna"}, idempotency_key=key)
    again = await service.ask("POST", "/v1/players", None, {"name": "Anna"}, idempotency_key=key)
    assert first.status_code == 201
    assert same(first, again)
    assert first.headers["location"] == again.headers["location"]
    me = await service.get("/v1/players/me", bearer(again.json()["token"]))
    assert me["id"] == first.json()["player"]["id"]
    assert len(await service.services.accounts.players(None, PlayerId(""), 10)) == 1


async def test_registrations_at_once_with_one_key_open_one_account(service: Service) -> None:
    key = str(uuid4())
    answers = await asyncio.gather(
        *(service.ask("POST", "/v1/players", None, {"name": "Anna"}, idempotency_key=key) for _ in range(10))
    )
    assert len({answer.content for answer in answers}) == 1
    assert answers[0].status_code == 201


@pytest.mark.parametrize("key", ["1", "anna", "a" * 40, "12345" * 10, "f81d4fae7dec11d0a76500a0c91e6bf"])
async def test_a_key_that_can_be_guessed_registers_nobody(service: Service, key: str) -> None:
    answer = await service.ask("POST", "/v1/players", None, {"name": "Anna"}, idempotency_key=key)
    assert (answer.status_code, kind(answer)) == (400, "invalid-header")
    assert "UUID" in answer.json()["allowed"]
    assert await service.services.accounts.players(None, PlayerId(""), 10) == []


async def test_a_key_shows_its_token_only_with_the_same_request(service: Service, anna: Player) -> None:
    key = str(uuid4())
    first = await service.ask("POST", "/v1/players", None, {"name": "Bert"}, idempotency_key=key)
    other = await service.ask("POST", "/v1/players", None, {"name": "Carl"}, idempotency_key=key)
    assert (other.status_code, kind(other)) == (422, "key-reused")
    assert first.json()["token"] not in other.text
    # Of an account the keys are its own.
    by_anna = await service.ask("POST", "/v1/players", anna, {"name": "Bert"}, idempotency_key=key)
    assert by_anna.status_code == 201
    assert by_anna.json()["player"]["id"] != first.json()["player"]["id"]


async def test_an_account_may_register_others_with_short_keys(service: Service, anna: Player, bert: Player) -> None:
    body = {"name": "Carl"}
    one, two = [await service.ask("POST", "/v1/players", anna, body, idempotency_key="1") for _ in range(2)]
    assert one.status_code == 201
    assert same(one, two)
    other = await service.ask("POST", "/v1/players", bert, body, idempotency_key="1")
    assert other.json()["player"]["id"] != one.json()["player"]["id"]


async def test_what_is_kept_of_a_key_opens_nothing(service: Service) -> None:
    """The store holds a hash of the key and a nonce; the token follows from the key itself."""
    key = str(uuid4())
    answer = await service.ask("POST", "/v1/players", None, {"name": "Anna"}, idempotency_key=key)
    token = answer.json()["token"]
    files = [path for path in service.services.settings.data.rglob("*") if path.is_file()]
    assert not [path for path in files if key.encode() in path.read_bytes() or token.encode() in path.read_bytes()]


async def test_a_repeated_request_makes_one_token(service: Service, anna: Player, bert: Player) -> None:
    body = {"name": "bot", "scopes": ["play"]}
    first, again = [await service.ask("POST", "/v1/tokens", anna, body, idempotency_key="1") for _ in range(2)]
    assert first.status_code == 201
    assert same(first, again)
    assert (await service.get("/v1/players/me", bearer(again.json()["token"])))["id"] == anna.id
    assert len((await service.get("/v1/tokens", anna))["items"]) == 2
    other = await service.ask("POST", "/v1/tokens", anna, {**body, "name": "other"}, idempotency_key="1")
    assert (other.status_code, kind(other)) == (422, "key-reused")
    of_bert = await service.ask("POST", "/v1/tokens", bert, body, idempotency_key="1")
    assert of_bert.json()["details"]["id"] != first.json()["details"]["id"]


async def test_a_token_is_told_again_only_to_whoever_may_make_it(service: Service, anna: Player) -> None:
    body = {"name": "all", "scopes": ["account", "play"]}
    first = await service.ask("POST", "/v1/tokens", anna, body, idempotency_key="1")
    made = await service.post("/v1/tokens", anna, {"name": "bot", "scopes": ["play"]})
    bot = bearer(made["token"])
    again = await service.ask("POST", "/v1/tokens", bot, body, idempotency_key="1")
    assert (again.status_code, kind(again)) == (403, "scope-missing")
    url = f"/v1/tokens/{first.json()['details']['id']}/rotation"
    rotated = await service.ask("POST", url, anna, {}, idempotency_key="2")
    assert rotated.status_code == 201
    assert kind(await service.ask("POST", url, bot, {}, idempotency_key="2")) == "scope-missing"


async def test_a_repeated_rotation_gets_the_token_of_the_first(service: Service, anna: Player) -> None:
    url = "/v1/tokens/current/rotation"
    first, again = [await service.ask("POST", url, anna, {"overlap": 60}, idempotency_key="1") for _ in range(2)]
    assert first.status_code == 201
    assert same(first, again)
    assert (await service.get("/v1/players/me", bearer(again.json()["token"])))["id"] == anna.id
    assert kind(await service.ask("POST", url, anna, {"overlap": 61}, idempotency_key="1")) == "key-reused"
    assert kind(await service.ask("POST", url, anna, {"overlap": 60}, idempotency_key="2")) == "token-replaced"


async def test_rotations_at_once_with_one_key_make_one_token(service: Service, anna: Player) -> None:
    url = "/v1/tokens/current/rotation"
    answers = await asyncio.gather(*(service.ask("POST", url, anna, {}, idempotency_key="1") for _ in range(10)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1


async def test_what_is_ended_or_granted_may_be_said_again(service: Service, anna: Player) -> None:
    admin, value = await service.services.accounts.register("Olga", ("account", "admin"))
    olga = bearer(value, admin.player)
    made = await service.post("/v1/tokens", anna, {"name": "bot", "scopes": ["play"]})
    url = f"/v1/tokens/{made['details']['id']}"
    assert same(await service.ask("DELETE", url, anna), await service.ask("DELETE", url, anna))
    url, body = f"/v1/players/{anna.id}/scopes", {"scopes": ["play"]}
    assert same(await service.ask("PUT", url, olga, body), await service.ask("PUT", url, olga, body))
    url = f"/v1/players/{anna.id}"
    assert same(await service.ask("DELETE", url, olga), await service.ask("DELETE", url, olga))


# --- games ---


async def test_every_request_to_a_game_gets_its_first_answer_again(
    service: Service, anna: Player, bert: Player
) -> None:
    body = {"ruleset": "tiny-auction", "players": 2, "title": "Sunday"}
    created = await service.ask("POST", "/v1/games", anna, body, idempotency_key="1")
    url = created.headers["location"]
    await service.post(f"{url}/seats", bert, {"seat": "blue"})
    await service.post(f"{url}/seats", anna, {})
    asked: tuple[tuple[str, str, Any], ...] = (
        ("DELETE", f"{url}/seats/red", None),
        ("POST", f"{url}/seats", {"entropy": "e"}),
        ("POST", f"{url}/start", None),
        ("POST", f"{url}/commands", {"command": {"type": "put-up", "coins": 1}}),
        ("POST", f"{url}/commands", {"command": {"type": "undo", "to": 7}}),
    )
    firsts: list[httpx.Response] = []
    for number, (method, path, content) in enumerate(asked):
        firsts.append(await service.ask(method, path, anna, content, idempotency_key=f"k{number}"))
        assert firsts[-1].status_code == 200, firsts[-1].text
    await service.give(url.rpartition("/")[2], anna, "put-up", coins=2)
    for number, ((method, path, content), first) in enumerate(zip(asked, firsts, strict=True)):
        again = await service.ask(method, path, anna, content, idempotency_key=f"k{number}")
        assert repeated(first, again), path
        reused = await service.ask("POST", f"{url}/commands", anna, {"command": {}}, idempotency_key=f"k{number}")
        assert (reused.status_code, kind(reused)) == (422, "key-reused"), path
    assert same(created, await service.ask("POST", "/v1/games", anna, body, idempotency_key="1"))


# --- their end ---


class Aged(Struct):
    """What was asked under keys, some time ago."""

    service: Service
    clock: Hands
    anna: Player

    async def register(self, key: str) -> httpx.Response:
        return await self.service.ask("POST", "/v1/players", None, {"name": "Bert"}, idempotency_key=key)

    async def create(self) -> str:
        body = {"ruleset": "tiny-auction", "players": 2}
        return (await self.service.post("/v1/games", self.anna, body, idempotency_key="1"))["id"]

    async def forget(self) -> int:
        services = self.service.services
        return await forget_ended(services.store, written(self.clock.now), services.settings.key_hours)


async def test_a_key_is_kept_for_its_time_and_is_new_after_it(tmp_path: Path, database_url: str) -> None:
    clock = Hands()
    async with serving(tmp_path, clock=clock, durable=False, database_url=database_url, key_hours=24) as service:
        aged, key = Aged(service, clock, await service.register("Anna")), str(uuid4())
        registered, game = await aged.register(key), await aged.create()
        clock.now += timedelta(hours=23, minutes=59)
        assert await aged.forget() == 0
        assert same(registered, await aged.register(key))
        assert await aged.create() == game
        clock.now += timedelta(minutes=2)
        assert await aged.forget() == 2
        other = await aged.register(key)
        assert other.status_code == 201
        assert other.json()["player"]["id"] != registered.json()["player"]["id"]
        # A game's id follows from the key. The next one has another, and is found under the key as the first was.
        second = await aged.create()
        assert second != game
        assert await aged.create() == second
        clock.now += timedelta(days=2)
        assert await aged.forget() == 2
        assert len({game, second, await aged.create()}) == 3


async def test_all_ended_keys_are_deleted_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Hands()
    async with serving(tmp_path, clock=clock, durable=False) as service:
        anna = await service.register("Anna")
        deleted: list[int] = []
        forget = service.services.store.forget_keys

        async def counted(before: str, limit: int) -> int:
            deleted.append(await forget(before, limit))
            return deleted[-1]

        monkeypatch.setattr(service.services.store, "forget_keys", counted)
        monkeypatch.setattr("service.store.expiry.BATCH", 2)
        assert BATCH > 2
        game = await service.gathering(anna)
        for number in range(5):
            await service.ask("DELETE", f"/v1/games/{game}/seats/red", anna, idempotency_key=f"leave-{number}")
            await service.post(f"/v1/games/{game}/seats", anna, {})
        clock.now += timedelta(days=3)
        await forget_ended(service.services.store, written(clock.now), service.services.settings.key_hours)
        assert deleted == [2, 2, 1]
