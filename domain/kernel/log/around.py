"""The state of a game around its table: its officials, whether it is paused, requests to take moves back.

The table is the fold of the events that count, this state the fold of all events. So taking moves back does not change
it, except that requests lapse.
"""

import re
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from domain.kernel.ids import PlayerId, Seat, Version
from domain.kernel.log.clocked import ClockExpired
from domain.kernel.log.ended import EndAnswered, EndProposed
from domain.kernel.log.lifecycle import (
    GameAdjudicated,
    GameEnded,
    GamePaused,
    GameResumed,
    GameStarted,
    OfficialNamed,
    OfficialReleased,
    OrganizerChanged,
    SeatGivenUp,
    SeatLeft,
    SeatTaken,
    SeatTakenOver,
    TakeBackAnswered,
    TakeBackAsked,
)
from domain.kernel.log.seated import OfferWithdrawn, SeatAssigned, SeatConfirmed, SeatOffered, SeatResigned
from domain.kernel.rules.ruleset import Order

LONGEST_REASON: Final = 2_000

PAUSE_ALLOWS: Final = (
    "open and rule on cases, resume the game, name and release officials, give up, offer and resign seats and take them"
    " over, revoke answers left in advance, credit time, and fork the game"
)
"""What may be done in a paused game, in words (TAB-RUL-03): acts outside its log, and acts with events `in_pause`."""

_REASON: Final = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+")
"""A line that has no control characters, and none that change the direction of text."""


class Asked(Struct, frozen=True):
    """A request of a seat to take moves back (TAB-UNDO-04).

    Attributes:
        seat: the seat that asks.
        to: the version to which the game would go back.
        agreed: the seats that have agreed.
        is_closed: whether it was refused or withdrawn.
        asks_present: whether seats that were given up are left out. Older requests ask them, too.
    """

    seat: Seat
    to: Version
    agreed: tuple[Seat, ...] = ()
    is_closed: bool = False
    asks_present: bool = False


class Proposed(Struct, frozen=True):
    """A proposal of a seat to end the game (TAB-END-01).

    Attributes:
        seat: the seat that proposes it.
        order: the final order of the seats.
        round: the round in which it was proposed.
        asks: the seats that have to agree.
        agreed: the seats that have agreed.
        is_closed: whether it was turned down or withdrawn.
    """

    seat: Seat
    order: Order
    round: int
    asks: tuple[Seat, ...]
    agreed: tuple[Seat, ...] = ()
    is_closed: bool = False

    @property
    def waits_for(self) -> tuple[Seat, ...]:
        """The seats that have yet to agree."""
        return tuple(seat for seat in self.asks if seat not in self.agreed)


class Offer(Struct, frozen=True):
    """An open offer of a seat (TAB-SEAT-01).

    Attributes:
        to: the account that may accept it; None for any account that can be a substitute.
        version: the version at which the offer was made.
    """

    to: PlayerId | None
    version: Version


class Around(Struct, frozen=True):
    """The state of a game around its table at one version. Never changed in place.

    Attributes:
        seated: the accounts that ever took a seat or were assigned one.
        officials: the accounts that were ever named officials, and whether they still are.
        paused: why the game is paused; None while it is not.
        asked: the requests to take moves back since the game last moved on, by the version at which each was made.
        given_up: the seats that are open to substitutes: their players gave them up or resigned, or their clocks left
            them open. The players hold them until others take them over.
        organizer: who organizes the game in place of the account that it began with; None while that one does.
        ends: the proposals to end the game that were made in the round of the newest one, by version.
        order: the final order of the seats that was ruled or agreed; None where neither was.
        resigned: the seats whose players resigned; the house answers for them (TAB-SEAT-05).
        offers: the open offers of seats.
        held: the accounts that held each seat of the running game before its present holder; seats that never changed
            hands are left out.
        assigned: the seats that were assigned and not confirmed, until the game begins.
    """

    seated: tuple[PlayerId, ...] = ()
    officials: dict[PlayerId, bool] = field(default_factory=dict[PlayerId, bool])
    paused: str | None = None
    asked: dict[Version, Asked] = field(default_factory=dict[Version, Asked])
    given_up: tuple[Seat, ...] = ()
    organizer: PlayerId | None = None
    ends: dict[Version, Proposed] = field(default_factory=dict[Version, Proposed])
    order: Order | None = None
    resigned: tuple[Seat, ...] = ()
    offers: dict[Seat, Offer] = field(default_factory=dict[Seat, Offer])
    held: dict[Seat, tuple[PlayerId, ...]] = field(default_factory=dict[Seat, tuple[PlayerId, ...]])
    assigned: tuple[Seat, ...] = ()

    def after(self, event: Any, version: Version) -> "Around":
        """Return the state around the table after an event of the game."""
        match event:
            case SeatTaken(_, player) if player not in self.seated:
                return replace(self, seated=(*self.seated, player))
            case SeatGivenUp(seat):
                return replace(self, given_up=(*self.given_up, seat), ends={})
            case ClockExpired(seat, "vacate") if seat not in self.given_up:
                return replace(self, given_up=(*self.given_up, seat), ends={})
            case SeatTakenOver(seat, player):
                return replace(
                    self,
                    given_up=tuple(each for each in self.given_up if each != seat),
                    seated=(*dict.fromkeys((*self.seated, player)),),
                    resigned=tuple(each for each in self.resigned if each != seat),
                    offers=self._offers_without(seat),
                    ends={},
                )
            case SeatOffered(seat, to):
                return replace(self, offers={**self.offers, seat: Offer(to or None, version)})
            case OfferWithdrawn(seat):
                return replace(self, offers=self._offers_without(seat))
            case SeatResigned(seat):
                return replace(
                    self,
                    given_up=(*dict.fromkeys((*self.given_up, seat)),),
                    resigned=(*self.resigned, seat),
                    offers=self._offers_without(seat),
                    ends={},
                )
            case OfficialNamed(player):
                return replace(self, officials={**self.officials, player: True})
            case OfficialReleased(player):
                return replace(self, officials={**self.officials, player: False})
            case OrganizerChanged(player):
                return replace(self, organizer=player)
            case GamePaused(reason):
                return replace(self, paused=reason)
            case GameResumed():
                return replace(self, paused=None)
            case TakeBackAsked(seat, to, asks):
                request = Asked(seat, to, asks_present=asks == "present")
                return replace(self, asked={**self.asked, version: request})
            case TakeBackAnswered(seat, asked_at, agrees) if asked_at in self.asked:
                request = self.asked[asked_at]
                reply = replace(request, agreed=(*request.agreed, seat)) if agrees else _closed(request)
                return replace(self, asked={**self.asked, asked_at: reply})
            case EndProposed(asks, order, round_, seat):
                ends = {at: each for at, each in self.ends.items() if each.round == round_}
                ends[version] = Proposed(seat, order, round_, asks)
                return replace(self, ends=ends, order=None if asks else order)
            case EndAnswered(agrees, proposed, seat) if proposed in self.ends:
                proposal = self.ends[proposed]
                if agrees:
                    proposal = replace(proposal, agreed=(*proposal.agreed, seat))
                else:
                    proposal = replace(proposal, is_closed=True)
                order = proposal.order if agrees and not proposal.waits_for else None
                return replace(self, ends={**self.ends, proposed: proposal}, order=order)
            case GameAdjudicated(order):
                return replace(self, order=order)
            case SeatAssigned(seat, player):
                seated = (*dict.fromkeys((*self.seated, player)),)
                return replace(self, seated=seated, assigned=(*dict.fromkeys((*self.assigned, seat)),))
            case SeatConfirmed(seat) | SeatLeft(seat) if seat in self.assigned:
                return replace(self, assigned=tuple(each for each in self.assigned if each != seat))
            case GameStarted() if self.assigned:
                return replace(self, assigned=())
            case GameEnded():
                return replace(self, paused=None, asked={}, offers={}, ends={})
            case _:
                return self

    def _offers_without(self, seat: Seat) -> dict[Seat, Offer]:
        return {each: offer for each, offer in self.offers.items() if each != seat}

    def handed_over(self, seat: Seat, before: PlayerId | None) -> "Around":
        """Return the state after another account took over the seat of `before`."""
        holders = self.held.get(seat, ())
        return replace(self, held={**self.held, seat: (*holders, before)}) if before is not None else self

    def moved_on(self, last: Version) -> "Around":
        """Return the state after the game moved on at version `last`: earlier requests have lapsed."""
        open_requests = {version: request for version, request in self.asked.items() if version > last}
        return replace(self, asked=open_requests) if len(open_requests) < len(self.asked) else self

    def is_official(self, player: PlayerId | None) -> bool:
        return player is not None and self.officials.get(player, False)

    def end_of(self, seat: Seat, round_: int) -> Version | None:
        """Return the version at which a seat proposed to end the game in a round; None when it has not."""
        return next((at for at, each in self.ends.items() if (each.seat, each.round) == (seat, round_)), None)

    def open_request(self, seat: Seat) -> Version | None:
        """Return the version of a seat's open request to take moves back; None when it has none."""
        return next((at for at, each in self.asked.items() if each.seat == seat and not each.is_closed), None)


def _closed(request: Asked) -> Asked:
    return replace(request, is_closed=True)


def is_reason(text: str) -> bool:
    """Tell whether a text can be the reason of a ruling: a line of 1 to 2,000 characters, not all blank."""
    return len(text) <= LONGEST_REASON and bool(text.strip()) and _REASON.fullmatch(text) is not None
