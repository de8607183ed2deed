"""A certificate proves that a log has the head of a stream. This module compares it with an export of the stream."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec
from msgspec import UNSET, Struct

from domain.kernel.ids import StreamId, Version
from domain.kernel.log.history import read_created
from domain.kernel.log.lifecycle import GameForked
from domain.kernel.log.record import Record
from domain.transparency.entry import PRIVATE, WITHHELD, Entry, kind_of, read_entry
from domain.transparency.note import Check, NoteError
from domain.transparency.policy import Policy, Rejected
from domain.transparency.proof import read_proof

CLOCKS_APART: Final = 300
"""Seconds by which the clocks of a service and of a witness may differ."""

BEYOND: Final = (
    "Who a person is: the log has only ids.",
    "Whether a clock was right to better than the times of the witnesses.",
    "Whether a ruling was just.",
    "That a game existed which nobody ever certified.",
)
"""What no certificate can prove, in sentences."""


class Certified(Struct, frozen=True, omit_defaults=True):
    """What a certificate says of an export.

    Attributes:
        ok: whether the export agrees with what a log of the policy signed.
        problem: what is wrong, in a sentence.
        origin: the name of the log.
        index: the place of the entry in it.
        size: the size of the tree that was signed.
        entry: the head of the stream that the log has.
        witnesses: the witnesses that saw that tree, by their names in the policy, each with its time.
        later: how many events the export has after the version that was signed.
        said: what follows from the certificate, in sentences.
    """

    ok: bool
    problem: str = ""
    origin: str = ""
    index: int = 0
    size: int = 0
    entry: Entry | None = None
    witnesses: Mapping[str, str] = {}
    later: int = 0
    said: tuple[str, ...] = ()


class _Wrong(Exception):
    pass


def certify(
    stream: StreamId,
    records: Sequence[Record],
    status_at: Callable[[Version], str],
    certificate: str,
    policy: Policy,
    check: Check,
) -> Certified:
    """Return what a certificate says of a stream. Never raises because of its content.

    Args:
        records: the stream from version 1 on, already known to be a chain.
        status_at: returns the status of the stream at one of its versions.
    """
    try:
        return _certified(stream, records, status_at, certificate, policy, check)
    except (NoteError, _Wrong) as error:
        return Certified(False, f"{error}")
    except Rejected as error:
        return Certified(False, f"The policy does not accept the checkpoint: {error}.")


def _certified(
    stream: StreamId,
    records: Sequence[Record],
    status_at: Callable[[Version], str],
    certificate: str,
    policy: Policy,
    check: Check,
) -> Certified:
    try:
        proof = read_proof(certificate)
    except NoteError as error:
        raise _Wrong(f"This is no certificate: {error}.") from error
    verdict = policy.judge(proof.note, check)
    if proof.extra is None or not proof.proves(proof.extra):
        raise _Wrong("The certificate does not lead from its entry to the root that was signed.")
    try:
        entry = read_entry(proof.extra)
    except ValueError as error:
        raise _Wrong(f"The certificate is of something else: {error}.") from error
    _compare(entry, stream, records, status_at)
    times = {name: witness.time for name, witness in verdict.witnesses.items() if witness.time is not None}
    for name, time in times.items():
        latest = rfc3339(time + CLOCKS_APART)
        if latest.endswith("Z") and entry.at > latest:
            raise _Wrong(f"Version {entry.version} is dated {entry.at}, and {name} had seen it by {rfc3339(time)}.")
    witnesses = {name: rfc3339(time) for name, time in times.items()}
    head, later = verdict.checkpoint, len(records) - entry.version
    certified = Certified(True, "", head.origin, proof.index, head.size, entry, witnesses, later)
    return msgspec.structs.replace(certified, said=tuple(_sentences(certified, entry)))


def _compare(entry: Entry, stream: StreamId, records: Sequence[Record], status_at: Callable[[Version], str]) -> None:
    if (entry.kind, entry.id) != (kind_of(stream), stream):
        raise _Wrong(f"The certificate is of {entry.kind} {entry.id}, and the export of {stream}.")
    if entry.version > len(records):
        raise _Wrong(
            f"The certificate is of version {entry.version}, and the export ends at version {len(records)}:"
            " it was cut short, or is older than the certificate."
        )
    record = records[entry.version - 1]
    if record.hash.hex() != entry.hash:
        raise _Wrong(
            f"The service stood by the hash {entry.hash} at version {entry.version}, and the export has"
            f" {record.hash.hex()} there: it is another log."
        )
    if record.at != entry.at:
        raise _Wrong(f"Version {entry.version} was signed as of {entry.at}, and the export dates it {record.at}.")
    if entry.status == WITHHELD and (entry.kind, entry.version) == ("game", 1) and _is_withheld(record):
        return
    if entry.status == PRIVATE and (entry.kind == "case" or read_created(records[0]).readers is not UNSET):
        return
    if (status := status_at(entry.version)) != entry.status:
        raise _Wrong(f"Version {entry.version} was signed as {entry.status}, and the export leads to {status} there.")


def _is_withheld(first: Record) -> bool:
    """Tell whether the first record of a game is that of a fork that was withheld from others (TAB-FORK-02)."""
    return isinstance(created := read_created(first), GameForked) and created.withheld is not UNSET


def _sentences(certified: Certified, entry: Entry) -> list[str]:
    sentences = [
        f"The log {certified.origin} has version {entry.version} as its entry {certified.index},"
        f" of {certified.size} then."
    ]
    if certified.witnesses:
        witnesses = ", ".join(f"{name} ({time})" for name, time in certified.witnesses.items())
        sentences.append(f"That log was seen by {witnesses}, so version {entry.version} existed by then.")
    else:
        sentences.append("No witness of the policy saw that log: the service could show others another one.")
    if entry.status == WITHHELD:
        sentences.append("It was withheld then, to be shown to everybody when the game that it forks from was over.")
    if entry.status == PRIVATE:
        sentences.append("It is private: others are shown its hashes alone.")
    if certified.later:
        noun = "version" if certified.later == 1 else "versions"
        sentences.append(f"The export has {certified.later} {noun} after it, for which a newer certificate speaks.")
    elif entry.status in ("over", "cancelled", "closed"):
        what = "its standings" if entry.kind == "tournament" else "the result of the game"
        sentences.append(f"It was {entry.status} then: {what} cannot change.")
    else:
        sentences.append("Whether versions after it exist is not known.")
    return sentences


def rfc3339(time: int) -> str:
    """Return a time in seconds since 1970 in the form of RFC 3339."""
    try:
        return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (OverflowError, ValueError, OSError):
        return f"{time} s after 1970"
