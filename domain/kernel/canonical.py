"""The byte form of everything that is hashed: RFC 8785 (JSON Canonicalization Scheme).

Such values consist of objects with ASCII keys, arrays, strings, booleans, null and integers within 2^53, never floats.
For them msgspec's sorted JSON is RFC 8785 to the byte, as is the output of a JCS library in any language.
"""

import hashlib
from typing import Any, Final

import msgspec

_encoder: Final = msgspec.json.Encoder(order="sorted")


def canonical(value: Any) -> bytes:
    """Return the RFC 8785 bytes of a JSON-shaped value or struct."""
    return _encoder.encode(value)


def digest(value: Any) -> str:
    """Return ``sha256:<hex>`` of the canonical bytes of `value`."""
    return f"sha256:{hashlib.sha256(canonical(value)).hexdigest()}"
