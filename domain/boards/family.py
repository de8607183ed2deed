"""Families of boards: what the games of a family need of a board besides areas, coasts and borders."""

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from domain.kernel.rules.board import Board, Kind


class Measure(Struct, frozen=True):
    """A number that every area of this kind must have, and no other area may have. It is one of those `allowed`."""

    kind: Kind
    allowed: tuple[int, ...]


class Family(Struct, frozen=True):
    """What the games of one family need of a board besides areas, coasts and borders."""

    values: Mapping[str, Measure]
    traits: frozenset[str] = frozenset()
    needs_home: bool = True
    straits_have_seas: bool = True
    """Whether every strait crosses a sea zone. Fleets in that zone may block the strait."""
    problems: Callable[[Board], Iterable[str]] = lambda board: ()
    """Yields what else is wrong with a board, one line for each fault."""
