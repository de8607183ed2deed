"""The secrecy law in bulk, run by hand: ``python -m tests.secrecy [pairs] [--game GAME]``; 1,000 pairs when not told.

Plays random games of each ruleset that hides something and, whenever somebody chooses or draws in secret, two games
that differ in that: what anybody else is told, shown and offered must be the same in both until it is revealed. Then
forks one more game of each ruleset wherever its players may: they must be shown no more than the game shows them.
Prints how many pairs of each kind were compared, and exits 1 when two of them could be told apart.
"""

import argparse
import sys
import time
from collections import Counter
from itertools import count, islice

from tests.helpers.games import GAMES, laws_of

OF_A_GAME = 150
"""How many pairs are compared in one game, so that many games are looked at."""
AS_LONG_AS = 1_500
"""No game is followed for more commands: those in which nobody has cards are long, and there is little to hide."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.secrecy", description=__doc__)
    parser.add_argument("pairs", type=int, nargs="?", default=1_000)
    parser.add_argument("--game", choices=list(GAMES), help="only of this package of rules")
    given = parser.parse_args()
    began = time.perf_counter()
    pairs, positions, fault = Counter[str](), Counter[str](), ""
    games = [given.game] if given.game else GAMES
    hiding = [laws for game in games for laws in laws_of(game) if laws.hides(0)]
    for laws in hiding:
        type(laws).longest = AS_LONG_AS
    for seed in count():
        try:
            for kind, differed in islice(hiding[seed // 3 % len(hiding)].pairs(seed), OF_A_GAME):
                pairs[kind] += 1
                positions[kind] += differed
        except AssertionError as error:
            fault = f"seed {seed}: {str(error) or 'two games were told apart'}"
        if fault or pairs.total() >= given.pairs:
            break
    for laws in () if fault else (laws for game in games for laws in laws_of(game)):
        try:
            asked = list(laws.forkable(0))
        except AssertionError as error:
            fault = f"{laws.ruleset.id}: {str(error) or 'a fork shows what its game hides'}"
            break
        print(f"{laws.ruleset.id}: forks at {len(asked)} positions; at {sum(map(bool, asked))} something is hidden")
    for kind in sorted(pairs):
        print(f"{kind}: {pairs[kind]} pairs, {positions[kind]} positions that differed in something hidden")
    print(f"{pairs.total()} pairs in {time.perf_counter() - began:.0f} s; {fault or 'nobody could tell two apart'}")
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main())
