"""The pure domain: fold, chain, decide, options, verify. On games with all seats taken that random bots played."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.kernel.ids import Seat
from domain.kernel.log.fold import fold
from domain.kernel.log.game import Game
from domain.kernel.log.record import Cause, Record, first_broken
from domain.kernel.proof.export import export
from domain.kernel.proof.verify import verify
from domain.kernel.rules import schema
from domain.library import LIBRARY
from service.bots.simulation import Plan, Simulation
from tests.bench.measure import Figure, percentile, rate

LONG = 5_000
"""Events that are folded: of one log, or of several where games are shorter."""


class Kind(Struct, frozen=True):
    """Games that are measured.

    Attributes:
        ruleset: the ruleset, played with `seats` seats.
        prefix: what the names of their figures begin with.
        proved: how many events the game has that is verified, from and to.
        long: how many events a game has that is folded, from and to.
        middle: events after which a position is one of mid-game: the board is full, and most players are in the game.
    """

    ruleset: str
    seats: int
    prefix: str
    proved: tuple[int, int]
    long: tuple[int, int] = (LONG, 2 * LONG)
    middle: int = 1_000


CLASSIC = Kind("conquest-classic-friz", 6, "", (1000, 1500))
KINDS = (
    CLASSIC,
    Kind("mare-nostrum", 5, "mare-nostrum-", (1500, 2500)),
    Kind("conquest-campaign", 6, "campaign-", (1000, 1500), (1000, 2000), 500),
    Kind("italia-1", 3, "italia-1-", (1500, 3000), (1500, 4000)),
    Kind("italia-2", 4, "italia-2-", (1500, 3000), (1500, 4000)),
)


class Given(Struct, frozen=True):
    """A command of a game, and the game before it."""

    game: Game
    seat: Seat
    command: Any


class Played(Struct, frozen=True):
    """A game of random bots."""

    simulation: Simulation
    given: list[Given]

    @property
    def records(self) -> list[Record]:
        return self.simulation.records


def games_of(kind: Kind, fewest: int, most: int) -> Iterator[Played]:
    """Yield the games of random bots that are over after `fewest` to `most` events."""
    games = (played(kind, seed, most) for seed in count(1))
    return (game for game in games if fewest <= len(game.records) <= most and game.simulation.game.status == "over")


@cache
def game_of(kind: Kind, fewest: int, most: int) -> Played:
    """Return the first of these games."""
    return next(games_of(kind, fewest, most))


def played(kind: Kind, seed: int, most: int) -> Played:
    game = Played(Simulation(Plan(kind.ruleset, kind.seats, seed)), [])
    before = game.simulation.game
    for step in game.simulation.play():
        cause = msgspec.json.decode(step.records[0].cause or b"{}")
        command = cause["command"]
        if sealed := command.get("sealed"):
            command = game.simulation.vault.secret(sealed["commitment"]).value
        read = before.ruleset.read_command(msgspec.json.encode(command))
        game.given.append(Given(before, cause["seat"], read))
        before = step.game
        if len(game.records) > most:
            break
    return game


def long_game(kind: Kind = CLASSIC) -> Played:
    return long_games(kind)[0]


@cache
def long_games(kind: Kind) -> list[Played]:
    """Return long games, as many as have `LONG` events together."""
    found: list[Played] = []
    for game in games_of(kind, *kind.long):
        found.append(game)
        if sum(len(game.records) for game in found) >= LONG:
            break
    return found


def bench_fold(kind: Kind) -> Iterator[Figure]:
    games = [game.simulation for game in long_games(kind)]
    logs = [(game.records[:LONG], game.game.id, game.game.board) for game in games]
    events = sum(len(records) for records, _, _ in logs)

    def folded() -> None:
        for records, game_id, board in logs:
            fold(records, game_id, LIBRARY, lambda _, board=board: board)

    def checked() -> None:
        assert all(first_broken(game_id, records) is None for records, game_id, _ in logs)
        folded()

    note = f"{events} events of {len(logs)} games" if len(logs) > 1 else f"{events} events"
    yield rate("fold", events, folded, goal=">= 300000", repeats=31, note=f"{note} decoded and folded")
    note = f"{note}, the hash chain checked"
    yield rate("fold-with-chain", events, checked, goal=">= 150000", repeats=31, note=note)


def bench_decide(kind: Kind) -> Iterator[Figure]:
    game = long_game(kind)
    simulation = game.simulation
    chance = simulation.game.chance(simulation.secret)

    def decide_all() -> None:
        for given in game.given:
            before = given.game
            before.ruleset.decide(before.table, given.seat, given.command, chance, simulation.vault, before.draws)

    def write_all() -> None:
        for given in game.given:
            before, seat = given.game, given.seat
            chance, cause = before.chance(simulation.secret), Cause(before.players[seat])
            before.command(seat, [given.command], chance, simulation.vault, cause, "2026-01-01T00:00:00.000000Z")

    yield rate("decide", len(game.given), decide_all, goal=">= 5000", note="commands, without writing records")
    yield rate(
        "decide-and-write",
        len(game.given),
        write_all,
        goal=">= 5000",
        note="commands, with their records",
    )


def from_mid_game(kind: Kind) -> list[Given]:
    return [given for given in long_game(kind).given if given.game.version >= kind.middle]


def bench_options(kind: Kind) -> Iterator[Figure]:
    vault = long_game(kind).simulation.vault

    def asked(given: Given) -> Callable[[], object]:
        seat = given.game.decisions[0].seats[0]
        return lambda: given.game.options(seat, vault)

    middle = [asked(given) for given in from_mid_game(kind)]
    largest = sorted(middle, key=lambda ask: -len(msgspec.json.encode(ask())))[:100]
    yield percentile("options-p95", largest, 0.95, goal="<= 5", note="the 100 positions with the longest options")
    yield percentile("options-p50", middle, 0.5, goal="", note="all positions from mid-game on")


def bench_views(kind: Kind) -> Iterator[Figure]:
    vault = long_game(kind).simulation.vault

    def shown(given: Given) -> Callable[[], object]:
        return lambda: msgspec.json.encode(given.game.view(given.seat, vault))

    middle = [shown(given) for given in from_mid_game(kind)]
    yield percentile("views-p95", middle, 0.95, goal="", note="all positions from mid-game on, as JSON")


def bench_sample(kind: Kind) -> Iterator[Figure]:
    simulation = long_game(kind).simulation
    vault, rng = simulation.vault, simulation.rng
    options = [option for given in from_mid_game(kind) for option in given.game.options(given.seat, vault)][:2000]
    yield rate("sample", len(options), lambda: [schema.sample(option.schema, rng) for option in options], goal="")


def bench_verify(kind: Kind) -> Iterator[Figure]:
    game = game_of(kind, *kind.proved)
    simulation, events = game.simulation, len(game.records)
    lines = list(export(simulation.game, simulation.records, simulation.vault))
    verdict = verify(lines, LIBRARY)
    assert verdict.ok, verdict
    assert not verdict.unproved, "an ended game is decided again as a whole"
    note = f"a finished game of {events} events, all {len(game.given)} commands decided again, scaled to 1000 events"
    yield percentile(
        "verify-1000",
        [lambda: verify(lines, LIBRARY)],
        0.5,
        goal="<= 150",
        repeats=7,
        scale=1000 / events,
        note=note,
    )


def _of_each(bench: Callable[[Kind], Iterator[Figure]]) -> Callable[[], Iterator[Figure]]:
    def figures() -> Iterator[Figure]:
        for kind in KINDS:
            yield from (replace(figure, bench=kind.prefix + figure.bench) for figure in bench(kind))

    return figures


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {
    "fold": _of_each(bench_fold),
    "decide": _of_each(bench_decide),
    "options": _of_each(bench_options),
    "views": _of_each(bench_views),
    "sample": _of_each(bench_sample),
    "verify": _of_each(bench_verify),
}
