"""When running games may be abandoned (TAB-END-04), and when offered rematches expire (TAB-REM-04). The timekeeper
reads this instead of loading every game.

A row is written when its game begins, and not at every event. So its time is the earliest that the game allows. The
timekeeper looks at the game then, puts the row off (`later`), and notes in it that the players can be told.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from typing import Final

from msgspec import UNSET, Struct

from domain.kernel.ids import GameId, book_of
from domain.kernel.log.clock import milliseconds, moment
from domain.kernel.log.ended import ABANDONED_AFTER
from domain.kernel.log.ending import WARNING
from domain.kernel.log.lifecycle import GameCancelled, GameCreated, GameEnded, GameStarted
from projections.change import Amend, Change, Drop, Put, Table
from projections.projection import Happened, Projection
from projections.store import ProjectionStore, Rows

STILL: Final = Table(
    "still",
    {"game": "text"},
    {"book": "number", "due": "text", "told": "text"},
    (("due", "game"),),
)
"""`due` is when to look at the game next; `told` is empty, or the time of the last event of a game whose players can be
told that it will be abandoned."""


class Still(Struct, frozen=True):
    """A game to look at. The attributes are columns of `STILL`."""

    game: GameId
    due: str
    told: str


class Stillness(Projection):
    """The times at which running games may be abandoned, and offered rematches expire."""

    name = "stillness"
    version = 1
    tables = (STILL,)
    heeds = "around"

    def fold(self, happened: Happened) -> Iterable[Change]:
        key = {"game": happened.game}
        match happened.around:
            case GameCreated(offered_until=until) if until is not UNSET:
                yield Put(STILL, key, {"book": book_of(happened.game), "due": until, "told": ""})
            case GameCancelled():
                yield Drop(STILL, key)
            case GameStarted():
                days = happened.fixed.created.abandoned_after or ABANDONED_AFTER
                warned_at = _later(happened.record.at, timedelta(days=days) - WARNING)
                yield Put(STILL, key, {"book": book_of(happened.game), "due": warned_at, "told": ""})
            case GameEnded():
                yield Drop(STILL, key)
            case _:
                pass

    def fold_continuation(self, happened: Happened) -> Iterable[Change]:
        return self.fold(happened)


STILLNESS: Final = Stillness()


def _later(at: str, wait: timedelta) -> str:
    return moment(milliseconds(at) + wait // timedelta(milliseconds=1))


async def due(rows: Rows, books: Collection[int], until: str, limit: int) -> list[Still]:
    """Return the games in these books that are due by a time, the earliest first."""
    return await _found(rows, books, "due <= ?", until, limit)


async def told(rows: Rows, books: Collection[int], until: str, limit: int) -> list[Still]:
    """Return the games in these books that may be abandoned before a time, and whose players can be told."""
    return await _found(rows, books, "told > '' AND due < ?", until, limit)


async def _found(rows: Rows, books: Collection[int], condition: str, until: str, limit: int) -> list[Still]:
    query = (
        f"SELECT game, due, told FROM {{still}} WHERE {condition}"
        f" AND book IN ({', '.join(map(str, sorted(books)))}) ORDER BY due, game LIMIT {limit}"
    )
    return [Still(GameId(game), at, since) for game, at, since in await rows.select(STILLNESS, query, [until])]


async def later(rows: ProjectionStore, replacements: Mapping[Still, Still]) -> None:
    """Give rows the times of their replacements, unless another process has changed `due` meanwhile."""
    changes = [
        Amend(STILL, {"game": each.game, "due": each.due}, {"due": replacement.due, "told": replacement.told})
        for each, replacement in replacements.items()
    ]
    await rows.amend(STILLNESS, changes)
