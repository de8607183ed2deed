"""A database, for queries that are the same in SQLite and PostgreSQL."""

from typing import Any, Protocol


class Queries(Protocol):
    """Runs statements, each with a ``?`` for each of its values. Every method may raise `StoreError`."""

    async def select(self, query: str, *values: Any) -> list[Any]:
        """Return the rows of a query; no rows if a value is a text that the database cannot hold."""
        ...

    async def select_at_once(self, *queries: tuple[Any, ...]) -> list[list[Any]]:
        """Return the rows of each query with its values, all read at one moment."""
        ...

    async def execute(self, statement: str, *values: Any) -> None:
        """Execute a statement."""
        ...


class Database(Queries, Protocol):
    """Runs statements until it is closed."""

    @property
    def full_at(self) -> float:
        """When there was no room left on the disk last, by the monotonic clock; minus infinity for never."""
        ...

    async def close(self) -> None:
        """Finish pending work, then close."""
        ...
