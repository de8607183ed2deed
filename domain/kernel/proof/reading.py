"""Reading the export of a game: every line is canonical and in its place, and the chain is unbroken."""

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from typing import Any, Final, NoReturn, TypeVar, cast

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from domain.kernel.canonical import canonical, digest
from domain.kernel.chance.secret import Secret
from domain.kernel.ids import LARGEST_INTEGER, GameId, StreamId, Version
from domain.kernel.log.forking import DEEPEST
from domain.kernel.log.history import read_created
from domain.kernel.log.lifecycle import GameCreated, GameForked, Status
from domain.kernel.log.record import Cause, Record, chain_hash, genesis
from domain.kernel.proof.export import FORMAT, End, Export, ExportError, Header, LastLine, PastLine, Published, Row
from domain.kernel.rules.board import canonical as board_bytes
from domain.kernel.rules.board import from_canonical

_KEY: Final = re.compile("[0-9a-f]{32}")
_TIME_OF_DAY: Final = re.compile(r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z")
_DIGITS: Final = bytes.maketrans(b"123456789", b"000000000")
_LONG_NUMBER: Final = b"0" * 16
"""Some programs round numbers of 16 digits or more. Such a number contains this when all digits are replaced by 0."""


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
    """Return the cause in a JSON text; None when the text is not canonical or has another shape."""
    try:
        cause = msgspec.json.decode(raw, type=Cause)
    except msgspec.ValidationError:
        return None
    return cause if canonical(cause) == raw else None


def _is_moment(at: str) -> bool:
    """Tell whether a text is a valid time in UTC with microseconds. Such texts sort by time."""
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
    """Reads the lines of an export, among them the rows of a stream. Raises `ExportError` for the first fault."""

    stream: StreamId

    def __init__(self) -> None:
        self.line = 0
        self.hasher = hashlib.sha256()
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
        """Check the next row, and add it to `records`."""
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
        """Check that the first row agrees with the first line."""

    def _check_time(self, record: Record) -> None:
        before = self.records[-1].at if self.records else ""
        if record.at == before:
            return
        if not _is_moment(record.at):
            right = "expected a time in UTC with microseconds, such as 2026-01-31T09:30:00.000000Z"
            self.fail(f"version {record.version} has the time {record.at!r}; {right}", record.version)
        if record.at < before:
            problem = (
                f"version {record.version} has the time {record.at}, which is earlier than the one before, {before}"
            )
            self.fail(problem, record.version)

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
        if digest != f"sha256:{self.hasher.hexdigest()}":
            self.fail("the digest in the last line is not that of the lines before it")

    def parse(self, line: bytes, form: type[S], version: Version | None = None) -> S:
        """Return the content of the next line. `version` is that of its row, if it is one."""
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
        remaining = iter(lines)
        self._begin(next(remaining, b""))
        for line in remaining:
            if line.startswith(b'{"past":'):
                self._past(line)
                self._begin(next(remaining, b""))
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
        self.hasher.update(line)

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
        self.hasher.update(line)
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
        self.hasher.update(line)

    def check_first(self, record: Record) -> None:
        try:
            created = read_created(record)
        except msgspec.ValidationError as error:
            self.fail(f"version 1 does not create a game: {error}", 1)
        self._check_past(created)
        header_facts = (self.header.ruleset, self.header.ruleset_version, digest(Raw(self.header.board)))
        if header_facts != (created.ruleset, created.ruleset_version, created.board):
            self.line = self.first_line
            self.fail("the first line names another ruleset or board than the game was created with")
        digests = {} if created.documents is UNSET else created.documents
        for name in sorted({*digests, *self.documents}):
            if name not in self.documents or digest(Raw(self.documents[name])) != digests.get(name):
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
