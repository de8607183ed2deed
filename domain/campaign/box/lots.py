"""Draws from the tokens and cards that are left. Each draw shuffles them, so there is no hidden order to seal."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from domain.campaign.box.table import Table
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Draw, enumerated


class Lots(Struct, frozen=True):
    """What was shuffled, and what came first.

    Attributes:
        stock: how many of each were shuffled, in the order of their names.
        drawn: the first of them, in the order in which the shuffle put them.
    """

    draw: Draw
    stock: dict[str, int]
    drawn: tuple[str, ...]


def several(words: Iterable[str]) -> str:
    """Enumerate words, with a number where one comes more than once: "2 × Italia and Asia"."""
    counts = Counter(words)
    return enumerated([word if number == 1 else f"{number} × {word}" for word, number in counts.items()]) or "nothing"


def draw(draft: Draft[Table], stock: Mapping[Any, int], number: int) -> Lots:
    """Draw a number of items from a stock, or all when there are fewer."""
    counts = {name: count for name, count in sorted(stock.items()) if count}
    order: Sequence[str] = draft.shuffle([name for name, count in counts.items() for _ in range(count)])
    return Lots(draft.draws, counts, tuple(order[:number]))
