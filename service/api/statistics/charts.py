"""Charts of a game, drawn from what projections tell."""

from collections.abc import Mapping
from typing import Final

from litestar.params import FromPath
from litestar.response import Response

from domain.kernel.ids import GameId
from domain.kernel.rules.message import Names
from domain.kernel.rules.ruleset import Library
from projections import dice, scoreboard
from service.api import problems
from service.api.bodies import Nothing
from service.api.endpoint import Answer, endpoint
from service.api.problems import Problem
from service.api.request import Call
from service.api.response import Answered
from service.pictures import charts
from service.pictures.palette import paints

SVG: Final = "image/svg+xml"
HEADERS: Final[Mapping[str, str]] = {
    # Opened by itself it is a document: one that can do nothing but be seen.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "Cache-Control": "no-cache",
    "Vary": "Accept",
}
DICE: Final = "dice"


@endpoint(
    "GET",
    "/v1/games/{game:str}/charts/{chart:str}",
    tag="Statistics",
    answers=(Answer(200, "The chart.", str, SVG),),
    problems=(problems.UNKNOWN_GAME, problems.UNKNOWN_CHART),
)
async def show_chart(request: Call, game: FromPath[str], chart: FromPath[str]) -> Response[bytes]:
    """Draw a chart.

    An SVG to embed. `dice.svg` shows how often each face came up, and how often a fair die would have shown it. The
    others show a figure of the scoreboard round by round: any of the ruleset's own (such as `cities.svg`), and
    `tribute.svg`, `points.svg` and `territory.svg`, which mean the same in every ruleset that has them. Charts may be
    a moment behind.
    """
    request.read_query(Nothing)
    found = await scoreboard.of_game(request.services.rows, GameId(game))
    if found is None:
        await request.services.games.game(GameId(game))
        raise Problem(problems.UNAVAILABLE, "The scoreboard is about to begin.", headers={"Retry-After": "1"})
    summary, rounds = found
    name = chart.removesuffix(".svg")
    if name == DICE and chart != name:
        thrown = await dice.counts(request.services.rows, game=GameId(game))
        drawn = dice_chart(
            request.services.library, {die: faces for (_, die), faces in thrown.items()}, summary.ruleset
        )
    else:
        figures = offered(request.services.library, summary.ruleset, rounds)
        if chart == name or name not in figures:
            charts_there = ", ".join(f"{each}.svg" for each in (*figures, DICE))
            raise Problem(problems.UNKNOWN_CHART, f"The game has no chart {chart!r}.", f"It has {charts_there}.")
        drawn = figure_chart(request.services.library, summary.ruleset, figures[name], rounds)
    return Answered(drawn.encode(), 200, request.media(SVG), HEADERS)


ROUTES = (show_chart,)


# --- Making them ------------------------------------------------------------------------------------------------------


def offered(library: Library, ruleset: str, rounds: list[scoreboard.RoundScore]) -> dict[str, str]:
    """Return the charts that there are, each with the figure that it shows."""
    counted = {name: name for each in rounds[-1:] for score in each.score.values() for name in score}
    return {**library.current(ruleset).charts, **counted}


def figure_chart(library: Library, ruleset: str, figure: str, rounds: list[scoreboard.RoundScore]) -> str:
    """Return the chart of a figure of the scoreboard."""
    seats = list(rounds[-1].score) if rounds else []
    names, colours = Names({}, seats), paints(library.current(ruleset), seats)
    curves = [
        charts.Curve(
            names(seat),
            colours[seat].colour,
            {each.round: each.score[seat][figure] for each in rounds if figure in each.score.get(seat, {})},
        )
        for seat in seats
    ]
    return charts.lines(f"{figure.capitalize()}, round by round", curves)


def dice_chart(library: Library, counted: Mapping[str, dict[str, int]], ruleset: str) -> str:
    """Return the chart of the faces that came up in a game, by die."""
    thrown: list[charts.Die] = []
    for die, faces in counted.items():
        tally = dice.tally(ruleset, die, faces, library.current(ruleset).dice.get(die) or tuple(faces))
        bars = [charts.Bar(face.face, face.times, face.expected) for face in tally.faces]
        chance = "There are too few rolls to say whether they look fair."
        if tally.fairness is not None:
            chance = f"Of a hundred fair dice, {tally.fairness.p * 100:.0f} would stray as far from this or further."
        thrown.append(charts.Die(die, bars, f"{tally.rolled} rolls. {chance}"))
    return charts.dice("How the dice fell", thrown)
