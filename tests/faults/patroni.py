"""Three servers of PostgreSQL that Patroni leads, by three etcd: what an operator runs, on loopback.

Needs Patroni (`uv sync --group failover`) and the program `etcd` (Debian: `etcd-server`).
"""

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import yaml

from tests.faults.failover import How
from tests.helpers import ports
from tests.helpers.postgres import OWNER, account, binaries, die_with_parent

MEMBERS: Final = 3

PATIENCE: Final = 180
"""Seconds for a new primary, and for all members to follow it."""

SHIPPED: Final = yaml.safe_load((Path(__file__).parents[2] / "deploy" / "patroni" / "patroni.yaml").read_text())
"""What deploy/ gives operators. Only addresses, folders and logins are others here."""


class Member:
    """A server of PostgreSQL and its Patroni."""

    def __init__(self, root: Path, name: str, etcd: list[int]) -> None:
        self._root, self.name = root, name
        self._reserved = [ports.reserved() for _ in range(2)]
        self.port, self.rest = (each.getsockname()[1] for each in self._reserved)
        self._data = root / name
        self._file = root / f"{name}.yaml"
        self._file.write_text(yaml.safe_dump(self._configuration(etcd)))

    def _configuration(self, etcd: list[int]) -> dict[str, Any]:
        return {
            **SHIPPED,
            "name": self.name,
            "restapi": {"listen": f"127.0.0.1:{self.rest}", "connect_address": f"127.0.0.1:{self.rest}"},
            "etcd3": {"hosts": [f"127.0.0.1:{port}" for port in etcd]},
            "postgresql": {
                "listen": f"127.0.0.1:{self.port}",
                "connect_address": f"127.0.0.1:{self.port}",
                "data_dir": str(self._data),
                "bin_dir": str(binaries()),
                "pgpass": str(self._root / f"{self.name}.pgpass"),
                "authentication": {"superuser": {"username": "superuser"}, "replication": {"username": "replicator"}},
                "pg_hba": ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
                "parameters": {"unix_socket_directories": "", "shared_buffers": "32MB"},
            },
        }

    def start(self) -> None:
        command = [str(Path(sys.executable).parent / "patroni"), str(self._file)]
        self._patroni = _started(self._root, command, self.name)

    def signal(self, how: signal.Signals) -> None:
        """Send a signal to all of its processes, as when something happens to its machine."""
        roots = [self._patroni.pid]
        with contextlib.suppress(OSError, ValueError):  # it has none just now
            roots.append(int((self._data / "postmaster.pid").read_text().split()[0]))
        found = [*roots]
        for process in found:
            with contextlib.suppress(OSError):
                # Stopped before its children are listed, so that it starts no more of them.
                os.kill(process, signal.SIGSTOP)
                found += map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split())
        for process in reversed(found):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, how)

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        self._patroni.wait()


class Led:
    """Three members, one of which leads. To be made by `led`."""

    def __init__(self, members: list[Member]) -> None:
        self._members = members
        self._struck: tuple[Member, How] | None = None
        self._http = httpx.AsyncClient(timeout=2, trust_env=False)

    @property
    def url(self) -> str:
        return self.address(OWNER, "games")

    def address(self, user: str, database: str) -> str:
        hosts = ",".join(f"127.0.0.1:{member.port}" for member in self._members)
        return f"postgresql://{user}@{hosts}/{database}"

    async def strike(self, how: How) -> None:
        primary = await self._primary()
        primary.signal(signal.SIGSTOP) if how == "freeze" else primary.kill()
        self._struck = primary, how
        await self._primary(other_than=primary)

    async def heal(self) -> None:
        assert self._struck is not None
        member, how = self._struck
        member.signal(signal.SIGCONT) if how == "freeze" else member.start()
        await self.settled()

    async def settled(self) -> None:
        """Wait until one leads and the others follow, and commits wait for one of these."""
        async with asyncio.timeout(PATIENCE):
            while True:
                roles = sorted((each["role"], each["state"]) for each in await self._cluster(await self._primary()))
                if roles == [("leader", "running"), ("replica", "streaming"), ("sync_standby", "streaming")]:
                    return
                await asyncio.sleep(0.5)

    async def _primary(self, other_than: Member | None = None) -> Member:
        async with asyncio.timeout(PATIENCE):
            while True:
                for member in self._members:
                    with contextlib.suppress(httpx.HTTPError):
                        if member is not other_than and (await self._get(member, "primary")).status_code == 200:
                            return member
                await asyncio.sleep(0.1)

    async def _cluster(self, member: Member) -> list[dict[str, Any]]:
        with contextlib.suppress(httpx.HTTPError):
            return (await self._get(member, "cluster")).json()["members"]
        return []

    async def _get(self, member: Member, what: str) -> httpx.Response:
        return await self._http.get(f"http://127.0.0.1:{member.rest}/{what}")


@contextlib.contextmanager
def led() -> Iterator[Led]:
    """Start three etcd and three members."""
    root = Path(tempfile.mkdtemp(prefix="tabularium-patroni-"))
    if owner := account():
        os.chown(root, owner["user"], owner["group"])
    reserved = [ports.reserved() for _ in range(2 * MEMBERS)]
    clients, peers = ([each.getsockname()[1] for each in half] for half in (reserved[:MEMBERS], reserved[MEMBERS:]))
    etcd = [_etcd(root, number, clients, peers) for number in range(MEMBERS)]
    members = [Member(root, f"member{number}", clients) for number in range(MEMBERS)]
    try:
        for member in members:
            member.start()
        yield Led(members)
    finally:
        for member in members:
            member.kill()
        for process in etcd:
            process.kill()
            process.wait()
        for each in reserved:
            each.close()
        shutil.rmtree(root, ignore_errors=True)


def _etcd(root: Path, number: int, clients: list[int], peers: list[int]) -> "subprocess.Popen[Any]":
    client, peer = f"http://127.0.0.1:{clients[number]}", f"http://127.0.0.1:{peers[number]}"
    everybody = ",".join(f"etcd{other}=http://127.0.0.1:{port}" for other, port in enumerate(peers))
    command = ["etcd", "--name", f"etcd{number}", "--data-dir", str(root / f"etcd{number}")]
    command += ["--listen-client-urls", client, "--advertise-client-urls", client]
    command += ["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", everybody]
    return _started(root, command, f"etcd{number}")


def _started(root: Path, command: list[str], name: str) -> "subprocess.Popen[Any]":
    if user := account():
        # Another user may be unable to read our interpreter and packages, were it not for this.
        lend = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
        become = ["--clear-groups", f"--reuid={user['user']}", f"--regid={user['group']}", "--pdeathsig=QUIT"]
        command = ["setpriv", *become, *lend, *command]
    with (root / f"{name}.log").open("ab") as log:
        return subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            cwd=root,
            start_new_session=True,
            preexec_fn=die_with_parent,  # noqa: PLW1509  # in a program by hand, before there are threads
        )
