"""What a case needs to know of its game at the time of an act."""

from collections.abc import Callable, Collection, Mapping

from msgspec import Struct

from domain.kernel.ids import GameId, PlayerId, RuleId, Seat, Version
from domain.kernel.log import lifecycle


class Facts(Struct, frozen=True, kw_only=True):
    """What a case needs to know of its game at the time of an act.

    Attributes:
        version: the version at which the game stands.
        hash: its hash there, in hex.
        seats: who holds which seat.
        held: all who ever held a seat.
        officials: who may rule.
        knows: tells whether the ruleset of the game, or the service, has a rule.
        starts: returns the versions to which the game can go back.
        out: the seats that are out of the game, whose consent is not needed.
        given_up: the seats that were given up and not taken over, whose consent is not needed either.
        paused: whether the game is paused.
        continuations: the forks that were made to continue the game, and were not cancelled.
    """

    game: GameId
    version: Version
    hash: str
    status: lifecycle.Status
    seats: Mapping[Seat, PlayerId]
    held: Collection[PlayerId]
    officials: Collection[PlayerId]
    knows: Callable[[RuleId], bool]
    starts: Callable[[], Collection[Version]]
    out: Collection[Seat] = ()
    given_up: Collection[Seat] = ()
    paused: bool = False
    continuations: Collection[GameId] = ()

    def seat_of(self, player: PlayerId) -> Seat | None:
        """Return the seat that an account holds; None when it holds none."""
        return next((seat for seat, holder in self.seats.items() if holder == player), None)
