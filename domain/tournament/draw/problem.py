"""The problem that a draw solves, and the draw. All numbers are integers."""

from typing import Final

from msgspec import Struct

from domain.kernel.ids import PlayerId

LEAST_SIZE: Final = 2
MOST_SIZE: Final = 6
"""The smallest and the largest table: as many seats as the rulesets have."""


class Entrant(Struct, frozen=True):
    """A player who checked in for the round.

    Attributes:
        player: whom this is about.
        lot: their lot in this round: a number from 1 that nobody else has.
        score: what they have scored so far, in any unit; `Problem.step` says how much of it counts as one step.
        byes: how many byes they have had.
        club: their club; "" for none. Players of one club meet only when little speaks against it.
        seats: how often they have had the first seat of a table, the second, and so on. Seats at the end that are left
            out count 0.
    """

    player: PlayerId
    lot: int
    score: int = 0
    byes: int = 0
    club: str = ""
    seats: tuple[int, ...] = ()


class Met(Struct, frozen=True, array_like=True):
    """Two players who have sat at one table before, and how often."""

    one: PlayerId
    other: PlayerId
    times: int


class Weights(Struct, frozen=True, forbid_unknown_fields=True):
    """How much each thing that is undesirable costs. By default, one step between two scores costs 100.

    Attributes:
        size: for each table, times the square of how many seats it has more or fewer than preferred. It has to be high:
            players at small tables meet fewer others, so everything else is cheaper with small tables.
        score: for two players at one table, for each step between their scores; what is left of a step counts in
            proportion, rounded down.
        met: for two players at one table, times the square of how often they have met. By default, a second
            meeting costs as much as 20 steps between two scores.
        club: for two players of one club at one table.
        bye: for each bye. By default it is as much as four tables with a seat more or fewer than preferred.
        bye_again: for a bye, times the square of how many byes the player has had.
        bye_score: for a bye, for each step that the player's score is above the lowest, in the same way.
        seat: for each player, times the square of how much more often they have had their seat than the seat of that
            table that they have had least often.
    """

    size: int = 10_000
    score: int = 100
    met: int = 2000
    club: int = 300
    bye: int = 40_000
    bye_again: int = 40_000
    bye_score: int = 100
    seat: int = 1


class Problem(Struct, frozen=True):
    """The round that is to be drawn.

    Attributes:
        entrants: the players, in any order; their lots order them.
        sizes: the table sizes that are allowed, from 2 to 6.
        preferred: the size that tables should have: one of `sizes`.
        byes: how many players may have a bye at most.
        step: how much score counts as one step, such as the difference between two places of a table.
        met: who has met before; a pair that has not is left out.
        bans: pairs of players who must not sit at one table.
        weights: what each undesirable thing costs.
    """

    entrants: tuple[Entrant, ...]
    sizes: tuple[int, ...]
    preferred: int
    byes: int = 0
    step: int = 1
    met: tuple[Met, ...] = ()
    bans: tuple[tuple[PlayerId, PlayerId], ...] = ()
    weights: Weights = Weights()


class Draw(Struct, frozen=True):
    """Who sits together, and who has a bye.

    Attributes:
        tables: the players of each table in the order of its seats, which is also the starting order.
        byes: those who do not play.
    """

    tables: tuple[tuple[PlayerId, ...], ...]
    byes: tuple[PlayerId, ...] = ()
