"""Games with clocks, played in memory: time passes only when a test lets it."""

from collections.abc import Mapping
from random import Random
from typing import Any, Self

from msgspec import UNSET, UnsetType

from domain.kernel.ids import PlayerId, Seat
from domain.kernel.log import beginning, timing
from domain.kernel.log.clock import Clock, Clocks, Quiet, milliseconds, moment
from domain.kernel.log.game import Decided
from domain.kernel.log.lifecycle import GAME_EVENTS
from domain.kernel.log.record import Cause
from domain.kernel.log.timing import BY_CLOCK
from domain.kernel.rules.board import Board
from domain.kernel.rules.ruleset import Ruleset
from tests.helpers.play import OFFICIAL, ORGANIZER, Play, player_of

OF_CLOCKS = tuple(event for event in GAME_EVENTS if event.rules and event.rules[0].startswith("TAB-CLK"))
"""The events of games with clocks only."""

BEGAN = milliseconds("2026-01-01T00:00:00.000000Z")
MINUTE = Clock(kind="bank", time=60, increment=10, cap=90)


def some_clock(rng: Random) -> Clock:
    """Return a short clock of some kind."""
    begins = rng.randrange(24 * 60)
    return Clock(
        kind=rng.choice(("bank", "decision")),
        time=rng.choice((20, 60)),
        cap=60,
        grace=rng.choice((0, 2)),
        at_zero=rng.choice(("answer", "answer", "vacate")),
        vacate_after=rng.choice((0, 2, 3)),
        days_off=2,
        quiet=Quiet(begins, (begins + 300) % (24 * 60)) if rng.random() < 0.5 else None,
    )


class Clocked(Play):
    """A game with a clock."""

    passed = 0
    """The milliseconds since it was created."""

    def __init__(
        self,
        ruleset: Ruleset[Any],
        board: Board,
        players: int,
        seed: int = 1,
        setup: Mapping[str, Any] | None = None,
        *,
        clock: Clock | None = MINUTE,
        start: bool = True,
        abandoned_after: int | UnsetType = UNSET,
    ) -> None:
        super().__init__(ruleset, board, players, seed, setup, start=False, abandoned_after=abandoned_after)
        if clock is not None:
            self.set_clock(clock)
        if start:
            for seat in self.game.players:
                self.sit(seat, player_of(seat), f"entropy of {seat}")
            self.start()

    @property
    def now(self) -> str:
        return moment(BEGAN + self.passed)

    @property
    def clocks(self) -> Clocks:
        assert self.game.clocks is not None
        return self.game.clocks

    @classmethod
    def created_by(cls, creator: PlayerId, ruleset: Ruleset[Any], board: Board, players: int, clock: Clock) -> Self:
        """Return a game that somebody created for the organizer, with a clock, before anybody sits down."""
        play = cls(ruleset, board, players, clock=None, start=False)
        play.records, commitment = [], play.game.commitment
        cause, name = Cause(creator), play.game.id
        play.take(
            beginning.create(
                *(ruleset, name, players),
                setup={},
                board=board,
                organizer=ORGANIZER,
                clock=clock,
                commitment=commitment,
                cause=cause,
                at=play.now,
            )
        )
        return play

    def wait(self, seconds: float) -> None:
        self.passed += round(1000 * seconds)

    def left(self, seat: Seat) -> float:
        """The seconds that a seat has left."""
        return self.clocks.shows(seat, self.now) / 1000

    def set_clock(self, clock: Clock | None, player: PlayerId = ORGANIZER) -> Decided:
        return self.take(timing.set_clock(self.game, clock, Cause(player), self.now))

    def fall(self, seat: Seat, cause: Cause = BY_CLOCK) -> Decided:
        step = timing.fall(self.game, seat, self.chance, self.vault, self.now, cause)
        return self._answered(step)

    def wait_for_fall(self) -> Seat:
        """Let time pass until the next flag is due, and return whose it is."""
        due = self.clocks.next_fall()
        assert due is not None, "no clock runs"
        self.passed = max(self.passed, milliseconds(due[0]) - BEGAN)
        return due[1]

    def credit_outage(self, since: str) -> Decided:
        return self._answered(timing.credit_outage(self.game, since, self.now))

    def give_time(self, seat: Seat, to: Seat, seconds: int) -> Decided:
        cause = Cause(self.game.players[seat])
        return self._answered(timing.give_time(self.game, seat, to, seconds, cause, self.now))

    def credit_time(self, to: Seat, seconds: int, cause: Cause | None = None) -> Decided:
        return self._answered(timing.credit_time(self.game, to, seconds, cause or Cause(OFFICIAL), self.now))

    def take_day_off(self, seat: Seat) -> Decided:
        return self._answered(timing.take_day_off(self.game, seat, Cause(self.game.players[seat]), self.now))

    def tick(self, rng: Random) -> Decided:
        """Let something happen that a game with clocks meets: time passes, a flag falls, somebody gives time."""
        clocks, chosen = self.clocks, rng.random()
        if self.game.around.paused is not None:
            self.wait(rng.uniform(0, 100))
            return self.resume(
                next((each for each, holds in self.game.around.officials.items() if holds), self.game.organizer)
            )
        if chosen < 0.15 and clocks.runs and clocks.clock.at_zero != "claim":
            return self.fall(self.wait_for_fall())
        if chosen < 0.2 and clocks.runs:
            since = self.now
            self.wait(rng.uniform(31, 500))
            return self.credit_outage(since)
        self.wait(rng.choice((0, 0.0004, rng.uniform(0, 5), rng.uniform(0, 30))))
        if chosen < 0.22 and self.game.around.is_official(OFFICIAL):
            to = rng.choice(clocks.runs or (next(iter(self.game.players)),))
            if clocks.clock.kind == "bank" or to in clocks.runs:
                return self.credit_time(to, 7)
        if chosen < 0.23:
            seat = rng.choice(list(self.game.players))
            is_off = clocks.off.get(seat, "") > self.now
            if clocks.days.get(seat, 0) < clocks.clock.days_off and not is_off and self.left(seat) > 0:
                return self.take_day_off(seat)
        if chosen < 0.25:
            seat, to = rng.sample(list(self.game.players), 2)
            open_ = clocks.clock.kind == "bank" or to in clocks.runs
            if open_ and clocks.given.get(seat, 0) + 5 <= clocks.clock.time:
                return self.give_time(seat, to, 5)
        return self.step(rng)
