"""The pure domain: fold, chain, decide, options, state at a version, verify. On games played by random bots."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import msgspec

from domain.kernel import schema
from domain.kernel.export import export
from domain.kernel.game import Game, fold
from domain.kernel.record import first_broken
from domain.kernel.verify import verify
from domain.library import LIBRARY
from service.simulation import Plan, Simulation
from tests.bench.measure import Figure, percentile, rate

RULESET = "conquest-classic-friz"


@cache
def played(commands: int, seed: int = 5, seats: int = 6) -> tuple[Simulation, list[tuple[Game, str, Any]]]:
    """Return a game of random bots and every (game before, seat, command) of it."""
    simulation = Simulation(Plan(RULESET, seats, seed, commands=commands))
    given: list[tuple[Game, str, Any]] = []
    before = simulation.game
    for step in simulation.play():
        cause = msgspec.json.decode(step.records[0].cause or b"{}")
        command = before.ruleset.read_command(msgspec.json.encode(cause["command"]))
        given.append((before, cause["seat"], command))
        before = step.game
    return simulation, given


def _fold_all(simulation: Simulation) -> Game:
    return fold(simulation.records, simulation.game.id, LIBRARY, lambda _: simulation.game.board)


def bench_fold() -> Iterator[Figure]:
    simulation, _ = played(4000)
    count = len(simulation.records)
    yield rate("fold", count, lambda: _fold_all(simulation), goal=">= 300000", note=f"{count} events decoded, folded")


def bench_chain() -> Iterator[Figure]:
    simulation, _ = played(4000)
    count = len(simulation.records)

    def checked() -> None:
        assert first_broken(simulation.game.id, simulation.records) is None
        _fold_all(simulation)

    yield rate("fold-with-chain", count, checked, goal=">= 150000", note=f"{count} events")


def bench_decide() -> Iterator[Figure]:
    _, given = played(4000)
    chance = given[0][0].chance(played(4000)[0].secret)
    vault = played(4000)[0].vault

    def decide_all() -> None:
        for game, seat, command in given:
            game.ruleset.decide(game.table, seat, command, chance, vault, game.draws)

    yield rate("decide", len(given), decide_all, goal=">= 5000", note="commands, without writing records")


def bench_options() -> Iterator[Figure]:
    simulation, given = played(4000)
    largest = sorted(
        (before for before, _, _ in given),
        key=lambda game: -len(msgspec.json.encode(game.options(game.decisions[0].seats[0], simulation.vault))),
    )[:40]
    calls = [lambda game=game: game.options(game.decisions[0].seats[0], simulation.vault) for game in largest]
    yield percentile("options-p95", calls, 0.95, goal="<= 5", note="the 40 positions with the longest options")


def bench_sample() -> Iterator[Figure]:
    simulation, given = played(500)
    options = [option for game, seat, _ in given for option in game.options(seat, simulation.vault)][:2000]
    yield rate(
        "sample", len(options), lambda: [schema.sample(option.schema, simulation.rng) for option in options], goal=""
    )


def bench_verify() -> Iterator[Figure]:
    simulation, _ = played(20_000, seed=11, seats=2)
    records = simulation.records[:1000]
    game = fold(records, simulation.game.id, LIBRARY, lambda _: simulation.game.board)
    lines = list(export(game, records, simulation.vault))
    yield percentile("verify-1000", [lambda: verify(lines, LIBRARY)], 0.5, goal="<= 150", repeats=7)


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {
    "fold": bench_fold,
    "chain": bench_chain,
    "decide": bench_decide,
    "options": bench_options,
    "sample": bench_sample,
    "verify": bench_verify,
}
