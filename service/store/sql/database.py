"""A database as queries see it that are the same in SQLite and PostgreSQL."""

from typing import Any, Protocol


class Database(Protocol):
    """Runs statements, each with a ``?`` for each of its values. Every method may raise `StoreError`."""

    @property
    def full_at(self) -> float:
        """When there was no room left on the disk last, by the monotonic clock; minus infinity for never."""
        ...

    async def select(self, query: str, *values: Any) -> list[Any]:
        """Return what a query finds; no rows when a value is a text that the database cannot hold."""
        ...

    async def select_at_once(self, *queries: tuple[Any, ...]) -> list[list[Any]]:
        """Return what each query (with its values) finds, all read at one moment."""
        ...

    async def execute(self, statement: str, *values: Any) -> None:
        """Do what a statement says."""
        ...

    async def close(self) -> None:
        """Finish what was begun, then close."""
        ...
