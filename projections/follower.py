"""Following the log: provides each event with its game as it is after the event."""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Protocol, cast

from msgspec import Struct

from domain.judging.events import CaseOpened, Ruled, RuledFinally
from domain.judging.fold import read_event as read_case_event
from domain.judging.outcome import judgment_of
from domain.kernel.ids import CaseId, GameId, PlayerId, Seat, StreamId, TournamentId
from domain.kernel.log.fold import advance, fold
from domain.kernel.log.game import Game
from domain.kernel.log.history import cause_of, read_around, read_created, retraction
from domain.kernel.log.lifecycle import (
    GameEnded,
    GameForked,
    GameStarted,
    SeatLeft,
    SeatsMoved,
    SeatTaken,
    SeatTakenOver,
)
from domain.kernel.log.record import Record
from domain.kernel.log.seated import SeatAssigned
from domain.kernel.rules.board import Board
from domain.kernel.rules.documents import unpacked
from domain.kernel.rules.message import type_name
from domain.kernel.rules.ruleset import Library
from domain.tournament.fold import fold as fold_tournament
from domain.tournament.fold import fold_on
from domain.tournament.fold import read_event as read_tournament_event
from domain.tournament.tournament import Tournament
from projections.cursor import Cursor, Stretch
from projections.projection import Argued, Directed, Fixed, Happened, Judged, Seen

TABLES: Final = 256
"""How many tables stay in memory. Another game is folded again at its next event."""

BOARDS: Final = 64
"""How many boards stay in memory beside those of tables."""

TOURNAMENTS: Final = 64
"""How many tournaments stay in memory. Another one is folded again at its next event."""

GAMES: Final = 20_000
"""For how many games the fixed facts stay in memory, and for how many cases their game."""


class Log(Protocol):
    """The log that projections follow. Every method may raise `projections.store.Unavailable`."""

    async def read_on(self, cursor: str | None, limit: int, books: Collection[int] | None = None) -> Stretch:
        """Return records of all streams that follow `cursor`; none at the end of the log.

        With `books`, only records in these books; the cursor after them has then moved in these books only.
        """
        ...

    async def lanes(self) -> int:
        """Return the number of lanes (`projections.lanes`) in which the log can be followed. It may grow from 1."""
        ...

    async def end(self) -> Cursor:
        """Return the cursor after the last records of the log."""
        ...

    async def read(self, stream: StreamId, limit: int) -> list[Record]:
        """Return the first records of a game or a case."""
        ...

    async def board(self, digest: str) -> bytes | None:
        """Return the board file with this key, or None."""
        ...

    async def title(self, game: GameId) -> str:
        """Return the title of a game."""
        ...


_RULINGS: Final = frozenset(map(type_name, (Ruled, RuledFinally)))


class Followed(Struct, frozen=True):
    """An event, and the error if its table cannot be followed."""

    happened: Happened
    fault: Exception | None = None


class _AtHand(Struct, frozen=True):
    """A game in memory, with its heading and its round."""

    game: Game
    heading: str
    round: int


class Follower:
    """The games of a log, each as it is after the last event that was followed."""

    def __init__(self, log: Log, library: Library) -> None:
        self._log = log
        self._library = library
        self._fixed: OrderedDict[GameId, Fixed] = OrderedDict()
        self._games: OrderedDict[GameId, _AtHand] = OrderedDict()
        self._boards: OrderedDict[str, Board] = OrderedDict()
        self._about: OrderedDict[CaseId, GameId] = OrderedDict()
        self._tournaments: OrderedDict[TournamentId, Tournament] = OrderedDict()

    async def step(self, game_id: GameId, record: Record, *, with_table: bool) -> Followed:
        """Return the event of a record, with its table if requested and possible."""
        fixed = self._fixed.get(game_id) or await self._fixed_of(game_id)
        if not with_table or fixed.is_fork:
            return Followed(Happened(game_id, record, fixed))
        # Take the game out and put it back only after success, so that no half-applied event stays.
        memory = self._games.pop(game_id, None)
        if memory is not None and memory.game.version != record.version - 1:
            memory = None
        if memory is not None and retraction(record) is None:  # as for most events
            try:
                return Followed(self._on(game_id, record, fixed, memory))
            except Exception as fault:
                return Followed(Happened(game_id, record, fixed), fault)
        key = fixed.created.board_key
        board = await self._log.board(key) if key not in self._boards else None
        records = await self._log.read(game_id, record.version)
        try:
            if board is not None:
                self._boards[key] = unpacked(board, fixed.ruleset.documents if fixed.ruleset is not None else {})
                if len(self._boards) > BOARDS:
                    self._boards.popitem(last=False)
            self._boards.move_to_end(key)
            if memory is None and record.version > 1:
                memory = _at_hand(self._fold(game_id, records[:-1]))
            if memory is not None and retraction(record) is None:
                return Followed(self._on(game_id, record, fixed, memory))
            scene = self._keep(game_id, self._fold(game_id, records), memory)
            return Followed(Happened(game_id, record, fixed, scene))
        except Exception as fault:  # only projections that look at the table stop at this error
            return Followed(Happened(game_id, record, fixed), fault)

    async def judged(self, case_id: CaseId, record: Record) -> Judged | None:
        """Return a ruling on the end of a finished game; None if the record is no such ruling."""
        if record.type not in _RULINGS:
            return None
        opened = cast(CaseOpened, read_case_event((await self._log.read(case_id, 1))[0]))
        ruling = cast(Ruled, read_case_event(record))
        # The changes by a ruling on a running game are in the log of that game.
        last = (await self._log.read(opened.game, ruling.version))[-1]
        if not isinstance(read_around(last), GameEnded):
            return None
        judgment = judgment_of(ruling, case_id, opened.number, record.at)
        root = (await self._fixed_of(opened.game)).root
        return Judged(opened.game, root, case_id, opened.number, record, judgment)

    async def argued(self, case_id: CaseId, record: Record) -> Argued:
        """Return the event of a record of a case, with the game that the case is about."""
        event, game = read_case_event(record), self._about.get(case_id)
        if game is None:
            opened = event if record.version == 1 else read_case_event((await self._log.read(case_id, 1))[0])
            game = self._about[case_id] = cast(CaseOpened, opened).game
            if len(self._about) > GAMES:
                self._about.popitem(last=False)
        return Argued(game, case_id, record, event)

    async def directed(self, tournament_id: TournamentId, record: Record) -> Directed:
        """Return the event of a record of a tournament, with the tournament after it."""
        before = self._tournaments.pop(tournament_id, None)
        if before is not None and before.version == record.version - 1:
            now = fold_on(before, [record])
        else:
            now = fold_tournament(tournament_id, await self._log.read(tournament_id, record.version))
        self._tournaments[tournament_id] = now
        if len(self._tournaments) > TOURNAMENTS:
            self._tournaments.popitem(last=False)
        return Directed(now, record, read_tournament_event(record))

    async def _fixed_of(self, game_id: GameId) -> Fixed:
        fixed = self._fixed.get(game_id)
        if fixed is None:
            first = (await self._log.read(game_id, 1))[0]
            created = read_created(first)
            try:
                ruleset = self._library.at(created.ruleset, created.ruleset_version)
            except LookupError:
                ruleset = None
            title, root, reserved = await self._log.title(game_id), game_id, {}
            if isinstance(created, GameForked):
                parent = await self._fixed_of(created.parent)
                root = parent.root
                if created.purpose == "continuation":
                    reserved = seated(await self._log.read(created.parent, created.version), parent.reserved)
            fixed = self._fixed[game_id] = Fixed(
                created, first.at, title, ruleset, root, reserved, cause_of(first).tournament
            )
            if len(self._fixed) > GAMES:
                self._fixed.popitem(last=False)
        return fixed

    def _on(self, game_id: GameId, record: Record, fixed: Fixed, before: _AtHand) -> Happened:
        """Return an event that follows the last one of a game in memory."""
        after = before.game
        event = advance(after, (record,))
        after.version, after.head, after.draws = record.version, record.hash, record.draws
        return Happened(game_id, record, fixed, self._keep(game_id, after, before), event)

    def _keep(self, game_id: GameId, after: Game, before: _AtHand | None) -> Seen:
        """Keep a game in memory; return it before and after an event."""
        now = self._games[game_id] = _at_hand(after)
        if len(self._games) > TABLES:
            self._games.popitem(last=False)
        if before is None:
            return Seen(after, now.heading, "", now.round, 0)
        return Seen(after, now.heading, before.heading, now.round, before.round)

    def _fold(self, game_id: GameId, records: Sequence[Record]) -> Game:
        return fold(records, game_id, self._library, self._boards.__getitem__)


def _at_hand(game: Game) -> _AtHand:
    return _AtHand(game, game.heading, game.round)


def seated(records: Iterable[Record], reserved: Mapping[Seat, PlayerId]) -> dict[Seat, PlayerId]:
    """Return the players by seat after the first records of a game; a continuation has `reserved` seats for players."""
    holders: dict[Seat, PlayerId] = {}
    for record in records:
        match read_around(record):
            case SeatTaken(seat, player) | SeatTakenOver(seat, player) | SeatAssigned(seat, player):
                holders[seat] = player
            case SeatLeft(seat):
                holders.pop(seat, None)
            case SeatsMoved(players):
                holders.update(players)
            case GameStarted():
                holders = {**reserved, **holders}
            case _:
                pass
    return holders
