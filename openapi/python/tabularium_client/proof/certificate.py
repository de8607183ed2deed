"""Checks that a verified export is in the log that the service signs, by a certificate (C2SP `tlog-proof`).

The signatures are Ed25519. `pip install tabularium-client[proof]` installs `cryptography`, which checks them.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from msgspec import Struct, field

from tabularium_client.proof.chain import canonical
from tabularium_client.proof.export import Verdict

_HEAD: Final = re.compile(
    r"c2sp\.org/tlog-proof@v1\n(?:extra (\S+)\n)?index (0|[1-9]\d{0,14})\n((?:\S+\n){0,63})\n", re.ASCII
)
_KEY: Final = re.compile(r"([^\s+]+)\+([0-9a-f]{8})\+(\S+)")
_SIGNATURE: Final = re.compile(r"\u2014 ([^\s+]+) ([A-Za-z0-9+/=]+)")
_ED25519, _COSIGNATURE = 1, 4
_CLOCKS_APART: Final = 300
"""Seconds by which the clocks of a service and of a witness may differ."""
_STATUS: Final = {
    "game-created": "gathering",
    "game-started": "running",
    "game-cancelled": "cancelled",
    "game-ended": "over",
    "case-opened": "open",
    "case-withdrawn": "withdrawn",
    "ruled": "ruled",
    "appealed": "appealed",
    "ruled-finally": "final",
    "settled": "settled",
}


class Certified(Struct):
    """What a certificate says of an export: in `sentences` what it proves, in `problem` what is wrong."""

    ok: bool
    problem: str | None = None
    sentences: list[str] = field(default_factory=list[str])
    unchecked: list[str] = field(default_factory=list[str])


class _Key(Struct, frozen=True):
    name: str
    id: bytes
    kind: int
    public: bytes


class _Note(Struct, frozen=True):
    text: str
    signatures: list[tuple[str, bytes, bytes]]


class _Policy(Struct):
    logs: list[_Key] = field(default_factory=list[_Key])
    witnesses: dict[str, _Key] = field(default_factory=dict[str, _Key])
    groups: dict[str, tuple[int, list[str]]] = field(default_factory=dict[str, tuple[int, list[str]]])
    quorum: str = ""

    def is_enough(self, seen: Iterable[str], name: str | None = None) -> bool:
        """Tell whether these witnesses are enough for the policy."""
        name = name or self.quorum
        if name == "none":
            return True
        if name not in self.groups:
            return name in seen
        least, members = self.groups[name]
        return sum(self.is_enough(seen, member) for member in members) >= least


def certify(certificate: str, policy: str, verdict: Verdict) -> Certified:
    """Check that the service signed an export, by the log and the witnesses that a policy trusts."""
    certified = Certified(True)
    try:
        _certify(certificate, _read_policy(policy), verdict, certified)
    except (LookupError, ValueError) as error:
        message = str(error)
        return Certified(False, f"{message[:1].upper()}{message[1:]}.")
    return certified


def _certify(certificate: str, policy: _Policy, verdict: Verdict, certified: Certified) -> None:
    head = _HEAD.match(certificate)
    if head is None:
        raise ValueError("this is no certificate")
    note = _read_note(certificate[head.end() :])
    origin, size, root = _read_checkpoint(note.text)
    witnesses = _judged(policy, note, origin, certified)
    content, path = _unbase64(head[1] or ""), [_unbase64(line) for line in head[3].splitlines()]
    if not content or any(len(each) != 32 for each in path) or not _includes(content, int(head[2]), size, root, path):
        raise ValueError("the certificate does not lead from its entry to the root that was signed")
    entry = _entry(content)
    _compare(entry, verdict)
    for name, time in witnesses.items():
        latest = datetime.fromtimestamp(time + _CLOCKS_APART, UTC).isoformat()
        if entry["at"][:19] > latest[:19]:
            raise ValueError(f"version {entry['version']} is dated {entry['at']}, and {name} had seen it before")
    version, status = entry["version"], entry["status"]
    sightings = ", ".join(
        f"{name} ({datetime.fromtimestamp(time, UTC):%Y-%m-%dT%H:%M:%SZ})" for name, time in witnesses.items()
    )
    certified.sentences.append(f"The log {origin} has version {version} as its entry {head[2]}, of {size} then.")
    certified.sentences.append(
        f"That log was seen by {sightings}, so version {version} existed by then."
        if sightings
        else "No witness of the policy saw that log: the service could show others another one."
    )
    if status == "withheld":
        sentence = "It was withheld then, to be shown to everybody when the game that it forks from was over."
        certified.sentences.append(sentence)
    if status == "private":
        certified.sentences.append("It is private: others are shown its hashes alone.")
    if verdict.versions > version:
        more = verdict.versions - version
        sentence = f"The export has {more} more versions after it, for which a newer certificate speaks."
        certified.sentences.append(sentence)
    elif status in {"over", "cancelled"}:
        certified.sentences.append(f"It was {status} then: the result of the game cannot change.")
    else:
        certified.sentences.append("Whether versions after it exist is not known.")


def _judged(policy: _Policy, note: _Note, origin: str, certified: Certified) -> dict[str, int]:
    """Check who signed the checkpoint; return the witnesses that saw it, each with its time."""
    logs = [key for key in policy.logs if key.name == origin]
    if not logs:
        raise ValueError(f"the policy does not know the log {origin}")
    signed = [time for key in logs if (time := _signed_by(key, note)) != "not"]
    if not signed:
        raise ValueError(f"the checkpoint is not signed by a key that the policy has for {origin}")
    if all(time is None for time in signed):
        certified.unchecked.append("The signature of the service: install tabularium-client[proof] to check it.")
    sightings = {name: time for name, key in policy.witnesses.items() if (time := _signed_by(key, note)) != "not"}
    certified.unchecked += [
        f"The cosignature of {name} cannot be checked here." for name in sightings if sightings[name] is None
    ]
    if not policy.is_enough(sightings):
        names = ", ".join(sightings) or "none"
        raise ValueError(f"the quorum {policy.quorum} is not reached: of the policy's witnesses it was seen by {names}")
    return {name: time for name, time in sightings.items() if isinstance(time, int)}


def _signed_by(key: _Key, note: _Note) -> Any:
    """Return the time at which a key signed, 0 for one that says none, None where that cannot be told, else "not".

    Raises:
        ValueError: a signature that says it is by the key is wrong: then the whole note is worth nothing.
    """
    value = next((value for name, each, value in note.signatures if (name, each) == (key.name, key.id)), None)
    if value is None:
        return "not"
    if key.kind not in {_ED25519, _COSIGNATURE}:
        return None
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        return None
    stamp, signed = 0, note.text
    if key.kind == _COSIGNATURE:
        stamp, value = int.from_bytes(value[:8], "big"), value[8:]
        signed = f"cosignature/v1\ntime {stamp}\n{note.text}"
    try:
        Ed25519PublicKey.from_public_bytes(key.public).verify(value, signed.encode())
    except InvalidSignature:
        raise ValueError(f"the signature of {key.name} is wrong") from None
    return stamp


def _compare(entry: dict[str, Any], verdict: Verdict) -> None:
    version, status = entry["version"], entry["status"]
    stream = ("case", verdict.case) if verdict.case else ("game", verdict.game)
    if (entry["kind"], entry["id"]) != stream:
        raise ValueError(f"the certificate is of {entry['kind']} {entry['id']}, and the export of {stream[1]}")
    if not 0 < version <= verdict.versions:
        raise ValueError(
            f"the certificate is of version {version}, and the export ends at version {verdict.versions}: "
            "it was cut short, or is older than the certificate"
        )
    row, created = verdict.rows[version - 1], verdict.rows[0]["event"]
    if row["hash"] != entry["hash"]:
        raise ValueError(
            f"the service stood by the hash {entry['hash']} at version {version}, "
            f"and the export has {row['hash']} there: it is another log"
        )
    if row["at"] != entry["at"]:
        raise ValueError(f"version {version} was signed as of {entry['at']}, and the export dates it {row['at']}")
    if (status == "withheld" and version == 1 and created.get("withheld")) or (
        status == "private" and (verdict.case or created.get("readers"))
    ):
        return
    types = [row["event"]["type"] for row in verdict.rows[:version]]
    leads = next((each for each in reversed(types) if each in _STATUS), "game-forked")
    forked = "running" if created.get("purpose") == "analysis" else "gathering"
    if (leads := _STATUS.get(leads, forked)) != status:
        raise ValueError(f"version {version} was signed as {status}, and the export leads to {leads} there")


def _entry(content: bytes) -> dict[str, Any]:
    entry = msgspec.json.decode(content, type=dict[str, Any])
    if entry.keys() != {"at", "hash", "id", "kind", "status", "version"} or canonical(entry) != content:
        raise ValueError("the certificate is of something else")
    return entry


def _includes(leaf: bytes, index: int, size: int, root: bytes, path: list[bytes]) -> bool:
    """Tell whether a leaf is at its place in a tree (RFC 9162, 2.1.3.2)."""
    if index >= size:
        return False
    at, last, value = index, size - 1, hashlib.sha256(b"\0" + leaf).digest()
    for beside in path:
        if last == 0:
            return False
        if at % 2 or at == last:
            value = hashlib.sha256(b"\1" + beside + value).digest()
            while at % 2 == 0 and at:
                at, last = at // 2, last // 2
        else:
            value = hashlib.sha256(b"\1" + value + beside).digest()
        at, last = at // 2, last // 2
    return last == 0 and value == root


def _read_note(text: str) -> _Note:
    at = text.rfind("\n\n")
    if at < 0 or not text.endswith("\n"):
        raise ValueError("a note ends with an empty line and signature lines after it")
    signatures: list[tuple[str, bytes, bytes]] = []
    for line in text[at + 2 : -1].split("\n"):
        match = _SIGNATURE.fullmatch(line)
        value = _unbase64(match[2]) if match else b""
        if match is None or len(value) < 5:
            raise ValueError("a line after a note is not a signature")
        signatures.append((match[1], value[:4], value[4:]))
    return _Note(text[: at + 1], signatures)


def _read_checkpoint(text: str) -> tuple[str, int, bytes]:
    origin, size, root, *_ = [*text.split("\n"), "", ""]
    value = _unbase64(root)
    if not origin or not re.fullmatch(r"0|[1-9]\d{0,14}", size, re.ASCII) or len(value) != 32:
        raise ValueError("this is no checkpoint")
    return origin, int(size), value


def _read_key(text: str) -> _Key:
    match = _KEY.fullmatch(text)
    value = _unbase64(match[3]) if match else b""
    if match is None or len(value) < 2:
        raise ValueError(f"{text[:60]} is not a key")
    name, key_id = match[1], bytes.fromhex(match[2])
    if hashlib.sha256(f"{name}\n".encode() + value).digest()[:4] != key_id:
        raise ValueError(f"the key of {name} was copied wrongly")
    return _Key(name, key_id, value[0], value[1:])


def _read_policy(text: str) -> _Policy:
    policy = _Policy()
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            match line.split():
                case []:
                    continue
                case [word, *_] if word.startswith("#"):
                    continue
                case ["log", key, *_]:
                    policy.logs.append(_read_key(key))
                case ["witness", name, key, *_]:
                    policy.witnesses[name] = _read_key(key)
                case ["group", name, least, *members] if members:
                    count = {"any": 1, "all": len(members)}.get(least) or int(least)
                    if not 1 <= count <= len(members):
                        raise ValueError(f"{least} of {len(members)} is no group")
                    policy.groups[name] = (count, members)
                case ["quorum", name] if not policy.quorum:
                    policy.quorum = name
                case words:
                    raise ValueError(f"{words[0]} does not belong here")
        except ValueError as error:
            raise ValueError(f"line {number} of the policy: {error}") from error
    if not policy.quorum:
        raise ValueError("the policy has no quorum line")
    return policy


def _unbase64(text: str) -> bytes:
    """Return the bytes that base64 stands for; none when it is not exactly what encoding would give."""
    try:
        value = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
    return value if base64.b64encode(value).decode() == text else b""
