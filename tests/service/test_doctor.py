"""What the doctor says of a database, or a data directory, that is broken on purpose."""

import hashlib
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from service.base.clock import utc_now
from service.base.settings import Settings
from service.doctor import Finding, examine, postgres
from service.doctor.embedded import GIB
from service.doctor.grants import ROLE, Grant, granted, missing
from service.dumps.index import DumpFile, DumpSet, write_index
from service.store.backend import backend_of
from service.store.postgres import migrations
from service.store.postgres.books import spans
from service.store.postgres.hosts import Hosts
from service.transparency.keys import log_key, new_key
from service.transparency.sequencer import Sequencer
from service.webhooks import secrets
from service.webhooks.push import new_push_key
from tests.helpers.issuer import provider
from tests.helpers.postgres import Cluster, cluster, shared_cluster
from tests.helpers.redis import server
from tests.service.rig import open_rig
from tests.service.store.adapters import servers
from tests.service.store.batches import new_game
from tests.service.transparency.logs import EverybodysLessor

Report = dict[str, Finding]


@pytest.fixture
async def url() -> AsyncIterator[str]:
    """A database of its own that is migrated: what is broken in it stays broken."""
    async with shared_cluster().empty_database() as url:
        await migrations.migrate(url, migrations.packaged())
        yield url


async def report(clock: Callable[[], datetime] = utc_now, **settings: Any) -> Report:
    """Return the findings by what was looked at."""
    keys: dict[str, Any] = {
        "log_key": new_key("games.example/log", bytes),
        "webhook_key": secrets.new_key(),
        "push_key": new_push_key(),
    }
    key = keys if "database_url" in settings else {}
    return {finding.check: finding async for finding in examine(Settings(**key | settings), clock)}


def failing(found: Report) -> list[str]:
    return [check for check, finding in found.items() if finding.level != "ok"]


def execute(url: str, *statements: str) -> None:
    shared_cluster().sql(*statements, database=url.rpartition("/")[2])


async def test_all_is_well_with_a_database_that_was_migrated(url: str):
    found = await report(database_url=url)
    assert failing(found) == []
    assert "every" not in found["grants"].message
    assert not any(finding.remedy for finding in found.values())
    version, *_ = shared_cluster().sql("SHOW server_version").split()
    assert found["database"].message.endswith(f"; PostgreSQL {version}")
    assert found["connections"].message.endswith("a process of the service takes up to 10")  # 8 that read, 2 that write


async def test_what_is_tried_leaves_nothing_behind(url: str):
    tables = "log", "heads", "games", "keys", "boards", "secrets", "chances", "seated"
    await report(database_url=url)
    connection = await asyncpg.connect(url)
    for table in tables:
        assert await connection.fetchval(f"SELECT count(*) FROM tabularium.{table}") == 0, table
    await connection.close()


@pytest.mark.parametrize(
    "taken",
    [
        "UPDATE tabularium.heads SET game = game",
        "DELETE FROM tabularium_rows.leases",
        "UPDATE tabularium.log SET at = at",
        *(f"SELECT * FROM tabularium.v_{view}" for view in ("events", "games", "commands", "seats", "chain")),
    ],
)
async def test_the_service_may_not_do_what_it_never_does(url: str, taken: str):
    connection = await asyncpg.connect(url)
    await connection.execute(f"SET ROLE {ROLE}")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute(taken)
    await connection.close()


async def test_the_grants_of_the_migrations_are_read_from_their_files(url: str):
    wanted = granted(migrations.packaged())
    assert Grant("TABLE", "tabularium.keys", "SELECT") in wanted
    assert Grant("COLUMN", "tabularium.games", "UPDATE", "seats") in wanted
    assert Grant("FUNCTION", "tabularium.append", "EXECUTE") in wanted
    connection = await asyncpg.connect(url)
    assert await missing(connection, wanted) == []
    rows = await connection.fetch(
        "SELECT table_schema || '.' || table_name, privilege_type FROM information_schema.role_table_grants"
        " WHERE grantee = $1 AND table_schema LIKE 'tabularium%'",
        ROLE,
    )
    await connection.close()
    assert {(each.on, each.privilege) for each in wanted if each.kind == "TABLE"} == {tuple(row) for row in rows}


@pytest.mark.parametrize(
    "taken",
    [
        "SELECT ON tabularium.keys",
        "INSERT ON tabularium.secrets",
        "UPDATE (seats) ON tabularium.games",
        "EXECUTE ON FUNCTION tabularium.append",
        "UPDATE (position) ON tabularium.books",
    ],
)
async def test_a_grant_that_is_missing_is_named_as_the_statement_that_gives_it(url: str, taken: str):
    execute(url, f"REVOKE {taken} FROM {ROLE}")
    found = await report(database_url=url)
    assert failing(found) == ["grants", "append"]
    assert f"GRANT {taken} TO {ROLE};" in found["grants"].remedy
    execute(url, found["grants"].remedy.partition(": ")[2])
    assert failing(await report(database_url=url)) == []


async def test_a_log_that_could_be_changed_is_said(url: str):
    execute(url, f"GRANT DELETE ON tabularium.secrets TO {ROLE}", "DROP TRIGGER secrets_stay ON tabularium.secrets")
    execute(url, "ALTER TABLE tabularium.log DISABLE TRIGGER all_stay")
    found = await report(database_url=url)
    assert failing(found) == ["protection", "triggers"]
    assert found["protection"].message == "the service is allowed to DELETE on secrets"
    assert "tabularium.log, tabularium.secrets" in found["triggers"].message


async def test_each_server_of_the_log_is_looked_at_and_a_wrong_map_is_said():
    async with servers() as kept:
        home, other = kept
        books = spans(kept[other])
        found = [each async for each in examine(Settings(database_url=home, book_servers=f"{books}={other}"))]
        assert [each.message for each in found if each.check == "books"] == [
            f"the database keeps the books {spans(mine)} of the log, as TABULARIUM_BOOK_SERVERS says"
            for mine in kept.values()
        ]
        checks = Counter(each.check for each in found)
        assert checks["append"] == checks["triggers"] == 2
        assert {each.level for each in found if each.check not in ("transparency", "projections", "webhooks")} == {"ok"}
        away = await report(database_url=home, book_servers=f"{books}=postgresql://127.0.0.1:1/away")
        assert away["database"].level == "fail"
        wrong = await report(database_url=home, book_servers=f"0-9={other}")
        assert (wrong["books"].level, "append" in wrong) == ("fail", False)
        assert "should keep 0-9 by TABULARIUM_BOOK_SERVERS" in wrong["books"].message
        assert "keeps the books 13,16,28" in (await report(database_url=home))["books"].message


async def test_migrations_that_are_missing_are_named():
    async with shared_cluster().empty_database() as url:
        found = await report(database_url=url)
        assert "none of the service's tables" in found["migrations"].message
        assert "tabularium migrate" in found["migrations"].remedy
        known = migrations.packaged()
        await migrations.migrate(url, known[:-1])
        found = await report(database_url=url)
        assert failing(found) == ["migrations"]
        assert f"{known[-1].number:04}_{known[-1].name}" in found["migrations"].message
        await migrations.migrate(url, known)
        execute(url, "UPDATE tabularium.migrations SET checksum = 'other' WHERE number = 2")
        assert "0002_tables is not the one" in (await report(database_url=url))["migrations"].message
        execute(
            url,
            "UPDATE tabularium.migrations SET checksum = $1 WHERE number = 2".replace("$1", f"'{known[1].checksum}'"),
        )
        execute(url, "INSERT INTO tabularium.migrations VALUES (9999, 'later', '')")
        found = await report(database_url=url)
        assert failing(found) == []
        assert "further" in found["migrations"].message


async def test_a_database_role_without_the_grants_of_the_service_is_reported(url: str):
    execute(url, "CREATE ROLE stranger LOGIN")
    try:
        found = await report(database_url=url.replace("tabularium_owner@", "stranger@"))
        assert failing(found) == ["migrations", "role"]
        assert f"GRANT {ROLE} TO stranger" in found["role"].remedy
        found = await report(database_url=url.replace("tabularium_owner@", "superuser@"))
        assert failing(found) == ["role"]
        assert found["role"].level == "warn"
    finally:
        execute(url, "DROP ROLE stranger")


@pytest.fixture(scope="module")
def locked() -> Any:
    """A cluster that asks for passwords, and does not care for its disk."""
    with cluster(fsync="off") as made:
        made.sql("CREATE ROLE app LOGIN PASSWORD 'sesame' IN ROLE tabularium_service")
        rules = made.data / "pg_hba.conf"
        rules.write_text(
            "host all superuser,tabularium_owner all trust\nhost all app all scram-sha-256\n".replace(
                ",", ", "
            ).replace(", ", ",")
        )
        made.sql("SELECT pg_reload_conf()")
        yield made


async def test_why_a_database_cannot_be_reached_is_said_without_the_password(locked: Cluster):
    right = f"postgresql://app:sesame@127.0.0.1:{locked.port}/migrated"
    found = await report(database_url=right)
    assert failing(found) == ["durability"]
    assert "fsync is off" in found["durability"].message
    for wrong, said, remedy in (
        (right.replace("sesame", "open-sesame"), "password authentication failed", "Correct user and password"),
        (right.replace("/migrated", "/nothing"), 'database "nothing" does not exist', "createdb"),
        (right.replace(f":{locked.port}", ":1"), "Connect call failed", "Start PostgreSQL"),
        (right.replace("127.0.0.1", "no.such.host.invalid"), "", "Correct the host"),
    ):
        found = await report(database_url=wrong)
        assert failing(found) == ["database"]
        assert said in found["database"].message
        assert found["database"].remedy.startswith(remedy) or remedy in found["database"].remedy
        assert "sesame" not in str(found)


async def test_a_database_that_stops_is_said_to_have_stopped(url: str, locked: Cluster):
    locked.halt()
    try:
        found = await report(database_url=f"postgresql://app:sesame@127.0.0.1:{locked.port}/migrated")
        assert failing(found) == ["database"]
    finally:
        locked.start()


async def test_a_connection_on_which_the_first_statement_fails_is_closed(url: str, monkeypatch: pytest.MonkeyPatch):
    connect, made = Hosts.connect, list[Any]()

    async def noting(self: Hosts, **options: Any) -> tuple[Any, str]:
        made.append((connected := await connect(self, **options))[0])
        return connected

    monkeypatch.setattr(Hosts, "connect", noting)
    monkeypatch.setattr(postgres, "SHOW_SHARDS", "SELECT 1 / 0")
    found = await report(database_url=url)
    assert "division by zero" in found["database"].message
    assert made[0].is_closed()


async def test_the_holder_of_the_append_lock_is_named(url: str):
    holder = await asyncpg.connect(url)
    async with holder.transaction():
        await holder.execute("SELECT FROM tabularium.books WHERE book = 17 FOR UPDATE")
        found = await report(database_url=url)
        assert failing(found) == ["append"]
        assert str(holder.get_server_pid()) in found["append"].message
        assert f"pg_terminate_backend({holder.get_server_pid()})" in found["append"].remedy
    await holder.close()
    assert failing(await report(database_url=url)) == []


async def test_a_redis_that_does_not_answer_is_said_and_is_no_failure(tmp_path: Path):
    with server() as redis:
        found = await report(data=tmp_path, redis_url=redis.url)
        assert failing(found) == []
        assert "another hears" in found["wake-ups"].message
        with redis.client() as client:
            client.config_set("requirepass", "sesame")
        for url, remedy in (
            (redis.url, "Correct the password"),
            (redis.url.replace("//", "//:open-sesame@"), "Correct the password"),
            (redis.url.replace("127.0.0.1", "no.such.host.invalid"), "Correct the host"),
            (redis.url.replace(f":{redis.port}", ":1"), "Start Redis"),
        ):
            found = await report(data=tmp_path, redis_url=url)
            assert failing(found) == ["redis"]
            assert found["redis"].level == "warn"
            assert remedy in found["redis"].remedy
            assert "sesame" not in str(found)
        assert failing(await report(data=tmp_path, redis_url=redis.url.replace("//", "//:sesame@"))) == []


async def test_an_issuer_that_does_not_tell_its_keys_is_said(tmp_path: Path):
    with provider() as issuer:
        settings = {"data": tmp_path, "oidc_issuer": issuer.url, "oidc_audience": "tabularium"}
        found = await report(**settings)
        assert failing(found) == []
        assert "tells 2 keys, of which 1 can be used" in found["issuer"].message
        for key in issuer.published:
            key["alg"] = "ES256"
        found = await report(**settings)
        assert failing(found) == ["issuer"]
        assert "TABULARIUM_OIDC_ALGORITHMS=ES256" in found["issuer"].remedy
        for key in issuer.published:
            key["alg"] = "RS256"
        issuer.discovery["token_endpoint"] = "http://login.example/token"
        assert failing(await report(**settings)) == []
        found = await report(**settings, oidc_client_id="pages")
        assert failing(found) == ["issuer"]
        assert "names no https addresses where people sign in" in found["issuer"].message
        issuer.away = True
        found = await report(**settings)
        assert failing(found) == ["issuer"]
        assert "answered 503" in found["issuer"].message


async def test_a_collector_that_is_away_is_said(tmp_path: Path):
    found = await report(data=tmp_path, traces_url="http://127.0.0.1:1/v1/traces")
    assert failing(found) == ["traces"]
    assert found["traces"].level == "warn"
    with server() as anything:
        found = await report(data=tmp_path, traces_url=f"http://127.0.0.1:{anything.port}/v1/traces")
    assert failing(found) == []


async def test_a_redis_that_hangs_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("service.doctor.redis.PATIENCE", 0.2)
    with server() as redis:
        redis.pause()
        found = await report(data=tmp_path, redis_url=redis.url)
        redis.resume()
    assert failing(found) == ["redis"]
    assert "not in time" in found["redis"].remedy


@pytest.mark.parametrize(("seconds", "level"), [(0, "ok"), (5, "warn"), (-5, "warn"), (120, "fail")])
async def test_a_clock_that_goes_wrong_is_said(url: str, seconds: int, level: str):
    found = await report(lambda: utc_now() + timedelta(seconds=seconds), database_url=url)
    assert found["clock"].level == level


async def test_events_from_the_future_are_said(tmp_path: Path):
    async with open_rig(tmp_path) as rig:
        await rig.store.append(new_game("g1"))
    tomorrow = datetime.fromisoformat("2026-11-22T00:00:00Z")
    before = datetime.fromisoformat("2026-11-21T00:00:00Z")
    assert (await report(lambda: tomorrow, data=tmp_path))["log"].level == "ok"
    assert (await report(lambda: before, data=tmp_path))["log"].level == "warn"


async def test_a_data_directory_is_looked_at_and_not_made(tmp_path: Path):
    data = tmp_path / "data"
    assert failing(await report(data=data)) == []
    assert not data.exists()
    store = await backend_of(Settings(data=data.parent)).open_store()
    found = await report(data=data.parent)
    await store.close()
    assert failing(found) == []
    assert "is whole" in found["database"].message
    (data.parent / "tabularium.db").write_bytes(b"Dear Caesar,\n" * 1000)
    found = await report(data=data.parent)
    assert failing(found) == ["database"]
    assert "not an SQLite database" in found["database"].message
    data.touch()
    assert failing(await report(data=data)) == ["data directory"]


@pytest.mark.parametrize(("free", "level"), [(2 * GIB, "ok"), (GIB // 2, "warn"), (GIB // 100, "fail")])
async def test_a_disk_that_fills_up_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, level: str):
    monkeypatch.setattr(shutil, "disk_usage", lambda place: type("Usage", (), {"free": free}))
    assert (await report(data=tmp_path))["disk"].level == level


async def test_projections_that_stopped_or_are_behind_are_said(url: str):
    settings = Settings(database_url=url)
    store = await backend_of(settings).open_store()
    await store.append(new_game("g1", count=1200))
    await store.close()
    found = await report(database_url=url)
    assert failing(found) == ["projections"]
    assert "lobby by 1200 events" in found["projections"].message
    execute(
        url,
        "INSERT INTO tabularium_rows.projections VALUES ('lobby', 1, 1, 1, '', 0, 'g1', 7, 'ValueError: no such seat')",
    )
    found = {each.message: each async for each in examine(settings) if each.check == "projections"}
    stopped = next(each for said, each in found.items() if "lobby stopped" in said)
    assert stopped.level == "fail"
    assert "version 7 of game g1: ValueError: no such seat" in stopped.message
    assert "tabularium projections rebuild lobby" in stopped.remedy


async def test_a_log_without_a_key_is_said(url: str, tmp_path: Path):
    found = (await report(database_url=url, log_key=""))["transparency"]
    assert (found.level, "TABULARIUM_LOG_KEY is not set" in found.message) == ("warn", True)
    assert "tabularium transparency key" in found.remedy
    found = (await report(database_url=url, log_key="PRIVATE+KEY+sesame"))["transparency"]
    assert found.level == "fail"
    assert "sesame" not in found.message + found.remedy
    assert "signs nothing" in (await report(database_url=url, transparency=False))["transparency"].message
    async with open_rig(tmp_path):
        assert "is made when the service starts" in (await report(data=tmp_path))["transparency"].message


async def test_an_old_copy_of_the_database_is_said_with_what_to_do(tmp_path: Path):
    settings = Settings(data=tmp_path)
    key = log_key(settings, bytes)
    assert key is not None
    async with open_rig(tmp_path) as rig:
        await rig.begun()
        await Sequencer(rig.store, key, tmp_path, EverybodysLessor()).turn()
    found = (await report(data=tmp_path))["transparency"]
    assert (found.level, found.message) == ("ok", f"{key.origin} is signed up to entry 1")
    settings.log_key_file.chmod(0o644)
    found = (await report(data=tmp_path))["transparency"]
    assert (found.level, found.remedy) == ("warn", f"chmod 600 {settings.log_key_file}")
    for suffix in ("", "-wal", "-shm"):
        settings.database.with_name(settings.database.name + suffix).unlink(missing_ok=True)
    async with open_rig(tmp_path):
        pass
    found = (await report(data=tmp_path))["transparency"]
    assert found.level == "fail"
    assert "a checkpoint of 1 entries was signed" in found.message
    assert "run `tabularium transparency key`" in found.remedy


async def test_dumps_that_are_missing_or_changed_are_said(tmp_path: Path):
    folder = tmp_path / "dumps"
    settings = Settings(data=tmp_path / "data", dumps=folder)

    def silent(what: str, done: int, of: int) -> None:
        pass

    async def said(deep: bool = False) -> Finding:
        found = [each async for each in examine(settings, progress=silent if deep else None)]
        return next(each for each in found if each.check == "dumps")

    assert (await said()).level == "warn"
    folder.mkdir()
    (folder / "a.parquet").write_bytes(b"1234")
    file = DumpFile("a.parquet", "games", 1, 4, hashlib.sha256(b"1234").hexdigest())
    write_index(folder, [DumpSet("tiny", "2026-10", 1, 9, "CC0-1.0", None, (file,))])
    assert ((await said()).level, (await said()).message) == ("ok", "1 sets, the newest of 2026-10")
    (folder / "a.parquet").write_bytes(b"1235")
    assert ((await said()).level, (await said(deep=True)).level) == ("ok", "fail")
    (folder / "a.parquet").unlink()
    assert "a.parquet is missing" in (await said()).message
    (folder / "index.json").write_text("[]")
    assert "is no index of dumps" in (await said()).message
