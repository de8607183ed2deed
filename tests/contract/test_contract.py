"""The committed contract is what the code says, and its examples are what it says."""

import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules, walk_packages
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from msgspec import Struct

import domain
import service
from domain.kernel import schema as options
from domain.library import LIBRARY
from service import contract, schemas, shapes
from service.contract import document, endpoints
from service.games import views
from service.http.problems import KINDS, example_of

FOLDER = Path(__file__).parents[2] / "openapi"


@pytest.fixture(scope="module")
def openapi() -> dict[str, Any]:
    return json.loads(contract.published(LIBRARY))


def test_the_committed_contract_is_what_the_code_says() -> None:
    assert contract.differs(FOLDER) == [], "write it anew with `tabularium openapi`"


def test_a_difference_is_noticed(tmp_path: Path) -> None:
    contract.write(tmp_path)
    assert contract.differs(tmp_path) == []
    (tmp_path / "left-over.json").write_text("{}")
    (tmp_path / "openapi.json").write_text("{}")
    (tmp_path / "conquest-classic-friz" / "view.schema.json").unlink()
    assert contract.differs(tmp_path) == ["conquest-classic-friz/view.schema.json", "left-over.json", "openapi.json"]
    contract.write(tmp_path)
    assert contract.differs(tmp_path) == []


def test_it_is_the_same_every_time() -> None:
    assert contract.encoded(document(LIBRARY)) == contract.published(LIBRARY)


def operations(openapi: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in openapi["paths"].values():
        yield from methods.values()


def test_every_endpoint_is_described_and_has_examples(openapi: dict[str, Any]) -> None:
    assert len(list(operations(openapi))) == len(endpoints())
    for operation in operations(openapi):
        assert operation["summary"], operation["operationId"]
        assert operation["description"], operation["operationId"]
        body = operation.get("requestBody", {}).get("content", {})
        assert all(content["examples"] for content in body.values()), operation["operationId"]
        for status, answer in operation["responses"].items():
            for media in answer.get("content", {}).values():
                assert media["examples"], (operation["operationId"], status)


def test_every_example_is_what_its_schema_says(openapi: dict[str, Any]) -> None:
    def check(schema: dict[str, Any], value: Any) -> None:
        Draft202012Validator({**schema, "components": openapi["components"]}).validate(value)

    for operation in operations(openapi):
        contents = list(operation.get("requestBody", {}).get("content", {}).values())
        for answer in operation["responses"].values():
            contents += answer.get("content", {}).values()
        for content in contents:
            for example in content["examples"].values():
                if "$ref" in example:
                    example = openapi["components"]["examples"][example["$ref"].rpartition("/")[2]]
                check(content["schema"], example["value"])
        for parameter in operation["parameters"]:
            if "example" in parameter:
                check(parameter["schema"], parameter["example"])


def test_every_field_of_ours_is_documented(openapi: dict[str, Any]) -> None:
    modules = [views, *(import_module(found.name) for found in iter_modules(shapes.__path__, f"{shapes.__name__}."))]
    ours = {shape.__name__ for module in modules for shape in vars(module).values() if is_struct(shape)}
    assert {"GameDetail", "Health", "EventView", "DicePage"} <= ours
    missing = {
        f"{name}.{field}"
        for name, shape in openapi["components"]["schemas"].items()
        if name in ours
        for field, schema in shape["properties"].items()
        if "description" not in schema
    }
    assert missing == set()


def is_struct(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Struct) and value.__module__.startswith("service.")


PLAIN = {
    *("infantry", "cavalry", "catapults", "galleys", "cities", "fortifications", "roads"),
    *("legions", "triremes", "fortresses", "city", "market", "temple"),
    *("round", "cycle", "turn", "accept"),
}
"""Fields of rulesets whose names say it all."""


def bare(schema: dict[str, Any]) -> bool:
    """Tell whether a field's schema says no more than that there is a text, a number, a yes or no, or several."""
    if not {"description", "$ref", "enum", "const"}.isdisjoint(schema):
        return False
    inner = [*schema.get("anyOf", ()), *(schema[name] for name in ("items", "additionalProperties") if name in schema)]
    return all(bare(each) for each in inner if each != {"type": "null"})


@pytest.mark.parametrize("ruleset_id", LIBRARY.ids())
def test_every_field_of_a_ruleset_says_what_it_is(ruleset_id: str) -> None:
    each = schemas.of_ruleset(LIBRARY.current(ruleset_id))
    parts = (each.setup, *(part for whole in (each.commands, each.events, each.view) for part in parts_of(whole)))
    fields = {(part["title"], name): schema for part in parts for name, schema in part["properties"].items()}
    assert len(fields) > 200
    assert {field for field, schema in fields.items() if bare(schema) and field[1] not in PLAIN} == set()


def parts_of(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from (part for part in (schema, *schema["$defs"].values()) if "properties" in part)


def test_what_an_attribute_names_is_a_field() -> None:
    for shape in structs():
        assert {*schemas.attributes(shape)} <= {*shape.__struct_fields__}, shape


def structs() -> list[type[Struct]]:
    """Return the structs of the domain and the service."""
    names = [found.name for top in (domain, service) for found in walk_packages(top.__path__, f"{top.__name__}.")]
    modules = [import_module(name) for name in names if not name.endswith("__main__")]
    return [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Struct) and value.__module__ == module.__name__
    ]


def test_kinds_of_id_keep_their_names(openapi: dict[str, Any]) -> None:
    components = openapi["components"]["schemas"]
    assert components["AreaId"] == {
        "type": "string",
        "title": "AreaId",
        "description": "An area of a board, land or sea, such as ``mare-narbo``.",
    }
    marched = components["ClassicLegionMarched"]["properties"]
    assert marched["to"] == {"$ref": "#/components/schemas/AreaId"}
    assert marched["by_leave_of"]["items"] == {"$ref": "#/components/schemas/Seat"}
    assert components["MareNostrumIncomePaid"]["properties"]["cards"]["propertyNames"] == {
        "$ref": "#/components/schemas/Seat"
    }


def test_the_keywords_that_options_have_beside_json_schemas_are_defined(openapi: dict[str, Any]) -> None:
    described = openapi["paths"]["/v1/games/{game}/options"]["get"]["description"]
    ours = re.findall(r"^``(x-\w+)``: ``(\{.*\})``", options.__doc__ or "", re.MULTILINE)
    assert [name for name, _ in ours] == ["x-total", "x-cost", "x-sum"]
    for name, form in ours:
        assert f"`{name}`: `{form}`" in described, name


def test_commands_and_events_are_told_apart_by_their_type(openapi: dict[str, Any]) -> None:
    components = openapi["components"]["schemas"]
    for ruleset_id in LIBRARY.ids():
        for kind, types in (
            ("Command", schemas.command_types(LIBRARY.current(ruleset_id))),
            ("Event", schemas.event_types(LIBRARY.current(ruleset_id))),
        ):
            union = components[schemas.pascal(ruleset_id) + kind]
            assert union["discriminator"]["propertyName"] == "type"
            assert len(union["oneOf"]) == len(types)
            for tag, place in union["discriminator"]["mapping"].items():
                shape = components[place.removeprefix("#/components/schemas/")]
                assert shape["properties"]["type"] == {"const": tag}
                assert shape["additionalProperties"] is False


def test_every_ruleset_has_schemas_that_stand_alone() -> None:
    for ruleset_id in LIBRARY.ids():
        each = schemas.of_ruleset(LIBRARY.current(ruleset_id))
        for schema in (each.commands, each.events, each.view, each.setup):
            Draft202012Validator.check_schema(schema)
            assert "#/components" not in json.dumps(schema)


def test_every_kind_of_problem_has_an_example() -> None:
    for kind in KINDS:
        assert kind.example, kind.slug
        assert example_of(kind).detail
