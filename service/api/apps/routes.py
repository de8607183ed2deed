"""The endpoints with which pages show and answer requests of apps, and with which people register apps."""

from typing import Final

import msgspec
from litestar.response import Response
from msgspec import UNSET

from service.accounts.apps.apps import BadAppRequest, GuestAccount, NotAsked, UnknownClient, UnknownDeviceCode
from service.accounts.apps.sites import BadRedirect
from service.accounts.caller import Caller
from service.api.apps.bodies import (
    AppAddress,
    AppDecision,
    AppQuery,
    AppRequest,
    DeviceAnswer,
    DeviceCode,
    DeviceDecision,
    IssuedClient,
    LetInApp,
    LetInApps,
    NewClient,
    RegisteredClient,
    RegisteredClients,
    app_view,
    client_view,
    wanted_view,
)
from service.api.apps.protocol import issuer_of
from service.api.bodies import Nothing
from service.api.endpoint import Answer, endpoint
from service.api.problems.access import scope_missing
from service.api.problems.apps import BAD_APP_REQUEST, GUEST_ACCOUNT, TOO_MANY_CLIENTS, UNKNOWN_APP, UNKNOWN_DEVICE_CODE
from service.api.problems.problem import Problem
from service.api.problems.request import INVALID_BODY, KEY_REUSED, TOO_MANY_REQUESTS
from service.api.request import Call
from service.api.response import answer
from service.base.scopes import Scope
from service.store.apps import AppId, ClientId

_query: Final = msgspec.json.Decoder(AppQuery)
_decision: Final = msgspec.json.Decoder(AppDecision)
_code: Final = msgspec.json.Decoder(DeviceCode)
_device_decision: Final = msgspec.json.Decoder(DeviceDecision)
_new: Final = msgspec.json.Decoder(NewClient)
_NOT_STORED: Final = {"Cache-Control": "no-store"}


@endpoint(
    "POST",
    "/v1/authorization",
    tag="Apps",
    account="optional",
    body=AppQuery,
    answers=(Answer(200, "What the app asks for.", AppRequest),),
    problems=(BAD_APP_REQUEST,),
)
async def show_app_request(request: Call) -> Response[bytes]:
    """Show what an app asks for.

    For the page `/authorize`, to which apps send people (OAuth 2.1). A request that names no acceptable
    `redirect_uri` is refused, and nobody is sent there. Repeating the request changes nothing.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_query)
    try:
        app_request = await request.services.apps.app_request(wish.query, issuer_of(request), request.caller)
    except BadAppRequest as error:
        raise _bad(error) from None
    return answer(wanted_view(app_request), 200, _NOT_STORED)


@endpoint(
    "POST",
    "/v1/authorization/decision",
    tag="Apps",
    account="required",
    scopes=("account",),
    body=AppDecision,
    answers=(Answer(200, "The address to which the browser goes.", AppAddress),),
    problems=(BAD_APP_REQUEST, GUEST_ACCOUNT),
)
async def answer_app_request(request: Call) -> Response[bytes]:
    """Let an app in, or refuse it.

    The answer is the address to which the browser goes: with a code that is good for 60 seconds, or with
    `access_denied`. With `scopes`, the app gets only these of the scopes that it asked for; the token response names
    them. A guest first makes a passkey or recovery codes: otherwise, nobody could shut the app out once the browser has
    forgotten the account. Repeating the request gives another code.
    """
    request.read_query(Nothing)
    caller = _person(request)
    wish = await request.read_body(_decision)
    try:
        address = await request.services.apps.answer(
            wish.query, issuer_of(request), caller, allow=wish.allow, only=_scopes_of(wish)
        )
    except NotAsked as error:
        raise _not_asked(error) from None
    except BadAppRequest as error:
        raise _bad(error) from None
    except GuestAccount:
        raise _guest() from None
    return answer(AppAddress(address), 200, _NOT_STORED)


@endpoint(
    "POST",
    "/v1/authorization/device",
    tag="Apps",
    account="required",
    scopes=("account",),
    body=DeviceCode,
    answers=(Answer(200, "What the app on the device asks for.", AppRequest),),
    problems=(UNKNOWN_DEVICE_CODE, TOO_MANY_REQUESTS),
)
async def show_device_request(request: Call) -> Response[bytes]:
    """Show what an app on a device asks for.

    For the page `/device`, where people enter the code that a device shows (RFC 8628). An account may enter 12 codes
    an hour, answers included. Repeating the request changes nothing.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_code)
    try:
        app_request = await request.services.apps.wanted_by_device(wish.code, _person(request))
    except UnknownDeviceCode:
        raise _no_device(wish.code) from None
    return answer(wanted_view(app_request), 200, _NOT_STORED)


@endpoint(
    "POST",
    "/v1/authorization/device/decision",
    tag="Apps",
    account="required",
    scopes=("account",),
    body=DeviceDecision,
    answers=(Answer(200, "What was decided.", DeviceAnswer),),
    problems=(UNKNOWN_DEVICE_CODE, GUEST_ACCOUNT, TOO_MANY_REQUESTS),
)
async def answer_device_request(request: Call) -> Response[bytes]:
    """Let an app on a device in, or refuse it.

    The device gets its tokens when it asks again, within some seconds. A repeated request is refused and changes
    nothing, because a code is good for one answer.
    """
    request.read_query(Nothing)
    caller = _person(request)
    wish = await request.read_body(_device_decision)
    try:
        await request.services.apps.answer_device(wish.code, caller, allow=wish.allow, only=_scopes_of(wish))
    except NotAsked as error:
        raise _not_asked(error) from None
    except UnknownDeviceCode:
        raise _no_device(wish.code) from None
    except GuestAccount:
        raise _guest() from None
    return answer(DeviceAnswer(wish.allow), 200, _NOT_STORED)


@endpoint(
    "GET",
    "/v1/apps",
    tag="Apps",
    account="required",
    scopes=("account",),
    answers=(Answer(200, "Your apps.", LetInApps),),
)
async def list_apps(request: Call) -> Response[bytes]:
    """List the apps that you let in.

    Says what each may do, and when it was last used. An account can let in 100 apps; one more shuts out the oldest.
    """
    request.read_query(Nothing)
    rows = await request.services.apps.let_in(request.signed_in.player)
    return answer(LetInApps(tuple(map(app_view, rows)), None))


@endpoint(
    "DELETE",
    "/v1/apps/{app:str}",
    tag="Apps",
    account="required",
    scopes=("account",),
    answers=(Answer(200, "The app.", LetInApp),),
    problems=(UNKNOWN_APP,),
)
async def shut_app_out(request: Call, app: str) -> Response[bytes]:
    """Shut an app out.

    All its tokens end at once, or within two seconds in other processes of the service; open streams, and the webhooks
    and devices that it added, end with them. To get in again, the app has to ask you. A repeated request is refused and
    changes nothing.
    """
    request.read_query(Nothing)
    try:
        row = await request.services.apps.shut_out(request.signed_in.player, AppId(app))
    except UnknownClient:
        raise Problem(UNKNOWN_APP, f"You have not let in an app {app!r}.", UNKNOWN_APP.remedy) from None
    return answer(app_view(row))


@endpoint(
    "GET",
    "/v1/clients",
    tag="Apps",
    account="required",
    scopes=("account",),
    answers=(Answer(200, "Your registered apps.", RegisteredClients),),
)
async def list_clients(request: Call) -> Response[bytes]:
    """List the apps that you registered.

    Without their secrets, which are not stored.
    """
    request.read_query(Nothing)
    rows = await request.services.apps.registered(request.signed_in.player)
    return answer(RegisteredClients(tuple(map(client_view, rows)), None))


@endpoint(
    "POST",
    "/v1/clients",
    tag="Apps",
    account="required",
    scopes=("account",),
    headers=("Idempotency-Key",),
    body=NewClient,
    answers=(Answer(201, "The app, and its secret.", IssuedClient),),
    problems=(TOO_MANY_CLIENTS, KEY_REUSED),
)
async def register_client(request: Call) -> Response[bytes]:
    """Register an app.

    Only an app with a server of its own, which can keep a secret, needs this. Any other app chooses its `client_id`,
    and signs people in without being registered. An account can register 20. A repeated request with the same
    `Idempotency-Key` gets the same response, including the secret, and registers no second app.
    """
    request.read_query(Nothing)
    key = request.key
    wish = await request.read_body(_new)
    try:
        row, secret = await request.services.apps.register(request.signed_in.player, wish.name, wish.redirects, key)
    except BadRedirect as error:
        raise Problem(INVALID_BODY, str(error), error.allowed, path="$.redirects") from None
    return answer(IssuedClient(secret, client_view(row)), 201, _NOT_STORED)


@endpoint(
    "DELETE",
    "/v1/clients/{client:str}",
    tag="Apps",
    account="required",
    scopes=("account",),
    answers=(Answer(200, "The app.", RegisteredClient),),
    problems=(UNKNOWN_APP,),
)
async def unregister_client(request: Call, client: str) -> Response[bytes]:
    """Delete a registered app.

    Its secret is valid no longer, and all accounts that let it in shut it out. A repeated request is refused and
    changes nothing.
    """
    request.read_query(Nothing)
    try:
        row = await request.services.apps.unregister(request.signed_in.player, ClientId(client))
    except UnknownClient:
        raise Problem(UNKNOWN_APP, f"You have not registered an app {client!r}.", UNKNOWN_APP.remedy) from None
    return answer(client_view(row))


def _person(request: Call) -> Caller:
    """Return the caller. Raises `Problem` for a JWT of another issuer: what an app may do would outlast it."""
    caller = request.signed_in
    if caller.token is None:
        raise scope_missing(("account",), caller.scopes - {"account"}, caller.granted)
    return caller


def _scopes_of(wish: AppDecision | DeviceDecision) -> tuple[Scope, ...] | None:
    return None if wish.scopes is UNSET else wish.scopes


def _not_asked(error: NotAsked) -> Problem:
    allowed = f"Expected some of {', '.join(error.asked)}." if error.asked else "Expected none: send []."
    return Problem(INVALID_BODY, str(error), allowed, path="$.scopes")


def _bad(error: BadAppRequest) -> Problem:
    return Problem(BAD_APP_REQUEST, str(error), error.allowed)


def _guest() -> Problem:
    return Problem(GUEST_ACCOUNT, "Only this browser keeps your account.", GUEST_ACCOUNT.remedy)


def _no_device(code: str) -> Problem:
    return Problem(UNKNOWN_DEVICE_CODE, f"No device waits with the code {code!r}.", UNKNOWN_DEVICE_CODE.remedy)
