"""A case, from the complaint to its end: the aggregate whose events make one stream."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, cast

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field
from msgspec.structs import replace

from domain.judging.events import (
    CLOSED,
    WAITING,
    Appealed,
    CaseAnswered,
    CaseEvent,
    CaseOpened,
    CaseWithdrawn,
    ConsentGiven,
    Decision,
    Kind,
    Ruled,
    RuledFinally,
    Settled,
    StatementMade,
    Status,
    Written,
)
from domain.judging.facts import Facts
from domain.judging.requirements import require_about, require_command, require_possible, require_reason, require_rules
from domain.kernel.canonical import canonical
from domain.kernel.ids import LARGEST_INTEGER, CaseId, GameId, PlayerId, RuleId, Seat, Version
from domain.kernel.log.record import Cause, Record, genesis, inscribe
from domain.kernel.rules.command import Command
from domain.kernel.rules.message import enumerated, type_name
from domain.kernel.rules.refusal import Refusal, refuse_unless

MOST_OPEN: Final = 3
"""How many cases of a game a seat may have waiting."""

MOST_OPENED: Final = 50
"""How many cases of a game an account may open."""

MOST_WRITTEN: Final = 20
"""A seat that has written so many texts in a case can make no further statement there."""


LONGEST_COMMAND: Final = 10_000


class CaseRow(Struct, frozen=True):
    """A case as lists show it.

    Attributes:
        number: its number among the cases of the game.
        matter: what it disputes (`CaseOpened.matter`).
        player: who opened it.
        seat: the seat that opened it; None when an official did.
        rules: the rules that the case and its rulings cite.
        version: the number of its events.
        created: when it was opened.
        changed: when something last happened in it.
    """

    case: CaseId
    game: GameId
    number: int
    status: Status
    kind: Kind
    about: Version
    matter: str
    player: PlayerId
    seat: Seat | None
    rules: tuple[RuleId, ...]
    version: Version
    created: str
    changed: str


class Filed(Struct, frozen=True):
    """What an accepted act adds to a case, and the case after it."""

    case: "Case"
    records: tuple[Record, ...]

    @property
    def ruling(self) -> Ruled | None:
        """The ruling that it made, if it made one."""
        return self.case.ruling if self.case.ruled_at == self.records[0].version else None


class Case(Struct, kw_only=True):
    """A case at one version. Treat it as immutable outside this package: every act returns a `Filed`.

    An act takes the `facts` of the game, its `cause` with the account, and its time `at`. It raises `Refusal` when
    it is not possible.
    """

    id: CaseId
    opened: CaseOpened
    player: PlayerId
    """Who opened it."""
    created: str
    version: Version = 0
    head: bytes = b""
    changed: str = ""
    status: Status = "open"
    answered: frozenset[Seat] = frozenset()
    consents: frozenset[Seat] = frozenset()
    ruling: Ruled | None = None
    """The last ruling."""
    judge: PlayerId | None = None
    """The official who made the last ruling."""
    ruled_at: Version = 0
    """The version of the case at which the last ruling was made."""
    ruled: str = ""
    """The time of the last ruling; empty when there is none."""
    cited: tuple[RuleId, ...] = ()
    """The rules that the case and its rulings cite, each once."""
    commitments: dict[Version, str] = field(default_factory=dict[Version, str])
    """The commitments to what was written, by the version of the event."""
    writers: dict[Version, Seat | None] = field(default_factory=dict[Version, Seat | None])

    @property
    def game(self) -> GameId:
        return self.opened.game

    @property
    def seat(self) -> Seat | None:
        """The seat that opened it; None when an official did."""
        return None if self.opened.seat is UNSET else self.opened.seat

    @property
    def row(self) -> CaseRow:
        """The case as lists show it."""
        opened = self.opened
        return CaseRow(
            self.id,
            opened.game,
            opened.number,
            self.status,
            opened.kind,
            opened.about,
            opened.matter,
            self.player,
            self.seat,
            self.cited,
            self.version,
            self.created,
            self.changed,
        )

    # --- what the parties do ---

    def state(self, statement: str, facts: Facts, cause: Cause, at: str) -> Filed:
        """Make a statement, whose commitment is `statement`."""
        seat = self._party(facts, cause, "TAB-CASE-06")
        self._require_waiting("TAB-CASE-06", "make a statement")
        return self._file([StatementMade(seat, statement)], replace(cause, seat=seat), at)

    def answer(self, statement: str, facts: Facts, cause: Cause, at: str) -> Filed:
        """Answer the complaint, once for each seat but the one that opened the case."""
        seat = self._party(facts, cause, "TAB-CASE-07")
        self._require_waiting("TAB-CASE-07", "answer")
        right = "Make a statement instead."
        refuse_unless(seat != self.seat, "TAB-CASE-07", "You opened this case yourself.", right)
        refuse_unless(seat not in self.answered, "TAB-CASE-07", f"{seat} has already answered.", right)
        return self._file([CaseAnswered(seat, statement)], replace(cause, seat=seat), at)

    def withdraw(self, cause: Cause, at: str) -> Filed:
        """Withdraw the case, as the player or official who opened it."""
        self._require_not_closed()
        wrong = "You did not open this case."
        refuse_unless(cause.player == self.player, "TAB-CASE-08", wrong, f"Only {self.player} can withdraw it.")
        if self.status != "open":
            wrong = f"You asked to withdraw the case, but it is {self.status}."
            raise Refusal("TAB-CASE-08", wrong, "A case can be withdrawn before a ruling.", untimely=True)
        cause = replace(cause, seat=self.seat)
        return self._file([CaseWithdrawn(self.opened.seat)], cause, at)

    def consent(
        self, facts: Facts, cause: Cause, at: str, *, asks: Literal["present"] | UnsetType = "present"
    ) -> Filed:
        """Agree with the complaint, or with the ruling; the last consent that was missing settles the case.

        `asks` says whose consent is needed (see `ConsentGiven`). A seat may consent again to settle the case when only
        seats that were given up have not consented.
        """
        seat = self._party(facts, cause, "TAB-CASE-09")
        self._require_not_closed()
        if self.status == "appealed":
            wrong = "You asked to consent, but there is an appeal against the ruling."
            raise Refusal("TAB-CASE-09", wrong, "Wait for the final ruling.", untimely=True)
        is_own_complaint = self.status == "open" and seat == self.seat
        refuse_unless(
            not is_own_complaint, "TAB-CASE-09", "This is your own complaint.", "The other seats can consent to it."
        )
        given_up = facts.given_up if asks == "present" else ()
        refuse_unless(seat not in given_up, "TAB-CASE-09", f"You gave up {seat}.", "Its next player can consent.")
        needed = {each for each in facts.seats if each not in facts.out and each not in given_up}
        if self.status == "open":
            needed -= {self.seat}
        is_last = needed <= {*self.consents, seat}
        is_again = seat in self.consents and not (is_last and given_up)
        refuse_unless(not is_again, "TAB-CASE-09", f"{seat} has already consented.", "Each seat consents once.")
        events: list[CaseEvent] = [ConsentGiven(seat, asks)]
        if is_last:
            events.append(Settled())
        return self._file(events, replace(cause, seat=seat), at)

    def appeal(self, statement: str, facts: Facts, cause: Cause, at: str) -> Filed:
        """Appeal against the ruling, once in a case."""
        seat = self._party(facts, cause, "TAB-CASE-10")
        self._require_not_closed()
        if self.status != "ruled":
            wrong = "You asked to appeal, but there is " + (
                "an appeal already." if self.status == "appealed" else "no ruling yet."
            )
            raise Refusal("TAB-CASE-10", wrong, "There can be one appeal, against the first ruling.", untimely=True)
        return self._file([Appealed(seat, statement)], replace(cause, seat=seat), at)

    # --- what officials do ---

    def rule(
        self,
        decision: Decision,
        cited: Sequence[RuleId],
        reason: str,
        version: Version,
        hash: str,  # noqa: A002 - what it is called everywhere else
        facts: Facts,
        cause: Cause,
        at: str,
        *,
        to: Version | GameId | UnsetType = UNSET,
        order: tuple[tuple[Seat, ...], ...] | UnsetType = UNSET,
    ) -> Filed:
        """Decide the case; after an appeal, finally.

        Raises:
            Refusal: the account is no official of the game (TAB-RUL-05), or is party to it (TAB-RUL-06); the game does
                not stand at this version with this hash (TAB-RUL-07); a rule (TAB-RUL-08) or the reason is wrong
                (TAB-RUL-02); the decision is not possible in this game (TAB-RUL-09); the case is ruled, or the appeal
                is against the account's own ruling (TAB-RUL-10); the case is closed (TAB-CASE-11).
        """
        self._require_impartial(facts, cause.account)
        self._require_not_closed()
        if self.status == "ruled":
            wrong = f"This case was ruled on at version {self.ruled_at}."
            raise Refusal("TAB-RUL-10", wrong, "A case is ruled on again only after an appeal.", untimely=True)
        if self.status == "appealed" and self.judge == cause.player:
            raise Refusal("TAB-RUL-10", "The appeal is against your own ruling.", "Another official decides it.")
        if (version, hash) != (facts.version, facts.hash):
            wrong = f"You ruled on version {version} with hash {hash}."
            now = f"The game is at version {facts.version} with hash {facts.hash}: look at it, then rule."
            raise Refusal("TAB-RUL-07", wrong, now, untimely=True)
        require_rules(cited, facts, at_least=1)
        require_reason(reason)
        require_possible(decision, to, order, facts)
        form = RuledFinally if self.status == "appealed" else Ruled
        event = form(decision, tuple(cited), reason, version, hash, to, order)
        return self._file([event], cause, at)

    def _require_impartial(self, facts: Facts, player: PlayerId) -> None:
        if player in facts.held:
            wrong = "You hold or held a seat in this game."
            raise Refusal("TAB-RUL-06", wrong, "An official who never had a seat in the game rules.")
        if player == self.player:
            raise Refusal("TAB-RUL-06", "You opened this case.", "Another official rules on it.")
        if player not in facts.officials:
            wrong = "You are no official of this game."
            raise Refusal("TAB-RUL-05", wrong, f"Its officials are {enumerated(list(facts.officials)) or 'nobody'}.")

    # --- the stream ---

    def _party(self, facts: Facts, cause: Cause, rule: str) -> Seat:
        seat = facts.seat_of(cause.account)
        if seat is None:
            raise Refusal(rule, "You hold no seat in this game.", "The seats of the game are the parties to a case.")
        return seat

    def _require_not_closed(self) -> None:
        if self.status in CLOSED:
            raise Refusal("TAB-CASE-11", f"This case is closed: {self.status}.", "Open another case.", untimely=True)

    def _require_waiting(self, rule: str, what: str) -> None:
        self._require_not_closed()
        if self.status not in WAITING:
            wrong = f"You asked to {what}, but there is a ruling."
            raise Refusal(rule, wrong, "Appeal against it, or give your consent.", untimely=True)

    def _file(self, events: Sequence[CaseEvent], cause: Cause, at: str) -> Filed:
        at = max(at, self.changed)
        case, records = _copy(self), list[Record]()
        for event in events:
            first = cause if not records else None
            record = inscribe(
                case.id, case.head, case.version + 1, event, schema=event.schema, draws=0, at=at, cause=first
            )
            case.happen(event, record, cause)
            records.append(record)
        return Filed(case, tuple(records))

    def happen(self, event: CaseEvent, record: Record, cause: Cause) -> None:
        """Change, in place, what an event changes. For this package's own folds."""
        self.version, self.head, self.changed = record.version, record.hash, record.at
        match event:
            case CaseOpened():
                self._note(record.version, event.statement, self.seat)
                self.cited = event.cited
            case StatementMade(seat, statement):
                self._note(record.version, statement, seat)
            case CaseAnswered(seat, statement):
                self._note(record.version, statement, seat)
                self.answered |= {seat}
            case CaseWithdrawn():
                self.status = "withdrawn"
            case ConsentGiven(seat):
                self.consents |= {seat}
            case Ruled():
                self.status = "final" if isinstance(event, RuledFinally) else "ruled"
                self.ruling, self.judge, self.ruled_at, self.ruled = event, cause.player, record.version, record.at
                self.consents = frozenset()
                self.cited = tuple(dict.fromkeys((*self.cited, *event.cited)))
            case Appealed(seat, statement):
                self._note(record.version, statement, seat)
                self.status = "appealed"
            case Settled():
                self.status = "settled"
            case _:
                raise TypeError(f"{type(event).__name__} is not an event of a case")

    def _note(self, version: Version, commitment: str, seat: Seat | None) -> None:
        self.commitments[version] = commitment
        self.writers[version] = seat


def _copy(case: Case) -> Case:
    return replace(case, commitments=dict(case.commitments), writers=dict(case.writers))


def case_from(case_id: CaseId, event: CaseOpened, record: Record, cause: Cause) -> Case:
    """Return the case that its first event makes."""
    case = Case(id=case_id, opened=event, player=cause.account, created=record.at)
    case.happen(event, record, cause)
    return case


def open_case(
    case_id: CaseId,
    number: int,
    kind: Kind,
    about: Version,
    cited: Sequence[RuleId],
    statement: str,
    others: Sequence[CaseRow],
    facts: Facts,
    cause: Cause,
    at: str,
    *,
    command: Raw | UnsetType = UNSET,
    refused: bool = True,
) -> Filed:
    """Open a case.

    Args:
        number: its number among the cases of the game.
        about: the version that it is about.
        statement: the commitment to what was written.
        others: the other cases of the game, as far as they are known.
        command: the refused command, as the log shows it.
        refused: whether the command is refused at that version.

    Raises:
        Refusal: the account holds no seat and is no official (TAB-CASE-01), the game has no such version or is not
            over when the result is disputed (TAB-CASE-02), the seat has too many open cases (TAB-CASE-03), the account
            has opened a case about the same (TAB-CASE-04), a command is missing, unwanted or not refused
            (TAB-CASE-05), or the cited rules are wrong (TAB-RUL-08).
    """
    seat = facts.seat_of(cause.account)
    if seat is None and cause.account not in facts.officials:
        wrong = "You hold no seat in this game and are no official of it."
        raise Refusal("TAB-CASE-01", wrong, "A case is opened by a seat of the game, or by an official.")
    require_about(kind, about, facts)
    require_command(kind, command, seat, refused=refused)
    require_rules(cited, facts)
    event = CaseOpened(
        game=facts.game,
        number=number,
        kind=kind,
        about=about,
        version=facts.version,
        hash=facts.hash,
        cited=tuple(cited),
        statement=statement,
        seat=UNSET if seat is None else seat,
        command=command,
    )
    for other in others:
        # Only the account's own cases count: a case of one party does not keep others from opening theirs.
        if other.matter == event.matter and other.player == cause.player:
            wrong = f"You opened case {other.case} about the same."
            right = "Take part in that case." if other.status != "withdrawn" else "A case that was withdrawn is closed."
            raise Refusal("TAB-CASE-04", wrong, right)
    waiting = [other for other in others if other.status in WAITING and other.seat == seat] if seat else ()
    if len(waiting) >= MOST_OPEN:
        wrong = f"{seat} has {len(waiting)} open cases in this game."
        raise Refusal("TAB-CASE-03", wrong, "Wait for a ruling, or withdraw one of them.")
    cause = replace(cause, seat=seat)
    record = inscribe(case_id, genesis(case_id), 1, event, schema=event.schema, draws=0, at=at, cause=cause)
    return Filed(case_from(case_id, event, record, cause), (record,))


# --- limits for new statements and cases ---
# A verifier does not check them: a case from before these rules may have more, and stays valid.


def require_few_statements(filed: Filed) -> None:
    """Raise `Refusal` when the seat that made a statement had written `MOST_WRITTEN` texts before (TAB-LIM-01)."""
    case, record = filed.case, filed.records[0]
    if record.type != type_name(StatementMade):
        return
    seat = case.writers[record.version]
    before = sum(writer == seat for writer in case.writers.values()) - 1
    if before >= MOST_WRITTEN:
        wrong = f"{seat} has written {before} texts in this case."
        raise Refusal("TAB-LIM-01", wrong, f"A seat writes at most {MOST_WRITTEN}. You can still appeal.")


def require_few_cases(player: PlayerId, others: Iterable[CaseRow]) -> None:
    """Raise `Refusal` when an account has opened as many cases of a game as it may (TAB-LIM-02)."""
    opened = sum(other.player == player for other in others)
    if opened >= MOST_OPENED:
        wrong = f"You have opened {opened} cases of this game."
        raise Refusal("TAB-LIM-02", wrong, f"An account opens at most {MOST_OPENED}. Take part in another one's case.")


# --- a refused command in the log ---


def in_log(command: Command[Any], text: str) -> tuple[Raw, Written]:
    """Return a refused command as the log of a case shows it, and what is stored beside the log: the statement `text`,
    and the command if it is a secret.

    Of a secret command, the log has only the type. Raises `Refusal` when programs could read the command in different
    ways, or it is too long (TAB-CASE-05).
    """
    content = canonical(command)
    if not content.isascii() or len(content) > LONGEST_COMMAND or not _is_exact(msgspec.json.decode(content)):
        right = f"A command is kept as ASCII, with whole numbers up to 2^53 - 1, in {LONGEST_COMMAND:,} bytes at most."
        raise Refusal("TAB-CASE-05", "This command cannot be kept in a case.", right)
    if not command.sealed:
        return Raw(content), Written(text)
    return Raw(canonical({"type": type_name(type(command))})), Written(text, msgspec.json.decode(content))


def _is_exact(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_exact, cast(dict[str, Any], value).values()))
    if isinstance(value, list):
        return all(map(_is_exact, cast(list[Any], value)))
    return not isinstance(value, float) and (not isinstance(value, int) or abs(value) <= LARGEST_INTEGER)
