"""What is the same in every sandbox: the clock, and the bytes that are random in another service."""

import hashlib
import itertools
from collections.abc import Callable
from datetime import datetime

Randomness = Callable[[int], bytes]


class HandSet:
    """A clock that stands still until it is set."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


def known_bytes(seed: str) -> Randomness:
    """Return a source of bytes that gives the same sequence for the same seed."""
    numbers = itertools.count()
    return lambda count: hashlib.shake_128(f"{seed}/{next(numbers)}".encode()).digest(count)
