"""Readers that follow what happens while everything breaks: none of them may miss, double or reorder anything."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection
from itertools import pairwise
from random import Random
from typing import Any

import httpx
from msgspec import Struct, field

from domain.kernel.ids import StreamId
from domain.kernel.log.record import Record
from domain.transparency.checkpoint import Checkpoint, read_checkpoint
from domain.transparency.note import read_note
from service.store.protocol import EventStore, StoreUnavailable


class StreamReader(Struct, eq=False):
    """Follows one game over server-sent events; when the stream breaks off it goes on elsewhere, where it was."""

    game: str
    seen: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """Version and hash of each event, as they came."""
    broken_off: int = 0

    async def follow(self, addresses: Callable[[], list[str]], rng: Random, stop: asyncio.Event) -> None:
        async with httpx.AsyncClient(timeout=20, trust_env=False) as client:
            while not stop.is_set():
                last = str(self.seen[-1][0]) if self.seen else "0"
                address = f"{rng.choice(addresses())}/v1/games/{self.game}/events/stream"
                try:
                    async with client.stream("GET", address, headers={"Last-Event-ID": last}) as answer:
                        if answer.status_code == 204:
                            return
                        async for line in answer.aiter_lines():
                            if line.startswith("data: "):
                                event: Any = json.loads(line.removeprefix("data: "))
                                self.seen.append((event["version"], event["hash"]))
                except httpx.TransportError:
                    self.broken_off += 1
                await asyncio.sleep(0.02)


class CheckpointReader(Struct, eq=False):
    """Follows the checkpoints of the transparency log: it asks for the newest one again and again."""

    seen: list[Checkpoint] = field(default_factory=list[Checkpoint])

    async def follow(self, newest: Callable[[], Awaitable[str | None]], stop: asyncio.Event) -> None:
        """`newest` returns a note, or None while there is none or nobody answers."""
        while not stop.is_set():
            if note := await newest():
                head = read_checkpoint(read_note(note).text)
                if self.seen[-1:] != [head]:
                    self.seen.append(head)
            await asyncio.sleep(0.1)

    def wrong(self, published: Collection[Checkpoint]) -> list[str]:
        """Say which checkpoints are older than one before, or are not among those that are published."""
        older = [
            f"after {one.size} entries a checkpoint of {two.size} was shown"
            for one, two in pairwise(self.seen)
            if two.size < one.size
        ]
        return older + [f"{each} was shown, and is not published" for each in self.seen if each not in published]


class LogReader(Struct, eq=False):
    """Follows the log of all games by its cursor."""

    seen: list[tuple[StreamId, Record]] = field(default_factory=list[tuple[StreamId, Record]])

    async def follow(self, store: EventStore, stop: asyncio.Event) -> None:
        cursor: str | None = None
        while True:
            last = stop.is_set()
            try:
                records, cursor = await store.read_all(cursor, 500)
            except StoreUnavailable:
                continue
            self.seen += records
            if last and not records:
                return
            await asyncio.sleep(0.01)
