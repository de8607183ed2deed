"""The client's guide defines the keywords of options: its examples are what it says that they are."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from domain.kernel.rules.schema import matches
from domain.library import LIBRARY
from service.api.contract import files as contract

GUIDE = (Path(__file__).parents[2] / "openapi" / "README.md").read_text()
SECTION = GUIDE[GUIDE.index("\n## Options\n") : GUIDE.index("\n## What happened, and battles\n")]
EXAMPLES: list[dict[str, Any]] = [
    each
    for block in re.findall(r"^```json\n(.*?)^```$", SECTION, re.M | re.S)
    if "schema" in (each := json.loads(block))
]


@pytest.fixture(scope="module")
def components() -> dict[str, Any]:
    return json.loads(contract.published(LIBRARY))["components"]


def keywords(schema: dict[str, Any]) -> set[str]:
    """Return the keywords of a schema and of those in it."""
    inner = [
        *schema.get("properties", {}).values(),
        *(schema[name] for name in ("items", "contains") if name in schema),
    ]
    return {*schema}.union(*map(keywords, inner))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["schema"]["properties"]["type"]["const"])
def test_an_example_of_the_guide_is_what_it_says(example: dict[str, Any], components: dict[str, Any]) -> None:
    schema = example["schema"]
    form = {"$ref": "#/components/schemas/ObjectSchema", "components": components}
    Draft202012Validator(form).validate(schema)
    assert example["fits"]
    assert example["does not fit"]
    for command in (*example["fits"], *example["does not fit"]):
        assert matches(schema, command) is (command in example["fits"]), command
        # Plain JSON Schema lets both through: so it is our keyword that the example shows.
        Draft202012Validator(schema).validate(command)


def test_every_keyword_of_options_is_told_and_those_of_ours_are_shown(components: dict[str, Any]) -> None:
    forms = components["schemas"]
    places = forms["ValueSchema"]["oneOf"]
    all_of_them = {name for place in places for name in forms[place["$ref"].rpartition("/")[2]]["properties"]}
    ours = {name for name in all_of_them if name.startswith("x-")}
    assert len(ours) == 4
    assert ours <= set().union(*(keywords(example["schema"]) for example in EXAMPLES))
    members = {name for form in ("Total", "Cost", "Sum", "Gesture") for name in forms[f"{form}Keyword"]["properties"]}
    assert {name for name in all_of_them | members if f"`{name}`" not in SECTION} == set()


def test_no_guide_sends_an_api_reader_into_the_code() -> None:
    for guide in (Path(__file__).parents[2] / "openapi").glob("*.md"):
        assert re.findall(r"`(?:domain|service|projections)/[\w/]+\.py`", guide.read_text()) == [], guide.name
