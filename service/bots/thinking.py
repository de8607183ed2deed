"""Processes in which bots think, so that requests need not wait for them."""

import asyncio
import contextlib
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import msgspec
from msgspec import Raw

from service.base.settings import PREFIX
from service.bots import worker
from service.bots.worker import Question, Thought

SECONDS: Final = 60.0
"""The time after which a bot's process is ended: on a busy machine, a bot that thinks for one second takes several."""

LONGEST: Final = 1024 * 1024
"""The most bytes of a command."""


class NoThought(Exception):
    """A bot has no command: it failed, took too long, or its process ended."""


class Thinkers:
    """A few processes, each started when it is first needed. Callers get a free one in the order in which they came."""

    def __init__(self, count: int) -> None:
        self._idle: asyncio.Queue[Process | None] = asyncio.Queue()
        self._started: set[Process] = set()
        for _ in range(count):
            self._idle.put_nowait(None)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator["Thinker"]:
        """Wait for a free process, and provide it while the context lasts."""
        process = await self._idle.get()
        thinker = Thinker(process)
        try:
            thinker.process = process = process or await self._start()
            yield thinker
        finally:
            if process is not None and not thinker.fit:
                await self._end(process)
                process = None
            self._idle.put_nowait(process)

    async def _start(self) -> Process:
        # It gets none of the service's settings, which name its database and keys.
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", worker.__name__),
            stdin=PIPE,
            stdout=PIPE,
            limit=LONGEST,
            env={name: value for name, value in os.environ.items() if not name.startswith(PREFIX)},
            start_new_session=True,  # otherwise Ctrl-C in the terminal would stop it, too
        )
        self._started.add(process)
        return process

    async def _end(self, process: Process) -> None:
        self._started.discard(process)
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()

    async def close(self) -> None:
        """End all processes."""
        for process in [*self._started]:
            await self._end(process)


class Thinker:
    """A process that thinks about one question at a time. It is no longer `fit` after a question without an answer."""

    def __init__(self, process: Process | None) -> None:
        self.process = process
        self.fit = True

    async def choose(self, question: Question) -> Raw:
        """Return the command of the bot that is asked. Raises `NoThought`."""
        process = self.process
        if process is None or process.stdin is None or process.stdout is None or not self.fit:
            raise NoThought("the process of bots has ended")
        self.fit = False
        try:
            async with asyncio.timeout(SECONDS):
                process.stdin.write(msgspec.json.encode(question) + b"\n")
                await process.stdin.drain()
                line = await process.stdout.readline()
        except TimeoutError:
            raise NoThought(f"it took longer than {SECONDS:.0f} seconds") from None
        except (OSError, ValueError) as error:
            raise NoThought(f"the process of bots failed: {error}") from error
        if not line.endswith(b"\n"):
            raise NoThought("the process of bots ended")
        self.fit = True
        thought = msgspec.json.decode(line, type=Thought)
        if thought.why:
            raise NoThought(thought.why)
        return thought.command
