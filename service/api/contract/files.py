"""The published contract as files, generated from the code.

These are the OpenAPI and AsyncAPI documents, the JSON Schemas of the rulesets, the changelog, and the types of events
that the client packages know.

`write` writes them into a folder. `differs` names the files there that differ from the code: the code is right, and the
folder has to be written again.
"""

import json
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from domain.boards import builtin
from domain.kernel.rules.ruleset import Library
from domain.library import LIBRARY
from service.api.contract import releases
from service.api.contract.asyncapi import async_document
from service.api.contract.clients import known_events
from service.api.contract.document import document, endpoints
from service.api.contract.examples import examples
from service.api.contract.operations import require_example
from service.api.rulesets import schemas
from service.api.services import Boards


def write(folder: Path) -> None:
    """Write the contract into `folder`, and remove files that no longer belong to it. Raises `Undescribed`."""
    content_of = _contract_files(folder)
    for path in _present(folder):
        if path not in content_of:
            (folder / path).unlink()
    for path, content in content_of.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


def differs(folder: Path) -> list[str]:
    """Return the files in `folder` that differ from the code: missing, left over or changed."""
    content_of = _contract_files(folder)
    present = {path: (folder / path).read_bytes() for path in _present(folder)}
    return sorted(path for path in content_of.keys() | present.keys() if content_of.get(path) != present.get(path))


def _present(folder: Path) -> list[str]:
    # The client packages have JSON files of their own.
    paths = [*folder.glob("*.json"), *folder.glob("*/*.schema.json"), *folder.glob(releases.CHANGELOG)]
    paths += [path_of_event for path in known_events(LIBRARY) if (path_of_event := folder / path).is_file()]
    return sorted(path.relative_to(folder).as_posix() for path in paths)


def fault(folder: Path) -> str | None:
    """Return what is wrong with the version of the contract, compared with the last release in `folder`, or None."""
    return (
        releases.fault(releases.last_release(folder), json.loads(published(LIBRARY))) if _has_release(folder) else None
    )


def release(folder: Path, day: date) -> None:
    """Write the contract into `folder` and make it the last release."""
    write(folder)
    releases.release(folder, json.loads(published(LIBRARY)), day)


def _has_release(folder: Path) -> bool:
    return (folder / releases.RELEASED).is_file()


@cache
def published(library: Library, boards: Boards = builtin) -> bytes:
    """Return the content of `openapi.json`. It is cached: making it takes half a second."""
    return encoded(document(library, boards))


def _contract_files(folder: Path) -> dict[str, bytes]:
    """Return the files of the contract, with the changelog where `folder` keeps the last release."""
    files = _files(LIBRARY)
    if _has_release(folder):
        files[releases.CHANGELOG] = releases.changelog(folder, json.loads(published(LIBRARY)))
    return files


def _files(library: Library) -> dict[str, bytes]:
    # Required only here: a service without a tutorial has no example of a lesson, but must still serve its contract.
    samples = examples(library, builtin)
    for *_, endpoint in endpoints():
        require_example(endpoint, samples)
    files = {"openapi.json": published(library)}
    files["asyncapi.json"] = encoded(async_document(json.loads(files["openapi.json"])))
    for ruleset_id in library.ids():
        each = schemas.of_ruleset(library.current(ruleset_id))
        for name in ("commands", "events", "view", "setup"):
            files[f"{ruleset_id}/{name}.schema.json"] = encoded(getattr(each, name))
    return files | known_events(library)


def encoded(value: Any) -> bytes:
    """Return a part of the contract as indented JSON, so that changes are readable."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n"
