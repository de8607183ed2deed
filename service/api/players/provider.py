"""Signing in through the service's OpenID Connect provider, and linking the provider to an existing account."""

from typing import TYPE_CHECKING, Final

import msgspec
from litestar.response import Response
from msgspec import UNSET, UnsetType

from service.accounts.caller import Caller, Identity
from service.api.accounts.routes import account_of
from service.api.bearer import cookie_of
from service.api.bodies import Nothing
from service.api.cookies import FLOW, FLOW_PATH, require_page, sent_away
from service.api.endpoint import Answer, endpoint
from service.api.players.bodies import NewProviderSignIn, ProviderAddress, ProviderAnswer, ProviderView, SessionView
from service.api.players.sessions import answer_session, whose_session
from service.api.problems.access import CROSS_SITE, SCOPE_MISSING, TOKEN_ENDED
from service.api.problems.accounts import ALREADY_LINKED, NO_PROVIDER, OTHER_ACCOUNT, SIGN_IN_REFUSED
from service.api.problems.problem import Problem
from service.api.request import Call, require
from service.api.response import answer
from service.observe.logging import log

if TYPE_CHECKING:
    from service.accounts.code_flow import Provider

_new: Final = msgspec.json.Decoder(NewProviderSignIn)
_answer: Final = msgspec.json.Decoder(ProviderAnswer)

PAGE: Final = "/sign-in"
"""The page to which the provider returns browsers."""


@endpoint(
    "POST",
    FLOW_PATH,
    tag="Sessions",
    headers=("Tabularium-Page",),
    body=NewProviderSignIn,
    answers=(Answer(200, "Where to sign in.", ProviderAddress, headers=("Set-Cookie",)),),
    problems=(NO_PROVIDER, CROSS_SITE, SCOPE_MISSING),
)
async def begin_at_provider(request: Call) -> Response[bytes]:
    """Begin to sign in through the provider.

    Returns the address at the OpenID Connect provider that the browser must open now (authorization code flow with
    PKCE). The provider sends it back to the page `/sign-in`. A cookie, good for ten minutes, proves that it is the same
    browser. If somebody is signed in, signing in links the provider to their account, unless the person has another
    one. This needs the scope `account`. Repeating the request gives another address, and only the newest is good.
    """
    request.read_query(Nothing)
    require_page(request.scope)
    provider = _provider(request)
    wish = await request.read_body(_new)
    caller = await whose_session(request)
    if caller is not None and not wish.leave:
        require(caller, ("account",))
    player = None if caller is None else caller.player
    flow, address = await provider.begin(player, _redirect(request), wish.leave)
    return answer(ProviderAddress(address), 200, sent_away(request.scope, flow.cookie, provider.patience))


@endpoint(
    "POST",
    f"{FLOW_PATH}/answer",
    tag="Sessions",
    headers=("Tabularium-Page",),
    body=ProviderAnswer,
    answers=(Answer(201, "Who is signed in.", SessionView, headers=("Set-Cookie",)),),
    problems=(NO_PROVIDER, CROSS_SITE, SCOPE_MISSING, SIGN_IN_REFUSED, OTHER_ACCOUNT, ALREADY_LINKED, TOKEN_ENDED),
)
async def sign_in_by_provider(request: Call) -> Response[bytes]:
    """Sign in through the provider.

    Send the parameters with which the provider sent the browser back. Signs in to the account of the person, the same
    as for their JWTs; if they have none, one is opened. The session lasts 30 days and may do what the provider says. If
    somebody is signed in already, the provider is linked to their account, and they get a new session with the scopes
    and the end of the old one. If the person has another account, the request is refused unless `leave` was set. A
    repeated request is refused and changes nothing, because an answer can be used once.
    """
    request.read_query(Nothing)
    require_page(request.scope)
    provider = _provider(request)
    reply = await request.read_body(_answer)
    before = await whose_session(request)
    cookie = cookie_of(request.scope, FLOW)
    flow = provider.flow_of(cookie) if cookie is not None else None
    who = await provider.finish(
        flow,
        None if before is None else before.player,
        _redirect(request),
        state=reply.state,
        code=_or_none(reply.code),
        error=_or_none(reply.error),
        issuer=_or_none(reply.iss),
    )
    if before is None:
        return await _sign_in(request, who)
    row = await request.services.accounts.by_identity(who)
    if row is None or row.player == before.player:
        return await _link(request, provider, who, before)
    if flow is None or not flow.leaves:
        mine = await account_of(request, before.player)
        detail = f"{provider.name} signs you in as {row.name}. This browser is signed in as {mine.name}."
        raise Problem(OTHER_ACCOUNT, detail, OTHER_ACCOUNT.remedy)
    return await _sign_in(request, who, before)


@endpoint(
    "DELETE",
    FLOW_PATH,
    tag="Sessions",
    account="required",
    scopes=("account",),
    answers=(Answer(200, "The provider.", ProviderView),),
    problems=(NO_PROVIDER,),
)
async def unlink_provider(request: Call) -> Response[bytes]:
    """Remove the link with the provider.

    Nobody can sign in to your account through the provider or by its JWTs any more. Sessions that it began stay: revoke
    them as you revoke tokens. An account without another way to sign in is lost when the browser forgets it, so ask
    first. Repeating the request changes nothing.
    """
    request.read_query(Nothing)
    provider, player = _provider(request), request.signed_in.player
    await request.services.accounts.unlink(player, provider.issuer)
    log.info("unlinked", account=player, issuer=provider.issuer)
    return answer(ProviderView(provider.name, linked=False))


async def _sign_in(request: Call, who: Identity, before: Caller | None = None) -> Response[bytes]:
    """Sign the browser in to the account of the person at the provider. This ends the session `before`."""
    accounts = request.services.accounts
    row = await accounts.opened_for(who)
    session, value = await accounts.open_session_for(row, who)
    if before is not None and before.token is not None:
        await accounts.revoke(before.token)
        log.info("signed out", account=before.player, token_id=before.token)
    log.info("signed in", account=row.player, token_id=session.token, by="provider")
    return await answer_session(request, await accounts.callers.authenticate_session(value), value, 201)


async def _link(request: Call, provider: "Provider", who: Identity, before: Caller) -> Response[bytes]:
    """Link the provider to the account of the browser, which gets a new session. Raises `Problem`.

    The old session ends: somebody else may know its value, and must not get into an account that now lasts.
    """
    require(before, ("account",))
    accounts = request.services.accounts
    row = await accounts.link(before.player, who)
    if row is None or row.player != before.player:
        mine = await account_of(request, before.player)
        detail = f"{provider.name} signs another person in to {mine.name}."
        raise Problem(ALREADY_LINKED, detail, ALREADY_LINKED.remedy)
    session, value = await accounts.open_session(row.player, tuple(before.scopes), before.ends)
    if before.token is not None:
        await accounts.revoke(before.token)
    log.info("linked", account=row.player, token_id=session.token, issuer=who.issuer)
    return await answer_session(request, await accounts.callers.authenticate_session(value), value, 201)


def _provider(request: Call) -> "Provider":
    provider = request.services.provider
    if provider is None:
        kind = NO_PROVIDER
        raise Problem(kind, "People cannot sign in to this service through OpenID Connect.", kind.remedy)
    return provider


def _redirect(request: Call) -> str:
    """Return the address to which the provider sends the browser back: `PAGE` at the origin of the request."""
    origin = request.header("origin") or f"{request.scope['scheme']}://{request.header('host')}"
    return f"{origin}{PAGE}"


def _or_none(value: str | UnsetType) -> str | None:
    return None if value is UNSET else value
