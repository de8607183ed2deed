"""What a draw costs, part by part.

Two questions are decided one after the other. *Who meets whom* is decided by `total`: table sizes, scores, earlier
meetings, clubs and byes. Among draws with the same total, `lots` decides: players whose lots are near each other sit
together, and the last lots have the byes. *Who sits where* is then decided at each table by itself, by `seats`.
Among orders that cost the same, the lowest lot comes first. A table has 720 orders at most, so `arranged`
tries them all.
"""

from msgspec import Struct

from domain.tournament.draw.field import Field, pairs_of
from domain.tournament.draw.problem import Draw, Problem
from domain.tournament.draw.seating import seating_costs


class Cost(Struct, frozen=True):
    """What a draw costs by the weights of its problem. Less is better, and 0 is the least.

    Attributes:
        sizes: tables of a size that is not the preferred one.
        scores: players with different scores at one table.
        meetings: players who have met before.
        clubs: players of one club at one table.
        byes: byes, above all of those who had one before or have a high score.
        total: the sum of the parts above, which the solver minimizes.
        seats: seats that their players have had more often than another seat of that table.
        lots: how far apart the lots of players at one table are, and how far the lots of byes are from the last. It
            decides between draws with the same total.
    """

    sizes: int
    scores: int
    meetings: int
    clubs: int
    byes: int
    total: int
    seats: int
    lots: int


def cost(problem: Problem, draw: Draw) -> Cost:
    """Return what a draw costs. The draw must be lawful (`faults`)."""
    return cost_in(Field(problem), draw)


def cost_in(field: Field, draw: Draw) -> Cost:
    """Return what a draw costs, by the numbers of its problem."""
    sizes = scores = meetings = clubs = seats = lots = 0
    for players in draw.tables:
        table = field.of(players)
        sizes += field.sizes[len(table)]
        for one, other in pairs_of(table):
            scores += field.score(one, other)
            meetings += field.meeting(one, other)
            clubs += field.club(one, other)
            lots += abs(field.lots[one] - field.lots[other])
        seats += sum(costs[seat] for seat, costs in enumerate(seating_costs(field, table)))
    without = field.of(draw.byes)
    byes = sum(field.byes[player] for player in without)
    lots += sum(field.bye_lot(player) for player in without)
    total = sizes + scores + meetings + clubs + byes
    return Cost(sizes, scores, meetings, clubs, byes, total, seats, lots)
