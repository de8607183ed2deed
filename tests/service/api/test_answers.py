"""Answers in advance, over HTTP: leaving, listing, revoking; when they are given, and who sees what."""

from typing import Any

import pytest

from domain.kernel.log import answering
from domain.kernel.proof.verify import verify
from tests.service.api.serving import Player, Service
from tests.service.rig import LIBRARY

PUT_UP = {"decision": "put-up-prize", "command": {"type": "put-up", "coins": 1}}
OPEN = {"decision": "put-up-prize", "command": {"type": "open-bidding"}}


@pytest.fixture
async def game(service: Service, anna: Player, bert: Player) -> str:
    return await service.begun(anna, bert)


def types(answer: dict[str, Any]) -> list[str]:
    return [event["type"] for event in answer["events"]]


async def by_turn(service: Service, game: str, *players: Player) -> list[Player]:
    """Return the players, the one who is asked first."""
    now = await service.get(f"/v1/games/{game}")
    asked = next(seat["player"] for seat in now["seats"] if seat["seat"] in now["decisions"][0]["seats"])
    return sorted(players, key=lambda player: player.id != asked)


async def bid(service: Service, game: str, player: Player) -> dict[str, Any]:
    view = (await service.get(f"/v1/games/{game}/state", player))["view"]
    hand = next(hand for hand in view["hands"].values() if None not in hand)
    return {"decision": "choose-card", "command": {"type": "choose-card", "card": min(hand)}}


async def test_an_answer_is_given_with_the_request_that_asks_for_it(
    service: Service, anna: Player, bert: Player, game: str
) -> None:
    asked, other = await by_turn(service, game, anna, bert)
    left = await service.post(f"/v1/games/{game}/answers", other, await bid(service, game, other))
    assert types(left) == ["answer-left"]
    await service.give(game, asked, "put-up", coins=2)
    opened = await service.give(game, asked, "open-bidding")
    assert types(opened) == ["bidding-opened", "answer-given", "card-chosen"]
    history = str(await service.get(f"/v1/games/{game}/history"))
    assert f"answered in advance, as left at version {left['version']}" in history
    await service.play_out(game, anna, bert)
    export = (await service.ask("GET", f"/v1/games/{game}/export")).content
    verdict = verify(export.splitlines(keepends=True), LIBRARY)
    assert verdict.ok, verdict


async def test_only_its_owner_sees_an_answer(service: Service, anna: Player, bert: Player, game: str) -> None:
    answer = await bid(service, game, bert) | {"when": {"hits": {"least": 2}}, "until": "once"}
    left = (await service.post(f"/v1/games/{game}/answers", bert, answer))["version"]
    shown = await service.get(f"/v1/games/{game}/answers", bert)
    (mine,) = shown["answers"]
    assert {name: mine[name] for name in answer} == answer
    assert (mine["version"], mine["given"], mine["ended"]) == (left, 0, False)
    assert (await service.get(f"/v1/games/{game}/answers", anna))["answers"] == []
    for viewer in (anna, None):
        told = await service.get(f"/v1/games/{game}/events?after={left - 1}", viewer)
        assert "secrets" not in told["items"][0]
        assert "choose-card" not in str(told)
    told = await service.get(f"/v1/games/{game}/events?after={left - 1}", bert)
    assert told["items"][0]["secrets"][0]["value"]["until"] == "once"


async def test_a_check_does_not_betray_that_an_answer_would_be_given(
    service: Service, anna: Player, bert: Player, game: str
) -> None:
    asked, other = await by_turn(service, game, anna, bert)
    await service.give(game, asked, "put-up", coins=1)
    order = {"commands": [{"type": "open-bidding"}]}
    before = await service.post(f"/v1/games/{game}/commands/check", asked, order)
    await service.post(f"/v1/games/{game}/answers", other, await bid(service, game, other))
    after = await service.post(f"/v1/games/{game}/commands/check", asked, order)
    assert after == before | {"version": before["version"] + 1}


async def test_an_answer_is_revoked_by_its_owner_only(service: Service, anna: Player, bert: Player, game: str) -> None:
    asked, other = await by_turn(service, game, anna, bert)
    left = (await service.post(f"/v1/games/{game}/answers", other, await bid(service, game, other)))["version"]
    url = f"/v1/games/{game}/answers/{left}"
    for player, path in ((asked, url), (other, url + "0"), (other, f"/v1/games/{game}/answers/mine")):
        refused = await service.ask("DELETE", path, player)
        assert (refused.status_code, refused.json()["type"]) == (404, "/problems/unknown-answer")
    stale = await service.ask("DELETE", url, other, if_match='"2"')
    assert stale.json()["type"] == "/problems/stale-version"
    revoked = [await service.ask("DELETE", url, other, idempotency_key="once") for _ in range(2)]
    assert [types(each.json()) for each in revoked] == [["answer-revoked"]] * 2
    assert [each.json()["repeated"] for each in revoked] == [False, True]
    assert (await service.get(f"/v1/games/{game}/answers", other))["answers"] == []


async def test_a_repeated_request_leaves_one_answer(service: Service, bert: Player, game: str) -> None:
    answers = [await service.post(f"/v1/games/{game}/answers", bert, OPEN, idempotency_key="one") for _ in range(2)]
    assert [each["repeated"] for each in answers] == [False, True]
    other = await service.ask("POST", f"/v1/games/{game}/answers", bert, PUT_UP, idempotency_key="one")
    assert other.json()["type"] == "/problems/key-reused"


@pytest.mark.parametrize(
    ("wrong", "kind", "path", "right"),
    [
        ({"decision": "pass"}, "refused", None, "Expected one of choose-card and put-up-prize."),
        ({"decision": "choose-card"}, "refused", None, "Commands that do: choose-card."),
        ({"command": {"type": "put-up"}}, "refused", None, "Fields of put-up: coins."),
        ({"command": "pass"}, "invalid-body", "$.command", "an object"),
        ({"until": "tomorrow"}, "invalid-body", "$.until", "one of once, revoked, round"),
        ({"when": {"hits": {}}}, "invalid-body", "$.when[...]", "`equals`"),
        ({"when": {"hits": {"least": 3, "most": 2}}}, "invalid-body", "$.when[...]", "`least`"),
        ({"when": {"hits": {"equals": [1]}}}, "invalid-body", "$.when[...].equals", ""),
        ({"where": "here"}, "invalid-body", "$", "`decision` and `command`"),
    ],
)
async def test_an_answer_that_cannot_be_left_is_refused_with_what_is_right(
    service: Service, anna: Player, game: str, wrong: dict[str, Any], kind: str, path: str | None, right: str
) -> None:
    before = await service.get(f"/v1/games/{game}")
    refused = (await service.ask("POST", f"/v1/games/{game}/answers", anna, PUT_UP | wrong)).json()
    assert refused["type"] == f"/problems/{kind}"
    assert refused.get("path") == path
    assert right in refused["allowed"] + refused["detail"]
    assert await service.get(f"/v1/games/{game}") == before


async def test_answers_are_for_seats_of_running_games(service: Service, anna: Player, bert: Player, game: str) -> None:
    carla = await service.register("Carla")
    for method, body in (("POST", PUT_UP), ("GET", None)):
        refused = await service.ask(method, f"/v1/games/{game}/answers", carla, body)
        assert refused.json()["type"] == "/problems/not-seated"
    gathering = await service.gathering(anna, bert)
    early = await service.ask("POST", f"/v1/games/{gathering}/answers", anna, PUT_UP)
    assert (early.json()["type"], early.json()["rule"]) == ("/problems/not-now", "TAB-LIFE-01")
    reading = await service.post("/v1/tokens", anna, {"name": "organizes", "scopes": ["organize"]})
    reader = Player(anna.id, {"authorization": f"Bearer {reading['token']}"})
    assert (await service.ask("GET", f"/v1/games/{game}/answers", reader)).status_code == 403


async def test_a_fault_in_giving_an_answer_does_not_stop_the_command_that_called_for_it(
    service: Service, anna: Player, bert: Player, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, other = await by_turn(service, game, anna, bert)
    await service.post(f"/v1/games/{game}/answers", other, await bid(service, game, other))
    await service.give(game, asked, "put-up", coins=1)

    def fail(*_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(answering, "answer_due", fail)
    assert types(await service.give(game, asked, "open-bidding")) == ["bidding-opened"]
