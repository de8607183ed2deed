"""What bots cost others: requests while twenty of the best bots think, against requests while none does."""

import asyncio
import os
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial

from service.bots.client import Client
from service.bots.demonstration import own_service
from service.bots.registry import levels
from tests.bench.measure import Figure, figure
from tests.bench.service import Table, Wire, Work, looks, state_requests

BOTS = 20
RULESETS = ("italia-1", "mare-nostrum", "conquest-campaign", "conquest-classic-friz")
ROUNDS = 6
SECONDS = 8.0
"""How long requests are measured, with bots and without, in turn: so what else the machine does weighs on both."""
TABLES = 4
GAP = 0.02
"""Seconds between two requests over one connection: people wait for an answer before they ask again."""


def bench_bots() -> Iterator[Figure]:
    """Commands and positions of some games, while bots play others on one process and on as many as there are cores."""
    for processes in dict.fromkeys((1, os.cpu_count() or 1)):
        with (
            own_service(bots="0") as quiet,
            own_service(bots=str(processes), bot_pause="0", bots_per_account="off") as busy,
            Client(quiet) as idle,
            Client(busy) as client,
        ):
            games = begin(client)
            alone, beside = ([Table(each, number) for number in range(TABLES)] for each in (idle, client))
            later, waits = list[float](), {"without": list[float](), "with": list[float]()}
            before = events(client, games)
            began = time.perf_counter()
            for _ in range(ROUNDS):
                without, there = (
                    asyncio.run(asked(address, tables)) for address, tables in ((quiet, alone), (busy, beside))
                )
                waits["without"].append(p95(without))
                waits["with"].append(p95(there))
                later.append(p95(there) - p95(without))
            rate = (events(client, games) - before) / (time.perf_counter() - began)
            name = f"bots-{BOTS}-on-{processes}"
            yield figure(f"{name}-p95-later", later, "ms", goal="<= 50")
            for which, values in waits.items():
                yield figure(f"{name}-p95-{which}", values, "ms")
            yield figure(f"{name}-events", [rate], "1/s", note="of the games of the bots")


def begin(client: Client) -> list[str]:
    """Begin games in which twenty of the best bots of some rulesets sit; return their addresses."""
    organizer = client.as_player(client.post("/v1/players", {"name": "organizer"})["token"])
    seated, games = 0, list[str]()
    while seated < BOTS:
        ruleset = RULESETS[len(games) % len(RULESETS)]
        (*_, best), players = levels(ruleset), client.get(f"/v1/rulesets/{ruleset}")["players"]
        wanted = min(players, key=lambda number: abs(number - min(5, BOTS - seated)))
        game = organizer.post("/v1/games", {"ruleset": ruleset, "players": wanted})
        games.append(f"/v1/games/{game['id']}")
        for seat in game["seats"]:
            organizer.put(f"{games[-1]}/seats/{seat['seat']}/bot", {"level": best})
        seated += wanted
        organizer.post(f"{games[-1]}/start", {})
    return games


def events(client: Client, games: list[str]) -> int:
    return sum(client.get(game)["version"] for game in games)


async def asked(address: str, tables: list[Table]) -> list[float]:
    """Return how long commands and positions took that were asked for over and over."""
    until = time.perf_counter() + SECONDS
    times: list[float] = []

    async def ask(once: Work) -> None:
        async with Wire(address) as wire:
            while time.perf_counter() < until:
                times.extend(await once(wire))
                await asyncio.sleep(GAP)

    commands = [partial(table.turns, commands=1) for table in tables]
    reads = [partial(looks, request=request, count=1) for table in tables for request in state_requests(table)]
    await asyncio.gather(*map(ask, (*commands, *reads)))
    return times


def p95(times: list[float]) -> float:
    return statistics.quantiles((took * 1000 for took in times), n=20)[18]


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"bots": bench_bots}
