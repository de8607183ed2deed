"""The export of a stream that is not a game's (a case, a tournament, a league): reading it, deciding its acts again."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import NoReturn

import msgspec

from domain.kernel.ids import StreamId, Version
from domain.kernel.log.record import Record
from domain.kernel.proof.export import ExportError, Row
from domain.kernel.proof.reading import Lines
from domain.kernel.rules.refusal import Refusal


class StreamReader(Lines):
    """Reads a first line, the rows of a stream, and a last line."""

    @property
    def missing(self) -> Version | None:
        """The version whose row is missing when the export is cut off; None when another line is missing."""
        return self.expected

    def read_all(self, lines: Iterable[bytes]) -> None:
        """Read the lines of an export. Raises `ExportError`."""
        remaining, is_over = iter(lines), False
        first = next(remaining, b"")
        self.begin(self.first(first))
        self.hasher.update(first)
        for line in remaining:
            if is_over:
                self.line += 1
                self.fail("something follows the last line")
            is_over = line.startswith(b'{"end":')
            (self.last if is_over else self.take)(line)
            self.hasher.update(line)
        if not is_over:
            self.fail("the export is cut off: its last line is missing", self.missing)

    @abstractmethod
    def first(self, line: bytes) -> StreamId:
        """Take the first line; return the stream that it names."""

    def take(self, line: bytes) -> None:
        """Take a line between the first and the last: a row."""
        self.record(self.parse(line, Row, self.expected))

    @abstractmethod
    def last(self, line: bytes) -> None:
        """Take the last line."""

    def require_form(self, form: str, expected: str) -> None:
        """Fail unless the export has the form that this version of the package reads."""
        if form != expected:
            self.fail(f"this is an export of the form {form!r}, not {expected!r}")


class StreamReplay(ABC):
    """Decides the acts of a stream again, one after another, and compares."""

    def __init__(self) -> None:
        self.version: Version = 1
        """The version that is decided now."""

    def decide_all(self, records: Sequence[Record]) -> None:
        """Decide all acts again. Raises `ExportError` for the first record that does not follow."""
        for record in records:
            self.version = record.version
            try:
                right = self.decided(record)
            except Refusal as refusal:
                self.fail(f"version {self.version} cannot have happened: {refusal}")
            except (msgspec.MsgspecError, ValueError, LookupError, TypeError) as error:
                self.fail(f"version {self.version} cannot be decided again: {type(error).__name__}: {error}")
            if record != right:
                stored, expected = record.event.decode(), right.event.decode()
                self.fail(f"version {self.version} is not what follows: {stored} is stored, {expected} is right")

    @abstractmethod
    def decided(self, record: Record) -> Record:
        """Decide the act of a record again; return the record that it adds now. Raises what deciding raises."""

    def fail(self, problem: str) -> NoReturn:
        """Raise `ExportError` about the version that is decided now."""
        raise ExportError(f"{problem[0].upper()}{problem[1:]}.".replace("..", "."), self.version + 1, self.version)
