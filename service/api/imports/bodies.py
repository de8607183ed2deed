"""Queries and bodies of the endpoints for imports."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from domain.importing import Examined
from domain.kernel.ids import GameId, PlayerId, Seat
from domain.kernel.log.ending import Finish
from service.api.bodies import Identifier, Listed, Page
from service.imports.imports import found_in
from service.store.imports import ImportId, ImportRow
from service.transparency.keys import LogKey


class NewImport(Struct, frozen=True, forbid_unknown_fields=True):
    """An export to import.

    Attributes:
        export: the export of a game that is over, as its service gave it, to the byte.
        certificate: the certificate of the end of the game, of the same service; needs `policy`.
        policy: the policy of that service, which names the key of its log.
    """

    export: str
    certificate: Annotated[str, Meta(max_length=65_536)] | UnsetType = UNSET
    policy: Annotated[str, Meta(max_length=16_384)] | UnsetType = UNSET


class Imported(Struct, frozen=True):
    """The result of importing an export.

    Attributes:
        id: the id of the import. It follows from the export and the key of the issuer.
        game: the id that its issuer gave the game.
        provenance: who vouches for the game, in a sentence.
    """

    id: ImportId
    game: GameId
    provenance: str


class ImportsPage(Page, frozen=True, forbid_unknown_fields=True):
    """Which imports.

    Attributes:
        ruleset: only games of this ruleset.
        player: only those that this account imported.
    """

    ruleset: Identifier | None = None
    player: Identifier | None = None


class ImportedSeat(Struct, frozen=True):
    """A seat of an imported game.

    Attributes:
        seat: the seat.
        account: who held it at the end, as its issuer names the account: it is no account of this service. Null for
            nobody.
    """

    seat: Seat
    account: str | None


class ImportSummary(Struct, frozen=True):
    """A game that another service recorded, at a glance.

    Attributes:
        id: the id of the import. It follows from the export and the key of the issuer.
        game: the id that its issuer gave the game.
        ruleset: its ruleset.
        ruleset_version: the version of the ruleset with which it began.
        events: the number of its events.
        created: when it was created.
        ended: when it ended.
        seats: its seats.
        finish: how it ended.
        player: the account that imported it; that does not mean that it played in it.
        imported: when it was imported.
        origin: the name of the log that vouches for it; null without a certificate.
        provenance: who vouches for the game, in a sentence.
    """

    id: ImportId
    game: GameId
    ruleset: str
    ruleset_version: int
    events: int
    created: str
    ended: str
    seats: tuple[ImportedSeat, ...]
    finish: Finish
    player: PlayerId
    imported: str
    origin: str | None
    provenance: str


class ImportIssuer(Struct, frozen=True):
    """The service that vouches for an imported game.

    Attributes:
        origin: the name of its transparency log.
        key: the key that signed, as a C2SP vkey. Compare it with what the issuer publishes.
        own: whether that is a key of this service.
        said: what follows from the certificate, in sentences.
        certificate: the certificate.
        policy: the policy that came with it.
    """

    origin: str
    key: str
    own: bool
    said: tuple[str, ...]
    certificate: str
    policy: str


class ImportDetail(ImportSummary, frozen=True):
    """A game that another service recorded, with its proof.

    Attributes:
        past: the games that it forks from, the oldest first; the export has them.
        head: the hash of its last event, in hex.
        bytes: the size of its export.
        proved: what was verified, in sentences.
        issuer: who vouches for it; null without a certificate.
    """

    past: tuple[GameId, ...]
    head: str
    bytes: int
    proved: tuple[str, ...]
    issuer: ImportIssuer | None


class ImportPage(Listed[ImportSummary], frozen=True):
    """A page of imports, the newest first."""


def import_summary(row: ImportRow, own: LogKey | None) -> ImportSummary:
    """Return an import at a glance; `own` is the key that signs the log of this service."""
    examined = found_in(row)
    return ImportSummary(
        id=row.import_id,
        game=examined.game,
        ruleset=examined.ruleset,
        ruleset_version=examined.ruleset_version,
        events=examined.events,
        created=examined.created,
        ended=examined.ended,
        seats=tuple(ImportedSeat(seat, account) for seat, account in examined.seats.items()),
        finish=examined.finish,
        player=row.player,
        imported=row.imported,
        origin=examined.issuer.origin if examined.issuer is not None else None,
        provenance=_provenance(examined, own),
    )


def import_detail(row: ImportRow, own: LogKey | None) -> ImportDetail:
    """Return an import with its proof."""
    examined = found_in(row)
    summary = import_summary(row, own)
    issuer = None
    if examined.issuer is not None:
        issuer = ImportIssuer(
            origin=examined.issuer.origin,
            key=examined.issuer.key,
            own=_is_own(examined, own),
            said=examined.issuer.said,
            certificate=row.certificate,
            policy=row.policy,
        )
    members = {name: getattr(summary, name) for name in summary.__struct_fields__}
    return ImportDetail(
        **members, past=examined.past, head=examined.head, bytes=row.size, proved=examined.proved, issuer=issuer
    )


def _is_own(examined: Examined, own: LogKey | None) -> bool:
    return (
        examined.issuer is not None
        and own is not None
        and examined.issuer.key in {str(each.key) for each in own.signers}
    )


def _provenance(examined: Examined, own: LogKey | None) -> str:
    if examined.issuer is None:
        return "It came without a certificate: nobody vouches for it, and any service could have recorded it."
    if _is_own(examined, own):
        return (
            f"The log {examined.issuer.origin} of this service signed its end, but the service does not have the game."
        )
    return (
        f"The log {examined.issuer.origin} signed its end. This service does not vouch for that log: compare its key."
    )
