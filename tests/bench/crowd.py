"""Many games in turn: what a look and a command cost when each is at another game, up to more than memory holds.

By processor time, of all threads, without HTTP. Side by side: as many games in memory as have room, and 256 with rare
snapshots, as it was once.
"""

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from domain.kernel.ids import GameId
from domain.kernel.log.record import Record, chain_hash, genesis
from domain.kernel.rules.refusal import Refusal
from service.app import open_services
from service.base.settings import Settings
from service.games.acts import Commands
from service.games.games import Games
from service.store.protocol import Append, EventStore
from tests.bench.kernel import Played, long_game
from tests.bench.measure import Figure, figure
from tests.bench.past import opening_of
from tests.bench.service import TURN

CROWDS: Final = (100, 300, 1000, 2000)
EVENTS: Final = 400
"""Of each game, at least."""


def bench_crowd() -> Iterator[Figure]:
    kinds: dict[str, dict[str, Any]] = {"by-count": {"cache_games": 256, "snapshot_every": 1000}, "by-memory": {}}
    for name, chosen in kinds.items():
        with tempfile.TemporaryDirectory(prefix="tabularium-") as folder:
            settings = Settings(
                data=Path(folder), durable=False, projections=False, transparency=False, bots=0, **chosen
            )
            for what, crowd, cost in asyncio.run(_costs(settings)):
                note = f"{crowd} games of {EVENTS} events, each in turn"
                yield figure(f"crowd-{name}-{what}-{crowd}", [cost], "ms", note=note)


async def _costs(settings: Settings) -> list[tuple[str, int, float]]:
    """Return the milliseconds of a look and of a command in crowds of each size."""
    found: list[tuple[str, int, float]] = []
    async with open_services(settings) as services:
        game, events = long_game(), EVENTS
        while not await _is_quiet(services.games, await _copy(game, events, services.store, -1)):
            events += 1
        games = [await _copy(game, events, services.store, number) for number in range(max(CROWDS))]
        for crowd in CROWDS:
            some = games[:crowd]
            await _each(some, services.games.game)  # so that what has room is in memory, and the rest has its snapshots
            found.append(("look", crowd, await _each(some, services.games.game)))
            found.append(("command", crowd, await _each(some, lambda each: _move(services.games, each))))
    return found


async def _each(games: list[GameId], work: Callable[[GameId], Awaitable[Any]]) -> float:
    began = time.process_time()
    for game in games:
        await work(game)
    return (time.process_time() - began) * 1000 / len(games)


async def _is_quiet(games: Games, game: GameId) -> bool:
    """Tell whether the copy waits for somebody who may finish a movement."""
    try:
        await _move(games, game)
    except Refusal:
        return False
    return True


async def _move(games: Games, game: GameId) -> None:
    """Have the seat that must decide end a part of its turn. Raises `Refusal`."""
    now = await games.game(game)
    player = now.players[now.decisions[0].seats[0]]
    assert player is not None
    for last, kind in enumerate(TURN, 1 - len(TURN)):
        try:
            await games.act(game, player, Commands([msgspec.json.encode({"type": kind})]))
            return
        except Refusal:
            if not last:
                raise


async def _copy(game: Played, events: int, store: EventStore, number: int) -> GameId:
    """Store the first events of a game as another game."""
    now, copied = game.simulation.game, GameId(f"g{events}x{number}")
    records, previous = list[Record](), genesis(copied)
    for record in game.records[:events]:
        previous = chain_hash(previous, copied, record)
        records.append(replace(record, hash=previous))
    opening = opening_of(game)
    await store.append(Append(copied, 0, records, "running", seats=now.players, opening=opening))
    return copied


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"crowd": bench_crowd}
