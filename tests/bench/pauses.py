"""How long the event loop stands still while Python searches for garbage, and what it costs in memory to search less.

By the thread's own clock: other work on the machine makes no pause longer.
"""

import asyncio
import gc
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Final

import msgspec

from domain.kernel.ids import GameId, PlayerId
from service.api.services import Services
from service.app import open_services
from service.base.settings import Settings
from service.games.acts import Commands, Start, TakeSeat
from service.games.creating import create_game
from service.observe import garbage
from tests.bench.measure import Figure, figure, resident
from tests.bench.service import TURN

GAMES: Final = 1000
COMMANDS: Final = 3000
PLAYERS: Final = (PlayerId("p1"), PlayerId("p2"))


def bench_pauses() -> Iterator[Figure]:
    """Games are made and played, in a process of its own each: with Python's own settings, and with those of the
    service.

    Both are left with the same memory, so the garbage is found either way.
    """
    note = f"{GAMES} games made, then {COMMANDS} commands to them"
    for how in ("default", "aside"):
        done = subprocess.run(
            [sys.executable, "-m", "tests.bench.pauses", how], capture_output=True, text=True, check=True
        ).stdout
        worst, memory, grown, command = map(float, done.split())
        yield figure(f"pauses-{how}-worst", [worst], "ms", goal="<= 20" if how == "aside" else "", note=note)
        yield figure(f"pauses-{how}-memory", [memory], "MB", note=f"resident at the end; the commands added {grown}")
        yield figure(f"pauses-{how}-command", [command], "ms", note="processor time of a command, without HTTP")


async def _play(how: str, folder: Path) -> None:
    settings = Settings(data=folder, durable=False, projections=False, transparency=False, bots=0)
    async with open_services(settings) as services:
        with garbage.set_aside() if how == "aside" else nullcontext():
            pauses = _watch()
            games = [await _begun(services) for _ in range(GAMES)]
            before, began = resident(), time.thread_time()
            for number in range(COMMANDS):
                await _move(services, games[number % GAMES], TURN[number // GAMES % len(TURN)])
            took = (time.thread_time() - began) / COMMANDS
            print(max(pauses) * 1000, resident() / 1e6, (resident() - before) / 1e6, took * 1000)


def _watch() -> list[float]:
    """Return the list to which the seconds of every search from now on are added."""
    pauses, began = list[float](), 0.0

    def told(phase: str, info: dict[str, int]) -> None:
        nonlocal began
        if phase == "start":
            began = time.thread_time()
        else:
            pauses.append(time.thread_time() - began)

    gc.callbacks.append(told)
    return pauses


async def _begun(services: Services) -> GameId:
    games = services.games
    made = await create_game(games, PLAYERS[0], "conquest-classic-friz", len(PLAYERS))
    for player, seat in zip(PLAYERS, made.state.players, strict=True):
        await games.act(made.state.id, player, TakeSeat(seat))
    await games.act(made.state.id, PLAYERS[0], Start())
    return made.state.id


async def _move(services: Services, game: GameId, command: str) -> None:
    now = await services.games.game(game)
    player = now.players[now.decisions[0].seats[0]]
    assert player is not None
    await services.games.act(game, player, Commands([msgspec.json.encode({"type": command})]))


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"pauses": bench_pauses}

if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tabularium-") as folder:
        asyncio.run(_play(sys.argv[1], Path(folder)))
