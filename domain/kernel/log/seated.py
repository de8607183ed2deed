"""Events of seats: they are assigned and confirmed before the game begins. Later they are offered, players resign, and
the house answers for them (TAB-SEAT)."""

from typing import Final

from msgspec import UNSET, UnsetType

from domain.kernel.ids import PlayerId, Seat
from domain.kernel.log.event import GameEvent
from domain.kernel.rules.message import Names


class SeatAssigned(GameEvent, frozen=True):
    """The organizer assigned a seat to an account that had agreed to it, before the game began (TAB-SEAT-08).

    Attributes:
        seat: the seat.
        player: the account that holds it from here on.
    """

    rules = ("TAB-SEAT-08", "TAB-SEAT-10")

    seat: Seat
    player: PlayerId

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} was assigned to {self.player}."


class SeatConfirmed(GameEvent, frozen=True):
    """The player of an assigned seat confirmed it, and added entropy to the dice (TAB-SEAT-09).

    Attributes:
        seat: the seat.
        entropy: what they added; it may be empty.
    """

    rules = ("TAB-SEAT-09",)

    seat: Seat
    entropy: str = ""

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} was confirmed by its player."


class SeatOffered(GameEvent, frozen=True):
    """The player of a seat, an official, or the organizer for a tournament offered it to a substitute (TAB-SEAT-01).

    Attributes:
        seat: the seat.
        to: the account that may take it over; absent when any account that can be a substitute may.
    """

    stays = True
    in_pause = True
    rules = ("TAB-SEAT-01",)

    seat: Seat
    to: PlayerId | UnsetType = UNSET

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} was offered to {'a substitute' if self.to is UNSET else self.to}."


class OfferWithdrawn(GameEvent, frozen=True):
    """The offer of a seat was withdrawn (TAB-SEAT-01)."""

    stays = True
    in_pause = True
    rules = ("TAB-SEAT-01",)

    seat: Seat

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} is not offered any more."


class SeatResigned(GameEvent, frozen=True):
    """A player resigned: the house answers for the seat until somebody takes it over (TAB-SEAT-04).

    With two seats the other one wins (TAB-SEAT-06).
    """

    stays = True
    in_pause = True
    rules = ("TAB-SEAT-04", "TAB-SEAT-06")

    seat: Seat

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} resigned."


class AnsweredByHouse(GameEvent, frozen=True):
    """The house gave the default answer of a seat that resigned (TAB-SEAT-05). The events of its command follow."""

    rules = ("TAB-SEAT-05",)

    seat: Seat

    def tell(self, names: Names) -> str:
        return f"The house answered for {names(self.seat)}, whose player resigned."


SEAT_EVENTS: Final = (SeatAssigned, SeatConfirmed, SeatOffered, OfferWithdrawn, SeatResigned, AnsweredByHouse)
