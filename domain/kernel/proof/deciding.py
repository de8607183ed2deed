"""Deciding an act of a log again: its first event and its cause say which act it was, the rules say what follows."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NoReturn, Self, cast

import msgspec
from msgspec import Raw, Struct

from domain.kernel.canonical import canonical
from domain.kernel.chance.draws import Chance
from domain.kernel.chance.secret import Sealed, Secret, Vault
from domain.kernel.ids import Seat, Version
from domain.kernel.log import (
    answering,
    beginning,
    ending,
    forking,
    officials,
    organizing,
    rematching,
    retracting,
    seating,
    timing,
)
from domain.kernel.log.answers import read_answer
from domain.kernel.log.clock import Clock
from domain.kernel.log.clocked import (
    ClockExpired,
    ClockSet,
    DayOffTaken,
    DefaultGiven,
    OutageCredited,
    TimeCredited,
    TimeGiven,
)
from domain.kernel.log.ended import EndAnswered, EndProposed, GameAbandoned
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.history import (
    cause_of,
    given_again,
    others_since,
    read_created,
    read_event,
)
from domain.kernel.log.lifecycle import (
    AnswerGiven,
    AnswerLeft,
    AnswerRevoked,
    GameAdjudicated,
    GameCancelled,
    GameCreated,
    GameForked,
    GamePaused,
    GameResumed,
    GameStarted,
    MovesRetracted,
    OfficialNamed,
    OfficialReleased,
    OrganizerChanged,
    RulesUpgraded,
    SeatGivenUp,
    SeatLeft,
    SeatTaken,
    SeatTakenOver,
    TakeBackAnswered,
    TakeBackAsked,
)
from domain.kernel.log.record import Cause, Record
from domain.kernel.log.request import read_commands
from domain.kernel.log.seated import (
    AnsweredByHouse,
    OfferWithdrawn,
    SeatAssigned,
    SeatConfirmed,
    SeatOffered,
    SeatResigned,
)
from domain.kernel.log.upgrading import upgrade
from domain.kernel.proof.export import Export, ExportError
from domain.kernel.rules.board import Board
from domain.kernel.rules.command import Command
from domain.kernel.rules.message import type_name
from domain.kernel.rules.ruleset import Ruleset

_COMMITMENT: Final = re.compile("[0-9a-f]{64}")


class _UnknownChance:
    """The chance of a game whose secret is not published yet."""

    secret = b""

    def dice(self, draw: int, count: int, sides: int) -> NoReturn:
        raise NotPublishedError

    def order(self, draw: int, items: Sequence[Any]) -> NoReturn:
        raise NotPublishedError

    def salt(self, draw: int) -> NoReturn:
        raise NotPublishedError


class NotPublishedError(Exception):
    """An act needs a secret that the export does not have."""


class _SealedCommand(Struct, frozen=True, forbid_unknown_fields=True):
    """A secret command, as the log shows it."""

    sealed: Sealed
    type: str


class Deciding:
    """The part of a replay that decides an act anew.

    Attributes:
        past: the same for the parent of a fork, which is replayed first; None for a game that is no fork.
        version: the version at which the act begins.
        published: the secrets that the export holds, by their commitments.
        secret: the secret of chance; None while it is not published.
        over: whether that secret is published.
        game: the game as far as it was replayed; None before the first act.
        earlier_games: the game at the versions to which the log goes back, or is asked to.
        again: the causes and times of the commands that an undo gives again next.
    """

    export: Export
    past: Self | None
    ruleset: Ruleset[Any]
    board: Board
    version: Version
    published: Mapping[str, Secret]
    secret: bytes | None
    over: bool
    vault: Vault
    game: Game | None
    chance: Chance | None
    earlier_games: dict[Version, Game]
    again: list[tuple[Cause, str]]

    def decide_anew(self, event: Any, cause: Cause, at: str) -> Decided:
        """Decide the act of this first event. Raises `Refusal`, `ExportError`, `NotPublishedError` or `KeyError`."""
        # The rest of the cause, seat and command, must follow from deciding the act.
        by = Cause(cause.player, key=cause.key, case=cause.case, by=cause.by, tournament=cause.tournament)
        game = self.game
        if game is None:
            return self._create(event, by, at)
        match event:
            case SeatTaken(seat, _, entropy):
                return seating.take_seat(game, seat, entropy, by, at)
            case SeatAssigned(seat, player):
                return seating.assign_seat(game, seat, player, by, at)
            case SeatConfirmed(seat, entropy):
                return seating.confirm_seat(game, seat, entropy, by, at)
            case SeatLeft(seat):
                return seating.leave_seat(game, seat, by, at)
            case SeatGivenUp(seat):
                return seating.give_up_seat(game, seat, self._earlier, by, at)
            case SeatTakenOver(seat):
                return seating.take_over_seat(game, seat, by, at)
            case SeatOffered(seat, to):
                by = msgspec.structs.replace(by, seat=cause.seat)
                return seating.offer_seat(game, seat, to or None, by, at)
            case OfferWithdrawn(seat):
                return seating.withdraw_offer(game, seat, msgspec.structs.replace(by, seat=cause.seat), at)
            case SeatResigned(seat):
                return seating.resign(game, seat, self._earlier, self._chance(game), by, at)
            case AnsweredByHouse(seat):
                return seating.answer_for(game, seat, self._chance(game), self.vault, at)
            case GamePaused() if cause.by == "house":
                return seating.pause_without_players(game, at)
            case GameStarted() if cause.case is not None:
                return officials.rule_start(game, by, at)
            case GameStarted():
                if self.secret is None:
                    beginning.require_startable(game)
                    raise NotPublishedError
                return beginning.start(game, self._chance(game), by, at)
            case GameCancelled() if cause.by == "clock":
                return rematching.expire(game, at)
            case GameCancelled():
                return beginning.cancel(game, by, at)
            case MovesRetracted():
                return self._retract(game, event, msgspec.structs.replace(by, seat=cause.seat), at)
            case TakeBackAsked(seat, to, asks):
                history = self._history(game)
                return retracting.ask_take_back(game, seat, to, history, self._earlier, by, at, asks=asks)
            case TakeBackAnswered(seat, version, agrees):
                return retracting.answer_take_back(game, seat, version, agrees, self._earlier, by, at)
            case EndProposed(_, order, _, seat):
                return ending.propose_end(game, seat, order, self._chance(game), by, at)
            case EndAnswered(agrees, proposed, seat):
                return ending.answer_end(game, seat, proposed, agrees, self._chance(game), by, at)
            case GameAbandoned():
                since = self.export.records[self.version - 2].at
                return ending.abandon(game, since, self._chance(game), at)
            case ClockSet(clock):
                return timing.set_clock(game, clock, by, at)
            case ClockExpired(seat):
                claim = by if cause.by == "clock" else msgspec.structs.replace(by, seat=cause.seat)
                return timing.expire(game, seat, self._chance(game), claim, at)
            case DefaultGiven(seat):
                return timing.answer_by_default(game, seat, self._chance(game), self.vault, at)
            case OutageCredited(since):
                return timing.credit_outage(game, since, at)
            case TimeGiven(seat, seconds, to):
                return timing.give_time(game, seat, to, seconds, by, at)
            case TimeCredited(seconds, to):
                return timing.credit_time(game, to, seconds, by, at)
            case DayOffTaken(_, seat):
                return timing.take_day_off(game, seat, by, at)
            case OfficialNamed(player):
                return officials.name_official(game, player, by, at)
            case OfficialReleased(player):
                return officials.release_official(game, player, by, at)
            case OrganizerChanged(player):
                return organizing.pass_on(game, player, by, at)
            case GamePaused(reason):
                return officials.rule_pause(game, reason, by, at)
            case GameResumed() if cause.case is None:
                return officials.resume(game, by, at)
            case GameResumed():
                return officials.rule_resume(game, by, at)
            case GameAdjudicated(order, reason):
                return officials.rule_result(game, order, reason, self._chance(game), by, at)
            case RulesUpgraded(before, to):
                return self._upgrade(game, before, to, by, at)
            case AnswerLeft():
                return self._leave_answer(game, event, by, at)
            case AnswerRevoked(seat, answer_version):
                return answering.revoke_answer(game, seat, answer_version, by, at)
            case AnswerGiven(seat, answer_version):
                answer = self._command_in(seat, cast(Raw, cause.command))
                return answering.give_answer(
                    game, seat, answer_version, answer, self._chance(game), self.vault, Cause(by.player), at
                )
            case _:
                # `objection` has checked that the cause of a command has a seat and a command.
                return self._command(game, cast(Seat, cause.seat), cast(Raw, cause.command), by, at)

    def _create(self, event: Any, cause: Cause, at: str) -> Decided:
        if not isinstance(event, GameCreated):
            self._fail("version 1 does not create a game")
        if not event.organizer:
            self._fail("version 1 names no organizer")
        if not _COMMITMENT.fullmatch(event.commitment):
            self._fail(f"version 1 has the commitment {event.commitment!r}, which is no SHA-256 in hex")
        if isinstance(event, GameForked):
            return self._fork(event, cause, at)
        return beginning.create(
            self.ruleset,
            self.export.game,
            len(event.seats),
            setup=event.setup,
            board=self.board,
            organizer=event.organizer,
            organizer_sees=event.organizer_sees,
            forks=event.forks or "players",
            readers=event.readers or "everybody",
            clock=self._clock_of_creation(),
            abandoned_after=event.abandoned_after,
            rematch_of=event.rematch_of,
            offered_until=event.offered_until,
            commitment=event.commitment,
            cause=cause,
            at=at,
        )

    def _clock_of_creation(self) -> Clock | None:
        """Return the clock that was chosen with the game: its event follows from the creation (TAB-CLK-01)."""
        second = self.export.records[1] if len(self.export.records) > 1 else None
        if second is None or second.cause is not None or second.type != type_name(ClockSet):
            return None
        return read_event(self.ruleset, second).clock

    def _fork(self, event: GameForked, cause: Cause, at: str) -> Decided:
        past = cast(Deciding, self.past)  # the reader has checked that a fork has one
        parent = cast(Game, past.game)
        if at < past.export.records[-1].at:
            self._fail(f"version 1 has the time {at}, before the version of {parent.id} at which it forks")
        if event.purpose == "continuation" and not past.over:
            self._fail(f"version 1 continues {parent.id}, whose secret is missing: only what is over is continued")
        if event.commitment in past.commitments:
            self._fail("version 1 has a commitment of its past: a fork has a secret of its own")
        return forking.fork(
            parent, self.export.game, event.purpose, event.commitment, cause, at, withheld=event.withheld or None
        )

    @property
    def commitments(self) -> set[str]:
        """The commitments of the chance of this game and of its past."""
        own = read_created(self.export.records[0]).commitment
        return {own, *self.past.commitments} if self.past is not None else {own}

    def _retract(self, game: Game, event: MovesRetracted, cause: Cause, at: str) -> Decided:
        if event.by == "undo" and event.reason:
            self._fail(f"version {self.version} is an undo that gives a reason; only a ruling has one")
        history = self._history(game)
        if cause.case is not None:
            return officials.rule_back(game, event.to, event.reason, history, self._earlier, cause, at)
        by: Literal["undo", "ruling"] = "undo" if event.by == "undo" else "ruling"
        retracting.require_retractable(game, event.to, by, history, cause.seat)
        others = others_since(history, event.to, cause.seat) if by == "undo" else ()
        decided = retracting.go_on_from(game, self._earlier(event.to), by, event.reason, cause, at, others)
        again = (cause_of(history[version - 1]) for version in given_again(decided.records[0]))
        self.again = [(msgspec.structs.replace(each, key=None), at) for each in again]
        return decided

    def _leave_answer(self, game: Game, event: AnswerLeft, cause: Cause, at: str) -> Decided:
        if event.answer.readers != (event.seat,):
            readers = ", ".join(event.answer.readers) or "nobody"
            self._fail(f"version {self.version} seals an answer for {readers}, not for {event.seat}, who left it")
        secret = self.published.get(event.answer.commitment)
        if secret is None:
            if self.over:
                self._fail(f"the answer left at version {self.version} was not published")
            raise NotPublishedError
        return answering.leave_answer(game, event.seat, read_answer(secret.value), self._chance(game), cause, at)

    def _history(self, game: Game) -> Sequence[Record]:
        return self.export.records[: game.version]

    def _earlier(self, version: Version) -> Game:
        return self.earlier_games[version]

    def _upgrade(self, game: Game, before: int, to: int, cause: Cause, at: str) -> Decided:
        if before != game.ruleset.version:
            plays = f"the game uses version {game.ruleset.version}"
            self._fail(f"version {self.version} moves on from version {before} of the rules, but {plays}")
        return upgrade(game, to, self._chance(game), self.vault, cause, at)

    def _command(self, game: Game, seat: Seat, raw: Raw, cause: Cause, at: str) -> Decided:
        return game.command(seat, [self._command_in(seat, raw)], self._chance(game), self.vault, cause, at)

    def _chance(self, game: Game) -> Chance:
        if self.chance is None:
            self.chance = game.chance(self.secret) if self.secret is not None else _UnknownChance()
        return self.chance

    def _command_in(self, seat: Seat, raw: Raw) -> Command[Any]:
        """Return the command of a cause. A sealed one is read from the published secrets."""
        if "sealed" not in msgspec.json.decode(raw):
            command = read_commands(self.ruleset, (raw,))[0]
            if not self.over and canonical(command) != bytes(raw):  # after the end, the whole cause is compared
                self._fail(f"version {self.version} has a command that is not in the form of the log")
            if command.sealed:
                self._fail(f"version {self.version} shows {type_name(type(command))}, which must be sealed")
            return command
        envelope = self._sealed_command(seat, raw)
        secret = self.published.get(envelope.sealed.commitment)
        if secret is None:
            if self.over:
                self._fail(f"the secret command of version {self.version} was not published")
            raise NotPublishedError
        return read_commands(self.ruleset, (msgspec.json.encode(secret.value),))[0]

    def _sealed_command(self, seat: Seat, raw: Raw) -> _SealedCommand:
        try:
            envelope = msgspec.json.decode(raw, type=_SealedCommand)
        except msgspec.ValidationError as error:
            self._fail(f"the sealed command of version {self.version} is not of the known shape: {error}")
        if envelope.type not in {type_name(command) for command in self.ruleset.commands if command.sealed}:
            self._fail(f"version {self.version} seals the command {envelope.type}, which must not be sealed")
        if envelope.sealed.readers != (seat,):
            readers = ", ".join(envelope.sealed.readers) or "nobody"
            self._fail(f"the command of version {self.version} is sealed for {readers}, not for {seat}, who sent it")
        return envelope

    def _fail(self, problem: str) -> NoReturn:
        sentence = f"{problem[0].upper()}{problem[1:]}.".replace("..", ".")
        raise ExportError(sentence, self.export.line + self.version, self.version)
