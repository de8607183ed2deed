"""The keys of the transparency log, and signatures: the only place that makes or checks one.

A log's key is a line in the form of Go's note package (`SigningKey.written`), which names the log. Further lines are
further keys of the same log. All of them sign, so that old and new readers each find their key while keys change.
"""

import re
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PublicKey
from msgspec import Struct

from domain.transparency.checkpoint import ED25519_COSIGNATURE, ML_DSA_COSIGNATURE, Checkpoint, signed
from domain.transparency.note import (
    ED25519,
    Key,
    NoteError,
    Sign,
    Signature,
    SigningKey,
    is_key_name,
    read_signing_key,
)
from service.base.ids import ID_BYTES, new_id
from service.base.private import write_secret
from service.base.settings import Settings

Randomness = Callable[[int], bytes]

_AFTER: Final = re.compile(r"/after/[0-9]+-[0-9a-f]{16}$")

SEED: Final = 32
"""Bytes of the secret of an Ed25519 key."""

SANDBOX_ORIGIN: Final = "tabularium-sandbox/proves-nothing"
"""The name of every sandbox's log. Its key is the same everywhere, so the name says that it proves nothing."""


class KeyUnusable(Exception):
    """The log's key cannot be used, so nothing is signed. The message is one line, without a word of the key."""


class Signer(Struct, frozen=True):
    """A key that signs."""

    key: Key
    sign: Sign

    def signature(self, text: str, time: int | None = None) -> Signature:
        """Return the signature under the text of a note; with a `time`, a cosignature."""
        return signed(text, self.key, self.sign, time)


class LogKey(Struct, frozen=True):
    """The keys of a log. All of them have its name."""

    signers: tuple[Signer, ...]

    @property
    def origin(self) -> str:
        """The name of the log."""
        return self.signers[0].key.name

    def signatures(self, text: str) -> list[Signature]:
        """Return the signatures of all keys under the text of a note. The same text always has the same signatures."""
        return [signer.signature(text) for signer in self.signers]


def check(kind: int, public: bytes, message: bytes, signature: bytes) -> bool:
    """Tell whether a signature is right: the `Check` of the domain."""
    try:
        if kind in (ED25519, ED25519_COSIGNATURE):
            Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
        elif kind == ML_DSA_COSIGNATURE:
            MLDSA44PublicKey.from_public_bytes(public).verify(signature, message)
        else:
            return False
    except (InvalidSignature, ValueError, UnsupportedAlgorithm):
        return False
    return True


def public_of(kind: int, secret: bytes) -> bytes:
    """Return the public bytes of a secret. Raises `ValueError` for a wrong secret, or a type that does not sign."""
    if kind not in (ED25519, ED25519_COSIGNATURE):
        raise ValueError(f"keys of type {kind:#04x} do not sign here")
    return Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def signer_of(signing: SigningKey) -> Signer:
    """Return the signer with a signing key."""
    public = public_of(signing.kind, signing.secret)
    return Signer(Key(signing.name, signing.kind, public), Ed25519PrivateKey.from_private_bytes(signing.secret).sign)


def read_signer(text: str, kind: int = ED25519) -> Signer:
    """Return the signer with the signing key in `text`, which must be of type `kind`. Raises `KeyUnusable`."""
    try:
        signing = read_signing_key(text.strip(), public_of)
    except NoteError as error:
        raise KeyUnusable(str(error)) from None
    if signing.kind != kind:
        raise KeyUnusable(f"the key of {signing.name} has the type {signing.kind:#04x}; expected {kind:#04x}")
    return signer_of(signing)


def new_key(name: str, randomness: Randomness, kind: int = ED25519) -> str:
    """Return a new signing key in its text form. Raises `KeyUnusable` for a name that a key cannot have."""
    if not is_key_name(name):
        raise KeyUnusable(f"{name!a} cannot be the name of a key: no spaces, no +, not empty")
    signing = SigningKey(name, kind, randomness(SEED))
    return signing.written(public_of(kind, signing.secret))


def read_log_key(text: str) -> LogKey:
    """Return the keys of a log, one in each line of `text`. Raises `KeyUnusable`."""
    signers = [read_signer(line) for line in text.split()]
    if not signers:
        raise KeyUnusable("there is no key")
    if others := {signer.key.name for signer in signers[1:]} - {signers[0].key.name}:
        raise KeyUnusable(f"keys of one log have one name, and {signers[0].key.name} is not {min(others)}")
    return LogKey(tuple(signers))


def log_key(settings: Settings, randomness: Randomness) -> LogKey | None:
    """Return the log's key: that of the settings, else that in the data directory, which is made if it is missing.

    None when the log is off. Also None when the settings name a database but no key: each process of that database
    would make its own.

    Raises:
        KeyUnusable: the key is wrong, or cannot be read or made.
    """
    if not settings.transparency:
        return None
    if settings.log_key or settings.database_url:
        return present_key(settings)
    if not settings.log_key_file.exists():
        try:
            origin = SANDBOX_ORIGIN if settings.is_sandbox else unnamed(randomness)
            write_secret(settings.log_key_file, new_key(origin, randomness))
        except OSError as error:
            raise KeyUnusable(f"{settings.log_key_file} cannot be made: {error.strerror}") from error
    return present_key(settings)


def present_key(settings: Settings) -> LogKey | None:
    """Return the log's key as `log_key` does, but make none. Raises `KeyUnusable`."""
    if settings.log_key:
        return read_log_key(settings.log_key)
    if settings.database_url or not settings.log_key_file.exists():
        return None
    try:
        return read_log_key(settings.log_key_file.read_text())
    except KeyUnusable as error:
        raise KeyUnusable(f"{settings.log_key_file}: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise KeyUnusable(f"{settings.log_key_file} cannot be used: {getattr(error, 'strerror', error)}") from error


def unnamed(randomness: Randomness) -> str:
    """Return an origin for a log that nobody named."""
    return new_id("tabularium/", randomness(ID_BYTES))


def successor(origin: str, head: Checkpoint) -> str:
    """Return the origin of a log that begins where another, of this origin, ended: it names that end."""
    return f"{_AFTER.sub('', origin)}/after/{head.size}-{head.root.hex()[:16]}"


def witness_key(file: Path, name: str | None, randomness: Randomness = secrets.token_bytes) -> Signer:
    """Return the key of a witness, which is made at the first start. Raises `KeyUnusable` or `OSError`."""
    if not file.exists():
        key_name = name if name is not None else new_id("witness/", randomness(ID_BYTES))
        write_secret(file, new_key(key_name, randomness, ED25519_COSIGNATURE))
    signer = read_signer(file.read_text(), ED25519_COSIGNATURE)
    if name is not None and name != signer.key.name:
        raise KeyUnusable(f"{file} is the key of {signer.key.name}, not of {name}")
    return signer
