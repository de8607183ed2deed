"""Queries and answers of the endpoints for the transparency log."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.kernel.ids import LARGEST_INTEGER


class Certified(Struct, frozen=True, forbid_unknown_fields=True):
    """Which version to certify.

    Attributes:
        version: the version. The certificate is for the first logged version from this one on, whose hash chain
            contains it. Absent for the newest.
    """

    version: Annotated[int, Meta(ge=1, le=LARGEST_INTEGER)] | None = None


class LogKeyView(Struct, frozen=True):
    """The key that signs the transparency log.

    Attributes:
        origin: the name of the log, the first line of its checkpoints.
        keys: its public keys, as `signed-note` writes verifier keys. There are several while one replaces another.
        policy: a policy file that accepts this log and asks for no witness. Keep a copy, and compare it with copies
            that others got.
    """

    origin: str
    keys: tuple[str, ...]
    policy: str
