"""A throwaway Redis to test with: a server of its own on a free loopback port, gone at the end."""

import contextlib
import ctypes
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import redis

from tests.helpers import ports

_PDEATHSIG: Final = 1


def _binary() -> str:
    found = shutil.which("redis-server")
    if found is None:
        raise RuntimeError(
            "the tests need the server program of Redis 7 or newer (Debian: apt-get install redis-server);"
            " pytest -k 'not redis' does without"
        )
    return found


def _die_with_parent() -> None:
    """Have the kernel stop the server when the thread that started it ends, as when pytest is killed."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGKILL)


class Server:
    """A running Redis that keeps nothing on the disk. It can be stopped, paused, flushed and started again."""

    def __init__(self) -> None:
        self._binary = _binary()
        self._root = Path(tempfile.mkdtemp(prefix="tabularium-redis-"))
        self._reserved = ports.reserved()
        self.port: int = self._reserved.getsockname()[1]
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @contextlib.contextmanager
    def client(self) -> Iterator[redis.Redis]:
        with redis.Redis(port=self.port) as client:
            yield client

    def start(self) -> None:
        """Start the server and wait until it answers."""
        options = {"port": self.port, "bind": "127.0.0.1", "dir": self._root, "appendonly": "no"}
        with (self._root / "log").open("ab") as log:
            self._server = subprocess.Popen(
                [
                    self._binary,
                    *(part for name, value in options.items() for part in (f"--{name}", str(value))),
                    "--save",
                    "",
                ],
                stdout=log,
                stderr=log,
                # Ctrl-C is for pytest, which then stops the server.
                process_group=0,
                preexec_fn=_die_with_parent,  # noqa: PLW1509  # in a test, before there are threads
            )
        until = time.monotonic() + 30
        while True:
            with contextlib.suppress(redis.RedisError), self.client() as client:
                client.ping()
                return
            if self._server.poll() is not None or time.monotonic() > until:
                said = (self._root / "log").read_text()[-2000:]
                self.stop()
                raise RuntimeError(f"Redis does not start: {said}")
            time.sleep(0.02)

    def pause(self) -> None:
        """Let it hang: connections are taken, nothing is answered."""
        self._server.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._server.send_signal(signal.SIGCONT)

    def halt(self) -> None:
        """Stop the server as if its machine had failed."""
        if self._server.poll() is None:
            self._server.kill()
            self._server.wait(30)

    def restart(self) -> None:
        self.halt()
        self.start()

    def flush(self) -> None:
        """Forget everything: data and scripts."""
        with self.client() as client:
            client.flushall()
            client.script_flush()

    def stop(self) -> None:
        """Stop the server and remove all that it kept."""
        self.halt()
        self._reserved.close()
        shutil.rmtree(self._root, ignore_errors=True)


_shared: list[Server] = []


def shared_server() -> Server:
    """Return the server of this process, started when it is first asked for."""
    if not _shared:
        _shared.append(Server())
    return _shared[0]


def stop_shared_server() -> None:
    while _shared:
        _shared.pop().stop()


@contextlib.contextmanager
def server() -> Iterator[Server]:
    """Start a server for one test, which may be stopped, paused and flushed."""
    made = Server()
    try:
        yield made
    finally:
        made.stop()
