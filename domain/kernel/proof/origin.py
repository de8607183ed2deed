"""Who may cause which event: what the cause of every act must contain.

`verify` checks each log against this table. An event around the table that is not listed here can only follow from
another event. The check in the browser has the same table (`service/viewer/proof/origin.js`).
"""

from collections.abc import Mapping
from typing import Any, Final, Literal, cast

from msgspec import UNSET, Struct

from domain.kernel.log.game import Game
from domain.kernel.log.lifecycle import (
    AnswerGiven,
    AnswerLeft,
    AnswerRevoked,
    GameCancelled,
    GameCreated,
    GameEvent,
    GameStarted,
    MovesRetracted,
    RulesUpgraded,
    SeatLeft,
    SeatTaken,
)
from domain.kernel.log.record import Cause
from domain.kernel.rules.message import type_name


class Origin(Struct, frozen=True):
    """What the cause of an act must contain.

    Attributes:
        act: what happens, in words.
        by: whose account it must name: anybody's, that of the player who takes the seat, that of the holder of the seat
            that it acts for, a participant's (the organizer's or a seat holder's), or the organizer's.
        seat: whether the account acts for a seat.
        command: whether it does so by a command.
    """

    act: str
    by: Literal["anybody", "newcomer", "holder", "participant", "organizer"]
    seat: bool = False
    command: bool = False


AROUND_THE_TABLE: Final[Mapping[type[GameEvent], Origin]] = {
    GameCreated: Origin("the creation of a game", "anybody"),
    SeatTaken: Origin("the taking of a seat", "newcomer", seat=True),
    SeatLeft: Origin("the leaving of a seat", "holder", seat=True),
    GameStarted: Origin("the start", "participant"),
    GameCancelled: Origin("the cancellation", "organizer"),
    RulesUpgraded: Origin("a move to newer rules", "organizer"),
    AnswerLeft: Origin("the leaving of an answer", "holder", seat=True),
    AnswerRevoked: Origin("the revoking of an answer", "holder", seat=True),
    AnswerGiven: Origin("an answer given in advance", "holder", seat=True, command=True),
}
_ABOUT_A_SEAT: Final = (SeatTaken, SeatLeft, AnswerLeft, AnswerRevoked, AnswerGiven)
UNDO: Final = Origin("an undo", "holder", seat=True, command=True)
RULING: Final = Origin("a ruling", "organizer")
COMMAND: Final = Origin("a command", "holder", seat=True, command=True)


def origin_of(event: Any) -> Origin | None:
    """Return what the cause of an event must contain; None for an event that nobody can cause."""
    if not isinstance(event, GameEvent):
        return COMMAND
    if isinstance(event, MovesRetracted):
        return UNDO if event.by == "undo" else RULING
    return AROUND_THE_TABLE.get(type(event))


def objection(game: Game | None, event: Any, cause: Cause) -> str:
    """Return what is wrong with the cause of an act, to follow "version 5" in a sentence; empty when nothing is.

    `game` is the game before it, None before its creation.
    """
    origin = origin_of(event)
    if origin is None:
        return f"cannot have happened: {type_name(cast(type[GameEvent], type(event)))} follows from nothing"
    if isinstance(event, GameCreated) and game is not None:
        return "creates the game a second time"
    if not cause.player:
        return f"names no account: {origin.act} always comes from one"
    if origin.seat and cause.seat is None:
        return f"names no seat: {origin.act} is always for one"
    if not origin.seat and cause.seat is not None:
        return f"acts for the seat {cause.seat}; {origin.act} is for no seat"
    if isinstance(event, _ABOUT_A_SEAT) and cause.seat != event.seat:
        return f"acts for the seat {cause.seat}, but is about {event.seat}"
    if isinstance(event, AnswerRevoked | AnswerGiven) and not _has_left(game, event):
        return f"is about an answer left at version {event.left}, where {event.seat} has none"
    if origin.command and cause.command is UNSET:
        return f"has no command that it could come from: {origin.act} always has one"
    if not origin.command and cause.command is not UNSET:
        return f"has a command in its cause; {origin.act} comes from none"
    return _unentitled(game, origin, event, cause)


def _has_left(game: Game | None, event: AnswerRevoked | AnswerGiven) -> bool:
    left = game.answers.get(event.left) if game is not None else None
    return left is not None and left.seat == event.seat


def _unentitled(game: Game | None, origin: Origin, event: Any, cause: Cause) -> str:
    by = f"is {origin.act} by {cause.player}"
    if origin.by == "newcomer":
        return "" if cause.player == event.player else f"{by}, but seats {event.player}"
    if game is None or origin.by == "anybody":
        return ""
    if origin.by == "holder":
        held = cause.seat is not None and game.players.get(cause.seat) == cause.player
        return "" if held else f"{by}, who does not hold {cause.seat}"
    if cause.player == game.organizer:
        return ""
    if origin.by == "organizer":
        return f"{by}, who is not the organizer"
    return "" if cause.player in game.players.values() else f"{by}, who neither organizes the game nor holds a seat"
