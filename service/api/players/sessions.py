"""The session of a browser: signing in, as a guest or with a token, and signing out."""

import random
from typing import Final

import msgspec
from litestar.response import Response
from msgspec import UNSET

from domain.kernel.canonical import canonical
from domain.kernel.ids import PlayerId
from service.accounts.caller import Caller, TokenEnded, UnknownToken
from service.accounts.values import SESSION_PREFIX, Once
from service.api.accounts.routes import account_of
from service.api.bearer import session_of
from service.api.bodies import Nothing
from service.api.cookies import cleared, require_page, session_cookie
from service.api.endpoint import Answer, endpoint
from service.api.players.bodies import NewSession, ProviderView, SessionView
from service.api.players.routes import admit_registration, me
from service.api.problems.access import CROSS_SITE, SCOPE_MISSING
from service.api.problems.accounts import ALREADY_SIGNED_IN, REGISTRATION_CLOSED
from service.api.problems.problem import Problem
from service.api.problems.request import INVALID_BODY, KEY_REUSED
from service.api.request import Call
from service.api.response import answer
from service.base.scopes import ordered
from service.observe.logging import log

_new_session: Final = msgspec.json.Decoder(NewSession)
_guests: Final = random.SystemRandom()


@endpoint(
    "GET",
    "/v1/session",
    tag="Sessions",
    answers=(Answer(200, "Who is signed in.", SessionView, headers=("Set-Cookie",)),),
)
async def show_session(request: Call) -> Response[bytes]:
    """Show who is signed in.

    Shows the account of the browser's session; `player` is null without one. Tokens do not count here:
    `GET /v1/players/me` shows the account of a token.
    """
    request.read_query(Nothing)
    return await answer_session(request, await whose_session(request), session_of(request.scope))


@endpoint(
    "POST",
    "/v1/session",
    tag="Sessions",
    account="optional",
    headers=("Idempotency-Key", "Tabularium-Page"),
    body=NewSession,
    answers=(Answer(201, "Who is signed in.", SessionView, headers=("Set-Cookie",)),),
    problems=(REGISTRATION_CLOSED, SCOPE_MISSING, ALREADY_SIGNED_IN, KEY_REUSED),
)
async def open_session(request: Call) -> Response[bytes]:
    """Sign a browser in.

    Without a token, this opens an account for a guest; a `name` is optional. With a token that has the scope `account`,
    it signs in to the token's account. The session is a cookie that scripts cannot read. It lasts until you sign out,
    or until the browser was not here for 400 days; with an external JWT, 30 days at most. A browser that is signed in
    already must sign out first.

    With an `Idempotency-Key`, a repetition opens no second account for a guest: you get the first session again. The
    key must be a secret, such as a new random UUID. With a token, a repetition opens another session.
    """
    request.read_query(Nothing)
    key = request.key
    await require_signed_out(request)
    wish = await request.read_body(_new_session)
    caller = request.caller
    accounts = request.services.accounts
    if caller is not None:
        request.require("account")
        if wish.name is not UNSET:
            raise Problem(
                INVALID_BODY,
                "A name is for a new account, and the token has one.",
                "Leave `name` out, or send no token.",
                path="$.name",
            )
        session, value = await accounts.open_session(
            caller.player, ordered(caller.scopes & caller.may_issue), accounts.latest_end(caller)
        )
        log.info("signed in", account=caller.player, token_id=session.token, by="token")
    else:
        await admit_registration(request)
        name = f"Guest {_guests.randrange(1000, 10_000)}" if wish.name is UNSET else wish.name
        content = canonical(["session", "" if wish.name is UNSET else wish.name])
        once = Once(key, None, content, SESSION_PREFIX) if key is not None else None
        _, value = await accounts.register(name, once=once, session=True)
    return await answer_session(request, await accounts.callers.authenticate_session(value), value, 201)


@endpoint(
    "DELETE",
    "/v1/session",
    tag="Sessions",
    headers=("Tabularium-Page",),
    answers=(Answer(200, "Nobody is signed in.", SessionView, headers=("Set-Cookie",)),),
    problems=(CROSS_SITE,),
)
async def end_session(request: Call) -> Response[bytes]:
    """Sign out.

    Ends the browser's session at once, in other processes of the service within two seconds. Its open streams end, too.
    A guest without another way to sign in loses the account, so ask first. Repeating the request changes nothing.
    """
    request.read_query(Nothing)
    require_page(request.scope)
    caller = await whose_session(request)
    if caller is not None and caller.token is not None:
        await request.services.accounts.revoke(caller.token)
        log.info("signed out", account=caller.player, token_id=caller.token)
    return await answer_session(request, None, None)


async def require_signed_out(request: Call) -> None:
    """Raise `Problem` unless the request comes from a page of the service, in a browser that is not signed in."""
    require_page(request.scope)
    before = await whose_session(request)
    if before is not None:
        row = await account_of(request, before.player)
        kind = ALREADY_SIGNED_IN
        raise Problem(kind, f"This browser is signed in as {row.name}.", kind.remedy)


async def sign_in(request: Call, player: PlayerId, by: str) -> Response[bytes]:
    """Sign the browser in to an account, with all its scopes, and answer the session. `by` says how, for the log."""
    accounts = request.services.accounts
    row = await account_of(request, player)
    session, value = await accounts.open_session(player, row.scopes)
    log.info("signed in", account=player, token_id=session.token, by=by)
    return await answer_session(request, await accounts.callers.authenticate_session(value), value, 201)


async def whose_session(request: Call) -> Caller | None:
    """Return the caller of the browser's session; None without a session, and for one that has ended."""
    session = session_of(request.scope)
    try:
        return await request.services.accounts.callers.authenticate_session(session) if session is not None else None
    except (UnknownToken, TokenEnded):
        return None


async def answer_session(
    request: Call, caller: Caller | None, session: str | None, status: int = 200
) -> Response[bytes]:
    """Answer who is signed in, and renew the browser's cookie; if nobody is, remove it."""
    if caller is None or session is None:
        nobody = SessionView(None, lasting=False, provider=await _provider(request, None))
        return answer(nobody, status, cleared(request.scope))
    row = await account_of(request, caller.player)
    lasting = await request.services.accounts.passkeys.is_lasting(caller.player)
    somebody = SessionView(me(row, caller), lasting, await _provider(request, caller.player))
    return answer(somebody, status, session_cookie(request.scope, session))


async def _provider(request: Call, player: PlayerId | None) -> ProviderView | None:
    """Return the provider through which people can sign in; None without one."""
    provider, accounts = request.services.provider, request.services.accounts
    if provider is None:
        return None
    return ProviderView(provider.name, player is not None and await accounts.is_linked(player, provider.issuer))
