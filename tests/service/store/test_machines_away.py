"""A machine that does not answer holds up nothing about the others, and soon nothing at all. Shown without machines."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

import asyncpg
import pytest

from service.store.postgres import machines
from service.store.postgres.books import ALL
from service.store.postgres.machines import Machines
from service.store.protocol import PartUnavailable, StoreUnavailable

CONNECTIONS: Final = 8
HERE, THERE = {0}, {63}
"""A book of each of two machines."""


class Coordinator:
    """Connections whose queries and questions wait while the machine of their books is frozen."""

    where = "the database"

    def __init__(self) -> None:
        self.machine_of = {book: book // 32 for book in ALL}
        self.frozen: set[int] = set()
        self.is_gone = False
        self.thawed = asyncio.Event()
        self.busy = 0
        self.longest = 0.1
        """Seconds that a statement may take."""

    async def select(self, query: str, *values: Any) -> list[Any]:
        return [*self.machine_of.items()]

    async def patiently(self, work: Callable[[Any], Awaitable[Any]]) -> Any:
        self.busy += 1
        assert self.busy <= CONNECTIONS
        try:
            async with asyncio.timeout(self.longest):
                return await work(self)
        except TimeoutError as error:
            raise StoreUnavailable("a statement took too long") from error
        finally:
            self.busy -= 1

    # As connections:

    async def connect(self) -> "Coordinator":
        if self.is_gone:
            raise ConnectionRefusedError
        return self

    def terminate(self) -> None:
        pass

    fetch = select

    async def execute(self, statement: str) -> None:
        async with asyncio.timeout(self.longest):
            await self.answer(int(statement.rpartition(" ")[2]))

    async def answer(self, *books: int) -> None:
        if any(self.machine_of[book] in self.frozen for book in books):
            await self.thawed.wait()
            if self.is_gone:
                raise asyncpg.ConnectionFailureError


@pytest.fixture
def coordinator(monkeypatch: pytest.MonkeyPatch) -> Coordinator:
    monkeypatch.setattr(machines, "GRACE", 0.02)
    monkeypatch.setattr(machines, "PROBE", 0.01)
    monkeypatch.setattr(machines, "TIMEOUT", 0.2)
    return Coordinator()


@pytest.fixture
async def known(coordinator: Coordinator) -> AsyncIterator[Machines]:
    known = Machines(coordinator, CONNECTIONS)  # type: ignore[arg-type]
    await known.look_up()
    yield known
    await known.close()


async def ask(known: Machines, books: set[int] | frozenset[int] = ALL) -> None:
    await known.part(books).patiently(lambda connection: connection.answer(*books))


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(5):
        while not holds():  # noqa: ASYNC110  # it has no event
            await asyncio.sleep(0.01)


async def freeze(known: Machines, coordinator: Coordinator) -> None:
    """Freeze the machine of `THERE`, and wait until that is known."""
    coordinator.frozen = {1}
    with pytest.raises(StoreUnavailable):
        await ask(known, THERE)
    await until(known.away)


async def test_what_waits_for_a_machine_leaves_connections_for_the_others(
    known: Machines, coordinator: Coordinator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machines, "TIMEOUT", 60)
    coordinator.longest = 60
    coordinator.frozen = {1}
    held = [asyncio.create_task(ask(known, books)) for books in (THERE, ALL) * 20]
    await asyncio.sleep(0)
    assert coordinator.busy < CONNECTIONS
    await ask(known, HERE)
    assert not any(task.done() for task in held)
    coordinator.thawed.set()
    await asyncio.gather(*held)


async def test_lists_and_games_of_a_machine_fail_at_once_until_it_answers(
    known: Machines, coordinator: Coordinator
) -> None:
    await freeze(known, coordinator)
    for books in (THERE, ALL, HERE | THERE):
        with pytest.raises(PartUnavailable, match="the books 32-63 of the log are on a machine of the database that"):
            await ask(known, books)
    assert coordinator.busy == 0
    await ask(known, HERE)
    coordinator.frozen.clear()
    coordinator.thawed.set()
    await until(lambda: not known.away())
    await ask(known)
    await ask(known, THERE)


async def test_what_waits_already_is_ended_when_a_machine_is_found_to_be_away(
    known: Machines, coordinator: Coordinator
) -> None:
    coordinator.frozen = {1}

    async def slow() -> None:
        await asyncio.sleep(60)

    held = [asyncio.create_task(known.reach(books, slow)) for books in (THERE, ALL)]
    on_the_other = asyncio.create_task(known.reach(HERE, slow))
    await freeze(known, coordinator)
    async with asyncio.timeout(1):
        found = await asyncio.gather(*held, return_exceptions=True)
    assert [type(each) for each in found] == [PartUnavailable] * 2
    assert not on_the_other.done()
    on_the_other.cancel()


async def test_what_is_ended_says_so_even_if_the_machine_answers_just_then(known: Machines) -> None:
    held = asyncio.create_task(known.reach(THERE, lambda: asyncio.sleep(60)))
    await asyncio.sleep(0)
    known._lose(1)
    known._away.clear()
    with pytest.raises(PartUnavailable):
        await held


async def test_a_slow_query_says_nothing_about_a_machine_that_answers(
    known: Machines, coordinator: Coordinator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machines, "GRACE", 60)
    with pytest.raises(StoreUnavailable):
        await known.part(THERE).patiently(lambda _: asyncio.sleep(60))
    coordinator.frozen = {1}  # which takes a moment to answer
    await asyncio.sleep(0.01)
    assert known._watches
    assert not known.away()
    coordinator.frozen.clear()
    coordinator.thawed.set()
    await until(lambda: not known._watches)
    await ask(known)


async def test_a_coordinator_that_is_away_says_nothing_about_its_machines(
    known: Machines, coordinator: Coordinator
) -> None:
    coordinator.is_gone = True
    known.suspect(ALL)
    await asyncio.sleep(0.05)
    assert not known.away()


async def test_a_machine_that_refuses_is_away(known: Machines, coordinator: Coordinator) -> None:
    coordinator.frozen = {1}
    coordinator.thawed.set()

    async def refuse(*_: Any) -> None:
        raise asyncpg.ConnectionFailureError("connection to the remote node failed")

    coordinator.answer = refuse
    known.suspect(THERE)
    await until(known.away)
    assert known.away(HERE) == frozenset()


async def test_books_that_have_moved_away_from_a_frozen_machine_are_found(
    known: Machines, coordinator: Coordinator
) -> None:
    await freeze(known, coordinator)
    coordinator.machine_of = dict.fromkeys(ALL, 0)
    await until(lambda: known.of_book[63] == 0)
    await ask(known)
