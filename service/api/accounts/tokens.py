"""The tokens of an account: creating, listing, rotating and revoking them, with the scope `account`."""

from typing import Any, Final

import msgspec
from litestar.response import Response

from domain.kernel.canonical import canonical
from service.accounts.caller import Caller
from service.accounts.values import Once
from service.api.accounts.bodies import Issued, NewToken, Rotation, Token, TokenPage, token_view
from service.api.bodies import Nothing
from service.api.endpoint import Answer, endpoint
from service.api.problems.access import SCOPE_MISSING, scope_missing
from service.api.problems.accounts import NO_SUCH_TOKEN, TOKEN_REPLACED, TOO_MANY_TOKENS
from service.api.problems.problem import Problem
from service.api.problems.request import INVALID_BODY, KEY_REUSED
from service.api.request import Call
from service.api.response import answer
from service.base.clock import written
from service.observe.logging import log
from service.store.accounts import TokenId, TokenRow

CURRENT: Final = "current"
"""Stands for the token that the request comes with."""

_new_token: Final = msgspec.json.Decoder(NewToken)
_rotation: Final = msgspec.json.Decoder(Rotation)
_NOT_STORED: Final = {"Cache-Control": "no-store"}


@endpoint(
    "GET",
    "/v1/tokens",
    tag="Tokens",
    account="required",
    scopes=("account",),
    answers=(Answer(200, "Your tokens.", TokenPage),),
)
async def list_tokens(request: Call) -> Response[bytes]:
    """List your tokens.

    Shows the valid tokens of your account and when each was last used, without their values.
    """
    request.read_query(Nothing)
    rows = await request.services.accounts.tokens(request.signed_in.player)
    return answer(TokenPage(tuple(map(token_view, rows))))


@endpoint(
    "POST",
    "/v1/tokens",
    tag="Tokens",
    account="required",
    scopes=("account",),
    headers=("Idempotency-Key",),
    body=NewToken,
    answers=(Answer(201, "The new token.", Issued),),
    problems=(TOO_MANY_TOKENS, KEY_REUSED),
)
async def make_token(request: Call) -> Response[bytes]:
    """Create a token.

    A bot needs only `play`, an organizer's program only `organize`. Do not give `account` to programs: it can create
    and revoke all your tokens. A token stays valid when the one that created it ends. A token created with an
    external JWT has at most the JWT's scopes, never `account`, and expires within 30 days.

    A repeated request with the same `Idempotency-Key` gets the same response, including the token, and creates no
    second token.
    """
    request.read_query(Nothing)
    caller, key = request.signed_in, request.key
    wish = await request.read_body(_new_token)
    for scope in wish.scopes:
        if scope not in caller.may_issue:
            raise scope_missing((scope,), caller.scopes, caller.granted)
    accounts = request.services.accounts
    once = _once(caller, key, ["make", wish]) if key is not None else None
    new_token = await accounts.made_before(once)
    if new_token is None:
        new_token = await accounts.issue(caller.player, wish.name, wish.scopes, _expires(request, wish), once)
        log.info("token made", account=caller.player, token_id=new_token[0].token, scopes=new_token[0].scopes)
    row, value = new_token
    return answer(Issued(value, token_view(row)), 201, _NOT_STORED)


@endpoint(
    "POST",
    "/v1/tokens/{token:str}/rotation",
    tag="Tokens",
    account="required",
    headers=("Idempotency-Key",),
    body=Rotation,
    answers=(Answer(201, "The new token.", Issued),),
    problems=(NO_SUCH_TOKEN, SCOPE_MISSING, TOKEN_REPLACED, TOO_MANY_TOKENS, KEY_REUSED),
)
async def rotate_token(request: Call, token: str) -> Response[bytes]:
    """Replace a token.

    The new token has the same name and scopes. The old one stays valid for `overlap` seconds. You can replace a token
    once. If the answer is lost, repeat the request with the same `Idempotency-Key`: you get the new token again, as
    long as the token that you send is valid. Revoking one of the two does not revoke the other.

    A token may replace itself (`current`). The new one then expires when the old one would have. With the scope
    `account` it may also replace other tokens of your account. The new one then lasts as long as the old one was made
    to last.
    """
    request.read_query(Nothing)
    key = request.key
    wish = await request.read_body(_rotation)
    old = await _token_in_path(request, token)
    caller = request.signed_in
    if old.player != caller.player or old.is_session or old.is_app:
        raise _no_such(token)  # not even an administrator may learn somebody else's token
    if old.token != caller.token:
        request.require("account")  # an administrator may end a token, but not get its successor
        for scope in old.scopes:
            if caller.token is None and scope not in caller.may_issue:
                raise scope_missing((scope,), caller.scopes, caller.granted)
    once = _once(caller, key, ["rotate", old.token, wish]) if key is not None else None
    new_token = await request.services.accounts.made_before(once)
    if new_token is None:
        new_token = await request.services.accounts.rotate(old, wish.overlap, caller, once)
        if new_token is None:
            raise await _not_replaced(request, old.token)
        log.info("token rotated", account=old.player, token_id=new_token[0].token, instead_of=old.token)
    row, value = new_token
    return answer(Issued(value, token_view(row)), 201, _NOT_STORED)


@endpoint(
    "DELETE",
    "/v1/tokens/{token:str}",
    tag="Tokens",
    account="required",
    answers=(Answer(200, "The revoked token.", Token),),
    problems=(NO_SUCH_TOKEN, SCOPE_MISSING),
)
async def revoke_token(request: Call, token: str) -> Response[bytes]:
    """Revoke a token.

    The token ends at once, or within two seconds in other processes of the service. Open streams end with it. A token
    may revoke itself (`current`). It needs the scope `account` to revoke other tokens of your account, and `admin`
    for those of other accounts. Repeating the request changes nothing.
    """
    request.read_query(Nothing)
    row = await _token_in_path(request, token)
    await request.services.accounts.revoke(row.token)
    log.info("token revoked", account=row.player, token_id=row.token, by=request.signed_in.player)
    row_after = await request.services.accounts.token(row.token)
    return answer(token_view(row_after or row))


def _once(caller: Caller, key: str, content: list[Any]) -> Once:
    return Once(key, caller.player, canonical(content))


async def _token_in_path(request: Call, token: str) -> TokenRow:
    """Return the token with the id in the path, if the caller may end it. Raises `Problem`."""
    caller = request.signed_in
    token_id = caller.token if token == CURRENT else TokenId(token)
    row = await request.services.accounts.token(token_id) if token_id is not None else None
    if row is None or not _may_know(caller, row):
        raise _no_such(token)
    if row.token != caller.token and row.player == caller.player:
        request.require("account", "admin")
    return row


def _may_know(caller: Caller, row: TokenRow) -> bool:
    return row.player == caller.player or "admin" in caller.scopes


async def _not_replaced(request: Call, token: TokenId) -> Problem:
    row = await request.services.accounts.token(token)
    if row is None or row.retires is None or row.revoked is not None:
        return Problem(NO_SUCH_TOKEN, f"Token {token!r} has ended.", "POST /v1/tokens makes a new one.")
    kind = TOKEN_REPLACED
    return Problem(kind, f"Token {token!r} was replaced, and ends at {row.retires}.", kind.remedy)


def _no_such(token: str) -> Problem:
    return Problem(NO_SUCH_TOKEN, f"You have no token {token!r}.", NO_SUCH_TOKEN.remedy)


def _expires(request: Call, wish: NewToken) -> str | None:
    latest = request.services.accounts.latest_end(request.signed_in)
    if wish.expires is None:
        return latest
    try:
        expires = written(wish.expires)
    except OverflowError:  # the year 10000, once the offset is taken away
        expires = ""
    now = request.services.accounts.now()
    if expires <= now:
        raise Problem(
            INVALID_BODY,
            f"The token would expire at {expires or wish.expires}, which is not in the future.",
            f"It is {now} now. Leave `expires` out for a token that does not expire.",
            path="$.expires",
        )
    if latest is not None and expires > latest:
        raise Problem(
            INVALID_BODY,
            f"The token would expire at {expires}, too long after the JWT that creates it.",
            f"It may expire at {latest} at the latest.",
            path="$.expires",
        )
    return expires
