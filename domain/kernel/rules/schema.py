"""Options as JSON Schema (2020-12): building them, testing a command against one, drawing a sample from one.

Only a small part of JSON Schema is used: ``const``, ``enum``, integers with ``minimum`` and ``maximum``, arrays with
``minItems``, ``maxItems``, ``uniqueItems`` and ``contains`` with ``minContains``, and objects with ``properties``,
``required`` and ``additionalProperties: false``. Three keywords of our own add what JSON Schema cannot express, and a
fourth says how to give a command by pointing:

``x-total``: ``{"of": [names], "minimum": a, "maximum": b, "times": name}`` in an object: the named properties add up
    to a..b. An integer counts itself, an array its items, an object the sum of its integers; what is absent counts
    as 0. With ``times``, b is multiplied by the number of items in the array property of that name. ``a`` and ``b``
    may be absent. A list of such rules is allowed.
``x-cost``: ``{"prices": {name: price}, "minimum": a, "maximum": b}`` in an object: the named properties, each counted
    as above and times its price, cost a..b (properties absent from ``prices`` are free). Either bound may be absent.
    Two more members forbid nothing: ``unit`` says what is paid with, ``left`` how many of each can still be had, with
    0 for what is sold out.
``x-sum``: ``{"minimum": a, "maximum": b}`` in an object whose properties are all integers: they add up to a..b.
``x-gesture`` in the schema of a command: what its properties mean on a map and in a hand, and which control suits them
    (`gesture.py`). It forbids nothing: clients may ignore it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, cast

Schema = dict[str, Any]


class Random(Protocol):
    """The part of ``random.Random`` that sampling needs; the domain has no randomness of its own."""

    def random(self) -> float: ...
    def randint(self, a: int, b: int) -> int: ...
    def choice(self, seq: Sequence[Any]) -> Any: ...
    def sample(self, population: Sequence[Any], k: int) -> list[Any]: ...


def const(value: Any) -> Schema:
    """Exactly `value`."""
    return {"const": value}


def one_of(values: Iterable[Any]) -> Schema:
    """One of `values`."""
    allowed = list(values)
    return {"const": allowed[0]} if len(allowed) == 1 else {"enum": allowed}


def count(minimum: int, maximum: int) -> Schema:
    """An integer from `minimum` to `maximum`."""
    return {"type": "integer", "minimum": minimum, "maximum": maximum}


def exactly(number: int, fields: Iterable[str]) -> dict[str, Any]:
    """Return the `x_total` of fields that add up to `number`."""
    return {"of": list(fields), "minimum": number, "maximum": number}


def text(longest: int) -> Schema:
    """Any text of at most `longest` characters."""
    return {"type": "string", "maxLength": longest}


def subset(
    values: Iterable[Any], minimum: int = 0, maximum: int | None = None, *, including: Iterable[Any] = ()
) -> Schema:
    """An array of different items out of `values`, all of `including` among them."""
    allowed, needed = list(values), list(including)
    schema: Schema = {
        "type": "array",
        "items": {"enum": allowed},
        "uniqueItems": True,
        "minItems": max(minimum, len(needed)),
        "maxItems": len(allowed) if maximum is None else min(maximum, len(allowed)),
    }
    return {**schema, "contains": {"enum": needed}, "minContains": len(needed)} if needed else schema


def array(items: Schema, minimum: int, maximum: int, *, unique: bool = False) -> Schema:
    """An array of `minimum` to `maximum` items, each as `items` says."""
    schema: Schema = {"type": "array", "items": items, "minItems": minimum, "maxItems": maximum}
    return {**schema, "uniqueItems": True} if unique else schema


def record(properties: Mapping[Any, Schema], optional: Collection[Any] = (), **keywords: Any) -> Schema:
    """An object with these properties, all required but the `optional` ones, and further keywords (``x_total`` …)."""
    return _object(dict(properties), optional, keywords)


def command(
    kind: str,
    properties: Mapping[str, Schema] | None = None,
    optional: Collection[str] | None = None,
    keywords: Mapping[str, Any] | None = None,
) -> Schema:
    """The schema of a command. Counts that may be 0 and arrays that may be empty are optional by default."""
    fields: dict[str, Schema] = {"type": {"const": kind}, **(properties or {})}
    if optional is None:
        optional = [
            name
            for name, field in fields.items()
            if ((type_ := field.get("type")) == "integer" and field["minimum"] <= 0 <= field["maximum"])
            or (type_ == "array" and field["minItems"] == 0)
        ]
    return _object(fields, optional, keywords or {})


def _object(properties: dict[str, Schema], optional: Collection[str], keywords: Mapping[str, Any]) -> Schema:
    fields = {name: _when_given(field) if name in optional else field for name, field in properties.items()}
    schema: Schema = {
        "type": "object",
        "properties": {name: field for name, field in fields.items() if field is not None},
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }
    for name, value in keywords.items():
        if value is not None:
            schema[name.replace("_", "-")] = value
    return schema


def _when_given(field: Schema) -> Schema | None:
    """Return the schema of an optional field when it is given; None for a count that can only be 0.

    A count of 0 is left out, so a given one is at least 1 (TAB-CMD-02).
    """
    if field.get("type") != "integer" or field["minimum"] > 0:
        return field
    return count(1, field["maximum"]) if field["maximum"] > 0 else None


def matches(schema: Schema, value: Any) -> bool:
    """Tell whether `value` is an instance of `schema`."""
    if "const" in schema:
        return _same(value, schema["const"])
    if "enum" in schema:
        return any(_same(value, allowed) for allowed in schema["enum"])
    match schema.get("type"):
        case "integer":
            return type(value) is int and schema["minimum"] <= value <= schema["maximum"]
        case "boolean":
            return type(value) is bool
        case "string":
            return isinstance(value, str) and len(value) <= schema["maxLength"]
        case "array":
            return isinstance(value, list | tuple) and _array_matches(schema, cast(Sequence[Any], value))
        case "object":
            return isinstance(value, dict) and _object_matches(schema, cast(dict[str, Any], value))
        case other:
            raise ValueError(f"an option's schema cannot have the type {other!r}")


def _same(value: Any, other: Any) -> bool:
    """Compare as JSON does: true is not 1, and a tuple is an array."""
    same_type = type(value) is type(other)
    if isinstance(value, list | tuple) and isinstance(other, list | tuple):
        items, others = cast(Sequence[Any], value), cast(Sequence[Any], other)
        return len(items) == len(others) and all(map(_same, items, others))
    if isinstance(value, dict) and isinstance(other, dict):
        one, two = cast(dict[str, Any], value), cast(dict[str, Any], other)
        return one.keys() == two.keys() and all(_same(one[name], two[name]) for name in one)
    return same_type and value == other


def _array_matches(schema: Schema, value: Sequence[Any]) -> bool:
    if not schema["minItems"] <= len(value) <= schema["maxItems"]:
        return False
    if schema.get("uniqueItems") and any(
        _same(item, other) for index, item in enumerate(value) for other in value[:index]
    ):
        return False
    if "contains" in schema and sum(matches(schema["contains"], item) for item in value) < schema["minContains"]:
        return False
    return all(matches(schema["items"], item) for item in value)


def _object_matches(schema: Schema, value: dict[str, Any]) -> bool:
    properties: dict[str, Schema] = schema["properties"]
    return (
        all(name in properties and matches(properties[name], item) for name, item in value.items())
        and all(name in value for name in schema["required"])
        and _totals_hold(schema, value)
    )


def _totals_hold(schema: Schema, value: Mapping[str, Any]) -> bool:
    for total in _totals(schema):
        amount = sum(_amount(value.get(name, 0)) for name in total["of"])
        if not total.get("minimum", 0) <= amount <= _most(total, value):
            return False
    cost = schema.get("x-cost")
    if cost and not cost.get("minimum", 0) <= _cost(cost, value) <= cost.get("maximum", float("inf")):
        return False
    if bounds := schema.get("x-sum"):
        return bounds["minimum"] <= sum(value.values()) <= bounds["maximum"]
    return True


def _cost(cost: Mapping[str, Any], value: Mapping[str, Any]) -> int:
    prices: Mapping[str, int] = cost["prices"]
    return sum(price * _amount(value.get(name, 0)) for name, price in prices.items())


def _totals(schema: Schema) -> list[dict[str, Any]]:
    """Return the rules of ``x-total``; a single rule needs no list."""
    totals: Any = schema.get("x-total", [])
    return cast(list[dict[str, Any]], totals if isinstance(totals, list) else [totals])


def _most(total: Mapping[str, Any], value: Mapping[str, Any]) -> float:
    most = total.get("maximum", float("inf"))
    return most * len(value.get(total["times"], ())) if "times" in total else most


def _amount(value: Any) -> int:
    if isinstance(value, dict):
        return sum(cast(dict[str, int], value).values())
    return value if isinstance(value, int) else len(value)


def sample(schema: Schema, rng: Random, attempts: int = 200) -> Any:
    """Return a random instance of `schema`.

    Raises:
        ValueError: no instance was found in `attempts` tries; an option always has one.
    """
    for _ in range(attempts):
        value = _without_zeros(schema, _draw(schema, rng))
        if matches(schema, value):
            return value
    raise ValueError(f"no instance found of {schema}")


class _Least:
    """A source of chance that always returns the smallest and the first; of counts to raise, the cheapest."""

    def __init__(self, cheapest: Sequence[str]) -> None:
        self._rank = {name: number for number, name in enumerate(cheapest)}

    def random(self) -> float:
        return 0.999

    def randint(self, a: int, b: int) -> int:
        return a

    def choice(self, seq: Sequence[Any]) -> Any:
        return min(seq, key=self._price)  # of equal ones the first

    def _price(self, item: Any) -> int:
        if not isinstance(item, tuple):
            return 0
        name = cast("tuple[Any, str]", item)[1]
        return self._rank.get(name.rpartition("/")[2], len(self._rank))

    def sample(self, population: Sequence[Any], k: int) -> list[Any]:
        return list(population[:k])


def least(schema: Schema, cheapest: Sequence[str] = ()) -> Any:
    """Return the smallest instance of `schema`, always the same: of choices the first, of counts the fewest.

    When counts must add up to more, those named in `cheapest` are raised first, in this order. Of a name such as
    ``red/infantry``, the part after the last slash counts.

    Raises:
        ValueError: no instance was found this way; options of a ruleset always have one.
    """
    return sample(schema, _Least(cheapest), attempts=1)


def _draw(schema: Schema, rng: Random) -> Any:
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return rng.choice(schema["enum"])
    match schema.get("type"):
        case "integer":
            return rng.randint(schema["minimum"], schema["maximum"])
        case "boolean":
            return rng.random() < 0.5
        case "string":
            return ""
        case "array":
            return _draw_array(schema, rng)
        case _:
            return _draw_object(schema, rng)


def _draw_array(schema: Schema, rng: Random) -> list[Any]:
    if schema.get("uniqueItems") and "enum" in schema["items"]:
        length = rng.randint(schema["minItems"], min(schema["maxItems"], len(schema["items"]["enum"])))
        needed = list(schema.get("contains", {"enum": ()})["enum"])
        others = [item for item in schema["items"]["enum"] if item not in needed]
        return needed + rng.sample(others, length - len(needed))
    length = rng.randint(schema["minItems"], schema["maxItems"])
    items: list[Any] = []
    while len(items) < length:
        item = _draw(schema["items"], rng)
        if schema.get("uniqueItems") and item in items:
            length -= 1
            continue
        items.append(item)
    return items


def _draw_object(schema: Schema, rng: Random) -> dict[str, Any]:
    value = {name: _draw(field, rng) for name, field in _counted_from_zero(schema).items()}
    for total in _totals(schema):
        _fit(schema, value, total["of"], total.get("minimum", 0), _most(total, value), rng)
    if bounds := schema.get("x-sum"):
        _fit(schema, value, list(value), bounds["minimum"], bounds["maximum"], rng)
    if cost := schema.get("x-cost"):
        _fit_cost(schema, value, cost, rng)
    return value


def _counted_from_zero(schema: Schema) -> dict[str, Schema]:
    """Return the properties of an object; counts that may be left out begin at 0 while they are drawn."""
    properties: dict[str, Schema] = schema["properties"]
    return {
        name: count(0, field["maximum"])
        if field.get("minimum") == 1 and "default" not in field and name not in schema["required"]
        else field
        for name, field in properties.items()
    }


def _without_zeros(schema: Schema, value: Any) -> Any:
    """Leave out the counts that were drawn as 0 and may be left out."""
    if isinstance(value, list):
        return [_without_zeros(schema.get("items", {}), item) for item in cast(list[Any], value)]
    if "properties" not in schema:
        return value
    members, properties = cast(dict[str, Any], value), cast(dict[str, Schema], schema["properties"])
    return {
        name: _without_zeros(properties[name], each)
        for name, each in members.items()
        if name in schema["required"] or type(each) is not int or each
    }


def _fit(schema: Schema, value: dict[str, Any], names: list[str], minimum: int, maximum: float, rng: Random) -> None:
    """Shift the named integers, one by one, until they add up to a total within bounds, where that is possible."""
    counts = list(_counts(schema, value, names))
    fixed = sum(_amount(value.get(name, 0)) for name in names) - sum(holder[name] for holder, name, _ in counts)
    while not minimum <= (total := fixed + sum(holder[name] for holder, name, _ in counts)) <= maximum:
        step, bound = (1, "maximum") if total < minimum else (-1, "minimum")
        movable = [(holder, name) for holder, name, field in counts if holder[name] != field.get(bound, holder[name])]
        if not movable:
            return
        holder, name = rng.choice(movable)
        holder[name] += step


def _counts(
    schema: Schema, value: dict[str, Any], names: Iterable[str]
) -> Iterator[tuple[dict[str, Any], str, Schema]]:
    """Yield the integers that make up the named properties: where each is held, its name and its schema."""
    for name in names:
        if isinstance(value.get(name), dict):
            yield from _counts(schema["properties"][name], value[name], value[name])
        elif isinstance(value.get(name), int):
            yield value, name, _counted_from_zero(schema)[name]


def _fit_cost(schema: Schema, value: dict[str, Any], cost: Mapping[str, Any], rng: Random) -> None:
    """Take things away at random until what is left can be paid, or add some until it costs enough."""
    least, most = cost.get("minimum", 0), cost.get("maximum", float("inf"))
    while not least <= (spent := _cost(cost, value)) <= most:
        step, bound = (-1, "minimum") if spent > most else (1, "maximum")
        counts = _counts(schema, value, cost["prices"])
        movable = [(holder, name) for holder, name, field in counts if holder[name] != field[bound]]
        if movable:
            holder, name = rng.choice(movable)
            holder[name] += step
        elif step > 0 or not _shorten(schema, value, cost["prices"], rng):
            return


def _shorten(schema: Schema, value: dict[str, Any], names: Iterable[str], rng: Random) -> bool:
    """Take an item from an array that has more than it must have; tell whether there is one."""
    arrays = [name for name in names if isinstance(value.get(name), list)]
    longer = [name for name in arrays if len(value[name]) > schema["properties"][name]["minItems"]]
    if longer:
        name = rng.choice(longer)
        value[name] = value[name][:-1]
    return bool(longer)
