"""Choosing the games and rulings of each set of dumps, and the sets that are due."""

from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Mapping
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

from domain.judging.events import Ruled
from domain.judging.fold import read_event
from domain.judging.outcome import Judgment, holding, judgment_of
from domain.kernel.ids import CaseId, GameId, Version
from domain.kernel.rules.ruleset import Library
from projections import rules
from projections.store import ProjectionStore
from service.base.clock import written
from service.dumps.index import Signed
from service.dumps.tables import Row
from service.store.protocol import EventStore
from service.transparency.log import TransparencyLog

_PAGE: Final = 1_000
"""How many rows are read at once."""

Key = tuple[str, str]
"""The month and the ruleset of a set."""


class Finished(Struct, frozen=True, order=True):
    """A finished game that everybody may list and read."""

    ended: str
    game: GameId
    version: Version
    ruleset: str


class Verdict(Struct, frozen=True, order=True):
    """A ruling on a finished game, and the result from then on; None when the game's own end is valid again."""

    at: str
    case: CaseId
    number: int
    game: GameId
    judgment: Judgment | None


class Plan(Struct, frozen=True):
    """The contents of a set. The plan is stored while the set is made, so that another process can finish it.

    Attributes:
        package: the version of the package that made the plan.
        refusals: the rows of the table `refusals`, as they were at that time.
        signed: the checkpoint that covers all games; None when the service signs none.
        places: the place of each game in the transparency log, in the order of `games`.
    """

    package: str
    ruleset: str
    month: str
    licence: str
    games: tuple[Finished, ...]
    rulings: tuple[Verdict, ...]
    refusals: tuple[Row, ...]
    signed: Signed | None
    places: tuple[int, ...]

    @property
    def name(self) -> str:
        """The beginning of the names of its files."""
        return f"{self.ruleset}-{self.month}"


class Due(Struct, frozen=True):
    """The games and rulings of a set that is due."""

    games: list[Finished]
    rulings: list[Verdict]


async def due_sets(store: EventStore, finished_sets: Collection[Key], now: datetime, days: int) -> dict[Key, Due]:
    """Return the sets that are not done and whose month ended more than `days` days ago, by month and ruleset."""
    last = written(now - timedelta(days=days))[:7]
    finished = {each.game: each async for each in _finished(store)}
    by_key: defaultdict[Key, Due] = defaultdict(lambda: Due([], []))
    for each in finished.values():
        by_key[each.ended[:7], each.ruleset].games.append(each)
    async for each in _verdicts(store, finished):
        by_key[each.at[:7], finished[each.game].ruleset].rulings.append(each)
    sets = {key: by_key[key] for key in sorted(by_key) if key[0] < last and key not in finished_sets}
    for each in sets.values():
        each.games.sort()
        each.rulings.sort()
    return sets


async def _finished(store: EventStore) -> AsyncIterator[Finished]:
    after: GameId | None = None
    while rows := await store.games(status="over", forks=False, listed=True, after=after, limit=_PAGE):
        after = rows[-1].game
        private = await store.private([row.game for row in rows])
        for row in rows:
            if row.game not in private:
                yield Finished(row.changed, row.game, row.version, row.ruleset)


async def _verdicts(store: EventStore, finished: Mapping[GameId, Finished]) -> AsyncIterator[Verdict]:
    """Yield the rulings on finished games; those on one game come in their order."""
    ruled: defaultdict[GameId, list[Verdict]] = defaultdict(list)
    after: CaseId | None = None
    while rows := await store.cases(after=after, limit=_PAGE):
        after = rows[-1].case
        rulings = await store.rulings([row.case for row in rows if row.game in finished])
        for row in rows:
            for record in rulings.get(row.case, ()):
                ruling = read_event(record)
                # A ruling on a running game is in the log of that game.
                if isinstance(ruling, Ruled) and ruling.version == finished[row.game].version:
                    judgment = judgment_of(ruling, row.case, row.number, record.at)
                    ruled[row.game].append(Verdict(record.at, row.case, row.number, row.game, judgment))
    for verdicts in ruled.values():
        newest: dict[CaseId, Judgment | None] = {}
        for each in sorted(verdicts):
            newest[each.case] = each.judgment
            in_force = holding(filter(None, newest.values()))
            yield Verdict(each.at, each.case, each.number, each.game, in_force)


async def signed(store: EventStore, games: Collection[Finished]) -> tuple[Signed, tuple[int, ...]] | None:
    """Return a checkpoint that covers the ends of games, and their places in the log; None if there is none yet.

    A checkpoint that a witness has seen is preferred.
    """
    places: list[int] = []
    for each in games:
        logged = await store.tree.logged(each.game, each.version)
        if logged is None:
            return None
        places.append(logged[0])
    newest = await store.tree.published()
    if newest is None:
        return None
    size = max(places, default=-1) + 1
    cosigned = await store.tree.cosigned(newest.origin)
    checkpoint = cosigned if cosigned is not None and cosigned.size >= size else newest
    if checkpoint.size < size:
        return None
    note = await TransparencyLog(store.tree).note(checkpoint)
    return Signed(checkpoint.origin, checkpoint.size, str(note)), tuple(places)


async def refusals(rows: ProjectionStore, library: Library, ruleset: str, at: str) -> list[Row]:
    """Return the rows of `refusals`."""
    commands = (await rules.accepted(rows)).get(ruleset, 0)
    return [
        (each.ruleset, each.rule, each.title or None, each.refusals, commands, at)
        for each in await rules.tallies(rows, library, ruleset)
    ]
