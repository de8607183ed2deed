"""A digest of the code and data that draw pictures: when it has changed, the same position may look different."""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from typing import Final

DRAWN_BY: Final = (("domain",), ("service", "pictures"), ("service", "api", "pictures"))
"""The packages that decide how pictures look: positions and maps, the drawing, and the endpoints of pictures."""


@cache
def drawn_by() -> str:
    """Return the digest of the code and data that draw pictures here. The files are read once."""
    places = [resources.files(package).joinpath(*within) for package, *within in DRAWN_BY]
    return digest(places, metadata.version("resvg-py"))


def digest(places: Sequence[Traversable], converter: str) -> str:
    """Return a digest of files and folders and of the converter's version. It does not depend on where they lie."""
    hash_ = hashlib.sha256(converter.encode())
    for name, content in (file for place in places for file in _files(place, place.name)):
        hash_.update(f"\n{name} {len(content)}\n".encode())
        hash_.update(content)
    return hash_.hexdigest()


def _files(place: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    if place.is_file():
        yield name, place.read_bytes()
        return
    for entry in sorted(place.iterdir(), key=lambda each: each.name):
        if entry.name != "__pycache__":
            yield from _files(entry, f"{name}/{entry.name}")
