"""Record short games with clocks: ``python -m tests.recorded.clocked``.

A game for each thing that can happen at zero, of each family of rulesets. They are recorded once, into a folder that
must not exist yet, and never anew.
"""

import sys
from collections.abc import Callable, Mapping
from random import Random
from typing import Final

import msgspec

from domain.boards import builtin
from domain.kernel.ids import PlayerId
from domain.kernel.log.clock import Clock, Quiet
from domain.kernel.log.record import Cause
from domain.library import LIBRARY
from tests.helpers.clocked import Clocked
from tests.helpers.play import OFFICIAL, player_of
from tests.recorded import CLOCKED, Expected, packed, positions, sha256

SUBSTITUTE: Final = PlayerId("substitute")


def moves(play: Clocked, rng: Random, number: int) -> None:
    """Let players move, and time pass between their moves."""
    for _ in range(number):
        play.wait(rng.uniform(0, 6))
        play.step(rng)


def judged(play: Clocked) -> None:
    """End a game by a ruling, so that its secrets are published."""
    play.rule_result([[seat] for seat in play.game.players])


def answered(rng: Random) -> Clocked:
    """A bank, and quiet hours in which the game begins.

    A flag falls. Time is lost in an outage, given and credited. At last all are absent.
    """
    clock = Clock(kind="bank", time=120, increment=20, cap=240, vacate_after=0, days_off=1, quiet=Quiet(1410, 1))
    ruleset = LIBRARY.current("italia-2")
    play = Clocked(ruleset, builtin(ruleset.board), 4, 1, clock=clock)
    moves(play, rng, 30)
    play.fall(play.wait_for_fall())
    moves(play, rng, 10)
    first, second = list(play.game.players)[:2]
    since = play.now
    play.wait(300)
    play.credit_outage(since)
    moves(play, rng, 10)
    play.give_time(first, second, 45)
    play.name_official()
    play.credit_time(first, 60)
    play.take_day_off(play.clocks.runs[0])
    play.wait(200)
    moves(play, rng, 10)
    while play.game.around.paused is None:
        play.fall(play.wait_for_fall())
    play.wait(1000)
    play.resume()
    moves(play, rng, 5)
    judged(play)
    return play


def vacated(rng: Random) -> Clocked:
    """A time for each decision. A seat is left open, is answered for, and is taken over."""
    ruleset = LIBRARY.current("conquest-campaign")
    clock = Clock(kind="decision", time=30, at_zero="vacate", days_off=1)
    play = Clocked(ruleset, builtin(ruleset.board), 3, 2, clock=clock)
    play.name_official()
    moves(play, rng, 25)
    gone = play.wait_for_fall()
    play.fall(gone)
    while gone not in play.clocks.runs:
        moves(play, rng, 1)
    play.fall(play.wait_for_fall())
    play.take_over(gone, SUBSTITUTE)
    moves(play, rng, 25)
    judged(play)
    return play


def claimed(rng: Random) -> Clocked:
    """A game that another account created with its clock. A seat and an official claim flags."""
    ruleset = LIBRARY.current("mare-nostrum")
    clock = Clock(kind="bank", time=60, increment=5, cap=90, grace=0, at_zero="claim")
    play = Clocked.created_by(PlayerId("creator"), ruleset, builtin(ruleset.board), 3, clock)
    for seat in play.game.players:
        play.sit(seat, player_of(seat), f"entropy of {seat}")
    play.start()
    play.name_official()
    moves(play, rng, 15)
    for cause in (None, Cause(OFFICIAL)):
        late = play.wait_for_fall()
        play.wait(500)
        other = next(seat for seat in play.game.players if seat != late)
        play.fall(late, cause or Cause(player_of(other), other))
        moves(play, rng, 10)
    judged(play)
    return play


def ended(rng: Random) -> Clocked:
    """Two seats: the other wins when a flag falls."""
    ruleset = LIBRARY.current("conquest-classic-2005")
    play = Clocked(ruleset, builtin(ruleset.board), 2, 4, clock=Clock(kind="bank", time=600, at_zero="end"))
    moves(play, rng, 20)
    play.fall(play.wait_for_fall())
    return play


GAMES: Final[Mapping[str, Callable[[Random], Clocked]]] = {
    "italia-2-answer": answered,
    "conquest-campaign-vacate": vacated,
    "mare-nostrum-claim": claimed,
    "conquest-classic-2005-end": ended,
}


def main() -> int:
    if CLOCKED.exists():
        print("games with clocks are recorded; recorded games are never recorded anew", file=sys.stderr)
        return 2
    CLOCKED.mkdir()
    expected: dict[str, Expected] = {}
    for name, played in GAMES.items():
        play = played(Random(name))
        lines, file = play.export(), f"{name}.jsonl.xz"
        (CLOCKED / file).write_bytes(packed(lines))
        at = positions(play.game.id, play.board, play.records, LIBRARY)
        expected[file] = Expected(sha256(lines), at)
        print(f"{file}: {len(play.records)} events, {(CLOCKED / file).stat().st_size:,} bytes", flush=True)
    index = msgspec.json.format(msgspec.json.encode(expected), indent=1)
    (CLOCKED / "positions.json").write_bytes(index + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
