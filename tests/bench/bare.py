"""The bare route that the service is held against: Litestar on uvicorn, one durable SQLite insert, nothing else."""

import sqlite3
import sys
from pathlib import Path

import uvicorn
import uvloop
from litestar import Litestar, Response, get, post

from service.sockets import listen

PAYLOAD = "x" * 300
"""About the size of a stored event."""


def app_on(database: Path) -> Litestar:
    connection = sqlite3.connect(database, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE event (id INTEGER PRIMARY KEY, body TEXT NOT NULL)")

    @post("/insert")
    async def insert(body: bytes) -> dict[str, int]:
        cursor = connection.execute("INSERT INTO event (body) VALUES (?)", (PAYLOAD,))
        return {"id": cursor.lastrowid or 0}

    kept = b""

    @post("/keep")
    async def keep(body: bytes) -> None:
        nonlocal kept
        kept = body

    @get("/kept")
    async def show() -> Response[bytes]:
        return Response(kept, media_type="application/json")

    return Litestar([insert, keep, show], openapi_config=None)


async def main(folder: Path) -> None:
    with listen("127.0.0.1", 0) as listening:
        print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
        config = uvicorn.Config(app_on(folder / "bare.db"), lifespan="off", log_config=None, access_log=False)
        await uvicorn.Server(config).serve(sockets=[listening])


if __name__ == "__main__":
    uvloop.run(main(Path(sys.argv[1])))
