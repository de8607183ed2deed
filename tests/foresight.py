"""How well a bot's `standings` tell who wins, run by hand: ``python -m tests.foresight [--ruleset R] [--seats N] …``.

Greedy bots play games. Now and then the standings are read off the view of the seat that is asked, and once the game is
over each winner is compared with each of the others: **told** says how often the winner stood better (a tie is half),
in the first, second and last third of the game. A guess is right in 50 %. A game takes a second or two here, and a
minute or more in ``tests.strength``: this is for trying out weights, that for how well a thinker then plays.
"""

import argparse
import random
import sys
from collections.abc import Mapping
from itertools import product
from statistics import fmean
from typing import Any, cast

from domain.kernel.ids import Seat
from domain.library import LIBRARY
from service.bots.bot import GREEDY
from service.bots.registry import levels
from service.bots.scratch import Luck
from service.bots.thinker import Guide
from tests.strength import begun

EVERY = 7
"""The commands after which the standings are read again."""
THIRDS = 3


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.foresight", description=__doc__)
    parser.add_argument("--ruleset", choices=LIBRARY.ids(), action="append", help="all when not told")
    parser.add_argument("--seats", type=int, action="append", help="how many; the least and the most when not told")
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument(
        "--rounds", type=int, default=1_000, help="games with more rounds are broken off and not counted"
    )
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print("ruleset                 seats games   first  second    last third")
    for ruleset in given.ruleset or LIBRARY.ids():
        players = LIBRARY.current(ruleset).players
        for seats in sorted({*(given.seats or (players[0], players[-1]))}):
            games = (_play(ruleset, seats, given.seed + number, given.rounds) for number in range(given.games))
            finished = [told for told in games if len(told) >= THIRDS]
            thirds = [[fmean(_part(told, part)) for told in finished] for part in range(THIRDS)]
            shown = "    ".join(f"{fmean(each):>4.0%}" for each in thirds if each)
            print(f"{ruleset:<23} {seats:>5} {len(finished):>5}   {shown}")
    return 0


def _play(ruleset: str, seats: int, seed: int, rounds: int) -> list[float]:
    """Return how well the standings told the winners, one reading after the other; empty when nobody won."""
    luck = Luck(seed)
    now, _, board = begun(ruleset, seats, luck)
    played, bot = now.ruleset, levels(ruleset)[GREEDY](random.Random(seed), board)
    readings: list[Mapping[str, float]] = []
    count = 0
    while (decisions := now.decisions) and played.round(now.table) <= rounds:
        seat = decisions[0].seats[0]
        view = now.view(seat)
        if count % EVERY == 0:
            readings.append(cast(Guide, bot).standings(view))
        now = now.play(seat, bot.choose(seat, view, now.options(seat)), luck)
        count += 1
    result: Any = played.result(now.table)
    return [_told(each, result.winners) for each in readings] if result is not None else []


def _told(standings: Mapping[str, float], winners: tuple[Seat, ...]) -> float:
    pairs = product(winners, standings.keys() - set(winners))
    leads = [standings[winner] - standings[other] for winner, other in pairs]
    return fmean([1.0 if lead > 0 else 0.5 if lead == 0 else 0.0 for lead in leads] or [0.5])


def _part(told: list[float], number: int) -> list[float]:
    return told[len(told) * number // THIRDS : len(told) * (number + 1) // THIRDS]


if __name__ == "__main__":
    sys.exit(main())
