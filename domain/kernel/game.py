"""A game: the aggregate whose events make one stream, from its creation to the proof of its dice."""

import hmac
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Final, Literal, Union, cast

import msgspec
from msgspec import UNSET, Raw, Struct, field
from msgspec.structs import replace

from domain.kernel import schema
from domain.kernel.board import Board, Map
from domain.kernel.canonical import canonical
from domain.kernel.chance import Chance, CommittedChance, commitment_to
from domain.kernel.decision import Decision, Option
from domain.kernel.draft import Draft
from domain.kernel.message import Command, Event, Names, kebab, type_name
from domain.kernel.record import Cause, Record, genesis, inscribe
from domain.kernel.refusal import Refusal
from domain.kernel.ruleset import Library, Result, Ruleset
from domain.kernel.secret import Sealed, Secret, Vault
from domain.kernel.table import Table
from domain.kernel.words import GameId, PlayerId, RuleId, Seat, Version

Status = Literal["gathering", "running", "over"]


class GameEvent(Struct, frozen=True, tag=kebab, forbid_unknown_fields=True):
    """An event of the game around the table; the table's own events are the ruleset's."""

    schema: ClassVar[int] = 1

    def tell(self, names: Names) -> str:
        """Return what happened in a sentence, for the history."""
        raise NotImplementedError


class GameCreated(GameEvent, frozen=True):
    """A game was created.

    `commitment` is the SHA-256 of the secret of its chance; `board` the digest of the board it is played on.
    """

    ruleset: str
    ruleset_version: int
    board: str
    seats: tuple[Seat, ...]
    setup: dict[str, Any]
    organizer: PlayerId
    commitment: str

    def tell(self, names: Names) -> str:
        return f"A game of {self.ruleset} was created for {len(self.seats)} players."


class SeatTaken(GameEvent, frozen=True):
    """A player took a seat and added entropy to the dice, after their secret was committed to."""

    seat: Seat
    player: PlayerId
    entropy: str = ""

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} was taken."


class SeatLeft(GameEvent, frozen=True):
    """A player left a seat before the game began."""

    seat: Seat

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} is free again."


class GameStarted(GameEvent, frozen=True):
    """All seats are taken; the set-up follows."""

    def tell(self, names: Names) -> str:
        return "The game began."


class MovesRetracted(GameEvent, frozen=True):
    """The game goes on from where it stood at version `to`; what came after stays in the log and does not count.

    `by` is ``undo`` for a seat that took its own commands back, ``ruling`` for an organizer's decision.
    """

    to: Version
    by: Literal["undo", "ruling"]
    reason: str = ""

    def tell(self, names: Names) -> str:
        what = "The last commands were taken back" if self.by == "undo" else "The organizer ruled"
        return f"{what}: the game goes on from version {self.to}." + (f" Reason: {self.reason}" if self.reason else "")


class GameEnded(GameEvent, frozen=True):
    """The game is over. `secret` (hex) opens the commitment: every roll can now be derived again."""

    winners: tuple[Seat, ...]
    rule: str
    secret: str

    def tell(self, names: Names) -> str:
        return f"The game is over: {names.all(self.winners)} won." if self.winners else "The game is over."


GAME_EVENTS: Final = (GameCreated, SeatTaken, SeatLeft, GameStarted, MovesRetracted, GameEnded)


class Undo(Struct, frozen=True, tag=kebab, forbid_unknown_fields=True):
    """Take back one's own commands, to the version before one of them."""

    to: Version


class Step(Struct, frozen=True):
    """What an accepted request adds to the log, and the game after it."""

    game: "Game"
    records: tuple[Record, ...]
    secrets: tuple[Secret, ...] = ()


class Game(Struct, kw_only=True):
    """A game at one version.

    Treated as immutable outside this module: every act returns a `Step` with the game after it, so that what is
    cached for other readers never changes under them.
    """

    id: GameId
    ruleset: Ruleset[Any]
    board: Board
    setup: Any
    organizer: PlayerId
    commitment: str
    players: dict[Seat, PlayerId | None]
    entropy: dict[Seat, str] = field(default_factory=dict[Seat, str])
    status: Status = "gathering"
    version: Version = 0
    head: bytes = b""
    draws: int = 0
    table: Table | None = None
    result: Result | None = None
    undo_seat: Seat | None = None
    undo_to: tuple[Version, ...] = ()

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
        secret: bytes,
        at: str,
        creator: PlayerId | None = None,
        key: str | None = None,
    ) -> Step:
        """Return the first step of a new game. `creator` is who asked for it, when that is not the organizer.

        Raises:
            Refusal: the ruleset has no set-up for so many players, or the one chosen does not fit them.
            msgspec.ValidationError: the ruleset does not know this `setup`.
            ValueError: the ruleset cannot be played on this board.
        """
        return Game.announce(
            ruleset,
            game_id,
            players,
            setup=setup,
            board=board,
            organizer=organizer,
            commitment=commitment_to(secret),
            at=at,
            creator=creator,
            key=key,
        )

    @staticmethod
    def announce(
        ruleset: Ruleset[Any],
        game_id: GameId,
        players: int,
        *,
        setup: Mapping[str, Any],
        board: Board,
        organizer: PlayerId,
        commitment: str,
        at: str,
        creator: PlayerId | None,
        key: str | None,
    ) -> Step:
        """As `create`, with the commitment to the secret given: what `verify` calls."""
        chosen = msgspec.convert(dict(setup), ruleset.setup)
        seats = ruleset.seats(players, chosen)
        if not seats:
            numbers = ", ".join(map(str, ruleset.players))
            raise Refusal("TAB-LIFE-02", f"{players} players were asked for.", f"{ruleset.title} takes {numbers}.")
        ruleset.lay(seats, chosen, board)
        event = GameCreated(
            ruleset=ruleset.id,
            ruleset_version=ruleset.version,
            board=Map.of(board).digest,
            seats=seats,
            setup=msgspec.to_builtins(chosen),
            organizer=organizer,
            commitment=commitment,
        )
        return _created(game_id, event, ruleset, board)._log(
            [(event, 0)], at, Cause(player=creator or organizer, key=key)
        )

    def take_seat(self, seat: Seat, player: PlayerId, entropy: str, *, at: str, key: str | None = None) -> Step:
        """Seat a player. Raises `Refusal` when the seat is unknown or taken, or the game has begun."""
        self._require_gathering("take a seat")
        if seat not in self.players:
            raise Refusal("TAB-LIFE-03", f"{seat!r} is no seat of this game.", f"Its seats: {', '.join(self.players)}.")
        if self.players[seat] is not None:
            free = [name for name, holder in self.players.items() if holder is None]
            raise Refusal("TAB-LIFE-03", f"{seat} is taken.", f"Free are: {', '.join(free) or 'none'}.")
        if player in self.players.values():
            raise Refusal("TAB-LIFE-03", f"{player} asked for a second seat.", "A player takes one seat of a game.")
        return self._log([(SeatTaken(seat, player, entropy), 0)], at, Cause(player=player, seat=seat, key=key))

    def leave_seat(self, seat: Seat, player: PlayerId, *, at: str, key: str | None = None) -> Step:
        """Free a seat. Raises `Refusal` when the player does not hold it or the game has begun."""
        self._require_gathering("leave a seat")
        if self.players.get(seat) != player:
            raise Refusal("TAB-LIFE-03", f"{seat} is not yours to leave.", "Leave a seat that you hold.")
        return self._log([(SeatLeft(seat), 0)], at, Cause(player=player, seat=seat, key=key))

    def start(self, secret: bytes, *, player: PlayerId, at: str, key: str | None = None) -> Step:
        """Begin: the ruleset sets the table. Raises `Refusal` while a seat is free, or when it has begun."""
        self._require_gathering("start")
        if free := [seat for seat, holder in self.players.items() if holder is None]:
            raise Refusal("TAB-LIFE-02", "The game was to start.", f"These seats are still free: {', '.join(free)}.")
        bare = self.ruleset.lay(tuple(self.players), self.setup, self.board)
        draft = self.ruleset.begin(bare, self.chance(secret))
        happened = [(GameStarted(), 0), *zip(draft.events, draft.marks, strict=True)]
        return self._log(happened, at, Cause(player=player, key=key), draft, secret)

    def _require_gathering(self, what: str) -> None:
        if self.status != "gathering":
            raise Refusal("TAB-LIFE-02", f"To {what} was asked.", "That belongs before the game.", untimely=True)

    # --- in the game ---

    def command(
        self,
        seat: Seat,
        commands: Sequence[Command[Any]],
        secret: bytes,
        vault: Vault,
        *,
        player: PlayerId | None = None,
        at: str,
        key: str | None = None,
    ) -> Step:
        """Decide commands of one seat in turn; all of them happen or none does.

        Raises:
            Refusal: the game is not running, a command breaks a rule, the list is empty (TAB-LIST-01), or a command
                that rolls or reveals something is not its last (TAB-LIST-02).
        """
        return self.decide(seat, commands, self.chance(secret), vault, secret, player=player, at=at, key=key)

    def decide(
        self,
        seat: Seat,
        commands: Sequence[Command[Any]],
        chance: Chance,
        vault: Vault,
        secret: bytes,
        *,
        player: PlayerId | None,
        at: str,
        key: str | None,
    ) -> Step:
        """As `command`, with the chance given: what `verify` calls."""
        step, decided = self._decide_in_turn(seat, commands, chance, vault, secret, player=player, at=at, key=key)
        if decided < len(commands):
            raise Refusal(
                "TAB-LIST-02",
                f"Command {decided} of {len(commands)} rolls or reveals something, and others follow it.",
                "End the list with it, and decide on the rest when its outcome is known.",
            )
        return step

    def check(self, seat: Seat, commands: Sequence[Command[Any]], secret: bytes, vault: Vault) -> int:
        """Return how many of the commands were looked at: up to the first that rolls or reveals something.

        What follows that one is not looked at: nobody may try out dice (TAB-LIST-02). Raises `Refusal` as `command`.
        """
        return self._decide_in_turn(seat, commands, self.chance(secret), vault, secret, player=None, at="", key=None)[1]

    def _decide_in_turn(
        self,
        seat: Seat,
        commands: Sequence[Command[Any]],
        chance: Chance,
        vault: Vault,
        secret: bytes,
        *,
        player: PlayerId | None,
        at: str,
        key: str | None,
    ) -> tuple[Step, int]:
        """Return the step of the commands up to the first that cannot be taken back, and how many these are."""
        if not commands:
            raise Refusal("TAB-LIST-01", "An empty list of commands was given.", "Give at least one command.")
        game, records, secrets, decided = self, list[Record](), list[Secret](), 0
        for decided, command in enumerate(commands, start=1):  # noqa: B007 (how far it came is wanted afterwards)
            draft = game.running_ruleset.decide(game.table, seat, command, chance, vault, game.draws)
            given, sealing = _command_in_log(command, seat, draft)
            vault = vault.joined_by(draft.secrets)
            happened = list(zip(draft.events, draft.marks, strict=True))
            if sealing:
                happened[-1] = (happened[-1][0], draft.draws)
            step = game._log(happened, at, Cause(player=player, seat=seat, command=given, key=key), draft, secret)
            game, records, secrets = step.game, [*records, *step.records], [*secrets, *step.secrets]
            if not game.undo_to:
                break
        return Step(game, tuple(records), tuple(secrets)), decided

    @property
    def running_ruleset(self) -> Ruleset[Any]:
        """The ruleset, of a game that goes on. Raises `Refusal` before it starts and after it ends."""
        if self.status == "running":
            return self.ruleset
        wanted = f"Commands are taken while a game runs; {self._state}."
        raise Refusal("TAB-LIFE-01", "A command was given.", wanted, untimely=True)

    @property
    def _state(self) -> str:
        known = {"gathering": "has not begun", "running": "runs", "over": "is over"}
        return f"this one {known[self.status]}"

    def retract(
        self,
        to: Version,
        by: Literal["undo", "ruling"],
        history: Sequence[Record],
        library: Library,
        *,
        seat: Seat | None = None,
        player: PlayerId | None = None,
        reason: str = "",
        at: str,
        key: str | None = None,
    ) -> Step:
        """Go on from an earlier version. `history` is the whole log of this game.

        Raises:
            Refusal: the game is not running, a seat may not undo so far, or `to` is not where a command began.
        """
        self.require_retractable(to, by, history, seat)
        earlier = fold(history[:to], self.id, library, lambda _: self.board)
        return self.go_on_from(earlier, by, seat=seat, player=player, reason=reason, at=at, key=key)

    def require_retractable(
        self, to: Version, by: Literal["undo", "ruling"], history: Sequence[Record], seat: Seat | None
    ) -> None:
        """Raise `Refusal` unless the game may go back to version `to`.

        When a game is over its secret is out: dice rolled from there on would be known beforehand. So it stays over.
        """
        if self.status != "running":
            asked = f"Version {to} was asked for."
            raise Refusal("TAB-LIFE-01", asked, f"Only a running game goes back; {self._state}.", untimely=True)
        if by == "undo" and (seat != self.undo_seat or to not in self.undo_to):
            may = ", ".join(map(str, self.undo_to)) if seat == self.undo_seat else ""
            raise Refusal(
                "TAB-UNDO-01",
                f"{seat} asked to go back to version {to}.",
                f"{seat} may go back to: {may}." if may else f"{seat} has nothing to take back.",
            )
        if by == "ruling" and to not in starts_of_commands(history):
            raise Refusal("TAB-UNDO-02", f"Version {to} was asked for.", "Go back to the version before a command.")

    def go_on_from(
        self,
        earlier: "Game",
        by: Literal["undo", "ruling"],
        *,
        seat: Seat | None,
        player: PlayerId | None,
        reason: str,
        at: str,
        key: str | None,
    ) -> Step:
        """Return the step back to `earlier`, this game at a version that `require_retractable` allows."""
        event = MovesRetracted(earlier.version, by, reason)
        given = Raw(canonical(Undo(earlier.version))) if by == "undo" else UNSET
        cause = Cause(player=player, seat=seat, command=given, key=key)
        record = inscribe(
            self.id, self.head, self.version + 1, event, schema=event.schema, draws=self.draws, at=at, cause=cause
        )
        return Step(replace(earlier, version=record.version, head=record.hash, draws=self.draws), (record,))

    # --- questions ---

    @property
    def decisions(self) -> Sequence[Decision]:
        """What the game waits for; nothing before it starts and after it ends."""
        return self.ruleset.decisions(self.table) if self.status == "running" else ()

    def options(self, seat: Seat, vault: Vault) -> list[Option]:
        """What `seat` may do now. `vault` may hold every secret: only what the seat may read is used."""
        if self.status != "running":
            return []
        options = self.ruleset.options(self.table, seat, vault.read_by(seat))
        if seat == self.undo_seat and self.undo_to:
            back = schema.command(type_name(Undo), {"to": schema.one_of(self.undo_to)})
            options.append(Option(type_name(Undo), RuleId("TAB-UNDO-01"), back, "Take back own commands"))
        return options

    def view(self, seat: Seat | None, vault: Vault, *, everything: bool = False) -> Struct | None:
        """The position as `seat` may see it, as a spectator for None, or whole with `everything`."""
        if self.table is None:
            return None
        return self.ruleset.view(self.table, vault if everything else vault.read_by(seat))

    def chance(self, secret: bytes) -> CommittedChance:
        """Return the chance of this game. Raises `ValueError` when `secret` is not the one committed to."""
        if not hmac.compare_digest(commitment_to(secret), self.commitment):
            raise ValueError("the secret does not fit the game's commitment")
        return CommittedChance(secret, self.id, self.entropy)

    @property
    def names(self) -> Names:
        """The display names of this game's areas and seats."""
        return Names({area.id: area.name for area in self.board.areas}, self.players)

    # --- the log ---

    def _log(
        self,
        happened: Sequence[tuple[Any, int]],
        at: str,
        cause: Cause,
        draft: Draft[Any] | None = None,
        secret: bytes | None = None,
    ) -> Step:
        """Return the step that records events with the draws used up to each; the end of the game with it."""
        after = replace(self, players=dict(self.players), entropy=dict(self.entropy))
        if draft is not None:
            after.table = draft.table
            result = self.ruleset.result(draft.table)
            if result is not None and secret is not None:
                ended = GameEnded(result.winners, result.rule, secret.hex())
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
                _apply(after, event)
        after.remember_undo(self, cause.seat, [event for event, _ in happened])
        return Step(after, tuple(records), tuple(draft.secrets) if draft else ())

    def remember_undo(self, before: "Game", seat: Seat | None, events: Sequence[Any]) -> None:
        """Note what `seat` may take back now that it has brought `events` about. For the kernel's own folds."""
        settled = before.draws != self.draws or any(getattr(event, "reveals", False) for event in events)
        if settled or self.status != "running" or before.status != "running":
            self.undo_seat, self.undo_to = None, ()
        elif seat == before.undo_seat:
            self.undo_to = (*before.undo_to, before.version)
        else:
            self.undo_seat, self.undo_to = seat, (before.version,)


_AROUND_THE_TABLE: Final = frozenset(GAME_EVENTS)
_RETRACTED: Final = b'"type":"moves-retracted"'


def _created(game_id: GameId, event: GameCreated, ruleset: Ruleset[Any], board: Board) -> Game:
    return Game(
        id=game_id,
        ruleset=ruleset,
        board=board,
        setup=msgspec.convert(event.setup, ruleset.setup),
        organizer=event.organizer,
        commitment=event.commitment,
        players=dict.fromkeys(event.seats),
        head=genesis(game_id),
    )


def _apply(game: Game, event: GameEvent) -> None:
    match event:
        case SeatTaken(seat, player, entropy):
            game.players[seat] = player
            if entropy:
                game.entropy[seat] = entropy
        case SeatLeft(seat):
            game.players[seat] = None
            game.entropy.pop(seat, None)
        case GameStarted():
            game.status = "running"
        case GameEnded(winners, rule):
            game.status, game.result = "over", Result(winners, rule)
        case _:
            pass


def _command_in_log(command: Command[Any], seat: Seat, draft: Draft[Any]) -> tuple[Raw, Sealed | None]:
    """Return a command as the log shows it: whole, or its type and a commitment when it is a secret."""
    if not command.sealed:
        return Raw(canonical(command)), None
    sealing = draft.seal(msgspec.to_builtins(command), (seat,))
    return Raw(canonical({"sealed": sealing, "type": type_name(type(command))})), sealing


# --- folding a stored log ---


def fold(records: Sequence[Record], game_id: GameId, library: Library, board_of: Callable[[str], Board]) -> Game:
    """Return the game after `records`, a log from version 1 on.

    `board_of` returns the board with a given digest. Chain and rules are not checked here: `domain.kernel.verify` does.

    Raises:
        LookupError: the ruleset version or the board is not at hand.
        msgspec.ValidationError: an event is not of the shape that its ruleset and schema version say.
    """
    created = msgspec.json.decode(records[0].event, type=GameCreated)
    ruleset = library.at(created.ruleset, created.ruleset_version)
    game = _created(game_id, created, ruleset, board_of(created.board))
    effective = _effective(records)
    advance(game, effective[1:])
    last = records[-1]
    game.version, game.head, game.draws = last.version, last.hash, last.draws
    game.undo_seat, game.undo_to = _undo_of(game, effective, records)
    return game


def later(game: Game, records: Sequence[Record]) -> Game:
    """Return an earlier game after `records`, for a look at the past: what may be undone there is left out.

    The records follow that game, or begin with a retraction that goes back to it; later retractions among them go
    back no further (`retraction` says how far one goes).
    """
    table = game.table.copy() if game.table is not None else None
    after = replace(game, players=dict(game.players), entropy=dict(game.entropy), table=table)
    advance(after, _effective(records))
    last = records[-1]
    after.version, after.head, after.draws = last.version, last.hash, last.draws
    after.undo_seat, after.undo_to = None, ()
    return after


def retraction(record: Record) -> Version | None:
    """Return the version to which a record takes the game back; None when it does something else."""
    if _RETRACTED not in record.event:
        return None
    return msgspec.json.decode(record.event, type=MovesRetracted).to


def advance(game: Game, records: Iterable[Record]) -> None:
    """Apply records to a game in place. For the kernel's own folds; nobody else may hold the game meanwhile."""
    decode, old_schemas = reader(game.ruleset)
    table: Any = game.table
    for record in records:
        event = decode(record.event) if record.schema not in old_schemas else read_event(game.ruleset, record)
        if type(event) in _AROUND_THE_TABLE:  # an isinstance takes as long as applying many an event
            _apply(game, event)
            if isinstance(event, GameStarted):
                table = game.ruleset.lay(tuple(game.players), game.setup, game.board)
        else:
            event.apply(table)
    game.table = table


def follow(game: Game, records: Iterable[Record]) -> Game:
    """Return the game after further records of its log, from a cached game or a snapshot on.

    Raises:
        ValueError: the records do not begin after this version, or moves were retracted: fold the whole log.
    """
    for step in steps(records):
        before, game = game, replace(game, players=dict(game.players), entropy=dict(game.entropy))
        game.table = before.table.copy() if before.table is not None else None
        events = [read_event(game.ruleset, record) for record in step]
        if step[0].version != before.version + 1 or isinstance(events[0], MovesRetracted):
            raise ValueError(f"version {step[0].version} does not simply follow version {before.version}")
        advance(game, step)
        game.version, game.head, game.draws = step[-1].version, step[-1].hash, step[-1].draws
        game.remember_undo(before, cause_of(step[0]).seat, events)
    return game


def steps(records: Iterable[Record]) -> Iterator[list[Record]]:
    """Yield the records in groups that were accepted as one: each begins with a cause."""
    step: list[Record] = []
    for record in records:
        if record.cause is not None and step:
            yield step
            step = []
        step.append(record)
    if step:
        yield step


def cause_of(record: Record) -> Cause:
    """Return who brought a record about; nobody for one that follows from the record before it."""
    return msgspec.json.decode(record.cause, type=Cause) if record.cause is not None else Cause()


@cache
def reader(ruleset: Ruleset[Any]) -> tuple[Callable[[bytes], Any], frozenset[int]]:
    """Return the decoder of a ruleset's events, and the schema versions at which a record may need an upcaster."""
    union: Any = Union[(*GAME_EVENTS, *ruleset.events)]
    return cast(Any, msgspec.json.Decoder(union).decode), frozenset(version for _, version in ruleset.upcasters)


def read_event(ruleset: Ruleset[Any], record: Record) -> Any:
    """Return the event of a record, in its present shape. Raises `msgspec.ValidationError`."""
    decode, old_schemas = reader(ruleset)
    if record.schema in old_schemas and (record.type, record.schema) in ruleset.upcasters:
        return upcast(ruleset, record)
    return decode(record.event)


def upcast(ruleset: Ruleset[Any], record: Record) -> Event[Any]:
    """Return an event that was stored in an older shape, lifted step by step to the present one."""
    content: dict[str, Any] = msgspec.json.decode(record.event)
    version = record.schema
    while lift := ruleset.upcasters.get((content["type"], version)):
        content, version = lift(content), version + 1
    return msgspec.convert(content, ruleset.event_union)


def _effective(records: Sequence[Record]) -> Sequence[Record]:
    """Return the records that count: those that no later retraction took back, without the retractions."""
    if _RETRACTED not in b"".join([record.event for record in records]):
        return records  # as of most games; asking all events at once takes a fraction of the time
    effective: list[Record] = []
    for record in records:
        to = retraction(record)
        if to is None:
            effective.append(record)
            continue
        while effective and effective[-1].version > to:
            effective.pop()
    return effective


def starts_of_commands(records: Sequence[Record]) -> set[Version]:
    """Return the versions to which the game can go back: those before a command that counts."""
    return {record.version - 1 for record in _effective(records) if cause_of(record).command is not UNSET}


def _undo_of(
    game: Game, effective: Sequence[Record], records: Sequence[Record]
) -> tuple[Seat | None, tuple[Version, ...]]:
    """Return what may be undone at the end of a log, by walking back to where something settled it."""
    if game.status != "running":
        return None, ()
    seat: Seat | None = None
    back: list[Version] = []
    for record in reversed(effective):
        event = read_event(game.ruleset, record)
        drawn = record.draws - records[record.version - 2].draws
        if drawn or getattr(event, "reveals", False) or isinstance(event, GameEvent):
            break
        if record.cause is None:
            continue
        cause = cause_of(record)
        if seat is None:
            seat = cause.seat
        if cause.seat != seat:
            break
        back.append(record.version - 1)
    return (seat, tuple(reversed(back))) if back else (None, ())
