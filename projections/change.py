"""Changes of rows as data: a fold returns them, and the store makes SQL from them."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from operator import itemgetter
from typing import Any, Final, Literal, final

from msgspec import Struct
from msgspec.structs import force_setattr, replace

Value = str | int
"""The value of a column. There are no nulls: an absent value is an empty text or 0."""

THERE: Final = 50_000
"""The most rows that a process remembers to exist."""

Kind = Literal["text", "number"]


class Table(Struct, frozen=True):
    """A table of a projection: its columns by name, those of the key first.

    Attributes:
        indexes: groups of columns by which rows are searched.
        row: returns the values of the key out of the values of columns. It is the same for all changes of one row.
    """

    name: str
    key: Mapping[str, Kind]
    columns: Mapping[str, Kind] = {}
    indexes: tuple[tuple[str, ...], ...] = ()
    row: Callable[[Mapping[str, Value]], Hashable] = len  # `__post_init__` sets it from `key`

    def __post_init__(self) -> None:
        force_setattr(self, "row", itemgetter(*self.key))


@final
class Put(Struct, frozen=True):
    """Set the row with this key to these values, or insert it. All columns are given."""

    table: Table
    key: Mapping[str, Value]
    values: Mapping[str, Value]

    def row(self) -> Hashable:
        return self.table.row(self.key)


@final
class Compute(Struct, frozen=True):
    """Set the row with this key to values that are computed when it is written, or insert it."""

    table: Table
    key: Mapping[str, Value]
    values: Callable[[], Mapping[str, Value]]

    def row(self) -> Hashable:
        return self.table.row(self.key)


@final
class Make(Struct, frozen=True):
    """Insert the row with this key and these values, unless it exists. All columns are given."""

    table: Table
    key: Mapping[str, Value]
    values: Mapping[str, Value]

    def row(self) -> Hashable:
        return self.table.row(self.key)


@final
class Add(Struct, frozen=True):
    """Add these amounts to the row with this key, or insert it. All columns are given."""

    table: Table
    key: Mapping[str, Value]
    values: Mapping[str, int]

    def row(self) -> Hashable:
        return self.table.row(self.key)


@final
class Amend(Struct, frozen=True):
    """Set columns of the rows in which other columns have these values. Inserts nothing."""

    table: Table
    where: Mapping[str, Value]
    values: Mapping[str, Value]

    def row(self) -> Hashable:
        return self.table.row(self.where) if self.where.keys() == self.table.key.keys() else None


@final
class Drop(Struct, frozen=True):
    """Delete the rows in which these columns have these values; with `beyond`, only those where that column is
    larger."""

    table: Table
    where: Mapping[str, Value]
    beyond: tuple[str, int] | None = None

    def row(self) -> Hashable:
        return None


@final
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


Change = Put | Compute | Make | Add | Amend | Drop | Trim
"""`row` of each returns the key of the one row that it touches; None when it may touch several."""


class Changes:
    """Changes in order. Several changes of one row become one where that is possible.

    A game's row in the lobby changes with every command: only the last change of a batch needs to be written.

    Attributes:
        tables: the changes by the name of their table, in layers that are made one after another. A layer changes each
            row once, so its changes may be made in any order.
    """

    def __init__(self, changes: Iterable[Change] = ()) -> None:
        self.tables: dict[str, list[dict[Hashable, Change]]] = {}
        self._making: list[Hashable] = []
        self._there: set[Hashable] = set()
        """Rows that were made before: these need not be made again."""
        self.extend(changes)

    def extend(self, changes: Iterable[Change]) -> None:
        """Add changes that follow those before."""
        for change in changes:
            name, row = change.table.name, change.row()
            if type(change) is Make:
                if (name, row) in self._there:
                    continue
                self._making.append((name, row))
            layers = self.tables.get(name)
            if layers is None:
                layers = self.tables[name] = [{}]
            layer = layers[-1]
            first = layer.get(row)
            if row is None or None in layer:  # a change of many rows is alone in its layer
                layers.append({row: change})
            elif first is None:
                layer[row] = change
            elif (join := _JOINED.get((type(first), type(change)))) is not None:
                layer[row] = join(first, change)
            else:
                layers.append({row: change})
            if row is None:  # it may delete rows
                self._making.clear()
                self._there.clear()

    def settle(self) -> None:
        """Note that the changes were committed, and begin anew."""
        self.tables = {}
        if self._making:
            self._there.update(self._making)
            self._making.clear()
            if len(self._there) > THERE:
                self._there.clear()


def _first(first: Any, second: Any) -> Any:
    return first


def _second(first: Any, second: Any) -> Any:
    return second


def _amended(first: Any, second: Any) -> Any:
    return replace(first, values={**first.values, **second.values})


def _sum(first: Any, second: Any) -> Any:
    return replace(first, values={name: first.values[name] + amount for name, amount in second.values.items()})


_JOINED: Final[Mapping[tuple[type[Change], type[Change]], Callable[[Change, Change], Change]]] = {
    **{(first, second): _second for first in (Put, Compute) for second in (Put, Compute)},
    **{(first, Make): _first for first in (Put, Make, Add)},
    **{(first, Add): _sum for first in (Put, Add)},
    (Put, Amend): _amended,
    (Amend, Amend): _amended,
}
"""Makes one change out of two of the same row, by their types. A pair that is missing needs both changes."""
