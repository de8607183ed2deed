"""Recorded games put into a store as they are, with a transparency log that has signed them."""

import asyncio
from collections.abc import Iterable
from pathlib import Path

from domain.kernel.log.history import read_created
from domain.kernel.proof import reading
from domain.kernel.rules.documents import packed
from domain.library import LIBRARY
from service.store.protocol import Append, EventStore, Opening
from service.store.sqlite.store import SqliteStore
from service.transparency.keys import LogKey
from tests.recorded import Recorded
from tests.service.transparency.logs import KEY, sequencer


def appended(game: Recorded, *, private: bool = False) -> Append:
    """Return what puts a recorded game that is over into a store."""
    play = reading.read(game.lines())
    created = read_created(play.records[0])
    last = play.fold(LIBRARY)
    opening = Opening(
        play.ruleset,
        play.ruleset_version,
        f"The title of {play.game}",
        created.organizer,
        bytes(32),
        created.board_key,
        packed(last.board),
        private=private,
    )
    return Append(play.game, 0, play.records, play.status, secrets=play.secrets, seats=last.players, opening=opening)


async def filled(data: Path, games: Iterable[Append], key: LogKey | None = KEY) -> None:
    """Make a SQLite store with games; `key` signs its transparency log."""
    await asyncio.to_thread(data.mkdir, mode=0o700, exist_ok=True)
    store = await SqliteStore.open(data / "tabularium.db", durable=False)
    try:
        for each in games:
            await store.append(each)
        if key is not None:
            await signed(store, data, key)
    finally:
        await store.close()


async def signed(store: EventStore, data: Path, key: LogKey = KEY) -> None:
    """Let the transparency log have the newest heads of all streams."""
    await sequencer(store, data, key).turn()
