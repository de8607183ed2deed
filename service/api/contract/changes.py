"""The differences between two versions of the contract, in sentences, and which of them break clients.

oasdiff, the well-kept tool for this, is a Go program that neither PyPI nor npm has. api-smart-diff, which npm has,
takes 26 seconds for this contract, and calls it a break when an answer becomes more exact. This module takes a tenth of
a second, and judges by our policy (`openapi/README.md`): the service must still accept what a client sends, and still
return what it reads.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal

from msgspec import Struct

Schema = Mapping[str, Any]
Direction = Literal["sent", "answered"]

_BOUNDS: Final = {
    **dict.fromkeys(("minimum", "minLength", "minItems", "minProperties", "exclusiveMinimum"), 1),
    **dict.fromkeys(("maximum", "maxLength", "maxItems", "maxProperties", "exclusiveMaximum"), -1),
}
"""Bounds of values: 1 for those that become stricter when they rise, -1 for those that become stricter when they
fall."""


class Change(Struct, frozen=True, order=True):
    """A difference: its place, a text, and whether it breaks clients."""

    where: str
    what: str
    breaking: bool


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    """Return what differs between two documents, each difference once."""
    return sorted({*_Comparison(old, new).all()})


class _Comparison:
    def __init__(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        self._old, self._new = old, new
        self._compared: set[tuple[str, str, Direction]] = set()

    def all(self) -> Iterator[Change]:
        old, new = _operations(self._old), _operations(self._new)
        for name in old.keys() | new.keys():
            if name not in new:
                yield Change(name, "removed", True)
            elif name not in old:
                yield Change(name, "new", False)
            else:
                yield from self._operation(name, old[name], new[name])

    def _operation(self, name: str, old: Schema, new: Schema) -> Iterator[Change]:
        if old["operationId"] != new["operationId"]:
            yield Change(name, f"`{old['operationId']}` is called `{new['operationId']}`", True)
        if new.get("deprecated") and not old.get("deprecated"):
            yield Change(name, "deprecated", False)
        yield from self._parameters(name, _parameters(self._old, old), _parameters(self._new, new))
        for scheme in _let_in(old) - _let_in(new):
            yield Change(name, f"no longer lets in {scheme}", True)
        for scheme in _let_in(new) - _let_in(old):
            yield Change(name, f"lets in {scheme}", False)
        yield from self._body(name, old.get("requestBody"), new.get("requestBody"))
        yield from self._answers(name, old["responses"], new["responses"])

    def _parameters(self, name: str, old: Iterable[Schema], new: Iterable[Schema]) -> Iterator[Change]:
        before = {(each["in"], each["name"]): each for each in old}
        after = {(each["in"], each["name"]): each for each in new}
        for key in before.keys() | after.keys():
            place, parameter = key
            part = f"{place} parameter `{parameter}`"
            if key not in after:
                yield Change(name, f"{part} removed", True)
            elif key not in before:
                yield Change(name, f"new {part}", bool(after[key].get("required")))
            else:
                if after[key].get("required") and not before[key].get("required"):
                    yield Change(name, f"{part} is required", True)
                yield from self._schema(name, part, before[key]["schema"], after[key]["schema"], "sent")

    def _body(self, name: str, old: Schema | None, new: Schema | None) -> Iterator[Change]:
        if old is None or new is None:
            if old is not new:
                yield Change(name, "takes a body" if old is None else "takes no body", True)
            return
        yield from self._contents(name, "body", old["content"], new["content"], "sent")

    def _answers(self, name: str, old: Schema, new: Schema) -> Iterator[Change]:
        for status in old.keys() | new.keys():
            if status >= "400":
                continue  # new types of problems can come at any time, and clients have to expect them
            part = f"answer {status}"
            if status not in new:
                yield Change(name, f"{part} removed", True)
            elif status not in old:
                yield Change(name, f"new {part}", False)
            else:
                before, after = old[status].get("headers", {}), new[status].get("headers", {})
                for header in before.keys() ^ after.keys():
                    is_removed = header in before
                    yield Change(name, f"{part} {'lacks' if is_removed else 'has'} the header `{header}`", is_removed)
                yield from self._contents(
                    name, part, old[status].get("content", {}), new[status].get("content", {}), "answered"
                )

    def _contents(self, name: str, part: str, old: Schema, new: Schema, direction: Direction) -> Iterator[Change]:
        for media in old.keys() | new.keys():
            if media not in new:
                yield Change(name, f"{part} is no longer `{media}`", True)
            elif media not in old:
                yield Change(name, f"{part} can be `{media}`", False)
            else:
                yield from self._schema(name, part, old[media]["schema"], new[media]["schema"], direction)

    # --- schemas ---

    def _schema(self, where: str, part: str, old: Schema, new: Schema, direction: Direction) -> Iterator[Change]:
        """Yield how a value differs: `where` is an operation or a schema, `part` which part of it."""
        if "$ref" in old and "$ref" in new:
            # List a change of a named schema once, under its name, even if many places use it.
            one, other = _name(old), _name(new)
            if (one, other, direction) in self._compared:
                return
            self._compared.add((one, other, direction))
            where, part = f"`{other}` ({direction})", ""
        before, after = _branches(self._old, old), _branches(self._new, new)
        if len(before) == len(after) == 1:
            (one,), (other,) = before.values(), after.values()
            yield from self._plain(where, part, _resolved(self._old, one), _resolved(self._new, other), direction)
            return
        about = f"{part} " if part else ""
        for kind in before.keys() - after.keys():
            yield Change(where, f"{about}is no longer {_in_words(kind)}", direction == "sent")
        for kind in after.keys() - before.keys():
            # New branches of a union can come at any time; but no client expects a null.
            yield Change(where, f"{about}can be {_in_words(kind)}", direction == "answered" and kind == "null")
        for kind in before.keys() & after.keys():
            yield from self._schema(where, part, before[kind], after[kind], direction)

    def _plain(self, where: str, part: str, old: Schema, new: Schema, direction: Direction) -> Iterator[Change]:
        about = f"{part} " if part else ""
        one, other = old.get("type"), new.get("type")
        if one != other:
            kinds = one or "anything", other or "anything"
            eased = one is None if direction == "answered" else other is None
            yield Change(where, f"{about}is {kinds[1]} instead of {kinds[0]}", not eased)
            return
        yield from _values(where, about, old, new, direction)
        yield from self._properties(where, part, old, new, direction)
        for name in ("items", "additionalProperties", "contentSchema"):
            inner, then = old.get(name), new.get(name)
            if isinstance(inner, dict) and isinstance(then, dict):
                yield from self._schema(where, part, inner, then, direction)

    def _properties(self, where: str, part: str, old: Schema, new: Schema, direction: Direction) -> Iterator[Change]:
        before, after = old.get("properties", {}), new.get("properties", {})
        required_before, required_now = {*old.get("required", ())}, {*new.get("required", ())}
        for name in before.keys() | after.keys():
            field = f"{part}.{name}" if part else name
            if name not in after:
                yield Change(where, f"field `{field}` removed", True)
            elif name not in before:
                yield Change(where, f"new field `{field}`", direction == "sent" and name in required_now)
            else:
                if name in required_now - required_before:
                    yield Change(where, f"field `{field}` is always there", direction == "sent")
                if name in required_before - required_now:
                    yield Change(where, f"field `{field}` may be left out", direction == "answered")
                yield from self._schema(where, field, before[name], after[name], direction)


def _values(where: str, about: str, old: Schema, new: Schema, direction: Direction) -> Iterator[Change]:
    """Yield how the bounds of a value differ. In answers, clients have to expect new values."""
    one, other = _listed(old), _listed(new)
    if one is not None and other is not None:
        for value in sorted(one - other):
            yield Change(where, f"{about}is no longer `{value}`", direction == "sent")
        for value in sorted(other - one):
            yield Change(where, f"{about}can be `{value}`", False)
    elif one is not None or other is not None:
        narrowed = other is not None
        yield Change(where, f"{about}is {'one of a list' if narrowed else 'any'}", direction == "sent" and narrowed)
    for name, sign in _BOUNDS.items():
        before, after = old.get(name), new.get(name)
        if before != after:
            narrowed = after is not None and (before is None or (after - before) * sign > 0)
            yield Change(where, f"{about}has the {name} {after}, not {before}", direction == "sent" and narrowed)
    if old.get("pattern") != new.get("pattern"):
        yield Change(where, f"{about}has another pattern", direction == "sent" and new.get("pattern") is not None)


def _operations(document: Mapping[str, Any]) -> dict[str, Schema]:
    return {
        f"`{method.upper()} {path}`": operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


def _parameters(document: Mapping[str, Any], operation: Schema) -> list[Schema]:
    """Return the parameters of an operation, with references resolved."""
    shared = document["components"].get("parameters", {})
    return [shared[_name(each)] if "$ref" in each else each for each in operation["parameters"]]


def _let_in(operation: Schema) -> set[str]:
    """Return the accepted ways of authentication, in words."""
    return {
        " and ".join(
            f"`{scheme}` with `{' '.join(scopes)}`" if scopes else f"`{scheme}`" for scheme, scopes in each.items()
        )
        or "anybody"
        for each in operation.get("security") or [{}]
    }


def _name(schema: Schema) -> str:
    return schema["$ref"].rpartition("/")[2]


def _resolved(document: Mapping[str, Any], schema: Schema) -> Schema:
    while "$ref" in schema:
        schema = document["components"]["schemas"][_name(schema)]
    return schema


def _branches(document: Mapping[str, Any], schema: Schema) -> dict[str, Schema]:
    """Return the alternatives of a value: objects by the names of their schemas, others by type."""
    shape = _resolved(document, schema)
    if isinstance(kinds := shape.get("type"), list):
        return {kind: {**shape, "type": kind} for kind in kinds}
    branches: dict[str, Schema] = {}
    for each in (*shape.get("oneOf", ()), *shape.get("anyOf", ())):
        branches |= _branches(document, each)
    kind = str(shape.get("type"))
    return branches or {_name(schema) if "$ref" in schema and kind == "object" else kind: schema}


def _listed(schema: Schema) -> set[str] | None:
    """Return the values that a schema lists; None when it lists none."""
    listed = [schema["const"]] if "const" in schema else schema.get("enum")
    return {str(value) for value in listed} if isinstance(listed, list) else None


def _in_words(kind: str) -> str:
    return kind if kind == "null" else f"`{kind}`"
