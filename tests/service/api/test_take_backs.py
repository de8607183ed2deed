"""Taking moves back by consent, over HTTP."""

from pathlib import Path

import pytest

from domain.kernel.proof.verify import verify
from domain.kernel.rules.ruleset import Library
from tests.service.api.serving import Player, Service, serving
from tests.tiny.auction import TinyAuction


@pytest.fixture
async def carl(service: Service) -> Player:
    return await service.register("Carl")


@pytest.fixture
async def game(service: Service, anna: Player, bert: Player, carl: Player) -> str:
    """A game of three. Anna has given two commands. Bert has answered the second, so she cannot undo it alone."""
    game = await service.begun(anna, bert, carl)
    await service.give(game, anna, "put-up", coins=1)
    await service.give(game, anna, "open-bidding")
    await service.give(game, bert, "choose-card", card=await service.first_card(game, bert))
    return game


async def ask_to_go_back(service: Service, game: str, player: Player, back: int = 3) -> tuple[int, int]:
    """Ask to take moves back. Return the version to go back to, and the version of the request."""
    to = (await service.get(f"/v1/games/{game}"))["version"] - back
    done = await service.post(f"/v1/games/{game}/take-backs", player, {"to": to})
    return to, done["version"]


def answer_url(game: str, request: int) -> str:
    return f"/v1/games/{game}/take-backs/{request}/answer"


@pytest.mark.rule("TAB-UNDO-04")
async def test_the_game_goes_back_when_all_others_have_agreed(
    service: Service, game: str, anna: Player, bert: Player, carl: Player
) -> None:
    url = f"/v1/games/{game}"
    undo = await service.ask("POST", f"{url}/commands", anna, {"command": {"type": "undo", "to": 1}})
    assert undo.json()["rule"] == "TAB-UNDO-01"
    to, request = await ask_to_go_back(service, game, anna)
    before = await service.get(f"{url}/state?version={to}")
    shown = (await service.get(url))["take_backs"]
    assert shown == [{"asked": request, "seat": "red", "to": to, "waits_for": ["blue", "green"]}]
    await service.post(answer_url(game, request), bert, {"agrees": True})
    assert (await service.get(url))["take_backs"][0]["waits_for"] == ["green"]
    done = await service.post(answer_url(game, request), carl, {"agrees": True})
    assert [each["type"] for each in done["events"]] == ["take-back-answered", "moves-retracted"]
    assert done["events"][1]["event"]["by"] == "consent"
    now = await service.get(f"{url}/state")
    assert (now["view"], now["decisions"]) == (before["view"], before["decisions"])
    assert (await service.get(url))["take_backs"] == []
    history = str(await service.get(f"{url}/history"))
    assert f"All seats agreed to take moves back: the game continues from version {to}." in history
    await service.play_out(game, anna, bert, carl)
    export = await service.ask("GET", f"{url}/export")
    verdict = verify(export.content.splitlines(keepends=True), Library([TinyAuction()]))
    assert (verdict.ok, verdict.status) == (True, "over"), verdict.problem


@pytest.mark.rule("TAB-UNDO-04")
@pytest.mark.rule("TAB-UNDO-05")
async def test_requests_and_answers_that_are_not_allowed_are_refused_with_the_rule(
    service: Service, game: str, anna: Player, bert: Player, carl: Player
) -> None:
    url = f"/v1/games/{game}/take-backs"
    for player, to in ((carl, 3), (anna, 1), (anna, 99)):
        refused = await service.ask("POST", url, player, {"to": to})
        assert (refused.status_code, refused.json()["rule"]) == (422, "TAB-UNDO-04")
    stranger = await service.register("Sven")
    for path, body in ((url, {"to": 3}), (f"{url}/9/answer", {"agrees": True})):
        refused = await service.ask("POST", path, stranger, body)
        assert (refused.status_code, refused.json()["type"]) == (403, "/problems/not-seated")
        assert (await service.ask("POST", path, None, body)).status_code == 401
    to, request = await ask_to_go_back(service, game, anna)
    again = await service.ask("POST", url, anna, {"to": to})
    assert (again.status_code, again.json()["rule"]) == (422, "TAB-UNDO-05")
    own = await service.ask("POST", answer_url(game, request), anna, {"agrees": True})
    assert (own.status_code, own.json()["rule"]) == (422, "TAB-UNDO-05")
    await service.post(answer_url(game, request), bert, {"agrees": True})
    twice = await service.ask("POST", answer_url(game, request), bert, {"agrees": True})
    assert (twice.status_code, twice.json()["rule"]) == (422, "TAB-UNDO-05")
    stale = await service.ask("POST", answer_url(game, request), carl, {"agrees": True}, if_match='"1"')
    assert stale.json()["type"] == "/problems/stale-version"
    for wrong in ({"agrees": "yes"}, {}, {"agrees": True, "why": "so"}):
        assert (await service.ask("POST", answer_url(game, request), carl, wrong)).json()[
            "type"
        ] == "/problems/invalid-body"


@pytest.mark.rule("TAB-UNDO-05")
@pytest.mark.parametrize("named", ["{gone}", "2", "99", "x", "-1", "9" * 20])
async def test_a_request_that_is_not_open_is_unknown(
    service: Service, game: str, anna: Player, bert: Player, named: str
) -> None:
    _, request = await ask_to_go_back(service, game, anna)
    await service.post(answer_url(game, request), bert, {"agrees": False})
    path = f"/v1/games/{game}/take-backs/{named.format(gone=request)}/answer"
    unknown = await service.ask("POST", path, bert, {"agrees": True})
    assert (unknown.status_code, unknown.json()["type"]) == (404, "/problems/unknown-take-back")


async def test_the_seat_that_asked_withdraws_and_a_command_ends_a_request(
    service: Service, game: str, anna: Player, carl: Player
) -> None:
    to, request = await ask_to_go_back(service, game, anna)
    await service.post(answer_url(game, request), anna, {"agrees": False})
    assert (await service.get(f"/v1/games/{game}"))["take_backs"] == []
    await service.post(f"/v1/games/{game}/take-backs", anna, {"to": to + 1})
    await service.give(game, carl, "choose-card", card=await service.first_card(game, carl))
    assert (await service.get(f"/v1/games/{game}"))["take_backs"] == []


async def test_an_answer_repeated_with_its_key_gets_the_same_response(
    service: Service, game: str, anna: Player, bert: Player, carl: Player
) -> None:
    _, request = await ask_to_go_back(service, game, anna)
    await service.post(answer_url(game, request), bert, {"agrees": True})
    first = await service.ask("POST", answer_url(game, request), carl, {"agrees": True}, idempotency_key="once")
    again = await service.ask("POST", answer_url(game, request), carl, {"agrees": True}, idempotency_key="once")
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json()["events"] == again.json()["events"]
    other = await service.ask("POST", answer_url(game, request), carl, {"agrees": False}, idempotency_key="once")
    assert other.json()["type"] == "/problems/key-reused"


async def test_requests_and_officials_are_kept_when_the_game_is_loaded_again(tmp_path: Path, database_url: str) -> None:
    where = {"durable": False, "database_url": database_url}
    async with serving(tmp_path, **where) as service:
        anna, bert = await service.register("Anna"), await service.register("Bert")
        judge = await service.register("Ines")
        game = await service.begun(anna, bert)
        await service.give(game, anna, "put-up", coins=1)
        await service.ask("PUT", f"/v1/games/{game}/officials/{judge.id}", anna)
        to, request = await ask_to_go_back(service, game, anna, back=2)
        before = await service.get(f"/v1/games/{game}")
    async with serving(tmp_path, **where) as service:
        assert await service.get(f"/v1/games/{game}") == before
        assert before["take_backs"][0]["to"] == to
        done = await service.post(answer_url(game, request), bert, {"agrees": True})
        assert done["events"][-1]["type"] == "moves-retracted"
        for version in range(1, done["version"] + 1):
            await service.get(f"/v1/games/{game}/state?version={version}")
