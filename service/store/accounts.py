"""What a store keeps of accounts: who they are, what they may do, and their tokens, of which it knows only hashes.

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
"""A token of an account, without the token itself."""

PasskeyId = NewType("PasskeyId", str)
"""A passkey of an account."""

InvitationId = NewType("InvitationId", str)
"""A link that seats somebody in a game, without what makes it work."""


class LimitReached(Exception):
    """A limit is reached. Nothing was stored."""


class PlayerRow(Struct, frozen=True):
    """An account. The name is here and nowhere else.

    `closed` is when it was closed; a closed one does nothing more. `findable` tells whether others may find it by its
    name. `bot` is the level at which the service plays it; None for everybody else's. `automated` tells whether the
    owner has said that a program plays it.
    """

    player: PlayerId
    name: str
    created: str
    scopes: tuple[Scope, ...] = EVERYBODYS
    closed: str | None = None
    findable: bool = False
    bot: str | None = None
    automated: bool = False

    @property
    def is_bot(self) -> bool:
        """Whether a program plays it, the service's or another one."""
        return self.bot is not None or self.automated

    @property
    def sought(self) -> str | None:
        """The name as it is found; None for an account that does not want to be."""
        return folded(self.name) if self.findable else None


def folded(name: str) -> str:
    """Return a name in a form that is equal for all that read alike: without case, and composed as Unicode has it."""
    return unicodedata.normalize("NFKC", name).casefold()


LAST_CHARACTER: Final = "\U0010ffff"
"""Sorts behind every other character: names that begin with a text lie between it, and it followed by this."""


def described(row: PlayerRow, name: str | None, findable: bool | None) -> PlayerRow:
    """Return an account with another name, or that may be found or not; None leaves it as it is."""
    return replace(
        row,
        name=row.name if name is None else name,
        findable=row.findable if findable is None else findable,
    )


class TokenRow(Struct, frozen=True):
    """A token, without its value.

    `expires` is when it ends by itself, `retires` when it ends because it was replaced, `used` when it was last used,
    to the minute. `revoked` is when it was ended: whatever a process's clock says, it has.
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
        """Whether it is a browser's, which keeps it as a cookie."""
        return self.token.startswith("s")

    @property
    def is_app(self) -> bool:
        """Whether an app of somebody else's is signed in by it, which has other values; see `SignInRow`."""
        return self.token.startswith("a")

    @property
    def ends(self) -> str | None:
        """When it ends, unless it is revoked; None for never."""
        return min((end for end in (self.expires, self.retires) if end is not None), default=None)


class Made(Struct, frozen=True):
    """What an idempotency key made: a token, and with it perhaps the account.

    `key` is a hash; `fingerprint` tells requests apart. The value of the token follows from `nonce` and from the key
    itself, which is kept nowhere. So a request that comes with the key gets it again, and no other does.
    """

    key: str
    fingerprint: bytes
    nonce: bytes
    token: TokenId
    at: str


class InvitationRow(Struct, frozen=True):
    """A link that seats somebody in a game, without its value.

    `key` is a hash of the idempotency key that made it, and `nonce` what its value follows from together with that key.
    """

    invitation: InvitationId
    game: GameId
    created: str
    revoked: str | None = None
    key: str | None = None
    nonce: bytes | None = None


class PasskeyRow(Struct, frozen=True):
    """A passkey of an account: the public half of a key that a device or a password manager holds.

    `credential` is what the device calls it; `signs` how often it signed, where it counts that.
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
        """Return the account of the identity `subject` at another issuer; `row` becomes it when there is none."""
        ...

    async def player(self, player: PlayerId) -> PlayerRow | None:
        """Return an account, or None."""
        ...

    async def named(self, players: Collection[PlayerId]) -> list[PlayerRow]:
        """Return the accounts with these ids, as far as they exist, in any order."""
        ...

    async def known(self, issuer: str, subject: str) -> PlayerRow | None:
        """Return the account of the identity `subject` at another issuer, or None."""
        ...

    async def players(self, scope: Scope | None, after: PlayerId, limit: int) -> list[PlayerRow]:
        """Return accounts by their ids, those that follow `after`; `scope` picks the ones that have it."""
        ...

    async def bots(self) -> list[PlayerRow]:
        """Return the accounts that the service plays, in the order of their ids."""
        ...

    async def automated(self) -> list[PlayerId]:
        """Return the accounts of which their owners say that a program plays them."""
        ...

    async def automate(self, player: PlayerId) -> None:
        """Say that a program plays an account, for ever."""
        ...

    async def grant(self, player: PlayerId, scopes: Sequence[Scope]) -> None:
        """Say what the tokens of an account may do at most."""
        ...

    async def describe(self, player: PlayerId, name: str | None, findable: bool | None) -> None:
        """Give an account another name, or let it be found by it or not; None leaves it as it is."""
        ...

    async def find(
        self, name: str, *, whole: bool, after: tuple[str, PlayerId] = ("", PlayerId("")), limit: int
    ) -> list[PlayerRow]:
        """Return accounts that are open and may be found, whose names are `name` or, unless `whole`, begin with it.

        By their names, folded, and ids: those that follow `after`.
        """
        ...

    async def close(self, player: PlayerId, now: str, name: str) -> None:
        """Close an account: end its tokens, and let nobody find it.

        Its passkeys, its recovery codes, its read marks and the settings of its inbox are deleted. So are the apps that
        it registered, with all their sign-ins, and what it let others' apps do.
        From then on it is called `name`, unless the service plays it.
        """
        ...

    async def add_token(
        self, row: TokenRow, digest: bytes, made: Made | None = None, most: int | None = None
    ) -> Made | None:
        """Store a token with the SHA-256 of its value.

        With `made` under an idempotency key: if that has made something before, that is returned and nothing stored.
        Raises `LimitReached` when the account has `most` tokens that have not ended, sessions and apps left aside.
        """
        ...

    async def replace_token(
        self,
        old: TokenId,
        retires: str,
        row: TokenRow,
        digest: bytes,
        made: Made | None = None,
        most: int | None = None,
    ) -> bool:
        """Let token `old` end at `retires` and store another in its place; False when it had ended or was replaced.

        With `made` under an idempotency key, which must not have made anything. Raises `LimitReached` as `add_token`.
        """
        ...

    async def open_account(self, row: PlayerRow, token: TokenRow, digest: bytes, made: Made) -> Made | None:
        """Store an account and its first token, as `add_token` does under an idempotency key."""
        ...

    async def made(self, key: str) -> Made | None:
        """Return what an idempotency key made, or None."""
        ...

    async def forget_made(self, before: str, limit: int) -> int:
        """Delete at most `limit` rows of keys that were used before that time; return how many."""
        ...

    async def revoke(self, token: TokenId, now: str) -> None:
        """End a token, unless it was ended before."""
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
        """Return the passkey that a device calls so, or None."""
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
        """Return the key that challenges are signed with; `new` becomes it when there is none."""
        ...

    async def use_challenge(self, digest: bytes, ends: str, now: str) -> bool:
        """Store the SHA-256 of a challenge until it ends; False when it is there. Delete those that ended by `now`."""
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
        """Return the other issuers that know an account, by their names, and as whom each knows it."""
        ...

    async def link(self, player: PlayerId, issuer: str, subject: str) -> PlayerRow | None:
        """Let another issuer know an account as `subject`; return the account that it knows so, which may be another.

        An account that the issuer knows already gets no second name: then this may be None.
        """
        ...

    async def unlink(self, player: PlayerId, issuer: str) -> None:
        """Let another issuer no longer know an account."""
        ...

    async def read_marks(self, player: PlayerId, after: str = "", limit: int | None = None) -> dict[StreamId, Version]:
        """Return up to which version an account has read what it was told of games and cases, by these.

        In the order of their ids, those that follow `after`.
        """
        ...

    async def mark_read(self, player: PlayerId, upto: Mapping[StreamId, Version]) -> None:
        """Note up to which versions an account has read what it was told. A mark never goes back."""
        ...

    async def inbox_settings(self, player: PlayerId) -> str | None:
        """Return the settings of an account's inbox, as they were set; None when they never were."""
        ...

    async def set_inbox(self, player: PlayerId, settings: str) -> None:
        """Set the settings of an account's inbox."""
        ...
