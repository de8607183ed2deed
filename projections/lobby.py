"""The lobby: all games except forks, with search by status, ruleset, clock, player and text."""

from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from domain.kernel.ids import GameId, PlayerId, Seat, Version, book_of
from domain.kernel.log.clock import PRESETS, Clock
from domain.kernel.log.clocked import ClockSet
from domain.kernel.log.lifecycle import (
    GameCancelled,
    GameCreated,
    GameEnded,
    GameStarted,
    OrganizerChanged,
    Purpose,
    SeatLeft,
    SeatsMoved,
    SeatTaken,
    SeatTakenOver,
    Status,
)
from domain.kernel.log.seated import SeatAssigned
from projections.change import Amend, Change, Changes, Drop, Put, Table, Value
from projections.projection import Happened, Projection
from projections.store import Generation, Move, Overtaken, ProjectionStore, Rows, Step

Pace = Literal["live", "fast", "slow", "own", "none"]
"""The clock of a game in one word: the name of a preset, `own` for another clock, `none` for a game without one."""

GAMES = Table(
    "games",
    {"game": "text"},
    {
        "title": "text",
        "ruleset": "text",
        "ruleset_version": "number",
        "status": "text",
        "organizer": "text",
        "seats": "text",
        "version": "number",
        "created": "text",
        "changed": "text",
        "words": "text",
        "pace": "text",
    },
    (("created", "game"), ("status", "created", "game"), ("pace", "created", "game")),
)
"""`seats` is a JSON list of the seats in the order of the table; `words` the text that is searched, in lower case;
`pace` the `Pace` of its clock. A change of the presets needs a new version of the projection."""

SEATED = Table("seated", {"game": "text", "seat": "text"}, {"player": "text"}, (("player", "game"),))

CLOCKS: Final = Table("clocks", {"game": "text"}, {"clock": "text"})
"""The clocks of games that have one, as JSON, continuations included. They stay after the end of the game."""


class ForkOf(Struct, frozen=True):
    """Where a fork began.

    Attributes:
        parent: the game that it forks from.
        version: the version of that game at whose position it began.
        purpose: `analysis` when its maker plays all seats, `continuation` when the players of a game that is over go on
            with it.
        withheld: the game until whose end only its officials are shown the fork (TAB-FORK-02); None when everybody is.
    """

    parent: GameId
    version: Version
    purpose: Purpose
    withheld: GameId | None = None


class GameRow(Struct, frozen=True):
    """A game in a list. `created` and `changed` are the times of its first and its last event."""

    game: GameId
    title: str
    ruleset: str
    ruleset_version: int
    status: Status
    organizer: PlayerId
    seats: dict[Seat, PlayerId | None]
    version: Version
    created: str
    changed: str
    fork: ForkOf | None = None


class Lobby(Projection):
    """Keeps a row for each game, its seats and its clock."""

    name = "lobby"
    version = 2
    tables = (GAMES, SEATED, CLOCKS)

    def fold(self, happened: Happened) -> Iterable[Change]:
        game, record = happened.game, happened.record
        row: dict[str, Value] = {"version": record.version, "changed": record.at} if happened.is_last else {}
        match happened.around:
            case None:  # most events are of the ruleset
                pass
            case GameCreated() as created:
                yield Put(GAMES, {"game": game}, _new(happened, created))
                return
            case SeatTaken(seat, player) | SeatAssigned(seat, player):
                yield Put(SEATED, {"game": game, "seat": seat}, {"player": player})
            case SeatLeft(seat):
                yield Drop(SEATED, {"game": game, "seat": seat})
            case SeatTakenOver(seat, player):
                yield Amend(SEATED, {"game": game, "seat": seat}, {"player": player})
            case SeatsMoved(players):
                for seat, player in players.items():
                    yield Amend(SEATED, {"game": game, "seat": seat}, {"player": player})
            case OrganizerChanged(player):
                row["organizer"] = player
            case ClockSet(clock):
                row["pace"] = pace_of(clock)
                yield _clock_changed(game, clock)
            case GameStarted():
                row["status"] = "running"
            case GameCancelled():
                row["status"] = "cancelled"
            case GameEnded():
                row["status"] = "over"
            case _:
                pass
        if row:
            yield Amend(GAMES, {"game": game}, row)

    def fold_continuation(self, happened: Happened) -> Iterable[Change]:
        if isinstance(happened.around, ClockSet):
            yield _clock_changed(happened.game, happened.around.clock)


LOBBY = Lobby()


def pace_of(clock: Clock | None) -> Pace:
    """Return the clock of a game in one word."""
    if clock is None:
        return "none"
    for pace in ("live", "fast", "slow"):
        if clock == PRESETS[pace]:
            return pace
    return "own"


def _clock_changed(game: GameId, clock: Clock | None) -> Change:
    if clock is None:
        return Drop(CLOCKS, {"game": game})
    return Put(CLOCKS, {"game": game}, {"clock": msgspec.json.encode(clock).decode()})


def _new(happened: Happened, created: GameCreated) -> dict[str, Value]:
    record, title = happened.record, happened.fixed.title
    return {
        "title": title,
        "ruleset": created.ruleset,
        "ruleset_version": created.ruleset_version,
        "status": "gathering",
        "organizer": created.organizer,
        "seats": msgspec.json.encode(created.seats).decode(),
        "version": record.version,
        "created": record.at,
        "changed": record.at,
        "words": _words(title, created.ruleset, happened.game),
        "pace": "none",
    }


def _words(title: str, ruleset: str, game: GameId) -> str:
    return f"{title} {ruleset} {game}".casefold()


async def retitle(store: ProjectionStore, game: GameId, title: str, ruleset: str) -> None:
    """Change the title of a game in the lobby. No event does this, because titles are not in the log.

    Raises `Unavailable`.
    """
    change = Amend(GAMES, {"game": game}, {"title": title, "words": _words(title, ruleset, game)})
    generations_left = {each.number for each in await store.generations() if _is_current_lobby(each)}
    while generations_left:
        for each in await store.generations():
            if each.number in generations_left and _is_current_lobby(each):
                with suppress(Overtaken):
                    # Do not move the checkpoint. The commit fails if another process moved it, so no change is lost.
                    lanes = [each.lanes[book_of(game) % len(each.lanes)]] if each.lanes else []
                    moves = [Move(lane, lane.positions, 0) for lane in lanes]
                    await store.commit(Step(each, each.cursor or "", 0, {each.key: Changes([change])}, moves))
                    generations_left.discard(each.number)
        generations_left &= {each.number for each in await store.generations() if _is_current_lobby(each)}


def _is_current_lobby(generation: Generation) -> bool:
    return generation.projection == Lobby.name and generation.version == Lobby.version and generation.cursor is not None


async def search(
    rows: Rows,
    *,
    text: str = "",
    status: str | None = None,
    ruleset: str | None = None,
    player: PlayerId | None = None,
    pace: Pace | None = None,
    after: tuple[str, GameId] | None = None,
    limit: int = 50,
) -> list[GameRow]:
    """Return games, the newest first.

    `after` is the creation time and the id of the last game of the page before.

    Every word of `text` stands in the title, the ruleset's id or the game's id, in any case. `player` picks the games
    in which that account holds a seat.
    """
    conditions: list[tuple[str, tuple[Any, ...]]] = [
        ("words LIKE ? ESCAPE '!'", (f"%{_literal(word)}%",)) for word in text.casefold().split()
    ]
    if status is not None:
        conditions.append(("status = ?", (status,)))
    if ruleset is not None:
        conditions.append(("ruleset = ?", (ruleset,)))
    if pace is not None:
        conditions.append(("pace = ?", (pace,)))
    if player is not None:
        conditions.append(("game IN (SELECT game FROM {seated} WHERE player = ?)", (player,)))
    if after is not None:
        conditions.append(("(created, game) < (?, ?)", after))
    names = [name for name in GameRow.__struct_fields__ if name != "fork"]  # the lobby has no forks
    where = " AND ".join(condition for condition, _ in conditions) or "1 = 1"
    selection = await rows.select(
        LOBBY,
        f"SELECT {', '.join(names)} FROM {{games}} WHERE {where} ORDER BY created DESC, game DESC LIMIT {int(limit)}",
        [value for _, values in conditions for value in values],
    )
    games = [dict(zip(names, row, strict=True)) for row in selection]
    holders = await _holders(rows, [game["game"] for game in games])
    for game in games:
        seats = msgspec.json.decode(game["seats"], type=list[Seat])
        game["seats"] = {seat: holders.get((game["game"], seat)) for seat in seats}
    return [GameRow(**game) for game in games]


async def clocks_of(rows: Rows, games: Collection[GameId]) -> dict[GameId, Clock]:
    """Return the clocks of those games that have one."""
    if not games:
        return {}
    query = f"SELECT game, clock FROM {{clocks}} WHERE game IN ({', '.join('?' * len(games))})"
    selection = await rows.select(LOBBY, query, list(games))
    return {GameId(game): msgspec.json.decode(clock, type=Clock) for game, clock in selection}


async def _holders(rows: Rows, games: list[GameId]) -> dict[tuple[GameId, Seat], PlayerId]:
    if not games:
        return {}
    marks = ", ".join("?" * len(games))
    selection = await rows.select(LOBBY, f"SELECT game, seat, player FROM {{seated}} WHERE game IN ({marks})", games)
    return {(game, seat): player for game, seat, player in selection}


def _literal(word: str) -> str:
    """Escape a word for LIKE."""
    return word.replace("!", "!!").replace("%", "!%").replace("_", "!_")
