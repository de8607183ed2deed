"""Importing games of other services, and reading them (TAB-IMP)."""

import asyncio
import base64
import hashlib
import os
import signal
import sys
from asyncio.subprocess import PIPE
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Final

import msgspec
import zstandard

from domain.importing import Examined
from domain.kernel.ids import PlayerId
from domain.kernel.proof.reading import read
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Library
from service.accounts.limits import Limits
from service.base.clock import Clock, stamp
from service.base.settings import PREFIX
from service.imports import examiner
from service.imports.examiner import TOO_MUCH, Answer, Question
from service.imports.recorded import Recorded
from service.store.accounts import LimitReached
from service.store.imports import ImportId, ImportRow
from service.store.protocol import EventStore

MOST_IMPORTS: Final = 100
"""The most imports of an account."""

LARGEST: Final = 8 * 1024 * 1024
"""The most bytes of a request with an export."""

WAITING: Final = 4
"""The most exports that a process examines or keeps waiting at a time. It examines one after the other."""

PATIENCE: Final = 90
"""Seconds after which an examination is given up, even if it has not used up its processor time."""

OPENED: Final = 4
"""The most opened imports in memory: one of 3 MB takes 30 MB."""

LEVEL: Final = 12
"""The level of zstandard: 1 MB of an export becomes some 150 kB in a fifth of a second."""


class UnknownImport(LookupError):
    """There is no such import."""

    def __init__(self, import_id: ImportId) -> None:
        super().__init__(f"There is no import {import_id!r}.")


class TooManyImports(Exception):
    """An account has as many imports as it may have."""

    def __init__(self) -> None:
        super().__init__(f"You have {MOST_IMPORTS} imports, which is the most.")


class ImportsBusy(Exception):
    """The account imports another export, or too many exports are being examined; the message says which."""


class ExaminerFailed(Exception):
    """The process that examines exports ended without an answer."""


class Imports:
    """The imports of a store."""

    def __init__(self, store: EventStore, library: Library, clock: Clock, limits: Limits) -> None:
        """`limits` bounds how many exports an account can have examined."""
        self._store = store
        self._library = library
        self._clock = clock
        self._limits = limits
        self._bringing = set[PlayerId]()
        self._waiting = 0
        self._one = asyncio.Lock()
        self.examine: Callable[[bytes, Question], Awaitable[Answer]] = ask_examiner
        self._opened = OrderedDict[ImportId, Recorded]()
        self._opening = asyncio.Lock()

    @contextmanager
    def turn(self, player: PlayerId) -> Iterator[None]:
        """Let an account import one export at a time. Raises `ImportsBusy`."""
        if player in self._bringing:
            raise ImportsBusy("Another export of yours is being imported.")
        self._bringing.add(player)
        try:
            yield
        finally:
            self._bringing.discard(player)

    async def bring(
        self, player: PlayerId, content: bytes, certificate: str | None, policy: str | None
    ) -> tuple[ImportRow, bool]:
        """Import the export of a game. Return the stored import, and whether it is new.

        Raises `Refusal`, `TooMany`, `TooManyImports`, `ImportsBusy` or `ExaminerFailed`.
        """
        if certificate is None and policy is None:
            before = await self._store.imports.get(id_of(content, ""))
            if before is not None:
                return before, False
        await self._limits.admit_import(player)
        examined = await self._examined(content, Question(certificate, policy))
        await self._require_elsewhere(examined)
        row = ImportRow(
            import_id=id_of(content, examined.issuer.key if examined.issuer is not None else ""),
            player=player,
            imported=stamp(self._clock),
            ruleset=examined.ruleset,
            found=msgspec.json.encode(examined).decode(),
            certificate=certificate or "",
            policy=policy or "",
            size=len(content),
        )
        packed = await asyncio.to_thread(zstandard.ZstdCompressor(LEVEL).compress, content)
        try:
            row_stored = await self._store.imports.add(row, packed, MOST_IMPORTS)
        except LimitReached:
            raise TooManyImports from None
        return row_stored, row_stored == row

    async def _require_elsewhere(self, examined: Examined) -> None:
        for game in (*examined.past, examined.game):
            if await self._store.game(game) is not None:
                wrong = f"Game {game} is one of this service."
                raise Refusal("TAB-IMP-04", wrong, f"The original is at /games/{game}, for those who may read it.")

    async def _examined(self, content: bytes, question: Question) -> Examined:
        if self._waiting >= WAITING:
            raise ImportsBusy("Other exports are being examined.")
        self._waiting += 1
        try:
            async with self._one:
                answer = await self.examine(content, question)
        finally:
            self._waiting -= 1
        if answer.examined is None:
            refused = answer.refused or TOO_MUCH
            raise Refusal(refused.rule, refused.wrong, refused.allowed)
        return answer.examined

    async def get(self, import_id: ImportId) -> ImportRow:
        """Return an import. Raises `UnknownImport`."""
        row = await self._store.imports.get(import_id)
        if row is None:
            raise UnknownImport(import_id)
        return row

    async def content(self, row: ImportRow) -> bytes:
        """Return the export of an import, unchanged. Raises `UnknownImport`."""
        packed = await self._store.imports.content(row.import_id)
        if packed is None:
            raise UnknownImport(row.import_id)
        return await asyncio.to_thread(zstandard.ZstdDecompressor().decompress, packed, max_output_size=row.size)

    async def opened(self, import_id: ImportId) -> Recorded:
        """Return an imported game, opened for reading. Raises `UnknownImport`."""
        row = await self.get(import_id)  # it may have been deleted
        async with self._opening:
            recorded = self._opened.get(import_id)
            if recorded is None:
                content = await self.content(row)
                recorded = await asyncio.to_thread(_open, content, self._library)
                self._opened[import_id] = recorded
                while len(self._opened) > OPENED:
                    self._opened.popitem(last=False)
            self._opened.move_to_end(import_id)
            return recorded

    async def remove(self, import_id: ImportId) -> None:
        """Delete an import."""
        await self._store.imports.remove(import_id)
        self._opened.pop(import_id, None)


def id_of(content: bytes, key: str) -> ImportId:
    """Return the id of an import. It follows from the export and `key`, that of the issuer; empty without one."""
    digest = hashlib.sha256(b"tabularium-import/1\n" + hashlib.sha256(content).digest() + key.encode()).digest()
    return ImportId("x" + base64.b32encode(digest[:10]).decode().lower())


def found_in(row: ImportRow) -> Examined:
    """Return the result of the examination of an import."""
    return msgspec.json.decode(row.found, type=Examined)


def _open(content: bytes, library: Library) -> Recorded:
    return Recorded(read(content.splitlines(keepends=True)), library)


async def ask_examiner(content: bytes, question: Question) -> Answer:
    """Return the answer of an examiner on an export. Raises `ExaminerFailed`."""
    # Do not pass on the settings of the service, which name its database and keys.
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", examiner.__name__),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        env={name: value for name, value in os.environ.items() if not name.startswith(PREFIX)},
        start_new_session=True,  # else Ctrl-C in a terminal reaches the process, too, and it fails before we end it
    )
    try:
        async with asyncio.timeout(PATIENCE):
            answer, errors = await process.communicate(msgspec.json.encode(question) + b"\n" + content)
    except TimeoutError:
        return Answer(refused=TOO_MUCH)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return Answer(refused=TOO_MUCH)
    if process.returncode:
        raise ExaminerFailed(errors.decode(errors="replace")[-2000:] or f"it ended with {process.returncode}")
    return msgspec.json.decode(answer, type=Answer)
