"""Acts with clocks: choosing one, flags, default answers, gifts of time, outages, days off (TAB-CLK)."""

from typing import Final

from msgspec.structs import replace

from domain.kernel.chance.draws import Chance
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.log.clock import DAY, LONGEST, OUTAGE, Clock, Clocks, Then, milliseconds, moment, require_sound
from domain.kernel.log.clocked import (
    ClockExpired,
    ClockSet,
    DayOffTaken,
    DefaultGiven,
    OutageCredited,
    TimeCredited,
    TimeGiven,
)
from domain.kernel.log.event import GameEvent
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.lifecycle import GameEnded, GamePaused
from domain.kernel.log.record import Cause
from domain.kernel.rules.refusal import Refusal

BY_CLOCK: Final = Cause(by="clock")
NOBODY_ANSWERS: Final = "The clock has answered for every seat in turn: nobody plays."
"""The reason of a pause that the game makes by itself (TAB-CLK-12)."""


def set_clock(game: Game, clock: Clock | None, cause: Cause, at: str) -> Decided:
    """Choose the clock of a game, or none, as its organizer.

    Raises:
        Refusal: the game has begun or another account asks (TAB-CLK-01), it is a rematch (TAB-REM-02), or the clock is
            not possible (TAB-CLK-02).
    """
    if cause.player != game.organizer:
        wrong = "You are not the organizer of this game."
        raise Refusal("TAB-CLK-01", wrong, f"Only the organizer, {game.organizer}, chooses its clock.")
    game.require_gathering("choose the clock", "TAB-CLK-01")
    game.require_no_offer("choose the clock")
    if clock is not None:
        require_sound(clock, len(game.players))
    return game.log([(ClockSet(clock), game.draws)], cause, at)


def fall(game: Game, seat: Seat, chance: Chance, vault: Vault, at: str, cause: Cause = BY_CLOCK) -> Decided:
    """Let the flag of a seat fall, with the default answer that follows. The arguments are those of `expire`.

    Raises `Refusal` where `expire` does.
    """
    fallen = expire(game, seat, chance, cause, at)
    if fallen.game.seat_after_flag is None:
        return fallen
    return fallen.then(answer_by_default(fallen.game, seat, chance, vault, at))


def expire(game: Game, seat: Seat, chance: Chance, cause: Cause, at: str) -> Decided:
    """Let the flag of a seat fall. The cause is the clock's, or names who asked for it.

    Raises:
        Refusal: the game does not go on or has no clock, the seat's time and grace are not up (TAB-CLK-05), the flag
            falls only by itself, or only when another seat or an official asks (TAB-CLK-06), or the seat that asks has
            resigned (TAB-SEAT-04).
    """
    clocks = _running(game)
    if not clocks.may_fall(seat, at):
        falls_at = clocks.falls_at(seat)
        allowed = (
            f"The flag of {seat} can fall from {falls_at} on." if falls_at else f"The clock of {seat} does not run."
        )
        raise Refusal("TAB-CLK-05", f"The time of {seat} is not up.", allowed, untimely=True)
    _require_asked(game, clocks, seat, cause)
    then = _what_follows(game, clocks, seat)
    happened: list[tuple[GameEvent, int]] = [(ClockExpired(seat, then), game.draws)]
    if then == "pause":
        happened.append((GamePaused(NOBODY_ANSWERS), game.draws))
    if then == "end":
        others = tuple(each for each in game.players if each != seat)
        happened.append((GameEnded(others, RuleId("TAB-CLK-06"), chance.secret.hex()), game.draws))
    return game.log(happened, cause, at)


def _require_asked(game: Game, clocks: Clocks, seat: Seat, cause: Cause) -> None:
    claims = clocks.clock.at_zero == "claim"
    if cause.by == "clock":
        if claims:
            wrong = f"The flag of {seat} was to fall by itself."
            raise Refusal("TAB-CLK-06", wrong, "In this game it falls when another seat or an official asks for it.")
        return
    if not claims:
        wrong = f"You asked that the flag of {seat} falls."
        raise Refusal("TAB-CLK-06", wrong, "In this game flags fall by themselves.")
    if cause.seat is not None:
        game.require_not_resigned(cause.seat)
    if cause.seat == seat or not (cause.seat is not None or game.around.is_official(cause.player)):
        wrong = f"You asked that the flag of {seat} falls."
        raise Refusal("TAB-CLK-06", wrong, "Only another seat or an official of the game can ask for it.")


def _what_follows(game: Game, clocks: Clocks, seat: Seat) -> Then:
    clock, number = clocks.clock, clocks.flags.get(seat, 0) + 1
    if clock.at_zero == "end":
        return "end"
    absent = {*clocks.absent, seat, *game.around.resigned, *game.ruleset.out(game.table)}
    if absent.issuperset(game.players):
        return "pause"
    if seat in clocks.vacated or seat in game.around.given_up:
        return "answer"
    at_once, in_time = clock.at_zero == "vacate", 0 < clock.vacate_after <= number
    return "vacate" if at_once or (clock.at_zero == "answer" and in_time) else "answer"


def answer_by_default(game: Game, seat: Seat, chance: Chance, vault: Vault, at: str) -> Decided:
    """Give the default answer of a seat whose flag fell.

    `vault` may hold every secret; the answer is chosen from what the seat may read.

    Raises:
        Refusal: its flag did not fall, or it is asked nothing (TAB-CLK-07).
    """
    if game.seat_after_flag != seat:
        raise Refusal("TAB-CLK-07", f"The flag of {seat} did not fall.", "The clock answers only at once after that.")
    command = game.running_ruleset.default(game.table, seat, vault.read_by(seat))
    if command is None:
        raise Refusal("TAB-CLK-07", f"{seat} is asked nothing.", "The clock answers only an open decision.")
    return game.decide(seat, command, chance, vault, BY_CLOCK, at, DefaultGiven(seat))


def credit_outage(game: Game, since: str, at: str) -> Decided:
    """Count no time from `since` until now, when the service did not watch the clocks.

    What was counted before stays counted: the outage begins no earlier than the clocks last changed.

    Raises:
        Refusal: the game does not go on or has no clock, no clock runs, or it was no more than 30 seconds (TAB-CLK-09).
    """
    clocks = _running(game)
    since = max(since, clocks.at)
    if not clocks.runs:
        raise Refusal("TAB-CLK-09", "No clock of this game runs.", "Only a clock that runs is credited.", untimely=True)
    if milliseconds(at) - milliseconds(since) <= OUTAGE:
        wrong = f"The time from {since} until {at} was to be credited."
        raise Refusal("TAB-CLK-09", wrong, f"An outage is longer than {OUTAGE // 1000} seconds.")
    return game.log([(OutageCredited(since), game.draws)], BY_CLOCK, at)


def give_time(game: Game, seat: Seat, to: Seat, seconds: int, cause: Cause, at: str) -> Decided:
    """Give another seat time.

    Raises:
        Refusal: the game does not go on or has no clock, the seat has resigned (TAB-SEAT-04), or it cannot give this
            (TAB-CLK-08).
    """
    clocks = _running(game)
    game.require_not_resigned(seat)
    _require_possible(game, clocks, to, seconds)
    if to == seat:
        raise Refusal("TAB-CLK-08", "You asked to give time to yourself.", "Give time to another seat.")
    rest = clocks.clock.time - clocks.given.get(seat, 0)
    if seconds > rest:
        wrong = f"You asked to give {seconds} seconds."
        raise Refusal("TAB-CLK-08", wrong, f"In a game a seat gives {clocks.clock.time} at most; {rest} are left.")
    return game.log([(TimeGiven(seat, seconds, to), game.draws)], replace(cause, seat=seat), at)


def credit_time(game: Game, to: Seat, seconds: int, cause: Cause, at: str) -> Decided:
    """Give a seat time as an official, by a ruling on a case when the cause names one; also during a pause.

    Raises:
        Refusal: the game does not run or has no clock, or the account cannot give this (TAB-CLK-08).
    """
    game.require_running()
    if not game.around.is_official(cause.player):
        wrong = "You are not an official of this game."
        raise Refusal("TAB-CLK-08", wrong, "Officials credit time; a seat gives time to another.")
    _require_possible(game, _clocks(game), to, seconds)
    return game.log([(TimeCredited(seconds, to), game.draws)], cause, at)


def _require_possible(game: Game, clocks: Clocks, to: Seat, seconds: int) -> None:
    if to not in game.players:
        seats = ", ".join(game.players)
        raise Refusal("TAB-CLK-08", f"This game has no seat {to!r}.", f"Expected one of {seats}.")
    if not 0 < seconds <= LONGEST:
        raise Refusal("TAB-CLK-08", f"You asked to give {seconds} seconds.", f"Expected 1 to {LONGEST}.")
    if clocks.clock.kind == "decision" and to not in clocks.runs and game.around.paused is None:
        wrong = f"{to} is asked nothing now."
        allowed = "In this game a seat has a new time for each decision: give it while the seat is waited for."
        raise Refusal("TAB-CLK-08", wrong, allowed, untimely=True)


def take_day_off(game: Game, seat: Seat, cause: Cause, at: str) -> Decided:
    """Take a day off: the clock of the seat does not count for 24 hours.

    Raises:
        Refusal: the game does not go on or has no clock, the seat has resigned (TAB-SEAT-04), or it has taken all its
            days, is on one, or has no time left (TAB-CLK-10).
    """
    clocks = _running(game)
    game.require_not_resigned(seat)
    used, days = clocks.days.get(seat, 0), clocks.clock.days_off
    if used >= days:
        wrong = f"You asked for a day off. {seat} has taken {used}."
        raise Refusal("TAB-CLK-10", wrong, f"In this game a seat may take {days}.")
    if (off := clocks.off.get(seat, "")) > at:
        raise Refusal("TAB-CLK-10", f"The day off of {seat} lasts until {off}.", "Take the next one then.")
    if clocks.shows(seat, at) <= 0:
        wrong = f"The time of {seat} is up."
        raise Refusal("TAB-CLK-10", wrong, "Take a day off while there is time left.", untimely=True)
    ends = moment(milliseconds(at) + DAY)
    return game.log([(DayOffTaken(ends, seat), game.draws)], replace(cause, seat=seat), at)


def _running(game: Game) -> Clocks:
    """Return the clocks of a game that goes on. Raises `Refusal`."""
    _ = game.running_ruleset
    return _clocks(game)


def _clocks(game: Game) -> Clocks:
    if game.clocks is None:
        raise Refusal("TAB-CLK-01", "This game has no clock.", "Its organizer could choose one before it began.")
    return game.clocks
