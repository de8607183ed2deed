"""Processes that tell webhooks are killed again and again: everything arrives, under one id for each event.

``python -m tests.bench webhooks`` kills them a hundred times. Bots make what is to be told.
"""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx
from msgspec import Struct

from domain.kernel.ids import PlayerId
from service.base.scopes import EVERYBODYS
from service.store.postgres.distributed import open_store
from service.webhooks.secrets import new_key
from tests.faults.nursery import Nursery, Process, nursery
from tests.service.webhooks.receiving import Receiver, receiving

PROCESSES: Final = 2
PROGRESS: Final = 25
"""The requests that the receiver gets between two kills."""

Told = tuple[str, str, int]
"""A type of events, a game, and a version."""


class Result(Struct, frozen=True):
    """What became of it.

    Attributes:
        told: the deliveries that the log asks for.
        received: how often each of it arrived.
        ids: under which ids.
    """

    told: set[Told]
    received: Counter[Told]
    ids: dict[Told, set[str]]

    @property
    def lost(self) -> set[Told]:
        return self.told - set(self.received)

    @property
    def invented(self) -> set[Told]:
        return set(self.received) - self.told

    @property
    def doubled(self) -> list[Told]:
        """What arrived under several ids; or several under one."""
        of = Counter(each for ids in self.ids.values() for each in ids)
        return [told for told, ids in self.ids.items() if len(ids) > 1 or any(of[each] > 1 for each in ids)]


async def kill_again_and_again(url: str, folder: Path, kills: int) -> Result:
    """Kill all processes `kills` times while bots play, and return what arrived at a webhook about the service."""
    settings = {"data": str(folder), "port": "0", "log_level": "error", "bot_pause": "0", "transparency": "false"}
    settings |= {"webhook_key": new_key(), "outward": "anywhere", "bots_per_account": "off"}
    async with (
        receiving() as receiver,
        nursery({**settings, "database_url": url}, folder / "log") as young,
    ):
        serving = [await young.start() for _ in range(PROCESSES)]
        token = await auditor(serving[0], url)
        await switch_on(serving[0], token, receiver)
        games = list[str]()
        for _ in range(kills):
            async with asking(serving[0], token) as api:
                games += [await begin(api) for _ in range(2)]
            await progress(receiver)
            serving = await kill_all(serving, young)
        async with asking(serving[0], token) as api, asyncio.timeout(300):
            told = {each for game in games for each in await told_of(api, game)}
            await until(lambda: told <= set(received(receiver)))
        ids: dict[Told, set[str]] = {}
        for each in receiver.got:
            if (what := told_by(each.json)) is not None:
                ids.setdefault(what, set()).add(each.headers["webhook-id"])
        return Result(told, received(receiver), ids)


@asynccontextmanager
async def asking(process: Process, token: str = "") -> AsyncIterator[httpx.AsyncClient]:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    async with httpx.AsyncClient(base_url=process.address, timeout=60, trust_env=False, headers=headers) as api:
        yield api


async def auditor(process: Process, url: str) -> str:
    """Return the token of an account that may hear of the whole service."""
    async with asking(process) as api:
        opened = (await api.post("/v1/players", json={"name": "Auditor"})).json()
    store = await open_store(url)
    await store.accounts.grant(PlayerId(opened["player"]["id"]), (*EVERYBODYS, "audit"))
    await store.close()
    await asyncio.sleep(2.5)  # a process remembers for two seconds what an account may do
    async with asking(process, opened["token"]) as api:
        scopes = [*EVERYBODYS, "audit"]
        return (await api.post("/v1/tokens", json={"name": "hooks", "scopes": scopes})).json()["token"]


async def switch_on(process: Process, token: str, receiver: Receiver) -> None:
    async with asking(process, token) as api:
        wish = {"url": receiver.url(), "about": "service", "events": ["game.*"]}
        made = (await api.post("/v1/webhooks", json=wish)).json()["webhook"]
        await becomes(api, f"/v1/webhooks/{made['id']}", "on")


async def begin(api: httpx.AsyncClient) -> str:
    """Return a game between bots that has begun."""
    game = (await api.post("/v1/games", json={"ruleset": "tiny-auction", "players": 2})).json()
    for seat in game["seats"]:
        put = await api.put(f"/v1/games/{game['id']}/seats/{seat['seat']}/bot", json={"level": "random"})
        assert put.is_success, put.text
    started = await api.post(f"/v1/games/{game['id']}/start")
    assert started.is_success, started.text
    return game["id"]


async def progress(receiver: Receiver) -> None:
    """Return when more has arrived."""
    before = len(receiver.got)
    async with asyncio.timeout(120):
        await until(lambda: len(receiver.got) >= before + PROGRESS)


async def until(holds: Callable[[], bool]) -> None:
    """Return when something holds."""
    while not holds():  # noqa: ASYNC110  processes elsewhere bring it about
        await asyncio.sleep(0.02)


async def becomes(api: httpx.AsyncClient, path: str, status: str) -> None:
    """Return when what is at a path has a status."""
    while (await api.get(path)).json()["status"] != status:  # noqa: ASYNC110  as above
        await asyncio.sleep(0.1)


async def kill_all(serving: list[Process], young: Nursery) -> list[Process]:
    for process in serving:
        process.kill()
    return [await young.start() for _ in serving]


async def told_of(api: httpx.AsyncClient, game: str) -> set[Told]:
    """Return the deliveries that a game owes by its log, when it is over."""
    await becomes(api, f"/v1/games/{game}", "over")
    events = (await api.get(f"/v1/games/{game}/events?limit=500")).json()["items"]
    told, step = set[Told](), 0
    schemas = (await api.get("/openapi.json")).json()["components"]["schemas"]
    kinds = schemas["WebhookEvent"]["properties"]["type"]["enum"]
    for event, following in zip(events, [*events[1:], {"cause": {}}], strict=True):
        kind = "game." + re.sub("^game-", "", event["type"]).replace("-", "_")
        if kind in kinds:
            told.add((kind, game, event["version"]))
        else:
            step = event["version"]
        if "cause" in following and step:
            told.add(("game.moved", game, event["version"]))
            step = 0
    return told


def told_by(body: Any) -> Told | None:
    """Return what a request tells; None for a ping."""
    return (body["type"], body["data"]["game"], body["data"]["version"]) if body["type"] != "ping" else None


def received(receiver: Receiver) -> Counter[Told]:
    return Counter(what for each in receiver.got if (what := told_by(each.json)) is not None)
