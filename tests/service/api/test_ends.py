"""Ends that no rule book provides, over HTTP: agreed by the players, and abandonment."""

from pathlib import Path

import pytest

from domain.kernel.proof.verify import verify
from domain.kernel.rules.ruleset import Library
from tests.service.api.serving import Player, Service, serving
from tests.tiny.auction import TinyAuction

ORDER = [["blue"], ["red", "green"]]


@pytest.fixture
async def carl(service: Service) -> Player:
    return await service.register("Carl")


@pytest.fixture
async def game(service: Service, anna: Player, bert: Player, carl: Player) -> str:
    return await service.begun(anna, bert, carl)


async def propose(service: Service, game: str, player: Player, order: list[list[str]] = ORDER) -> int:
    return (await service.post(f"/v1/games/{game}/end-proposals", player, {"order": order}))["version"]


def answer_url(game: str, proposed: int | str) -> str:
    return f"/v1/games/{game}/end-proposals/{proposed}/answer"


@pytest.mark.rule("TAB-END-01")
async def test_a_game_ends_when_all_others_have_agreed(
    service: Service, game: str, anna: Player, bert: Player, carl: Player
) -> None:
    url = f"/v1/games/{game}"
    proposed = await propose(service, game, anna)
    shown = {"proposed": proposed, "seat": "red", "order": ORDER, "agreed": [], "waits_for": ["blue", "green"]}
    assert (await service.get(url))["end_proposals"] == [shown]
    await service.post(answer_url(game, proposed), bert, {"agrees": True})
    await service.give(game, anna, "put-up", coins=1)
    assert (await service.get(url))["end_proposals"] == [{**shown, "agreed": ["blue"], "waits_for": ["green"]}]
    done = await service.post(answer_url(game, proposed), carl, {"agrees": True})
    assert [each["type"] for each in done["events"]] == ["end-answered", "game-ended"]
    over = await service.get(url)
    assert over["result"] == {"winners": [], "rule": "TAB-END-01", "how": "agreed", "order": ORDER}
    assert (over["status"], over["end_proposals"], over["abandoned_at"]) == ("over", [], None)
    late = await service.ask("POST", f"{url}/end-proposals", anna, {"order": ORDER})
    assert (late.status_code, late.json()["rule"]) == (409, "TAB-LIFE-01")
    export = await service.ask("GET", f"{url}/export")
    verdict = verify(export.content.splitlines(keepends=True), Library([TinyAuction()]))
    assert (verdict.ok, verdict.status, verdict.unproved) == (True, "over", ()), verdict.problem


@pytest.mark.rule("TAB-END-01")
@pytest.mark.rule("TAB-END-02")
async def test_proposals_and_answers_that_are_not_allowed_are_refused_with_the_rule(
    service: Service, game: str, anna: Player, bert: Player
) -> None:
    url = f"/v1/games/{game}/end-proposals"
    for order in ([["red"]], [["red", "blue", "green", "pink"]], [["red", "red"], ["blue", "green"]]):
        refused = await service.ask("POST", url, anna, {"order": order})
        assert (refused.status_code, refused.json()["rule"]) == (422, "TAB-END-01")
    for wrong in (
        {},
        {"order": []},
        {"order": [[]]},
        {"order": ["red"]},
        {"order": [["red"] * 9]},
        {"order": ORDER, "x": 1},
    ):
        assert (await service.ask("POST", url, anna, wrong)).json()["type"] == "/problems/invalid-body", wrong
    stranger = await service.register("Sven")
    proposed = await propose(service, game, anna)
    for path, body in ((url, {"order": ORDER}), (answer_url(game, proposed), {"agrees": True})):
        refused = await service.ask("POST", path, stranger, body)
        assert (refused.status_code, refused.json()["type"]) == (403, "/problems/not-seated")
        assert (await service.ask("POST", path, None, body)).status_code == 401
    again = await service.ask("POST", url, anna, {"order": [["red", "blue", "green"]]})
    assert (again.status_code, again.json()["rule"]) == (422, "TAB-END-02")
    own = await service.ask("POST", answer_url(game, proposed), anna, {"agrees": True})
    assert (own.status_code, own.json()["rule"]) == (422, "TAB-END-02")
    stale = await service.ask("POST", answer_url(game, proposed), bert, {"agrees": True}, if_match='"1"')
    assert stale.json()["type"] == "/problems/stale-version"


@pytest.mark.rule("TAB-END-02")
@pytest.mark.parametrize("named", ["{gone}", "2", "99", "x", "-1", "9" * 20])
async def test_a_proposal_that_is_not_open_is_unknown(
    service: Service, game: str, anna: Player, bert: Player, named: str
) -> None:
    proposed = await propose(service, game, anna)
    await service.post(answer_url(game, proposed), bert, {"agrees": False})
    unknown = await service.ask("POST", answer_url(game, named.format(gone=proposed)), bert, {"agrees": True})
    assert (unknown.status_code, unknown.json()["type"]) == (404, "/problems/unknown-end-proposal")


async def test_an_answer_repeated_with_its_key_gets_the_same_response(
    service: Service, game: str, anna: Player, bert: Player, carl: Player
) -> None:
    url = f"/v1/games/{game}/end-proposals"
    first = await service.ask("POST", url, anna, {"order": ORDER}, idempotency_key="once")
    again = await service.ask("POST", url, anna, {"order": ORDER}, idempotency_key="once")
    assert first.json()["events"] == again.json()["events"]
    other = await service.ask("POST", url, anna, {"order": [["red", "blue", "green"]]}, idempotency_key="once")
    assert other.json()["type"] == "/problems/key-reused"
    proposed = first.json()["version"]
    await service.post(answer_url(game, proposed), bert, {"agrees": True})
    first = await service.ask("POST", answer_url(game, proposed), carl, {"agrees": True}, idempotency_key="end")
    again = await service.ask("POST", answer_url(game, proposed), carl, {"agrees": True}, idempotency_key="end")
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json()["events"] == again.json()["events"], "although the game is over"


async def test_proposals_are_kept_when_the_game_is_loaded_again(tmp_path: Path, database_url: str) -> None:
    where = {"durable": False, "database_url": database_url}
    async with serving(tmp_path, **where) as service:
        anna, bert = await service.register("Anna"), await service.register("Bert")
        game = await service.begun(anna, bert)
        proposed = await propose(service, game, anna, [["red"], ["blue"]])
        before = await service.get(f"/v1/games/{game}")
    async with serving(tmp_path, **where) as service:
        assert await service.get(f"/v1/games/{game}") == before
        done = await service.post(answer_url(game, proposed), bert, {"agrees": True})
        assert done["events"][-1]["type"] == "game-ended"
        for version in range(1, done["version"] + 1):
            await service.get(f"/v1/games/{game}/state?version={version}")


@pytest.mark.rule("TAB-END-04")
async def test_a_game_says_when_it_will_be_abandoned(service: Service, anna: Player, bert: Player) -> None:
    wish = {"ruleset": "tiny-auction", "players": 2}
    usual = await service.post("/v1/games", anna, wish)
    assert (usual["abandoned_after"], usual["abandoned_at"]) == (90, None)
    chosen = await service.post("/v1/games", anna, {**wish, "abandoned_after": 14})
    assert chosen["abandoned_after"] == 14
    for days in (13, 367, 0, "14"):
        wrong = await service.ask("POST", "/v1/games", anna, {**wish, "abandoned_after": days})
        assert wrong.json()["type"] == "/problems/invalid-body"
    running = await service.get(f"/v1/games/{await service.begun(anna, bert)}")
    assert running["abandoned_at"] > running["changed"]
