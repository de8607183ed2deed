"""The reading room: a page for people, of the files in `service/viewer`. What it shows it asks of the API."""

import hashlib
import re
from collections.abc import Mapping
from functools import lru_cache
from html import escape
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

from litestar.handlers import get
from litestar.params import FromPath
from litestar.response import Response
from msgspec import Struct

from domain.kernel.ids import GameId
from service.api.pages.files import ASKED_AGAIN, MEDIA, File, sent
from service.api.problems.problem import Problem
from service.api.problems.request import UNKNOWN_PATH
from service.api.request import Call
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
    """The files as they are now. Pages name them with a digest of all: under it none ever changes."""

    digest: str
    files: Mapping[str, File]


@get("/")
async def show_lobby(request: Call) -> Response[bytes]:
    """Show the lobby: ways to play at once, and the games."""
    return _shown(request, "lobby.html")


@get("/new")
async def show_new_game(request: Call) -> Response[bytes]:
    """Show the page on which a game is created with all that its rules leave to its creator."""
    return _shown(request, "new.html")


@get("/rules")
async def show_rules_page(request: Call) -> Response[bytes]:
    """Show the page on which the rules of every game are browsed and searched."""
    return _shown(request, "rules.html")


@get("/learn")
async def show_tutorials(request: Call) -> Response[bytes]:
    """Show the page with the tutorials of all games."""
    return _shown(request, "learn.html")


@get("/learn/{ruleset:str}")
async def show_tutorial_page(request: Call, ruleset: FromPath[str]) -> Response[bytes]:
    """Show the page on which a tutorial is played. It reads from its address which one that is."""
    return _shown(request, "lesson.html")


@get("/games/{game:str}")
async def show_game_page(request: Call, game: FromPath[str]) -> Response[bytes]:
    """Show the page of a game, which reads from its address which one it is.

    Where a link to it is shown elsewhere, a listed game has its title and its picture.
    """
    preview_tags = await _preview(request, GameId(game))
    if preview_tags is None:
        return _shown(request, "game.html")
    return sent(request, _with(_edition().digest, preview_tags), _HEADERS)


@get("/games/{game:str}/desk")
async def show_desk(request: Call, game: FromPath[str]) -> Response[bytes]:
    """Show the judge's desk of a game. It reads from its address which game it is, and which version."""
    return _shown(request, "desk.html")


@get("/join")
async def show_join_page(request: Call) -> Response[bytes]:
    """Show the page that invitations lead to. Which one it is, the page reads from behind the # of its address."""
    return _shown(request, "join.html")


@get("/account")
async def show_account_page(request: Call) -> Response[bytes]:
    """Show the page of the account that the browser is signed in to."""
    return _shown(request, "account.html")


@get("/account/webhooks")
async def show_webhooks_page(request: Call) -> Response[bytes]:
    """Show the page of the webhooks of an account. A game to make one about stands behind the # of its address."""
    return _shown(request, "webhooks.html")


@get("/account/notices")
async def show_notices_page(request: Call) -> Response[bytes]:
    """Show the page on which an account says how it is told, and of what."""
    return _shown(request, "notices.html")


@get("/push.js")
async def show_push_worker(request: Call) -> Response[bytes]:
    """Show the service worker. It stands at the root, as it can show nothing of pages that are not below it."""
    return _shown(request, "push.js")


@get("/sign-in")
async def show_sign_in_page(request: Call) -> Response[bytes]:
    """Show the page to which the provider sends browsers back. It reads the answer from its address."""
    return _shown(request, "sign-in.html")


@get("/players/{player:str}")
async def show_player_page(request: Call, player: FromPath[str]) -> Response[bytes]:
    """Show the page of a player. It reads from its address who that is."""
    return _shown(request, "player.html")


@get("/ratings")
async def show_ratings_page(request: Call) -> Response[bytes]:
    """Show the page with the ratings in a ruleset. It reads from its address in which."""
    return _shown(request, "ratings.html")


@get("/tournaments")
async def show_tournaments_page(request: Call) -> Response[bytes]:
    """Show the page with all tournaments."""
    return _shown(request, "tournaments.html")


@get("/tournaments/{tournament:str}")
async def show_tournament_page(request: Call, tournament: FromPath[str]) -> Response[bytes]:
    """Show the page of a tournament. It reads from its address which one it is."""
    return _shown(request, "tournament.html")


@get("/viewer/{name:path}")
async def show_viewer_file(request: Call, name: FromPath[str]) -> Response[bytes]:
    """Show a file that the pages consist of."""
    digest, _, within = name.removeprefix("/").partition("/")
    if digest == _edition().digest:
        return _shown(request, within, _KEPT)
    # A page that was loaded from an earlier service, or asks another process than the one that it came from.
    return _shown(request, within if _DIGEST.fullmatch(digest) else name.removeprefix("/"))


async def _preview(request: Call, game: GameId) -> str | None:
    """Return what Open Graph (https://ogp.me) says of a game; None of one that not everybody is shown."""
    services = request.services
    try:
        played, row = await services.games.game(game), await services.store.game(game)
        if row is None or await services.store.unlisted([game]) or not await services.games.is_shown(game, None):
            return None
    except (UnknownGame, StoreError):
        return None
    here = f"{request.url.scheme}://{request.url.netloc}"
    tags = {
        "og:site_name": "Tabularium",
        "og:type": "website",
        "og:title": row.title or played.ruleset.title,
        "og:description": f"A game of {played.ruleset.title}: the board, the story and the proof.",
        "og:url": f"{here}/games/{game}",
    }
    if played.table is not None:
        tags["og:image"] = f"{here}/v1/games/{game}/board.png?width=1200"
    return "".join(f'<meta property="{name}" content="{escape(words)}">\n    ' for name, words in tags.items())


@lru_cache(maxsize=256)
def _with(edition: str, preview: str) -> File:
    """Return the page of a game with a preview; `edition` is that of the files."""
    page = _edition().files["game.html"].content
    return File.of(page.replace(b"<title>", preview.encode() + b"<title>", 1), "game.html")


def _shown(request: Call, name: str, kept: str = ASKED_AGAIN) -> Response[bytes]:
    file = _edition().files.get(name)
    if file is None:
        raise Problem(UNKNOWN_PATH, f"The service has no {request.url.path!r}.", "The lobby is at /.")
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
