"""The one byte form that is hashed: RFC 8785 (JSON Canonicalization Scheme).

Everything hashed here holds objects with ASCII keys, strings, booleans, null and integers within 2^53, no floats;
for those msgspec's sorted JSON is RFC 8785 to the byte, and so is the output of any JCS library in any language.
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
