"""What is PostgreSQL's own: its grants, its views, commits whose answer got lost, and restarts."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from domain.kernel.ids import GameId
from domain.kernel.log.record import genesis
from service.store.accounts import PlayerRow, TokenId, TokenRow
from service.store.postgres import connections as postgres_connections
from service.store.postgres.migrations import migrate, packaged
from service.store.postgres.store import PostgresStore
from service.store.protocol import Added, Appended, Conflict, StoreDamaged, StoreError, StoreUnavailable
from tests.helpers.postgres import OWNER, Cluster, connected, shared_cluster
from tests.helpers.postgres import cluster as own_cluster
from tests.service.store.batches import ANNA, AT, BLUE, RED, addition, new_game, secret, use
from tests.service.store.test_cases import opened as opened_case

G = GameId("g1")


@pytest.fixture
def cluster() -> Cluster:
    return shared_cluster()


@pytest.fixture
async def url(cluster: Cluster) -> AsyncIterator[str]:
    async with cluster.database() as lent:
        yield lent


@pytest.fixture
async def store(url: str) -> AsyncIterator[PostgresStore]:
    opened = await PostgresStore.open(url)
    yield opened
    await opened.close()


def name_of(url: str) -> str:
    return url.rpartition("/")[2]


# --- grants ---


@pytest.mark.parametrize("role", ["tabularium_service", OWNER])
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE tabularium.log SET event = '{}'",
        "UPDATE tabularium.log SET game = 'g2'",
        "DELETE FROM tabularium.log",
        "TRUNCATE tabularium.log",
        "DELETE FROM tabularium.secrets",
        "UPDATE tabularium.secrets SET value = '1'",
        "TRUNCATE tabularium.secrets",
        "UPDATE tabularium.chances SET chance = ''",
    ],
)
async def test_the_database_refuses_to_change_what_was_written(
    url: str, store: PostgresStore, role: str, statement: str
) -> None:
    await store.append(new_game("g1", count=2))
    await store.append(addition("g1", 2, secrets=(secret(1, RED),)))
    async with connected(url) as connection:
        await connection.execute(f"SET ROLE {role}")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(statement)
    assert await store.head(G) == 3
    assert len(await store.read(G)) == 3


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE tabularium.log SET event = '{}'",
        "UPDATE tabularium.keys SET version = 1",
        "UPDATE tabularium.boards SET file = '{}'",
        "UPDATE tabularium.games SET ruleset_version = 2",
        "DELETE FROM tabularium.games",
        "DELETE FROM tabularium.players",
        "DELETE FROM tabularium.tokens",
        "UPDATE tabularium.tokens SET player = 'pbert'",
        "UPDATE tabularium.tokens SET hash = ''",
        "UPDATE tabularium.tokens SET scopes = 'admin'",
        "UPDATE tabularium.identities SET subject = 'pbert'",
        "UPDATE tabularium.joinings SET kept = 'pbert'",
        "SELECT setval('tabularium.positions', 1)",
        "ALTER TABLE tabularium.log DISABLE TRIGGER ALL",
        "INSERT INTO tabularium.migrations VALUES (99, 'x', 'x')",
        "CREATE TABLE tabularium.mine (n integer)",
    ],
)
async def test_the_service_may_do_no_more_than_it_does(url: str, statement: str) -> None:
    async with connected(url) as connection:
        await connection.execute("SET ROLE tabularium_service")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(statement)


async def test_an_auditor_reads_the_views_and_nothing_hidden(url: str, cluster: Cluster, store: PostgresStore) -> None:
    await store.append(new_game("g1"))
    async with connected(cluster.url(name_of(url), "superuser")) as connection:
        await connection.execute("SET ROLE tabularium_auditor")
        for view in ("v_events", "v_games", "v_commands", "v_seats", "v_chain"):
            assert await connection.fetch(f"SELECT * FROM tabularium.{view}")
        for table in ("log", "secrets", "chances", "players", "tokens", "identities", "keys", "boards"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.fetch(f"SELECT * FROM tabularium.{table}")


async def test_the_service_may_log_in_as_whoever_holds_its_role(url: str, cluster: Cluster) -> None:
    cluster.sql("CREATE ROLE plain LOGIN", "CREATE ROLE member LOGIN IN ROLE tabularium_service")
    try:
        store = await PostgresStore.open(cluster.url(name_of(url), "member"))
        assert await store.append(new_game("g1")) == Appended(1)
        await store.close()
        with pytest.raises(StoreUnavailable, match="permission denied"):
            await PostgresStore.open(cluster.url(name_of(url), "plain"))
    finally:
        cluster.sql("DROP ROLE plain", "DROP ROLE member")


# --- for auditors ---


async def test_the_views_show_the_log_as_it_was_hashed(url: str, store: PostgresStore) -> None:
    seats = {RED: ANNA, BLUE: None}
    await store.append(new_game("g1", count=2, seats=seats))
    await store.append(addition("g1", 2, text='"quoted" \\ “ναί”\n\0'))
    kept = await store.read(G)
    async with connected(url) as connection:
        rows = await connection.fetch("SELECT * FROM tabularium.v_events WHERE version < 3 ORDER BY position")
        assert [(row["version"], row["type"], row["event"].encode()) for row in rows] == [
            (record.version, "noted", record.event) for record in kept[:2]
        ]
        assert (rows[0]["player"], rows[0]["seat"], rows[0]["hash"]) == (ANNA, RED, kept[0].hash.hex())
        assert (rows[1]["player"], rows[1]["command"]) == (None, None)
        (row,) = await connection.fetch("SELECT * FROM tabularium.v_games")
        assert (row["game"], row["status"], row["version"], row["title"]) == ("g1", "running", 3, "A game")
        places = await connection.fetch("SELECT place, seat, player FROM tabularium.v_seats ORDER BY place")
        assert [tuple(place) for place in places] == [(1, "red", ANNA), (2, "blue", None)]


async def test_the_chain_is_checked_in_sql(url: str, cluster: Cluster, store: PostgresStore) -> None:
    before = (await _chained(store, "g1", 12), await _chained(store, "g2", 3))
    assert all(before)
    async with connected(url) as connection:
        broken = "SELECT game, version FROM tabularium.v_chain WHERE NOT holds"
        assert await connection.fetch(broken) == []
        assert await connection.fetchval("SELECT count(*) FROM tabularium.v_chain") == 15
        cluster.sql(
            "SET session_replication_role = replica",
            "UPDATE tabularium.log SET draws = 99 WHERE game = 'g1' AND version = 7",
            database=name_of(url),
        )
        assert [tuple(row) for row in await connection.fetch(broken)] == [("g1", 7)]


async def _chained(store: PostgresStore, game: str, count: int) -> bool:
    await store.append(new_game(game, count=count))
    return (await store.read(GameId(game)))[0].hash != genesis(GameId(game))


# --- what a commit means ---


async def test_nothing_is_acknowledged_before_it_is_committed(cluster: Cluster) -> None:
    """Here the last moment at which a commit can fail does fail."""
    async with cluster.empty_database() as url:
        await migrate(url, packaged())
        store = await PostgresStore.open(url)
        await store.append(new_game("g1"))
        async with connected(url) as owner:
            await owner.execute(
                "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS"
                " $$ BEGIN RAISE 'too late' USING ERRCODE = 'disk_full'; END $$;"
                "CREATE CONSTRAINT TRIGGER late AFTER INSERT ON tabularium.keys DEFERRABLE INITIALLY DEFERRED"
                " FOR EACH ROW EXECUTE FUNCTION fail()"
            )
        with pytest.raises(StoreUnavailable, match="too late"):
            await store.append(addition("g1", 1, key=use("k")))
        assert await store.head(G) == 1
        assert await store.append(addition("g1", 1)) == Appended(2)
        await store.close()


class Cut:
    """A connection that is cut when the answer to an append is on its way."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    async def fetch(self, *arguments: Any) -> Any:
        await self._connection.fetch(*arguments)
        raise ConnectionResetError("cut off")


async def cut(store: PostgresStore) -> None:
    store._writers[0]._lanes[0] = Cut(await store._connections.connect())


async def test_a_commit_whose_answer_got_lost_is_recognized(store: PostgresStore) -> None:
    await cut(store)
    assert await store.append(new_game("g1", count=2)) == Appended(2)
    await cut(store)
    assert await store.append(addition("g1", 2)) == Appended(3)
    await cut(store)
    assert await store.append(addition("g1", 3, key=use("k"))) == Appended(4)
    assert [record.version for record in await store.read(G)] == [1, 2, 3, 4]
    assert (await store.append(addition("g1", 9, key=use("k")))).repeated == Added(3, 4)


async def test_somebody_elses_commit_is_not_taken_for_ones_own(store: PostgresStore) -> None:
    await store.append(new_game("g1"))
    await store.append(addition("g1", 1, text="theirs"))
    await cut(store)
    with pytest.raises(Conflict):
        await store.append(addition("g1", 1, text="ours"))


async def test_connections_that_the_database_ends_are_replaced(url: str, store: PostgresStore) -> None:
    await store.append(new_game("g1"))

    async def write() -> None:
        for version in range(1, 60):
            assert await store.append(addition("g1", version)) == Appended(version + 1)

    async def end_connections() -> None:
        async with connected(url) as connection:
            for _ in range(15):
                await connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                    " AND backend_type = 'client backend'"
                )
                await asyncio.sleep(0.02)
                assert await store.head(G) >= 1

    await asyncio.gather(write(), end_connections())
    assert [record.version for record in await store.read(G)] == list(range(1, 61))


async def test_a_case_needs_no_second_connection_while_it_holds_one(url: str) -> None:
    """With one for each of many that wait for the lock of a book, none would be left for the one that has it."""
    store = await PostgresStore.open(url, connections=1)
    await store.append(new_game(G))
    assert await asyncio.wait_for(store.append(opened_case()), 30) == Appended(1)
    await store.close()


async def test_a_connection_is_not_used_again_when_its_question_was_cancelled(url: str) -> None:
    store = await PostgresStore.open(url, connections=1)
    ask = store._connections.patiently

    async def wait(connection: Any) -> None:
        async with connection.transaction():
            asked.set_result(await connection.fetchval("SELECT pg_backend_pid()"))
            await connection.fetchval("SELECT pg_sleep(600)")

    asked = asyncio.get_running_loop().create_future()
    waiting = asyncio.create_task(ask(wait))
    cancelled = await asked
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await ask(lambda connection: connection.fetchval("SELECT pg_backend_pid()")) != cancelled
    await store.close()


async def test_a_question_is_asked_again_whose_connection_another_task_ends_between_its_steps(
    store: PostgresStore,
) -> None:
    tries = 0

    async def work(connection: Any) -> Any:
        nonlocal tries
        tries += 1
        if tries == 1:
            connection.add_log_listener(lambda *_: store._connections.distrust())
        # PostgreSQL notes that the name is too long when it has parsed this, before it is told to execute it.
        return await connection.fetchval(f"SELECT 1 AS {'a' * 64}")

    assert await store._connections.patiently(work) == 1
    assert tries == 2


async def test_a_cancelled_question_is_not_asked_again_though_its_connection_is_lost(url: str) -> None:
    store = await PostgresStore.open(url)
    asked: list[None] = []

    async def lose(connection: Any) -> None:
        asked.append(None)
        connection.terminate()
        while connection._con is not None:  # noqa: ASYNC110  # until the pool has it back
            await asyncio.sleep(0)
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await store._connections.patiently(lose)
    assert len(asked) == 1
    await store.close()


async def test_a_restart_as_after_a_power_failure_loses_and_doubles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_connections, "PATIENCE", 60)  # a busy machine takes its time to start a server
    with own_cluster() as cluster:
        async with cluster.database() as url:
            store = await PostgresStore.open(url)
            games = [f"g{number}" for number in range(4)]
            acknowledged: dict[str, int] = {}
            stop = asyncio.Event()

            async def write(game: str) -> None:
                acknowledged[game] = (await store.append(new_game(game))).version
                while not stop.is_set():
                    acknowledged[game] = (await store.append(addition(game, acknowledged[game]))).version

            async def written(more: int) -> None:
                """Return when `more` further versions of each game are acknowledged."""
                wanted = {game: acknowledged.get(game, 0) + more for game in games}
                while any(acknowledged.get(game, 0) < wanted[game] for game in games):  # noqa: ASYNC110
                    await asyncio.sleep(0.01)

            writing = asyncio.gather(*map(write, games))
            async with asyncio.timeout(300):
                for _ in range(3):
                    await written(5)
                    await asyncio.to_thread(cluster.restart)
                await written(5)
            stop.set()
            await writing
            for game in games:
                kept = [record.version for record in await store.read(GameId(game))]
                assert kept == list(range(1, acknowledged[game] + 1))
            await store.close()


async def test_a_database_that_stays_away_is_said_to_be_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_connections, "PATIENCE", 0.2)
    with own_cluster() as cluster:
        async with cluster.database() as url:
            store = await PostgresStore.open(url)
            await store.append(new_game("g1"))
            await asyncio.to_thread(cluster.halt)
            for question in (store.append(addition("g1", 1)), store.head(G), store.ready()):
                with pytest.raises(StoreUnavailable, match=f"database {name_of(url)} at 127"):
                    await question
            await asyncio.to_thread(cluster.start)
            assert await store.append(addition("g1", 1)) == Appended(2)
            await store.ready()
            await store.close()


# --- what may be wrong with a database ---


async def test_a_database_without_the_schema_says_what_to_do(cluster: Cluster) -> None:
    async with cluster.empty_database() as url:
        with pytest.raises(StoreUnavailable, match="tabularium migrate"):
            await PostgresStore.open(url)
        await migrate(url, packaged()[:-1])
        with pytest.raises(StoreUnavailable, match=rf"lacks migration {packaged()[-1].number:04}.*tabularium migrate"):
            await PostgresStore.open(url)


async def test_a_database_that_is_not_there_is_named_without_the_password(cluster: Cluster) -> None:
    url = cluster.url("nowhere").replace("@", ":sesame@")
    with pytest.raises(StoreUnavailable, match="database nowhere at 127") as error:
        await PostgresStore.open(url)
    assert "sesame" not in str(error.value)


async def test_a_secret_that_cannot_be_read_is_damage(url: str, cluster: Cluster, store: PostgresStore) -> None:
    await store.append(new_game("g1"))
    await store.append(addition("g1", 1, secrets=(secret(1, RED),)))
    cluster.sql(
        "SET session_replication_role = replica", "UPDATE tabularium.secrets SET readers = '7'", database=name_of(url)
    )
    with pytest.raises(StoreDamaged, match="secret of game g1"):
        await store.load(G)


async def test_accounts_and_tokens_are_stored_once_although_the_answer_got_lost(store: PostgresStore) -> None:
    row = PlayerRow(ANNA, "Anna", AT)
    token, next_one = (TokenRow(TokenId(name), ANNA, name, ("play",), AT) for name in ("t1", "t2"))
    for _ in range(2):
        await store.accounts.add(row)
        await store.accounts.add_token(token, b"hash")
    for _ in range(2):
        assert await store.accounts.replace_token(token.token, AT, next_one, b"next")
    with pytest.raises(asyncpg.UniqueViolationError):
        await store.accounts.add(PlayerRow(ANNA, "Another", AT))
    with pytest.raises(asyncpg.UniqueViolationError):
        await store.accounts.add_token(TokenRow(TokenId("t3"), ANNA, "t3", ("play",), AT), b"hash")


@pytest.mark.parametrize(("durable", "said"), [(True, "on"), (False, "off")])
async def test_a_durable_store_waits_for_the_disk_whatever_the_database_is_set_to(
    url: str, cluster: Cluster, durable: bool, said: str
) -> None:
    cluster.sql(f"ALTER DATABASE {name_of(url)} SET synchronous_commit = off")
    try:
        store = await PostgresStore.open(url, durable=durable)
        connection = await store._connections.connect()
        assert await connection.fetchval("SHOW synchronous_commit") == said
        assert await connection.fetchval("SELECT current_user") == "tabularium_service"
        await connection.close()
        await store.close()
    finally:
        cluster.sql(f"ALTER DATABASE {name_of(url)} RESET synchronous_commit")


async def test_whatever_the_driver_says_is_said_in_the_words_of_a_store(store: PostgresStore) -> None:
    """What is neither about what was given nor a store's own error would be a fault of ours to a client."""
    raised = [
        kind for kind in vars(asyncpg.exceptions).values() if isinstance(kind, type) and issubclass(kind, Exception)
    ]
    assert {asyncpg.InternalClientError, asyncpg.ConnectionDoesNotExistError, asyncpg.DeadlockDetectedError} < {*raised}
    for kind in raised:
        error = kind("boom")
        told = store._connections.translated(error)
        assert isinstance(told, StoreError) or postgres_connections.is_spoilt(error) or issubclass(kind, Warning), kind
