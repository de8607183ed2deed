"""What waits for the directors of a tournament: players who are absent, and tables whose results do not count."""

from collections.abc import Iterator
from typing import Final, Literal

from msgspec import Struct

from domain.judging.case import CaseRow
from domain.judging.events import WAITING
from domain.kernel.ids import CaseId, GameId, PlayerId, Seat, TournamentId, Version
from domain.kernel.log.clock import DAY, milliseconds, moment
from domain.kernel.log.game import Game
from domain.tournament.field import Field, Table
from domain.tournament.tournament import Tournament
from projections.lobby import GameRow
from service.games.games import Games
from service.store.protocol import EventStore

MOST_TABLES: Final = 50
"""The most tables in an agenda, the oldest first. The game of each is loaded, unless it is in memory."""

MOST_CASES: Final = 100
"""The most cases of each status that are read, the newest ones."""

Step = Literal["game", "players", "end", "result", "confirmation"]
"""What a table waits for: its game, its players' confirmations, the end of the game, its result, or that it counts."""


class OpenCase(Struct, frozen=True):
    """A case that waits for a ruling.

    Attributes:
        case: its id.
        about: the version of the game that it is about.
    """

    case: CaseId
    about: Version


class AgendaTable(Struct, frozen=True):
    """A table whose result does not count yet.

    Attributes:
        round: the number of its round.
        table: its number in the round.
        game: its game; null until that was opened.
        waits_for: what comes next: its `game`, the `players` who confirm their seats, the `end` of its game, its
            `result`, or the `confirmation` of that.
        since: when its game was opened, or when its result was taken; null without a game.
        absent: its players who have not confirmed their seats.
        flagged: its players whose clock has run out since they sat down.
        open: its players whose seats are open to substitutes.
        cases: the cases about its game that wait for a ruling.
        adjudicated_from: from when a director may adjudicate its game; null when the table has a result, or
            its game does not exist or has ended.
    """

    round: int
    table: int
    game: GameId | None
    waits_for: Step
    since: str | None
    absent: tuple[PlayerId, ...] = ()
    flagged: tuple[PlayerId, ...] = ()
    open: tuple[PlayerId, ...] = ()
    cases: tuple[OpenCase, ...] = ()
    adjudicated_from: str | None = None


class Agenda(Struct, frozen=True):
    """What waits for the directors of a tournament.

    Attributes:
        tournament: the tournament.
        version: its version.
        absent: players who have not checked in for the round that is drawn next.
        tables: tables whose results do not count yet, in their order; 50 at most.
        more: how many such tables there are beyond these.
    """

    tournament: TournamentId
    version: Version
    absent: tuple[PlayerId, ...]
    tables: tuple[AgendaTable, ...]
    more: int


async def agenda_of(tournament: Tournament, games: Games, store: EventStore) -> Agenda:
    """Return what waits in a tournament. Raises `StoreError`.

    It makes a few queries, however large the tournament is, and loads the unfinished games that it shows.
    """
    waiting = [(each.number, table) for each in tournament.field.played for table in each.waiting]
    listed = waiting[:MOST_TABLES]
    games_listed = {table.game for _, table in listed if table.game is not None}
    rows = (
        {row.game: row for row in await store.games(among=games_listed, limit=len(games_listed))}
        if games_listed
        else {}
    )
    cases = [
        case
        for status in WAITING
        for case in (
            await store.cases(status=status, party=_NOBODY, judged=games_listed, limit=MOST_CASES)
            if games_listed
            else ()
        )
    ]
    days = tournament.regulations.unfinished.days
    tables = [await _waiting(number, table, rows, cases, days, games) for number, table in listed]
    absent = tuple(_absent(tournament.field, tournament.next_round))
    return Agenda(tournament.id, tournament.version, absent, tuple(tables), len(waiting) - len(listed))


_NOBODY: Final = PlayerId("")
"""A party to no game, so that the query returns only cases of the named games."""


def _absent(field: Field, number: int) -> Iterator[PlayerId]:
    current = field.current
    is_drawn = current is not None and current.status == "drawn"
    if is_drawn or field.regulations.stage_of(len(field.played)) is None:
        return
    least = number if field.regulations.check_in == "each round" else 1
    yield from (each.player for each in field.entrants.values() if not each.out and each.checked_in < least)


async def _waiting(
    number: int, table: Table, rows: dict[GameId, GameRow], cases: list[CaseRow], days: int, games: Games
) -> AgendaTable:
    row = rows.get(table.game) if table.game is not None else None
    if row is None:
        return AgendaTable(number, table.number, table.game, "game", table.opened or None)
    disputed = tuple(OpenCase(each.case, each.about) for each in cases if each.game == row.game)
    if table.result is not None:
        at = table.result.at
        return AgendaTable(number, table.number, row.game, "confirmation", at, cases=disputed)
    if row.status not in ("gathering", "running"):
        return AgendaTable(number, table.number, row.game, "result", table.opened, cases=disputed)
    game = await games.game(row.game, row.version)
    return AgendaTable(
        number,
        table.number,
        row.game,
        "players" if row.status == "gathering" else "end",
        table.opened,
        absent=_players(game, game.around.assigned),
        flagged=_players(game, tuple(game.clocks.flags) if game.clocks is not None else ()),
        open=_players(game, game.around.given_up),
        cases=disputed,
        adjudicated_from=moment(milliseconds(table.opened) + days * DAY),
    )


def _players(game: Game, seats: tuple[Seat, ...]) -> tuple[PlayerId, ...]:
    return tuple(player for seat, player in game.players.items() if seat in seats and player is not None)
