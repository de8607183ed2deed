"""Where events show what chance brought, as data: whoever has the secret can draw again and compare, without rules.

A draw of chance is a roll, a shuffle or a salt (`domain.kernel.chance.draws`). The rows of a log count them: those of
row n are the ones after `draws` of row n-1, up to its own. A ruleset says where its events show rolls and shuffles.
What is left are salts, and they come in the order in which the secrets were sealed.
"""

from collections.abc import Mapping
from typing import Any, cast

from msgspec import Struct, field

Way = tuple[str, ...]
"""The names of the fields that lead from an event to a value inside it; none for the event itself."""


class Dice(Struct, frozen=True, tag="dice"):
    """A roll. The n-th side of a die, as `Ruleset.dice` lists them, is what the number n shows.

    Attributes:
        die: which die, a key of `Ruleset.dice`.
        at: where the object is that has `draw` and `faces`; without a draw, or with null for one, nothing was rolled.
    """

    die: str
    at: Way = ()


class Lots(Struct, frozen=True, tag="lots"):
    """A shuffle.

    Attributes:
        at: where the object is that has `draw`; it may lack it.
        outcome: where the items are in the order that they fell in, or the first of them: a list, or an object by seat;
            None where no event shows it, because it is hidden or only its consequence is told.
        items: what was shuffled, by number of players; empty for the seats of the game.
        stock: where the event shows what was shuffled: an object with the number of each item, in the order of their
            names; None where `items` says it.
    """

    at: Way = ()
    outcome: Way | None = None
    items: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    stock: Way | None = None


Shown = Dice | Lots


def found(event: Mapping[str, Any], way: Way) -> Any:
    """Return what stands in an event's JSON at the end of a way."""
    value: Any = event
    for name in way:
        value = cast(Mapping[str, Any], value)[name]
    return value
