"""Long work in pieces, done side by side: by processes of this machine, or by the workers of a Dask cluster.

The result of a piece depends on nothing but the piece. Results come in the order of the pieces. So they are the same
however the work was divided.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from importlib.metadata import version
from itertools import islice
from multiprocessing import get_context, parent_process
from multiprocessing.context import BaseContext
from typing import Any, Final, Generic, TypeVar

from service.base.extras import needs_extra

P = TypeVar("P")
R = TypeVar("R")

LOCAL: Final = "local"
DASK: Final = "dask:"

AHEAD: Final = 4
"""Pieces that are handed out for each worker. The others are not made yet, and take no memory."""

DEATHS: Final = 3
"""How often in a row the processes of this machine may die without a result. Once more ends the work."""

PATIENCE: Final = 10
"""Seconds that a cluster has to answer."""


class WorkersLost(Exception):
    """No worker can do the work; the message is one line."""


def in_pieces(
    work: Callable[[P], R], pieces: Iterable[P], processes: int, on: str = LOCAL, *, fresh: bool = False
) -> Iterator[R]:
    """Yield what `work` returns for each piece, in their order. When a worker dies, what it had in hand is done again.

    Args:
        work: a function that other processes can import.
        processes: how many processes of this machine do the work; with one, this process does it itself.
        on: `local`, or ``dask:ADDRESS`` of a scheduler, whose workers do the work.
        fresh: begin processes as new programs, which takes longer. A process that has threads must not fork.

    Raises:
        ValueError: `on` is neither.
        WorkersLost: no cluster answers, its workers have another package, or workers die again and again.
        MissingExtra: the packages for a cluster are not installed.
    """
    if on.startswith(DASK) and len(on) > len(DASK):
        yield from _on_dask(work, pieces, on.removeprefix(DASK))
    elif on != LOCAL:
        raise ValueError(f"{on!r} is no place to work on: use {LOCAL}, or {DASK}ADDRESS with that of a Dask scheduler")
    elif processes == 1:
        yield from map(work, pieces)
    else:
        yield from _on_processes(work, pieces, processes, get_context("spawn" if fresh else None))


class _Handed(Generic[P, R]):
    """A piece, and its future once it was handed to a worker."""

    def __init__(self, piece: P) -> None:
        self.piece = piece
        self.future: Future[R] | None = None

    def was_lost(self) -> bool:
        return self.future is not None and isinstance(self.future.exception(), BrokenProcessPool)


def _end_with_parent() -> None:
    """End this worker when the process that began it is killed: a pool alone would let it wait for ever."""
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()


def _on_processes(work: Callable[[P], R], pieces: Iterable[P], processes: int, context: BaseContext) -> Iterator[R]:
    rest, handed = iter(pieces), deque[_Handed[P, R]]()
    pool, deaths = ProcessPoolExecutor(processes, context, _end_with_parent), 0
    try:
        while True:
            handed.extend(map(_Handed[P, R], islice(rest, AHEAD * processes - len(handed))))
            if not handed:
                return
            try:
                for each in handed:
                    each.future = each.future or pool.submit(work, each.piece)
                assert handed[0].future is not None
                result = handed[0].future.result()
            except BrokenProcessPool:
                # When one of its processes dies, a pool stops for good, and all its unfinished futures fail.
                pool.shutdown()
                deaths += 1
                if deaths > DEATHS:
                    raise WorkersLost(f"{deaths} processes died one after the other: see the system's log") from None
                pool = ProcessPoolExecutor(processes, context, _end_with_parent)
                for each in handed:
                    each.future = None if each.was_lost() else each.future
                continue
            deaths = 0
            handed.popleft()
            yield result
    finally:
        pool.shutdown(cancel_futures=True)


def _on_dask(work: Callable[[P], R], pieces: Iterable[P], address: str) -> Iterator[R]:
    with needs_extra("cluster", "a Dask cluster"):
        from distributed import Client, KilledWorker
    try:
        client: Any = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise WorkersLost(f"no Dask scheduler answers at {address}: {' '.join(str(error).split())}") from error
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise WorkersLost(
                f"the scheduler at {address} has no worker: `dask worker {address}` starts some"
            ) from None
        rest, handed = iter(pieces), deque[Any]()
        checked = partial(_by_the_same_package, work, version("tabularium"))
        while True:
            # Counted again each time, because workers come and go.
            most = AHEAD * max(1, sum(client.nthreads().values()))
            handed.extend(
                client.submit(checked, piece, pure=False) for piece in islice(rest, max(0, most - len(handed)))
            )
            if not handed:
                return
            try:
                yield handed.popleft().result()
            except KilledWorker as error:
                raise WorkersLost(f"workers of {address} died one after the other at the same piece") from error


def _by_the_same_package(work: Callable[[P], R], expected_version: str, piece: P) -> R:
    if (mine := version("tabularium")) != expected_version:
        raise WorkersLost(
            f"a worker has tabularium {mine}, and this is {expected_version}: install the same everywhere"
        )
    return work(piece)
