"""The crosstable: what each player did in each round."""

from fractions import Fraction

from msgspec import Struct

from domain.kernel.ids import PlayerId
from domain.tournament.field import Field, Round
from domain.tournament.standings import Scores, standings


class Cell(Struct, frozen=True):
    """What a player did in a round.

    Attributes:
        round: the number of the round.
        table: the number of their table; 0 for a bye.
        opponents: whom they met there.
        place: how many finished before them, and one more; 0 as long as there is no result, and for a bye.
        points: what they earned; None as long as there is no result.
    """

    round: int
    table: int
    opponents: tuple[PlayerId, ...]
    place: int
    points: Fraction | None


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
    cells: dict[PlayerId, list[Cell]] = {player: [] for player in field.entrants}
    for each in field.played:
        for player, cell in _cells(each, field, scores):
            cells[player].append(cell)
    return [Line(each.place, each.player, each.points, tuple(cells[each.player])) for each in standings(field)]


def _cells(drawn: Round, field: Field, scores: Scores) -> list[tuple[PlayerId, Cell]]:
    found = [(player, Cell(drawn.number, 0, (), 0, Fraction(field.regulations.bye))) for player in drawn.byes]
    for table in drawn.tables:
        earned = {each.player: each for each in scores.earned(table)}
        for player in table.players:
            opponents = tuple(each for each in table.players if each != player)
            seat = earned.get(player)
            place, points = (seat.place + 1, seat.points) if seat is not None else (0, None)
            found.append((player, Cell(drawn.number, table.number, opponents, place, points)))
    return found
