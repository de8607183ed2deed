"""When the next clock of each running game may run out. The timekeeper reads this instead of loading every game.

A row's time is the earliest that its clocks allow. Grace, quiet hours and days off make the flag fall later, which only
the game itself can say. The timekeeper then puts the row off (`later`).
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from msgspec import Struct

from domain.kernel.ids import GameId, book_of
from domain.kernel.log.clock import milliseconds, moment
from domain.kernel.log.clocked import ClockSet, ClocksRan
from domain.kernel.log.lifecycle import GameEnded
from projections.change import Amend, Change, Drop, Put, Table
from projections.projection import Happened, Projection
from projections.store import ProjectionStore, Rows

DEADLINES: Final = Table(
    "deadlines",
    {"game": "text"},
    {"book": "number", "claims": "number", "due": "text"},
    (("claims", "due", "game"),),
)
"""`claims` is 1 where flags do not fall by themselves; `due` is empty while no clock runs."""


class Due(Struct, frozen=True):
    """A game with a clock that may have run out, and the earliest time at which it may have."""

    game: GameId
    at: str


class Deadlines(Projection):
    """The games with clocks."""

    name = "deadlines"
    version = 1
    tables = (DEADLINES,)
    heeds = "around"

    def fold(self, happened: Happened) -> Iterable[Change]:
        key = {"game": happened.game}
        match happened.around:
            case ClockSet(None) | GameEnded():
                yield Drop(DEADLINES, key)
            case ClockSet(clock) if clock is not None:
                claims = int(clock.at_zero == "claim")
                yield Put(DEADLINES, key, {"book": book_of(happened.game), "claims": claims, "due": ""})
            case ClocksRan(_, at, _, times, runs):
                fall = moment(milliseconds(at) + min(times[seat] for seat in runs)) if runs else ""
                yield Amend(DEADLINES, key, {"due": fall})
            case _:
                pass

    def fold_continuation(self, happened: Happened) -> Iterable[Change]:
        return self.fold(happened)


CLOCKS: Final = Deadlines()


async def due(rows: Rows, books: Collection[int], until: str, limit: int) -> list[Due]:
    """Return the games in these books with a clock that may have run out by a time, the earliest first."""
    query = (
        "SELECT game, due FROM {deadlines} WHERE claims = 0 AND due > '' AND due <= ?"
        f" AND book IN ({', '.join(map(str, sorted(books)))}) ORDER BY due, game LIMIT {limit}"
    )
    return [Due(GameId(game), at) for game, at in await rows.select(CLOCKS, query, [until])]


async def running(rows: Rows, books: Collection[int], after: str, limit: int) -> list[GameId]:
    """Return the games in these books whose clocks run, in the order of their ids: those that follow `after`."""
    query = (
        "SELECT game FROM {deadlines} WHERE due > '' AND game > ?"
        f" AND book IN ({', '.join(map(str, sorted(books)))}) ORDER BY game LIMIT {limit}"
    )
    return [GameId(game) for (game,) in await rows.select(CLOCKS, query, [after])]


async def count(rows: Rows) -> int:
    """Return the number of games with running clocks."""
    ((number,),) = await rows.select(CLOCKS, "SELECT COUNT(*) FROM {deadlines} WHERE due > ''")
    return number


async def later(rows: ProjectionStore, new_times: Mapping[Due, str]) -> None:
    """Put games off until other times, unless their clocks have changed meanwhile."""
    changes = [Amend(DEADLINES, {"game": each.game, "due": each.at}, {"due": at}) for each, at in new_times.items()]
    await rows.amend(CLOCKS, changes)
