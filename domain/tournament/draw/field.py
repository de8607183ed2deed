"""The costs in a problem: of each pair, bye and table size. Players are numbered in the order of their lots."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from domain.kernel.ids import PlayerId
from domain.tournament.draw.problem import Draw, Problem


class Field:
    """The numbers of a problem. Players are numbers from 0, in the order of their lots.

    Attributes:
        players: the ids of the players.
        lots: their lots.
        byes: what a bye of each player costs.
        banned: for each player, those whom they must not meet.
        sizes: what a table of each allowed size costs.
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
        self._met: dict[tuple[int, int], int] = {}
        for met in problem.met:
            one, other = self.number.get(met.one), self.number.get(met.other)
            if one is not None and other is not None:
                self._met[one, other] = self._met[other, one] = weights.met * met.times**2
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
        """What it costs that two players sit together: a row for each player. The distance between their lots is not
        included.

        Computed on first use: it takes 0.2 s for 1,000 players, and `cost` does not need it.
        """
        together = [[0] * len(self.players) for _ in self.players]
        for one, row in enumerate(together):
            for other in range(one):
                row[other] = together[other][one] = self.score(one, other) + self.club(one, other)
        for (one, other), price in self._met.items():
            together[one][other] += price
        return together

    def score(self, one: int, other: int) -> int:
        """Return what the scores of two players cost at one table."""
        apart = abs(self.entrants[one].score - self.entrants[other].score)
        return self.problem.weights.score * apart // self.problem.step

    def meeting(self, one: int, other: int) -> int:
        """Return what it costs that two players meet again."""
        return self._met.get((one, other), 0)

    def club(self, one: int, other: int) -> int:
        """Return what it costs that two players are of one club."""
        club = self.entrants[one].club
        return self.problem.weights.club if club and club == self.entrants[other].club else 0

    def bye_lot(self, player: int) -> int:
        """Return how far the lot of a player is from the last, which is what their bye costs in `Cost.lots`."""
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
