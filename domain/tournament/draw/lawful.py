"""Finds any lawful draw of a problem: everybody has a seat or a bye, and no table holds a banned pair."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from msgspec import Struct

from domain.tournament.draw.field import Field

SHAPES: Final = 500
"""How many shapes to try before giving up the search for a lawful draw."""

NODES: Final = 50_000
"""How many placements to try before giving up the search for a lawful draw; each takes some ten microseconds."""


class Undecided(Exception):
    """The search for a lawful draw was given up; the message is one line."""


class Shape(Struct, frozen=True):
    """A draw without its players: the sizes of the tables, the largest first, and how many players have a bye."""

    sizes: tuple[int, ...]
    byes: int


Seating = tuple[list[list[int]], list[int]]
"""Tables of numbered players, and those who have a bye."""


def shapes(field: Field) -> list[Shape]:
    """Return the cheapest shape for each number of byes that is allowed, the cheapest first; empty when none fits."""
    count, weight = len(field.players), field.problem.weights.bye
    cheapest = _cheapest(field, count)
    priced: list[tuple[int, int, Shape]] = []
    for byes in range(min(field.problem.byes, count) + 1):
        if (best := cheapest[count - byes]) is not None:
            priced.append((best[0] + byes * weight, byes, Shape(best[1], byes)))
    return [shape for _, _, shape in sorted(priced, key=lambda item: item[:2])]


def _cheapest(field: Field, count: int) -> list[tuple[int, tuple[int, ...]] | None]:
    """Return what the cheapest tables for 0, 1, … players cost and their sizes; None where no tables fit."""
    cheapest: list[tuple[int, tuple[int, ...]] | None] = [(0, ())]
    for players in range(1, count + 1):
        best: tuple[int, tuple[int, ...]] | None = None
        for size, price in field.sizes.items():
            before = cheapest[players - size] if size <= players else None
            if before is not None and (best is None or before[0] + price <= best[0]):
                best = before[0] + price, (size, *before[1])
        cheapest.append(best)
    return [None if best is None else (best[0], tuple(sorted(best[1], reverse=True))) for best in cheapest]


def _all_shapes(field: Field) -> Iterator[Shape]:
    """Yield all possible shapes: first the cheapest for each number of byes."""
    first = shapes(field)
    yield from first
    for byes in range(min(field.problem.byes, len(field.players)) + 1):
        for sizes in _fillings(len(field.players) - byes, sorted(field.sizes, reverse=True)):
            if (shape := Shape(sizes, byes)) not in first:
                yield shape


def _fillings(players: int, sizes: list[int]) -> Iterator[tuple[int, ...]]:
    if not sizes:
        if not players:
            yield ()
        return
    for tables in range(players // sizes[0], -1, -1):
        for others in _fillings(players - tables * sizes[0], sizes[1:]):
            yield (sizes[0],) * tables + others


def lawful(field: Field, bans: Iterable[tuple[int, int]] | None = None) -> Seating | None:
    """Return lawful tables and byes, with no regard to what they cost; None when there are none.

    Args:
        field: the numbers of the problem.
        bans: the pairs that must not meet, when these are not those of the problem.

    Raises:
        Undecided: the search ended at its limits, with neither a draw nor a proof that there is none.
    """
    apart = [0] * len(field.players)
    pairs = ((one, other) for one, others in enumerate(field.banned) for other in others) if bans is None else bans
    for one, other in pairs:
        apart[one] |= 1 << other
        apart[other] |= 1 << one
    search = _Search(apart)
    all_shapes = _all_shapes(field)
    for shape in islice(all_shapes, SHAPES):
        if (seating := search.placed(shape)) is not None:
            return seating
    if next(all_shapes, None) is not None:
        raise Undecided(f"no lawful draw was found among {SHAPES} ways to choose the table sizes")
    return None


class _Search:
    """Place the players who are banned from meeting somebody, the most banned first; the others fit anywhere."""

    def __init__(self, apart: list[int]) -> None:
        self._apart = apart
        self._order = sorted(
            (player for player, others in enumerate(apart) if others), key=lambda player: -apart[player].bit_count()
        )
        self._nodes = 0

    def placed(self, shape: Shape) -> Seating | None:
        """Return lawful tables and byes of that shape; None when there are none. Raises `Undecided`."""
        tables: list[list[int]] = []
        byes: list[int] = []
        unopened_sizes = list(shape.sizes)
        everybody = (1 << len(self._apart)) - 1
        sizes: list[int] = []
        conflicts: list[int] = []

        def fits(unseated: int) -> bool:
            """Tell whether enough unseated players remain to fill each opened table."""
            return all(
                size - len(table) <= (unseated & ~conflict).bit_count()
                for size, table, conflict in zip(sizes, tables, conflicts, strict=True)
            )

        def place(depth: int, unseated: int) -> bool:
            if depth == len(self._order):
                return True
            self._nodes += 1
            if self._nodes > NODES:
                raise Undecided(f"no lawful draw was found by {NODES} placements; there are too many bans")
            player = self._order[depth]
            mask = 1 << player
            unseated &= ~mask
            for number, table in enumerate(tables):
                if len(table) < sizes[number] and not conflicts[number] & mask:
                    before = conflicts[number]
                    table.append(player)
                    conflicts[number] |= self._apart[player]
                    if fits(unseated) and place(depth + 1, unseated):
                        return True
                    table.pop()
                    conflicts[number] = before
            for size in sorted(set(unopened_sizes), reverse=True):
                unopened_sizes.remove(size)
                tables.append([player])
                sizes.append(size)
                conflicts.append(self._apart[player])
                if fits(unseated) and place(depth + 1, unseated):
                    return True
                unopened_sizes.append(size)
                tables.pop()
                sizes.pop()
                conflicts.pop()
            if len(byes) < shape.byes:
                byes.append(player)
                if fits(unseated) and place(depth + 1, unseated):
                    return True
                byes.pop()
            return False

        if not place(0, everybody):
            return None
        seated = {player for table in (*tables, byes) for player in table}
        free = iter(player for player in range(len(self._apart)) if player not in seated)
        for size, table in zip(sizes, tables, strict=True):
            table.extend(islice(free, size - len(table)))
        tables.extend(list(islice(free, size)) for size in unopened_sizes)
        return tables, byes + list(free)
