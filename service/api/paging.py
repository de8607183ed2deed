"""Cursors of lists: the place of the last item of a page, in an opaque form."""

import base64
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from projections.cursor import UnknownCursor
from service.api.bodies import Page

T = TypeVar("T")


def read_cursor(cursor: str | None, shape: type[T]) -> T | None:
    """Return the place in a cursor; None without a cursor. Raises `UnknownCursor` if it is not ours."""
    if cursor is None:
        return None
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(cursor.encode()), type=shape)
    except (ValueError, msgspec.DecodeError):
        raise UnknownCursor(cursor) from None


def first(items: Sequence[T], limit: int, place: Callable[[T], Any]) -> tuple[Sequence[T], str | None]:
    """Return the first `limit` items, and the cursor of the next page if there are more."""
    more = len(items) > limit
    return items[:limit], cursor_of(place(items[limit - 1])) if more else None


def cursor_of(place: Any) -> str:
    """Return the cursor for a place."""
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).decode()


def page_of(items: Sequence[T], place: Callable[[T], str], page: Page) -> tuple[tuple[T, ...], str | None]:
    """Return a page of a list in memory, and the cursor of the next one. Raises `UnknownCursor`."""
    after, places, start = read_cursor(page.cursor, str), [place(item) for item in items], 0
    if after is not None:
        if after not in places:
            raise UnknownCursor(after)
        start = places.index(after) + 1
    page_items, more = first(items[start:], page.limit, place)
    return tuple(page_items), more
