"""Versions of the contract: what clients may count on, the changelog, and the contract that was released last.

`openapi/README.md` says what each part of a version means. The folder of the contract keeps the last release,
compressed, and a changelog. Its first section has the differences from that release.
"""

import json
import lzma
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final

from service.api.contract.changes import Change, changes

VERSION: Final = "2.0.0"
"""The version of the contract, by semantic versioning."""

RELEASED: Final = "released.json.xz"
CHANGELOG: Final = "CHANGELOG.md"

_HEAD: Final = """\
# Changes of the contract

Made by `tabularium openapi` from what differs from the release before, without descriptions and examples.
[The guide](README.md#versions-of-the-contract) says what may change, and how it is announced.

"""


def last_release(folder: Path) -> dict[str, Any]:
    """Return the last released contract."""
    return json.loads(lzma.decompress((folder / RELEASED).read_bytes()))


def release(folder: Path, contract: dict[str, Any], day: date) -> None:
    """Store a contract as the last released one, with its day."""
    (folder / CHANGELOG).write_bytes(changelog(folder, contract, f"{day:%Y-%m-%d}"))
    packed = json.dumps(contract, ensure_ascii=False, separators=(",", ":")).encode()
    (folder / RELEASED).write_bytes(lzma.compress(packed, preset=9))


def changelog(folder: Path, contract: dict[str, Any], day: str = "not released yet") -> bytes:
    """Return the changelog with a section for the changes of a contract, if there are any."""
    old = last_release(folder)
    earlier = (folder / CHANGELOG).read_text("utf-8") if (folder / CHANGELOG).is_file() else ""
    heading = f"## {old['info']['version']}"
    earlier = earlier[earlier.index(heading) :] if heading in earlier else f"{heading}\n\nThe first that is kept.\n"
    differences = changes(old, contract)
    section = (
        "\n".join((f"## {contract['info']['version']}: {day}", "", *_lines(differences), "", "")) if differences else ""
    )
    return f"{_HEAD}{section}{earlier}".encode()


def _lines(differences: Sequence[Change]) -> Iterator[str]:
    """Yield the lines of a section. A change in many places is listed once."""
    for title, breaking in (("What can break a client", True), ("New, or eased", False)):
        places: dict[str, list[str]] = defaultdict(list)
        for change in differences:
            if change.breaking == breaking:
                places[change.what].append(change.where)
        if places:
            yield f"**{title}**"
            yield ""
        for what, where in sorted(places.items(), key=lambda each: each[1]):
            more = f" and {len(where) - 3} more" if len(where) > 3 else ""
            yield f"- {'; '.join(where[:3])}{more}: {what}"
        if places:
            yield ""


def fault(old: dict[str, Any], new: dict[str, Any]) -> str | None:
    """Return what is wrong with the version of a contract that follows a release; None if nothing is."""
    differences = changes(old, new)
    released = old["info"]["version"]
    before, after = _parts(released), _parts(new["info"]["version"])
    announced = {*_deprecated(old)}
    removed = [each.where for each in differences if each.what == "removed" and each.where not in announced]
    if removed and before[0] > 0:
        return f"{'; '.join(removed)} cannot be removed, because version {released} does not say that it is deprecated."
    broken = [f"  {each.where}: {each.what}\n" for each in differences if each.breaking]
    if broken and after[0] == before[0]:
        remedy = f"Take it back, or make the version {before[0] + 1}.0.0."
        return f"This breaks clients of version {released}:\n{''.join(broken)}{remedy}"
    if differences and after[:2] <= before[:2]:
        next_version = f"{before[0]}.{before[1] + 1}.0"
        return f"The contract has changed since version {released}, so its version must be {next_version} or higher."
    return None


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _deprecated(contract: dict[str, Any]) -> Iterator[str]:
    for path, methods in contract["paths"].items():
        for method, operation in methods.items():
            if operation.get("deprecated"):
                yield f"`{method.upper()} {path}`"
