"""Schemas let through what the types let through that they are made of."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from service.api.rulesets.schemas import Book

UNIONS = [
    (int | float, [1, 0.5], ["a", None]),
    (int | str, [1, "a"], [0.5, None]),
    (float | int | None, [0.5, 1, None], ["a"]),
    (str | int | bool | None, ["a", 1, True, None], [[], {}]),
    (str | None, ["a", None], [1]),
]


@pytest.mark.parametrize(("union", "taken", "refused"), UNIONS, ids=str)
def test_a_union_lets_every_kind_through_and_nothing_else(union: Any, taken: list[Any], refused: list[Any]) -> None:
    validator = Draft202012Validator(Book("#/$defs/").schema(union))
    assert [value for value in taken if not validator.is_valid(value)] == []
    assert [value for value in refused if validator.is_valid(value)] == []
