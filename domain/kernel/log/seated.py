"""What happens to the seats of a running game: offers, resignations, and what the house does about these (TAB-SEAT)."""

from typing import Final

from msgspec import UNSET, UnsetType

from domain.kernel.ids import PlayerId, Seat
from domain.kernel.log.event import GameEvent
from domain.kernel.rules.message import Names


class SeatOffered(GameEvent, frozen=True):
    """The player of a seat, or an official, offered it to a substitute (TAB-SEAT-01).

    Attributes:
        seat: the seat.
        to: the account that may take it over; absent when anybody may who can be a substitute.
    """

    around = True
    in_pause = True
    rules = ("TAB-SEAT-01",)

    seat: Seat
    to: PlayerId | UnsetType = UNSET

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} was offered to {'a substitute' if self.to is UNSET else self.to}."


class OfferWithdrawn(GameEvent, frozen=True):
    """The offer of a seat was withdrawn (TAB-SEAT-01)."""

    around = True
    in_pause = True
    rules = ("TAB-SEAT-01",)

    seat: Seat

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} is not offered any more."


class SeatResigned(GameEvent, frozen=True):
    """A player resigned: the house answers for the seat until somebody takes it over (TAB-SEAT-04).

    With two seats the other one wins (TAB-SEAT-06).
    """

    around = True
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


SEAT_EVENTS: Final = (SeatOffered, OfferWithdrawn, SeatResigned, AnsweredByHouse)
