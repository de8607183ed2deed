"""Cursors: where the next page of a list begins. They are opaque: what the last item of the page is found by."""

import base64
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from projections.cursor import UnknownCursor
from service.api.bodies import Page

T = TypeVar("T")


def read_cursor(given: str | None, shape: type[T]) -> T | None:
    """Return the place that a cursor of ours stands for; None without a cursor. Raises `UnknownCursor`."""
    if given is None:
        return None
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(given.encode()), type=shape)
    except (ValueError, msgspec.DecodeError):
        raise UnknownCursor(given) from None


def first(found: Sequence[T], limit: int, place: Callable[[T], Any]) -> tuple[Sequence[T], str | None]:
    """Return the first `limit` items of what was found, and the cursor of the next page when there are more."""
    more = len(found) > limit
    return found[:limit], cursor_of(place(found[limit - 1])) if more else None


def cursor_of(place: Any) -> str:
    """Return the cursor that stands for a place."""
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).decode()


def page_of(items: Sequence[T], place: Callable[[T], str], page: Page) -> tuple[tuple[T, ...], str | None]:
    """Return a page of a list that is at hand, and the cursor of the next one. Raises `UnknownCursor`."""
    after, places, start = read_cursor(page.cursor, str), [place(item) for item in items], 0
    if after is not None:
        if after not in places:
            raise UnknownCursor(after)
        start = places.index(after) + 1
    found, more = first(items[start:], page.limit, place)
    return tuple(found), more
