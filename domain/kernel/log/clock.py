"""A game's clock: its settings, and the time that each seat has left (TAB-CLK-01 to TAB-CLK-11).

Times are whole milliseconds. A fold never counts time: `ClocksRan` says what the clocks show, and `verify` computes it
again from the times of the rows.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from domain.kernel.ids import Seat, Version
from domain.kernel.rules.refusal import Refusal

Kind = Literal["bank", "decision"]
"""What a clock counts: the time of all decisions of a seat, taken from a bank, or the time of each decision."""
AtZero = Literal["answer", "vacate", "claim", "end"]
"""What happens when a flag falls (TAB-CLK-06)."""
Then = Literal["answer", "vacate", "pause", "end"]
"""What followed when a flag fell."""

SHORTEST: Final = 10
"""The fewest seconds that a seat can have."""
LONGEST: Final = 60 * 24 * 3600
"""The most seconds that a seat can have: 60 days."""
LONGEST_GRACE: Final = 3600
MOST_DAYS_OFF: Final = 60
MOST_FLAGS: Final = 100
"""The largest `vacate_after`."""
LONGEST_QUIET: Final = 12 * 60
"""The most minutes of a day that can be quiet."""
OUTAGE: Final = 30_000
"""An outage is longer than this, in milliseconds (TAB-CLK-09)."""

HOUR: Final = 60 * 60_000
"""An hour in milliseconds."""
DAY: Final = 24 * HOUR
"""A day in milliseconds."""

_MINUTE: Final = 60_000
_EPOCH: Final = datetime.fromtimestamp(0, UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)


class Quiet(Struct, frozen=True, forbid_unknown_fields=True):
    """The quiet hours of every day, in UTC, in which no clock runs; they may span midnight.

    Attributes:
        begins: the minute of the day at which they begin, from 0 to 1439.
        ends: the minute of the day at which they end, from 0 to 1439.
    """

    begins: int
    ends: int

    @property
    def length(self) -> int:
        """How many minutes they last."""
        return (self.ends - self.begins) % (24 * 60)


class Clock(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The clock of a game, the same for all seats.

    Attributes:
        kind: `bank` when a seat has one time for the whole game, `decision` when it has a new one for each decision.
        time: the seconds that a seat has: in its bank at the beginning, or for each decision.
        increment: the seconds that a bank gets after each turn of its seat, and when its flag falls.
        cap: the most seconds that a bank can hold.
        grace: for how many seconds an answer is still taken after the time is up.
        at_zero: what happens when time and grace are up: the default answer is given (`answer`), the seat is also open
            to a substitute (`vacate`), the default answer is given when another seat or an official asks for it
            (`claim`), or the other seat wins (`end`).
        vacate_after: with `answer`, after how many flags the seat is open to a substitute; 0 for never.
        days_off: how many days off each seat may take.
        quiet: hours of the day in which no clock runs.
    """

    kind: Kind
    time: int
    increment: int = 0
    cap: int = LONGEST
    grace: int = 2
    at_zero: AtZero = "answer"
    vacate_after: int = 3
    days_off: int = 0
    quiet: Quiet | None = None

    @property
    def refill(self) -> int:
        """What a seat has after its flag fell, in milliseconds, unless its clock left it open."""
        return 1000 * (self.time if self.kind == "decision" else self.increment)


PRESETS: Final[Mapping[str, Clock]] = {
    "live": Clock(kind="bank", time=45 * 60, increment=3 * 60, cap=60 * 60),
    "fast": Clock(kind="bank", time=2 * 24 * 3600, increment=8 * 3600, cap=4 * 24 * 3600, days_off=3),
    "slow": Clock(kind="bank", time=7 * 24 * 3600, increment=24 * 3600, cap=14 * 24 * 3600, days_off=14),
}
"""Clocks to choose by name: for an evening, for a game of some weeks, for one of some months."""


def require_sound(clock: Clock, seats: int) -> None:
    """Raise `Refusal` unless a game of `seats` seats can have this clock (TAB-CLK-02)."""
    spans = f"{SHORTEST} to {LONGEST} seconds, which are {LONGEST // (24 * 3600)} days"
    for is_wrong, name, wrong, allowed in (
        *(
            (not least <= value <= most, name, f"The clock has {name} = {value}.", f"Expected {right}.")
            for name, value, least, most, right in (
                ("time", clock.time, SHORTEST, LONGEST, spans),
                ("cap", clock.cap, SHORTEST, LONGEST, spans),
                ("grace", clock.grace, 0, LONGEST_GRACE, f"0 to {LONGEST_GRACE} seconds"),
                ("days_off", clock.days_off, 0, MOST_DAYS_OFF, f"0 to {MOST_DAYS_OFF} days"),
                ("vacate_after", clock.vacate_after, 0, MOST_FLAGS, f"0 to {MOST_FLAGS} flags"),
            )
        ),
        (
            clock.time > clock.cap,
            "cap",
            f"The clock has time = {_seconds_in_words(clock.time)}, more than its cap.",
            f"Expected at most cap = {_seconds_in_words(clock.cap)}.",
        ),
        (
            not 0 <= clock.increment <= clock.cap,
            "increment",
            f"The clock has increment = {_seconds_in_words(clock.increment)}.",
            f"Expected 0 to cap = {_seconds_in_words(clock.cap)}.",
        ),
        (
            clock.kind == "decision" and clock.increment > 0,
            "increment",
            f"The clock counts each decision and has increment = {clock.increment}.",
            "Only a bank has an increment: expected 0.",
        ),
        (
            clock.at_zero == "end" and seats != 2,
            "at_zero",
            f"The clock has at_zero = 'end' in a game of {seats} seats.",
            "Only with two seats the other one can win: expected 'answer', 'vacate' or 'claim'.",
        ),
    ):
        if is_wrong:
            raise Refusal("TAB-CLK-02", wrong, allowed, field=f"clock.{name}")
    if (quiet := clock.quiet) is not None:
        if not (0 <= quiet.begins < 24 * 60 and 0 <= quiet.ends < 24 * 60):
            wrong = f"The quiet hours are from minute {quiet.begins} to minute {quiet.ends}."
            raise Refusal("TAB-CLK-02", wrong, "Expected minutes of the day, 0 to 1439.", field="clock.quiet")
        if not 0 < quiet.length <= LONGEST_QUIET:
            wrong = f"The quiet hours last {quiet.length} minutes."
            raise Refusal("TAB-CLK-02", wrong, f"Expected 1 to {LONGEST_QUIET} minutes.", field="clock.quiet")


def _seconds_in_words(seconds: int) -> str:
    """Return seconds as text, with the same time in the greatest unit that divides them."""
    for unit, size in (("days", 24 * 3600), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size and seconds % size == 0:
            return f"{seconds} ({seconds // size} {unit})"
    return f"{seconds}"


class Clocks(Struct, frozen=True):
    """What the clocks of a game show at one version. Never changed in place.

    Attributes:
        clock: the clock that was chosen.
        at: the time from which the running clocks count; empty before the start.
        left: what each seat had left at that time, in milliseconds.
        runs: the seats whose clocks run.
        earned: for each seat, the number of its last turn that brought an increment.
        absent: the seats that the clock has answered for since a player last gave a command.
        flags: how often each seat's flag fell since its player sat down.
        vacated: the seats that their clocks left open to substitutes; they have no time of their own.
        given: the seconds that each seat has given to others.
        off: until when each seat's day off lasts.
        days: how many days off each seat has taken.
        owes: the seat that gets a default answer because its flag fell, and the version after which that answer has to
            follow; None when the last flag called for no answer.
    """

    clock: Clock
    at: str = ""
    left: dict[Seat, int] = field(default_factory=dict[Seat, int])
    runs: tuple[Seat, ...] = ()
    earned: dict[Seat, int] = field(default_factory=dict[Seat, int])
    absent: tuple[Seat, ...] = ()
    flags: dict[Seat, int] = field(default_factory=dict[Seat, int])
    vacated: tuple[Seat, ...] = ()
    given: dict[Seat, int] = field(default_factory=dict[Seat, int])
    off: dict[Seat, str] = field(default_factory=dict[Seat, str])
    days: dict[Seat, int] = field(default_factory=dict[Seat, int])
    owes: tuple[Seat, Version] | None = None

    def fallen(self, seat: Seat, then: Then, version: Version) -> "Clocks":
        """Return the clocks after a seat's flag fell at a version. `ClocksRan` follows."""
        return replace(
            self,
            flags={**self.flags, seat: self.flags.get(seat, 0) + 1},
            vacated=(*self.vacated, seat) if then == "vacate" else self.vacated,
            owes=(seat, version + 1) if then in ("answer", "vacate") else None,
        )

    def handed_over(self, seat: Seat, *, back: bool = False) -> "Clocks":
        """Return the clocks after a seat was taken over. Its flags count anew, unless its own player took it `back`."""
        flags = {each: number for each, number in self.flags.items() if back or each != seat}
        return replace(self, flags=flags, vacated=tuple(each for each in self.vacated if each != seat))

    def shows(self, seat: Seat, at: str) -> int:
        """Return the milliseconds that a seat has left at a time; below 0 in its grace."""
        time = self.left.get(seat, 0)
        return time - self.spent(seat, at) if seat in self.runs else time

    def spent(self, seat: Seat, at: str) -> int:
        """Return the milliseconds that a running clock has counted up to a time."""
        since = max(milliseconds(self.at), milliseconds(self.off[seat]) if seat in self.off else 0)
        return max(0, _waking_time(self.clock.quiet, milliseconds(at)) - _waking_time(self.clock.quiet, since))

    def may_fall(self, seat: Seat, at: str) -> bool:
        """Tell whether a seat's time and grace are up."""
        return seat in self.runs and self.shows(seat, at) + 1000 * self.clock.grace <= 0

    def falls_at(self, seat: Seat) -> str | None:
        """Return the first moment at which a seat's time and grace are up; None while its clock stands."""
        if seat not in self.runs:
            return None
        since = max(milliseconds(self.at), milliseconds(self.off[seat]) if seat in self.off else 0)
        quiet = self.clock.quiet
        needed = _waking_time(quiet, since) + self.left.get(seat, 0) + 1000 * self.clock.grace
        return moment(_first_time_after(quiet, needed) if needed > _waking_time(quiet, since) else since)

    def next_fall(self) -> tuple[str, Seat] | None:
        """Return when the next flag is due, and whose; None while no clock runs."""
        falls = ((at, seat) for seat in self.runs if (at := self.falls_at(seat)) is not None)
        return min(falls, default=None)


@lru_cache(maxsize=64)  # one act reads the same few times, once for each seat
def milliseconds(at: str) -> int:
    """Return a time of a log in whole milliseconds since 1970."""
    return (datetime.fromisoformat(at) - _EPOCH) // _MILLISECOND


def moment(number: int) -> str:
    """Return a time in milliseconds since 1970 in the format of a log."""
    return (_EPOCH + timedelta(milliseconds=number)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _awake(quiet: Quiet) -> list[tuple[int, int]]:
    """Return the start and end of each part of a day that is not quiet, in milliseconds."""
    begins, ends = quiet.begins * _MINUTE, quiet.ends * _MINUTE
    parts = [(0, begins), (ends, DAY)] if begins < ends else [(ends, begins)]
    return [(start, stop) for start, stop in parts if start < stop]


def _waking_time(quiet: Quiet | None, number: int) -> int:
    """Return how many of the first `number` milliseconds since 1970 were not quiet."""
    if quiet is None:
        return number
    days, rest = divmod(number, DAY)
    return days * (DAY - quiet.length * _MINUTE) + sum(
        min(max(rest, start), stop) - start for start, stop in _awake(quiet)
    )


def _first_time_after(quiet: Quiet | None, elapsed: int) -> int:
    """Return the first time, in milliseconds since 1970, before which `elapsed` milliseconds were not quiet."""
    if quiet is None:
        return elapsed
    days, rest = divmod(elapsed, DAY - quiet.length * _MINUTE)
    if not rest:  # at the end of the last counted part of the day before
        days, rest = days - 1, DAY - quiet.length * _MINUTE
    for start, stop in _awake(quiet):
        if rest <= stop - start:
            return days * DAY + start + rest
        rest -= stop - start
    raise AssertionError("a day has more time than this")


def in_order(seats: Iterable[Seat], decisions: Iterable[Any]) -> tuple[Seat, ...]:
    """Return the seats that open decisions wait for, in the order of the seats."""
    waiting = {seat for decision in decisions for seat in decision.seats}
    return tuple(seat for seat in seats if seat in waiting)
