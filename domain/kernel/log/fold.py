"""Folding a stored log into a game: the whole log, the records after a cached game, or a log up to a past version.

The chain and the rules are not checked here: `domain.kernel.proof.verify` checks them.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal

from msgspec.structs import replace

from domain.kernel.ids import GameId, Seat, Version
from domain.kernel.log import forking, retracting
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.history import (
    cause_of,
    effective_records,
    ends_answers,
    given_again,
    is_aside,
    moved_on_at,
    others_since,
    read_created,
    read_event,
    reader,
    retraction,
    stays,
    steps,
)
from domain.kernel.log.lifecycle import (
    GAME_EVENTS,
    GameCreated,
    GameForked,
    GameStarted,
    MovesRetracted,
    RulesUpgraded,
    Undoable,
    settles,
    undoable,
)
from domain.kernel.log.record import Cause, Record
from domain.kernel.rules.board import Board
from domain.kernel.rules.documents import DocumentError, documents_of, key_of
from domain.kernel.rules.ruleset import Library, Ruleset

_GAME_EVENTS: Final = frozenset(GAME_EVENTS)


def fold(
    records: Sequence[Record],
    game_id: GameId,
    library: Library,
    board_of: Callable[[str], Board],
    past: Game | None = None,
) -> Game:
    """Return the game after `records`, a log from version 1 on.

    `board_of` returns the board with a given key (`GameCreated.board_key`); the board may lack the ruleset's own
    documents. `past` is the parent of a fork at the version at which the fork began.

    Raises:
        LookupError: a ruleset version, the board or a document is missing, or the past of a fork is missing or another.
        msgspec.ValidationError: an event does not have the shape of its ruleset and schema version.
    """
    created = read_created(records[0])
    if isinstance(created, GameForked):
        if past is None:
            raise LookupError(f"the past of {game_id} is missing: version {created.version} of {created.parent}")
        game = forking.forked_as(past, game_id, created)
    else:
        game = _created(created, game_id, library, board_of)
    effective = effective_records(records)
    advance(game, effective[1:])
    last = records[-1]
    game.version, game.head, game.draws = last.version, last.hash, last.draws
    game.undo = _undo_of(game, effective, records)
    _lapse(game, records)
    return game


def _created(event: GameCreated, game_id: GameId, library: Library, board_of: Callable[[str], Board]) -> Game:
    ruleset = library.at(event.ruleset, event.ruleset_version)
    return Game.of(game_id, event, ruleset, with_documents(ruleset, board_of(event.board_key), event.board_key))


def with_documents(ruleset: Ruleset[Any], board: Board, key: str) -> Board:
    """Return a board with all documents of its game. Raises `LookupError` when they do not have this key."""
    try:
        board = ruleset.equip(board)
    except DocumentError as error:
        raise LookupError(f"a document of {key} is missing: {error}") from error
    if documents_of(board) and key_of(board) != key:
        raise LookupError(f"the board or a document of {key} is missing")
    return board


def later(game: Game, records: Sequence[Record], before: Game | None = None) -> Game:
    """Return a game after `records`, for showing the past: its `undo` is empty.

    The records follow `game`, or begin with a retraction that goes back to it. In the second case, `before` is the game
    right before the retraction: what is around its table stays. No other retraction among the records may go back
    further than `game` (`retraction` returns how far one goes).
    """
    table = game.table.copy() if game.table is not None else None
    after = replace(game, players=dict(game.players), entropy=dict(game.entropy), table=table)
    if before is not None:
        after.around, after.answers, after.players = before.around, before.answers, dict(before.players)
        after.clocks = before.clocks
    advance(after, effective_records(records))
    last = records[-1]
    after.version, after.head, after.draws = last.version, last.hash, last.draws
    after.undo = {}
    _lapse(after, records)
    return after


def _lapse(game: Game, records: Sequence[Record]) -> None:
    """Remove the requests to take moves back and the answers that `records` ended. Retracted records end them, too."""
    game.around = game.around.moved_on(moved_on_at(records))
    if game.answers:
        last = next((record.version for record in reversed(records) if ends_answers(record)), 0)
        game.answers = {version: answer for version, answer in game.answers.items() if version > last}


def advance(game: Game, records: Sequence[Record]) -> Any:
    """Apply records to a game in place; return the event of the last. Nobody else may use the game meanwhile."""
    reads = reader(game.ruleset)
    decode, may_be_old = reads.decode, reads.may_be_old
    table: Any = game.table
    event: Any = None
    for record in records:
        event = reads.read(record) if may_be_old(record.schema) else decode(record.event)
        if type(event) in _GAME_EVENTS:  # isinstance would take as long as applying most events
            game.happen(event, record.version)
            if isinstance(event, GameStarted) and game.past is None:
                table = game.ruleset.lay(tuple(game.players), game.setup, game.board)
            elif isinstance(event, RulesUpgraded):
                table = game.ruleset.carry(table, tuple(game.players), game.setup, game.board)
        else:
            event.apply(table)
    game.table = table
    if game.around.asked:
        game.around = game.around.moved_on(moved_on_at(records))
    return event


def resume(game: Game, records: Sequence[Record]) -> Game:
    """Return a game after all the records that follow it. For many records, it is faster than `continued`.

    Raises:
        ValueError: the records do not follow, or go back to before this game: fold the whole log.
    """
    if not records:
        return game
    first = records[0].version
    if first != game.version + 1:
        raise ValueError(f"version {first} does not follow version {game.version}")
    if any(to < game.version for record in records if (to := retraction(record)) is not None):
        raise ValueError(f"moves were retracted from before version {game.version}")
    effective = effective_records(records)
    after = later(game, records)
    after.undo = _undo_of(after, effective, records, game)
    return after


def continued(game: Game, records: Iterable[Record]) -> Game:
    """Return a cached game, or one from a snapshot, after further records of its log.

    Raises:
        ValueError: the records do not follow, or they retract moves: fold the whole log.
    """
    for step in steps(records):
        before, game = game, replace(game, players=dict(game.players), entropy=dict(game.entropy))
        game.table = before.table.copy() if before.table is not None else None
        events = [read_event(game.ruleset, record) for record in step]
        if step[0].version != before.version + 1 or any(isinstance(event, MovesRetracted) for event in events):
            raise ValueError(f"version {step[0].version} does not simply follow version {before.version}")
        advance(game, step)
        game.version, game.head, game.draws = step[-1].version, step[-1].hash, step[-1].draws
        game.remember_undo(before, cause_of(step[0]), events)
    return game


def retract(
    game: Game,
    to: Version,
    by: Literal["undo", "ruling"],
    history: Sequence[Record],
    library: Library,
    cause: Cause,
    at: str,
    reason: str = "",
) -> Decided:
    """Continue from an earlier version. `history` is the whole log of this game; the cause of an undo names its seat.

    After an undo, the commands of other seats that stand aside are given again (TAB-UNDO-03).

    Raises:
        Refusal: the game is not running, a seat may not undo so much or at all, or no command began at `to`.
    """
    retracting.require_retractable(game, to, by, history, cause.seat)
    earlier = earlier_of(game, history, library)(to)
    others = others_since(history, to, cause.seat) if by == "undo" else ()
    decided = retracting.go_on_from(game, earlier, by, reason, cause, at, others)
    for version in given_again(decided.records[0]):
        again = retracting.give_again(decided.game, cause_of(history[version - 1]), at)
        decided = Decided(again.game, (*decided.records, *again.records))
    return decided


def earlier_of(game: Game, history: Sequence[Record], library: Library) -> Callable[[Version], Game]:
    """Return a function that returns the game at an earlier version, for acts that go back. `history` is its log."""
    return lambda version: fold(history[:version], game.id, library, lambda _: game.board, game.past)


def _undo_of(game: Game, effective: Sequence[Record], records: Sequence[Record], base: Game | None = None) -> Undoable:
    """Return what may be undone at the end of a log: the commands that nothing after them has settled.

    `records` are the whole log, or those that follow `base`; `effective` are the ones of them that count.
    """
    undo: Undoable = base.undo if base is not None else {}
    commands: list[tuple[Seat, Version, bool]] = []
    last: Seat | None = None
    for record in reversed(effective):
        if stays(record):
            continue
        cause = cause_of(record) if record.cause is not None else None
        aside = cause is not None and is_aside(game.ruleset, cause)
        # Of the commands that do not stand aside, only the last seat's may be undone: one of another ends the search.
        is_others = cause is not None and not aside and last not in (None, cause.seat)
        index = record.version - records[0].version
        draws = records[index - 1].draws if index else base.draws if base is not None else 0
        if is_others or record.draws != draws or settles(read_event(game.ruleset, record)):
            undo = {}
            break
        if cause is not None and cause.seat is not None:
            commands.append((cause.seat, record.version - 1, aside))
            last = last if aside else cause.seat
    for seat, before, aside in reversed(commands):
        undo = undoable(undo, seat, before, aside=aside)
    return undo
