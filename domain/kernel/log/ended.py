"""Events of ends that no rule book provides: proposals to end the game, answers to them, abandonment (TAB-END)."""

from typing import Final

from domain.kernel.ids import Seat, Version
from domain.kernel.log.event import GameEvent
from domain.kernel.rules.message import Names
from domain.kernel.rules.ruleset import Order

ABANDONED_AFTER: Final = 90
"""After how many days without an event a game is abandoned, unless its creator chose another number (TAB-END-04)."""
SHORTEST_STILL: Final = 14
LONGEST_STILL: Final = 366


class EndProposed(GameEvent, frozen=True):
    """A seat proposed to end the game with an order of its seats (TAB-END-01).

    Attributes:
        asks: the seats that have to agree; when there are none, the game ends at once.
        order: the seats in their final order, each group of seats that tie together.
        round: the round in which it was proposed; the proposal lapses when that round is over.
        seat: the seat that proposes it.
    """

    stays = True
    rules = ("TAB-END-01", "TAB-END-02")

    asks: tuple[Seat, ...]
    order: Order
    round: int
    seat: Seat

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} proposed to end the game: {order_in_words(self.order, names)}."


class EndAnswered(GameEvent, frozen=True):
    """A seat answered a proposal to end the game (TAB-END-01). A seat that refuses its own withdraws it.

    Attributes:
        agrees: whether the seat agrees.
        proposed: the version at which the proposal was made.
        seat: the seat that answers.
    """

    stays = True
    rules = ("TAB-END-01", "TAB-END-02")

    agrees: bool
    proposed: Version
    seat: Seat

    def tell(self, names: Names) -> str:
        answer = "agreed to" if self.agrees else "turned down"
        return f"{names(self.seat)} {answer} the end proposed at version {self.proposed}."


class GameAbandoned(GameEvent, frozen=True):
    """Nothing had happened in the game for too long, so it ended without a winner (TAB-END-04).

    Attributes:
        since: the time of the last event before it.
    """

    in_pause = True
    rules = ("TAB-END-04",)

    since: str

    def tell(self, names: Names) -> str:
        return f"The game was abandoned: nothing had happened since {self.since[:10]}."


def order_in_words(order: Order, names: Names) -> str:
    """Return an order of seats in words."""
    return "; ".join(f"{place}. {names.all(seats)}" for place, seats in places(order))


def places(order: Order) -> list[tuple[int, tuple[Seat, ...]]]:
    """Return the groups of an order, each with its place: after two seats that share the first comes the third."""
    before = (sum(map(len, order[:index])) for index in range(len(order)))
    return [(count + 1, seats) for count, seats in zip(before, order, strict=True)]


END_EVENTS: Final = (EndProposed, EndAnswered, GameAbandoned)
