"""What it costs to count games for ratings anew, and how well ratings tell who is first.

The games are made up, of players whose strength is known: of two players in a game, the stronger one comes before the
other with the probability of the logistic curve. Ratings know only how games ended. In the last tenth of the games they
are asked who will be first, before each is counted. "All equal" gives each player of a game the same chance.
`RATED_GAMES` says how many games there are, 100,000 when it is not set.
"""

import asyncio
import math
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Final

from msgspec import Struct

from domain.kernel.ids import PlayerId
from projections.skill import NEW, Skill, after
from service.store.sqlite.rows import SqliteRows
from tests.bench.measure import Figure
from tests.helpers.results import League, game

GAMES: Final = int(os.environ.get("RATED_GAMES", "100000"))
PLAYERS: Final = 1000
SPREAD: Final = 1.0
"""The standard deviation of strength; a difference of 1 wins with 73 percent."""


def played(rng: Random, strength: dict[PlayerId, float]) -> Iterator[list[PlayerId]]:
    """Yield games of two to six players as they finished, by the strength of each with a luck of its own."""
    players = sorted(strength)
    while True:
        some = rng.sample(players, rng.randrange(2, 7))
        luck = {player: strength[player] - math.log(-math.log(rng.random())) for player in some}
        yield sorted(some, key=lambda player: -luck[player])


class Accuracy(Struct):
    """Of games that were asked about: in how many the highest rating was first, and what a guess or the truth tells.

    `loss` is the mean logarithmic loss of the chances by rating; `even` that of equal ones.
    """

    rated: float = 0
    guessed: float = 0
    known: float = 0
    loss: float = 0
    even: float = 0


def accuracy(games: int) -> Accuracy:
    """Return how well ratings tell who is first, in the last tenth of some games."""
    rng, found, skills, asked = Random(1), Accuracy(), dict[PlayerId, Skill](), games // 10
    strength = _strength(rng)
    for number, order in zip(range(games), played(rng, strength), strict=False):
        had = {player: skills.get(player, NEW) for player in order}
        if number >= games - asked:
            weights = {player: math.exp(each.mu / 1e6 / _scale(had.values())) for player, each in had.items()}
            found.rated += (max(sorted(order), key=weights.__getitem__) == order[0]) / asked
            found.known += (max(order, key=strength.__getitem__) == order[0]) / asked
            found.guessed += 1 / len(order) / asked
            found.loss -= math.log(weights[order[0]] / sum(weights.values())) / asked
            found.even += math.log(len(order)) / asked
        skills |= after([[player] for player in order], had)
    return found


def _strength(rng: Random) -> dict[PlayerId, float]:
    return {PlayerId(f"p{number:04}"): rng.gauss(0, SPREAD) for number in range(PLAYERS)}


def _scale(skills: Iterable[Skill]) -> float:
    """Return what the model divides estimates by: the square root of all uncertainty, that of a game included."""
    return math.sqrt(sum((each.sigma / 1e6) ** 2 + (25 / 6) ** 2 for each in skills))


async def rebuild(games: int) -> tuple[float, float]:
    """Return the seconds of processor time that it takes to count games from rows, and to rate them alone."""
    rng = Random(2)
    strength = _strength(rng)
    with tempfile.TemporaryDirectory() as folder:
        league = League(await SqliteRows.open(Path(folder) / "rows.db"))
        made = played(rng, strength)
        orders = [next(made) for _ in range(games)]
        for start in range(0, games, 1000):
            rows = (
                game(f"g{number:06}", number, [[player] for player in orders[number]])
                for number in range(start, min(start + 1000, games))
            )
            await league.know(*(each for of_game in rows for each in of_game))
        began = time.process_time()
        await league.counter.catch_up()
        took = time.process_time() - began
        assert not await league.counter.is_behind()
    skills: dict[PlayerId, Skill] = {}
    began = time.process_time()
    for order in orders:
        skills |= after([[player] for player in order], {each: skills.get(each, NEW) for each in order})
    return took, time.process_time() - began


def bench_ratings() -> Iterator[Figure]:
    """Count games anew, and ask ratings who will be first."""
    took, model = asyncio.run(rebuild(GAMES))
    note = f"{GAMES:,} games counted anew, of processor time; of that the model takes {model:.1f}"
    yield Figure("ratings-rebuild", round(took, 1), "s", took, took, 1, note=note)
    found = accuracy(GAMES)
    note = f"how often the highest rating was first; true strength {found.known:.1%}, a guess {found.guessed:.1%}"
    yield Figure("ratings-first", round(100 * found.rated, 1), "%", found.rated, found.rated, 1, note=note)
    note = f"the mean logarithmic loss of who is first; all equal {found.even:.3f}"
    yield Figure("ratings-loss", round(found.loss, 3), "nat", found.loss, found.loss, 1, note=note)


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"ratings": bench_ratings}
