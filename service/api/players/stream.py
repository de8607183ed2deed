"""Two streams of an account: the events of all its games, and what waits for it."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from typing import Final

import msgspec
from litestar.response import Response, Stream
from msgspec import Struct
from msgspec.structs import replace

from domain.kernel.ids import CaseId, GameId, PlayerId, StreamId, is_case, is_league, is_tournament
from domain.kernel.log.game import Game
from domain.kernel.log.history import cause_of, read_around, read_created
from domain.kernel.log.lifecycle import (
    GameCreated,
    GameForked,
    OfficialNamed,
    OfficialReleased,
    OrganizerChanged,
    SeatLeft,
    SeatTaken,
    SeatTakenOver,
)
from domain.kernel.log.record import Record
from domain.kernel.log.seated import SeatAssigned
from domain.kernel.rules.message import type_name
from projections import officials
from projections.cursor import Cursor, UnknownCursor
from projections.officials import OFFICIALS
from projections.store import NotBuilt, Rows, Unavailable
from service.accounts.caller import Caller
from service.api.accounts.bodies import LoggedEvent
from service.api.cases.bodies import LoggedCaseEvent
from service.api.cases.views import event_view as case_event_view
from service.api.endpoint import Answer, endpoint
from service.api.games.views import open_take_backs
from service.api.log.bodies import AccountSince, Framed, StreamedLogged
from service.api.log.streams import Numbered, server_sent
from service.api.players.bodies import StreamedWaiting, Waiting
from service.api.problems.problem import Problem
from service.api.problems.request import INVALID_HEADER, INVALID_QUERY
from service.api.request import Call
from service.api.services import Services
from service.games.ends import open_proposals
from service.games.views import event_view, seat_of, viewer_of

BATCH: Final = 200
"""The most events that are read at once."""

NEAR: Final = 2000
"""For a client that is at most this many events behind, the events of all games are read, so that it also gets those of
games that its player has left since."""

LOOK: Final = 1.0
"""The most seconds between two checks of the caller's token while nothing happens."""

_CREATED, _FORKED, _TAKEN, _ASSIGNED, _TAKEN_OVER, _LEFT, _PASSED_ON = map(
    type_name, (GameCreated, GameForked, SeatTaken, SeatAssigned, SeatTakenOver, SeatLeft, OrganizerChanged)
)


_PASSING: Final = frozenset({_ASSIGNED, _TAKEN_OVER})
"""The events by which another account may get the seat of this one. They name the other account alone."""


class Mine:
    """The games of a player: those in which they hold a seat, those that they organize, and those that they judge."""

    def __init__(self, player: PlayerId, games: set[GameId], organized: set[GameId], judged: Iterable[GameId]) -> None:
        self.games = games
        self.judged = dict.fromkeys(judged)
        """The games whose official they are, the oldest offices first. Others name officials, so it has a bound."""
        self._organized = organized
        self.player = player
        self._name = player.encode()

    @classmethod
    async def of(cls, services: Services, player: PlayerId) -> "Mine":
        """Return the games of a player as they are now."""
        store, games, organized = services.store, set[GameId](), set[GameId]()
        text, judged = await _judged(services.rows, player)
        cursor = Cursor.parse(text, store.books)
        rows = await store.games(mine=player, limit=1000)
        while rows:
            games.update(row.game for row in rows)
            organized.update(row.game for row in rows if row.organizer == player)
            rows = await store.games(mine=player, after=rows[-1].game, limit=1000)
        mine = cls(player, games, organized, reversed(judged))
        for _ in range(NEAR // BATCH):  # the projection of officials is a moment behind the log
            rows_since, cursor = await store.read_on(cursor, BATCH)
            for _, stream, record in rows_since:
                mine.appoint(stream, record)
            if not rows_since:
                break
        return mine

    def appoint(self, stream: StreamId, record: Record) -> None:
        """Note when a record makes the player an official of its game, or releases them."""
        match read_around(record) if self._name in record.event else None:
            case OfficialNamed(self.player):
                self.judged[GameId(stream)] = None
                if len(self.judged) > officials.MOST:
                    del self.judged[next(iter(self.judged))]
            case OfficialReleased(self.player):
                self.judged.pop(GameId(stream), None)
            case _:
                pass

    def learns_of_cases(self, game: GameId) -> bool:
        """Tell whether the player is a party to the cases of a game, or an official who may rule on them."""
        return game in self.games or game in self.judged

    def has(self, game: GameId, record: Record) -> bool:
        """Tell whether a record is of one of the player's games; note when it makes the game theirs or ends that."""
        is_named = self._name in record.event or (record.cause is not None and self._name in record.cause)
        if not is_named:
            return game in self.games
        self.appoint(game, record)
        match record.type:
            case kind if kind in (_CREATED, _FORKED):
                if read_created(record).organizer == self.player:
                    self.games.add(game)
                    self._organized.add(game)
            case kind if kind == _TAKEN:
                if msgspec.json.decode(record.event, type=SeatTaken).player == self.player:
                    self.games.add(game)
            case kind if kind == _ASSIGNED:
                if msgspec.json.decode(record.event, type=SeatAssigned).player == self.player:
                    self.games.add(game)
            case kind if kind == _TAKEN_OVER:
                if msgspec.json.decode(record.event, type=SeatTakenOver).player == self.player:
                    self.games.add(game)
            case kind if kind == _PASSED_ON:
                if msgspec.json.decode(record.event, type=OrganizerChanged).player == self.player:
                    self.games.add(game)
                    self._organized.add(game)
            case kind if kind == _LEFT:
                mine = game in self.games or cause_of(record).player == self.player
                if game not in self._organized and cause_of(record).player == self.player:
                    self.games.discard(game)
                return mine
            case _:
                pass
        return game in self.games

    def let_go(self, game: Game) -> None:
        """Drop a game in which the player has no seat, and which they do not organize."""
        if game.organizer != self.player:
            self._organized.discard(game.id)
            if seat_of(game, self.player) is None:
                self.games.discard(game.id)


async def _judged(rows: Rows, player: PlayerId) -> tuple[str | None, list[GameId]]:
    """Return the cursor up to which the projection of officials has read the log, and the games whose official an
    account is, the newest first; None and an empty list while the projection is not built."""
    with suppress(Unavailable, NotBuilt):
        live = (each.cursor for each in await rows.generations() if each.live and each.projection == OFFICIALS.name)
        return next(live, None), await officials.games_of(rows, player)
    return None, []


async def follow_games(
    services: Services, caller: Caller, after: Cursor
) -> AsyncIterator[tuple[Cursor, GameId, CaseId | None, Record] | None]:
    """Yield the records of the caller's games after a place in the log, and None as a heartbeat.

    Each record comes with the cursor after it, its game, and its case if it belongs to one. These are cases about the
    caller's games, and about games whose official the caller is. Ends when the service stops. Raises `TokenEnded` when
    the caller's token ends.
    """
    tail, clock = services.tail, asyncio.get_running_loop().time
    async with tail.followed() as signal:
        end = tail.end
        mine = await Mine.of(services, caller.player)
        last_sent, joined = clock(), None
        while True:
            at_hand = tail.join(after) if joined is None else tail.after(joined)
            if at_hand is not None:
                rows, joined = at_hand
                reached = tail.end
            else:
                joined = None
                far = after.distance(end) > NEAR
                # Events of games that the caller joins meanwhile come after `end`.
                games, until = (mine.games, end) if far else (None, None)
                if until is not None:
                    rows, reached = await services.past.read_on(after, BATCH, until, games)
                else:
                    rows, reached = await services.store.read_on(after, BATCH)
            for place, stream, record in rows:
                after = after.after((place,))
                if is_tournament(stream) or is_league(stream):
                    continue
                case = stream if is_case(stream) else None
                game = GameId(stream) if case is None else await tail.game_of(case)
                if game is None or not (mine.has(game, record) if case is None else mine.learns_of_cases(game)):
                    continue
                caller = await services.accounts.callers.still(caller)
                yield after, game, case, record
                last_sent = clock()
                if case is None and record.type in _PASSING:
                    mine.let_go(await services.games.at(game, record.version))
            after = reached
            if signal.closed:
                return
            if not rows and not await signal.wait(min(LOOK, services.settings.heartbeat)):
                await services.accounts.callers.still(caller)
                if clock() - last_sent >= services.settings.heartbeat:
                    last_sent = clock()
                    yield None


async def follow_events(services: Services, caller: Caller, after: Cursor) -> AsyncIterator[Numbered | None]:
    """Yield the frames of the events in the caller's games. Raises what `follow_games` raises."""
    async for each in follow_games(services, caller, after):
        if each is None:
            yield None
            continue
        now, game, case, record = each
        if not await services.games.is_shown(game, caller):
            continue
        if case is not None:
            shown_case = case_event_view(record, (await services.games.game(game, 0)).names)
            yield str(now), shown_case, LoggedCaseEvent(game, case, shown_case)
            continue
        played = await services.games.game(game, record.version)
        viewer = viewer_of(played, await services.accounts.callers.still(caller))
        view = event_view(played.ruleset.id, record, await services.games.vault(game), viewer)
        yield str(now), view, LoggedEvent(game, view)


class WaitingFrame(Struct, frozen=True):
    """The head of a frame that says what waits for an account in a game; `at` is the time of that change."""

    at: str
    type: str = "waiting"


async def follow_waiting(services: Services, caller: Caller, after: Cursor) -> AsyncIterator[Numbered | None]:
    """Yield the frames of what waits for the caller: first everything, then changes. Raises what `follow_games`
    raises."""
    shown_games: dict[GameId, Waiting] = {}
    rows = await services.store.games(status="running", player=caller.player, limit=1000)
    while rows:
        for row in rows:
            waiting = _waiting(await services.games.game(row.game), caller, row.title)
            if waiting is not None and waiting.waits:
                shown_games[row.game] = waiting
                yield str(after), WaitingFrame(row.changed), waiting
        rows = await services.store.games(status="running", player=caller.player, after=rows[-1].game, limit=1000)
    async for each in follow_games(services, caller, after):
        if each is None:
            yield None
            continue
        now, game, case, record = each
        if case is not None:
            continue
        played = await services.games.game(game, record.version)
        row, before = await services.store.game(game), shown_games.pop(game, None)
        waiting = _waiting(played, caller, row.title if row is not None else "")
        if waiting is None and before is not None:  # another account has the seat now
            waiting = replace(before, version=played.version, decisions=(), take_backs=(), end_proposals=())
        if waiting is not None and waiting.waits:
            shown_games[game] = waiting
        elif before is None:
            continue
        if waiting is not None and waiting != before:
            yield str(now), WaitingFrame(record.at), waiting


def _waiting(game: Game, caller: Caller, title: str) -> Waiting | None:
    """Return what waits for a caller in a game; None if they hold no seat in it, and for an analysis."""
    seat = seat_of(game, caller.player)
    if seat is None or game.is_analysis:
        return None
    running = game.status == "running"
    return Waiting(
        game=game.id,
        title=title,
        ruleset=game.ruleset.id,
        version=game.version,
        seat=seat,
        decisions=tuple(each for each in game.decisions if running and seat in each.seats),
        take_backs=tuple(each for each in open_take_backs(game) if seat in each.waits_for),
        end_proposals=tuple(each for each in open_proposals(game) if seat in each.waits_for),
    )


@endpoint(
    "GET",
    "/v1/players/me/events/stream",
    tag="Players",
    account="required",
    scopes=("play", "organize", "judge"),
    query=AccountSince,
    headers=("Last-Event-ID",),
    answers=(Answer(200, "The events as they happen.", StreamedLogged, "text/event-stream"),),
)
async def stream_my_events(request: Call) -> Response[bytes] | Stream:
    """Follow all your games as server-sent events.

    One stream has the events of every game in which you hold a seat or which you organize. When you join a game, you
    get its events from then on; if you were not connected then, from where you left off. When you leave a game, you get
    its events until then, unless you reconnect more than 2,000 events later.

    Each event has a frame: `event` is its type, and `data` the game and the event as you may see it. You also get the
    events of cases about these games, and about games whose official you are: `case-opened`, `case-answered`, `ruled`
    and others. Their `data` has the `game`, the `case` and the `event` as in the list of events of the case. If you
    reconnect more than 2,000 events later, these are left out: `GET /v1/cases?for=me` has the cases.

    The `id` is a place in the log of the service, an opaque text. Reconnect with `Last-Event-ID`, and you miss nothing
    and get nothing twice. After 15 seconds without an event the service sends a comment. The stream ends when the
    service stops and when your token ends.
    """
    query, last = request.read_query(AccountSince), request.header("last-event-id")
    end = await request.services.store.end()
    cursor = last if last is not None else query.after
    try:
        start = Cursor.parse(cursor, request.services.store.books) if cursor is not None else end
    except UnknownCursor:
        start = None
    if start is None or not end.reaches(start):
        raise Problem(
            INVALID_HEADER if last is not None else INVALID_QUERY,
            f"The log of this service has no place {cursor!r}." if start is None else f"It has not reached {cursor}.",
            "Send the `id` of the last frame that you saw, or nothing to begin now.",
        )
    events = follow_events(request.services, request.signed_in, start)
    return server_sent(request.services.metrics, events, str(start), query.frames)


@endpoint(
    "GET",
    "/v1/players/me/waiting/stream",
    tag="Players",
    account="required",
    scopes=("play",),
    query=Framed,
    answers=(Answer(200, "What waits for you, as it comes.", StreamedWaiting, "text/event-stream"),),
)
async def stream_waiting(request: Call) -> Response[bytes] | Stream:
    """Follow what waits for you as server-sent events.

    One stream for all your games, made for bots: it begins with a frame for each game that waits for you, and sends
    another whenever that changes. A frame says all that waits for your seat in one game: open decisions, requests to
    take moves back, and proposals to end the game. When all is answered, or another account has the seat, a frame says
    that nothing waits there any more. So a client keeps nothing: it acts on each frame, and connects again after a
    break. Send the `version` of the frame as `If-Match` with your command. After 15 seconds without a frame the service
    sends a comment. The stream ends when the service stops and when your token ends.
    """
    frames = request.read_query(Framed).frames
    services, start = request.services, await request.services.store.end()
    return server_sent(services.metrics, follow_waiting(services, request.signed_in, start), str(start), frames)
