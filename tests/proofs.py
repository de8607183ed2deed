"""Proofs in bulk, run by hand: ``python -m tests.proofs [ruleset]``. Whole games verify, and no corruption gets by.

Plays 20 games between bots (of one ruleset, or of each in turn), verifies each export, and flips single bytes in one
of them, 200 times; prints what it saw and exits 1 when an export does not verify or a corruption is not noticed.

``python -m tests.proofs forks [games]`` plays 1,000 small games, or `games`, with rulings, pauses, requests to take
moves back, answers in advance and undo; of each it makes a fork, of that another, and of that a third.
The whole fold, the fold from every version and `verify` must agree; then bytes of a fork's export are flipped.
"""

import random
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from domain.kernel.ids import PlayerId
from domain.kernel.log.fold import resume
from domain.kernel.log.history import retraction
from domain.kernel.log.snapshot import restore, take
from domain.kernel.proof.export import export
from domain.kernel.proof.verify import verify
from domain.kernel.rules.ruleset import Library
from domain.library import LIBRARY
from service.bots.bot import GREEDY
from service.bots.simulation import Plan, Simulation
from tests.helpers.play import Play
from tests.tiny.auction import ROOM, TinyAuction

GAMES = 20
CORRUPTIONS = 200


def corrected(ruleset: str) -> dict[str, Any]:
    """Return how to play with cards that say a word more than the ruleset's own, in print and so in their digest."""
    cards = msgspec.to_builtins(LIBRARY.current(ruleset).own_document("cards"))
    return {"documents": {"cards": msgspec.json.encode({**cards, "title": f"{cards['title']}, corrected"})}}


WAYS: Final[Mapping[str, Sequence[dict[str, Any]]]] = {
    "italia-1": ({}, corrected("italia-1")),
    "italia-2": ({}, corrected("italia-2")),
    "mare-nostrum": ({}, {"setup": {"layout": "free"}, "level": GREEDY}),
}
"""How the games of a ruleset are played, in turn, where it is not by random players with the usual set-up. Random games
of Mare Nostrum after a free set-up may run dry and never end (MN-WIN-06)."""


def exported(plan: Plan) -> list[bytes]:
    """Return the export of a game played to its end."""
    simulation = Simulation(plan)
    for _ in simulation.play():
        pass
    assert simulation.game.status == "over", plan
    return list(export(simulation.game, simulation.records, simulation.vault))


def plans(rulesets: Sequence[str]) -> list[Plan]:
    """Return the games to be played: the rulesets in turn, each with its numbers of seats and ways in turn."""
    found: list[Plan] = []
    for number in range(GAMES):
        turn, ruleset = number // len(rulesets), rulesets[number % len(rulesets)]
        players, ways = LIBRARY.current(ruleset).players, WAYS.get(ruleset, ({},))
        found.append(Plan(ruleset, players[turn % len(players)], 9000 + number, **ways[turn % len(ways)]))
    return found


def verified(plan: Plan) -> list[bytes] | None:
    """Play and verify one game; return its export, or None when it does not verify."""
    lines = exported(plan)
    began = time.perf_counter()
    verdict = verify(lines, LIBRARY)
    took = (time.perf_counter() - began) * 1000
    said = "proved" if verdict.ok else f"NOT PROVED: {verdict.problem}"
    print(f"{plan.ruleset}, {plan.seats} seats: {verdict.events} events, {said} in {took:.0f} ms")
    return lines if verdict.ok else None


def unnoticed(lines: list[bytes], rng: random.Random, library: Library = LIBRARY) -> list[int]:
    """Flip one byte at a time; return the places where that went unnoticed."""
    whole = b"".join(lines)
    missed: list[int] = []
    for place in rng.sample(range(len(whole)), CORRUPTIONS):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << rng.randrange(8)
        if verify(bytes(damaged).splitlines(keepends=True), library).ok:
            missed.append(place)
    return missed


JUDGE = PlayerId("judge")


def wandered(seed: int) -> Play:
    """Return the third fork of a random game, all of which agree, however they are folded, and verify.

    Raises `AssertionError` when they do not.
    """
    rng = random.Random(seed)
    play = Play(TinyAuction(), ROOM, 2 + seed % 3, seed)
    play.name_official(JUDGE)
    for depth in range(3):
        for _ in range(25):
            if play.game.status == "running":
                _wander(play, rng)
        _check(play, rng)
        running = [at for at, game in sorted(play.at_each_version.items()) if game.status == "running"]
        play = play.fork(rng.choice(running), by=JUDGE, seed=depth + 2)
    return play


def _wander(play: Play, rng: random.Random) -> None:
    """Let something happen: a command, an undo, a ruling, an official, a pause, a request, an answer in advance."""
    if play.game.around.paused is not None or rng.random() < 0.2:
        play.around_at_random(rng)
    elif play.game.undo and rng.random() < 0.3:
        play.undo(*rng.choice([(seat, to) for seat, may in play.game.undo.items() for to in may]))
    elif rng.random() < 0.1:
        play.leave_at_random(rng)
    else:
        play.step(rng)


def _check(play: Play, rng: random.Random) -> None:
    ends = sorted(play.at_each_version)
    for version, game in play.at_each_version.items():
        assert play.fold(version) == game
    for version in rng.sample(ends, min(6, len(ends))):
        game, tail = play.at_each_version[version], play.records[version:]
        cached = restore(take(game), play.library, lambda _: ROOM)
        assert cached == game
        if all(to >= version for to in map(retraction, tail) if to is not None):
            assert resume(cached, tail) == play.game
    for everything in (True, False):
        verdict = verify(play.export(everything=everything), play.library)
        assert verdict.ok, verdict


def forks(games: int = 1000) -> int:
    """Play random games with forks, print what was seen, and return 1 when something does not agree."""
    began, events, last = time.perf_counter(), 0, None
    for seed in range(games):
        last = wandered(seed)
        events += sum(len(play.records) for play in _lineage(last))
    assert last is not None
    last.run(random.Random(1))
    missed = unnoticed(last.export(everything=True), random.Random(2026), last.library)
    took = time.perf_counter() - began
    print(f"{games} games with 3 forks each and {events:,} events agree, in {took:.0f} s")
    print(f"{CORRUPTIONS - len(missed)} of {CORRUPTIONS} corruptions of a fork's export are caught")
    return 1 if missed else 0


def _lineage(play: Play | None) -> list[Play]:
    return [] if play is None else [play, *_lineage(play.parent)]


def main(ruleset: str = "", *numbers: str) -> int:
    if ruleset == "forks":
        return forks(*map(int, numbers))
    exports = [verified(plan) for plan in plans([ruleset] if ruleset else LIBRARY.ids())]
    whole = [lines for lines in exports if lines is not None]
    missed = unnoticed(sorted(whole, key=len)[len(whole) // 2], random.Random(2026))
    print(
        f"{len(whole)} of {GAMES} exports verify; {CORRUPTIONS - len(missed)} of {CORRUPTIONS} corruptions are caught"
    )
    return 0 if len(whole) == GAMES and not missed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
