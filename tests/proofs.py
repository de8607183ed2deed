"""Proofs in bulk, run by hand: ``python -m tests.proofs [ruleset]``. Whole games verify, and no corruption gets by.

Plays 20 games between bots (of one ruleset, or of each in turn), verifies each export, and flips single bytes in one
of them, 200 times; prints what it saw and exits 1 when an export does not verify or a corruption is not noticed.
"""

import random
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from domain.kernel.proof.export import export
from domain.kernel.proof.verify import verify
from domain.library import LIBRARY
from service.bots.bot import GREEDY
from service.bots.simulation import Plan, Simulation

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


def main(ruleset: str = "") -> int:
    exports = [verified(plan) for plan in plans([ruleset] if ruleset else LIBRARY.ids())]
    whole = [lines for lines in exports if lines is not None]
    missed = unnoticed(sorted(whole, key=len)[len(whole) // 2], random.Random(2026))
    print(
        f"{len(whole)} of {GAMES} exports verify; {CORRUPTIONS - len(missed)} of {CORRUPTIONS} corruptions are caught"
    )
    return 0 if len(whole) == GAMES and not missed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
