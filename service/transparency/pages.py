"""The public pages of a service, and reading what they show of a stream. Their content may be wrong."""

from typing import Any, Final, Protocol
from urllib.parse import quote

import msgspec
from msgspec import Struct

from domain.transparency.checkpoint import read_checkpoint
from domain.transparency.entry import Entry
from domain.transparency.note import NoteError, read_note

ATTEMPTS: Final = 3
"""How often a page that shows less than was signed is requested, before it is a finding: a process may be behind."""

PAUSE: Final = 1.0
"""Seconds between two such requests."""

_PLACES: Final = {"game": "games", "case": "cases", "tournament": "tournaments", "league": "leagues"}


class Unreachable(Exception):
    """The service does not answer, or not as it should, so nothing can be checked. The message is one line."""


class Page(Struct, frozen=True):
    """An answer of the service."""

    status: int
    body: bytes


class Site(Protocol):
    """A service, seen without a token."""

    def get(self, path: str) -> Page:
        """Return the page at a path, also one with an error status. Raises `Unreachable`."""
        ...


def json_of(page: Page) -> dict[str, Any]:
    """Return the JSON object of a page; empty for other JSON. Raises `Unreachable` when it is no JSON."""
    try:
        content = msgspec.json.decode(page.body)
    except (ValueError, RecursionError) as error:
        raise Unreachable(f"the service answers something that is no JSON: {error}") from error
    return content if isinstance(content, dict) else {}


def address_of(entry: Entry) -> str:
    """Return the path of the stream of an entry in the API."""
    return f"/v1/{_PLACES[entry.kind]}/{quote(entry.id, safe='')}"


def rows_of(page: Page) -> dict[Any, dict[str, Any]]:
    """Return the events in a page of a log, by their versions; empty when it shows none. Raises `Unreachable`."""
    rows = json_of(page).get("items") if page.status == 200 else None
    if not isinstance(rows, list):
        return {}
    return {row["version"]: row for row in rows if isinstance(row, dict) and isinstance(row.get("version"), int)}


def size_of(page: Page) -> int:
    """Return the size of the checkpoint that a page shows; -1 when it shows none."""
    try:
        return read_checkpoint(read_note(page.body).text).size if page.status == 200 else -1
    except NoteError:
        return -1


def is_withheld(page: Page) -> bool:
    """Tell whether a page is the problem for a withheld fork or a private game."""
    return page.status == 403 and json_of(page).get("type") in ("/problems/withheld", "/problems/private")
