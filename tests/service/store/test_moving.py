"""Books move from one server to another while commands are given, and whatever is killed meanwhile."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from domain.kernel.ids import GameId, book_of
from service.store.postgres import keepers, moving, server
from service.store.postgres.archive import opened as opened_archive
from service.store.postgres.books import ALL
from service.store.postgres.books import spread as give_books
from service.store.postgres.migrations import MigrationError
from service.store.postgres.spread import SpreadStore
from service.store.protocol import Appended, StoreUnavailable
from tests.faults.machines import Load
from tests.helpers.postgres import connected
from tests.helpers.sampling import sampled
from tests.service.store.adapters import servers
from tests.service.store.batches import addition, new_game, use
from tests.service.store.test_spread import HALF, HERE, THERE, named

STEPS = ("announce", "copy", "compare", "leave", "pause", "arrive", "commit", "give up", "delete", "end")


@pytest.fixture
async def kept() -> AsyncIterator[dict[str, frozenset[int]]]:
    async with servers(HALF) as lent:
        yield lent


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let processes rely on what they know for a shorter time, and books stand still for a little longer than that."""
    monkeypatch.setattr(server, "LEASE", 0.3)
    monkeypatch.setattr(keepers, "PROBE", 0.1)
    monkeypatch.setattr(moving, "PAUSE", 0.5)
    monkeypatch.setattr(moving, "GRACE", 0.3)


class KilledError(Exception):
    pass


def killed_at(wanted: str) -> moving.Step:
    async def step(name: str) -> None:
        if name == wanted:
            raise KilledError(name)

    return step


def nobody(_: str) -> None:
    pass


def test_a_book_stands_still_for_longer_than_any_process_relies_on_what_it_knew() -> None:
    assert moving.PAUSE > server.LEASE


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("step", sampled("steps at which a move of a book is killed", STEPS, 2))
async def test_a_move_under_load_that_is_killed_and_goes_on_loses_and_doubles_nothing(
    kept: dict[str, frozenset[int]], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    monkeypatch.setattr("tests.faults.machines.WANTED", 100)
    # So that it takes some.
    monkeypatch.setattr(moving, "CHUNK", 50)
    monkeypatch.setattr(moving, "CLOSE", 20)
    home, other = kept
    book = book_of(HERE)
    *mine, first, second = [each for each in named("gm", True, 4000) if book_of(each) == book][:5]
    late = [first, second]
    writing = await SpreadStore.open(kept, durable=False)
    reading = await SpreadStore.open(kept, durable=False)
    load = Load(writing, reading, pause=0.02)

    async def move_and_back() -> None:
        for to, source in ((other, home), (home, other)):
            if to == other:
                with pytest.raises(KilledError):
                    await moving.move(kept, [book], to, nobody, killed_at(step))
            # While the other one waits for the book, or is not hindered.
            beginning = asyncio.create_task(load.append(new_game(late.pop(), key=use("1"))))
            await moving.move(kept, [book], to, nobody)
            async with connected(to) as goal, connected(source) as left:
                assert await goal.fetchval("SELECT count(*) FROM tabularium.books WHERE book = $1", book) == 1
                await beginning
                assert await left.fetchval("SELECT count(*) FROM tabularium.log WHERE book = $1", book) == 0

    try:
        await load.run(move_and_back, [*mine, *named("gh", True, 2), *named("gt", False, 2)])
        assert not any((await load.check(*kept)).values())
    finally:
        await writing.close()
        await reading.close()
    assert load.reads
    print(f"{load.acknowledged} acknowledged, {load.refused} answers that the store is unavailable")


@pytest.mark.usefixtures("quick")
async def test_a_process_that_asked_nobody_meanwhile_reads_nothing_old(
    kept: dict[str, frozenset[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, other = kept
    writing = await SpreadStore.open(kept)
    monkeypatch.setattr(keepers, "PROBE", 60.0)
    idle = await SpreadStore.open(kept)
    await writing.append(new_game(HERE))
    looked = list[int]()

    async def step(name: str) -> None:
        if name == "leave":
            assert await idle.head(HERE) == 1
        if name == "give up":  # when the old rows are still there
            await writing.append(addition(HERE, 1))
            looked.append(await idle.head(HERE))

    await moving.move(kept, [book_of(HERE)], other, nobody, step)
    assert looked == [2]
    for store in (writing, idle):
        await store.close()


@pytest.mark.usefixtures("quick")
async def test_a_process_with_the_old_setting_starts_after_books_have_moved_and_with_the_new_one(
    kept: dict[str, frozenset[int]],
) -> None:
    home, other = kept
    store = await SpreadStore.open(kept)
    await store.append(new_game(HERE))
    book = book_of(HERE)
    await moving.move(kept, [book], other, nobody)
    assert await store.append(addition(HERE, 1)) == Appended(2)
    assert store.part_of(HERE) == 1
    await store.close()
    now = {home: HALF - {book}, other: ALL - HALF | {book}}
    await give_books(now)
    for given in (kept, now):
        store = await SpreadStore.open(given)
        assert await store.head(HERE) == 2
        await store.close()
    with pytest.raises(StoreUnavailable, match="keeps the books"):
        await SpreadStore.open({home: HALF - {book, 40}, other: ALL - HALF | {book, 40, 3}})


@pytest.mark.usefixtures("quick")
async def test_a_book_that_has_not_arrived_goes_back(
    kept: dict[str, frozenset[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keepers, "WAITED", 0.5)
    home, other = kept
    store = await SpreadStore.open(kept)
    await store.append(new_game(HERE))
    await store.append(new_game(THERE))
    end = await store.end()
    with pytest.raises(KilledError):
        await moving.move(kept, [book_of(HERE)], other, nobody, killed_at("commit"))
    for ask in (store.append(addition(HERE, 1)), store.head(HERE), store.games(), store.end()):
        with pytest.raises(StoreUnavailable, match="on their way to another server"):
            await ask
    assert await store.append(addition(THERE, 1)) == Appended(2)
    rows, reached = await store.read_on(end, 10)
    assert [(game, record.version) for _, game, record in rows] == [(THERE, 2)]
    with pytest.raises(StoreUnavailable):
        await store.read_on(reached, 10)
    await moving.move(kept, [book_of(HERE)], home, nobody)
    assert await store.append(addition(HERE, 1)) == Appended(2)
    assert (await store.end()).reaches(end)
    await store.close()


@pytest.mark.usefixtures("quick")
async def test_what_is_not_done_by_append_is_refused_where_a_book_left(kept: dict[str, frozenset[int]]) -> None:
    home, other = kept
    store = await SpreadStore.open(kept)
    await store.append(new_game(HERE))
    with pytest.raises(KilledError):
        await moving.move(kept, [book_of(HERE)], other, nobody, killed_at("pause"))
    async with connected(home) as connection:
        await connection.execute("SET ROLE tabularium_service")
        for statement in (
            "UPDATE tabularium.games SET title = 'late' WHERE game = $1",
            "INSERT INTO tabularium.unlisted (book, game) SELECT tabularium.book_of($1), $1",
        ):
            with pytest.raises(Exception, match="is not kept here: TABULARIUM_BOOK_SERVERS says where"):
                await connection.execute(statement, HERE)
    renamed = asyncio.create_task(store.retitle(GameId(HERE), "In time"))
    await moving.move(kept, [book_of(HERE)], other, nobody)
    await renamed
    row = await store.game(GameId(HERE))
    assert row is not None
    assert row.title == "In time"
    assert [each.game for each in await store.games()] == [HERE]
    await store.close()


async def test_rows_are_deleted_only_where_their_book_is_not_kept(kept: dict[str, frozenset[int]]) -> None:
    home, _ = kept
    store = await SpreadStore.open(kept)
    await store.append(new_game(HERE))
    await store.close()
    async with connected(home) as owner:
        for state in ("coming", "arrived", "leaving", "gone", "left"):
            await owner.execute(
                "INSERT INTO tabularium.moves VALUES ($1, $2, 0) ON CONFLICT (number) DO UPDATE SET state = $2",
                *(book_of(HERE), state),
            )
            for table in ("log", "chances"):
                with pytest.raises(Exception, match="never changed and never deleted"):
                    await owner.execute(f"DELETE FROM tabularium.{table}")


async def test_what_cannot_move_is_said(kept: dict[str, frozenset[int]]) -> None:
    home, other = kept
    async with opened_archive(home):
        with pytest.raises(MigrationError, match="is busy with `tabularium migrate`, `books move` or `archive`"):
            await moving.move(kept, [1], other, nobody)
    async with connected(home) as owner:
        await owner.execute(
            "INSERT INTO tabularium.forks (book, game, parent, version, purpose) VALUES (1, 'g1', $1, 1, 'analysis')",
            HERE,
        )
    with pytest.raises(MigrationError, match="has forks or cases apart from their games"):
        await moving.move(kept, [1], other, nobody)
    async with connected(home) as owner:
        await owner.execute("DELETE FROM tabularium.books WHERE book = 3")
    with pytest.raises(MigrationError, match="no server keeps book 3"):
        await moving.move(kept, [3], other, nobody)
