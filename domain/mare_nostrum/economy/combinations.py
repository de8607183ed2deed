"""Combinations of cards, only taxes or only different goods: what a hand can pay and buy (chapter CMB)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from domain.kernel.rules import schema
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum.box.data import BANK, GOODS, TAX, Resource

Purchase = tuple[int, ...]
"""The sizes of combinations that a hand pays at once, the largest first; each buys one item (MN-CMB-04)."""

_BITS: Final = 7
"""Bits that count the combinations of one size: all 123 cards make at most 61 combinations of two."""


def checked(pay: Sequence[Resource], price: int, hand: Mapping[Resource, int]) -> dict[Resource, int]:
    """Return the cards of a combination by kind, in the order of the bank.

    Raises:
        Refusal: the cards are no combination (MN-CMB-01, MN-CMB-02), are not `price` cards (MN-CMB-03), or are not in
            hand (MN-CMB-04).
    """
    wrong = f"You asked to pay with {', '.join(pay) or 'nothing'}."
    if TAX in pay and any(card != TAX for card in pay):
        raise Refusal("MN-CMB-01", wrong, "Pay only with taxes, or only with goods.")
    if TAX not in pay and len(set(pay)) != len(pay):
        raise Refusal("MN-CMB-02", wrong, "The goods in a combination must all be different.")
    if len(pay) != price:
        raise Refusal("MN-CMB-03", f"You asked to pay with {len(pay)} cards.", f"It costs exactly {price}.")
    if missing := [card for card in dict.fromkeys(pay) if hand.get(card, 0) < pay.count(card)]:
        raise Refusal("MN-CMB-04", wrong, f"You do not have enough {' and '.join(missing)} in hand.")
    return {card: number for card in BANK if (number := pay.count(card))}


def payments(hand: Mapping[Resource, int], price: int) -> Iterator[tuple[schema.Schema, str]]:
    """Yield the schemas of all combinations of a hand that pay `price`, each with its name in words."""
    if hand.get(TAX, 0) >= price:
        yield schema.const([TAX] * price), f"{price} taxes"
    kinds = [good for good in GOODS if hand.get(good)]
    if len(kinds) >= price:
        yield schema.subset(kinds, price, price), f"{price} different goods"


def purchases(cards: Mapping[Resource, int], prices: Iterable[int]) -> tuple[Purchase, ...]:
    """Return all maximal purchases of a hand: combinations that it can pay together, to which none can be added.

    A hand of 3 taxes and 7 different goods buys, at prices 3 and 6, either (6, 3) or (3, 3, 3). The result is empty
    when the hand can buy nothing.
    """
    goods = tuple(sorted(number for card, number in cards.items() if card != TAX and number))
    return _purchases(cards.get(TAX, 0), goods, tuple(sorted(set(prices), reverse=True)))


@lru_cache(maxsize=4096)
def _purchases(taxes: int, goods: tuple[int, ...], sizes: tuple[int, ...]) -> tuple[Purchase, ...]:
    """Join what the taxes can pay with what the goods can, and keep what nothing can be added to.

    Goods can pay a set of combinations exactly if, for each n, the n largest together have no more cards than the goods
    can give to n combinations, one of each kind to each (Gale and Ryser). Taxes fit into any combination of taxes.
    """
    by_goods = _payable(sizes, [sum(min(number, most) for number in goods) for most in range(sum(goods) + 2)])
    by_taxes = _payable(sizes, [taxes] * (taxes + 2))
    payable = {one + other for one in by_taxes for other in by_goods}
    units = [1 << _BITS * place for place in range(len(sizes))]
    maximal = [counts for counts in payable if counts and not any(counts + unit in payable for unit in units)]
    return tuple(sorted((_spelled(counts, sizes) for counts in maximal), reverse=True))


def _payable(sizes: Sequence[int], room: Sequence[int]) -> list[int]:
    """Return every set of combinations of which the n largest have no more than `room[n]` cards, for each n.

    `sizes` are in falling order. A set is a number: its combinations of each size, `_BITS` bits for a size.
    """
    payable = [0]
    waiting = [(0, 0, 0, 0)]
    while waiting:
        first, cards, number, counts = waiting.pop()
        for place in range(first, len(sizes)):
            total = cards + sizes[place]
            if total <= room[number + 1]:
                more = counts + (1 << _BITS * place)
                payable.append(more)
                waiting.append((place, total, number + 1, more))
    return payable


def _spelled(counts: int, sizes: Sequence[int]) -> Purchase:
    mask = (1 << _BITS) - 1
    return tuple(size for place, size in enumerate(sizes) for _ in range(counts >> _BITS * place & mask))
