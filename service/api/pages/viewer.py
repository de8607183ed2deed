"""The pages of the reading room, from the files in `service/viewer`. They get their data from the API."""

import hashlib
import re
from collections.abc import Mapping
from functools import lru_cache
from html import escape
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final
from urllib.parse import quote

from litestar.handlers import get
from litestar.params import FromPath
from litestar.response import Response
from msgspec import Struct

from domain.kernel.ids import GameId, TournamentId
from service.api.pages.files import ASKED_AGAIN, MEDIA, File, answer_file
from service.api.problems.problem import Problem
from service.api.problems.request import UNKNOWN_PATH
from service.api.request import Call
from service.api.services import Services
from service.games.cache import UnknownGame
from service.store.protocol import StoreError

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
    """The files of the reading room. An address has a digest of all files, so the file at it never changes."""

    digest: str
    files: Mapping[str, File]


PAGES: Final = {
    "/": "lobby.html",
    "/new": "new.html",
    "/rules": "rules.html",
    "/learn": "learn.html",
    "/learn/{ruleset:str}": "lesson.html",
    "/games/{game:str}/desk": "desk.html",
    "/join": "join.html",
    "/account": "account.html",
    "/account/webhooks": "webhooks.html",
    "/account/notices": "notices.html",
    "/sign-in": "sign-in.html",
    "/authorize": "authorize.html",
    "/device": "device.html",
    "/players/{player:str}": "player.html",
    "/ratings": "ratings.html",
    "/tournaments": "tournaments.html",
    "/leagues": "leagues.html",
    "/leagues/{league:str}": "league.html",
    "/imports": "imports.html",
    "/imports/{imported:str}": "imported.html",
    # The service worker is at the root, because it can only control pages below its own path.
    "/push.js": "push.js",
}
"""The file at each address. A page reads ids from its address, and the secret of an invitation from after the #."""

_FILES: Final = {address.replace(":str", ""): name for address, name in PAGES.items()}


@get([*PAGES])
async def show_page(request: Call) -> Response[bytes]:
    """Show a page."""
    return _answer_page(request, _FILES[request.scope["path_template"]])


@get("/games/{game:str}")
async def show_game_page(request: Call, game: FromPath[str]) -> Response[bytes]:
    """Show the page of a game. The page reads the id of the game from its address.

    For a listed game it has a preview: sites that show a link to it can show the title and a picture.
    """
    preview_tags = await _preview(request, GameId(game))
    if preview_tags is None:
        return _answer_page(request, "game.html")
    return answer_file(request, _with(_edition().digest, "game.html", preview_tags), _HEADERS)


@get("/tournaments/{tournament:str}")
async def show_tournament_page(request: Call, tournament: FromPath[str]) -> Response[bytes]:
    """Show the page of a tournament, with its title for sites that show a link to it."""
    try:
        row = await request.services.store.tournament(TournamentId(tournament))
    except StoreError:
        row = None
    if row is None:
        return _answer_page(request, "tournament.html")
    tags = {
        "og:site_name": "Tabularium",
        "og:type": "website",
        "og:title": row.title,
        "og:description": "A tournament: its rounds, its results and the standings.",
        "og:url": f"{request.url.scheme}://{request.url.netloc}/tournaments/{tournament}",
    }
    return answer_file(request, _with(_edition().digest, "tournament.html", _tags(tags)), _HEADERS)


@get("/viewer/{name:path}")
async def show_viewer_file(request: Call, name: FromPath[str]) -> Response[bytes]:
    """Show a file that the pages consist of."""
    digest, _, within = name.removeprefix("/").partition("/")
    if digest == _edition().digest:
        return _answer_page(request, within, _KEPT)
    # The page comes from an earlier service, or from another process with other files.
    return _answer_page(request, within if _DIGEST.fullmatch(digest) else name.removeprefix("/"))


async def _preview(request: Call, game: GameId) -> str | None:
    """Return the Open Graph tags (https://ogp.me) of a game, and a link to its oEmbed; None if it is not public."""
    title = await public_title(request.services, game)
    if title is None:
        return None
    played = await request.services.games.game(game)
    here = f"{request.url.scheme}://{request.url.netloc}"
    tags = {
        "og:site_name": "Tabularium",
        "og:type": "website",
        "og:title": title,
        "og:description": f"A game of {played.ruleset.title}: the board, the story and the proof.",
        "og:url": f"{here}/games/{game}",
    }
    if played.table is not None:
        tags["og:image"] = f"{here}/v1/games/{game}/board.png?width=1200"
    oembed = f"{here}/oembed?url={quote(tags['og:url'], safe='')}"
    link = f'<link rel="alternate" type="application/json+oembed" href="{escape(oembed)}" title="{escape(title)}">'
    return _tags(tags) + link + "\n    "


async def public_title(services: Services, game: GameId) -> str | None:
    """Return the title of a game for other sites; None if the game is not in public lists."""
    try:
        played, row = await services.games.game(game), await services.store.game(game)
        if row is None or await services.store.unlisted([game]) or not await services.games.is_shown(game, None):
            return None
    except (UnknownGame, StoreError):
        return None
    return row.title or played.ruleset.title


def _tags(tags: Mapping[str, str]) -> str:
    return "".join(f'<meta property="{name}" content="{escape(words)}">\n    ' for name, words in tags.items())


@lru_cache(maxsize=256)
def _with(edition: str, name: str, preview: str) -> File:
    """Return a page with a preview. `edition`, the digest of the files, is only a key of the cache."""
    page = _edition().files[name].content
    return File.of(page.replace(b"<title>", preview.encode() + b"<title>", 1), name)


def _answer_page(request: Call, name: str, cache_control: str = ASKED_AGAIN) -> Response[bytes]:
    file = _edition().files.get(name)
    if file is None:
        raise Problem(UNKNOWN_PATH, f"The service has no {request.url.path!r}.", "The lobby is at /.")
    return answer_file(request, file, _HEADERS, cache_control)


@lru_cache(maxsize=1)
def _edition() -> _Edition:
    """Return the files of the reading room. They are read once."""
    files = sorted(_read("", "viewer"))
    digest = hashlib.sha256(repr(files).encode()).hexdigest()[:32]
    there = _PLACE + digest.encode() + b"/"
    return _Edition(
        digest,
        {
            name: File.of(content.replace(_PLACE, there) if name.endswith(".html") else content, name)
            for name, content in files
        },
    )


def _read(within: str, *place: str) -> list[tuple[str, bytes]]:
    files: list[tuple[str, bytes]] = []
    folder: Traversable = resources.files("service").joinpath(*place)
    for entry in folder.iterdir():
        if entry.is_dir():
            files += _read(f"{within}{entry.name}/", *place, entry.name)
        elif entry.name.rpartition(".")[2] in MEDIA:
            files.append((f"{within}{entry.name}", entry.read_bytes()))
    return files
