"""The protocol of a store of games, cases, tournaments and leagues. It stores bytes and versions, and does not know
what they mean.

One game is one stream of records, numbered 1, 2, 3 …, and so is a case about a game, a tournament or a league. Streams
are kept in books (`projections/cursor.py`). The records of a book have one order, in which they became readable, so a
reader who follows all books never misses one. The data of an append (records, secrets, its idempotency key, the row of
the index) are stored together or not at all, and are on the disk when `append` returns.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, Literal, Protocol

from msgspec import Struct

from domain.judging.case import CaseRow
from domain.kernel.chance.secret import Secret
from domain.kernel.ids import CaseId, GameId, LeagueId, PlayerId, RuleId, Seat, StreamId, TournamentId, Version
from domain.kernel.log.record import Record
from projections.cursor import Cursor, Place
from projections.lobby import ForkOf, GameRow
from service.store.accounts import AccountStore
from service.store.apps import AppStore
from service.store.imports import ImportStore
from service.store.joining import JoiningStore
from service.store.organizing import OrganizingStore
from service.store.transparency import TreeStore
from service.store.webhooks import HookStore

Placed = tuple[Place, StreamId, Record]
"""A record, its stream, and its place in the log."""


class StoreError(Exception):
    """Something is wrong with the store itself; the message is one line."""


class StoreDamaged(StoreError):
    """The store is damaged, or something else lies in its place. Nothing was overwritten."""


class StreamDamaged(StoreDamaged):
    """Records of one game or case are damaged or missing, and the rest of the store is as it should be.

    If it is known which, they are those after version `after`, up to version `until`.
    """

    def __init__(self, message: str = "", after: Version = 0, until: Version = 0) -> None:
        super().__init__(message)
        self.after = after
        self.until = until


class ArchiveAway(StoreError):
    """Records of a game are in an archive outside of the store, which does not answer. The store itself does."""


class StoreUnavailable(StoreError):
    """The store cannot answer now (disk full, locked by another process, closed). Nothing was acknowledged."""


class PartUnavailable(StoreUnavailable):
    """A part of the store does not answer. Streams in other parts can be read, and may go on."""


class NotKept(StoreUnavailable):
    """A database does not keep the book of a stream, or not any more. Nothing was acknowledged."""


class StoreFull(StoreUnavailable):
    """The disk under the store has no room left. Nothing was acknowledged, and what is stored can be read."""


class Conflict(Exception):
    """The stream did not stand at the expected version but at `head`. Nothing was stored."""

    def __init__(self, head: Version) -> None:
        super().__init__(f"the stream is at version {head}")
        self.head = head


class KeyReused(Exception):
    """The idempotency key was used before, with another request. Nothing was stored."""


class KeyUse(Struct, frozen=True):
    """The use of an idempotency key by an account, for a request. `fingerprint` tells requests apart."""

    account: PlayerId
    key: str
    fingerprint: bytes


class Added(Struct, frozen=True):
    """The records that a request added to a game: from `after` + 1 to `version`. They also answer a repetition."""

    after: Version
    version: Version


class KeptUse(Struct, frozen=True):
    """A stored use of an idempotency key: the fingerprint of its request, and the records that it added."""

    fingerprint: bytes
    added: Added


class Opening(Struct, frozen=True):
    """The stored data of a new game beside its records.

    `chance` is the secret that its dice come from. `board` is the key of its board, and `board_file` the board itself
    with its documents, which is stored once for all games on it. `fork` is where a fork began. `private` tells whether
    only members of the game may read it.
    """

    ruleset: str
    ruleset_version: int
    title: str
    organizer: PlayerId
    chance: bytes
    board: str
    board_file: bytes
    fork: ForkOf | None = None
    private: bool = False


class KeptStatement(Struct, frozen=True):
    """A text that somebody wrote in a case, beside the event of that version. It can be erased.

    `salt` and `written` (JSON) are None after it was erased, at the time `erased` by the account `eraser`.
    """

    version: Version
    salt: str | None
    written: str | None
    erased: str | None = None
    eraser: PlayerId | None = None


class TournamentRow(Struct, frozen=True):
    """What the index has of a tournament.

    Attributes:
        tournament: its id.
        title: its title, which is in no event.
        entrants: how many players have entered, including those who left.
        rounds: how many rounds have been published and not cancelled.
    """

    tournament: TournamentId
    title: str
    ruleset: str
    status: str
    organizer: PlayerId
    entrants: int
    rounds: int
    version: Version
    created: str
    changed: str


class LeagueRow(Struct, frozen=True):
    """What the index has of a league.

    Attributes:
        league: its id.
        title: its title, which is in no event.
        divisions: how many divisions it has.
        seasons: how many seasons have begun.
    """

    league: LeagueId
    title: str
    status: str
    organizer: PlayerId
    divisions: int
    seasons: int
    version: Version
    created: str
    changed: str


class Within(Struct, frozen=True):
    """A limit: when an append is stored, there may be at most `most` of something.

    Attributes:
        what: open analyses of an account, continuations of a game that were not cancelled, the seats that bots hold
            in the games of an organizer that go on and changed since a time, the tournaments of an account that are
            not over, or the leagues of an account.
        values: the account or the game; for seats of bots also that time.
    """

    what: Literal["analyses", "continuations", "bots", "tournaments", "leagues"]
    values: tuple[str, ...]
    most: int


class Append(Struct, frozen=True):
    """Records to be added to a stream that stands at version `expected`.

    Attributes:
        status: the status of the game, case, tournament or league after them.
        seats: who sits where, if that changed or the game is new.
        opening: the rest of a new game, whose `expected` is 0; None for everything else.
        case, tournament, league: what the index has of it afterwards, if the stream is one of these; otherwise None.
        statement: the text of a case that was written with the records.
        ruling: the version of the ruling among the records of a case.
        seed: the seed of all lots of a new tournament.
        within: a limit, which is counted in the same transaction, with what this adds.
    """

    game: StreamId
    expected: Version
    records: Sequence[Record]
    status: str
    secrets: Sequence[Secret] = ()
    key: KeyUse | None = None
    seats: Mapping[Seat, PlayerId | None] | None = None
    opening: Opening | None = None
    case: CaseRow | None = None
    statement: KeptStatement | None = None
    ruling: Version | None = None
    tournament: TournamentRow | None = None
    league: LeagueRow | None = None
    seed: bytes | None = None
    within: Within | None = None


class Appended(Struct, frozen=True):
    """The stream now stands at `version`. If the key was used before, `repeated` is what was added then."""

    version: Version
    repeated: Added | None = None


class Stored(Struct, frozen=True):
    """The stored data of a game: its version in the index, its records, its secrets, its chance."""

    head: Version
    records: list[Record]
    secrets: list[Secret]
    chance: bytes


class EventStore(Protocol):
    """A store of games and accounts. Every method may raise `StoreError`."""

    @property
    def is_shared(self) -> bool:
        """Whether other processes append to the same log."""
        ...

    @property
    def is_full(self) -> bool:
        """Whether a write has just found no room on the disk."""
        ...

    def part_of(self, stream: StreamId) -> int:
        """Return the number of the part of the store that keeps a stream.

        One part may be away while others answer. A query about streams of several parts fails when one is away.
        """
        ...

    @property
    def damage(self) -> str | None:
        """Why the store refuses writes, in one line, if it was found damaged while it was used."""
        ...

    @property
    def accounts(self) -> AccountStore:
        """The accounts."""
        ...

    @property
    def tree(self) -> TreeStore:
        """The transparency log."""
        ...

    @property
    def organizing(self) -> OrganizingStore:
        """The organizers whom accounts allow to seat them, and games that were requested together."""
        ...

    @property
    def apps(self) -> AppStore:
        """Apps by other people that sign somebody in."""
        ...

    @property
    def imports(self) -> ImportStore:
        """Games that other services recorded."""
        ...

    @property
    def joinings(self) -> JoiningStore:
        """Accounts of one person that were joined."""
        ...

    @property
    def webhooks(self) -> HookStore:
        """The webhooks of accounts, and the deliveries to them."""
        ...

    async def append(self, batch: Append) -> Appended:
        """Store `batch` whole, durably, or not at all.

        The idempotency key is looked up before anything else: a repetition gets the records that the first request
        added, whatever the version is now.

        Raises:
            Conflict: the stream is not at the expected version.
            KeyReused: the key came with another request before.
            LimitReached: there would be more of something than `within` allows.
        """
        ...

    async def append_together(self, first: Append, *others: Append) -> Appended:
        """Store batches of different streams, durably: all of them, or none. Return the outcome of the first.

        Only the first may have a key. If that key was used before, nothing is stored.

        Raises:
            Conflict: one stream is not at the expected version, or the number of a new case is taken.
            KeyReused: the key came with another request before.
            LimitReached: as for `append`.
        """
        ...

    async def use_of_key(self, game: StreamId, account: PlayerId, key: str) -> KeptUse | None:
        """Return the stored use of a key in a game, or None."""
        ...

    async def forget_keys(self, before: str, limit: int) -> int:
        """Delete at most `limit` keys that were used before that time, the oldest first; return how many."""
        ...

    async def read(self, game: StreamId, after: Version = 0, limit: int | None = None) -> list[Record]:
        """Return the records of a stream that follow version `after`; none of an unknown one."""
        ...

    async def segments(
        self, after: tuple[StreamId, Version] | None, limit: int
    ) -> list[tuple[StreamId, Version, str | None]]:
        """Read at most `limit` segments of archived games again: those that follow a game and version.

        Returns:
            for each segment its game, its last version, and what is wrong with it in one line, or None.
        """
        ...

    async def kept_outside(self) -> tuple[StreamId, Version] | None:
        """Return the stream of a segment outside of the store, and the version before its records; None without one."""
        ...

    books: ClassVar[int]
    """How many books there are."""

    async def divided(self) -> bool:
        """Tell whether each book counts its own positions. Once they do, they always will."""
        ...

    async def read_all(self, cursor: str | None = None, limit: int = 1000) -> tuple[list[tuple[StreamId, Record]], str]:
        """Return the records of all streams that follow `cursor`, as `read_on` does, and the cursor after them.

        Without records, the end is reached. None is the beginning. Raises `UnknownCursor`.
        """
        ...

    async def read_on(
        self, after: Cursor, limit: int, games: Collection[StreamId] | None = None, until: Cursor | None = None
    ) -> tuple[list[Placed], Cursor]:
        """Return records that follow `after`, at most `limit`, with their places, and the cursor after them.

        The records of a book come in the order in which they became readable. Each book gets its share, so there may be
        fewer than `limit` although more follow. Without records, the end is reached. `games` picks the records of these
        streams, and `until` those up to that cursor.
        """
        ...

    async def end(self) -> Cursor:
        """Return the cursor after the last records of the log."""
        ...

    async def reach(self, known: Cursor) -> Cursor:
        """Return the end of the log as far as it can be read now: books that are away are where `known` has them."""
        ...

    async def away(self) -> frozenset[int]:
        """Ask each part of the log whether it answers; return the books of those that do not, or take no writes."""
        ...

    async def head(self, game: StreamId) -> Version:
        """Return the version at which a stream stands; 0 for an unknown one."""
        ...

    async def events(self) -> int:
        """Return how many events all streams of the log have. Takes time in proportion to the number of streams."""
        ...

    async def heads(self, games: Collection[StreamId]) -> dict[StreamId, Version]:
        """Return the versions at which streams stand, read at one moment; unknown streams are left out."""
        ...

    async def rulesets(self, games: Collection[GameId]) -> dict[GameId, str]:
        """Return the rulesets of games; unknown games are left out."""
        ...

    async def secrets(self, game: GameId, offset: int = 0) -> list[Secret]:
        """Return the secrets of a game in the order of their sealing, without the first `offset` of them."""
        ...

    async def load(self, game: GameId, after: Version = 0) -> Stored | None:
        """Return the stored data of a game, with its records after version `after`, read at one moment, or None."""
        ...

    async def board(self, digest: str) -> bytes | None:
        """Return the board file with this key, or None."""
        ...

    async def game(self, game: GameId) -> GameRow | None:
        """Return the index row of a game, or None."""
        ...

    async def games(
        self,
        *,
        status: str | None = None,
        ruleset: str | None = None,
        player: PlayerId | None = None,
        mine: PlayerId | None = None,
        forks: bool = True,
        parent: GameId | None = None,
        listed: bool = False,
        among: Collection[GameId] | None = None,
        after: GameId | None = None,
        limit: int = 50,
    ) -> list[GameRow]:
        """Return games, the newest first: those that follow `after`.

        `player` picks the games in which that account holds a seat, `mine` also those that it organizes, `parent` the
        forks of a game, `listed` those that are listed for everybody, and `among` those that it names. Without `forks`,
        forks are left out.
        """
        ...

    async def continuations(self, game: GameId) -> list[GameId]:
        """Return the forks that were made to continue a game and not cancelled, the oldest first."""
        ...

    async def count(self, what: Within) -> int:
        """Return the number that a limit counts, as it is now."""
        ...

    async def unlisted(self, games: Collection[GameId]) -> set[GameId]:
        """Return which of these games only their players and organizers see in lists."""
        ...

    async def private(self, games: Collection[GameId]) -> set[GameId]:
        """Return which of these games are private (TAB-READ-01)."""
        ...

    async def withheld(self, games: Collection[GameId]) -> dict[GameId, GameId]:
        """Return which of these games are forks that are hidden now, each with the game that must end first."""
        ...

    async def list_game(self, game: GameId, listed: bool) -> None:
        """Set whether lists show a game to everybody. The game need not be stored yet."""
        ...

    async def case(self, case: CaseId) -> CaseRow | None:
        """Return the index row of a case, or None."""
        ...

    async def cases(
        self,
        *,
        game: GameId | None = None,
        status: str | None = None,
        rule: str | None = None,
        party: PlayerId | None = None,
        judged: Collection[GameId] = (),
        after: CaseId | None = None,
        limit: int = 50,
        about: tuple[Version, Version] | None = None,
    ) -> list[CaseRow]:
        """Return cases, the newest first: those that follow `after`.

        `rule` picks the cases that cite it, and `about` those about a version from the first to the second of these
        two. `party` picks those of games in which that account holds a seat, and of the games `judged`.
        """
        ...

    async def precedents(self, rules: Collection[RuleId], limit: int) -> list[CaseRow]:
        """Return the newest cases with a ruling that cite one of these rules, in the complaint or in a ruling."""
        ...

    async def rulings(self, cases: Collection[CaseId]) -> dict[CaseId, list[Record]]:
        """Return the rulings on cases, the last one last. Cases without a ruling are left out."""
        ...

    async def statements(self, case: CaseId, after: Version = 0, limit: int | None = None) -> list[KeptStatement]:
        """Return the statements in a case after a version, in the order of versions, including erased ones."""
        ...

    async def erase(self, case: CaseId, version: Version, by: PlayerId, at: str) -> bool:
        """Erase the statement at a version of a case. Return False if there was none to erase."""
        ...

    async def tournament(self, tournament: TournamentId) -> TournamentRow | None:
        """Return the index row of a tournament, or None."""
        ...

    async def tournaments(
        self,
        *,
        status: str | None = None,
        ruleset: str | None = None,
        organizer: PlayerId | None = None,
        after: TournamentId | None = None,
        limit: int = 50,
    ) -> list[TournamentRow]:
        """Return tournaments, the newest first: those that follow `after`."""
        ...

    async def league(self, league: LeagueId) -> LeagueRow | None:
        """Return the index row of a league, or None."""
        ...

    async def leagues(
        self, *, organizer: PlayerId | None = None, after: LeagueId | None = None, limit: int = 50
    ) -> list[LeagueRow]:
        """Return leagues, the newest first: those that follow `after`."""
        ...

    async def seed(self, tournament: TournamentId) -> bytes | None:
        """Return the seed of a tournament's lots, or None."""
        ...

    async def organize(self, game: GameId, player: PlayerId) -> None:
        """Set the account that organizes a game from now on."""
        ...

    async def retitle(self, stream: GameId | TournamentId | LeagueId, title: str) -> None:
        """Give a game, a tournament or a league another title."""
        ...

    async def ready(self) -> None:
        """Return when the store answers.

        Raises `StoreUnavailable`; `StoreFull` also when a write just had no room; `StoreDamaged` when there is
        `damage`.
        """
        ...

    def begin_checking(self) -> None:
        """Read the whole store in the background, if opening it did not. `damage` then says what was found."""
        ...

    async def close(self) -> None:
        """Finish pending appends, then close."""
        ...
