"""What breaks a client of the contract is found, what does not is no alarm, and the version says which it is."""

import json
from collections.abc import Callable
from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import force_setattr

from domain.library import LIBRARY
from service.api.contract import files as contract
from service.api.contract import releases
from service.api.contract.changes import changes
from service.api.contract.document import document, endpoints
from service.api.endpoint import Deprecated
from tests.service.api.serving import serving

FOLDER = Path(__file__).parents[2] / "openapi"
Contract = dict[str, Any]
Change = Callable[[Contract], Any]


@pytest.fixture(scope="module")
def now() -> Contract:
    return json.loads(contract.published(LIBRARY))


def schemas(document: Contract) -> dict[str, Any]:
    return document["components"]["schemas"]


def operation(document: Contract, method: str = "get", path: str = "/v1/games") -> dict[str, Any]:
    return document["paths"][path][method]


def parameter(document: Contract, name: str) -> dict[str, Any]:
    """Return a parameter of an operation, which from now on does not share it with others."""
    shared, given = document["components"]["parameters"], operation(document)["parameters"]
    given[:] = [deepcopy(shared[each["$ref"].rpartition("/")[2]]) if "$ref" in each else each for each in given]
    return next(each for each in given if each["name"] == name)


def fields(document: Contract, name: str) -> dict[str, Any]:
    return schemas(document)[name]["properties"]


def answer(document: Contract, path: str = "/v1/games") -> dict[str, Any]:
    return operation(document, "get", path)["responses"]["200"]


def new_parameter(document: Contract, **more: Any) -> None:
    operation(document)["parameters"].append({"name": "new", "in": "query", "schema": {"type": "string"}, **more})


BREAKS: dict[str, Change] = {
    "an endpoint goes": lambda it: it["paths"].pop("/v1/games/{game}/papers"),
    "an endpoint has another name": lambda it: operation(it).update(operationId="games"),
    "a parameter goes": lambda it: operation(it)["parameters"].remove(parameter(it, "text")),
    "a parameter is needed": lambda it: parameter(it, "text").update(required=True),
    "a new parameter is needed": lambda it: new_parameter(it, required=True),
    "a parameter takes fewer values": lambda it: parameter(it, "limit")["schema"].update(maximum=10),
    "a parameter is of another type": lambda it: parameter(it, "limit")["schema"].update(type="string"),
    "a scope no longer lets in": lambda it: operation(it, "delete", "/v1/games/{game}")["security"].pop(0),
    "nobody in particular is let in": lambda it: operation(it, "get", "/v1/games/{game}")["security"].pop(),
    "a body is no longer taken": lambda it: operation(it, "post").pop("requestBody"),
    "a field of a body goes": lambda it: fields(it, "NewGame").pop("title"),
    "a field of a body is needed": lambda it: schemas(it)["NewGame"]["required"].append("title"),
    "a field of a body takes no null": lambda it: fields(it, "TakeSeat").update(seat={"type": "string"}),
    "a field of a body takes fewer values": lambda it: fields(it, "NewGame")["organizer_sees"]["enum"].remove("all"),
    "an answer goes": lambda it: operation(it, "get", "/v1/games/{game}/events/stream")["responses"].pop("204"),
    "an answer lacks a header": lambda it: answer(it, "/v1/games/{game}")["headers"].pop("ETag"),
    "an answer is of another kind": lambda it: answer(it, "/v1/games/{game}/export")["content"].popitem(),
    "a field of an answer goes": lambda it: fields(it, "GameDetail").pop("version"),
    "a field of an answer may be missing": lambda it: schemas(it)["GameDetail"]["required"].remove("version"),
    "a field of an answer may be null": lambda it: fields(it, "GameDetail")["head"].update(type=["string", "null"]),
    "a field of an answer is of another type": lambda it: fields(it, "GameDetail").update(version={"type": "string"}),
    "items of an answer are others": lambda it: fields(it, "RulesetDetail")["commands"].update(
        items={"type": "integer"}
    ),
}

EASES: dict[str, Change] = {
    "a new endpoint": lambda it: it["paths"].update({"/v2": {"get": operation(it, "get", "/health")}}),
    "a new parameter": new_parameter,
    "a parameter takes more values": lambda it: parameter(it, "limit")["schema"].update(maximum=10_000),
    "a body may have a new field": lambda it: fields(it, "NewGame").update(new={"type": "string"}),
    "a body takes more values": lambda it: fields(it, "NewGame")["organizer_sees"]["enum"].append("half"),
    "an answer has a new field": lambda it: fields(it, "GameDetail").update(new={"type": "string"}),
    "an answer can have a new value": lambda it: schemas(it)["ClassicDecisionKind"]["enum"].append("dance"),
    "an answer can be a new event": lambda it: schemas(it)["ClassicEvent"]["oneOf"].append(
        {"$ref": "#/components/schemas/Health"}
    ),
    "a field of an answer is never null": lambda it: fields(it, "GamePage").update(next={"type": "string"}),
    "an endpoint is deprecated": lambda it: operation(it).update(deprecated=True),
}

SILENT: dict[str, Change] = {
    "a text": lambda it: schemas(it)["GameDetail"].update(description="A game."),
    "an example": lambda it: answer(it)["content"]["application/json"].pop("examples"),
    "a kind of problem": lambda it: operation(it)["responses"].update({"418": {}}),
    "a parameter of its own": lambda it: parameter(it, "limit"),
    "a schema by another name": lambda it: schemas(it).update(
        Another=schemas(it)["GameDetail"], GameDetail={"$ref": "#/components/schemas/Another"}
    ),
}


def changed(document: Contract, change: Change, version: str | None = None) -> Contract:
    later = msgspec.json.decode(msgspec.json.encode(document))
    change(later)
    later["info"]["version"] = version or document["info"]["version"]
    return later


@pytest.mark.parametrize("change", BREAKS)
def test_changes_that_break_a_client_are_found(now: Contract, change: str) -> None:
    found = changes(now, changed(now, BREAKS[change]))
    assert any(each.breaking for each in found), found


@pytest.mark.parametrize("change", EASES)
def test_changes_that_clients_must_be_ready_for_are_listed_but_break_nothing(now: Contract, change: str) -> None:
    (told,) = changes(now, changed(now, EASES[change]))
    assert not told.breaking, told


@pytest.mark.parametrize("change", SILENT)
def test_changes_that_no_client_meets_are_not_listed(now: Contract, change: str) -> None:
    assert changes(now, changed(now, SILENT[change])) == []


def test_the_contract_has_the_version_that_its_changes_need() -> None:
    assert contract.fault(FOLDER) is None


def test_a_version_says_what_a_contract_changes(now: Contract) -> None:
    released = changed(now, lambda it: operation(it, "get", "/v1/games/{game}/forks").update(deprecated=True), "1.2.3")

    def fault(version: str, change: Change) -> str:
        return releases.fault(released, changed(released, change, version)) or ""

    new, broken = EASES["a new endpoint"], BREAKS["a parameter goes"]
    assert fault("1.2.3", SILENT["a text"]) == ""
    assert "must be 1.3.0 or higher" in fault("1.2.4", new)
    assert fault("1.3.0", new) == ""
    assert "`GET /v1/games`: query parameter `text` removed" in fault("1.3.0", broken)
    assert "make the version 2.0.0" in fault("1.3.0", broken)
    assert fault("2.0.0", broken) == ""
    assert "does not say that it is deprecated" in fault("2.0.0", BREAKS["an endpoint goes"])
    assert fault("2.0.0", lambda it: it["paths"]["/v1/games/{game}/forks"].pop("get")) == ""


def test_the_changelog_is_made_of_what_differs_from_the_last_release(tmp_path: Path, now: Contract) -> None:
    (tmp_path / releases.RELEASED).write_bytes((FOLDER / releases.RELEASED).read_bytes())
    one = changed(now, EASES["a new parameter"], "8.0.0")
    releases.release(tmp_path, one, date(2026, 12, 1))
    first = (tmp_path / releases.CHANGELOG).read_text()
    assert "\n## 8.0.0: 2026-12-01\n" in first
    assert releases.last_release(tmp_path) == one
    assert releases.changelog(tmp_path, one).decode() == first

    other = changed(one, EASES["a new endpoint"], "8.1.0")
    both = releases.changelog(tmp_path, other).decode()
    assert "\n## 8.1.0: not released yet\n\n**New, or eased**\n\n- `GET /v2`: new\n" in both
    assert both.endswith(first[first.index("## 8.0.0") :])
    (tmp_path / releases.CHANGELOG).write_text(both)
    assert releases.changelog(tmp_path, other).decode() == both


async def test_an_endpoint_that_will_end_says_so_in_all_its_answers(tmp_path: Path) -> None:
    (said,) = (each for *_, each in endpoints() if each.name == "listGames")
    leaving = Deprecated(date(2026, 12, 1), date(2027, 6, 1), "Use `GET /v2/games`.")
    force_setattr(said, "deprecated", leaving)
    try:
        then = document(LIBRARY)
        # Services with equal limits share their routes, and these keep the endpoints as they were when registered.
        async with serving(tmp_path, board_limit=1_000_001) as service:
            answers = [await service.client.get("/v1/games"), await service.client.get("/v1/games?no=1")]
            other = await service.client.get("/v1/rulesets")
    finally:
        force_setattr(said, "deprecated", None)
    assert {"deprecation", "sunset", "link"}.isdisjoint(other.headers)
    assert [each.status_code for each in answers] == [200, 400]
    for each in answers:
        assert each.headers["deprecation"] == "@1796083200"
        assert each.headers["sunset"] == "Tue, 01 Jun 2027 00:00:00 GMT"
        assert each.headers["link"].startswith('</docs/guides/client#versions-of-the-contract>; rel="deprecation"')
    shown = operation(then)
    assert shown["deprecated"] is True
    assert "Use `GET /v2/games`." in shown["description"]
    announced = {"Deprecation", "Sunset", "Link"}
    assert announced <= {*answer(then)["headers"]} & {*then["components"]["headers"]}


def test_an_end_is_announced_long_before() -> None:
    with pytest.raises(TypeError, match="180 days"):
        Deprecated(date(2026, 12, 1), date(2027, 5, 1), "Use something else.")
