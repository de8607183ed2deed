"""Finished games for ratings: who began them, how they ended, and later rulings and results in tournaments.

Each row follows from one stream, so any process can make it, in any order. `projections/ratings.py` counts them in the
order of their times. A row of `RESULTS` is never changed once it is there.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, Struct

from domain.judging.outcome import Judgment, holding
from domain.kernel.ids import CaseId, GameId, PlayerId, Seat, StreamId, book_of
from domain.kernel.log.clocked import DefaultGiven
from domain.kernel.log.ending import ABANDONED, order_of
from domain.kernel.log.history import cause_of
from domain.kernel.log.lifecycle import GameEnded, GameStarted
from domain.kernel.log.record import Record
from domain.kernel.rules.ruleset import Order
from domain.tournament.events import Order as PlayerOrder
from domain.tournament.events import ResultConfirmed, ResultOverruled
from projections.change import Add, Amend, Change, Put, Table, Value
from projections.projection import Directed, Happened, Judged, Projection
from projections.store import Rows

BEGUN: Final = Table(
    "begun",
    {"game": "text"},
    {"ruleset": "text", "players": "text", "there": "text", "ended": "text", "tournament": "number"},
)
"""Games that began. `players` and `there` are JSON: who held which seat when it began, and at its end without having
left. `tournament` is 1 where the creation names one."""

DEFAULTS: Final = Table("defaults", {"game": "text", "seat": "text"}, {"times": "number"})
"""How often the clock answered for a seat."""

Kind = Literal["end", "ruling", "table"]
"""The end of a game, a ruling after it, or a result that counts in a tournament."""

RESULTS: Final = Table(
    "results",
    {"book": "number", "id": "text"},
    {"at": "text", "game": "text", "kind": "text", "placed": "text", "said": "text", "ruleset": "text"},
    (("at", "game", "id"), ("game",)),
)
"""`placed` is the order as JSON: of seats, or of the players of a table. `said` has, of a ruling, the case, its number
and where the game continues; of a table, ``taken`` when its order is that of the end of its game."""

TOTALS: Final = Table("totals", {"book": "number"}, {"results": "number"})
"""The number of rows of `RESULTS` from each book, so that new rows are noticed without counting."""

MOST_DEFAULTS: Final = 10
"""A game does not count if the clock gave more than 1 / `MOST_DEFAULTS` of a seat's answers (TAB-RAT-03)."""


class Place(Struct, frozen=True, order=True):
    """The place of a result in the order in which ratings count results (TAB-RAT-08)."""

    at: str
    game: GameId
    id: str


START: Final = Place("", GameId(""), "")


class Begun(Struct, frozen=True):
    """A game that began. The attributes are the columns of `BEGUN`."""

    ruleset: str
    players: dict[Seat, PlayerId]
    there: dict[Seat, PlayerId]
    ended: str
    tournament: bool

    def in_players(self, order: Order) -> PlayerOrder:
        """Return an order of seats as an order of the players who began; those who left are last (TAB-RAT-04)."""
        leavers = [player for seat, player in self.players.items() if self.there.get(seat) != player]
        return last(tuple(tuple(self.players[seat] for seat in tied) for tied in order), leavers)


class Row(Struct, frozen=True):
    """A row of `RESULTS`."""

    place: Place
    kind: Kind
    placed: str
    said: str
    ruleset: str

    @property
    def needs_end(self) -> bool:
        """Whether the end of its game decides how it counts: true unless a director adjudicated it."""
        return self.kind != "table" or self.said == _TAKEN

    @property
    def seats(self) -> Order:
        """The order of the seats: of an end, or by a ruling."""
        return msgspec.json.decode(self.placed, type=Order)

    @property
    def players(self) -> PlayerOrder:
        """The order of the players of a table."""
        return msgspec.json.decode(self.placed, type=PlayerOrder)


class Finished(Projection):
    """The input of ratings: finished games, rulings and results."""

    name = "finished"
    version = 1
    tables = (BEGUN, DEFAULTS, RESULTS, TOTALS)
    follows = True
    heeds = "around"
    judges = True
    attends = True

    def fold(self, happened: Happened) -> Iterable[Change]:
        game, record = happened.game, happened.record
        match happened.around:
            case GameStarted():
                started = happened.seen.after
                row: dict[str, Value] = {"ruleset": happened.fixed.created.ruleset, "players": _json(started.players)}
                in_tournament = int(happened.fixed.tournament is not None)
                yield Put(BEGUN, {"game": game}, row | {"there": "{}", "ended": "", "tournament": in_tournament})
            case DefaultGiven(seat):
                yield Add(DEFAULTS, {"game": game, "seat": seat}, {"times": 1})
            case GameEnded(_, rule):
                end = happened.seen.after
                open_ = end.around.given_up
                there = {seat: player for seat, player in end.players.items() if seat not in open_}
                yield Amend(BEGUN, {"game": game}, {"there": _json(there), "ended": record.at})
                if rule != ABANDONED and not end.is_private and happened.fixed.tournament is None:
                    yield from _result(game, Place(record.at, game, game), "end", order_of(end), "", end.ruleset.id)
            case _:
                pass

    def judge(self, judged: Judged) -> Iterable[Change]:
        if judged.game != judged.root:
            return
        record, judgment = judged.record, judged.judgment
        order = judgment.order if judgment is not None else ()
        to = _LEFT_ALONE if judgment is None else judgment.continued_in or _RESULT
        place = Place(record.at, judged.game, f"{judged.case}.{record.version:06}")
        yield from _result(judged.case, place, "ruling", order, f"{judged.case} {judged.number} {to}", "")

    def direct(self, directed: Directed) -> Iterable[Change]:
        match directed.event:
            case ResultConfirmed(number, at_table) | ResultOverruled(number, at_table):
                table = directed.tournament.field.rounds[number].tables[at_table - 1]
            case _:
                return
        result, tournament, record = table.result, directed.tournament, directed.record
        if table.game is None or result is None or result.how == "abandoned":
            return
        place = Place(record.at, table.game, f"{tournament.id}.{record.version:06}")
        statement = "" if result.how == "overruled" else _TAKEN
        order = last(result.order, (*result.left, *table.away))
        yield from _result(tournament.id, place, "table", order, statement, tournament.regulations.ruleset)


FINISHED: Final = Finished()

_TAKEN: Final = "taken"
_LEFT_ALONE: Final = "alone"
_RESULT: Final = "result"


def _result(
    stream: StreamId, place: Place, kind: Kind, order: Sequence[Sequence[str]], said: str, ruleset: str
) -> Iterable[Change]:
    row = {"at": place.at, "game": place.game, "kind": kind, "placed": _json(order), "said": said, "ruleset": ruleset}
    yield Put(RESULTS, {"book": book_of(stream), "id": place.id}, row)
    yield Add(TOTALS, {"book": book_of(stream)}, {"results": 1})


def last(order: PlayerOrder, leavers: Collection[PlayerId]) -> PlayerOrder:
    """Return an order in which the players who had left come last, in a tie."""
    stayed = (tuple(player for player in tied if player not in leavers) for tied in order)
    return tuple(filter(None, (*stayed, tuple(leavers))))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


# --- queries of the job that counts ---


async def total(rows: Rows) -> int:
    """Return the number of results."""
    ((number,),) = await rows.select(FINISHED, "SELECT COALESCE(SUM(results), 0) FROM {totals}")
    return int(number)


async def count_from(rows: Rows, at: str) -> int:
    """Return the number of results at this time or later."""
    ((number,),) = await rows.select(FINISHED, "SELECT COUNT(*) FROM {results} WHERE at >= ?", [at])
    return int(number)


async def after(rows: Rows, place: Place, limit: int) -> list[Row]:
    """Return the results after a place, in order."""
    selection = await rows.select(
        FINISHED,
        f"SELECT {_COLUMNS} FROM {{results}} WHERE (at, game, id) > (?, ?, ?) ORDER BY at, game, id LIMIT {limit}",
        [place.at, place.game, place.id],
    )
    return [_row(*row) for row in selection]


async def begun(rows: Rows, games: Collection[GameId]) -> dict[GameId, Begun]:
    """Return the games among these that began."""
    selection = await rows.select(
        FINISHED,
        "SELECT game, ruleset, players, there, ended, tournament FROM {begun}"
        f" WHERE game IN ({', '.join('?' * len(games))})",
        [*games],
    )
    return {
        GameId(game): Begun(ruleset, _seats(players), _seats(there), end, bool(tournament))
        for game, ruleset, players, there, end, tournament in selection
    }


async def defaults(rows: Rows, games: Collection[GameId]) -> dict[GameId, dict[Seat, int]]:
    """Return how often the clock answered in these games, by seat; those in which it never did are missing."""
    selection = await rows.select(
        FINISHED,
        f"SELECT game, seat, times FROM {{defaults}} WHERE game IN ({', '.join('?' * len(games))})",
        [*games],
    )
    by_game: dict[GameId, dict[Seat, int]] = {}
    for game, seat, times in selection:
        by_game.setdefault(GameId(game), {})[Seat(seat)] = int(times)
    return by_game


async def rulings(rows: Rows, game: GameId) -> list[Row]:
    """Return the rulings on a game that was over, in their order."""
    selection = await rows.select(
        FINISHED,
        f"SELECT {_COLUMNS} FROM {{results}} WHERE game = ? AND kind = 'ruling' ORDER BY at, game, id",
        [game],
    )
    return [_row(*row) for row in selection]


async def end_of(rows: Rows, game: GameId) -> Row | None:
    """Return the result of the end of a game; None when it cannot count for ratings."""
    selection = await rows.select(
        FINISHED, f"SELECT {_COLUMNS} FROM {{results}} WHERE book = ? AND id = ?", [book_of(game), game]
    )
    return _row(*selection[0]) if selection else None


def held(rulings: Iterable[Row], until: Place) -> Judgment | None:
    """Return the judgment in force at a place, by the rulings on a game; None when the game's own end counts."""
    newest: dict[CaseId, Judgment | None] = {}
    for row in rulings:
        if row.place > until:
            continue
        case, number, to = row.said.split(" ")
        judgment = None
        if to != _LEFT_ALONE:
            continued = GameId(to) if to != _RESULT else None
            judgment = Judgment(CaseId(case), int(number), row.place.at, row.seats, continued)
        newest[CaseId(case)] = judgment
    return holding(judgment for judgment in newest.values() if judgment is not None)


def is_played_by_clock(game: Begun, by_clock: Mapping[Seat, int], records: Iterable[Record]) -> bool:
    """Tell whether the clock gave too many of the answers of a seat whose player stayed (TAB-RAT-03).

    `by_clock` says how often it answered for each seat; `records` are the game's log.
    """
    answers = dict(by_clock)
    for record in records:
        cause = cause_of(record)
        if cause.by is None and cause.seat is not None and cause.command is not UNSET:
            answers[cause.seat] = answers.get(cause.seat, 0) + 1
    stayed = [seat for seat, player in game.players.items() if game.there.get(seat) == player]
    return any(by_clock.get(seat, 0) * MOST_DEFAULTS > answers.get(seat, 0) for seat in stayed)


_COLUMNS: Final = "at, game, id, kind, placed, said, ruleset"


def _row(at: str, game: str, id_: str, kind: Any, placed: str, said: str, ruleset: str) -> Row:
    return Row(Place(at, GameId(game), id_), kind, placed, said, ruleset)


def _seats(text: str) -> dict[Seat, PlayerId]:
    return msgspec.json.decode(text, type=dict[Seat, PlayerId])
