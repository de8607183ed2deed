"""Changes of rows as data: a fold returns them, and the store makes SQL from them."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from operator import itemgetter
from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import force_setattr, replace

Value = str | int
"""The value of a column. There are no nulls: an absent value is an empty text or 0."""

Kind = Literal["text", "number"]


class Table(Struct, frozen=True):
    """A table of a projection: its columns by name, those of the key first.

    Attributes:
        indexes: groups of columns that are searched by.
        row: takes from columns and their values those of the key: equal for what is about one row.
    """

    name: str
    key: Mapping[str, Kind]
    columns: Mapping[str, Kind] = {}
    indexes: tuple[tuple[str, ...], ...] = ()
    row: Callable[[Mapping[str, Value]], Hashable] = len  # until it is made from the key

    def __post_init__(self) -> None:
        force_setattr(self, "row", itemgetter(*self.key))


class Put(Struct, frozen=True):
    """Set the row with this key to these values, or insert it. All columns are given."""

    table: Table
    key: Mapping[str, Value]
    values: Mapping[str, Value]

    def row(self) -> Hashable:
        return self.table.row(self.key)


class Make(Struct, frozen=True):
    """Insert the row with this key and these values, unless it exists. All columns are given."""

    table: Table
    key: Mapping[str, Value]
    values: Mapping[str, Value]

    def row(self) -> Hashable:
        return self.table.row(self.key)


class Add(Struct, frozen=True):
    """Add these amounts to the row with this key, or insert it. All columns are given."""

    table: Table
    key: Mapping[str, Value]
    values: Mapping[str, int]

    def row(self) -> Hashable:
        return self.table.row(self.key)


class Amend(Struct, frozen=True):
    """Set columns of the rows in which other columns have these values. Inserts nothing."""

    table: Table
    where: Mapping[str, Value]
    values: Mapping[str, Value]

    def row(self) -> Hashable:
        return self.table.row(self.where) if self.where.keys() == self.table.key.keys() else None


class Drop(Struct, frozen=True):
    """Delete the rows in which these columns have these values; with `beyond`, only those where that column is
    larger."""

    table: Table
    where: Mapping[str, Value]
    beyond: tuple[str, int] | None = None

    def row(self) -> Hashable:
        return None


class Trim(Struct, frozen=True):
    """Among the rows in which these columns have these values, keep only the first `most` of each group.

    Rows belong to a group when they have the same values in the columns of `group`. Those that are the largest by the
    columns of `by` come first.
    """

    table: Table
    where: Mapping[str, Value]
    group: tuple[str, ...]
    by: tuple[str, ...]
    most: int

    def row(self) -> Hashable:
        return None


Change = Put | Make | Add | Amend | Drop | Trim
"""`row` of each returns what stands for the one row that it touches; None when it may touch several."""


class Changes:
    """The changes of a batch of events, in order, in which several changes of one row are made one where they can be.

    A game's row in the lobby changes with every event: of a batch only the last of these need be written.
    """

    def __init__(self) -> None:
        self._all: list[Change] = []
        self._last: dict[tuple[str, Hashable], int] = {}
        self._wide: dict[str, int] = {}

    def extend(self, changes: Iterable[Change]) -> None:
        """Add changes that follow those before."""
        made, last_of = self._all, self._last
        for change in changes:
            name, row = change.table.name, change.row()
            if row is None:
                self._wide[name] = len(made)
                made.append(change)
                continue
            last = last_of.get((name, row))
            # Nothing between the two touches this row: neither a change of it alone nor one of many rows.
            if last is not None and last > self._wide.get(name, -1):
                first = made[last]
                join = _JOINED.get((type(first), type(change)))
                if join is not None:
                    made[last] = join(first, change)
                    continue
            last_of[name, row] = len(made)
            made.append(change)

    def all(self) -> list[Change]:
        """Return the changes, in an order that has the same effect."""
        return self._all


def _first(first: Any, second: Any) -> Any:
    return first


def _second(first: Any, second: Any) -> Any:
    return second


def _amended(first: Any, second: Any) -> Any:
    return replace(first, values={**first.values, **second.values})


def _sum(first: Any, second: Any) -> Any:
    return replace(second, values={name: first.values[name] + amount for name, amount in second.values.items()})


_JOINED: Final[Mapping[tuple[type[Change], type[Change]], Callable[[Change, Change], Change]]] = {
    (Put, Put): _second,
    **{(first, Make): _first for first in (Put, Make, Add)},
    (Add, Add): _sum,
    (Put, Amend): _amended,
    (Amend, Amend): _amended,
}
"""The one change of a row that replaces two, by what these are. A pair that is missing needs both."""
