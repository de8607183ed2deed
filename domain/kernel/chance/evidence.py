"""Where events show draws of chance, as data: with the secret, everybody can draw again and compare, without the rules.

A draw of chance is a roll, a shuffle or a salt (`domain.kernel.chance.draws`). The rows of a log count the draws: those
of row n come after `draws` of row n-1, up to its own. A ruleset says where its events show rolls and shuffles. All
other draws are salts, in the order in which the secrets were sealed.
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
        at: where the object with `draw` and `faces` is; when it is null, or `draw` is absent or null, nothing was
            rolled.
    """

    die: str
    at: Way = ()


class Lots(Struct, frozen=True, tag="lots"):
    """A shuffle.

    Attributes:
        at: where the object is that has `draw`; it may lack it, or be null.
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


def value_at(event: Mapping[str, Any], way: Way) -> Any:
    """Return the value at the end of a way in an event's JSON."""
    value: Any = event
    for name in way:
        value = cast(Mapping[str, Any], value)[name]
    return value


def draw_of(event: Mapping[str, Any], evidence: Shown) -> int | None:
    """Return the number of the draw that an event shows; None when nothing was drawn."""
    holder = value_at(event, evidence.at)
    return None if holder is None else holder.get("draw")
