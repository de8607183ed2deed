"""A game on other sites: a frame with its board, which follows the game, and oEmbed (https://oembed.com), which
describes that frame.

Nobody is signed in there: pages and pictures show what a spectator sees, whatever cookie a browser sends along.
"""

import base64
import hashlib
import re
from html import escape
from typing import Annotated, Final, Literal
from urllib.parse import quote, urlsplit

from litestar.handlers import get
from litestar.params import FromPath
from litestar.response import Response
from msgspec import Meta, Struct

from domain.kernel.ids import GameId
from service.api.bodies import Past
from service.api.pages.files import MEDIA
from service.api.pages.viewer import public_title
from service.api.pictures.routes import drawn_svg
from service.api.problems.problem import Problem
from service.api.problems.request import UNKNOWN_PATH
from service.api.request import Call
from service.api.response import Answered, answer
from service.api.withheld import require_shown
from service.games.views import Viewer

WIDTH: Final = 960
HEIGHT: Final = 640
"""The size of a frame in pixels, unless the other site has less room."""

LEAST: Final = 200
"""The least width and height of a frame in pixels."""

_GAME: Final = re.compile(r"/games/([a-z0-9]{1,64})/?")
_POLICY: Final = (
    "default-src 'none'; img-src 'self'; script-src 'self'; connect-src 'self'; style-src 'sha256-{}'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors *"
)
_LOOK: Final = (
    "html,body{{margin:0;height:100%;background:#{background};color:#{text};font:14px system-ui,sans-serif}}"
    "a{{display:block;height:100%}}img{{width:100%;height:100%;object-fit:contain}}"
)
_PAGE: Final = (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}</title>\n'
    '<style>{look}</style>\n<script type="module" src="/viewer/embed.js"></script>\n</head>\n'
    '<body data-game="{game}">\n<a href="/games/{game}" target="_blank" rel="noopener">'
    '<img src="/embed/games/{game}/board.svg" alt="The board of {title}"></a>\n</body>\n</html>\n'
)

Colour = Annotated[str, Meta(pattern=r"^[0-9a-fA-F]{6}$(?!\n)", description="six hexadecimal digits, such as 1d1812")]
Pixels = Annotated[int, Meta(ge=LEAST, le=10_000)]


class Colours(Struct, frozen=True, forbid_unknown_fields=True):
    """The colours of a frame, around the board."""

    background: Colour = "fffdf6"
    text: Colour = "1d1812"


class Drawn(Struct, frozen=True, forbid_unknown_fields=True):
    """The query for a picture. The service ignores `version`: it only keeps a browser from showing an older picture."""

    version: Past = 0


class OembedQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """The query of an oEmbed consumer."""

    url: Annotated[str, Meta(max_length=2_000)]
    format: Literal["json"] = "json"
    maxwidth: Pixels = WIDTH
    maxheight: Pixels = HEIGHT


class Embedded(Struct, frozen=True):
    """An oEmbed answer of the type `rich`."""

    title: str
    html: str
    width: int
    height: int
    thumbnail_url: str
    thumbnail_width: int
    thumbnail_height: int
    provider_url: str
    type: str = "rich"
    version: str = "1.0"
    provider_name: str = "Tabularium"


@get("/embed/games/{game:str}")
async def show_embedded_game(request: Call, game: FromPath[str]) -> Response[bytes]:
    """Show the page for a frame of another site: the board of a game, which follows the game."""
    colours, services = request.read_query(Colours), request.services
    await require_shown(services, GameId(game), None)
    played, row = await services.games.game(GameId(game)), await services.store.game(GameId(game))
    look = _LOOK.format(background=colours.background, text=colours.text)
    title = (row.title if row is not None else "") or played.ruleset.title
    page = _PAGE.format(title=escape(title), look=look, game=escape(played.id))
    digest = base64.b64encode(hashlib.sha256(look.encode()).digest()).decode()
    headers = {"Content-Security-Policy": _POLICY.format(digest), "Referrer-Policy": "no-referrer"}
    return Answered(page.encode(), 200, MEDIA["html"], headers)


@get("/embed/games/{game:str}/board.svg")
async def draw_embedded_board(request: Call, game: FromPath[str]) -> Response[bytes]:
    """Draw the present board of a game, as a spectator sees it, for every caller."""
    request.read_query(Drawn)
    await require_shown(request.services, GameId(game), None)
    played = await request.services.games.game(GameId(game))
    headers = {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "Cache-Control": "no-cache"}
    return Answered(await drawn_svg(request.services, played, Viewer()), 200, MEDIA["svg"], headers)


@get("/oembed")
async def show_oembed(request: Call) -> Response[bytes]:
    """Describe the frame with which another site shows a listed game (oEmbed 1.0)."""
    query, here = request.read_query(OembedQuery), f"{request.url.scheme}://{request.url.netloc}"
    address = urlsplit(query.url)
    match = _GAME.fullmatch(address.path) if address.netloc == request.url.netloc else None
    title = await public_title(request.services, GameId(match[1])) if match is not None else None
    if match is None or title is None:
        allowed = f"Name the page of a listed game, such as {here}/games/g4xq2m7ahbk3oxw7c."
        raise Problem(UNKNOWN_PATH, f"The service embeds nothing from {query.url!r}.", allowed)
    game, width, height = match[1], min(query.maxwidth, WIDTH), min(query.maxheight, HEIGHT)
    frame = (
        f'<iframe src="{escape(here)}/embed/games/{quote(game)}" width="{width}" height="{height}"'
        f' title="{escape(title)}" style="border:0" loading="lazy" sandbox="allow-scripts allow-same-origin'
        ' allow-popups"></iframe>'
    )
    picture = f"{here}/v1/games/{game}/board.png?width={width}"
    return answer(Embedded(title, frame, width, height, picture, width, height, here))
