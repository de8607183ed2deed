"""What is an account's own: its name, its games, those that wait for it, and one stream for all of them."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from service.api.games import listing
from service.api.players.stream import follow_games
from service.base.scopes import EVERYBODYS
from tests.service.api.serving import Player, Service, serving


def kind(answer: httpx.Response) -> str:
    return answer.json()["type"].removeprefix("/problems/")


def ids(page: Any) -> list[str]:
    return [game["id"] for game in page["items"]]


async def eventually(service: Service, path: str, holds: Callable[[Any], bool]) -> None:
    """Ask until something holds of the answer: projections follow a moment later."""
    for _ in range(1000):
        answer = await service.client.get(path)
        if answer.status_code == 200 and holds(answer.json()):
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it never did")


# --- titles, and games that are cancelled ---


async def test_the_organizer_gives_a_game_another_title(service: Service, anna: Player, bert: Player) -> None:
    game = await service.gathering(bert, organizer=anna)
    url = f"/v1/games/{game}"
    before = await service.get(url)
    changed = await service.ask("PATCH", url, anna, {"title": "The Ides of March"})
    assert changed.status_code == 200
    assert changed.json() == {**before, "title": "The Ides of March"}
    assert changed.headers["etag"] == f'"{before["version"]}"'
    assert (await service.get("/v1/games"))["items"][0]["title"] == "The Ides of March"
    refused = await service.ask("PATCH", url, bert, {"title": "Mine"})
    assert (refused.status_code, kind(refused)) == (403, "not-organizer")
    assert (await service.get(url))["title"] == "The Ides of March"


async def test_a_game_is_found_by_its_new_title_and_no_longer_by_the_old(service: Service, anna: Player) -> None:
    wish = {"ruleset": "tiny-auction", "players": 2, "title": "Old words"}
    game = (await service.post("/v1/games", anna, wish))["id"]
    await eventually(service, "/v1/games?text=old%20words", lambda page: ids(page) == [game])
    await service.ask("PATCH", f"/v1/games/{game}", anna, {"title": "New words"})
    assert ids(await service.get("/v1/games?text=new%20words")) == [game]
    assert ids(await service.get("/v1/games?text=old")) == []
    await service.post(f"/v1/games/{game}/seats", anna, {})
    await eventually(service, "/v1/games?text=new", lambda page: page["items"][0]["version"] == 2)
    assert ids(await service.get("/v1/games?text=new%20words")) == [game]


async def test_a_repeated_creation_is_answered_with_the_title_of_then(service: Service, anna: Player) -> None:
    wish = {"ruleset": "tiny-auction", "players": 2, "title": "First"}
    first = await service.post("/v1/games", anna, wish, idempotency_key="1")
    await service.ask("PATCH", f"/v1/games/{first['id']}", anna, {"title": "Second"})
    assert await service.post("/v1/games", anna, wish, idempotency_key="1") == first


async def test_the_organizer_cancels_a_game_that_has_not_begun(service: Service, anna: Player, bert: Player) -> None:
    game = await service.gathering(bert, organizer=anna)
    url = f"/v1/games/{game}"
    refused = await service.ask("DELETE", url, bert)
    assert (refused.status_code, kind(refused)) == (403, "not-organizer")
    stale = await service.ask("DELETE", url, anna, if_match='"1"')
    assert (stale.status_code, kind(stale)) == (412, "stale-version")
    cancelled = await service.ask("DELETE", url, anna, if_match='"2"', idempotency_key="1")
    assert (cancelled.status_code, cancelled.headers["etag"]) == (200, '"3"')
    assert [event["type"] for event in cancelled.json()["events"]] == ["game-cancelled"]
    again = await service.ask("DELETE", url, anna, if_match='"2"', idempotency_key="1")
    assert again.json() == {**cancelled.json(), "repeated": True}
    assert (await service.get(url))["status"] == "cancelled"
    assert ids(await service.get("/v1/games?status=cancelled")) == [game]
    assert ids(await service.get("/v1/games?status=gathering")) == []
    history = await service.get(f"{url}/history")
    assert history["items"][-1]["sentences"][-1]["text"] == "The game was cancelled."
    for method, path, body in (("DELETE", "", None), ("POST", "/seats", {}), ("POST", "/start", None)):
        late = await service.ask(method, url + path, anna, body)
        assert (late.status_code, kind(late)) == (409, "not-now"), path
        assert "cancelled" in late.json()["detail"]
    ended = await service.client.get(f"{url}/events/stream?after=3")
    assert ended.status_code == 204
    export = (await service.client.get(f"{url}/export")).text
    assert json.loads(export.splitlines()[-1])["end"]["status"] == "cancelled"
    assert json.loads(export.splitlines()[-1])["end"]["secrets"] == 0


async def test_a_game_that_runs_is_not_cancelled(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    late = await service.ask("DELETE", f"/v1/games/{game}", anna)
    assert (late.status_code, kind(late), late.json()["rule"]) == (409, "not-now", "TAB-LIFE-04")
    assert (await service.get(f"/v1/games/{game}"))["status"] == "running"


async def test_a_stream_ends_when_its_game_is_cancelled(service: Service, anna: Player) -> None:
    game = await service.gathering(anna)
    async with service.client.stream("GET", f"/v1/games/{game}/events/stream?after=0") as stream:
        await service.ask("DELETE", f"/v1/games/{game}", anna)
        text = "".join([part async for part in stream.aiter_text()])
    assert "event: game-cancelled" in text


async def test_a_cancelled_game_counts_for_nobody(service: Service, anna: Player) -> None:
    game = await service.gathering(anna)
    url = f"/v1/players/{anna.id}/record"
    await eventually(service, url, lambda record: record["rulesets"] != [])
    await service.ask("DELETE", f"/v1/games/{game}", anna)
    await eventually(service, url, lambda record: record["rulesets"] == [])
    await eventually(service, f"/v1/games/{game}/scoreboard", lambda told: told["status"] == "cancelled")


# --- my games ---


async def test_my_games_are_those_that_i_play_and_those_that_i_organize(
    service: Service, anna: Player, bert: Player
) -> None:
    played = await service.begun(anna, bert, organizer=bert)
    organized = await service.gathering(bert, organizer=anna)
    await service.gathering(bert)
    assert ids(await service.get("/v1/players/me/games", anna)) == [organized, played]
    assert ids(await service.get("/v1/players/me/games?status=running", anna)) == [played]
    assert ids(await service.get("/v1/players/me/games?ruleset=other", anna)) == []
    first = await service.get("/v1/players/me/games?limit=1", anna)
    rest = await service.get(f"/v1/players/me/games?limit=1&cursor={first['next']}", anna)
    assert (ids(first), ids(rest), rest["next"]) == ([organized], [played], None)
    nobody = await service.client.get("/v1/players/me/games")
    assert (nobody.status_code, kind(nobody)) == (401, "missing-token")


async def test_the_games_that_wait_for_somebody(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    await service.gathering(anna)
    for player in (anna, bert):
        waits = (await service.get(f"/v1/games/{game}"))["decisions"][0]["seats"]
        mine = (await service.get(f"/v1/games/{game}", player))["you"]
        expected = [game] if mine in waits else []
        assert ids(await service.get("/v1/players/me/games?waiting=true", player)) == expected
        assert ids(await service.get(f"/v1/games?waiting_for={player.id}")) == expected
        assert ids(await service.get(f"/v1/games?waiting_for={player.id}&status=over")) == []
    await service.give(game, anna, "put-up", coins=1)
    await service.give(game, anna, "open-bidding")
    now = (await service.get(f"/v1/games/{game}"))["decisions"][0]["seats"]
    for player in (anna, bert):
        mine = (await service.get(f"/v1/games/{game}", player))["you"]
        assert ids(await service.get("/v1/players/me/games?waiting=true", player)) == [game] * (mine in now)
    assert len(ids(await service.get("/v1/players/me/games?waiting=false", anna))) == 2


async def test_games_that_wait_are_picked_out_of_pages(
    service: Service, anna: Player, bert: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "LOOKED_AT", 2)
    games = [await service.begun(anna, bert) for _ in range(5)]
    found: list[str] = []
    query = "waiting=true"
    while query:
        page = await service.get(f"/v1/players/me/games?{query}", anna)
        found += ids(page)
        query = page["next"] and f"waiting=true&cursor={page['next']}"
    assert found == games[::-1]


# --- names ---


async def test_players_rename_themselves(service: Service, anna: Player, bert: Player) -> None:
    game = await service.gathering(anna)
    changed = await service.ask("PATCH", "/v1/players/me", anna, {"name": "Livia"})
    assert (changed.status_code, changed.json()["name"], changed.json()["findable"]) == (200, "Livia", False)
    assert (await service.get(f"/v1/players/{anna.id}"))["name"] == "Livia"
    assert (await service.get(f"/v1/games/{game}"))["seats"][0]["name"] == "Livia"
    for body, path in (({"name": ""}, "$.name"), ({"name": "\u200b"}, "$.name"), ({"findable": 1}, "$.findable")):
        wrong = await service.ask("PATCH", "/v1/players/me", anna, body)
        assert (wrong.status_code, kind(wrong), wrong.json()["path"]) == (422, "invalid-body", path)
    assert (await service.get("/v1/players/me", anna))["name"] == "Livia"
    bot = await service.post("/v1/tokens", anna, {"name": "bot", "scopes": ["play"]})
    by_bot = await service.ask(
        "PATCH", "/v1/players/me", Player(anna.id, {"authorization": f"Bearer {bot['token']}"}), {"name": "Bot"}
    )
    assert kind(by_bot) == "scope-missing"
    assert (await service.get(f"/v1/players/{bert.id}"))["name"] == "Bert"


async def found(service: Service, player: Player, query: str) -> list[str]:
    return [each["name"] for each in (await service.get(f"/v1/players/search?{query}", player))["items"]]


async def test_players_are_found_by_their_names_where_they_allow_it(service: Service, anna: Player) -> None:
    players = {name: await service.register(name) for name in ("Ännchen", "ÄNNE", "Bert", "ann%", "Annette")}
    for player in players.values():
        await service.ask("PATCH", "/v1/players/me", player, {"findable": True})
    assert await found(service, anna, "name=%C3%A4nnchen") == ["Ännchen"]
    assert await found(service, anna, "name=%C3%A4nn&match=prefix") == ["Ännchen", "ÄNNE"]
    assert await found(service, anna, "name=a%CC%88nn&match=prefix") == ["Ännchen", "ÄNNE"]  # decomposed
    assert await found(service, anna, "name=%C3%A4nn") == []
    assert await found(service, anna, "name=ann%25&match=prefix") == ["ann%"]
    assert await found(service, anna, "name=ann&match=prefix") == ["ann%", "Annette"]
    page = await service.get("/v1/players/search?name=ann&match=prefix&limit=1", anna)
    rest = await service.get(f"/v1/players/search?name=ann&match=prefix&limit=1&cursor={page['next']}", anna)
    assert [each["name"] for each in (*page["items"], *rest["items"])] == ["ann%", "Annette"]
    assert rest["next"] is None
    await service.ask("PATCH", "/v1/players/me", players["Bert"], {"name": "Brutus"})
    assert (await found(service, anna, "name=bert"), await found(service, anna, "name=BRUTUS")) == ([], ["Brutus"])
    await service.services.accounts.close((await service.services.accounts.find("annette", True, None, 1))[0].player)
    assert await found(service, anna, "name=annette") == []


async def test_an_account_that_does_not_want_to_be_found_looks_like_an_unknown_one(
    service: Service, anna: Player, bert: Player
) -> None:
    def told(answer: httpx.Response) -> tuple[int, bytes]:
        return answer.status_code, answer.content

    there, nobody = [await service.ask("GET", f"/v1/players/search?name={name}", anna) for name in ("Bert", "Nemo")]
    assert told(there) == told(nobody)
    await service.ask("PATCH", "/v1/players/me", bert, {"findable": True})
    assert await found(service, anna, "name=bert") == ["Bert"]
    await service.ask("PATCH", "/v1/players/me", bert, {"findable": False})
    assert told(await service.ask("GET", "/v1/players/search?name=Bert", anna)) == told(nobody)
    assert "findable" not in await service.get(f"/v1/players/{bert.id}")
    assert kind(await service.ask("GET", "/v1/players/search?name=Bert")) == "missing-token"


async def test_a_search_without_a_name_says_that_it_needs_one(service: Service, anna: Player) -> None:
    refused = await service.ask("GET", "/v1/players/search?match=exact", anna)
    assert (refused.status_code, kind(refused)) == (400, "invalid-query")
    assert refused.json()["detail"] == "The query parameter 'name' is missing."


# --- one stream for all of them ---


class Frames:
    """The frames of a stream, read one after the other."""

    def __init__(self, stream: httpx.Response) -> None:
        self._chunks = stream.aiter_text()
        self._text = ""
        self.last = ""

    async def next(self) -> tuple[str, Any]:
        """Return the type of the next event and its data."""
        while True:
            while "\n\n" not in self._text:
                self._text += await anext(self._chunks)
            frame, _, self._text = self._text.partition("\n\n")
            lines = dict(line.split(": ", 1) for line in frame.splitlines() if not line.startswith(":"))
            self.last = lines.get("id", self.last)
            if "data" in lines:
                return lines["event"], json.loads(lines["data"])

    async def until(self, event: str) -> list[tuple[str, str]]:
        """Return games and types up to the next event of a type."""
        seen: list[tuple[str, str]] = []
        while not seen or seen[-1][1] != event:
            kind, data = await self.next()
            seen.append((data["game"], kind))
        return seen

    async def all_of(self, *wanted: tuple[str, str]) -> list[tuple[str, str]]:
        """Return games and types until all that is wanted has come. Games of two books come in any order."""
        seen: list[tuple[str, str]] = []
        while not {*wanted} <= {*seen}:
            kind, data = await self.next()
            seen.append((data["game"], kind))
        return seen


@contextlib.asynccontextmanager
async def following(service: Service, player: Player, query: str = "", **headers: str) -> AsyncIterator[Frames]:
    sent = {**player.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
    async with asyncio.timeout(60):
        async with service.client.stream("GET", f"/v1/players/me/events/stream{query}", headers=sent) as stream:
            assert stream.status_code == 200
            yield Frames(stream)


async def test_one_stream_tells_what_happens_in_all_games_of_an_account(
    service: Service, anna: Player, bert: Player
) -> None:
    first = await service.begun(anna, bert)
    async with following(service, anna) as frames:
        await service.give(first, anna, "put-up", coins=1)
        # Only now it is certain which games were hers when the stream began.
        assert await frames.until("prize-put-up") == [(first, "prize-put-up")]
        other = await service.gathering(bert)
        mine = await service.gathering(bert, organizer=anna)
        await service.post(f"/v1/games/{other}/seats", anna, {})
        await service.post(f"/v1/games/{other}/start", bert)
        seen = await frames.all_of((other, "game-started"), (mine, "seat-taken"))
        assert [each for each in seen if each[0] == other][:2] == [(other, "seat-taken"), (other, "game-started")]
        assert [each for each in seen if each[0] == mine] == [(mine, "game-created"), (mine, "seat-taken")]


async def test_an_event_in_it_is_that_of_the_stream_of_its_game(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    for player in (anna, bert):
        events = (await service.get(f"/v1/games/{game}/events", player))["items"]
        async with following(service, player, "?after=0") as frames:
            for event in events:
                assert await frames.next() == (event["type"], {"game": game, "event": event})
    assert any("secrets" in event for event in events)


async def test_missed_events_come_after_the_last_event_id(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    other = await service.gathering(bert)
    async with following(service, anna, "?after=0") as frames:
        await frames.until("game-started")
        last = frames.last
    await service.give(game, anna, "put-up", coins=1)
    await service.post(f"/v1/games/{other}/seats", anna, {})
    async with following(service, anna, last_event_id=last) as frames:
        seen = list[tuple[str, str]]()
        joined = ""
        while (game, "prize-put-up") not in seen or joined != anna.id:
            kind_of_event, data = await frames.next()
            seen.append((data["game"], kind_of_event))
            if seen[-1] == (other, "seat-taken"):
                joined = data["event"]["event"]["player"]
        # The two games may be in two books, which come in any order.
        assert [each for each in seen if each[0] == game] == [(game, "cards-dealt"), (game, "prize-put-up")]
    beyond = await service.ask("GET", "/v1/players/me/events/stream", anna, last_event_id="999999")
    assert (beyond.status_code, kind(beyond)) == (400, "invalid-header")
    beyond = await service.ask("GET", "/v1/players/me/events/stream?after=999999", anna)
    assert (beyond.status_code, kind(beyond)) == (400, "invalid-query")


async def test_a_client_far_behind_misses_nothing(
    service: Service, anna: Player, bert: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.cluster.tail.KEPT", 3)
    monkeypatch.setattr("service.api.players.stream.BATCH", 2)
    game = await service.begun(anna, bert)
    async with following(service, anna, "?after=0") as frames:
        expected = [event["type"] for event in (await service.get(f"/v1/games/{game}/events"))["items"]]
        for _ in range(4):
            await service.gathering(bert)
        await service.give(game, anna, "put-up", coins=1)
        assert [each for _, each in await frames.until("prize-put-up")] == [*expected, "prize-put-up"]


async def test_a_player_who_leaves_a_game_hears_that_and_no_more(service: Service, anna: Player, bert: Player) -> None:
    game = await service.gathering(bert)
    await service.post(f"/v1/games/{game}/seats", anna, {})
    async with following(service, anna) as frames:
        await service.ask("DELETE", f"/v1/games/{game}/seats/blue", anna)
        assert await frames.until("seat-left") == [(game, "seat-left")]
        await service.ask("DELETE", f"/v1/games/{game}/seats/red", bert)
        mine = await service.gathering(anna)
        assert await frames.until("game-created") == [(mine, "game-created")]


async def test_a_player_whose_seat_is_taken_over_hears_that_and_no_more(
    service: Service, anna: Player, bert: Player
) -> None:
    game, carl = await service.begun(bert, anna), await service.register("Carl")
    async with following(service, anna, "?after=0") as frames:
        await frames.until("game-started")
        await service.post(f"/v1/games/{game}/seats/blue/offer", anna, {"to": carl.id})
        await service.post(f"/v1/games/{game}/seats/blue/acceptance", carl)
        await frames.until("seat-taken-over")
        await service.give(game, bert, "put-up", coins=1)
        mine = await service.gathering(anna)
        assert await frames.until("game-created") == [(mine, "game-created")]
    async with following(service, anna, "?after=0") as frames:
        seen = [kind for of, kind in await frames.until("seat-taken-over") if of == game]
        assert seen[-2:] == ["seat-offered", "seat-taken-over"], "until then it was theirs"
        assert await frames.until("game-created") == [(mine, "game-created")]


async def test_it_ends_with_its_token(service: Service, anna: Player) -> None:
    made = await service.post("/v1/tokens", anna, {"name": "bot", "scopes": list(EVERYBODYS)})
    bot = Player(anna.id, {"authorization": f"Bearer {made['token']}"})
    async with following(service, bot) as frames:
        await service.ask("DELETE", f"/v1/tokens/{made['details']['id']}", anna)
        with pytest.raises(StopAsyncIteration):
            await frames.next()


async def test_it_tells_what_happens_in_other_processes(tmp_path: Path, postgres_url: str) -> None:
    async with (
        serving(tmp_path / "one", durable=False, database_url=postgres_url) as one,
        serving(tmp_path / "two", durable=False, database_url=postgres_url) as two,
    ):
        anna, bert = await one.register("Anna"), await one.register("Bert")
        async with following(one, anna) as frames:
            game = await two.begun(anna, bert)
            await two.give(game, anna, "put-up", coins=1)
            seen = [each for _, each in await frames.until("prize-put-up")]
        assert seen == [event["type"] for event in (await one.get(f"/v1/games/{game}/events"))["items"]]


async def test_who_falls_far_behind_while_they_follow_is_told_of_games_that_they_joined_since(
    service: Service, anna: Player, bert: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    for part in ("service.cluster.tail.KEPT", "service.api.players.stream.NEAR", "service.api.players.stream.BATCH"):
        monkeypatch.setattr(part, 2)
    caller = await service.services.accounts.callers.authenticate(anna.headers["authorization"].removeprefix("Bearer "))
    follows = cast(
        "AsyncGenerator[Any, None]", follow_games(service.services, caller, await service.services.store.end())
    )
    async with contextlib.aclosing(follows) as told:
        mine = await service.gathering(anna)
        assert (await anext(told))[1] == mine  # and reads on only when it is asked again
        for _ in range(4):
            await service.gathering(bert)
        joined = await service.gathering(bert, anna)
        assert [(await anext(told))[1] for _ in range(2)] == [mine, joined]
