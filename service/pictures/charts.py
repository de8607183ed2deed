"""Charts of a game as SVG: what each seat and its nations had round by round, and how the dice fell.

We draw them without a plotting library: three plain charts take 300 lines, and each SVG has six kilobytes. A library
(we looked at pygal) adds ten times that in scripts and styles, but no line patterns, and no labels at the ends of
lines.

Readers need not tell colours apart: each seat has a pattern and a marker of its own, and its name stands where its line
ends. Colours are made darker or lighter until they stand out from the background, which is light or dark as the reader
chose. The SVG has no script and refers to no other file. A page shows it by ``<img>``, with the description in its
`<desc>` as alternative text.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Final

from msgspec import Struct

from domain.kernel.rules.marks import Figure, spelled
from service.pictures.contrast import legible

WIDTH: Final = 720
HEIGHT: Final = 380
LEFT, RIGHT, TOP, BOTTOM = 52, 150, 48, 48
LINE: Final = 18
"""The distance between the lines of a text."""
ROW: Final = 30
"""The distance between the bars of dice."""

LIGHT: Final = "#fffdf8"
DARK: Final = "#1b1a18"
PATTERNS: Final = ("", "9 5", "2 4", "12 4 2 4", "16 5", "6 3 2 3 2 3", "1 3", "20 4 4 4")
MARKERS: Final = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z",  # a disc
    "M-4-4h8v8h-8Z",  # a square
    "M0-5L5 4H-5Z",  # a triangle
    "M0-5.5L5.5 0 0 5.5-5.5 0Z",  # a diamond
    "M-5-4H5L0 5Z",  # a triangle on its head
    "M-2-5h4v3h3v4h-3v3h-4v-3h-3v-4h3Z",  # a cross
    "M-5-2L0-6 5-2 3 4H-3Z",  # a pentagon
    "M-5-3h10v6h-10Z",  # a bar
)
BESIDE: Final = 2.0
"""The distance between lines that have the same values."""
APART: Final = 22
"""The least distance between the markers of a line."""


class Curve(Struct, frozen=True):
    """A figure of one seat, by round. `name` is the name of the seat, `colour` its colour as ``#rrggbb``."""

    name: str
    colour: str
    values: Mapping[int, Figure]


class Part(Struct, frozen=True):
    """A figure of a nation of a seat, by round. `name` is the name of the nation."""

    name: str
    values: Mapping[int, Figure]


class Tower(Struct, frozen=True):
    """The figures of the nations of a seat, from the bottom up. `colour` is the seat's colour as ``#rrggbb``."""

    name: str
    colour: str
    parts: Sequence[Part]

    def total(self, number: int) -> Figure:
        """Return the sum of all nations in a round."""
        return sum(part.values.get(number, 0) for part in self.parts)


class Bar(Struct, frozen=True):
    """How often a face came up, and how often it would have on a fair die."""

    name: str
    times: int
    expected: float


class Die(Struct, frozen=True):
    """All rolls of a kind of die; `caption` has the result of a test of its fairness."""

    name: str
    bars: Sequence[Bar]
    caption: str


# --- Over rounds ------------------------------------------------------------------------------------------------------


def lines(title: str, curves: Sequence[Curve]) -> str:
    """Return a chart of curves over rounds."""
    rounds = sorted({number for curve in curves for number in curve.values})
    if not rounds:
        return _empty(title, "Nothing has been counted yet.")
    last = rounds[-1]
    across = _Scale(rounds[0], max(last, rounds[0] + 1), LEFT, WIDTH - RIGHT)
    values = [value for curve in curves for value in curve.values.values()]
    steps = _steps(min(0, *values), max(0, *values))
    up = _Scale(steps[0], steps[-1], HEIGHT - BOTTOM, TOP)
    beside = [round((number - (len(curves) - 1) / 2) * BESIDE, 1) for number in range(len(curves))]
    ends = [(up(curve.values.get(last, 0)) + beside[number], number) for number, curve in enumerate(curves)]
    shapes = "".join(f'<path id="m{number}" d="{MARKERS[number % len(MARKERS)]}"/>' for number in range(len(curves)))
    parts = [f"<defs>{shapes}</defs>", *_grid(across, up, rounds, steps)]
    for (label, number), (end, _) in zip(_spread(ends), sorted(ends), strict=True):
        parts.append(_curve(curves[number], number, across, up, beside[number], end, label))
    by_value = sorted(curves, key=lambda curve: -curve.values.get(last, 0))
    description = ", ".join(f"{curve.name} {spelled(curve.values.get(last, 0))}" for curve in by_value)
    return _framed(title, f"Round {last}: {description}.", HEIGHT, parts, curves)


class _Scale(Struct, frozen=True):
    """Maps values to coordinates of the picture."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return round(self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start), 1)


def _steps(least: Figure, most: Figure) -> list[int]:
    """Return a few round numbers, from `least` or below to `most` or above."""
    ideal = max(most - least, 4) / 5
    size = 10 ** math.floor(math.log10(ideal)) if ideal >= 1 else 1
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= ideal)
    return [step * number for number in range(math.floor(least / step), math.ceil(max(most, 1) / step) + 1)]


def _grid(
    across: _Scale, up: _Scale, rounds: Sequence[int], steps: Sequence[int], height: int = HEIGHT
) -> Iterable[str]:
    for step in steps:
        yield f'<path class="grid" d="M{LEFT} {up(step)}H{WIDTH - RIGHT}"/>'
        yield _text(LEFT - 8, up(step) + 4, str(step), "end")
    every = math.ceil(len(rounds) / 14)
    for number in rounds[::-1][::every]:
        yield _text(across(number), height - BOTTOM + 20, str(number), "middle")
    yield _text((LEFT + WIDTH - RIGHT) / 2, height - 10, "round", "middle")


def _curve(curve: Curve, number: int, across: _Scale, up: _Scale, beside: float, end: float, label: float) -> str:
    points = sorted(curve.values.items())
    places = {at: f"{across(at)} {up(value) + beside:g}" for at, value in points}
    pattern = PATTERNS[number % len(PATTERNS)]
    dashed = f' stroke-dasharray="{pattern}"' if pattern else ""
    every = max(1, math.ceil(APART * len(points) / (across.end - across.start)))
    markers = "".join(
        f'<use href="#m{number}" transform="translate({places[at]})">'
        f"<title>{escape(curve.name)}, round {at}: {spelled(value)}</title></use>"
        for at, value in points[::-1][::every]
    )
    x = WIDTH - RIGHT + 14
    lead = f'<path class="lead" d="M{across.end + 5:g} {end:g}L{x + 2} {label:g}"/>' if abs(end - label) > 2 else ""
    last = points[-1][1] if points else 0
    return (
        f'<g class="ink{number}"><path class="curve" d="M{"L".join(places.values())}"{dashed}/>{markers}{lead}'
        f'<use href="#m{number}" x="{x + 10}" y="{label:g}"/>'
        f'<text class="name" x="{x + 20}" y="{label + 4:g}">{escape(curve.name)} {spelled(last)}</text></g>'
    )


def _spread(ends: Sequence[tuple[float, int]]) -> list[tuple[float, int]]:
    """Return the heights of the labels of lines, from the top down: near the ends of the lines, but not overlapping."""
    placed: list[tuple[float, int]] = []
    lowest = HEIGHT - BOTTOM
    for end, number in sorted(ends):
        placed.append((max(end, placed[-1][0] + LINE if placed else TOP), number))
    for place in range(len(placed) - 1, -1, -1):
        placed[place] = (min(placed[place][0], lowest), placed[place][1])
        lowest = placed[place][0] - LINE
    return placed


# --- Nations ----------------------------------------------------------------------------------------------------------


def stacks(title: str, towers: Sequence[Tower]) -> str:
    """Return a chart with a stacked bar for each seat in each round. A bar has a part for each nation of the seat."""
    rounds = sorted({number for tower in towers for part in tower.parts for number in part.values})
    if not rounds:
        return _empty(title, "Nothing has been counted yet.")
    last = rounds[-1]
    values = [[part.values.get(number, 0) for part in tower.parts] for tower in towers for number in rounds]
    steps = _steps(
        min(sum(min(each, 0) for each in parts) for parts in values),
        max(sum(max(each, 0) for each in parts) for parts in values),
    )
    key = [*_key(towers, last)]
    height = max(HEIGHT, TOP + BOTTOM + LINE * len(key))
    up = _Scale(steps[0], steps[-1], height - BOTTOM, TOP)
    room = (WIDTH - RIGHT - LEFT) / len(rounds)
    across = _Scale(rounds[0] - 0.5, last + 0.5, LEFT, WIDTH - RIGHT)
    wide = min(0.8 * room / len(towers), WIDEST)
    parts = [*_grid(across, up, rounds, steps, height)]
    for number, tower in enumerate(towers):
        aside = (number - len(towers) / 2) * wide
        bars = "".join(_bar(tower, at, across(at) + aside, wide - 1, up) for at in rounds)
        parts.append(f'<g class="ink{number}">{bars}</g>')
    x = WIDTH - RIGHT + 14
    parts += [f'<g transform="translate({x} {TOP + LINE * row})">{each}</g>' for row, each in enumerate(key)]
    description = "; ".join(_described(tower, last) for tower in sorted(towers, key=lambda tower: -tower.total(last)))
    return _framed(title, f"Round {last}: {description}.", height, parts, towers)


SHADES: Final = (1, 0.7, 0.45, 0.25, 0.1)
"""The opacities of the parts of a bar, from the bottom up."""
WIDEST: Final = 26
"""The most that a bar is wide."""


def _bar(tower: Tower, number: int, x: float, wide: float, up: _Scale) -> str:
    svg = ""
    above: Figure = 0
    below: Figure = 0
    for place, part in enumerate(tower.parts):
        value = part.values.get(number, 0)
        start = above if value > 0 else below
        top, bottom = up(max(start, start + value)), up(min(start, start + value))
        above, below = above + max(value, 0), below + min(value, 0)
        if value:
            words = f"{part.name} ({tower.name}), round {number}: {spelled(value)}"
            svg += (
                f'<path class="part" fill-opacity="{_shade(place)}" d="M{x:g} {bottom:g}H{x + wide:g}V{top:g}H{x:g}Z">'
                f"<title>{escape(words)}</title></path>"
            )
    return svg


def _shade(place: int) -> float:
    return SHADES[place % len(SHADES)]


def _key(towers: Sequence[Tower], last: int) -> Iterable[str]:
    """Yield the lines of the key: each seat, and below it its nations that have anything, in the order of its bar."""
    for number, tower in enumerate(towers):
        name = f'<text class="name" y="4">{escape(tower.name)} {spelled(tower.total(last))}</text>'
        yield f'<g class="ink{number}">{name}</g>'
        for place, part in [*enumerate(tower.parts)][::-1]:
            if part.values.get(last, 0):
                sample = f'<path class="part" fill-opacity="{_shade(place)}" d="M2-6h11v11H2Z"/>'
                words = escape(f"{part.name} {spelled(part.values[last])}")
                yield f'<g class="ink{number}">{sample}</g><text class="key" x="17" y="4">{words}</text>'


def _described(tower: Tower, last: int) -> str:
    parts = [f"{part.name} {spelled(part.values[last])}" for part in tower.parts if part.values.get(last, 0)]
    return f"{tower.name} {spelled(tower.total(last))}" + (f" ({', '.join(parts)})" if parts else "")


# --- Dice -------------------------------------------------------------------------------------------------------------


def dice(title: str, thrown: Sequence[Die]) -> str:
    """Return a chart of faces: a bar for how often each came up, and a mark for how often a fair die shows it."""
    if not any(bar.times for die in thrown for bar in die.bars):
        return _empty(title, "No die has been rolled yet.")
    most = max(max(bar.times, bar.expected) for die in thrown for bar in die.bars)
    along = _Scale(0, most, 130, WIDTH - 190)
    parts: list[str] = []
    description: list[str] = []
    top = TOP + 10
    for die in thrown:
        parts.append(f'<text class="name" x="20" y="{top + 12}">{escape(die.name)}</text>')
        for bar in die.bars:
            top += ROW
            counts = f"{bar.times} times, {bar.expected:.1f} expected"
            description.append(f"{bar.name} {counts}")
            parts.append(
                f"<g><title>{escape(bar.name)}: {counts}</title>{_text(122, top + 5, bar.name, 'end')}"
                f'<path class="bar" d="M{along.start} {top - 9}H{along(bar.times)}v18H{along.start}Z"/>'
                f'<path class="mark" d="M{along(bar.expected)} {top - 13}v26"/>'
                f"{_text(along(max(bar.times, bar.expected)) + 10, top + 5, counts, 'start')}</g>"
            )
        top += ROW
        parts.append(_text(130, top, die.caption, "start"))
        description.append(die.caption)
        top += ROW
    parts.append(f'<path class="mark" d="M136 {top - 13}v18"/>{_text(148, top, "what fair dice show", "start")}')
    return _framed(title, "; ".join(description), top + 20, parts)


# --- The frame --------------------------------------------------------------------------------------------------------


def _framed(title: str, caption: str, height: float, parts: Iterable[str], curves: Sequence[Curve | Tower] = ()) -> str:
    style = (
        f".ground{{fill:{LIGHT}}}text{{font:13px system-ui,sans-serif;fill:#3c382f}}.title{{font-size:16px}}"
        f".title,.name{{font-weight:600}}.grid{{stroke:#d8d2c2}}.curve{{fill:none;stroke-width:2.5;stroke-linejoin:round}}"
        f".lead{{fill:none}}.key{{font-size:11px}}.bar{{fill:#8a7346}}.mark{{stroke:#1d1812;stroke-width:3}}"
        f"{_inks(curves, LIGHT)}"
        f"@media(prefers-color-scheme:dark){{.ground{{fill:{DARK}}}text{{fill:#ddd6c6}}.grid{{stroke:#45413a}}"
        f".bar{{fill:#a58d5c}}.mark{{stroke:#fffdf6}}{_inks(curves, DARK)}}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
        f' role="img" aria-labelledby="chart-title chart-said"><title id="chart-title">{escape(title)}</title>'
        f'<desc id="chart-said">{escape(caption)}</desc><style>{style}</style>'
        f'<rect class="ground" width="{WIDTH}" height="{height}" rx="6"/>'
        f'<text class="title" x="20" y="28">{escape(title)}</text>{"".join(parts)}</svg>\n'
    )


def _inks(curves: Sequence[Curve | Tower], ground: str) -> str:
    """Return the CSS rules that give every seat its colour on a background."""
    inks = (legible(curve.colour, ground) for curve in curves)
    return "".join(
        f".ink{number} path{{stroke:{ink}}}.ink{number} use,.ink{number} text,.ink{number} .part{{fill:{ink}}}"
        for number, ink in enumerate(inks)
    )


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


def _empty(title: str, caption: str) -> str:
    return _framed(title, caption, 90, [_text(20, 62, caption, "start")])
