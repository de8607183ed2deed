"""Bulks: games that an organizer requests together. They are checked and stored together, then opened one by one.

If anything is wrong with one game, the request is refused and nothing is stored. Otherwise rows say which games to
open, when to start them, and what happened to each (`opening.py`).
"""

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from typing import Final

import msgspec
from msgspec import Struct

from domain.kernel.canonical import canonical
from domain.kernel.chance.draws import commitment_to
from domain.kernel.ids import GameId, PlayerId, Seat
from domain.kernel.log.game import Decided
from domain.kernel.log.record import Cause
from domain.kernel.rules.documents import DocumentError
from domain.kernel.rules.refusal import Refusal
from service.base.clock import Clock, later, stamp
from service.base.ids import ID_BYTES, new_id
from service.games.creating import Table, TableWish
from service.games.games import Games
from service.games.requests import UnknownRuleset, hashed_key
from service.observe.logging import log
from service.organizing.consents import Consents
from service.store.accounts import LimitReached
from service.store.organizing import BulkGameRow, BulkId, BulkRow, OrganizingStore

MOST_GAMES: Final = 100
"""The most games in a bulk."""

MOST_A_DAY: Final = 500
"""The most games that an account can request in bulks within 24 hours."""

LONGEST_AHEAD: Final = timedelta(days=30)
"""How far ahead the start of a game can be."""

LONGEST_PROBLEM: Final = 500
"""The most characters that are stored of a game's problem."""


class GameWish(Struct, frozen=True):
    """A requested game and its start time; the time is empty when its players or its organizer start it."""

    table: TableWish
    starts_at: str = ""


class Fault(Struct, frozen=True):
    """What is wrong with a requested game.

    Attributes:
        number: its number in the bulk, from 1 on.
        problem: what is wrong.
        seat: the seat that the problem is about, if any.
        rule: the rule that the game breaks, if any.
    """

    number: int
    problem: str
    seat: Seat | None = None
    rule: str | None = None


class BulkRefused(Exception):
    """Something is wrong with a game of the bulk, so none of its games is opened."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__(faults[0].problem)
        self.faults = tuple(faults)


class UnknownBulk(LookupError):
    """The account has no such bulk."""


class TooManyGames(Exception):
    """The account requested more games within a day than it may."""

    def __init__(self) -> None:
        super().__init__(f"You asked for more than {MOST_A_DAY} games in bulks within 24 hours.")


class Bulks:
    """The bulks of all organizers. Every method may raise `StoreError`."""

    def __init__(
        self,
        store: OrganizingStore,
        games: Games,
        consents: Consents,
        clock: Clock,
        randomness: Callable[[int], bytes],
        ring: Callable[[], None] = lambda: None,
    ) -> None:
        """`ring` wakes the opener."""
        self._store = store
        self._games = games
        self._consents = consents
        self._clock = clock
        self._randomness = randomness
        self._ring = ring

    async def make(self, organizer: PlayerId, wishes: Sequence[GameWish], key: str | None) -> BulkRow:
        """Request games. With an idempotency key, a repeated request gets the first bulk.

        Raises:
            BulkRefused: something is wrong with one of the games.
            TooManyGames: the account has requested too many games today.
            KeyReused: the key came with another request.
        """
        now = stamp(self._clock)
        made_by = hashed_key(organizer, f"bulk {key}") if key is not None else ""
        fingerprint = hashlib.sha256(canonical([msgspec.to_builtins(wish) for wish in wishes])).digest()
        bulk = BulkId(new_id("b", self._randomness(ID_BYTES)))
        row = BulkRow(bulk, organizer, now, len(wishes))
        # Do not check a repeated request again: players may have withdrawn their consent since.
        if made_by and (first := await self._store.bulk_of_key(made_by, fingerprint)) is not None:
            return first
        if faults := await self._faults(organizer, wishes, now):
            # The first request may not have been stored yet when we looked for its key.
            if made_by and (first := await self._store.bulk_of_key(made_by, fingerprint)) is not None:
                return first
            raise BulkRefused(faults)
        games = [
            BulkGameRow(bulk, number, msgspec.json.encode(wish.table).decode(), wish.table.title, wish.starts_at)
            for number, wish in enumerate(wishes, start=1)
        ]
        try:
            row_stored = await self._store.add(
                row, games, made_by, fingerprint, later(now, timedelta(days=-1)), MOST_A_DAY
            )
        except LimitReached:
            raise TooManyGames from None
        log.info("bulk made", account=organizer, bulk=row_stored.bulk, games=row_stored.games)
        self._ring()
        return row_stored

    async def one(self, organizer: PlayerId, bulk: str) -> BulkRow:
        """Return a bulk of an account. Raises `UnknownBulk`."""
        row = await self._store.bulk(BulkId(bulk))
        if row is None or row.organizer != organizer:
            raise UnknownBulk(f"You have no bulk {bulk!r}.")
        return row

    async def games(self, bulk: BulkId, after: int = 0) -> list[BulkGameRow]:
        """Return the games of a bulk that changed after a given change, in the order of their last changes."""
        return await self._store.games(bulk, after)

    async def cancel(self, row: BulkRow) -> None:
        """Cancel the games that have not started."""
        await self._store.cancel(row.bulk, stamp(self._clock))
        log.info("bulk cancelled", account=row.organizer, bulk=row.bulk)
        self._ring()

    async def _faults(self, organizer: PlayerId, wishes: Sequence[GameWish], now: str) -> list[Fault]:
        seated = {player for wish in wishes for player in wish.table.seats.values()}
        objections = await self._consents.objections(organizer, seated)
        officials = {player for wish in wishes for player in wish.table.officials}
        rows = await self._games.store.accounts.by_ids(officials) if officials else []
        open_accounts = {row.player for row in rows if row.closed is None and not row.is_bot}
        latest = later(now, LONGEST_AHEAD)
        faults = list[Fault]()
        for number, wish in enumerate(wishes, start=1):
            if wish.starts_at > latest:
                faults.append(Fault(number, f"A game starts at most {LONGEST_AHEAD.days} days after it is asked for."))
            faults.extend(
                Fault(number, f"There is no account {each!r} that can be an official.")
                for each in wish.table.officials
                if each not in open_accounts
            )
            faults.extend(
                Fault(number, objections[player], seat)
                for seat, player in wish.table.seats.items()
                if player in objections
            )
            faults.extend(self._faults_of(organizer, number, wish.table, now))
            await asyncio.sleep(0)  # setting up a table takes a while, and other requests are waiting
        return faults

    def _faults_of(self, organizer: PlayerId, number: int, wish: TableWish, now: str) -> Iterable[Fault]:
        """Yield what is wrong with a game. To find it, open the game without storing it."""
        cause = Cause(organizer)
        try:
            table = Table(self._games, wish)
            decided = table.created(GameId(f"g{number}"), commitment_to(bytes(32)), cause, now)
        except Refusal as refusal:
            yield _broken(number, refusal)
            return
        except (UnknownRuleset, DocumentError, msgspec.MsgspecError, ValueError) as error:
            yield Fault(number, f"{error}"[:LONGEST_PROBLEM])
            return
        for official in wish.officials:
            try:
                decided = table.with_official(decided, official, cause, now)
            except Refusal as refusal:
                yield _broken(number, refusal)
        for seat, player in wish.seats.items():
            try:
                decided: Decided = table.assigned(decided, seat, player, cause, now)
            except Refusal as refusal:
                yield _broken(number, refusal, seat)


def _broken(number: int, refusal: Refusal, seat: Seat | None = None) -> Fault:
    return Fault(number, f"{refusal.wrong} {refusal.allowed}"[:LONGEST_PROBLEM], seat, refusal.rule)
