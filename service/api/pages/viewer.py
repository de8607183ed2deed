"""The reading room: a page for people, of the files in `service/viewer`. What it shows it asks of the API."""

import hashlib
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

from litestar.handlers import get
from litestar.params import FromPath
from litestar.response import Response
from msgspec import Struct

from service.api import problems
from service.api.pages.files import ASKED_AGAIN, MEDIA, File, sent
from service.api.problems import Problem
from service.api.request import Call

_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "same-origin",
}
_KEPT: Final = "max-age=31536000, immutable"
_PLACE: Final = b"/viewer/"
_DIGEST: Final = re.compile("[0-9a-f]{32}")


class _Edition(Struct, frozen=True):
    """The files as they are now. Pages name them with a digest of all: under it none ever changes."""

    digest: str
    files: Mapping[str, File]


@get("/")
async def show_lobby(request: Call) -> Response[bytes]:
    """Show the lobby: the games, and how to begin one."""
    return _shown(request, "lobby.html")


@get("/games/{game:str}")
async def show_game_page(request: Call, game: FromPath[str]) -> Response[bytes]:
    """Show the page of a game. It is the same for every game; which one it is, the page reads from its address."""
    return _shown(request, "game.html")


@get("/games/{game:str}/desk")
async def show_desk(request: Call, game: FromPath[str]) -> Response[bytes]:
    """Show the judge's desk of a game. It reads from its address which game it is, and which version."""
    return _shown(request, "desk.html")


@get("/viewer/{name:path}")
async def show_viewer_file(request: Call, name: FromPath[str]) -> Response[bytes]:
    """Show a file that the pages consist of."""
    digest, _, within = name.removeprefix("/").partition("/")
    if digest == _edition().digest:
        return _shown(request, within, _KEPT)
    # A page that was loaded from an earlier service, or asks another process than the one that it came from.
    return _shown(request, within if _DIGEST.fullmatch(digest) else name.removeprefix("/"))


def _shown(request: Call, name: str, kept: str = ASKED_AGAIN) -> Response[bytes]:
    file = _edition().files.get(name)
    if file is None:
        raise Problem(problems.UNKNOWN_PATH, f"The service has no {request.url.path!r}.", "The lobby is at /.")
    return sent(request, file, _HEADERS, kept)


@lru_cache(maxsize=1)
def _edition() -> _Edition:
    """Return the files by name. They are read once."""
    found = sorted(_read("", "viewer"))
    digest = hashlib.sha256(repr(found).encode()).hexdigest()[:32]
    there = _PLACE + digest.encode() + b"/"
    return _Edition(
        digest,
        {
            name: File.of(content.replace(_PLACE, there) if name.endswith(".html") else content, name)
            for name, content in found
        },
    )


def _read(within: str, *place: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    folder: Traversable = resources.files("service").joinpath(*place)
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _read(f"{within}{entry.name}/", *place, entry.name)
        elif entry.name.rpartition(".")[2] in MEDIA:
            found.append((f"{within}{entry.name}", entry.read_bytes()))
    return found


ROUTES = (show_lobby, show_game_page, show_desk, show_viewer_file)
