"""The log on several PostgreSQL servers, by a map of its books to their addresses (``TABULARIUM_BOOK_SERVERS``).

A stream is on the server that keeps its book, with all that belongs to it: forks and cases are in the book of their
game. The home has everything else: accounts, the tree of the transparency log, projections and snapshots. The servers
know nothing of each other, and no transaction spans two of them.

A book may move to another server meanwhile (`moving.py`): `keepers.py` knows which server keeps it now.
"""

import asyncio
import heapq
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from itertools import islice
from typing import Any, ClassVar, Final, TypeVar

from msgspec.structs import replace

from domain.judging.case import CaseRow
from domain.kernel.chance.secret import Secret
from domain.kernel.ids import (
    BOOKS,
    CaseId,
    GameId,
    LeagueId,
    PlayerId,
    RuleId,
    StreamId,
    TournamentId,
    Version,
)
from domain.kernel.log.record import Record
from projections.cursor import Cursor
from projections.lobby import GameRow
from service.store.outside import Outside
from service.store.postgres.books import ALL, spans
from service.store.postgres.keepers import Keepers, until_kept
from service.store.postgres.server import (
    Server,
    place_of_case,
    place_of_game,
    place_of_league,
    place_of_tournament,
)
from service.store.protocol import (
    Append,
    Appended,
    KeptStatement,
    KeptUse,
    LeagueRow,
    NotKept,
    Placed,
    Stored,
    StoreUnavailable,
    TournamentRow,
    Within,
)
from service.store.sql.games import is_of_many

S = TypeVar("S", bound=StreamId)
T = TypeVar("T")

COUNTED: Final = 2
"""How many appends with limits across servers a process makes at once: each holds connections of its own meanwhile."""


class SpreadStore:
    """An `EventStore` on several servers. To be made by `SpreadStore.open`."""

    is_shared = True
    books: ClassVar[int] = BOOKS

    def __init__(self, servers: Sequence[Server]) -> None:
        """The first of the servers is the home."""
        self._servers = servers
        self._home = servers[0]
        self._keepers = Keepers(servers)
        self._counting = asyncio.Semaphore(COUNTED)
        self.accounts = self._home.accounts
        self.webhooks = self._home.webhooks
        self.organizing = self._home.organizing
        self.apps = self._home.apps
        self.imports = self._home.imports
        self.joinings = self._home.joinings
        self.tree = self._home.tree
        self.tree.beside = [server.tree for server in servers[1:]]

    @classmethod
    async def open(
        cls, books_by_url: Mapping[str, frozenset[int]], *, durable: bool = True, connections: int = 8
    ) -> "SpreadStore":
        """Open the store on servers that `tabularium migrate` has prepared, by their addresses; the first is the home.

        Args:
            books_by_url: the books that each server keeps; all servers together keep each book once.
            durable: as for one server.
            connections: as for one server, to each.

        Raises:
            StoreUnavailable: a server does not answer, has another schema, or keeps other books.
        """
        opened: list[Server] = []
        try:
            for url, books in books_by_url.items():
                opened.append(await Server.open(url, durable=durable, connections=connections, books=books))
        except BaseException:
            for server in opened:
                await server.close()
            raise
        store = cls(opened)
        store._keepers.watch()
        return store

    @property
    def connections(self) -> dict[str, Callable[[], int]]:
        """Numbers of connections that read from all servers: how many are busy, idle, and allowed."""
        each = [server.connections for server in self._servers]
        return {state: lambda state=state: sum(numbers[state]() for numbers in each) for state in each[0]}

    @property
    def outside(self) -> Outside:
        return self._home.outside

    @outside.setter
    def outside(self, outside: Outside) -> None:
        for server in self._servers:
            server.outside = outside

    @property
    def is_full(self) -> bool:
        return any(server.is_full for server in self._servers)

    @property
    def damage(self) -> str | None:
        return next((server.damage for server in self._servers if server.damage is not None), None)

    def begin_checking(self) -> None:
        for server in self._servers:
            server.begin_checking()

    async def ready(self) -> None:
        """Return when the home answers. Another server may be away: then only its books are missing."""
        await self._home.ready()

    async def close(self) -> None:
        await self._keepers.close()

    def part_of(self, stream: StreamId) -> int:
        return self._keepers.part_of(stream)

    # --- the log ---

    async def append(self, batch: Append) -> Appended:
        return await self._append(batch)

    async def append_together(self, first: Append, *others: Append) -> Appended:
        return await self._append(first, *others)

    async def _append(self, *batches: Append) -> Appended:
        return await until_kept(lambda: self._append_once(*batches))

    async def _append_once(self, *batches: Append) -> Appended:
        server, *more = await self._keepers.groups([batch.game for batch in batches])
        if more:
            raise ValueError(f"streams of several servers: {', '.join(batch.game for batch in batches)}")
        server = await self._keepers.of(batches[0].game)
        limits = [batch.within for batch in batches if batch.within is not None and is_of_many(batch.within)]
        if not limits:
            return await self._appended(server, batches)
        # No other process counts the same meanwhile, whichever server it appends to. When the connection that holds
        # this lock breaks in between, one may count too early, and one more than the limit may be stored.
        async with self._counting, AsyncExitStack() as locks:
            for what in sorted({f"{limit.what} {limit.values[0]}" for limit in limits}):
                await locks.enter_async_context(self._home.alone(what))
            return await self._appended(server, [await self._with_rest_of_limit(batch, server) for batch in batches])

    async def _appended(self, server: Server, batches: Sequence[Append]) -> Appended:
        first, *others = batches
        try:
            return await (server.append_together(first, *others) if others else server.append(first))
        except NotKept:
            # Nothing was stored, because the book has left the server meanwhile.
            await self._keepers.look_again()
            raise

    async def _with_rest_of_limit(self, batch: Append, server: Server) -> Append:
        """Return a batch with its limit reduced by what other servers count towards it."""
        if batch.within is None or not is_of_many(batch.within):
            return batch
        within = await self._as_servers_count(batch.within)
        others = [each for each in self._servers if each is not server]
        elsewhere = sum(await self._keepers.each(lambda each: each.count(within), others))
        return replace(batch, within=replace(within, most=within.most - elsewhere))

    async def _as_servers_count(self, within: Within) -> Within:
        """Return a limit as `Server.counting` takes it."""
        if within.what != "bots":
            return within
        bots = [row.player for row in await self.accounts.bots()]
        return replace(within, values=(*within.values, *bots))

    async def count(self, what: Within) -> int:
        if not is_of_many(what):
            return await (await self._keepers.of(GameId(what.values[0]))).count(what)
        within = await self._as_servers_count(what)
        return sum(await self._keepers.each(lambda server: server.count(within)))

    async def use_of_key(self, game: StreamId, account: PlayerId, key: str) -> KeptUse | None:
        return await (await self._keepers.of(game)).use_of_key(game, account, key)

    async def forget_keys(self, before: str, limit: int) -> int:
        total = 0
        for server in self._servers:
            total += await server.forget_keys(before, limit - total)
        return total

    async def read(self, game: StreamId, after: Version = 0, limit: int | None = None) -> list[Record]:
        return await (await self._keepers.of(game)).read(game, after, limit)

    async def read_all(self, cursor: str | None = None, limit: int = 1000) -> tuple[list[tuple[StreamId, Record]], str]:
        placed, after = await self.read_on(Cursor.parse(cursor, self.books), limit)
        return [(game, record) for _, game, record in placed], str(after)

    async def divided(self) -> bool:
        return True  # otherwise the store does not open

    async def end(self) -> Cursor:
        async def stand() -> Cursor:
            positions = _largest(await self._keepers.each(Server.positions))
            if missing := ALL - positions.keys():
                await self._keepers.look_again()
                raise self._keepers.error_for_lost(missing) or NotKept(
                    f"the books {spans(missing)} of the log move just now"
                )
            return Cursor(tuple(positions[book] for book in range(BOOKS)))

        return await until_kept(stand)

    async def read_on(
        self, after: Cursor, limit: int, games: Collection[StreamId] | None = None, until: Cursor | None = None
    ) -> tuple[list[Placed], Cursor]:
        """Read on in the log, also while a server is away: then its books stay where they were.

        Without any records, nobody knows whether the end is reached. Raises `StoreUnavailable` then.
        """
        trouble: list[StoreUnavailable] = []
        if until is None:
            until = await self._reach(after, trouble)
        else:
            await self._keepers.know()
        shares = after.shares(until, limit)
        # One map from here on: a book whose rows one server returned is as far as that server says.
        homes = self._keepers.of_book

        async def part(server: Server) -> tuple[list[Placed], Cursor]:
            most = sum(share for book, share in shares.items() if homes.get(book) is server)
            end = _joined(homes, {**dict.fromkeys(self._servers, after), server: until}, after)
            work = lambda server: server.read_on(after, most, games, end)  # noqa: E731
            return await self._answered(server, work, ([], after), trouble) if most else ([], after)

        parts = await asyncio.gather(*map(part, self._servers))
        rows = [row for placed, _ in parts for row in placed]
        if missing := [book for book in shares if book not in homes]:
            trouble.append(NotKept(f"the books {spans(missing)} of the log are on their way to another server"))
        if trouble and not rows:
            raise trouble[0]
        return rows, _joined(homes, {server: end for server, (_, end) in zip(self._servers, parts, strict=True)}, after)

    async def reach(self, known: Cursor) -> Cursor:
        return await self._reach(known, [])

    async def away(self) -> frozenset[int]:
        positions = await self._positions([])
        return (ALL - positions.keys()).union(*[await server.away() & server.books_kept for server in self._servers])

    async def _reach(self, known: Cursor, trouble: list[StoreUnavailable]) -> Cursor:
        """Return what `reach` returns. Add to `trouble` why books are away."""
        positions = await self._positions(trouble)
        return Cursor(tuple(positions.get(book, position) for book, position in enumerate(known.positions)))

    async def _positions(self, trouble: list[StoreUnavailable]) -> dict[int, int]:
        """Return the newest position of each book that is not away. Add to `trouble` why others are."""
        await self._keepers.know()
        ends = (self._answered(server, Server.positions, {}, trouble) for server in self._servers)
        positions = _largest(await asyncio.gather(*ends))
        if not trouble and (missing := ALL - positions.keys()):
            trouble.append(NotKept(f"the books {spans(missing)} of the log are on their way to another server"))
        return positions

    async def _answered(
        self, server: Server, work: Callable[[Server], Awaitable[T]], otherwise: T, trouble: list[StoreUnavailable]
    ) -> T:
        """Return the answer of a server. If it does not answer, add why to `trouble` and return `otherwise`."""
        try:
            return await self._keepers.ask(server, work)
        except StoreUnavailable as error:
            trouble.append(error)
            return otherwise

    async def segments(
        self, after: tuple[StreamId, Version] | None, limit: int
    ) -> list[tuple[StreamId, Version, str | None]]:
        answers = await self._keepers.each(lambda server: server.segments(after, limit))
        return sorted({segment for each in answers for segment in each}, key=lambda each: each[:2])[:limit]

    async def kept_outside(self) -> tuple[StreamId, Version] | None:
        answers = await self._keepers.each(Server.kept_outside)
        return next((each for each in answers if each is not None), None)

    # --- streams ---

    async def head(self, game: StreamId) -> Version:
        return await (await self._keepers.of(game)).head(game)

    async def events(self) -> int:
        return sum(await self._keepers.each(Server.events))

    async def heads(self, games: Collection[StreamId]) -> dict[StreamId, Version]:
        return await self._keepers.merged(games, Server.heads)

    async def rulesets(self, games: Collection[GameId]) -> dict[GameId, str]:
        return await self._keepers.merged(games, Server.rulesets)

    async def withheld(self, games: Collection[GameId]) -> dict[GameId, GameId]:
        return await self._keepers.merged(games, Server.withheld)

    async def rulings(self, cases: Collection[CaseId]) -> dict[CaseId, list[Record]]:
        return await self._keepers.merged(cases, Server.rulings)

    async def unlisted(self, games: Collection[GameId]) -> set[GameId]:
        groups = await self._keepers.groups(games)
        return set[GameId]().union(*await self._keepers.each(lambda server: server.unlisted(groups[server]), groups))

    async def private(self, games: Collection[GameId]) -> set[GameId]:
        groups = await self._keepers.groups(games)
        return set[GameId]().union(*await self._keepers.each(lambda server: server.private(groups[server]), groups))

    async def secrets(self, game: GameId, offset: int = 0) -> list[Secret]:
        return await (await self._keepers.of(game)).secrets(game, offset)

    async def load(self, game: GameId, after: Version = 0) -> Stored | None:
        return await (await self._keepers.of(game)).load(game, after)

    async def board(self, digest: str) -> bytes | None:
        """Return a board from the first server that has it: each has those of its games."""
        trouble: StoreUnavailable | None = None
        for server in self._servers:
            try:
                if (board := await self._keepers.ask(server, lambda each: each.board(digest))) is not None:
                    return board
            except StoreUnavailable as error:
                trouble = error
        if trouble is not None:
            raise trouble
        return None

    async def organize(self, game: GameId, player: PlayerId) -> None:
        await self._keepers.changed(game, lambda server: server.organize(game, player))

    async def retitle(self, stream: GameId | TournamentId | LeagueId, title: str) -> None:
        await self._keepers.changed(stream, lambda server: server.retitle(stream, title))

    async def list_game(self, game: GameId, listed: bool) -> None:
        await self._keepers.changed(game, lambda server: server.list_game(game, listed))

    async def continuations(self, game: GameId) -> list[GameId]:
        return await (await self._keepers.of(game)).continuations(game)

    async def statements(self, case: CaseId, after: Version = 0, limit: int | None = None) -> list[KeptStatement]:
        return await (await self._keepers.of(case)).statements(case, after, limit)

    async def erase(self, case: CaseId, version: Version, by: PlayerId, at: str) -> bool:
        return await self._keepers.changed(case, lambda server: server.erase(case, version, by, at))

    # --- lists ---

    async def game(self, game: GameId) -> GameRow | None:
        return await (await self._keepers.of(game)).game(game)

    async def games(
        self,
        *,
        parent: GameId | None = None,
        among: Collection[GameId] | None = None,
        after: GameId | None = None,
        limit: int = 50,
        **which: Any,
    ) -> list[GameRow]:
        if after is not None:
            last = await self.game(after)
            if last is None:
                return []
            after = GameId(place_of_game(last))
        servers = None
        if parent is not None:
            servers = [await self._keepers.of(parent)]
        elif among is not None:
            servers = [*await self._keepers.groups(among)]
        answers = await self._keepers.each(
            lambda server: server.games(parent=parent, among=among, after=after, limit=limit, **which), servers
        )
        return [*islice(heapq.merge(*answers, key=place_of_game, reverse=True), limit)]

    async def case(self, case: CaseId) -> CaseRow | None:
        return await (await self._keepers.of(case)).case(case)

    async def cases(
        self, *, game: GameId | None = None, after: CaseId | None = None, limit: int = 50, **which: Any
    ) -> list[CaseRow]:
        if after is not None:
            last = await self.case(after)
            if last is None:
                return []
            after = CaseId(place_of_case(last))
        servers = None if game is None else [await self._keepers.of(game)]
        answers = await self._keepers.each(
            lambda server: server.cases(game=game, after=after, limit=limit, **which), servers
        )
        return [*islice(heapq.merge(*answers, key=place_of_case, reverse=True), limit)]

    async def precedents(self, rules: Collection[RuleId], limit: int) -> list[CaseRow]:
        answers = await self._keepers.each(lambda server: server.precedents(rules, limit))
        return sorted((case for each in answers for case in each), key=place_of_case, reverse=True)[:limit]

    async def tournament(self, tournament: TournamentId) -> TournamentRow | None:
        return await (await self._keepers.of(tournament)).tournament(tournament)

    async def tournaments(
        self, *, after: TournamentId | None = None, limit: int = 50, **which: Any
    ) -> list[TournamentRow]:
        if after is not None:
            last = await self.tournament(after)
            if last is None:
                return []
            after = TournamentId(place_of_tournament(last))
        answers = await self._keepers.each(
            lambda server: server.tournaments(after=after, limit=limit, **which), self._servers
        )
        return [*islice(heapq.merge(*answers, key=place_of_tournament, reverse=True), limit)]

    async def league(self, league: LeagueId) -> LeagueRow | None:
        return await (await self._keepers.of(league)).league(league)

    async def leagues(self, *, after: LeagueId | None = None, limit: int = 50, **which: Any) -> list[LeagueRow]:
        if after is not None:
            last = await self.league(after)
            if last is None:
                return []
            after = LeagueId(place_of_league(last))
        answers = await self._keepers.each(
            lambda server: server.leagues(after=after, limit=limit, **which), self._servers
        )
        return [*islice(heapq.merge(*answers, key=place_of_league, reverse=True), limit)]

    async def seed(self, tournament: TournamentId) -> bytes | None:
        return await (await self._keepers.of(tournament)).seed(tournament)


def _largest(answers: Iterable[Mapping[int, int]]) -> dict[int, int]:
    """Return the last position of each book. If a book moved between two answers, the later position counts."""
    largest: dict[int, int] = {}
    for positions in answers:
        for book, position in positions.items():
            largest[book] = max(position, largest.get(book, 0))
    return largest


def _joined(homes: Mapping[int, Server], cursors: Mapping[Server, Cursor], otherwise: Cursor) -> Cursor:
    """Return a cursor that has the position of each book from the cursor of its server, if it has one."""
    homes_in_order = ((book, homes.get(book)) for book in range(BOOKS))
    return Cursor(tuple((cursors[home] if home else otherwise).positions[book] for book, home in homes_in_order))
