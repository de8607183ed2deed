"""Reading JSON strictly, with a problem that names what is wrong. The time grows no faster than the text."""

import json
import re
from typing import Any, Final, TypeVar

import msgspec
from msgspec.json import Decoder

from service.api.problems.problem import Problem
from service.api.problems.request import MALFORMED_JSON, invalid_body

T = TypeVar("T")

SHORT: Final = 1000
"""The most bytes of a body that `_is_plain` checks: so few bytes hold no number that is too long for Python."""

_ESCAPE: Final = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)
_LONG_NUMBER: Final = re.compile(rb"[0-9]{100,}")
"""More digits than any number that we accept. A text may have so many, so this serves only to explain an error."""


def read_json(raw: bytes, decoder: Decoder[T]) -> T:
    """Decode JSON. Raises `Problem` if it is not strict JSON, or does not have the shape of `decoder`."""
    try:
        value = decoder.decode(raw)
        if not _is_plain(raw):
            _strict.decode(raw.decode("utf-8", "surrogatepass"))
    except msgspec.ValidationError as error:
        raise invalid_body(error, decoder.type, digits=_digits(raw, error)) from None
    except RecursionError:
        raise Problem(MALFORMED_JSON, "The body is nested too deeply.") from None
    except (msgspec.DecodeError, ValueError) as error:
        raise _unreadable(raw, error) from None
    return value


def _is_plain(raw: bytes) -> bool:
    """Tell whether a text surely names no member twice, in a sixth of the time that `_strict` takes.

    Of two members with one name, msgspec keeps the last. So decoding and encoding such a text again loses a colon. Long
    texts, and those with escapes, which may stand for a colon, are left to `_strict`.
    """
    if len(raw) > SHORT or b"\\" in raw:
        return False
    try:
        return msgspec.json.encode(msgspec.json.decode(raw)).count(b":") == raw.count(b":")
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return False


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # Of two equal names, msgspec keeps the last, and another reader may keep the first: so requests get smuggled.
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError(f"an object has the member {_first_repeated(pairs)!r} twice")
    return members


_strict: Final = json.JSONDecoder(object_pairs_hook=_refuse_repeated)


def _first_repeated(pairs: list[tuple[str, Any]]) -> str:
    met: set[str] = set()
    for name, _ in pairs:
        if name in met:
            return name
        met.add(name)
    raise ValueError("no name is repeated")


def _unreadable(raw: bytes, error: Exception) -> Problem:
    """Return the problem of a text that cannot be read, also where the message of a parser would mislead."""
    try:
        raw.decode()
    except UnicodeDecodeError as undecodable:
        wrong = f"byte {undecodable.start} is not UTF-8"
        return Problem(MALFORMED_JSON, f"The service cannot read the body: {wrong}.", "Encode it in UTF-8.")
    if (surrogate := _lone_surrogate(raw)) is not None:
        return Problem(
            MALFORMED_JSON,
            f"The service cannot read the body: {surrogate} is half of a surrogate pair without the other.",
            "Send whole characters: both halves, or the character itself in UTF-8.",
        )
    if "integer string conversion" in str(error):
        return Problem(
            MALFORMED_JSON,
            f"The service cannot read the body: it has a number of {_longest_number(raw):,} digits.",
            "Send whole numbers up to 2^53 - 1, which have 16 digits at most.",
        )
    return Problem(MALFORMED_JSON, f"The service cannot read the body: {error}.", "Send one JSON object.")


def _lone_surrogate(raw: bytes) -> str | None:
    """Return the first escape that stands for half of a character, such as ``\\ud800``; None when there is none."""
    high: re.Match[bytes] | None = None
    for escape in _ESCAPE.finditer(raw):
        code = int(escape[1], 16) if escape[1] else 0
        is_low = 0xDC00 <= code <= 0xDFFF
        if high is not None and not (is_low and escape.start() == high.end()):
            break
        if is_low and high is None:
            return escape[0].decode()
        high = escape if 0xD800 <= code <= 0xDBFF else None
    return high[0].decode() if high is not None else None


def _digits(raw: bytes, error: msgspec.ValidationError) -> int:
    """Return the number of digits of the longest number, if the error is that one is out of range; 0 otherwise."""
    return _longest_number(raw) if "out of range" in str(error) else 0


def _longest_number(raw: bytes) -> int:
    return max((len(number[0]) for number in _LONG_NUMBER.finditer(raw)), default=0)
