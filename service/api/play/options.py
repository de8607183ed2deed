"""The schemas of options as the contract describes them: what of JSON Schema they use, and the keywords of our own.

`domain/kernel/rules/schema.py` defines what they mean. Every form has what no other has: `const`, `enum`, or its
`type`.
"""

from collections.abc import Callable, Sequence
from typing import Any

Schema = dict[str, Any]

_NAMES: Schema = {"type": "array", "items": {"type": "string"}}
_NUMBER: Schema = {"type": "integer"}


def option_schemas(reference: Callable[[str], Schema]) -> dict[str, Schema]:
    """Return the schemas by name; ``ObjectSchema`` is that of a command. `reference` refers to one of them."""
    value = reference("ValueSchema")
    return {
        "ValueSchema": {
            "description": "What a part of a command may be.",
            "oneOf": [
                reference(name)
                for name in (
                    *("ConstSchema", "EnumSchema", "IntegerSchema", "BooleanSchema"),
                    *("StringSchema", "ArraySchema", "ObjectSchema"),
                )
            ],
        },
        "ConstSchema": _form("Exactly this value.", {"const": {}}, ["const"]),
        "EnumSchema": _form("One of these values.", {"enum": {"type": "array", "items": {}}}, ["enum"]),
        "IntegerSchema": _form(
            "A whole number.",
            {"type": _type("integer"), "minimum": _NUMBER, "maximum": _NUMBER},
            ["type", "minimum", "maximum"],
        ),
        "BooleanSchema": _form("Yes or no.", {"type": _type("boolean")}, ["type"]),
        "StringSchema": _form(
            "Any text of at most so many characters.",
            {"type": _type("string"), "maxLength": _NUMBER},
            ["type", "maxLength"],
        ),
        "ArraySchema": _form(
            "So many items. Those that `contains` allows are needed: `minContains` of them.",
            {
                "type": _type("array"),
                "items": value,
                "minItems": _NUMBER,
                "maxItems": _NUMBER,
                "uniqueItems": {"type": "boolean"},
                "contains": reference("EnumSchema"),
                "minContains": _NUMBER,
            },
            ["type", "items", "minItems", "maxItems"],
        ),
        "ObjectSchema": _form(
            "An object with these properties and no others.",
            {
                "type": _type("object"),
                "properties": {"type": "object", "additionalProperties": value},
                "required": _NAMES,
                "additionalProperties": {"type": "boolean", "const": False},
                "x-total": {
                    "anyOf": [
                        reference("TotalKeyword"),
                        {"type": "array", "items": reference("TotalKeyword")},
                    ]
                },
                "x-cost": reference("CostKeyword"),
                "x-sum": reference("SumKeyword"),
            },
            ["type", "properties", "required", "additionalProperties"],
        ),
        "TotalKeyword": _form(
            "What the properties of the names in `of` count adds up to a number from `minimum` to `maximum`. With "
            "`times`, `maximum` is multiplied by the number of items in the array of that name.",
            {"of": _NAMES, "minimum": _NUMBER, "maximum": _NUMBER, "times": {"type": "string"}},
            ["of"],
        ),
        "CostKeyword": _form(
            "What the properties count, times their prices, adds up to a number from `minimum` to `maximum`.",
            {
                "prices": {"type": "object", "additionalProperties": _NUMBER},
                "minimum": _NUMBER,
                "maximum": _NUMBER,
            },
            ["prices"],
        ),
        "SumKeyword": _form(
            "The integers in the object add up to a number from `minimum` to `maximum`.",
            {"minimum": _NUMBER, "maximum": _NUMBER},
            ["minimum", "maximum"],
        ),
    }


def _type(name: str) -> Schema:
    return {"type": "string", "const": name}


def _form(description: str, properties: dict[str, Schema], required: Sequence[str]) -> Schema:
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
