"""Data about where events show draws of chance. With the secret, anybody can draw again and compare, without rules.

A draw of chance is a roll, a shuffle or a salt (`domain.kernel.chance.draws`). Each row of a log has in `draws` the
number of draws so far: row n made those after the `draws` of row n-1, up to its own. A ruleset says where its events
show rolls and shuffles. All other draws are salts, in the order in which the secrets were sealed.
"""

from collections.abc import Mapping
from typing import Any, cast

from msgspec import Struct, field

Way = tuple[str, ...]
"""The names of the fields that lead from an event to a value inside it; none for the event itself."""


class Dice(Struct, frozen=True, tag="dice"):
    """A roll. The number n means the n-th side of the die in `Ruleset.dice`.

    Attributes:
        die: which die, a key of `Ruleset.dice`.
        at: where the object with `draw` and `faces` is. When the object is null, or its `draw` is absent or null,
            nothing was rolled.
    """

    die: str
    at: Way = ()


class Lots(Struct, frozen=True, tag="lots"):
    """A shuffle.

    Attributes:
        at: where the object with `draw` is. When the object is null, or its `draw` is absent or null, nothing was
            shuffled.
        outcome: where the items, or the first of them, are in their new order: a list, or an object by seat. None when
            no event shows the order, because it is hidden or events show only what follows from it.
        items: what was shuffled, by number of players; empty when the seats of the game were.
        stock: where the event shows what was shuffled: an object with the number of each item, in the order of their
            names; None when `items` says it.
    """

    at: Way = ()
    outcome: Way | None = None
    items: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    stock: Way | None = None


Evidence = Dice | Lots


def value_at(event: Mapping[str, Any], way: Way) -> Any:
    """Return the value at the end of a way in an event's JSON."""
    value: Any = event
    for name in way:
        value = cast(Mapping[str, Any], value)[name]
    return value


def draw_of(event: Mapping[str, Any], evidence: Evidence) -> int | None:
    """Return the number of the draw that an event shows; None when nothing was drawn."""
    holder = value_at(event, evidence.at)
    return None if holder is None else holder.get("draw")
