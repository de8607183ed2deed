"""Comparing what was signed of a stream with what a service shows of it: each function returns the differences."""

from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.kernel.canonical import canonical
from domain.kernel.ids import GameId
from domain.kernel.log.record import Record, chain_hash, genesis
from domain.transparency.entry import PRIVATE, WITHHELD, Entry
from service.transparency.pages import Page, json_of, rows_of

_FINAL: Final = ("over", "cancelled", "withdrawn", "settled", "final", "closed")
"""The statuses after which nothing follows in a game, a case or a tournament."""


def contradiction(one: Entry, other: Entry) -> str:
    """Return why two entries of a stream, one after the other, cannot both be true; empty when they can."""
    what = f"{one.kind} {one.id}"
    if other.version <= one.version:
        return f"The log has version {one.version} of {what}, and after it version {other.version}."
    if other.at < one.at:
        return f"Version {other.version} of {what} is dated {other.at}, before version {one.version}, {one.at}."
    if (one.status == PRIVATE) != (other.status == PRIVATE):
        return f"Version {one.version} of {what} was {one.status}, and version {other.version} {other.status}."
    if one.status in _FINAL:
        return f"Version {one.version} of {what} was {one.status}, and version {other.version} came after it."
    return ""


def shows_less(entry: Entry, page: Page) -> str:
    """Return why the page of a stream shows less than was signed, or another status; empty when it does not."""
    what = f"{entry.kind} {entry.id}"
    signed = f"version {entry.version} of {what}"
    if page.status == 403:
        return ""
    if page.status == 404:
        return f"The service signed {signed}, and shows no such {entry.kind} any more."
    now = json_of(page)
    if entry.kind != "game":
        now = now["summary"] if isinstance(now.get("summary"), dict) else {}
    version, status = now.get("version"), now.get("status")
    if not isinstance(version, int) or version < entry.version:
        now_at = _in_words(version)
        return f"The service signed {signed}, and shows the {entry.kind} at version {now_at}: it was cut short."
    if entry.status not in (WITHHELD, PRIVATE, status) and (version == entry.version or entry.status in _FINAL):
        return f"The service signed {signed} as {entry.status}, and shows it as {_in_words(status)}."
    return ""


def shows_another(entry: Entry, page: Page) -> str:
    """Return why a page of the log of a stream is not the log that was signed; empty when it is."""
    row = rows_of(page).get(entry.version, {})
    for field, value in (("version", entry.version), ("hash", entry.hash), ("at", entry.at)):
        if row.get(field) != value:
            signed = f"version {entry.version} of {entry.kind} {entry.id} with the {field} {value}"
            return f"The service signed {signed}, and shows {_in_words(row.get(field))}: it is another log."
    return ""


def withheld_until(entry: Entry, refused: Page) -> str | None:
    """Return the game until whose end a fork is withheld; None when its first event is not the one that was signed."""
    first = json_of(refused).get("first")
    try:
        row = msgspec.convert(first, _Row)
        cause = canonical(row.cause) if row.cause is not None else None
        record = Record(1, canonical(row.event), row.schema, row.draws, row.at, cause, b"")
    except (ValueError, OverflowError, RecursionError):  # no number that we write is so large, and no row so deep
        return None
    if chain_hash(genesis(GameId(entry.id)), GameId(entry.id), record).hex() != entry.hash:
        return None
    until = row.event.get("withheld")
    return until if isinstance(until, str) and entry.version == 1 else None


def _in_words(value: Any) -> str:
    """Return a value of a page for a sentence, whatever the service put there."""
    if value is None:
        return "none"
    return str(value)[:80] if isinstance(value, str | int) else "something else"


class _Row(Struct):
    """The hashed part of the first event of a game, as a page shows it."""

    event: dict[str, Any]
    schema: int
    draws: int
    at: str
    cause: dict[str, Any] | None = None
