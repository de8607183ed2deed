"""Passkeys (WebAuthn level 2) and recovery codes, with which somebody signs in to an account without a token.

A passkey is a key that a device or a password manager holds for one account at one host. It signs a challenge of the
service, which can be used once, within five minutes. A challenge to register a passkey is for one account only.
"""

import base64
import hashlib
import secrets
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.kernel.ids import PlayerId
from service.accounts.challenges import Challenges
from service.base.clock import Clock, stamp
from service.base.ids import ID_BYTES, new_id
from service.store.accounts import AccountStore, LimitReached, PasskeyId, PasskeyRow

ALGORITHMS: Final = (-8, -7, -257)
"""The signature algorithms that passkeys may use, by their COSE numbers: EdDSA, ES256, RS256."""

MOST_PASSKEYS: Final = 20
"""The most passkeys of an account."""

CHALLENGE_LASTS: Final = timedelta(minutes=5)

CODES: Final = 10
"""How many recovery codes an account gets at once."""

CODE_BYTES: Final = 10


class PasskeyRefused(Exception):
    """A passkey did not prove what it should; the message says why."""


class PasskeyKnown(Exception):
    """An account has this passkey already."""


class TooManyPasskeys(Exception):
    """The account has as many passkeys as it can have."""


class Place(Struct, frozen=True):
    """The address at which a browser uses a passkey: the host that passkeys are for, and the origin of the page."""

    host: str
    origin: str


class Passkeys:
    """The passkeys and recovery codes of the accounts of a store. Every method may raise `StoreError`."""

    def __init__(self, store: AccountStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._challenges = Challenges(store, clock, "passkey")

    async def challenge(self, player: PlayerId | None) -> str:
        """Return a challenge for a passkey to sign: to register it for `player`, or with None to sign in."""
        return to_base64url(await self._challenges.give(player, CHALLENGE_LASTS))

    async def add(self, player: PlayerId, name: str, credential: Mapping[str, Any], at: Place) -> PasskeyRow:
        """Register a passkey. Raises `PasskeyRefused`, `PasskeyKnown` or `TooManyPasskeys`."""
        challenge = await self._challenge_in(credential, player)
        from webauthn import verify_registration_response  # imported here, because that takes a third of a second

        try:
            proved = verify_registration_response(
                credential=dict(credential),
                expected_challenge=challenge,
                expected_rp_id=at.host,
                expected_origin=at.origin,
                require_user_verification=True,
            )
        except Exception as error:  # for malformed input, the library also raises exceptions that are not its own
            raise PasskeyRefused(_why(error)) from error
        await self._use(challenge)
        row = PasskeyRow(
            PasskeyId(new_id("k", secrets.token_bytes(ID_BYTES))),
            player,
            proved.credential_id,
            proved.credential_public_key,
            proved.sign_count,
            name,
            stamp(self._clock),
        )
        try:
            is_new = await self._store.add_passkey(row, MOST_PASSKEYS)
        except LimitReached:
            raise TooManyPasskeys(f"The account has {MOST_PASSKEYS} passkeys and cannot have more.") from None
        if not is_new:
            raise PasskeyKnown("An account has this passkey already.")
        return row

    async def prove(self, credential: Mapping[str, Any], at: Place) -> PlayerId:
        """Return the account whose passkey signed a challenge to sign in. Raises `PasskeyRefused`."""
        challenge = await self._challenge_in(credential, None)
        try:
            row = await self._store.passkey(from_base64url(credential["rawId"]))
        except ValueError as error:
            raise PasskeyRefused("Its id is not base64url.") from error
        if row is None:
            raise PasskeyRefused("No account has this passkey.")
        handle = credential["response"]["userHandle"]
        if handle != handle_of(row.player):
            raise PasskeyRefused("It says that it is for another account.")
        from webauthn import verify_authentication_response  # imported here, as in `add`

        try:
            proved = verify_authentication_response(
                credential=dict(credential),
                expected_challenge=challenge,
                expected_rp_id=at.host,
                expected_origin=at.origin,
                credential_public_key=row.public_key,
                credential_current_sign_count=row.signs,
                require_user_verification=True,
            )
        except Exception as error:  # as in `add`
            raise PasskeyRefused(_why(error)) from error
        await self._use(challenge)
        await self._store.passkey_used(row.passkey, proved.new_sign_count, stamp(self._clock))
        return row.player

    async def _challenge_in(self, credential: Mapping[str, Any], player: PlayerId | None) -> bytes:
        """Return the challenge that a credential answers, without a check of the signature.

        Raises `PasskeyRefused` if the challenge was not given to `player`, or has ended.
        """
        try:
            client = msgspec.json.decode(from_base64url(credential["response"]["clientDataJSON"]), type=_Client)
            challenge = from_base64url(client.challenge)
        except (ValueError, RecursionError) as error:
            raise PasskeyRefused("What the browser says of it cannot be read.") from error
        if not await self._challenges.is_good(challenge, player):
            raise PasskeyRefused("Its challenge was not given for this, or is older than 5 minutes.")
        return challenge

    async def _use(self, challenge: bytes) -> None:
        """Mark a challenge as used, after its signature was checked. Raises `PasskeyRefused` if it was used before."""
        if not await self._challenges.use(challenge):
            raise PasskeyRefused("Its challenge was used before.")

    async def of(self, player: PlayerId) -> list[PasskeyRow]:
        """Return the passkeys of an account, the newest first."""
        return await self._store.passkeys(player)

    async def remove(self, passkey: PasskeyId) -> None:
        """Delete a passkey. Nobody can sign in with it any more."""
        await self._store.remove_passkey(passkey)

    # --- recovery codes ---

    async def new_codes(self, player: PlayerId) -> tuple[str, ...]:
        """Make new recovery codes for an account in place of earlier ones, and return them. Only hashes are stored."""
        codes = tuple(grouped(secrets.token_bytes(CODE_BYTES)) for _ in range(CODES))
        await self._store.replace_codes(player, [_hash_of_code(code) for code in codes], stamp(self._clock))
        return codes

    async def codes(self, player: PlayerId) -> int:
        """Return how many recovery codes of an account are left."""
        return await self._store.codes(player)

    async def use_code(self, code: str) -> PlayerId | None:
        """Use up a recovery code. Return its account; None if the code is unknown or was used before."""
        return await self._store.take_code(_hash_of_code(code))

    async def is_lasting(self, player: PlayerId) -> bool:
        """Tell whether an account has another way to sign in than tokens: a passkey, a recovery code or an issuer."""
        return bool(
            await self._store.passkeys(player) or await self._store.codes(player) or await self._store.issuers(player)
        )


class _Client(Struct, frozen=True):
    """The part of `clientDataJSON` that is read before the signature is checked."""

    challenge: str


def from_base64url(text: str) -> bytes:
    """Return the bytes that a text in base64url without padding encodes. Raises `ValueError` for any other text."""
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def to_base64url(value: bytes) -> str:
    """Return bytes in base64url without padding, as WebAuthn writes them."""
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


def handle_of(player: PlayerId) -> str:
    """Return the user handle of an account: devices keep it with the passkey and send it when they sign in."""
    return to_base64url(player.encode())


def grouped(bits: bytes) -> str:
    """Return bytes as text that is easy to write down: base32 in groups of four, such as ``k4xq-2m7a-hbk3-oxw7``."""
    letters = base64.b32encode(bits).decode().lower()
    return "-".join(letters[at : at + 4] for at in range(0, len(letters), 4))


def _hash_of_code(code: str) -> bytes:
    return _hash("".join(code.split()).replace("-", "").lower().encode())


def _hash(value: bytes) -> bytes:
    # The value has at least 80 random bits, so a slow hash would not make it safer.
    return hashlib.sha256(value).digest()


def _why(error: Exception) -> str:
    return f"It was not accepted: {error}." if str(error) else "It was not accepted."
