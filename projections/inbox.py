"""The inbox: notices for accounts about their games, the cases about these, and tournaments.

A notice belongs to a game, a case or a tournament, not to an account: the accounts that took part at that time get it.
So a player who takes over a seat gets no notices from before, and the former holder gets none from after.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final, Literal, get_args

from msgspec import UNSET, Struct

from domain.judging.events import Appealed, CaseAnswered, CaseOpened, CaseWithdrawn, Ruled, RuledFinally, Settled
from domain.kernel.ids import (
    LARGEST_INTEGER,
    CaseId,
    GameId,
    PlayerId,
    Seat,
    StreamId,
    TournamentId,
    Version,
    book_of,
    is_case,
    is_tournament,
)
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
from domain.kernel.log.record import Record
from domain.kernel.log.seated import SeatAssigned, SeatOffered, SeatResigned
from projections.change import Amend, Change, Put, Table, Trim
from projections.projection import Argued, Directed, Happened, Projection
from projections.store import Rows
from projections.tournaments import ADDRESSED, DIRECTOR, TournamentKind, addressed, beginning, ending, told_of

KEPT: Final = 100
"""How many notices of a game and its cases are kept, and of a tournament for its directors: the newest."""

GAMES: Final = 300
"""How many rows of `MEMBERS` of an account are searched for notices, and how many of its present tournaments are
listed: those with the newest notices."""

MOST: Final = 500
"""How many notices of an account are listed: the newest; and how many of its present and past tournaments."""

OPEN: Final = LARGEST_INTEGER
"""The value of the column `until` while the account still takes part."""

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
    "rematch-offered",
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
"""What a notice of a game or a case is about."""

AnyKind = Kind | TournamentKind

KINDS: Final[tuple[AnyKind, ...]] = (*get_args(Kind), *get_args(TournamentKind))

Role = Literal["seat", "official", "addressed"]
"""How somebody takes part in a game: in a seat, as an official, or because one event is addressed to them."""

MEMBERS: Final = Table(
    "members",
    {"game": "text", "role": "text", "holds": "text", "since": "number"},
    {"player": "text", "since_at": "text", "until": "number", "until_at": "text", "told": "text"},
    (("player", "told", "game"),),
)
"""Which account takes part in a game or a tournament, from the version `since` to the version `until`. `holds` is the
seat, or the account for a role without a seat. `told` is the time of the newest notice of the game, or of the role in
the tournament, at first the time of the version `since`."""

NOTICES: Final = Table(
    "notices",
    {"game": "text", "stream": "text", "version": "number"},
    {"kind": "text", "seat": "text", "actor": "text", "audience": "text", "at": "text"},
)
"""`game` may be a tournament. `stream` is the same id, or that of a case about the game. `seat` is the seat that the
notice is about, empty for none; `actor` the account that caused it and gets no notice; `audience` the roles that get
it."""

_SEATS: Final = "seat"
_ALL: Final = "seat official"

_NOTICE_BY_EVENT: Final[Mapping[type[Any], Callable[[Any], tuple[Kind, Seat | str, str] | None]]] = {
    GameStarted: lambda _: ("game-started", "", _ALL),
    ClockExpired: lambda expired: (
        ("game-paused", expired.seat, _ALL) if expired.then == "pause" else ("flag-fell", expired.seat, _SEATS)
    ),
    TakeBackAsked: lambda asked: ("take-back-asked", asked.seat, _SEATS),
    # A player's own undo gives no notice.
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
"""By the type of an event, a function that returns its notice, as `notice_of` does."""

_ONCE: Final = frozenset[Kind](("game-started", "game-over", "game-cancelled"))
"""Kinds of which a game has at most one notice. When such a notice comes, no older notice is removed."""


def _seat(event: CaseOpened | CaseWithdrawn) -> Seat | str:
    return "" if event.seat is UNSET else event.seat


class _Subject:
    """Adds the properties `game` and `tournament` to a class whose `subject` is the id of one of the two."""

    subject: GameId | TournamentId

    @property
    def game(self) -> GameId | None:
        """The subject if it is a game; None for a tournament."""
        return None if is_tournament(self.subject) else GameId(self.subject)

    @property
    def tournament(self) -> TournamentId | None:
        """The subject if it is a tournament; None for a game."""
        return TournamentId(self.subject) if is_tournament(self.subject) else None


class Notice(_Subject, Struct, frozen=True):
    """A notice for an account.

    Attributes:
        at: when it happened.
        subject: the game or the tournament.
        stream: the id of the stream of the event: the subject, or a case about the game.
        version: the version of the event in that stream.
        kind: what happened.
        seat: the seat that it is about; None if it is about no seat.
    """

    at: str
    subject: GameId | TournamentId
    stream: StreamId
    version: Version
    kind: AnyKind
    seat: Seat | None

    @property
    def case(self) -> CaseId | None:
        """The case in which the event happened; None for an event of a game or a tournament."""
        return CaseId(self.stream) if is_case(self.stream) else None


class Took(_Subject, Struct, frozen=True):
    """The part of an account in a game or a tournament, present or past.

    Attributes:
        subject: the game or the tournament.
        role: the role, such as `seat`, `official` or `player`.
        holds: the seat, or the account for a role without a seat.
        version: the version of the event with which the part began.
        since: the time of that event.
        ended: the time of the event that ended the part; empty while it goes on.
    """

    subject: GameId | TournamentId
    role: str
    holds: str
    version: Version
    since: str
    ended: str

    @property
    def until(self) -> str | None:
        """The time at which the part ended; None while it goes on."""
        return self.ended or None


class Inbox(Projection):
    """The accounts that take part in games and tournaments, since when, and the notices for them."""

    name = "inbox"
    version = 2
    reads = 1
    tables = (MEMBERS, NOTICES)
    heeds = "around"
    hears = True
    attends = True

    def fold(self, happened: Happened) -> Iterable[Change]:
        event, game, record = happened.around, happened.game, happened.record
        yield from _members(happened)
        if (notice := notice_of(event, rematch=happened.fixed.created.rematch_of is not UNSET)) is not None:
            yield from _noted(game, game, record.version, record.at, happened.cause.player, *notice)

    def fold_continuation(self, happened: Happened) -> Iterable[Change]:
        if happened.around is None:
            return
        if isinstance(happened.around, GameStarted):
            # A ruling may start a continuation before all players took their reserved seats. Then it seats them.
            for seat, player in happened.fixed.reserved.items():
                yield _begins(happened, "seat", seat, player)
        yield from self.fold(happened)

    def argue(self, argued: Argued) -> Iterable[Change]:
        event, record = argued.event, argued.record
        if (notice := notice_of(event)) is not None:
            yield from _noted(argued.game, argued.case, record.version, record.at, argued.cause.player, *notice)

    def direct(self, directed: Directed) -> Iterable[Change]:
        event, tournament, record = directed.event, directed.tournament.id, directed.record
        by = directed.cause.player
        for role, player in beginning(event, by):
            yield _joins(tournament, record, role, player)
        if (roles := ending(event)) is not None:
            yield _leaves(tournament, record, *roles)
        if (notice := told_of(event)) is None:
            return
        kind, audience = notice
        row = {"kind": kind, "seat": "", "actor": by or "", "audience": audience, "at": record.at}
        yield Put(NOTICES, {"game": tournament, "stream": tournament, "version": record.version}, row)
        for player in addressed(event):
            yield _joins(tournament, record, ADDRESSED, player, once=True)
        if kind != "round-published":  # the recipients have just joined
            yield Amend(MEMBERS, {"game": tournament, "role": audience}, {"told": record.at})
        if audience == DIRECTOR:  # the other roles get few notices
            yield Trim(
                NOTICES, {"game": tournament, "audience": audience}, ("game",), ("at", "stream", "version"), KEPT
            )


INBOX: Final = Inbox()


def notice_of(event: object, *, rematch: bool = False) -> tuple[Kind, Seat | str, str] | None:
    """Return the notice of an event: its kind, the seat that it is about, and the roles that get it; None for none.

    `rematch` says whether the game is a rematch. Its seats are assigned to the players who are asked to play again.
    """
    if rematch and isinstance(event, SeatAssigned):
        return "rematch-offered", event.seat, "addressed"
    describe = _NOTICE_BY_EVENT.get(type(event))
    return describe(event) if describe is not None else None


def _members(happened: Happened) -> Iterable[Change]:
    """Yield the changes to `MEMBERS` that an event of a game causes."""
    match happened.around:
        case SeatTaken(seat, player):
            yield _begins(happened, "seat", seat, player)
        case SeatAssigned(seat, player):
            yield _ends(happened, "seat", seat)  # for an account that was assigned the seat before
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


def _joins(tournament: TournamentId, record: Record, role: str, player: PlayerId, *, once: bool = False) -> Change:
    """Return the change that adds a member to a tournament, from the event on; with `once`, for that event alone."""
    key = {"game": tournament, "role": role, "holds": player, "since": record.version}
    until = record.version if once else OPEN
    return Put(
        MEMBERS, key, {"player": player, "since_at": record.at, "until": until, "until_at": "", "told": record.at}
    )


def _leaves(tournament: TournamentId, record: Record, role: str, player: PlayerId) -> Change:
    """Return the change that ends a role in a tournament. The member still gets the notice of this event."""
    where = {"game": tournament, "role": role, "holds": player, "until": OPEN}
    return Amend(MEMBERS, where, {"until": record.version, "until_at": record.at})


def _begins(happened: Happened, role: Role, holds: Seat | PlayerId, player: PlayerId) -> Change:
    """Return the change that adds a member to a game, from the event on."""
    game, record = happened.game, happened.record
    key = {"game": game, "role": role, "holds": holds, "since": record.version}
    part = {"player": player, "since_at": record.at, "until": OPEN, "until_at": "", "told": record.at}
    return Put(MEMBERS, key, part)


def _ends(happened: Happened, role: Role, holds: Seat | PlayerId) -> Change:
    """Return the change that ends a role in a game. The member still gets the notice of this event."""
    where = {"game": happened.game, "role": role, "holds": holds, "until": OPEN}
    return Amend(MEMBERS, where, {"until": happened.record.version, "until_at": happened.record.at})


def _addresses(happened: Happened, player: PlayerId) -> Change:
    """Return the change that addresses an event to an account, whether it takes part or not."""
    game, record = happened.game, happened.record
    key = {"game": game, "role": "addressed", "holds": player, "since": record.version}
    part = {"player": player, "since_at": record.at, "until": record.version, "until_at": record.at, "told": record.at}
    return Put(MEMBERS, key, part)


def _noted(
    game: GameId, stream: StreamId, version: Version, at: str, actor: PlayerId | None, kind: Kind, seat: str, to: str
) -> Iterable[Change]:
    """Yield the changes that a notice causes: its row, `told` of the members, and the removal of old notices."""
    notice = {"kind": kind, "seat": seat, "actor": actor or "", "audience": to, "at": at}
    yield Put(NOTICES, {"game": game, "stream": stream, "version": version}, notice)
    # A case from a release without books may be in another book than its game, and must not change the game's rows.
    if book_of(stream) == book_of(game):
        yield Amend(MEMBERS, {"game": game}, {"told": at})
    if kind not in _ONCE:
        yield Trim(NOTICES, {"game": game}, ("game",), ("at", "stream", "version"), KEPT)


async def tournaments_of(rows: Rows, player: PlayerId, *, past: bool = False) -> list[TournamentId]:
    """Return the tournaments in which an account takes part, at most `GAMES`, those with the newest notices first.

    With `past`, return also those in which it once took part, at most `MOST` in all.
    """
    now, values, most = ("", (), MOST) if past else (" AND until = ?", (OPEN,), GAMES)
    selection = await rows.select(
        INBOX,
        f"SELECT game, MAX(told) AS last FROM {{members}} WHERE player = ?{now} AND game >= 't' AND game < 'u'"
        f" GROUP BY game ORDER BY last DESC, game LIMIT {most}",
        [player, *values],
    )
    return [TournamentId(game) for game, _ in selection]


async def parts_of(rows: Rows, player: PlayerId, after: Took | None, limit: int) -> list[Took]:
    """Return at most `limit` present and past roles of an account that follow `after`, in the order of their keys."""
    follows = "" if after is None else " AND (game, role, holds, since) > (?, ?, ?, ?)"
    selection = await rows.select(
        INBOX,
        "SELECT game, role, holds, since, since_at, until_at FROM {members}"
        f" WHERE player = ?{follows} ORDER BY game, role, holds, since LIMIT {limit}",
        [player, *((after.subject, after.role, after.holds, after.version) if after is not None else ())],
    )
    return [Took(*row) for row in selection]


async def notices_of(rows: Rows, player: PlayerId, but: Collection[AnyKind] = ()) -> list[Notice]:
    """Return the notices for an account, the newest first: at most `MOST`, from its `GAMES` newest rows of `MEMBERS`.

    It leaves out the kinds in `but`. Some notices may be about games that the account may no longer read.
    """
    kinds = f" AND n.kind NOT IN ({', '.join('?' * len(but))})" if but else ""
    selection = await rows.select(
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
        Notice(at, subject, stream, version, kind, Seat(seat) if seat else None)
        for at, subject, stream, version, kind, seat in selection
    ]
