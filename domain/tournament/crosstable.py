"""The crosstable: what each player did in each round."""

from collections.abc import Iterator
from fractions import Fraction

from msgspec import Struct

from domain.kernel.ids import PlayerId
from domain.tournament.field import Field
from domain.tournament.standings import Scores, standings


class Cell(Struct, frozen=True):
    """What a player did in a round.

    Attributes:
        round: the number of the round.
        table: the number of their table; 0 for a bye.
        opponents: the players whom they met there.
        place: their place at the table, 1 for the first; 0 as long as there is no result, and for a bye.
        points: what they earned; None as long as there is no result.
        counts: whether it counts: of heats, only the best do.
    """

    round: int
    table: int
    opponents: tuple[PlayerId, ...]
    place: int
    points: Fraction | None
    counts: bool = True


class Line(Struct, frozen=True):
    """A player's line. Rounds that they did not play are left out.

    Attributes:
        place: where they stand.
        points: what they have earned, less penalties.
    """

    place: int
    player: PlayerId
    points: Fraction
    cells: tuple[Cell, ...]


def crosstable(field: Field) -> list[Line]:
    """Return a line for each player, in the order of the standings, with a cell for each round that they played."""
    scores = Scores(field)
    lines = standings(field)
    return [Line(each.place, each.player, each.points, tuple(_cells(each.player, field, scores))) for each in lines]


def _cells(player: PlayerId, field: Field, scores: Scores) -> Iterator[Cell]:
    earned = {each.place: each for each in scores.rounds[player]}
    for place, round_ in enumerate(field.played):
        table = next((table for table in round_.tables if player in table.earners(field.regulations)), None)
        at_table = zip(table.players, table.earners(field.regulations), strict=True) if table is not None else ()
        opponents = tuple(each for each, earner in at_table if earner != player)
        number, score = table.number if table is not None else 0, earned.get(place)
        if score is not None:
            finished = score.seated.place + 1 if score.seated is not None else 0
            yield Cell(round_.number, number, opponents, finished, score.points, score.counts)
        elif table is not None:
            yield Cell(round_.number, number, opponents, 0, None)
