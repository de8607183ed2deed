"""One service per data directory.

Two services on one SQLite file would not damage it, but each would keep games in memory that the other changes, and
tell its streams nothing of what the other accepts.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from service.base.private import make_file, make_folder
from service.store.protocol import StoreUnavailable


@contextmanager
def only_service(data: Path) -> Iterator[None]:
    """Make the directory `data` if it is missing, and lock it for this process.

    The operating system releases the lock when the process ends, however it ends. The lock file stays.

    Raises:
        StoreUnavailable: another service has the lock, or the directory cannot be written to. No data was changed.
    """
    try:
        make_folder(data)
        make_file(data / "lock")
        file = (data / "lock").open("a+")
    except OSError as error:
        raise StoreUnavailable(f"{data} cannot be the data directory: {error.strerror}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StoreUnavailable(f"{data} is in use by another service ({_holder(data)}); stop that first") from error
        file.truncate(0)
        file.write(f"process {os.getpid()}")
        file.flush()
        yield


def _holder(data: Path) -> str:
    return (data / "lock").read_text().strip() or "just starting"
