"""Moving a running game to a newer version of its ruleset, over HTTP."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from domain.kernel.proof.verify import verify
from domain.kernel.rules.ruleset import Library
from tests.service.api.serving import Player, Service, serving
from tests.tiny.corrected import Corrected

RELEASED = Library([Corrected()])


@pytest.fixture
async def games(tmp_path: Path, database_url: str) -> AsyncIterator[tuple[Service, Player, Player, str]]:
    """A service that has the second version, and a game that began when there was only the first."""
    where = {"durable": False, "database_url": database_url}
    async with serving(tmp_path, Library([Corrected(1)]), **where) as before:
        anna, bert = await before.register("Anna"), await before.register("Bert")
        game = await before.begun(anna, bert)
    async with serving(tmp_path, RELEASED, **where) as service:
        yield service, anna, bert, game


async def test_a_ruleset_lists_its_versions_and_what_they_changed(games: tuple[Service, Player, Player, str]) -> None:
    service, *_ = games
    ruleset = await service.get("/v1/rulesets/tiny-auction")
    assert ruleset["version"] == 2
    assert ruleset["versions"] == [
        {"version": 1, "changes": []},
        {
            "version": 2,
            "changes": [
                {"rules": ["TA-PUT-01"], "what": "One coin is put up at a time.", "why": "The rules say so."},
            ],
        },
    ]


async def test_a_rule_is_told_as_a_version_has_it(games: tuple[Service, Player, Player, str]) -> None:
    service, *_ = games
    for path in ("/v1/rulesets/tiny-auction/rules", "/v1/rulesets/tiny-auction/rules/TA-PUT-01"):
        assert (await service.ask("GET", f"{path}?version=1")).status_code == 200
        unknown = await service.ask("GET", f"{path}?version=3")
        assert (unknown.status_code, unknown.json()["type"]) == (404, "/problems/unknown-ruleset")
        assert unknown.json()["detail"] == "There is no version 3 of tiny-auction; its versions are 1 to 2."


async def test_a_game_goes_on_by_the_version_that_it_began_with(games: tuple[Service, Player, Player, str]) -> None:
    service, anna, bert, game = games
    shown = await service.get(f"/v1/games/{game}")
    assert (shown["ruleset_version"], shown["upgraded_to"]) == (1, None)
    await service.give(game, anna, "put-up", coins=2)
    newer = await service.begun(anna, bert)
    assert (await service.get(f"/v1/games/{newer}"))["ruleset_version"] == 2
    command = {"command": {"type": "put-up", "coins": 2}}
    refused = await service.ask("POST", f"/v1/games/{newer}/commands", anna, command)
    assert refused.json()["rule"] == "TA-PUT-01"


async def test_an_organizer_tries_out_and_moves_a_game(games: tuple[Service, Player, Player, str]) -> None:
    service, anna, bert, game = games
    url = f"/v1/games/{game}"
    before = await service.get(url)
    checked = await service.post(f"{url}/upgrade/check", anna, {"to": 2})
    assert (checked["version"], checked["ruleset_version"], checked["to"]) == (before["version"], 1, 2)
    assert [change["what"] for change in checked["changes"]] == ["One coin is put up at a time."]
    assert await service.get(url) == before

    accepted = await service.post(f"{url}/upgrade", anna, {"to": 2})
    assert [each["event"] for each in accepted["events"]] == [{"type": "rules-upgraded", "from": 1, "to": 2}]
    shown = await service.get(url)
    assert (shown["ruleset_version"], shown["upgraded_to"]) == (1, 2)
    told = await service.get(f"{url}/history", bert)
    said = "The organizer moved the game from version 1 of its rules to version 2."
    assert said in str(told)
    refused = await service.ask("POST", f"{url}/commands", anna, {"command": {"type": "put-up", "coins": 2}})
    assert refused.json()["rule"] == "TA-PUT-01"

    await service.play_out(game, anna, bert)
    export = await service.ask("GET", f"{url}/export")
    verdict = verify(export.content.splitlines(keepends=True), RELEASED)
    assert verdict.ok, verdict.problem


async def test_a_repeated_move_gets_the_first_answer(games: tuple[Service, Player, Player, str]) -> None:
    service, anna, _, game = games
    first = await service.ask("POST", f"/v1/games/{game}/upgrade", anna, {"to": 2}, idempotency_key="once")
    again = await service.ask("POST", f"/v1/games/{game}/upgrade", anna, {"to": 2}, idempotency_key="once")
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json()["events"] == again.json()["events"]


@pytest.mark.parametrize("path", ["upgrade", "upgrade/check"])
async def test_a_move_that_cannot_be_is_refused_with_its_rule(
    games: tuple[Service, Player, Player, str], path: str
) -> None:
    service, anna, bert, game = games
    url = f"/v1/games/{game}/{path}"
    for player, to, rule in ((bert, 2, "TAB-RULES-01"), (anna, 1, "TAB-RULES-01"), (anna, 3, "TAB-RULES-01")):
        refused = await service.ask("POST", url, player, {"to": to})
        assert (refused.status_code, refused.json()["rule"]) == (422, rule)
    stale = await service.ask("POST", url, anna, {"to": 2}, if_match='"1"')
    assert stale.json()["type"] == "/problems/stale-version"
    wrong = await service.ask("POST", url, anna, {"to": "2"})
    assert wrong.json()["type"] == "/problems/invalid-body"
    nobody = await service.ask("POST", url, None, {"to": 2})
    assert nobody.status_code == 401


async def test_a_moved_game_is_loaded_again(games: tuple[Service, Player, Player, str], tmp_path: Path) -> None:
    service, anna, _, game = games
    await service.post(f"/v1/games/{game}/upgrade", anna, {"to": 2})
    assert (await service.get(f"/v1/games/{game}/state?version=4"))["version"] == 4
    state = await service.get(f"/v1/games/{game}/state")
    service.services.games._cache._cached.clear()
    assert await service.get(f"/v1/games/{game}/state") == state
