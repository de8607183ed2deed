"""What accounts are told: notices of what happened in their games, and in the cases about these.

A notice belongs to a game or a case, not to an account: who is told follows from who took part at that time. So a
player who takes over a seat is told nothing of what was before, and the one who held it nothing of what came after.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final, Literal, get_args

from msgspec import UNSET, Struct

from domain.judging.events import Appealed, CaseAnswered, CaseOpened, CaseWithdrawn, Ruled, RuledFinally, Settled
from domain.kernel.ids import LARGEST_INTEGER, CaseId, GameId, PlayerId, Seat, StreamId, Version, book_of, is_case
from domain.kernel.log.clocked import ClockExpired
from domain.kernel.log.ended import EndProposed
from domain.kernel.log.lifecycle import (
    GameCancelled,
    GameEnded,
    GamePaused,
    GameResumed,
    GameStarted,
    MovesRetracted,
    OfficialNamed,
    OfficialReleased,
    SeatGivenUp,
    SeatLeft,
    SeatsMoved,
    SeatTaken,
    SeatTakenOver,
    TakeBackAsked,
)
from domain.kernel.log.seated import SeatAssigned, SeatOffered, SeatResigned
from projections.change import Amend, Change, Put, Table, Trim
from projections.projection import Argued, Happened, Projection
from projections.store import Rows

KEPT: Final = 100
"""Notices kept of a game with its cases, the newest."""

GAMES: Final = 300
"""Games of an account that are looked through for its notices: those that were last told of something."""

MOST: Final = 500
"""The most notices of an account that are found, the newest."""

OPEN: Final = LARGEST_INTEGER
"""Stands for the end of what has not ended."""

Kind = Literal[
    "game-started",
    "flag-fell",
    "take-back-asked",
    "end-proposed",
    "moves-retracted",
    "game-paused",
    "game-resumed",
    "seat-open",
    "seat-offered",
    "seat-assigned",
    "seat-taken-over",
    "official-named",
    "game-over",
    "game-cancelled",
    "case-opened",
    "case-answered",
    "ruled",
    "appealed",
    "case-closed",
]
"""What a notice is about."""

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

Role = Literal["seat", "official", "addressed"]
"""How somebody takes part in a game: in a seat, as an official, or because one event is addressed to them."""

MEMBERS: Final = Table(
    "members",
    {"game": "text", "role": "text", "holds": "text", "since": "number"},
    {"player": "text", "since_at": "text", "until": "number", "until_at": "text", "told": "text"},
    (("player", "told", "game"),),
)
"""Who takes part in a game, from the version `since` to the version `until`. `holds` is the seat, or the account where
there is none. `told` is when the newest notice of the game was made, at first when they came."""

NOTICES: Final = Table(
    "notices",
    {"game": "text", "stream": "text", "version": "number"},
    {"kind": "text", "seat": "text", "actor": "text", "audience": "text", "at": "text"},
)
"""`stream` is the game or a case about it; `seat` the one that it is about, empty for none; `actor` the account that
brought it about, which knows. `audience` has the roles that are told."""

_SEATS: Final = "seat"
_ALL: Final = "seat official"

_TOLD: Final[Mapping[type[Any], Callable[[Any], tuple[Kind, Seat | str, str] | None]]] = {
    GameStarted: lambda _: ("game-started", "", _ALL),
    ClockExpired: lambda fell: (
        ("game-paused", fell.seat, _ALL) if fell.then == "pause" else ("flag-fell", fell.seat, _SEATS)
    ),
    TakeBackAsked: lambda asked: ("take-back-asked", asked.seat, _SEATS),
    # A player who takes back their own moves tells the others by the next ones.
    MovesRetracted: lambda back: None if back.by == "undo" else ("moves-retracted", "", _ALL),
    GamePaused: lambda _: ("game-paused", "", _ALL),
    GameResumed: lambda _: ("game-resumed", "", _ALL),
    EndProposed: lambda proposed: ("end-proposed", proposed.seat, _SEATS),
    SeatGivenUp: lambda given_up: ("seat-open", given_up.seat, _ALL),
    SeatResigned: lambda resigned: ("seat-open", resigned.seat, _ALL),
    SeatOffered: lambda offered: (
        ("seat-open", offered.seat, _ALL) if offered.to is UNSET else ("seat-offered", offered.seat, "addressed")
    ),
    SeatAssigned: lambda assigned: ("seat-assigned", assigned.seat, "addressed"),
    SeatTakenOver: lambda taken: ("seat-taken-over", taken.seat, _ALL),
    OfficialNamed: lambda _: ("official-named", "", "addressed"),
    GameEnded: lambda _: ("game-over", "", _ALL),
    GameCancelled: lambda _: ("game-cancelled", "", _ALL),
    CaseOpened: lambda opened: ("case-opened", _seat(opened), _ALL),
    CaseAnswered: lambda answered: ("case-answered", answered.seat, _ALL),
    Ruled: lambda _: ("ruled", "", _ALL),
    Appealed: lambda appealed: ("appealed", appealed.seat, _ALL),
    RuledFinally: lambda _: ("ruled", "", _ALL),
    CaseWithdrawn: lambda withdrawn: ("case-closed", _seat(withdrawn), _ALL),
    Settled: lambda _: ("case-closed", "", _ALL),
}
"""What is told of a type of event: the kind, the seat that it is about, and the roles that are told."""

_ONCE: Final = frozenset[Kind](("game-started", "game-over", "game-cancelled"))
"""Of these there is one in a game, or few: they are not what fills it with notices."""


def _seat(event: CaseOpened | CaseWithdrawn) -> Seat | str:
    return "" if event.seat is UNSET else event.seat


class Notice(Struct, frozen=True):
    """Something that an account is told.

    Attributes:
        at: when it happened.
        game: the game.
        stream: where it happened: the game, or a case about it.
        version: the version there.
        kind: what happened.
        seat: the seat that it is about, if it is about one.
    """

    at: str
    game: GameId
    stream: StreamId
    version: Version
    kind: Kind
    seat: Seat | None

    @property
    def case(self) -> CaseId | None:
        """The case in which it happened, if it did in one."""
        return CaseId(self.stream) if is_case(self.stream) else None


class Inbox(Projection):
    """Who takes part in which game since when, and what was told there."""

    name = "inbox"
    version = 1
    tables = (MEMBERS, NOTICES)
    heeds = "around"
    hears = True

    def fold(self, happened: Happened) -> Iterable[Change]:
        event, game, record = happened.around, happened.game, happened.record
        yield from _members(happened)
        if (told := _TOLD.get(type(event))) is not None and (notice := told(event)) is not None:
            yield from _noted(game, game, record.version, record.at, happened.cause.player, *notice)

    def fold_continuation(self, happened: Happened) -> Iterable[Change]:
        if happened.around is None:
            return
        if isinstance(happened.around, GameStarted):
            # Seats of a continuation are reserved. The ruling that starts it seats those who have not come.
            for seat, player in happened.fixed.kept.items():
                yield _begins(happened, "seat", seat, player)
        yield from self.fold(happened)

    def argue(self, argued: Argued) -> Iterable[Change]:
        event, record = argued.event, argued.record
        if (told := _TOLD.get(type(event))) is not None and (notice := told(event)) is not None:
            yield from _noted(argued.game, argued.case, record.version, record.at, argued.cause.player, *notice)


INBOX: Final = Inbox()


def _members(happened: Happened) -> Iterable[Change]:
    """Yield what an event changes in who takes part."""
    match happened.around:
        case SeatTaken(seat, player):
            yield _begins(happened, "seat", seat, player)
        case SeatAssigned(seat, player):
            yield _ends(happened, "seat", seat)  # for an account that has not confirmed it
            yield _begins(happened, "seat", seat, player)
            yield _addresses(happened, player)
        case SeatLeft(seat):
            yield _ends(happened, "seat", seat)
        case SeatTakenOver(seat, player):
            yield _ends(happened, "seat", seat)
            yield _begins(happened, "seat", seat, player)
        case SeatsMoved(players):
            for seat in players:
                yield _ends(happened, "seat", seat)
            for seat, player in players.items():
                yield _begins(happened, "seat", seat, player)
        case OfficialNamed(player):
            yield _begins(happened, "official", player, player)
            yield _addresses(happened, player)
        case OfficialReleased(player):
            yield _ends(happened, "official", player)
        case SeatOffered(_, to) if to is not UNSET:
            yield _addresses(happened, to)
        case _:
            pass


def _begins(happened: Happened, role: Role, holds: Seat | PlayerId, player: PlayerId) -> Change:
    """Return that somebody takes part from an event on."""
    game, record = happened.game, happened.record
    key = {"game": game, "role": role, "holds": holds, "since": record.version}
    part = {"player": player, "since_at": record.at, "until": OPEN, "until_at": "", "told": record.at}
    return Put(MEMBERS, key, part)


def _ends(happened: Happened, role: Role, holds: Seat | PlayerId) -> Change:
    """Return that somebody takes part so no longer: what happens with the event is the last that they are told."""
    where = {"game": happened.game, "role": role, "holds": holds, "until": OPEN}
    return Amend(MEMBERS, where, {"until": happened.record.version, "until_at": happened.record.at})


def _addresses(happened: Happened, player: PlayerId) -> Change:
    """Return that an event is addressed to somebody, whether they take part or not."""
    game, record = happened.game, happened.record
    key = {"game": game, "role": "addressed", "holds": player, "since": record.version}
    part = {"player": player, "since_at": record.at, "until": record.version, "until_at": record.at, "told": record.at}
    return Put(MEMBERS, key, part)


def _noted(
    game: GameId, stream: StreamId, version: Version, at: str, actor: PlayerId | None, kind: Kind, seat: str, to: str
) -> Iterable[Change]:
    """Yield a notice, and what it changes besides."""
    notice = {"kind": kind, "seat": seat, "actor": actor or "", "audience": to, "at": at}
    yield Put(NOTICES, {"game": game, "stream": stream, "version": version}, notice)
    # Cases of before there were books may be in another one than their game, whose rows they must not touch.
    if book_of(stream) == book_of(game):
        yield Amend(MEMBERS, {"game": game}, {"told": at})
    if kind not in _ONCE:
        yield Trim(NOTICES, {"game": game}, ("game",), ("at", "stream", "version"), KEPT)


async def notices_of(rows: Rows, player: PlayerId, but: Collection[Kind] = ()) -> list[Notice]:
    """Return what an account is told, the newest first: at most `MOST` notices, out of its `GAMES` newest games.

    Those of the kinds in `but` are left out. Games of which the account may read no more are among them.
    """
    kinds = f" AND n.kind NOT IN ({', '.join('?' * len(but))})" if but else ""
    found = await rows.select(
        INBOX,
        "SELECT DISTINCT n.at, n.game, n.stream, n.version, n.kind, n.seat FROM"
        " (SELECT game, role, since, since_at, until, until_at FROM {members} WHERE player = ?"
        f" ORDER BY told DESC, game DESC LIMIT {GAMES}) m"
        " JOIN {notices} n ON n.game = m.game AND n.audience LIKE '%' || m.role || '%'"
        " WHERE n.actor <> ? AND (n.stream = n.game AND n.version BETWEEN m.since AND m.until"
        " OR n.stream <> n.game AND n.at >= m.since_at AND (m.until_at = '' OR n.at <= m.until_at))"
        f"{kinds} ORDER BY n.at DESC, n.stream DESC, n.version DESC LIMIT {MOST}",
        [player, player, *but],
    )
    return [
        Notice(at, GameId(game), stream, version, kind, Seat(seat) if seat else None)
        for at, game, stream, version, kind, seat in found
    ]
