"""Snapshots: a whole game at one version, so that a very long log need not be folded from its start.

A snapshot only saves time. It names its ruleset version and form. If these do not fit, it is refused, and the log is
folded instead.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct

from domain.kernel.ids import GameId, PlayerId, Seat, Version
from domain.kernel.log.answers import Answers
from domain.kernel.log.around import Around
from domain.kernel.log.clock import Clocks
from domain.kernel.log.fold import with_documents
from domain.kernel.log.game import Game
from domain.kernel.log.lifecycle import Forking, GameForked, Readers, Sight, Status
from domain.kernel.rules.board import Board
from domain.kernel.rules.documents import key_of
from domain.kernel.rules.ruleset import Library, Result, Ruleset
from domain.kernel.rules.table import Table

FORM: Final = 14
"""The version of the form of snapshots. Raise it when the kernel folds differently, or snapshots get other fields."""
_NONE: Final = b"null"


class SnapshotError(Exception):
    """A snapshot that does not fit this package. Delete it and fold the log."""


class _Snapshot(Struct, forbid_unknown_fields=True):
    form: int
    ruleset: str
    ruleset_version: int
    board: str
    id: GameId
    setup: Raw
    first_organizer: PlayerId
    organizer_sees: Sight
    commitment: str
    began_with: int
    players: dict[Seat, PlayerId | None]
    entropy: dict[Seat, str]
    status: Status
    version: Version
    head: str
    draws: int
    result: Result | None
    undo: dict[Seat, tuple[Version, ...]]
    answers: Answers
    around: Around
    clocks: Clocks | None
    forks: Forking
    readers: Readers
    abandoned_after: int
    rematch_of: GameId | None
    offered_until: str
    table: Raw
    forked: GameForked | None
    past: Raw


def take(game: Game) -> bytes:
    """Return a snapshot of the game, as JSON."""
    return msgspec.json.encode(
        _Snapshot(
            form=FORM,
            ruleset=game.ruleset.id,
            ruleset_version=game.ruleset.version,
            board=key_of(game.board),
            id=game.id,
            setup=Raw(msgspec.json.encode(game.setup)),
            first_organizer=game.first_organizer,
            organizer_sees=game.organizer_sees,
            commitment=game.commitment,
            began_with=game.began_with,
            players=game.players,
            entropy=game.entropy,
            status=game.status,
            version=game.version,
            head=game.head.hex(),
            draws=game.draws,
            result=game.result,
            undo=dict(game.undo),
            answers=game.answers,
            around=game.around,
            clocks=game.clocks,
            forks=game.forks,
            readers=game.readers,
            abandoned_after=game.abandoned_after,
            rematch_of=game.rematch_of,
            offered_until=game.offered_until,
            table=Raw(game.table.snapshot() if game.table is not None else _NONE),
            forked=game.forked,
            past=Raw(take(game.past) if game.past is not None else _NONE),
        )
    )


def restore(snapshot: bytes, library: Library, board_of: Callable[[str], Board]) -> Game:
    """Return the game of a snapshot; `domain.kernel.log.fold.resume` takes it on from there.

    Raises:
        SnapshotError: it is of another form, ruleset version or shape.
        LookupError: the board or a document is missing.
    """
    try:
        state = msgspec.json.decode(snapshot, type=_Snapshot)
        if state.form != FORM:
            raise SnapshotError(f"the snapshot is of form {state.form}, not {FORM}")
        ruleset = _ruleset(state, library)
        board = with_documents(ruleset, board_of(state.board), state.board)
        setup: Any = msgspec.json.decode(state.setup, type=ruleset.setup)
        table: Table | None = None
        if bytes(state.table) != _NONE:
            bare: Table = ruleset.lay(tuple(state.players), setup, board)
            table = type(bare).restore(bytes(state.table), {name: getattr(bare, name) for name in bare.static})
        return Game(
            id=state.id,
            ruleset=ruleset,
            board=board,
            setup=setup,
            first_organizer=state.first_organizer,
            organizer_sees=state.organizer_sees,
            commitment=state.commitment,
            began_with=state.began_with,
            players=state.players,
            entropy=state.entropy,
            status=state.status,
            version=state.version,
            head=bytes.fromhex(state.head),
            draws=state.draws,
            table=table,
            result=state.result,
            undo=state.undo,
            answers=state.answers,
            around=state.around,
            clocks=state.clocks,
            forks=state.forks,
            readers=state.readers,
            abandoned_after=state.abandoned_after,
            rematch_of=state.rematch_of,
            offered_until=state.offered_until,
            forked=state.forked,
            past=restore(bytes(state.past), library, board_of) if bytes(state.past) != _NONE else None,
        )
    except (ValueError, msgspec.MsgspecError) as error:
        raise SnapshotError(f"the snapshot does not fit: {error}") from error


def _ruleset(snapshot: _Snapshot, library: Library) -> Ruleset[Any]:
    try:
        return library.at(snapshot.ruleset, snapshot.ruleset_version)
    except LookupError as error:
        raise SnapshotError(str(error)) from error
