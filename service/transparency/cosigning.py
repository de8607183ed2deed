"""Sending checkpoints to witnesses, and keeping their cosignatures."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Final

import httpx

from domain.transparency.checkpoint import read_checkpoint, verified
from domain.transparency.note import Note, NoteError, read_note, read_signatures
from domain.transparency.policy import Party
from domain.transparency.request import AddCheckpoint
from service.observe.background import background
from service.observe.logging import log
from service.store.protocol import StoreError
from service.store.transparency import Published, TreeStore
from service.transparency.keys import check
from service.transparency.log import TransparencyLog

EVERY: Final = 1.0
"""Seconds between two looks for a checkpoint that witnesses have not seen."""

TIMEOUT: Final = 10.0
"""Seconds in which a witness has to answer."""


class WitnessAhead(Exception):
    """A witness has seen a larger tree than the database has: the database was restored from an older copy."""


class Cosigning:
    """Brings the newest checkpoint to the witnesses. A witness that does not answer is tried again at every look."""

    def __init__(self, tree: TreeStore, witnesses: Mapping[str, Party], http: httpx.AsyncClient) -> None:
        self._tree = tree
        self._log = TransparencyLog(tree)
        self._witnesses = {name: party for name, party in witnesses.items() if party.url}
        self._http = http
        self._sizes_seen = dict.fromkeys(self._witnesses, 0)
        self._last_cosigned: dict[str, tuple[str, int]] = {}
        self._logged: dict[str, str] = {}

    async def look(self) -> None:
        """Send the newest checkpoint to the witnesses that have not seen it. Raises `WitnessAhead` or `StoreError`."""
        newest = await self._tree.published()
        if newest is None:
            return
        missing = [name for name in self._witnesses if self._last_cosigned.get(name) != (newest.origin, newest.size)]
        outcomes = await asyncio.gather(*(self._bring(name, newest) for name in missing), return_exceptions=True)
        for name, outcome in zip(missing, outcomes, strict=True):
            if isinstance(outcome, (WitnessAhead, StoreError)):
                raise outcome
            if isinstance(outcome, (httpx.HTTPError, httpx.InvalidURL, NoteError)):
                self._tell(name, f"{outcome}" or type(outcome).__name__)
            elif outcome is not None:
                raise outcome
            else:
                self._logged.pop(name, None)

    def _tell(self, name: str, why: str) -> None:
        if self._logged.get(name) != why:
            self._logged[name] = why
            log.warning("a witness did not cosign", witness=name, why=why)

    async def _bring(self, name: str, newest: Published) -> None:
        party, note = self._witnesses[name], read_note(newest.note)
        url = f"{(party.url or '').rstrip('/')}/add-checkpoint"
        for _ in range(2):
            old = min(self._sizes_seen[name], newest.size)
            proof = await self._log.consistency(old, newest.size)
            body = str(AddCheckpoint(old, tuple(proof), note)).encode()
            answer = await self._http.post(url, content=body, timeout=TIMEOUT)
            if answer.status_code == 200:
                await self._keep(name, party, newest, answer.text)
                return
            if answer.status_code != 409:
                raise NoteError(f"{url} answers {answer.status_code}: {answer.text.strip()[:200]}")
            self._sizes_seen[name] = await self._size(name, newest, answer.text)
        raise NoteError(f"{url} does not say which checkpoint it cosigned last")

    async def _size(self, name: str, newest: Published, body: str) -> int:
        size = int(body) if body.strip().isdecimal() and len(body) < 20 else 0
        if size > newest.size:
            head = await self._tree.head()
            if head is None or head.size < size:
                have = head.size if head is not None else 0
                raise WitnessAhead(
                    f"the witness {name} has seen {size} entries of {newest.origin}, and the database has {have}:"
                    " the database was restored from an older copy"
                )
        return size

    async def _keep(self, name: str, party: Party, newest: Published, answer: str) -> None:
        text = read_note(newest.note).text
        lines = [line for line in read_signatures(answer) if line.is_by(party.key)]
        if not verified(Note(text, tuple(lines)), [party.key], check):
            raise NoteError(f"the witness {name} answers with a signature of another key")
        await self._tree.cosign(newest.origin, newest.size, str(lines[0]))
        self._sizes_seen[name] = read_checkpoint(text).size
        self._last_cosigned[name] = (newest.origin, newest.size)


@asynccontextmanager
async def cosigning(
    tree: TreeStore, witnesses: Mapping[str, Party], leads: Callable[[], bool], stop: Callable[[str], None]
) -> AsyncIterator[None]:
    """Bring checkpoints to witnesses while this process signs them (`leads`). Call `stop` when a witness has seen more
    entries than the database has.
    """
    if not any(party.url for party in witnesses.values()):
        yield
        return
    async with httpx.AsyncClient(trust_env=False) as http:
        bringing = Cosigning(tree, witnesses, http)

        async def work() -> None:
            while True:
                if leads():
                    try:
                        await bringing.look()
                    except WitnessAhead as error:
                        stop(str(error))
                    except StoreError as error:
                        log.warning("checkpoints wait for witnesses", why=str(error))
                await asyncio.sleep(EVERY)

        async with background("checkpoints are cosigned", work()):
            yield
