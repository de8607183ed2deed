"""What is the same in every sandbox: its time, and the bytes that are random in a service."""

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
    """Return a source of bytes that always gives the same sequence."""
    numbers = itertools.count()
    return lambda count: hashlib.shake_128(f"{seed}/{next(numbers)}".encode()).digest(count)
