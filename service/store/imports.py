"""The stored data of games that other services recorded."""

from typing import NewType, Protocol

from msgspec import Struct

from domain.kernel.ids import PlayerId

ImportId = NewType("ImportId", str)
"""An import: it follows from the export and the key of its issuer."""


class ImportRow(Struct, frozen=True):
    """An import without its export.

    Attributes:
        import_id: its id.
        player: the account that imported it.
        imported: when that was.
        ruleset: the ruleset of the game.
        found: the result of its verification, as JSON.
        certificate: the certificate that came with the export; empty for none.
        policy: the policy that came with the certificate; empty for none.
        size: the bytes of the export.
    """

    import_id: ImportId
    player: PlayerId
    imported: str
    ruleset: str
    found: str
    certificate: str
    policy: str
    size: int


class ImportStore(Protocol):
    """The imports of a store. Every method may raise `StoreError`."""

    async def add(self, row: ImportRow, content: bytes, most: int) -> ImportRow:
        """Store an import with its compressed export. Return the import that is stored under its id, which may be an
        earlier one.

        Raises `LimitReached` when its account has `most` imports, or is closed.
        """
        ...

    async def get(self, import_id: ImportId) -> ImportRow | None:
        """Return an import; None when there is none."""
        ...

    async def content(self, import_id: ImportId) -> bytes | None:
        """Return the compressed export of an import; None when there is none."""
        ...

    async def list(
        self,
        *,
        player: PlayerId | None = None,
        ruleset: str | None = None,
        after: ImportId | None = None,
        limit: int,
    ) -> list[ImportRow]:
        """Return imports, the newest first: those that follow `after`, of an account, of a ruleset."""
        ...

    async def remove(self, import_id: ImportId) -> None:
        """Delete an import, if it is there."""
        ...
