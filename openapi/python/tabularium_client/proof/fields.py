"""The types of the fields of events around the table, and of events of cases.

Only the rules know the types of the fields of other events.
"""

from collections.abc import Mapping
from typing import Any, Final

TYPES_AROUND_THE_TABLE: Final = {
    "abandoned_after": "number",
    "absent": "text[]",
    "again": "number[]",
    "agrees": "truth",
    "answer": "sealed",
    "asked": "number",
    "asks": "text[]",
    "take-back-asked.asks": "text",
    "at": "text",
    "board": "text",
    "by": "text",
    "clock": "any{}?",
    "commitment": "text",
    "depth": "number",
    "documents": "text{}",
    "earned": "number{}",
    "ends": "text",
    "entropy": "text",
    "forks": "text",
    "from": "number",
    "hash": "text",
    "left": "number",
    "clocks-ran.left": "number{}",
    "offered_until": "text",
    "order": "text[][]",
    "organizer": "text",
    "organizer_sees": "text",
    "parent": "text",
    "player": "text",
    "players": "text{}",
    "proposed": "number",
    "purpose": "text",
    "readers": "text",
    "reason": "text",
    "rematch_of": "text",
    "round": "number",
    "rule": "text",
    "ruleset": "text",
    "ruleset_version": "number",
    "runs": "text[]",
    "seat": "text",
    "seats": "text[]",
    "seconds": "number",
    "secret": "text",
    "setup": "any{}",
    "since": "text",
    "clock-expired.then": "text",
    "to": "number",
    "seat-offered.to": "text",
    "time-credited.to": "text",
    "time-given.to": "text",
    "version": "number",
    "winners": "text[]",
    "withheld": "text",
}
"""The types of fields of events around the table, by the name of the field; by event and field, if the field has
another type in that event. After a type, `[]` means a list of it, `{}` an object whose members all have it, and `?`
that the value may be null. A `number` is an integer."""
TYPES_IN_CASES: Final = {
    "about": "number",
    "asks": "text",
    "cited": "text[]",
    "decision": "text",
    "game": "text",
    "hash": "text",
    "kind": "text",
    "number": "number",
    "order": "text[][]",
    "reason": "text",
    "seat": "text",
    "statement": "text",
    "version": "number",
}
"""The field `to` of a ruling is a version or a game."""


def fault_of_fields(event: dict[str, Any], fields: Mapping[str, str]) -> str | None:
    """Return what is wrong with the types of an event."""
    for name, value in event.items():
        expected = fields.get(f"{event['type']}.{name}") or fields.get(name)
        if expected and not is_of(expected, value):
            return f"has a field {name} that is not of the known shape"
    return None


def is_of(kind: str, value: Any) -> bool:
    """Tell whether a JSON value is of a type. In Python, ``True`` is a number as well."""
    inner = kind[:-2]
    match kind[-2:]:
        case "}?":
            return value is None or is_of(kind[:-1], value)
        case "[]":
            return isinstance(value, list) and all(is_of(inner, each) for each in value)
        case "{}":
            return isinstance(value, dict) and all(is_of(inner, each) for each in value.values())
    match kind:
        case "text":
            return isinstance(value, str)
        case "number":
            return type(value) is int
        case "truth":
            return isinstance(value, bool)
        case "sealed":
            is_commitment = isinstance(value, dict) and value.keys() == {"commitment", "readers"}
            return is_commitment and is_of("text", value["commitment"]) and is_of("text[]", value["readers"])
    return True
