"""Acts with seats: assigning and confirming them before the game begins; later offers, taking over, resigning."""

from msgspec.structs import replace

from domain.kernel.ids import PlayerId, Seat
from domain.kernel.log import beginning, officials, seating
from domain.kernel.log.fold import earlier_of
from domain.kernel.log.game import Decided
from domain.kernel.log.record import Cause
from service.games.acts import Act, Case, NotSeated, require_organizer


class AssignSeat(Act, frozen=True):
    """Assigning a seat to an account that has agreed to it, as the organizer."""

    kind = "assign-seat"
    seat: Seat
    player: PlayerId

    async def decide(self, case: Case) -> Decided:
        require_organizer(case.game, case.cause.account)
        return seating.assign_seat(case.game, self.seat, self.player, case.cause, case.at)


class ConfirmSeat(Act, frozen=True):
    """Confirming the seat that was assigned to the account. The last confirmation starts a rematch."""

    kind = "confirm-seat"
    seat: Seat
    entropy: str = ""

    async def decide(self, case: Case) -> Decided:
        confirmed = seating.confirm_seat(case.game, self.seat, self.entropy, case.cause, case.at)
        if confirmed.game.rematch_of is None or confirmed.game.around.assigned:
            return confirmed
        # The last one has agreed (TAB-REM-03).
        return confirmed.then(beginning.start(confirmed.game, confirmed.game.chance(case.secret), case.cause, case.at))


class OfferSeat(Act, frozen=True):
    """Offering a seat to an account, or to anybody: your own seat, or any seat as an official of the game."""

    kind = "offer-seat"
    seat: Seat
    to: PlayerId | None = None

    async def decide(self, case: Case) -> Decided:
        offered = seating.offer_seat(case.game, self.seat, self.to, _offering(case, self.seat), case.at)
        if self.to is not None:
            officials.require_rarely_addressed(self.to, await case.log())
        return offered


class WithdrawOffer(Act, frozen=True):
    """Withdrawing the offer of a seat: of your own seat, or of any seat as an official of the game."""

    kind = "withdraw-offer"
    seat: Seat

    async def decide(self, case: Case) -> Decided:
        return seating.withdraw_offer(case.game, self.seat, _offering(case, self.seat), case.at)


def _offering(case: Case, seat: Seat) -> Cause:
    """Return the cause of an offer: an official acts for no seat. Raises `NotSeated`."""
    if case.game.around.is_official(case.cause.account):
        return case.cause
    return replace(case.cause, seat=_own_seat(case, seat))


def _own_seat(case: Case, seat: Seat) -> Seat:
    own = case.seat()
    if own != seat and not case.game.is_analysis:
        raise NotSeated(f"{seat} is not your seat; you hold {own}.")
    return seat


class AcceptSeat(Act, frozen=True):
    """Taking over a seat that is open or offered to the account, or taking back your own that its clock left open."""

    kind = "accept-seat"
    seat: Seat

    async def decide(self, case: Case) -> Decided:
        return seating.take_over_seat(case.game, self.seat, case.cause, case.at)


class Resign(Act, frozen=True):
    """Resigning, for your own seat."""

    kind = "resign"
    seat: Seat

    async def decide(self, case: Case) -> Decided:
        seat, earlier = _own_seat(case, self.seat), earlier_of(case.game, await case.log(), case.library)
        return seating.resign(case.game, seat, earlier, case.chance, case.cause, case.at)
