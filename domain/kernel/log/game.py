"""A game: the aggregate whose events make one stream, from its creation to the proof of its dice."""

import hmac
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NoReturn, cast

import msgspec
from msgspec import UNSET, Raw, Struct, field
from msgspec.structs import replace

from domain.kernel.canonical import canonical
from domain.kernel.chance.draws import Chance, CommittedChance, commitment_to
from domain.kernel.chance.secret import Sealed, Secret, Vault
from domain.kernel.ids import GameId, PlayerId, RuleId, Seat, Version
from domain.kernel.log.answers import AT_ONCE, MOST, Answer, Answers, Left, read_answer
from domain.kernel.log.history import cause_of, is_aside, retraction, starts_of_commands
from domain.kernel.log.lifecycle import (
    AnswerGiven,
    AnswerLeft,
    AnswerRevoked,
    GameCancelled,
    GameCreated,
    GameEnded,
    GameEvent,
    GameStarted,
    MovesRetracted,
    RulesUpgraded,
    SeatLeft,
    SeatsMoved,
    SeatTaken,
    Sight,
    Status,
    Undo,
    Undoable,
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
        """The ruleset of a running game. Raises `Refusal` before the game starts and after it ends."""
        if self.status == "running":
            return self.ruleset
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
        by: Literal["undo", "ruling"],
        reason: str,
        cause: Cause,
        at: str,
        others: Sequence[Record] = (),
    ) -> Decided:
        """Return the way back to `earlier`, this game at a version that `require_retractable` allows.

        Of the commands that `others` begin, the event names those that are to be given again; it does not yet do so.
        """
        again = tuple(self._accepted(earlier, others, at))
        event = MovesRetracted(earlier.version, by, reason, again or UNSET)
        if by == "undo":
            cause = replace(cause, command=Raw(canonical(Undo(earlier.version))))
        record = inscribe(
            self.id, self.head, self.version + 1, event, schema=event.schema, draws=self.draws, at=at, cause=cause
        )
        # After a ruling, nobody is held to what they left for a course that was taken back. An undo takes back none.
        answers = self.answers if by == "undo" else Answers()
        after = replace(earlier, version=record.version, head=record.hash, draws=self.draws, answers=answers)
        return Decided(after, (record,))

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
        if self.status != "running":
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
        after.remember_undo(self, cause, [event for event, _ in happened])
        return Decided(after, tuple(records), tuple(draft.secrets) if draft else ())

    def remember_undo(self, before: "Game", cause: Cause, events: Sequence[Any]) -> None:
        """Note what may be taken back now that `cause` has brought `events` about. For the kernel's own folds."""
        self.undo = {}
        if cause.seat is not None and before.draws == self.draws and not any(map(settles, events)):
            aside = is_aside(self.ruleset, cause)
            self.undo = undoable(before.undo, cause.seat, before.version, aside=aside)

    def happen(self, event: GameEvent, version: Version) -> None:
        """Change, in place, what an event around the table changes. For the kernel's own folds."""
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


def given_in_advance(step: Decided, chance: Chance, vault: Vault, at: str) -> Iterator[Decided]:
    """Yield the answers left in advance that are to be given after a request, one after another.

    A retraction calls for none: whoever is asked again then may think again. `vault` holds all secrets before `step`.
    """
    if not step.game.answers or retraction(step.records[0]) is not None:
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
