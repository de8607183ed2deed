"""The endpoints for accounts: registering, changing, closing and finding them."""

from typing import Final

import msgspec
from litestar.response import Response
from msgspec import UNSET
from msgspec.structs import asdict

from domain.kernel.canonical import canonical
from domain.kernel.ids import PlayerId
from service.accounts.caller import Caller
from service.accounts.values import SHORTEST_SECRET_KEY, Once, is_hard_to_guess
from service.api.accounts.routes import account_of
from service.api.bodies import Nothing
from service.api.cookies import cleared
from service.api.endpoint import Answer, endpoint
from service.api.games.bodies import GamePage, MyGamesPage
from service.api.games.listing import listed
from service.api.limiting import address_of
from service.api.paging import first, read_cursor
from service.api.players.bodies import (
    Closing,
    Me,
    Player,
    PlayerChange,
    PlayerPage,
    PlayerSearch,
    Registered,
    Registration,
    player_view,
)
from service.api.problems.accounts import REGISTRATION_CLOSED, UNKNOWN_PLAYER
from service.api.problems.problem import Problem
from service.api.problems.request import INVALID_HEADER, INVALID_QUERY, KEY_REUSED
from service.api.request import Call
from service.api.response import answer
from service.base.scopes import ordered
from service.observe.logging import log
from service.store.accounts import PlayerRow

_registration: Final = msgspec.json.Decoder(Registration)
_change: Final = msgspec.json.Decoder(PlayerChange)


@endpoint(
    "POST",
    "/v1/players",
    tag="Players",
    account="optional",
    headers=("Idempotency-Key",),
    body=Registration,
    answers=(Answer(201, "The new account, and its token.", Registered, headers=("Location",)),),
    problems=(REGISTRATION_CLOSED, KEY_REUSED),
)
async def register_player(request: Call) -> Response[bytes]:
    """Register as a player.

    The answer contains a bearer token. It is shown only once, so store it, and send it as
    `Authorization: Bearer <token>`. Its scopes are `account`, `play`, `organize`, `judge` and `notify`.
    `POST /v1/tokens` creates tokens with fewer. Where registration is closed, administrators open accounts here.

    A repetition with the same `Idempotency-Key` and the same name opens no second account: you get the same response,
    including the token. The key is enough to get the token, so without a token the key must be a secret: a new random
    UUID, or at least 32 random characters. Other keys are refused.
    """
    request.read_query(Nothing)
    key = request.key
    wish = await request.read_body(_registration)
    caller = request.caller
    await admit_registration(request)
    content = canonical(["register", wish.name])
    once = Once(key, caller.player if caller is not None else None, content) if key is not None else None
    row, token = await request.services.accounts.register(wish.name, once=once)
    headers = {"Location": f"/v1/players/{row.player}", "Cache-Control": "no-store"}
    return answer(Registered(player_view(row), token), 201, headers)


@endpoint("GET", "/v1/players/me", tag="Players", account="required", answers=(Answer(200, "Your account.", Me),))
async def show_me(request: Call) -> Response[bytes]:
    """Show your own account.

    Shows the account of the token that you sent, and the scopes of that token.
    """
    request.read_query(Nothing)
    caller = request.signed_in
    row = await account_of(request, caller.player)
    return answer(me(row, caller))


@endpoint(
    "PATCH",
    "/v1/players/me",
    tag="Players",
    account="required",
    scopes=("account",),
    body=PlayerChange,
    answers=(Answer(200, "Your account.", Me),),
)
async def change_me(request: Call) -> Response[bytes]:
    """Change your own account.

    Changes your name, or lets others find you by it. Repeating the request changes nothing.
    """
    request.read_query(Nothing)
    caller = request.signed_in
    wish = await request.read_body(_change)
    await request.services.accounts.describe(
        caller.player,
        None if wish.name is UNSET else wish.name,
        None if wish.findable is UNSET else wish.findable,
    )
    return answer(me(await account_of(request, caller.player), caller))


@endpoint(
    "DELETE",
    "/v1/players/me",
    tag="Players",
    account="required",
    scopes=("account",),
    query=Closing,
    answers=(Answer(200, "What others see of the account from now on.", Player, headers=("Set-Cookie",)),),
)
async def close_me(request: Call) -> Response[bytes]:
    """Close your own account.

    This is final, so say in `confirm` which account you mean. Your tokens, sessions, passkeys, recovery codes and links
    with a provider end. You give up your seats in games that go on, lay down your offices and withdraw from
    tournaments. What you organize passes to others (TAB-LIFE-06, TAB-TRN-23). A pseudonym replaces your name wherever
    it is shown, also in the titles of your games and tournaments. What you did in games stays under your id, so that
    they can still be proved. What you wrote in cases stays until an official erases it. Your token ends, so a repeated
    request is refused and changes nothing.
    """
    page, services = request.read_query(Closing), request.services
    row = await account_of(request, request.signed_in.player)
    if page.confirm != row.player:
        detail = f"`confirm` is {page.confirm!r}, and the account that you asked to close is {row.player}."
        raise Problem(INVALID_QUERY, detail, f"To close it for good, send ?confirm={row.player}.")
    # First: if the service dies between the two, the caller's token is still good for a second try.
    await services.accounts.unlink_all(row.player)
    await services.closing.close(row)
    log.info("account closed", account=row.player, by=row.player)
    return answer(player_view(await account_of(request, row.player)), 200, cleared(request.scope))


@endpoint(
    "PUT",
    "/v1/players/me/bot",
    tag="Players",
    account="required",
    scopes=("account",),
    answers=(Answer(200, "Your account.", Me),),
)
async def become_bot(request: Call) -> Response[bytes]:
    """Say that a program plays your account.

    From then on everybody sees that it is a bot, in every game. This cannot be undone, so give a bot an account of its
    own. You go on playing it with its tokens, but what is for people, such as invitations, is closed to it, and ratings
    list it among bots. Repeating the request changes nothing.
    """
    request.read_query(Nothing)
    caller = request.signed_in
    await request.services.accounts.automate(caller.player)
    return answer(me(await account_of(request, caller.player), caller))


@endpoint(
    "GET",
    "/v1/players/search",
    tag="Players",
    account="required",
    scopes=("play", "organize"),
    query=PlayerSearch,
    answers=(Answer(200, "The players.", PlayerPage),),
)
async def find_players(request: Call) -> Response[bytes]:
    """Find players by name.

    Finds only players who allow it (`findable` in their account), by their whole name or by its beginning. The answer
    does not say whether anybody else has such a name.
    """
    page = request.read_query(PlayerSearch)
    after = read_cursor(page.cursor, tuple[str, PlayerId])
    entries = await request.services.accounts.find(page.name, page.match == "exact", after, page.limit + 1)
    rows, more = first(entries, page.limit, lambda row: (row.sought, row.player))
    return answer(PlayerPage(tuple(map(player_view, rows)), more))


@endpoint(
    "GET",
    "/v1/players/me/games",
    tag="Players",
    account="required",
    scopes=("play", "organize"),
    query=MyGamesPage,
    answers=(Answer(200, "Your games.", GamePage),),
)
async def list_my_games(request: Call) -> Response[bytes]:
    """List your games.

    Lists the games in which you hold a seat or which you organize, the newest first. With `waiting=true`, only running
    games in which you have a decision to make. The service filters each page, so a page may have fewer games than
    `limit`, or none, and still have a `next`.
    """
    page = request.read_query(MyGamesPage)
    player = request.signed_in.player
    return answer(await listed(request.services, page, player if page.waiting == "true" else None, mine=player))


@endpoint(
    "GET",
    "/v1/players/{player:str}",
    tag="Players",
    answers=(Answer(200, "The account.", Player),),
    problems=(UNKNOWN_PLAYER,),
)
async def show_player(request: Call, player: str) -> Response[bytes]:
    """Show a player.

    Logs contain only players' ids. This shows the name.
    """
    request.read_query(Nothing)
    return answer(player_view(await account_of(request, player)))


async def admit_registration(request: Call) -> None:
    """Raise `Problem` or `TooMany` unless the caller may open an account with the idempotency key that they sent."""
    key, caller, services = request.key, request.caller, request.services
    if caller is None or "admin" not in caller.scopes:
        if not services.settings.registration:
            allowed = REGISTRATION_CLOSED.remedy
            raise Problem(REGISTRATION_CLOSED, "Self-registration is turned off on this service.", allowed)
        if services.limits is not None:
            await services.limits.admit_registration(address_of(request.scope))
    if key is not None and caller is None and not is_hard_to_guess(key):
        raise Problem(
            INVALID_HEADER,
            "Others could guess the Idempotency-Key, and get the token of the new account with it.",
            f"Send a random key of at least {SHORTEST_SECRET_KEY} characters, such as a new UUID.",
        )


def me(row: PlayerRow, caller: Caller) -> Me:
    """Return an account as its owner sees it, with the rights of the token of `caller`."""
    scopes, granted = ordered(caller.scopes), ordered(caller.granted)
    return Me(
        **asdict(player_view(row)),
        scopes=scopes,
        granted=granted,
        token=caller.token,
        ends=caller.ends,
        findable=row.findable,
    )
