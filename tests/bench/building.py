"""The Construction Phase of Mare Nostrum at its worst: full hands on full boards."""

from collections.abc import Callable, Iterator, Mapping

from domain.kernel.chance.secret import Vault
from domain.mare_nostrum.box import hands
from domain.mare_nostrum.economy.combinations import purchases
from tests.bench.measure import Figure, percentile
from tests.helpers.building import RULESET, Building, position

HAND = 20
"""Cards in the builder's hand."""
POSITIONS = 200
PRICES = (2, 3, 5, 6, 9, 12)
"""All that anything can cost: a player who pays them has the Mausoleum."""


def bench_building() -> Iterator[Figure]:
    positions = [position(seed, HAND) for seed in range(POSITIONS)]
    note = f"{POSITIONS} random positions, {HAND} cards in hand"
    options = [asked(here, here.vault.read_by(here.seat)) for here in positions]
    yield percentile("building-options-p95", options, 0.95, goal="<= 10", note=note)
    held = [hands.hand_of(here.table, here.seat, here.vault) for here in positions]
    yield percentile(
        "building-purchases-p95",
        [bought(cards) for cards in held],
        0.95,
        goal="",
        repeats=1,
        note=f"all maximal purchases of {HAND} cards at six prices, none remembered",
    )


def asked(here: Building, vault: Vault) -> Callable[[], object]:
    return lambda: RULESET.options(here.table, here.seat, vault)


def bought(cards: Mapping[str, int]) -> Callable[[], object]:
    return lambda: purchases(cards, PRICES)


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"building": bench_building}
