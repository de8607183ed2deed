"""Passkeys and recovery codes: making them, and signing in by them."""

from typing import Any, Final

import msgspec
from litestar.response import Response

from service.accounts.passkeys import ALGORITHMS, Place, handle_of, to_base64url
from service.api.accounts.routes import account_of
from service.api.bodies import Nothing
from service.api.cookies import require_page
from service.api.endpoint import Answer, endpoint
from service.api.players.bodies import (
    NewPasskey,
    NewPasskeyChallenge,
    PasskeyChallenge,
    PasskeyPage,
    PasskeyProof,
    PasskeyView,
    RecoveryCode,
    RecoveryCodes,
    RecoveryCodesLeft,
    SessionView,
    passkey_view,
)
from service.api.players.sessions import require_signed_out, sign_in
from service.api.problems.access import CROSS_SITE, TOKEN_ENDED
from service.api.problems.accounts import (
    ALREADY_SIGNED_IN,
    CODE_REFUSED,
    PASSKEY_KNOWN,
    PASSKEY_REFUSED,
    TOO_MANY_PASSKEYS,
    UNKNOWN_PASSKEY,
)
from service.api.problems.problem import Problem
from service.api.request import Call
from service.api.response import answer
from service.observe.logging import log
from service.store.accounts import PasskeyRow

_new: Final = msgspec.json.Decoder(NewPasskey)
_proof: Final = msgspec.json.Decoder(PasskeyProof)
_code: Final = msgspec.json.Decoder(RecoveryCode)
_NOT_STORED: Final = {"Cache-Control": "no-store"}
_SIGNED_IN: Final = (Answer(201, "Who is signed in.", SessionView, headers=("Set-Cookie",)),)
_SIGNING_IN: Final = (CROSS_SITE, ALREADY_SIGNED_IN, TOKEN_ENDED)


@endpoint(
    "POST",
    "/v1/passkeys/challenge",
    tag="Sessions",
    account="required",
    scopes=("account",),
    answers=(Answer(200, "What the new passkey must sign.", NewPasskeyChallenge),),
)
async def ask_for_passkey(request: Call) -> Response[bytes]:
    """Begin to register a passkey.

    Returns what a page needs for `navigator.credentials.create`. Ask for user verification, and for a passkey that the
    device finds by itself (`residentKey`). The request has no body. Repeating it gives another challenge.
    """
    request.read_query(Nothing)
    accounts, player = request.services.accounts, request.signed_in.player
    row = await account_of(request, player)
    credentials = tuple(to_base64url(each.credential) for each in await accounts.passkeys.of(player))
    challenge = await accounts.passkeys.challenge(player)
    challenge_view = NewPasskeyChallenge(
        challenge, _place(request).host, handle_of(player), row.name, ALGORITHMS, credentials
    )
    return answer(challenge_view, 200, _NOT_STORED)


@endpoint(
    "POST",
    "/v1/passkeys",
    tag="Sessions",
    account="required",
    scopes=("account",),
    body=NewPasskey,
    answers=(Answer(201, "The passkey.", PasskeyView),),
    problems=(PASSKEY_REFUSED, PASSKEY_KNOWN, TOO_MANY_PASSKEYS),
)
async def add_passkey(request: Call) -> Response[bytes]:
    """Register a passkey.

    From then on you can sign in to your account by it. A repeated request is refused and changes nothing, because a
    challenge can be used once: `GET /v1/passkeys` shows whether the first request succeeded.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_new)
    response = {"clientDataJSON": wish.client_data, "attestationObject": wish.attestation}
    passkeys, player = request.services.accounts.passkeys, request.signed_in.player
    row = await passkeys.add(player, wish.name, _credential(wish.id, response), _place(request))
    log.info("passkey registered", account=player, passkey=row.passkey)
    return answer(passkey_view(row), 201)


@endpoint(
    "GET",
    "/v1/passkeys",
    tag="Sessions",
    account="required",
    scopes=("account",),
    answers=(Answer(200, "Your passkeys.", PasskeyPage),),
)
async def list_passkeys(request: Call) -> Response[bytes]:
    """List your passkeys.

    Shows when each was last used. One page holds them all.
    """
    request.read_query(Nothing)
    rows = await request.services.accounts.passkeys.of(request.signed_in.player)
    return answer(PasskeyPage(tuple(map(passkey_view, rows)), None))


@endpoint(
    "DELETE",
    "/v1/passkeys/{passkey:str}",
    tag="Sessions",
    account="required",
    scopes=("account",),
    answers=(Answer(200, "The passkey that was removed.", PasskeyView),),
    problems=(UNKNOWN_PASSKEY,),
)
async def remove_passkey(request: Call, passkey: str) -> Response[bytes]:
    """Remove a passkey.

    Nobody can sign in by it any more. Sessions that it began stay: revoke them as you revoke tokens. A repeated request
    finds no passkey and changes nothing.
    """
    request.read_query(Nothing)
    passkeys = request.services.accounts.passkeys
    rows = [row for row in await passkeys.of(request.signed_in.player) if row.passkey == passkey]
    if not rows:
        kind = UNKNOWN_PASSKEY
        raise Problem(kind, f"You have no passkey {passkey!r}.", kind.remedy)
    row: PasskeyRow = rows[0]
    await passkeys.remove(row.passkey)
    log.info("passkey removed", account=row.player, passkey=row.passkey)
    return answer(passkey_view(row))


@endpoint(
    "POST",
    "/v1/session/passkey/challenge",
    tag="Sessions",
    headers=("Tabularium-Page",),
    answers=(Answer(200, "What the passkey must sign.", PasskeyChallenge),),
    problems=(CROSS_SITE,),
)
async def ask_to_sign_in(request: Call) -> Response[bytes]:
    """Begin to sign in by a passkey.

    Returns what a page needs for `navigator.credentials.get`. The device knows which passkeys it has for this service,
    so the page need not ask for a name. The request has no body. Repeating it gives another challenge.
    """
    request.read_query(Nothing)
    require_page(request.scope)
    challenge = await request.services.accounts.passkeys.challenge(None)
    return answer(PasskeyChallenge(challenge, _place(request).host), 200, _NOT_STORED)


@endpoint(
    "POST",
    "/v1/session/passkey",
    tag="Sessions",
    headers=("Tabularium-Page",),
    body=PasskeyProof,
    answers=_SIGNED_IN,
    problems=(*_SIGNING_IN, PASSKEY_REFUSED),
)
async def sign_in_by_passkey(request: Call) -> Response[bytes]:
    """Sign in by a passkey.

    Signs the browser in to the account of the passkey. A repeated request is refused and changes nothing, because a
    challenge can be used once.
    """
    request.read_query(Nothing)
    await require_signed_out(request)
    wish = await request.read_body(_proof)
    response = {
        "clientDataJSON": wish.client_data,
        "authenticatorData": wish.authenticator_data,
        "signature": wish.signature,
        "userHandle": wish.user,
    }
    player = await request.services.accounts.passkeys.prove(_credential(wish.id, response), _place(request))
    return await sign_in(request, player, "passkey")


@endpoint(
    "POST",
    "/v1/recovery-codes",
    tag="Sessions",
    account="required",
    scopes=("account",),
    answers=(Answer(201, "The codes.", RecoveryCodes),),
)
async def make_recovery_codes(request: Call) -> Response[bytes]:
    """Make recovery codes.

    Makes ten codes. You can sign in once by each. Keep them elsewhere, such as on paper. The request has no body. It
    replaces all codes that you had, and so does repeating it.
    """
    request.read_query(Nothing)
    player = request.signed_in.player
    codes = await request.services.accounts.passkeys.new_codes(player)
    log.info("recovery codes made", account=player)
    return answer(RecoveryCodes(codes), 201, _NOT_STORED)


@endpoint(
    "GET",
    "/v1/recovery-codes",
    tag="Sessions",
    account="required",
    scopes=("account",),
    answers=(Answer(200, "How many are left.", RecoveryCodesLeft),),
)
async def count_recovery_codes(request: Call) -> Response[bytes]:
    """Count your recovery codes.

    Says how many of your codes were not used. The codes themselves are not stored.
    """
    request.read_query(Nothing)
    return answer(RecoveryCodesLeft(await request.services.accounts.passkeys.codes(request.signed_in.player)))


@endpoint(
    "POST",
    "/v1/session/recovery-code",
    tag="Sessions",
    headers=("Tabularium-Page",),
    body=RecoveryCode,
    answers=_SIGNED_IN,
    problems=(*_SIGNING_IN, CODE_REFUSED),
)
async def sign_in_by_code(request: Call) -> Response[bytes]:
    """Sign in by a recovery code.

    Signs the browser in to the account of the code, which is then used up. A repeated request is refused and changes
    nothing.
    """
    request.read_query(Nothing)
    await require_signed_out(request)
    wish = await request.read_body(_code)
    player = await request.services.accounts.passkeys.use_code(wish.code)
    if player is None:
        kind = CODE_REFUSED
        raise Problem(kind, "No account has this recovery code.", kind.remedy)
    return await sign_in(request, player, "recovery code")


def _place(request: Call) -> Place:
    """Return the host and the origin of the page. What the passkey signed must name the same."""
    host = request.header("host") or ""
    name = host.partition("]")[0].lstrip("[") if host.startswith("[") else host.partition(":")[0]
    return Place(name.lower(), request.header("origin") or "")


def _credential(name: str, response: dict[str, str]) -> dict[str, Any]:
    """Return a passkey's answer as WebAuthn writes it."""
    return {"id": name, "rawId": name, "type": "public-key", "response": response}
