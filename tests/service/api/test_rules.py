"""Rules over HTTP: what kind of statement each is, and under which option it holds."""

from pathlib import Path

from domain.kernel.rules.ruleset import Library
from tests.service.api.serving import serving
from tests.tiny.house import House


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
