"""What a family of boards is: what the games that are played on them need of a board beyond its shape."""

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from domain.kernel.rules.board import Board, Kind


class Measure(Struct, frozen=True):
    """A number that every area of one kind has, and no other area: one of those `allowed`."""

    kind: Kind
    allowed: tuple[int, ...]


class Family(Struct, frozen=True):
    """What the games of one family need of a board beyond its shape."""

    values: Mapping[str, Measure]
    traits: frozenset[str] = frozenset()
    needs_home: bool = True
    straits_have_seas: bool = True
    """Whether a strait crosses a sea zone, whose fleets may bar it."""
    problems: Callable[[Board], Iterable[str]] = lambda board: ()
    """What else is wrong with a board, a line each."""
