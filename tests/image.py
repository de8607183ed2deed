"""The image, built and run, by hand: ``python -m tests.image``. Needs root and Debian's buildah and mmdebstrap.

Builds deploy/Dockerfile on a base made of Debian's own packages under the name that the Dockerfile gives it, with the
certificates that this machine trusts. Then runs the image as it is meant to be run: as its own user, without any
capability, on a root that cannot be written to. It migrates a throwaway PostgreSQL, serves over it, plays a game,
proves its export, answers the health check and stops at SIGTERM; then it serves on the embedded store. Prints what it
saw, and exits 1 at the first thing that is not as it should be.
"""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import httpx

from domain.kernel.proof.verify import verify
from domain.library import LIBRARY
from service.bots.client import Client
from service.bots.demonstration import Demonstration
from tests.helpers.postgres import cluster

ROOT: Final = Path(__file__).parent.parent
BASE: Final = "docker.io/library/python:3.13-slim"
"""The base that the Dockerfile names."""
PACKAGES: Final = ("python3", "python3-venv", "python3-pip", "ca-certificates")
CERTIFICATES: Final = Path("/etc/ssl/certs/ca-certificates.crt")
USER: Final = 10001
PATIENCE: Final = 120.0
"""Seconds that the service may take to be ready, on a machine that is busy with other things."""


class Builder:
    """Images and containers in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.storage = ["--root", f"{folder}/storage", "--runroot", f"{folder}/run", "--storage-driver", "vfs"]

    def buildah(self, *arguments: str) -> str:
        """Return what buildah prints."""
        done = subprocess.run(["buildah", *self.storage, *arguments], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"buildah {arguments[0]} failed:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
        return done.stdout.strip()

    def base(self) -> None:
        """Make the base: Debian with Python, which has what the Dockerfile uses of the one it names."""
        archive = self.folder / "base.tar"
        sources = sorted(Path("/etc/apt/sources.list.d").glob("*.sources"))
        wanted = ["--quiet", "--variant=minbase", f"--include={','.join(PACKAGES)}"]
        subprocess.run(["mmdebstrap", *wanted, _codename(), archive, *sources[:1]], check=True)
        container = self.buildah("from", "scratch")
        self.buildah("add", "--quiet", container, str(archive), "/")
        archive.unlink()
        root = Path(self.buildah("mount", container))
        shutil.copy(CERTIFICATES, root / CERTIFICATES.relative_to("/"))
        (root / "usr/local/bin/python").symlink_to("/usr/bin/python3")
        (root / "usr/local/bin/pip").symlink_to("/usr/bin/pip3")
        for mark in root.glob("usr/lib/python3*/EXTERNALLY-MANAGED"):
            mark.unlink()
        trust = [f"--env={name}={CERTIFICATES}" for name in ("SSL_CERT_FILE", "PIP_CERT")]
        self.buildah("config", *trust, "--env=PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", container)
        self.buildah("umount", container)
        self.buildah("commit", "--quiet", "--rm", container, BASE)

    def build(self) -> dict[str, Any]:
        """Build the image, and return its configuration."""
        dockerfile = ROOT / "deploy" / "Dockerfile"
        how = ["--isolation=chroot", "--format=docker", "--pull-never", "--network=host"]
        self.buildah(
            "build",
            *how,
            f"--file={dockerfile}",
            f"--ignorefile={dockerfile}.dockerignore",
            "--tag=tabularium",
            str(ROOT),
        )
        inspected: dict[str, Any] = json.loads(self.buildah("inspect", "--type=image", "tabularium"))
        return inspected["Docker"]["config"]

    def mounted(self) -> Path:
        """Return the root of a container of the image."""
        return Path(self.buildah("mount", self.buildah("from", "--pull-never", "tabularium")))


class Image:
    """The image as it is run: its user, no capabilities, a read-only root, /tmp in memory, and /data."""

    def __init__(self, root: Path, data: Path, config: Mapping[str, Any]) -> None:
        self.root = root
        self.data = data
        self.environment = dict(each.split("=", 1) for each in config["Env"])

    def start(self, *command: str, log: int = subprocess.PIPE, **settings: str) -> subprocess.Popen[bytes]:
        """Start a command of the image; `log` is where its standard error goes."""
        inside = (
            'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && mount -t tmpfs tmpfs "$1/tmp"'
            ' && mount --bind "$2" "$1/data" && mount --rbind /proc "$1/proc" && cd "$1" && root=$1 && shift 2'
            f' && exec chroot "$root" setpriv --reuid={USER} --regid={USER} --clear-groups --bounding-set=-all'
            ' --inh-caps=-all --no-new-privs "$@"'
        )
        given = ["unshare", "--mount", "sh", "-c", inside, "image", str(self.root), str(self.data), *command]
        environment = {**self.environment, **settings}
        return subprocess.Popen(given, env=environment, stdout=subprocess.PIPE, stderr=log)

    def run(self, *command: str, **settings: str) -> subprocess.CompletedProcess[bytes]:
        """Run a command of the image to its end."""
        process = self.start(*command, log=subprocess.PIPE, **settings)
        out, err = process.communicate(timeout=PATIENCE)
        return subprocess.CompletedProcess(command, process.returncode, out, err)


@contextlib.contextmanager
def serving(image: Image, **settings: str) -> Iterator[tuple[str, int]]:
    """Serve, say where and on which port, and stop by SIGTERM."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    where = {"TABULARIUM_HOST": "127.0.0.1", "TABULARIUM_PORT": str(port), **settings}
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryFile() as log:  # and no pipe: nobody reads what it says while it serves
        process = image.start("tabularium", "serve", log=log.fileno(), **where)
        try:
            _await_ready(process, address)
            yield address, port
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=PATIENCE)
            log.seek(0)
            said = log.read()
    require(process.returncode == 0, f"SIGTERM ends it with 0, not {process.returncode}: {said[-2000:].decode()}")
    lines = [json.loads(line) for line in said.splitlines() if line.startswith(b"{")]
    faults = [line for line in lines if line.get("level") in ("error", "critical")]
    require(lines and not faults, f"it keeps a log, which names no error: {faults}")


def _await_ready(process: subprocess.Popen[bytes], address: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not _is_ready(address):
        if process.poll() is not None or time.monotonic() > deadline:
            sys.exit("NOT AS IT SHOULD BE: the service starts and is ready")
        time.sleep(0.2)


def _is_ready(address: str) -> bool:
    with contextlib.suppress(httpx.TransportError):
        return httpx.get(f"{address}/ready", timeout=5).status_code == 200
    return False


def require(condition: object, what: str) -> None:
    if not condition:
        sys.exit(f"NOT AS IT SHOULD BE: {what}")


def _codename() -> str:
    release = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    return release["VERSION_CODENAME"]


def check_confinement(image: Image, config: Mapping[str, Any]) -> None:
    """Check what the image says of itself, and that its user can write nowhere but to /data and /tmp."""
    require(config["User"] == f"{USER}:{USER}", f"it runs as {USER}, not {config['User']}")
    require(config["StopSignal"] == "SIGTERM", "it is stopped by SIGTERM")
    require(config["Entrypoint"] == ["tabularium"] and config["Cmd"] == ["serve"], "it serves")
    require(config["Healthcheck"]["Test"][0] == "CMD", "it has a health check")
    who = image.run("id", "-u").stdout.strip()
    require(who == str(USER).encode(), f"its processes are of user {USER}, not {who!r}")
    for place in ("/", "/opt/tabularium", "/etc", "/usr/local/bin", "/var/tmp"):
        require(image.run("touch", f"{place}/written").returncode, f"nothing can be written to {place}")
    for place in ("/data", "/tmp"):
        require(not image.run("touch", f"{place}/written").returncode, f"{place} can be written to")
    (image.data / "written").unlink()
    print("confined: its own user, no capabilities, nothing to write to but /data and /tmp")


def check_health(image: Image, config: Mapping[str, Any], port: int) -> None:
    test: Sequence[str] = config["Healthcheck"]["Test"][1:]
    healthy = image.run(*test, TABULARIUM_PORT=str(port))
    require(healthy.returncode == 0, f"the health check holds while it serves: {healthy.stderr.decode()[-500:]}")
    require(image.run(*test, TABULARIUM_PORT="1").returncode, "the health check fails where nobody serves")


def play(address: str) -> None:
    """Play a game through the API and prove its export."""
    with Client(address) as client:
        game = Demonstration("mare-nostrum", 3, 7)
        game.begin(client)
        for _ in game.play():
            pass
        verdict = verify(client.content("/v1/games/{game}/export", game=game.game).splitlines(keepends=True), LIBRARY)
        require(verdict.ok and verdict.status == "over", f"the game is proved: {verdict.problem}")
        print(f"  a game of {verdict.events} events was played through it and is proved")


def check_production(image: Image, config: Mapping[str, Any]) -> None:
    """Migrate a PostgreSQL, serve over it, play, stop."""
    with cluster() as postgres:

        async def fill() -> None:
            async with postgres.empty_database() as url:
                await asyncio.to_thread(work, url)

        def work(url: str) -> None:
            database = {"TABULARIUM_DATABASE_URL": url}
            migrated = image.run("tabularium", "migrate", **database)
            require(migrated.returncode == 0, f"it migrates: {migrated.stderr.decode()[-2000:]}")
            with serving(image, **database) as (address, port):
                check_health(image, config, port)
                play(address)
            require(not list(image.data.iterdir()), "over PostgreSQL nothing is written to /data")

        asyncio.run(fill())
    print("production: migrated, served, healthy, played, stopped by SIGTERM, nothing in /data")


def check_embedded(image: Image) -> None:
    """Serve on the embedded store, stop, and serve again over the same data."""
    for _ in range(2):
        with serving(image) as (address, _):
            play(address)
    kept = sorted(file.name for file in image.data.iterdir())
    require("tabularium.db" in kept, f"the embedded store is in /data, where there are {kept}")
    print(f"embedded: served twice over {', '.join(kept)}")


def main() -> int:
    if os.getuid():
        sys.exit("python -m tests.image needs root: it mounts file systems")
    for program, package in (("buildah", "buildah"), ("mmdebstrap", "mmdebstrap"), ("setpriv", "util-linux")):
        if shutil.which(program) is None:
            sys.exit(f"{program} is not here (Debian: apt-get install {package})")
    with tempfile.TemporaryDirectory(prefix="tabularium-image-") as folder:
        builder, data = Builder(Path(folder)), Path(folder) / "data"
        began = time.monotonic()
        builder.base()
        print(f"base: {time.monotonic() - began:.0f} s")
        began = time.monotonic()
        config = builder.build()
        print(f"image: {time.monotonic() - began:.0f} s")
        data.mkdir(mode=0o700)
        os.chown(data, USER, USER)
        Path(folder).chmod(0o755)
        try:
            image = Image(builder.mounted(), data, config)
            check_confinement(image, config)
            check_production(image, config)
            check_embedded(image)
        finally:
            builder.buildah("umount", "--all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
