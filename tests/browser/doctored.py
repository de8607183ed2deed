"""Logs that somebody has doctored: what a forger can do to an export who knows the format as well as we do."""

import hashlib
import json
from collections.abc import Callable
from typing import Any

from domain.kernel.canonical import canonical
from domain.kernel.record import Record, chain_hash, genesis
from domain.kernel.words import GameId

Line = dict[str, Any]


def lines_of(export: bytes) -> list[Line]:
    """Return the lines of an export as JSON."""
    return [json.loads(line) for line in export.splitlines()]


def forged(export: bytes, change: Callable[[list[Line]], None]) -> bytes:
    """Return an export after a change of its lines, with all hashes made good again: nothing but its sense is wrong."""
    lines = lines_of(export)
    change(lines)
    header, end = lines[0], lines[-1]["end"]
    head = genesis(GameId(header["game"]))
    rows = [line for line in lines if "hash" in line]
    for version, row in enumerate(rows, start=1):
        head = chain_hash(head, GameId(header["game"]), _record(row | {"version": version}))
        row["version"], row["hash"] = version, head.hex()
    end["version"], end["head"], end["secrets"] = len(rows), head.hex(), sum("secret" in line for line in lines)
    return whole(lines)


def whole(lines: list[Line]) -> bytes:
    """Return the lines as a file, with the right digest in the last one."""
    body = b"".join(canonical(line) + b"\n" for line in lines[:-1])
    lines[-1]["end"]["digest"] = f"sha256:{_sha256(body)}"
    return body + canonical(lines[-1]) + b"\n"


def _record(row: Line) -> Record:
    cause = canonical(row["cause"]) if "cause" in row else None
    return Record(row["version"], canonical(row["event"]), row["schema"], row["draws"], row["at"], cause, b"")


def _sha256(body: bytes) -> str:

    return hashlib.sha256(body).hexdigest()
