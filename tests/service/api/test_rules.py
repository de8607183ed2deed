"""Rules over HTTP: what kind of statement each is, and under which option it holds."""

import tomllib
from functools import cache
from pathlib import Path

import pytest

from domain.kernel.rules.ruleset import Library
from domain.library import LIBRARY
from service.api.rulesets.routes import AT_WORK
from service.api.rulesets.scenarios import scenarios_of
from service.cli.coverage import Claim, claims_in, collect
from tests.helpers.sampling import sampled
from tests.service.api.serving import Answer, Player, Service, serving
from tests.service.api.test_statistics import caught_up
from tests.tiny.house import House

TESTS = Path(__file__).parents[2]


async def test_a_ruleset_says_what_its_ids_are_called(tmp_path: Path, database_url: str) -> None:
    async with serving(tmp_path, Library([House()]), durable=False, database_url=database_url) as service:
        ruleset = await service.get("/v1/rulesets/tiny-auction")
        assert ruleset["words"] == {"red": "House of Red", "western-buyers": "Western Buyers"}
        anna, bert = await service.register("Anna"), await service.register("Bert")
        game = await service.begun(anna, bert)
        marks = await service.get(f"/v1/games/{game}/marks")
        assert [each["name"] for each in marks["standings"]] == ["House of Red", "Blue"]


async def test_a_rule_and_its_refusal_say_under_which_option_it_holds(tmp_path: Path, database_url: str) -> None:
    async with serving(tmp_path, Library([House()]), durable=False, database_url=database_url) as service:
        rule = await service.get("/v1/rulesets/tiny-auction/rules/TA-GIV-02")
        assert (rule["status"], rule["option"], rule["option_default"]) == ("house", "misers", False)
        assert rule["standing"] == "house rule, only with the option misers, off by default"
        for status, known in {"faq": ["TA-BID-02"], "house": ["TA-GIV-02"], "clarification": []}.items():
            listed = await service.get(f"/v1/rulesets/tiny-auction/rules?status={status}")
            assert [each["id"] for each in listed["items"]] == known
        anna, bert = await service.register("Anna"), await service.register("Bert")
        game = await service.begun(anna, bert, misers=True)
        given = {"command": {"type": "give", "coins": {"blue": 1}}}
        refused = await service.ask("POST", f"/v1/games/{game}/commands", anna, given)
        assert refused.json()["rule_standing"] == rule["standing"]
        plain = await service.ask("POST", f"/v1/games/{game}/commands", bert, {"command": {"type": "open-bidding"}})
        assert "rule_standing" not in plain.json()


# Many rules have the same scenario.
parsed = cache(tomllib.loads)


@pytest.fixture(scope="module")
def claims(tmp_path_factory: pytest.TempPathFactory) -> list[Claim]:
    """What the scenarios claim, without reading what all tests claim."""
    tests = tmp_path_factory.mktemp("of") / "tests"
    tests.mkdir()
    (tests / "scenarios").symlink_to(TESTS / "scenarios")
    return claims_in(tests)


@pytest.mark.parametrize("ruleset_id", sampled("scenarios that rules show", LIBRARY.ids(), 2))
def test_a_rule_shows_the_scenarios_that_test_it_as_they_are_written(ruleset_id: str, claims: list[Claim]) -> None:
    ruleset = LIBRARY.current(ruleset_id)
    covered = collect(claims, ruleset)
    for rule in ruleset.catalogue.for_ruleset(ruleset_id):
        shown = scenarios_of(ruleset, rule.id)
        named = [f"tests/scenarios/{each.file}::{each.title}" for each in shown]
        assert [*dict.fromkeys(named)] == covered.get(rule.id, [])
        for each in shown:
            (scenario,) = parsed(each.text)["scenario"]
            assert (scenario["title"], rule.id in scenario["rules"]) == (each.title, True)


def test_a_rule_of_a_battle_shows_its_scenarios() -> None:
    both = scenarios_of(LIBRARY.current("mare-nostrum"), "MN-BAT-03")
    assert "three legions against legion and fortress" in both[0].title


async def test_the_scenarios_of_a_rule_are_answered_and_those_of_none_are_not(service: Service) -> None:
    page = await service.get("/v1/rulesets/tiny-auction/rules/TAB-UNDO-01/scenarios")
    assert page == {"items": [], "next": None}
    answer = await service.ask("GET", "/v1/rulesets/tiny-auction/rules/TA-BID-99/scenarios")
    assert (answer.status_code, answer.json()["type"]) == (404, "/problems/unknown-rule")


ENDED = "/v1/rulesets/tiny-auction/rules/TA-END-01/games"
BEGUN = "/v1/rulesets/tiny-auction/rules/TAB-LIFE-02/games"


async def at_work(service: Service, path: str) -> list[Answer]:
    """Return what the list says when the projections have caught up."""
    await caught_up(service)
    page = await service.get(path)
    assert page["next"] is None
    return page["items"]


async def test_a_rule_is_seen_at_work_in_games_at_the_version_that_shows_it(
    service: Service, anna: Player, bert: Player
) -> None:
    assert await at_work(service, ENDED) == []
    over = await service.begun(anna, bert, rounds=1)
    await service.play_out(over, anna, bert)
    running = await service.begun(anna, bert)
    await service.gathering(anna, bert)
    (item,) = await at_work(service, ENDED)
    game = await service.get(f"/v1/games/{over}")
    assert item == {
        "game": over,
        "title": game["title"],
        "status": "over",
        "created": game["created"],
        "version": game["version"],
        "event": "game-ended",
    }
    newest, older = await at_work(service, BEGUN)
    assert [(each["game"], each["status"]) for each in (newest, older)] == [(running, "running"), (over, "over")]
    for each in (newest, older):
        events = (await service.get(f"/v1/games/{each['game']}/events?after={each['version'] - 1}&limit=1"))["items"]
        assert [event["type"] for event in events] == [each["event"]] == ["game-started"]


async def test_private_games_and_forks_show_no_rule(service: Service, anna: Player, bert: Player) -> None:
    over = await service.begun(anna, bert, rounds=1)
    await service.play_out(over, anna, bert)
    before = await at_work(service, BEGUN)
    # At the version after the start, the first command is awaited.
    await service.post(f"/v1/games/{over}/forks", anna, {"version": before[0]["version"] + 1})
    body = {"ruleset": "tiny-auction", "players": 2, "title": "Secret club", "listed": False}
    hidden = (await service.post("/v1/games", anna, body))["id"]
    for player in (anna, bert):
        await service.post(f"/v1/games/{hidden}/seats", player, {})
    await service.post(f"/v1/games/{hidden}/start", anna)
    assert await at_work(service, BEGUN) == before
    assert await at_work(service, BEGUN.replace("TAB-LIFE-02", "TAB-FORK-01")) == []
    asked = await service.ask("GET", BEGUN, anna)
    assert asked.json()["items"] == before, "not even those who play it"
    # What is made public is shown, and what is made private is not, whatever it was when it was played.
    for listed, games in ((True, [hidden, over]), (False, [over])):
        put = await service.ask("PUT", f"/v1/games/{hidden}/listing", anna, {"listed": listed})
        assert put.status_code == 200
        assert [each["game"] for each in await at_work(service, BEGUN)] == games


async def test_only_the_newest_games_that_show_a_rule_are_listed(service: Service, anna: Player, bert: Player) -> None:
    games = [await service.begun(anna, bert) for _ in range(AT_WORK + 2)]
    assert [each["game"] for each in await at_work(service, BEGUN)] == games[:1:-1]


async def test_no_games_show_a_rule_that_there_is_not(service: Service) -> None:
    for path, kind in {
        "/v1/rulesets/tiny-auction/rules/TA-BID-99/games": "unknown-rule",
        "/v1/rulesets/chess/rules/TA-BID-01/games": "unknown-ruleset",
        f"{ENDED}?limit=3": "invalid-query",
    }.items():
        answer = await service.ask("GET", path)
        assert answer.json()["type"] == f"/problems/{kind}", path
