"""The draw of a round: who meets whom, and who sits where.

`draw_lots` orders the players by a secret that the service committed to before. A `Problem` has the players and what
the round may look like. `slices` makes a `Draw` without any solver, `faults` says what is unlawful in a draw, and
`cost` what is undesirable, part by part. Anybody who has the problem and the draw can compute both again.
"""

from domain.tournament.draw.check import faults, flaws, obstacle
from domain.tournament.draw.cost import Cost, cost
from domain.tournament.draw.lawful import Undecided
from domain.tournament.draw.lots import draw_lots
from domain.tournament.draw.problem import Draw, Entrant, Met, Problem, Weights
from domain.tournament.draw.seating import arranged
from domain.tournament.draw.slices import NoDraw, slices

__all__ = [
    "Cost",
    "Draw",
    "Entrant",
    "Met",
    "NoDraw",
    "Problem",
    "Undecided",
    "Weights",
    "arranged",
    "cost",
    "draw_lots",
    "faults",
    "flaws",
    "obstacle",
    "slices",
]
