"""The costs of pairs, byes and table sizes that follow from a problem."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from domain.kernel.ids import PlayerId
from domain.tournament.draw.problem import Draw, Problem


class Field:
    """The costs of a problem. A player's number is their index, from 0, in the order of the lots.

    Attributes:
        problem: the problem.
        entrants: its entrants, in the order of their lots.
        players: their ids.
        number: the number of each player, by id.
        lots: their lots.
        sizes: the cost of a table, by its size.
        byes: the cost of a bye, for each player.
        banned: for each player, the numbers of the players whom they must not meet.
    """

    def __init__(self, problem: Problem) -> None:
        entrants = sorted(problem.entrants, key=lambda entrant: entrant.lot)
        weights, step = problem.weights, problem.step
        self.problem = problem
        self.entrants = entrants
        self.players = [entrant.player for entrant in entrants]
        self.number = {player: number for number, player in enumerate(self.players)}
        self.lots = [entrant.lot for entrant in entrants]
        self.sizes = {size: weights.size * (size - problem.preferred) ** 2 for size in sorted(problem.sizes)}
        self._meetings: dict[tuple[int, int], int] = {}
        for pair in problem.met:
            one, other = self.number.get(pair.one), self.number.get(pair.other)
            if one is not None and other is not None:
                self._meetings[one, other] = self._meetings[other, one] = weights.met * pair.times**2
        lowest = min((entrant.score for entrant in entrants), default=0)
        self.byes = [
            weights.bye + weights.bye_again * entrant.byes**2 + weights.bye_score * (entrant.score - lowest) // step
            for entrant in entrants
        ]
        self.banned: list[set[int]] = [set() for _ in entrants]
        for one, other in problem.bans:
            if one in self.number and other in self.number:
                self.banned[self.number[one]].add(self.number[other])
                self.banned[self.number[other]].add(self.number[one])

    @cached_property
    def pairs(self) -> list[list[int]]:
        """The cost of seating two players at one table, as a matrix by their numbers.

        The distance between their lots is not included. The matrix takes 0.2 s for 1,000 players, and `cost_in`
        does not need it. So it is computed on first use.
        """
        costs = [[0] * len(self.players) for _ in self.players]
        for one, row in enumerate(costs):
            for other in range(one):
                row[other] = costs[other][one] = self.score(one, other) + self.club(one, other)
        for (one, other), price in self._meetings.items():
            costs[one][other] += price
        return costs

    def score(self, one: int, other: int) -> int:
        """Return the cost of the difference between the scores of two players at one table."""
        difference = abs(self.entrants[one].score - self.entrants[other].score)
        return self.problem.weights.score * difference // self.problem.step

    def meeting(self, one: int, other: int) -> int:
        """Return the cost of a further meeting of two players; 0 if they have not met."""
        return self._meetings.get((one, other), 0)

    def club(self, one: int, other: int) -> int:
        """Return the cost of seating two players of one club at one table; 0 if they are not of one club."""
        club = self.entrants[one].club
        return self.problem.weights.club if club and club == self.entrants[other].club else 0

    def bye_lot(self, player: int) -> int:
        """Return the distance from a player's lot to the last lot: what their bye adds to `Cost.lots`."""
        return self.lots[-1] - self.lots[player]

    def draw(self, tables: Sequence[Sequence[int]], byes: Sequence[int]) -> Draw:
        """Return the draw with player ids in place of numbers, in the same order."""
        return Draw(
            tuple(tuple(self.players[player] for player in table) for table in tables),
            tuple(self.players[player] for player in byes),
        )

    def of(self, players: Sequence[PlayerId]) -> list[int]:
        """Return the numbers of players. Raises `KeyError` for one who is no entrant."""
        return [self.number[player] for player in players]


def pairs_of(table: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of players at a table."""
    for place, one in enumerate(table):
        for other in table[place + 1 :]:
            yield one, other
