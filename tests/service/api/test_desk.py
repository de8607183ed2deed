"""What a judge sees at an earlier version: what a seat might have done, and all that an inspection shows."""

from typing import Any

import pytest

from tests.service.api.serving import Player, Service


def kinds(options: dict[str, Any]) -> set[str]:
    return {option["command"] for option in options["options"]}


@pytest.fixture
async def julia(service: Service) -> Player:
    return await service.register("Julia")


@pytest.fixture
async def game(service: Service, anna: Player, bert: Player, julia: Player) -> str:
    """A game of Anna and Bert with Julia as its official: Anna has put up a prize at version 6 and opened bidding."""
    game = await service.begun(anna, bert)
    assert (await service.ask("PUT", f"/v1/games/{game}/officials/{julia.id}", anna)).status_code == 200
    await service.give(game, anna, "put-up", coins=1)
    await service.give(game, anna, "open-bidding")
    return game


# --- the options of the past ---


async def test_a_seat_sees_what_it_might_have_done(service: Service, game: str, anna: Player) -> None:
    url = f"/v1/games/{game}/options"
    now, then = await service.get(url, anna), await service.get(f"{url}?version=6", anna)
    assert (kinds(now), kinds(then)) == ({"choose-card", "undo"}, {"put-up"})
    assert ([each["kind"] for each in then["decisions"]], then["version"], then["seat"]) == (["put-up-prize"], 6, "red")
    # Of the past no undo is shown, wherever the service has it from.
    assert kinds(await service.get(f"{url}?version=7", anna)) == {"put-up", "open-bidding"}
    assert kinds(await service.get(f"{url}?version=1", anna)) == set()


async def test_an_official_sees_what_any_seat_might_have_done(service: Service, game: str, julia: Player) -> None:
    url = f"/v1/games/{game}/options"
    for query, found in (
        ("?seat=red&version=6", {"put-up"}),
        ("?seat=blue", {"choose-card"}),
        ("?seat=blue&version=6", set()),
    ):
        assert kinds(await service.get(url + query, julia)) == found
    # But has none of their own.
    assert (await service.ask("GET", url, julia)).json()["type"] == "/problems/not-seated"


async def test_the_options_of_a_seat_with_a_hand_are_hidden_from_the_others(
    service: Service, game: str, anna: Player, bert: Player
) -> None:
    url = f"/v1/games/{game}/options"
    for player in (None, bert):
        for query in ("?seat=red", "?seat=red&version=6"):
            answer = await service.ask("GET", url + query, player)
            assert (answer.status_code, answer.json()["type"]) == (403, "/problems/options-hidden")
    # Before the cards were dealt nothing was hidden.
    assert kinds(await service.get(f"{url}?seat=red&version=3")) == set()
    await service.play_out(game, anna, bert)
    assert kinds(await service.get(f"{url}?seat=red&version=6")) == {"put-up"}


async def test_whose_options_must_be_clear(service: Service, game: str, anna: Player) -> None:
    url = f"/v1/games/{game}/options"
    for query, player, status, kind in (
        ("?version=6", None, 401, "missing-token"),
        ("?seat=pink", anna, 404, "unknown-seat"),
        ("?version=99", anna, 404, "unknown-version"),
        ("?version=0", anna, 400, "invalid-query"),
        ("?at=6", anna, 400, "invalid-query"),
    ):
        answer = await service.ask("GET", url + query, player)
        assert (answer.json()["type"], answer.status_code) == (f"/problems/{kind}", status)
    made = await service.post("/v1/tokens", anna, {"name": "organizer", "scopes": ["organize"]})
    other = Player(anna.id, {"authorization": f"Bearer {made['token']}"})
    assert (await service.ask("GET", url, other)).json()["type"] == "/problems/scope-missing"
    assert (await service.ask("GET", f"{url}?seat=red", other)).json()["type"] == "/problems/options-hidden"
