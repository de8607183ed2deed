"""A bucket to test with: moto's server on a free loopback port, which speaks S3's protocol and keeps all in memory."""

import contextlib
import itertools
import logging
import urllib.request
from collections.abc import Iterator
from typing import Final

import pytest
from moto.server import ThreadedMotoServer

_NUMBERS: Final = itertools.count(1)


class Buckets:
    """A server that tests may stop; what it had is there again when it is started again."""

    def __init__(self) -> None:
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self._port = 0
        self.start()

    def start(self) -> None:
        self._server = ThreadedMotoServer("127.0.0.1", self._port, verbose=False)
        self._server.start()
        _, self._port = self._server.get_host_and_port()

    def stop(self) -> None:
        self._server.stop()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which a client finds it."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "anybody",
            "AWS_SECRET_ACCESS_KEY": "secret",
        }

    def make(self) -> str:
        """Make a bucket, and return its address with a prefix."""
        name = f"bucket-{next(_NUMBERS)}"
        self._ask("PUT", name)
        return f"s3://{name}/archive"

    def put(self, address: str, name: str, content: bytes) -> None:
        """Put an object where nobody should."""
        self._ask("PUT", f"{address.removeprefix('s3://')}/{name[:2]}/{name}", content)

    def delete(self, address: str, name: str) -> None:
        self._ask("DELETE", f"{address.removeprefix('s3://')}/{name[:2]}/{name}")

    def _ask(self, method: str, path: str, content: bytes = b"") -> None:
        with urllib.request.urlopen(urllib.request.Request(f"{self.endpoint}/{path}", content, method=method)):
            pass


@contextlib.contextmanager
def buckets() -> Iterator[Buckets]:
    """Start a server, and let this process find it."""
    server = Buckets()
    with pytest.MonkeyPatch.context() as patched:
        for name, value in server.environment.items():
            patched.setenv(name, value)
        yield server
    with contextlib.suppress(Exception):  # which a test may have stopped
        server.stop()
