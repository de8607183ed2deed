"""What a service answers to everybody, and what its pages show of a stream. Whatever they hold may be wrong."""

from typing import Any, Final, Protocol
from urllib.parse import quote

import msgspec
from msgspec import Struct

from domain.transparency.checkpoint import read_checkpoint
from domain.transparency.entry import Entry
from domain.transparency.note import NoteError, read_note

ATTEMPTS: Final = 3
"""How often a page that shows less than was signed is requested before that is a finding: a process may be behind."""

PAUSE: Final = 1.0
"""Seconds between two such requests."""

_PLACES: Final = {"game": "games", "case": "cases", "tournament": "tournaments", "league": "leagues"}


class Unreachable(Exception):
    """The service does not answer, or not with what it should; nothing can be said. The message is one line."""


class Page(Struct, frozen=True):
    """An answer of the service."""

    status: int
    body: bytes


class Site(Protocol):
    """A service, as everybody sees it."""

    def get(self, path: str) -> Page:
        """Return what is at a path; also a problem is an answer. Raises `Unreachable`."""
        ...


def json_of(page: Page) -> dict[str, Any]:
    try:
        content = msgspec.json.decode(page.body)
    except (ValueError, RecursionError) as error:
        raise Unreachable(f"the service answers something that is no JSON: {error}") from error
    return content if isinstance(content, dict) else {}


def address_of(entry: Entry) -> str:
    return f"/v1/{_PLACES[entry.kind]}/{quote(entry.id, safe='')}"


def rows_of(page: Page) -> dict[Any, dict[str, Any]]:
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
    """Tell whether a page is the problem that a fork is withheld, or a game private."""
    return page.status == 403 and json_of(page).get("type") in ("/problems/withheld", "/problems/private")
