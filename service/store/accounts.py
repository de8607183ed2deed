"""The stored data of accounts: their names, what they may do, and their tokens, of which a store knows only hashes.

Times are stamps of `service.base.clock`, which sort as text.
"""

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NewType, Protocol

from msgspec import Struct
from msgspec.structs import replace

from domain.kernel.ids import GameId, PlayerId, StreamId, Version
from service.base.scopes import EVERYBODYS, Scope

TokenId = NewType("TokenId", str)
"""The id of a token of an account. It is not the token's value, which is secret."""

PasskeyId = NewType("PasskeyId", str)
"""The id of a passkey of an account."""

InvitationId = NewType("InvitationId", str)
"""The id of an invitation, a link that seats somebody in a game. It is not the link's value, which is secret."""


class LimitReached(Exception):
    """A limit is reached. Nothing was stored."""


class PlayerRow(Struct, frozen=True):
    """An account. The name is stored only here.

    `closed` is the time when it was closed; a closed account does nothing more. `findable` tells whether others may
    find it by its name. `bot` is the level at which the service plays it; None for accounts of people and other
    programs. `automated` tells whether its owner declared that a program plays it. `joined` is the account with which
    this one was joined; joining closed this one.
    """

    player: PlayerId
    name: str
    created: str
    scopes: tuple[Scope, ...] = EVERYBODYS
    closed: str | None = None
    findable: bool = False
    bot: str | None = None
    automated: bool = False
    joined: PlayerId | None = None

    @property
    def is_bot(self) -> bool:
        """Whether a program plays it: a bot of the service or another program."""
        return self.bot is not None or self.automated

    @property
    def sought(self) -> str | None:
        """The name in the form in which others find it; None for an account that does not want to be found."""
        return folded(self.name) if self.findable else None


def folded(name: str) -> str:
    """Return a name in a form that is equal for names that read alike: without case, and composed by Unicode."""
    return unicodedata.normalize("NFKC", name).casefold()


LAST_CHARACTER: Final = "\U0010ffff"
"""Sorts after every other character: names that begin with a text lie before the text followed by this."""


def described(row: PlayerRow, name: str | None, findable: bool | None) -> PlayerRow:
    """Return an account with another name, or with `findable` changed; None leaves a value as it is."""
    return replace(
        row,
        name=row.name if name is None else name,
        findable=row.findable if findable is None else findable,
    )


class TokenRow(Struct, frozen=True):
    """A token, without its value.

    `expires` is when it ends by itself, `retires` when it ends because it was replaced, `used` when it was last used,
    to the minute. `revoked` is when it was ended early: a token with this time has ended, whatever the clock of a
    process says.
    """

    token: TokenId
    player: PlayerId
    name: str
    scopes: tuple[Scope, ...]
    created: str
    expires: str | None = None
    retires: str | None = None
    revoked: str | None = None
    used: str | None = None

    @property
    def is_session(self) -> bool:
        """Whether it is the session of a browser, which keeps it as a cookie."""
        return self.token.startswith("s")

    @property
    def is_app(self) -> bool:
        """Whether it is the sign-in of an app, which has other values; see `SignInRow`."""
        return self.token.startswith("a")

    @property
    def ends(self) -> str | None:
        """When it ends, unless it is revoked; None for never."""
        return min((end for end in (self.expires, self.retires) if end is not None), default=None)


class Made(Struct, frozen=True):
    """The result of an idempotency key: a token, and perhaps a new account with it.

    `key` is a hash; `fingerprint` tells requests apart. The value of the token follows from `nonce` and from the key
    itself, which is not stored. So only a request with the same key gets the value again.
    """

    key: str
    fingerprint: bytes
    nonce: bytes
    token: TokenId
    at: str


class InvitationRow(Struct, frozen=True):
    """A link that seats somebody in a game, without its value.

    The value follows from `nonce` and the idempotency key that made it. `key` is a hash of that key.
    """

    invitation: InvitationId
    game: GameId
    created: str
    revoked: str | None = None
    key: str | None = None
    nonce: bytes | None = None


class PasskeyRow(Struct, frozen=True):
    """A passkey of an account: the public half of a key that a device or a password manager holds.

    `credential` is the id that the device gave it; `signs` is how often it signed, if the device counts that.
    """

    passkey: PasskeyId
    player: PlayerId
    credential: bytes
    public_key: bytes
    signs: int
    name: str
    created: str
    used: str | None = None


class AccountStore(Protocol):
    """The accounts of a store. Every method may raise `StoreError`."""

    async def add(self, row: PlayerRow) -> None:
        """Store an account."""
        ...

    async def add_known(self, row: PlayerRow, issuer: str, subject: str) -> PlayerRow:
        """Return the account of the identity `subject` at another issuer. If there is none, store `row` as it."""
        ...

    async def player(self, player: PlayerId) -> PlayerRow | None:
        """Return an account, or None."""
        ...

    async def by_ids(self, players: Collection[PlayerId]) -> list[PlayerRow]:
        """Return the accounts with these ids, as far as they exist, in any order."""
        ...

    async def by_identity(self, issuer: str, subject: str) -> PlayerRow | None:
        """Return the account of the identity `subject` at another issuer, or None."""
        ...

    async def players(self, scope: Scope | None, after: PlayerId, limit: int) -> list[PlayerRow]:
        """Return the accounts that follow `after`, in the order of their ids; with `scope`, only those with it."""
        ...

    async def bots(self) -> list[PlayerRow]:
        """Return the accounts that the service plays, in the order of their ids."""
        ...

    async def automated(self) -> list[PlayerId]:
        """Return the accounts whose owners declared that a program plays them."""
        ...

    async def automate(self, player: PlayerId) -> None:
        """Note for good that a program plays an account."""
        ...

    async def grant(self, player: PlayerId, scopes: Sequence[Scope]) -> None:
        """Set the scopes that tokens of an account may have at most."""
        ...

    async def describe(self, player: PlayerId, name: str | None, findable: bool | None) -> None:
        """Change the name of an account, or whether others can find it by its name; None leaves a value as it is."""
        ...

    async def find(
        self, name: str, *, whole: bool, after: tuple[str, PlayerId] = ("", PlayerId("")), limit: int
    ) -> list[PlayerRow]:
        """Return accounts that are open and may be found, whose names are `name` or, unless `whole`, begin with it.

        At most `limit`, in the order of their folded names and ids: those that follow `after`.
        """
        ...

    async def close(self, player: PlayerId, now: str, name: str) -> None:
        """Close an account: end its tokens, and let nobody find it.

        Its passkeys, recovery codes, webhooks, devices, read marks, inbox settings, consents from and to organizers,
        consents to apps and imports (TAB-IMP-07) are deleted. So are the apps that it registered, whose sign-ins end.
        From then on it is called `name`, unless the service plays it.
        """
        ...

    async def add_token(
        self, row: TokenRow, digest: bytes, creation: Made | None = None, most: int | None = None
    ) -> Made | None:
        """Store a token with the SHA-256 of its value.

        `creation` is the use of an idempotency key: if the key was used before, return what it made then, and store
        nothing. Raises `LimitReached` when the account has `most` tokens that have not ended, sessions and apps left
        aside.
        """
        ...

    async def replace_token(
        self,
        old: TokenId,
        retires: str,
        row: TokenRow,
        digest: bytes,
        creation: Made | None = None,
        most: int | None = None,
    ) -> bool:
        """Let token `old` end at `retires` and store another in its place; False when it had ended or was replaced.

        With `creation` under an idempotency key, which must be new. Raises `LimitReached` as `add_token` does.
        """
        ...

    async def open_account(self, row: PlayerRow, token: TokenRow, digest: bytes, creation: Made) -> Made | None:
        """Store an account and its first token, as `add_token` does under an idempotency key."""
        ...

    async def made_by_key(self, key: str) -> Made | None:
        """Return what an idempotency key made, or None."""
        ...

    async def forget_made(self, before: str, limit: int) -> int:
        """Delete at most `limit` rows of keys that were used before that time; return how many."""
        ...

    async def revoke(self, token: TokenId, now: str) -> None:
        """End a token, unless it has ended, and delete the webhooks and devices that were added with it."""
        ...

    async def token(self, token: TokenId) -> TokenRow | None:
        """Return a token, or None."""
        ...

    async def by_digest(self, digest: bytes) -> tuple[TokenRow, PlayerRow] | None:
        """Return the token whose value hashes to this, ended or not, and its account; None when there is none."""
        ...

    async def tokens(self, player: PlayerId, now: str) -> list[TokenRow]:
        """Return the tokens of an account that have not ended by `now`, the newest first."""
        ...

    async def all_tokens(self, player: PlayerId, after: TokenId | None, limit: int) -> list[TokenRow]:
        """Return the tokens of an account, ended or not, the newest first: those that follow `after`."""
        ...

    async def used(self, tokens: Collection[TokenId], now: str) -> None:
        """Note that tokens were used."""
        ...

    async def add_invitation(
        self, row: InvitationRow, digest: bytes, most_open: int | None = None, most: int | None = None
    ) -> InvitationRow:
        """Store an invitation with the SHA-256 of its value; return it, or the one that its key made before.

        Raises `LimitReached` when `most_open` are not revoked, or `most` were made.
        """
        ...

    async def invitation(self, digest: bytes) -> InvitationRow | None:
        """Return the invitation whose value hashes to this, revoked or not, or None."""
        ...

    async def invitations(self, game: GameId) -> list[InvitationRow]:
        """Return the invitations to a game, revoked ones as well, the newest first."""
        ...

    async def revoke_invitation(self, invitation: InvitationId, now: str) -> None:
        """End an invitation, unless it was ended before."""
        ...

    async def add_passkey(self, row: PasskeyRow, most: int | None = None) -> bool:
        """Store a passkey; False when its credential is known already.

        Raises `LimitReached` when the account has `most`.
        """
        ...

    async def passkey(self, credential: bytes) -> PasskeyRow | None:
        """Return the passkey with this id of a device, or None."""
        ...

    async def passkeys(self, player: PlayerId) -> list[PasskeyRow]:
        """Return the passkeys of an account, the newest first."""
        ...

    async def passkey_used(self, passkey: PasskeyId, signs: int, now: str) -> None:
        """Note that a passkey was used, and how often it has signed."""
        ...

    async def remove_passkey(self, passkey: PasskeyId) -> None:
        """Delete a passkey."""
        ...

    async def challenge_key(self, new: bytes) -> bytes:
        """Return the key that signs challenges. If there is none, store `new`."""
        ...

    async def use_challenge(self, digest: bytes, ends: str, now: str) -> bool:
        """Store the SHA-256 of a used challenge; False when it was stored before. Delete those that ended by `now`."""
        ...

    async def replace_codes(self, player: PlayerId, digests: Sequence[bytes], now: str) -> None:
        """Store the SHA-256 of an account's recovery codes in place of all earlier ones."""
        ...

    async def codes(self, player: PlayerId) -> int:
        """Return how many recovery codes of an account are left."""
        ...

    async def take_code(self, digest: bytes) -> PlayerId | None:
        """Delete a recovery code; return whose it was, None when there is no such code."""
        ...

    async def issuers(self, player: PlayerId) -> list[str]:
        """Return the other issuers that know an account, in the order of their names."""
        ...

    async def identities(self, player: PlayerId) -> list[tuple[str, str]]:
        """Return the other issuers that know an account, each with its subject, in the order of their names."""
        ...

    async def link(self, player: PlayerId, issuer: str, subject: str) -> PlayerRow | None:
        """Link an account with the identity `subject` at another issuer; return the account with that link.

        That may be another account, or None: an account has at most one link with each issuer.
        """
        ...

    async def unlink(self, player: PlayerId, issuer: str) -> None:
        """Remove the link of an account with another issuer."""
        ...

    async def read_marks(self, player: PlayerId, after: str = "", limit: int | None = None) -> dict[StreamId, Version]:
        """Return the versions up to which an account has read its notifications, by game or case.

        In the order of their ids, those that follow `after`.
        """
        ...

    async def mark_read(self, player: PlayerId, upto: Mapping[StreamId, Version]) -> None:
        """Store the versions up to which an account has read its notifications. A mark never goes back."""
        ...

    async def inbox_settings(self, player: PlayerId) -> str | None:
        """Return the settings of an account's inbox; None if they were never set."""
        ...

    async def set_inbox(self, player: PlayerId, settings: str) -> None:
        """Set the settings of an account's inbox."""
        ...
