"""What can be played, and the pages for people."""

import base64
import hashlib
import json
import logging
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
import pytest
import structlog

from domain.kernel.rules.board import Board
from service.api.pages.guides import GUIDES, guides
from service.api.problems.published import KINDS
from service.observe.logging import configure
from tests.service.api.serving import Player, Service

ROOT: Final = Path(__file__).parents[3]


async def test_rulesets_are_listed_and_shown(service: Service) -> None:
    (ruleset,) = (await service.get("/v1/rulesets"))["items"]
    assert (ruleset["id"], ruleset["players"], ruleset["board"]) == ("tiny-auction", [2, 3, 4], "room")
    shown = await service.get("/v1/rulesets/tiny-auction")
    assert shown["seats"]["2"] == ["red", "blue"]
    assert shown["setup"]["properties"]["rounds"]["maximum"] == 3
    assert "put-up" in shown["commands"]


async def test_a_ruleset_tells_which_rules_its_types_concern(service: Service) -> None:
    concerns = (await service.get("/v1/rulesets/tiny-auction"))["concerns"]
    assert concerns["choose-card"] == ["TA-BID-01"]
    assert concerns["undo"] == ["TAB-UNDO-01"]
    assert concerns["moves-retracted"] == ["TAB-UNDO-02", "TAB-UNDO-03", "TAB-UNDO-04"]
    assert "card-chosen" not in concerns, "it declares no rule"


async def test_a_board_is_shown_with_its_digest(service: Service, anna: Player) -> None:
    shown = await service.get("/v1/rulesets/tiny-auction/board")
    assert msgspec.convert(shown["board"], Board).id == "room"
    game = await service.gathering(anna)
    assert (await service.get(f"/v1/games/{game}"))["board"] == shown["digest"]


async def test_rules_are_listed_by_chapter_and_words(service: Service) -> None:
    url = "/v1/rulesets/tiny-auction/rules"
    every = (await service.get(url))["items"]
    assert [rule["id"] for rule in (await service.get(f"{url}?chapter=BID"))["items"]] == [
        rule["id"] for rule in every if rule["chapter"] == "BID"
    ]
    assert [rule["id"] for rule in (await service.get(f"{url}?text=TWELVE%20coins"))["items"]] == ["TA-SET-02"]
    first = await service.get(f"{url}?limit=1")
    second = await service.get(f"{url}?limit=1&cursor={first['next']}")
    assert [*first["items"], *second["items"]] == every[:2]


async def test_a_rule_of_the_house_holds_in_every_ruleset(service: Service) -> None:
    rule = await service.get("/v1/rulesets/tiny-auction/rules/TAB-UNDO-01")
    assert rule["chapter_title"] == "undo and rulings"


async def test_schemas_tell_commands_and_events_apart(service: Service) -> None:
    shown = await service.get("/v1/rulesets/tiny-auction/schemas")
    assert shown["commands"]["discriminator"]["mapping"]["put-up"] == "#/$defs/TinyPutUp"
    assert shown["events"]["$defs"]["TinyPrizePutUp"]["properties"]["type"] == {
        "type": "string",
        "const": "prize-put-up",
    }


async def test_the_documentation_asks_nothing_of_the_internet(service: Service) -> None:
    for path in ("/docs", "/docs/reference", "/problems", "/problems/refused"):
        page = (await service.client.get(path)).text
        links = re.findall(r'(?:src|href)="([^"]+)"', page)
        assert links
        for link in links:
            assert link.startswith(("/", "#content"))
            assert (await service.client.get(link)).status_code == 200


async def test_every_guide_is_listed_and_leads_nowhere_else_within_the_service(service: Service) -> None:
    listed = re.findall(r'href="(/docs/guides/[^"]+)"', (await service.client.get("/docs")).text)
    there = [name for name, path in GUIDES.items() if (ROOT / path).exists()]
    assert listed == [f"/docs/guides/{name}" for name in there]
    assert {"overview", "testing", "verification"} <= set(there)
    for path in listed:
        page = await service.client.get(path)
        assert page.headers["content-security-policy"].startswith("default-src 'self';")
        assert "unsafe" not in page.headers["content-security-policy"]
        for link in set(re.findall(r'(?:src|href)="(/[^"#]*)', page.text)):
            assert (await service.client.get(link)).status_code == 200, f"{path} leads to {link}"
        for part in re.findall(r'href="#([^"]+)"', page.text):
            assert f'id="{part}"' in page.text, f"{path} has no part {part}"


async def test_pictures_of_guides_are_served_and_no_other_file(service: Service) -> None:
    shown = (await service.client.get("/docs/guides/overview")).text
    (picture,) = set(re.findall(r'<img src="(/docs/[^"]+)"', shown))
    answer = await service.client.get(picture)
    assert answer.headers["content-type"] == "image/webp"
    assert answer.content == (ROOT / picture.removeprefix("/docs/pictures/")).read_bytes()
    for other in ("pyproject.toml", "../pyproject.toml", "%2e%2e/pyproject.toml", "deploy/none.webp"):
        assert (await service.client.get(f"/docs/pictures/{other}")).status_code == 404


async def test_a_guide_that_there_is_not_is_refused_with_those_that_there_are(service: Service) -> None:
    answer = await service.ask("GET", "/docs/guides/none")
    assert answer.status_code == 404
    assert "overview" in answer.json()["allowed"]


async def test_the_name_of_a_guide_leads_to_it(service: Service) -> None:
    for path, name in {"/docs/python": "python", "/docs/typescript": "typescript", "/examples": "examples"}.items():
        answer = await service.client.get(path)
        assert (answer.status_code, answer.headers["location"]) == (308, f"/docs/guides/{name}")
        assert "tabularium" in (await service.client.get(answer.headers["location"])).text


async def test_an_installed_package_has_the_guides() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    wanted = {path for path in GUIDES.values() if (ROOT / path).exists()}
    wanted |= {path for each in guides().values() for path in each.pictures}
    for path in wanted:
        if path.partition("/")[0] not in wheel["packages"]:
            assert wheel["force-include"].get(path) == f"service/api/pages/guides/{path}", path


async def test_the_reference_runs_no_script_of_another_origin_and_none_inline(service: Service) -> None:
    policy = (await service.client.get("/docs/reference")).headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "script-src" not in policy, "the default holds"
    assert "unsafe-eval" not in policy
    assert policy.count("'unsafe-inline'") == policy.count("style-src-attr 'unsafe-inline'") == 1


async def test_scalar_is_what_its_provenance_says() -> None:
    vendored = ROOT / "service" / "api" / "pages" / "vendor" / "scalar"
    digest = base64.b64encode(hashlib.sha384((vendored / "scalar.js").read_bytes()).digest()).decode()
    assert f"`sha384-{digest}`" in (vendored / "README.md").read_text()


async def test_the_contract_is_served(service: Service) -> None:
    contract = await service.get("/openapi.json")
    assert contract["openapi"] == "3.1.0"
    assert "TinyCommand" in contract["components"]["schemas"]


async def test_the_contract_is_served_compact_and_packed_and_not_sent_twice(service: Service) -> None:
    first = await service.client.get("/openapi.json")
    assert first.headers["Content-Encoding"] == "gzip"
    assert first.headers["Content-Type"] == "application/json"
    assert b"\n" not in first.content
    again = await service.client.get("/openapi.json", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


async def test_every_kind_of_problem_has_a_page(service: Service) -> None:
    listed = (await service.client.get("/problems")).text
    for kind in KINDS:
        assert kind.type in listed
        page = await service.client.get(kind.type)
        assert kind.type in page.text
    assert (await service.client.get("/problems/none")).status_code == 404


async def test_it_lives_and_can_serve(service: Service) -> None:
    assert await service.get("/health") == await service.get("/ready") == {"status": "ok"}


@pytest.fixture
def logging_as_served() -> Iterator[None]:
    configure("info")
    yield
    # Both would go on writing to this test's stderr, which is closed after it.
    logging.root.handlers.clear()
    structlog.reset_defaults()


async def test_the_log_names_the_request_and_the_game_and_no_token(
    logging_as_served: None, service: Service, anna: Player, capsys: pytest.CaptureFixture[str]
) -> None:
    game = await service.gathering(anna)
    answer = await service.ask("GET", f"/v1/games/{game}", anna)
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    (line,) = [line for line in lines if line.get("request") == answer.headers["request-id"]]
    assert (line["event"], line["method"], line["path"], line["status"], line["game"]) == (
        "request",
        "GET",
        f"/v1/games/{game}",
        200,
        game,
    )
    assert anna.headers["authorization"].removeprefix("Bearer ") not in json.dumps(lines)


async def test_every_answer_says_what_a_browser_may_make_of_it(service: Service, anna: Player) -> None:
    game = await service.gathering(anna)
    data = (
        "/health",
        "/ready",
        "/metrics",
        "/openapi.json",
        "/v1/rulesets",
        f"/v1/games/{game}/export",
        "/favicon.ico",
    )
    wrong = ("/nothing", "/v1/games?page=2", "/v1/players/me", "/v1/games?text=" + "a" * 10_000)
    pages = (
        "/",
        f"/games/{game}",
        "/docs",
        "/docs/reference",
        "/docs/guides/overview",
        "/docs/scalar.js",
        "/problems",
        "/problems/refused",
    )
    pictures = (
        f"/v1/games/{game}/board.svg",
        f"/v1/games/{game}/charts/dice.svg",
        "/v1/rulesets/tiny-auction/board.svg",
    )
    for path in (*data, *wrong, *pages, *pictures):
        for method in ("GET", "HEAD"):
            answer = await service.ask(method, path)
            assert answer.headers.get_list("x-content-type-options") == ["nosniff"], path
            (policy,) = answer.headers.get_list("content-security-policy")
            assert policy.startswith("default-src 'self'" if path in pages else "default-src 'none'"), path
            assert ("frame-ancestors 'none'" in policy) == (path not in pictures), "pictures may be embedded"
    async with service.client.stream("GET", f"/v1/games/{game}/events/stream") as stream:
        assert stream.headers["x-content-type-options"] == "nosniff"
        assert stream.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
