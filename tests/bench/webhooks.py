"""How soon a thousand webhooks get events, half of which are dead or slow, and whether a hundred kills lose any.

The receivers are a process of their own: a hundred addresses of this machine, ten webhooks on each. Every event goes to
a hundred webhooks. Of the bad half some never answer, some take ten seconds, some fail, and some ports are closed.
"""

import asyncio
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import uvloop
from msgspec.structs import replace

from domain.kernel.ids import GameId, PlayerId
from service.api.services import Services
from service.app import open_services
from service.base.clock import stamped
from service.base.settings import Settings
from service.cluster.wake import LocalWake
from service.observe.logging import configure
from service.store.accounts import PlayerRow
from service.store.webhooks import DeliveryId, DeliveryRow, HookId, HookRow
from service.webhooks.events import MOVED
from service.webhooks.secrets import Sealer, new_key, new_secret
from tests.bench.measure import Figure, figure
from tests.faults.hooks import Result, kill_again_and_again
from tests.helpers.postgres import shared_cluster
from tests.service.rig import LIBRARY, Rig, own_board

WEBHOOKS: Final = 1000
HOSTS: Final = 100
GAMES: Final = 10
SECONDS: Final = 60
PAUSE: Final = 1.0
"""Seconds between two events."""
KILLS: Final = 100
BAD: Final = {1: "hang", 3: "slow", 5: "fail", 7: "closed"}
"""What becomes of a webhook with this number, counted by eights; the others are well."""


def bench_webhooks() -> Iterator[Figure]:
    for kind in ("sqlite", "postgres"):
        began = time.process_time()
        late = uvloop.run(_bench(kind))
        p95, spent = sorted(late)[int(len(late) * 0.95)], time.process_time() - began
        note = (
            f"{WEBHOOKS} webhooks, half dead or slow, on {kind}; {len(late)} first attempts at those that are well;"
            f" the service took {spent:.0f} s of processor"
        )
        yield Figure("webhooks-lateness-p95", p95, "s", min(late), max(late), len(late), "<= 2", note)


def bench_webhook_kills() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="tabularium-") as folder:
        result = asyncio.run(_kill(Path(folder)))
    told, sent = len(result.told), sum(result.received.values())
    note = f"{KILLS} kills of all processes; {told} events, {sent} requests"
    yield figure("webhooks-lost", [len(result.lost)], "events", goal="0", note=note)
    yield figure("webhooks-doubled", [len(result.doubled)], "events", goal="0", note="with more than one id")
    yield figure("webhooks-invented", [len(result.invented)], "events", goal="0", note="which no log has")


async def _kill(folder: Path) -> Result:
    async with shared_cluster().database() as url:
        return await kill_again_and_again(url, folder, KILLS)


async def _bench(kind: str) -> list[float]:
    with tempfile.TemporaryDirectory(prefix="tabularium-") as name:
        folder = Path(name)
        receiver = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.bench.webhooks", str(folder / "got")), stdout=subprocess.PIPE
        )
        assert receiver.stdout is not None
        port = int(await receiver.stdout.readline())
        try:
            if kind == "postgres":
                async with shared_cluster().database() as url:
                    await _told(Settings(data=folder, database_url=url, **_SETTINGS), port)
            else:
                await _told(Settings(data=folder, **_SETTINGS), port)
        finally:
            receiver.terminate()
            await receiver.wait()
        return [late for path, late in map(json.loads, (folder / "got").read_text().splitlines()) if path == "/well"]


_KEY: Final = new_key()
_SETTINGS: Final[dict[str, Any]] = {
    "webhook_key": _KEY,
    "outward": "anywhere",
    "bots": 0,
    "transparency": False,
    "log_level": "error",
}


async def _told(settings: Settings, port: int) -> None:
    """Play, and have the webhooks told."""
    configure(settings.log_level)
    async with open_services(settings, LIBRARY, own_board) as services:
        rig = Rig(services.games, services.store, LocalWake(), services.accounts, settings)
        games = [await rig.begun(rounds=3) for _ in range(GAMES)]
        await _switch_on(services, games, port)
        until, rng = time.monotonic() + SECONDS, random.Random(1)
        while time.monotonic() < until:
            game = rng.choice([each for each in games if (await services.games.game(each)).status == "running"])
            now = await services.games.game(game)
            decision = now.decisions[0]
            player = now.players[decision.seats[0]]
            assert player is not None
            if decision.kind == "choose-card":
                await rig.give(game, player, "choose-card", card=await rig.first_card(game, decision.seats[0]))
            elif decision.kind == "put-up-prize":
                await rig.give(game, player, "put-up", coins=1)
                await rig.give(game, player, "open-bidding")
            else:
                await rig.give(game, player, "open-bidding")
            await asyncio.sleep(PAUSE)
        await asyncio.sleep(5)


async def _switch_on(services: Services, games: list[GameId], port: int) -> None:
    sealer, now = Sealer(lambda: _KEY), services.games.time()
    since = str(await services.store.end())
    await services.store.accounts.add(PlayerRow(PlayerId("pmany"), "Many", now))
    for number in range(WEBHOOKS):
        host, kind = f"127.0.0.{1 + number % HOSTS}", BAD.get(number // HOSTS % 8, "well")
        where = 1 if kind == "closed" else port
        row = HookRow(
            webhook=HookId(f"w{number}"),
            player=PlayerId("pmany"),
            about="game",
            subject=games[number % GAMES],
            url=f"http://{host}:{where}/{kind}",
            host=host,
            form="standard",
            events=(MOVED,),
            secret=sealer.seal(new_secret()),
            created=now,
        )
        await _add(services, replace(row, status="on", since=since))


async def _add(services: Services, row: HookRow) -> None:
    ping = DeliveryRow(DeliveryId(f"p{row.webhook}"), row.webhook, "ping", "{}", row.created, row.created, "delivered")
    await services.store.webhooks.add(row, ping, "", b"", WEBHOOKS)


# --- the receivers ---


async def _receive(port: int, got: Path) -> None:
    with got.open("w") as file:

        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"(?i)content-length: (\d+)", head)
            assert length is not None
            body = json.loads(await reader.readexactly(int(length[1])))
            at = time.time()
            path = head.split()[1].decode()
            told = stamped(body["timestamp"]).timestamp()
            file.write(json.dumps([path, at - told]) + "\n")
            file.flush()
            if path == "/hang":
                await asyncio.sleep(60)
            if path == "/slow":
                await asyncio.sleep(10)
            writer.write(b"HTTP/1.1 500 No\r\n\r\n" if path == "/fail" else b"HTTP/1.1 204 Fine\r\n\r\n")
            writer.close()

        for number in range(HOSTS):
            server = await asyncio.start_server(handle, f"127.0.0.{1 + number}", port)
            port = server.sockets[0].getsockname()[1]
        print(port, flush=True)
        await asyncio.Event().wait()


BENCHMARKS: Final = {"webhooks": bench_webhooks, "webhook-kills": bench_webhook_kills}

if __name__ == "__main__":
    asyncio.run(_receive(0, Path(sys.argv[1])))
