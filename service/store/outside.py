"""Contents of segments outside of the database: files in a folder, or objects in an S3 bucket.

A content is stored under its SHA-256, which the row of its segment has, and checked against it when it is read. So a
content never changes, and storing it twice does no harm. Nothing here deletes a content: a copy of the database may
need it.
"""

import asyncio
import os
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from service.base.extras import needs_extra
from service.base.private import make_folder, sync_directory
from service.observe.logging import log
from service.store.protocol import ArchiveAway
from service.store.segments import SegmentDamaged, SegmentMissing

Outcome = Literal["read", "missing", "damaged", "away"]
"""The outcome of reading a segment."""

PATIENCE: Final = 3.0
"""Seconds after which a read fails, counted from the request."""

WRITING: Final = 30.0
"""Seconds after which storing a content fails."""

PAUSE: Final = 5.0
"""Seconds for which reads fail at once after the place did not answer."""

AT_ONCE: Final = 16
"""The most reads at once in a process."""

CACHED: Final = 32 * 1024 * 1024
"""Bytes of contents that a process keeps in memory: about 3,000 segments."""

LARGEST: Final = 64 * 1024 * 1024
"""The most bytes of a content. 512 records usually take a thousandth of that."""

_SCHEME: Final = "s3://"


class PlaceAway(Exception):
    """A place does not answer, or refuses; the message is one line."""


class Place(Protocol):
    """A place that stores contents, by the hex digits of their SHA-256."""

    async def get(self, name: str) -> bytes | None:
        """Return a content, or None when it is not there. If it is damaged, only its beginning may come. Raises
        `PlaceAway`."""
        ...

    async def put(self, name: str, content: bytes) -> None:
        """Store a content durably; replace one with the same digest. Raises `PlaceAway`."""
        ...


class Folder:
    """Files in a folder, which must exist: a missing folder may be one that is not mounted. Only their owner can read
    them."""

    def __init__(self, root: Path) -> None:
        self._root = root
        # Own threads: a file system that hangs must not stop other work that the process does in threads.
        self._threads = ThreadPoolExecutor(4, "archive")

    async def get(self, name: str) -> bytes | None:
        return await self._in_thread(self._get, name)

    async def put(self, name: str, content: bytes) -> None:
        await self._in_thread(self._put, name, content)

    async def _in_thread(self, work: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)
        except OSError as error:
            raise PlaceAway(f"{self._root}: {error.strerror or error}") from error

    def _get(self, name: str) -> bytes | None:
        try:
            with self._path(name).open("rb") as file:
                return file.read(LARGEST)
        except FileNotFoundError:
            if self._root.is_dir():
                return None
            raise

    def _put(self, name: str, content: bytes) -> None:
        path = self._path(name)
        sync_directory(self._root)  # raises when there is none
        make_folder(path.parent)
        new = path.with_name(f"{name}.new-{os.getpid()}")
        try:
            with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)
        sync_directory(path.parent)
        sync_directory(self._root)

    def _path(self, name: str) -> Path:
        return self._root / name[:2] / name


class Bucket:
    """Objects in a bucket of AWS, or of another server with its protocol (``AWS_ENDPOINT_URL``)."""

    def __init__(self, address: str) -> None:
        """`address` names the bucket and may end with a prefix. Raises `MissingExtra`, `PlaceAway`."""
        with needs_extra("bucket", "A bucket for the archive"):
            import obstore
            from obstore import store
        self._obstore = obstore
        self._failures = (obstore.exceptions.BaseError, OSError, ValueError)
        is_plain = os.environ.get("AWS_ENDPOINT_URL", "").startswith("http:")
        try:
            self._store = store.S3Store.from_url(
                address,
                client_options={
                    "timeout": timedelta(seconds=WRITING),
                    "connect_timeout": timedelta(seconds=2),
                    "allow_http": is_plain,
                },
                retry_config={"max_retries": 2, "retry_timeout": timedelta(seconds=PATIENCE)},
            )
        except self._failures as error:
            raise PlaceAway(_first_line(error)) from error

    async def get(self, name: str) -> bytes | None:
        try:
            answer = await self._obstore.get_async(self._store, _key(name))
            if answer.meta["size"] > LARGEST:
                return b""
            return bytes(await answer.bytes_async())
        except FileNotFoundError:
            return None
        except self._failures as error:
            raise PlaceAway(_first_line(error)) from error

    async def put(self, name: str, content: bytes) -> None:
        try:
            await self._obstore.put_async(self._store, _key(name), content, use_multipart=False)
        except self._failures as error:
            raise PlaceAway(_first_line(error)) from error


def place_of(address: str) -> Place | None:
    """Return the place that a setting names; None for the database. Raises `MissingExtra`, `PlaceAway`."""
    if not address:
        return None
    return Bucket(address) if address.startswith(_SCHEME) else Folder(Path(address).expanduser().absolute())


async def stored(place: Place, content: bytes) -> bytes:
    """Store a content, read it back, and return its digest. Raises `PlaceAway`, `SegmentDamaged`."""
    digest = sha256(content).digest()
    try:
        async with asyncio.timeout(WRITING):
            await place.put(digest.hex(), content)
    except TimeoutError:
        raise PlaceAway(f"no answer for {WRITING:.0f} s") from None
    if await read(place, digest) != content:
        raise SegmentDamaged("a segment was not stored as it was packed")
    return digest


async def read(place: Place, digest: bytes) -> bytes | None:
    """Return a content; None when it is not there, or not as it was stored. Raises `PlaceAway`."""
    try:
        async with asyncio.timeout(WRITING):
            content = await place.get(digest.hex())
    except TimeoutError:
        raise PlaceAway(f"no answer for {WRITING:.0f} s") from None
    return content if content is not None and sha256(content).digest() == digest else None


class Outside:
    """Reads contents from a place or from memory. Callers that want the same content at the same time share one read.

    If the place does not answer, a read fails after `PATIENCE`, and further reads fail at once for the next `PAUSE`.
    """

    def __init__(self, place: Place | None = None, count: Callable[[Outcome], None] = lambda outcome: None) -> None:
        """`count` is called with the outcome of each read of a segment."""
        self._place = place
        self.count = count
        self._cached: OrderedDict[bytes, bytes] = OrderedDict()
        self._bytes_held = 0
        self._under_way: dict[bytes, asyncio.Task[bytes]] = {}
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._resting_until = 0.0

    async def content(self, digest: bytes, *, anew: bool = False) -> bytes:
        """Return a content by its digest; with `anew`, not from memory.

        Raises:
            SegmentMissing: it is not there.
            SegmentDamaged: it is not what was stored.
            ArchiveAway: the place does not answer.
        """
        cached = None if anew else self._cached.get(digest)
        if cached is not None:
            self._cached.move_to_end(digest)
            return cached
        task = self._under_way.get(digest)
        if task is None:
            task = self._under_way[digest] = asyncio.create_task(self._read(digest))
            task.add_done_callback(lambda finished_task: self._on_read_end(digest, finished_task))
        # The caller who asked first may be gone before the others.
        return await asyncio.shield(task)

    def _on_read_end(self, digest: bytes, task: asyncio.Task[bytes]) -> None:
        del self._under_way[digest]
        if not task.cancelled():
            task.exception()  # otherwise asyncio logs an error when nobody waits for it any more

    async def _read(self, digest: bytes) -> bytes:
        if self._place is None:
            raise ArchiveAway("a segment is kept outside of the database, and TABULARIUM_ARCHIVE does not say where")
        self._require_awake()
        try:
            async with asyncio.timeout(PATIENCE), self._turns:
                self._require_awake()  # the reads before this one may have failed while it waited
                content = await self._place.get(digest.hex())
        except (PlaceAway, TimeoutError) as error:
            why = str(error) or f"no answer for {PATIENCE:.0f} s"
            if time.monotonic() >= self._resting_until:
                log.error("the archive does not answer", why=why)
            self._resting_until = time.monotonic() + PAUSE
            raise ArchiveAway(f"the archive does not answer: {why}") from error
        if content is None:
            raise SegmentMissing(f"its content {digest.hex()} is missing from the archive")
        if sha256(content).digest() != digest:
            raise SegmentDamaged(f"its content {digest.hex()} was changed in the archive")
        self._keep(digest, content)
        return content

    def _require_awake(self) -> None:
        if time.monotonic() < self._resting_until:
            raise ArchiveAway("the archive did not answer a moment ago")

    def _keep(self, digest: bytes, content: bytes) -> None:
        self._bytes_held += len(content) - len(self._cached.get(digest, b""))
        self._cached[digest] = content
        while self._bytes_held > CACHED:
            _, dropped = self._cached.popitem(last=False)
            self._bytes_held -= len(dropped)


def _key(name: str) -> str:
    return f"{name[:2]}/{name}"


def _first_line(error: BaseException) -> str:
    """Return the message of obstore, without the source that follows it."""
    return " ".join(str(error).partition("\n")[0].split()) or type(error).__name__
