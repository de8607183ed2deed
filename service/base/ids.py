"""New ids: short, opaque, safe in an address and in a file name."""

import base64
from typing import Final

ID_BYTES: Final = 10


def new_id(kind: str, randomness: bytes) -> str:
    """Return an id of a `kind` (a letter) from 10 random bytes, such as ``g4xq2m7ahbk3oxw7c``."""
    return kind + base64.b32encode(randomness).decode().lower()
