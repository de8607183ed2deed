"""The row of a snapshot, and the protocol of a store of snapshots."""

from typing import Annotated, Protocol

from msgspec import Meta, Struct

from domain.kernel.ids import GameId, Version


class Snapshot(Struct, frozen=True):
    """A stored snapshot.

    Attributes:
        ruleset: the ruleset and its version, which made it.
        body: the position, JSON (`domain.kernel.log.snapshot`).
        seal: HMAC-SHA256 of the body, 32 bytes.
    """

    game: GameId
    version: Annotated[Version, Meta(ge=1, le=2**31 - 1)]
    ruleset: str
    ruleset_version: int
    body: bytes
    seal: bytes


class SnapshotStore(Protocol):
    """Stores the newest snapshot of each game. Every method may raise `StoreError`."""

    async def newest(self, game: GameId) -> Snapshot | None:
        """Return the snapshot of a game, or None."""
        ...

    async def keep(self, snapshot: Snapshot) -> None:
        """Store a snapshot, replacing an older one of its game."""
        ...

    async def drop(self, game: GameId) -> None:
        """Delete the snapshot of a game."""
        ...

    async def close(self) -> None:
        """Finish pending work, then close."""
        ...
