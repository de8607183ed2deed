"""The index of cases: lists of them, the rulings and the rules that they cite, and the statements of parties."""

from collections.abc import Collection, Sequence
from typing import Any, ClassVar, Final

import msgspec

from domain.judging.case import CaseRow
from domain.kernel.ids import CaseId, GameId, PlayerId, RuleId, Version
from domain.kernel.log.record import Record
from service.store.protocol import KeptStatement
from service.store.sql.log import ALL, SqlLog

_CASES: Final = (
    "SELECT c.stream, c.game, c.number, c.status, c.kind, c.about, c.matter, c.player, c.seat, c.rules, c.version,"
    " c.created, c.changed FROM cases c"
)

CASE_NUMBER: Final = "SELECT 1 FROM cases c WHERE {} AND c.number = ?"
"""A query that finds a row if a case of a game has a number already; {} is the condition for the game."""


class CaseIndex(SqlLog):
    """The part of a store that lists cases."""

    order_of_cases: ClassVar[str] = "c.place"
    """The order of the list of cases, the newest last."""

    async def case(self, case: CaseId) -> CaseRow | None:
        rows = await self._at(case).select(f"{_CASES} WHERE c.book = ? AND c.stream = ?", self.book(case), case)
        return _case_row(rows[0]) if rows else None

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
        filters = [each for each in conditions if None not in each[1]]
        if after is not None:
            filters.append(self.before_case(after))
        if hidden := self.hidden("c.book"):
            filters.append(hidden)
        if game is not None:
            filters.append(self.about(game, "c.game", await self.is_together()))
        where = " AND ".join(("TRUE", *(condition for condition, _ in filters)))
        values = [value for _, values_of in filters for value in values_of]
        query = f"{_CASES} WHERE {where} ORDER BY {self.order_of_cases} DESC LIMIT ?"
        queries = self._everywhere if game is None else await self._around(game)
        return [_case_row(row) for row in await queries.select(query, *values, limit)]

    def before_case(self, after: CaseId) -> tuple[str, tuple[Any, ...]]:
        """Return the condition that a case comes before another one in the order of the list, and its values."""
        return "c.place < (SELECT place FROM cases WHERE book = ? AND stream = ?)", (self.book(after), after)

    async def precedents(self, rules: Collection[RuleId], limit: int) -> list[CaseRow]:
        if not rules:
            return []
        # A query for each rule, so that the number of rows read does not grow with the number of citations.
        of_a_rule = "SELECT place FROM (SELECT place FROM precedents WHERE rule = ? ORDER BY place DESC LIMIT ?) p"
        newest = " UNION ".join([of_a_rule] * len(rules))
        values = [value for rule in rules for value in (rule, limit)]
        here, of_here = self.hidden("c.book") or ("TRUE", ())
        query = f"{_CASES} WHERE c.place IN ({newest}) AND {here} ORDER BY c.place DESC LIMIT ?"
        return [_case_row(row) for row in await self._everywhere.select(query, *values, *of_here, limit)]

    async def rulings(self, cases: Collection[CaseId]) -> dict[CaseId, list[Record]]:
        if not cases:
            return {}
        where, values = self._any_of(cases, "stream")
        query = (
            f"SELECT e.game, {self.record} FROM (SELECT book AS in_book, stream, version AS ruled FROM rulings"
            f" WHERE {where}) r JOIN {self.log} e ON {self.of_stream.format('e', 'r.stream', 'r.in_book')}"
            " AND e.version = r.ruled ORDER BY e.game, e.version"
        )
        by_case: dict[CaseId, list[Record]] = {}
        for case, *columns in await self._at(*cases).select(query, *values):
            by_case.setdefault(case, []).append(Record(*columns))
        return by_case

    async def statements(self, case: CaseId, after: Version = 0, limit: int | None = None) -> list[KeptStatement]:
        query = (
            "SELECT version, salt, written, erased, eraser FROM statements"
            " WHERE book = ? AND stream = ? AND version > CAST(? AS BIGINT) ORDER BY version LIMIT ?"
        )
        rows = await self._at(case).select(query, self.book(case), case, after, ALL if limit is None else limit)
        return [KeptStatement(*columns) for columns in rows]

    async def erase(self, case: CaseId, version: Version, by: PlayerId, at: str) -> bool:
        written_versions = {
            each.version for each in await self.statements(case, version - 1, 1) if each.written is not None
        }
        await self._at(case).execute(
            "UPDATE statements SET salt = NULL, written = NULL, erased = ?, eraser = ?"
            " WHERE book = ? AND stream = ? AND version = ? AND written IS NOT NULL",
            *(at, by, self.book(case), case, version),
        )
        return version in written_versions


def _case_row(columns: Sequence[Any]) -> CaseRow:
    *first, rules, version, created, changed = columns
    cited = msgspec.json.decode(rules, type=tuple[RuleId, ...])
    return CaseRow(*first, rules=cited, version=version, created=created, changed=changed)
