"""A store of an older schema goes on: its games, its accounts, and the tokens that people have."""

import gzip
import hashlib
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from domain.kernel.ids import CaseId, GameId, PlayerId, RuleId
from service.base.clock import later, stamp, utc_now
from service.base.scopes import EVERYBODYS
from service.games.creating import create_game
from service.games.views import viewer_of
from service.store.postgres.migrations import migrate, packaged
from service.store.postgres.store import PostgresStore
from service.store.postgres.writer import APPEND, arguments
from service.store.protocol import Append, EventStore, Opening, StoreUnavailable
from service.store.sqlite import schema as sqlite_schema
from service.store.sqlite.file import check_file
from service.store.sqlite.store import SqliteStore
from tests.helpers.postgres import connected, shared_cluster
from tests.service.rig import ANNA, Rig, caller, open_rig
from tests.service.store.batches import new_game, use

FIRST = Path(__file__).with_name("schema-1.db.gz")
"""A database of schema version 1: the accounts of Anna and Bert, and a game of two rounds."""

SECOND = Path(__file__).with_name("schema-2.db.gz")
"""A database of schema version 2: a whole game of two rounds, each request with a key and the answer to it."""

GAME, VERSION = GameId("gdxgz6jc3wbub6rik"), 12
SINCE = "2026-11-20T18:00:00.000000Z"
KEYS = 12
"""The migration since which no answers are kept."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tabularium.db"
    path.write_bytes(gzip.decompress(FIRST.read_bytes()))
    return path


def opened(path: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(path, isolation_level=None))


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA user_version").fetchone()[0]


async def check_accounts(store: EventStore) -> None:
    for player, name, value in (("panna", "Anna", "tab_of-anna"), ("pbert", "Bert", "tab_of-bert")):
        found = await store.accounts.by_digest(hashlib.sha256(value.encode()).digest())
        assert found is not None, name
        token, account = found
        assert (account.player, account.name, account.created, account.scopes) == (player, name, SINCE, EVERYBODYS)
        assert (token.player, token.name, token.scopes) == (player, "registration", EVERYBODYS)
        assert (token.created, token.ends, token.revoked, token.used) == (SINCE, None, None, None)
    assert (
        len({row.token for each in ("panna", "pbert") for row in await store.accounts.tokens(PlayerId(each), SINCE)})
        == 2
    )


async def test_a_file_of_the_first_schema_is_brought_up_to_date(file: Path) -> None:
    assert version_of(file) == 1
    async with open_rig(file.parent) as rig:
        await check_accounts(rig.store)
        assert (await rig.accounts.callers.authenticate("tab_of-anna")).player == "panna"
        assert (await rig.games.game(GAME)).version == VERSION
        await rig.play_round(GAME)
    assert version_of(file) == sqlite_schema.SCHEMA_VERSION
    assert check_file(file)
    async with open_rig(file.parent) as rig:
        await check_accounts(rig.store)
        assert (await rig.games.game(GAME)).version > VERSION


async def test_a_file_that_was_brought_up_to_date_is_like_a_new_one(file: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.db"
    for path in (file, new):
        await (await SqliteStore.open(path)).close()

    def schema(path: Path) -> list[tuple[str, ...]]:
        with closing(sqlite3.connect(path)) as connection:
            return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY 1, 2").fetchall()

    assert schema(file) == schema(new)


async def test_a_step_that_fails_leaves_the_file_as_it_was(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = ("", "DROP TABLE keys;\nINSERT INTO nowhere VALUES (1);\n")
    monkeypatch.setattr(sqlite_schema, "STEPS", bad)
    with opened(file) as connection, pytest.raises(sqlite3.OperationalError, match="nowhere"):
        sqlite_schema.bring_up_to_date(connection)
    monkeypatch.undo()
    assert version_of(file) == 1
    await (await SqliteStore.open(file)).close()


async def test_a_file_whose_last_transaction_brought_it_up_to_date_is_no_damage(file: Path, tmp_path: Path) -> None:
    """A killed process leaves the new schema in the write-ahead log, and the old version in the file's header."""
    killed = tmp_path / "killed"
    killed.mkdir()
    with opened(file) as connection:
        sqlite_schema.bring_up_to_date(connection)
        for name in ("tabularium.db", "tabularium.db-wal", "tabularium.db-shm"):
            shutil.copy(tmp_path / name, killed / name)
    header = (killed / "tabularium.db").read_bytes()[:100]
    assert int.from_bytes(header[60:64]) == 1
    store = await SqliteStore.open(killed / "tabularium.db")
    await check_accounts(store)
    await store.close()


# --- answers that were kept ---


@pytest.fixture
def with_answers(tmp_path: Path) -> Path:
    path = tmp_path / "tabularium.db"
    path.write_bytes(gzip.decompress(SECOND.read_bytes()))
    return path


def kept_answers(path: Path) -> list[tuple[str, str, str, bytes, bytes]]:
    with opened(path) as connection:
        return connection.execute("SELECT game, account, key, fingerprint, answer FROM keys").fetchall()


async def check_answers(rig: Rig, rows: list[tuple[str, str, str, bytes, bytes]]) -> None:
    """Check that answers that were kept are made again from the log."""
    for game, account, key, fingerprint, answer in rows:
        use = await rig.store.use_of_key(GameId(game), PlayerId(account), key)
        assert use is not None
        assert use.fingerprint == fingerprint
        done = await rig.games.done_before(GameId(game), use.added)
        viewer = viewer_of(done.state, caller(PlayerId(account)))
        again = msgspec.json.decode(msgspec.json.encode(done.seen_by(viewer)))
        for event in again["events"]:
            assert event.pop("ruleset") == "tiny-auction"  # which events did not name when these answers were given
        assert again == {**msgspec.json.decode(answer), "repeated": True}


async def test_answers_that_were_kept_are_made_again_of_the_log(with_answers: Path) -> None:
    rows = kept_answers(with_answers)
    assert len(rows) == 12
    async with open_rig(with_answers.parent) as rig:
        await check_answers(rig, rows)
        repeated = await create_game(
            rig.games, ANNA, "tiny-auction", 2, {"rounds": 2}, title="Kept answers", key="create"
        )
        assert (repeated.repeated, repeated.version) == (True, 1)
    with opened(with_answers) as connection:
        assert connection.execute("SELECT count(*) FROM keys").fetchone() == (12,)


async def test_keys_of_before_end_as_if_they_had_been_used_at_the_upgrade(with_answers: Path) -> None:
    before = stamp(utc_now)
    store = await SqliteStore.open(with_answers)
    assert await store.forget_keys(before, 100) == 0
    assert await store.forget_keys(later(stamp(utc_now), timedelta(seconds=1)), 100) == 12
    await store.close()


# --- PostgreSQL ---


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[str]:
    """A database of the first schema, with the accounts of Anna and Bert."""
    async with shared_cluster().empty_database() as url:
        await migrate(url, [migration for migration in packaged() if migration.number <= 5])
        async with connected(url) as connection:
            await connection.execute("SET ROLE tabularium_service")
            for player, name in (("panna", "Anna"), ("pbert", "Bert")):
                await register_as_before(connection, player, name)
        yield url


async def register_as_before(connection: object, player: str, name: str) -> None:
    digest = hashlib.sha256(f"tab_of-{name.lower()}".encode()).digest()
    await connection.execute(  # type: ignore[reportAttributeAccessIssue]
        "WITH account AS (INSERT INTO tabularium.players (player, name, created) VALUES ($1, $2, $3))"
        " INSERT INTO tabularium.tokens (hash, player) VALUES ($4, $1)",
        player,
        name,
        SINCE,
        digest,
    )


async def test_a_database_of_the_first_schema_is_migrated(database: str) -> None:
    with pytest.raises(StoreUnavailable, match="run `tabularium migrate`"):
        await PostgresStore.open(database)
    await migrate(database, packaged())
    store = await PostgresStore.open(database)
    await check_accounts(store)
    await store.close()


async def test_answers_that_were_kept_in_a_database_are_made_again_of_the_log(with_answers: Path) -> None:
    rows = kept_answers(with_answers)
    old = await SqliteStore.open(with_answers)
    async with shared_cluster().empty_database() as url:
        await migrate(url, [migration for migration in packaged() if migration.number < KEYS])
        stored = await old.load(GameId(rows[0][0]))
        row = await old.game(GameId(rows[0][0]))
        assert stored is not None
        assert row is not None
        board = msgspec.json.decode(stored.records[0].event)["board"]
        file = await old.board(board)
        assert file is not None
        async with connected(url) as connection:
            await connection.executemany(
                "INSERT INTO tabularium.keys (game, account, key, fingerprint, answer) VALUES ($1, $2, $3, $4, $5)",
                rows,
            )
        await migrate(url, packaged())
        async with open_rig(with_answers.parent, database_url=url) as rig:
            opening = Opening(row.ruleset, row.ruleset_version, row.title, row.organizer, stored.chance, board, file)
            await rig.store.append(
                Append(row.game, 0, stored.records, row.status, stored.secrets, seats=row.seats, opening=opening)
            )
            await check_answers(rig, rows)
            assert await rig.store.forget_keys(later(stamp(utc_now), timedelta(seconds=1)), 100) == 12
    await old.close()


async def test_a_process_of_before_still_appends_under_keys_and_finds_their_answers() -> None:
    async with shared_cluster().database() as url, connected(url) as connection:
        await connection.execute("SET ROLE tabularium_service")
        batch = new_game("g1", key=use("k"))
        commands, *others = arguments([batch])
        commands = [(*commands[0][:-1], b"the answer")]
        statement = APPEND.replace("after, version", "answer")
        for outcome in ("accepted", "repeated"):
            (row,) = await connection.fetch(statement, commands, *others)
            assert row["outcome"] == outcome
        assert row["answer"] == b"the answer"


async def test_a_process_of_the_first_landing_still_registers_players(database: str) -> None:
    await migrate(database, packaged())
    async with connected(database) as connection:
        await connection.execute("SET ROLE tabularium_service")
        await register_as_before(connection, "pcarl", "Carl")
    store = await PostgresStore.open(database)
    (token,) = await store.accounts.tokens(PlayerId("pcarl"), SINCE)
    assert token.scopes == EVERYBODYS
    assert token.created > SINCE
    await store.close()


# --- who may be named an official ---

GRANTED = {
    "account play organize": "account play organize judge notify",
    "organize": "organize judge",
    "play organize audit": "play organize judge audit notify",
    "account play": "account play notify",
    "organize judge": "organize judge",
    "": "",
}
"""What an account could be granted before there were officials and webhooks, and what it is granted since."""
TOKENS = GRANTED | {"organize": "organize", "play organize audit": "play organize audit"}
"""The same of tokens: one that cannot make others gains nothing."""
JUDGES = 14
"""The migration since which there are officials."""


async def test_who_may_organize_may_judge_in_a_file(file: Path) -> None:
    with opened(file) as connection:
        for statement in sqlite_schema._statements(sqlite_schema.script(1, 4)):
            connection.execute(statement)
        for number, scopes in enumerate(GRANTED):
            connection.execute("INSERT INTO players VALUES (?, 'N', 'c', ?, NULL, NULL)", (f"p{number}", scopes))
            row = (f"t{number}", f"p{number}", scopes, bytes([number]))
            connection.execute(
                "INSERT INTO tokens (token, player, name, scopes, created, hash) VALUES (?, ?, '', ?, 'c', ?)", row
            )
    await (await SqliteStore.open(file)).close()
    with opened(file) as connection:
        for number, scopes in enumerate(GRANTED):
            (now,) = connection.execute("SELECT scopes FROM players WHERE player = ?", (f"p{number}",)).fetchone()
            (of_token,) = connection.execute("SELECT scopes FROM tokens WHERE token = ?", (f"t{number}",)).fetchone()
            assert (now, of_token) == (GRANTED[scopes], TOKENS[scopes])


async def test_who_may_organize_may_judge_in_postgres(database: str) -> None:
    await migrate(database, [each for each in packaged() if each.number < JUDGES])
    async with connected(database) as connection:
        for number, scopes in enumerate(GRANTED):
            player, hashed = f"p{number}", bytes([number]) * 32
            await connection.execute(
                "INSERT INTO tabularium.players (player, name, created, scopes) VALUES ($1, 'N', 'c', $2)",
                player,
                scopes,
            )
            await connection.execute(
                "INSERT INTO tabularium.tokens (hash, player, scopes) VALUES ($1, $2, $3)", hashed, player, scopes
            )
    await migrate(database, packaged())
    async with connected(database) as connection:
        for number, scopes in enumerate(GRANTED):
            now = await connection.fetchval("SELECT scopes FROM tabularium.players WHERE player = $1", f"p{number}")
            of_token = await connection.fetchval("SELECT scopes FROM tabularium.tokens WHERE player = $1", f"p{number}")
            assert (now, of_token) == (GRANTED[scopes], TOKENS[scopes])


# --- the rulings that a store has already ---

RULINGS = 26
"""The migration since which rulings are found without reading cases."""

OLD_CASES = (
    "INSERT INTO {0}cases (stream, game, number, status, kind, about, matter, player, rules, version, created, changed)"
    " VALUES ('cold', 'g1', 1, 'final', 'move', 1, '1', 'panna', '[\"TAB-UNDO-02\"]', 3, '', '')",
    "INSERT INTO {0}cited (rule, stream) VALUES ('TAB-UNDO-02', 'cold')",
)
OLD_EVENTS = ("case-opened", "ruled", "ruled-finally")


async def check_rulings(store: EventStore) -> None:
    assert [each.case for each in await store.precedents([RuleId("TAB-UNDO-02")], 5)] == ["cold"]
    assert [each.version for each in (await store.rulings([CaseId("cold")]))[CaseId("cold")]] == [2, 3]


async def test_a_file_finds_the_rulings_that_it_has(file: Path) -> None:
    with opened(file) as connection:
        for statement in sqlite_schema._statements(
            sqlite_schema.script(1, sqlite_schema.STEPS.index(sqlite_schema._RULINGS))
        ):
            connection.execute(statement)
        for statement in OLD_CASES:
            connection.execute(statement.format(""))
        for version, kind in enumerate(OLD_EVENTS, 1):
            connection.execute(
                "INSERT INTO events (game, version, event, schema, draws, at, hash) VALUES ('cold', ?, ?, 1, 0, '', ?)",
                (version, msgspec.json.encode({"type": kind}).decode(), bytes(32)),
            )
    store = await SqliteStore.open(file)
    await check_rulings(store)
    await store.close()


async def test_postgres_finds_the_rulings_that_it_has(database: str) -> None:
    await migrate(database, [each for each in packaged() if each.number < RULINGS])
    async with connected(database) as connection:
        for statement in OLD_CASES:
            await connection.execute(statement.format("tabularium."))
        for version, kind in enumerate(OLD_EVENTS, 1):
            await connection.execute(
                "INSERT INTO tabularium.events (game, version, position, event, schema, draws, at, hash)"
                " VALUES ('cold', $1::integer, $1::integer, $2, 1, 0, '2026-11-20T18:00:00.000000Z', $3)",
                version,
                msgspec.json.encode({"type": kind}).decode(),
                bytes(32),
            )
    await migrate(database, packaged())
    store = await PostgresStore.open(database)
    await check_rulings(store)
    await store.close()


"""The migration since which all tables about streams have a book."""
