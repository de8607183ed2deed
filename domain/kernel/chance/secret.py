"""Hidden information: a public commitment, and its content in a vault.

A table holds no secret at all. Where the rules hide a value (a hand card, a face-down offer), the event and the table
have a `Sealed`: SHA-256(salt ‖ canonical value) and the seats that may read it. The value and its salt are in the
game's `Vault`. Views and options get only the part of the vault that their seat may read, so they cannot reveal more.
A hidden value that changes hands is sealed again for its new readers.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from domain.kernel.canonical import canonical
from domain.kernel.ids import Seat


class Sealed(Struct, frozen=True):
    """A value that not everybody may see.

    Attributes:
        commitment: SHA-256(salt ‖ canonical value), in hex.
        readers: who may see it.
    """

    commitment: str
    readers: tuple[Seat, ...]


class Secret(Struct, frozen=True):
    """What a commitment hides: `salt` in hex (16 bytes), the `value` as JSON, and who may read it."""

    commitment: str
    readers: tuple[Seat, ...]
    salt: str
    value: Any

    def is_genuine(self) -> bool:
        """Tell whether salt and value hash to the commitment."""
        return commitment_of(bytes.fromhex(self.salt), self.value) == self.commitment


class Opened(Struct, frozen=True):
    """A secret made public by an event, so that everybody can check it against its commitment.

    Attributes:
        commitment: SHA-256(salt ‖ canonical value), in hex, as it was published before.
        salt: the salt, in hex.
        value: what was hidden.
    """

    commitment: str
    salt: str
    value: Any


def commitment_of(salt: bytes, value: Any) -> str:
    """Return the hex commitment to `value` under `salt`."""
    return hashlib.sha256(salt + canonical(value)).hexdigest()


class Vault:
    """The secrets of one game, by commitment; or the part of them that one seat may read.

    A long game has thousands, so a part is not a copy: it checks the readers of a secret on each access.
    """

    __slots__ = ("_partial", "_reader", "_secrets")

    def __init__(self, secrets: Iterable[Secret] = ()) -> None:
        self._secrets: dict[str, Secret] = {secret.commitment: secret for secret in secrets}
        self._partial = False
        self._reader: Seat | None = None

    def open(self, sealed: Sealed) -> Any:
        """Return the hidden value. Raises `KeyError` when this vault does not hold it."""
        return self.secret(sealed.commitment).value

    def holds(self, sealed: Sealed) -> bool:
        """Tell whether this vault can open `sealed`."""
        secret = self._secrets.get(sealed.commitment)
        return secret is not None and self._may_read(secret)

    def secret(self, commitment: str) -> Secret:
        """Return a secret with its salt. Raises `KeyError` when this vault does not hold it."""
        secret = self._secrets[commitment]
        if not self._may_read(secret):
            raise KeyError(commitment)
        return secret

    def read_by(self, seat: Seat | None) -> "Vault":
        """Return the part that `seat` may read; a spectator (None) reads nothing."""
        if self._partial:
            return Vault(self.all().values()).read_by(seat)
        return self._part(self._secrets, seat)

    def joined_by(self, secrets: Iterable[Secret]) -> "Vault":
        """Return this vault with `secrets` added."""
        if not (added := {secret.commitment: secret for secret in secrets}):
            return self
        joined = Vault()
        joined._secrets = {**self.all(), **added}
        return joined

    def all(self) -> Mapping[str, Secret]:
        """Return every secret by its commitment, in the order of sealing."""
        if not self._partial:
            return self._secrets
        return {name: secret for name, secret in self._secrets.items() if self._may_read(secret)}

    def _may_read(self, secret: Secret) -> bool:
        return not self._partial or self._reader in secret.readers

    @staticmethod
    def _part(secrets: dict[str, Secret], reader: Seat | None) -> "Vault":
        part = Vault()
        part._secrets, part._partial, part._reader = secrets, True, reader
        return part
