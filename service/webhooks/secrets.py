"""The secrets of webhooks: they sign what is sent. The store has them encrypted with a key that it does not have.

The key is a line in the form of Fernet. Further lines are older keys, which still decrypt, so that the key can be
replaced.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import cached_property
from typing import Final

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from msgspec.structs import replace
from standardwebhooks import Webhook

from service.base.private import write_secret
from service.base.settings import Settings
from service.store.webhooks import HookRow

BYTES: Final = 32
"""Random bytes of a secret. Standard Webhooks asks for 24 to 64."""

PREFIX: Final = "whsec_"


class KeyUnusable(Exception):
    """A key of webhooks or pushes cannot be used. The message is one line, without any part of the key."""


class Sealer:
    """Encrypts the secrets of webhooks, and signs deliveries with them."""

    def __init__(self, keys: Callable[[], str]) -> None:
        """`keys` returns the keys when they are needed, one in a line; the first encrypts. May raise `KeyUnusable`."""
        self._keys = keys

    @cached_property
    def _fernet(self) -> MultiFernet:
        """The keys as a cipher. Raises `KeyUnusable`."""
        keys = self._keys().split()
        if not keys:
            raise KeyUnusable("there is no key: `tabularium webhooks key` makes one")
        try:
            return MultiFernet([Fernet(key) for key in keys])
        except (ValueError, TypeError):
            raise KeyUnusable("a key is not one that `tabularium webhooks key` makes") from None

    def check(self) -> None:
        """Raise `KeyUnusable` unless the keys can be used."""
        _ = self._fernet

    def seal(self, secret: str) -> bytes:
        """Return a secret encrypted for the store. Raises `KeyUnusable`."""
        return self._fernet.encrypt(secret.encode())

    def open(self, sealed: bytes) -> str:
        """Return a secret that `seal` encrypted. Raises `KeyUnusable`."""
        try:
            return self._fernet.decrypt(sealed).decode()
        except InvalidToken:
            raise KeyUnusable("the secret of a webhook was encrypted with another key") from None

    def mac(self, text: str) -> str:
        """Return a keyed digest of a text (HMAC-SHA-256, in hex), which hides the text. Raises `KeyUnusable`."""
        _ = self._fernet
        return hmac.new(self._keys().split()[0].encode(), text.encode(), "sha256").hexdigest()

    def resealed(self, row: HookRow) -> HookRow:
        """Return a webhook whose secrets are encrypted with the first key. Raises `KeyUnusable`."""
        try:
            old = self._fernet.rotate(row.old_secret) if row.old_secret else b""
            return replace(row, secret=self._fernet.rotate(row.secret), old_secret=old)
        except InvalidToken:
            raise KeyUnusable(f"the secret of webhook {row.webhook} was encrypted with another key") from None

    def headers(self, row: HookRow, delivery: str, body: str, now: datetime) -> dict[str, str]:
        """Return the headers that sign a delivery now; with the old secret as well, as long as it is valid.

        Raises `KeyUnusable`.
        """
        sealed = [row.secret]
        if row.old_secret and now < datetime.fromisoformat(row.old_until):
            sealed.append(row.old_secret)
        # The library takes the digits of a time for UTC, whatever its zone is.
        time = now.astimezone(UTC)
        signatures = (Webhook(self.open(each)).sign(delivery, time, body) for each in sealed)
        return {
            "webhook-id": delivery,
            "webhook-timestamp": str(int(time.timestamp())),
            "webhook-signature": " ".join(signatures),
        }


def new_key() -> str:
    """Return a new key as it is stored."""
    return Fernet.generate_key().decode()


def new_secret() -> str:
    """Return a new secret as its owner sees it."""
    return PREFIX + base64.b64encode(secrets.token_bytes(BYTES)).decode()


def sealer(settings: Settings, *, make: bool = True) -> Sealer | None:
    """Return a sealer with the key of the settings, or with the one in the data directory.

    A missing key in the data directory is made when it is first needed, unless `make` is false. Returns None without a
    key. Processes that share a database use only the settings, because each would make a key of its own.

    Raises:
        KeyUnusable: the key that is there cannot be used.
    """
    path = settings.webhook_key_file
    if not settings.webhook_key and (settings.database_url or not (make or path.exists())):
        return None

    def read() -> str:
        if settings.webhook_key:
            return settings.webhook_key
        try:
            if not path.exists():
                write_secret(path, new_key())
            return path.read_text()
        except (OSError, UnicodeDecodeError) as error:
            raise KeyUnusable(f"{path} cannot be used: {getattr(error, 'strerror', error)}") from error

    own_sealer = Sealer(read)
    if settings.webhook_key or path.exists():
        own_sealer.check()
    return own_sealer


def digest(*parts: str) -> str:
    """Return a digest of a list of texts, 40 hex digits long."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:40]


def unreadable(sealer: Sealer, rows: Iterable[HookRow]) -> list[HookRow]:
    """Return the webhooks whose secrets cannot be decrypted."""
    lost_rows = list[HookRow]()
    for row in rows:
        try:
            sealer.open(row.secret)
        except KeyUnusable:
            lost_rows.append(row)
    return lost_rows
