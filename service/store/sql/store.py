"""The log and the indexes of games and cases, as far as SQLite and PostgreSQL are read in the same way."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

import msgspec

from domain.judging.case import CaseRow
from domain.kernel.canonical import canonical
from domain.kernel.chance.secret import Secret
from domain.kernel.ids import BOOKS, CaseId, GameId, PlayerId, RuleId, Seat, StreamId, Version, book_of
from domain.kernel.log.record import Record
from projections.cursor import ALL_BOOKS, Cursor, Place
from projections.lobby import ForkOf, GameRow
from service.store.protocol import (
    Added,
    Append,
    Appended,
    KeptStatement,
    KeptUse,
    Placed,
    Stored,
    StoreDamaged,
    StoreFull,
    StreamDamaged,
    Within,
)
from service.store.sql.archived import COLUMNS, Archived, missing
from service.store.sql.database import Database

ALL: Final = 2**63 - 1
"""A limit that is none."""

_WIDEST: Final = 65_536
"""The most positions that are looked at together."""

FULL_LASTS: Final = 10.0
"""Seconds for which a store counts as full after a write found no room on the disk; then the next write tells."""

SEEN: Final = "SELECT fingerprint, after, version FROM keys WHERE book = ? AND game = ? AND account = ? AND key = ?"
SECRETS: Final = (
    "SELECT commitment, readers, salt, value FROM secrets WHERE book = ? AND game = ?"
    f" ORDER BY number LIMIT {ALL} OFFSET ?"
)


class SqlStore(ABC):
    """The part of an `EventStore` that both databases share, and what a class for one of them says of its schema.

    Every query about a stream names its book, in which a spread log has all that is about the stream.
    """

    log: ClassVar[str]
    """The table of events."""
    books: ClassVar[int]
    """How many books the log has."""
    book_of: ClassVar[str]
    """The book of the stream {0}."""
    key: ClassVar[str]
    """The columns by which a table {0} has a stream whose id is in the column {1}."""
    of_stream: ClassVar[str]
    """A condition that an event of table {0} is of the stream {1}, which is in book {2}."""
    record: ClassVar[str]
    """The columns of an event as a `Record` takes them."""
    listed: ClassVar[str]
    """A query for the columns of a `GameRow`, of games `g` and their forks `f`."""
    changes: ClassVar[str]
    """What a query of games `g` joins, to have the column `changed`."""
    changed: ClassVar[str]
    """The column which says when a game changed last."""
    heads_query: ClassVar[str]
    """A query for all streams, with their books and the versions at which they stand, `head`."""
    loaded: ClassVar[str]
    """A query for the head and the chance of a game."""
    board_file: ClassVar[str]
    """The file of a board, as bytes."""
    among: ClassVar[str]
    """A condition that a column is one of the texts that `_texts` packs into a value."""
    order: ClassVar[str] = "g.number"
    """The order of the list of games, the newest last."""
    order_of_cases: ClassVar[str] = "c.place"
    """The order of the list of cases, the newest last."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._archived = Archived(database)

    @property
    def is_full(self) -> bool:
        return time.monotonic() - self._database.full_at < FULL_LASTS

    @property
    def damage(self) -> str | None:
        return None

    async def ready(self) -> None:
        if self.damage is not None:
            raise StoreDamaged(self.damage)
        if self.is_full:
            raise StoreFull("no room is left on the disk of the database")
        await self._database.select("SELECT 1 FROM games LIMIT 1")

    async def append(self, batch: Append) -> Appended:
        opening = batch.opening
        indexed = opening is not None and (opening.fork is not None or opening.private)
        if batch.case is not None or batch.within is not None or indexed:
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

    @staticmethod
    @abstractmethod
    def _texts(texts: Iterable[str]) -> Any: ...

    async def organize(self, game: GameId, player: PlayerId) -> None:
        change = "UPDATE games SET organizer = ? WHERE book = ? AND game = ?"
        await self._database.execute(change, player, self.book(game), game)

    async def retitle(self, game: GameId, title: str) -> None:
        change = "UPDATE games SET title = ? WHERE book = ? AND game = ?"
        await self._database.execute(change, title, self.book(game), game)

    async def seen(self, game: StreamId, account: PlayerId, key: str) -> KeptUse | None:
        return kept_use(await self._database.select(SEEN, self.book(game), game, account, key))

    async def read(self, game: StreamId, after: Version = 0, limit: int | None = None) -> list[Record]:
        """Return records from the log; when those that follow are not there, from the archive and the log."""
        records = _records(await self._database.select(*self._reading(game, after, limit)))
        if records:
            if records[0].version == after + 1:
                return records
        elif limit == 0 or await self.head(game) <= after:
            return []
        heads, packed, rows = await self._database.select_at_once(
            self._head(game),
            self._packed(game, after, limit),
            self._reading(game, after, limit),
        )
        return await self._joined(game, after, limit, heads[0][0] if heads else 0, packed, rows)

    async def _joined(
        self, game: StreamId, after: Version, limit: int | None, head: Version, packed: Any, rows: Any
    ) -> list[Record]:
        """Return what follows a version, out of segments and rows that were read at one moment.

        Raises `StreamDamaged` when something in between is missing.
        """
        archived = [record for run in await self._archived.unpacked(packed) for _, record in run]
        records = [record for record in (*archived, *_records(rows)) if record.version > after][:limit]
        for expected, record in enumerate(records, after + 1):
            if record.version != expected:
                raise missing(game, expected - 1, record.version - 1)
        if len(records) < min(head - after, ALL if limit is None else limit):
            raise missing(game, after + len(records), head)
        return records

    def _packed(self, game: StreamId, after: Version, limit: int | None) -> tuple[Any, ...]:
        """Return a query for the segments of a stream with records that follow a version, and its values."""
        of_stream, values = self._stream(game)
        query = (
            f"SELECT {COLUMNS} FROM segments s WHERE {of_stream} AND s.version > CAST(? AS BIGINT)"
            " AND s.after < CAST(? AS BIGINT) ORDER BY s.version"
        )
        return query, *values, after, ALL if limit is None else after + limit

    @classmethod
    def book(cls, stream: StreamId) -> int:
        """Return the book of a stream."""
        return book_of(stream) if cls.books == BOOKS else 0

    async def is_together(self) -> bool:
        """Tell whether all forks and cases are known to be in the book of their game."""
        return True

    @classmethod
    def about(cls, game: GameId, column: str, is_together: bool) -> tuple[str, tuple[Any, ...]]:
        """Return the condition that forks or cases belong to a game, whose id is in `column`, and its values."""
        if is_together:
            table = column.partition(".")[0]
            return f"{table}.book = ? AND {column} = ?", (cls.book(game), game)
        return f"{column} = ?", (game,)

    def _any_of(
        self, games: Collection[StreamId], column: str = "game", table: str = ""
    ) -> tuple[str, tuple[Any, ...]]:
        """Return the condition that a stream is one of these, and its values. `table` is empty or ends with a dot."""
        if len(games) > 1:
            return f"{table}{column} {self.among}", (self._texts(games),)
        (game,) = games
        return f"{table}book = ? AND {table}{column} = ?", (self.book(game), game)

    def before(self, after: GameId) -> tuple[str, tuple[Any, ...]]:
        """Return the condition that a game comes before another one in the order of the list, and its values."""
        return "g.number < (SELECT number FROM games WHERE book = ? AND game = ?)", (self.book(after), after)

    def before_case(self, after: CaseId) -> tuple[str, tuple[Any, ...]]:
        """Return the condition that a case comes before another one in the order of the list, and its values."""
        return "c.place < (SELECT place FROM cases WHERE book = ? AND stream = ?)", (self.book(after), after)

    @abstractmethod
    def _stream(self, game: StreamId) -> tuple[str, tuple[Any, ...]]:
        """Return the condition that an event is of a stream, and its values."""

    def _reading(self, game: StreamId, after: Version, limit: int | None) -> tuple[Any, ...]:
        of_stream, values = self._stream(game)
        query = (
            f"SELECT {self.record} FROM {self.log} WHERE {of_stream} AND version > CAST(? AS BIGINT)"
            " ORDER BY version LIMIT ?"
        )
        return query, *values, after, ALL if limit is None else limit

    async def segments(
        self, after: tuple[StreamId, Version] | None, limit: int
    ) -> list[tuple[StreamId, Version, str | None]]:
        game, version = after or ("", 0)
        found = await self._database.select(
            f"SELECT {COLUMNS} FROM segments s WHERE s.game > ? OR (s.game = ? AND s.version > CAST(? AS BIGINT))"
            " ORDER BY s.game, s.version LIMIT ?",
            *(game, game, version, limit),
        )
        told: list[tuple[StreamId, Version, str | None]] = []
        for row in found:
            try:
                await self._archived.unpacked([row], anew=True)
                wrong = None
            except StreamDamaged as error:
                wrong = str(error)
            told.append((row[0], row[1], wrong))
        return told

    async def read_all(self, cursor: str | None = None, limit: int = 1000) -> tuple[list[tuple[StreamId, Record]], str]:
        found, after = await self.read_on(Cursor.parse(cursor, self.books), limit)
        return [(game, record) for _, game, record in found], str(after)

    async def read_on(
        self, after: Cursor, limit: int, games: Collection[StreamId] | None = None, until: Cursor | None = None
    ) -> tuple[list[Placed], Cursor]:
        """Read rows; and then, when something that follows is archived, segments and rows at one moment.

        In this order: what was archived after the rows were read is among them, and what was archived before is found.
        """
        until = until or await self.end()
        rows, reached = await self._read_rows(after, limit, games, until)
        is_all = len(rows) == after.distance(reached)
        if is_all or not await self._database.select(*self._archived_after(after)):
            return rows, reached
        return await self._read_both(after, limit, games, until)

    async def _read_both(
        self, after: Cursor, limit: int, games: Collection[StreamId] | None, until: Cursor
    ) -> tuple[list[Placed], Cursor]:
        """Read the next positions of each book, as many as it may have records, from segments and rows.

        Positions may be unused, or those of other games: while nothing is found, further ones are looked at.
        """
        most = limit
        while windows := after.shares(until, most):
            packed, rows = await self._database.select_at_once(
                self._packed_between(after, windows, games), self._between(after, windows, games)
            )
            books: dict[int, dict[int, tuple[StreamId, Record]]] = {book: {} for book in windows}
            for book, position, game, *columns in rows:
                books[book][position] = game, Record(*columns)
            segments = await self._archived.unpacked((columns for _, *columns in packed), keep=True)
            for (book, game, *_), run in zip(packed, segments, strict=True):
                start = after.positions[book]
                for position, record in run:
                    if start < position <= start + windows[book]:
                        books[book][position] = game, record
            reached = after.plus(windows)
            filled = {book: sorted(found.items()) for book, found in books.items() if found}
            if filled:
                # Wider windows may have more than was asked for.
                share = max(1, limit // len(filled)) if most > limit else limit
                placed: list[Placed] = []
                for number, (book, found) in enumerate(filled.items()):
                    kept = found[:share] if number < limit else []
                    placed += [(self._place(book, position), game, record) for position, (game, record) in kept]
                    if len(kept) < len(found):
                        end = kept[-1][0] if kept else after.positions[book]
                        reached = reached.plus({book: end - reached.positions[book]})
                return placed, reached
            after, most = reached, min(2 * most, _WIDEST)
        return [], after

    @abstractmethod
    def _archived_after(self, after: Cursor) -> tuple[Any, ...]:
        """Return a query that finds something when segments follow a cursor, and its values."""

    @abstractmethod
    def _packed_between(
        self, after: Cursor, windows: Mapping[int, int], games: Collection[StreamId] | None
    ) -> tuple[Any, ...]:
        """Return a query for the book and the `COLUMNS` of segments with positions in windows, and its values."""

    @abstractmethod
    def _between(
        self, after: Cursor, windows: Mapping[int, int], games: Collection[StreamId] | None
    ) -> tuple[Any, ...]:
        """Return a query for book, position, game and record of rows with positions in windows, and its values."""

    @staticmethod
    @abstractmethod
    def _place(book: int, position: int) -> Place: ...

    async def _read_rows(
        self, after: Cursor, limit: int, games: Collection[StreamId] | None, until: Cursor
    ) -> tuple[list[Placed], Cursor]:
        """Read a log in which all books have their positions from one order."""
        first, last = max(after.positions), max(until.positions)
        only, values = ("", ()) if games is None else (f"AND game {self.among}", (self._texts(games),))
        found = await self._database.select(
            f"SELECT position, game, {self.record} FROM {self.log} WHERE position > ? AND position <= ? {only}"
            " ORDER BY position LIMIT ?",
            first,
            last,
            *values,
            limit,
        )
        rows = [(Place(ALL_BOOKS, position), game, Record(*columns)) for position, game, *columns in found]
        reached = rows[-1][0].position if len(rows) == limit else max(first, last)
        return rows, Cursor((reached,) * self.books)

    async def divided(self) -> bool:
        return False

    async def end(self) -> Cursor:
        (last,) = (await self._database.select(f"SELECT coalesce(max(position), 0) FROM {self.log}"))[0]
        return Cursor((last,) * self.books)

    async def head(self, game: StreamId) -> Version:
        found = await self._database.select(*self._head(game))
        return found[0][0] if found else 0

    def _head(self, game: StreamId) -> tuple[Any, ...]:
        """Return a query for the version at which a stream stands, and its values."""
        query = f"SELECT head FROM ({self.heads_query}) h WHERE book = ? AND game = ?"
        return query, self.book(game), game

    async def events(self) -> int:
        return int((await self._database.select(f"SELECT coalesce(sum(head), 0) FROM ({self.heads_query}) h"))[0][0])

    async def heads(self, games: Collection[StreamId]) -> dict[StreamId, Version]:
        if not games:
            return {}
        where, values = self._any_of(games)
        query = f"SELECT game, head FROM ({self.heads_query}) h WHERE {where}"
        return dict(await self._database.select(query, *values))

    async def rulesets(self, games: Collection[GameId]) -> dict[GameId, str]:
        if not games:
            return {}
        where, values = self._any_of(games)
        found = await self._database.select(f"SELECT game, ruleset FROM games WHERE {where}", *values)
        return {GameId(game): ruleset for game, ruleset in found}

    async def secrets(self, game: GameId, known: int = 0) -> list[Secret]:
        return _secrets(game, await self._database.select(SECRETS, self.book(game), game, known))

    async def load(self, game: GameId, after: Version = 0) -> Stored | None:
        asked = (
            (self.loaded, self.book(game), game),
            self._reading(game, after, None),
            (SECRETS, self.book(game), game, 0),
        )
        heads, rows, secrets = await self._database.select_at_once(*asked)
        if not heads:
            return None
        head, chance = heads[0]
        records = _records(rows)
        if head > after and (not records or records[0].version != after + 1):
            heads, rows, secrets, packed = await self._database.select_at_once(*asked, self._packed(game, after, None))
            head, chance = heads[0]
            records = await self._joined(game, after, None, head, packed, rows)
        return Stored(head, records, _secrets(game, secrets), chance)

    async def board(self, digest: str) -> bytes | None:
        found = await self._database.select(f"SELECT {self.board_file} FROM boards WHERE digest = ?", digest)
        return found[0][0] if found else None

    async def game(self, game: GameId) -> GameRow | None:
        found = await self._database.select(f"{self.listed} WHERE g.book = ? AND g.game = ?", self.book(game), game)
        return _game_row(found[0]) if found else None

    async def games(
        self,
        *,
        status: str | None = None,
        ruleset: str | None = None,
        player: PlayerId | None = None,
        mine: PlayerId | None = None,
        forks: bool = True,
        parent: GameId | None = None,
        listed: bool = False,
        among: Collection[GameId] | None = None,
        after: GameId | None = None,
        limit: int = 50,
    ) -> list[GameRow]:
        if among is not None and not among:
            return []
        of_game, key = self.key.format("g.", "game"), self.key.format("", "game")
        conditions, values = ["TRUE" if forks else "f.game IS NULL"], list[Any]()
        if listed:
            conditions.append("NOT EXISTS (SELECT 1 FROM unlisted u WHERE u.book = g.book AND u.game = g.game)")
        for condition, value in (
            ("g.status = ?", status),
            ("g.ruleset = ?", ruleset),
            (f"({of_game}) IN (SELECT {key} FROM seated WHERE player = ?)", player),
            (
                f"({of_game}) IN (SELECT {key} FROM seated WHERE player = ?"
                f" UNION SELECT {key} FROM games WHERE organizer = ?)",
                mine,
            ),
        ):
            if value is not None:
                conditions.append(condition)
                values.extend([value] * condition.count("?"))
        if among:
            condition, of_them = self._any_of(among, "game", "g.")
            conditions.append(condition)
            values.extend(of_them)
        if parent is not None:
            condition, of_parent = self.about(parent, "f.parent", await self.is_together())
            conditions.append(condition)
            values.extend(of_parent)
        if after is not None:
            condition, of_place = self.before(after)
            conditions.append(condition)
            values.extend(of_place)
        where = " AND ".join(conditions)
        found = await self._database.select(
            f"{self.listed} WHERE {where} ORDER BY {self.order} DESC LIMIT ?", *values, limit
        )
        return [_game_row(row) for row in found]

    async def continuations(self, game: GameId) -> list[GameId]:
        of_game, values = self.about(game, "f.parent", await self.is_together())
        found = await self._database.select(f"{CONTINUATIONS.format(of_game)} ORDER BY g.number", *values)
        return [GameId(game) for (game,) in found]

    def part_of(self, stream: StreamId) -> int:
        return 0

    async def count(self, what: Within) -> int:
        return (await self._database.select(*self.counting(what, await self.is_together())))[0][0]

    @classmethod
    def counting(cls, what: Within, is_together: bool) -> tuple[Any, ...]:
        """Return the query for how many there are of what a limit is on, and its values."""
        match what.what:
            case "analyses":
                return (
                    "SELECT count(*) FROM games g JOIN forks f ON f.book = g.book AND f.game = g.game"
                    " WHERE g.organizer = ? AND g.status = 'running' AND f.purpose = 'analysis'",
                    *what.values,
                )
            case "continuations":
                of_game, values = cls.about(GameId(what.values[0]), "f.parent", is_together)
                return f"SELECT count(*) FROM ({CONTINUATIONS.format(of_game)}) c", *values
            case "bots":
                return (
                    "SELECT count(*) FROM games g JOIN seated s ON s.book = g.book AND s.game = g.game"
                    f"{cls.changes} JOIN players p ON p.player = s.player WHERE g.organizer = ?"
                    f" AND g.status IN ('gathering', 'running') AND {cls.changed} > ? AND p.bot IS NOT NULL",
                    *what.values,
                )

    async def unlisted(self, games: Collection[GameId]) -> set[GameId]:
        if not games:
            return set()
        where, values = self._any_of(games)
        found = await self._database.select(f"SELECT game FROM unlisted WHERE {where}", *values)
        return {GameId(game) for (game,) in found}

    async def private(self, games: Collection[GameId]) -> set[GameId]:
        if not games:
            return set()
        where, values = self._any_of(games)
        found = await self._database.select(f"SELECT game FROM private WHERE {where}", *values)
        return {GameId(game) for (game,) in found}

    async def withheld(self, games: Collection[GameId]) -> dict[GameId, GameId]:
        if not games:
            return {}
        forks = WITHHELD_FORKS.format("f.book" if await self.is_together() else self.book_of.format("f.withheld"))
        where, values = self._any_of(games)
        found = await self._database.select(f"SELECT game, until FROM ({forks}) w WHERE {where}", *values)
        return {GameId(game): GameId(until) for game, until in found}

    async def list_game(self, game: GameId, listed: bool) -> None:
        add = "INSERT INTO unlisted (book, game) VALUES (?, ?) ON CONFLICT DO NOTHING"
        remove = "DELETE FROM unlisted WHERE book = ? AND game = ?"
        await self._database.execute(remove if listed else add, self.book(game), game)

    async def case(self, case: CaseId) -> CaseRow | None:
        found = await self._database.select(f"{_CASES} WHERE c.book = ? AND c.stream = ?", self.book(case), case)
        return _case_row(found[0]) if found else None

    async def cases(
        self,
        *,
        game: GameId | None = None,
        status: str | None = None,
        rule: str | None = None,
        party: PlayerId | None = None,
        judged: Collection[GameId] = (),
        after: CaseId | None = None,
        limit: int = 50,
        about: tuple[Version, Version] | None = None,
    ) -> list[CaseRow]:
        first, last = about or (None, None)
        cites = (
            f"({self.key.format('c.', 'stream')}) IN (SELECT {self.key.format('', 'stream')} FROM cited WHERE rule = ?)"
        )
        ours = f"(c.game IN (SELECT game FROM seated WHERE player = ?) OR c.game {self.among})"
        conditions = (
            ("c.status = ?", (status,)),
            (cites, (rule,)),
            ("c.about >= ?", (first,)),
            ("c.about <= ?", (last,)),
            (ours, (party, self._texts(judged))),
        )
        asked = [each for each in conditions if None not in each[1]]
        if after is not None:
            asked.append(self.before_case(after))
        if game is not None:
            asked.append(self.about(game, "c.game", await self.is_together()))
        where = " AND ".join(("TRUE", *(condition for condition, _ in asked)))
        values = [value for _, given in asked for value in given]
        query = f"{_CASES} WHERE {where} ORDER BY {self.order_of_cases} DESC LIMIT ?"
        return [_case_row(row) for row in await self._database.select(query, *values, limit)]

    async def precedents(self, rules: Collection[RuleId], limit: int) -> list[CaseRow]:
        if not rules:
            return []
        # Each rule's newest by themselves: as many rows are read, however often a rule was cited.
        of_a_rule = "SELECT place FROM (SELECT place FROM precedents WHERE rule = ? ORDER BY place DESC LIMIT ?) p"
        newest = " UNION ".join([of_a_rule] * len(rules))
        values = [value for rule in rules for value in (rule, limit)]
        query = f"{_CASES} WHERE c.place IN ({newest}) ORDER BY c.place DESC LIMIT ?"
        return [_case_row(row) for row in await self._database.select(query, *values, limit)]

    async def rulings(self, cases: Collection[CaseId]) -> dict[CaseId, list[Record]]:
        if not cases:
            return {}
        where, values = self._any_of(cases, "stream")
        query = (
            f"SELECT e.game, {self.record} FROM (SELECT book AS in_book, stream, version AS ruled FROM rulings"
            f" WHERE {where}) r JOIN {self.log} e ON {self.of_stream.format('e', 'r.stream', 'r.in_book')}"
            " AND e.version = r.ruled ORDER BY e.game, e.version"
        )
        found: dict[CaseId, list[Record]] = {}
        for case, *columns in await self._database.select(query, *values):
            found.setdefault(case, []).append(Record(*columns))
        return found

    async def statements(self, case: CaseId, after: Version = 0, limit: int | None = None) -> list[KeptStatement]:
        query = (
            "SELECT version, salt, written, erased, eraser FROM statements"
            " WHERE book = ? AND stream = ? AND version > CAST(? AS BIGINT) ORDER BY version LIMIT ?"
        )
        found = await self._database.select(query, self.book(case), case, after, ALL if limit is None else limit)
        return [KeptStatement(*columns) for columns in found]

    async def erase(self, case: CaseId, version: Version, by: PlayerId, at: str) -> bool:
        kept = {each.version for each in await self.statements(case, version - 1, 1) if each.written is not None}
        await self._database.execute(
            "UPDATE statements SET salt = NULL, written = NULL, erased = ?, eraser = ?"
            " WHERE book = ? AND stream = ? AND version = ? AND written IS NOT NULL",
            *(at, by, self.book(case), case, version),
        )
        return version in kept


def _check(batch: Append) -> None:
    versions = [record.version for record in batch.records]
    if not versions or versions != list(range(batch.expected + 1, batch.expected + len(versions) + 1)):
        raise ValueError(f"records {versions} do not follow version {batch.expected}")
    if batch.case is None and (batch.expected == 0) != (batch.opening is not None):
        raise ValueError("a new game has an opening, and nothing else has")
    if batch.case is not None and (batch.case.case, batch.case.version) != (batch.game, versions[-1]):
        raise ValueError(f"the index would have case {batch.case.case} at version {batch.case.version}")


_CASES: Final = (
    "SELECT c.stream, c.game, c.number, c.status, c.kind, c.about, c.matter, c.player, c.seat, c.rules, c.version,"
    " c.created, c.changed FROM cases c"
)

WITHHELD_FORKS: Final = (
    "SELECT f.book, f.game, f.withheld AS until FROM forks f JOIN games g ON g.book = {} AND g.game = f.withheld"
    " WHERE g.status <> 'over'"
)
"""The forks that are not shown to everybody now; {} is the book of the game that they wait for."""

CONTINUATIONS: Final = (
    "SELECT f.game FROM forks f JOIN games g ON g.book = f.book AND g.game = f.game"
    " WHERE {} AND f.purpose = 'continuation' AND g.status <> 'cancelled'"
)
"""The forks that continue a game; {} is the condition that they are of it."""

CASE_NUMBER: Final = "SELECT 1 FROM cases c WHERE {} AND c.number = ?"
"""Whether a case has a number already; {} is the condition that it is about a game."""


def index_statements(batch: Append, book_of: Callable[[StreamId], int]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield what is to be written of a case or a fork beside its records, each statement with its values."""
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


def kept_use(found: Sequence[Any]) -> KeptUse | None:
    """Return what `SEEN` has found."""
    for fingerprint, after, version in found:
        return KeptUse(fingerprint, Added(after, version))
    return None


def secret_values(secret: Secret) -> tuple[str, str, str]:
    """Return the readers, the salt and the value of a secret as they are stored."""
    return msgspec.json.encode(secret.readers).decode(), secret.salt, canonical(secret.value).decode()


def _records(found: Iterable[Any]) -> list[Record]:
    return [Record(*columns) for columns in found]


def _secrets(game: GameId, found: Iterable[Any]) -> list[Secret]:
    try:
        return [
            Secret(commitment, msgspec.json.decode(readers, type=tuple[Seat, ...]), salt, msgspec.json.decode(value))
            for commitment, readers, salt, value in found
        ]
    except msgspec.DecodeError as error:
        raise StoreDamaged(f"a secret of game {game} cannot be read: {error}") from error


def _game_row(columns: Sequence[Any]) -> GameRow:
    game, title, ruleset, ruleset_version, status, organizer, seats, *rest, parent, version, purpose, withheld = columns
    fork = ForkOf(parent, version, purpose, withheld) if parent is not None else None
    seated = msgspec.json.decode(seats)
    return GameRow(game, title, ruleset, ruleset_version, status, organizer, seated, *rest, fork=fork)


def _case_row(columns: Sequence[Any]) -> CaseRow:
    *first, rules, version, created, changed = columns
    cited = msgspec.json.decode(rules, type=tuple[RuleId, ...])
    return CaseRow(*first, rules=cited, version=version, created=created, changed=changed)
