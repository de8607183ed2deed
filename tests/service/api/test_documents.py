"""Documents beside the board over HTTP: shown, sent along corrected, refused in lines, and proved by the export."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from domain.kernel.proof.verify import verify
from domain.kernel.rules.ruleset import Library
from tests.service.api.serving import Service, serving
from tests.tiny.auction import TinyAuction
from tests.tiny.prizes import PrizedAuction

LIBRARY = Library([TinyAuction(), PrizedAuction()])
NEW = {"ruleset": "tiny-prized", "players": 2}


@pytest.fixture
async def prized(tmp_path: Path, database_url: str) -> AsyncIterator[Service]:
    async with serving(tmp_path, LIBRARY, durable=False, database_url=database_url) as running:
        yield running


async def test_a_rulesets_document_is_shown_and_sent_along_corrected(prized: Service) -> None:
    anna, bert = await prized.register("Anna"), await prized.register("Bert")
    ruleset = await prized.get("/v1/rulesets/tiny-prized")
    assert (ruleset["documents"], ruleset["remarks"]) == (["prizes"], {"prizes": "12 coins, counted by us."})
    own = await prized.get("/v1/rulesets/tiny-prized/documents/prizes")
    assert own["document"] == {"coins": 12, "kept_in": "cellar"}

    corrected = {**own["document"], "coins": 7}
    answer = await prized.ask("POST", "/v1/games", anna, {**NEW, "documents": {"prizes": corrected}})
    game = answer.json()
    assert answer.status_code == 201
    shown = await prized.get(f"/v1/games/{game['id']}/documents/prizes")
    assert shown["document"] == corrected
    assert game["documents"] == {"prizes": shown["digest"]}
    assert game["remarks"] == {"prizes": "7 coins, counted by us."}
    assert game["words"] == {"bank": "bank of 7 coins"}
    assert shown["digest"] != own["digest"]

    for player in (anna, bert):
        await prized.post(f"/v1/games/{game['id']}/seats", player, {})
    await prized.post(f"/v1/games/{game['id']}/start", anna)
    assert (await prized.get(f"/v1/games/{game['id']}/state"))["view"]["bank"] == 7
    export = await prized.ask("GET", f"/v1/games/{game['id']}/export")
    verdict = verify(export.content.splitlines(keepends=True), LIBRARY)
    assert verdict.ok, verdict.problem


async def test_what_documents_say_is_told_line_by_line(prized: Service) -> None:
    anna = await prized.register("Anna")
    corrected = {"coins": 7, "kept_in": "cellar", "note": "two are clipped"}
    game = await prized.post("/v1/games", anna, {**NEW, "documents": {"prizes": corrected}})
    lines = [{"words": "7 coins in Keller für Gäste", "origin": "counted", "source": "two are clipped"}]
    assert await prized.get(f"/v1/games/{game['id']}/papers") == {
        "game": game["id"],
        "origins": {"counted": "counted by us"},
        "sources": {},
        "papers": [
            {
                "id": "bank",
                "title": "The bank",
                "sections": [{"title": "What it has", "lines": lines}],
                "document": "prizes",
            }
        ],
    }
    plain = await prized.post("/v1/games", anna, {"ruleset": "tiny-auction", "players": 2})
    assert (await prized.get(f"/v1/games/{plain['id']}/papers"))["papers"] == []


async def test_a_game_that_brings_none_has_its_rulesets_own(prized: Service) -> None:
    anna = await prized.register("Anna")
    game = (await prized.ask("POST", "/v1/games", anna, NEW)).json()
    own = await prized.get("/v1/rulesets/tiny-prized/documents/prizes")
    assert await prized.get(f"/v1/games/{game['id']}/documents/prizes") == own
    assert game["documents"] == {"prizes": own["digest"]}


@pytest.mark.parametrize(
    ("documents", "said"),
    [
        ({"prizes": {"coins": 0, "kept_in": "cellar"}}, "prizes.coins is 0; give at least 1"),
        ({"prizes": {"coins": "many", "kept_in": "cellar"}}, "prizes.coins: expected `int`, got `str`"),
        ({"prizes": {"coins": 7, "kept_in": "attic"}}, "prizes.kept_in: 'attic' is not an area of the board"),
        ({"deck": {}}, "Tiny Auction has no document 'deck'; known: prizes"),
    ],
)
async def test_a_faulty_document_is_refused_and_no_game_is_created(
    prized: Service, documents: dict[str, object], said: str
) -> None:
    anna = await prized.register("Anna")
    answer = await prized.ask("POST", "/v1/games", anna, {**NEW, "documents": documents})
    assert answer.status_code == 422
    assert answer.json()["type"] == "/problems/invalid-document"
    assert answer.json()["detail"] == said
    assert (await prized.get("/v1/games"))["items"] == []


@pytest.mark.parametrize("path", ["rulesets/tiny-prized", "rulesets/tiny-auction"])
async def test_a_document_that_is_not_there_is_said(prized: Service, path: str) -> None:
    answer = await prized.ask("GET", f"/v1/{path}/documents/cards")
    assert answer.status_code == 404
    assert answer.json()["type"] == "/problems/unknown-document"
