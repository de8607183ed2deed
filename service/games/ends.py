"""Acts about the end of a game: proposals and answers, abandoned games, and expired offers of rematches."""

from collections.abc import Sequence

from msgspec import Struct

from domain.kernel.ids import Seat, Version
from domain.kernel.log import ending, rematching
from domain.kernel.log.game import Decided, Game
from domain.kernel.rules.ruleset import Order
from service.games.acts import Act, Case


class ProposeEnd(Act, frozen=True):
    """Proposing to end a game with an order of its seats, for your seat."""

    kind = "propose-end"
    order: Sequence[Sequence[Seat]]

    async def decide(self, case: Case) -> Decided:
        return ending.propose_end(case.game, case.seat(), self.order, case.chance, case.cause, case.at)


class AnswerEnd(Act, frozen=True):
    """Answering a proposal to end a game, or withdrawing your own."""

    kind = "answer-end"
    proposed: Version
    agrees: bool

    async def decide(self, case: Case) -> Decided:
        seat = case.seat()
        return ending.answer_end(case.game, seat, self.proposed, self.agrees, case.chance, case.cause, case.at)


class Abandon(Act, frozen=True):
    """Ending a game in which nothing has happened for too long."""

    kind = "abandon"

    async def decide(self, case: Case) -> Decided:
        since = (await case.log())[-1].at
        return ending.abandon(case.game, since, case.chance, case.at)


class Expire(Act, frozen=True):
    """Cancelling a rematch whose offer has expired."""

    kind = "expire"

    async def decide(self, case: Case) -> Decided:
        return rematching.expire(case.game, case.at)


class EndProposal(Struct, frozen=True):
    """An open proposal to end a game.

    Attributes:
        proposed: the version at which it was made, by which it is answered.
        seat: the seat that proposes it.
        order: the seats from the first place to the last, each group of seats that tie together.
        agreed: the seats that have agreed.
        waits_for: the seats that have yet to answer.
    """

    proposed: Version
    seat: Seat
    order: Order
    agreed: tuple[Seat, ...]
    waits_for: tuple[Seat, ...]


def open_proposals(game: Game) -> tuple[EndProposal, ...]:
    """Return the open proposals to end a game."""
    return tuple(
        EndProposal(proposed, each.seat, each.order, each.agreed, each.waits_for)
        for proposed, each in ending.open_ends(game).items()
    )
