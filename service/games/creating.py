"""Creating a game, with its board and documents, its setup and who may see it."""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET, Struct, field
from msgspec.structs import replace

from domain.boards import parse_board, validate
from domain.kernel.chance.draws import commitment_to
from domain.kernel.ids import GameId, PlayerId, Seat, TournamentId
from domain.kernel.log import beginning, officials, seating
from domain.kernel.log.clock import Clock
from domain.kernel.log.game import Decided
from domain.kernel.log.lifecycle import Forking, Readers, Sight
from domain.kernel.log.record import Cause
from domain.kernel.rules.board import Board
from domain.kernel.rules.documents import key_of, packed
from domain.kernel.rules.ruleset import Library, Ruleset
from service.games.games import Games
from service.games.requests import Done, Request, UnknownPlayer, UnknownRuleset
from service.store.protocol import Opening


async def create_game(
    games: Games,
    player: PlayerId,
    ruleset_id: str,
    players: int,
    setup: Mapping[str, Any] | None = None,
    *,
    board: bytes | None = None,
    documents: Mapping[str, bytes] | None = None,
    organizer: PlayerId | None = None,
    organizer_sees: Sight = "spectator",
    forks: Forking = "players",
    readers: Readers = "everybody",
    clock: Clock | None = None,
    abandoned_after: int | None = None,
    title: str = "",
    listed: bool = True,
    key: str | None = None,
) -> Done:
    """Create a game, and return the outcome.

    Args:
        board: a board file to play on, instead of the ruleset's own.
        documents: documents to play with, by name, instead of the ruleset's own.
        organizer: who organizes the game, when that is not `player`.
        organizer_sees: what the organizer sees of it while it runs and they hold no seat.
        forks: who may fork it while it runs.
        readers: who may read it. Lists show a private game only to accounts that may read it.
        clock: its clock, if it has one.
        abandoned_after: after how many days without an event it ends as abandoned; None for 90.
        listed: whether lists show the game to everybody.

    Raises:
        UnknownRuleset, UnknownPlayer: there is no such ruleset, or no such organizer.
        BoardError: the board is not valid.
        DocumentError: a document is not valid, or the board lacks what it needs.
        msgspec.ValidationError: the ruleset does not know this setup.
        ValueError: the ruleset cannot be played on this board.
        Refusal: the ruleset is not for that number of players, `setup` breaks one of its rules, or `clock` or
            `abandoned_after` is not possible.
        KeyReused: the key came with another request before.
    """
    _ruleset(games.library, ruleset_id)
    if organizer is not None and await games.store.accounts.player(organizer) is None:
        raise UnknownPlayer(f"There is no account {organizer!r}.")
    wish = TableWish(
        ruleset=ruleset_id,
        players=players,
        setup=dict(setup or {}),
        board=board,
        documents=dict(documents or {}),
        organizer=organizer,
        organizer_sees=organizer_sees,
        forks=forks,
        readers=readers,
        clock=clock,
        abandoned_after=abandoned_after,
        title=title,
        listed=listed,
    )
    return await open_table(games, player, wish, key=key)


class TableWish(Struct, frozen=True, kw_only=True):
    """A game that is to be opened, and who sits there from the beginning. `create_game` describes the other fields.

    Attributes:
        officials: the accounts that are named officials.
        seats: the accounts to which seats are assigned (TAB-SEAT-08); the other seats are free. The caller has made
            sure that these accounts agreed.
        tournament: the tournament to which it belongs (TAB-SEAT-10).
    """

    ruleset: str
    players: int
    setup: dict[str, Any] = field(default_factory=dict[str, Any])
    board: bytes | None = None
    documents: dict[str, bytes] = field(default_factory=dict[str, bytes])
    organizer: PlayerId | None = None
    organizer_sees: Sight = "spectator"
    forks: Forking = "players"
    readers: Readers = "everybody"
    clock: Clock | None = None
    abandoned_after: int | None = None
    title: str = ""
    listed: bool = True
    officials: tuple[PlayerId, ...] = ()
    seats: dict[Seat, PlayerId] = field(default_factory=dict[Seat, PlayerId])
    tournament: TournamentId | None = None


class RematchWish(Struct, frozen=True):
    """What makes a game a rematch (TAB-REM-01).

    Attributes:
        of: the game before it.
        board: the board with its documents, as the game before it has it.
        until: until when it is offered.
        id: its own id, which is the same for all players who offer it, so that there is only one.
        taken: the accounts that hold their seats at once: the player who offers it, and bots.
        entropy: what the account that offers it adds to the dice.
    """

    of: GameId
    board: Board
    until: str
    id: GameId
    taken: dict[Seat, PlayerId]
    entropy: str


class Table:
    """A game that can be opened: its ruleset is known, and its board and documents are read."""

    def __init__(self, games: Games, wish: TableWish, rematch: RematchWish | None = None) -> None:
        """Raises `UnknownRuleset`, `BoardError` or `DocumentError`."""
        self.wish = wish
        self.rematch = rematch
        self.ruleset = _ruleset(games.library, wish.ruleset)
        if rematch is not None:
            self.board = self.ruleset.equip(rematch.board)
        else:
            plain = games.boards(self.ruleset.board) if wish.board is None else _read_board(wish.board)
            self.board = self.ruleset.equip(plain, wish.documents)
        self.digest = key_of(self.board)

    @property
    def content(self) -> list[Any]:
        """The content of the request, to which an idempotency key belongs."""
        wish = self.wish
        content = ["create", wish.ruleset, wish.players, wish.setup, self.digest, wish.organizer, wish.title]
        if wish.organizer_sees != "spectator":
            content.append(wish.organizer_sees)  # left out by default, so that older keys have the same content
        if wish.forks != "players":
            content.append({"forks": wish.forks})
        if wish.readers != "everybody":
            content.append({"readers": wish.readers})
        if wish.clock is not None:
            content.append({"clock": wish.clock})
        if wish.abandoned_after is not None:
            content.append({"abandoned_after": wish.abandoned_after})
        if not wish.listed:
            content.append("unlisted")
        if wish.officials or wish.seats or wish.tournament is not None:
            content.append({"officials": wish.officials, "seats": wish.seats, "tournament": wish.tournament})
        return content

    def created(self, game: GameId, commitment: str, cause: Cause, at: str) -> Decided:
        """Return the creation of the game, without officials and seats. Raises what `create_game` raises."""
        wish = self.wish
        return beginning.create(
            self.ruleset,
            game,
            wish.players,
            setup=wish.setup,
            board=self.board,
            organizer=wish.organizer or cause.account,
            organizer_sees=wish.organizer_sees,
            forks=wish.forks,
            readers=wish.readers,
            clock=wish.clock,
            abandoned_after=UNSET if wish.abandoned_after is None else wish.abandoned_after,
            rematch_of=UNSET if self.rematch is None else self.rematch.of,
            offered_until=UNSET if self.rematch is None else self.rematch.until,
            commitment=commitment,
            cause=self._for_tournament(cause),
            at=at,
        )

    def with_official(self, so_far: Decided, official: PlayerId, cause: Cause, at: str) -> Decided:
        """Return `so_far` with an official named as well. Raises `Refusal`."""
        officials.require_few_officials(so_far.game, official)
        by_organizer = replace(cause, player=so_far.game.organizer)
        return so_far.then(officials.name_official(so_far.game, official, by_organizer, at))

    def assigned(self, so_far: Decided, seat: Seat, player: PlayerId, cause: Cause, at: str) -> Decided:
        """Return `so_far` with a seat assigned as well. Raises `Refusal`."""
        by_organizer = replace(self._for_tournament(cause), player=so_far.game.organizer)
        return so_far.then(seating.assign_seat(so_far.game, seat, player, by_organizer, at))

    def with_seats(self, so_far: Decided, cause: Cause, at: str) -> Decided:
        """Return the rematch `so_far` with its bots and the player who offers it seated as well. Raises `Refusal`."""
        assert self.rematch is not None
        for seat, holder in self.rematch.taken.items():
            entropy = self.rematch.entropy if holder == cause.player else ""
            so_far = so_far.then(seating.take_seat(so_far.game, seat, entropy, replace(cause, player=holder), at))
        return so_far

    def _for_tournament(self, cause: Cause) -> Cause:
        return replace(cause, tournament=self.wish.tournament)


async def open_table(
    games: Games, player: PlayerId, wish: TableWish, *, key: str | None = None, rematch: RematchWish | None = None
) -> Done:
    """Open a game with its clock, its officials and the players of its wish, all in one transaction.

    So a game either has all of these or does not exist. With a key, it is opened once. Raises what `create_game`
    raises, `Refusal` when an account cannot be an official or hold its seat, and `Conflict` when somebody else has
    offered this rematch.
    """
    table, secret = Table(games, wish, rematch), games.new_secret()
    opening = Opening(
        ruleset=table.ruleset.id,
        ruleset_version=table.ruleset.version,
        title=wish.title,
        organizer=wish.organizer or player,
        chance=secret,
        board=table.digest,
        board_file=packed(table.board),
        private=wish.readers == "invited",
    )

    async def begin(game: GameId, request: Request) -> Decided:
        cause, at = request.cause, request.at
        decided = table.created(game, commitment_to(secret), cause, at)
        for official in wish.officials:
            decided = table.with_official(decided, official, cause, at)
        for seat, holder in wish.seats.items():
            decided = table.assigned(decided, seat, holder, cause, at)
        if rematch is not None:
            decided = table.with_seats(decided, cause, at)
            if not decided.game.around.assigned:
                decided = decided.then(beginning.start(decided.game, decided.game.chance(secret), cause, at))
        if not wish.listed and not opening.private:
            await games.store.list_game(game, False)
        return decided

    game_id = rematch.id if rematch is not None else None
    outcome = await games.open("create", player, table.content, opening, begin, key=key, as_=game_id)
    games.keep_board(table.digest, table.board)
    return outcome


def _ruleset(library: Library, ruleset_id: str) -> Ruleset[Any]:
    try:
        return library.current(ruleset_id)
    except LookupError as error:
        raise UnknownRuleset(str(error)) from None


def _read_board(file: bytes) -> Board:
    board = parse_board(file)
    validate(board)
    return board
