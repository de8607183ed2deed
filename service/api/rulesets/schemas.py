"""JSON Schemas (2020-12) of our types, for the contract and for the schemas of rulesets.

We make them ourselves, because msgspec does not give all that the contract needs: `oneOf` with a discriminator for
tagged unions, descriptions of fields from the ``Attributes:`` of their class, a named and described schema for each
kind of id, and names that do not change when another ruleset gets a class of the same name.
"""

import ast
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from types import UnionType
from typing import Annotated, Any, Final, NewType, Union, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT, Meta, Struct
from msgspec import inspect as types

from domain.kernel.log.lifecycle import GAME_EVENTS, Undo
from domain.kernel.rules.docstrings import attributes, source_of, summary
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Event
from domain.kernel.rules.ruleset import Ruleset
from service.api.rulesets.bodies import Schemas

Schema = dict[str, Any]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


class Book:
    """The schemas of structs by name, collected while schemas that refer to them are made.

    Args:
        place: where references find them, such as ``#/$defs/``.
        instead: schemas for fields, by class name and field, that say more than the field's type.
        defaults: whether fields have the keyword `default`. If not, their description has the default: generators of
            TypeScript make a field with that keyword a required one, also in requests.
    """

    def __init__(
        self, place: str, instead: Mapping[tuple[str, str], Schema] | None = None, *, defaults: bool = True
    ) -> None:
        self.structs: dict[str, Schema] = {}
        self._classes: dict[str, type] = {}
        self._place = place
        self._instead = instead or {}
        self._defaults = defaults

    def schema(self, shape: Any) -> Schema:
        """Return the schema of a type. It has references to the schemas of structs and of kinds of id."""
        return self._of(types.type_info(_with_ids(shape)))

    def reference(self, name: str) -> Schema:
        """Return a reference to the schema of that name."""
        return {"$ref": f"{self._place}{name}"}

    def _of(self, info: types.Type) -> Schema:
        match info:
            case types.Metadata():
                schema = {**self._of(info.type), **(info.extra_json_schema or {})}
                return self._named(schema) if "title" in schema else schema
            case types.StructType():
                return self._struct(info)
            case types.UnionType():
                return self._union(info)
            case types.DictType():
                names = self._of(info.key_type)
                keywords = {} if names == {"type": "string"} else {"propertyNames": names}
                return {"type": "object", **keywords, "additionalProperties": self._of(info.value_type)}
            case types.TupleType():
                item, *others = [self._of(item) for item in info.item_types]
                if any(other != item for other in others):
                    raise TypeError(f"{info} has items of several kinds, for which many generators know no keyword")
                count = 1 + len(others)
                return {"type": "array", "items": item, "minItems": count, "maxItems": count}
            case types.CollectionType():
                bounds = {"minItems": info.min_length, "maxItems": info.max_length}
                return {"type": "array", "items": self._of(info.item_type), **_given(bounds)}
            case types.LiteralType():
                return {"type": _type_of(info.values), "enum": list(info.values)}
            case _:
                return _plain(info)

    def _named(self, schema: Schema) -> Schema:
        first = self.structs.setdefault(schema["title"], schema)
        if first != schema:
            raise TypeError(f"two kinds of id are called {schema['title']}")
        return self.reference(schema["title"])

    def _union(self, info: types.UnionType) -> Schema:
        null = [kind for kind in info.types if isinstance(kind, types.NoneType)]
        kinds = [kind for kind in info.types if not isinstance(kind, types.NoneType)]
        if any(isinstance(kind, types.FloatType) for kind in kinds):  # a whole number is a number
            kinds = [kind for kind in kinds if not isinstance(kind, types.IntType)]
        structs = [kind for kind in kinds if isinstance(kind, types.StructType)]
        if len(kinds) > 1 and len(structs) < len(kinds):
            return {"anyOf": [self._of(kind) for kind in (*kinds, *null)]}
        schema = self._tagged(structs) if len(structs) > 1 else self._of(kinds[0])
        if not null:
            return schema
        if isinstance(schema.get("type"), str) and "enum" not in schema:
            return {**schema, "type": [schema["type"], "null"]}
        return {"anyOf": [schema, {"type": "null"}]}

    def _tagged(self, structs: list[types.StructType]) -> Schema:
        mapping = {str(struct.tag): self._struct(struct)["$ref"] for struct in structs}
        return {
            "oneOf": [{"$ref": place} for place in mapping.values()],
            "discriminator": {"propertyName": structs[0].tag_field, "mapping": mapping},
        }

    def _struct(self, info: types.StructType) -> Schema:
        name = name_of(info.cls)
        first = self._classes.setdefault(name, info.cls)
        if first is not info.cls:
            raise TypeError(f"two shapes are called {name}: {first} and {info.cls}")
        if name not in self.structs:
            self.structs[name] = {}  # known already while it is made: a struct may refer to itself
            self.structs[name].update(self._object(name, info))
        return self.reference(name)

    def _object(self, name: str, info: types.StructType) -> Schema:
        documented = field_docs(info.cls)
        kinds = _kinds(info.cls)
        places = dict(info.cls.places) if issubclass(info.cls, Event) else {}
        properties: dict[str, Schema] = {}
        required: list[str] = []
        if info.tag_field is not None:
            properties[info.tag_field] = {"type": "string", "const": info.tag}
            required.append(info.tag_field)
        for field in info.fields:
            schema = dict(self._instead.get((name, field.name)) or self.schema(kinds[field.name]))
            if field.name in documented:
                schema["description"] = documented[field.name]
            if field.name in places:
                schema["x-place"] = places[field.name]
            if field.name in getattr(info.cls, "added", ()):
                pass  # a client is shown older events, too
            elif field.required or _is_always_there(info, field):
                required.append(field.encode_name)
            elif isinstance(field.default, str | int | bool):
                if self._defaults:
                    schema["default"] = field.default
                else:
                    sentence = f"Default: `{json.dumps(field.default)}`."
                    schema["description"] = " ".join(filter(None, (schema.get("description"), sentence)))
            properties[field.encode_name] = schema
        object_schema: Schema = {
            "type": "object",
            "title": name,
            "description": summary(info.cls),
            "properties": properties,
        }
        if required:
            object_schema["required"] = required
        if info.forbid_unknown_fields:
            object_schema["additionalProperties"] = False
        if isinstance(gesture := getattr(info.cls, "gesture", None), Gesture):
            object_schema["x-gesture"] = gesture.keyword(properties)
        return object_schema


def _is_always_there(info: types.StructType, field: types.Field) -> bool:
    """Tell whether every answer has a field although the field has a default.

    Only requests forbid unknown fields. An answer has all fields of its struct, unless the struct omits defaults.
    """
    if info.forbid_unknown_fields or info.cls.__struct_config__.omit_defaults:
        return False
    return field.default is not NODEFAULT or field.default_factory is not NODEFAULT  # otherwise its default is UNSET


def _kinds(shape: type) -> dict[str, Any]:
    """Return the types of a struct's fields. Arguments replace the type parameters of its generic bases."""
    arguments: dict[Any, Any] = {}
    for base in getattr(shape, "__orig_bases__", ()):
        arguments |= zip(getattr(get_origin(base), "__parameters__", ()), get_args(base), strict=False)
    hints = get_type_hints(shape, include_extras=True)
    for name, kind in hints.items():
        if free := getattr(kind, "__parameters__", ()):
            hints[name] = kind[tuple(arguments[parameter] for parameter in free)]
    return hints


def _with_ids(shape: Any) -> Any:
    """Return a type in which each `NewType` has its name and its description: to msgspec it is only a string."""
    if isinstance(shape, NewType):
        sentence = _strings(source_of(shape.__module__))[shape.__name__]
        # pyrefly: ignore[not-a-type]  # known when it runs
        return Annotated[shape.__supertype__, Meta(title=shape.__name__, description=sentence)]
    parts = tuple(map(_with_ids, get_args(shape)))
    if not parts:
        return shape
    origin = get_origin(shape)
    return (Union if origin is UnionType else origin)[parts]  # pyrefly: ignore[not-a-type]  # known when it runs


def _plain(info: types.Type) -> Schema:
    match info:
        case types.IntType():
            return {"type": "integer", **_given({"minimum": info.ge, "maximum": info.le})}
        case types.FloatType():
            return {"type": "number", **_given({"minimum": info.ge, "maximum": info.le})}
        case types.StrType():
            pattern = None if info.pattern is None else portable(info.pattern)
            bounds = {"minLength": info.min_length, "maxLength": info.max_length, "pattern": pattern}
            return {"type": "string", **_given(bounds)}
        case types.BytesType():
            return {"type": "string"}
        case types.DateTimeType():
            return {"type": "string", "format": "date-time"}
        case types.BoolType():
            return {"type": "boolean"}
        case types.NoneType():
            return {"type": "null"}
        case types.AnyType() | types.RawType():
            return {}
        case _:
            raise TypeError(f"no schema for {info}")


def portable(pattern: str) -> str:
    r"""Return a pattern that means in ECMAScript, which JSON Schema uses, what `pattern` means in Python.

    Only its end differs: ECMAScript has no ``\Z``, and in Python a line break may follow ``$``.
    """
    return re.sub(r"(\\Z|\$)\Z", lambda _: r"$(?!\n)", pattern)


def _type_of(values: Iterable[Any]) -> str:
    """Return the JSON type of the values of an enumeration, which all have the same type."""
    (kind,) = {type(value) for value in values}
    return {str: "string", int: "integer"}[kind]


def _given(keywords: Mapping[str, Any]) -> Schema:
    return {name: value for name, value in keywords.items() if value is not None}


def name_of(shape: type) -> str:
    """Return the name of a struct in the contract: that of its class, after its ruleset's when it belongs to one."""
    top, *rest = shape.__module__.split(".")
    if top in ("service", "projections") or not rest or rest[0] in ("kernel", "boards"):
        return shape.__name__
    return pascal(rest[0]) + shape.__name__


def pascal(name: str) -> str:
    """Return an id as a name: ``conquest-classic-friz`` is ``ConquestClassicFriz``."""
    return "".join(word.capitalize() for word in re.split("[-_]", name))


@cache
def field_docs(shape: type) -> Mapping[str, str]:
    """Return the description of each field, inherited ones included."""
    structs = [cls for cls in reversed(shape.__mro__) if cls is not Struct and issubclass(cls, Struct)]
    return {name: _sentence(text) for cls in structs for name, text in attributes(cls).items()}


def _strings(module: ast.Module) -> dict[str, str]:
    """Return, by name, the strings that follow assignments and describe them."""
    docs: dict[str, str] = {}
    for defined, string in pairwise(module.body):
        match defined, string:
            case ast.Assign(targets=[ast.Name(id=name)]), ast.Expr(value=ast.Constant(value=str(text))):
                docs[name] = _sentence(" ".join(text.split()))
            case _:
                pass
    return docs


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


# --- Of rulesets ------------------------------------------------------------------------------------------------------


def command_types(ruleset: Ruleset[Any]) -> tuple[type[Struct], ...]:
    """Return the classes of all commands of games by `ruleset`, ``undo`` among them."""
    return (*ruleset.commands, Undo)


def event_types(ruleset: Ruleset[Any]) -> tuple[type[Struct], ...]:
    """Return the classes of all events of games by `ruleset`."""
    return (*GAME_EVENTS, *ruleset.events)


@cache
def of_ruleset(ruleset: Ruleset[Any]) -> Schemas:
    """Return the schemas of a ruleset, each standing alone."""
    return Schemas(
        ruleset=ruleset.id,
        version=ruleset.version,
        commands=alone(union(command_types(ruleset)), f"A command of {ruleset.title}"),
        events=alone(union(event_types(ruleset)), f"An event of {ruleset.title}"),
        view=alone(ruleset.view_type, f"The position in {ruleset.title}, as somebody may see it"),
        setup=alone(ruleset.setup, f"What the creator of a game of {ruleset.title} may choose"),
    )


def family_of(ruleset: Ruleset[Any]) -> str:
    """Return the name in the contract of the rulesets that share their shapes with `ruleset`, such as ``Classic``."""
    return name_of(ruleset.view_type).removesuffix(ruleset.view_type.__name__)


def union(shapes: tuple[type[Struct], ...]) -> Any:
    """Return the union of struct types."""
    joined: Any = shapes[0]
    for shape in shapes[1:]:
        joined |= shape
    return joined


def alone(shape: Any, title: str) -> Schema:
    """Return a schema document that refers to nothing outside of it."""
    book = Book("#/$defs/")
    schema = book.schema(shape)
    if list(schema) == ["$ref"]:
        schema = book.structs.pop(schema["$ref"].removeprefix("#/$defs/"))
    return {"$schema": DIALECT, **schema, "title": title, **({"$defs": book.structs} if book.structs else {})}
