"""Joining two accounts of one person: the one that stays gets a code, and the other one enters it."""

from typing import Final

import msgspec
from litestar.response import Response

from service.api.bodies import Nothing
from service.api.cookies import cleared, require_page
from service.api.endpoint import Answer, endpoint
from service.api.joining.bodies import (
    AccountJoining,
    JoiningCode,
    JoiningPage,
    JoiningPlan,
    JoiningWish,
    NewJoining,
    joining_view,
    plan_view,
)
from service.api.problems.access import CROSS_SITE
from service.api.problems.play import NOT_NOW, REFUSED
from service.api.problems.problem import Problem
from service.api.problems.request import INVALID_BODY
from service.api.request import Call
from service.api.response import answer
from service.api.tournaments.acting import explained

_wish: Final = msgspec.json.Decoder(JoiningWish)
_new: Final = msgspec.json.Decoder(NewJoining)
_NOT_STORED: Final = {"Cache-Control": "no-store"}
_PROBLEMS: Final = (CROSS_SITE, REFUSED, NOT_NOW)


@endpoint(
    "POST",
    "/v1/joinings/code",
    tag="Players",
    account="required",
    scopes=("account",),
    headers=("Tabularium-Page",),
    answers=(Answer(201, "The code.", JoiningCode),),
    problems=_PROBLEMS,
)
async def ask_for_joining(request: Call) -> Response[bytes]:
    """Ask for a code that joins another account of yours with this one.

    The account that asks stays. Sign in to the other account within ten minutes, and enter the code there. The request
    needs a browser session that began less than ten minutes ago, and an account that you can sign in to again: with a
    passkey, recovery codes or a provider (TAB-JOIN-01). Do not show the code to anybody. The request has no body.
    Repeating it gives another code, and the first one no longer works.
    """
    request.read_query(Nothing)
    require_page(request.scope)
    async with explained():
        code, expires = await request.services.joining.ask(request.signed_in)
    return answer(JoiningCode(code, expires), 201, _NOT_STORED)


@endpoint(
    "POST",
    "/v1/joinings/plan",
    tag="Players",
    account="required",
    scopes=("account",),
    headers=("Tabularium-Page",),
    body=JoiningWish,
    answers=(Answer(200, "What the joining would do.", JoiningPlan),),
    problems=_PROBLEMS,
)
async def plan_joining(request: Call) -> Response[bytes]:
    """Show what joining your account with another would do.

    This is only a plan: repeating the request changes nothing. If it is refused, the joining would be refused, too
    (TAB-JOIN-01 to TAB-JOIN-04): for example when your account has more than 200 games that go on.
    """
    request.read_query(Nothing)
    require_page(request.scope)
    wish = await request.read_body(_wish)
    async with explained():
        plan = await request.services.joining.plan(request.signed_in, wish.code)
    return answer(plan_view(plan), 200, _NOT_STORED)


@endpoint(
    "POST",
    "/v1/joinings",
    tag="Players",
    account="required",
    scopes=("account",),
    headers=("Tabularium-Page",),
    body=NewJoining,
    answers=(Answer(201, "The joining.", AccountJoining, headers=("Set-Cookie",)),),
    problems=_PROBLEMS,
)
async def join_accounts(request: Call) -> Response[bytes]:
    """Join your account with another one of yours.

    This is final. The account that asked for the code stays. The account that you are signed in to is closed, with its
    sessions, tokens, passkeys, recovery codes, webhooks and the access that it gave to apps. Its seats pass to the
    account that stays (TAB-JOIN-04), and so do its provider links, its imports and the apps that it registered. Logs
    and ratings do not change (TAB-JOIN-06). Everybody sees with which account it was joined. The request needs a
    browser session that began less than ten minutes ago. If it was interrupted, repeat it. After a success, the session
    has ended, so a repeated request is refused and changes nothing.
    """
    request.read_query(Nothing)
    require_page(request.scope)
    wish, caller = await request.read_body(_new), request.signed_in
    if wish.confirm != caller.player:
        detail = f"`confirm` is {wish.confirm!r}, and the account that you are signed in to is {caller.player}."
        allowed = f"To join it with the other one for good, send {caller.player}."
        raise Problem(INVALID_BODY, detail, allowed, path="$.confirm")
    async with explained():
        row = await request.services.joining.join(caller, wish.code)
    return answer(joining_view(row), 201, cleared(request.scope))


@endpoint(
    "GET",
    "/v1/joinings",
    tag="Players",
    account="required",
    scopes=("account",),
    answers=(Answer(200, "The joinings.", JoiningPage),),
)
async def list_joinings(request: Call) -> Response[bytes]:
    """List the accounts that were joined with yours."""
    request.read_query(Nothing)
    rows = await request.services.store.joinings.of(request.signed_in.player)
    return answer(JoiningPage(tuple(map(joining_view, rows))))
