"""Sequencers and witnesses to be killed: one process has imported everything, and forks whenever it is told to.

``python -m tests.faults.signers PLACE FOLDER PORT…`` starts a process for every line that it reads, and prints its id:
``sequencer N``, without a lease, over the store at PLACE, which brings what it signs to the witness N; or ``witness N``
at the N-th port. All witnesses have one file. When it goes away, so do they.

Whatever they sign they note first, in a file that is only appended to: also what nobody ever saw, because they were
killed before they could store and show it.
"""

import asyncio
import ctypes
import gc
import os
import signal
import sys
import time
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Final

import httpx
import uvicorn
from msgspec.structs import replace

from domain.transparency.checkpoint import ED25519_COSIGNATURE
from domain.transparency.policy import Party, read_policy
from service.base.sockets import listen
from service.observe.logging import configure
from service.store.postgres.distributed import open_store as open_database
from service.store.protocol import EventStore, StoreError
from service.store.sqlite.store import SqliteStore
from service.transparency.cosigning import Cosigning
from service.transparency.keys import LogKey, Signer, new_key, read_signer
from service.transparency.witness import Witness, application
from tests.service.transparency.logs import KEY, sequencer

CLUB: Final = read_signer(new_key("club.example", lambda count: b"w" * count, ED25519_COSIGNATURE), ED25519_COSIGNATURE)
POLICY: Final = read_policy(f"log {KEY.signers[0].key}\nquorum none\n".encode())
NOTED: Final = {"sequencer": "signed", "witness": "cosigned"}
"""The files in which they note what they sign: a message a line, in hex."""

WRONG: Final = "wrong"
"""The file in which they note what must not happen."""

LATE: Final = (
    "anyio._backends._asyncio",
    "httpcore",
    "uvicorn.lifespan.off",
    "uvicorn.loops.auto",
    "uvicorn.protocols.http.auto",
    "uvicorn.protocols.websockets.auto",
)
_PDEATHSIG: Final = 1


async def open_store(place: str) -> EventStore:
    """Open a store once more: a database of PostgreSQL, or a file."""
    return await (open_database(place) if "://" in place else SqliteStore.open(Path(place)))


def noting(signer: Signer, file: Path) -> Signer:
    """Return a signer that notes what it signs before it does."""
    opened = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def sign(message: bytes) -> bytes:
        os.write(opened, message.hex().encode() + b"\n")
        return signer.sign(message)

    return replace(signer, sign=sign)


async def sequence(place: str, folder: Path, number: int, port: int) -> None:
    """Sign whatever moves, as quickly as possible."""
    key = LogKey((noting(KEY.signers[0], folder / NOTED["sequencer"]),))
    store = await open_store(place)
    works = sequencer(store, folder / f"sequencer-{number}", key)
    # Without certificates, which take longer to load than most of these processes live.
    async with httpx.AsyncClient(trust_env=False, verify=False) as http:
        bringing = Cosigning(store.tree, {"club": Party(CLUB.key, f"http://127.0.0.1:{port}")}, http)
        while True:
            try:
                await works.turn()
                await bringing.look()
            except StoreError:
                pass
            await asyncio.sleep(0.002)


def cosign(folder: Path, port: int) -> None:
    """Cosign whatever goes on."""
    witness = Witness(noting(CLUB, folder / NOTED["witness"]), POLICY, folder / "witness.db")
    config = uvicorn.Config(application(witness), log_level="critical", lifespan="off", access_log=False)
    while True:
        with suppress(OSError), listen("127.0.0.1", port) as listening:  # a killed process may hold it for a moment
            uvicorn.Server(config).run(sockets=[listening])
        time.sleep(0.001)


def main(place: str, folder: Path, ports: list[int]) -> None:
    configure("error")  # that a witness does not answer is what this is about
    for late in LATE:
        import_module(late)
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that killed processes leave no zombies
    for line in sys.stdin:
        what, number = line.split()
        port = ports[int(number)]
        if child := os.fork():
            print(child, flush=True)
            continue
        ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGKILL)
        try:
            if what == "witness":
                cosign(folder, port)
            else:
                asyncio.run(sequence(place, folder, int(number), port))
        except BaseException:  # whatever it is: a sequencer or a witness ends only when it is killed
            with (folder / WRONG).open("a") as wrong:
                wrong.write(f"{what} {number}: {traceback.format_exc()}\n")
            os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), [int(port) for port in sys.argv[3:]])
