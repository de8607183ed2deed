"""What a newcomer wants to know before the first move: the goal, the end, the length and the pieces.

It is in TOML beside the ruleset, as ``[[briefing]]`` tables. Editions with the same text share a table, and an edition
that is based on another has the table of its base.
"""

import tomllib
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from domain.kernel.rules.catalogue import Catalogue

Sentence = Annotated[str, Meta(min_length=20, max_length=400)]
Words = Annotated[str, Meta(min_length=4, max_length=120)]


class Briefing(Struct, frozen=True):
    """A game in a minute.

    Attributes:
        goal: what wins.
        ending: when the game is over.
        rounds: how long that is in rounds.
        time: how long it takes, by the project's own estimate.
        pieces: by kind of mark (symbol `glyph-KIND` of the bare board): what it is, and what it is good for.
    """

    goal: Sentence
    ending: Sentence
    rounds: Sentence
    time: Sentence
    pieces: dict[str, Words]


class _Entry(Briefing, frozen=True, forbid_unknown_fields=True, kw_only=True):
    rulesets: list[str]


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    briefing: list[_Entry]


def briefing_of(ruleset_id: str, text: str, rules: Catalogue) -> Briefing | None:
    """Return the briefing of a ruleset from the file beside it; None when it has none. Raises `ValueError`."""
    for each in msgspec.convert(tomllib.loads(text), _File).briefing:
        if ruleset_id in rules.holders(each.rulesets, ()):
            return Briefing(each.goal, each.ending, each.rounds, each.time, each.pieces)
    return None
