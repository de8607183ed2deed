"""Places in the log of all streams.

The log is kept in books: each stream is in one of them (`domain.kernel.ids.book_of`). The positions of a book follow
the order in which its records became readable. Two books have no common order, so they need not wait for each
other. A place in the whole log is a position in each book. A store may have a single book, as SQLite does.
"""

import base64
import binascii
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from domain.kernel.ids import StreamId
from domain.kernel.log.record import Record

_LARGEST: Final = 2**63 - 1
_LONGEST: Final = 1 + (65 * 9 * 4 + 2) // 3
"""The most characters of a cursor's text."""


class UnknownCursor(ValueError):
    """A cursor that this log did not give out."""


ALL_BOOKS: Final = -1
"""The book of every place in a log whose books count their positions together."""


class Place(NamedTuple):
    """Where a record is: its book (or `ALL_BOOKS`), and its position there."""

    book: int
    position: int


class Cursor(Struct, frozen=True):
    """A place in the whole log: of each book, the position of the last record that was read."""

    positions: tuple[int, ...]

    @classmethod
    def start(cls, books: int) -> "Cursor":
        """Return the place before the first record of a log with `books` books."""
        return cls((0,) * books)

    @classmethod
    def parse(cls, text: str | None, books: int) -> "Cursor":
        """Return the cursor that `str` wrote, of a log with `books` books; for None, the place before it begins.

        A number is the same position in every book. The logs of releases before books gave out numbers. Raises
        `UnknownCursor`.
        """
        if text is None:
            return cls.start(books)
        if text.isascii() and text.isdigit() and len(text) <= 18:
            return cls((int(text),) * books)
        if text.startswith("v") and len(text) <= _LONGEST and len(numbers := _unpacked(text[1:])) == books + 1:
            least, *above = numbers
            cursor = cls(tuple(least + each for each in above))
            if str(cursor) == text:
                return cursor
        raise UnknownCursor(f"{text!r} is not a cursor: use one from an earlier answer, or leave it out")

    def __str__(self) -> str:
        """A short text for addresses and headers: the smallest position, and how much further each book is."""
        least = min(self.positions)
        if max(self.positions) == least:
            return str(least)
        packed = b"".join(map(_packed, (least, *(position - least for position in self.positions))))
        return "v" + base64.urlsafe_b64encode(packed).decode().rstrip("=")

    def has(self, place: Place) -> bool:
        """Tell whether a record at a place was read."""
        return place.position <= (min(self.positions) if place.book == ALL_BOOKS else self.positions[place.book])

    def reaches(self, other: "Cursor") -> bool:
        """Tell whether this is as far as `other` in every book."""
        return self == other or all(map(operator.ge, self.positions, other.positions))

    def after(self, places: Iterable[Place]) -> "Cursor":
        """Return the cursor after records that follow this one, as a log returned them."""
        positions = [*self.positions]
        for book, position in places:
            if book == ALL_BOOKS:
                positions = [position] * len(positions)
            else:
                positions[book] = position
        return Cursor(tuple(positions))

    def distance(self, end: "Cursor") -> int:
        """Return the number of positions up to another place, an upper bound for the number of records."""
        return sum(max(0, target - position) for position, target in zip(self.positions, end.positions, strict=True))

    def shares(self, end: "Cursor", most: int) -> dict[int, int]:
        """Divide the next `most` positions on the way to another place fairly among the books that have any.

        Returns:
            the number of positions by book: the same for each, or all that a book has. When there are fewer positions
            than books, the books furthest behind get one each.
        """
        behind = {
            book: target - position
            for book, (position, target) in enumerate(zip(self.positions, end.positions, strict=True))
            if target > position
        }
        if len(behind) > most:
            furthest = sorted(behind, key=lambda book: -behind[book])[:most]
            return dict.fromkeys(sorted(furthest), 1)
        shares: dict[int, int] = {}
        for count, book in enumerate(sorted(behind, key=behind.__getitem__)):
            shares[book] = min(behind[book], (most - sum(shares.values())) // (len(behind) - count))
        return dict(sorted(shares.items()))

    def towards(self, end: "Cursor", most: int) -> "Cursor":
        """Return a place on the way to another one, with at most `most` records in between."""
        return self.plus(self.shares(end, most))

    def plus(self, steps: Mapping[int, int]) -> "Cursor":
        """Return the place that is further in some books, by the number of positions that `steps` has for them."""
        return Cursor(tuple(position + steps.get(book, 0) for book, position in enumerate(self.positions)))


def reaches(text: str | None, other: str | None) -> bool:
    """Tell whether the cursor `text` is as far as `other` in every book. Both are texts; None is the beginning."""
    if text == other or other is None:
        return True
    books = max(1, *(len(_unpacked(each[1:])) - 1 for each in (text or "", other) if each.startswith("v")), 1)
    return Cursor.parse(text, books).reaches(Cursor.parse(other, books))


class Stretch(Struct, frozen=True):
    """Records that follow a place in the log, each with the place where it is, and the cursor after them.

    The cursor may be beyond the last record, when there is nothing in between.
    """

    start: Cursor
    records: Sequence[tuple[StreamId, Record]]
    places: Sequence[Place]
    end: Cursor

    def after(self, count: int) -> Cursor:
        """Return the cursor after the first `count` records."""
        return self.end if count >= len(self.records) else self.start.after(self.places[:count])


def _packed(number: int) -> bytes:
    """Return a number in as many bytes as it needs, seven bits in each, the lowest first (LEB128)."""
    packed = bytearray()
    while number > 127:
        packed.append(number & 127 | 128)
        number >>= 7
    packed.append(number)
    return bytes(packed)


def _unpacked(text: str) -> list[int]:
    """Return the numbers in a text; empty if it is broken."""
    try:
        packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return []
    numbers = list[int]()
    number = shift = 0
    for byte in packed:
        number |= (byte & 127) << shift
        shift += 7
        if number > _LARGEST:
            return []
        if byte < 128:
            numbers.append(number)
            number = shift = 0
    return numbers if not shift else []
