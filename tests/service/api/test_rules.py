"""Rules over HTTP: what kind of statement each is, and under which option it holds."""

import tomllib
from pathlib import Path

from domain.kernel.rules.ruleset import Library
from domain.library import LIBRARY
from service.api.rulesets.scenarios import scenarios_of
from service.cli.coverage import collect
from tests.service.api.serving import Service, serving
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


async def test_a_rule_shows_the_scenarios_that_test_it_as_they_are_written() -> None:
    for ruleset_id in LIBRARY.ids():
        ruleset = LIBRARY.current(ruleset_id)
        covered = collect(TESTS, ruleset)
        for rule in ruleset.catalogue.for_ruleset(ruleset_id):
            shown = scenarios_of(ruleset, rule.id)
            named = [f"tests/scenarios/{each.file}::{each.title}" for each in shown]
            assert [*dict.fromkeys(named)] == [name for name in covered.get(rule.id, []) if ".toml::" in name]
            for each in shown:
                (scenario,) = tomllib.loads(each.text)["scenario"]
                assert (scenario["title"], rule.id in scenario["rules"]) == (each.title, True)
    both = scenarios_of(LIBRARY.current("mare-nostrum"), "MN-BAT-03")
    assert "three legions against legion and fortress" in both[0].title


async def test_the_scenarios_of_a_rule_are_answered_and_those_of_none_are_not(service: Service) -> None:
    page = await service.get("/v1/rulesets/tiny-auction/rules/TAB-UNDO-01/scenarios")
    assert page == {"items": [], "next": None}
    answer = await service.ask("GET", "/v1/rulesets/tiny-auction/rules/TA-BID-99/scenarios")
    assert (answer.status_code, answer.json()["type"]) == (404, "/problems/unknown-rule")
