"""The bare board as SVG: what is the same in all pictures of a board, with empty groups for what differs."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import resources
from typing import Final

from domain.boards.drawing import Drawing, Outline
from domain.kernel.ids import AreaId, Seat
from service.pictures.beyond import beyond
from service.pictures.palette import Paint
from service.pictures.piles import screen_scale
from service.pictures.svg import FAMILY, box, number, written

LAND: Final = "#efe6cf"
SEA: Final = "#c3d5dc"
OUTSIDE: Final = "#d9d1bd"
DEEP: Final = "#adc2cb"

_DOTS: Final = 'stroke-width="4" stroke-linecap="round" d="M3 3h0M9 9h0"'
TEXTURES: Final = (
    'stroke-width="1.6" d="M-3 3l6-6M-3 15l18-18M9 15l6-6"',  # rising
    _DOTS,
    'stroke-width="1.6" d="M0 6h12"',
    'stroke-width="1.6" d="M6 0v12"',
    'stroke-width="1.3" d="M0 6h12M6 0v12"',
    'stroke-width="1.6" d="M-3 9l6 6M-3 -3l18 18M9 -3l6 6"',  # falling
    'stroke-width="1.5" d="M0 8l3-4l3 4l3-4l3 4"',  # waves
    'stroke-width="1.5" d="M6 3a3 3 0 1 0 .01 0z"',  # rings
)
"""The hatching of a seat's land in a tile of 12 by 12, by the number of the seat's emblem. They can be told apart
without colours, and from farther away than emblems of that size."""


def bare_board(drawing: Drawing, paints: Mapping[Seat, Paint], glyphs: str, title: str) -> str:
    """Return a whole SVG of an empty board.

    It has the groups `#links` for tints and roads, `#area-ID` for each area, which can have the focus, and `#happened`.
    The ground goes on around the map (`#beyond`), for a page on which the board has more room.
    """
    width, height = drawing.size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="{FAMILY}">'
        f"<title>{written(title)}</title>{_beyond(drawing)}{board(drawing, paints, glyphs)}</svg>"
    )


def _beyond(drawing: Drawing) -> str:
    """Return the ground around the map, which is seen if the room for the board has another shape than the map."""
    width, height = drawing.size
    far, land = beyond(drawing)
    ground = box(-far, -far, width + 2 * far, height + 2 * far, f'fill="{DEEP}"')
    return f'<g id="beyond" pointer-events="none">{ground}<path fill="{OUTSIDE}" d="{land}"/></g>'


def board(
    drawing: Drawing,
    paints: Mapping[Seat, Paint],
    glyphs: str,
    links: str = "",
    areas: Mapping[AreaId, str] | None = None,
) -> str:
    """Return the board without the `svg` element around it.

    `glyphs` are the ruleset's own symbols; `links` and `areas` have the SVG of what lies on the board.
    """
    return "".join(
        (
            f"<defs>{_symbols(glyphs)}{''.join(_strewn(paints))}{''.join(_shapes(drawing))}</defs>",
            _earth(drawing),
            f'<g id="links">{links}</g>',
            _lines(drawing),
            f"<g {_WRITING}>{''.join(_inscriptions(drawing))}</g>",
            f'<g id="areas" data-larger="{number(screen_scale(drawing))}" fill="none" font-weight="700" '
            'font-size="13">',
            *_groups(drawing, areas or {}),
            "</g>",
            # Above the pieces, so that a name can be read even if pieces have to lie on it.
            f'<g id="names" {_WRITING}>{"".join(_names(drawing))}</g>',
            '<g id="happened" pointer-events="none"></g>',
        )
    )


@lru_cache(maxsize=16)
def _symbols(own: str) -> str:
    """Return the symbols of glyphs and emblems: those in `glyphs.svg`, and the ruleset's own."""
    ours = resources.files("service.pictures").joinpath("glyphs.svg").read_text()
    return "".join(line for line in f"{ours}\n{own}".splitlines() if line.startswith("<symbol"))


def _strewn(paints: Mapping[Seat, Paint]) -> Iterator[str]:
    """Yield a pattern for each seat: the hatching of its land."""
    for seat, paint in paints.items():
        yield (
            f'<pattern id="strewn-{written(seat)}" width="12" height="12" patternUnits="userSpaceOnUse">'
            f'<path {TEXTURES[paint.emblem]} stroke="{paint.edge}" stroke-opacity=".45" fill="none"/></pattern>'
        )


def _shapes(drawing: Drawing) -> Iterator[str]:
    for area, outline in drawing.areas.items():
        yield f'<path id="shape-{area}" fill-rule="evenodd" d="{outline.path}"/>'


def _of(drawing: Drawing, kind: str) -> str:
    return "".join(f'<use href="#shape-{area}"/>' for area, outline in drawing.areas.items() if outline.kind == kind)


def _earth(drawing: Drawing) -> str:
    width, height = drawing.size
    return (
        f'<g id="earth"><rect width="{width}" height="{height}" fill="{DEEP}"/>'
        f'<path fill="{DEEP}" d="{drawing.mare_incognitum}"/><path fill="{OUTSIDE}" d="{drawing.terra_incognita}"/>'
        f'<g fill="{SEA}">{_of(drawing, "sea")}</g><g fill="{LAND}">{_of(drawing, "land")}</g>'
        f'<path fill="none" stroke="#9db9c6" stroke-width="1.2" d="{drawing.rivers}"/></g>'
    )


def _lines(drawing: Drawing) -> str:
    straits = "".join(f'<path d="{strait.path}"/>' for strait in drawing.straits)
    return (
        '<g id="lines" fill="none" pointer-events="none">'
        f'<g stroke="#8aa7b5" stroke-width="1" stroke-dasharray="6 4">{_of(drawing, "sea")}</g>'
        f'<g stroke="#6d5f45" stroke-width="1.2">{_of(drawing, "land")}</g>'
        f'<g stroke="#7a2f1d" stroke-width="2.5" stroke-dasharray="2 5" stroke-linecap="round">{straits}</g></g>'
    )


_WRITING: Final = 'text-anchor="middle" dominant-baseline="central" pointer-events="none"'


def _inscriptions(drawing: Drawing) -> Iterator[str]:
    for each in drawing.inscriptions:
        yield (
            f'<text font-size="{number(each.size)}" fill="#8f8468" letter-spacing="{number(each.size / 4)}" '
            f"{_placed(each.at, each.angle)}>{written(each.text)}</text>"
        )


def _names(drawing: Drawing) -> Iterator[str]:
    """Yield the names of all areas; where two would overlap, that of the area with more room comes first."""
    by_room = sorted(drawing.areas.items(), key=lambda each: -each[1].radius)
    for kind, look in (
        ("sea", 'fill="#33596b" font-style="italic" stroke="#c3d5dc"'),
        ("land", f'fill="#33291a" stroke="{LAND}"'),
    ):
        # The light outline keeps a name readable on borders and on any tint.
        yield f'<g font-size="13.5" {look} stroke-width="2.6" stroke-linejoin="round" paint-order="stroke">'
        yield from (_name(area, outline) for area, outline in by_room if outline.kind == kind)
        yield "</g>"


def _name(area: AreaId, outline: Outline) -> str:
    return f'<text data-name="{area}" {_placed(outline.label, outline.angle)}>{written(outline.text)}</text>'


def _placed(at: tuple[float, float], angle: float) -> str:
    x, y = map(number, at)
    turned = f' transform="rotate({number(angle)} {x} {y})"' if angle else ""
    return f'x="{x}" y="{y}"{turned}'


def _groups(drawing: Drawing, areas: Mapping[AreaId, str]) -> Iterator[str]:
    for area in sorted(drawing.areas, key=lambda each: drawing.areas[each].anchor[1]):
        yield f'<g id="area-{area}" data-area="{area}" tabindex="0" role="img">{areas.get(area, "")}</g>'
