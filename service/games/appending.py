"""Storing decided events, in one transaction for each request. Then the cached game moves to the new version."""

from time import perf_counter

from domain.kernel.log.game import Decided, Game
from service.cluster.wake import Wake
from service.games.cache import CachedGame, GameCache
from service.games.reading import GameReader
from service.games.requests import Done, Request
from service.observe.metrics import Metrics
from service.observe.tracing import span
from service.store.accounts import LimitReached
from service.store.protocol import Append, Appended, Conflict, EventStore, KeyReused, KeyUse, Opening, Within


class Appender:
    """Appends to the log. Every method may raise what `EventStore.append` raises."""

    def __init__(self, store: EventStore, reader: GameReader, cache: GameCache, wake: Wake, metrics: Metrics) -> None:
        self._store = store
        self._reader = reader
        self._cache = cache
        self._wake = wake
        self._metrics = metrics

    async def append(
        self,
        cached: CachedGame,
        request: Request,
        decided: Decided,
        opening: Opening | None = None,
        within: Within | None = None,
    ) -> Done:
        """Store decided events, move the cached game to the new version, and wake its readers.

        A repeated request stores nothing and gets its first outcome.
        """
        before, game = cached.game, decided.game
        vault = cached.vault.joined_by(decided.secrets)
        after = before.version if before else 0
        appended = await self._append(_batch(cached, decided, request.use, opening, within))
        if appended.repeated is not None:
            if before is not None and before.version < appended.repeated.version:
                await self._cache.catch_up(cached)  # else `done_before` would wait for the lock that the caller holds
            return await self._reader.done_before(game.id, appended.repeated)
        self._cache.keep(cached, decided, vault)
        self._wake.notify(game.id, game.version, turned=_is_turned(before, game))
        return Done(game, after, decided.records, vault)

    async def append_with(self, first: Append, cached: CachedGame, decided: Decided | None) -> Appended:
        """Append to another stream and, in the same transaction, what was decided in a game, if anything.

        Returns the outcome for the other stream.
        """
        if decided is None:
            return await self._append(first)
        before, vault = cached.game, cached.vault.joined_by(decided.secrets)
        appended = await self._append(first, _batch(cached, decided))
        if appended.repeated is None:
            self._cache.keep(cached, decided, vault)
            self._wake.notify(cached.id, decided.game.version, turned=_is_turned(before, decided.game))
        return appended

    async def _append(self, batch: Append, *others: Append) -> Appended:
        """Append in one transaction, and measure the time."""
        began, outcome = perf_counter(), "failed"
        try:
            with span("append", events=len(batch.records)):
                if others:
                    appended = await self._store.append_together(batch, *others)
                else:
                    appended = await self._store.append(batch)
            outcome = "accepted" if appended.repeated is None else "repeated"
        except (Conflict, KeyReused, LimitReached) as error:
            outcome = "conflict" if isinstance(error, Conflict) else "turned-away"
            raise
        finally:
            self._metrics.appended(outcome, perf_counter() - began, len(batch.records))
        return appended


def _is_turned(before: Game | None, after: Game) -> bool:
    """Tell whether a game is new, or has another status or other players than before."""
    return before is None or (before.status, before.players) != (after.status, after.players)


def _batch(
    cached: CachedGame,
    decided: Decided,
    key: KeyUse | None = None,
    opening: Opening | None = None,
    within: Within | None = None,
) -> Append:
    """Return the decided records as a batch for the store."""
    before, game = cached.game, decided.game
    seats = dict.fromkeys(game.players) if game.is_analysis else game.players  # an analysis has no players of its own
    return Append(
        game=game.id,
        expected=before.version if before is not None else 0,
        records=decided.records,
        status=game.status,
        secrets=decided.secrets,
        key=key,
        seats=seats if before is None or before.players != game.players else None,
        opening=opening,
        within=within,
    )
