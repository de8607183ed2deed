"""What other sites show of a game: a board in a frame that follows it, and oEmbed (https://oembed.com), which names it.

Nobody is signed in there. Pages and pictures are the spectator's, whatever cookie a browser sends along.
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
from service.api.pages.viewer import named_there
from service.api.pictures.routes import drawn_svg
from service.api.problems.problem import Problem
from service.api.problems.request import UNKNOWN_PATH
from service.api.request import Call
from service.api.response import Answered, answer
from service.api.withheld import require_shown
from service.games.views import Viewer

WIDTH: Final = 960
HEIGHT: Final = 640
LEAST: Final = 200
"""Pixels of a frame on each side, unless the other site has less room; and the fewest that a board needs."""

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
Room = Annotated[int, Meta(ge=LEAST, le=10_000)]


class Colours(Struct, frozen=True, forbid_unknown_fields=True):
    """The colours of a frame, around the board."""

    background: Colour = "fffdf6"
    text: Colour = "1d1812"


class Drawn(Struct, frozen=True, forbid_unknown_fields=True):
    """Which picture; `version` only keeps a browser from showing an older one."""

    version: Past = 0


class Asked(Struct, frozen=True, forbid_unknown_fields=True):
    """What an oEmbed consumer asks."""

    url: Annotated[str, Meta(max_length=2_000)]
    format: Literal["json"] = "json"
    maxwidth: Room = WIDTH
    maxheight: Room = HEIGHT


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
    """Show the board of a game, which follows it, in a frame of another site."""
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
    """Draw the board of a game now, as a spectator sees it, for every caller."""
    request.read_query(Drawn)
    await require_shown(request.services, GameId(game), None)
    played = await request.services.games.game(GameId(game))
    headers = {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "Cache-Control": "no-cache"}
    return Answered(await drawn_svg(request.services, played, Viewer()), 200, MEDIA["svg"], headers)


@get("/oembed")
async def show_oembed(request: Call) -> Response[bytes]:
    """Say how another site shows the page of a listed game (oEmbed 1.0)."""
    query, here = request.read_query(Asked), f"{request.url.scheme}://{request.url.netloc}"
    address = urlsplit(query.url)
    match = _GAME.fullmatch(address.path) if address.netloc == request.url.netloc else None
    title = await named_there(request.services, GameId(match[1])) if match is not None else None
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
