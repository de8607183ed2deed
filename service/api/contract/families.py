"""The shapes of each ruleset in the contract, described so that a client can tell them apart.

Rulesets that share their shapes are a family. Commands, events and views of different families may have the same type
name, so a shape that contains one has the field `ruleset` and a variant for each family: `EventView` is one of
``ClassicEventView``, ``MareNostrumEventView`` …, with `ruleset` as the discriminator. Within a family, `type` is the
discriminator.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct

from domain.kernel.chance.secret import Sealed
from domain.kernel.log.lifecycle import GameForked
from domain.kernel.log.record import Cause
from domain.kernel.proof import export
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.docstrings import summary
from domain.kernel.rules.message import enumerated, type_name
from domain.kernel.rules.ruleset import Library, Ruleset
from service.api.play.bodies import OptionsView, Orders, Snapshot, StateView
from service.api.play.options import option_schemas
from service.api.rulesets import schemas
from service.api.rulesets.schemas import Book, Schema
from service.api.tutorials.bodies import LessonPosition
from service.games.views import EventView


class Family(Struct, frozen=True):
    """Rulesets that share their shapes, such as the two editions of Conquest of the Empire Classic."""

    name: str
    rulesets: tuple[Ruleset[Any], ...]

    @property
    def titles(self) -> str:
        """The titles of the rulesets, as an enumeration."""
        return enumerated([ruleset.title for ruleset in self.rulesets])

    @property
    def commands(self) -> tuple[type[Struct], ...]:
        """The classes of the commands of any of the rulesets."""
        return _once(schemas.command_types(ruleset) for ruleset in self.rulesets)

    @property
    def events(self) -> tuple[type[Struct], ...]:
        """The classes of the events of any of the rulesets."""
        return _once(schemas.event_types(ruleset) for ruleset in self.rulesets)

    @property
    def decisions(self) -> tuple[str, ...]:
        """The kinds of decision that games of any of the rulesets can wait for."""
        return tuple(sorted({kind for ruleset in self.rulesets for kind in ruleset.answers}))

    @property
    def view(self) -> type[Struct]:
        """The class of a position as somebody may see it."""
        (view,) = {ruleset.view_type for ruleset in self.rulesets}
        return view


def families(library: Library) -> list[Family]:
    """Group the rulesets of `library` by the shapes that they share."""
    by_family: dict[str, list[Ruleset[Any]]] = defaultdict(list)
    for ruleset in map(library.current, library.ids()):
        by_family[schemas.family_of(ruleset)].append(ruleset)
    return [Family(name, tuple(rulesets)) for name, rulesets in by_family.items()]


def describe(book: Book, library: Library) -> None:
    """Add to `book` all schemas that contain a command, an event or a view."""
    all_families = families(library)
    _add(book, option_schemas(book.reference))
    for family in all_families:
        _describe_family(book, family)
    _describe_fork(book)
    _by_ruleset(book, all_families, EventView, lambda family: _of_log(book, family))
    _by_ruleset(book, all_families, StateView, lambda family: _position(book, family))
    _by_ruleset(book, all_families, Snapshot, lambda family: {**_position(book, family), **_offered(book, family)})
    for shape in (OptionsView, LessonPosition):
        _by_ruleset(
            book, all_families, shape, lambda family: {**_offered(book, family), **_decision_fields(book, family)}
        )
    _describe_orders(book, all_families)
    _describe_export(book, all_families)
    for shape in (Cause, Option, export.Header, export.Row):  # the schemas of the families replace these
        del book.structs[shape.__name__]


def _describe_family(book: Book, family: Family) -> None:
    """Add what the rulesets of a family share: their ids, commands, events, causes and options."""
    name, titles = family.name, family.titles
    _add(
        book,
        {
            f"{name}Ruleset": {
                "type": "string",
                "description": f"The id of {titles}.",
                "enum": [ruleset.id for ruleset in family.rulesets],
            },
            f"{name}CommandType": {
                "type": "string",
                "description": f"The type of a command of {titles}.",
                "enum": [type_name(command) for command in family.commands],
            },
            f"{name}DecisionKind": {
                "type": "string",
                "description": _kinds_description(family),
                "enum": list(family.decisions),
            },
            f"{name}Command": {
                "description": f"A command of {titles}.",
                **book.schema(schemas.union(family.commands)),
            },
            f"{name}Event": {
                "description": f"An event of {titles}.",
                **book.schema(schemas.union(family.events)),
            },
        },
    )
    cause = {"command": _logged_command(book, family)}
    kind = book.reference(f"{name}DecisionKind")
    option = {
        "command": book.reference(f"{name}CommandType"),
        "schema": book.reference("ObjectSchema"),
        "decision": _or_null(kind),
    }
    _add(book, _copied(book, Cause, f"{name}Cause", cause))
    _add(book, _copied(book, Decision, f"{name}Decision", {"kind": kind}))
    _add(book, _copied(book, Option, f"{name}Option", option))


def _kinds_description(family: Family) -> str:
    """Describe the kinds of decision, and name those that a ruleset of the family does not have."""
    sentences = [f"A kind of decision of {family.titles}."]
    for ruleset in family.rulesets:
        if absent := [f"`{kind}`" for kind in family.decisions if kind not in ruleset.answers]:
            sentences.append(f"{ruleset.title} does not have {enumerated(absent)}.")
    return " ".join(sentences)


def _logged_command(book: Book, family: Family) -> Schema:
    """Return the schema of a command in the log. Of a secret command, the log has only a commitment.

    If no command is secret, it is the schema of a command.
    """
    if not any(getattr(command, "sealed", False) for command in family.commands):
        return book.reference(f"{family.name}Command")
    mapping: dict[str, str] = {}
    for command in family.commands:
        described = book.schema(command)
        if getattr(command, "sealed", False):
            name = f"{schemas.name_of(command)}Sealed"
            described = book.reference(name)
            _add(
                book,
                {
                    name: {
                        "type": "object",
                        "title": name,
                        "description": "A secret command as the log shows it: its type, and a commitment to the whole.",
                        "properties": {
                            "type": {"type": "string", "const": type_name(command)},
                            "sealed": book.schema(Sealed),
                        },
                        "required": ["type", "sealed"],
                        "additionalProperties": False,
                    }
                },
            )
        mapping[type_name(command)] = described["$ref"]
    logged = _discriminated(f"A command of {family.titles}, as the log shows it.", "type", mapping)
    _add(book, {f"{family.name}LoggedCommand": logged})
    return book.reference(f"{family.name}LoggedCommand")


def _by_ruleset(
    book: Book, all_families: Iterable[Family], shape: type[Struct], own: Callable[[Family], dict[str, Schema]]
) -> None:
    """Replace the schema of a shape that has a `ruleset` by one for each family; `own` says what differs in it."""
    mapping: dict[str, str] = {}
    for family in all_families:
        name = f"{family.name}{shape.__name__}"
        _add(book, _copied(book, shape, name, {**_ruleset(book, family), **own(family)}))
        mapping |= {ruleset.id: book.reference(name)["$ref"] for ruleset in family.rulesets}
    book.structs[shape.__name__] = _discriminated(summary(shape), "ruleset", mapping)


def _describe_fork(book: Book) -> None:
    """Add the first event of a fork, which a problem shows.

    Every operation can answer with a problem. If its schema referred to the events of all rulesets, a tool that follows
    every reference, such as Spectral, would have 24 million parts to look at instead of 1.3 million.
    """
    _add(book, _copied(book, Cause, "GameForkedCause", {}))
    del book.structs["GameForkedCause"]["properties"]["command"]
    own = {"event": book.schema(GameForked), "cause": book.reference("GameForkedCause")}
    _add(book, _copied(book, EventView, "GameForkedView", own))


def _describe_orders(book: Book, all_families: Iterable[Family]) -> None:
    """Add the body of a request to play: exactly one of `command` and `commands`."""
    kinds = sorted({type_name(command) for family in all_families for command in family.commands})
    by_program: Schema = {
        "type": "object",
        "title": "MadeCommand",
        "description": "A command made from an option's schema, by a program that need not know the ruleset: its type, "
        "and the other fields of that schema.",
        "properties": {"type": {"type": "string", "enum": kinds}},
        "required": ["type"],
        "additionalProperties": True,
    }
    command: Schema = {
        "description": "A command of the game's ruleset.",
        "anyOf": [book.reference("MadeCommand"), *(book.reference(f"{family.name}Command") for family in all_families)],
    }
    _add(book, {"MadeCommand": by_program, "Command": command})
    book.schema(Orders)
    fields = book.structs["Orders"]["properties"]
    parts: dict[str, Schema] = {
        "command": book.reference("Command"),
        "commands": {**fields["commands"], "items": book.reference("Command")},
    }
    for name, field in (("OneCommand", "command"), ("SeveralCommands", "commands")):
        description = fields[field]["description"]
        shape: Schema = {
            "type": "object",
            "title": name,
            "description": description,
            "properties": {field: {**parts[field], "description": description}},
            "required": [field],
            "additionalProperties": False,
        }
        _add(book, {name: shape})
    either = [book.reference("OneCommand"), book.reference("SeveralCommands")]
    book.structs["Orders"] = {"description": summary(Orders), "oneOf": either}


def _describe_export(book: Book, all_families: Iterable[Family]) -> None:
    """Add the lines of an export. The first says how to read the others."""
    board: Schema = {"type": "object", "description": "The whole board, as it is hashed."}
    _add(book, _copied(book, export.Published, "ExportSecret", {}))
    _add(book, _copied(book, export.LastLine, "ExportEnd", {}))
    for shape in (export.Published, export.LastLine):
        del book.structs[shape.__name__]
    for family in all_families:
        name = f"{family.name}Export"
        header = {"board": board, **_ruleset(book, family)}
        _add(book, _copied(book, export.Header, f"{name}Header", header))
        _add(book, _copied(book, export.Row, f"{name}Row", _of_log(book, family)))
        lines = (f"{name}Header", f"{name}Row", "ExportSecret", "ExportEnd")
        line: Schema = {
            "description": f"A line of the export of a game of {family.titles}. Only the first is the header.",
            "anyOf": [book.reference(each) for each in lines],
        }
        whole: Schema = {
            "type": "array",
            "description": f"The lines of the export of a game of {family.titles}.",
            "items": book.reference(f"{name}Line"),
        }
        _add(book, {f"{name}Line": line, name: whole})
    either: Schema = {
        "description": "The lines of an export. The first names the ruleset, which determines the shape of the others.",
        "oneOf": [book.reference(f"{family.name}Export") for family in all_families],
    }
    _add(book, {"Export": either})


def _ruleset(book: Book, family: Family) -> dict[str, Schema]:
    return {"ruleset": book.reference(f"{family.name}Ruleset")}


def _decision_fields(book: Book, family: Family) -> dict[str, Schema]:
    return {"decisions": book.reference(f"{family.name}Decision")}


def _position(book: Book, family: Family) -> dict[str, Schema]:
    return {"view": _or_null(book.schema(family.view)), **_decision_fields(book, family)}


def _offered(book: Book, family: Family) -> dict[str, Schema]:
    return {"options": book.reference(f"{family.name}Option")}


def _of_log(book: Book, family: Family) -> dict[str, Schema]:
    """Return the fields of a log row that differ by family."""
    return {"event": book.reference(f"{family.name}Event"), "cause": book.reference(f"{family.name}Cause")}


def _copied(book: Book, shape: type[Struct], name: str, own: Mapping[str, Schema]) -> dict[str, Schema]:
    """Return the schema of a shape under another name. `own` has other schemas for some fields, or for their items.

    Only the first paragraph of the shape's description is copied.
    """
    book.schema(shape)
    general = book.structs[shape.__name__]
    description = general["description"].partition("\n\n")[0]
    properties = dict(general["properties"])
    for field, schema in own.items():
        before = properties[field]
        described = {"description": before["description"]} if "description" in before else {}
        properties[field] = {**({"type": "array", "items": schema} if "items" in before else schema), **described}
    return {name: {**general, "title": name, "description": description, "properties": properties}}


def _discriminated(description: str, by: str, mapping: Mapping[str, str]) -> Schema:
    """Return the union of the schemas at these places, with the field `by` as discriminator."""
    return {
        "description": description,
        "oneOf": [{"$ref": place} for place in dict.fromkeys(mapping.values())],
        "discriminator": {"propertyName": by, "mapping": dict(mapping)},
    }


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _add(book: Book, components: Mapping[str, Schema]) -> None:
    for name, schema in components.items():
        assert name not in book.structs, f"two schemas are called {name}"
        book.structs[name] = schema


def _once(shapes: Iterable[tuple[type[Struct], ...]]) -> tuple[type[Struct], ...]:
    return tuple(dict.fromkeys(shape for each in shapes for shape in each))
