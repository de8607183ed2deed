"""Finished games as rows, to be counted for ratings without playing them."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from domain.kernel.canonical import canonical
from domain.kernel.ids import GameId, PlayerId, Seat, book_of
from domain.kernel.log.record import Record
from projections.change import Add, Change, Changes, Put
from projections.finished import BEGUN, FINISHED, RESULTS, TOTALS
from projections.ratings import RATINGS
from projections.store import Generation, Overtaken, ProjectionStore, Step
from service.ratings import Counter
from service.store.sqlite.rows import SqliteRows

RULESET: Final = "tiny-auction"
SEATS: Final = tuple(map(Seat, ("red", "blue", "green", "yellow", "black", "white")))


def moment(number: int) -> str:
    """Return the time of a minute."""
    days, minutes = divmod(number, 24 * 60)
    months, days = divmod(days, 28)
    return f"{2026 + months // 12}-{1 + months % 12:02}-{1 + days:02}T{minutes // 60:02}:{minutes % 60:02}:00.000000Z"


def json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def result(
    id_: str, at: int, game: str, kind: str, placed: Any, said: str = "", ruleset: str = RULESET
) -> list[Change]:
    """Return the rows of a result."""
    row = {"at": moment(at), "game": game, "kind": kind, "placed": json(placed), "said": said, "ruleset": ruleset}
    book = book_of(GameId(id_))
    return [Put(RESULTS, {"book": book, "id": id_}, row), Add(TOTALS, {"book": book}, {"results": 1})]


def time_of(rows: Iterable[Change]) -> str:
    """Return the time of the last result among rows; nothing when there is none."""
    return max((str(row.values["at"]) for row in rows if isinstance(row, Put) and "at" in row.values), default="")


def game(
    game: str,
    at: int,
    order: Sequence[Sequence[str]],
    *,
    left: Iterable[str] = (),
    tournament: bool = False,
    **more: Any,
) -> list[Change]:
    """Return the rows of a game that ended with an order of its players, who sat down in the order of their names."""
    players = sorted(player for tied in order for player in tied)
    seats = dict(zip(players, SEATS, strict=False))
    held = {seat: player for player, seat in seats.items()}
    there = {seat: player for seat, player in held.items() if player not in left}
    row = {"ruleset": RULESET, "players": json(held), "there": json(there), "ended": moment(at)}
    begun = Put(BEGUN, {"game": game}, row | {"tournament": int(tournament)})
    if tournament:
        return [begun]
    return [begun, *result(game, at, game, "end", [[seats[player] for player in tied] for tied in order])]


class League:
    """Rows of finished games that become known by and by, and what counts them."""

    def __init__(self, rows: ProjectionStore, bots: Iterable[str] = (), **options: Any) -> None:
        self.rows = rows
        self.bots = set(bots)
        self.counter = Counter(rows, self._records, self._bots, **options)

    async def _records(self, game: GameId) -> Sequence[Any]:
        raise AssertionError("no log is needed without answers of the clock")

    def answered(self, **commands: int) -> Any:
        """Return what reads logs in which each seat gave a number of commands."""
        record = Record(1, b"{}", 1, 0, "", None, b"")
        causes = [
            canonical({"player": "p", "seat": seat, "command": {"type": "pass"}})
            for seat, count in commands.items()
            for _ in range(count)
        ]

        async def records(game: GameId) -> Sequence[Record]:
            return [replace(record, cause=cause) for cause in causes]

        return records

    async def _bots(self, players: Iterable[PlayerId]) -> set[PlayerId]:
        return {player for player in players if player in self.bots}

    async def _live(self) -> Generation | None:
        return next((each for each in await self.rows.generations() if each.projection == FINISHED.name), None)

    async def forget(self) -> None:
        """Know nothing any more, as after the log was restored from an empty copy."""
        await self.rows.swap(await self.rows.begin(FINISHED), await self._live())

    async def know(self, *changes: Change) -> None:
        """Let rows of results become known, in one commit."""
        while True:
            live = await self._live()
            if live is None:
                await self.forget()
                continue
            with suppress(Overtaken):  # by a service that folds its log meanwhile
                await self.rows.commit(Step(live, str(int(live.cursor or 0) + 1), 1, {live.key: Changes(changes)}))
                return

    async def counted(self, *changes: Change) -> dict[str, int]:
        """Let rows become known and count them; return what is shown of the ratings of players."""
        await self.know(*changes)
        await self.counter.catch_up()
        return await self.shown()

    async def shown(self, pool: str = "players") -> dict[str, int]:
        found = await self.rows.select(RATINGS, "SELECT player, shown FROM {ladder} WHERE pool = ?", [pool])
        return dict(found)

    async def games(self, pool: str = "players") -> dict[str, int]:
        found = await self.rows.select(RATINGS, "SELECT player, games FROM {ladder} WHERE pool = ?", [pool])
        return dict(found)


async def seasoned(league: League, *players: str) -> None:
    """Let players have ten games behind them, in which all tied, so that their games count from then on."""
    await league.know(*(row for number in range(10) for row in game(f"before-{number}", number, [players])))


def some_results(rng: Random, games: int) -> list[list[Change]]:
    """Return random games of accounts that play again and again, with rulings and tables of tournaments."""
    players, bots = [f"p{number}" for number in range(9)], [f"bot{number}" for number in range(4)]
    found: list[list[Change]] = []
    for number in range(games):
        some = rng.sample(bots if rng.random() < 0.2 else players, rng.randrange(2, 5))
        if rng.random() < 0.05:
            some[0] = bots[0]
        name, at, order = f"g{number:04}", rng.randrange(games * 2), _order(rng, sorted(set(some)))
        left = rng.sample(some, 1) if rng.random() < 0.1 else ()
        is_table = rng.random() < 0.2
        rows = game(name, at, order, left=left, tournament=is_table)
        if is_table:
            confirmed = at + rng.randrange(30)
            found.append(rows + result(f"t{name}.1", confirmed, name, "table", order, "taken"))
            if rng.random() < 0.3:
                again = _order(rng, sorted(set(some)))
                found.append(result(f"t{name}.2", confirmed + rng.randrange(90), name, "table", again))
        else:
            found.append(rows)
        if rng.random() < 0.2:
            rows += _rulings(rng, name, at, rows[0])
    return found


def _order(rng: Random, players: Sequence[Any]) -> list[list[Any]]:
    left, order = rng.sample(players, len(players)), list[list[Any]]()
    while left:
        count = rng.choice((1, 1, 1, 2))
        order.append(left[:count])
        left = left[count:]
    return order


def _rulings(rng: Random, name: str, at: int, begun: Change) -> list[Change]:
    assert isinstance(begun, Put)
    seats: Mapping[str, str] = msgspec.json.decode(str(begun.values["players"]))
    found: list[Change] = []
    for version in range(rng.randrange(1, 4)):
        to = rng.choice(("result", "result", "alone", "gfork"))
        order = _order(rng, sorted(seats)) if to == "result" else []
        ruled = at + rng.randrange(60)
        found += result(f"c{name}.{version}", ruled, name, "ruling", order, f"c{name} 1 {to}")
    return found


async def from_zero(path: Path, changes: Iterable[Iterable[Change]], bots: Iterable[str]) -> League:
    """Return a new store in which all results were known before any was counted."""
    league = League(await SqliteRows.open(path), bots)
    await league.know(*(each for rows in changes for each in rows))
    await league.counter.catch_up()
    return league
