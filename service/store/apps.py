"""The stored data of apps: registered apps, what accounts allow them, their codes and sign-ins.

Of a secret, only the SHA-256 is stored. Times are stamps of `service.base.clock`.
"""

from typing import NewType, Protocol

from msgspec import Struct

from domain.kernel.ids import PlayerId
from service.base.scopes import Scope
from service.store.accounts import PlayerRow, TokenId, TokenRow

ClientId = NewType("ClientId", str)
"""The id of an app. The service gives one to a registered app; any other app chooses its own."""

AppId = NewType("AppId", str)
"""The id of an account's consent to an app at one site."""


class ClientRow(Struct, frozen=True):
    """A registered app.

    Attributes:
        client: its id.
        player: the account that registered it.
        name: its display name.
        redirects: the addresses to which people may be sent back.
        created: when it was registered.
        hash: the SHA-256 of its secret.
        key: the hash of the idempotency key that registered it; None for none.
        fingerprint: tells requests with the same key apart.
        nonce: the secret follows from this and the key itself.
    """

    client: ClientId
    player: PlayerId
    name: str
    redirects: tuple[str, ...]
    created: str
    hash: bytes
    key: str | None = None
    fingerprint: bytes = b""
    nonce: bytes = b""


class AppRow(Struct, frozen=True):
    """An account's consent to an app at one site.

    Attributes:
        app: the id of the consent.
        player: the account.
        client: the id of the app.
        site: the site of the app; see `service.accounts.apps.sites`.
        name: the display name that the app had then.
        scopes: the scopes that the account gave it.
        given: when the account last agreed.
        reused: when a refresh token of the app came a second time; None for never.
        sign_ins: how many of its sign-ins have not ended.
        used: when one of these was last used; None for never.
    """

    app: AppId
    player: PlayerId
    client: ClientId
    site: str
    name: str
    scopes: tuple[Scope, ...]
    given: str
    reused: str | None = None
    sign_ins: int = 0
    used: str | None = None


class CodeRow(Struct, frozen=True):
    """A code that an app exchanges for tokens, once.

    Attributes:
        hash: the SHA-256 of the code.
        client: the id of the app.
        site: the site of the app.
        name: the display name of the app.
        scopes: the scopes that the app asks for; after the decision, those that it gets.
        ends: when the code ends.
        redirect: the address to which the browser was sent with it; empty for a device.
        challenge: the hash that its verifier must have (RFC 7636); empty for a device.
        user_code: for a device, the code that a person enters; None for a browser.
        player: the account that decided; empty before the decision.
        allowed: whether the account let the app in.
        pause: for a device, the seconds between two polls.
        polled: when the device last polled; empty for never.
        token: the sign-in that the code gave; empty until it was used.
    """

    hash: bytes
    client: ClientId
    site: str
    name: str
    scopes: tuple[Scope, ...]
    ends: str
    redirect: str = ""
    challenge: str = ""
    user_code: str | None = None
    player: PlayerId = PlayerId("")
    allowed: bool = False
    pause: int = 0
    polled: str = ""
    token: TokenId = TokenId("")


class SignInRow(Struct, frozen=True):
    """A sign-in of an app: a token of the account that is never sent. Its access and refresh tokens change.

    Attributes:
        token: its row among the tokens of the account. All its refresh tokens begin with the value of this token.
        client: the id of the app.
        site: the site of the app.
        refresh: the SHA-256 of the rest of the newest refresh token.
    """

    token: TokenRow
    client: ClientId
    site: str
    refresh: bytes


class AccessRow(Struct, frozen=True):
    """An access token of the sign-in `token`. `hash` is the SHA-256 of its value."""

    hash: bytes
    token: TokenId
    scopes: tuple[Scope, ...]
    ends: str


class AppStore(Protocol):
    """The apps of a store. Every method may raise `StoreError`."""

    async def register(self, row: ClientRow, most: int) -> ClientRow:
        """Store a registered app; return it, or the one that its key made before.

        Raises `LimitReached` when its account has `most`.
        """
        ...

    async def client(self, client: ClientId) -> ClientRow | None:
        """Return a registered app, or None."""
        ...

    async def clients(self, player: PlayerId) -> list[ClientRow]:
        """Return the apps that an account registered, the newest first."""
        ...

    async def unregister(self, client: ClientId, now: str) -> None:
        """Delete a registered app, and end all its sign-ins."""
        ...

    async def let_in(self, row: AppRow) -> AppRow:
        """Store an account's consent to an app, in place of an earlier one. Return the row."""
        ...

    async def apps(self, player: PlayerId, now: str) -> list[AppRow]:
        """Return the consents of an account, the newest first, with the sign-ins that have not ended by `now`."""
        ...

    async def shut_out(self, player: PlayerId, app: AppId, now: str) -> None:
        """Delete a consent of an account, and end the sign-ins of the app."""
        ...

    async def note_reuse(self, of: SignInRow, now: str) -> None:
        """End a sign-in, and note for its account that a refresh token of it came a second time."""
        ...

    async def add_code(self, row: CodeRow, before: str) -> bool:
        """Store a code; False when another code has its user code. Delete codes that ended before the time `before`."""
        ...

    async def code(self, digest: bytes) -> CodeRow | None:
        """Return the code that hashes to this, or None."""
        ...

    async def device(self, user_code: str) -> CodeRow | None:
        """Return the code of the device that shows this user code, or None."""
        ...

    async def decide(self, row: CodeRow) -> bool:
        """Store an account's decision about a device; False when there was one before."""
        ...

    async def poll(self, digest: bytes, now: str, pause: int) -> None:
        """Note that a device polled, and how long it has to wait before it polls again."""
        ...

    async def redeem(self, digest: bytes, sign_in: SignInRow, secret: bytes, access: AccessRow) -> TokenId:
        """Exchange a code for a sign-in, unless it was used before; return the sign-in that it gave.

        `secret` is the hash of the text with which all its refresh tokens begin.
        """
        ...

    async def sign_in(self, secret: bytes) -> SignInRow | None:
        """Return the sign-in whose refresh tokens begin with a text of this hash, ended or not."""
        ...

    async def of_access(self, digest: bytes) -> tuple[AccessRow, SignInRow] | None:
        """Return the access token that hashes to this, ended or not, and its sign-in."""
        ...

    async def refresh(self, row: SignInRow, refresh: bytes, access: AccessRow, expires: str) -> bool:
        """Replace the refresh token of a sign-in, and add an access token.

        Return False when the refresh token was replaced already, or the sign-in has ended. Only the two newest access
        tokens stay.
        """
        ...

    async def by_access(self, digest: bytes) -> tuple[AccessRow, TokenRow, PlayerRow] | None:
        """Return the access token that hashes to this, ended or not, with its sign-in and account."""
        ...

    async def sign_ins(self, player: PlayerId, client: ClientId, site: str) -> list[TokenId]:
        """Return the sign-ins of an app that have not been revoked, the newest first."""
        ...
