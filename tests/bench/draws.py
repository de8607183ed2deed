"""Draws of a tournament's rounds: what they cost by the solver and by slices, and how evenly seats are shared out.

Players of known strength play seven rounds; each round is drawn from what happened before, by the solver. The solver
has `DRAW_SECONDS` for a draw (5 when it is not set), so all takes at most six minutes. Times are processor time.
"""

import asyncio
import os
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from random import Random
from typing import Final

from domain.kernel.ids import PlayerId
from domain.tournament.draw import Draw, Entrant, Met, Problem, cost, draw_lots, faults, obstacle, slices
from domain.tournament.draw.cost import cost_in
from domain.tournament.draw.field import Field
from domain.tournament.draw.lawful import shapes
from domain.tournament.draw.seating import arranged_in
from domain.tournament.draw.slices import NoDraw, cut
from service.tournaments.solving import Solved, Solver
from tests.bench.measure import Figure

PLAYERS: Final = (7, 13, 24, 48, 96, 240)
ROUNDS: Final = range(1, 8)
SHOWN: Final = 3
"""The first round that is shown: in the others a draw hardly has to choose."""

SECONDS: Final = float(os.environ.get("DRAW_SECONDS", "5"))

POINTS: Final = {2: (60, 24), 3: (60, 36, 12), 4: (60, 48, 24, 12)}
FIELDS: Final = 300
"""So many random fields with bans are drawn, to see that each lawful one gets a draw."""


class Tournament:
    """A tournament of players whose strength decides half of a game, and luck the other half."""

    def __init__(self, players: int) -> None:
        self._random = Random(players)
        self.players = [PlayerId(f"p{number:03}") for number in range(players)]
        self._strength = {player: self._random.gauss(0, 1) for player in self.players}
        self._club = {player: f"c{self._random.randrange(8)}" for player in self.players}
        self._score: Counter[PlayerId] = Counter()
        self._met: Counter[tuple[PlayerId, PlayerId]] = Counter()
        self.seats: dict[PlayerId, list[int]] = {player: [0] * 4 for player in self.players}

    def problem(self, number: int) -> Problem:
        lots = draw_lots(bytes(32), "t-bench", number, dict.fromkeys(self.players, ""))
        return Problem(
            tuple(
                Entrant(
                    player,
                    lot,
                    self._score[player],
                    club=self._club[player],
                    seats=tuple(self.seats[player]),
                )
                for lot, player in enumerate(lots, start=1)
            ),
            sizes=(3, 4),
            preferred=4,
            step=12,
            met=tuple(Met(*pair, times) for pair, times in sorted(self._met.items())),
        )

    def play(self, draw: Draw) -> None:
        for table in draw.tables:
            for seat, player in enumerate(table):
                self.seats[player][seat] += 1
            self._met.update((min(pair), max(pair)) for pair in combinations(table, 2))
            ranked = sorted(table, key=lambda player: self._strength[player] + self._random.gauss(0, 1))
            for player, points in zip(reversed(ranked), POINTS[len(table)], strict=True):
                self._score[player] += points


def bench_draws() -> Iterator[Figure]:
    yield from _lawful()
    for players in PLAYERS:
        tournament = Tournament(players)
        for number in ROUNDS:
            problem = tournament.problem(number)
            field = Field(problem)
            plain = cost_in(field, arranged_in(field, *cut(field, shapes(field)[0]))).total
            began = time.process_time()
            sliced = cost(problem, slices(problem)).total
            spent = time.process_time() - began
            began = _processor()
            solved = asyncio.run(Solver().solve(problem, SECONDS))
            took = _processor() - began
            assert not faults(problem, solved.draw)
            tournament.play(solved.draw)
            if number >= SHOWN:
                note = _note(solved, plain, spent, took)
                yield Figure(
                    f"draw-{players}-round-{number}", solved.cost.total, "cost", solved.bound, sliced, 1, note=note
                )
            if number == 5:
                yield _balance(tournament)


def _processor() -> float:
    """Return the processor seconds of this process and of solvers that have ended."""
    return time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def _note(solved: Solved, plain: int, spent: float, took: float) -> str:
    price = solved.cost
    how = "proved" if solved.proved else "not proved"
    parts = ", ".join(f"{name} {getattr(price, name)}" for name in ("sizes", "scores", "meetings", "clubs"))
    return (
        f"value: {solved.by}, {how}, {took:.1f} s of processor; least: bound; most: slices, {spent:.2f} s; "
        f"slices as they are cut: {plain}; {parts}; seats {price.seats}{solved.remark and f'; {solved.remark}'}"
    )


def _balance(tournament: Tournament) -> Figure:
    """Return the share of players who had each of the first three seats, which all tables have, about equally often."""
    spread = [max(had[:3]) - min(had[:3]) for had in tournament.seats.values()]
    note = ", ".join(f"{count} players: {apart}" for apart, count in sorted(Counter(spread).items()))
    even = sum(apart <= 1 for apart in spread) / len(spread)
    players = len(tournament.players)
    return Figure(f"seats-{players}-after-5", round(100 * even, 1), "%", min(spread), max(spread), 1, note=note)


def _lawful() -> Iterator[Figure]:
    """Draw random fields with bans: each gets a lawful draw, or a reason why there is none."""
    random = Random(1)
    told = Counter[str]()
    for _ in range(FIELDS):
        count = random.randint(2, 60)
        players = [PlayerId(f"p{number}") for number in range(count)]
        pairs = list(combinations(players, 2))
        sizes = tuple(random.sample(range(2, 7), random.randint(1, 3)))
        problem = Problem(
            tuple(Entrant(player, lot, random.randrange(200)) for lot, player in enumerate(players, start=1)),
            sizes,
            sizes[0],
            random.randrange(3),
            bans=tuple(random.sample(pairs, min(len(pairs), random.choice((0, count, 2 * count))))),
        )
        try:
            assert not faults(problem, slices(problem))
            told["drawn"] += 1
        except NoDraw:
            told["have no draw, and are told why" if obstacle(problem) else "wrongly refused"] += 1
    note = ", ".join(f"{count} {what}" for what, count in told.items())
    drawn = told["drawn"]
    yield Figure("draw-lawful-fields", drawn, "fields", drawn, FIELDS - told["wrongly refused"], 1, note=note)


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"draws": bench_draws}
