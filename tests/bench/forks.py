"""Forks of a long game: making one at a version of the past, and proving one, which proves its parent up to there."""

import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from domain.kernel.chance.draws import commitment_to
from domain.kernel.ids import GameId, PlayerId
from domain.kernel.log import forking
from domain.kernel.log.fold import fold
from domain.kernel.log.history import is_between_acts
from domain.kernel.log.record import Cause
from domain.kernel.proof.export import Past, export
from domain.kernel.proof.verify import verify
from domain.library import LIBRARY
from service.app import open_services
from service.base.clock import utc_now
from service.base.settings import Settings
from service.games.forks import MOST_ANALYSES, fork_game
from service.games.games import Games
from tests.bench.kernel import Played, long_game
from tests.bench.measure import Figure, figure
from tests.bench.past import keep

EVENTS = 2000
REPEATS = 5


def bench_fork() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="tabularium-") as folder:
        first, later = asyncio.run(_made(long_game(), Path(folder)))
    note = f"a fork in the middle of a game of {EVENTS} events"
    yield figure("fork-cold", first, "ms", note=f"{note} that has just been loaded")
    yield figure("fork", later, "ms", note=note)


async def _made(played: Played, folder: Path) -> tuple[list[float], list[float]]:
    """Return the milliseconds of the first forks of a game, and of those after them."""
    first, later = list[float](), list[float]()
    player = _player(played)
    async with open_services(Settings(data=folder, durable=False)) as services:
        await keep(played, services.store, EVENTS)
        for _ in range(REPEATS):
            games = Games(
                services.store, services.library, services.wake, utc_now, services.settings, boards=services.boards
            )
            await games.game(played.simulation.game.id)
            for number in range(MOST_ANALYSES // REPEATS):
                began = time.perf_counter()
                await fork_game(games, player, played.simulation.game.id, _middle(played), "analysis")
                (later if number else first).append((time.perf_counter() - began) * 1000)
            await games.close()
    return first, later


def bench_verify_fork() -> Iterator[Figure]:
    """Prove a game, and a fork of it at its newest version: the same acts, and the beginning of the fork."""
    played = long_game()
    board, records = played.simulation.game.board, played.records[: _end(played)]
    game = fold(records, played.simulation.game.id, LIBRARY, lambda _: board)
    vault = played.simulation.vault
    cause, at = Cause(_player(played)), records[-1].at
    fork = forking.fork(game, GameId("gfork"), "analysis", commitment_to(b"another secret"), cause, at)
    plain = list(export(game, records, vault))
    forked = list(export(fork.game, fork.records, vault, everything=True, pasts=[Past(game, records, vault)]))
    ratios = [_took(forked) / _took(plain) for _ in range(REPEATS)]
    yield figure("verify-fork", ratios, "x", note=f"against verify of its parent, {len(records)} events")


def _took(lines: list[bytes]) -> float:
    began = time.process_time()
    verdict = verify(lines, LIBRARY)
    assert verdict.ok, verdict.problem
    return time.process_time() - began


def _player(played: Played) -> PlayerId:
    player = next(iter(played.simulation.game.players.values()))
    assert player is not None
    return player


def _middle(played: Played) -> int:
    return next(at for at in range(EVENTS // 2, EVENTS) if is_between_acts(played.records, at))


def _end(played: Played) -> int:
    return next(at for at in range(EVENTS, 0, -1) if is_between_acts(played.records, at))


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"fork": bench_fork, "verify-fork": bench_verify_fork}
