"""What happens to the clocks of a game (TAB-CLK-01 to TAB-CLK-10)."""

from typing import Final

from domain.kernel.ids import Seat
from domain.kernel.log.clock import Clock, Then
from domain.kernel.log.event import GameEvent
from domain.kernel.rules.message import Names


class ClockSet(GameEvent, frozen=True):
    """The clock of the game was chosen, at its creation or by its organizer, who may also choose none (TAB-CLK-01).

    Attributes:
        clock: the clock; null for none.
    """

    stays = True
    rules = ("TAB-CLK-01", "TAB-CLK-02")

    clock: Clock | None

    def tell(self, names: Names) -> str:
        return "The game is played without a clock." if self.clock is None else "The clock of the game was set."


class ClocksRan(GameEvent, frozen=True):
    """The clocks changed: other seats are waited for, or something happened to a clock (TAB-CLK-03).

    It follows from the act before it, and says all that a fold has to know of the time.

    Attributes:
        absent: the seats that the clock has answered for since a player last gave a command.
        at: the time of the act, from which the clocks that run count.
        earned: the seats whose banks got their increment, each with the number of the turn that brought it.
        left: what each seat has left, in milliseconds; below 0 while its grace passes.
        runs: the seats whose clocks run from here on.
    """

    stays = True
    in_pause = True
    rules = ("TAB-CLK-03", "TAB-CLK-04")

    absent: tuple[Seat, ...]
    at: str
    earned: dict[Seat, int]
    left: dict[Seat, int]
    runs: tuple[Seat, ...]

    def tell(self, names: Names) -> str:
        return f"The clocks run for {names.all(self.runs)}." if self.runs else "All clocks stand."


class ClockExpired(GameEvent, frozen=True):
    """The flag of a seat fell: its time and its grace are up (TAB-CLK-05).

    Attributes:
        then: what follows: the default answer (`answer`), the same while the seat is open to substitutes from here on
            (`vacate`), a pause because nobody is left who answers (`pause`), or the end, won by the other seat (`end`).
    """

    stays = True
    rules = ("TAB-CLK-05", "TAB-CLK-06")

    seat: Seat
    then: Then

    def tell(self, names: Names) -> str:
        follows = {"vacate": " The seat can be taken over.", "pause": " Nobody is left who answers."}
        return f"The time of {names(self.seat)} is up.{follows.get(self.then, '')}"


class DefaultGiven(GameEvent, frozen=True):
    """The clock gave the default answer of a seat whose flag fell (TAB-CLK-07). The events of its command follow."""

    rules = ("TAB-CLK-07",)

    seat: Seat

    def tell(self, names: Names) -> str:
        return f"The clock answered for {names(self.seat)}."


class OutageCredited(GameEvent, frozen=True):
    """The service did not watch the clocks for a while: that time is not counted (TAB-CLK-09).

    Attributes:
        since: when the uncounted time began; it ends with this event.
    """

    stays = True
    rules = ("TAB-CLK-09",)

    since: str

    def tell(self, names: Names) -> str:
        return "The service was away for a while. The clocks did not count that time."


class TimeGiven(GameEvent, frozen=True):
    """A seat gave another seat time (TAB-CLK-08).

    Attributes:
        seat: the seat that gives; its own clock does not change.
        seconds: how much it gives.
        to: the seat that gets it.
    """

    stays = True
    rules = ("TAB-CLK-08",)

    seat: Seat
    seconds: int
    to: Seat

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} gave {names(self.to)} {self.seconds} seconds."


class TimeCredited(GameEvent, frozen=True):
    """An official gave a seat time, by a ruling on a case or without one (TAB-CLK-08).

    Attributes:
        seconds: how much the official gives.
        to: the seat that gets it.
    """

    stays = True
    in_pause = True
    rules = ("TAB-CLK-08",)

    seconds: int
    to: Seat

    def tell(self, names: Names) -> str:
        return f"An official gave {names(self.to)} {self.seconds} seconds."


class DayOffTaken(GameEvent, frozen=True):
    """A seat took a day off: for 24 hours its clock does not count (TAB-CLK-10).

    Attributes:
        ends: when the day ends.
    """

    stays = True
    rules = ("TAB-CLK-10",)

    ends: str
    seat: Seat

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} took a day off."


CLOCK_EVENTS: Final = (
    ClockSet,
    ClocksRan,
    ClockExpired,
    DefaultGiven,
    OutageCredited,
    TimeGiven,
    TimeCredited,
    DayOffTaken,
)
