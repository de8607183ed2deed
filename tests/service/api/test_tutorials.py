"""Tutorials over HTTP: every lesson can be read and done by anybody, and nothing of it is kept."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from domain.boards import builtin, drawing_of
from domain.kernel.rules import schema
from domain.kernel.tutorial import lessons
from domain.library import LIBRARY
from tests.service.api.serving import Service, serving

TAUGHT = [name for name in LIBRARY.ids() if LIBRARY.current(name).tutorial]
FIRST = LIBRARY.default


@pytest.fixture
async def school(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(tmp_path, LIBRARY, builtin, durable=False, drawings=drawing_of) as running:
        yield running


async def test_a_ruleset_without_a_tutorial_says_so(service: Service) -> None:
    tutorial = await service.get("/v1/rulesets/tiny-auction/tutorial")
    assert (tutorial["title"], tutorial["lessons"]) == ("Tiny Auction", [])
    missing = await service.ask("GET", "/v1/rulesets/tiny-auction/tutorial/march")
    assert (missing.status_code, missing.json()["type"]) == (404, "/problems/unknown-lesson")
    assert missing.json()["detail"] == "The tutorial of Tiny Auction has no lesson 'march'."


@pytest.mark.parametrize("ruleset", TAUGHT)
async def test_every_lesson_is_done_by_what_is_on_offer(school: Service, ruleset: str) -> None:
    tutorial = await school.get(f"/v1/rulesets/{ruleset}/tutorial")
    ids = [lesson["id"] for lesson in tutorial["lessons"]]
    assert ids == [lesson.id for lesson in lessons(LIBRARY.current(ruleset))]
    for lesson, then in zip(tutorial["lessons"], [*ids[1:], None], strict=True):
        place = f"/v1/rulesets/{ruleset}/tutorial/{lesson['id']}"
        position = await school.get(place)
        assert position["seat"] == lesson["seat"]
        assert any(position["seat"] in decision["seats"] for decision in position["decisions"])
        assert any(schema.matches(option["schema"], position["command"]) for option in position["options"])
        assert any(position["scene"]["areas"].values())
        outcome = (await school.ask("POST", place, body={"command": position["command"]})).json()
        assert (outcome["done"], outcome["next"]) == (True, then)
        assert outcome["told"]
        assert outcome["scene"] != position["scene"]
        for rule in lesson["rules"]:
            assert (await school.get(f"/v1/rulesets/{ruleset}/rules/{rule}"))["id"] == rule


async def test_a_lesson_begins_where_the_one_before_ended(school: Service) -> None:
    ruleset = f"/v1/rulesets/{FIRST}/tutorial"
    lesson, then = (await school.get(ruleset))["lessons"][:2]
    assert then["follows"]
    position = await school.get(f"{ruleset}/{lesson['id']}")
    ended = await school.ask("POST", f"{ruleset}/{lesson['id']}", body={"command": position["command"]})
    begins = await school.get(f"{ruleset}/{then['id']}")
    assert ended.json()["scene"]["areas"] == begins["scene"]["areas"]


async def test_a_lesson_refuses_by_the_rules_and_says_what_else_a_lawful_command_would_do(school: Service) -> None:
    place = f"/v1/rulesets/{FIRST}/tutorial/march"
    before = await school.get(place)
    march: dict[str, Any] = {**before["command"], "leaders": []}
    refused = await school.ask("POST", place, body={"command": march})
    assert refused.status_code == 422
    assert (refused.json()["type"], refused.json()["rule"]) == ("/problems/refused", "CC-MOV-03")
    untimely = await school.ask("POST", place, body={"command": {"type": "finish-purchase"}})
    assert (untimely.status_code, untimely.json()["type"]) == (409, "/problems/not-now")
    unknown = await school.ask("POST", place, body={"command": {"type": "fly"}})
    assert (unknown.status_code, unknown.json()["rule"]) == (422, "TAB-CMD-01")
    other = (await school.ask("POST", place, body={"command": {"type": "finish-movement"}})).json()
    assert (other["done"], other["told"][0]) == (False, "Red finished moving.")
    # Whatever was tried, the lesson is as it was.
    assert await school.get(place) == before


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b"{}", b'{"command": 1}', b'{"command": {"type": "march"}, "seat": "blue"}']
)
async def test_what_is_no_try_is_refused_as_such(school: Service, body: bytes) -> None:
    answer = await school.ask("POST", f"/v1/rulesets/{FIRST}/tutorial/march", body=body)
    assert 400 <= answer.status_code < 500
    assert answer.headers["content-type"] == "application/problem+json"
