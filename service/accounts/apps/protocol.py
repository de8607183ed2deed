"""OAuth 2.1 by Authlib: its server checks requests by the protocol; the classes here give it our data.

Authlib's classes cannot await. So all rows are read before (`Read`), and its decisions are written afterwards, by
compare-and-set, in one transaction (`service.accounts.apps.apps`). Each request has a server of its own.
"""

import hmac
from collections.abc import Collection
from datetime import timedelta
from typing import Any, Final

from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749 import (
    AuthorizationCodeMixin,
    AuthorizationServer,
    InvalidGrantError,
    InvalidRequestError,
    InvalidScopeError,
    TokenMixin,
)
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant, RefreshTokenGrant
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc7662 import IntrospectionEndpoint
from authlib.oauth2.rfc8628 import DeviceAuthorizationEndpoint, DeviceCodeGrant
from authlib.oauth2.rfc9207 import IssuerParameter
from msgspec import Struct

from domain.kernel.ids import PlayerId
from service.accounts.apps.http import Answer, Client
from service.accounts.values import ACCESS_PREFIX, hashed, random_value
from service.base.clock import later, stamped
from service.base.scopes import Scope
from service.store.apps import AccessRow, CodeRow, SignInRow

GRANTABLE: Final[tuple[Scope, ...]] = ("play", "organize", "judge", "notify")
"""The scopes that an app can get. Never `account`: with it, the app could make tokens and take the account over."""

CODE_PREFIX: Final = "code_"
DEVICE_PREFIX: Final = "dev_"
REFRESH_PREFIX: Final = "tabr_"

CODE_LASTS: Final = timedelta(seconds=60)
"""How long an authorization code is valid."""

ACCESS_LASTS: Final = timedelta(hours=1)
DEVICE_LASTS: Final = timedelta(minutes=10)
PAUSE: Final = 5
"""Seconds between two polls of a device (RFC 8628). Each poll that comes too soon adds as many to the pause."""

GUIDE: Final = "/docs/guides/oauth"
_METHODS: Final = ["client_secret_basic", "client_secret_post", "none"]
_RIGHT: Final = {
    "access_denied": "The person did not let the app in.",
    "authorization_pending": "The person has not answered yet. Ask again after the interval.",
    "expired_token": "Nobody answered within ten minutes. Begin again at the device authorization endpoint.",
    "invalid_grant": "The token belongs to another client.",
    "invalid_request": "Send the token, in a form, as `token`.",
    "slow_down": "You asked too soon. From now on wait five seconds longer.",
    "unauthorized_client": "The code belongs to another client.",
    "unsupported_grant_type": "Send grant_type=authorization_code, refresh_token or the one of RFC 8628.",
    "unsupported_response_type": "Send response_type=code.",
    "unsupported_token_type": "Send token_type_hint=access_token or refresh_token, or leave it out.",
}
"""Descriptions of errors for which Authlib has none."""

_AGAIN: Final = "Send the person to the authorization endpoint again."
_SIGN_IN_AGAIN: Final = "Let the person sign in again."


class Read(Struct, frozen=True):
    """The rows that were read for a request.

    Attributes:
        now: the time.
        client: the app; None if it is unknown.
        code: the row of its code or device code.
        sign_in: the sign-in of its token.
        access: its token, if that is an access token.
        rest: the last part of its token, if that is a refresh token.
        may: the most scopes that the person can grant.
    """

    now: str
    client: Client | None
    code: CodeRow | None = None
    sign_in: SignInRow | None = None
    access: AccessRow | None = None
    rest: str = ""
    may: frozenset[Scope] = frozenset()


class Issued(Struct, frozen=True):
    """New tokens.

    Attributes:
        player: the account.
        scopes: the scopes of the access token.
        secret: the first part of all refresh tokens of the sign-in.
        rest: the last part of this refresh token.
        access: the access token.
    """

    player: PlayerId
    scopes: tuple[Scope, ...]
    secret: str
    rest: str
    access: str


class Exchange(AuthorizationServer):
    """The authorization server for one request. The caller writes its decisions, which are in its attributes.

    Attributes:
        added: a new code to store, or None.
        issued: new tokens to store, or None.
        replayed: whether a code was used a second time, so that its sign-in must end.
        reused: whether a refresh token was used a second time, so that its sign-in must end.
        ended: whether the app ends its sign-in.
        polled: the new pause between two polls of a device in seconds; None unless a device polled.
    """

    def __init__(self, issuer: str, read: Read) -> None:
        super().__init__(scopes_supported=list(GRANTABLE))
        self.issuer = issuer
        self.read = read
        self.added: CodeRow | None = None
        self.issued: Issued | None = None
        self.replayed = False
        self.reused = False
        self.ended = False
        self.polled: int | None = None
        self.register_token_generator("default", self._issue)  # type: ignore[reportArgumentType]
        self.register_grant(_CodeGrant, [_S256(required=True)])
        self.register_grant(_RefreshGrant)
        self.register_grant(_DeviceGrant)
        for endpoint in (_Devices, _Revocation, _Introspection):
            self.register_endpoint(endpoint)  # pyrefly: ignore[bad-argument-type]  # Authlib has no types
        self.register_extension(_Issuer(issuer))

    def query_client(self, client_id: str) -> Any:
        client = self.read.client
        return client if client is not None and client.client == client_id else None

    def save_token(self, token: Any, request: Any) -> None:
        """Do nothing: the caller writes `issued`."""

    def send_signal(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Do nothing: nobody listens."""

    def create_oauth2_request(self, request: Any) -> Any:
        return request

    def handle_response(self, status: int, body: Any, headers: Any) -> Answer:
        return Answer(status, body, headers)

    def handle_error_response(self, request: Any, error: Any) -> Answer:
        return self.handle_response(*described(error)(f"{self.issuer}{GUIDE}"))

    def validate_requested_scope(self, scope: str | None) -> None:
        unknown = set((scope or "").split()) - set(GRANTABLE)
        if unknown:
            raise InvalidScopeError(f"An app may ask for {', '.join(GRANTABLE)}. It asked for something else.")

    def _issue(self, *, user: Any, scope: str | None, **_: Any) -> dict[str, Any]:
        before = self.read.sign_in
        secret = random_value("") if before is None else self.read.rest.partition(".")[0]
        issued = Issued(
            PlayerId(user),
            scopes_of(scope),
            secret,
            random_value(""),
            random_value(ACCESS_PREFIX),
        )
        self.issued = issued
        return {
            "token_type": "Bearer",
            "access_token": issued.access,
            "expires_in": int(ACCESS_LASTS.total_seconds()),
            "refresh_token": f"{REFRESH_PREFIX}{issued.secret}.{issued.rest}",
            "scope": " ".join(issued.scopes),
        }


class _Code(AuthorizationCodeMixin):
    """A code in the form that Authlib expects."""

    code_challenge_method = "S256"

    def __init__(self, row: CodeRow) -> None:
        self.row = row
        self.code_challenge = row.challenge

    def get_redirect_uri(self) -> str:
        return self.row.redirect

    def get_scope(self) -> str:
        return " ".join(self.row.scopes)

    def get_client_id(self) -> str:
        return self.row.client

    def get_user_code(self) -> str:
        return self.row.user_code or ""


class _Token(TokenMixin):
    """A token in the form that Authlib expects."""

    def __init__(self, read: Read, sign_in: SignInRow) -> None:
        self.row = sign_in
        self.scopes = sign_in.token.scopes if read.access is None else read.access.scopes
        self.ends = (sign_in.token.expires if read.access is None else read.access.ends) or ""
        self._is_over = self.ends <= read.now
        self._is_current = read.access is not None or _is_newest(read, sign_in)

    def check_client(self, client: Any) -> bool:
        return self.row.client == client.client

    def get_scope(self) -> str:
        return " ".join(self.scopes)

    def is_expired(self) -> bool:
        return self._is_over

    def is_revoked(self) -> bool:
        return self.row.token.revoked is not None or not self._is_current


def _is_newest(read: Read, sign_in: SignInRow) -> bool:
    return hmac.compare_digest(hashed(read.rest.partition(".")[2]), sign_in.refresh)


class _S256(CodeChallenge):
    """PKCE by OAuth 2.1: required, and never `plain`."""

    def validate_code_challenge(self, grant: Any, redirect_uri: Any) -> None:
        parameters = grant.request.payload.data
        if not parameters.get("code_challenge") or parameters.get("code_challenge_method") != "S256":
            raise InvalidRequestError("Send a code_challenge with code_challenge_method=S256 (RFC 7636).")
        super().validate_code_challenge(grant, redirect_uri)


class _Issuer(IssuerParameter):
    """Names this server in every answer to a browser (RFC 9207), so that an app cannot confuse two servers."""

    def __init__(self, issuer: str) -> None:
        self._issuer = issuer

    def get_issuer(self) -> str:
        return self._issuer


class _CodeGrant(AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = _METHODS
    server: Exchange

    def generate_authorization_code(self) -> str:
        return random_value(CODE_PREFIX)

    def save_authorization_code(self, code: str, request: Any) -> None:
        read, parameters = self.server.read, request.payload.data
        self.server.added = CodeRow(
            hashed(code),
            request.client.client,
            "",
            request.client.name,
            scopes_of(request.scope, read.may),
            later(read.now, CODE_LASTS),
            request.payload.redirect_uri,
            parameters["code_challenge"],
            player=request.user,
            allowed=True,
        )

    def query_authorization_code(self, code: str, client: Any) -> _Code:
        row = self.server.read.code
        if row is None or row.client != client.client or row.user_code is not None:
            raise InvalidGrantError(f"This client has no such code. {_AGAIN}")
        if row.token:
            self.server.replayed = True
            raise InvalidGrantError(f"The code was used before, so what it gave is revoked. {_AGAIN}")
        if row.ends <= self.server.read.now:
            raise InvalidGrantError(f"The code was good for {CODE_LASTS.seconds} seconds. {_AGAIN}")
        return _Code(row)

    def authenticate_user(self, authorization_code: Any) -> str:
        return authorization_code.row.player

    def delete_authorization_code(self, authorization_code: Any) -> None:
        """Do nothing: the code stays stored as used, so that a second use is noticed."""


class _RefreshGrant(RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = _METHODS
    INCLUDE_NEW_REFRESH_TOKEN = True
    server: Exchange

    def authenticate_refresh_token(self, refresh_token: str) -> _Token:
        read = self.server.read
        row, client = read.sign_in, read.client
        if row is None or read.access is not None or client is None or row.client != client.client:
            raise InvalidGrantError(f"This client has no such refresh token. {_SIGN_IN_AGAIN}")
        token = _Token(read, row)
        if row.token.revoked is not None or token.is_expired():
            raise InvalidGrantError(f"The sign-in has ended. {_SIGN_IN_AGAIN}")
        if token.is_revoked():
            self.server.reused = True
            raise InvalidGrantError(f"The refresh token was used before, so the sign-in is revoked. {_SIGN_IN_AGAIN}")
        return token

    def authenticate_user(self, refresh_token: Any) -> str:
        return refresh_token.row.token.player

    def revoke_old_credential(self, refresh_token: Any) -> None:
        """Do nothing: the caller replaces the old token when it writes the new ones."""


class _Device(_Code):
    def __init__(self, row: CodeRow, now: str) -> None:
        super().__init__(row)
        self._now = now

    def is_expired(self) -> bool:
        return self.row.ends <= self._now


class _DeviceGrant(DeviceCodeGrant):
    server: Exchange

    def query_device_credential(self, device_code: str) -> _Device:
        row = self.server.read.code
        if row is None or row.user_code is None:
            raise InvalidGrantError("There is no such device code. Begin again at the device authorization endpoint.")
        if row.token:
            self.server.replayed = row.client == getattr(self.server.read.client, "client", None)
            raise InvalidGrantError("The device code was used before, so what it gave is revoked.")
        return _Device(row, self.server.read.now)

    def query_user_grant(self, user_code: str) -> tuple[str, bool] | None:
        row = self.server.read.code
        return (row.player, row.allowed) if row is not None and row.player else None

    def should_slow_down(self, credential: Any) -> bool:
        row, now = credential.row, self.server.read.now
        is_soon = bool(row.polled) and stamped(now) < stamped(row.polled) + timedelta(seconds=row.pause)
        self.server.polled = row.pause + PAUSE if is_soon else row.pause
        return is_soon


class _Devices(DeviceAuthorizationEndpoint):
    EXPIRES_IN = int(DEVICE_LASTS.total_seconds())
    INTERVAL = PAUSE
    server: Exchange

    def generate_device_code(self) -> str:
        return random_value(DEVICE_PREFIX)

    def get_verification_uri(self) -> str:
        return f"{self.server.issuer}/device"

    def save_device_credential(self, client_id: str, scope: str | None, data: dict[str, Any]) -> None:
        read = self.server.read
        assert read.client is not None, "the client was authenticated"
        self.server.added = CodeRow(
            hashed(data["device_code"]),
            read.client.client,
            "device",
            read.client.name,
            scopes_of(scope),
            later(read.now, DEVICE_LASTS),
            user_code=plain(data["user_code"]),
            pause=PAUSE,
        )


class _Revocation(RevocationEndpoint):
    CLIENT_AUTH_METHODS = _METHODS
    server: Exchange

    def query_token(self, token_string: str, token_type_hint: str | None) -> _Token | None:
        read = self.server.read
        return _Token(read, read.sign_in) if read.sign_in is not None else None

    def revoke_token(self, token: Any, request: Any) -> None:
        self.server.ended = True


class _Introspection(IntrospectionEndpoint):
    CLIENT_AUTH_METHODS = _METHODS
    server: Exchange

    def query_token(self, token_string: str, token_type_hint: str | None) -> _Token | None:
        read = self.server.read
        return _Token(read, read.sign_in) if read.sign_in is not None else None

    def check_permission(self, token: Any, client: Any, request: Any) -> bool:
        return token.check_client(client)

    def introspect_token(self, token: Any) -> dict[str, Any]:
        row = token.row
        return {
            "active": True,
            "scope": token.get_scope(),
            "client_id": row.client,
            "sub": row.token.player,
            "iss": self.server.issuer,
            "iat": int(stamped(row.token.created).timestamp()),
            "exp": int(stamped(token.ends).timestamp()),
            "token_type": "Bearer",
        }


def scopes_of(text: str | None, may: Collection[Scope] = GRANTABLE) -> tuple[Scope, ...]:
    """Return the scopes that `text` names and `may` contains, in the order of `GRANTABLE`."""
    return tuple(scope for scope in GRANTABLE if scope in may and scope in (text or "").split())


def plain(user_code: str) -> str:
    """Return the ASCII letters of a user code as capitals, without blanks and hyphens."""
    return "".join(letter for letter in user_code.upper() if letter.isascii() and letter.isalpha())


def refused(error: OAuth2Error, issuer: str) -> Answer:
    """Return the answer that tells a program of an error."""
    status, body, headers = described(error)(f"{issuer}{GUIDE}")
    return Answer(status, body, headers)


def described(error: OAuth2Error) -> OAuth2Error:
    """Return an error with a description of what would be right. Not all of Authlib's errors have one."""
    code = error.error or ""
    if code in _RIGHT and (not error.description or code.startswith("unsupported")):
        return OAuth2Error(_RIGHT[code], status_code=error.status_code, redirect_uri=error.redirect_uri, error=code)
    return error
