"""The index of games: lists of games, which of them are private or unlisted, and forks with their parents."""

from collections.abc import Collection, Sequence
from typing import Any, ClassVar, Final

import msgspec

from domain.kernel.ids import GameId, LeagueId, PlayerId, TournamentId, is_league, is_tournament
from projections.lobby import ForkOf, GameRow
from service.store.protocol import Within
from service.store.sql.log import SqlLog

WITHHELD_FORKS: Final = (
    "SELECT f.book, f.game, f.withheld AS until FROM forks f JOIN games g ON g.book = {} AND g.game = f.withheld"
    " WHERE g.status <> 'over'"
)
"""The forks that are not shown to everybody now; {} is the book of the game that they wait for."""

CONTINUATIONS: Final = (
    "SELECT f.game FROM forks f JOIN games g ON g.book = f.book AND g.game = f.game"
    " WHERE {} AND f.purpose = 'continuation' AND g.status <> 'cancelled'"
)
"""The forks that continue a game; {} is the condition for the game."""


class GameIndex(SqlLog):
    """The part of a store that lists games."""

    listed: ClassVar[str]
    """A query for the columns of a `GameRow`, of games `g` and their forks `f`."""
    changes: ClassVar[str]
    """The join that gives a query of games `g` the column `changed`."""
    changed: ClassVar[str]
    """The column which says when a game changed last."""
    order: ClassVar[str] = "g.number"
    """The order of the list of games, the newest last."""

    async def organize(self, game: GameId, player: PlayerId) -> None:
        change = "UPDATE games SET organizer = ? WHERE book = ? AND game = ?"
        await self._at(game).execute(change, player, self.book(game), game)

    async def retitle(self, stream: GameId | TournamentId | LeagueId, title: str) -> None:
        change = "UPDATE games SET title = ? WHERE book = ? AND game = ?"
        if is_tournament(stream):
            change = "UPDATE tournaments SET title = ? WHERE book = ? AND stream = ?"
        elif is_league(stream):
            change = "UPDATE leagues SET title = ? WHERE book = ? AND stream = ?"
        await self._at(stream).execute(change, title, self.book(stream), stream)

    async def rulesets(self, games: Collection[GameId]) -> dict[GameId, str]:
        if not games:
            return {}
        where, values = self._any_of(games)
        rows = await self._at(*games).select(f"SELECT game, ruleset FROM games WHERE {where}", *values)
        return {GameId(game): ruleset for game, ruleset in rows}

    async def game(self, game: GameId) -> GameRow | None:
        rows = await self._at(game).select(f"{self.listed} WHERE g.book = ? AND g.game = ?", self.book(game), game)
        return _game_row(rows[0]) if rows else None

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
        if hidden := self.hidden("g.book"):
            conditions.append(hidden[0])
            values.extend(hidden[1])
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
        queries = self._at(*among) if among else self._everywhere if parent is None else await self._around(parent)
        rows = await queries.select(f"{self.listed} WHERE {where} ORDER BY {self.order} DESC LIMIT ?", *values, limit)
        return [_game_row(row) for row in rows]

    def before(self, after: GameId) -> tuple[str, tuple[Any, ...]]:
        """Return the condition that a game comes before another one in the order of the list, and its values."""
        return "g.number < (SELECT number FROM games WHERE book = ? AND game = ?)", (self.book(after), after)

    async def continuations(self, game: GameId) -> list[GameId]:
        of_game, values = self.about(game, "f.parent", await self.is_together())
        queries = await self._around(game)
        rows = await queries.select(f"{CONTINUATIONS.format(of_game)} ORDER BY g.number", *values)
        return [GameId(game) for (game,) in rows]

    async def count(self, what: Within) -> int:
        queries = self._everywhere if is_of_many(what) else await self._around(GameId(what.values[0]))
        return (await queries.select(*self.counting_query(what, await self.is_together())))[0][0]

    def counting_query(self, what: Within, is_together: bool) -> tuple[Any, ...]:
        """Return the query with which this database counts for a limit, and its values."""
        return self.counting(what, is_together)

    @classmethod
    def counting(cls, what: Within, is_together: bool) -> tuple[Any, ...]:
        """Return a query that counts for a limit, and its values."""
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
            case "tournaments":
                return (
                    "SELECT count(*) FROM tournaments t WHERE t.organizer = ? AND t.status IN ('open', 'running')",
                    *what.values,
                )
            case "leagues":
                return "SELECT count(*) FROM leagues l WHERE l.organizer = ?", *what.values

    async def unlisted(self, games: Collection[GameId]) -> set[GameId]:
        if not games:
            return set()
        where, values = self._any_of(games)
        rows = await self._at(*games).select(f"SELECT game FROM unlisted WHERE {where}", *values)
        return {GameId(game) for (game,) in rows}

    async def private(self, games: Collection[GameId]) -> set[GameId]:
        if not games:
            return set()
        where, values = self._any_of(games)
        rows = await self._at(*games).select(f"SELECT game FROM private WHERE {where}", *values)
        return {GameId(game) for (game,) in rows}

    async def withheld(self, games: Collection[GameId]) -> dict[GameId, GameId]:
        if not games:
            return {}
        forks = WITHHELD_FORKS.format("f.book" if await self.is_together() else self.book_of.format("f", "withheld"))
        where, values = self._any_of(games)
        rows = await self._at(*games).select(f"SELECT game, until FROM ({forks}) w WHERE {where}", *values)
        return {GameId(game): GameId(until) for game, until in rows}

    async def list_game(self, game: GameId, listed: bool) -> None:
        add = "INSERT INTO unlisted (book, game) VALUES (?, ?) ON CONFLICT DO NOTHING"
        remove = "DELETE FROM unlisted WHERE book = ? AND game = ?"
        await self._at(game).execute(remove if listed else add, self.book(game), game)


def is_of_many(within: Within) -> bool:
    """Tell whether what a limit counts may be in any book. Continuations are in the book of their game."""
    return within.what != "continuations"


def _game_row(columns: Sequence[Any]) -> GameRow:
    game, title, ruleset, ruleset_version, status, organizer, seats, *rest, parent, version, purpose, withheld = columns
    fork = ForkOf(parent, version, purpose, withheld) if parent is not None else None
    seated = msgspec.json.decode(seats)
    return GameRow(game, title, ruleset, ruleset_version, status, organizer, seated, *rest, fork=fork)
