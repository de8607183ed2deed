"""Senators in hand (CS-CRD-06): what is in a hand, and how it is sealed.

A hand is what was sealed last, plus the senators that openly joined it since, minus those that openly left it.
Everybody sees which senators are dealt, acquired, laid and spent; only a theft is hidden. After a theft both hands are
sealed anew as a whole: if each senator had a commitment of its own, the one that moves would tell who was stolen.
"""

from collections.abc import Mapping

from domain.campaign.box.data import CardId, Senator
from domain.campaign.box.table import Table
from domain.kernel.chance.secret import Sealed, Vault
from domain.kernel.ids import Seat
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import enumerated

Senators = dict[CardId, int]
"""How many senators of each kind; kinds with none are absent."""


def hand_of(table: Table, seat: Seat, vault: Vault | Draft[Table]) -> Senators:
    """Return the senators in a player's hand. Raises `KeyError` when `vault` may not read it."""
    hand = table.hands[seat]
    assert hand.sealed is not None, "hands are sealed in the set-up"
    sealed: Mapping[CardId, int] = vault.open(hand.sealed)
    return {card: number for card in kinds(table) if (number := sealed.get(card, 0) + hand.seen.get(card, 0))}


def is_read_by(table: Table, seat: Seat, vault: Vault) -> bool:
    """Tell whether the holder of `vault` may see a player's hand and all else that only the player may see."""
    sealed = table.hands[seat].sealed
    return sealed is not None and vault.holds(sealed)


def seal(draft: Draft[Table], seat: Seat, senators: Mapping[CardId, int]) -> Sealed:
    """Seal senators, so that only `seat` can see them."""
    return draft.seal({card: number for card, number in sorted(senators.items()) if number}, (seat,))


def kinds(table: Table) -> list[CardId]:
    """Return the kinds of senators, the least votes first."""
    return [card.id for card in table.data.card if isinstance(card.effect, Senator)]


def worth(table: Table, card: CardId) -> int:
    """Return the votes of a senator (CS-SEN-01); 0 for another card."""
    effect = table.cards[card].effect
    return effect.votes if isinstance(effect, Senator) else 0


def votes(table: Table, senators: Mapping[CardId, int]) -> int:
    """Return the votes of senators together."""
    return sum(number * worth(table, card) for card, number in senators.items())


def in_words(table: Table, senators: Mapping[CardId, int]) -> str:
    """Say which senators: "2 Senator I and Senator III"."""
    names = ((table.cards[card].name, senators.get(card, 0)) for card in kinds(table))
    return enumerated([f"{number} {name}" if number > 1 else name for name, number in names if number]) or "no senators"
