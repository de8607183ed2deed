"""Endpoints for administrators and auditors: accounts, and the log of all games."""

from collections.abc import Iterable
from typing import Final

import msgspec
from litestar.response import Response

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import GameId, PlayerId, as_game
from domain.kernel.log.record import Record
from projections.cursor import Cursor
from service.api.accounts.bodies import (
    Account,
    AccountPage,
    AccountsPage,
    Grant,
    LoggedEvent,
    LogPage,
    TokenPage,
    account_view,
    token_view,
)
from service.api.bodies import Nothing, Page
from service.api.endpoint import Answer, endpoint
from service.api.paging import first, read_cursor
from service.api.problems.accounts import UNKNOWN_PLAYER
from service.api.problems.problem import Problem
from service.api.problems.request import INVALID_QUERY
from service.api.request import Call
from service.api.response import answer
from service.base.scopes import ordered
from service.games.requests import UnknownPlayer
from service.games.views import Viewer, event_view
from service.observe.logging import log
from service.store.accounts import PlayerRow
from service.store.protocol import EventStore, Placed

_grant: Final = msgspec.json.Decoder(Grant)
_SPECTATOR: Final = Viewer()
_NO_SECRETS: Final = Vault()


@endpoint(
    "GET",
    "/v1/players",
    tag="Administration",
    account="required",
    scopes=("audit", "admin"),
    query=AccountsPage,
    answers=(Answer(200, "The accounts.", AccountPage),),
)
async def list_accounts(request: Call) -> Response[bytes]:
    """List accounts.

    All of them, or only those that have been granted a scope: for example, all administrators.
    """
    page = request.read_query(AccountsPage)
    after = PlayerId(read_cursor(page.cursor, str) or "")
    entries = await request.services.accounts.players(page.scope, after, page.limit + 1)
    rows, more = first(entries, page.limit, lambda row: row.player)
    return answer(AccountPage(tuple(map(account_view, rows)), more))


@endpoint(
    "GET",
    "/v1/players/{player:str}/tokens",
    tag="Administration",
    account="required",
    scopes=("audit", "admin"),
    answers=(Answer(200, "Its tokens.", TokenPage),),
    problems=(UNKNOWN_PLAYER,),
)
async def list_tokens_of(request: Call, player: str) -> Response[bytes]:
    """List an account's tokens.

    Shows the valid tokens, and when each was last used. Token values are not stored, so they cannot be shown.
    """
    request.read_query(Nothing)
    row = await account_of(request, player)
    return answer(TokenPage(tuple(map(token_view, await request.services.accounts.tokens(row.player)))))


@endpoint(
    "PUT",
    "/v1/players/{player:str}/scopes",
    tag="Administration",
    account="required",
    scopes=("admin",),
    body=Grant,
    answers=(Answer(200, "The account.", Account),),
    problems=(UNKNOWN_PLAYER,),
)
async def grant_scopes(request: Call, player: str) -> Response[bytes]:
    """Set what an account may do.

    Sets the most that the account's tokens may do. To use a new scope, the account's owner creates a new token. A scope
    that you take away is also taken from existing tokens. Only its owner can get a token of an account. Repeating the
    request changes nothing.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_grant)
    row = await account_of(request, player)
    await request.services.accounts.grant(row.player, wish.scopes)
    log.info("scopes granted", account=row.player, scopes=ordered(wish.scopes), by=request.signed_in.player)
    return answer(account_view(await account_of(request, player)))


@endpoint(
    "DELETE",
    "/v1/players/{player:str}",
    tag="Administration",
    account="required",
    scopes=("admin",),
    answers=(Answer(200, "The closed account.", Account),),
    problems=(UNKNOWN_PLAYER,),
)
async def close_account(request: Call, player: str) -> Response[bytes]:
    """Close an account.

    This is final: its tokens, passkeys and recovery codes end, and it cannot get new ones. What it did in its games
    stays. Its seats in games that go on are given up, it withdraws from tournaments, and what it organizes passes to
    others (TAB-LIFE-06, TAB-TRN-23). A pseudonym replaces its name. To suspend somebody for a while, take away the
    account's scopes instead. Repeating the request changes nothing more.
    """
    request.read_query(Nothing)
    row = await account_of(request, player)
    services = request.services
    await services.closing.close(row)
    log.info("account closed", account=row.player, by=request.signed_in.player)
    return answer(account_view(await account_of(request, player)))


@endpoint(
    "GET",
    "/v1/log",
    tag="Administration",
    account="required",
    scopes=("audit",),
    query=Page,
    answers=(Answer(200, "A part of the log.", LogPage),),
)
async def read_log(request: Call) -> Response[bytes]:
    """Read the log of all games.

    Events come as spectators see them. The events of a game and of its forks come in their order, those of unrelated
    games in any order. Hidden values are commitments; when a game is over, `GET /v1/games/{game}/export` opens them.
    Left out are cases (`GET /v1/cases` leads to them), private games (TAB-READ-01), and forks that are withheld
    (TAB-FORK-02): read the events of such a fork itself when it is withheld no longer. Store `next` and send it as
    `cursor` to resume later. A page may have fewer events than `limit` and not be the last; `last` says whether it is.
    A cursor beyond the end of the log is refused, so you notice when the log was cut short. Each event has a hash over
    its row and all rows before it in its game; the guide to verification computes one.
    """
    page = request.read_query(Page)
    store, past = request.services.store, request.services.past
    start = Cursor.parse(page.cursor, store.books)
    end = await store.end()
    if not end.reaches(start):
        raise Problem(
            INVALID_QUERY,
            f"The query parameter 'cursor' is {page.cursor!r}, and the log ends at {end}.",
            "It takes the `next` of an earlier page. If this log gave you the cursor, it has lost events since.",
        )
    placed, reached = await past.read_on(start, page.limit, end)
    while not (games := await _readable(store, placed)) and placed:
        placed, reached = await past.read_on(reached, page.limit, end)
    rulesets = await store.rulesets({game for game, _ in games})
    items = tuple(
        LoggedEvent(game, event_view(rulesets[game], record, _NO_SECRETS, _SPECTATOR)) for game, record in games
    )
    return answer(LogPage(items, str(reached), last=reached.reaches(end)))


async def _readable(store: EventStore, records: Iterable[Placed]) -> list[tuple[GameId, Record]]:
    """Return the records of games, without private games and withheld forks."""
    games = [(game, record) for _, stream, record in records if (game := as_game(stream)) is not None]
    ids = {game for game, _ in games}
    hidden = {*await store.withheld(ids), *await store.private(ids)}
    return [(game, record) for game, record in games if game not in hidden]


async def account_of(request: Call, player: str) -> PlayerRow:
    """Return an account. Raises `UnknownPlayer`."""
    row = await request.services.accounts.player(PlayerId(player))
    if row is None:
        raise UnknownPlayer(f"There is no player {player!r}.")
    return row
