"""The lines of an export, of whatever stream: each an object in its canonical form, and its rows a chain of hashes."""

import hashlib
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from tabularium_client.proof.chain import HEX, canonical, following, genesis

Row = dict[str, Any]
Object = dict[str, Any]
_ROW: Final = {"at", "draws", "event", "game", "hash", "schema", "version"}


class Fault(Exception):
    """What is wrong with an export, and where."""

    def __init__(self, problem: str, line: int | None = None, version: int | None = None) -> None:
        super().__init__(f"{problem[:1].upper()}{problem[1:]}.")
        self.line = line
        self.version = version


def split(whole: bytes) -> list[bytes]:
    """Return the lines of a file."""
    lines = whole.split(b"\n")
    if len(lines) == 1:
        raise Fault("the export is empty", 1)
    if lines.pop():
        raise Fault("the export is cut off", len(lines) + 1)
    return lines


def read_line(
    line: bytes, number: int, names: set[str], optional: frozenset[str] = frozenset(), version: int | None = None
) -> Object:
    """Return the object in a line. Raise `Fault` unless it is canonical and has the members `names`."""
    whose = f"version {version}" if version else f"line {number}"
    try:
        value: Any = msgspec.json.decode(line)
    except msgspec.DecodeError as error:
        raise Fault(f"{whose} is not JSON", number, version) from error
    require_shape(value, names, number, optional, version)
    try:
        exact = canonical(value) == line
    except ValueError as error:
        raise Fault(f"{whose} is not in the canonical form of RFC 8785: {error}", number, version) from error
    if not exact:
        raise Fault(f"{whose} is not in the canonical form of RFC 8785", number, version)
    return value


def require_shape(
    value: Any, names: set[str], line: int, optional: frozenset[str] = frozenset(), version: int | None = None
) -> None:
    """Raise `Fault` unless a value is an object with the members `names`, and none besides but `optional`."""
    if not isinstance(value, dict) or not names <= value.keys() <= names | optional:
        whose = f"version {version}" if version else f"line {line}"
        raise Fault(f"{whose} is not of the known shape", line, version)


def read_rows(rows: list[Row], lines: list[bytes], stream: str, first: int) -> None:
    """Read the rows of a stream, and check its chain of hashes.

    Args:
        rows: where they are put, one after another.
        stream: the id of the game or case.
        first: the number of the line before the first row.
    """
    head, draws = genesis(stream), 0
    for version, line in enumerate(lines, start=1):
        where = (first + version, version)
        row = read_line(line, first + version, _ROW, frozenset({"cause"}), version)
        if not is_same(row["version"], version):
            raise Fault(f"expected version {version}, found version {row['version']}", *where)
        if row["game"] != stream:
            raise Fault(f"version {version} is of another game", *where)
        event = row["event"]
        is_sound = isinstance(event, dict) and isinstance(event.get("type"), str) and isinstance(row["hash"], str)
        if not is_sound or type(row["draws"]) is not int or type(row["schema"]) is not int or row["schema"] < 1:
            raise Fault(f"version {version} is not of the known shape", *where)
        if row["draws"] < draws:
            raise Fault(f"version {version} counts fewer draws of chance than the version before it", *where)
        if not HEX.fullmatch(row["hash"]):
            raise Fault(f"the hash of version {version} is not 64 hex digits", *where)
        hashed = canonical({name: value for name, value in row.items() if name != "hash"})
        rows.append(row)
        if following(head, hashed).hex() != row["hash"]:
            raise Fault(f"the hash of version {version} does not continue the chain", *where)
        head, draws = bytes.fromhex(row["hash"]), row["draws"]


def check_end(whole: bytes, last: bytes, line: int, right: Object) -> None:
    """Check the last line of a file against what it should say; its digest is over all bytes before it."""
    if not last.startswith(b'{"end":'):
        raise Fault("the last line is missing", line + 1)
    end = read_line(last, line, {"end"})["end"]
    before = whole[: len(whole) - len(last) - 1]
    right = {"digest": f"sha256:{hashlib.sha256(before).hexdigest()}", **right}
    require_shape(end, set(right), line)
    for name in sorted(right):
        if not is_same(end[name], right[name]):
            raise Fault(f"the last line has {name} {end[name]}; expected {right[name]}", line)


def is_same(found: Any, expected: Any) -> bool:
    """Tell whether two texts or numbers are the same in JSON. In Python, ``True`` is 1 as well."""
    return type(found) is type(expected) and found == expected


def objects(value: Any) -> Iterator[Object]:
    """Yield every object in a JSON value."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(inner)


def after(row: Row, rows: list[Row]) -> Object | None:
    """Return the event of the row after this one."""
    return rows[row["version"]]["event"] if row["version"] < len(rows) else None


def elapsed(since: str, at: str) -> timedelta:
    """Return the time between two times, which clocks tell to the millisecond."""
    return datetime.fromisoformat(at[:23]) - datetime.fromisoformat(since[:23])
