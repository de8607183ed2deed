"""Creating a game, with its board and documents, its setup and who may see it."""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from domain.boards import parse_board, validate
from domain.kernel.chance.draws import commitment_to
from domain.kernel.ids import GameId, PlayerId, TournamentId
from domain.kernel.log.clock import Clock
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.lifecycle import Forking, Readers, Sight
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
    tournament: TournamentId | None = None,
    key: str | None = None,
) -> Done:
    """Open a new game; its summary at the time is that of ``at(accepted.game, accepted.version)``.

    Args:
        board: a board file to play on, instead of the ruleset's own.
        documents: documents to play with, by name, instead of the ruleset's own.
        organizer: who organizes the game, when that is not `player`.
        organizer_sees: what they see of it while it runs and they hold no seat.
        forks: who may fork it while it runs.
        readers: who may read it. No list shows others a game that not everybody may read.
        clock: its clock, if it has one.
        abandoned_after: after how many days in which nothing happens it ends as abandoned, if not after 90.
        listed: whether lists show the game to everybody.
        tournament: the tournament for which it is created.

    Raises:
        UnknownRuleset, UnknownPlayer: there is none.
        BoardError: the board is not valid.
        DocumentError: a document is not valid, or the board lacks what it needs.
        msgspec.ValidationError: the ruleset does not know this setup.
        ValueError: the ruleset cannot be played on this board.
        Refusal: the ruleset is not for that number of players, no such game has this clock, or none is abandoned after
            so many days.
        KeyReused: the key came with another request before.
    """
    ruleset = _ruleset(games.library, ruleset_id)
    if organizer is not None and await games.store.accounts.player(organizer) is None:
        raise UnknownPlayer(f"There is no account {organizer!r}.")
    plain = games.boards(ruleset.board) if board is None else _read_board(board)
    own = ruleset.equip(plain, documents)
    digest = key_of(own)
    content = ["create", ruleset_id, players, dict(setup or {}), digest, organizer, title]
    if organizer_sees != "spectator":
        content.append(organizer_sees)  # else it is the content of a key of before there was a choice
    if forks != "players":
        content.append({"forks": forks})
    if readers != "everybody":
        content.append({"readers": readers})
    if clock is not None:
        content.append({"clock": clock})
    if abandoned_after is not None:
        content.append({"abandoned_after": abandoned_after})
    if tournament is not None:
        content.append({"tournament": tournament})
    if not listed:
        content.append("unlisted")
    secret = games.new_secret()
    opening = Opening(
        ruleset=ruleset.id,
        ruleset_version=ruleset.version,
        title=title,
        organizer=organizer or player,
        chance=secret,
        board=digest,
        board_file=packed(own),
        private=readers == "invited",
    )

    async def begin(game: GameId, request: Request) -> Decided:
        decided = Game.create(
            ruleset,
            game,
            players,
            setup=setup or {},
            board=own,
            organizer=organizer or player,
            organizer_sees=organizer_sees,
            forks=forks,
            readers=readers,
            clock=clock,
            abandoned_after=UNSET if abandoned_after is None else abandoned_after,
            commitment=commitment_to(secret),
            cause=replace(request.cause, tournament=tournament),
            at=request.at,
        )
        if not listed and not opening.private:
            await games.store.list_game(game, False)
        return decided

    done = await games.open("create", player, content, opening, begin, key=key)
    games.keep_board(digest, own)
    return done


def _ruleset(library: Library, ruleset_id: str) -> Ruleset[Any]:
    try:
        return library.current(ruleset_id)
    except LookupError as error:
        raise UnknownRuleset(str(error)) from None


def _read_board(file: bytes) -> Board:
    board = parse_board(file)
    validate(board)
    return board
