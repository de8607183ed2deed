"""A game: the aggregate whose events make one stream, from its creation to the proof of its dice."""

import hmac
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NoReturn, cast

import msgspec
from msgspec import UNSET, Raw, Struct, field
from msgspec.structs import replace

from domain.kernel.canonical import canonical
from domain.kernel.chance.draws import Chance, CommittedChance, commitment_to
from domain.kernel.chance.secret import Sealed, Secret, Vault
from domain.kernel.ids import GameId, PlayerId, RuleId, Seat, Version
from domain.kernel.log.answers import AT_ONCE, MOST, Answer, Answers, Left, read_answer
from domain.kernel.log.around import LONGEST_REASON, Around, Asked, is_reason
from domain.kernel.log.history import cause_of, is_aside, retraction, starts_of_commands, stays
from domain.kernel.log.lifecycle import (
    AnswerGiven,
    AnswerLeft,
    AnswerRevoked,
    By,
    GameAdjudicated,
    GameCancelled,
    GameCreated,
    GameEnded,
    GameEvent,
    GamePaused,
    GameResumed,
    GameStarted,
    MovesRetracted,
    OfficialNamed,
    OfficialReleased,
    RulesUpgraded,
    SeatLeft,
    SeatsMoved,
    SeatTaken,
    Sight,
    Status,
    TakeBackAnswered,
    TakeBackAsked,
    Undo,
    Undoable,
    is_around,
    settles,
    undoable,
)
from domain.kernel.log.record import Cause, Record, genesis, inscribe
from domain.kernel.log.request import read_commands
from domain.kernel.rules import schema
from domain.kernel.rules.board import Board, Map
from domain.kernel.rules.command import Command
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.documents import digests_of
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names, enumerated, type_name
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
        """How many commands it came of."""
        return sum(record.cause is not None for record in self.records)

    def then(self, after: "Decided") -> "Decided":
        """Return this and what follows it as one."""
        return Decided(after.game, (*self.records, *after.records), (*self.secrets, *after.secrets))


class Game(Struct, kw_only=True):
    """A game at one version.

    Treated as immutable outside this module: every act returns a `Decided` with the game after it, so that what is
    cached for other readers never changes under them. An act is told its `cause`, with the account and the key that
    it came with, to which it adds its seat and its command; and when it happens.
    """

    id: GameId
    ruleset: Ruleset[Any]
    board: Board
    setup: Any
    organizer: PlayerId
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

    @staticmethod
    def of(game_id: GameId, event: GameCreated, ruleset: Ruleset[Any], board: Board) -> "Game":
        """Return the game that its first event makes."""
        return Game(
            id=game_id,
            ruleset=ruleset,
            board=board,
            setup=msgspec.convert(event.setup, ruleset.setup),
            organizer=event.organizer,
            organizer_sees=event.organizer_sees,
            commitment=event.commitment,
            began_with=event.ruleset_version,
            players=dict.fromkeys(event.seats),
            head=genesis(game_id),
        )

    # --- before the game ---

    @staticmethod
    def create(
        ruleset: Ruleset[Any],
        game_id: GameId,
        players: int,
        *,
        setup: Mapping[str, Any],
        board: Board,
        organizer: PlayerId,
        organizer_sees: Sight = "spectator",
        commitment: str,
        cause: Cause,
        at: str,
    ) -> Decided:
        """Return the creation of a new game, whose chance was committed to.

        Raises:
            Refusal: the ruleset has no set-up for this number of players, or `setup` does not fit it.
            msgspec.ValidationError: the ruleset does not know this `setup`.
            DocumentError: its documents do not fit this board.
            ValueError: the ruleset cannot be played on this board.
        """
        chosen = msgspec.convert(dict(setup), ruleset.setup)
        seats = ruleset.seats(players, chosen)
        if not seats:
            numbers = ", ".join(map(str, ruleset.players))
            asked = f"You asked for a game of {players} players."
            raise Refusal("TAB-LIFE-02", asked, f"{ruleset.title} is for {numbers} players.")
        board = ruleset.equip(board)
        ruleset.lay(seats, chosen, board)
        event = GameCreated(
            ruleset=ruleset.id,
            ruleset_version=ruleset.version,
            board=Map.of(board).digest,
            seats=seats,
            setup=msgspec.to_builtins(chosen),
            organizer=organizer,
            commitment=commitment,
            organizer_sees=organizer_sees,
            documents=digests_of(board) or UNSET,
        )
        return Game.of(game_id, event, ruleset, board)._log([(event, 0)], cause, at)

    def take_seat(self, seat: Seat, entropy: str, cause: Cause, at: str) -> Decided:
        """Seat a player. Raises `Refusal` when the seat is unknown or taken, or the game has begun."""
        self._require_gathering("take a seat")
        player = cause.account
        if seat not in self.players:
            seats = ", ".join(self.players)
            raise Refusal("TAB-LIFE-03", f"This game has no seat {seat!r}.", f"Expected one of {seats}.")
        if self.players[seat] is not None:
            free = [name for name, holder in self.players.items() if holder is None]
            allowed = f"Free seats: {', '.join(free)}." if free else "This game has no free seat."
            raise Refusal("TAB-LIFE-03", f"{seat} is already taken.", allowed)
        if player in self.players.values():
            asked = "You already have a seat in this game."
            raise Refusal("TAB-LIFE-03", asked, "A player can take only one seat of a game.")
        if player in self.around.officials:
            asked = "You are or were an official of this game."
            raise Refusal("TAB-RUL-01", asked, "An official never takes a seat of the game.")
        self._require_kept_for(seat, player)
        return self._log([(SeatTaken(seat, player, entropy), 0)], replace(cause, seat=seat), at)

    def seat_for(self, player: PlayerId) -> Seat:
        """Return the seat for a player who names none: the one reserved for them, or the first that is free."""
        kept = self.ruleset.kept_seats(self.setup)
        own = (seat for seat, holder in kept.items() if holder == player)
        free = (seat for seat, holder in self.players.items() if holder is None and seat not in kept)
        return next(own, None) or next(free, None) or next(iter(self.players))

    def _require_kept_for(self, seat: Seat, player: PlayerId) -> None:
        kept = self.ruleset.kept_seats(self.setup)
        if kept.get(seat, player) != player:
            asked, allowed = f"{seat} is reserved for another player.", f"Only {kept[seat]} can take it."
            raise Refusal("TAB-LIFE-03", asked, allowed)
        if own := next((each for each, holder in kept.items() if holder == player and each != seat), None):
            asked, allowed = f"You cannot take {seat}.", f"Take {own}, which is reserved for you."
            raise Refusal("TAB-LIFE-03", asked, allowed)

    def leave_seat(self, seat: Seat, cause: Cause, at: str) -> Decided:
        """Free a seat. Raises `Refusal` when the player does not hold it or the game has begun."""
        self._require_gathering("leave a seat")
        if self.players.get(seat) != cause.account:
            raise Refusal("TAB-LIFE-03", f"{seat} is not your seat.", "You can leave only your own seat.")
        return self._log([(SeatLeft(seat), 0)], replace(cause, seat=seat), at)

    def cancel(self, cause: Cause, at: str) -> Decided:
        """Cancel the game. Raises `Refusal` when it has begun, or when anybody but its organizer asks."""
        if cause.player != self.organizer:
            asked = "You are not the organizer of this game."
            raise Refusal("TAB-LIFE-04", asked, f"Only the organizer, {self.organizer}, can cancel it.")
        if self.status != "gathering":
            asked = f"You asked to cancel the game, but {self._state}."
            raise Refusal("TAB-LIFE-04", asked, "You can cancel a game only before it begins.", untimely=True)
        return self._log([(GameCancelled(), 0)], cause, at)

    def start(self, chance: Chance, cause: Cause, at: str) -> Decided:
        """Begin: the ruleset sets the table. Raises `Refusal` while a seat is free, or when it has begun."""
        self.require_startable()
        bare = self.ruleset.lay(tuple(self.players), self.setup, self.board)
        draft = self.ruleset.begin(bare, chance)
        happened: list[tuple[Any, int]] = [(GameStarted(), 0)]
        for event, draws in draft.happened:
            happened.append((event, draws))
            if moves := event.seating():
                happened.append((self.moved(moves), draws))
        return self._log(happened, cause, at, draft)

    def require_startable(self) -> None:
        """Raise `Refusal` while a seat is free, or when the game has begun."""
        self._require_gathering("start")
        if free := [seat for seat, holder in self.players.items() if holder is None]:
            asked = "The game cannot start yet."
            raise Refusal("TAB-LIFE-02", asked, f"These seats are still free: {', '.join(free)}.")

    def moved(self, moves: Mapping[Seat, Seat]) -> SeatsMoved:
        """Return that the holder of each seat has moved to another one."""
        holders = {moves[seat]: holder for seat, holder in self.players.items() if holder is not None}
        return SeatsMoved({seat: holders[seat] for seat in self.players})

    def _require_gathering(self, what: str) -> None:
        if self.status != "gathering":
            asked = f"You asked to {what}, but {self._state}."
            raise Refusal("TAB-LIFE-02", asked, "You can do that only before a game begins.", untimely=True)

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

        With `tentative`, it decides only the commands up to the first that rolls or reveals something, so that nobody
        can try out dice.

        Raises:
            Refusal: the game is not running, a command breaks a rule, the list is empty (TAB-LIST-01), or a command
                that rolls or reveals something is not its last (TAB-LIST-02).
        """
        if not commands:
            raise Refusal("TAB-LIST-01", "You sent an empty list of commands.", "Send at least one command.")
        game, records, secrets = self, list[Record](), list[Secret]()
        for number, command in enumerate(commands, start=1):
            try:
                decided = game._decide(seat, command, chance, vault, cause, at)
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

    def _decide(
        self, seat: Seat, command: Command[Any], chance: Chance, vault: Vault, cause: Cause, at: str, *first: GameEvent
    ) -> Decided:
        """Decide one command. `first` is what happens before what comes of it."""
        draft = self.running_ruleset.decide(self.table, seat, command, chance, vault, self.draws)
        given, sealing = _command_in_log(command, seat, draft)
        happened = [*((event, self.draws) for event in first), *draft.happened]
        if sealing:
            happened[-1] = (happened[-1][0], draft.draws)
        return self._log(happened, replace(cause, seat=seat, command=given), at, draft)

    @property
    def running_ruleset(self) -> Ruleset[Any]:
        """The ruleset of a game that goes on. Raises `Refusal` before it starts, after it ends and during a pause."""
        self._require_running()
        if self.around.paused is not None:
            asked = f"An official paused this game. Reason: {self.around.paused}"
            raise Refusal("TAB-RUL-03", asked, "Wait until an official resumes it.", untimely=True)
        return self.ruleset

    def _require_running(self) -> None:
        if self.status != "running":
            allowed = "You can do this only while a game is running."
            raise Refusal("TAB-LIFE-01", f"{self._state.capitalize()}.", allowed, untimely=True)

    @property
    def _state(self) -> str:
        known = {
            "gathering": "has not begun",
            "running": "has already begun",
            "over": "is over",
            "cancelled": "was cancelled",
        }
        return f"this game {known[self.status]}"

    def require_retractable(
        self, to: Version, by: Literal["undo", "ruling"], history: Sequence[Record], seat: Seat | None
    ) -> None:
        """Raise `Refusal` unless the game may go back to version `to`.

        A finished game cannot go back: its secret is public, so everybody would know the dice beforehand.
        """
        if self.status != "running":
            asked = f"You asked to go back to version {to}, but {self._state}."
            raise Refusal("TAB-LIFE-01", asked, "Only a running game can go back.", untimely=True)
        if by == "undo":
            _ = self.running_ruleset  # a pause holds up undo, too
        own = self.undo.get(seat, ()) if seat is not None else ()
        if by == "undo" and to not in own:
            may = ", ".join(map(str, own))
            raise Refusal(
                "TAB-UNDO-01",
                f"You cannot go back to version {to}.",
                f"You can go back to: {may}." if may else "You have nothing to take back.",
            )
        if by == "ruling" and to not in starts_of_commands(history):
            allowed = "Choose a version at which a command began."
            raise Refusal("TAB-UNDO-02", f"The game cannot go back to version {to}.", allowed)

    def go_on_from(
        self,
        earlier: "Game",
        by: By,
        reason: str,
        cause: Cause | None,
        at: str,
        others: Sequence[Record] = (),
    ) -> Decided:
        """Return the way back to `earlier`, this game at a version that `require_retractable` allows.

        What stands around the table stays as it is. A way back by consent has no cause: it follows from an answer.
        Of the commands that `others` begin, the event names those that are to be given again; it does not yet do so.
        """
        again = tuple(self._accepted(earlier, others, at))
        event = MovesRetracted(earlier.version, by, reason, again or UNSET)
        if by == "undo" and cause is not None:
            cause = replace(cause, command=Raw(canonical(Undo(earlier.version))))
        record = inscribe(
            self.id, self.head, self.version + 1, event, schema=event.schema, draws=self.draws, at=at, cause=cause
        )
        # Nobody is held to what they left for a course that others took back. An undo takes back no answers.
        answers = self.answers if by == "undo" else Answers()
        around = self.around.moved_on(record.version)
        after = replace(
            earlier, version=record.version, head=record.hash, draws=self.draws, answers=answers, around=around
        )
        return Decided(after, (record,))

    # --- taking back by consent ---

    def ask_take_back(
        self,
        seat: Seat,
        to: Version,
        history: Sequence[Record],
        earlier: Callable[[Version], "Game"],
        cause: Cause,
        at: str,
    ) -> Decided:
        """Ask the other seats to go back to a version before a command of `seat`.

        `history` is the whole log of this game; `earlier` returns the game at a version of it.

        Raises:
            Refusal: the game does not go on, no command of the seat that counts begins there (TAB-UNDO-04), the seat
                has an open request, or was turned down with this one since the game moved on (TAB-UNDO-05).
        """
        _ = self.running_ruleset
        own = starts_of_commands(history, seat)
        if to not in own:
            last = ", ".join(map(str, sorted(own)[-5:]))
            allowed = f"Name a version before a command of yours that still counts. The last are: {last}."
            asked = f"No command of {seat} begins at version {to}."
            raise Refusal("TAB-UNDO-04", asked, allowed if last else f"{seat} has given no command.")
        if (already := self.around.open_request(seat)) is not None:
            asked = f"Your request of version {already} is still open."
            raise Refusal("TAB-UNDO-05", asked, "Withdraw it, or wait until the others have answered it.")
        if any((each.seat, each.to) == (seat, to) for each in self.around.asked.values()):
            asked = f"You have already asked to go back to version {to}."
            raise Refusal("TAB-UNDO-05", asked, "Ask again when the game has moved on, or name another version.")
        step = self._log([(TakeBackAsked(seat, to), self.draws)], replace(cause, seat=seat), at)
        return _agreed(step, step.game.version, earlier, at)

    def answer_take_back(
        self,
        seat: Seat,
        asked: Version,
        agrees: bool,
        earlier: Callable[[Version], "Game"],
        cause: Cause,
        at: str,
    ) -> Decided:
        """Answer the request of version `asked`. When nobody is left to agree, the game goes back.

        A seat that refuses its own request withdraws it.

        Raises:
            Refusal: the game does not go on, there is no such open request, or the seat has nothing to answer
                (TAB-UNDO-05).
        """
        _ = self.running_ruleset
        request = self.around.asked.get(asked)
        if request is None or request.is_closed:
            known = ", ".join(str(at) for at, each in self.around.asked.items() if not each.is_closed)
            allowed = f"Open requests were made at: {known}." if known else "There is no open request."
            raise Refusal("TAB-UNDO-05", f"There is no open request to take moves back of version {asked}.", allowed)
        if seat == request.seat and agrees:
            raise Refusal("TAB-UNDO-05", "This is your own request.", "You can only withdraw it.")
        if seat != request.seat and seat not in self.asked_by(request):
            asked_whom = ", ".join(self.asked_by(request))
            raise Refusal("TAB-UNDO-05", f"{seat} is not asked, or has answered.", f"The seats asked: {asked_whom}.")
        step = self._log([(TakeBackAnswered(seat, asked, agrees), self.draws)], replace(cause, seat=seat), at)
        return _agreed(step, asked, earlier, at)

    def asked_by(self, request: Asked) -> tuple[Seat, ...]:
        """Return the seats that have yet to answer a request; those that are out of the game are not waited for."""
        if request.is_closed:
            return ()
        answered = {request.seat, *request.agreed, *self.ruleset.out(self.table)}
        return tuple(seat for seat in self.players if seat not in answered)

    # --- officials and their rulings ---

    def name_official(self, player: PlayerId, cause: Cause, at: str) -> Decided:
        """Name an official, as the organizer.

        Raises:
            Refusal: the game has ended (TAB-LIFE-01), or TAB-RUL-01: another account asks, or the player is an official
                already, or holds, held or is to take a seat.
        """
        self._require_organizer(cause)
        around = self.around
        if around.is_official(player):
            raise Refusal("TAB-RUL-01", f"{player} is an official already.", "Name another account.")
        if player in around.seated or player in self.ruleset.kept_seats(self.setup).values():
            asked = f"{player} has, had or is to take a seat of this game."
            raise Refusal("TAB-RUL-01", asked, "Nobody judges a game that they play.")
        return self._log([(OfficialNamed(player), self.draws)], cause, at)

    def release_official(self, player: PlayerId, cause: Cause, at: str) -> Decided:
        """Release an official, as the organizer.

        Raises:
            Refusal: the game has ended (TAB-LIFE-01), another account asks or `player` is no official (TAB-RUL-01).
        """
        self._require_organizer(cause)
        if not self.around.is_official(player):
            known = ", ".join(each for each, holds in self.around.officials.items() if holds)
            allowed = f"Officials: {known}." if known else "This game has no officials."
            raise Refusal("TAB-RUL-01", f"{player} is no official of this game.", allowed)
        return self._log([(OfficialReleased(player), self.draws)], cause, at)

    def _require_organizer(self, cause: Cause) -> None:
        if cause.player != self.organizer:
            asked = "You are not the organizer of this game."
            raise Refusal("TAB-RUL-01", asked, f"Only the organizer, {self.organizer}, names and releases officials.")
        if self.status not in ("gathering", "running"):
            allowed = "You can do this only until a game ends."
            raise Refusal("TAB-LIFE-01", f"{self._state.capitalize()}.", allowed, untimely=True)

    def require_ruling(self, cause: Cause, reason: str | None = None) -> None:
        """Raise `Refusal` unless `cause` is an official who rules on a case of this running game (TAB-RUL-02)."""
        if not self.around.is_official(cause.player):
            known = ", ".join(each for each, holds in self.around.officials.items() if holds)
            allowed = f"Officials: {known}." if known else "The organizer can name officials."
            raise Refusal("TAB-RUL-01", "You are not an official of this game.", allowed)
        if not cause.case:
            raise Refusal("TAB-RUL-02", "The ruling names no case.", "Rule on a case of this game.")
        if reason is not None and not is_reason(reason):
            allowed = f"Expected a line of 1 to {LONGEST_REASON} characters, without control characters."
            raise Refusal("TAB-RUL-02", f"This cannot be the reason of a ruling: {reason[:40]!r}.", allowed)
        self._require_running()

    def rule_back(
        self,
        to: Version,
        reason: str,
        history: Sequence[Record],
        earlier: Callable[[Version], "Game"],
        cause: Cause,
        at: str,
    ) -> Decided:
        """Go back to the version before a command, by a ruling on a case. The arguments are those of `ask_take_back`.

        Raises `Refusal` where `require_ruling` or `require_retractable` does.
        """
        self.require_ruling(cause, reason)
        self.require_retractable(to, "ruling", history, None)
        return self.go_on_from(earlier(to), "ruling", reason, cause, at)

    def rule_result(
        self, order: Sequence[Sequence[Seat]], reason: str, chance: Chance, cause: Cause, at: str
    ) -> Decided:
        """End the game with a final order of its seats, by a ruling on a case; seats that tie stand together.

        Raises `Refusal` where `require_ruling` does, or when the order misses or doubles a seat (TAB-RUL-04).
        """
        self.require_ruling(cause, reason)
        named = [seat for group in order for seat in group]
        if sorted(named) != sorted(self.players) or not all(order):
            asked = f"The order names {', '.join(named) or 'no seats'}, in {len(order)} groups."
            allowed = f"Expected each of {', '.join(self.players)} once, and no empty group."
            raise Refusal("TAB-RUL-04", asked, allowed)
        adjudicated = GameAdjudicated(tuple(map(tuple, order)), reason)
        ended = GameEnded(adjudicated.order[0], RuleId("TAB-RUL-04"), chance.secret.hex())
        return self._log([(adjudicated, self.draws), (ended, self.draws)], cause, at)

    def rule_pause(self, reason: str, cause: Cause, at: str) -> Decided:
        """Pause the game, by a ruling on a case. Raises `Refusal` where `require_ruling` does, or when it is paused."""
        self.require_ruling(cause, reason)
        if self.around.paused is not None:
            raise Refusal("TAB-RUL-03", "The game is paused already.", "Resume it first.", untimely=True)
        return self._log([(GamePaused(reason), self.draws)], cause, at)

    def rule_resume(self, cause: Cause, at: str) -> Decided:
        """Resume the game, by a ruling on a case. Raises `Refusal` as `require_ruling` does, or when it goes on."""
        self.require_ruling(cause)
        if self.around.paused is None:
            raise Refusal("TAB-RUL-03", "The game is not paused.", "Only a paused game is resumed.", untimely=True)
        return self._log([(GameResumed(), self.draws)], cause, at)

    # --- answers in advance ---

    def leave_answer(self, seat: Seat, answer: Answer, chance: Chance, cause: Cause, at: str) -> Decided:
        """Leave an answer in advance.

        Raises:
            Refusal: the game is not running, the ruleset does not ask this or the command does not answer it
                (TAB-ADV-01), the command cannot be read (TAB-CMD-01), or the seat has left too many (TAB-ADV-02).
        """
        ruleset = self.running_ruleset
        command = read_commands(ruleset, (canonical(answer.command),))[0]
        kinds = sorted({kind for each in ruleset.commands for kind in each.answers})
        if answer.decision not in kinds:
            asked = f"{ruleset.title} asks for no decision {answer.decision!r}."
            raise Refusal("TAB-ADV-01", asked, f"Expected one of {enumerated(kinds)}.")
        if answer.decision not in command.answers:
            asked = f"The command {type_name(type(command))} does not answer the decision {answer.decision}."
            fit = [type_name(each) for each in ruleset.commands if answer.decision in each.answers]
            raise Refusal("TAB-ADV-01", asked, f"Commands that do: {enumerated(fit)}.")
        if sum(left.seat == seat for left in self.answers.values()) >= MOST:
            asked = f"You have left {MOST} answers in advance."
            raise Refusal("TAB-ADV-02", asked, "Revoke one before you leave another.")
        given = canonical(command)
        if not given.isascii():  # or names in it could be sorted otherwise by other programs
            raise Refusal(
                "TAB-ADV-01", "The command has letters beyond ASCII.", "Answer this yourself when you are asked."
            )
        kept = replace(
            answer, command=msgspec.json.decode(given), round=self.round if answer.until == "round" else None
        )
        draft = Draft[Any](self.table, chance, Vault(), self.draws)
        event = AnswerLeft(seat, draft.seal(kept, (seat,)))
        return self._log([(event, draft.draws)], replace(cause, seat=seat), at, draft)

    def revoke_answer(self, seat: Seat, left: Version, cause: Cause, at: str) -> Decided:
        """Take back an answer left at a version. Raises `Refusal` when there is none of this seat (TAB-ADV-02)."""
        self._require_left(seat, left)
        return self._log([(AnswerRevoked(seat, left), self.draws)], replace(cause, seat=seat), at)

    def give_answer(
        self, seat: Seat, left: Version, command: Command[Any], chance: Chance, vault: Vault, cause: Cause, at: str
    ) -> Decided:
        """Give an answer left at a version, whose command is `command`.

        Raises:
            Refusal: no such answer is left or it has ended, it has another command or the seat is not asked this
                (TAB-ADV-01) as far as `vault` tells what it is, or the command is not lawful now.
        """
        sealed = self._require_left(seat, left).answer
        if vault.holds(sealed):
            answer = read_answer(vault.open(sealed))
            asked = any(seat in decision.seats and answer.fits(decision) for decision in self.decisions)
            ended = answer.has_ended(self.round, self.answers[left].given)
            if ended or not asked or canonical(answer.command) != canonical(command):
                wrong = f"The answer that {seat} left at version {left} is not this one, or not given now."
                raise Refusal("TAB-ADV-01", wrong, "An answer is given as it was left, when its decision is open.")
        return self._decide(seat, command, chance, vault, cause, at, AnswerGiven(seat, left))

    def _require_left(self, seat: Seat, left: Version) -> Left:
        answer = self.answers.get(left)
        if answer is None or answer.seat != seat:
            mine = [str(version) for version, each in self.answers.items() if each.seat == seat]
            allowed = f"Answers of {seat} were left at: {', '.join(mine)}." if mine else f"{seat} has left none."
            raise Refusal("TAB-ADV-02", f"{seat} has left no answer at version {left}.", allowed)
        return answer

    def answer_due(self, chance: Chance, vault: Vault, at: str) -> Decided | None:
        """Return the giving of the answer left in advance that is to be given now; None when there is none.

        Decisions and seats come in their order. Of several answers of a seat, the newest that is lawful is given.
        """
        for decision in self.decisions:
            for seat in decision.seats:
                for left, each in reversed(self.answers.items()):
                    if each.seat != seat or not vault.holds(each.answer):
                        continue
                    answer = read_answer(vault.open(each.answer))
                    if answer.has_ended(self.round, each.given) or not answer.fits(decision):
                        continue
                    try:
                        command = read_commands(self.ruleset, (canonical(answer.command),))[0]
                        cause = Cause(self.players[seat])
                        return self._decide(seat, command, chance, vault, cause, at, AnswerGiven(seat, left))
                    except Refusal:
                        continue
        return None

    def _accepted(self, earlier: "Game", others: Iterable[Record], at: str) -> Iterator[Version]:
        """Yield the versions of those commands that are accepted when they are given again, one after the other."""
        game = replace(earlier, draws=self.draws)
        for record in others:
            try:
                game = game.give_again(cause_of(record), at).game
            except Refusal:
                continue  # what it rested on was taken back: it lapses
            yield record.version

    def give_again(self, cause: Cause, at: str) -> Decided:
        """Return what a command that stands aside comes to in this game (TAB-UNDO-03). Raises `Refusal`."""
        seat, command = cast(Seat, cause.seat), self.ruleset.read_command(cast(Raw, cause.command))
        return self.command(seat, [command], _NO_CHANCE, Vault(), Cause(cause.account), at)

    def upgrade(self, to: int, chance: Chance, vault: Vault, cause: Cause, at: str) -> Decided:
        """Move the game to version `to` of its ruleset (TAB-RULES-01), with what its rules make happen at once.

        Raises:
            Refusal: the game is not running, there is no such newer version, the player does not organize the game, or
                the position cannot be carried over (TAB-RULES-02).
        """
        ruleset, table = self._carried(to)
        if cause.player != self.organizer:
            asked = "You are not the organizer of this game."
            raise Refusal("TAB-RULES-01", asked, "Only the organizer can move a game to a newer version of its rules.")
        draft = Draft(table, chance, vault, self.draws)
        ruleset.advance(draft)
        for seat in {seat for decision in ruleset.decisions(table) for seat in decision.seats}:
            if not ruleset.options(table, seat, vault.read_by(seat)):
                raise Refusal("TAB-RULES-02", _cannot_move(to), f"In that version {seat} would have no options.")
        happened = [(RulesUpgraded(self.ruleset.version, to), self.draws), *draft.happened]
        moved = replace(self, ruleset=ruleset, table=table)
        return moved._log(happened, cause, at, draft)

    def _carried(self, to: int) -> tuple[Ruleset[Any], Any]:
        """Return another version of the ruleset, and the table in that version. Raises `Refusal`."""
        ruleset, table = self.running_ruleset, self.table
        newer = [version for version in ruleset.versions if version > ruleset.version]
        if to not in newer:
            plays = f"The game uses version {ruleset.version} of {ruleset.id}."
            allowed = f"Newer versions: {', '.join(map(str, newer))}." if newer else "There is no newer version."
            asked = f"You asked to move the game to version {to} of its rules."
            raise Refusal("TAB-RULES-01", asked, f"{plays} {allowed}")
        assert table is not None
        if reason := ruleset.at(to).refuse_to_carry(table):
            raise Refusal("TAB-RULES-02", _cannot_move(to), reason)
        return ruleset.at(to), ruleset.at(to).carry(table, tuple(self.players), self.setup, self.board)

    # --- questions ---

    @property
    def decisions(self) -> Sequence[Decision]:
        """What the game waits for; nothing before it starts and after it ends."""
        return self.ruleset.decisions(self.table) if self.status == "running" else ()

    def options(self, seat: Seat, vault: Vault) -> list[Option]:
        """What `seat` may do now. `vault` may hold every secret; this uses only what the seat may read."""
        if self.status != "running" or self.around.paused is not None:
            return []
        options = self.ruleset.options(self.table, seat, vault.read_by(seat))
        if to := self.undo.get(seat):
            back = schema.command(type_name(Undo), {"to": schema.one_of(to)})
            options.append(Option(type_name(Undo), RuleId("TAB-UNDO-01"), back, "Take back your commands"))
        return options

    def view(self, seat: Seat | None, vault: Vault, *, everything: bool = False) -> Struct | None:
        """The position as `seat` may see it, or a spectator (None), or with `everything` the whole position."""
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
        """The seat that gave the last command, while that may be taken back."""
        return next(reversed(self.undo), None)

    @property
    def undo_to(self) -> tuple[Version, ...]:
        """The versions to which that seat may go back."""
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
        """The display names of this game's areas and seats, and of what its ruleset or its documents have words for."""
        return Names({area.id: area.name for area in self.board.areas}, self.players, self.ruleset.words_on(self.board))

    # --- the log ---

    def _log(
        self,
        happened: Sequence[tuple[Any, int]],
        cause: Cause,
        at: str,
        draft: Draft[Any] | None = None,
    ) -> Decided:
        """Return what records events with the draws used up to each, and the end of the game if it ended."""
        after = replace(self, players=dict(self.players), entropy=dict(self.entropy))
        if draft is not None:
            after.table = draft.table
            result = after.ruleset.result(draft.table)
            if result is not None:
                ended = GameEnded(result.winners, result.rule, draft.chance.secret.hex())
                happened = [*happened, (ended, draft.draws)]
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
            if not is_around(event):
                after.around = after.around.moved_on(record.version)
        after.remember_undo(self, cause, [event for event, _ in happened])
        return Decided(after, tuple(records), tuple(draft.secrets) if draft else ())

    def remember_undo(self, before: "Game", cause: Cause, events: Sequence[Any]) -> None:
        """Note what may be taken back now that `cause` has brought `events` about. For the kernel's own folds."""
        self.undo = before.undo
        if all(map(is_around, events)):
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
            case SeatLeft(seat):
                self.players[seat] = None
                self.entropy.pop(seat, None)
            case GameStarted():
                self.status = "running"
            case SeatsMoved(players):
                self.players.update(players)
            case RulesUpgraded(_, to):
                self.ruleset = self.ruleset.at(to)
            case AnswerLeft(seat, answer):
                self.answers = {**self.answers, version: Left(seat, answer)}
            case AnswerRevoked(_, left):
                self.answers = {at: each for at, each in self.answers.items() if at != left}
            case AnswerGiven(_, left) if left in self.answers:
                given = self.answers[left]
                self.answers = {**self.answers, left: replace(given, given=given.given + 1)}
            case GameCancelled():
                self.status = "cancelled"
            case GameEnded(winners, rule):
                self.status, self.result, self.answers = "over", Result(winners, rule), {}
            case _:
                pass


def moves_on(records: Sequence[Record]) -> bool:
    """Tell whether the records of a request moved the game on: not back, and not only around its table."""
    return not all(map(stays, records)) and not any(retraction(record) is not None for record in records)


def _agreed(step: Decided, asked: Version, earlier: Callable[[Version], Game], at: str) -> Decided:
    """Return a step around a request to take moves back, with the way back when all have agreed to it."""
    game, request = step.game, step.game.around.asked[asked]
    if request.is_closed or game.asked_by(request):
        return step
    return step.then(game.go_on_from(earlier(request.to), "consent", "", None, at))


def given_in_advance(step: Decided, chance: Chance, vault: Vault, at: str) -> Iterator[Decided]:
    """Yield the answers left in advance that are to be given after a request, one after another.

    A retraction calls for none: whoever is asked again then may think again. Nor does what happens only around the
    table, so that it never moves the game. `vault` holds all secrets before `step`.
    """
    if not step.game.answers or not moves_on(step.records):
        return
    for _ in range(AT_ONCE):
        vault = vault.joined_by(step.secrets)
        due = step.game.answer_due(chance, vault, at)
        if due is None:
            return
        yield due
        step = due


class _NoChance:
    """The chance of commands that draw nothing."""

    secret = b""

    def dice(self, draw: int, count: int, sides: int) -> NoReturn:
        self._refuse()

    def order(self, draw: int, items: Sequence[Any]) -> NoReturn:
        self._refuse()

    def salt(self, draw: int) -> NoReturn:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise AssertionError("a command that stands aside draws nothing")


_NO_CHANCE: Final = _NoChance()


def _cannot_move(to: int) -> str:
    return f"The game cannot be moved to version {to} of its rules in this position."


def _command_in_log(command: Command[Any], seat: Seat, draft: Draft[Any]) -> tuple[Raw, Sealed | None]:
    """Return a command as the log shows it: complete, or only its type and a commitment when it is a secret."""
    if not command.sealed:
        return Raw(canonical(command)), None
    sealing = draft.seal(msgspec.to_builtins(command), (seat,))
    return Raw(canonical({"sealed": sealing, "type": type_name(type(command))})), sealing
