"""The base of the events around the table: seats, clocks, rulings, the end. All other events are of a ruleset."""

from typing import ClassVar

from msgspec import Struct

from domain.kernel.rules.message import Names, kebab


class GameEvent(Struct, frozen=True, tag=kebab, forbid_unknown_fields=True):
    """An event around the table: of the game itself, not of its ruleset.

    Its type name and fields are the storage format: when a stored shape changes, raise `schema` and add an upcaster to
    `UPCASTERS` in `lifecycle.py`.
    """

    schema: ClassVar[int] = 1
    stays: ClassVar[bool] = False
    """Whether it leaves the table alone: no retraction takes it back, and it ends nobody's undo."""
    in_pause: ClassVar[bool] = False
    """Whether it may happen while the game is paused (TAB-RUL-03)."""
    added: ClassVar[frozenset[str]] = frozenset()
    """Fields that events of older shapes do not have; such events are shown as they were stored."""
    rules: ClassVar[tuple[str, ...]] = ()
    """The ids of the rules of the service that it concerns."""

    def tell(self, names: Names) -> str:
        """Return what happened in a sentence, for the history."""
        raise NotImplementedError
