"""The processes that play bots are killed many times: the games go on, and no decision is answered twice."""

import asyncio
import contextlib
import os
from pathlib import Path
from typing import Any, Final

import httpx

from domain.kernel.ids import PlayerId
from domain.kernel.proof.verify import verify
from service.games.requests import hashed_key
from tests.faults.nursery import LIBRARY, Nursery, Process, nursery

KILLS: Final = 4
PROGRESS: Final = 12
"""The events between two kills."""

GAMES: Final = {"tiny-auction": 3, "conquest-classic-friz": 2}


async def test_bots_play_on_whoever_is_killed_and_answer_once(tmp_path: Path, postgres_url: str) -> None:
    given = {"data": str(tmp_path), "port": "0", "log_level": "error", "bot_pause": "0", "transparency": "false"}
    async with nursery({**given, "database_url": postgres_url}, tmp_path / "log") as young:
        serving = [await young.start() for _ in range(2)]
        games, players = await begin(serving[0])
        for _ in range(KILLS):
            await progress(serving[0], games)
            serving = await kill_all(serving, young)
        await progress(serving[0], games)
        async with asking(serving[0]) as api:
            for game in games:
                verdict = verify((await api.get(f"/v1/games/{game}/export")).content.splitlines(True), LIBRARY)
                assert verdict.ok, verdict.problem
                acts = [event for event in await log_of(api, game) if "command" in event.get("cause", {})]
                assert {event["cause"]["player"] for event in acts} <= players
                keys = [event["cause"]["key"] for event in acts]
                assert len(set(keys)) == len(keys)
                # Each was decided on the version that it follows: nothing that came late was taken.
                seen = [hashed_key(PlayerId(each["cause"]["player"]), f"bot-{each['version'] - 1}") for each in acts]
                assert keys == seen


def asking(process: Process) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=process.address, timeout=60, trust_env=False)


async def begin(process: Process) -> tuple[list[str], set[str]]:
    """Return games between bots that have begun, and the bots."""
    async with asking(process) as api:
        organizer = (await api.post("/v1/players", json={"name": "Organizer"})).json()["token"]
        api.headers["authorization"] = f"Bearer {organizer}"
        games, players = list[str](), set[str]()
        for ruleset, seats in [*GAMES.items()] * 2:
            game = (await api.post("/v1/games", json={"ruleset": ruleset, "players": seats})).json()
            for seat in game["seats"]:
                url = f"/v1/games/{game['id']}/seats/{seat['seat']}/bot"
                put = await api.put(url, json={"level": "random"})
                assert put.is_success, put.text
                players.add(put.json()["events"][0]["event"]["player"])
            assert (await api.post(f"/v1/games/{game['id']}/start")).is_success
            games.append(game["id"])
    return games, players


async def progress(process: Process, games: list[str]) -> None:
    """Return when `PROGRESS` events have happened, and at least one in each game that is not over."""
    async with asking(process) as api, asyncio.timeout(120):

        async def look() -> list[Any]:
            return [(await api.get(f"/v1/games/{game}")).json() for game in games]

        before = await look()
        while True:
            grown = [after["version"] - each["version"] for after, each in zip(await look(), before, strict=True)]
            running = [many for many, each in zip(grown, before, strict=True) if each["status"] == "running"]
            if all(running) and sum(grown) >= PROGRESS:
                return
            await asyncio.sleep(0.05)


async def kill_all(serving: list[Process], young: Nursery) -> list[Process]:
    """Kill all processes, whatever they are doing, and return others; those that thought for them end by themselves."""
    children = [child for process in serving for child in children_of(process)]
    for process in serving:
        process.kill()
    started = [await young.start() for _ in serving]
    async with asyncio.timeout(60):
        while any(is_alive(child) for child in children):  # noqa: ASYNC110  the system tells nobody but their parent
            await asyncio.sleep(0.05)
    return started


def children_of(process: Process) -> list[int]:
    text = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return [int(child) for child in text.split()]


def is_alive(process: int) -> bool:
    with contextlib.suppress(OSError):
        os.kill(process, 0)
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    return False


async def log_of(api: httpx.AsyncClient, game: str) -> list[Any]:
    events, after = list[Any](), 0
    while after is not None:
        page = (await api.get(f"/v1/games/{game}/events", params={"after": after, "limit": 500})).json()
        events, after = [*events, *page["items"]], page["next"]
    return events
