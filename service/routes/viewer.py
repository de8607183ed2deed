"""The reading room: a page for people, of the files in `service/viewer`. What it shows it asks of the API."""

import hashlib
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

from litestar.handlers import get
from litestar.params import FromPath
from litestar.response import Response

from service import problems
from service.answers import Answered
from service.calls import Call
from service.problems import Problem

_MEDIA: Final = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "md": "text/plain; charset=utf-8",
}
_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    # Asked again each time, and answered with 304 until the service is another: files have no versions in their names.
    "Cache-Control": "no-cache",
}


@get("/")
async def show_lobby(request: Call) -> Response[bytes]:
    """Show the lobby: the games, and how to begin one."""
    return _shown(request, "index.html")


@get("/games/{game:str}")
async def show_game_page(request: Call, game: FromPath[str]) -> Response[bytes]:
    """Show the page of a game. It is the same for every game; which one it is, the page reads from its address."""
    return _shown(request, "game.html")


@get("/viewer/{name:path}")
async def show_viewer_file(request: Call, name: FromPath[str]) -> Response[bytes]:
    """Show a file that the pages consist of."""
    return _shown(request, name.removeprefix("/"))


def _shown(request: Call, name: str) -> Response[bytes]:
    found = _files().get(name)
    if found is None:
        raise Problem(problems.UNKNOWN_PATH, f"The service has no {request.url.path!r}.", "The lobby is at /.")
    content, digest = found
    headers = {**_HEADERS, "ETag": f'"{digest}"'}
    if request.headers.get("if-none-match", "").removeprefix("W/") == headers["ETag"]:
        return Answered(b"", 304, _MEDIA[name.rpartition(".")[2]], headers)
    return Answered(content, 200, _MEDIA[name.rpartition(".")[2]], headers)


@lru_cache(maxsize=1)
def _files() -> dict[str, tuple[bytes, str]]:
    """Return the files by name, each with its digest. They are read once."""
    return {name: (content, hashlib.sha256(content).hexdigest()[:32]) for name, content in _read("", "viewer")}


def _read(within: str, *place: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    folder: Traversable = resources.files("service").joinpath(*place)
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _read(f"{within}{entry.name}/", *place, entry.name)
        elif entry.name.rpartition(".")[2] in _MEDIA:
            found.append((f"{within}{entry.name}", entry.read_bytes()))
    return found


ROUTES = (show_lobby, show_game_page, show_viewer_file)
