"""The export of a game: its whole log as JSON Lines, from which everything can be checked again.

Every line is the RFC 8785 form of an object and ends with a newline:

    {"board", "documents", "format", "game", "ruleset", "ruleset_version"}
        the first line; `board` is the whole board as it is hashed, and `documents` are those of the game by name, each
        as it is hashed; the field is absent when the ruleset has no documents
    {"at", "cause", "draws", "event", "game", "hash", "schema", "version"}
        a row of the log and its hash, in hex
    {"secret": {"commitment", "readers", "salt", "value"}}
        a published secret; they come in the order of sealing
    {"end": {"digest", "head", "secrets", "status", "version"}}
        the last line; `digest` is over all bytes before it

The export of a fork begins with its past: for each game that it goes back to, the oldest first, these lines of that
game up to the version at which the next one forks, and then

    {"past": {"head", "secret", "secrets", "version"}}
        the end of that part; `secret` is that of the game's dice, when it is public

Everything after it is as in any export. The past has only secrets that its own rows sealed.

A row without its ``hash`` is what is hashed (`domain.kernel.log.record`). The secret of the dice is in the event that
ends the game. The export of a running game has only the secrets that its reader may see.
"""

import hashlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Final

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from domain.kernel.canonical import canonical, digest
from domain.kernel.chance.secret import Secret, Vault
from domain.kernel.ids import LARGEST_INTEGER, GameId, Seat, StreamId, Version
from domain.kernel.log.fold import fold
from domain.kernel.log.game import Game
from domain.kernel.log.history import commitments_in
from domain.kernel.log.lifecycle import Status
from domain.kernel.log.record import Record
from domain.kernel.rules.board import Board
from domain.kernel.rules.board import canonical as board_bytes
from domain.kernel.rules.documents import documents_of
from domain.kernel.rules.ruleset import Library

FORMAT: Final = "tabularium-export/1"

Hex = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]  # not $, which lets a line break follow
Number = Annotated[int, Meta(ge=0, le=LARGEST_INTEGER)]
Plain = Annotated[str, Meta(pattern=r'^[^"\\\x00-\x1f]+\Z')]
"""A text that needs no escapes in JSON."""


class Header(Struct, frozen=True, forbid_unknown_fields=True):
    """The first line."""

    board: Raw
    format: str
    game: Plain
    ruleset: str
    ruleset_version: Number
    documents: dict[str, Raw] | UnsetType = UNSET


class Row(Struct, frozen=True, forbid_unknown_fields=True):
    """A row of the log."""

    at: str
    draws: Number
    event: Raw
    game: Plain
    hash: Hex
    schema: Number
    version: Number
    cause: Raw | UnsetType = UNSET


class Published(Struct, frozen=True, forbid_unknown_fields=True):
    """The line of a secret."""

    secret: Secret


class End(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the last line: the digest of all bytes before it, the chain's head, and the number of secrets."""

    digest: str
    head: Hex
    secrets: Number
    status: Status
    version: Number


class PastEnd(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the line that ends the past of a fork: head and number of secrets, and the secret of its dice."""

    head: Hex
    secrets: Number
    version: Number
    secret: Hex | UnsetType = UNSET


class PastLine(Struct, frozen=True, forbid_unknown_fields=True):
    """The line that ends the past of a fork."""

    past: PastEnd


class LastLine(Struct, frozen=True, forbid_unknown_fields=True):
    """The last line."""

    end: End


class Export(Struct, frozen=True):
    """An export that was read: complete, canonical and with an unbroken chain. `verify` checks it against the rules.

    Attributes:
        past: the parent of a fork up to the version at which it began; None for a game that is no fork.
        secret: the secret of the dice of a past, in hex, when it is public; the last event of a whole game has it.
        line: the number of its first line.
    """

    game: GameId
    ruleset: str
    ruleset_version: int
    board: Board
    documents: Mapping[str, bytes]
    records: tuple[Record, ...]
    secrets: tuple[Secret, ...]
    status: Status
    past: "Export | None" = None
    secret: str | None = None
    line: int = 1

    @property
    def last_line(self) -> int:
        """The number of its last line."""
        return self.line + len(self.records) + len(self.secrets) + 1

    def fold(self, library: Library, version: Version | None = None) -> Game:
        """Return the game at a version, or after the last event; a fork with its past.

        Raises:
            LookupError: `library` does not have its ruleset.
            DocumentError: its documents do not fit its board.
        """
        past = self.past.fold(library) if self.past is not None else None
        board = library.at(self.ruleset, self.ruleset_version).equip(self.board, self.documents)
        return fold(self.records[:version], self.game, library, lambda _: board, past)


class Past(Struct, frozen=True):
    """A game that a fork goes back to, for the fork's export.

    Attributes:
        game: the game at the version at which the next one forks.
        records: its log up to that version.
        vault: the secrets of the game, of any version, that the reader may see.
        secret: the secret of its chance, when that is public.
    """

    game: Game
    records: Sequence[Record]
    vault: Vault
    secret: bytes | None = None


class ExportError(Exception):
    """What is wrong with an export, with the line of the fault and the version that it belongs to, if any."""

    def __init__(self, problem: str, line: int, version: Version | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line
        self.version = version


def export(
    game: Game,
    records: Iterable[Record],
    vault: Vault,
    seat: Seat | None = None,
    *,
    everything: bool = False,
    pasts: Sequence[Past] = (),
) -> Iterator[bytes]:
    """Yield the lines of a game's export. `records` is the whole log up to `game`, `vault` may hold every secret.

    While the game runs, `seat` gets its own secrets and a spectator (None) gets none; `everything` includes all. When
    the game is over, everybody gets all secrets. `pasts` are the games that a fork goes back to, the oldest first.

    Raises:
        ValueError: the game is a fork, and `pasts` are not as many as it goes back to.
    """
    if len(pasts) != (game.forked.depth if game.forked is not None else 0):
        raise ValueError(f"{game.id} does not go back to {len(pasts)} games")
    visible = _visible_vault(game, vault, seat, everything)
    if pasts:  # the vault of a fork also has the secrets that it took along; the lines of its past contain them
        records = list(records)
        visible = _of_rows(visible, records, commitments_in(row for past in pasts for row in past.records))
    body = (*_pasts(pasts), *_body(game, records, visible)) if pasts else _body(game, records, visible)
    secrets = len(visible.all())
    yield from with_end(body, lambda digest: LastLine(End(digest, game.head.hex(), secrets, game.status, game.version)))


def with_end(body: Iterable[bytes], last: Callable[[str], Struct]) -> Iterator[bytes]:
    """Yield the lines of an export, then the last line, which `last` makes from the digest of the others."""
    hasher = hashlib.sha256()
    for line in body:
        hasher.update(line)
        yield line
    yield canonical(last(f"sha256:{hasher.hexdigest()}")) + b"\n"


def fingerprint(
    game: Game, vault: Vault, seat: Seat | None = None, *, everything: bool = False, pasts: Sequence[Past] = ()
) -> str:
    """Return a digest in hex that two exports share only when they are equal to the byte. It makes no export.

    The head of the chain stands for the rows, the board and the documents, and commitments for the secrets. The export
    of a fork also changes without an event: when its parent ends, whose secrets are then public.
    """
    parts = [(past.game, past.vault, past.secret.hex() if past.secret is not None else "") for past in pasts]
    parts.append((game, _visible_vault(game, vault, seat, everything), ""))
    return digest([FORMAT, *([each.head.hex(), [*visible.all()], secret] for each, visible, secret in parts)])[7:]


def _visible_vault(game: Game, vault: Vault, seat: Seat | None, everything: bool) -> Vault:
    return vault if everything or game.status == "over" else vault.read_by(seat)


def _pasts(pasts: Sequence[Past]) -> Iterator[bytes]:
    before = set[str]()
    for past in pasts:
        visible = _of_rows(past.vault, past.records, before)
        yield from _body(past.game, past.records, visible)
        secret = past.secret.hex() if past.secret is not None else UNSET
        yield canonical(PastLine(PastEnd(past.game.head.hex(), len(visible.all()), past.game.version, secret))) + b"\n"
        before |= commitments_in(past.records)


def _of_rows(vault: Vault, records: Iterable[Record], before: Container[str]) -> Vault:
    """Return the secrets whose commitments are in these rows, and not among those in `before`."""
    sealed = commitments_in(records)
    return Vault(secret for name, secret in vault.all().items() if name in sealed and name not in before)


def _body(game: Game, records: Iterable[Record], vault: Vault) -> Iterator[bytes]:
    board = Raw(board_bytes(game.board))
    documents = {name: Raw(canonical(each)) for name, each in documents_of(game.board).items()} or UNSET
    yield canonical(Header(board, FORMAT, game.id, game.ruleset.id, game.began_with, documents)) + b"\n"
    for record in records:
        yield row_line(game.id, record) + b"\n"
    for secret in vault.all().values():
        yield canonical(Published(secret)) + b"\n"


def row_line(stream: StreamId, record: Record) -> bytes:
    """Return the line of a row, without the newline at its end."""
    row = Row(
        at=record.at,
        draws=record.draws,
        event=Raw(record.event),
        game=stream,
        hash=record.hash.hex(),
        schema=record.schema,
        version=record.version,
        cause=Raw(record.cause) if record.cause is not None else UNSET,
    )
    return canonical(row)
