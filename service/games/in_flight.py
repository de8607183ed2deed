"""Requests in flight: each is finished, even if the client who sent it has gone."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from domain.kernel.rules.refusal import Refusal
from service.games.acts import NotOrganizer, NotSeated
from service.games.cache import UnknownGame
from service.games.requests import Done, StaleVersion
from service.observe.metrics import Metrics, Outcome
from service.store.protocol import Appended, Conflict, KeyReused

R = TypeVar("R", Done, Appended)


class InFlight:
    """The requests that this process is working on."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._running: set[asyncio.Task[Any]] = set()

    async def finish(self, kind: str, work: Coroutine[Any, Any, R], refused: Outcome = "refused") -> R:
        """Await `work`, which runs to its end even if its caller is cancelled.

        Count its outcome; `refused` is what a refusal counts as.
        """
        task = asyncio.create_task(work)
        self._running.add(task)
        answer: asyncio.Future[R] = asyncio.get_running_loop().create_future()

        # One callback instead of `asyncio.shield` and two others.
        def finished(_: object) -> None:
            self._running.discard(task)
            self._metrics.commanded(kind, _outcome(task, refused))
            error = None if task.cancelled() else task.exception()
            if answer.done():  # nobody waits for the answer any more
                return
            if task.cancelled():
                answer.cancel()
            elif error is not None:
                answer.set_exception(error)
            else:
                answer.set_result(task.result())

        task.add_done_callback(finished)
        return await answer

    async def close(self) -> None:
        """Wait for the requests in flight."""
        await asyncio.gather(*self._running, return_exceptions=True)


def _outcome(task: asyncio.Task[Any], refused: Outcome) -> Outcome:
    """Return the outcome of a command."""
    if task.cancelled():
        return "failed"
    match task.exception():
        case None:
            return "repeated" if task.result().repeated else "accepted"
        case Refusal():
            return refused
        case StaleVersion() | Conflict():
            return "conflict"
        case NotSeated() | NotOrganizer() | KeyReused() | UnknownGame() | ValueError():
            return "turned-away"
        case _:
            return "failed"
