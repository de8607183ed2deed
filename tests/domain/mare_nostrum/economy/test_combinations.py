"""What a hand can buy, held against trying out every way to lay its cards."""

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from domain.mare_nostrum.box.data import BANK
from domain.mare_nostrum.economy.combinations import payments, purchases

PRICES = (3, 6, 9, 12)
DISCOUNTS = (2, 3, 5, 6, 9, 12)


def dealt(rng: Random, most: int) -> dict[str, int]:
    deck = [card for card, number in BANK.items() for _ in range(number)]
    return dict(Counter(rng.sample(deck, rng.randint(0, most))))


def laid(cards: dict[str, int], prices: tuple[int, ...]) -> set[tuple[int, ...]]:
    """Return every set of combinations that can be laid, by laying them one after another."""
    found: set[tuple[int, ...]] = set()
    waiting: set[tuple[tuple[int, ...], tuple[tuple[str, int], ...]]] = {((), tuple(sorted(cards.items())))}
    while waiting:
        sizes, rest = waiting.pop()
        found.add(sizes)
        for price in prices:
            for left in ways(dict(rest), price):
                waiting.add((tuple(sorted((*sizes, price), reverse=True)), tuple(sorted(left.items()))))
    return found


def ways(cards: dict[str, int], price: int) -> Iterator[dict[str, int]]:
    """Yield what is left after each combination of a price; the goods of which there are most are laid in any case."""
    if cards.get("tax", 0) >= price:
        yield {**cards, "tax": cards["tax"] - price}
    goods = sorted((card for card in cards if card != "tax" and cards[card]), key=lambda card: -cards[card])
    if len(goods) >= price:
        yield {card: number - (card in goods[:price]) for card, number in cards.items()}


@pytest.mark.rule("MN-CMB-04")
@pytest.mark.parametrize("prices", [PRICES, DISCOUNTS])
def test_the_maximal_purchases_are_those_found_by_laying_cards(prices: tuple[int, ...]) -> None:
    rng = Random(7)
    for _ in range(60):
        cards = dealt(rng, 16)
        found = laid(cards, prices)
        within = {
            sizes
            for sizes in found
            if sizes and not any(tuple(sorted((*sizes, price), reverse=True)) in found for price in prices)
        }
        assert purchases(cards, prices) == tuple(sorted(within, reverse=True)), cards


@pytest.mark.rule("MN-CMB-01", "MN-CMB-02")
def test_a_hand_of_nine_cards_pays_three_items_and_none_of_six() -> None:
    cards = {"tax": 3, "grain": 2, "perfume": 1, "livestock": 1, "gold": 1, "slaves": 1}
    assert purchases(cards, PRICES) == ((3, 3, 3),)
    assert not list(payments(cards, 6))


def test_taxes_and_goods_are_exchanged_for_one_another_only_between_combinations() -> None:
    assert purchases({"tax": 6, "gold": 1, "oil": 1}, PRICES) == ((6,), (3, 3))
    assert purchases({"tax": 2, "gold": 1}, PRICES) == ()
    assert purchases({}, PRICES) == ()


@pytest.mark.rule("MN-PRC-11")
def test_all_goods_or_twelve_taxes_pay_the_pyramids() -> None:
    assert purchases({card: 1 for card in BANK if card != "tax"}, PRICES)[0] == (12,)
    assert purchases({"tax": 12}, PRICES)[0] == (12,)
    assert (12,) not in purchases({"tax": 11, "gold": 3}, PRICES)
