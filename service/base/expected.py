"""Descriptions of what was expected where a body, a query or a setting is wrong, made from the types."""

import re
from typing import Any, Final

from msgspec import inspect as types

from domain.kernel.rules.message import enumerated

_STEP: Final = re.compile(r"\.([^.\[\]]+)|\[[^\]]*\]")


def expected_of(shape: Any, path: str = "$") -> str:
    """Describe what belongs at `path`, such as ``$.seats[0].name``, in a value of type `shape`: "a text of …"."""
    info = types.type_info(shape)
    for step in _STEP.finditer(path):
        member = _member(info, step[1])
        if member is None:
            return _words(info)
        info = member
    return _words(info)


def _member(info: types.Type, name: str | None) -> types.Type | None:
    match _bare(info):
        case types.StructType(fields=fields) if name is not None:
            return next((field.type for field in fields if field.encode_name == name), None)
        case types.DictType(value_type=value):
            return value
        case types.CollectionType(item_type=item) if name is None:
            return item
        case _:
            return None


def _bare(info: types.Type) -> types.Type:
    """Return a type without its annotations, and without null if that leaves one type."""
    if isinstance(info, types.Metadata):
        return _bare(info.type)
    kinds = _beside_null(info)
    return _bare(kinds[0]) if len(kinds) == 1 and kinds[0] is not info else info


def _beside_null(info: types.Type) -> list[types.Type]:
    kinds = info.types if isinstance(info, types.UnionType) else (info,)
    return [kind for kind in kinds if not isinstance(kind, types.NoneType)]


def _words(info: types.Type) -> str:
    for kind in _beside_null(info):
        if isinstance(kind, types.Metadata) and (description := (kind.extra_json_schema or {}).get("description")):
            return description
    match _bare(info):
        case types.StructType(fields=fields):
            return _object(fields)
        case types.LiteralType(values=values):
            return f"one of {', '.join(map(str, values))}"
        case types.EnumType(cls=cls):
            return f"one of {', '.join(str(member.value) for member in cls)}"
        case types.IntType(ge=least, le=most):
            return _bounded("a whole number", least, most)
        case types.FloatType(ge=least, le=most):
            return _bounded("a number", least, most)
        case types.StrType(min_length=least, max_length=most):
            return _sized("a text", least, most, "characters")
        case types.CollectionType(min_length=least, max_length=most):
            return _sized("an array", least, most, "items")
        case types.BoolType():
            return "true or false"
        case types.DictType() | types.RawType():
            return "an object"
        case _:
            return "what the contract says"


def _object(fields: tuple[types.Field, ...]) -> str:
    needed = [f"`{field.encode_name}`" for field in fields if field.required]
    others = [f"`{field.encode_name}`" for field in fields if not field.required]
    if not fields:
        return "an object without members"
    parts = (f"with {enumerated(needed)}" if needed else "", f"if wanted, with {enumerated(others)}" if others else "")
    return f"an object {' and, '.join(filter(None, parts))}"


def _bounded(what: str, least: float | None, most: float | None) -> str:
    if most is None:
        return what if least is None else f"{what}, {least} at least"
    return f"{what} from {least} to {most}" if least is not None else f"{what}, {most} at most"


def _sized(what: str, least: int | None, most: int | None, units: str) -> str:
    if most is None:
        return f"{what} of {least} {units} at least" if least else what
    return f"{what} of {least} to {most} {units}" if least else f"{what} of at most {most} {units}"
