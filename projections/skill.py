"""Ratings by Plackett and Luce: what a game of several players says about how strong they are (TAB-RAT-01).

`openskill` computes in floats. Its result is rounded to whole millionths after each game, and players are handed to it
in one order, so machines whose floats differ in the last bit come to the same numbers. A result that lies within such a
bit of half a millionth is the exception, about one in a billion.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from domain.kernel.ids import PlayerId

if TYPE_CHECKING:
    from openskill.models import PlackettLuce

MILLION: Final = 1_000_000
PROVISIONAL: Final = 10
"""A rating of fewer games is provisional."""


@cache
def _model() -> "PlackettLuce":
    # Imported late, as it takes 50 ms and few commands need it.
    from openskill.models import PlackettLuce

    return PlackettLuce()


class Skill(Struct, frozen=True):
    """A rating: the estimate and its uncertainty in millionths, and the number of games behind it."""

    mu: int
    sigma: int
    games: int = 0

    @property
    def shown(self) -> int:
        """The number that is shown: the player is this strong with a probability of 99.9 percent."""
        return self.mu - 3 * self.sigma

    @property
    def is_provisional(self) -> bool:
        return self.games < PROVISIONAL


NEW: Final = Skill(25 * MILLION, round(25 * MILLION / 3))
"""The rating of a player who has no game yet."""

Placed = Sequence[Sequence[PlayerId]]
"""The players of a game as they finished, the first first; those who tie stand together."""


def after(game: Placed, before: Mapping[PlayerId, Skill]) -> dict[PlayerId, Skill]:
    """Return the ratings of the players of a game after it; a player who is not in `before` is new."""
    place = {player: number for number, tied in enumerate(game) for player in tied}
    players = sorted(place, key=lambda player: (place[player], player))
    had = [before.get(player, NEW) for player in players]
    model = _model()
    teams = [[model.create_rating([each.mu / MILLION, each.sigma / MILLION])] for each in had]
    rated = model.rate(teams, ranks=[float(place[player]) for player in players])
    return {
        player: Skill(round(now.mu * MILLION), round(now.sigma * MILLION), each.games + 1)
        for player, each, (now,) in zip(players, had, rated, strict=True)
    }


def given_back(now: Skill, before: Skill, since: Skill) -> Skill:
    """Return a rating without what a game changed in it, from `before` to `since` (TAB-RAT-09).

    The estimate gets back what it had gained or lost. The uncertainty grows by the factor by which it had shrunk, up to
    that of a new player. With no game in between, the result is `before`.
    """
    sigma = min(NEW.sigma, (now.sigma * before.sigma + since.sigma // 2) // since.sigma)
    return Skill(now.mu - since.mu + before.mu, sigma, now.games - 1)
