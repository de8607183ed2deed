"""Apps that sign players in: their requests, the answers of the players, and the tokens of the apps."""

import base64
import binascii
import secrets
from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Any, Final
from urllib.parse import parse_qsl, unquote

from authlib.common.urls import add_params_to_uri
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749 import (
    InvalidClientError,
    InvalidGrantError,
    InvalidRequestError,
    UnsupportedGrantTypeError,
    UnsupportedResponseTypeError,
)
from msgspec import Struct
from msgspec.structs import replace

from domain.kernel.canonical import canonical
from domain.kernel.ids import PlayerId
from service.accounts.accounts import Accounts
from service.accounts.apps.http import Answer, Client, OAuthRequest
from service.accounts.apps.protocol import (
    ACCESS_LASTS,
    GRANTABLE,
    REFRESH_PREFIX,
    Exchange,
    Read,
    described,
    plain,
    refused,
    scopes_of,
)
from service.accounts.apps.sites import DEVICE, BadRedirect, Site, shown_of, site_of
from service.accounts.caller import Caller
from service.accounts.limits import Limits
from service.accounts.values import ACCESS_PREFIX, Once, hashed, random_value
from service.base.clock import Clock, later, stamp
from service.base.ids import ID_BYTES, new_id
from service.base.scopes import Scope, ordered
from service.observe.logging import log
from service.store.accounts import LimitReached, TokenId, TokenRow
from service.store.apps import AccessRow, AppId, AppRow, AppStore, ClientId, ClientRow, CodeRow, SignInRow
from service.store.protocol import KeyReused

REGISTERED: Final = "app_"
"""The prefix of the ids of registered apps. The id of no other app can begin with it."""

SECRET_PREFIX: Final = "tabc_"
LONGEST_CLIENT: Final = 100
LONGEST_STATE: Final = 1_000

MOST_CLIENTS: Final = 20
"""How many apps an account can have registered."""

MOST_APPS: Final = 100
"""How many apps an account can let in. With one more, the app to which it agreed longest ago is shut out."""

MOST_SIGN_INS: Final = 10
"""How many sign-ins an app can have in an account. One more, and the oldest ends."""

SIGN_IN_LASTS: Final = timedelta(days=90)
"""How long a sign-in lasts after its last refresh."""

USED_CODES_STAY: Final = timedelta(minutes=10)
"""How long an expired code stays stored, so that a second use of it is noticed."""

_KNOWN: Final = {
    *("response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method"),
    *("grant_type", "code", "code_verifier", "refresh_token", "device_code", "client_secret"),
    *("token", "token_type_hint"),
}
"""The parameters that we read. OAuth says to ignore all others."""


class BadAppRequest(ValueError):
    """A request of an app that is so wrong that no answer may go to the app; `allowed` says what would be right."""

    def __init__(self, why: str, allowed: str) -> None:
        super().__init__(why)
        self.allowed = allowed


class UnknownDeviceCode(Exception):
    """No device is waiting with this code."""


class GuestAccount(Exception):
    """The account is a guest's: only one browser can sign in to it."""


class TooManyClients(Exception):
    """The account has as many registered apps as it can have."""


class NotAsked(Exception):
    """The person allowed scopes that the app did not ask for. The message names them; `asked` has those that it asked
    for."""

    def __init__(self, more: Collection[Scope], requested: Collection[Scope]) -> None:
        super().__init__(f"The app does not ask for {', '.join(more)}.")
        self.asked = requested


class UnknownClient(Exception):
    """The account has not registered this app, or has not let it in."""


class Wanted(Struct, frozen=True):
    """The request of an app.

    Attributes:
        client: its id.
        name: its display name.
        site: its site.
        is_registered: whether it proves its identity with a secret.
        scopes: the scopes that it asks for.
        is_remembered: whether the account has granted all of this before, and no other app can be at this site.
        error: why the request is refused; empty for a good one.
        address: the address to which the browser takes the error.
    """

    client: ClientId
    name: str
    site: Site
    is_registered: bool
    scopes: tuple[Scope, ...]
    is_remembered: bool = False
    error: str = ""
    address: str = ""


class Apps:
    """The apps of a store. Every method may raise `StoreError`."""

    def __init__(self, store: AppStore, accounts: Accounts, clock: Clock, limits: Limits) -> None:
        """`limits` bounds how many device codes an account can enter."""
        self._store = store
        self._accounts = accounts
        self._clock = clock
        self._limits = limits

    # --- requests that a browser brings ---

    async def app_request(self, query: str, issuer: str, caller: Caller | None) -> Wanted:
        """Return the request of an app that sent a browser here with this query. Raises `BadAppRequest`."""
        _, app_request, server = await self._read_request(query, issuer, caller)
        if app_request.error or caller is None or not app_request.site.is_sure:
            return app_request
        may = server.read.may
        consent = await self._consent_of(caller.player, app_request.client, app_request.site.name)
        is_remembered = (
            consent is not None and consent.reused is None and set(app_request.scopes) & may <= set(consent.scopes)
        )
        return replace(app_request, is_remembered=is_remembered)

    async def answer(
        self, query: str, issuer: str, caller: Caller, *, allow: bool, only: Collection[Scope] | None = None
    ) -> str:
        """Allow or deny the request of an app, and return the address to which the browser goes then.

        `only` has the scopes that the person allows; None allows all that the app asks for. Raises `BadAppRequest`,
        `GuestAccount` or `NotAsked`.
        """
        request, app_request, server = await self._read_request(query, issuer, caller, only)
        if app_request.error:
            return app_request.address
        _require_asked(only, app_request.scopes)
        if allow:
            await self._require_lasting(caller)
        grant = server.get_consent_grant(request, caller.player)
        answer: Any = server.create_authorization_response(request, caller.player if allow else None, grant)
        if server.added is not None:
            code = replace(server.added, site=app_request.site.name)
            await self._let_in(caller.player, code, app_request.scopes)
            await self._store.add_code(code, later(server.read.now, -USED_CODES_STAY))
            log.info("app let in", account=caller.player, client=code.client, site=code.site, scopes=code.scopes)
        return answer.location

    async def _read_request(
        self, query: str, issuer: str, caller: Caller | None, only: Collection[Scope] | None = None
    ) -> tuple[OAuthRequest, Wanted, Exchange]:
        try:
            parameters = read_parameters(query)
            client = await self._client(parameters.get("client_id"))
            request = OAuthRequest("GET", f"{issuer}/authorize", parameters, {})
        except OAuth2Error as error:
            raise BadAppRequest(_message_of(error), "Begin again in the app.") from None
        if client is None:
            raise _unknown_client(parameters.get("client_id"))
        redirect = parameters.get("redirect_uri", "")
        try:
            site = site_of(redirect)
        except BadRedirect as error:
            raise BadAppRequest(str(error), error.allowed) from None
        if not client.check_redirect_uri(redirect):
            raise BadAppRequest(
                f"{client.name} did not register the redirect_uri {redirect!r}.",
                "Its owner registers the address, or the app uses one of those that it has.",
            )
        may = frozenset(caller.may_issue & set(GRANTABLE)) if caller is not None else frozenset[Scope]()
        may = may if only is None else may.intersection(only)
        server = Exchange(issuer, Read(self._now(), client, may=may))
        app_request = Wanted(
            client.client, client.name, site, client.row is not None, scopes_of(parameters.get("scope"))
        )
        try:
            if parameters.get("response_type") != "code":
                raise UnsupportedResponseTypeError("other")
            server.get_consent_grant(request, None)
        except OAuth2Error as wrong:
            error = described(wrong)
            error.state = parameters.get("state")
            error_parameters: list[Any] = [*error.get_body(), ("iss", issuer)]
            app_request = replace(
                app_request, error=_message_of(error), address=add_params_to_uri(redirect, error_parameters)
            )
        return request, app_request, server

    # --- devices ---

    async def wanted_by_device(self, user_code: str, caller: Caller) -> Wanted:
        """Return the request of a device. Raises `UnknownDeviceCode` or `TooMany`."""
        row = await self._device(user_code, caller)
        client = await self._client(row.client)
        is_registered = client is not None and client.row is not None
        return Wanted(row.client, row.name, shown_of(DEVICE), is_registered, row.scopes)

    async def answer_device(
        self, user_code: str, caller: Caller, *, allow: bool, only: Collection[Scope] | None = None
    ) -> None:
        """Allow or deny the request of a device; `only` is as in `answer`.

        Raises `UnknownDeviceCode`, `GuestAccount`, `NotAsked` or `TooMany`.
        """
        row = await self._device(user_code, caller)
        _require_asked(only, row.scopes)
        if allow:
            await self._require_lasting(caller)
        allowed = row.scopes if only is None else only
        scopes = tuple(scope for scope in row.scopes if scope in caller.may_issue and scope in allowed)
        decided = replace(row, player=caller.player, allowed=allow, scopes=scopes)
        if not await self._store.decide(decided):
            raise UnknownDeviceCode
        if allow:
            await self._let_in(caller.player, decided, row.scopes)
            log.info("app let in", account=caller.player, client=row.client, site=row.site, scopes=scopes)

    async def _device(self, user_code: str, caller: Caller) -> CodeRow:
        await self._limits.admit_code(caller.player)
        row = await self._store.device(plain(user_code))
        if row is None or row.player or row.ends <= self._now():
            raise UnknownDeviceCode
        return row

    # --- endpoints for programs ---

    async def give_device_code(self, form: str, headers: Mapping[str, str], issuer: str) -> Answer:
        """Answer the device authorization endpoint (RFC 8628)."""
        for _ in range(3):  # until no other device has the same user code
            server, answer = await self._respond("/oauth/device", "device_authorization", form, headers, issuer)
            if server is None or server.added is None:
                return answer
            if await self._store.add_code(server.added, later(server.read.now, -USED_CODES_STAY)):
                return answer
        return refused(InvalidRequestError("Try again."), issuer)

    async def give_tokens(self, form: str, headers: Mapping[str, str], issuer: str) -> Answer:
        """Answer the token endpoint."""
        server, answer = await self._respond("/oauth/token", "", form, headers, issuer)
        if server is None:
            return answer
        read = server.read
        if server.polled is not None and read.code is not None:
            await self._store.poll(read.code.hash, read.now, server.polled)
        if server.replayed and read.code is not None:
            await self._accounts.revoke(read.code.token)
            log.warning("a code came a second time", client=read.code.client, token_id=read.code.token)
        if server.reused and read.sign_in is not None:
            await self._note_reuse(read.sign_in)
        if server.issued is None:
            return answer
        return await (self._redeem if read.code is not None else self._refresh)(server, answer)

    async def revoke(self, form: str, headers: Mapping[str, str], issuer: str) -> Answer:
        """Answer the revocation endpoint (RFC 7009). Any token of a sign-in ends the whole sign-in."""
        server, answer = await self._respond("/oauth/revoke", "revocation", form, headers, issuer)
        if server is not None and server.ended and server.read.sign_in is not None:
            await self._accounts.revoke(server.read.sign_in.token.token)
        return answer

    async def introspect(self, form: str, headers: Mapping[str, str], issuer: str) -> Answer:
        """Answer the introspection endpoint (RFC 7662). An app learns nothing about tokens of other apps."""
        _, answer = await self._respond("/oauth/introspect", "introspection", form, headers, issuer)
        return answer

    async def _respond(
        self, path: str, endpoint: str, form: str, headers: Mapping[str, str], issuer: str
    ) -> tuple[Exchange | None, Answer]:
        """Let Authlib decide about a form; return its server and its answer. The token endpoint has the empty name."""
        try:
            parameters = read_parameters(form)
            request = OAuthRequest("POST", f"{issuer}{path}", parameters, headers)
            if not endpoint and parameters.get("grant_type") is None:
                raise UnsupportedGrantTypeError("none")
            server = Exchange(issuer, await self._read(parameters, headers))
        except OAuth2Error as error:
            return None, refused(error, issuer)
        answer: Any = (
            server.create_endpoint_response(endpoint, request) if endpoint else server.create_token_response(request)
        )
        return server, answer

    async def _read(self, parameters: Mapping[str, str], headers: Mapping[str, str]) -> Read:
        """Read the rows for a request. Raises `InvalidClientError`."""
        basic = _basic(headers)
        client = await self._client(basic if basic is not None else parameters.get("client_id"))
        code, grant = None, parameters.get("grant_type")
        if (value := parameters.get("code" if grant == "authorization_code" else "device_code")) is not None:
            code = await self._store.code(hashed(value))
        read = Read(self._now(), client, code)
        token = parameters.get("refresh_token") or parameters.get("token") or ""
        if token.startswith(REFRESH_PREFIX):
            rest = token.removeprefix(REFRESH_PREFIX)
            return replace(read, sign_in=await self._store.sign_in(hashed(rest.partition(".")[0])), rest=rest)
        if token.startswith(ACCESS_PREFIX) and (stored := await self._store.of_access(hashed(token))) is not None:
            return replace(read, access=stored[0], sign_in=stored[1])
        return read

    # --- writing what was decided ---

    async def _redeem(self, server: Exchange, answer: Answer) -> Answer:
        code, issued, now = server.read.code, server.issued, server.read.now
        assert code is not None and issued is not None, "a code gives tokens"  # noqa: PT018
        token = TokenId(new_id("a", secrets.token_bytes(ID_BYTES)))
        row = TokenRow(token, code.player, code.name, code.scopes, now, later(now, SIGN_IN_LASTS))
        sign_in = SignInRow(row, code.client, code.site, hashed(issued.rest))
        access = AccessRow(hashed(issued.access), token, issued.scopes, later(now, ACCESS_LASTS))
        first = await self._store.redeem(code.hash, sign_in, hashed(issued.secret), access)
        if first != token:
            # The code came twice at the same time. One request may be a thief's, and nobody knows which.
            await self._accounts.revoke(first)
            why = "The code was used before, so what it gave is revoked. Send the person to sign in again."
            return refused(InvalidGrantError(why), server.issuer)
        for old in (await self._store.sign_ins(code.player, code.client, code.site))[MOST_SIGN_INS:]:
            await self._accounts.revoke(old)
        log.info("app signed in", account=code.player, client=code.client, site=code.site, token_id=token)
        return answer

    async def _refresh(self, server: Exchange, answer: Answer) -> Answer:
        row, issued, now = server.read.sign_in, server.issued, server.read.now
        assert row is not None and issued is not None, "a refresh token gives tokens"  # noqa: PT018
        access = AccessRow(hashed(issued.access), row.token.token, issued.scopes, later(now, ACCESS_LASTS))
        if await self._store.refresh(row, hashed(issued.rest), access, later(now, SIGN_IN_LASTS)):
            return answer
        await self._note_reuse(row)
        why = "The refresh token was used before, so the sign-in is revoked. Let the person sign in again."
        return refused(InvalidGrantError(why), server.issuer)

    async def _note_reuse(self, row: SignInRow) -> None:
        now = self._now()
        await self._store.note_reuse(row, now)
        await self._accounts.revoke(row.token.token)  # so that this process forgets the token, too
        log.warning("a refresh token came a second time", account=row.token.player, token_id=row.token.token)

    async def _let_in(self, player: PlayerId, code: CodeRow, requested: Collection[Scope]) -> None:
        """Store the scopes of an app: those given now, and those given before, except for what was refused now."""
        before = await self._consent_of(player, code.client, code.site)
        untouched = frozenset(before.scopes if before is not None else ()) - frozenset(requested)
        scopes = ordered(frozenset(code.scopes) | untouched)
        app = AppId(new_id("o", secrets.token_bytes(ID_BYTES)))
        await self._store.let_in(AppRow(app, player, code.client, code.site, code.name, scopes, self._now()))
        for old in (await self.let_in(player))[MOST_APPS:]:
            await self.shut_out(player, old.app)

    # --- the apps of an account ---

    async def let_in(self, player: PlayerId) -> list[AppRow]:
        """Return the apps that an account has let in, the one to which it agreed last first."""
        return await self._store.apps(player, self._now())

    async def shut_out(self, player: PlayerId, app: AppId) -> AppRow:
        """Shut an app out and end its sign-ins; return the deleted row. Raises `UnknownClient`."""
        row = next((each for each in await self.let_in(player) if each.app == app), None)
        if row is None:
            raise UnknownClient
        tokens = await self._store.sign_ins(player, row.client, row.site)
        await self._store.shut_out(player, app, self._now())
        self._accounts.callers.forget(tokens)
        log.info("app shut out", account=player, client=row.client, site=row.site)
        return row

    async def register(
        self, player: PlayerId, name: str, redirects: tuple[str, ...], key: str | None
    ) -> tuple[ClientRow, str]:
        """Register an app; return it and its secret, which is not stored.

        With an idempotency key, a repeated request gets the first app. Raises `BadRedirect`, `TooManyClients` or
        `KeyReused`.
        """
        for redirect in redirects:
            site_of(redirect)
        once = Once(f"app {key}", player, canonical([name, redirects]), SECRET_PREFIX) if key is not None else None
        nonce, client = secrets.token_bytes(32), ClientId(new_id(REGISTERED, secrets.token_bytes(ID_BYTES)))
        secret = random_value(SECRET_PREFIX) if once is None else once.value(nonce)
        row = ClientRow(client, player, name, redirects, self._now(), hashed(secret), nonce=nonce)
        if once is not None:
            row = replace(row, key=once.hashed, fingerprint=once.fingerprint)
        try:
            registered = await self._store.register(row, MOST_CLIENTS)
        except LimitReached:
            raise TooManyClients(f"The account has registered {MOST_CLIENTS} apps and cannot have more.") from None
        if registered.fingerprint != row.fingerprint:
            raise KeyReused
        if registered.client == client:
            log.info("app registered", account=player, client=client)
        return registered, secret if once is None else once.value(registered.nonce)

    async def registered(self, player: PlayerId) -> list[ClientRow]:
        """Return the registered apps of an account, the newest first."""
        return await self._store.clients(player)

    async def unregister(self, player: PlayerId, client: ClientId) -> ClientRow:
        """Delete a registered app and end all its sign-ins; return the deleted row. Raises `UnknownClient`."""
        row = await self._store.client(client)
        if row is None or row.player != player:
            raise UnknownClient
        await self._store.unregister(client, self._now())
        log.info("app unregistered", account=player, client=client)
        return row

    async def _consent_of(self, player: PlayerId, client: ClientId, site: str) -> AppRow | None:
        return next((each for each in await self.let_in(player) if (each.client, each.site) == (client, site)), None)

    async def _client(self, client_id: str | None) -> Client | None:
        """Return the app with this id; None if no app can have it."""
        if client_id is None or not 1 <= len(client_id) <= LONGEST_CLIENT or client_id != client_id.strip():
            return None
        client = ClientId(client_id)
        if not client_id.startswith(REGISTERED):
            return Client(client, None)
        row = await self._store.client(client)
        return Client(client, row) if row is not None else None

    async def _require_lasting(self, caller: Caller) -> None:
        """Raise `GuestAccount` for a guest: an app would keep access when the browser has lost the account."""
        if await self._accounts.passkeys.is_lasting(caller.player):
            return
        if not any(each.token.startswith("t") for each in await self._accounts.tokens(caller.player)):
            raise GuestAccount

    def _now(self) -> str:
        return stamp(self._clock)


def _require_asked(only: Collection[Scope] | None, requested: Collection[Scope]) -> None:
    """Raise `NotAsked` when a person lets an app do more than it asks for."""
    more = frozenset(only or ()).difference(requested)
    if more:
        raise NotAsked(ordered(more), requested)


def read_parameters(encoded: str) -> dict[str, str]:
    """Return the parameters of a form or a query. Raises `InvalidRequestError`."""
    try:
        pairs = parse_qsl(encoded, encoding="utf-8", errors="strict", max_num_fields=100)
    except ValueError:
        raise InvalidRequestError("The parameters are not URL-encoded UTF-8.") from None
    parameters: dict[str, str] = {}
    for name, value in pairs:
        if name not in _KNOWN:
            continue
        if name in parameters:
            raise InvalidRequestError(f"The parameter {name} is there twice.")
        if not (value.isascii() and value.isprintable()) or len(value) > LONGEST_STATE:
            raise InvalidRequestError(f"The parameter {name} has more than {LONGEST_STATE} characters, or odd ones.")
        parameters[name] = value
    return parameters


def _basic(headers: Mapping[str, str]) -> str | None:
    """Return the app's id from HTTP Basic; None without this header. Raises `InvalidClientError`."""
    scheme, _, value = headers.get("Authorization", "").partition(" ")
    if not scheme:
        return None
    try:
        name, separator, _ = base64.b64decode(value.strip(), validate=True).decode("ascii").partition(":")
    except (binascii.Error, ValueError):
        separator = name = ""
    if scheme.lower() != "basic" or not separator:
        raise InvalidClientError(status_code=401, description="Send Authorization: Basic with client_id and secret.")
    return unquote(name)


def _unknown_client(client_id: str | None) -> BadAppRequest:
    if client_id is None:
        return BadAppRequest("It has no client_id.", "An app gives itself a client_id of up to 100 characters.")
    if client_id.startswith(REGISTERED):
        return BadAppRequest(f"No app is registered as {client_id!r}.", "Use the id that POST /v1/clients answered.")
    return BadAppRequest(f"Its client_id is {client_id!r}.", "It has 1 to 100 characters, and no blank at either end.")


def _message_of(error: OAuth2Error) -> str:
    error = described(error)
    return error.get_error_description() or str(error.error)
