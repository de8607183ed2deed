"""Evidence of a follower against a transparency log: it stores the signed and the shown data, so that others can check
them."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct


class Found(Struct, frozen=True, omit_defaults=True):
    """A finding: something that does not fit what was signed.

    Attributes:
        kind: the kind of the finding, such as `two-trees`.
        message: the finding in a sentence.
        stream: the stream that it is about; empty for the log itself.
        files: the files that prove it, by name.
    """

    kind: str
    message: str
    stream: str = ""
    files: Mapping[str, bytes] = {}


def keep(finding: Found, directory: Path, at: str) -> Path:
    """Write a finding into a folder of its own, unless it was written before. Return the folder."""
    digest = hashlib.sha256(msgspec.json.encode([finding.kind, finding.stream, finding.message])).hexdigest()[:12]
    folder = directory / f"{finding.kind}-{digest}"
    if not folder.exists():
        folder.mkdir(parents=True)
        for name, content in finding.files.items():
            (folder / name).write_bytes(content)
        what = {"kind": finding.kind, "said": finding.message, "stream": finding.stream, "found": at}
        (folder / "finding.json").write_bytes(msgspec.json.format(msgspec.json.encode(what), indent=2) + b"\n")
    return folder
