"""Draws drafts in the background, after the service has answered the request for them (RFC 7240).

While a process draws, the store has only its lease; the finished draft is in the log. If the process dies, the lease
ends, and a repeated request makes any process draw the draft. The key of the request ensures that there is only one.
"""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from typing import Final, Literal
from uuid import uuid4

from msgspec import Struct

from domain.kernel.ids import PlayerId, TournamentId, Version
from domain.kernel.rules.refusal import Refusal
from domain.tournament.draw import obstacle
from domain.tournament.drawing import problem_of
from projections.store import Unavailable
from service.cluster.lease import LEASE, Lessor
from service.observe.logging import log
from service.tournaments.committee import Committee, Proceeding, UnknownRound

KEPT: Final = 64
"""How many errors of failed draws stay in memory."""

INTERRUPTED: Final = "The draw was interrupted. Repeat your request to draw the round."


class DraftState(Struct, frozen=True):
    """Where a draft stands.

    Attributes:
        tournament: the tournament.
        round: the number of the round.
        draft: the number of the draft.
        status: `drawing`, `drafted` when it is in the log, or `failed`: then repeat the request to draw.
        problem: why it failed; null when it did not.
    """

    tournament: TournamentId
    round: int
    draft: int
    status: Literal["drawing", "drafted", "failed"]
    problem: str | None = None


class Drafts:
    """The drafts that this process draws. Every method may raise `StoreError` and `Unavailable`."""

    def __init__(self, committee: Committee, lessor: Lessor) -> None:
        self._committee = committee
        self._lessor = lessor
        self._observer = uuid4().hex
        self._drawing: dict[TournamentId, asyncio.Task[None]] = {}
        self._ending: dict[TournamentId, asyncio.Task[None]] = {}
        self._failed: OrderedDict[tuple[TournamentId, int, int], str] = OrderedDict()

    async def begin(
        self,
        tournament_id: TournamentId,
        player: PlayerId,
        *,
        expected: Collection[Version] | None = None,
        key: str | None = None,
    ) -> tuple[Proceeding, bool]:
        """Begin to draw the next draft of the newest round, unless a process draws it. Return the tournament, and
        whether the draft is done.

        The draft is done if an earlier request with this key drew it. Raises what `Committee.draw_round` raises, except
        for errors that only the draw itself shows.
        """
        if (first := await self._committee.drawn_before(tournament_id, player, key)) is not None:
            return first, True
        now = await self._committee.begin_draw(tournament_id, player, expected=expected)
        if tournament_id in self._ending:  # it still has the lease, so nobody would draw this draft
            await asyncio.wait([self._ending[tournament_id]])
        # Each draw is a holder of its own, so nothing else in this process can give its lease back.
        holder = uuid4().hex
        if tournament_id not in self._drawing and await self._lease(tournament_id, holder, LEASE):
            field = now.tournament.field
            draft_key = tournament_id, len(field.rounds), len(field.rounds[len(field.rounds)].drafts) + 1
            self._failed.pop(draft_key, None)
            self._drawing[tournament_id] = asyncio.create_task(self._draw(draft_key, player, key, holder))
        return now, False

    async def state(self, tournament_id: TournamentId, number: int, draft: int) -> DraftState:
        """Return the state of a draft. Raises `UnknownRound` if it neither exists nor is the next one of its round."""
        # Look at the lease before the log: a draft that is stored between the two looks is then seen.
        is_drawing = tournament_id in self._drawing or not await self._lease(tournament_id, self._observer, 0)
        field = (await self._committee.now(tournament_id)).tournament.field
        round_ = field.rounds.get(number)
        drafts = len(round_.drafts) if round_ is not None else 0
        if round_ is not None and 1 <= draft <= drafts:
            return DraftState(tournament_id, number, draft, "drafted")
        if round_ is None or round_.status != "drawn" or draft != drafts + 1:
            raise UnknownRound(f"Round {number} of tournament {tournament_id!r} has no draft {draft}.")
        if is_drawing:
            return DraftState(tournament_id, number, draft, "drawing")
        why = self._failed.get((tournament_id, number, draft))
        if why is None:  # the draw may have failed in another process
            why = await asyncio.to_thread(obstacle, problem_of(field, round_)) or INTERRUPTED
        return DraftState(tournament_id, number, draft, "failed", why)

    async def close(self) -> None:
        """Stop drawing. A draft that was not finished is drawn when its request is repeated."""
        for task in (tasks := [*self._drawing.values(), *self._ending.values()]):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _draw(
        self, draft_key: tuple[TournamentId, int, int], player: PlayerId, key: str | None, holder: str
    ) -> None:
        tournament_id = draft_key[0]
        renewal = asyncio.create_task(self._renew_lease(tournament_id, holder))
        try:
            await self._committee.draw_round(tournament_id, player, key=key)
        except Refusal as refusal:
            self._fail(draft_key, f"{refusal.wrong} {refusal.allowed}")
        except Exception:  # no request waits for the result, so log the error here
            log.exception("a draft was not drawn", tournament=tournament_id)
            self._fail(draft_key, INTERRUPTED)
        finally:
            self._ending[tournament_id] = self._drawing.pop(tournament_id)
            renewal.cancel()
            await asyncio.wait([renewal])  # a renewal under way must not take the lease again
            with contextlib.suppress(Unavailable):
                await self._lease(tournament_id, holder, 0)
            del self._ending[tournament_id]

    def _fail(self, draft_key: tuple[TournamentId, int, int], why: str) -> None:
        self._failed[draft_key] = why
        if len(self._failed) > KEPT:
            self._failed.popitem(last=False)

    async def _renew_lease(self, tournament_id: TournamentId, holder: str) -> None:
        while True:
            await asyncio.sleep(LEASE / 2)
            with contextlib.suppress(Unavailable):
                await self._lease(tournament_id, holder, LEASE)

    async def _lease(self, tournament_id: TournamentId, holder: str, seconds: float) -> bool:
        """Take or renew the lease for drawing. Return False if another holder has it.

        With 0 seconds, give the lease back if this holder has it, and take none.
        """
        return await self._lessor.lease(holder, seconds, f"draft of {tournament_id}")


@asynccontextmanager
async def drafting(committee: Committee, lessor: Lessor) -> AsyncIterator[Drafts]:
    """Provide the drafts of this process, and stop drawing when the context closes."""
    drafts = Drafts(committee, lessor)
    try:
        yield drafts
    finally:
        await drafts.close()
