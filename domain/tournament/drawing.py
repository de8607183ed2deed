"""What the next draw of a tournament has to solve, from all that happened in it (TAB-TRN-09)."""

from collections import Counter
from itertools import combinations

from domain.kernel.ids import PlayerId
from domain.tournament.draw import Entrant, Met, Problem
from domain.tournament.field import Field, Round
from domain.tournament.regulations import Regulations, Swiss
from domain.tournament.standings import Scores

UNIT: int = 60
"""A point counts 60: points that two to six share are whole numbers then."""


def problem_of(field: Field, drawn: Round) -> Problem:
    """Return the problem of a round whose lots were drawn. Who left since then is not drawn.

    Scores are in sixtieths of a point, and a step is the mean difference between two places of a table of the preferred
    size. In a random stage they do not count. There are fewer byes than a table has seats.
    """
    regulations, played = field.regulations, field.played
    counts = isinstance(regulations.stage_of(len(played)), Swiss)
    points = Scores(field).points if counts else {}
    seated = [(place, player) for each in played for table in each.tables for place, player in enumerate(table.players)]
    places = Counter(seated)
    byes = Counter(player for each in played for player in each.byes)
    entrants = (
        Entrant(
            player,
            lot,
            int(points.get(player, 0) * UNIT),
            byes[player],
            field.entrants[player].club or "",
            places=tuple(places[place, player] for place in range(max(regulations.sizes))),
        )
        for lot, player in enumerate(drawn.present, start=1)
        if not field.entrants[player].out
    )
    return Problem(
        tuple(entrants),
        tuple(sorted(regulations.sizes)),
        regulations.sizes[0],
        byes=max(regulations.sizes) - 1,
        step=_step(regulations),
        met=_met(field),
        bans=tuple((PlayerId(one), PlayerId(other)) for one, other in regulations.bans),
    )


def _step(regulations: Regulations) -> int:
    points = regulations.points_of(regulations.sizes[0])
    return max(1, UNIT * (points[0] - points[-1]) // (len(points) - 1))


def _met(field: Field) -> tuple[Met, ...]:
    pairs = Counter(
        pair for each in field.played for table in each.tables for pair in combinations(sorted(table.players), 2)
    )
    return tuple(Met(one, other, times) for (one, other), times in sorted(pairs.items()))
