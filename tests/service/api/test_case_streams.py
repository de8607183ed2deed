"""Streams of cases, which anybody can follow: nothing missed, nothing doubled, a clean end."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from domain.judging.case import CaseRow
from domain.kernel.ids import CaseId, GameId, PlayerId, Version
from domain.kernel.log.game import Game
from projections.store import Step, Unavailable
from service.api.players.stream import Mine, follow_games
from service.api.services import Services
from tests.service.api.serving import Player, Service
from tests.service.api.test_cases import Court, court, problem
from tests.service.api.test_statistics import caught_up
from tests.service.api.test_streams import Frames

__all__ = ["court"]


@asynccontextmanager
async def following(service: Service, case: str, query: str = "", **headers: str) -> AsyncIterator[Frames]:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    async with service.client.stream("GET", f"{case}/stream{query}", headers=sent) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield Frames(answer)


async def test_events_of_a_case_come_as_they_happen(court: Court) -> None:
    case = await court.open()
    other = await court.open(version=5)
    async with following(court.service, case) as frames:
        await frames.next()
        await court.service.post(f"{other}/answer", court.bert, {"statement": "That is another case."})
        await court.service.post(f"{case}/answer", court.bert, {"statement": "We agreed that moves stand."})
        (frame,) = await frames.events(1)
    assert (frame["id"], frame["event"]) == ("2", "case-answered")
    listed = (await court.service.get(f"{case}/events"))["items"]
    assert frame["data"] == listed[1]
    assert "We agreed" not in str(frame), "what was written is kept beside the log"


async def test_the_stream_of_a_case_goes_on_after_the_last_event_that_was_seen(court: Court) -> None:
    case = await court.open()
    await court.service.post(f"{case}/answer", court.bert, {"statement": "No."})
    await court.service.post(f"{case}/statements", court.anna, {"statement": "Yes."})
    async with following(court.service, case, "?after=0", last_event_id="1") as frames:
        assert [frame["id"] for frame in await frames.events(2)] == ["2", "3"]
    async with following(court.service, case, "?after=0") as frames:
        assert [frame["event"] for frame in await frames.events(1)] == ["case-opened"]


async def test_the_stream_of_a_case_ends_with_its_last_word(court: Court) -> None:
    case = await court.open()
    async with following(court.service, case) as frames:
        await court.rule(case)
        await court.service.post(f"{case}/consent", court.anna)
        await court.service.post(f"{case}/consent", court.bert)
        ended = await frames.events(100)
    assert [frame["event"] for frame in ended] == ["ruled", "consent-given", "consent-given", "settled"]
    again = await court.ask("GET", f"{case}/stream", last_event_id="5")
    assert again.status_code == 204
    async with following(court.service, case, last_event_id="4") as frames:
        assert [frame["event"] for frame in await frames.events(100)] == ["settled"]


@pytest.mark.parametrize("address", ["/v1/cases/cnone/stream", "{case}/stream?after=9", "{case}/stream?after=-1"])
async def test_no_stream_begins_where_there_is_nothing(court: Court, address: str) -> None:
    answer = await court.ask("GET", address.format(case=await court.open()))
    wanted = {"cnone": (404, "unknown-case"), "after=9": (404, "unknown-version"), "after=-1": (400, "invalid-query")}
    assert (answer.status_code, problem(answer)) == next(each for part, each in wanted.items() if part in address)


@asynccontextmanager
async def followed(court: Court, player: Player) -> AsyncIterator[Frames]:
    async with court.service.client.stream("GET", "/v1/players/me/events/stream", headers=player.headers) as answer:
        frames = Frames(answer)
        await frames.next()
        yield frames


async def test_parties_and_officials_learn_of_a_case_in_the_stream_of_their_games(court: Court) -> None:
    async with (
        followed(court, court.bert) as party,
        followed(court, court.julia) as official,
        followed(court, court.carla) as stranger,
    ):
        case = await court.open()
        await court.service.post(f"{case}/answer", court.bert, {"statement": "We agreed that moves stand."})
        await court.rule(case)
        await court.service.gathering(court.carla)
        for frames in (party, official):
            told = await frames.events(3)
            assert [frame["event"] for frame in told] == ["case-opened", "case-answered", "ruled"]
            listed = (await court.service.get(f"{case}/events"))["items"]
            id_of_case = case.rpartition("/")[2]
            assert [frame["data"] for frame in told] == [
                {"game": court.game, "case": id_of_case, "event": event} for event in listed
            ]
        (first,) = await stranger.events(1)
        assert first["event"] == "game-created", "cases of others do not come"


async def test_the_cases_of_parties_and_officials_are_listed_over_all_games(court: Court) -> None:
    case, service = await court.open(), court.service
    await service.ask("PUT", f"{court.url}/listing", court.anna, {"listed": False})
    await caught_up(service)
    elsewhere = await service.begun(court.carla, court.bert)
    wish = {"kind": "slip", "version": 4, "statement": "?"}
    other = (await service.post(f"/v1/games/{elsewhere}/cases", court.carla, wish))["summary"]["case"]
    own = case.rpartition("/")[2]
    for player, seen in ((court.anna, [own]), (court.julia, [own]), (court.bert, [other, own]), (court.carla, [other])):
        listed = await service.get("/v1/cases?for=me&status=open", player)
        assert [each["case"] for each in listed["items"]] == seen
    page = await service.get("/v1/cases?for=me&limit=1", court.bert)
    rest = await service.get(f"/v1/cases?for=me&limit=1&cursor={page['next']}", court.bert)
    assert [each["case"] for each in (*page["items"], *rest["items"])] == [other, own]
    assert (await service.get("/v1/cases?for=me&status=ruled", court.bert))["items"] == []
    await service.ask("DELETE", f"{court.url}/officials/{court.julia.id}", court.anna)
    await caught_up(service)
    assert (await service.get("/v1/cases?for=me", court.julia))["items"] == []
    assert problem(await court.ask("GET", "/v1/cases?for=me")) == "missing-token"
    assert problem(await court.ask("GET", "/v1/cases?for=you")) == "invalid-query"


async def test_cases_of_strangers_cost_who_follows_no_look_and_leave_nothing_behind(
    court: Court, monkeypatch: pytest.MonkeyPatch
) -> None:
    services, looks, kept, all_follow = court.service.services, list[Any](), list[Mine](), asyncio.Event()
    look_at_game, look_at_case, begin = services.games.game, services.store.case, Mine.of

    async def at_game(game: GameId, at_least: Version | None = None) -> Game:
        looks.extend([game] if asyncio.current_task() in followers else ())
        return await look_at_game(game, at_least)

    async def at_case(case: CaseId) -> CaseRow | None:
        looks.extend([case] if asyncio.current_task() in followers else ())
        return await look_at_case(case)

    async def begun(services: Services, player: PlayerId) -> Mine:
        kept.append(await begin(services, player))
        if len(kept) == len(followers):
            all_follow.set()
        return kept[-1]

    async def met() -> str:
        caller = await services.accounts.callers.authenticate(
            court.carla.headers["authorization"].removeprefix("Bearer ")
        )
        async for each in follow_games(services, caller, await services.store.end()):
            if each is not None:
                return each[3].type
        raise AssertionError("it never ends")

    monkeypatch.setattr(services.games, "game", at_game)
    monkeypatch.setattr(services.store, "case", at_case)
    monkeypatch.setattr(Mine, "of", begun)
    followers = [asyncio.create_task(met()) for _ in range(2)]
    await all_follow.wait()
    for party, version in ((court.anna, 4), (court.anna, 5), (court.bert, 4)):
        case = await court.open(party, version=version)
        await court.service.post(f"{case}/statements", court.anna, {"statement": "Look."})
    await court.service.gathering(court.carla)
    assert await asyncio.gather(*followers) == ["game-created"] * 2
    held = [sum(len(each) for each in vars(mine).values() if isinstance(each, set | dict)) for mine in kept]
    assert (looks, held) == ([], [2, 2]), "she plays and organizes the game of her own"


async def test_who_follows_is_told_of_cases_by_the_offices_that_the_log_gives_them(
    court: Court, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def office(method: str, game: str) -> None:
        assert (await court.ask(method, f"/v1/games/{game}/officials/{court.carla.id}", court.anna)).is_success

    async def complain(player: Player, game: str) -> None:
        wish = {"kind": "slip", "version": 4, "statement": "?"}
        await court.service.post(f"/v1/games/{game}/cases", player, wish)

    async def rests(*steps: Step) -> None:
        raise Unavailable("the rows are not written just now")

    other, third = [await court.service.begun(court.anna, court.bert) for _ in range(2)]
    await office("PUT", court.game)
    await office("PUT", other)
    await caught_up(court.service)
    monkeypatch.setattr(court.service.services.rows, "commit", rests)
    await office("PUT", third)
    await office("DELETE", other)
    async with followed(court, court.carla) as frames:
        for game in (other, court.game, third):
            await complain(court.anna, game)
        assert {frame["data"]["game"] for frame in await frames.events(2)} == {court.game, third}  # two books
        await office("DELETE", third)
        await office("PUT", other)
        for game in (third, other):
            await complain(court.bert, game)
        assert [frame["data"]["game"] for frame in await frames.events(1)] == [other]
