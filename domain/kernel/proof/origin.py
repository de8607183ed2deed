"""Who may cause which event: what the cause of every act must contain.

`verify` checks each log against this table. An event around the table that is not listed here can only follow from
another event. Checks in the browser (`service/viewer/proof/origin.js`) and in the Python client have the same table.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, Literal, cast

from msgspec import UNSET, Struct

from domain.kernel.ids import TournamentId
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
from domain.kernel.log.event import GameEvent
from domain.kernel.log.game import Game
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
from domain.kernel.log.record import Cause
from domain.kernel.log.seated import (
    AnsweredByHouse,
    OfferWithdrawn,
    SeatAssigned,
    SeatConfirmed,
    SeatOffered,
    SeatResigned,
)
from domain.kernel.rules.message import type_name


class Origin(Struct, frozen=True):
    """What the cause of an act must contain.

    Attributes:
        act: what happens, in words.
        by: whose account it must name: anybody's, that of the player who takes the seat, that of the holder of the seat
            that it acts for, a participant's (the organizer's or a seat holder's), the organizer's, an official's, or
            nobody's, where the clock or the house did it.
        seat: whether the account acts for a seat. An event around the table then names that seat.
        command: whether it does so by a command.
        case: whether it carries out the ruling on a case.
        tournament: whether it may be for the tournament to which the game belongs (TAB-SEAT-10).
    """

    act: str
    by: Literal["anybody", "newcomer", "holder", "participant", "organizer", "official", "clock", "house"]
    seat: bool = False
    command: bool = False
    case: bool = False
    tournament: bool = False


AROUND_THE_TABLE: Final[Mapping[type[GameEvent], Origin]] = {
    GameCreated: Origin("the creation of a game", "anybody", tournament=True),
    GameForked: Origin("the making of a fork", "anybody"),
    SeatTaken: Origin("the taking of a seat", "newcomer", seat=True),
    SeatAssigned: Origin("the assignment of a seat", "organizer", tournament=True),
    SeatConfirmed: Origin("the confirmation of a seat", "holder", seat=True),
    SeatLeft: Origin("the leaving of a seat", "holder", seat=True),
    GameStarted: Origin("the start", "participant", tournament=True),
    GameCancelled: Origin("the cancellation", "organizer", tournament=True),
    RulesUpgraded: Origin("a move to newer rules", "organizer"),
    AnswerLeft: Origin("the leaving of an answer", "holder", seat=True),
    AnswerRevoked: Origin("the revoking of an answer", "holder", seat=True),
    AnswerGiven: Origin("an answer given in advance", "holder", seat=True, command=True),
    OfficialNamed: Origin("the naming of an official", "organizer"),
    OfficialReleased: Origin("the release of an official", "organizer"),
    OrganizerChanged: Origin("the passing on of a game", "organizer"),
    GamePaused: Origin("a pause", "official", case=True),
    GameResumed: Origin("the end of a pause", "official", case=True),
    TakeBackAsked: Origin("a request to take moves back", "holder", seat=True),
    TakeBackAnswered: Origin("an answer to a request", "holder", seat=True),
    EndProposed: Origin("a proposal to end the game", "holder", seat=True),
    EndAnswered: Origin("an answer to a proposal to end the game", "holder", seat=True),
    SeatGivenUp: Origin("the giving up of a seat", "holder", seat=True),
    ClockSet: Origin("the choice of a clock", "organizer"),
    TimeGiven: Origin("a gift of time", "holder", seat=True),
    TimeCredited: Origin("a credit of time", "official"),
    DayOffTaken: Origin("a day off", "holder", seat=True),
    SeatTakenOver: Origin("the taking over of a seat", "newcomer", seat=True),
    SeatOffered: Origin("the offer of a seat", "holder", seat=True),
    OfferWithdrawn: Origin("the end of an offer", "holder", seat=True),
    SeatResigned: Origin("a resignation", "holder", seat=True),
    GameAdjudicated: Origin("a ruling on the result", "official", case=True),
}
BY_CLOCK: Final[Mapping[type[GameEvent], Origin]] = {
    ClockExpired: Origin("the fall of a flag", "clock"),
    DefaultGiven: Origin("a default answer", "clock", seat=True, command=True),
    OutageCredited: Origin("the credit of an outage", "clock"),
    GameAbandoned: Origin("the end of an abandoned game", "clock"),
    GameCancelled: Origin("the end of an offer of a rematch", "clock"),
}
"""What the clock itself may cause. Deciding the act again checks whether it was time (TAB-CLK-05 to -09, TAB-END-04,
TAB-REM-04)."""
BY_HOUSE: Final[Mapping[type[GameEvent], Origin]] = {
    AnsweredByHouse: Origin("an answer of the house", "house", seat=True, command=True),
    GamePaused: Origin("a pause by the house", "house"),
}
"""What the house may cause because players resigned (TAB-SEAT-05, TAB-SEAT-07)."""
_CASE: Final = re.compile("c[0-9a-z]+")
_TOURNAMENT: Final = re.compile("t[0-9a-z]+")
UNDO: Final = Origin("an undo", "holder", seat=True, command=True)
RULING: Final = Origin("a ruling", "official", case=True)
START_BY_RULING: Final = Origin("a start by a ruling", "anybody", case=True)
"""For a continuation: anybody, because its officials are in the log of its parent, to which the case belongs."""
RULING_WITHOUT_CASE: Final = Origin("a ruling", "organizer")
RESUMED_WITHOUT_CASE: Final = Origin("the end of a pause", "anybody")
"""Deciding the act again checks whether the account may do it (TAB-RUL-03)."""
OFFICE_LAID_DOWN: Final = Origin("the laying down of an office", "official")
CLAIM: Final = Origin("the fall of a flag that a seat asked for", "holder", seat=True)
CLAIM_OF_OFFICIAL: Final = Origin("the fall of a flag that an official asked for", "official")
OFFER_OF_OFFICIAL: Final = Origin("the offer of a seat by an official", "official")
WITHDRAWAL_BY_OFFICIAL: Final = Origin("the end of an offer by an official", "official")
OFFER_FOR_TOURNAMENT: Final = Origin("the offer of a seat for a tournament", "organizer", tournament=True)
WITHDRAWAL_FOR_TOURNAMENT: Final = Origin("the end of an offer for a tournament", "organizer", tournament=True)
CREDIT_BY_RULING: Final = Origin("a credit of time", "official", case=True)
COMMAND: Final = Origin("a command", "holder", seat=True, command=True)


def origin_of(event: Any, cause: Cause) -> Origin | None:
    """Return what the cause of an event must contain; None for an event that nobody can cause."""
    if cause.by == "clock":
        return BY_CLOCK.get(cast(Any, type(event)))
    if cause.by == "house":
        return BY_HOUSE.get(cast(Any, type(event)))
    if not isinstance(event, GameEvent):
        return COMMAND
    if isinstance(event, ClockExpired):
        return CLAIM if cause.seat is not None else CLAIM_OF_OFFICIAL
    if isinstance(event, SeatOffered) and cause.seat is None:
        return OFFER_OF_OFFICIAL if cause.tournament is None else OFFER_FOR_TOURNAMENT
    if isinstance(event, OfferWithdrawn) and cause.seat is None:
        return WITHDRAWAL_BY_OFFICIAL if cause.tournament is None else WITHDRAWAL_FOR_TOURNAMENT
    if isinstance(event, TimeCredited) and cause.case is not None:
        return CREDIT_BY_RULING
    if isinstance(event, MovesRetracted):
        ruling = RULING if cause.case is not None else RULING_WITHOUT_CASE
        return {"undo": UNDO, "ruling": ruling, "consent": None}[event.by]
    if isinstance(event, GameStarted) and cause.case is not None:
        return START_BY_RULING
    if isinstance(event, GameResumed) and cause.case is None:
        return RESUMED_WITHOUT_CASE
    if isinstance(event, OfficialReleased) and cause.player == event.player:
        return OFFICE_LAID_DOWN
    return AROUND_THE_TABLE.get(type(event))


def objection(game: Game | None, event: Any, cause: Cause, belongs_to: TournamentId | None = None) -> str:
    """Return what is wrong with the cause of an act, to follow "version 5" in a sentence; empty when nothing is wrong.

    `game` is the game before the act, None before its creation. `belongs_to` is the tournament that its creation names.
    """
    origin = origin_of(event, cause)
    if origin is None and cause.by is not None:
        kind = type_name(cast(type[GameEvent], type(event)))
        return f"says that the {cause.by} did it, which never causes {kind}"
    if origin is None:
        return f"cannot have happened: {type_name(cast(type[GameEvent], type(event)))} follows from nothing"
    if isinstance(event, GameCreated) and game is not None:
        return "creates the game a second time"
    by_itself = origin.by in ("clock", "house")
    if by_itself and (cause.player or cause.key):
        return f"names an account or a request: {origin.act} always comes from the {origin.by}"
    if not by_itself and not cause.player:
        return f"names no account: {origin.act} always comes from one"
    if origin.seat and cause.seat is None:
        return f"names no seat: {origin.act} is always for one"
    if not origin.seat and cause.seat is not None:
        return f"acts for the seat {cause.seat}; {origin.act} is for no seat"
    names_seat = type(event) in AROUND_THE_TABLE or by_itself
    if origin.seat and names_seat and cause.seat != (about := cast(Any, event).seat):
        return f"acts for the seat {cause.seat}, but is about {about}"
    if isinstance(event, AnswerRevoked | AnswerGiven) and not _has_left(game, event):
        return f"is about an answer left at version {event.left}, where {event.seat} has none"
    if origin.command and cause.command is UNSET:
        return f"has no command that it could come from: {origin.act} always has one"
    if not origin.command and cause.command is not UNSET:
        return f"has a command in its cause; {origin.act} comes from none"
    if origin.case and not _CASE.fullmatch(cause.case or ""):
        return f"names no case: {origin.act} always carries out the ruling on one"
    if not origin.case and cause.case is not None:
        return f"names the case {cause.case}; {origin.act} carries out no ruling"
    if wrong := _unentitled(game, origin, event, cause):
        return wrong
    return _wrong_tournament(game, origin, cause, belongs_to) if cause.tournament is not None else ""


def _wrong_tournament(game: Game | None, origin: Origin, cause: Cause, belongs_to: TournamentId | None) -> str:
    prefix = f"names the tournament {cause.tournament}"
    if not origin.tournament:
        return f"{prefix}; {origin.act} is for none"
    if not _TOURNAMENT.fullmatch(cause.tournament or ""):
        return f"{prefix}, which is no id of one"
    if game is None:
        return ""
    if cause.tournament != belongs_to:
        return f"{prefix}, but the game belongs to {belongs_to or 'none'}"
    return "" if cause.player == game.organizer else f"{prefix}, and is not by the organizer"


def _has_left(game: Game | None, event: AnswerRevoked | AnswerGiven) -> bool:
    answer = game.answers.get(event.left) if game is not None else None
    return answer is not None and answer.seat == event.seat


def _unentitled(game: Game | None, origin: Origin, event: Any, cause: Cause) -> str:
    by = f"is {origin.act} by {cause.player}"
    if origin.by == "newcomer":
        return "" if cause.player == event.player else f"{by}, but seats {event.player}"
    if game is None or origin.by in ("anybody", "clock", "house"):
        return ""
    if origin.by == "holder":
        if cause.seat is None or game.players.get(cause.seat) != cause.player:
            return f"{by}, who does not hold {cause.seat}"
        return f"{by}, who has resigned" if cause.seat in game.around.resigned else ""
    if origin.by == "official":
        return "" if game.around.is_official(cause.player) else f"{by}, who is no official of the game"
    if cause.player == game.organizer:
        return ""
    if isinstance(event, GameCancelled) and game.rematch_of is not None:
        return "" if cause.player in game.players.values() else f"{by}, who was not asked to play"
    if origin.by == "organizer":
        return f"{by}, who is not the organizer"
    return "" if cause.player in game.players.values() else f"{by}, who neither organizes the game nor holds a seat"
