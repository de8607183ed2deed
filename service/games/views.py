"""Viewers of a game, and what each may see of an event."""

import re
from collections.abc import Iterable, Mapping
from typing import Final, Generic, TypeVar

from msgspec import UNSET, Raw, Struct, UnsetType

from domain.kernel.chance.secret import Secret, Vault
from domain.kernel.ids import GameId, PlayerId, Seat, Version
from domain.kernel.log.game import Game
from domain.kernel.log.lifecycle import AnswerLeft
from domain.kernel.log.record import Record
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.message import type_name
from service.accounts.caller import Caller

_COMMITMENT: Final = re.compile(rb'"commitment":"([0-9a-f]{64})"')
_LEFT_ANSWER: Final = b'"type":"%b"}' % type_name(AnswerLeft).encode()


class Viewer(Struct, frozen=True):
    """What a caller may see of a game. Only `viewer_of` makes one for a caller; `Viewer()` is a spectator.

    Attributes:
        player: the account; None for a spectator without one.
        seat: the seat whose hidden values are shown.
        everything: whether all hidden values are shown.
    """

    player: PlayerId | None = None
    seat: Seat | None = None
    everything: bool = False

    def may_read(self, secret: Secret) -> bool:
        return self.everything or (self.seat is not None and self.seat in secret.readers)


def viewer_of(game: Game, caller: Caller | None) -> Viewer:
    """Return what a caller may see of the present `game` with the scopes of their token.

    With `play` that is what the caller's seat sees, or everything in an analysis of their own; with `organize` what
    the organizer sees who holds no seat, where the game was created so (`organizer_sees`); with `judge` everything for
    an official of the game. Everybody sees everything of a game that is over.
    """
    over = game.status == "over"
    if caller is None:
        return Viewer(everything=over)
    seat = seat_of(game, caller.player)
    sees_all = game.organizer_sees == "all" and caller.player == game.organizer and seat is None
    analyses = game.is_analysis and caller.player == game.organizer and "play" in caller.scopes
    return Viewer(
        player=caller.player,
        seat=seat if "play" in caller.scopes else None,
        everything=over
        or analyses
        or (sees_all and "organize" in caller.scopes)
        or (game.around.is_official(caller.player) and "judge" in caller.scopes),
    )


def withholds_forks(game: Game, caller: Caller | None) -> bool:
    """Tell whether a caller may not see the withheld forks of a game (TAB-FORK-02)."""
    judges = caller is not None and "judge" in caller.scopes and game.around.is_official(caller.player)
    return game.status != "over" and not judges


def seat_of(game: Game, player: PlayerId) -> Seat | None:
    """Return the seat that an account holds, or None. The rights of the account's token do not matter here.

    In an analysis, where one account plays all seats, it is the first seat that the game waits for.
    """
    seats = [seat for seat, holder in game.players.items() if holder == player]
    if len(seats) > 1:
        return next((seat for decision in game.decisions for seat in decision.seats), seats[0])
    return seats[0] if seats else None


def sees_all_of(viewer: Viewer, seat: Seat, records: Iterable[Record], vault: Vault) -> bool:
    """Tell whether nothing that `seat` could read in the game after `records` is hidden from a viewer.

    Answers left in advance do not count: no position and no option depends on them. `vault` holds all secrets.
    """
    if viewer.everything or viewer.seat == seat or not (secrets := vault.all()):
        return True
    for record in records:
        if record.event.endswith(_LEFT_ANSWER):
            continue
        for commitment in _COMMITMENT.findall(record.event + (record.cause or b"")):
            secret = secrets.get(commitment.decode())
            if secret is not None and seat in secret.readers and not viewer.may_read(secret):
                return False
    return True


class EventView(Struct, frozen=True, omit_defaults=True):
    """An event as a viewer sees it: its row of the log, and the secrets in it that this viewer may read.

    A reader can check the hash chain with what is shown here: these are the very values that are hashed. `hash` is the
    SHA-256 of the 32 bytes of the hash before it and the RFC 8785 form of `{at, cause, draws, event, game, schema,
    version}`, where `game` is the id of the game, and `cause` is left out where there is none. Before version 1 stands
    the SHA-256 of `tabularium/1 ` and that id. `/docs/guides/verification` works one out with `sha256sum`.

    Attributes:
        version: the version that the event made.
        ruleset: the ruleset of the game, which determines the shape of `event`.
        type: its type, as in the event itself.
        at: when it was recorded, RFC 3339 in UTC.
        schema: the schema version of the event's shape.
        draws: how many draws of chance the game had used by then.
        event: what happened.
        hash: the hash of this row and all before it, in hex.
        cause: who caused it, and how; absent for an event that followed automatically.
        secrets: what the event hides from others and shows to this viewer.
    """

    version: Version
    ruleset: str
    type: str
    at: str
    schema: int
    draws: int
    event: Raw
    hash: str
    cause: Raw | UnsetType = UNSET
    secrets: tuple[Secret, ...] = ()


F = TypeVar("F", bytes, tuple[str, ...])


class Passage(Struct, Generic[F], frozen=True):
    """Consecutive events as they are sent, cached for all viewers who may see the same.

    Attributes:
        after: the version before them.
        last: the version that the last of them made.
        at: when each of them was recorded.
        frames: the bytes to send, in one piece or one for each event.
    """

    after: Version
    last: Version
    at: tuple[str, ...]
    frames: F

    @property
    def size(self) -> int:
        """The size of the frames in bytes."""
        return len(self.frames) if isinstance(self.frames, bytes) else sum(map(len, self.frames))


class Accepted(Struct, frozen=True):
    """The answer to a request that was accepted.

    Attributes:
        game: the game.
        after: the version before the request; the request's events begin at ``after + 1``.
        version: the version after it.
        events: what happened, as the account that asked may see it.
        repeated: whether this request repeated an earlier one (same idempotency key) and so changed nothing.
    """

    game: GameId
    after: Version
    version: Version
    events: tuple[EventView, ...]
    repeated: bool = False


class Next(Struct, frozen=True):
    """What a seat may do after commands that were checked.

    Attributes:
        decisions: the decisions that it would have to make.
        options: every command that would be accepted then, without `undo`.
    """

    decisions: tuple[Decision, ...]
    options: tuple[Option, ...]


class Checked(Struct, frozen=True):
    """Commands that would be accepted.

    Attributes:
        version: the version at which they would be accepted.
        commands: how many were checked; what follows a command that rolls or reveals something cannot be checked
            beforehand.
        can_undo: whether you could take them back with `undo` afterwards, as long as nobody else decides anything: they
            roll nothing, reveal nothing and do not end the game. An answer that another seat left in advance may still
            decide something at once.
        gone: what of your pieces would no longer be on the board, by kind, such as `{"city": 1}`; only if you could
            take the commands back, since chance may decide the rest.
        next: what would be asked of you then; only if the query asks for it and you could take the commands back.
    """

    version: Version
    commands: int
    can_undo: bool
    gone: Mapping[str, int] | UnsetType = UNSET
    next: Next | UnsetType = UNSET


def event_view(ruleset: str, record: Record, vault: Vault, viewer: Viewer) -> EventView:
    """Return a record of a game by `ruleset` as `viewer` may see it. `vault` holds all secrets of the game."""
    secrets = vault.all()
    return EventView(
        version=record.version,
        ruleset=ruleset,
        type=record.type,
        at=record.at,
        schema=record.schema,
        draws=record.draws,
        event=Raw(record.event),
        hash=record.hash.hex(),
        cause=Raw(record.cause) if record.cause is not None else UNSET,
        secrets=tuple(_readable(record, secrets, viewer)) if secrets else (),
    )


def _readable(record: Record, secrets: Mapping[str, Secret], viewer: Viewer) -> Iterable[Secret]:
    text = record.event + (record.cause or b"")
    for commitment in dict.fromkeys(_COMMITMENT.findall(text)):
        secret = secrets.get(commitment.decode())
        if secret is not None and viewer.may_read(secret):
            yield secret
