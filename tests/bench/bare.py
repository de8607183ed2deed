"""The bare routes that the service is held against: Litestar on uvicorn, one durable insert, nothing else.

``python -m tests.bench.bare sqlite FOLDER``, or ``postgres DATABASE REDIS``: the latter publishes a message as well.
"""

import sqlite3
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import asyncpg
import uvicorn
import uvloop
from litestar import Litestar, Response, get, post
from redis.asyncio import Redis

from service.base.sockets import listen

PAYLOAD = "x" * 300
"""About the size of a stored event."""

Insert = Callable[[], Awaitable[int]]
"""Stores a row durably; returns its number."""


def on_sqlite(database: Path) -> Insert:
    connection = sqlite3.connect(database, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE event (id INTEGER PRIMARY KEY, body TEXT NOT NULL)")

    async def insert() -> int:
        cursor = connection.execute("INSERT INTO event (body) VALUES (?)", (PAYLOAD,))
        return cursor.lastrowid or 0

    return insert


async def as_it_is(connection: Any) -> None:
    """Leave a connection as it is: asyncpg's own way of giving it back is a question more to the database."""


async def on_postgres(database: str, redis: str) -> Insert:
    pool: Any = await asyncpg.create_pool(database, min_size=8, max_size=8, reset=as_it_is)
    messages = Redis.from_url(redis)

    async def insert() -> int:
        number = await pool.fetchval("INSERT INTO bare (body) VALUES ($1) RETURNING id", PAYLOAD)
        await messages.publish("events", str(number))
        return number

    return insert


def app_with(insert: Insert) -> Litestar:
    @post("/insert")
    async def add(body: bytes) -> dict[str, int]:
        return {"id": await insert()}

    kept = b""

    @post("/keep")
    async def keep(body: bytes) -> None:
        nonlocal kept
        kept = body

    @get("/kept")
    async def show() -> Response[bytes]:
        return Response(kept, media_type="application/json")

    @get("/metrics", media_type="text/plain")
    async def tell() -> str:
        return f"process_cpu_seconds_total {time.process_time()}\n"

    return Litestar([add, keep, show, tell], openapi_config=None)


async def main(store: str, *places: str) -> None:
    insert = on_sqlite(Path(places[0]) / "bare.db") if store == "sqlite" else await on_postgres(*places)
    with listen("127.0.0.1", 0) as listening:
        print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
        config = uvicorn.Config(app_with(insert), lifespan="off", log_config=None, access_log=False)
        await uvicorn.Server(config).serve(sockets=[listening])


if __name__ == "__main__":
    uvloop.run(main(*sys.argv[1:]))
