"""Signing in through the OpenID Connect provider: the authorization code flow with PKCE (RFC 6749, RFC 7636).

A browser is sent to the provider and comes back with a code, which the service exchanges for an ID token. Meanwhile
the browser keeps one challenge in a cookie. State, nonce and code verifier are derived from it, and no address contains
it. It can be used once, within ten minutes, while the same account (or none) is signed in.
"""

import asyncio
import hmac
from datetime import timedelta
from typing import Final
from urllib.parse import urlsplit

from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri, prepare_token_request
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from msgspec import Struct

from domain.kernel.ids import PlayerId
from service.accounts.caller import Identity, IssuerAway, SignInRefused, TokenEnded, UnknownToken
from service.accounts.challenges import CHALLENGE_BYTES, Challenges
from service.accounts.oidc import TIMEOUT, UNTOLD, Issuer
from service.accounts.passkeys import from_base64url, to_base64url
from service.base.clock import Clock
from service.base.settings import Settings
from service.observe.logging import log
from service.store.accounts import AccountStore

FLOW_LASTS: Final = timedelta(minutes=10)

SCOPE: Final = "openid profile"
"""The scopes asked of the provider: the id of the person, and their name."""

_LEAVING: Final = ".leave"


class Flow(Struct, frozen=True):
    """A sign-in that is under way. The browser keeps it as a cookie.

    Attributes:
        value: a challenge that nobody else knows.
        leaves: whether the sign-in may replace the browser's session by one of another account.
    """

    value: bytes
    leaves: bool

    @classmethod
    def read(cls, cookie: str) -> "Flow | None":
        """Return the flow in a cookie; None for a cookie of another form. Only `finish` checks who made it."""
        try:
            value = from_base64url(cookie.removesuffix(_LEAVING))
        except ValueError:
            return None
        return cls(value, cookie.endswith(_LEAVING)) if len(value) == CHALLENGE_BYTES else None

    @property
    def cookie(self) -> str:
        """The text of the cookie."""
        return to_base64url(self.value) + (_LEAVING if self.leaves else "")

    @property
    def state(self) -> str:
        """A value that the provider returns unchanged: it shows that the answer belongs to this browser."""
        return self._derived("state")

    @property
    def nonce(self) -> str:
        """A value that the ID token must contain. A token that was made for another request does not contain it."""
        return self._derived("nonce")

    @property
    def verifier(self) -> str:
        """Proves to the provider that the code comes back from the client that asked for it."""
        return self._derived("verifier")

    def _derived(self, name: str) -> str:
        # Contains `leaves`, so that the state no longer fits when somebody has changed the cookie.
        return to_base64url(hmac.digest(self.value, f"{name} {self.leaves}".encode(), "sha256"))


class Provider:
    """The issuer that the settings name, through which people sign in to the pages."""

    patience: Final = int(FLOW_LASTS.total_seconds())
    """Seconds for which a browser may stay at the provider."""

    def __init__(self, issuer: Issuer, settings: Settings, store: AccountStore, clock: Clock) -> None:
        self.issuer = settings.oidc_issuer
        self.name = settings.oidc_name or urlsplit(settings.oidc_issuer).netloc
        self._published = issuer
        self._client = settings.oidc_client_id
        self._secret = settings.oidc_client_secret
        self._challenges = Challenges(store, clock, "provider")

    async def begin(self, player: PlayerId | None, redirect: str, leaves: bool) -> tuple[Flow, str]:
        """Return the flow for the browser to keep, and the address to which it goes.

        `player` is the account that is signed in to the browser, if any. The provider sends the browser back to
        `redirect`. Raises `IssuerAway`.
        """
        authorization, _, _ = await self._places()
        flow = Flow(await self._challenges.give(player, FLOW_LASTS), leaves)
        address = prepare_grant_uri(
            authorization,
            self._client,
            "code",
            redirect_uri=redirect,
            scope=SCOPE,
            state=flow.state,
            nonce=flow.nonce,
            code_challenge=create_s256_code_challenge(flow.verifier),
            code_challenge_method="S256",
        )
        return flow, address

    @staticmethod
    def flow_of(cookie: str) -> Flow | None:
        """Return the flow in a cookie; None for a cookie of another form."""
        return Flow.read(cookie)

    async def finish(
        self,
        flow: Flow | None,
        player: PlayerId | None,
        redirect: str,
        *,
        state: str,
        code: str | None,
        error: str | None,
        issuer: str | None,
    ) -> Identity:
        """Return the identity that the provider signed in.

        `flow` is from the browser's cookie, and `player` is signed in to the browser. The provider sent the browser
        back with the other parameters. Raises `SignInRefused` or `IssuerAway`; then the browser has to begin again.
        """
        if flow is None:
            raise SignInRefused(
                "This browser was not sent to the provider, or more than 10 minutes ago, or its cookies were deleted."
            )
        if not hmac.compare_digest(flow.state.encode(), state.encode("utf-8", "surrogatepass")):
            raise SignInRefused("The answer is not to what this browser asked last.")
        if not (await self._challenges.is_good(flow.value, player) and await self._challenges.use(flow.value)):
            raise SignInRefused(
                "The answer was used before, came after 10 minutes, or somebody signed in or out meanwhile."
            )
        if issuer not in (None, self.issuer):
            raise SignInRefused("The answer is of another provider.")
        if code is None:
            reason = (
                error if error is not None and error.isascii() and error.isprintable() and len(error) < 60 else "no"
            )
            raise SignInRefused(f"{self.name} did not sign you in: {reason}.")
        try:
            return await self._published.identify_for(
                await self._exchange(code, flow, redirect), self._client, flow.nonce
            )
        except (UnknownToken, TokenEnded) as wrong:
            log.warning("an ID token was refused", issuer=self.issuer, why=str(wrong))
            raise SignInRefused(f"What {self.name} says of you is not accepted. {wrong}") from None

    async def _exchange(self, code: str, flow: Flow, redirect: str) -> str:
        """Return the ID token that the provider gives for a code. Raises `SignInRefused` or `IssuerAway`."""
        _, place, method = await self._places()
        request = prepare_token_request(
            "authorization_code", code=code, redirect_uri=redirect, code_verifier=flow.verifier
        )
        proof = ClientAuth(self._client, self._secret or None, method)
        _, headers, form = proof.prepare("POST", place, {}, request)
        try:
            async with asyncio.timeout(2 * TIMEOUT):
                status, reply = await self._published.send_form(place, form, headers)
        except (*UNTOLD, TimeoutError) as error:
            log.warning("the provider does not answer", issuer=self.issuer, why=str(error) or type(error).__name__)
            raise IssuerAway(f"{self.name} does not answer. Begin again in a moment.") from None
        token, why = reply.get("id_token"), reply.get("error", "it gave no ID token")
        if status == 200 and isinstance(token, str):
            return token
        log.warning("a code was not exchanged", issuer=self.issuer, why=why)
        raise SignInRefused(f"{self.name} does not accept its own code from this service ({why}).")

    async def _places(self) -> tuple[str, str, str]:
        """Return the authorization endpoint, the token endpoint, and how the service authenticates at the latter.

        Raises `IssuerAway`.
        """
        published = await self._published.latest()
        if published.authorization is None or published.token is None:
            raise IssuerAway(f"{self.issuer} does not say where people sign in.")
        basic = "client_secret_basic" in published.takes or "client_secret_post" not in published.takes
        method = ("client_secret_basic" if basic else "client_secret_post") if self._secret else "none"
        return published.authorization, published.token, method
