"""What the store shows on a log that Citus spreads over machines, beside what every store shows."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

import asyncpg
import pytest

from domain.kernel.ids import BOOKS, GameId, book_of
from projections.cursor import Cursor
from service.base.settings import Settings
from service.doctor import examine
from service.doctor.postgres import connect
from service.store.backend import backend_of
from service.store.postgres.books import ALL
from service.store.postgres.distributed import DistributedStore, append_to, settle
from service.store.postgres.migrations import MigrationError, distribute, migrate, packaged
from service.store.postgres.rows import PostgresRows
from service.store.postgres.server import Server
from service.store.postgres.store import PostgresStore
from service.store.protocol import Added, Appended, Conflict, StoreUnavailable
from tests.helpers.asked import telling_database
from tests.helpers.citus import as_superuser, distributed_database, lent_database, machines_of
from tests.helpers.postgres import connected, shared_cluster
from tests.service.store.batches import addition, new_game, secret, use

DISTRIBUTED: Final = 70
"""The last migration of the release in which logs were distributed first."""


@pytest.fixture
async def url() -> AsyncIterator[str]:
    async with distributed_database() as url:
        yield url


@pytest.fixture
async def store(url: str) -> AsyncIterator[DistributedStore]:
    opened = await DistributedStore.open(url)
    yield opened
    await opened.close()


async def machine_of(connection: Any, game: str) -> tuple[str, int]:
    found = await connection.fetchrow(
        "SELECT nodename, nodeport FROM citus_shards WHERE shardid ="
        " get_shard_id_for_distribution_column('tabularium.books'::regclass, $1::smallint)",
        book_of(GameId(game)),
    )
    return tuple(found)


async def on_two_machines(url: str) -> tuple[str, str]:
    """Return two games that are on different machines."""
    async with connected(as_superuser(url)) as superuser:
        games = {await machine_of(superuser, f"g{number}"): f"g{number}" for number in range(12)}
    first, second, *_ = games.values()
    return first, second


async def test_a_log_with_events_is_distributed_and_loses_nothing() -> None:
    async with lent_database() as url:
        await migrate(url, packaged())
        plain = await PostgresStore.open(url)
        for game in ("g1", "g2", "g3"):
            await plain.append(new_game(game, count=3, key=use(game)))
            await plain.append(addition(game, 3, secrets=(secret(1), secret(2))))
        before, _ = await plain.read_all()
        cursor = str(await plain.end())
        await plain.close()
        migrating = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "service.cli", "migrate", "--url", url), stdout=asyncio.subprocess.PIPE
        )
        said, _ = await migrating.communicate()
        assert "the log is distributed over machines by its books" in said.decode()
        assert await distribute(url)  # which finds nothing to do
        settings = Settings(database_url=url)
        store = await backend_of(settings).open_store()
        try:
            assert isinstance(store, DistributedStore)
            after, _ = await store.read_all()
            by_place = lambda row: (row[0], row[1].version)  # noqa: E731
            assert sorted(after, key=by_place) == sorted(before, key=by_place)
            assert await store.append(new_game("g1", count=3, key=use("g1"))) == Appended(4, Added(0, 3))
            await store.append(addition("g1", 4, secrets=(secret(3),)))
            loaded = await store.load(GameId("g1"))
            assert loaded is not None
            # The numbers that plain PostgreSQL gave out come before those that machines give out.
            assert [each.commitment for each in loaded.secrets] == [secret(n).commitment for n in (1, 2, 3)]
            more, _ = await store.read_all(cursor)
            assert [(game, record.version) for game, record in more] == [("g1", 5)]
        finally:
            await store.close()
        async with connected(url) as owner:
            assert await owner.fetchval("SELECT pg_relation_size('tabularium.log')") == 0
        findings = [each async for each in examine(settings)]
        assert [each.check for each in findings if each.level == "fail"] == []
        assert "all 2 machines" in next(each.message for each in findings if each.check == "machines")
        # What knows nothing of machines does not touch it.
        with pytest.raises(StoreUnavailable, match="is distributed by Citus"):
            await PostgresStore.open(url)
        with pytest.raises(StoreUnavailable, match="without TABULARIUM_BOOK_SERVERS"):
            await Server.open(url)


async def test_a_distributed_log_takes_the_migrations_of_later_releases() -> None:
    later = [each for each in packaged() if each.number > DISTRIBUTED]
    async with lent_database() as url:
        await migrate(url, [each for each in packaged() if each.number <= DISTRIBUTED])
        assert await distribute(url)
        assert await migrate(url, later) == later
        assert await distribute(url)


async def test_the_doctor_names_a_table_that_is_not_distributed(url: str) -> None:
    async with connected(url) as owner:
        await owner.execute("CREATE TABLE tabularium.newer (book smallint, stream text, PRIMARY KEY (book, stream))")
        try:
            found = [each async for each in examine(Settings(database_url=url)) if each.check == "machines"]
            assert await distribute(url)
            later = [each async for each in examine(Settings(database_url=url)) if each.check == "machines"]
        finally:
            await owner.execute("DROP TABLE tabularium.newer")
    assert [(each.level, each.message) for each in found] == [
        ("fail", "the log is distributed by Citus, but for tabularium.newer"),
    ]
    assert [each.level for each in later] == ["ok"]


async def test_no_session_has_shards_hidden_from_what_asyncpg_asks_of_the_catalogs(url: str) -> None:
    rows, store = await PostgresRows.open(url), await DistributedStore.open(url)
    asked = "SELECT current_setting('citus.override_table_visibility')"
    for each in (rows, store):
        said = await each._connections.select(asked)
        assert said[0][0] == "off"
        await each.close()
    doctors, _ = await connect(url)
    assert await doctors.fetchval(asked) == "off"
    await doctors.close()


async def test_a_log_is_distributed_only_when_all_of_it_can_be() -> None:
    async with lent_database() as url:
        await migrate(url, packaged())
        async with connected(url) as owner:
            await owner.execute("DELETE FROM tabularium.books WHERE book = 3")
            with pytest.raises(MigrationError, match="all books have to be here, and open"):
                await distribute(url)
            await owner.execute("INSERT INTO tabularium.books VALUES (3, 0, TRUE)")
            await owner.execute(
                "INSERT INTO tabularium.forks (book, game, parent, version, purpose)"
                " VALUES (1, 'g1', 'g2', 1, 'analysis')"
            )
            with pytest.raises(MigrationError, match="not in the book of their game"):
                await distribute(url)
            assert not await owner.fetchval("SELECT tabularium.is_distributed()")


async def test_a_plain_database_is_not_distributed_and_says_so() -> None:
    async with shared_cluster().database() as url:
        assert not await distribute(url)
        with pytest.raises(StoreUnavailable, match="is not distributed: run `tabularium migrate`"):
            await DistributedStore.open(url)
        async with connected(url) as owner:
            with pytest.raises(asyncpg.UndefinedObjectError, match="CREATE EXTENSION citus"):
                await owner.execute("SELECT tabularium.distribute()")


async def test_the_machines_refuse_what_the_service_may_not_do(url: str, store: DistributedStore) -> None:
    await store.append(new_game("g1", key=use("k")))
    forbidden = (
        "UPDATE tabularium.log SET draws = 1",
        "DELETE FROM tabularium.log",
        "DELETE FROM tabularium.chances",
        "UPDATE tabularium.chances SET chance = ''",
        "TRUNCATE tabularium.log",
    )
    async with connected(url) as owner:
        for statement in forbidden:
            # Its own grants or, where it has the right, its triggers.
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await owner.execute(statement)
        await owner.execute("SET ROLE tabularium_service")
        for statement in (*forbidden, "UPDATE tabularium.books SET open = FALSE", "DELETE FROM tabularium.games"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await owner.execute(statement)
    for machine in await machines_of(url):
        async with connected(machine) as worker:
            await worker.execute("SET citus.override_table_visibility = off")
            shard = "SELECT min(c.oid::regclass::text) FROM pg_class c JOIN pg_trigger t ON t.tgrelid = c.oid"
            shard = await worker.fetchval(f"{shard} WHERE c.relname ~ '^log_[0-9]+$' AND c.relkind = 'r'")
            assert shard is not None  # with the triggers
            held = await worker.fetchval("SELECT rolcanlogin FROM pg_roles WHERE rolname = 'tabularium_service'")
            assert held


async def test_an_append_is_refused_that_is_not_what_it_should_be(url: str, store: DistributedStore) -> None:
    here, there = await on_two_machines(url)
    async with connected(url) as connection:
        await connection.execute("SET ROLE tabularium_service")
        with pytest.raises(ValueError, match="streams of several books"):
            await append_to(connection, [new_game(here), new_game(there)])
        call = (
            "SELECT * FROM tabularium.append_to({}::smallint, ARRAY[ROW('{}', 0, 1, '', 'running', NULL, NULL, NULL,"
            " NULL)::tabularium.command], {}, '{{}}', '{{}}', '{{}}', '{{}}')"
        )
        entry = "ARRAY[ROW('{}', 1, '{{}}', 1, 0, '', NULL, '')::tabularium.entry]"
        with pytest.raises(asyncpg.InvalidParameterValueError, match=f"{here} is of book {book_of(GameId(here))}"):
            await connection.fetch(call.format(book_of(GameId(there)), here, entry.format(here)))
        with pytest.raises(asyncpg.InvalidParameterValueError, match="not in the order of its commands"):
            await connection.fetch(call.format(book_of(GameId(here)), here, entry.format(there)))
    assert await store.events() == 0
    assert set((await store.end()).positions) == {0}


async def test_a_process_knows_from_the_start_which_games_are_on_one_machine(url: str, store: DistributedStore) -> None:
    first, second = await on_two_machines(url)
    assert store.part_of(GameId(first)) != store.part_of(GameId(second))


async def test_of_streams_that_are_named_only_the_machines_that_have_them_are_asked() -> None:
    async with telling_database() as (url, asked):
        async with connected(as_superuser(url)) as superuser:
            places = {f"g{number}": await machine_of(superuser, f"g{number}") for number in range(12)}
        here = [game for game, place in places.items() if place == places["g0"]]
        store = await DistributedStore.open(url)
        for game in here:
            await store.append(new_game(game))
        asked.clear()
        assert await store.heads([GameId(game) for game in here]) == dict.fromkeys(here, 1)
        (looked_up,) = [each for each in asked if "version AS head" in each.statement]
        assert 1 <= looked_up.tasks <= len(here)
        await store.close()


async def test_no_machine_is_asked_whether_the_store_answers() -> None:
    """Otherwise no process would count as ready while a machine is away."""
    async with telling_database() as (url, asked):
        store = await DistributedStore.open(url)
        asked.clear()
        await store.ready()
        assert sum(each.tasks for each in asked) == 0
        await store.close()


async def test_to_read_some_books_of_the_log_only_the_machines_that_have_them_are_asked() -> None:
    """Otherwise nobody could read on while a machine is away. Those that have none of it would wait for it."""
    async with telling_database() as (url, asked):
        store = await DistributedStore.open(url)
        await store.append(new_game("g1", count=3))
        start, end = Cursor.start(BOOKS), await store.end()
        windows = {book_of(GameId("g1")): 2}
        for games in (None, [GameId("g1")]):
            for query in (
                store._archived_after(start, end),
                store._between(start, windows, games),
                store._packed_between(start, windows, games),
            ):
                asked.clear()
                await store._connections.select(*query)
                assert sum(each.tasks for each in asked) == 1, query
        away = ALL - {book_of(GameId("g1"))}
        asked.clear()
        assert await store._reachable(start, None, away) == end
        assert sum(each.tasks for each in asked) == 1
        await store.close()


async def test_a_refused_append_leaves_no_gap(store: DistributedStore) -> None:
    await store.append(new_game("g1"))
    outcomes = await asyncio.gather(
        *(store.append(addition("g1", 1, count=3)) for _ in range(5)), return_exceptions=True
    )
    assert sum(isinstance(each, Conflict) for each in outcomes) == 4
    assert (await store.end()).positions[book_of(GameId("g1"))] == 4


async def test_games_are_listed_in_the_order_in_which_they_began_on_whatever_machine(store: DistributedStore) -> None:
    names = [f"g{number}" for number in range(12)]
    for name in names:
        await store.append(new_game(name))
    assert [row.game for row in await store.games()] == names[::-1]


async def test_a_book_moves_to_another_machine_and_nothing_gets_out_of_order(url: str, store: DistributedStore) -> None:
    async with connected(as_superuser(url)) as superuser:
        places = {await machine_of(superuser, f"g{number}") for number in range(12)}
        await store.append(new_game("g1"))
        version = 1
        for turn in range(2):
            await store.append(addition("g1", version, count=2, secrets=(secret(2 * turn), secret(2 * turn + 1))))
            version += 2
            there = await machine_of(superuser, "g1")
            (other,) = places - {there}
            await superuser.execute(
                "SELECT citus_move_shard_placement(get_shard_id_for_distribution_column('tabularium.books'::regclass,"
                " $1::smallint), $2, $3, $4, $5, 'block_writes')",
                *(book_of(GameId("g1")), *there, *other),
            )
            assert await machine_of(superuser, "g1") == other
    await store.append(addition("g1", version, secrets=(secret(4),)))
    loaded = await store.load(GameId("g1"))
    assert loaded is not None
    assert [each.commitment for each in loaded.secrets] == [secret(number).commitment for number in range(5)]
    assert [record.version for record in loaded.records] == [*range(1, 7)]
    assert (await store.end()).positions[book_of(GameId("g1"))] == 6


async def test_a_repetition_is_answered_when_the_machine_of_its_book_has_written(
    url: str, store: DistributedStore
) -> None:
    """A transaction that writes nothing would wait for no standby: the write has to be where the book is."""
    await store.append(new_game("g1", key=use("k")))
    async with connected(as_superuser(url)) as superuser:
        there = f":{(await machine_of(superuser, 'g1'))[1]}/"
    machines = await machines_of(url)
    before = await places(machines)
    assert await store.use_of_key(GameId("g1"), use("k").account, "k")
    assert await messages(before) == [int(there in machine) for machine in machines]
    # As the answer to a command that is sent again: the other machine may be away.
    before = await places(machines)
    assert (await store.append(new_game("g1", key=use("k")))).repeated == Added(0, 1)
    assert await messages(before) == [int(there in machine) for machine in machines]
    before = await places(machines)
    async with connected(url) as connection:
        await connection.execute("SET ROLE tabularium_service")
        assert await settle(connection) == len(machines)
    assert await messages(before) == [1] * len(machines)


async def places(machines: Iterable[str]) -> dict[str, str]:
    """Return how far each machine has written its log of changes."""
    found: dict[str, str] = {}
    for machine in machines:
        async with connected(machine) as connection:
            await connection.execute("SET citus.enable_ddl_propagation = off")
            await connection.execute("CREATE EXTENSION IF NOT EXISTS pg_walinspect")
            found[machine] = await connection.fetchval("SELECT pg_current_wal_flush_lsn()::text")
    return found


async def messages(since: Mapping[str, str]) -> list[int]:
    """Return how many messages have been written on each machine since then."""
    found: list[int] = []
    for machine, place in since.items():
        async with connected(machine) as connection:
            query = (
                "SELECT count(*) FROM pg_get_wal_records_info_till_end_of_wal($1::text::pg_lsn)"
                " WHERE resource_manager = 'LogicalMessage'"
            )
            found.append(0)
            with suppress(asyncpg.InvalidParameterValueError):  # as when nothing at all was written
                found[-1] = await connection.fetchval(query, place)
    return found
