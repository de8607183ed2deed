"""The endpoint for charts of a game, which are drawn from projections."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from litestar.response import Response

from domain.kernel.ids import GameId, Seat
from domain.kernel.log.game import Game
from domain.kernel.rules.message import Names
from domain.kernel.rules.ruleset import Library
from projections import dice
from projections.scoreboard import RoundScore
from service.api.bodies import Nothing
from service.api.downloads import STILL_THE_SAME, cacheable
from service.api.endpoint import Answer, endpoint
from service.api.problems.games import NOT_COUNTED, UNKNOWN_CHART, UNKNOWN_GAME
from service.api.problems.problem import Problem
from service.api.request import Call
from service.api.statistics.routes import scoreboard_of
from service.pictures import charts
from service.pictures.palette import paints

SVG: Final = "image/svg+xml"
HEADERS: Final[Mapping[str, str]] = {
    # A chart can be opened by itself, at the service's own address: it must not run or fetch anything.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "Vary": "Accept",
}
DICE: Final = "dice"
BY_NATION: Final = "-by-nation"


@endpoint(
    "GET",
    "/v1/games/{game:str}/charts/{chart:str}",
    tag="Statistics",
    headers=("If-None-Match",),
    answers=(Answer(200, "The chart.", str, SVG, headers=("ETag",)), STILL_THE_SAME),
    problems=(UNKNOWN_GAME, UNKNOWN_CHART, NOT_COUNTED),
)
async def show_chart(request: Call, game: str, chart: str) -> Response[bytes]:
    """Draw a chart.

    Draws an SVG to embed. `dice.svg` shows how often each face came up, and how often a fair die would have shown it.
    The others show a figure of the scoreboard round by round: any of the ruleset's own (such as `cities.svg`), and
    `tribute.svg`, `points.svg` and `territory.svg`, which mean the same in every ruleset that has them. Where seats
    lead several nations, `points-by-nation.svg` and the like show what each nation had. Charts may be a moment behind.
    """
    request.read_query(Nothing)
    board = await scoreboard_of(request, game)
    name = chart.removesuffix(".svg")
    if name == DICE and chart != name:
        thrown = await dice.counts(request.services.rows, game=GameId(game))
        svg = dice_chart([dice.tally(request.services.library, *key, faces) for key, faces in thrown.items()])
    else:
        figures = charted_figures(request.services.library, board.ruleset, board.rounds)
        if chart == name or name not in figures:
            charts_there = ", ".join(f"{each}.svg" for each in (*figures, DICE))
            raise Problem(UNKNOWN_CHART, f"The game has no chart {chart!r}.", f"It has {charts_there}.")
        if name.endswith(BY_NATION):
            played = await request.services.games.game(GameId(game))
            svg = nations_chart(played, figures[name], board.rounds)
        else:
            svg = figure_chart(request.services.library, board.ruleset, figures[name], board.rounds)
    return cacheable(request, svg.encode(), request.media(SVG), HEADERS)


# --- Drawing them -----------------------------------------------------------------------------------------------------


def charted_figures(library: Library, ruleset: str, rounds: Sequence[RoundScore]) -> dict[str, str]:
    """Return the figures of which a game has charts, by the name of the chart; without the chart of dice."""
    figures = {name: name for each in rounds[-1:] for score in each.scores.values() for name in score}
    nations = [score for each in rounds[-1:] for led in each.nations.values() for score in led.values()]
    by_nation = {f"{name}{BY_NATION}": name for score in nations for name in score}
    return {**library.current(ruleset).charts, **figures, **by_nation}


def figure_chart(library: Library, ruleset: str, figure: str, rounds: Sequence[RoundScore]) -> str:
    """Return the chart of a figure of the scoreboard."""
    seats = list(rounds[-1].scores) if rounds else []
    played = library.current(ruleset)
    names, colours = Names({}, seats, played.words), paints(played, seats)
    curves = [
        charts.Curve(
            names(seat),
            colours[seat].colour,
            {each.round: each.scores[seat][figure] for each in rounds if figure in each.scores.get(seat, {})},
        )
        for seat in seats
    ]
    return charts.lines(f"{figure.capitalize()}, round by round", curves)


def nations_chart(game: Game, figure: str, rounds: Sequence[RoundScore]) -> str:
    """Return the chart of a figure of the seats' nations. Documents of the game may rename nations."""
    seats = rounds[-1].nations
    names, colours = game.names, paints(game.ruleset, seats)

    def part(seat: Seat, nation: str) -> charts.Part:
        had = {each.round: each.nations.get(seat, {}).get(nation, {}) for each in rounds}
        return charts.Part(names(nation), {number: score.get(figure, 0) for number, score in had.items()})

    towers = [
        charts.Tower(names(seat), colours[seat].colour, [part(seat, nation) for nation in led])
        for seat, led in seats.items()
    ]
    return charts.stacks(f"{figure.capitalize()} of the nations, round by round", towers)


def dice_chart(tallies: Iterable[dice.DieTally]) -> str:
    """Return the chart of the faces that came up in a game, by kind of die."""
    thrown: list[charts.Die] = []
    for tally in tallies:
        bars = [charts.Bar(face.face, face.times, face.expected) for face in tally.faces]
        chance = "There are too few rolls to say whether they look fair."
        if tally.fairness is not None:
            chance = f"Of a hundred fair dice, {tally.fairness.p * 100:.0f} would stray as far from this or further."
        thrown.append(charts.Die(tally.die, bars, f"{tally.rolled} rolls. {chance}"))
    return charts.dice("How the dice fell", thrown)
