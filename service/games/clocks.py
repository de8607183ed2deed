"""Acts with the clocks of a game: of accounts, and of the clock itself."""

from msgspec import Struct
from msgspec.structs import replace

from domain.kernel.ids import Seat
from domain.kernel.log import timing
from domain.kernel.log.clock import Clock
from domain.kernel.log.game import Decided, Game
from service.games.acts import Act, Case, require_organizer


class SetClock(Act, frozen=True):
    """Choosing the clock of a game, or none, as its organizer."""

    kind = "set-clock"
    clock: Clock | None

    async def decide(self, case: Case) -> Decided:
        require_organizer(case.game, case.cause.account)
        return timing.set_clock(case.game, self.clock, case.cause, case.at)


class GiveTime(Act, frozen=True):
    """Giving a seat time: from your own seat, or as an official of the game."""

    kind = "give-time"
    seat: Seat
    seconds: int

    async def decide(self, case: Case) -> Decided:
        if case.game.around.is_official(case.cause.account):
            return timing.credit_time(case.game, self.seat, self.seconds, case.cause, case.at)
        return timing.give_time(case.game, case.seat(), self.seat, self.seconds, case.cause, case.at)


class TakeDayOff(Act, frozen=True):
    """Taking a day off, for your seat."""

    kind = "take-day-off"

    async def decide(self, case: Case) -> Decided:
        return timing.take_day_off(case.game, case.seat(), case.cause, case.at)


class ClaimFlag(Act, frozen=True):
    """Claiming the flag of a seat: for your own seat, or as an official of the game."""

    kind = "claim-flag"
    seat: Seat

    async def decide(self, case: Case) -> Decided:
        cause = case.cause
        if not case.game.around.is_official(cause.account):
            cause = replace(cause, seat=case.seat())
        return timing.fall(case.game, self.seat, case.chance, case.vault, case.at, cause)


class Fall(Act, frozen=True):
    """Letting the flag of a seat fall by itself, with the default answer that follows."""

    kind = "fall"
    seat: Seat

    async def decide(self, case: Case) -> Decided:
        return timing.fall(case.game, self.seat, case.chance, case.vault, case.at)


class CreditOutage(Act, frozen=True):
    """Not counting the time since `since`, in which no process watched the clocks."""

    kind = "credit-outage"
    since: str

    async def decide(self, case: Case) -> Decided:
        return timing.credit_outage(case.game, self.since, case.at)


class SeatClock(Struct, frozen=True):
    """The clock of a seat.

    Attributes:
        seat: the seat.
        left: the milliseconds that it had left at the time `at` of the clocks; below 0 in its grace.
        runs: whether it runs: the game waits for the seat.
        falls_at: when its time and its grace are up, if nothing happens until then; null while it stands.
        flags: how often its flag fell since its player sat down.
        vacated: whether it has left the seat open to a substitute. It has no time then, and the default answer is given
            whenever the seat is asked, after the grace, until somebody takes it over or its player takes it back.
        absent: whether the clock has answered for it since a player of the game last gave a command.
        days_off: how many days off it may still take.
        off_until: until when its day off lasts; null while it is on none.
    """

    seat: Seat
    left: int
    runs: bool
    falls_at: str | None
    flags: int
    vacated: bool
    absent: bool
    days_off: int
    off_until: str | None


class ClocksView(Struct, frozen=True):
    """What the clocks of a game show.

    Attributes:
        at: the time from which the clocks that run count. In the quiet hours of the game, and on a day off of its seat,
            a clock does not count.
        seats: the clock of each seat, in the order of the table.
    """

    at: str
    seats: tuple[SeatClock, ...]


def clocks_view(game: Game) -> ClocksView | None:
    """Return what the clocks of a game show; None for a game that has none or has not begun."""
    clocks = game.clocks
    if clocks is None or not clocks.at:
        return None
    runs = clocks.runs if game.status == "running" else ()
    return ClocksView(
        clocks.at,
        tuple(
            SeatClock(
                seat=seat,
                left=clocks.left.get(seat, 0),
                runs=seat in runs,
                falls_at=clocks.falls_at(seat) if seat in runs else None,
                flags=clocks.flags.get(seat, 0),
                vacated=seat in clocks.vacated,
                absent=seat in clocks.absent,
                days_off=clocks.clock.days_off - clocks.days.get(seat, 0),
                off_until=until if (until := clocks.off.get(seat, "")) > clocks.at else None,
            )
            for seat in game.players
        ),
    )
