"""Hands of resource cards: what is in one, and how it is sealed (MN-TRD-04).

A hand is the cards that were sealed last, plus those that openly came since, minus those that openly went. So payments
and takes need no new seal. Only what nobody else saw is hidden: a gift of the Director, and what a player kept from
the discard.
"""

from collections.abc import Iterable, Mapping

from domain.kernel.chance.secret import Sealed, Vault
from domain.kernel.ids import Seat
from domain.kernel.rules.draft import Draft
from domain.mare_nostrum.box.data import BANK, Resource
from domain.mare_nostrum.box.table import Table

Cards = dict[Resource, int]
"""A number of cards of each kind; kinds with none are absent."""


def hand_of(table: Table, seat: Seat, vault: Vault | Draft[Table]) -> Cards:
    """Return what is in a player's hand. Raises `KeyError` when `vault` may not read it."""
    hand = table.hands[seat]
    assert hand.cards is not None, "hands are sealed in the set-up"
    cards: Mapping[Resource, int] = vault.open(hand.cards)
    return {card: number for card in BANK if (number := cards.get(card, 0) + hand.seen[card])}


def is_read_by(table: Table, seat: Seat, vault: Vault) -> bool:
    """Tell whether the holder of `vault` may see a player's hand."""
    cards = table.hands[seat].cards
    return cards is not None and vault.holds(cards)


def seal(draft: Draft[Table], seat: Seat, cards: Mapping[Resource, int]) -> Sealed:
    """Hide cards from all but `seat`."""
    return draft.seal({card: number for card in BANK if (number := cards.get(card, 0))}, (seat,))


def count(cards: Iterable[Resource]) -> Cards:
    """Count single cards by kind."""
    counts: Cards = {}
    for card in cards:  # a Counter takes four times as long for so few
        counts[card] = counts.get(card, 0) + 1
    return counts


def single_cards(cards: Mapping[Resource, int]) -> list[Resource]:
    """Return the single cards, always in the order of the bank."""
    return [card for card in BANK for _ in range(cards.get(card, 0))]


def negated(cards: Mapping[Resource, int]) -> Cards:
    """Return the same cards as negative numbers, for cards that leave a hand."""
    return {card: -number for card, number in cards.items()}
