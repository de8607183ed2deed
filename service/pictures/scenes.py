"""Parts of positions as SVG and data, from which frames are made: each frame has only the parts that changed."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from domain.boards import Drawing, drawing_of
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat, Version
from domain.kernel.log.game import Game
from domain.kernel.rules.board import Board, Map
from domain.kernel.rules.marks import Battle, Marks, Nation, Standing
from domain.kernel.rules.message import Names
from domain.kernel.rules.ruleset import Ruleset
from service.games.views import Viewer
from service.pictures.ground import ground
from service.pictures.palette import NOBODY, Look, paints
from service.pictures.picture import EMPTY, Sheet
from service.pictures.piles import Layout, fragment, screen_scale
from service.pictures.views import MarksView, NationView, Scene, StandingView

NOTHING = Marks()


class Unmapped(LookupError):
    """There is no map of the board that a game is played on."""


Drawings = Callable[[Board], Drawing | None]
"""Returns the map on which a board is drawn."""


def sheet_of(game: Game, drawings: Drawings = drawing_of) -> Sheet:
    """Return what the pictures of a game are drawn on. Raises `Unmapped`."""
    plan = _plan(drawings, game.ruleset, game.board)
    if plan is None:
        raise Unmapped(f"The game is played on the board {game.board.id!r}, which has areas that are not on the map.")
    return Sheet(plan, look_of(game), game.ruleset.title)


def frame_sheet_of(game: Game, drawings: Drawings = drawing_of) -> Sheet:
    """Return what the frames of a game are drawn on. Without a map, frames have no areas, and everything else."""
    return frame_sheet_on(game.ruleset, game.board, game.players, drawings)


def frame_sheet_on(
    ruleset: Ruleset[Any], board: Board, seats: Iterable[Seat] = (), drawings: Drawings = drawing_of
) -> Sheet:
    """Return the same for positions without a game, such as those of a tutorial."""
    plan = _plan(drawings, ruleset, board)
    return Sheet(plan or Layout(_BLANK, {}), _look(ruleset, board, seats), ruleset.title)


def look_of(game: Game) -> Look:
    """Return how a game looks."""
    return _look(game.ruleset, game.board, game.players)


def _look(ruleset: Ruleset[Any], board: Board, seats: Iterable[Seat]) -> Look:
    looks = paints(ruleset, seats)
    names = Names(Map.of(board).names, looks, ruleset.words_on(board))
    return Look(looks, names, ruleset.glyphs, ruleset.nations_on(board))


@lru_cache(maxsize=16)
def _plan(drawings: Drawings, ruleset: Ruleset[Any], board: Board) -> Layout | None:
    drawing = drawings(board)
    return None if drawing is None else Layout(drawing, ruleset.printed(board))


_BLANK: Final = Drawing(
    board="",
    projection="",
    size=(1, 1),
    areas={},
    terra_incognita="",
    mare_incognitum="",
    rivers="",
    straits=(),
    inscriptions=(),
    notes="",
    credits="",
)


def marks_of(game: Game, viewer: Viewer, vault: Vault, names: Names) -> Marks:
    """Return what `viewer` may see on the table of a game; empty marks before it begins."""
    view: Any = game.view(viewer.seat, vault, everything=viewer.everything)
    return NOTHING if view is None else game.ruleset.marks(view, names)


def drawn_scene(
    sheet: Sheet, marks: Marks, version: Version, battle: Battle | None, number: int, heading: str
) -> Scene:
    """Return a position, drawn whole; `number` is that of its round."""
    return Scene(
        version=version,
        areas=drawn_areas(sheet, marks, sheet.drawing.areas),
        links=drawn_ground(sheet, marks),
        standings=standing_views(sheet.look, marks.standings),
        shelves=marks.shelves,
        battle=battle,
        round=number,
        heading=heading,
    )


def drawn_areas(sheet: Sheet, marks: Marks, areas: Iterable[AreaId]) -> dict[AreaId, str]:
    """Return the fragments of areas, for a screen."""
    larger = screen_scale(sheet.drawing)
    return {area: fragment(area, marks.places.get(area, EMPTY), sheet.plan, sheet.look, larger) for area in areas}


def changed_areas(before: Marks, after: Marks, areas: Mapping[AreaId, Any]) -> list[AreaId]:
    """Return the areas on which the marks differ."""
    one, other = before.places, after.places
    return [area for area in dict.fromkeys((*one, *other)) if area in areas and one.get(area) != other.get(area)]


def ground_differs(before: Marks, after: Marks) -> bool:
    """Tell whether tints or links differ."""
    if before.links != after.links:
        return True
    one, other = before.places, after.places
    return any(one.get(area, EMPTY).owner != other.get(area, EMPTY).owner for area in dict.fromkeys((*one, *other)))


def drawn_ground(sheet: Sheet, marks: Marks) -> str:
    """Return tints and links."""
    return ground(marks, sheet.drawing, sheet.paints)


def standing_views(look: Look, standings: Iterable[Standing]) -> tuple[StandingView, ...]:
    """Return the seats at a glance, with how they look."""
    views: list[StandingView] = []
    for each in standings:
        paint = look.paints.get(each.seat, NOBODY)
        views.append(
            StandingView(
                seat=each.seat,
                name=look.names(each.seat),
                colour=paint.colour,
                ink=paint.ink,
                emblem=f"emblem-{paint.emblem}",
                figures=each.figures,
                items=each.items,
                active=each.active,
                out=each.out,
                won=each.won,
                nations=tuple(_nation_view(look, nation) for nation in each.nations),
            )
        )
    return tuple(views)


def _nation_view(look: Look, each: Nation) -> NationView:
    return NationView(
        nation=each.nation,
        name=look.names(each.nation),
        sign=look.signs.get(each.nation, ""),
        figures=each.figures,
        items=each.items,
        words=each.words,
        absent=each.absent,
        active=each.active,
    )


def marks_view(game: Game, marks: Marks) -> MarksView:
    """Return the marks of a game as they are answered."""
    return MarksView(
        game=game.id,
        version=game.version,
        round=game.round,
        heading=game.heading,
        places=marks.places,
        links=marks.links,
        standings=standing_views(look_of(game), marks.standings),
        shelves=marks.shelves,
    )
