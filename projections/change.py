"""Rows, and changes of rows, as data: a fold says what it wants, and the store's SQL is made from that."""

from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

Value = str | int
"""What a column holds. There are no nulls: what is absent is an empty text or 0."""

Kind = Literal["text", "number"]


class Table(Struct, frozen=True):
    """A table of a projection: its columns by name, those of the key first.

    `indexes` are groups of columns that are searched by.
    """

    name: str
    key: Mapping[str, Kind]
    columns: Mapping[str, Kind] = {}
    indexes: tuple[tuple[str, ...], ...] = ()


class Put(Struct, frozen=True):
    """The row with this key has these values; it is made when it is missing. All columns are given."""

    table: Table
    key: Mapping[str, Value]
    values: Mapping[str, Value]


class Make(Struct, frozen=True):
    """The row with this key is made with these values; one that is there stays as it is. All columns are given."""

    table: Table
    key: Mapping[str, Value]
    values: Mapping[str, Value]


class Add(Struct, frozen=True):
    """These amounts are added to the row with this key; it is made when it is missing. All columns are given."""

    table: Table
    key: Mapping[str, Value]
    values: Mapping[str, int]


class Amend(Struct, frozen=True):
    """The rows in which these columns have these values get new ones in others; none is made."""

    table: Table
    where: Mapping[str, Value]
    values: Mapping[str, Value]


class Drop(Struct, frozen=True):
    """The rows in which these columns have these values go; with `beyond` only where that column is larger."""

    table: Table
    where: Mapping[str, Value]
    beyond: tuple[str, int] | None = None


class Trim(Struct, frozen=True):
    """Of the rows in which these columns have these values, only the first `most` of each group stay.

    Rows belong to a group when they have the same values in the columns of `group`. Those that are the largest by the
    columns of `by` come first.
    """

    table: Table
    where: Mapping[str, Value]
    group: tuple[str, ...]
    by: tuple[str, ...]
    most: int


Change = Put | Make | Add | Amend | Drop | Trim


class Changes:
    """The changes of a batch of events, in order, with what changes one row twice in the same way said once.

    A game's row in the lobby changes with every event: of a batch only the last of these need be written.
    """

    def __init__(self) -> None:
        self._all: list[Change] = []
        self._last: dict[tuple[str, tuple[Value, ...]], int] = {}
        self._wide: dict[str, int] = {}

    def extend(self, changes: Iterable[Change]) -> None:
        """Add changes that follow those before."""
        for change in changes:
            self._add(change)

    def _add(self, change: Change) -> None:
        name = change.table.name
        row = row_of(change)
        if row is None:
            self._wide[name] = len(self._all)
            self._all.append(change)
            return
        last = self._last.get((name, row), -1)
        # Nothing between the two touches this row: neither a change of it alone nor one of many rows.
        if last > self._wide.get(name, -1) and (joined := _joined(self._all[last], change)) is not None:
            self._all[last] = joined
            return
        self._last[name, row] = len(self._all)
        self._all.append(change)

    def all(self) -> list[Change]:
        """Return the changes, in an order that comes to the same."""
        return self._all


def row_of(change: Change) -> tuple[Value, ...] | None:
    """Return the key of the one row that a change touches; None when it may touch several."""
    key = change.table.key
    match change:
        case Put() | Make() | Add():
            return tuple([change.key[name] for name in key])
        case Amend() if change.where.keys() == key.keys():
            return tuple([change.where[name] for name in key])
        case _:
            return None


def _joined(first: Change, second: Change) -> Change | None:
    """Return the one change of a row that two come to; None when it takes both."""
    match first, second:
        case Put(), Put():
            return second
        case ((Put() | Make() | Add()), Make()):
            return first
        case Add(), Add():
            amounts = {name: first.values[name] + amount for name, amount in second.values.items()}
            return replace(second, values=amounts)
        case (Put(), Amend()) | (Amend(), Amend()):
            return replace(first, values={**first.values, **second.values})
        case _:
            return None
