"""Posts: what single legions stand on, one on each (MN-AFT-05 to MN-AFT-08).

A legion that moves or attacks leaves its post. Legions are alike: whoever sends some of them says which posts these
give up, and one legion must be left for each of the others. But those that came or attacked this turn take no post over
that they did not choose (MN-AFT-01).
"""

from collections.abc import Iterable
from typing import Final

from domain.kernel.rules import schema

MARKER: Final = "influence"
"""The post on an influence marker (MN-AFT-07); the others are named as `Province.buildings` names them."""


def named(post: str) -> str:
    """Return what a post is called."""
    if post == MARKER:
        return "influence marker"
    return post if post in ("city", "market", "temple") else f"{post} caravan"


def one_on_each(posts: tuple[str, ...], within: tuple[str, ...], legions: int) -> bool:
    """Tell whether so many legions can stand on these posts out of those `within`, one on each."""
    return len(set(posts)) == len(posts) and set(posts) <= set(within) and len(posts) <= legions


def gives_up(posts: tuple[str, ...], legions: int, held: tuple[str, ...], total: int) -> bool:
    """Tell whether so many of `total` legions can act and give up just these of the posts `held`."""
    return one_on_each(posts, held, legions) and total - legions >= len(held) - len(posts)


def most_leaving(ready: int, held: tuple[str, ...], total: int, given_up: int) -> int:
    """Return how many of the `ready` legions can act when they give up so many of the posts `held`."""
    return min(ready, total - len(held) + given_up)


def leaving(
    ready: int, held: tuple[str, ...], total: int, *, everybody: bool = False
) -> Iterable[tuple[schema.Schema, dict[str, schema.Schema]]]:
    """Yield the schemas of what `gives_up` accepts: the number of legions, and the posts that they give up.

    With `everybody` the number is the most that there can be.
    """
    for number in range(len(held) + 1):
        least, most = max(1, number), most_leaving(ready, held, total, number)
        if least <= most:
            posts = {"posts": schema.subset(held, number, number)} if number else {}
            yield schema.count(most if everybody else least, most), posts
