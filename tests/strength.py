"""How strong bots are, level against level, run by hand: ``python -m tests.strength [--ruleset R] [--levels a:b] …``.

One seat of every game is played by level a, the others by level b; a sits in each seat in turn. A game is **won** by a
when a is among its winners. With n seats an equal wins one game in n, so besides every other seat is compared: a is
**ahead** of it when a is placed before it, and half ahead when they tie. Winners are placed first and seats that are
out last. The others, and all in a game that was broken off, are placed by the figures of their score that its charts
show: points, tribute, territory. "a beats b in 65 %" means ahead: with two seats that is winning.
"""

import argparse
import random
import statistics
import sys
import time
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct, field

from domain.boards import builtin
from domain.kernel.ids import Seat
from domain.library import LIBRARY
from service.base.pieces import LOCAL, in_pieces
from service.bots.bot import GREEDY, THINKER, Board, Bot
from service.bots.registry import levels
from service.bots.scratch import Luck, Scratch
from service.bots.simulation import spread
from service.bots.thinker import Budget
from service.cli.output import progress_bar

PLACED_BY = ("points", "tribute", "territory")
"""The charts that say who is ahead, the first that a ruleset has."""


class Match(Struct):
    """Games of one level against another.

    Attributes:
        ahead: the seats that a was ahead of, counting ties as a half.
        seconds: what each command of a took.
    """

    games: int = 0
    wins: float = 0
    finished: int = 0
    compared: int = 0
    ahead: float = 0
    seconds: list[float] = field(default_factory=list[float])

    def and_then(self, other: "Match") -> "Match":
        """Return the games of both."""
        return Match(*(getattr(self, name) + getattr(other, name) for name in self.__struct_fields__))


class Piece(Struct, frozen=True):
    """One game of a match. `budget` is in milliseconds."""

    ruleset: str
    seats: int
    seed: int
    levels: str
    budget: int
    rounds: int


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.strength", description=__doc__)
    parser.add_argument("--ruleset", choices=LIBRARY.ids(), action="append", help="all when not told")
    parser.add_argument("--seats", type=int, action="append", help="how many; the least and the most when not told")
    parser.add_argument("--levels", default=f"{THINKER}:{GREEDY}", help="level:level")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--budget", type=int, default=700, help="milliseconds that a thinker may think")
    parser.add_argument("--rounds", type=int, default=1_000, help="games with more rounds are broken off")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1, help="how many play side by side on this machine")
    parser.add_argument("--on", default=LOCAL, help="local, or dask:ADDRESS, whose workers can import this file")
    given = parser.parse_args()
    print(f"{given.levels}, {given.budget} ms, at most {given.rounds} rounds, seed {given.seed}")
    print("ruleset                 seats games  over  won (equal)           ahead                 median   p95 s")
    for ruleset in given.ruleset or LIBRARY.ids():
        players = LIBRARY.current(ruleset).players
        for seats in sorted({*(given.seats or (players[0], players[-1]))}):
            match = Match()
            pieces = [
                Piece(ruleset, seats, given.seed + number, given.levels, given.budget, given.rounds)
                for number in range(given.games)
            ]
            with progress_bar() as progress:
                task = progress.add_task(f"{ruleset}, {seats} seats", total=given.games)
                for game in in_pieces(play, pieces, given.processes, given.on):
                    match = match.and_then(game)
                    progress.advance(task)
            _show(ruleset, seats, match)
    return 0


def _show(ruleset: str, seats: int, match: Match) -> None:
    won, ahead = (spread(round(of), all_) for of, all_ in ((match.wins, match.games), (match.ahead, match.compared)))
    taken = sorted(match.seconds)
    print(
        f"{ruleset:<23} {seats:>5} {match.games:>5} {match.finished:>5}"
        f"  {match.wins / match.games:>4.0%} ({1 / seats:.0%}) {won[0]:.2f}–{won[1]:.2f}"
        f"   {match.ahead / match.compared:>4.0%} {ahead[0]:.2f}–{ahead[1]:.2f}"
        f"   {statistics.median(taken):>8.3f} {taken[int(0.95 * (len(taken) - 1))]:.3f}",
        flush=True,
    )


def play(piece: Piece) -> Match:
    """Play one game. Levels other than thinkers, who think by the clock, play it alike wherever that is."""
    match, ruleset, seed = Match(), piece.ruleset, piece.seed
    strong, weak = piece.levels.split(":")
    luck = Luck(seed)
    now, names, facts = begun(ruleset, piece.seats, luck)
    played = now.ruleset
    hero = names[seed % piece.seats]
    bots: dict[bool, Bot] = {}
    for is_hero, level in ((True, strong), (False, weak)):
        more = {"budget": Budget(piece.budget / 1000)} if level == THINKER else {}
        bots[is_hero] = levels(ruleset)[level](random.Random(f"{seed}/{is_hero}"), facts, **more)
    while decisions := now.decisions:
        if played.round(now.table) > piece.rounds:
            break
        seat = decisions[0].seats[0]
        view, options, began = now.view(seat), now.options(seat), time.thread_time()
        command = bots[seat == hero].choose(seat, view, options)
        if seat == hero:
            match.seconds.append(time.thread_time() - began)
        now = now.play(seat, command, luck)
    _count(match, now, hero)
    return match


def begun(ruleset: str, seats: int, luck: Luck) -> tuple[Scratch, tuple[Seat, ...], Board]:
    """Return a new game by the rules as they are now, its seats, and its board as bots are told it."""
    played = LIBRARY.current(ruleset)
    board, setup = played.equip(builtin(played.board)), msgspec.convert({}, played.setup)
    names = played.seats(seats, setup)
    table = played.lay(names, setup, board)
    return Scratch.after(played, played.begin(table, luck)), names, msgspec.to_builtins(board)


def _count(match: Match, now: Scratch, hero: Seat) -> None:
    result, out = now.ruleset.result(now.table), now.ruleset.out(now.table)
    charts = now.ruleset.charts
    figures = [charts[chart] for chart in PLACED_BY if chart in charts]
    score, winners = now.ruleset.score(now.table), result.winners if result else ()

    def placed(seat: Seat) -> Iterator[Any]:
        yield seat in winners
        yield seat not in out
        yield from (score[seat][figure] for figure in figures)

    own = tuple(placed(hero))
    others = [tuple(placed(seat)) for seat in score if seat != hero]
    match.games += 1
    match.finished += result is not None
    match.wins += hero in winners
    match.compared += len(others)
    match.ahead += sum(1 if own > each else 0.5 if own == each else 0 for each in others)


if __name__ == "__main__":
    # By its own name: other processes cannot import what is called __main__.
    from tests.strength import main as named  # pyrefly: ignore[missing-module-attribute]  # it is this file

    sys.exit(named())
