"""The program that draws a round by integer programming, in a process of its own: `solving.py` starts it.

It chooses among all possible tables, so that everybody sits once and the sum of the costs is the least. There are too
many to list. So a linear program starts with a few, and its dual values price the others. Those that would make it
cheaper are added until there are none (column generation). Its value is then a bound for every draw. What the bound
leaves open is decided with the tables that can still be part of a better draw, if they are not too many. In a large
field, groups of tables that could exchange players are drawn again by themselves.

It does so for one shape after the other: so many tables of each size, so many byes. One that costs more by itself than
the best draw is left out.

It reads one line of JSON with the numbers of the problem, and writes a line for each better draw and each better bound,
so that what it has found is not lost when its time is over.
"""

import json
import math
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice
from random import Random
from typing import Any, Final

import highspy
import numpy as np

Table = tuple[int, ...]
"""The numbers of its players, in order of seats. A bye is a table of one; an empty table stands for a missing
player."""

Shape = Mapping[int, int]
"""How many tables there are of each size; of size 1, how many byes."""

COLUMNS: Final = 40_000
"""The most tables that are listed to close the gap between the bound and the best draw; they take some 60 MiB."""

NEAR: Final = 5_000
"""The most tables that are listed to draw a part of the field again."""

GROUP: Final = 24
"""How many players of a large field are drawn again together; that takes a fraction of a second."""

PATIENCE: Final = 3
"""The most seconds for drawing a group again. A group of large tables can take longer, and is then left as it is."""

CALM: Final = 2
"""The search in a large field ends after so many passes over all tables without an improvement."""

SURE: Final = 0.7
"""A table with a share above this in the linear program is fixed while the rest is solved again."""

MEMORY: Final = 2 * 2**30
"""The most address space of the process; 240 players need a tenth of that memory."""

SHAPES: Final = 60
"""How many shapes are tried: those with the least costs of their own."""

EXACT: Final = 1e-6
BANNED: Final = 1e9


class Numbers:
    """A problem with one shape: what pairs, sizes and byes cost, in units of their greatest common divisor."""

    def __init__(self, pairs: Any, sizes: Mapping[int, float], byes: Any, shape: Shape) -> None:
        self.pairs, self.sizes, self.byes = pairs, sizes, byes
        self.shape = {size: tables for size, tables in sorted(shape.items()) if tables}
        self.count = len(byes)

    def price(self, table: Table) -> float:
        """Return the cost of a table, or of a bye."""
        if len(table) == 1:
            return float(self.byes[table[0]])
        return self.sizes[len(table)] + sum(float(self.pairs[one, other]) for one, other in combinations(table, 2))

    def part(self, players: Sequence[int], shape: Shape) -> "Numbers":
        """Return the problem of some of the players."""
        indices = np.array(players)
        return Numbers(self.pairs[np.ix_(indices, indices)], self.sizes, self.byes[indices], shape)


class Pricing:
    """Finds tables with a low reduced cost: their price less the dual values of their players and their size."""

    def __init__(self, numbers: Numbers, players: Any, sizes: Mapping[int, float]) -> None:
        self._numbers, self._players, self._sizes = numbers, players, sizes

    def cheapest(self) -> Iterator[tuple[float, Table]]:
        """Yield tables below zero: for each size and first player ever cheaper ones, down to the cheapest."""
        yield from self._all(-EXACT, only_better=True)

    def below(self, limit: float) -> Iterator[tuple[float, Table]]:
        """Yield all tables whose reduced cost is at most `limit`."""
        yield from self._all(limit + EXACT, only_better=False)

    def _all(self, limit: float, only_better: bool) -> Iterator[tuple[float, Table]]:
        for size in self._numbers.shape:
            for first in range(self._numbers.count - size + 1 if size > 1 else 0):
                yield from self._from(first, size, limit, only_better)

    def _from(self, first: int, size: int, limit: float, only_better: bool) -> Iterator[tuple[float, Table]]:
        pairs, count = self._numbers.pairs, self._numbers.count
        best = limit

        def grow(table: Table, price: float, added: Any, missing: int) -> Iterator[tuple[float, Table]]:
            """Yield the tables that begin with some seated players; `added` has what each other player would add to the
            cost."""
            nonlocal best
            after = table[-1] + 1
            if count - after < missing:
                return
            rest = added[after:]
            if missing == 1:
                if only_better:
                    player = int(np.argmin(rest))
                    if price + rest[player] < best:
                        best = price + float(rest[player])
                        yield best, (*table, after + player)
                else:
                    for player in np.nonzero(price + rest <= limit)[0]:
                        yield price + float(rest[player]), (*table, after + int(player))
                return
            # The least cost of the table with each next player, if the cheapest players follow.
            among = pairs[after:, after:] + rest[None, :]
            np.fill_diagonal(among, BANNED)
            if missing == 2:
                least = price + rest + among.min(axis=1)
            else:
                least = price + rest + np.partition(among, missing - 2, axis=1)[:, : missing - 1].sum(axis=1)
            for player in np.argsort(least, kind="stable"):
                if least[player] > best or (only_better and least[player] >= best):
                    return
                other = after + int(player)
                yield from grow((*table, other), price + float(rest[player]), added + pairs[other], missing - 1)

        alone = self._numbers.sizes[size] - self._sizes[size] - float(self._players[first])
        yield from grow((first,), alone, pairs[first] - self._players, size - 1)


class Master:
    """The program that chooses among the known tables. A player may be missing, at a price above that of any draw."""

    def __init__(self, numbers: Numbers, tables: Iterable[Table], ceiling: float) -> None:
        self.numbers = numbers
        self.tables: list[Table] = []
        self._table_set: set[Table] = set()
        self._row = {size: numbers.count + place for place, size in enumerate(numbers.shape)}
        self._solver = highspy.Highs()
        for name, value in (("output_flag", False), ("threads", 1), ("random_seed", 1), ("mip_rel_gap", 0.0)):
            self._solver.setOptionValue(name, value)
        none = np.array([], dtype=np.int32)
        for tables_ in (*[1] * numbers.count, *numbers.shape.values()):
            self._solver.addRow(float(tables_), float(tables_), 0, none, np.array([]))
        for row in range(numbers.count):
            self._add((), 10 * ceiling + 1000, (row,))
        for size, row in self._row.items():
            # If a player is missing, so is a table.
            self._add((), 0.0, (row,), float(numbers.shape[size]))
        if 1 in numbers.shape:
            for player in range(numbers.count):
                self.add((player,))
        for table in tables:
            self.add(table)

    def add(self, table: Table) -> bool:
        """Add a table, and tell whether it is new."""
        if table in self._table_set:
            return False
        self._table_set.add(table)
        self._add(table, self.numbers.price(table), (*table, self._row[len(table)]))
        return True

    def _add(self, table: Table, price: float, rows: Table, most: float = 1.0) -> None:
        self.tables.append(table)
        self._solver.addCol(price, 0.0, most, len(rows), np.array(rows, dtype=np.int32), np.ones(len(rows)))

    def relaxed(self) -> tuple[float, Pricing]:
        """Return the value of the linear program, and the prices of other tables by its dual values."""
        # No upper bound of one on a column here: such a bound would have a dual value of its own.
        self._solver.run()
        duals = np.array(self._solver.getSolution().row_dual)
        sizes = {size: float(duals[row]) for size, row in self._row.items()}
        value = self._solver.getInfo().objective_function_value
        return value, Pricing(self.numbers, duals[: self.numbers.count], sizes)

    def shares(self) -> list[tuple[float, Table]]:
        """Return the tables in the solution of the linear program with their shares, the largest first."""
        shares = zip(self._solver.getSolution().col_value, self.tables, strict=True)
        used = ((share, table) for share, table in shares if table and share > EXACT)
        return sorted(used, key=lambda item: (-item[0], item[1]))

    def choose_tables(self, seconds: float, start: Sequence[Table]) -> tuple[list[Table] | None, float]:
        """Return the tables that an integer program chooses within the time, and its bound.

        Call it last: the linear program becomes the integer program.
        """
        solver, count = self._solver, len(self.tables)
        solver.setOptionValue("time_limit", solver.getRunTime() + max(0.1, seconds))
        solver.changeColsIntegrality(
            count, np.arange(count, dtype=np.int32), np.array([highspy.HighsVarType.kInteger] * count)
        )
        if start:
            start_tables = set(start)
            hint = highspy.HighsSolution()
            hint.col_value = [1.0 if table in start_tables else 0.0 for table in self.tables]
            solver.setSolution(hint)
        solver.run()
        info = solver.getInfo()
        if info.primal_solution_status != int(highspy.SolutionStatus.kSolutionStatusFeasible):
            return None, -math.inf
        values = solver.getSolution().col_value
        tables = [table for table, value in zip(self.tables, values, strict=True) if value > 0.5]
        if solver.getModelStatus() == highspy.HighsModelStatus.kOptimal:
            return None if () in tables else tables, info.objective_function_value
        return None if () in tables else tables, info.mip_dual_bound


class Search:
    """Searches the best draw of one shape. `best` is the best so far, and no draw costs less than `bound`.

    Args:
        numbers: the problem.
        start: a draw of that shape, if there is one.
        ceiling: the cost of another draw; only a cheaper one counts.
        ends: the end of the time, by the monotonic clock.
    """

    def __init__(self, numbers: Numbers, start: Sequence[Table], ceiling: float, ends: float) -> None:
        self.numbers = numbers
        self.best = sorted(tuple(sorted(table)) for table in start)
        self.cost = sum(map(numbers.price, self.best)) if start else ceiling
        self.bound = -math.inf
        self._ends = ends

    def seconds_left(self) -> float:
        """Return the seconds that are left."""
        return self._ends - time.monotonic()

    def is_proved(self) -> bool:
        """Tell whether no draw of this shape can cost less than the best one."""
        return self.bound >= self.cost - EXACT

    def _take(self, tables: Sequence[Table]) -> bool:
        cost = sum(map(self.numbers.price, tables))
        if cost >= self.cost - EXACT:
            return False
        self.best, self.cost = sorted(tables), cost
        return True

    def _raise(self, bound: float) -> None:
        # Costs are whole numbers, so a bound is rounded up. No draw needs to be better than the best.
        if bound > -math.inf:
            self.bound = max(self.bound, self.cost if bound > self.cost else math.ceil(bound - EXACT))

    def run(self, columns: int = COLUMNS, seconds: float = math.inf) -> Iterator[None]:
        """Search the best draw; yield when the draw or the bound may have improved.

        Args:
            columns: the most tables that are listed to close the gap.
            seconds: the most time for one integer program.
        """
        master = Master(self.numbers, self.best, self.cost)
        large = self.numbers.count > GROUP
        # In a large field, keep half of the time for exchanges. They need no linear program over all tables.
        priced = self._priced(master, self._raise, self.seconds_left() / 2 if large else math.inf)
        yield
        if self.is_proved():
            return
        if large:
            if priced is not None:
                self._dive(master)
                yield
            for _ in self._exchanged(Random(1)):
                yield
                if self.is_proved():
                    return
        if priced is not None and not self.is_proved() and self.seconds_left() > 0:
            self._close(*priced, columns, seconds)
            yield

    def _priced(
        self, master: Master, tell: Any = lambda _: None, seconds: float = math.inf
    ) -> tuple[float, Pricing] | None:
        """Solve the linear program over all tables; return None when the time ends first. Raises the bound on the
        way."""
        least = max(0, self.seconds_left() - seconds)
        shape = master.numbers.shape
        while True:
            value, pricing = master.relaxed()
            lowest = dict.fromkeys(shape, 0.0)
            added = 0
            for reduced, table in pricing.cheapest():
                lowest[len(table)] = min(lowest[len(table)], reduced)
                added += master.add(table)
                if self.seconds_left() < least:
                    return None
            # Each table can lower the value by at most this much.
            tell(value + sum(tables * lowest[size] for size, tables in shape.items()))
            if not added:
                tell(value)
                return value, pricing

    def _dive(self, master: Master) -> None:
        """Fix the tables with the largest shares in the linear program, and solve it for the rest, until few are
        left."""
        players = list(range(self.numbers.count))
        fixed: list[Table] = []
        while self.seconds_left() > 0:
            shares = [(share, tuple(players[player] for player in table)) for share, table in master.shares()]
            room = Counter(master.numbers.shape)
            seated: set[int] = set()
            few = 1 + len(shares) // 20
            for place, (share, table) in enumerate(shares):
                if (share > SURE or place < few) and seated.isdisjoint(table) and room[len(table)]:
                    fixed.append(table)
                    seated.update(table)
                    room[len(table)] -= 1
            players = [player for player in players if player not in seated]
            if not seated or not players:
                break
            place = {player: number for number, player in enumerate(players)}
            columns = [tuple(place[player] for player in table) for _, table in shares if seated.isdisjoint(table)]
            master = Master(self.numbers.part(players, room), columns, self.cost)
            priced = self._priced(master)
            if priced is None:
                return
            if len(players) <= 2 * GROUP:
                value, pricing = priced
                for _, table in islice(pricing.below(max(2, value / 20)), NEAR):
                    master.add(table)
                tables, _ = master.choose_tables(min(3, self.seconds_left()), [])
                if tables is None:
                    return
                fixed.extend(tuple(players[player] for player in table) for table in tables)
                players = []
                break
        if not players:
            self._take(fixed)

    def _exchanged(self, random: Random) -> Iterator[None]:
        """Draw groups of tables of a large field again until nothing improves; yield at each improvement."""
        calm = 0
        while self.best and self.seconds_left() > 0:
            for group in self._groups(random):
                calm += 1
                if self._redrawn(group):
                    calm = 0
                    yield
                if self.seconds_left() < 0 or calm >= CALM * len(self.best):
                    return

    def _groups(self, random: Random) -> Iterator[list[Table]]:
        """Yield a group for each table: the table, and others with which it could well exchange players."""
        tables = list(self.best)
        random.shuffle(tables)
        for table in (table for table in tables if table in self.best):
            others = [other for other in self.best if other != table]
            strange = {
                other: float(np.minimum(self.numbers.pairs[np.ix_(table, other)], 1e6).mean())
                * random.uniform(0.5, 1.5)
                for other in others
            }
            group, players = [table], len(table)
            for other in sorted(others, key=lambda other: (strange[other], other)):
                if players + len(other) <= GROUP:
                    group.append(other)
                    players += len(other)
            yield group

    def _redrawn(self, group: list[Table]) -> bool:
        players = sorted(player for table in group for player in table)
        place = {player: number for number, player in enumerate(players)}
        part = self.numbers.part(players, Counter(map(len, group)))
        start = [tuple(place[player] for player in table) for table in group]
        search = Search(part, start, self.cost, min(self._ends, time.monotonic() + PATIENCE))
        for _ in search.run(NEAR, 0.5):
            pass
        again = [tuple(players[player] for player in table) for table in search.best]
        return self._take([*(table for table in self.best if table not in group), *again])

    def _close(self, value: float, pricing: Pricing, columns: int, seconds: float) -> None:
        """Choose among all tables that could be in a better draw: those with a reduced cost within the gap."""
        gap = self.cost - 1 - value
        tables = self._below(pricing, gap, columns)
        is_complete = tables is not None
        while tables is None and self.seconds_left() > 0:
            # Too many tables: the best of them may give a better draw, but prove no bound.
            gap /= 2
            tables = self._below(pricing, gap, columns)
        if tables is None:
            return
        better, bound = Master(self.numbers, [*self.best, *tables], self.cost).choose_tables(
            min(seconds, self.seconds_left()), self.best
        )
        if better is not None:
            self._take(better)
        if is_complete:
            self._raise(bound)

    def _below(self, pricing: Pricing, limit: float, most: int) -> list[Table] | None:
        """Return the tables whose reduced cost is at most `limit`; None when there are more than `most`."""
        tables: list[Table] = []
        for _, table in pricing.below(limit):
            tables.append(table)
            if len(tables) > most or self.seconds_left() < 0:
                return None
        return tables


def shapes_of(
    count: int, sizes: Mapping[int, float], byes: Sequence[float], ceiling: float
) -> list[tuple[float, Shape]]:
    """Return the shapes whose own cost is below `ceiling`, with that cost, the cheapest first.

    Args:
        count: how many players there are.
        sizes: the cost of a table of each size.
        byes: the costs of the cheapest byes, one for each bye that is allowed.
        ceiling: the cost of a known draw.
    """
    priced: list[tuple[float, Shape]] = []

    def fill(remaining: int, price: float, shape: dict[int, int], open_: list[int]) -> None:
        if price >= ceiling:
            return
        if not remaining:
            priced.append((price, shape))
        elif open_:
            size = open_[0]
            for tables in range(remaining // size + 1):
                fill(remaining - tables * size, price + tables * sizes[size], {**shape, size: tables}, open_[1:])

    for without in range(min(len(byes), count) + 1):
        fill(count - without, sum(byes[:without]), {1: without}, sorted(sizes, reverse=True))
    return sorted(priced, key=lambda item: item[0])


def solve(problem: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield draws and bounds of a problem from `solving.py`, each better than the one before."""
    ends = time.monotonic() + problem["seconds"]
    prices = {int(size): price for size, price in problem["sizes"].items()}
    unit = math.gcd(*prices.values(), *problem["byes"], *(price for row in problem["pairs"] for price in row)) or 1
    pairs = np.array(problem["pairs"], dtype=float) / unit
    for one, other in problem["bans"]:
        pairs[one, other] = pairs[other, one] = BANNED
    byes = np.array(problem["byes"], dtype=float) / unit
    sizes = {size: price / unit for size, price in prices.items()}
    best: list[Table] = [
        *(tuple(sorted(table)) for table in problem["tables"]),
        *((player,) for player in problem["without"]),
    ]
    own = Counter(map(len, best))
    cost = sum(map(Numbers(pairs, sizes, byes, own).price, best))
    shapes = shapes_of(len(byes), sizes, sorted(byes.tolist())[: problem["most_byes"]], cost)
    shapes.sort(key=lambda item: Counter(item[1]) != own)
    # The bound of each shape: at first, its own cost.
    bounds = [price for price, _ in shapes]
    for place, (price, shape) in enumerate(shapes[:SHAPES]):
        if price >= cost or time.monotonic() > ends:
            continue
        search = Search(Numbers(pairs, sizes, byes, shape), best if Counter(shape) == own else [], cost, ends)
        for _ in search.run():
            if search.cost < cost:
                best, cost = search.best, search.cost
            bounds[place] = max(bounds[place], search.bound)
            yield {
                "tables": [table for table in best if len(table) > 1],
                "byes": [table[0] for table in best if len(table) == 1],
                "bound": round(min(cost, *bounds) * unit),
            }


def main() -> None:
    # Yield processor time and memory to the service.
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    # HiGHS prints a greeting to standard output, whatever its options say. Send it to standard error.
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)
        for news in solve(json.loads(sys.stdin.readline())):
            print(json.dumps(news), file=answers, flush=True)


if __name__ == "__main__":
    main()
