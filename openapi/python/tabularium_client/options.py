"""Options are JSON Schemas of exactly the commands that would be accepted now, with three keywords of our own.

Test a command against them, list the small ones, draw from the large ones. `openapi/README.md` defines the keywords.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Protocol

import msgspec
from msgspec import Struct

Schema = dict[str, Any]
_STEPS: Final = 2_000
"""An option counts as large when it has more values than this."""


class Random(Protocol):
    """The part of `random.Random` that drawing needs."""

    def random(self) -> float: ...
    def randint(self, a: int, b: int) -> int: ...
    def choice(self, seq: Sequence[Any]) -> Any: ...


def fits(schema: Schema, value: Any) -> bool:
    """Tell whether a value fits a schema."""
    return fault(schema, value) is None


def accepting(options: Iterable[Any], command: Any) -> Any:
    """Return the option that a command fits; None if it fits none and would be refused."""
    return next((option for option in options if fits(option.schema, command)), None)


def fault(schema: Schema, value: Any, at: str = "$") -> str | None:
    """Return a sentence that says which part of a value does not fit a schema; None if all of it fits."""
    if "const" in schema:
        return None if _same(value, schema["const"]) else f"{at}: expected {_json(schema['const'])}"
    if "enum" in schema:
        fitting = any(_same(value, each) for each in schema["enum"])
        return None if fitting else f"{at}: expected one of {_json(schema['enum'])}"
    match schema["type"]:
        case "integer":
            least, most = schema["minimum"], schema["maximum"]
            fitting = type(value) is int and least <= value <= most
            return None if fitting else f"{at}: expected a whole number from {least} to {most}"
        case "boolean":
            return None if type(value) is bool else f"{at}: expected true or false"
        case "string":
            longest = schema["maxLength"]
            fitting = isinstance(value, str) and len(value) <= longest
            return None if fitting else f"{at}: expected a text of at most {longest} characters"
        case "array":
            return _fault_of_array(schema, value, at)
        case _:
            return _fault_of_object(schema, value, at)


def _fault_of_array(schema: Schema, value: Any, at: str) -> str | None:
    least, most = schema["minItems"], schema["maxItems"]
    if not isinstance(value, list):
        return f"{at}: expected a list"
    if not least <= len(value) <= most:
        return f"{at}: expected {least} to {most} items"
    if schema.get("uniqueItems") and any(_is_in(item, value[:index]) for index, item in enumerate(value)):
        return f"{at}: expected each item once"
    if "contains" in schema:
        inside = sum(fits(schema["contains"], item) for item in value)
        if inside < schema.get("minContains", 1):
            return f"{at}: expected {_json(schema['contains']['enum'])} among the items"
    faults = (fault(schema["items"], item, f"{at}[{index}]") for index, item in enumerate(value))
    return next(filter(None, faults), None)


def _fault_of_object(schema: Schema, value: Any, at: str) -> str | None:
    if not isinstance(value, dict):
        return f"{at}: expected an object"
    for name in schema["required"]:
        if name not in value:
            return f"{at}: expected {name}"
    for name, each in value.items():
        if name not in schema["properties"]:
            return f"{at}: expected no {name}"
        if wrong := fault(schema["properties"][name], each, f"{at}.{name}"):
            return wrong
    for total in _sums(schema, value):
        if not total.minimum <= total.amount <= total.maximum:
            names = " + ".join(total.names)
            return f"{at}: {names} come to {total.amount}, expected {total.minimum} to {total.maximum}"
    return None


class _Sum(Struct, frozen=True):
    """A sum that a schema bounds, with its amount in a value."""

    names: list[str]
    amount: int
    minimum: int
    maximum: float


def _sums(schema: Schema, value: dict[str, Any]) -> list[_Sum]:
    def counted(names: Iterable[str], prices: dict[str, int] | None = None) -> int:
        return sum(_amount(value.get(name)) * (prices[name] if prices else 1) for name in names)

    totals = schema.get("x-total", [])
    sums: list[_Sum] = []
    for total in totals if isinstance(totals, list) else [totals]:
        most = total.get("maximum", float("inf"))
        if "times" in total:
            most *= _amount(value.get(total["times"]))
        sums.append(_Sum(total["of"], counted(total["of"]), total.get("minimum", 0), most))
    if "x-sum" in schema:
        bounds = schema["x-sum"]
        sums.append(_Sum([*schema["properties"]], counted(value), bounds["minimum"], bounds["maximum"]))
    if "x-cost" in schema:
        cost = schema["x-cost"]
        paid = counted(cost["prices"], cost["prices"])
        sums.append(_Sum([*cost["prices"]], paid, cost.get("minimum", 0), cost.get("maximum", float("inf"))))
    return sums


def _amount(value: Any) -> int:
    """Return what a value counts in a sum: itself, its items, or the sum of its members."""
    if isinstance(value, dict):
        return sum(map(_amount, value.values()))
    return len(value) if isinstance(value, list) else value if type(value) is int else 0


# --- all values, and one at random ---


class _Large(Exception):
    """There are too many values to look at all of them."""


class _Steps:
    """Counts the values that were looked at. Raises `_Large` when there are too many."""

    def __init__(self) -> None:
        self.steps_left = _STEPS

    def take(self) -> None:
        self.steps_left -= 1
        if self.steps_left < 0:
            raise _Large


def every(schema: Schema, most: int = 500) -> list[Any] | None:
    """Return all values that fit a schema; None if there are more than `most`, or finding them takes too long."""
    values: list[Any] = []
    try:
        for value in _values(schema, _Steps()):
            if len(values) == most:
                return None
            values.append(value)
    except _Large:
        return None
    return values


def sample(schema: Schema, rng: Random | None = None) -> Any:
    """Return a random value that fits a schema. Of a small schema, all values are equally likely."""
    rng = rng or random.Random()
    if values := every(schema):
        return rng.choice(values)
    for _ in range(200):
        value = _without_nothing(schema, _draw(schema, rng))
        if fits(schema, value):
            return value
    raise ValueError(f"no value was found that fits {_json(schema)}")


def _values(schema: Schema, steps: _Steps) -> Iterator[Any]:
    if "const" in schema:
        yield schema["const"]
    elif "enum" in schema:
        yield from schema["enum"]
    else:
        match schema["type"]:
            case "boolean":
                yield from (True, False)
            case "integer":
                for value in range(schema["minimum"], schema["maximum"] + 1):
                    steps.take()
                    yield value
            case "string":
                if schema["maxLength"]:
                    raise _Large  # There are more texts than can be listed.
                yield ""
            case "array":
                yield from _lists(schema, steps, [], 0)
            case _:
                yield from _objects(schema, [*schema["properties"].items()], {}, steps)


def _objects(schema: Schema, fields: list[tuple[str, Schema]], partial: dict[str, Any], steps: _Steps) -> Iterator[Any]:
    steps.take()
    if not fields:
        if fits(schema, partial):
            yield partial
        return
    (name, field), *others = fields
    if name not in schema["required"]:
        yield from _objects(schema, others, partial, steps)
    for value in _values(field, steps):
        yield from _objects(schema, others, {**partial, name: value}, steps)


def _lists(schema: Schema, steps: _Steps, partial: list[Any], start: int) -> Iterator[list[Any]]:
    """Yield lists. Where no item may come twice, their order means nothing: each set is yielded once."""
    steps.take()
    if len(partial) >= schema["minItems"] and fits(schema, partial):
        yield partial
    if len(partial) >= schema["maxItems"]:
        return
    items = list(_values(schema["items"], steps))
    for index in range(start if schema.get("uniqueItems") else 0, len(items)):
        yield from _lists(schema, steps, [*partial, items[index]], index + 1)


def _draw(schema: Schema, rng: Random) -> Any:
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return rng.choice(schema["enum"])
    match schema["type"]:
        case "integer":
            return rng.randint(schema["minimum"], schema["maximum"])
        case "boolean":
            return rng.random() < 0.5
        case "string":
            return ""
        case "array":
            return _drawn_list(schema, rng)
        case _:
            return _drawn_object(schema, rng)


def _drawn_list(schema: Schema, rng: Random) -> list[Any]:
    items: list[Any] = [*schema.get("contains", {}).get("enum", ())]
    unique, most = schema.get("uniqueItems", False), schema["maxItems"]
    choices: list[Any] | None = None
    if unique and "enum" in schema["items"]:
        choices = [item for item in schema["items"]["enum"] if not _is_in(item, items)]
        most = min(most, len(items) + len(choices))
    length = rng.randint(schema["minItems"], most)
    while len(items) < length:
        if choices is not None:
            items.append(choices.pop(rng.randint(0, len(choices) - 1)))
            continue
        item = _draw(schema["items"], rng)
        if unique and _is_in(item, items):
            length -= 1
        else:
            items.append(item)
    return items


def _drawn_object(schema: Schema, rng: Random) -> dict[str, Any]:
    """Draw the members, then change counts one by one until the sums hold."""
    value = {name: _draw(field, rng) for name, field in _from_nothing(schema).items()}
    for index in range(len(_sums(schema, value))):
        while True:
            total = _sums(schema, value)[index]
            if total.minimum <= total.amount <= total.maximum or not _shifted(schema, value, total, rng):
                break
    return value


def _shifted(schema: Schema, value: dict[str, Any], total: _Sum, rng: Random) -> bool:
    """Bring a sum one step nearer to its bounds; tell whether that is possible."""
    step, bound = (1, "maximum") if total.amount < total.minimum else (-1, "minimum")
    counts = _counts(schema, value, total.names)
    movable = [(holder, name) for holder, name, field in counts if holder[name] != field[bound]]
    if movable:
        holder, name = rng.choice(movable)
        holder[name] += step
        return True
    lists = [name for name in total.names if isinstance(value.get(name), list)]
    longer = [name for name in lists if len(value[name]) > schema["properties"][name]["minItems"]]
    if step > 0 or not longer:
        return False
    value[rng.choice(longer)].pop()
    return True


def _from_nothing(schema: Schema) -> dict[str, Schema]:
    """Return the properties of an object. While they are drawn, counts that may be left out begin at 0."""
    return {
        name: {**field, "minimum": 0}
        if field.get("minimum") == 1 and "default" not in field and name not in schema["required"]
        else field
        for name, field in schema["properties"].items()
    }


def _without_nothing(schema: Schema, value: Any) -> Any:
    """Remove the counts that were drawn as 0 and may be left out."""
    if isinstance(value, list):
        return [_without_nothing(schema.get("items", {}), item) for item in value]
    if not isinstance(value, dict) or "properties" not in schema:
        return value
    return {
        name: _without_nothing(schema["properties"][name], each)
        for name, each in value.items()
        if type(each) is not int or each or name in schema["required"]
    }


def _counts(
    schema: Schema, value: dict[str, Any], names: Iterable[str]
) -> Iterator[tuple[dict[str, Any], str, Schema]]:
    """Yield the counts in the named properties: the object that holds each, its name and its schema."""
    fields = _from_nothing(schema)
    for name in names:
        each = value.get(name)
        if isinstance(each, dict):
            yield from _counts(fields[name], each, [*each])
        elif type(each) is int:
            yield value, name, fields[name]


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _is_in(item: Any, several: Iterable[Any]) -> bool:
    return any(_same(item, other) for other in several)


def _same(one: Any, other: Any) -> bool:
    """Compare as JSON does: true is not 1."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    return type(one) is type(other) and one == other
