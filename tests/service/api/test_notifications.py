"""The inbox over HTTP: what an account is told, what it has read, what it does not want, and its stream."""

import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from tests.service.api.serving import Answer, Player, Service, serving
from tests.service.api.test_cases import Court, court
from tests.service.api.test_statistics import caught_up
from tests.service.api.test_tokens import narrower
from tests.service.rig import Hands

__all__ = ["court"]
INBOX = "/v1/notifications"


async def inbox(service: Service, player: Player, query: str = "") -> Any:
    await caught_up(service)
    return await service.get(f"{INBOX}{query}", player)


async def begun(service: Service, *players: Player, **more: Any) -> str:
    """Return a game that the first of two players organizes, and that has begun."""
    wish = {"ruleset": "tiny-auction", "players": 2, **more}
    game = (await service.post("/v1/games", players[0], wish))["id"]
    link = (await service.post(f"/v1/games/{game}/invitations", players[0]))["token"]
    for player in players:
        await service.post(f"/v1/invitations/{link}", player, {})
    await service.post(f"/v1/games/{game}/start", players[0])
    return game


def kinds(page: Any) -> list[str]:
    return [each["kind"] for each in page["items"]]


async def test_a_player_is_told_what_happened_and_what_waits(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    julia = await service.register("Julia")
    await service.ask("PUT", f"/v1/games/{game}/officials/{julia.id}", anna)
    page = await inbox(service, bert)
    (started,) = page["items"]
    shown = await service.get(f"/v1/games/{game}")
    assert (started["kind"], started["game"], started["title"]) == ("game-started", game, shown["title"])
    assert (started["case"], started["seat"], started["read"]) == (None, None, False)
    nothing = {"turns": [], "rulings": [], "webhooks_off": [], "mail_refused": False, "apps_reused": []}
    assert page["state"] == {"unread": 1, "newest": page["items"][0]["id"], **nothing}
    (turn,) = (await inbox(service, anna))["state"]["turns"]
    assert turn == {
        "game": game,
        "title": shown["title"],
        "ruleset": "tiny-auction",
        "version": shown["version"],
        "seat": "red",
        "since": shown["changed"],
        "falls_at": None,
    }
    assert kinds(await inbox(service, julia)) == ["official-named"]
    nobody = await service.client.get(INBOX)
    assert nobody.status_code == 401


async def test_games_whose_clock_runs_out_first_come_first(tmp_path: Path, database_url: str) -> None:
    # A clock that ticks whenever somebody looks at it would be far ahead when the projections have caught up on a busy
    # machine: nobody has watched the games for so long that they get time back.
    async with serving(tmp_path, durable=False, database_url=database_url, clock=Hands()) as service:
        anna, bert = await service.register("Anna"), await service.register("Bert")
        without = await service.begun(anna, bert)
        games = [await begun(service, anna, bert, clock=pace) for pace in ("slow", "live")]
        turns = (await inbox(service, anna))["state"]["turns"]
        assert [turn["game"] for turn in turns] == [games[1], games[0], without]
        for turn in turns[:2]:
            seats = (await service.get(f"/v1/games/{turn['game']}"))["clocks"]["seats"]
            (clock,) = [each for each in seats if each["seat"] == turn["seat"]]
            assert turn["falls_at"] == clock["falls_at"] is not None


async def test_officials_see_the_cases_that_wait_for_them(court: Court) -> None:
    case = (await court.open()).rpartition("/")[2]
    (waits,) = (await inbox(court.service, court.julia))["state"]["rulings"]
    assert (waits["case"], waits["game"], waits["status"]) == (case, court.game, "open")
    told = await inbox(court.service, court.bert)
    assert told["state"]["rulings"] == []
    assert (kinds(told)[0], told["items"][0]["case"], told["items"][0]["seat"]) == ("case-opened", case, "red")
    await court.rule(f"/v1/cases/{case}")
    assert (await inbox(court.service, court.julia))["state"]["rulings"] == []
    assert kinds(await inbox(court.service, court.bert))[:2] == ["ruled", "case-opened"]


async def test_what_was_read_stays_read(court: Court) -> None:
    service, bert = court.service, court.bert
    case = (await court.open()).rpartition("/")[2]
    other = await service.begun(court.anna, bert)
    page = await inbox(service, bert)
    assert kinds(page) == ["game-started", "case-opened", "game-started"]
    assert page["state"]["unread"] == 3
    state = await service.post(f"{INBOX}/read", bert, {"case": case})
    assert state["unread"] == 2
    (started, *_) = (await inbox(service, bert, "?unread=true"))["items"]
    assert (await service.post(f"{INBOX}/read", bert, {"game": other, "version": started["version"] - 1}))[
        "unread"
    ] == 2
    assert (await service.post(f"{INBOX}/read", bert, {"game": other, "version": 1000}))["unread"] == 1
    assert [each["read"] for each in (await inbox(service, bert))["items"]] == [True, True, False]
    for _ in range(2):
        assert (await service.post(f"{INBOX}/read", bert, {"upto": page["items"][0]["id"]}))["unread"] == 0
    assert kinds(await inbox(service, bert, "?unread=true")) == []
    assert kinds(await inbox(service, bert, "?unread=false")) == kinds(page)
    # Of the other account nothing was read.
    assert (await inbox(service, court.julia))["state"]["unread"] > 0


async def test_a_game_that_somebody_looks_at_is_read_before_they_are_told(court: Court) -> None:
    await court.put_up()
    await caught_up(court.service)
    version = (await court.service.get(court.url))["version"]
    await court.service.post(f"{INBOX}/read", court.bert, {"game": court.game, "version": version + 100})
    marks = await court.service.services.store.accounts.read_marks(court.bert.id)  # type: ignore[reportArgumentType]
    assert marks == {court.game: version}
    # An account that takes no part in a game keeps no mark of it.
    await court.service.post(f"{INBOX}/read", court.carla, {"game": court.game, "version": version})
    assert await court.service.services.store.accounts.read_marks(court.carla.id) == {}  # type: ignore[reportArgumentType]


async def test_pages_have_no_gap(court: Court) -> None:
    for _ in range(3):
        await court.service.begun(court.anna, court.bert)
    whole = (await inbox(court.service, court.bert))["items"]
    assert len(whole) == 4
    found, after = list[Any](), ""
    while after is not None:
        page = await court.service.get(f"{INBOX}?limit=1{after}", court.bert)
        found += page["items"]
        after = f"&cursor={page['next']}" if page["next"] else None
    assert found == whole
    refused = await court.ask("GET", f"{INBOX}?cursor=none", court.bert)
    assert (refused.status_code, refused.json()["type"]) == (400, "/problems/invalid-query")


async def test_what_is_read_is_named_in_one_way(court: Court) -> None:
    for body, path in (
        ({}, "$"),
        ({"game": court.game, "upto": "x"}, "$"),
        ({"upto": "x", "version": 1}, "$.version"),
        ({"upto": "x"}, "$.upto"),
    ):
        refused = await court.ask("POST", f"{INBOX}/read", court.anna, body)
        assert (refused.status_code, refused.json()["type"]) == (422, "/problems/invalid-body"), refused.text
        assert refused.json()["path"] == path
    unknown = await court.ask("POST", f"{INBOX}/read", court.anna, {"game": "nothing", "version": 1})
    assert unknown.status_code == 200


async def test_what_is_switched_off_is_not_told(court: Court) -> None:
    service, bert = court.service, court.bert
    other = await service.begun(court.anna, bert)
    await service.give(other, court.anna, "put-up", coins=1)
    await service.give(other, court.anna, "open-bidding")
    assert [turn["game"] for turn in (await inbox(service, bert))["state"]["turns"]] == [other]
    assert await service.get(f"{INBOX}/settings", bert) == {"off": [], "games": {}}
    await court.open()
    assert kinds(await inbox(service, bert)) == ["case-opened", "game-started", "game-started"]
    settings = {"off": ["case-opened"], "games": {other: ["game-started", "your-turn"]}}
    for _ in range(2):
        changed = await court.ask("PUT", f"{INBOX}/settings", bert, settings)
        assert (changed.status_code, changed.json()) == (200, settings)
    assert await service.get(f"{INBOX}/settings", bert) == settings
    page = await inbox(service, bert)
    assert [each["game"] for each in page["items"]] == [court.game]
    assert (page["state"]["unread"], page["state"]["turns"]) == (1, [])
    await court.ask("PUT", f"{INBOX}/settings", bert, {"off": ["your-turn"]})
    page = await inbox(service, bert)
    assert (page["state"]["unread"], page["state"]["turns"]) == (3, [])
    many = await court.ask("PUT", f"{INBOX}/settings", bert, {"games": {f"g{number}": [] for number in range(201)}})
    assert many.status_code == 422


async def test_who_left_a_private_game_is_told_nothing_of_it(service: Service, anna: Player, bert: Player) -> None:
    game = await begun(service, anna, bert, readers="invited")
    assert kinds(await inbox(service, bert)) == ["game-started"]
    assert (await service.ask("DELETE", f"/v1/games/{game}/seats/blue", bert)).status_code == 200
    seated = await service.ask("PUT", f"/v1/games/{game}/seats/blue/bot", anna, {"level": "random"})
    assert seated.status_code == 200, seated.text
    page = await inbox(service, bert)
    assert (kinds(page), page["state"]["unread"]) == ([], 0)
    assert "seat-open" in kinds(await inbox(service, anna))


async def test_a_closed_account_leaves_no_marks_and_no_settings(court: Court) -> None:
    bert, accounts = court.bert, court.service.services.store.accounts
    page = await inbox(court.service, bert)
    await court.service.post(f"{INBOX}/read", bert, {"upto": page["items"][0]["id"]})
    await court.ask("PUT", f"{INBOX}/settings", bert, {"off": ["flag-fell"]})
    assert await accounts.read_marks(bert.id)  # type: ignore[reportArgumentType]
    assert (await court.ask("DELETE", f"/v1/players/me?confirm={bert.id}", bert)).status_code == 200
    assert await accounts.read_marks(bert.id) == {}  # type: ignore[reportArgumentType]
    assert await accounts.inbox_settings(bert.id) is None  # type: ignore[reportArgumentType]


# --- the stream ---


@contextlib.asynccontextmanager
async def followed(service: Service, player: Player) -> AsyncIterator[AsyncIterator[Answer]]:
    """Lend the frames of a player's stream."""
    async with service.client.stream("GET", f"{INBOX}/stream", headers=player.headers) as answer:
        assert answer.status_code == 200

        async def frames() -> AsyncIterator[Answer]:
            async for line in answer.aiter_lines():
                if line.startswith("event:"):
                    assert line == "event: inbox"
                if line.startswith("data:"):
                    yield json.loads(line.removeprefix("data:"))

        yield frames()


async def test_the_stream_begins_with_what_waits_and_goes_on_with_what_changes(court: Court) -> None:
    service = court.service
    await caught_up(service)
    async with followed(service, court.bert) as frames, followed(service, court.julia) as official:
        begins = await anext(frames)
        assert (begins["unread"], begins["turns"]) == (1, [])
        assert (await anext(official))["rulings"] == []
        await court.put_up()
        await service.give(court.game, court.anna, "open-bidding")
        (turn,) = (await anext(frames))["turns"]
        assert (turn["game"], turn["seat"]) == (court.game, "blue")
        await court.open()
        told = await anext(frames)
        assert (told["unread"], [each["game"] for each in told["turns"]]) == (2, [court.game])
        (waits,) = (await anext(official))["rulings"]
        assert waits["game"] == court.game


async def test_the_stream_ends_with_its_token(court: Court) -> None:
    narrow = await narrower(court.service, court.bert, "notify")
    (token,) = [
        each for each in (await court.service.get("/v1/tokens", court.bert))["items"] if each["name"] == "notify"
    ]
    async with followed(court.service, narrow) as frames:
        await anext(frames)
        await court.ask("DELETE", f"/v1/tokens/{token['id']}", court.bert)
        assert [frame async for frame in frames] == []
