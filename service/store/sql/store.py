"""The part of an `EventStore` that SQLite and PostgreSQL share."""

import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Final

import msgspec

from domain.kernel.canonical import canonical
from domain.kernel.chance.secret import Secret
from domain.kernel.ids import BOOKS, StreamId
from service.store.protocol import Append, Appended, StoreDamaged, StoreFull
from service.store.sql.cases import CaseIndex
from service.store.sql.games import GameIndex
from service.store.sql.leagues import LeagueIndex, league_statements
from service.store.sql.tournaments import TournamentIndex, tournament_statements

FULL_LASTS: Final = 10.0
"""Seconds for which a store counts as full after a write found no room on the disk; then the next write finds out."""


class SqlStore(GameIndex, CaseIndex, TournamentIndex, LeagueIndex):
    """A log with the indexes of its games, cases, tournaments and leagues."""

    answered: ClassVar[str] = "SELECT 1 FROM games LIMIT 1"
    """A query that succeeds when the store can be used."""

    @property
    def is_full(self) -> bool:
        return time.monotonic() - self._database.full_at < FULL_LASTS

    @property
    def damage(self) -> str | None:
        return None

    async def away(self) -> frozenset[int]:
        return frozenset(range(BOOKS)) if self.is_full or self.damage is not None else frozenset()

    async def ready(self) -> None:
        if self.damage is not None:
            raise StoreDamaged(self.damage)
        if self.is_full:
            raise StoreFull("no room is left on the disk of the database")
        await self._database.select(self.answered)

    async def append(self, batch: Append) -> Appended:
        opening = batch.opening
        indexed = opening is not None and (opening.fork is not None or opening.private)
        beside = not _is_of_game(batch) or batch.within is not None
        if beside or indexed:
            return await self.append_together(batch)
        _check(batch)
        return await self._append(batch)

    async def append_together(self, first: Append, *others: Append) -> Appended:
        for batch in (first, *others):
            _check(batch)
        return await self._append_together((first, *others))

    @abstractmethod
    async def _append(self, batch: Append) -> Appended: ...

    @abstractmethod
    async def _append_together(self, batches: Sequence[Append]) -> Appended: ...


def _is_of_game(batch: Append) -> bool:
    return batch.case is None and batch.tournament is None and batch.league is None


def _check(batch: Append) -> None:
    versions = [record.version for record in batch.records]
    if not versions or versions != list(range(batch.expected + 1, batch.expected + len(versions) + 1)):
        raise ValueError(f"records {versions} do not follow version {batch.expected}")
    if _is_of_game(batch) and (batch.expected == 0) != (batch.opening is not None):
        raise ValueError("a new game has an opening, and nothing else has")
    if batch.case is not None and (batch.case.case, batch.case.version) != (batch.game, versions[-1]):
        raise ValueError(f"the index would have case {batch.case.case} at version {batch.case.version}")
    row = batch.tournament
    if row is not None and (row.tournament, row.version) != (batch.game, versions[-1]):
        raise ValueError(f"the index would have tournament {row.tournament} at version {row.version}")
    league = batch.league
    if league is not None and (league.league, league.version) != (batch.game, versions[-1]):
        raise ValueError(f"the index would have league {league.league} at version {league.version}")
    if row is not None and (batch.expected == 0) != (batch.seed is not None):
        raise ValueError("a new tournament has a seed, and nothing else has")


def index_statements(batch: Append, book_of: Callable[[StreamId], int]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield the statements that store anything but a plain game beside its records, each with its values."""
    case, fork = batch.case, batch.opening.fork if batch.opening is not None else None
    book = book_of(batch.game)
    if batch.opening is not None and batch.opening.private:
        yield "INSERT INTO private (book, game) VALUES (?, ?)", (book, batch.game)
        yield "INSERT INTO unlisted (book, game) VALUES (?, ?)", (book, batch.game)
    if fork is not None:
        yield (
            "INSERT INTO forks (book, game, parent, version, purpose, withheld) VALUES (?, ?, ?, ?, ?, ?)",
            (book, batch.game, fork.parent, fork.version, fork.purpose, fork.withheld),
        )
    if batch.tournament is not None:
        yield from tournament_statements(batch, batch.tournament, book)
    if batch.league is not None:
        yield from league_statements(batch, batch.league, book)
    if case is None:
        return
    rules = msgspec.json.encode(case.rules).decode()
    if batch.expected == 0:
        yield (
            "INSERT INTO cases (book, stream, game, number, status, kind, about, matter, player, seat, rules, version,"
            " created, changed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (book, *msgspec.structs.astuple(case)[:9], rules, case.version, case.created, case.changed),
        )
    else:
        yield (
            "UPDATE cases SET status = ?, rules = ?, version = ?, changed = ? WHERE book = ? AND stream = ?",
            (case.status, rules, case.version, case.changed, book, case.case),
        )
    for rule in case.rules:
        cite = "INSERT INTO cited (rule, book, stream) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        yield cite, (rule, book, case.case)
    if batch.ruling is not None:
        yield "INSERT INTO rulings (book, stream, version) VALUES (?, ?, ?)", (book, case.case, batch.ruling)
        for rule in case.rules:
            yield (
                "INSERT INTO precedents (rule, place, book) SELECT CAST(? AS TEXT), c.place, c.book FROM cases c"
                " WHERE c.book = ? AND c.stream = ?"
                " AND NOT EXISTS (SELECT 1 FROM private p WHERE p.book = ? AND p.game = ?)"
                " ON CONFLICT DO NOTHING",
                (rule, book, case.case, book_of(case.game), case.game),
            )
    if batch.statement is not None:
        yield (
            "INSERT INTO statements (book, stream, version, salt, written) VALUES (?, ?, ?, ?, ?)",
            (book, case.case, batch.statement.version, batch.statement.salt, batch.statement.written),
        )


def secret_values(secret: Secret) -> tuple[str, str, str]:
    """Return the readers, the salt and the value of a secret as they are stored."""
    return msgspec.json.encode(secret.readers).decode(), secret.salt, canonical(secret.value).decode()
