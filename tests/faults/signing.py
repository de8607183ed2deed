"""Two sequencers and two witnesses at once, each killed again and again: of one size there is one root.

``python -m tests.faults.signing [KILLS]`` does it on both stores, 500 times unless told otherwise.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from msgspec import Struct

from domain.transparency.checkpoint import Checkpoint, read_checkpoint, verified
from domain.transparency.note import read_note
from domain.transparency.tree import Frontier, leaf_hash
from service.store.protocol import EventStore, StoreError
from service.transparency.keys import check
from service.transparency.witness import Witness, origin_hash
from tests.faults.signers import CLUB, NOTED, POLICY, WRONG, open_store
from tests.helpers.ports import reserved
from tests.helpers.postgres import cluster
from tests.service.transparency.logs import KEY, Streams, check_log, is_signed

STREAMS: Final = 12
BETWEEN_KILLS: Final = (0.02, 0.3)
"""Seconds from one kill to the next, at least and at most."""

PATIENCE: Final = 60
"""Seconds in which everything must be signed and cosigned once nobody is killed any more."""


class Report(Struct, frozen=True):
    """What happened, and what was found wrong afterwards: nothing, that is."""

    counts: dict[str, int]
    faults: list[str]


async def signing(place: str, folder: Path, kills: int, seed: int = 14) -> Report:
    """Let streams go on while those who sign are killed so often; return what was signed and what is wrong with it."""
    rng, counts = Random(seed), Counter[str]()
    held = [reserved(), reserved()]
    ports = [str(each.getsockname()[1]) for each in held]
    store = await open_store(place)
    streams = Streams(store, [f"g{number}" for number in range(STREAMS)])
    forking = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.faults.signers", place, str(folder), *ports),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )

    async def start(who: str) -> int:
        assert forking.stdin is not None
        assert forking.stdout is not None
        forking.stdin.write(f"{who}\n".encode())
        return int(await asyncio.wait_for(forking.stdout.readline(), PATIENCE))

    async def play(part: int, stop: asyncio.Event) -> None:
        own = Random(f"{seed} {part}")
        while not stop.is_set():
            with suppress(StoreError):
                await streams.go_on(f"g{own.randrange(STREAMS // 3) * 3 + part}")
            await asyncio.sleep(own.uniform(0, 0.01))

    try:
        running = {who: await start(who) for who in ("witness 0", "witness 1", "sequencer 0", "sequencer 1")}
        stop = asyncio.Event()
        playing = asyncio.gather(*(play(part, stop) for part in range(3)))
        for _ in range(kills):
            await asyncio.sleep(rng.uniform(*BETWEEN_KILLS))
            who = rng.choice(sorted(running))
            with suppress(ProcessLookupError):
                os.kill(running[who], signal.SIGKILL)
            running[who] = await start(who)
            counts[f"kills of a {who.split()[0]}"] += 1
        stop.set()
        await playing
        async with asyncio.timeout(PATIENCE):
            while not await _finished(store):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
    except TimeoutError:
        counts["late"] += 1
    finally:
        forking.kill()
        await forking.wait()
        for each in held:
            each.close()
    faults = [*_wrong(folder), *(["not everything was signed and cosigned in the end"] if counts["late"] else [])]
    faults += await _audited(store, streams, folder, counts)
    await store.close()
    return Report(dict(counts), faults)


async def _finished(store: EventStore) -> bool:
    """Tell whether the newest checkpoint is of everything, and cosigned."""
    newest = await store.tree.published() if await is_signed(store) else None
    return newest is not None and bool(await store.tree.cosignatures(KEY.origin, newest.size))


def _wrong(folder: Path) -> list[str]:
    wrong = folder / WRONG
    return [wrong.read_text()] if wrong.exists() else []


async def _audited(store: EventStore, streams: Streams, folder: Path, counts: Counter[str]) -> list[str]:
    """Return what is wrong with all that was ever signed, stored and shown."""
    faults: list[str] = []
    published = await check_log(store, streams.hashes)
    roots, frontier = {0: Frontier().root}, Frontier()
    for entry in await store.tree.entries(0, 10_000_000):
        frontier.extend([leaf_hash(entry)])
        roots[frontier.size] = frontier.root
    by_log, by_witness, kept = _signed(folder)
    for what, heads in (("signed", by_log), ("kept", kept), ("cosigned", by_witness)):
        faults += [f"{what}: a second root for size {head.size}" for head in heads if roots.get(head.size) != head.root]
    remembered = Witness(CLUB, POLICY, folder / "witness.db").checkpoint(origin_hash(KEY.origin))
    seen = read_checkpoint(read_note(remembered.body).text)
    if seen != published[-1]:
        faults.append(f"the witness remembers {seen}, and the log ends with {published[-1]}")
    cosigned = 0
    for head in published:
        lines = await store.tree.cosignatures(KEY.origin, head.size)
        note = read_note(f"{head.text}\n{''.join(lines)}") if lines else None
        cosigned += note is not None and bool(verified(note, [CLUB.key], check))
    counts.update(
        events=sum(map(len, streams.chains.values())), entries=frontier.size, signed=len(by_log),
        published=len(published), cosigned=len(by_witness), kept=cosigned,
    )  # fmt: skip
    return faults


def _signed(folder: Path) -> tuple[list[Checkpoint], list[Checkpoint], list[Checkpoint]]:
    """Return all that the log signed, all that the witness did, and what the sequencers kept."""
    noted = [(folder / name).read_text().splitlines() for name in NOTED.values()]
    by_log, by_witness = ([_head(bytes.fromhex(line).decode()) for line in lines] for lines in noted)
    kept = [_head(read_note(file.read_bytes()).text) for file in folder.glob("sequencer-*/log-*.checkpoint")]
    return by_log, by_witness, kept


def _head(text: str) -> Checkpoint:
    """Return the checkpoint in what was signed: before it, a cosignature has two lines of its own."""
    return read_checkpoint(text[text.index(KEY.origin) :])


async def main(kills: int) -> int:
    faults = 0
    with cluster() as own:
        async with own.database() as url:
            for name in ("sqlite", "postgres"):
                with TemporaryDirectory() as folder:
                    place = url if name == "postgres" else f"{folder}/tabularium.db"
                    report = await signing(place, Path(folder), kills)
                print(name, json.dumps(report.counts))
                print(*report.faults, sep="\n", end="\n" if report.faults else "")
                faults += len(report.faults)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*map(int, sys.argv[1:2] or ["500"]))))
