"""Computing what the clocks of a game show after an act (TAB-CLK-03, TAB-CLK-04)."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec import UNSET

from domain.kernel.ids import PlayerId, Seat
from domain.kernel.log.around import Around
from domain.kernel.log.clock import Clocks, in_order
from domain.kernel.log.clocked import (
    ClockExpired,
    ClocksRan,
    DayOffTaken,
    OutageCredited,
    TimeCredited,
    TimeGiven,
)
from domain.kernel.log.lifecycle import MovesRetracted, SeatTakenOver, Status, event_stays
from domain.kernel.log.record import Cause
from domain.kernel.rules.decision import Decision
from domain.kernel.rules.ruleset import Ruleset

Decisions = Sequence[Decision]


class Position(Protocol):
    """The parts of a game that its clocks depend on."""

    @property
    def clocks(self) -> Clocks | None: ...
    @property
    def status(self) -> Status: ...
    @property
    def players(self) -> Mapping[Seat, PlayerId | None]: ...
    @property
    def around(self) -> Around: ...
    @property
    def ruleset(self) -> Ruleset[Any]: ...
    @property
    def table(self) -> Any: ...
    @property
    def decisions(self) -> Decisions: ...


def clocks_ran(
    before: Position, after: Position, cause: Cause, events: Sequence[Any], at: str, decisions: Decisions | None = None
) -> ClocksRan | None:
    """Return what the clocks show after an act that brought `events` about.

    None when no clock changed except by running on: what it shows follows from the last `ClocksRan`. `decisions` are
    those open after the act, if the caller knows them already.
    """
    earlier, clocks = before.clocks, after.clocks
    if earlier is None or clocks is None or after.status != "running":
        return None
    open_ = (after.decisions if decisions is None else decisions) if after.around.paused is None else ()
    runs = in_order(after.players, open_)
    ends_absence = cause.command is not UNSET and cause.by is None and bool(clocks.absent)
    asked_anew = _asked_anew(clocks, runs, before, open_)
    earned = _earned(clocks, before, after, events)
    if runs == clocks.runs and not (ends_absence or asked_anew or earned) and not any(map(_changes_clock, events)):
        return None
    clock = clocks.clock
    until = next((event.since for event in events if isinstance(event, OutageCredited)), at)
    full, cap, vacated = 1000 * clock.time, 1000 * clock.cap, clocks.vacated
    times = {seat: earlier.left.get(seat, full) for seat in sorted(after.players)}
    times.update({seat: times[seat] - earlier.spent(seat, until) for seat in earlier.runs})
    times.update({seat: max(0, times[seat]) for seat in times if seat not in runs or seat in earned})
    times.update({seat: 0 if seat in vacated else full for seat in asked_anew})
    times.update({seat: min(cap, times[seat] + 1000 * clock.increment) for seat in earned})
    absent = () if ends_absence else clocks.absent
    for event in events:
        match event:
            case TimeGiven(_, seconds, to) | TimeCredited(seconds, to):
                times[to] = min(cap, max(0, times[to]) + 1000 * seconds)
            case SeatTakenOver(seat, player) if player == before.players[seat]:
                times[seat] = clock.refill
            case SeatTakenOver(seat, player) if _begins_anew(before, seat, player):
                times[seat] = full
            case ClockExpired(seat):
                times[seat] = 0 if seat in vacated else clock.refill
                absent = (*(each for each in absent if each != seat), seat)
            case _:
                pass
    return ClocksRan(absent, at, earned, times, runs)


def _begins_anew(before: Position, seat: Seat, player: PlayerId) -> bool:
    """Tell whether an account that takes a seat over gets the full time.

    A seat that its player hands over keeps its time, and so does one that comes back to an earlier player. Otherwise
    two accounts could pass it to and fro and get time without end (TAB-SEAT-03).
    """
    return seat in before.around.given_up and player not in before.around.held.get(seat, ())


def _changes_clock(event: Any) -> bool:
    """Tell whether an event changes a clock, so that `ClocksRan` must follow."""
    return isinstance(event, ClockExpired | OutageCredited | TimeGiven | TimeCredited | DayOffTaken | SeatTakenOver)


def _asked_anew(clocks: Clocks, runs: Sequence[Seat], before: Position, now: Decisions) -> set[Seat]:
    """Return the seats whose clock for a decision begins anew: those that are asked something else than before."""
    if clocks.clock.kind != "decision":
        return set()
    earlier = before.decisions if before.around.paused is None and clocks.runs else ()
    return {
        seat for seat in runs if seat not in clocks.runs or _questions_to(seat, earlier) != _questions_to(seat, now)
    }


def _questions_to(seat: Seat, decisions: Decisions) -> list[tuple[Any, ...]]:
    """Return the questions to a seat, without the other seats that are asked."""
    return [(each.kind, each.rule, each.about) for each in decisions if seat in each.seats]


def _earned(clocks: Clocks, before: Position, after: Position, events: Sequence[Any]) -> dict[Seat, int]:
    """Return the seat that gets an increment because its turn ended, with the number of the turn (TAB-CLK-04)."""
    if not clocks.clock.increment or before.table is None or after.table is None:
        return {}
    turn = before.ruleset.turn(before.table)
    went_back = any(isinstance(event, MovesRetracted) for event in events)
    if went_back or all(map(event_stays, events)) or turn is None or turn == after.ruleset.turn(after.table):
        return {}
    seat, number = turn
    return {seat: number} if number > clocks.earned.get(seat, 0) and seat not in clocks.vacated else {}
