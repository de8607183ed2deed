"""Posts: what single legions hold, one on each (MN-AFT-05 to MN-AFT-08).

A legion that moves or attacks leaves its post. Legions are all alike, so a player who sends some of them says which
posts they leave, and one legion must stay for each of the others. Legions that moved or attacked this turn cannot take
over a post (MN-AFT-01).
"""

from collections.abc import Iterable
from typing import Final

from domain.kernel.rules import schema

MARKER: Final = "influence"
"""The post on an influence marker (MN-AFT-07); the others have the names of `Province.buildings`."""


def post_name(post: str) -> str:
    """Return the display name of a post."""
    if post == MARKER:
        return "influence marker"
    return post if post in ("city", "market", "temple") else f"{post} caravan"


def one_on_each(posts: tuple[str, ...], within: tuple[str, ...], legions: int) -> bool:
    """Tell whether `legions` are enough to hold these posts, one on each, and all posts are `within` the given ones."""
    return len(set(posts)) == len(posts) and set(posts) <= set(within) and len(posts) <= legions


def gives_up(posts: tuple[str, ...], legions: int, held_posts: tuple[str, ...], total: int) -> bool:
    """Tell whether `legions` of `total` can act and leave exactly these of `held_posts`."""
    return one_on_each(posts, held_posts, legions) and total - legions >= len(held_posts) - len(posts)


def most_leaving(ready: int, held_posts: tuple[str, ...], total: int, given_up: int) -> int:
    """Return how many of the `ready` legions can act when they leave `given_up` of `held_posts`."""
    return min(ready, total - len(held_posts) + given_up)


def leaving(
    ready: int, held_posts: tuple[str, ...], total: int, *, everybody: bool = False
) -> Iterable[tuple[schema.Schema, dict[str, schema.Schema]]]:
    """Yield the schemas of what `gives_up` accepts: the number of legions, and the posts that they leave.

    With `everybody` the number is the largest possible.
    """
    for number in range(len(held_posts) + 1):
        least, most = max(1, number), most_leaving(ready, held_posts, total, number)
        if least <= most:
            posts = {"posts": schema.subset(held_posts, number, number)} if number else {}
            yield schema.count(most if everybody else least, most), posts
