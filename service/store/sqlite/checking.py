"""Reading the whole file of the embedded store while it is served, and reacting to damage.

A file of 10 GB takes a minute to read, and nobody should wait so long for a service that starts. When the file is found
damaged, the service stores nothing any more, because a write could spread the damage. What can still be read is served.
A mark beside the file lets the next service read it whole before it serves it.
"""

import os
import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from service.observe.logging import log
from service.store.sqlite.file import damaged, mark_of, what_is_wrong

_NICE: Final = 19
"""Requests come first."""


class Checking:
    """Reads a whole file in a thread of its own, and calls `on_damage` there with one line that says what is wrong."""

    def __init__(self, path: Path, on_damage: Callable[[str], object]) -> None:
        self._path, self._on_damage = path, on_damage
        self._connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)
        self._thread = threading.Thread(target=self._run, name="sqlite-checking", daemon=True)
        self._stopped = False
        self._thread.start()

    def wait(self) -> None:
        """Return when the file was read."""
        self._thread.join()

    def stop(self) -> None:
        """Stop, whether the file was read whole or not."""
        self._stopped = True
        while self._thread.is_alive():
            # Interrupt again and again: an interrupt ends only a running statement, and this one may be about to begin.
            with suppress(sqlite3.ProgrammingError):
                self._connection.interrupt()
            self._thread.join(0.05)

    def _run(self) -> None:
        if sys.platform == "linux":  # elsewhere a thread has no priority of its own
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
        began = time.monotonic()
        with closing(self._connection):
            try:
                wrong = what_is_wrong(self._path, self._connection)
            except (sqlite3.OperationalError, OSError) as error:
                if not self._stopped:
                    log.error("the database could not be checked", file=str(self._path), why=str(error))
                return
        if wrong is not None:
            self._on_damage(damaged(self._path, wrong))
        else:
            log.info("the database was checked", file=str(self._path), seconds=round(time.monotonic() - began, 1))


def mark(path: Path, why: str) -> None:
    """Leave a mark beside a file that was found damaged, if the disk still lets us."""
    with suppress(OSError):
        mark_of(path).write_text(f"{why}\n")
