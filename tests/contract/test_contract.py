"""The committed contract is what the code says, and its examples are what it says."""

import gzip
import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema_rs import meta
from litestar.response import Response
from msgspec import Struct
from msgspec.structs import replace

import domain
import service
from domain.kernel.rules import schema as options
from domain.kernel.rules.docstrings import attributes
from domain.kernel.rules.message import type_name
from domain.library import LIBRARY
from service import api
from service.api.contract import files as contract
from service.api.contract.document import document, endpoints
from service.api.contract.examples import Example, Examples
from service.api.contract.families import families
from service.api.contract.operations import SCHEMAS, Undescribed, operation_of, require_example
from service.api.endpoint import Answer, endpoint
from service.api.problems.problem import example_of
from service.api.problems.published import KINDS
from service.api.request import Call
from service.api.rulesets import schemas
from service.api.rulesets.schemas import Book
from service.games import views
from service.pictures import views as drawn

FOLDER = Path(__file__).parents[2] / "openapi"


@pytest.fixture(scope="module")
def openapi() -> dict[str, Any]:
    return json.loads(contract.published(LIBRARY))


def test_the_committed_contract_is_what_the_code_says() -> None:
    assert contract.differs(FOLDER) == [], "write it again with `tabularium openapi`"


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
    """Yield the operations, each with the answers and parameters themselves in place of references to them."""

    def itself(part: dict[str, Any]) -> dict[str, Any]:
        _, _, kind, name = part.get("$ref", "///").split("/")
        return openapi["components"][kind][name] if name else part

    for methods in openapi["paths"].values():
        for operation in methods.values():
            answers = {status: itself(answer) for status, answer in operation["responses"].items()}
            yield {**operation, "responses": answers, "parameters": [*map(itself, operation["parameters"])]}


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


class Counted(Struct, frozen=True):
    """A number, which no docstring tells of."""

    number: int = 0


@endpoint("POST", "/v1/new/{game:str}", tag="Games", answers=(Answer(200, "A number.", int),))
async def make_new(request: Call, game: str) -> Response[bytes]:
    """Make something new."""
    raise NotImplementedError


MADE = {"makeNew": Example(1)}


@pytest.mark.parametrize(
    ("change", "shown", "missing"),
    [
        (
            {},
            Examples({}, {"game": "g1"}),
            "makeNew has no example: add 'makeNew' to those of tests/contract/examples.py",
        ),
        ({"body": Counted}, Examples(MADE, {"game": "g1"}), "the example of makeNew has no `body`"),
        ({}, Examples(MADE, {}), "add 'game' to `parameters` in service/api/contract/examples.py"),
        ({"query": Counted}, Examples(MADE, {"game": "g1"}), "Counted says nothing of `number`"),
    ],
    ids=["example", "body", "path", "query"],
)
def test_what_the_contract_lacks_is_said_with_the_place_where_it_belongs(
    change: dict[str, Any], shown: Examples, missing: str
) -> None:
    made = replace(make_new.opt["endpoint"], **change)

    def publish() -> None:
        require_example(made, shown)
        operation_of("/v1/new/{game}", made, Book(SCHEMAS), shown, {})

    with pytest.raises(Undescribed, match=re.escape(missing)):
        publish()


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
    found = walk_packages(api.__path__, f"{api.__name__}.")
    modules = [import_module(name) for _, name, _ in found if name.endswith(("bodies", "options"))]
    modules += [views, drawn]
    ours = {shape.__name__ for module in modules for shape in vars(module).values() if is_struct(shape)}
    assert {"GameDetail", "Health", "EventView", "DicePage"} <= ours
    components = openapi["components"]["schemas"]
    shapes_by_name = [
        (name, shape)
        for name in sorted(ours & components.keys())
        for place in components[name].get("oneOf", [{"$ref": name}])
        for shape in (components[place["$ref"].rpartition("/")[2]],)
    ]
    assert len(shapes_by_name) > 60
    missing = {
        f"{name}.{field}"
        for name, shape in shapes_by_name
        for field, schema in shape["properties"].items()
        if schema.get("description", "Default: ").startswith("Default: ")
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
    ruleset = LIBRARY.current(ruleset_id)
    each = schemas.of_ruleset(ruleset)
    parts = (each.setup, *(part for whole in (each.commands, each.events, each.view) for part in parts_of(whole)))
    fields = {(part["title"], name): schema for part in parts for name, schema in part["properties"].items()}
    assert len(fields) > len(ruleset.events) + len(ruleset.commands)
    assert {field for field, schema in fields.items() if bare(schema) and field[1] not in PLAIN} == set()


def parts_of(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from (part for part in (schema, *schema["$defs"].values()) if "properties" in part)


def test_what_an_attribute_names_is_a_field() -> None:
    for shape in structs():
        assert {*attributes(shape)} <= {*shape.__struct_fields__}, shape


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
        "description": "An area of a board, land or sea, such as ``mare-narbo``.",
    }
    marched = components["ClassicLegionMarched"]["properties"]
    assert marched["to"] == {"$ref": "#/components/schemas/AreaId", "x-place": "to"}
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
    for family in families(LIBRARY):
        logged = "LoggedCommand" if any(getattr(each, "sealed", False) for each in family.commands) else "Command"
        for kind, types in (("Command", family.commands), (logged, family.commands), ("Event", family.events)):
            union = components[family.name + kind]
            assert union["discriminator"]["propertyName"] == "type"
            assert len(union["oneOf"]) == len(types)
            for tag, place in union["discriminator"]["mapping"].items():
                shape = components[place.removeprefix("#/components/schemas/")]
                assert shape["properties"]["type"] == {"type": "string", "const": tag}
                assert shape["additionalProperties"] is False


def nodes(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Yield every object in a document, with where it is; examples are none of it."""
    if isinstance(value, dict):
        yield path, value
        for name, inner in value.items():
            if name not in ("example", "examples"):
                yield from nodes(inner, (*path, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from nodes(inner, (*path, str(number)))


def test_what_differs_between_rulesets_is_told_apart_by_the_ruleset(openapi: dict[str, Any]) -> None:
    prefixes = {family.name for family in families(LIBRARY)}
    apart: set[str] = set()
    for path, node in nodes(openapi):
        names = [each.get("$ref", "").rpartition("/")[2] for key in ("oneOf", "anyOf") for each in node.get(key, ())]
        if len({family for family in prefixes for name in names if name.startswith(family)}) > 1:
            apart.add(path[-1])
            if path[-1] in ("EventView", "StateView", "Snapshot", "OptionsView", "LessonPosition"):
                assert node["discriminator"]["propertyName"] == "ruleset"
                assert [*node["discriminator"]["mapping"]] == [*LIBRARY.ids()]
    # A command is sent, and not answered. An export is told by its first line.
    assert apart == {"EventView", "StateView", "Snapshot", "OptionsView", "LessonPosition", "Command", "Export"}


def test_a_command_that_is_answered_and_an_event_and_a_view_are_always_of_one_ruleset(openapi: dict[str, Any]) -> None:
    """Nothing but the envelopes, which name the ruleset, leads from an answer to what is the rulesets' own."""
    components = openapi["components"]["schemas"]
    prefixes = tuple(family.name for family in families(LIBRARY))
    seen: set[str] = set()

    def follow(value: Any) -> None:
        for _, node in nodes(value):
            name = node.get("$ref", "").rpartition("/")[2]
            if name in components and name not in seen:
                seen.add(name)
                if name not in ("EventView", "StateView", "Snapshot", "OptionsView", "LessonPosition", "Export"):
                    follow(components[name])

    follow([operation["responses"] for operation in operations(openapi)])
    follow(components["Frame"])
    assert {"EventView", "StateView", "Snapshot", "OptionsView", "LessonPosition", "Export", "Decision"} <= seen
    assert {name for name in seen if name.startswith(prefixes)} == set()


def test_no_description_sends_its_reader_to_the_code(openapi: dict[str, Any]) -> None:
    said = [node["description"] for _, node in nodes(openapi) if isinstance(node.get("description"), str)]
    assert len(said) > 2_000
    assert [each for each in said if re.search(r"\w\.(py|js|toml)\b", each)] == []


def test_what_is_refused_is_described_once(openapi: dict[str, Any]) -> None:
    answers = [
        answer
        for methods in openapi["paths"].values()
        for operation in methods.values()
        for status, answer in operation["responses"].items()
        if status >= "400"
    ]
    shared = openapi["components"]["responses"]
    assert len(answers) > 10 * len(shared)
    assert {answer["$ref"].rpartition("/")[2] for answer in answers} == {*shared}
    described = [json.dumps(answer) for answer in shared.values()]
    assert len({*described}) == len(described)


def test_what_is_alike_is_said_once(openapi: dict[str, Any]) -> None:
    """Every byte is fetched by each generator and each reader of the reference."""
    inline = [
        json.dumps(each)
        for methods in (*openapi["paths"].values(), *openapi["webhooks"].values())
        for said in methods.values()
        for each in said["parameters"]
    ]
    shared = {json.loads(each)["$ref"].rpartition("/")[2] for each in inline if "$ref" in each}
    assert shared == {*openapi["components"]["parameters"]}
    alike = {json.loads(each)["name"] for each in inline if inline.count(each) > 1 and "$ref" not in each}
    assert alike - shared == set(), "of several that have one name, one can be shared"
    examples = [
        json.dumps(example)
        for methods in openapi["paths"].values()
        for said in methods.values()
        for answer in said["responses"].values()
        for content in answer.get("content", {}).values()
        for example in content["examples"].values()
    ]
    long = [each for each in examples if len(each) > 600]
    assert len(long) > 20
    assert len({*long}) == len(long)
    schemas = openapi["components"]["schemas"]
    assert [name for name, schema in schemas.items() if "title" in schema] == [], "its name is its title"
    described = [json.dumps(schema) for schema in schemas.values() if "properties" in schema]
    assert len({*described}) == len(described)


def test_the_contract_does_not_grow_unnoticed(openapi: dict[str, Any]) -> None:
    """When this fails, look for what is said twice before you raise it. It began with 1,100 kB, and 169 packed.

    It was 1,000 kB, and 154 packed, before there were webhooks, inboxes, pushes and e-mail, and 1,125 and 172 before
    tournaments, whose examples and regulations are the rest. Their notices, webhooks and tables are 10 and 1.5 of it,
    ratings and luck 0.5 packed. Leagues are 55 and 6.4, apps that sign somebody in 30 and 4, rematches and late drafts
    12 and 1.4, dumps and the sandbox 15 and 2, the file of own data 11 and 2, joined accounts 12 and 1.9, imports
    28 and 3.
    """
    compact = json.dumps(openapi, ensure_ascii=False, separators=(",", ":")).encode()
    assert len(compact) < 1_480_000
    assert len(gzip.compress(compact)) < 220_000


def test_a_problem_leads_to_nothing_of_a_ruleset(openapi: dict[str, Any]) -> None:
    """A tool that follows every reference reads the schema of problems 1,300 times, so that must stay small."""
    components = openapi["components"]["schemas"]
    prefixes, seen = tuple(family.name for family in families(LIBRARY)), ["ProblemBody"]
    for name in seen:
        found = {node.get("$ref", "").rpartition("/")[2] for _, node in nodes(components[name])}
        seen += sorted((found & components.keys()).difference(seen))
    assert "GameForkedView" in seen
    assert [name for name in seen if name.startswith(prefixes)] == []


def test_no_example_has_a_reference_which_generators_would_follow(openapi: dict[str, Any]) -> None:
    values = [
        example["value"]
        for operation in operations(openapi)
        for part in (operation.get("requestBody", {}), *operation["responses"].values())
        for content in part.get("content", {}).values()
        for example in content["examples"].values()
        if "value" in example
    ]
    assert len(values) > 100
    assert [value for value in values if '"$ref"' in json.dumps(value)] == []


def test_nothing_can_be_null_alone(openapi: dict[str, Any]) -> None:
    """OpenAPI Generator makes no type of it. Beside another type, in `anyOf`, it says that a value may be missing."""
    assert [path for path, node in nodes(openapi) if node == {"type": "null"} and "anyOf" not in path[-2:]] == []
    assert [path for path, node in nodes(openapi) if node.get("type") == "null" and len(node) > 1] == []


def test_every_list_says_what_is_in_it(openapi: dict[str, Any]) -> None:
    """By `items`: many generators do not know `prefixItems`."""
    lists = [(path, node) for path, node in nodes(openapi) if "array" in (node.get("type"), *(node.get("type") or ()))]
    assert len(lists) > 100
    assert [path for path, node in lists if "items" not in node] == []


def test_every_enumeration_has_a_type(openapi: dict[str, Any]) -> None:
    enumerations = [(path, node) for path, node in nodes(openapi) if isinstance(node.get("enum"), list)]
    assert len(enumerations) > 50
    assert [path for path, node in enumerations if "type" not in node] == []


def test_no_field_of_an_object_has_a_default_which_would_make_it_required_for_some(openapi: dict[str, Any]) -> None:
    found = [path for path, node in nodes(openapi["components"]["schemas"]) if "default" in node]
    assert [path for path in found if path[-1] != "properties"] == [], "options have a keyword of that name"
    entropy = openapi["components"]["schemas"]["TakeSeat"]["properties"]["entropy"]
    assert entropy["description"].endswith('Default: `""`.')


def test_fields_that_every_answer_has_are_required(openapi: dict[str, Any]) -> None:
    components = openapi["components"]["schemas"]
    assert "repeated" in components["Accepted"]["required"]
    assert {"city", "fortified", "owner", "armies"} <= {*components["ClassicProvince"]["required"]}
    assert "depends" not in components["Decision"]["required"]
    assert "automatic" not in components["ClassicLossesMarked"]["required"], "older events may be without"


def test_a_field_that_older_events_do_not_have_is_not_required(openapi: dict[str, Any]) -> None:
    created = openapi["components"]["schemas"]["GameCreated"]
    assert "organizer_sees" in created["properties"]
    assert {"organizer_sees", "setup"} & {*created["required"]} == {"setup"}
    for ruleset_id in LIBRARY.ids():
        for shape in schemas.event_types(LIBRARY.current(ruleset_id)):
            assert getattr(shape, "added", frozenset()) <= {*shape.__struct_fields__}, shape


@pytest.mark.parametrize(
    ("orders", "valid"),
    [
        ({"command": {"type": "undo", "to": 3}}, True),
        ({"commands": [{"type": "undo", "to": 3}]}, True),
        ({"command": {"type": "undo", "to": 3}, "commands": [{"type": "undo", "to": 3}]}, False),
        ({"command": {"type": "cheat"}}, False),
        ({"commands": []}, False),
        ({}, False),
    ],
)
def test_orders_are_exactly_one_of_a_command_and_several(
    openapi: dict[str, Any], orders: dict[str, Any], valid: bool
) -> None:
    schema = {"$ref": "#/components/schemas/Orders", "components": openapi["components"]}
    assert Draft202012Validator(schema).is_valid(orders) is valid


def test_an_option_names_a_command_of_its_ruleset(openapi: dict[str, Any]) -> None:
    components = openapi["components"]["schemas"]
    for family in families(LIBRARY):
        option = components[f"{family.name}Option"]["properties"]
        assert option["command"]["$ref"] == f"#/components/schemas/{family.name}CommandType"
        assert option["schema"]["$ref"] == "#/components/schemas/ObjectSchema"
        assert set(components[f"{family.name}CommandType"]["enum"]) == {*map(type_name, family.commands)}


def test_a_decision_names_a_kind_that_its_ruleset_lists(openapi: dict[str, Any]) -> None:
    components = openapi["components"]["schemas"]
    for family in families(LIBRARY):
        kinds = components[f"{family.name}DecisionKind"]
        assert components[f"{family.name}Decision"]["properties"]["kind"]["$ref"].endswith(
            f"/{family.name}DecisionKind"
        )
        assert {*kinds["enum"]} == {kind for ruleset in family.rulesets for kind in ruleset.answers}
        for shape in ("StateView", "OptionsView"):
            asked = components[family.name + shape]["properties"]["decisions"]["items"]
            assert asked == {"$ref": f"#/components/schemas/{family.name}Decision"}
        for ruleset in family.rulesets:
            commands = {type_name(command): command for command in ruleset.commands}
            assert len(ruleset.answers) > 10
            assert all(kind in commands[name].answers for kind, names in ruleset.answers.items() for name in names)
    assert "`take-title`" in components["ItaliaDecisionKind"]["description"]


def test_what_is_neither_json_nor_text_may_be_asked_for_as_bytes(openapi: dict[str, Any]) -> None:
    """Generated clients leave out answers of types that they do not know."""
    kinds = {
        operation["operationId"]: [*answer["content"]]
        for operation in operations(openapi)
        for status, answer in operation["responses"].items()
        if status == "200" and "application/json" not in answer["content"]
    }
    octets = "application/octet-stream"
    assert kinds == {
        "drawBareBoard": ["image/svg+xml", octets],
        "drawBoard": ["image/svg+xml", octets],
        "drawBoardAsPng": ["image/png", octets],
        "showChart": ["image/svg+xml", octets],
        "exportCase": ["application/x-ndjson", octets],
        "exportTournament": ["application/x-ndjson", octets],
        "drawImportBoard": ["image/svg+xml", octets],
        "exportImport": ["application/x-ndjson", octets],
        "exportLeague": ["application/x-ndjson", octets],
        "exportLeagueTable": ["text/csv", octets],
        "exportStandings": ["text/csv", octets],
        "exportCrosstable": ["text/csv", octets],
        "showCalendar": ["text/calendar", octets],
        "showCheckpoint": ["text/plain", octets],
        "showTile": [octets],
        "getDump": [octets],
        "showEntries": [octets],
        "showCertificate": ["text/plain", octets],
        "showCertificateOfCase": ["text/plain", octets],
        "showCertificateOfTournament": ["text/plain", octets],
        "showCertificateOfLeague": ["text/plain", octets],
        "exportGame": ["application/x-ndjson", octets],
        "exportMe": ["application/x-ndjson", octets],
        "streamBulk": ["text/event-stream"],
        "streamCaseEvents": ["text/event-stream"],
        "streamTournamentEvents": ["text/event-stream"],
        "streamEvents": ["text/event-stream"],
        "streamMyEvents": ["text/event-stream"],
        "streamNotifications": ["text/event-stream"],
        "streamWaiting": ["text/event-stream"],
    }


def test_every_ruleset_has_schemas_that_stand_alone() -> None:
    for ruleset_id in LIBRARY.ids():
        each = schemas.of_ruleset(LIBRARY.current(ruleset_id))
        for schema in (each.commands, each.events, each.view, each.setup):
            meta.validate(schema)
            assert "#/components" not in json.dumps(schema)


def test_every_kind_of_problem_has_an_example() -> None:
    for kind in KINDS:
        assert kind.example, kind.slug
        assert example_of(kind).detail
