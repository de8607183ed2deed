"""The Military Phase of Mare Nostrum: what a player with legions and triremes everywhere may do."""

from collections.abc import Callable, Iterator

from tests.bench.building import asked
from tests.bench.measure import Figure, percentile
from tests.helpers.campaigning import campaign

POSITIONS = 200


def bench_campaigns() -> Iterator[Figure]:
    positions = [campaign(seed) for seed in range(POSITIONS)]
    options = [asked(here, here.vault.read_by(here.seat)) for here in positions]
    note = f"{POSITIONS} random positions"
    yield percentile("campaign-options-p95", options, 0.95, goal="<= 10", note=note)


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"campaigns": bench_campaigns}
