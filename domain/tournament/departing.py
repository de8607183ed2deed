"""Leaving a tournament because an account is closed (TAB-TRN-23)."""

from collections.abc import Collection

from domain.kernel.ids import PlayerId
from domain.kernel.log.record import Cause
from domain.kernel.rules.refusal import Refusal
from domain.tournament import directing, entering
from domain.tournament.tournament import Inscribed, Tournament

REASON = "The account of its organizer was closed, and nobody else directs it."


def depart(tournament: Tournament, cause: Cause, at: str, *, able: Collection[PlayerId]) -> Inscribed:
    """Withdraw the player and release the director; pass the organizer's tournament on, or cancel it.

    The tournament is cancelled when no other director can organize it, and no result counts yet.

    Args:
        able: the accounts that can organize it next, if they direct it.

    Raises:
        Refusal: the tournament is over; the account takes no part in it any more; or it organizes the tournament, and
            can neither pass it on nor cancel it.
    """
    player, inscribed = cause.account, Inscribed(tournament, ())
    tournament.require_going_on("TAB-TRN-23")
    entrant = tournament.field.entrants.get(player)
    if entrant is not None and not entrant.out:
        inscribed = inscribed.then(entering.withdraw(inscribed.tournament, cause, at))
    successor = next((each for each in tournament.directors if each in able and each != player), None)
    if tournament.organizer == player and successor is not None:
        inscribed = inscribed.then(directing.pass_on(inscribed.tournament, successor, cause, at))
    if inscribed.tournament.organizer == player:
        if not any(result.confirmed for _, result in tournament.field.results):
            inscribed = inscribed.then(directing.cancel(inscribed.tournament, REASON, cause, at))
    elif player in tournament.directors:
        inscribed = inscribed.then(directing.release_director(inscribed.tournament, player, cause, at))
    if not inscribed.records:
        if tournament.organizer == player:
            wrong = "A result counts, so the tournament cannot be cancelled, and no other director can organize it."
            raise Refusal("TAB-TRN-23", wrong, "Appoint a director who can, or play it to its end.")
        raise Refusal("TAB-TRN-23", f"{player} takes no part any more.", "There is nothing to leave.")
    return inscribed
