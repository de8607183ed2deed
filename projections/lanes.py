"""Lanes: the books of a log in groups that are followed apart, and how processes share them.

A lane has a checkpoint of its own, so two processes that follow different lanes never wait for each other. A log whose
books do not count their own positions, as in SQLite, has one lane.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from domain.kernel.ids import BOOKS
from projections.cursor import Cursor

LANES: Final = 16
"""The number of lanes of a log in books. At most so many processes can share the work. Each lane has a checkpoint in
every generation, and almost every commit moves it: a checkpoint for each of the 64 books would cost more than the
folds."""


def books_of(lane: int, lanes: int, books: int = BOOKS) -> range:
    """Return the books of a lane."""
    return range(lane, books, lanes)


def joined(lanes: Sequence[Sequence[int]]) -> Cursor:
    """Join the positions of lanes to a place in the whole log."""
    positions = [0] * sum(map(len, lanes))
    for number, of_lane in enumerate(lanes):
        positions[number :: len(lanes)] = of_lane
    return Cursor(tuple(positions))


def divided(cursor: Cursor, lanes: int) -> list[tuple[int, ...]]:
    """Divide a place in the whole log into the positions of each lane in its books."""
    return [cursor.positions[number::lanes] for number in range(lanes)]


def shared(lanes_of: Mapping[str, Collection[int]], me: str, lanes: int) -> frozenset[int]:
    """Return the lanes for the process `me`, given the lanes that every living process holds, itself included.

    All get the same number, or one more. The processes that hold the most get one more, so lanes do not move to and
    fro. A process that holds too many gives up the highest, and one that holds too few takes only lanes without a
    holder.
    """
    order = sorted(lanes_of, key=lambda name: (-len(lanes_of[name]), name))
    least, more = divmod(lanes, len(order))
    fair_share = least + (order.index(me) < more)
    mine = sorted(lanes_of[me])[:fair_share]
    free = set(range(lanes)).difference(*lanes_of.values())
    return frozenset([*mine, *sorted(free)[: fair_share - len(mine)]])
