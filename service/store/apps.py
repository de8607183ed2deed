"""The stored data of apps: registered apps, what accounts allow them, their codes and sign-ins.

Of a secret, only the SHA-256 is stored. Times are stamps of `service.base.clock`.
"""

from typing import NewType, Protocol

from msgspec import Struct

from domain.kernel.ids import PlayerId
from service.base.scopes import Scope
from service.store.accounts import PlayerRow, TokenId, TokenRow

ClientId = NewType("ClientId", str)
"""What an app calls itself; of a registered one its id, which the service gave it."""

AppId = NewType("AppId", str)
"""An app at one site that an account has let in."""


class ClientRow(Struct, frozen=True):
    """A registered app.

    Attributes:
        client: its id.
        player: the account that registered it.
        name: what it is called.
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
    """An app that an account has let in.

    Attributes:
        app: its id.
        player: the account.
        client: what it calls itself.
        site: where it is; see `service.accounts.apps.sites`.
        name: the name that it had then.
        scopes: what it may do.
        given: when the account last agreed to that.
        reused: when a refresh token of it came a second time; None for never.
        sign_ins: how many of its sign-ins go on.
        used: when one of them was last used; None for never.
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
        hash: the SHA-256 of it.
        client: which app.
        site: where that is.
        name: what it is called.
        scopes: what it asks for; once somebody has decided, what it was given.
        ends: when it ends.
        redirect: where a browser was sent with it; empty for a device.
        challenge: what its verifier must hash to (RFC 7636); empty for a device.
        user_code: of a device, what somebody enters; None for a browser.
        player: who decided; empty for nobody yet.
        allowed: whether they let it in.
        pause: of a device, the seconds between two polls.
        polled: when it was last asked for; empty for never.
        token: the sign-in that it gave; empty until it was used.
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
        token: what the account has of it. Its hash is that of what all its refresh tokens begin with.
        client: which app.
        site: where that is.
        refresh: the SHA-256 of the rest of the newest refresh token.
    """

    token: TokenRow
    client: ClientId
    site: str
    refresh: bytes


class AccessRow(Struct, frozen=True):
    """An access token of a sign-in: what it may do, and until when. `hash` is its SHA-256."""

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
        """Return a registered app."""
        ...

    async def clients(self, player: PlayerId) -> list[ClientRow]:
        """Return the apps that an account registered, the newest first."""
        ...

    async def unregister(self, client: ClientId, now: str) -> None:
        """Delete a registered app, and end all its sign-ins."""
        ...

    async def let_in(self, row: AppRow) -> AppRow:
        """Store that an account lets an app in, or gives it more scopes. Return the row."""
        ...

    async def apps(self, player: PlayerId, now: str) -> list[AppRow]:
        """Return the apps that an account has let in, the newest first."""
        ...

    async def shut_out(self, player: PlayerId, app: AppId, now: str) -> None:
        """Forget that an account let an app in, and end its sign-ins."""
        ...

    async def note_reuse(self, of: SignInRow, now: str) -> None:
        """End a sign-in, and note for its account that a refresh token of it came a second time."""
        ...

    async def add_code(self, row: CodeRow, before: str) -> bool:
        """Store a code; False when its user code is another one's. Delete those that ended before that time."""
        ...

    async def code(self, digest: bytes) -> CodeRow | None:
        """Return the code that hashes to this."""
        ...

    async def device(self, user_code: str) -> CodeRow | None:
        """Return the code of the device that shows this user code."""
        ...

    async def decide(self, row: CodeRow) -> bool:
        """Store an account's decision about a device; False when there was one before."""
        ...

    async def poll(self, digest: bytes, now: str, pause: int) -> None:
        """Note that a device polled, and how long it has to wait before it polls again."""
        ...

    async def redeem(self, digest: bytes, sign_in: SignInRow, secret: bytes, access: AccessRow) -> TokenId:
        """Exchange a code for a sign-in, unless it was used before; return the sign-in that it gave.

        `secret` is the hash of what all its refresh tokens begin with.
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
