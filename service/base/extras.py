"""Packages that only some installations need: the extras of pyproject.toml."""

from collections.abc import Iterator
from contextlib import contextmanager


class MissingExtra(Exception):
    """A setting needs packages that are not installed; the message is one line."""


@contextmanager
def needs_extra(extra: str, what: str) -> Iterator[None]:
    """A context in which packages of an extra are imported. Raises `MissingExtra` when they are missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtra(f"{what} needs the extra packages of tabularium[{extra}]") from error
