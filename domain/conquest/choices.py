"""Choices of a number of units: how many of each type, and the schemas that say so."""

from collections.abc import Mapping

from domain.conquest.pieces import Units
from domain.kernel.rules import schema

Ranges = Mapping[str, tuple[int, int]]
"""How many units may be chosen, least and most, by field of a command."""


def choices(units: Units, number: int) -> dict[str, tuple[int, int]]:
    """Return, by type, the least and the most units of it that can be in a choice of `number` out of `units`."""
    rest = units.total - number
    ranges = {kind: (max(0, count - rest), min(count, number)) for kind, count in units.by_type.items()}
    return {kind: bounds for kind, bounds in ranges.items() if bounds[1]}


def forced(ranges: Ranges) -> dict[str, int] | None:
    """Return the only possible choice, by field; None when there are several."""
    if any(least != most for least, most in ranges.values()):
        return None
    return {field: least for field, (least, _) in ranges.items()}


def number_fields(ranges: Ranges) -> dict[str, schema.Schema]:
    """Return the schemas of the fields with the numbers of units, by field."""
    return {field: schema.count(least, most) for field, (least, most) in ranges.items()}
