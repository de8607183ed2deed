"""A game: the aggregate whose events make one stream, from its creation to its end."""

import hmac
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Raw, Struct, field
from msgspec.structs import replace

from domain.kernel.canonical import canonical
from domain.kernel.chance.draws import Chance, CommittedChance, commitment_to
from domain.kernel.chance.secret import Sealed, Secret, Vault
from domain.kernel.ids import GameId, PlayerId, RuleId, Seat, Version
from domain.kernel.log.answers import Answers, Left
from domain.kernel.log.around import PAUSE_ALLOWS, Around, Asked
from domain.kernel.log.clock import Clocks
from domain.kernel.log.clocked import (
    ClockExpired,
    ClockSet,
    ClocksRan,
    DayOffTaken,
    TimeGiven,
)
from domain.kernel.log.ended import ABANDONED_AFTER
from domain.kernel.log.event import GameEvent
from domain.kernel.log.history import is_aside
from domain.kernel.log.lifecycle import (
    AnswerGiven,
    AnswerLeft,
    AnswerRevoked,
    Forking,
    GameCancelled,
    GameCreated,
    GameEnded,
    GameForked,
    GameStarted,
    Readers,
    RulesUpgraded,
    SeatLeft,
    SeatsMoved,
    SeatTaken,
    SeatTakenOver,
    Sight,
    Status,
    Undo,
    Undoable,
    event_stays,
    settles,
    undoable,
)
from domain.kernel.log.record import Cause, Record, genesis, inscribe
from domain.kernel.log.seated import SeatAssigned, SeatConfirmed, SeatResigned
from domain.kernel.log.ticking import clocks_ran
from domain.kernel.rules import schema
from domain.kernel.rules.board import Board, Map
from domain.kernel.rules.command import Command
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names, type_name
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Result, Ruleset
from domain.kernel.rules.table import Table


class Decided(Struct, frozen=True):
    """What an accepted request adds to the log, and the game after it."""

    game: "Game"
    records: tuple[Record, ...]
    secrets: tuple[Secret, ...] = ()

    @property
    def commands(self) -> int:
        """How many acts it records, commands or others: each begins with a cause."""
        return sum(record.cause is not None for record in self.records)

    def then(self, after: "Decided") -> "Decided":
        """Return this request and the one that follows it as one."""
        return Decided(after.game, (*self.records, *after.records), (*self.secrets, *after.secrets))


class Game(Struct, kw_only=True):
    """A game at one version.

    Only folds change a game in place. Every act returns a `Decided` with the game after it, so that a cached game never
    changes while others read it. An act gets a `cause` with account and idempotency key, to which it adds its seat and
    command, and the time `at`.
    """

    id: GameId
    ruleset: Ruleset[Any]
    board: Board
    setup: Any
    first_organizer: PlayerId
    """The organizer that the first event names."""
    organizer_sees: Sight
    commitment: str
    began_with: int
    """The version of the ruleset in the first event; `ruleset` is the one that judges the game now."""
    players: dict[Seat, PlayerId | None]
    entropy: dict[Seat, str] = field(default_factory=dict[Seat, str])
    status: Status = "gathering"
    version: Version = 0
    head: bytes = b""
    draws: int = 0
    table: Table | None = None
    result: Result | None = None
    undo: Undoable = field(default_factory=dict[Seat, tuple[Version, ...]])
    answers: Answers = field(default_factory=Answers)
    """The answers left in advance; never changed in place."""
    around: Around = field(default_factory=Around)
    clocks: Clocks | None = None
    """What its clocks show; None for a game without one."""
    forks: Forking = "players"
    """Who may fork it while it runs."""
    readers: Readers = "everybody"
    """Who may read it."""
    abandoned_after: int = ABANDONED_AFTER
    """After how many days in which nothing happens it ends as abandoned (TAB-END-04)."""
    rematch_of: GameId | None = None
    """The game that its players played before; None for a game that is no rematch (TAB-REM-01)."""
    offered_until: str = ""
    """Until when its players can agree to a rematch (TAB-REM-04)."""
    forked: GameForked | None = None
    """How a fork began; None for any other game."""
    past: "Game | None" = None
    """The parent of a fork at the version at which it began, without a past of its own."""

    @staticmethod
    def of(game_id: GameId, event: GameCreated, ruleset: Ruleset[Any], board: Board) -> "Game":
        """Return the game that its first event makes."""
        return Game(
            id=game_id,
            ruleset=ruleset,
            board=board,
            setup=msgspec.convert(event.setup, ruleset.setup),
            first_organizer=event.organizer,
            organizer_sees=event.organizer_sees,
            commitment=event.commitment,
            began_with=event.ruleset_version,
            players=dict.fromkeys(event.seats),
            head=genesis(game_id),
            forks=event.forks or "players",
            readers=event.readers or "everybody",
            abandoned_after=event.abandoned_after or ABANDONED_AFTER,
            rematch_of=event.rematch_of or None,
            offered_until=event.offered_until or "",
        )

    # --- who plays ---

    @property
    def organizer(self) -> PlayerId:
        """Who organizes the game now."""
        return self.around.organizer or self.first_organizer

    @property
    def present(self) -> Mapping[Seat, PlayerId]:
        """The seats that somebody holds and that are not open to substitutes, with their players."""
        given_up = self.around.given_up
        return {seat: player for seat, player in self.players.items() if player is not None and seat not in given_up}

    @property
    def is_private(self) -> bool:
        """Whether only accounts that take part in it may read it (TAB-READ-01)."""
        return self.readers == "invited"

    @property
    def is_analysis(self) -> bool:
        """Whether it is a fork in which one account plays all seats (TAB-FORK-03)."""
        return self.forked is not None and self.forked.purpose == "analysis"

    @property
    def kept_seats(self) -> Mapping[Seat, PlayerId]:
        """The reserved seats, each with its account. A fork reserves each seat for its player in the parent."""
        if self.past is not None:
            return {seat: player for seat, player in self.past.players.items() if player is not None}
        return self.ruleset.kept_seats(self.setup)

    def lets_in(self, player: PlayerId) -> bool:
        """Tell whether an account takes part in the game.

        It does if it organizes the game, is its official, holds a seat, or has one reserved for it or offered to it.
        """
        offered = (offer.to for offer in self.around.offers.values())
        seated = (*self.players.values(), *self.kept_seats.values(), *offered)
        return player == self.organizer or player in seated or self.around.is_official(player)

    # --- in the game ---

    def command(
        self,
        seat: Seat,
        commands: Sequence[Command[Any]],
        chance: Chance,
        vault: Vault,
        cause: Cause,
        at: str,
        *,
        tentative: bool = False,
    ) -> Decided:
        """Decide commands of one seat in turn; all of them happen or none does.

        With `tentative`, a list may go on after a command that rolls or reveals something, and is decided only up to
        that command.

        Raises:
            Refusal: the game is not running, a command breaks a rule, the seat has resigned (TAB-SEAT-04), the list is
                empty (TAB-LIST-01), or a command that rolls or reveals something is not its last (TAB-LIST-02).
        """
        self.require_not_resigned(seat)
        if not commands:
            raise Refusal("TAB-LIST-01", "You sent an empty list of commands.", "Send at least one command.")
        game, records, secrets = self, list[Record](), list[Secret]()
        for number, command in enumerate(commands, start=1):
            try:
                decided = game.decide(seat, command, chance, vault, cause, at)
            except Refusal as refusal:
                refusal.number = number
                raise
            vault = vault.joined_by(decided.secrets)
            game, records, secrets = decided.game, [*records, *decided.records], [*secrets, *decided.secrets]
            if not game.undo_to and number < len(commands):
                if tentative:
                    break
                raise Refusal(
                    "TAB-LIST-02",
                    f"Command {number} of {len(commands)} rolls or reveals something, and others follow it.",
                    "End the list with this command. Send the others when its outcome is known.",
                )
        return Decided(game, tuple(records), tuple(secrets))

    def decide(
        self, seat: Seat, command: Command[Any], chance: Chance, vault: Vault, cause: Cause, at: str, *first: GameEvent
    ) -> Decided:
        """Decide one command. `first` are events that come before its own. Raises `Refusal`."""
        draft = self.running_ruleset.decide(self.table, seat, command, chance, vault, self.draws)
        logged_command, sealing = _command_in_log(command, seat, draft)
        happened = [*((event, self.draws) for event in first), *draft.happened]
        if sealing:
            happened[-1] = (happened[-1][0], draft.draws)
        return self.log(happened, replace(cause, seat=seat, command=logged_command), at, draft)

    @property
    def running_ruleset(self) -> Ruleset[Any]:
        """The ruleset of a game that goes on. Raises `Refusal` before it starts, after it ends and during a pause."""
        self.require_running()
        if self.around.paused is not None:
            wrong = f"An official paused this game. Reason: {self.around.paused}"
            resumes = "an official" if any(self.around.officials.values()) else "the organizer"
            allowed = f"Wait until {resumes} resumes it. Until then you can {PAUSE_ALLOWS}."
            raise Refusal("TAB-RUL-03", wrong, allowed, untimely=True)
        return self.ruleset

    def require_gathering(self, what: str, rule: str = "TAB-LIFE-02") -> None:
        """Raise `Refusal` when the game has begun, by `rule`, or when it was cancelled (TAB-LIFE-04)."""
        if self.status != "gathering":
            wrong = f"You asked to {what}, but {self.state}."
            rule = "TAB-LIFE-04" if self.status == "cancelled" else rule
            raise Refusal(rule, wrong, "You can do that only before a game begins.", untimely=True)

    def require_no_offer(self, what: str) -> None:
        """Raise `Refusal` for a rematch that was offered: its players agree to it as it is (TAB-REM-02)."""
        if self.rematch_of is not None and self.status == "gathering":
            wrong = f"You asked to {what} of a rematch that is offered."
            raise Refusal("TAB-REM-02", wrong, "Cancel the offer, and create a game of your own.")

    def require_running(self) -> None:
        if self.status != "running":
            allowed = "You can do this only while a game is running."
            raise Refusal("TAB-LIFE-01", f"{self.state.capitalize()}.", allowed, untimely=True)

    def require_not_resigned(self, seat: Seat) -> None:
        """Raise `Refusal` when a seat has resigned (TAB-SEAT-04)."""
        if seat in self.around.resigned:
            wrong = f"{seat} has resigned."
            allowed = "The house answers for the seat until somebody takes it over."
            raise Refusal("TAB-SEAT-04", wrong, allowed, untimely=True)

    @property
    def state(self) -> str:
        states = {
            "gathering": "has not begun",
            "running": "has already begun",
            "over": "is over",
            "cancelled": "was cancelled",
        }
        return f"this game {states[self.status]}"

    def asked_by(self, request: Asked) -> tuple[Seat, ...]:
        """Return the seats that have yet to answer a request: none that is out or, in new requests, was given up."""
        if request.is_closed:
            return ()
        not_waited_for = {request.seat, *request.agreed, *self.ruleset.out(self.table)}
        if request.asks_present:
            not_waited_for.update(self.around.given_up)
        return tuple(seat for seat in self.players if seat not in not_waited_for)

    # --- questions ---

    @property
    def decisions(self) -> Sequence[Decision]:
        """The decisions that the game waits for; empty before it starts and after it ends."""
        return self.ruleset.decisions(self.table) if self.status == "running" else ()

    def options(self, seat: Seat, vault: Vault) -> list[Option]:
        """Return what `seat` may do now. `vault` may hold every secret; this uses only what the seat may read."""
        if self.status != "running" or self.around.paused is not None or seat in self.around.resigned:
            return []
        options = self.ruleset.options(self.table, seat, vault.read_by(seat))
        if to := self.undo.get(seat):
            back = schema.command(type_name(Undo), {"to": schema.one_of(to)})
            options.append(Option(type_name(Undo), RuleId("TAB-UNDO-01"), back, "Take back your commands"))
        return options

    def view(self, seat: Seat | None, vault: Vault, *, everything: bool = False) -> Struct | None:
        """Return the position as `seat` or a spectator (None) may see it, or with `everything` all of it.

        None before the game starts.
        """
        if self.table is None:
            return None
        return self.ruleset.view(self.table, vault if everything else vault.read_by(seat))

    def chance(self, secret: bytes) -> CommittedChance:
        """Return the chance of this game. Raises `ValueError` when `secret` is not the one committed to."""
        if not hmac.compare_digest(commitment_to(secret), self.commitment):
            raise ValueError("the secret does not fit the game's commitment")
        return CommittedChance(secret, self.id, self.entropy)

    @property
    def undo_seat(self) -> Seat | None:
        """The seat that gave the last command, while it may take that back; else None."""
        return next(reversed(self.undo), None)

    @property
    def undo_to(self) -> tuple[Version, ...]:
        """The versions to which `undo_seat` may go back."""
        return self.undo[self.undo_seat] if self.undo_seat is not None else ()

    @property
    def heading(self) -> str:
        """Where in the game it is, in words; empty before it begins."""
        return self.ruleset.heading(self.table) if self.table is not None else ""

    @property
    def round(self) -> int:
        """The round that is being played; 0 before the first, or when there are none."""
        return self.ruleset.round(self.table) if self.table is not None else 0

    @property
    def names(self) -> Names:
        """The display names of areas, seats and the ruleset, and of what the ruleset or documents have words for."""
        words = {self.ruleset.id: self.ruleset.title, **self.ruleset.words_on(self.board)}
        return Names(Map.of(self.board).names, self.players, words)

    # --- the log ---

    def log(
        self,
        happened: Sequence[tuple[Any, int]],
        cause: Cause,
        at: str,
        draft: Draft[Any] | None = None,
    ) -> Decided:
        """Return the records of events, each paired in `happened` with the number of draws used up to it.

        `draft` has the table after them, and their secrets. The end of the game follows when that table is at its end,
        and `ClocksRan` when a clock changed.
        """
        after = replace(self, players=dict(self.players), entropy=dict(self.entropy))
        if draft is not None:
            after.table = draft.table
            result = after.ruleset.result(draft.table)
            if result is not None:
                end = GameEnded(result.winners, result.rule, draft.chance.secret.hex())
                happened = [*happened, (end, draft.draws)]
        records: list[Record] = []
        for event, draws in happened:
            after.draws = max(after.draws, draws)
            record = inscribe(
                self.id,
                after.head,
                after.version + 1,
                event,
                schema=event.schema,
                draws=after.draws,
                at=at,
                cause=cause if not records else None,
            )
            records.append(record)
            after.version, after.head = record.version, record.hash
            if isinstance(event, GameEvent):
                after.happen(event, record.version)
            if after.around.asked and not event_stays(event):
                after.around = after.around.moved_on(record.version)
        events = [event for event, _ in happened]
        after.remember_undo(self, cause, events)
        decisions = draft.asked if draft is not None else None
        if (change := clocks_ran(self, after, cause, events, at, decisions)) is not None:
            records.append(after.append(change, at))
        return Decided(after, tuple(records), tuple(draft.secrets) if draft else ())

    @property
    def seat_after_flag(self) -> Seat | None:
        """The seat whose default answer has to be the next act: its flag has just fallen (TAB-CLK-07)."""
        owes = self.clocks.owes if self.clocks is not None else None
        return owes[0] if owes is not None and owes[1] == self.version else None

    @property
    def left_to_house(self) -> Seat | None:
        """The seat that resigned and has to decide now: the next act has to be one of the house (TAB-SEAT-05)."""
        resigned = self.around.resigned
        if not resigned or self.status != "running" or self.around.paused is not None:
            return None
        return next((seat for decision in self.decisions for seat in decision.seats if seat in resigned), None)

    def append(self, event: GameEvent, at: str) -> Record:
        """Add an event that leaves the table alone, in place, and return its record. For the kernel's own acts."""
        record = inscribe(
            self.id, self.head, self.version + 1, event, schema=event.schema, draws=self.draws, at=at, cause=None
        )
        self.version, self.head = record.version, record.hash
        self.happen(event, record.version)
        return record

    def remember_undo(self, before: "Game", cause: Cause, events: Sequence[Any]) -> None:
        """Note what may be taken back now that `cause` has brought `events` about. For the kernel's own folds."""
        self.undo = before.undo
        if all(map(event_stays, events)):
            return
        self.undo = {}
        if cause.seat is not None and before.draws == self.draws and not any(map(settles, events)):
            aside = is_aside(self.ruleset, cause)
            self.undo = undoable(before.undo, cause.seat, before.version, aside=aside)

    def happen(self, event: GameEvent, version: Version) -> None:
        """Change, in place, what an event of the game changes. For the kernel's own folds."""
        self.around = self.around.after(event, version)
        match event:
            case SeatTaken(seat, player, entropy):
                self.players[seat] = player
                if entropy:
                    self.entropy[seat] = entropy
            case SeatAssigned(seat, player):
                self.players[seat] = player
            case SeatConfirmed(seat, entropy) if entropy:
                self.entropy[seat] = entropy
            case SeatLeft(seat):
                self.players[seat] = None
                self.entropy.pop(seat, None)
            case GameStarted():
                self.status = "running"
                if self.past is not None:
                    reserved = self.past.players
                    self.players = {seat: holder or reserved[seat] for seat, holder in self.players.items()}
            case SeatsMoved(players):
                self.players.update(players)
            case SeatTakenOver(seat, player):
                before = self.players[seat]
                if before != player:
                    self.around = self.around.handed_over(seat, before)
                self.players[seat] = player
                self.answers = {at: each for at, each in self.answers.items() if each.seat != seat}
                self.clocks = self.clocks and self.clocks.handed_over(seat, back=before == player)
            case SeatResigned(seat):
                self.answers = {at: each for at, each in self.answers.items() if each.seat != seat}
            case RulesUpgraded(_, to):
                self.ruleset = self.ruleset.at(to)
            case AnswerLeft(seat, answer):
                self.answers = {**self.answers, version: Left(seat, answer)}
            case AnswerRevoked(_, revoked):
                self.answers = {at: each for at, each in self.answers.items() if at != revoked}
            case AnswerGiven(_, at) if at in self.answers:
                answer = self.answers[at]
                self.answers = {**self.answers, at: replace(answer, given=answer.given + 1)}
            case ClockSet(clock):
                self.clocks = Clocks(clock) if clock is not None else None
            case ClocksRan(absent, at, earned, times, runs) if self.clocks is not None:
                earned = {**self.clocks.earned, **earned}
                self.clocks = replace(self.clocks, absent=absent, at=at, earned=earned, left=times, runs=runs)
            case ClockExpired(seat, then) if self.clocks is not None:
                self.clocks = self.clocks.fallen(seat, then, version)
            case TimeGiven(seat, seconds) if self.clocks is not None:
                total = self.clocks.given.get(seat, 0) + seconds
                self.clocks = replace(self.clocks, given={**self.clocks.given, seat: total})
            case DayOffTaken(ends, seat) if self.clocks is not None:
                days = {**self.clocks.days, seat: self.clocks.days.get(seat, 0) + 1}
                self.clocks = replace(self.clocks, days=days, off={**self.clocks.off, seat: ends})
            case GameCancelled():
                self.status = "cancelled"
            case GameEnded(winners, rule):
                self.status, self.result, self.answers = "over", Result(winners, rule), {}
            case _:
                pass


def _command_in_log(command: Command[Any], seat: Seat, draft: Draft[Any]) -> tuple[Raw, Sealed | None]:
    """Return a command as the log shows it, and None; for a secret command, its type with its seal, and that seal."""
    if not command.sealed:
        return Raw(canonical(command)), None
    sealing = draft.seal(msgspec.to_builtins(command), (seat,))
    return Raw(canonical({"sealed": sealing, "type": type_name(type(command))})), sealing
