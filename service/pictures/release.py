"""What draws pictures, as one digest: when it is another, the same position may look otherwise."""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from typing import Final

DRAWN_BY: Final = (("domain",), ("service", "pictures"), ("service", "api", "pictures"))
"""Code and data: what lies where, the maps, what it looks like, and how it is answered."""


@cache
def drawn_by() -> str:
    """Return the digest of what draws here. Its files are read once."""
    places = [resources.files(package).joinpath(*within) for package, *within in DRAWN_BY]
    return digest(places, metadata.version("resvg-py"))


def digest(places: Sequence[Traversable], converter: str) -> str:
    """Return a digest of files and folders, and of the converter's version: the same wherever they are."""
    seen = hashlib.sha256(converter.encode())
    for name, content in (file for place in places for file in _files(place, place.name)):
        seen.update(f"\n{name} {len(content)}\n".encode())
        seen.update(content)
    return seen.hexdigest()


def _files(place: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    if place.is_file():
        yield name, place.read_bytes()
        return
    for entry in sorted(place.iterdir(), key=lambda each: each.name):
        if entry.name != "__pycache__":
            yield from _files(entry, f"{name}/{entry.name}")
