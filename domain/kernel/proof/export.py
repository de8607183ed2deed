"""The export of a game: its whole log as JSON Lines, from which everything can be checked again.

Every line is the RFC 8785 form of an object and ends with a newline:

    {"board", "documents", "format", "game", "ruleset", "ruleset_version"}
        the first line; `board` is the whole board as it is hashed, and `documents` are those of the game by name, each
        as it is hashed; games of rulesets without documents do not have the field
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

Everything after it is as in any export. The past has no secrets beyond its own rows.

A row without its ``hash`` is what is hashed (`domain.kernel.log.record`). The secret of the dice is in the event that
ends the game. The export of a running game has only the secrets that its reader may see.
"""

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Annotated, Any, Final, NoReturn, TypeVar, cast

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from domain.kernel.canonical import canonical, digest
from domain.kernel.chance.secret import Secret, Vault
from domain.kernel.ids import LARGEST_INTEGER, GameId, Seat, StreamId, Version
from domain.kernel.log.fold import fold
from domain.kernel.log.forking import DEEPEST
from domain.kernel.log.game import Game
from domain.kernel.log.history import commitments_in, read_created
from domain.kernel.log.lifecycle import GameCreated, GameForked, Status
from domain.kernel.log.record import Cause, Record, chain_hash, genesis
from domain.kernel.rules.board import Board, from_canonical
from domain.kernel.rules.board import canonical as board_bytes
from domain.kernel.rules.documents import documents_of
from domain.kernel.rules.ruleset import Library

FORMAT: Final = "tabularium-export/1"

Hex = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]  # not $, which lets a line break follow
Number = Annotated[int, Meta(ge=0, le=LARGEST_INTEGER)]
Plain = Annotated[str, Meta(pattern=r'^[^"\\\x00-\x1f]+\Z')]
"""A text that needs no escapes in JSON."""

_TIME_OF_DAY: Final = re.compile(r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z")
_DIGITS: Final = bytes.maketrans(b"123456789", b"000000000")
_LONG_NUMBER: Final = b"0" * 16
"""Every number that some programs round contains this, once all its digits are replaced by 0."""

_KEY: Final = re.compile("[0-9a-f]{32}")


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
    """An export that was read: complete, canonical and with an unbroken chain. `verify` checks that it is true.

    Attributes:
        past: the parent of a fork up to the version at which it began; None for a game that is no fork.
        secret: the secret of the dice of a past, in hex, when it is public; the last event of a whole game has it.
        line: the line with which it begins.
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
        """The line that ends it."""
        return self.line + len(self.records) + len(self.secrets) + 1

    def fold(self, library: Library, version: Version | None = None) -> Game:
        """Return the game at a version, or as it stands; of a fork with its past.

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
        records: its log up to there.
        vault: what the reader may see of its secrets, of this version and others.
        secret: the secret of its chance, when that is public.
    """

    game: Game
    records: Sequence[Record]
    vault: Vault
    secret: bytes | None = None


class ExportError(Exception):
    """An export that is wrong, with the line of the fault and the version that it belongs to, if any."""

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
    shown = _shown(game, vault, seat, everything)
    if pasts:  # its vault also holds what it took along, which the past has
        records = list(records)
        shown = _of_rows(shown, records, commitments_in(row for past in pasts for row in past.records))
    whole = hashlib.sha256()
    for line in (*_pasts(pasts), *_body(game, records, shown)) if pasts else _body(game, records, shown):
        whole.update(line)
        yield line
    end = End(f"sha256:{whole.hexdigest()}", game.head.hex(), len(shown.all()), game.status, game.version)
    yield canonical(LastLine(end)) + b"\n"


def fingerprint(
    game: Game, vault: Vault, seat: Seat | None = None, *, everything: bool = False, pasts: Sequence[Past] = ()
) -> str:
    """Return a digest in hex that two exports have alike only when they are the same to the byte, without making one.

    The head of the chain stands for the rows, the board and the documents, and commitments for the secrets. An export
    changes without an event where a fork's parent is over and its secrets are public.
    """
    parts = [(past.game, past.vault, past.secret.hex() if past.secret is not None else "") for past in pasts]
    parts.append((game, _shown(game, vault, seat, everything), ""))
    return digest([FORMAT, *([each.head.hex(), [*shown.all()], secret] for each, shown, secret in parts)])[7:]


def _shown(game: Game, vault: Vault, seat: Seat | None, everything: bool) -> Vault:
    return vault if everything or game.status == "over" else vault.read_by(seat)


def _pasts(pasts: Sequence[Past]) -> Iterator[bytes]:
    before = set[str]()
    for past in pasts:
        shown = _of_rows(past.vault, past.records, before)
        yield from _body(past.game, past.records, shown)
        secret = past.secret.hex() if past.secret is not None else UNSET
        yield canonical(PastLine(PastEnd(past.game.head.hex(), len(shown.all()), past.game.version, secret))) + b"\n"
        before |= commitments_in(past.records)


def _of_rows(vault: Vault, records: Iterable[Record], before: Container[str]) -> Vault:
    """Return the secrets that were sealed in these rows, and not before."""
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


# --- reading ---


def read(lines: Iterable[bytes]) -> Export:
    """Return the export in `lines`, which a binary file yields: each with the newline at its end.

    Raises:
        ExportError: a line is not canonical, missing, doubled or in the wrong place, or a hash does not fit.
    """
    return _Reader().read(lines)


S = TypeVar("S", bound=Struct)


def _no_fraction(number: str) -> NoReturn:
    raise ValueError(f"{number} is not a whole number")


_decoder: Final = msgspec.json.Decoder(float_hook=_no_fraction)


def _cause(raw: bytes) -> Cause | None:
    """Return the cause in canonical JSON; None when it has another shape."""
    try:
        cause = msgspec.json.decode(raw, type=Cause)
    except msgspec.ValidationError:
        return None
    return cause if canonical(cause) == raw else None


def _is_moment(at: str) -> bool:
    """Tell whether a text is a valid time in UTC with microseconds. Such times sort like texts."""
    return _TIME_OF_DAY.fullmatch(at, 10) is not None and _is_date(at[:10])


@lru_cache(maxsize=64)
def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _is_exact(value: Any) -> bool:
    """Tell whether every JSON implementation reads the integers of a JSON value alike."""
    if isinstance(value, dict):
        return all(map(_is_exact, cast(dict[str, Any], value).values()))
    if isinstance(value, list):
        return all(map(_is_exact, cast(list[Any], value)))
    return not isinstance(value, int) or abs(value) <= LARGEST_INTEGER


class Lines(ABC):
    """Reads the lines of an export one after another, the rows of a stream first; it reports the first fault."""

    stream: StreamId

    def __init__(self) -> None:
        self.line = 0
        self.whole = hashlib.sha256()
        self.records: list[Record] = []

    def begin(self, stream: StreamId) -> None:
        """Begin with the rows of a stream."""
        self.stream = stream
        self.head = genesis(stream)
        self.records = []

    @property
    def expected(self) -> Version:
        """The version of the next row."""
        return len(self.records) + 1

    def record(self, row: Row) -> None:
        """Take the next row."""
        expected = self.expected
        if row.version != expected:
            self.fail(f"expected version {expected}, found version {row.version}", expected)
        if row.game != self.stream:
            self.fail(f"version {expected} is of {row.game}, not of {self.stream}", expected)
        cause = None if isinstance(row.cause, UnsetType) else bytes(row.cause)
        record = Record(row.version, bytes(row.event), row.schema, row.draws, row.at, cause, bytes.fromhex(row.hash))
        if record.hash != chain_hash(self.head, self.stream, record):
            self.fail(f"the hash of version {expected} does not continue the chain", expected)
        if expected == 1:
            self.check_first(record)
        elif row.draws < self.records[-1].draws:
            self.fail(f"version {expected} counts fewer draws of chance than the version before it", expected)
        self._check_time(record)
        if cause is not None:
            self._check_cause(cause, expected)
        self.records.append(record)
        self.head = record.hash

    @abstractmethod
    def check_first(self, record: Record) -> None:
        """Check that the first row is what the first line says."""

    def _check_time(self, record: Record) -> None:
        before = self.records[-1].at if self.records else ""
        if record.at == before:
            return
        if not _is_moment(record.at):
            right = "expected a time in UTC with microseconds, such as 2026-01-31T09:30:00.000000Z"
            self.fail(f"version {record.version} has the time {record.at!r}; {right}", record.version)
        if record.at < before:
            said = f"version {record.version} has the time {record.at}, which is earlier than the one before, {before}"
            self.fail(said, record.version)

    def _check_cause(self, raw: bytes, version: Version) -> None:
        cause = _cause(raw)
        if cause is None:
            self.fail(f"the cause of version {version} is not of the known shape", version)
        if cause.key is not None and not _KEY.fullmatch(cause.key):
            self.fail(f"version {version} has a key that is not a digest of 32 hex digits", version)

    def check_end(self, version: Version, head: str, digest: str) -> None:
        """Check what the last line says of the lines before it."""
        if version != len(self.records):
            missing = self.expected if version > len(self.records) else None
            self.fail(f"the last line names version {version}, but the log ends at {len(self.records)}", missing)
        if head != self.head.hex():
            self.fail("the head in the last line is not the hash of the last version")
        if digest != f"sha256:{self.whole.hexdigest()}":
            self.fail("the digest in the last line is not that of the lines before it")

    def parse(self, line: bytes, form: type[S], version: Version | None = None) -> S:
        """Return what a line says."""
        self.line += 1
        whose = f"version {version}" if version is not None else f"line {self.line}"
        if not line.endswith(b"\n"):
            self.fail(f"{whose} is cut off" if line else "the export is empty", version)
        try:
            value = _decoder.decode(line)
            exact = canonical(value) + b"\n" == line
            content = msgspec.json.decode(line, type=form)
        except msgspec.ValidationError as error:
            self.fail(f"{whose} is not of the known shape: {error}", version)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            self.fail(f"{whose} is not JSON: {error}", version)
        if not exact:
            self.fail(f"{whose} is not in the canonical form of RFC 8785", version)
        if _LONG_NUMBER in line.translate(_DIGITS) and not _is_exact(value):
            self.fail(f"{whose} has a number beyond 2^53 - 1, which some programs read inexactly", version)
        return content

    def fail(self, problem: str, version: Version | None = None) -> NoReturn:
        """Raise `ExportError` about the line that was read last."""
        raise ExportError(f"{problem[0].upper()}{problem[1:]}.", self.line, version)


class _Reader(Lines):
    """Reads the export of a game."""

    first_line: int

    def __init__(self) -> None:
        super().__init__()
        self.secrets: list[Secret] = []
        self.past: Export | None = None
        self.games = 0
        """How many games of the past were read."""
        self.end: End | None = None

    def read(self, lines: Iterable[bytes]) -> Export:
        each = iter(lines)
        self._begin(next(each, b""))
        for line in each:
            if line.startswith(b'{"past":'):
                self._past(line)
                self._begin(next(each, b""))
            else:
                self._next(line)
        if self.end is None:
            self.fail("the export is cut off: its last line is missing", self.expected if not self.secrets else None)
        return self._export(self.end.status)

    def _begin(self, line: bytes) -> None:
        """Begin a game, with its first line."""
        self.header = self._header(line)
        self.first_line = self.line
        self.game = GameId(self.header.game)
        self.secrets = []
        self.begin(self.game)

    def _export(self, status: Status, secret: str | None = None) -> Export:
        return Export(
            self.game,
            self.header.ruleset,
            self.header.ruleset_version,
            self.board,
            self.documents,
            tuple(self.records),
            tuple(self.secrets),
            status,
            self.past,
            secret,
            self.first_line,
        )

    def _past(self, line: bytes) -> None:
        """Take the line that ends the past of a fork."""
        end = self.parse(line, PastLine).past
        self.games += 1
        if self.end is not None or not self.records or self.games > DEEPEST:
            self.fail("the past of a fork stands where it has no place")
        if (end.version, end.head) != (len(self.records), self.head.hex()):
            self.fail(f"the past does not end at version {end.version} of {self.game} with the hash that is named")
        if end.secrets != len(self.secrets):
            self.fail(f"the past has {len(self.secrets)} secrets of {self.game}, not {end.secrets}")
        self.past = self._export("running", None if end.secret is UNSET else end.secret)
        self.whole.update(line)

    def _header(self, line: bytes) -> Header:
        if line.startswith(b"\x1f\x8b"):
            self.line = 1
            self.fail("the export is compressed with gzip: decompress it first")
        header = self.parse(line, Header)
        if header.format != FORMAT:
            self.fail(f"this is an export of the form {header.format!r}, not {FORMAT!r}")
        try:
            self.board = from_canonical(msgspec.json.decode(header.board))
            exact = board_bytes(self.board) == bytes(header.board)
        except (msgspec.ValidationError, LookupError, TypeError, ValueError) as error:
            self.fail(f"the board cannot be read: {error}")
        if not exact:
            self.fail("the board is not in its canonical order")
        documents = {} if header.documents is UNSET else header.documents
        self.documents = {name: bytes(document) for name, document in documents.items()}
        self.whole.update(line)
        return header

    def _next(self, line: bytes) -> None:
        if self.end is not None:
            self.line += 1
            self.fail("something follows the last line")
        if line.startswith(b'{"end":'):
            self._end(self.parse(line, LastLine).end)
        elif line.startswith(b'{"secret":') or self.secrets:
            self._secret(self.parse(line, Published).secret)
        else:
            self.record(self.parse(line, Row, self.expected))
        self.whole.update(line)

    def check_first(self, record: Record) -> None:
        try:
            created = read_created(record)
        except msgspec.ValidationError as error:
            self.fail(f"version 1 does not create a game: {error}", 1)
        self._check_past(created)
        told = (self.header.ruleset, self.header.ruleset_version, digest(Raw(self.header.board)))
        if told != (created.ruleset, created.ruleset_version, created.board):
            self.line = self.first_line
            self.fail("the first line names another ruleset or board than the game was created with")
        named = {} if created.documents is UNSET else created.documents
        for name in sorted({*named, *self.documents}):
            if name not in self.documents or digest(Raw(self.documents[name])) != named.get(name):
                self.line = self.first_line
                self.fail(f"the {name} in the first line are not those that the game was created with")

    def _check_past(self, created: GameCreated) -> None:
        """Check that a fork, and nothing else, has a past, and begins where that ends."""
        past = self.past
        if not isinstance(created, GameForked):
            if past is not None:
                self.fail(f"{self.game} is no fork, but a past stands before it", 1)
            return
        if past is None:
            self.fail(f"{self.game} is a fork of {created.parent}, whose log is missing", 1)
        if created.parent != past.game:
            self.fail(f"{self.game} is a fork of {created.parent}, but the log before it is that of {past.game}", 1)
        if (created.version, created.hash) != (len(past.records), past.records[-1].hash.hex()):
            at = f"version {created.version} with the hash {created.hash}"
            ends = f"version {len(past.records)} with the hash {past.records[-1].hash.hex()}"
            self.fail(f"{self.game} forks at {at}, but the log of {past.game} before it ends at {ends}", 1)

    def _secret(self, secret: Secret) -> None:
        if not re.fullmatch("[0-9a-f]{32}", secret.salt) or not secret.is_genuine():
            self.fail(f"the secret of {secret.commitment} does not fit its commitment")
        self.secrets.append(secret)

    def _end(self, end: End) -> None:
        self.end = end
        if end.secrets != len(self.secrets) and end.version == len(self.records) and end.head == self.head.hex():
            self.fail(f"the last line names {end.secrets} secrets, but there are {len(self.secrets)}")
        self.check_end(end.version, end.head, end.digest)
