"""Run the benchmarks named on the command line, or all, and print one JSON line for each figure."""

import sys

import msgspec

from tests.bench import (
    appends,
    books,
    bots,
    building,
    campaigns,
    clocks,
    cold,
    cpu,
    crowd,
    draws,
    dumps,
    forks,
    frames,
    growing,
    growth,
    hardest,
    instructions,
    kernel,
    past,
    pauses,
    plan,
    production,
    projections,
    ratings,
    room,
    service,
    streams,
    transparency,
    webhooks,
)
from tests.bench.instructions import NotCounted
from tests.bench.measure import Figure

BENCHMARKS = {
    **appends.BENCHMARKS,
    **books.BENCHMARKS,
    **bots.BENCHMARKS,
    **building.BENCHMARKS,
    **campaigns.BENCHMARKS,
    **clocks.BENCHMARKS,
    **cold.BENCHMARKS,
    **cpu.BENCHMARKS,
    **crowd.BENCHMARKS,
    **draws.BENCHMARKS,
    **dumps.BENCHMARKS,
    **forks.BENCHMARKS,
    **frames.BENCHMARKS,
    **growing.BENCHMARKS,
    **growth.BENCHMARKS,
    **hardest.BENCHMARKS,
    **instructions.BENCHMARKS,
    **kernel.BENCHMARKS,
    **past.BENCHMARKS,
    **pauses.BENCHMARKS,
    **plan.BENCHMARKS,
    **production.BENCHMARKS,
    **projections.BENCHMARKS,
    **ratings.BENCHMARKS,
    **room.BENCHMARKS,
    **service.BENCHMARKS,
    **streams.BENCHMARKS,
    **transparency.BENCHMARKS,
    **webhooks.BENCHMARKS,
}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    for name in names or BENCHMARKS:
        try:
            for figure in BENCHMARKS[name]():
                assert isinstance(figure, Figure)
                print(msgspec.json.encode(figure).decode(), flush=True)
        except NotCounted as why:
            print(why, file=sys.stderr)
            return 1
    return 0


sys.exit(main(sys.argv[1:]))
