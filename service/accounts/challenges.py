"""Challenges: signed values that a client has to return once, and soon.

A challenge contains its end, and is signed with a key that all processes of a store share. So the service does not have
to store the challenges that it gives, and a flood of requests pushes nobody's out. It stores only those that were used,
until their end.
"""

import hashlib
import hmac
import secrets
from datetime import UTC, datetime, timedelta
from typing import Final

from domain.kernel.ids import PlayerId
from service.base.clock import Clock, stamp, stamped, written
from service.store.accounts import AccountStore

KEY_BYTES: Final = 32
RANDOM_BYTES: Final = 16
TIME_BYTES: Final = 8
CHALLENGE_BYTES: Final = RANDOM_BYTES + TIME_BYTES + hashlib.sha256().digest_size


class Challenges:
    """The challenges for one purpose. Every method may raise `StoreError`."""

    def __init__(self, store: AccountStore, clock: Clock, purpose: str) -> None:
        self._store = store
        self._clock = clock
        self._purpose = purpose
        self._key = b""

    async def give(self, player: PlayerId | None, lasts: timedelta) -> bytes:
        """Return a new challenge for an account; with None, for a client that is not signed in."""
        ends = int((stamped(stamp(self._clock)) + lasts).timestamp())
        content = secrets.token_bytes(RANDOM_BYTES) + ends.to_bytes(TIME_BYTES)
        return content + await self._signature(content, player)

    async def is_good(self, challenge: bytes, player: PlayerId | None) -> bool:
        """Tell whether a challenge was given to `player` and has not ended. It may have been used."""
        content, signature = challenge[: RANDOM_BYTES + TIME_BYTES], challenge[RANDOM_BYTES + TIME_BYTES :]
        is_ours = hmac.compare_digest(signature, await self._signature(content, player))
        return is_ours and _end(challenge) > stamp(self._clock)

    async def use(self, challenge: bytes) -> bool:
        """Mark a good challenge as used; False when it was used before."""
        return await self._store.use_challenge(hashlib.sha256(challenge).digest(), _end(challenge), stamp(self._clock))

    async def _signature(self, content: bytes, player: PlayerId | None) -> bytes:
        self._key = self._key or await self._store.challenge_key(secrets.token_bytes(KEY_BYTES))
        return hmac.digest(self._key, f"{self._purpose}\0{player or ''}\0".encode() + content, "sha256")


def _end(challenge: bytes) -> str:
    """Return when a challenge of ours ends."""
    ends = int.from_bytes(challenge[RANDOM_BYTES : RANDOM_BYTES + TIME_BYTES])
    return written(datetime.fromtimestamp(ends, UTC))
