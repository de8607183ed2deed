"""Pictures: the map of a board, and any position of a game drawn on it.

Their ETags name the version, the viewer and the release: a new release may draw a position differently.
"""

import hashlib
from collections.abc import Mapping
from typing import Final

import msgspec
from litestar.response import Response
from msgspec import Raw

from domain.boards import Drawing
from domain.kernel.ids import GameId, Version
from domain.kernel.log.game import Game
from service.api.bodies import Nothing
from service.api.endpoint import Answer, endpoint
from service.api.pictures.bodies import FramePage, FramesPage, MapView, Sized
from service.api.play.bodies import AtVersion
from service.api.problems.games import UNKNOWN_GAME, UNKNOWN_VERSION
from service.api.problems.rulesets import NO_MAP, UNKNOWN_RULESET
from service.api.request import Call
from service.api.response import Answered, answer, answer_json, encode, etag, weak
from service.api.rulesets.routes import ruleset_in_path
from service.api.services import Services
from service.games.views import Viewer, viewer_of
from service.pictures.bare import bare_board
from service.pictures.frames import frames
from service.pictures.palette import paints
from service.pictures.picture import picture
from service.pictures.png import png
from service.pictures.scenes import Unmapped, frame_sheet_of, look_of, marks_of, marks_view, sheet_of
from service.pictures.views import MarksView

SVG: Final = "image/svg+xml"
PNG: Final = "image/png"

_HEADERS: Final = {
    # A picture can be opened by itself, at the service's own address: it must not run or fetch anything.
    "Content-Security-Policy": "default-src 'none'",
    "Vary": "Accept",
}
_KEPT: Final = {"Cache-Control": "no-cache"}
"""Browsers cache pictures but ask each time; the answer is 304 until the picture changes."""

_NOBODY: Final = Viewer()

_OF_GAMES: Final = (UNKNOWN_GAME, UNKNOWN_VERSION, NO_MAP)
_NOT_MODIFIED: Final = Answer(
    304, "The picture has not changed since the one that `If-None-Match` names.", headers=("ETag",)
)


@endpoint(
    "GET",
    "/v1/rulesets/{ruleset:str}/board/map",
    tag="Pictures",
    headers=("If-None-Match",),
    answers=(Answer(200, "The map.", MapView, headers=("ETag",)), _NOT_MODIFIED),
    problems=(UNKNOWN_RULESET, NO_MAP),
)
async def show_map(request: Call, ruleset: str) -> Response[bytes]:
    """Show the map of a ruleset's board.

    Has the outlines of its areas as SVG paths, the places of their names, and anchors for the pieces on them.
    """
    request.read_query(Nothing)
    played = ruleset_in_path(request, ruleset)
    headers = {"ETag": _tag(request, played.version), **_KEPT}
    if request.has(headers["ETag"]):
        return _unchanged(headers)
    return answer(MapView(played.id, dict(played.colours), _drawing(request, played.board)), headers=headers)


@endpoint(
    "GET",
    "/v1/rulesets/{ruleset:str}/board.svg",
    tag="Pictures",
    headers=("If-None-Match",),
    answers=(Answer(200, "The bare board.", str, SVG, headers=("ETag",)), _NOT_MODIFIED),
    problems=(UNKNOWN_RULESET, NO_MAP),
)
async def draw_bare_board(request: Call, ruleset: str) -> Response[bytes]:
    """Draw the bare board of a ruleset.

    Use it for pages that show many positions: embed it, and put the answers of `GET /v1/games/{game}/frames` into its
    groups `links`, `area-ID` and `happened`. Frames refer to its symbols `glyph-KIND` and `emblem-N`.
    """
    request.read_query(Nothing)
    played = ruleset_in_path(request, ruleset)
    headers = {"ETag": _tag(request, played.version), **_KEPT}
    if request.has(headers["ETag"]):
        return _unchanged(headers)
    svg = bare_board(_drawing(request, played.board), paints(played), played.glyphs, played.title)
    return _answer_picture(svg.encode(), request.media(SVG), headers)


@endpoint(
    "GET",
    "/v1/games/{game:str}/marks",
    tag="Pictures",
    account="optional",
    query=AtVersion,
    headers=("If-None-Match",),
    answers=(Answer(200, "The marks.", MarksView, headers=("ETag",)), _NOT_MODIFIED),
    problems=(UNKNOWN_GAME, UNKNOWN_VERSION),
)
async def show_marks(request: Call, game: str) -> Response[bytes]:
    """Show what lies where.

    Gives as data everything that a picture of the position shows: pieces by area with their owners and numbers, roads,
    and the seats with their figures. Use it to draw your own pictures. You see what your seat sees, or what a spectator
    sees.
    """
    query = request.read_query(AtVersion)
    viewed, viewer, headers = await _viewed_game(request, game, query)
    if request.has(headers["ETag"]):
        return _unchanged(headers)
    services = request.services
    vault = await services.games.vault(viewed.id)

    async def draw() -> bytes:
        return encode(marks_view(viewed, marks_of(viewed, viewer, vault, look_of(viewed).names)))

    return answer_json(
        await services.gallery.picture(viewed.id, viewed.version, viewer, "marks", draw), headers=headers
    )


@endpoint(
    "GET",
    "/v1/games/{game:str}/board.svg",
    tag="Pictures",
    account="optional",
    query=AtVersion,
    headers=("If-None-Match",),
    answers=(Answer(200, "The picture.", str, SVG, headers=("ETag",)), _NOT_MODIFIED),
    problems=_OF_GAMES,
)
async def draw_board(request: Call, game: str) -> Response[bytes]:
    """Draw the position.

    Draws the board with everything on it, the seats and the phase, at any version, as a picture to embed. A picture
    fetched without a token shows the spectator's view.
    """
    query = request.read_query(AtVersion)
    viewed, viewer, headers = await _viewed_game(request, game, query)
    if request.has(headers["ETag"]):
        return _unchanged(headers)
    return _answer_picture(await drawn_svg(request.services, viewed, viewer), request.media(SVG), headers)


@endpoint(
    "GET",
    "/v1/games/{game:str}/board.png",
    tag="Pictures",
    account="optional",
    query=Sized,
    headers=("If-None-Match",),
    answers=(Answer(200, "The picture.", bytes, PNG, headers=("ETag",)), _NOT_MODIFIED),
    problems=_OF_GAMES,
)
async def draw_board_as_png(request: Call, game: str) -> Response[bytes]:
    """Draw the position as PNG.

    Like `board.svg`, for places that cannot show SVG. Text is larger in small pictures.
    """
    query = request.read_query(Sized)
    viewed, viewer, headers = await _viewed_game(request, game, query)
    if request.has(headers["ETag"]):
        return _unchanged(headers)
    gallery = request.services.gallery

    async def draw() -> bytes:
        svg = await drawn_svg(request.services, viewed, viewer, query.width)
        async with gallery.easel:
            return await png(svg, query.width)

    image = await gallery.picture(viewed.id, viewed.version, viewer, ("png", query.width), draw)
    return _answer_picture(image, request.media(PNG), headers)


@endpoint(
    "GET",
    "/v1/games/{game:str}/frames",
    tag="Pictures",
    account="optional",
    query=FramesPage,
    headers=("If-None-Match",),
    answers=(Answer(200, "The frames.", FramePage, headers=("ETag",)), _NOT_MODIFIED),
    problems=(UNKNOWN_GAME, UNKNOWN_VERSION),
)
async def list_frames(request: Call, game: str) -> Response[bytes]:
    """List frames.

    Use frames to scrub through a game. The answer has one version, drawn whole. For each version after it, it has what
    changed in the picture, the event in a sentence, and its dice. Put the pieces of SVG into
    `GET /v1/rulesets/{ruleset}/board.svg`. Frames also show what a retraction took back. If the service has no map of
    the board, no areas are drawn. The ETag begins with the version of the game.
    """
    query = request.read_query(FramesPage)
    services = request.services
    played = await services.games.game(GameId(game))
    viewer = viewer_of(played, request.caller)
    headers = _headers_of(request, played.version, viewer)
    if request.has(headers["ETag"]):
        return _unchanged(headers)
    last = max(query.after, min(query.after + query.limit, played.version))

    async def draw() -> bytes:
        sheet = frame_sheet_of(played, services.drawings)
        key, frames_drawn = await frames(services.games, played, viewer, sheet, query.after, last)
        return encode((key, frames_drawn))

    content = await services.gallery.picture(played.id, last, viewer, ("frames", query.after), draw)
    key, frames_drawn = msgspec.json.decode(content, type=tuple[Raw, Raw])
    next_after = last if last < played.version else None
    return answer(FramePage(played.id, played.version, key, frames_drawn, next_after), headers=headers)


def _drawing(request: Call, board: str) -> Drawing:
    """Return the map of a ruleset's board. Raises `Unmapped`."""
    drawing = request.services.drawings(request.services.boards(board))
    if drawing is None:
        raise Unmapped(f"There is no map of the board {board!r}.")
    return drawing


async def _viewed_game(request: Call, game: str, query: AtVersion) -> tuple[Game, Viewer, Mapping[str, str]]:
    """Return a game at the requested version, its viewer, and the headers for what that viewer sees."""
    games = request.services.games
    now = await games.game(GameId(game))
    then = await games.at(now.id, query.version) if query.version is not None else now
    viewer = viewer_of(now, request.caller)
    return then, viewer, _headers_of(request, then.version, viewer)


def _headers_of(request: Call, version: Version, viewer: Viewer) -> Mapping[str, str]:
    """Return the headers for what a viewer sees of a version. Browsers may cache it, unless the request had a token."""
    return {**etag(version), **(_KEPT if request.caller is None else {}), "ETag": _tag(request, version, viewer)}


def _tag(request: Call, version: int, viewer: Viewer = _NOBODY) -> str:
    """Return an ETag: the version, and after a point a hash of the viewer and the release."""
    other = f"{request.services.drawn_by} {viewer.seat} {viewer.everything}"
    return weak(f'"{version}.{hashlib.sha256(other.encode()).hexdigest()[:16]}"')


def _unchanged(headers: Mapping[str, str]) -> Response[bytes]:
    return Response(b"", status_code=304, headers={**headers, "Vary": "Accept, Accept-Encoding"})


async def drawn_svg(services: Services, game: Game, viewer: Viewer, width: int | None = None) -> bytes:
    """Return the picture of a position for a viewer. Raises `Unmapped`."""
    sheet = sheet_of(game, services.drawings)
    vault = await services.games.vault(game.id)

    async def draw() -> bytes:
        marks = marks_of(game, viewer, vault, sheet.names)
        return picture(sheet, marks, game.heading or "Before the game", width).encode()

    # A picture of a given width is not cached here: `draw_board_as_png` caches the PNG that is made from it.
    if width is not None:
        return await draw()
    return await services.gallery.picture(game.id, game.version, viewer, "svg", draw)


def _answer_picture(content: bytes, media_type: str, headers: Mapping[str, str]) -> Response[bytes]:
    return Answered(content, 200, media_type, {**_HEADERS, **headers})
