"""A witness (C2SP `tlog-witness`): it cosigns checkpoints of logs that it knows, as long as each extends the last.

It checks and stores a checkpoint in one transaction, which is on the disk before it answers. So it never cosigns two
trees of one size, nor a smaller one, even if it is killed or two run at once.
"""

import asyncio
import hashlib
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from domain.transparency.checkpoint import Checkpoint, read_checkpoint, verified
from domain.transparency.note import LARGEST, Key, Note, NoteError
from domain.transparency.policy import Policy
from domain.transparency.request import AddCheckpoint, read_add_checkpoint
from domain.transparency.tree import EMPTY, continues
from service.transparency.keys import Signer, check

_TABLE: Final = """
CREATE TABLE IF NOT EXISTS cosigned (
    hash TEXT PRIMARY KEY, origin TEXT NOT NULL, size INTEGER NOT NULL, root BLOB NOT NULL, note TEXT NOT NULL
)
"""

TEXT: Final = "text/plain; charset=utf-8"
SIZE: Final = "text/x.tlog.size"


class Answer(Struct, frozen=True):
    """An answer of a witness."""

    status: int
    body: str
    media: str = TEXT


class Witness:
    """A witness over a file. Any number of threads and processes may use it at once."""

    def __init__(
        self, signer: Signer, policy: Policy, file: Path, now: Callable[[], int] = lambda: int(time.time())
    ) -> None:
        """`policy` has the logs that the witness knows. Raises `sqlite3.Error`."""
        logs: dict[str, list[Key]] = {}
        for party in policy.logs:
            logs.setdefault(party.key.name, []).append(party.key)
        self.signer = signer
        self._logs: Mapping[str, Sequence[Key]] = logs
        self._file = file
        self._now = now
        self._local = threading.local()
        self._connection()

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = sqlite3.connect(self._file, timeout=10, isolation_level=None)
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(_TABLE)
        return connection

    def add_checkpoint(self, content: bytes) -> Answer:
        """Cosign a checkpoint, or say why not."""
        try:
            request = read_add_checkpoint(content)
            head = read_checkpoint(request.note.text)
        except NoteError as error:
            return Answer(400, f"{error}\n")
        keys = self._logs.get(head.origin)
        if keys is None:
            return Answer(404, "This witness does not know the log.\n")
        try:
            signers = verified(request.note, keys, check)
        except NoteError as error:
            return Answer(403, f"{error}\n")
        if not signers:
            return Answer(403, "No key that this witness knows has signed the checkpoint.\n")
        if request.old > head.size:
            return Answer(400, f"The old size {request.old} is larger than {head.size}.\n")
        names = {(key.name, key.id) for key in keys}
        by_log = [each for each in request.note.signatures if (each.name, each.id) in names]
        connection = self._connection()
        connection.execute("BEGIN IMMEDIATE")
        try:
            answer = self._judged(connection, request, head, Note(request.note.text, tuple(by_log)))
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
        return answer

    def _judged(self, connection: sqlite3.Connection, request: AddCheckpoint, head: Checkpoint, note: Note) -> Answer:
        key = origin_hash(head.origin)
        row = connection.execute("SELECT size, root FROM cosigned WHERE hash = ?", (key,)).fetchone()
        size, root = row or (0, EMPTY)
        if request.old != size:
            return Answer(409, f"{size}\n", SIZE)
        if head.size == 0 and head.root != EMPTY:
            return Answer(422, "That is not the root of the empty tree.\n")
        if not continues(size, root, head.size, head.root, request.proof):
            return Answer(422, f"The tree of {head.size} does not go on from the tree of {size} with that proof.\n")
        cosignature = self.signer.signature(note.text, self._now())
        connection.execute(
            "INSERT OR REPLACE INTO cosigned (hash, origin, size, root, note) VALUES (?, ?, ?, ?, ?)",
            (key, head.origin, head.size, head.root, str(note.signed([cosignature]))),
        )
        return Answer(200, str(cosignature))

    def checkpoint(self, key: str) -> Answer:
        """Return the newest cosigned checkpoint of a log. `key` is the hash of its origin (`origin_hash`)."""
        row = self._connection().execute("SELECT note FROM cosigned WHERE hash = ?", (key,)).fetchone()
        return Answer(200, row[0]) if row else Answer(404, "This witness never cosigned a checkpoint of it.\n")


def origin_hash(origin: str) -> str:
    """Return the name of a log in the addresses of a witness."""
    return hashlib.sha256(origin.encode()).hexdigest()


def application(witness: Witness) -> Callable[[Any, Any, Any], Awaitable[None]]:
    """Return the witness as an ASGI application. Requests are handled in threads."""

    async def serve(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        answer = await _answer(witness, scope, receive)
        body = answer.body.encode()
        headers = [(b"content-type", answer.media.encode()), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

    return serve


async def _answer(witness: Witness, scope: Any, receive: Any) -> Answer:
    method, path = scope["method"], scope["path"]
    try:
        if path == "/add-checkpoint":
            if method != "POST":
                return Answer(405, "Send a POST.\n")
            content = await _body(receive)
            if content is None:
                return Answer(413, f"A request has at most {LARGEST} bytes.\n")
            return await asyncio.to_thread(witness.add_checkpoint, content)
        if method not in ("GET", "HEAD"):
            return Answer(405, "Send a GET.\n")
        if path == "/":
            return Answer(200, f"{witness.signer.key}\n")
        parts = path.split("/")
        if len(parts) == 3 and parts[2] == "checkpoint":
            return await asyncio.to_thread(witness.checkpoint, parts[1])
    except sqlite3.Error:
        return Answer(503, "The witness cannot store what it sees.\n")
    return Answer(404, "There is nothing here.\n")


async def _body(receive: Any) -> bytes | None:
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > LARGEST:
            return None
        if message["type"] != "http.request" or not message.get("more_body"):
            return body
