"""A forger who knows the export's format as well as we do: changes what it says and makes all hashes fit again."""

import hashlib
import json
from collections.abc import Callable, Iterable
from typing import Any

from domain.kernel.canonical import canonical
from domain.kernel.ids import GameId
from domain.kernel.log.record import Record, chain_hash, genesis

Line = dict[str, Any]
Change = Callable[[list[Line]], object]


def lines_of(export: bytes | Iterable[bytes]) -> list[Line]:
    """Return the lines of an export as JSON."""
    return [json.loads(line) for line in (export.splitlines() if isinstance(export, bytes) else export)]


def forged(export: bytes | Iterable[bytes], change: Change, afterwards: Change = lambda lines: None) -> list[bytes]:
    """Return an export after a change of its lines, with versions, hashes and digest made good again.

    `afterwards` changes the lines once more, when only the digest of the last line is still to be made.
    """
    lines = lines_of(export)
    change(lines)
    named = lines[0]
    stream = GameId(named.get("league") or named.get("tournament") or named.get("case") or named["game"])
    head = genesis(stream)
    rows = rows_of(lines)
    for version, row in enumerate(rows, start=1):
        row["version"] = version
        head = chain_hash(head, stream, _record(row))
        row["hash"] = head.hex()
    lines[-1]["end"].update(version=len(rows), head=head.hex())
    for beside in ("statement", "secret"):
        if f"{beside}s" in lines[-1]["end"]:
            lines[-1]["end"][f"{beside}s"] = sum(beside in line for line in lines)
    afterwards(lines)
    return whole(lines)


def forged_in_parts(export: Iterable[bytes], change: Change) -> list[bytes]:
    """Return a fork's export after a change of its lines, as `forged` does, with the past of the fork made good, too.

    A fork that named the head of its past goes on naming it.
    """
    lines = lines_of(export)
    before = [line["past"]["head"] for line in lines if "past" in line]
    change(lines)
    heads = list[str]()
    part: list[Line] = []
    for line in lines:
        part.append(line)
        if "past" not in line and "end" not in line:
            continue
        game = GameId(part[0]["game"])
        head, secrets = genesis(game), sum("secret" in each for each in part)
        for version, row in enumerate(rows_of(part), start=1):
            row["version"] = version
            if row["event"].get("hash") in before[: len(heads)]:
                row["event"]["hash"] = heads[before.index(row["event"]["hash"])]
            head = chain_hash(head, game, _record(row))
            row["hash"] = head.hex()
        line["past" if "past" in line else "end"].update(version=len(rows_of(part)), head=head.hex(), secrets=secrets)
        heads.append(head.hex())
        part = []
    return whole(lines)


def whole(lines: list[Line]) -> list[bytes]:
    """Return the lines of a file, with the right digest in the last one."""
    body = [canonical(line) + b"\n" for line in lines[:-1]]
    lines[-1]["end"]["digest"] = f"sha256:{hashlib.sha256(b''.join(body)).hexdigest()}"
    return [*body, canonical(lines[-1]) + b"\n"]


def rows_of(lines: list[Line]) -> list[Line]:
    """Return the lines that are rows of the log."""
    return [line for line in lines if "event" in line]


def rows(lines: list[Line], kind: str) -> list[Line]:
    """Return the rows with events of a type."""
    return [row for row in rows_of(lines) if row["event"]["type"] == kind]


def step_of(lines: list[Line], row: Line) -> list[Line]:
    """Return the rows that one act brought about, of which `row` is the first."""
    found = [row]
    for later in rows_of(lines)[row["version"] :]:
        if "cause" in later:
            break
        found.append(later)
    return found


def _record(row: Line) -> Record:
    cause = canonical(row["cause"]) if "cause" in row else None
    return Record(row["version"], canonical(row["event"]), row["schema"], row["draws"], row["at"], cause, b"")
