"""pgBackRest, as deploy/ configures it: a backup, and the database as it was at a moment, in a command each."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from domain.kernel.ids import GameId
from service.base.settings import Settings
from service.doctor import examine
from service.store.postgres.store import PostgresStore
from tests.helpers.postgres import Cluster, account, cluster, connected
from tests.service.store.batches import addition, new_game

CONFIGURATION = Path(__file__).parents[2] / "deploy" / "pgbackrest" / "pgbackrest.conf"


class Archived:
    """A cluster whose write-ahead log is archived, as the configuration in deploy/ says, but in a folder."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        self.cluster = cluster
        configuration = folder / CONFIGURATION.name
        said = CONFIGURATION.read_text().replace("/var/lib/postgresql/data", str(cluster.data))
        here = f"pg1-port={cluster.port}\npg1-socket-path={folder}\npg1-user=superuser\nlog-level-file=off\n"
        here += f"lock-path={folder}/lock\nspool-path={folder}/spool\n"
        configuration.write_text(said.replace("/var/lib/pgbackrest", f"{folder}/repository") + here)
        self._command = ["pgbackrest", f"--config={configuration}", "--stanza=tabularium"]
        push = " ".join([*self._command, "archive-push %p"])
        cluster.sql(f"ALTER SYSTEM SET archive_command = '{push}'", "SELECT pg_reload_conf()")

    def run(self, *arguments: str) -> None:
        command = [*self._command, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/", **account())
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def archived() -> Iterator[Archived]:
    folder = Path(tempfile.mkdtemp(prefix="tabularium-pgbackrest-"))
    if owner := account():
        os.chown(folder, owner["user"], owner["group"])
    with cluster(unix_socket_directories=str(folder), archive_mode="on") as made:
        yield Archived(made, folder)
    shutil.rmtree(folder, ignore_errors=True)


async def said_of_backup(url: str) -> str:
    settings = Settings(database_url=url)
    return " ".join([found.message async for found in examine(settings) if found.check == "backup"])


async def test_the_database_is_put_back_as_it_was_at_a_moment(archived: Archived) -> None:
    archived.run("stanza-create")
    async with archived.cluster.database() as url:
        store = await PostgresStore.open(url)
        await store.append(new_game("g1"))
        archived.run("backup")
        await store.append(addition("g1", 1))
        async with connected(url) as connection:
            # pgBackRest counts in seconds: within the second in which the backup ended, it would find none before that.
            await connection.execute("SELECT pg_sleep(1)")
            moment = str(await connection.fetchval("SELECT clock_timestamp()"))
        await store.append(addition("g1", 2))
        archived.cluster.sql("SELECT pg_switch_wal()")
        archived.run("check")  # waits until that is archived
        assert "the newest moment that can be restored is" in await said_of_backup(url)
        await store.close()

        archived.cluster.halt()
        archived.run("--delta", "--type=time", f"--target={moment}", "--target-action=promote", "restore")
        archived.cluster.start()
        store = await PostgresStore.open(url)
        assert len(await store.read(GameId("g1"))) == 2
        await store.close()
