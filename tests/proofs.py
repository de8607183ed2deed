"""Proofs in bulk, run by hand: ``python -m tests.proofs``. Exports of whole games verify, and no corruption gets by.

Plays 20 games between random bots (each ruleset in turn), verifies each export, and flips single bytes in one
of them, 200 times; prints what it saw and exits 1 when an export does not verify or a corruption is not noticed.
"""

import random
import sys
import time

from domain.kernel.export import export
from domain.kernel.verify import verify
from domain.library import LIBRARY
from service.simulation import Plan, Simulation

GAMES = 20
CORRUPTIONS = 200


def exported(plan: Plan) -> list[bytes]:
    """Return the export of a game played to its end."""
    simulation = Simulation(plan)
    for _ in simulation.play():
        pass
    assert simulation.game.status == "over", plan
    return list(export(simulation.game, simulation.records, simulation.vault))


def verified(number: int) -> list[bytes] | None:
    """Play and verify one game; return its export, or None when it does not verify."""
    ruleset = LIBRARY.ids()[number % len(LIBRARY.ids())]
    players = LIBRARY.current(ruleset).players
    seats = players[number % len(players)]
    lines = exported(Plan(ruleset, seats, seed=9000 + number))
    began = time.perf_counter()
    verdict = verify(lines, LIBRARY)
    took = (time.perf_counter() - began) * 1000
    said = "proved" if verdict.ok else f"NOT PROVED: {verdict.problem}"
    print(f"{ruleset}, {seats} seats: {verdict.events} events, {said} in {took:.0f} ms")
    return lines if verdict.ok else None


def unnoticed(lines: list[bytes], rng: random.Random) -> list[int]:
    """Flip one byte at a time; return the places where that went unnoticed."""
    whole = b"".join(lines)
    missed: list[int] = []
    for place in rng.sample(range(len(whole)), CORRUPTIONS):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << rng.randrange(8)
        if verify(bytes(damaged).splitlines(keepends=True), LIBRARY).ok:
            missed.append(place)
    return missed


def main() -> int:
    exports = [verified(number) for number in range(GAMES)]
    whole = [lines for lines in exports if lines is not None]
    missed = unnoticed(sorted(whole, key=len)[len(whole) // 2], random.Random(2026))
    print(
        f"{len(whole)} of {GAMES} exports verify; {CORRUPTIONS - len(missed)} of {CORRUPTIONS} corruptions are caught"
    )
    return 0 if len(whole) == GAMES and not missed else 1


if __name__ == "__main__":
    sys.exit(main())
