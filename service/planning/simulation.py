"""How long commands wait in queues: a simulation of a plan by simpy, command by command.

Commands come by chance, at the rate of the busiest hour. Each waits for its turn in a process of the service, and works
there. Then it waits for the call of `append()` that the process makes for all waiting commands, for the rows of their
books, a core of the database, and the disk. The reads and followers of a command take up a process, too.
"""

import math
import random
import statistics
from collections.abc import Generator
from typing import Any, Final

from msgspec import Struct

from domain.kernel.ids import BOOKS
from service.planning.model import Costs, Load, Plan, append_of, command_of

GATHERED: Final = 256
"""The most appends in one call, as `service/store/postgres/writer.py` has it."""

SPREAD: Final = 0.6
"""The standard deviation of the logarithm of a piece of work: some take much longer than others."""


class Simulated(Struct, frozen=True, kw_only=True):
    """The result of a simulation.

    Attributes:
        commands: how many commands were answered.
        p50: milliseconds in which half of them were answered.
        p95: milliseconds in which 95 of 100 were answered.
        p99: milliseconds in which 99 of 100 were answered.
        use: how busy each part was, from 0 to 1.
        first: the part that is saturated first when the load grows.
        room: by what the load can be multiplied until then.
    """

    commands: int
    p50: float
    p95: float
    p99: float
    use: dict[str, float]
    first: str
    room: float


def simulate(load: Load, plan: Plan, costs: Costs, seconds: float, seed: str = "plan") -> Simulated:
    """Simulate the busiest hour of a plan for some seconds.

    Raises:
        ImportError: simpy is not installed (`tabularium[plan]`).
    """
    import simpy

    world = _World(simpy, load, plan, costs, random.Random(seed))
    world.run(seconds)
    times = sorted(1000 * duration for duration in world.durations)
    use = {
        "the processes that serve": world.worked / (plan.processes * seconds),
        "the connections of those who follow": load.games * load.watchers / (plan.processes * costs.clients),
        "the database": world.stored / (plan.database_cores * seconds),
        "the busiest book": max(world.held) / seconds,
        "the calls of a process to the database": max(world.calling) / seconds,
        "the processes that keep projections": plan.folding / plan.folders,
        "the process that keeps the transparency log": plan.entering,
    }
    first = max(use, key=use.__getitem__)
    cuts = statistics.quantiles(times, n=100) if len(times) > 1 else [math.nan] * 99
    return Simulated(
        commands=len(times), p50=cuts[49], p95=cuts[94], p99=cuts[98], use=use, first=first, room=1 / use[first]
    )


class _World:
    """The simulated parts of the service, which wait for each other."""

    def __init__(self, simpy: Any, load: Load, plan: Plan, costs: Costs, chance: random.Random) -> None:
        self.durations: list[float] = []
        self.worked = self.stored = 0.0
        self.held = [0.0] * BOOKS
        self.calling = [0.0] * plan.processes
        self._env = simpy.Environment()
        self._processes = [simpy.Resource(self._env) for _ in range(plan.processes)]
        self._waiting: list[list[tuple[int, Any]]] = [[] for _ in range(plan.processes)]
        self._cores = simpy.Resource(self._env, plan.database_cores)
        self._books = [simpy.Resource(self._env) for _ in range(BOOKS)]
        self._plan, self._costs, self._chance = plan, costs, chance
        each = plan.busiest / plan.processes
        self._append = append_of(each, costs)
        per_command = command_of(min(1.0, plan.serving / plan.processes), load, costs)
        self._follow = load.reads * costs.read + load.watchers * costs.frame
        self._decide = per_command - self._follow

    def run(self, seconds: float) -> None:
        if self._plan.busiest > 0:
            self._env.process(self._arrivals())
        self._env.run(until=seconds)

    def _arrivals(self) -> Generator[Any]:
        while True:
            yield self._env.timeout(self._chance.expovariate(self._plan.busiest))
            self._env.process(self._command(self._chance.randrange(self._plan.processes)))

    def _command(self, number: int) -> Generator[Any]:
        began = self._env.now
        yield from self._work(number, self._decide)
        stored, waiting = self._env.event(), self._waiting[number]
        waiting.append((self._chance.randrange(BOOKS), stored))
        if len(waiting) == 1:
            self._env.process(self._calls(number))
        yield stored
        self.durations.append(self._env.now - began)
        # Any process may answer the reads that come with the command, and send its events to the clients that follow.
        self._env.process(self._work(self._chance.randrange(self._plan.processes), self._follow))

    def _work(self, number: int, mean: float) -> Generator[Any]:
        if mean == 0:
            return
        with self._processes[number].request() as turn:
            yield turn
            duration = self._chance.lognormvariate(math.log(mean) - SPREAD**2 / 2, SPREAD)
            self.worked += duration
            yield self._env.timeout(duration)

    def _calls(self, number: int) -> Generator[Any]:
        """Send the waiting commands of a process, call by call. They stay in the list until their call ends."""
        waiting = self._waiting[number]
        while waiting:
            batch = waiting[:GATHERED]
            began = self._env.now
            books = sorted({book for book, _ in batch})
            locks = [self._books[book].request() for book in books]
            for lock in locks:
                yield lock
            locked = self._env.now
            with self._cores.request() as core:
                yield core
                work = len(batch) * self._append
                self.stored += work
                yield self._env.timeout(work)
            yield self._env.timeout(self._costs.flush)
            for book, lock in zip(books, locks, strict=True):
                self._books[book].release(lock)
                self.held[book] += self._env.now - locked
            self.calling[number] += self._env.now - began
            del waiting[: len(batch)]
            for _, stored in batch:
                stored.succeed()
