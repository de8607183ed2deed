"""Drawing the rounds of tournaments: by the solver, unless the lots alone decide."""

from collections.abc import Awaitable, Callable
from typing import Final

from domain.tournament.drawing import problem_of
from domain.tournament.field import Field, Round
from domain.tournament.regulations import RoundRobin
from service.observe.logging import log
from service.tournaments.committee import Drawn, draw_by_slices
from service.tournaments.solving import Solver

SECONDS: Final = 8
"""How long the solver may search. A director waits for it, and proxies before the service have timeouts."""


def by_solver(solver: Solver) -> Callable[[Field, Round], Awaitable[Drawn]]:
    """Return the function that draws a round. The pairs of a round robin follow from its lots and need no solver."""

    async def draw(field: Field, current: Round) -> Drawn:
        if isinstance(field.regulations.stage_of(len(field.played)), RoundRobin):
            return await draw_by_slices(field, current)
        solved = await solver.solve(problem_of(field, current), SECONDS)
        if solved.remark:
            log.info("a round was drawn by slices", why=solved.remark)
        return Drawn(solved.draw, solved.by, solved.bound)

    return draw
