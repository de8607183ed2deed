"""The findings of a follower or a mirror of a transparency log, and their evidence: files by which others can check
them."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct


class Found(Struct, frozen=True, omit_defaults=True):
    """Something that is wrong with a log or a stream, such as data that do not fit what the log signed.

    Attributes:
        kind: the kind of the finding, such as `two-trees`.
        message: the finding in a sentence.
        stream: the stream that it is about; empty for the log itself.
        files: the contents of the files that are evidence, by file name.
    """

    kind: str
    message: str
    stream: str = ""
    files: Mapping[str, bytes] = {}


def keep(finding: Found, directory: Path, at: str) -> Path:
    """Write a finding, found at the time `at`, into a folder of its own in `directory`. Return the folder.

    A finding with the same kind, stream and message has the same folder, which is not written again.
    """
    digest = hashlib.sha256(msgspec.json.encode([finding.kind, finding.stream, finding.message])).hexdigest()[:12]
    folder = directory / f"{finding.kind}-{digest}"
    if not folder.exists():
        folder.mkdir(parents=True)
        for name, content in finding.files.items():
            (folder / name).write_bytes(content)
        summary = {"kind": finding.kind, "said": finding.message, "stream": finding.stream, "found": at}
        (folder / "finding.json").write_bytes(msgspec.json.format(msgspec.json.encode(summary), indent=2) + b"\n")
    return folder
