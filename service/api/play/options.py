"""How the contract describes the schemas of options: the part of JSON Schema that they use, and four keywords of ours.

`domain/kernel/rules/schema.py` defines what they mean. Clients tell the forms apart by `const`, `enum` or `type`.
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
    """Return the schemas by name. A command has an ``ObjectSchema``. `reference` makes the ``$ref`` to a name."""
    value = reference("ValueSchema")
    return {
        "ValueSchema": {
            "description": "The schema of a part of a command.",
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
            "A whole number. If a command leaves it out, it means `default`, or 0 when there is no `default`.",
            {"type": _type("integer"), "minimum": _NUMBER, "maximum": _NUMBER, "default": _NUMBER},
            ["type", "minimum", "maximum"],
        ),
        "BooleanSchema": _form("Yes or no.", {"type": _type("boolean")}, ["type"]),
        "StringSchema": _form(
            "Any text of at most `maxLength` characters.",
            {"type": _type("string"), "maxLength": _NUMBER},
            ["type", "maxLength"],
        ),
        "ArraySchema": _form(
            "From `minItems` to `maxItems` items. At least `minContains` of them must be values of `contains`.",
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
            "The sum of the properties named in `of` must be from `minimum` to `maximum`. An integer counts itself, an "
            "array its items, an object the sum of its integers. With `times`, `maximum` is multiplied by the number "
            "of items in the array property of that name.",
            {"of": _NAMES, "minimum": _NUMBER, "maximum": _NUMBER, "times": {"type": "string"}},
            ["of"],
        ),
        "CostKeyword": _form(
            "The cost of the command must be from `minimum` to `maximum`. The cost is the sum of the properties named "
            "in `prices`, each counted as in `x-total` and multiplied by its price.",
            {
                "prices": {"type": "object", "additionalProperties": _NUMBER},
                "minimum": _NUMBER,
                "maximum": _NUMBER,
                "unit": _described("What is paid with, such as `talents`.", _TEXT),
                "left": _described(
                    "How many of each are left to buy, 0 included. This is information: it forbids nothing.",
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
            "How a client can offer the command by pointing, and what its properties mean. It forbids nothing. To find "
            "the area that a property names, take its value; in an object that counts by area, take the names; if a "
            "value is not an area, look it up in `places`.",
            {
                "from": _described("The property with the area where the move begins.", _TEXT),
                "to": _described(
                    "The property with the area where the move ends, or with the only area that the command names.",
                    _TEXT,
                ),
                "between": _described("The property with a link between two areas, written `one|other`.", _TEXT),
                "areas": _described("Further properties with areas.", _NAMES),
                "pieces": _described("Properties with single pieces.", _NAMES),
                "counts": _described("Properties with numbers of pieces or money.", _NAMES),
                "targets": _described("Properties with other targets of the command: players, nations, kinds.", _NAMES),
                "cards": _described("Properties with cards.", _NAMES),
                "keeps": _described(
                    "Those of the properties above that name what the player keeps. The player gives up the rest.",
                    _NAMES,
                ),
                "as": _described(
                    "The control for the command: pieces divided into two groups, a purchase, cards of a hand, a bid.",
                    {"type": "string", "enum": [kind for kind in get_args(Control) if kind]},
                ),
                "quiet": _described("True when the command only declines and leaves everything as it is.", _YES),
                "called": _described("The title of all options of this command, when they have the same title.", _TEXT),
                "places": _described(
                    "The area of each piece that `from` or `to` can name, by the id of the piece.",
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
