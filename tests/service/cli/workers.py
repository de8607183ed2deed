"""Work for other processes, which have to import it."""

import os
import signal
from pathlib import Path


def squared(number: int) -> int:
    return number * number


def killed_once(piece: tuple[int, str]) -> int:
    """Square a number. Of the number 7, the first process that tries is killed."""
    number, mark = piece
    if number == 7 and not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def killed_always(number: int) -> int:
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def refused(number: int) -> int:
    raise LookupError(f"no {number}")
