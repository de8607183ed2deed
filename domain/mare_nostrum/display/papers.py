"""The papers of heroes and wonders: what each does, who may take it, and what it costs (chapters HER and WON)."""

from collections.abc import Mapping
from typing import Final

from domain.kernel.rules.papers import Line, Paper, Papers, Section
from domain.mare_nostrum.box.data import CARDS, Card

ORIGINS: Final[Mapping[str, str]] = {
    "stated": "stated in the rules",
    "example": "follows from an example of the rules",
    "deduced": "follows from another rule",
    "published": "found elsewhere",
    "ours": "our ruling, because the rules do not say it",
}
"""Where the text of a card's effect comes from, in words, by provenance."""


def of() -> Papers:
    """Return the heroes and wonders, in the order of the data."""
    return Papers(ORIGINS, {}, tuple(map(_paper, CARDS.values())))


def _paper(card: Card) -> Paper:
    owner = f"Only for {card.civilization.title()}" if card.civilization is not None else "For any civilization"
    facts = (owner, f"Costs a combination of {card.price} cards")
    return Paper(
        card.id,
        card.name,
        (
            Section("What it does", (Line(card.effect, card.provenance),)),
            Section(f"The {card.kind}", tuple(Line(words) for words in facts)),
        ),
    )
