"""Ratings and luck over HTTP: counted from games that were played, in pages, without what not everybody may see."""

import asyncio
from typing import Any

import pytest

from domain.kernel.ids import PlayerId
from projections import luck, ratings
from projections.skill import NEW
from service.api.problems.accounts import UNKNOWN_PLAYER
from service.api.problems.games import UNKNOWN_GAME
from service.api.problems.request import INVALID_QUERY
from service.api.problems.rulesets import UNKNOWN_RULESET
from service.ratings import counter
from tests.helpers.results import League, game
from tests.service.api.serving import Player, Service
from tests.service.api.test_private import begun as begun_in_private
from tests.service.api.test_private import play_out as play_out_in_private
from tests.service.api.test_statistics import caught_up, until

LADDER = "/v1/ratings?ruleset=tiny-auction"


async def counted(service: Service) -> None:
    """Count all games that are over, without waiting until the service does."""
    await caught_up(service)
    await counter(service.services.store, service.services.rows).catch_up()


@pytest.fixture(autouse=True)
def _without_novices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "NOVICE_UNTIL", 0)


async def test_games_that_were_played_are_rated_and_listed(service: Service, anna: Player, bert: Player) -> None:
    played = [await service.begun(anna, bert, rounds=1) for _ in range(2)]
    for each in played:
        await service.play_out(each, anna, bert)
    assert (await service.ask("PUT", f"/v1/games/{played[0]}/listing", anna, {"listed": False})).status_code == 200
    for _ in range(1200):  # by itself, without `counted`
        if (await service.ask("GET", LADDER)).status_code == 200:
            break
        await asyncio.sleep(0.025)
    await counted(service)
    first, second = (await service.get(LADDER))["items"]
    assert [first["rank"], second["rank"]] == [1, 2]
    assert {first["name"], second["name"]} == {"Anna", "Bert"}
    rating = first["rating"]
    assert rating["shown"] == rating["mu"] - 3 * rating["sigma"] >= second["rating"]["shown"]
    assert (rating["games"], rating["provisional"]) == (2, True)
    (shown,) = (await service.get(f"/v1/players/{first['player']}/ratings"))["ratings"]
    assert (shown["ruleset"], shown["list"], shown["rating"]) == ("tiny-auction", "players", rating)
    assert [(each["game"], each["rating"]["games"], each["players"]) for each in shown["points"]] == [
        (None, 1, 2),
        (played[1], 2, 2),
    ]
    assert shown["points"][-1]["rating"] == shown["rating"]
    assert shown["points"][0]["rating"]["shown"] != NEW.shown
    page = await service.get(f"{LADDER}&limit=1")
    rest = await service.get(f"{LADDER}&limit=1&cursor={page['next']}")
    assert (page["items"], rest["items"], rest["next"]) == ([first], [second], None)
    assert (await service.get(f"{LADDER}&bots=true"))["items"] == []


async def test_a_ladder_with_ties_is_read_page_by_page(service: Service) -> None:
    await counted(service)
    league = League(service.services.rows)
    players = [f"p{number}" for number in range(4)]
    await league.counted(*game("g1", 1, [["best"], players, ["worst"]]))
    items: list[dict[str, Any]] = []
    cursor = ""
    while cursor is not None:
        page = await service.get(f"/v1/ratings?ruleset=tiny-auction&limit=2{cursor and f'&cursor={cursor}'}")
        items, cursor = items + page["items"], page["next"]
    assert [each["player"] for each in items] == ["best", *players, "worst"]
    assert [each["rank"] for each in items] == list(range(1, 7))


@pytest.mark.rule("TAB-RAT-07")
async def test_an_account_that_a_program_plays_leaves_the_list_of_players(
    service: Service, anna: Player, bert: Player
) -> None:
    played = await service.begun(anna, bert, rounds=1)
    await service.play_out(played, anna, bert)
    await counted(service)
    assert len((await service.get(LADDER))["items"]) == 2
    await service.services.accounts.automate(PlayerId(bert.id))
    await until(service, LADDER, items=[])
    assert (await service.get(f"{LADDER}&bots=true"))["items"] == []
    assert (await service.get(f"/v1/players/{anna.id}/ratings"))["ratings"] == []


async def test_luck_is_told_by_seat_and_by_player(service: Service, anna: Player, bert: Player) -> None:
    rolled, played = list[dict[str, Any]](), ""
    while not rolled:  # in every second game nobody ties
        played = await service.begun(anna, bert)
        await service.play_out(played, anna, bert)
        await caught_up(service)
        rolled = (await service.get(f"/v1/statistics/dice?game={played}"))["items"]
    assert await service.get(f"/v1/games/{played}/luck") == {"game": played, "seats": {}}, "a tie is nobody's roll"
    assert (await service.get(f"/v1/players/{anna.id}/luck"))["dice"] == []
    assert (await service.get(f"/v1/players/{anna.id}/luck"))["games"] >= 1


async def test_private_games_take_no_place_among_those_whose_luck_is_counted(
    service: Service, anna: Player, bert: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    julia, open_game, games = await service.register("Julia"), await service.begun(anna, bert, rounds=1), list[str]()
    await service.play_out(open_game, anna, bert)
    while not games or min(games) > open_game:  # one at least that is looked at earlier
        games.append(await begun_in_private(service, anna, bert, julia))
        await play_out_in_private(service, games[-1], anna, bert)
    await caught_up(service)
    monkeypatch.setattr(luck, "MOST", 1)
    monkeypatch.setattr(luck, "PAGES", len(games) + 1)
    assert (await service.get(f"/v1/players/{anna.id}/luck"))["games"] == 1
    monkeypatch.setattr(luck, "PAGES", 1)
    assert (await service.get(f"/v1/players/{anna.id}/luck"))["games"] == 0, "what is looked through is bounded"


async def test_what_there_is_not_is_not_found(service: Service) -> None:
    for path, problem in {
        "/v1/players/gone/ratings": UNKNOWN_PLAYER,
        "/v1/players/gone/luck": UNKNOWN_PLAYER,
        "/v1/games/gone/luck": UNKNOWN_GAME,
        "/v1/ratings": INVALID_QUERY,
        "/v1/ratings?ruleset=chess": UNKNOWN_RULESET,
        f"{LADDER}&bots=perhaps": INVALID_QUERY,
        f"{LADDER}&cursor=x": INVALID_QUERY,
        f"{LADDER}&limit=0": INVALID_QUERY,
    }.items():
        await counted(service)
        answer = await service.ask("GET", path)
        assert answer.json()["type"] == problem.type, path
