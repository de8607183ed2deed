"""Accounts as they are sent and answered."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from domain.kernel.ids import GameId, PlayerId, Seat, Version
from domain.kernel.rules.decision import Decision
from service.api.bodies import Identifier, Listed, Page, Text
from service.api.games.bodies import TakeBack
from service.base.scopes import Scope
from service.games.ends import EndProposal
from service.store.accounts import PasskeyId, PasskeyRow, PlayerRow, TokenId


class Registration(Struct, frozen=True, forbid_unknown_fields=True):
    """A new account.

    Attributes:
        name: the name that others see.
    """

    name: Text


class PlayerChange(Struct, frozen=True, forbid_unknown_fields=True):
    """Changes to your account; absent fields stay the same.

    Attributes:
        name: your new name, which others see from now on, also in games that are over.
        findable: whether others can find you by your name.
    """

    name: Text | UnsetType = UNSET
    findable: bool | UnsetType = UNSET


class Closing(Struct, frozen=True, forbid_unknown_fields=True):
    """Which account to close.

    Attributes:
        confirm: the id of your account, so that you do not close it by mistake.
    """

    confirm: Identifier


class Player(Struct, frozen=True):
    """An account.

    Attributes:
        id: its id, which games and their logs use.
        name: the name that others see.
        created: when it was registered.
        bot: whether a program plays it: the service, or a program that its owner has declared.
        level: the level at which the service plays it; null where it does not.
        joined: the other account of the same person that it was joined to; this one is closed. Null if it was not.
    """

    id: PlayerId
    name: str
    created: str
    bot: bool
    level: str | None
    joined: PlayerId | None


class PlayerSearch(Page, frozen=True, kw_only=True):
    """The players to look for.

    Attributes:
        name: their name, or how it begins. Case makes no difference.
        match: `exact` for the whole name, `prefix` for its beginning.
    """

    name: Text
    match: Literal["exact", "prefix"] = "exact"


class PlayerPage(Listed[Player], frozen=True):
    """Players who can be found, by their names."""


class Me(Player, frozen=True):
    """The caller's account, and what the token of the request may be used for.

    Attributes:
        scopes: what this token may be used for.
        granted: the most that the account's tokens may be used for.
        token: the id of this token; null for an external JWT.
        ends: when it ends; null for never.
        findable: whether others can find the account by its name.
    """

    scopes: tuple[Scope, ...]
    granted: tuple[Scope, ...]
    token: TokenId | None
    ends: str | None
    findable: bool


class NewSession(Struct, frozen=True, forbid_unknown_fields=True):
    """A browser that signs in.

    Attributes:
        name: the name of a new guest, which others see. Without it the service chooses one. Send none with a token.
    """

    name: Text | UnsetType = UNSET


class ProviderView(Struct, frozen=True):
    """The OpenID Connect provider through which people can sign in.

    Attributes:
        name: what people call it.
        linked: whether people sign in through it to the account of this browser.
    """

    name: str
    linked: bool


class SessionView(Struct, frozen=True):
    """Who is signed in.

    Attributes:
        player: the account, and what the browser's session may be used for; null when nobody is signed in.
        provider: the OpenID Connect provider through which people can sign in here; null without one.
        lasting: whether the account has a way back besides tokens: a passkey, recovery codes, or another issuer of
            tokens. Without one, the account of a guest is lost when the browser signs out.
    """

    player: Me | None
    lasting: bool
    provider: ProviderView | None


class NewProviderSignIn(Struct, frozen=True, forbid_unknown_fields=True):
    """How somebody signs in through the provider.

    Attributes:
        leave: whether this browser's session may end if the person has another account than the one that is signed in.
    """

    leave: bool = False


class ProviderAddress(Struct, frozen=True):
    """Where to sign in.

    Attributes:
        address: the address that the browser must open now. The provider sends it back to the page `/sign-in`.
    """

    address: str


Parameter = Annotated[str, Meta(min_length=1, max_length=4096, description="1 to 4096 characters")]


class ProviderAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    """The parameters in the address to which the provider sent the browser back.

    Attributes:
        state: the parameter `state`.
        code: the parameter `code`; absent if the provider refused.
        error: the parameter `error`; absent unless the provider refused.
        iss: the parameter `iss`, if the provider sends it (RFC 9207).
    """

    state: Parameter
    code: Parameter | UnsetType = UNSET
    error: Parameter | UnsetType = UNSET
    iss: Parameter | UnsetType = UNSET


Base64 = Annotated[str, Meta(min_length=1, max_length=8192, pattern=r"^[A-Za-z0-9_-]+$(?!\n)")]


class PasskeyChallenge(Struct, frozen=True):
    """The challenge that a passkey must sign.

    Attributes:
        challenge: random bytes in base64url. You can use them once, within five minutes.
        host: the host that the passkey is for (`rp.id` in WebAuthn).
    """

    challenge: str
    host: str


class NewPasskeyChallenge(PasskeyChallenge, frozen=True):
    """The challenge that a new passkey must sign, and the account that it is for.

    Attributes:
        user: the id of the account for the device (`user.id` in WebAuthn), in base64url.
        name: the account's name.
        algorithms: the signature algorithms that it may use, by their COSE numbers, the best first.
        known: the credential ids of the passkeys that the account has already, in base64url.
    """

    user: str
    name: str
    algorithms: tuple[int, ...]
    known: tuple[str, ...]


class NewPasskey(Struct, frozen=True, forbid_unknown_fields=True):
    """A passkey that a device made.

    Attributes:
        name: a name to recognize it by.
        id: its credential id (`rawId`), in base64url.
        client_data: `response.clientDataJSON`, in base64url.
        attestation: `response.attestationObject`, in base64url.
    """

    name: Text
    id: Base64
    client_data: Base64
    attestation: Base64


class PasskeyProof(Struct, frozen=True, forbid_unknown_fields=True):
    """The answer of a passkey to a challenge.

    Attributes:
        id: its credential id (`rawId`), in base64url.
        client_data: `response.clientDataJSON`, in base64url.
        authenticator_data: `response.authenticatorData`, in base64url.
        signature: `response.signature`, in base64url.
        user: `response.userHandle`, in base64url.
    """

    id: Base64
    client_data: Base64
    authenticator_data: Base64
    signature: Base64
    user: Base64


class PasskeyView(Struct, frozen=True):
    """A passkey of your account.

    Attributes:
        id: its id, with which you remove it.
        name: a name to recognize it by.
        created: when it was registered.
        used: when it was last used to sign in; null if never.
    """

    id: PasskeyId
    name: str
    created: str
    used: str | None


class PasskeyPage(Listed[PasskeyView], frozen=True):
    """Passkeys, the newest first."""


class RecoveryCodes(Struct, frozen=True):
    """New recovery codes.

    Attributes:
        codes: each signs in once. They are shown only once and are not stored.
    """

    codes: tuple[str, ...]


class RecoveryCodesLeft(Struct, frozen=True):
    """How many recovery codes are left.

    Attributes:
        left: how many of your codes were not used.
    """

    left: int


class RecoveryCode(Struct, frozen=True, forbid_unknown_fields=True):
    """A recovery code.

    Attributes:
        code: the code. Case, blanks and hyphens make no difference.
    """

    code: Text


class Registered(Struct, frozen=True):
    """A new account.

    Attributes:
        player: the account.
        token: proves that a request comes from this player: ``Authorization: Bearer <token>``. It is shown only once
            and is not stored.
    """

    player: Player
    token: str


class Waiting(Struct, frozen=True):
    """What waits for you in one game. If all lists are empty, nothing waits there any more.

    Attributes:
        game: the game.
        title: its title, which may be empty.
        ruleset: what it is played by.
        version: the version of the game at that moment.
        seat: your seat.
        decisions: the open decisions that your seat may answer.
        take_backs: the open requests to take moves back that your seat has yet to answer.
        end_proposals: the open proposals to end the game that your seat has yet to answer.
    """

    game: GameId
    title: str
    ruleset: str
    version: Version
    seat: Seat
    decisions: tuple[Decision, ...]
    take_backs: tuple[TakeBack, ...]
    end_proposals: tuple[EndProposal, ...]

    @property
    def waits(self) -> bool:
        """Whether anything waits."""
        return bool(self.decisions or self.take_backs or self.end_proposals)


class StreamedWaiting(Struct, frozen=True):
    """A frame of the stream of what waits for you, line by line.

    Attributes:
        id: a place in the log of the service.
        event: always ``waiting``. Absent with `frames=plain`: an `EventSource` then calls it ``message``.
        data: what waits for you in one game, in JSON: a Waiting.
    """

    id: str
    data: str
    event: Literal["waiting", "message"] | UnsetType = UNSET


def player_view(row: PlayerRow) -> Player:
    """Return an account as everybody sees it."""
    return Player(row.player, row.name, row.created, row.is_bot, row.bot, row.joined)


def passkey_view(row: PasskeyRow) -> PasskeyView:
    """Return a passkey as its account's owner sees it."""
    return PasskeyView(row.passkey, row.name, row.created, row.used)
