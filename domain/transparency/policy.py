"""Whom to trust: the logs, the witnesses and the quorum of a C2SP `tlog-policy` file."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from domain.transparency.checkpoint import LOG_KINDS, WITNESS_KINDS, Checkpoint, Seen, read_checkpoint, verified
from domain.transparency.note import Check, Key, Note, NoteError, read_key

NOBODY: Final = "none"

_FORMS: Final[Mapping[str, str]] = {
    "log": "log VKEY [URL]",
    "witness": "witness NAME VKEY [URL]",
    "group": "group NAME any|all|NUMBER MEMBER…",
    "quorum": "quorum NAME|none",
}
"""The forms of a line, by its first word."""

_ALLOWED: Final = re.compile(rb"[\t\n\x20-\x7e\x80-\xff]*")


class PolicyError(ValueError):
    """A policy file that is wrong, with the number of the line. The message is one line."""


class Group(Struct, frozen=True):
    """Witnesses and groups, of which at least `least` must have seen a checkpoint."""

    least: int
    members: tuple[str, ...]


class Party(Struct, frozen=True):
    """A log or a witness: its key, and its address if the file has one."""

    key: Key
    url: str | None = None


class Verdict(Struct, frozen=True):
    """A checkpoint that a policy accepts, and why.

    Attributes:
        log: the log that signed it.
        witnesses: the witnesses that saw it, by their names in the policy, each with its time.
    """

    checkpoint: Checkpoint
    log: Key
    witnesses: Mapping[str, Seen]


class Rejected(Exception):
    """A note that a policy does not accept; the message is one line that says why."""


class Policy(Struct, frozen=True):
    """A policy file.

    Attributes:
        quorum: the name of the witness or group that must have seen a checkpoint; `NOBODY` when none must.
    """

    logs: tuple[Party, ...]
    witnesses: Mapping[str, Party]
    groups: Mapping[str, Group]
    quorum: str

    def judge(self, note: Note, check: Check) -> Verdict:
        """Return the verdict on a checkpoint; `check` verifies a signature. Raises `Rejected` to refuse it."""
        try:
            checkpoint = read_checkpoint(note.text)
            # A key is used only for checkpoints of the log that has the key's name.
            logs = [party.key for party in self.logs if party.key.name == checkpoint.origin]
            if not logs:
                origins = ", ".join(party.key.name for party in self.logs) or "no log"
                raise Rejected(f"it is of the log {ascii(checkpoint.origin)[1:-1]}, and the policy knows {origins}")
            signers = verified(note, logs, check)
            sightings = {
                each.key: each for each in verified(note, [party.key for party in self.witnesses.values()], check)
            }
        except NoteError as error:
            raise Rejected(str(error)) from error
        if not signers:
            raise Rejected(f"it is not signed by a key that the policy has for {checkpoint.origin}")
        witnesses = {name: sightings[party.key] for name, party in self.witnesses.items() if party.key in sightings}
        if not self.satisfied(witnesses):
            sighted_by = ", ".join(witnesses) or "none"
            raise Rejected(
                f"the quorum {self.quorum} is not reached: of the policy's witnesses it was seen by {sighted_by}"
            )
        return Verdict(checkpoint, signers[0].key, witnesses)

    def satisfied(self, witnesses: Mapping[str, object]) -> bool:
        """Tell whether these witnesses reach the quorum. Their names are those in the policy."""
        return self.quorum == NOBODY or self._saw(self.quorum, witnesses)

    def _saw(self, name: str, witnesses: Mapping[str, object]) -> bool:
        group = self.groups.get(name)
        if group is None:
            return name in witnesses
        return sum(self._saw(member, witnesses) for member in group.members) >= group.least


def read_policy(content: bytes) -> Policy:
    """Return the policy that a file describes. Raises `PolicyError`."""
    if _ALLOWED.fullmatch(content) is None:
        raise PolicyError("the policy has a control character that is neither tab nor newline")
    reader = _Reader()
    # Names are bytes in this format: bytes that are not UTF-8 must be kept as they are.
    for number, line in enumerate(content.decode(errors="surrogateescape").split("\n"), start=1):
        words = line.strip(" \t").replace("\t", " ").split(" ")
        words = [word for word in words if word]
        if not words or words[0].startswith("#"):
            continue
        try:
            reader.read(words)
        except ValueError as error:
            raise PolicyError(f"line {number} of the policy: {error}") from error
    if reader.quorum is None:
        raise PolicyError("the policy has no quorum line; `quorum none` asks for no witness")
    return Policy(tuple(reader.logs), reader.witnesses, reader.groups, reader.quorum)


class _Reader:
    def __init__(self) -> None:
        self.logs: list[Party] = []
        self.witnesses: dict[str, Party] = {}
        self.groups: dict[str, Group] = {}
        self.quorum: str | None = None
        self._grouped: set[str] = set()

    def read(self, words: Sequence[str]) -> None:
        """Add a line, given as its words, to the policy. Raises `ValueError`."""
        match words:
            case ["log", vkey, *url] if len(url) < 2:
                self.logs.append(_party(vkey, url, LOG_KINDS, self.logs))
            case ["witness", name, vkey, *url] if len(url) < 2:
                self.witnesses[self._new(name)] = _party(vkey, url, WITNESS_KINDS, self.witnesses.values())
            case ["group", name, least, *members] if members:
                self._group(name, least, members)
            case ["quorum", name]:
                if self.quorum is not None:
                    raise ValueError("there is another quorum line")
                self.quorum = name if name == NOBODY else self._require_known(name)
            case [word, *_] if word in _FORMS:
                raise ValueError(f"expected `{_FORMS[word]}`")
            case _:
                raise ValueError(f"expected log, witness, group or quorum, not {words[0]!a}")

    def _group(self, name: str, least: str, members: Sequence[str]) -> None:
        least_of = {"any": 1, "all": len(members)}.get(least)
        if least_of is None and re.fullmatch("[1-9][0-9]{0,5}", least) is None:
            raise ValueError(f"{least!a} is not any, all or a number from 1 on")
        count = int(least) if least_of is None else least_of
        if count > len(members):
            raise ValueError(f"the group needs {count} members, but it has only {len(members)}")
        for member in members:
            if self._require_known(member) in self._grouped:
                raise ValueError(f"{member} is a member already")
            self._grouped.add(member)
        self.groups[self._new(name)] = Group(count, tuple(members))

    def _new(self, name: str) -> str:
        if name == NOBODY or name in self.witnesses or name in self.groups:
            raise ValueError(f"the name {name} is taken")
        return name

    def _require_known(self, name: str) -> str:
        if name not in self.witnesses and name not in self.groups:
            raise ValueError(f"{name} is not a witness or group of an earlier line")
        return name


def _party(vkey: str, url: Sequence[str], kinds: Sequence[int], others: Iterable[Party]) -> Party:
    key = read_key(vkey)
    if key.kind not in kinds:
        expected = " or ".join(f"{kind:#04x}" for kind in kinds)
        raise ValueError(f"the key of {key.name} has the type {key.kind:#04x}; expected {expected}")
    if any(party.key.public == key.public for party in others):
        raise ValueError(f"the key of {key.name} is already on an earlier line")
    return Party(key, url[0] if url else None)
