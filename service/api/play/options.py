"""The schemas of options as the contract describes them: what of JSON Schema they use, and the keywords of our own.

`domain/kernel/rules/schema.py` defines what they mean. Every form has what no other has: `const`, `enum`, or its
`type`.
"""

from collections.abc import Callable, Sequence
from typing import Any, get_args

from domain.kernel.rules.gesture import Control

Schema = dict[str, Any]

_NAMES: Schema = {"type": "array", "items": {"type": "string"}}
_NUMBER: Schema = {"type": "integer"}
_TEXT: Schema = {"type": "string"}
_YES: Schema = {"type": "boolean", "const": True}


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
            "A whole number. One that may be left out means `default` then, or 0 without `default`.",
            {"type": _type("integer"), "minimum": _NUMBER, "maximum": _NUMBER, "default": _NUMBER},
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
                "x-gesture": reference("GestureKeyword"),
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
                "unit": _described("What is paid with, such as `talents`.", _TEXT),
                "left": _described(
                    "How many of each there are still to be had, also of what is sold out. It forbids nothing.",
                    {"type": "object", "additionalProperties": _NUMBER},
                ),
            },
            ["prices"],
        ),
        "SumKeyword": _form(
            "The integers in the object add up to a number from `minimum` to `maximum`.",
            {"minimum": _NUMBER, "maximum": _NUMBER},
            ["minimum", "maximum"],
        ),
        "GestureKeyword": _form(
            "How a client can offer the command by pointing, and what its properties mean. It forbids nothing. An area "
            "is the value of a property, the name in an object that counts by area, or the entry of `places` for a "
            "value that is no area.",
            {
                "from": _described("The property with the area where it begins.", _TEXT),
                "to": _described("The property with the area where it ends, or the only one that it points at.", _TEXT),
                "between": _described("The property that joins two areas: `one|other`.", _TEXT),
                "areas": _described("Further properties with areas.", _NAMES),
                "pieces": _described("Properties with single pieces.", _NAMES),
                "counts": _described("Properties with numbers of pieces or money.", _NAMES),
                "targets": _described("Properties with what it is aimed at: players, nations, kinds.", _NAMES),
                "cards": _described("Properties with cards.", _NAMES),
                "keeps": _described("Those of these that name what stays: what they do not name is given up.", _NAMES),
                "as": _described(
                    "The control that suits it: pieces divided into two groups, a purchase, cards of a hand, a bid.",
                    {"type": "string", "enum": [kind for kind in get_args(Control) if kind]},
                ),
                "quiet": _described("It only declines: it leaves everything as it is.", _YES),
                "called": _described("The title of its options, where all have the same.", _TEXT),
                "places": _described(
                    "The areas of the pieces where it begins or ends, by the ids that `from` or `to` can have.",
                    {"type": "object", "additionalProperties": _TEXT},
                ),
            },
            [],
        ),
    }


def _described(description: str, schema: Schema) -> Schema:
    return {**schema, "description": description}


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
