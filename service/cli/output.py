"""What the commands share: tables and JSON on stdout, errors as one line."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import msgspec
import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from tabularium_client import TabulariumError

from domain.kernel.rules.ruleset import Ruleset
from domain.library import LIBRARY
from service.bots.client import Client

console = Console(highlight=False, soft_wrap=True)


def bad_input(message: str) -> NoReturn:
    """End with one line and exit code 2."""
    raise typer.TyperException(message)


@contextmanager
def calling(url: str, token: str | None = None, seconds: float = 30) -> Iterator[Client]:
    """Return a context with a caller of a service, which waits `seconds` for an answer.

    In the context, a refusal by the service, or no answer, ends the command as bad input.
    """
    try:
        client = Client(url, token, seconds=seconds)
    except ValueError as error:
        bad_input(str(error))
    try:
        with client:
            yield client
    except TabulariumError as error:
        bad_input(str(error))


def progress_bar() -> Progress:
    """Return a progress bar below what is printed, on stderr when that goes elsewhere. It vanishes at the end."""
    target = console if console.is_terminal else Console(stderr=True)
    times = (TimeElapsedColumn(), TimeRemainingColumn())
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), *times)
    return Progress(*columns, console=target, disable=not target.is_terminal, transient=True)


def print_json(value: Any) -> None:
    """Print a struct or JSON-shaped value, indented, to stdout."""
    print(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def ruleset_named(ruleset_id: str) -> Ruleset[Any]:
    """Return a ruleset. For an unknown id, end with one line that names the known ones."""
    try:
        return LIBRARY.current(ruleset_id)
    except LookupError as error:
        bad_input(str(error))


def read_file(path: Path) -> bytes:
    """Return a file's bytes. If it cannot be read, end with one line that says why."""
    try:
        return path.read_bytes()
    except OSError as error:
        bad_input(f"{path} cannot be read: {error.strerror}")


def write_file(path: Path, content: bytes) -> None:
    """Write a file. If that fails, end with one line that says why."""
    try:
        path.write_bytes(content)
    except OSError as error:
        bad_input(f"{path} cannot be written: {error.strerror}")


def writable(path: Path) -> None:
    """Check before long work that a file can be written at its end. If not, end with one line that says why."""
    if path.is_dir():
        bad_input(f"{path} cannot be written: Is a directory")
    if not path.absolute().parent.is_dir():
        bad_input(f"{path} cannot be written: there is no directory {path.parent}")
