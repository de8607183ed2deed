"""Two positions compared: what differs, as far as the caller may see it."""

from typing import Any

import pytest

from tests.service.api.serving import Player, Service
from tests.service.api.test_forks import fork, wrong


@pytest.fixture
async def over(service: Service, anna: Player, bert: Player) -> str:
    """The id of a game of Anna and Bert that is over."""
    game = await service.begun(anna, bert, rounds=2)
    await service.play_out(game, anna, bert)
    return game


async def marks(service: Service, game: str, version: int, player: Player | None = None) -> dict[str, Any]:
    return await service.get(f"/v1/games/{game}/marks?version={version}", player)


def figures(marks: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["seat"]: each["figures"] for each in marks["standings"]}


async def test_a_fork_is_compared_with_its_parent_as_many_events_after_it_began(
    service: Service, over: str, anna: Player
) -> None:
    made = await fork(service, f"/v1/games/{over}", anna)
    began, head = made["fork"]["version"], (await service.get(f"/v1/games/{over}"))["version"]
    same = await service.get(f"/v1/games/{made['id']}/comparison?with={over}", anna)
    assert (same["this"]["version"], same["other"]["version"]) == (1, began)
    assert [same[name] for name in ("standings", "places", "links", "other_links", "shelves")] == [[], [], [], [], []]
    await service.give(made["id"], anna, "put-up", coins=2)
    found = await service.get(f"/v1/games/{made['id']}/comparison?with={over}", anna)
    assert (found["this"]["version"], found["other"]["version"]) == (2, began + 1)
    await service.give(made["id"], anna, "open-bidding")
    await service.play_out(made["id"], anna)
    end = (await service.get(f"/v1/games/{made['id']}"))["version"]
    found = await service.get(f"/v1/games/{made['id']}/comparison?with={over}", anna)
    one, other = await marks(service, made["id"], end), await marks(service, over, found["other"]["version"])
    assert found["standings"], "the fork put up another number of coins"
    for each in found["standings"]:
        for name, pair in each["figures"].items():
            assert pair["this"] == figures(one)[each["seat"]].get(name)
            assert pair["other"] == figures(other)[each["seat"]].get(name)
            assert pair["this"] != pair["other"]
    assert {each["area"] for each in found["places"]} == {
        area for area in {**one["places"], **other["places"]} if one["places"].get(area) != other["places"].get(area)
    }
    found = await service.get(f"/v1/games/{made['id']}/comparison?with={over}&version=2", anna)
    back = await service.get(f"/v1/games/{over}/comparison?with={made['id']}&version={began + 1}", anna)
    assert (back["this"], back["other"]) == (found["other"], found["this"])
    late = await service.get(f"/v1/games/{over}/comparison?with={made['id']}&version={head}", anna)
    assert late["other"]["version"] == min(head - began + 1, end)
    early = await service.get(f"/v1/games/{over}/comparison?with={made['id']}&version=1", anna)
    assert early["other"]["version"] == 1


async def test_two_versions_and_two_games_of_one_ruleset_are_compared(
    service: Service, over: str, anna: Player, bert: Player
) -> None:
    head = (await service.get(f"/v1/games/{over}"))["version"]
    found = await service.get(f"/v1/games/{over}/comparison?with={over}&with_version={head - 3}")
    assert (found["this"]["version"], found["other"]["version"]) == (head, head - 3)
    one, other = await marks(service, over, head), await marks(service, over, head - 3)
    differing = {seat for seat in figures(one) if figures(one)[seat] != figures(other)[seat]}
    assert {each["seat"] for each in found["standings"]} == differing
    another = await service.begun(anna, bert)
    found = await service.get(f"/v1/games/{over}/comparison?with={another}&version=4")
    assert (found["this"]["version"], found["other"]["version"]) == (4, 4)
    found = await service.get(f"/v1/games/{another}/comparison?with={over}&version=4")
    assert (found["this"]["game"], found["other"]["game"]) == (another, over)


async def test_a_comparison_shows_no_more_of_a_game_than_the_game_itself(
    service: Service, over: str, anna: Player, bert: Player
) -> None:
    carl, running = await service.register("Carl"), await service.begun(anna, bert)
    now = (await service.get(f"/v1/games/{running}"))["version"]
    seen = [
        (player, await service.get(f"/v1/games/{running}/comparison?with={over}&version={now}", player))
        for player in (None, carl, anna, bert)
    ]
    assert seen[0][1] == seen[1][1] != seen[2][1]
    for player, found in seen:
        one, other = await marks(service, running, now, player), await marks(service, over, now, player)
        assert {each["area"]: (each["this"], each["other"]) for each in found["places"]} == {
            area: (one["places"].get(area), other["places"].get(area))
            for area in {**one["places"], **other["places"]}
            if one["places"].get(area) != other["places"].get(area)
        }
        assert {each["title"]: (each["this"], each["other"]) for each in found["shelves"]} == {
            mine["title"]: (mine["items"], theirs["items"])
            for mine, theirs in zip(one["shelves"], other["shelves"], strict=True)
            if mine != theirs
        }


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", (400, "invalid-query", "")),
        ("?with=gnone", (404, "unknown-game", "")),
        ("?with={over}&version=999", (404, "unknown-version", "")),
        ("?with={over}&with_version=999", (404, "unknown-version", "")),
        ("?with={over}&version=0", (400, "invalid-query", "")),
        ("?with_={over}", (400, "invalid-query", "")),
    ],
)
async def test_games_that_cannot_be_compared_get_a_clear_problem(
    service: Service, over: str, query: str, expected: tuple[int, str, str]
) -> None:
    assert wrong(await service.ask("GET", f"/v1/games/{over}/comparison{query.format(over=over)}")) == expected
