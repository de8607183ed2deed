"""Cursors: of lists that are short enough to be at hand, and of those that are read from where they say."""

import base64
import binascii
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from service.api import problems
from service.api.bodies import Page
from service.api.problems import Problem

T = TypeVar("T")


def cursor(place: Any) -> str:
    """Return a place in a list as an opaque cursor."""
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).decode()


def read_cursor(given: str | None, shape: type[T]) -> T | None:
    """Return the place that a cursor of ours says; None for none. Raises `Problem`."""
    if given is None:
        return None
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(given.encode()), type=shape)
    except (ValueError, binascii.Error, msgspec.DecodeError):
        allowed = "Begin without a cursor."
        raise Problem(problems.INVALID_QUERY, "This list did not give you this cursor.", allowed) from None


def page_of(items: Sequence[T], ids: Sequence[str], page: Page) -> tuple[tuple[T, ...], str | None]:
    """Return the items of a page, and the cursor of the next one. A cursor is opaque: the id of the item before."""
    start = 0
    if page.cursor is not None:
        try:
            start = ids.index(base64.urlsafe_b64decode(page.cursor.encode()).decode()) + 1
        except (ValueError, binascii.Error):
            allowed = "Begin without a cursor."
            raise Problem(problems.INVALID_QUERY, "This list did not give you this cursor.", allowed) from None
    stop = start + page.limit
    more = stop < len(items)
    return tuple(items[start:stop]), base64.urlsafe_b64encode(ids[stop - 1].encode()).decode() if more else None
