"""Replaying the game of an export for `verify`: every act is decided again, and compared with the stored rows."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from itertools import pairwise, zip_longest
from typing import Any, Final, cast

import msgspec
from msgspec import UNSET, Struct

from domain.kernel.chance.draws import Chance, commitment_to
from domain.kernel.chance.evidence import draw_of
from domain.kernel.chance.secret import Sealed, Secret, Vault, commitment_of
from domain.kernel.ids import PlayerId, Seat, Version
from domain.kernel.log import answering, beginning
from domain.kernel.log.answers import AT_ONCE
from domain.kernel.log.clocked import (
    ClocksRan,
    DefaultGiven,
)
from domain.kernel.log.event import GameEvent
from domain.kernel.log.fold import continued
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.history import (
    cause_of,
    read_around,
    read_created,
    read_event,
    reader,
    retraction,
    stays,
    steps,
)
from domain.kernel.log.lifecycle import (
    AnswerGiven,
    GameEnded,
    SeatsMoved,
    TakeBackAsked,
)
from domain.kernel.log.record import Cause, Record
from domain.kernel.log.ticking import clocks_ran
from domain.kernel.proof.deciding import Deciding, NotPublishedError
from domain.kernel.proof.export import Export, ExportError
from domain.kernel.proof.origin import objection
from domain.kernel.rules.documents import DocumentError
from domain.kernel.rules.message import Event
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Library, Ruleset

KEY_LIFE: Final = timedelta(hours=24)
"""An idempotency key stands for one request for at least this long."""

_ENDED: Final = b'"type":"game-ended"'
_SALT: Final = re.compile("[0-9a-f]{32}")


class _Request(Struct, frozen=True):
    """What identifies the request of a command: all commands of a list have the same."""

    key: str | None
    player: PlayerId | None
    seat: Seat | None
    at: str


class Replay(Deciding):
    """Replays the game of an export, act by act, and compares.

    Attributes:
        past: the replay of the parent of a fork, which runs first; None for a game that is no fork.
        game: the game as far as it was replayed; None before the first act.
        over: whether the secret of chance is published.
        decided: how many acts were decided again.
        folded: how many acts could only be folded, because they need a secret that the export does not have.
        sealed: the secrets that the acts sealed when they were decided again, in the order of the log.
        opened: how many secrets were opened by the events of folded acts, and fit their commitments.
    """

    def __init__(
        self, export: Export, library: Library, *, goes_on: bool = False, parent: Export | None = None
    ) -> None:
        """`goes_on`: `export` is the past of a fork, so its game goes on. `parent`: what its past must match."""
        self.export = export
        self.goes_on = goes_on
        self.parent = parent
        self.version = 1
        self.past = type(self)(export.past, library, goes_on=True) if export.past is not None else None
        try:
            self.ruleset: Ruleset[Any] = library.at(export.ruleset, export.ruleset_version)
        except LookupError as error:
            raise ExportError(str(error.args[0]), export.line) from None
        try:
            self.board = self.ruleset.equip(export.board, export.documents)
        except DocumentError as error:
            raise ExportError(f"No game can be played so: {error}.", export.line) from None
        self.published = {secret.commitment: secret for secret in export.secrets}
        self.secret = self._chance_secret()
        self.over = self.secret is not None
        self.sealed: list[Secret] = []
        self.vault = Vault() if self.over else Vault(export.secrets)
        self.vault = self.vault.joined_by(self._taken_along())
        self.game: Game | None = None
        self.chance: Chance | None = None
        self.earlier_games: dict[Version, Game] = {}
        self.targets = set(self._targets())
        self.decided = 0
        self.folded = 0
        self.opened = 0
        self.request: _Request | None = None
        self.again: list[tuple[Cause, str]] = []
        """The causes and times of the commands that an undo gives again next."""
        self.last_request: _Request | None = None
        self.answers_left = 0
        """How many answers in advance may still follow the last act."""

    def run(self) -> None:
        """Replay the whole game. Raises `ExportError` for the first fault."""
        if self.past is not None:
            try:
                self.past.run()
            except ExportError as error:  # without a version: it would be one of the parent
                problem = f"In the past of the fork, {self.past.export.game}: {error.problem}"
                raise ExportError(problem, error.line) from None
        if self.parent is not None:
            self._check_past(self.parent)
        self._check_nothing_follows_the_end()
        for step in steps(self.export.records):
            self.version = step[0].version
            try:
                self._check(step)
            except ExportError:
                raise
            except Refusal as refusal:
                self._fail(f"version {self.version} cannot have happened: {refusal}")
            except Exception as error:  # hostile content may raise anything in a ruleset
                self._fail(f"version {self.version} cannot be decided again: {type(error).__name__}: {error}")
            if self.version in self.targets and self.game is not None:
                self.earlier_games[self.version] = self.game
        self._check_end()

    def _check_past(self, parent: Export) -> None:
        """Check that the past of a fork is the beginning of the log in the export of its parent."""
        past = self.export.past
        if past is None or past.game != parent.game:
            raise ExportError(f"{self.export.game} is no fork of {parent.game}.", self.export.line)
        for record, right in zip_longest(past.records, parent.records[: len(past.records)]):
            if record != right:
                version = cast(Record, record).version
                problem = f"Version {version} of {past.game} is not the one of the game that the fork is compared with."
                raise ExportError(problem, past.line + version)

    def _targets(self) -> Iterator[Version]:
        """Yield the versions to which the game goes back, or is asked to. The replay keeps the game at each of them."""
        for record in self.export.records:
            try:
                to = retraction(record)
                event = read_around(record) if to is None and stays(record) else None
            except msgspec.ValidationError as error:
                self.version = record.version
                self._fail(f"version {record.version} is not of the known shape: {error}")
            if to is not None:
                yield to
            elif isinstance(event, TakeBackAsked):
                yield event.to

    # --- one step ---

    def _check(self, step: list[Record]) -> None:
        event, cause = read_event(self.ruleset, step[0]), cause_of(step[0])
        belongs_to = cause_of(self.export.records[0]).tournament if cause.tournament is not None else None
        if wrong := objection(self.game, event, cause, belongs_to):
            self._fail(f"version {self.version} {wrong}")
        self._check_default(event, step[0].at)
        self._check_house(event, cause, step[0].at)
        self._check_list(event, cause, step[0].at)
        is_again = bool(self.again)
        if is_again and (cause, step[0].at) != self.again.pop(0):
            self._fail(f"version {self.version} is not the command that the undo before it gives again")
        answer = self._answer_due(step[0].at)
        if answer is not None and not isinstance(event, AnswerGiven) and not self._is_of_one_list(cause, step[0].at):
            self._fail(f"before version {self.version} an answer left in advance was not given")
        if isinstance(event, AnswerGiven) and step[0].at != self.export.records[step[0].version - 2].at:
            self._fail(f"version {self.version} gives an answer left in advance later than it was called for")
        try:
            decided = self.decide_anew(event, cause, step[0].at)
            if isinstance(event, AnswerGiven) and self.over:
                if answer is None or answer.records[0].event != step[0].event:
                    self._fail(f"version {self.version} gives another answer left in advance than was to be given")
                decided = answer
        except (NotPublishedError, KeyError) as error:
            if self.game is None or not (self._is_past(error) if self.over else self._is_hidden(error)):
                raise
            self._fold(step)
            self._note_act(step, event, cause, is_again=is_again)
            return
        current = [self._compare(stored, right) for stored, right in zip_longest(step, decided.records)]
        self.game = decided.game
        if not all(current):  # an event in an older shape has a different hash from what it would have today
            self.game = msgspec.structs.replace(decided.game, head=step[-1].hash)
        self.sealed.extend(decided.secrets)
        self.vault = self.vault.joined_by(decided.secrets)
        self.decided += 1
        self.version = step[-1].version
        self._note_act(step, event, cause, is_again=is_again)

    # --- clocks ---

    def _owes(self) -> Seat | None:
        """Return the seat whose default answer has to be the next act."""
        return self.game.seat_after_flag if self.game is not None else None

    def _check_default(self, event: Any, at: str) -> None:
        """Check that a default answer follows at once after the fall of a flag that calls for it (TAB-CLK-07)."""
        owes = self._owes()
        if owes is not None and not isinstance(event, DefaultGiven):
            self._fail(f"before version {self.version} the default answer of {owes} was not given")
        if owes is not None and at != self.export.records[self.version - 2].at:
            self._fail(f"version {self.version} gives a default answer later than the flag fell")

    def _check_house(self, event: Any, cause: Cause, at: str) -> None:
        """Check that the house acts at once when a seat that resigned has to decide (TAB-SEAT-05).

        Only these may come first: the default answer after the fall of a flag, the commands that an undo gives again,
        the rest of a list of commands, and the answers left in advance that are due.
        """
        game = self.game
        if game is None or self.again or game.seat_after_flag is not None or (seat := game.left_to_house) is None:
            return
        if cause.by != "house":
            if not isinstance(event, AnswerGiven) and not self._is_of_one_list(cause, at):
                self._fail(f"before version {self.version} the house did not answer for {seat}, which resigned")
        elif at != self.export.records[self.version - 2].at:
            self._fail(f"version {self.version} is an act of the house later than it was called for")

    def _check_clocks(self, before: Game, cause: Cause, step: list[Record]) -> None:
        """Check the clocks after an act that was only folded. It needs no secret: for whom the game waits is public."""
        events = [read_event(self.ruleset, record) for record in step]
        stored = next((event for event in events if isinstance(event, ClocksRan)), None)
        others = [event for event in events if not isinstance(event, ClocksRan)]
        if before.clocks is None:
            right = None
        else:
            without_clocks = step[:-1] if stored is not None else step
            right = clocks_ran(before, continued(before, without_clocks), cause, others, step[0].at)
        if (stored, len(events) - len(others)) != (right, int(right is not None)):
            self.version = step[-1].version
            self._fail(f"version {self.version} is not what the clocks show: {right} is right")

    # --- answers in advance ---

    def _note_act(self, step: list[Record], event: Any, cause: Cause, *, is_again: bool) -> None:
        """Note an act, and how many answers left in advance may still follow it.

        At most `AT_ONCE` may follow an act that moves the game on. Each answer that is given lowers that number by one.
        None may follow a retraction, or a command that an undo gives again. An act whose events all stay leaves
        the number as it is.
        """
        if isinstance(event, AnswerGiven):
            self.answers_left -= 1
            return
        if is_again or not answering.moves_on(step):
            self.answers_left = self.answers_left if all(map(stays, step)) else 0
        else:
            self.answers_left = AT_ONCE
        has_command = cause.command is not UNSET
        self.last_request = _Request(cause.key, cause.player, cause.seat, step[0].at) if has_command else None

    def _is_of_one_list(self, cause: Cause, at: str) -> bool:
        """Tell whether an act may be the next command of the last request's list.

        Within a list, no answers left in advance are given.
        """
        request = None if cause.command is UNSET else _Request(cause.key, cause.player, cause.seat, at)
        if request is None or self.last_request != request or self.answers_left != AT_ONCE:
            return False
        return bool(cast(Game, self.game).undo_to)

    def _answer_due(self, at: str) -> Decided | None:
        """Return the answer left in advance that must be given now; None also while the secrets are not published."""
        if not self.over or self.game is None or not self.game.answers or not self.answers_left:
            return None
        try:
            return answering.answer_due(self.game, self._chance(self.game), self.vault, at)
        except Exception:  # when a ruleset fails, the service gives no answer, either
            return None

    def _check_list(self, event: Any, cause: Cause, at: str) -> None:
        """Check that no list of commands went on after dice or a revelation (TAB-LIST-02).

        Commands in a row with the same key are one list, so they must also have the same time, seat and account. After
        `KEY_LIFE`, a key may stand for another request.
        """
        if isinstance(event, AnswerGiven):
            return  # It belongs to the request before it, and has no key.
        previous, self.request = self.request, None
        if cause.command is UNSET or cause.key is None:
            return
        self.request = request = _Request(cause.key, cause.player, cause.seat, at)
        if previous is None or previous.key != request.key or _time(request.at) - _time(previous.at) >= KEY_LIFE:
            return
        if self.game is not None and not self.game.undo_to:
            self._fail(f"version {self.version} continues a list of commands that rolled or revealed something")
        if previous != request:
            self._fail(
                f"version {self.version} has the same key as the command before it, but another time, seat or account: "
                "a key stands for one request"
            )

    def _is_hidden(self, error: Exception) -> bool:
        """Tell whether an act cannot be decided only because the export, or its past, leaves a secret out."""
        if isinstance(error, KeyError):
            sealed = error.args[0] in self.log_seals and error.args[0] not in self.published
            return sealed or self._is_past(error)
        return True

    def _is_past(self, error: Exception) -> bool:
        """Tell whether an act cannot be decided only because the past of a fork leaves out a secret that it sealed."""
        return self.past is not None and isinstance(error, KeyError) and self.past.hides(error.args[0])

    def hides(self, commitment: str) -> bool:
        """Tell whether this game or its past sealed the secret of `commitment`, and the export leaves it out."""
        if self.past is not None and self.past.hides(commitment):
            return True
        return commitment in self.log_seals and commitment not in self.published

    def _is_of_past(self, commitment: str) -> bool:
        """Tell whether the past of a fork, or a past of that past, sealed the secret of a commitment."""
        past = self.past
        return past is not None and (commitment in past.log_seals or past._is_of_past(commitment))

    def _taken_along(self) -> Sequence[Secret]:
        """Return the secrets in the exports of all pasts of a fork."""
        past = self.past
        return (*past._taken_along(), *past.export.secrets) if past is not None else ()

    def _compare(self, stored: Record | None, right: Record | None) -> bool:
        """Fail unless two rows mean the same. Return whether their events also have the same schema version."""
        if stored == right:
            return True
        if stored is None or right is None:
            self.version = right.version if right else cast(Record, stored).version
            happened = f"{right.type} is missing" if right else f"{cast(Record, stored).type} follows from nothing"
            self._fail(f"version {self.version} is not what follows from the rules: {happened}")
        self.version = stored.version
        same = stored.event == right.event
        if stored.schema != right.schema:
            self._check_schema(stored, right.schema)
            same = read_event(self.ruleset, stored) == read_event(self.ruleset, right)
        if not same:
            found, expected = stored.event.decode(), right.event.decode()
            self._fail(
                f"version {self.version} is not what follows from the rules: {found} is stored, {expected} is right"
            )
        if (stored.draws, stored.at, stored.cause) != (right.draws, right.at, right.cause):
            self._fail(f"version {self.version} has another cause, time or count of draws than its command")
        return stored.schema == right.schema

    def _moves_seats(self, dealt: Any, event: Any) -> bool:
        """Tell whether `event` moves the players exactly to the seats that `dealt`, the event before it, dealt them."""
        if not isinstance(event, SeatsMoved) or not isinstance(dealt, Event):
            return False
        moves = dealt.seating()
        return bool(moves) and event == beginning.seats_moved(cast(Game, self.game), moves)

    def _fold(self, step: list[Record]) -> None:
        """Fold an act that cannot be decided again yet, and check what can be checked without the missing secret."""
        draws, event = cast(Game, self.game).draws, None
        for record in step:
            self.version = record.version
            before, event, content = event, read_event(self.ruleset, record), msgspec.json.decode(record.event)
            follows = self._moves_seats(before, event) or (isinstance(event, GameEnded) and self.over)
            follows = follows or (isinstance(event, ClocksRan) and record is step[-1])
            if record is not step[0] and isinstance(event, GameEvent) and not follows:
                self._fail(f"version {self.version} cannot have happened: {record.type} follows from nothing")
            if record.at != step[0].at:
                self._fail(f"version {self.version} has another time than the act that it follows from")
            self._check_schema(record, event.schema)
            self._check_opened(content)
            self._check_draws(event, content, range(draws + 1, record.draws + 1))
            draws = record.draws
        self._check_clocks(cast(Game, self.game), cause_of(step[0]), step)
        self.game = continued(cast(Game, self.game), step)
        if self.game.status == "over" and self.game.result != self.game.ruleset.result(self.game.table):
            self._fail(f"version {self.version} ends the game otherwise than its table")
        self.folded += 1

    def _check_draws(self, event: Any, content: Any, own: range) -> None:
        """Check that an event shows only its own draws of chance."""
        for evidence in self.ruleset.chance.get(cast(Any, type(event)), ()):
            draw = draw_of(content, evidence)
            if draw is not None and draw not in own:
                self._fail(f"version {self.version} shows draw {draw}, which is not one of its own")

    def _check_schema(self, record: Record, newest: int) -> None:
        if record.schema != newest and (record.type, record.schema) not in reader(self.ruleset).upcasters:
            self._fail(f"version {self.version} has shape {record.schema} of {record.type}, which is not known")

    def _check_opened(self, content: Any) -> None:
        """Check every secret that an event opens against its commitment."""
        for part in _objects(content):
            if set(part) == {"commitment", "salt", "value"}:
                salt = part["salt"] if isinstance(part["salt"], str) and _SALT.fullmatch(part["salt"]) else ""
                if not salt or commitment_of(bytes.fromhex(salt), part["value"]) != part["commitment"]:
                    self._fail(f"version {self.version} opens a secret that does not fit its commitment")
                self.opened += 1

    # --- the end ---

    def _chance_secret(self) -> bytes | None:
        if self.goes_on:
            return self._past_secret()
        last = self.export.records[-1] if self.export.records else None
        try:
            if last is None or last.type != "game-ended":
                return None
        except msgspec.ValidationError as error:
            self.version = cast(Record, last).version
            self._fail(f"version {self.version} is not of the known shape: {error}")
        self.version = last.version
        try:
            secret = bytes.fromhex(msgspec.json.decode(last.event, type=GameEnded).secret)
        except ValueError:  # msgspec's errors of decoding are ValueErrors too
            self._fail(f"version {self.version} does not publish the secret of the dice")
        created = read_created(self.export.records[0])
        if commitment_to(secret) != created.commitment:
            self._fail(f"the secret of the dice that version {self.version} publishes does not fit its commitment")
        return secret

    def _past_secret(self) -> bytes | None:
        """Return the secret of the dice of a past, which its last line publishes once the game is over."""
        if self.export.secret is None:
            return None
        secret = bytes.fromhex(self.export.secret)
        if commitment_to(secret) != read_created(self.export.records[0]).commitment:
            problem = f"The secret of the dice of {self.export.game} does not fit its commitment."
            raise ExportError(problem, self.export.last_line)
        return secret

    def _check_end(self) -> None:
        last_line = self.export.last_line
        if self.game is None:
            raise ExportError("The log is empty.", last_line, 1)
        if (owes := self._owes()) is not None:
            problem = f"The log ends before the default answer of {owes}, whose flag fell."
            raise ExportError(problem, last_line, self.game.version)
        if self.again:
            problem = "The log ends before the commands that an undo gives again."
            raise ExportError(problem, last_line, self.game.version)
        if self.goes_on and self.game.status != "running":
            problem = f"The past ends at version {self.game.version}, where {self.game.id} does not run."
            raise ExportError(problem, last_line)
        if self.game.status != self.export.status:
            problem = f"The last line says that the game is {self.export.status}; it is {self.game.status}."
            raise ExportError(problem, last_line)
        if self.over and not self.folded:
            self._check_secrets(tuple(self.sealed))
        else:
            self._check_secrets_are_known()

    def _check_secrets(self, sealed: tuple[Secret, ...]) -> None:
        first = self.export.line + len(self.export.records) + 1
        for line, (published, right) in enumerate(zip_longest(self.export.secrets, sealed), start=first):
            if published != right:
                what = "was not published" if published is None else "is not the one that was sealed"
                commitment = cast(Secret, right or published).commitment
                raise ExportError(f"The secret of {commitment} {what}.", line)

    def _check_secrets_are_known(self) -> None:
        """Check that the log has the secrets that a running game's export shows, and that they are one reader's."""
        first = self.export.line + len(self.export.records) + 1
        commitments: set[str] = set()
        seals = {name: each for name, each in self.log_seals.items() if not self._is_of_past(name)}
        for line, secret in enumerate(self.export.secrets, start=first):
            if seals.get(secret.commitment) != secret.readers:
                raise ExportError(f"The log has no secret of {secret.commitment} for these readers.", line)
            if secret.commitment in commitments:
                raise ExportError(f"The secret of {secret.commitment} appears twice.", line)
            commitments.add(secret.commitment)
        readers = {seat for each in seals.values() for seat in each}
        may = (
            set[str](),
            set(seals),
            *({name for name, each in seals.items() if seat in each} for seat in readers),
        )
        if commitments not in may:
            problem = "The secrets in the export are not those of one reader: none, all, or exactly those of one seat."
            raise ExportError(problem, first)

    def _check_nothing_follows_the_end(self) -> None:
        for record, after in pairwise(self.export.records):
            if _ENDED in record.event and record.type == "game-ended":
                self.version = after.version
                self._fail(f"version {after.version} follows the end of the game")

    @cached_property
    def log_seals(self) -> Mapping[str, tuple[Seat, ...]]:
        """The readers of each secret whose commitment is in the log."""
        sealed: dict[str, tuple[Seat, ...]] = {}
        for record in self.export.records:
            for raw in filter(None, (record.event, record.cause)):
                for part in _objects(msgspec.json.decode(raw)):
                    if set(part) == {"commitment", "readers"}:
                        each = msgspec.convert(part, Sealed)
                        sealed[each.commitment] = each.readers
        return sealed


def _time(at: str) -> datetime:
    return datetime.fromisoformat(at[:-1])


def _objects(content: Any) -> Iterator[Mapping[str, Any]]:
    """Yield every object in a JSON value."""
    waiting = [content]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            fields = cast(dict[str, Any], part)
            yield fields
            waiting.extend(fields.values())
        elif isinstance(part, list):
            waiting.extend(cast(list[Any], part))
