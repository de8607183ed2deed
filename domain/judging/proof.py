"""The export of a case as JSON Lines, and its proof.

Every line is the RFC 8785 form of an object and ends with a newline:

    {"case", "format", "game"}
        the first line
    {"at", "cause", "draws", "event", "game", "hash", "schema", "version"}
        a row of the case's stream and its hash, in hex; `game` is the id of the stream, so the id of the case
    {"statement": {"commitment", "salt", "version", "written"}}
        what somebody wrote, in the order of the versions; erased statements, and those that the reader may not see, are
        left out
    {"end": {"digest", "head", "statements", "status", "version"}}
        the last line; `digest` is over all bytes before it

`verify` decides every act of the case again. What it knows of the game comes from the game's own export; without one
it takes the case's word for who sat where and who was an official, and says so.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NoReturn

import msgspec
from msgspec import UNSET, Struct

from domain.judging.case import Case, Filed, open_case
from domain.judging.events import (
    Appealed,
    CaseAnswered,
    CaseEvent,
    CaseOpened,
    CaseWithdrawn,
    ConsentGiven,
    Ruled,
    StatementMade,
    Status,
    Written,
    commitment_to,
)
from domain.judging.facts import Facts
from domain.judging.fold import facts_of, fold, read_event
from domain.judging.requirements import IN_A_RUNNING_GAME
from domain.kernel.canonical import canonical
from domain.kernel.ids import CaseId, GameId, PlayerId, Seat, Version, is_case
from domain.kernel.log import lifecycle
from domain.kernel.log.history import cause_of, read_around, steps
from domain.kernel.log.lifecycle import GameAdjudicated, GameEnded, GamePaused, GameResumed, MovesRetracted
from domain.kernel.log.record import Cause, Record
from domain.kernel.proof.export import Export, ExportError, Hex, Number, Plain, row_line, with_end
from domain.kernel.proof.stream import StreamReader
from domain.kernel.rules.message import type_name
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Library

FORMAT: Final = "tabularium-case/1"

_SALT: Final = re.compile("[0-9a-f]{32}")

EFFECTS: Final[Mapping[str, str]] = {
    "back": type_name(MovesRetracted),
    "result": type_name(GameAdjudicated),
    "pause": type_name(GamePaused),
    "resume": type_name(GameResumed),
}
"""The type of the first event that a decision brings about in a running game."""


class Header(Struct, frozen=True, forbid_unknown_fields=True):
    """The first line."""

    case: Plain
    format: str
    game: Plain


class Statement(Struct, frozen=True, forbid_unknown_fields=True):
    """What somebody wrote, and the salt of its commitment in hex; `version` is that of its event."""

    commitment: Hex
    salt: str
    version: Version
    written: Written

    @property
    def is_genuine(self) -> bool:
        """Whether salt and content fit the commitment."""
        return commitment_to(self.written, bytes.fromhex(self.salt)) == self.commitment


class StatementLine(Struct, frozen=True, forbid_unknown_fields=True):
    """The line of a statement."""

    statement: Statement


class End(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the last line."""

    digest: str
    head: Hex
    statements: Number
    status: Status
    version: Number


class LastLine(Struct, frozen=True, forbid_unknown_fields=True):
    """The last line."""

    end: End


class CaseExport(Struct, frozen=True):
    """An export that was read: complete, canonical and with an unbroken chain. `verify` checks that it is true."""

    case: CaseId
    game: GameId
    records: tuple[Record, ...]
    statements: tuple[Statement, ...]
    status: Status


def export(case: Case, records: Sequence[Record], statements: Sequence[Statement]) -> Iterator[bytes]:
    """Yield the lines of the export of a case. `records` is its whole stream."""
    body = _body(case, records, statements)
    yield from with_end(
        body, lambda digest: LastLine(End(digest, case.head.hex(), len(statements), case.status, case.version))
    )


def _body(case: Case, records: Sequence[Record], statements: Sequence[Statement]) -> Iterator[bytes]:
    yield canonical(Header(case.id, FORMAT, case.game)) + b"\n"
    for record in records:
        yield row_line(case.id, record) + b"\n"
    for statement in statements:
        yield canonical(StatementLine(statement)) + b"\n"


def is_export(first_line: bytes) -> bool:
    """Tell by its first line whether an export is that of a case."""
    return first_line.startswith(b'{"case":')


def read(lines: Iterable[bytes]) -> CaseExport:
    """Return the export in `lines`, each with the newline at its end.

    Raises:
        ExportError: a line is not canonical, missing, doubled or in the wrong place, or a hash does not fit.
    """
    return _Reader().read(lines)


class _Reader(StreamReader):
    """Reads the export of a case."""

    header: Header
    end: End

    def __init__(self) -> None:
        super().__init__()
        self.statements: list[Statement] = []

    def read(self, lines: Iterable[bytes]) -> CaseExport:
        self.read_all(lines)
        case, game = CaseId(self.stream), GameId(self.header.game)
        return CaseExport(case, game, tuple(self.records), tuple(self.statements), self.end.status)

    @property
    def missing(self) -> Version | None:
        return None if self.statements else self.expected

    def first(self, line: bytes) -> CaseId:
        self.header = self.parse(line, Header)
        self.require_form(self.header.format, FORMAT)
        case = CaseId(self.header.case)
        if not is_case(case):
            self.fail(f"{case!r} is no id of a case")
        return case

    def take(self, line: bytes) -> None:
        if line.startswith(b'{"statement":') or self.statements:
            self._statement(self.parse(line, StatementLine).statement)
        else:
            super().take(line)

    def last(self, line: bytes) -> None:
        self.end = self.parse(line, LastLine).end
        self.check_end(self.end.version, self.end.head, self.end.digest)
        if self.end.statements != len(self.statements):
            self.fail(f"the last line names {self.end.statements} statements, but there are {len(self.statements)}")

    def check_first(self, record: Record) -> None:
        try:
            opened = msgspec.json.decode(record.event, type=CaseOpened)
        except msgspec.ValidationError as error:
            self.fail(f"version 1 does not open a case: {error}", 1)
        if opened.game != self.header.game:
            self.line = 1
            self.fail("the first line names another game than the case was opened about")

    def _statement(self, statement: Statement) -> None:
        at, before = statement.version, self.statements[-1].version if self.statements else 0
        if not _SALT.fullmatch(statement.salt) or not statement.is_genuine:
            self.fail(f"the statement of version {at} does not fit its commitment", at)
        if not before < at <= len(self.records):
            self.fail(f"the statement of version {at} is not in its place", at)
        self.statements.append(statement)


# --- the proof ---


class CaseVerdict(Struct, frozen=True, omit_defaults=True):
    """The result of verifying the export of a case.

    Attributes:
        ok: whether nothing is wrong.
        problem: what is wrong, in a sentence.
        version: the first version of the case that is wrong, where the fault belongs to one.
        line: the line of the export that is wrong.
        case, game, status, events: what was checked; absent when the export could not be read.
        head: the hash of the last row.
        proved: what was checked, in sentences.
        unproved: what could not be checked, and why, in sentences.
    """

    ok: bool
    problem: str = ""
    version: Version | None = None
    line: int | None = None
    case: CaseId | None = None
    game: GameId | None = None
    status: Status | None = None
    events: int = 0
    head: str = ""
    proved: tuple[str, ...] = ()
    unproved: tuple[str, ...] = ()


def verify(lines: Iterable[bytes], library: Library, game: Export | None = None) -> CaseVerdict:
    """Verify the export of a case, given line by line. Never raises because of its content.

    Args:
        game: the export of the case's game, which is to be verified by itself.
    """
    try:
        exported = read(lines)
    except ExportError as error:
        return CaseVerdict(False, error.problem, error.version, error.line)
    verdict = CaseVerdict(True, case=exported.case, game=exported.game, status=exported.status)
    verdict = msgspec.structs.replace(verdict, events=len(exported.records))
    try:
        replay = _Replay(exported, library, game)
        replay.run()
    except ExportError as error:
        return msgspec.structs.replace(verdict, ok=False, problem=error.problem, version=error.version, line=error.line)
    head = exported.records[-1].hash.hex()
    return msgspec.structs.replace(verdict, head=head, proved=tuple(replay.proved()), unproved=tuple(replay.unproved()))


class _Replay:
    """Decides the acts of a case again, one after another, and compares."""

    def __init__(self, exported: CaseExport, library: Library, game: Export | None) -> None:
        self.exported = exported
        self.version = 1
        self.library = library
        self.game = game
        self.case: Case | None = None
        if not exported.records:
            raise ExportError("The case has no events.", 2)
        if game is not None and game.game != exported.game:
            raise ExportError(f"The case is about game {exported.game}, not about {game.game}.", 1)
        self.times = [record.at for record in game.records] if game is not None else []
        self.named = 0
        """The last version of the game that the case names."""
        self.rulings: list[Ruled] = []
        self._as_of = cache(self._folded)

    def run(self) -> None:
        for step in steps(self.exported.records):
            self.version = step[0].version
            try:
                self._check(step)
            except Refusal as refusal:
                self._fail(f"version {self.version} cannot have happened: {refusal}")
            except (msgspec.MsgspecError, ValueError, LookupError, TypeError) as error:
                self._fail(f"version {self.version} cannot be decided again: {type(error).__name__}: {error}")
        case = fold(self.exported.case, self.exported.records)
        last = len(self.exported.records) + len(self.exported.statements) + 2
        if case.status != self.exported.status:
            raise ExportError(f"The last line says that the case is {self.exported.status}; it is {case.status}.", last)
        for line, each in enumerate(self.exported.statements, start=len(self.exported.records) + 2):
            if case.commitments.get(each.version) != each.commitment:
                raise ExportError(f"The statement of version {each.version} is not the one of the case.", line)
        if self.game is not None:
            self._check_effects(self.game)

    def _check(self, step: Sequence[Record]) -> None:
        event, cause, at = read_event(step[0]), cause_of(step[0]), step[0].at
        if step[0].cause is None or cause.player is None:
            self._fail(f"version {self.version} names no account")
        filed = self._decide_anew(event, cause, at)
        for stored, right in zip(step, filed.records, strict=False):
            self.version = stored.version
            if stored != right:
                stored_event, expected = stored.event.decode(), right.event.decode()
                self._fail(
                    f"version {stored.version} is not what follows: {stored_event} is stored, {expected} is right"
                )
        if len(step) != len(filed.records):
            self._fail(f"after version {self.version} something is missing, or follows from nothing")
        self.case = filed.case

    def _decide_anew(self, event: CaseEvent, cause: Cause, at: str) -> Filed:
        facts, seatless = self._facts(event, cause, at), msgspec.structs.replace(cause, seat=None)
        if isinstance(event, CaseOpened):
            if self.case is not None:
                self._fail(f"version {self.version} opens the case a second time")
            rest = (event.number, event.kind, event.about, event.cited, event.statement, ())
            return open_case(self.exported.case, *rest, facts, seatless, at, command=event.command)
        case = self.case
        if case is None:
            self._fail("the case was not opened")
        match event:
            case StatementMade(_, statement):
                return case.state(statement, facts, seatless, at)
            case CaseAnswered(_, statement):
                return case.answer(statement, facts, seatless, at)
            case CaseWithdrawn():
                return case.withdraw(seatless, at)
            case ConsentGiven(_, asks):
                return case.consent(facts, seatless, at, asks=asks)
            case Appealed(_, statement):
                return case.appeal(statement, facts, seatless, at)
            case Ruled(decision, cited, reason, version, hash, to, order):
                self.rulings.append(event)
                return case.rule(decision, cited, reason, version, hash, facts, seatless, at, to=to, order=order)
            case _:
                return self._fail(f"version {self.version} follows from nothing")

    # --- what is known of the game ---

    def _facts(self, event: CaseEvent, cause: Cause, at: str) -> Facts:
        has_facts = isinstance(event, CaseOpened | Ruled)
        if has_facts:
            if event.version < self.named:
                self._fail(f"version {self.version} names an earlier version of the game than one before it")
            self.named = event.version
        if self.game is None:
            return self._presumed(event, cause)
        if self.named > len(self.game.records):
            where = f"the export of the game ends at version {len(self.game.records)}"
            self._fail(f"version {self.version} was decided at version {self.named} of the game; {where}")
        facts = self._as_of(self.named if has_facts else max(self.named, bisect_right(self.times, at)))
        return msgspec.structs.replace(facts, continuations=_continuation(event))

    def _folded(self, version: Version) -> Facts:
        assert self.game is not None
        return facts_of(self.game.fold(self.library, version), self.game.records[:version])

    def _presumed(self, event: CaseEvent, cause: Cause) -> Facts:
        """Return the facts that must be true of the game if the case is true. For use without an export of the game."""
        opened = self.case.opened if self.case is not None else event
        stated = event if isinstance(event, Ruled) else opened
        assert isinstance(stated, CaseOpened | Ruled)
        # The other seats are not known: unless this act settled the case, a nameless seat has not consented.
        after = self.exported.records[self.version : self.version + 1]
        seats = {} if after and after[0].cause is None else {Seat(""): PlayerId("")}
        status: lifecycle.Status = "over"
        to: Any = UNSET
        if isinstance(event, Ruled):
            seats = seats if event.order is UNSET else {seat: PlayerId("") for tied in event.order for seat in tied}
            status = "running" if event.decision in IN_A_RUNNING_GAME else status
            to = event.to
        if cause.seat is not None:
            seats[cause.seat] = cause.account
        return Facts(
            game=self.exported.game,
            version=stated.version,
            hash=stated.hash,
            status=status,
            seats=seats,
            held=(),
            officials=() if cause.seat is not None else (cause.account,),
            knows=lambda _: True,
            starts=lambda: (to,),
            paused=isinstance(event, Ruled) and event.decision == "resume",
            continuations=_continuation(event),
        )

    def _check_effects(self, game: Export) -> None:
        """Check that the rulings, and nothing else in the name of the case, changed the game."""
        effects = {ruling.version + 1: ruling for ruling in self.rulings if ruling.decision in EFFECTS}
        for record in game.records:
            cause = cause_of(record)
            if cause.case == self.exported.case and record.version not in effects:
                self._fail(f"version {record.version} of the game names this case, which did not order it")
        for version, ruling in effects.items():
            is_over = any(record.type == type_name(GameEnded) for record in game.records[: version - 1])
            if ruling.decision == "result" and is_over:
                continue  # a game that is over stays as it is, and the ruling alone has the result
            record = game.records[version - 1] if version <= len(game.records) else None
            if record is None or not self._is_effect(record, ruling):
                self._fail(f"version {version} of the game is not what the ruling on version {ruling.version} ordered")

    def _is_effect(self, record: Record, ruling: Ruled) -> bool:
        if cause_of(record).case != self.exported.case or record.type != EFFECTS[ruling.decision]:
            return False
        event = read_around(record)
        match event:
            case MovesRetracted(to, by, reason):
                return (to, by, reason) == (ruling.to, "ruling", ruling.reason)
            case GameAdjudicated(order, reason):
                return (order, reason) == (ruling.order, ruling.reason)
            case GamePaused(reason):
                return reason == ruling.reason
            case _:
                return True

    # --- the verdict ---

    def _fail(self, problem: str) -> NoReturn:
        raise ExportError(f"{problem[0].upper()}{problem[1:]}.".replace("..", "."), self.version + 1, self.version)

    def proved(self) -> Iterator[str]:
        yield f"The chain of {len(self.exported.records)} events is unbroken and every line is canonical."
        yield "Every act was decided again and gave exactly the stored events."
        if self.exported.statements:
            yield f"The {len(self.exported.statements)} statements in the export fit their commitments."
        if self.game is not None:
            yield "The seats, the officials and the versions are those of the game."
            yield "The rulings changed the game exactly as they say."

    def unproved(self) -> Iterator[str]:
        if self.game is None:
            yield "Who held the seats and who was an official: verify the case together with the export of its game."
        for ruling in self.rulings:
            if ruling.decision == "continue":
                yield f"That {ruling.to} is a fork of {self.exported.game} and goes on: verify its export."
        if missing := len(fold(self.exported.case, self.exported.records).commitments) - len(self.exported.statements):
            yield f"What {missing} statements say: they were erased, or are hidden from this reader."


def _continuation(event: CaseEvent) -> tuple[GameId, ...]:
    """Return the fork in which a ruling lets the game continue. The export of the game says nothing of its forks."""
    return (GameId(str(event.to)),) if isinstance(event, Ruled) and event.decision == "continue" else ()
