"""Forks: games that begin with the position of another one."""

from typing import Final

import msgspec
from litestar.response import Response

from domain.kernel.ids import GameId
from service.api.bodies import Nothing
from service.api.endpoint import Answer, endpoint
from service.api.forks.bodies import ForksPage, NewFork
from service.api.games.bodies import GameDetail, GamePage
from service.api.games.listing import clocks_of, last_of, players_of
from service.api.games.routes import detail, explained
from service.api.games.views import game_summary
from service.api.paging import first
from service.api.problems.games import FORK_HIDES, UNKNOWN_GAME, UNKNOWN_VERSION
from service.api.problems.play import NOT_NOW, REFUSED
from service.api.problems.problem import Problem
from service.api.problems.request import KEY_REUSED
from service.api.request import Call
from service.api.response import answer, etag
from service.games import forks
from service.games.views import viewer_of, withholds_forks

_new: Final = msgspec.json.Decoder(NewFork)


@endpoint(
    "POST",
    "/v1/games/{game:str}/forks",
    tag="Games",
    account="required",
    scopes=("play", "organize", "judge"),
    headers=("Idempotency-Key",),
    body=NewFork,
    answers=(Answer(201, "The fork.", GameDetail, headers=("Location", "ETag")),),
    problems=(UNKNOWN_GAME, UNKNOWN_VERSION, REFUSED, NOT_NOW, FORK_HIDES, KEY_REUSED),
)
async def fork_game(request: Call, game: str) -> Response[bytes]:
    """Fork a game.

    Begins a new game with the position of this one at a version (TAB-FORK-01). It has dice of its own, and its export
    proves where it comes from. In an analysis you play all seats (TAB-FORK-03). A continuation waits until the same
    players have taken their seats again, or a ruling lets it go on (TAB-FORK-04). Everybody may fork a game that is
    over. While it runs, those who take part in it may, unless its creator left forks to its officials (TAB-FORK-05).
    Where something is hidden at that version, only officials may, with the scope `judge`, and nobody else can see the
    fork until the game is over (TAB-FORK-02). You may have 50 open analyses; cancel those that you no longer need
    (TAB-FORK-06). A repeated request with the same `Idempotency-Key` gets the same response and makes no second fork.
    """
    request.read_query(Nothing)
    caller, key = request.signed_in, request.key
    wish = await request.read_body(_new)
    try:
        async with explained(request, game):
            outcome = await forks.fork_game(
                request.services.games,
                caller.player,
                GameId(game),
                wish.version,
                wish.purpose,
                wish.title,
                judges="judge" in caller.scopes,
                key=key,
            )
    except Problem as problem:
        if problem.members.get("rule") == "TAB-FORK-02":
            problem.kind = FORK_HIDES
        raise
    fork = outcome.state
    headers = {"Location": f"/v1/games/{fork.id}", **etag(fork.version)}
    # The requested title: the fork may have got another one before this request was repeated.
    return answer(await detail(request.services, fork, viewer_of(fork, caller), wish.title), 201, headers)


@endpoint(
    "GET",
    "/v1/games/{game:str}/forks",
    tag="Games",
    account="optional",
    query=ForksPage,
    answers=(Answer(200, "The forks.", GamePage),),
    problems=(UNKNOWN_GAME,),
)
async def list_forks(request: Call, game: str) -> Response[bytes]:
    """List the forks of a game.

    Lists the newest first. A fork may itself have forks. An analysis that was closed has the status `cancelled`. Forks
    that are withheld from you are left out, so a page may have fewer than `limit` and still have a `next`.
    """
    page, services = request.read_query(ForksPage), request.services
    parent = (await services.games.game(GameId(game), 0)).id
    last = await last_of(services, page.cursor)
    after = last.game if last is not None else None
    entries = await services.store.games(parent=parent, status=page.status, after=after, limit=page.limit + 1)
    rows, more = first(entries, page.limit, lambda row: row.game)
    withheld = await services.store.withheld([row.game for row in rows])
    games = {until: await services.games.game(until) for until in {*withheld.values()}}
    hidden = {game for game, until in withheld.items() if withholds_forks(games[until], request.caller)}
    rows = [row for row in rows if row.game not in hidden]
    players = await players_of(services, (holder for row in rows for holder in row.seats.values()))
    clocks = await clocks_of(services, rows)
    return answer(GamePage(tuple(game_summary(row, players, clocks.get(row.game)) for row in rows), more))
