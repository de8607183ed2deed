"""The schema is brought up to date once, by the first process that comes."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from service.base.settings import from_env
from service.cli import app, main
from service.store.backend import backend_of
from service.store.postgres.migrations import Migration, MigrationError, migrate, packaged, pending, place_of, read
from tests.helpers.postgres import connected, shared_cluster

ONE = Migration(1, "one", "CREATE TABLE tabularium.one (n integer)")
TWO = Migration(2, "two", "CREATE TABLE tabularium.two (n integer)")


@pytest.fixture
async def empty() -> AsyncIterator[str]:
    async with shared_cluster().empty_database() as url:
        yield url


async def tables(url: str) -> list[str]:
    async with connected(url) as connection:
        rows = await connection.fetch(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'tabularium' AND tablename <> 'migrations' ORDER BY 1"
        )
        return [row[0] for row in rows]


async def test_each_migration_is_applied_once(empty: str) -> None:
    assert await migrate(empty, [ONE]) == [ONE]
    assert await migrate(empty, [ONE, TWO]) == [TWO]
    assert await migrate(empty, [ONE, TWO]) == []
    assert await tables(empty) == ["one", "two"]


async def test_many_at_once_apply_each_migration_once(empty: str) -> None:
    slow = Migration(1, "one", f"SELECT pg_sleep(0.1); {ONE.sql}")
    done = await asyncio.gather(*(migrate(empty, [slow, TWO]) for _ in range(6)))
    assert sorted(map(len, done)) == [0, 0, 0, 0, 0, 2]


async def test_the_real_schema_is_made_by_many_at_once(empty: str) -> None:
    done = await asyncio.gather(*(migrate(empty, packaged()) for _ in range(3)))
    assert sorted(map(len, done)) == [0, 0, len(packaged())]


async def test_a_migration_that_fails_leaves_no_trace_and_those_before_it_stay(empty: str) -> None:
    bad = Migration(2, "bad", f"{TWO.sql}; SELECT 1 / 0")
    with pytest.raises(MigrationError, match="0002_bad failed and was rolled back: division by zero"):
        await migrate(empty, [ONE, bad])
    assert await tables(empty) == ["one"]
    assert await migrate(empty, [ONE, TWO]) == [TWO]


async def test_a_migration_that_was_changed_afterwards_is_refused(empty: str) -> None:
    await migrate(empty, [ONE])
    changed = Migration(1, "one", f"{ONE.sql} -- really")
    with pytest.raises(MigrationError, match="0001_one is not the one that was applied"):
        await migrate(empty, [changed, TWO])
    assert await tables(empty) == ["one"]


def test_a_database_that_is_further_is_left_alone() -> None:
    assert pending({1: ONE.checksum, 2: TWO.checksum, 3: "of a newer package"}, [ONE, TWO]) == []


@pytest.mark.parametrize("names", [["0000_a.sql"], ["0001_a.sql", "0001_b.sql"], ["0001_A.sql"], ["1_a.sql"]])
def test_files_have_a_number_of_their_own(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / name).touch()
    with pytest.raises(MigrationError, match="with a number of its own"):
        read(tmp_path)


def test_files_are_applied_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for name in ("0007_b.sql", "0001_c.sql", "0010_a.sql"):
        (tmp_path / name).touch()
    assert [migration.number for migration in read(tmp_path)] == [1, 7, 10]


async def test_a_database_that_cannot_be_reached_is_named_without_its_password() -> None:
    with pytest.raises(MigrationError, match=r"database games at 127\.0\.0\.1:1 cannot be reached") as error:
        await migrate("postgresql://me:sesame@127.0.0.1:1/games", [ONE])
    assert "sesame" not in str(error.value)
    assert place_of("postgresql:///games") == "database games at the local socket"


async def test_the_command_migrates_and_says_what_it_did(empty: str) -> None:
    runner = CliRunner()
    first = await asyncio.to_thread(runner.invoke, app, ["migrate", "--url", empty])
    assert first.exit_code == 0
    assert first.output.startswith("applied 0001_roles\n")
    again = await asyncio.to_thread(runner.invoke, app, ["migrate"], env={"TABULARIUM_DATABASE_URL": empty})
    assert again.output.endswith("is up to date\n")
    assert "applied" not in again.output


async def test_the_command_gives_books_to_servers(empty: str) -> None:
    async with shared_cluster().empty_database() as other:
        given = {"TABULARIUM_DATABASE_URL": empty, "TABULARIUM_BOOK_SERVERS": f"48-63={other}"}
        for _ in range(2):
            done = await asyncio.to_thread(CliRunner().invoke, app, ["migrate"], env=given)
            assert done.exit_code == 0, done.output
            last = done.output.splitlines()[-2:]
            assert [line.rpartition(" keeps ")[2] for line in last] == ["the books 0-47", "the books 48-63"]
        store = await backend_of(from_env(given)).open_store()
        assert await store.events() == 0
        await store.close()


def test_the_command_says_in_one_line_what_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TABULARIUM_DATABASE_URL", raising=False)
    for arguments, code, says in (
        (["migrate"], 2, "there is no database to migrate"),
        (["migrate", "--url", "mysql://me:sesame@127.0.0.1/games"], 2, "TABULARIUM_DATABASE_URL="),
        (["migrate", "--url", "postgresql://me:sesame@127.0.0.1:1/games"], 1, "cannot be reached"),
    ):
        with pytest.raises(SystemExit) as end:
            main(arguments)
        said = "".join(capsys.readouterr())
        assert (end.value.code, said.count("\n")) == (code, 1)
        assert says in said
        assert "sesame" not in said
