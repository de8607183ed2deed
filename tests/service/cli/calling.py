"""The command line as its users meet it: what it is given, what it says, how it ends."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import httpx
from msgspec import Struct


class Said(Struct, frozen=True):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def complaint(self) -> str:
        """The one line in which bad input is refused."""
        assert self.code == 2, (self.out, self.err)
        assert re.fullmatch(r"tabularium: [^\n]+\n", self.err), self.err
        return self.err.removeprefix("tabularium: ").strip()


Call = Callable[..., Said]

http: Final = httpx.Client(timeout=60)
"""Asks a service in a process of its own, on a machine full of tests."""


class Served(Struct, frozen=True):
    """A service in a process of its own."""

    process: subprocess.Popen[str]
    welcome: str

    @property
    def address(self) -> str:
        return self.welcome.splitlines()[0].partition(" is running at ")[2]

    def interrupt(self) -> int:
        """Press Ctrl-C; return the exit code, which has to come long before the grace of requests is over."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(30)

    def player(self) -> dict[str, str]:
        """Register somebody; return the headers that say who it is."""
        answer = http.post(f"{self.address}/v1/players", json={"name": "Anna"})
        return {"authorization": f"Bearer {answer.json()['token']}"}

    def game(self, player: dict[str, str]) -> str:
        """Create a game; return its id."""
        body = {"ruleset": "conquest-classic-friz", "players": 2}
        answer = http.post(f"{self.address}/v1/games", json=body, headers=player)
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]


def start(*arguments: object, python: Sequence[str] = (), **settings: str) -> subprocess.Popen[str]:
    """Run a command in a process of its own; `python` are options of the interpreter."""
    command = [sys.executable, *python, "-m", "service.cli", *map(str, arguments)]
    environment = {**os.environ, **settings}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


@contextlib.contextmanager
def serving(data: Path, *arguments: object, python: Sequence[str] = ()) -> Iterator[Served]:
    """Serve from a data directory on a free port."""
    with start("serve", "--port", 0, "--data", data, *arguments, python=python, TABULARIUM_GRACE="600") as process:
        try:
            assert process.stdout is not None
            lines = [process.stdout.readline()]
            assert lines[0], process.communicate()
            while lines[-1] and "Ctrl-C" not in lines[-1]:
                lines.append(process.stdout.readline())
            yield Served(process, "".join(lines))
        finally:
            process.kill()
            process.communicate()
