"""Who may cause which event: what the cause of every act must contain.

The table of `openapi/verification.md`. Of a ruleset's own events, this file knows only that commands cause them.
"""

from typing import Any, Final, Literal

from msgspec import Struct


class Origin(Struct, frozen=True):
    """What the cause of an act must contain.

    Attributes:
        act: what it is called.
        by: whose account it names: anybody's, that of who sits down, that of the seat's holder, the organizer's or a
            player's, the organizer's, an official's, or nobody's, where the clock or the house did it.
        seat: whether the account acts for a seat.
        command: whether it does so by a command.
        on_case: whether it carries out the ruling on a case.
        early: whether it happens before the start only.
        whenever: whether it happens before the start and after it.
        stays: whether no retraction takes it back.
        in_pause: whether it may happen during a pause, as a ruling that goes back may.
        in_tournament: whether it may be for the tournament to which the game belongs.
    """

    act: str
    by: Literal["anybody", "newcomer", "holder", "participant", "organizer", "official", "clock", "house"]
    seat: bool = False
    command: bool = False
    on_case: bool = False
    early: bool = False
    whenever: bool = False
    stays: bool = False
    in_pause: bool = False
    in_tournament: bool = False


_ = Origin
AROUND_THE_TABLE: Final = {
    "game-created": _("the creation of a game", "anybody", early=True, in_tournament=True),
    "game-forked": _("the making of a fork", "anybody", early=True),
    "seat-taken": _("the taking of a seat", "newcomer", seat=True, early=True),
    "seat-left": _("the leaving of a seat", "holder", seat=True, early=True),
    "seat-assigned": _("the assignment of a seat", "organizer", early=True, in_tournament=True),
    "seat-confirmed": _("the confirmation of a seat", "holder", seat=True, early=True),
    "game-started": _("the start", "participant", early=True, in_tournament=True),
    "game-cancelled": _("the cancellation", "organizer", early=True, in_tournament=True),
    "rules-upgraded": _("a move to newer rules", "organizer"),
    "answer-left": _("the leaving of an answer", "holder", seat=True),
    "answer-revoked": _("the revoking of an answer", "holder", seat=True, in_pause=True),
    "answer-given": _("an answer given in advance", "holder", seat=True, command=True),
    "official-named": _("the naming of an official", "organizer", whenever=True, stays=True, in_pause=True),
    "official-released": _("the release of an official", "organizer", whenever=True, stays=True, in_pause=True),
    "organizer-changed": _("the passing on of a game", "organizer", whenever=True, stays=True, in_pause=True),
    "game-paused": _("a pause", "official", on_case=True, stays=True),
    "game-resumed": _("the end of a pause", "official", on_case=True, stays=True, in_pause=True),
    "take-back-asked": _("a request to take moves back", "holder", seat=True, stays=True),
    "take-back-answered": _("an answer to a request", "holder", seat=True, stays=True),
    "end-proposed": _("a proposal to end the game", "holder", seat=True, stays=True),
    "end-answered": _("an answer to a proposal to end the game", "holder", seat=True, stays=True),
    "seat-given-up": _("the giving up of a seat", "holder", seat=True, stays=True, in_pause=True),
    "clock-set": _("the choice of a clock", "organizer", early=True, stays=True),
    "time-given": _("a gift of time", "holder", seat=True, stays=True),
    "time-credited": _("a credit of time", "official", stays=True, in_pause=True),
    "day-off-taken": _("a day off", "holder", seat=True, stays=True),
    "seat-taken-over": _("the taking over of a seat", "newcomer", seat=True, stays=True, in_pause=True),
    "seat-offered": _("the offer of a seat", "holder", seat=True, stays=True, in_pause=True),
    "offer-withdrawn": _("the end of an offer", "holder", seat=True, stays=True, in_pause=True),
    "seat-resigned": _("a resignation", "holder", seat=True, stays=True, in_pause=True),
    "game-adjudicated": _("a ruling on the result", "official", on_case=True, in_pause=True),
}
_BY_CLOCK: Final = {
    "clock-expired": _("the fall of a flag", "clock", stays=True),
    "default-given": _("a default answer", "clock", seat=True, command=True),
    "outage-credited": _("the credit of an outage", "clock", stays=True),
    "game-abandoned": _("the end of an abandoned game", "clock"),
}
"""What the clock may cause. Only the rules say whether it was time."""
_BY_HOUSE: Final = {
    "answered-by-house": _("an answer of the house", "house", seat=True, command=True),
    "game-paused": _("a pause by the house", "house", stays=True),
}
"""What the house may cause because players resigned. Only the rules say for whom it answers."""
_OFFERS: Final = {
    "seat-offered": _("the offer of a seat by an official", "official"),
    "offer-withdrawn": _("the end of an offer by an official", "official"),
}
_OFFERS_FOR_TOURNAMENT: Final = {
    "seat-offered": _("the offer of a seat for a tournament", "organizer", in_tournament=True),
    "offer-withdrawn": _("the end of an offer for a tournament", "organizer", in_tournament=True),
}
_FOLLOWING: Final = {"seats-moved", "moves-retracted", "game-ended", "clocks-ran"}
_CLAIM: Final = _("the fall of a flag that a seat asked for", "holder", seat=True)
_CLAIM_OF_OFFICIAL: Final = _("the fall of a flag that an official asked for", "official")
_CREDIT_BY_RULING: Final = _("a credit of time", "official", on_case=True)
_UNDO: Final = _("an undo", "holder", seat=True, command=True)
_RULING: Final = _("a ruling", "official", on_case=True)
_RULING_WITHOUT_CASE: Final = _("a ruling", "organizer")
_START_BY_RULING: Final = _("a start by a ruling", "anybody", on_case=True, early=True)
"""For a continuation. The case belongs to its parent, whose log says who the officials are."""
_RESUMED_WITHOUT_CASE: Final = _("the end of a pause", "anybody")
"""`Around` checks whether the account may do it."""
_OFFICE_LAID_DOWN: Final = _("the laying down of an office", "official", whenever=True)
_COMMAND: Final = _("a command", "holder", seat=True, command=True)
del _


def is_around_the_table(kind: str) -> bool:
    """Tell whether an event is about the game as such; all others happen at its table."""
    return kind in AROUND_THE_TABLE or kind in _BY_CLOCK or kind in _BY_HOUSE or kind in _FOLLOWING


def stays(kind: str) -> bool:
    """Tell whether an event stays when moves are taken back."""
    origin = AROUND_THE_TABLE.get(kind) or _BY_CLOCK.get(kind)
    return kind == "clocks-ran" or (origin is not None and origin.stays)


def origin_of(event: dict[str, Any], cause: dict[str, Any]) -> Origin | None:
    """Return what an act must come from; None for an event that follows from nothing."""
    kind = event["type"]
    match cause.get("by"):
        case "clock":
            return _BY_CLOCK.get(kind)
        case "house":
            return _BY_HOUSE.get(kind)
    if kind in _OFFERS and "seat" not in cause:
        return (_OFFERS_FOR_TOURNAMENT if "tournament" in cause else _OFFERS)[kind]
    on_case = "case" in cause
    match kind:
        case "clock-expired":
            return _CLAIM if "seat" in cause else _CLAIM_OF_OFFICIAL
        case "time-credited" if on_case:
            return _CREDIT_BY_RULING
        case "moves-retracted":
            return {"undo": _UNDO, "ruling": _RULING if on_case else _RULING_WITHOUT_CASE}.get(event.get("by", ""))
        case "game-started" if on_case:
            return _START_BY_RULING
        case "game-resumed" if not on_case:
            return _RESUMED_WITHOUT_CASE
        case "official-released" if cause.get("player") == event.get("player"):
            return _OFFICE_LAID_DOWN
    return AROUND_THE_TABLE.get(kind) if is_around_the_table(kind) else _COMMAND
