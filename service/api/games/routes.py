"""The endpoints for games: creating, listing, showing and changing them, taking and leaving seats, starting."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import msgspec
from litestar.response import Response
from msgspec import UNSET

from domain.kernel.ids import GameId, PlayerId, Seat
from domain.kernel.log.game import Game
from domain.kernel.rules.documents import documents_of
from domain.kernel.rules.refusal import Refusal
from projections import lobby
from service.api.bodies import Nothing
from service.api.endpoint import Answer, endpoint
from service.api.games.bodies import (
    GameChange,
    GameDetail,
    GamePage,
    GamesPage,
    Listing,
    NewGame,
    PapersView,
    TakeSeat,
    chosen_clock,
)
from service.api.games.listing import listed, players_of
from service.api.games.views import game_detail, papers_view
from service.api.problems.accounts import UNKNOWN_PLAYER
from service.api.problems.games import NOT_ORGANIZER, SEAT_TAKEN, UNKNOWN_GAME, UNKNOWN_SEAT
from service.api.problems.play import NOT_NOW, NOT_SEATED, REFUSED, STALE_VERSION, refused
from service.api.problems.problem import Problem
from service.api.problems.request import KEY_REUSED, invalid_body
from service.api.problems.rulesets import INVALID_BOARD, INVALID_DOCUMENT, UNKNOWN_DOCUMENT, UNKNOWN_RULESET
from service.api.request import Call
from service.api.response import answer, etag
from service.api.rulesets.bodies import DocumentView, document_view
from service.api.services import Services
from service.games import acts, creating, listing
from service.games.requests import Done
from service.games.views import Accepted, Viewer, viewer_of
from service.store.protocol import Within

_new_game: Final = msgspec.json.Decoder(NewGame)
_change: Final = msgspec.json.Decoder(GameChange)
_listing: Final = msgspec.json.Decoder(Listing)
_take_seat: Final = msgspec.json.Decoder(TakeSeat)

ACTS: Final = (UNKNOWN_GAME, REFUSED, NOT_NOW, STALE_VERSION, KEY_REUSED)
"""The problems of every endpoint that changes a game."""

ACCEPTED: Final = Answer(200, "Done by this request, or by the one that it repeats.", Accepted, headers=("ETag",))


def accepted(request: Call, outcome: Done) -> Response[bytes]:
    """Answer with the outcome of a request, as far as the caller's token may see it."""
    return answer(outcome.seen_by(outcome.viewer(request.caller)), headers=etag(outcome.version))


async def acted(request: Call, game: str, act: acts.Act, within: Within | None = None) -> Response[bytes]:
    """Do something in a game for the caller, and answer. Raises `Problem` for a refusal."""
    player, key, expected = request.signed_in.player, request.key, request.expected
    async with explained(request, game):
        outcome = await request.services.games.act(GameId(game), player, act, expected=expected, key=key, within=within)
    return accepted(request, outcome)


def seat_named(game: Game, name: str) -> Seat:
    """Return a seat of a game by its name. Raises `Problem`."""
    seats = game.players
    if name not in seats:
        raise Problem(UNKNOWN_SEAT, f"The game has no seat {name!r}.", f"Expected one of {', '.join(seats)}.")
    return Seat(name)


@asynccontextmanager
async def explained(request: Call, game: str) -> AsyncIterator[None]:
    """Turn a refusal into a problem that shows the rule."""
    try:
        yield
    except Refusal as refusal:
        current = await request.services.games.game(GameId(game))
        raise refused(refusal, request.services.catalogues(current.ruleset)) from None


@endpoint(
    "POST",
    "/v1/games",
    tag="Games",
    account="required",
    scopes=("organize",),
    headers=("Idempotency-Key",),
    body=NewGame,
    answers=(Answer(201, "The game, which waits for players.", GameDetail, headers=("Location", "ETag")),),
    problems=(UNKNOWN_RULESET, UNKNOWN_PLAYER, INVALID_BOARD, INVALID_DOCUMENT, REFUSED, KEY_REUSED),
)
async def create_game(request: Call) -> Response[bytes]:
    """Create a game.

    The service draws the secret behind the game's dice now and publishes its SHA-256 as `commitment`. You are the
    game's organizer unless you name another. You hold no seat yet. A `clock` has bounds (TAB-CLK-02), and the organizer
    can change it until the game starts. A repeated request with the same `Idempotency-Key` gets the same response and
    creates no second game.
    """
    request.read_query(Nothing)
    caller, key = request.signed_in, request.key
    wish = await request.read_body(_new_game)
    games = request.services.games
    try:
        outcome = await creating.create_game(
            games,
            caller.player,
            wish.ruleset,
            wish.players,
            wish.setup,
            board=bytes(wish.board) if wish.board is not UNSET else None,
            documents={name: bytes(document) for name, document in wish.documents.items()},
            organizer=PlayerId(wish.organizer) if wish.organizer is not None else None,
            organizer_sees=wish.organizer_sees,
            forks=wish.forks,
            readers=wish.readers,
            clock=chosen_clock(wish.clock),
            abandoned_after=wish.abandoned_after,
            title=wish.title,
            listed=wish.listed,
            key=key,
        )
    except Refusal as refusal:
        ruleset = request.services.library.current(wish.ruleset)
        raise refused(refusal, request.services.catalogues(ruleset)) from None
    except msgspec.ValidationError as error:
        ruleset = request.services.library.current(wish.ruleset)
        raise invalid_body(error, ruleset.setup, "$.setup") from None
    except ValueError as error:
        if not isinstance(error, UnicodeError):
            raise Problem(INVALID_BOARD, f"{error}", INVALID_BOARD.remedy, path="$.board") from None
        raise
    game = outcome.state
    headers = {"Location": f"/v1/games/{game.id}", **etag(game.version)}
    viewer = viewer_of(game, caller)
    # The requested title: the game may have got another one before this request was repeated.
    return answer(await detail(request.services, game, viewer, wish.title), 201, headers)


@endpoint("GET", "/v1/games", tag="Games", query=GamesPage, answers=(Answer(200, "The games.", GamePage),))
async def list_games(request: Call) -> Response[bytes]:
    """List games.

    Lists the newest first. You can filter by status, by ruleset, by clock, by a player who holds a seat, by a player
    whom the game waits for, and by words of the title. Unlisted and private games are left out, and so are forks:
    `GET /v1/players/me/games` has yours, and `GET /v1/games/{game}/forks` those of a game.
    """
    page = request.read_query(GamesPage)
    waiting = PlayerId(page.waiting_for) if page.waiting_for is not None else None
    player = PlayerId(page.player) if page.player is not None else waiting
    return answer(await listed(request.services, page, waiting, player=player, text=page.text, pace=page.clock))


@endpoint(
    "GET",
    "/v1/games/{game:str}",
    tag="Games",
    account="optional",
    answers=(Answer(200, "The game.", GameDetail, headers=("ETag",)),),
    problems=(UNKNOWN_GAME,),
)
async def show_game(request: Call, game: str) -> Response[bytes]:
    """Show a game.

    Who sits where, what the game waits for, and the commitment to its dice.
    """
    request.read_query(Nothing)
    current = await request.services.games.game(GameId(game))
    viewer = viewer_of(current, request.caller)
    return answer(await detail(request.services, current, viewer), headers=etag(current.version))


@endpoint(
    "GET",
    "/v1/games/{game:str}/documents/{document:str}",
    tag="Games",
    answers=(Answer(200, "The document.", DocumentView),),
    problems=(UNKNOWN_GAME, UNKNOWN_DOCUMENT),
)
async def show_game_document(request: Call, game: str, document: str) -> Response[bytes]:
    """Show a document of a game.

    A document that it is played with besides its board, such as a deck of cards: the ruleset's own, or one that its
    creator sent.
    """
    request.read_query(Nothing)
    current = await request.services.games.game(GameId(game))
    return answer(document_view(current.ruleset, document, documents_of(current.board).get(document)))


@endpoint(
    "GET",
    "/v1/games/{game:str}/papers",
    tag="Games",
    answers=(Answer(200, "The papers.", PapersView),),
    problems=(UNKNOWN_GAME,),
)
async def show_papers(request: Call, game: str) -> Response[bytes]:
    """Show the papers of a game.

    The public content of its documents in words, such as the cards of its nations: line by line, each with its source.
    Empty when its ruleset has none.
    """
    request.read_query(Nothing)
    return answer(papers_view(await request.services.games.game(GameId(game))))


@endpoint(
    "PATCH",
    "/v1/games/{game:str}",
    tag="Games",
    account="required",
    scopes=("organize",),
    body=GameChange,
    answers=(Answer(200, "The game.", GameDetail, headers=("ETag",)),),
    problems=(UNKNOWN_GAME, NOT_ORGANIZER),
)
async def change_game(request: Call, game: str) -> Response[bytes]:
    """Change a game's title.

    Only its organizer may do this. The title is not part of the log, so the game's version stays the same. Repeating
    the request changes nothing.
    """
    request.read_query(Nothing)
    caller, games = request.signed_in, request.services.games
    wish = await request.read_body(_change)
    await listing.retitle(games, GameId(game), caller.player, wish.title)
    current = await games.game(GameId(game))
    await lobby.retitle(request.services.rows, current.id, wish.title, current.ruleset.id)
    viewer = viewer_of(current, caller)
    return answer(await detail(request.services, current, viewer), headers=etag(current.version))


@endpoint(
    "PUT",
    "/v1/games/{game:str}/listing",
    tag="Games",
    account="required",
    scopes=("organize",),
    body=Listing,
    answers=(Answer(200, "The game.", GameDetail, headers=("ETag",)),),
    problems=(UNKNOWN_GAME, NOT_ORGANIZER, REFUSED),
)
async def list_game(request: Call, game: str) -> Response[bytes]:
    """List a game, or unlist it.

    Only its organizer may do this. Lists of games and cases show an unlisted game to its players and its organizer
    only. Anybody who knows its address can look at it all the same, as a spectator, and the transparency log names
    every game by its id. To let nobody else read a game, create it with `readers`; such a game is never listed
    (TAB-READ-01). Whether a game is listed is not part of its log, so its version stays the same. Repeating the request
    changes nothing.
    """
    request.read_query(Nothing)
    caller, games = request.signed_in, request.services.games
    wish = await request.read_body(_listing)
    async with explained(request, game):
        await listing.list_game(games, GameId(game), caller.player, wish.listed)
    current = await games.game(GameId(game))
    viewer = viewer_of(current, caller)
    return answer(await detail(request.services, current, viewer), headers=etag(current.version))


@endpoint(
    "DELETE",
    "/v1/games/{game:str}",
    tag="Games",
    account="required",
    scopes=("play", "organize"),
    headers=("Idempotency-Key", "If-Match"),
    answers=(ACCEPTED,),
    problems=(*ACTS, NOT_ORGANIZER),
)
async def cancel_game(request: Call, game: str) -> Response[bytes]:
    """Cancel a game.

    Its organizer may cancel a game before it starts. The game stays in the lists with the status `cancelled`, and
    nobody can take a seat or start it any more. If you made a fork for analysis, you close it in this way while it goes
    on (TAB-FORK-06). Your token needs the scope `play` for that, and `organize` for any other game. A repeated request
    with the same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    request.require("play" if (await request.services.games.game(GameId(game))).is_analysis else "organize")
    return await acted(request, game, acts.Cancel())


@endpoint(
    "POST",
    "/v1/games/{game:str}/seats",
    tag="Games",
    account="required",
    scopes=("play",),
    headers=("Idempotency-Key", "If-Match"),
    body=TakeSeat,
    answers=(ACCEPTED,),
    problems=(*ACTS, UNKNOWN_SEAT, SEAT_TAKEN),
)
async def take_seat(request: Call, game: str) -> Response[bytes]:
    """Take a seat.

    Takes the seat that you name, or the first free one. If you send entropy, you need not trust the service with the
    dice. A repeated request with the same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_take_seat)
    seat = await _seat(request, game, wish.seat) if wish.seat is not None else None
    try:
        return await acted(request, game, acts.TakeSeat(seat, wish.entropy))
    except Problem as problem:
        if problem.members.get("rule") == "TAB-LIFE-03":
            problem.kind = SEAT_TAKEN
        raise


@endpoint(
    "DELETE",
    "/v1/games/{game:str}/seats/{seat:str}",
    tag="Games",
    account="required",
    scopes=("play",),
    headers=("Idempotency-Key", "If-Match"),
    answers=(ACCEPTED,),
    problems=(*ACTS, UNKNOWN_SEAT, NOT_SEATED),
)
async def leave_seat(request: Call, game: str, seat: str) -> Response[bytes]:
    """Leave a seat.

    Until the game starts, your seat is free again. In a running game you give it up (TAB-LIFE-05): you still hold it
    and have to answer, until somebody has taken it over or the organizer has put a bot on it. Then you see what a
    spectator sees. A repeated request with the same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    return await acted(request, game, acts.LeaveSeat(await _seat(request, game, seat)))


@endpoint(
    "POST",
    "/v1/games/{game:str}/start",
    tag="Games",
    account="required",
    scopes=("play", "organize"),
    headers=("Idempotency-Key", "If-Match"),
    answers=(ACCEPTED,),
    problems=(*ACTS, NOT_SEATED),
)
async def start_game(request: Call, game: str) -> Response[bytes]:
    """Start a game.

    When every seat is taken, any player or the organizer may start the game. The service sets up the table, and the
    first decision is open. The request has no body. If you hold a seat, your token needs the scope `play`; if you only
    organize, `organize`. A repeated request with the same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    player = request.signed_in.player
    waiting = await request.services.games.game(GameId(game))
    if player in waiting.players.values():
        request.require("play")
    elif player == waiting.organizer:
        request.require("organize")
    return await acted(request, game, acts.Start())


COLLECTION = (list_games, create_game)
"""Separate, because a new game may come with a board: it accepts larger bodies."""


async def _seat(request: Call, game: str, name: str) -> Seat:
    """Return a seat of a game by its name. Raises `UnknownGame` or `Problem`."""
    return seat_named(await request.services.games.game(GameId(game)), name)


async def detail(services: Services, game: Game, viewer: Viewer, title: str | None = None) -> GameDetail:
    """Return a game as `viewer` may see it; `title` replaces its present title."""
    row = await services.store.game(game.id)
    assert row is not None, "a game that can be played is in the index"
    row = row if title is None else msgspec.structs.replace(row, title=title)
    if row.version > game.version and title is not None:  # a repeated creation
        row = msgspec.structs.replace(row, changed=row.created)
    players = await players_of(services, (*game.players.values(), *game.around.officials))
    listed = not await services.store.unlisted([game.id])
    outcome = await services.desk.outcome(game)
    return game_detail(row, game, players, viewer, outcome, now=services.games.time(), listed=listed)
