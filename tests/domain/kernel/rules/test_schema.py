"""Options as JSON Schema: ours agrees with the standard, and a sample is always an instance."""

from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from domain.kernel.rules import schema
from domain.kernel.rules.schema import Schema, matches, sample
from tests.helpers.laws.mutants import Edges, mutated

WORDS: tuple[str, ...] = ("asia", "dacia", "creta", "gallia")
SCALARS = st.none() | st.booleans() | st.integers(-3, 9) | st.sampled_from(WORDS) | st.just("")
VALUES = st.recursive(
    SCALARS,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.sampled_from(WORDS), below, max_size=3),
    max_leaves=6,
)


@st.composite
def counts(draw: st.DrawFn) -> Schema:
    least = draw(st.integers(-2, 5))
    return schema.count(least, least + draw(st.integers(0, 6)))


@st.composite
def subsets(draw: st.DrawFn) -> Schema:
    values = draw(st.lists(st.sampled_from(WORDS), min_size=1, unique=True))
    least = draw(st.integers(0, len(values)))
    needed = draw(st.sets(st.sampled_from(values), max_size=least))
    return schema.subset(values, least, draw(st.integers(max(least, len(needed)), 6)), including=sorted(needed))


@st.composite
def arrays(draw: st.DrawFn, items: st.SearchStrategy[Schema]) -> Schema:
    least = draw(st.integers(0, 2))
    unique = least <= 1 and draw(st.booleans())
    return schema.array(draw(items), least, least + draw(st.integers(0, 3)), unique=unique)


@st.composite
def records(draw: st.DrawFn, fields: st.SearchStrategy[Schema]) -> Schema:
    properties = draw(st.dictionaries(st.sampled_from(WORDS), fields, max_size=4))
    return schema.record(properties, draw(st.sets(st.sampled_from(WORDS))))


LEAVES = (
    VALUES.map(schema.const)
    | st.lists(VALUES, min_size=1, max_size=4).map(schema.one_of)
    | counts()
    | subsets()
    | st.integers(0, 3).map(schema.text)
    | st.just({"type": "boolean"})
)
SCHEMAS = st.recursive(LEAVES, lambda below: arrays(below) | records(below), max_leaves=5)


def by_the_standard(rules: Schema, value: Any) -> bool:
    return Draft202012Validator(rules).is_valid(value)


@given(SCHEMAS)
@settings(deadline=None)
def test_built_schemas_are_json_schemas(rules: Schema) -> None:
    Draft202012Validator.check_schema(rules)


@given(SCHEMAS, VALUES)
@settings(deadline=None)
def test_any_value_is_judged_as_the_standard_judges_it(rules: Schema, value: Any) -> None:
    assert matches(rules, value) == by_the_standard(rules, value)


@given(SCHEMAS, st.integers(0, 2**32), st.booleans())
@settings(deadline=None)
def test_a_sample_is_an_instance_and_what_is_near_it_is_judged_by_the_standard(
    rules: Schema, seed: int, edges: bool
) -> None:
    rng = Random(seed)
    value = sample(rules, Edges(rng) if edges else rng)
    assert matches(rules, value)
    assert by_the_standard(rules, value)
    near = mutated({"value": value}, rng).get("value")
    assert matches(rules, near) == by_the_standard(rules, near)


def test_true_is_not_one_and_a_tuple_is_an_array() -> None:
    assert not matches(schema.const(1), True)
    assert not matches(schema.const([1]), [True])
    assert not matches(schema.count(0, 1), True)
    assert matches(schema.const(("asia", "dacia")), ["asia", "dacia"])
    assert matches(schema.array(schema.count(0, 9), 2, 2, unique=True), (1, 2))
    assert not matches(schema.array(schema.one_of([1, True]), 2, 2, unique=True), [1, 1])


def test_a_command_may_leave_out_what_may_be_nothing() -> None:
    rules = schema.command("march", {"infantry": schema.count(0, 3), "cavalry": schema.count(1, 2)})
    assert matches(rules, {"type": "march", "cavalry": 1})
    assert not matches(rules, {"type": "march", "infantry": 1})
    assert not matches(rules, {"type": "sail", "cavalry": 1})
    assert not matches(rules, {"type": "march", "cavalry": 1, "galley": 1})


def test_a_subset_may_require_items() -> None:
    rules = schema.subset(WORDS, 0, 3, including=["asia"])
    assert matches(rules, ["dacia", "asia"])
    assert not matches(rules, ["dacia"])
    assert all("asia" in sample(rules, Random(seed)) for seed in range(20))


def test_more_than_all_is_all() -> None:
    assert schema.subset(["asia"], 0, 9)["maxItems"] == 1
    two = schema.array(schema.one_of(["asia", "dacia"]), 0, 3, unique=True)
    drawn = [sample(two, source) for seed in range(20) for source in (Random(seed), Edges(Random(seed)))]
    assert {len(items) for items in drawn} == {0, 1, 2}


# --- the documented keywords, against plain arithmetic ---

THREE = {"a": schema.count(0, 4), "b": schema.count(0, 3), "c": schema.count(0, 2)}
TRIPLES = [dict(zip("abc", values, strict=True)) for values in product(range(5), range(4), range(3))]


def assert_says(rules: Schema, wanted: Any) -> None:
    """The schema matches exactly the triples that are wanted, and samples reach the least and the most of them."""
    assert [value for value in TRIPLES if matches(rules, value)] == [value for value in TRIPLES if wanted(**value)]
    drawn = [sample(rules, source) for seed in range(60) for source in (Random(seed), Edges(Random(seed)))]
    assert all(wanted(**value) for value in drawn)
    sums = [sum(value.values()) for value in TRIPLES if wanted(**value)]
    assert {min(sums), max(sums)} <= {sum(value.values()) for value in drawn}


def test_x_total() -> None:
    assert_says(
        schema.record(THREE, x_total={"of": ["a", "b"], "minimum": 1, "maximum": 4}), lambda a, b, c: 1 <= a + b <= 4
    )


def test_several_totals() -> None:
    rules = schema.record(THREE, x_total=[{"of": ["a", "b"], "minimum": 2}, {"of": ["c"], "maximum": 1}])
    assert_says(rules, lambda a, b, c: a + b >= 2 and c <= 1)


def test_x_sum() -> None:
    assert_says(schema.record(THREE, x_sum={"minimum": 2, "maximum": 3}), lambda a, b, c: 2 <= a + b + c <= 3)


def test_x_cost() -> None:
    assert_says(
        schema.record(THREE, x_cost={"prices": {"a": 10, "b": 15}, "maximum": 40}),
        lambda a, b, c: 10 * a + 15 * b <= 40,
    )


def test_x_cost_has_a_least_and_counts_what_is_nested() -> None:
    worth = {"prices": {"a": 1, "b": 3}, "minimum": 5}
    assert_says(schema.record(THREE, x_cost=worth), lambda a, b, c: a + 3 * b >= 5)
    ships = schema.record({"north": schema.count(0, 3), "south": schema.count(0, 3)}, ("north", "south"))
    fleet = schema.record({"men": schema.count(0, 3), "ships": ships}, x_cost={"prices": {"ships": 15}, "maximum": 30})
    assert matches(fleet, {"men": 3, "ships": {"north": 1, "south": 1}})
    assert not matches(fleet, {"men": 0, "ships": {"north": 1, "south": 2}})
    for seed in range(50):
        assert matches(fleet, sample(fleet, Random(seed)))


def test_a_total_may_grow_with_the_items_of_an_array() -> None:
    rules = schema.record(
        {"leaders": schema.subset(WORDS, 0, 2), "men": schema.count(0, 20)},
        x_total={"of": ["men"], "maximum": 7, "times": "leaders"},
    )
    assert matches(rules, {"leaders": ["asia", "dacia"], "men": 14})
    assert not matches(rules, {"leaders": ["asia"], "men": 8})
    assert not matches(rules, {"leaders": [], "men": 1})
    assert matches(rules, sample(rules, Random(1)))


def test_a_field_that_is_left_out_counts_as_0() -> None:
    rules = schema.record(THREE, "abc", x_total={"of": ["a", "b"], "minimum": 1})
    assert matches(rules, {"b": 1})
    assert not matches(rules, {"c": 1})
    assert matches(schema.record(THREE, "abc", x_sum={"minimum": 0, "maximum": 0}), {})


def test_a_schema_without_an_instance_is_an_error() -> None:
    with pytest.raises(ValueError, match="no instance"):
        sample(schema.record(THREE, x_sum={"minimum": 99, "maximum": 99}), Random(1))


def test_a_schema_of_another_kind_is_an_error() -> None:
    with pytest.raises(ValueError, match="cannot have the type"):
        matches({"type": "number"}, 1)
