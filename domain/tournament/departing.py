"""Leaving a tournament with an account that is closed (TAB-TRN-23)."""

from collections.abc import Collection

from domain.kernel.ids import PlayerId
from domain.kernel.log.record import Cause
from domain.kernel.rules.refusal import refuse_unless
from domain.tournament import directing, entering
from domain.tournament.tournament import Inscribed, Tournament

REASON = "The account of its organizer was closed, and nobody else directs it."


def depart(tournament: Tournament, cause: Cause, at: str, *, able: Collection[PlayerId]) -> Inscribed:
    """Withdraw, lay the office of director down, and pass the tournament on or cancel it.

    Args:
        able: the directors who may organize it next.

    Raises:
        Refusal: the account takes no part in the tournament any more, or the tournament is over.
    """
    player, now = cause.account, Inscribed(tournament, ())
    tournament.require_going_on("TAB-TRN-23")
    entrant = tournament.field.entrants.get(player)
    if entrant is not None and not entrant.out:
        now = now.then(entering.withdraw(now.tournament, cause, at))
    heir = next((each for each in tournament.directors if each in able and each != player), None)
    if tournament.organizer == player and heir is not None:
        now = now.then(directing.pass_on(now.tournament, heir, cause, at))
    if now.tournament.organizer == player:
        if not any(result.confirmed for _, result in tournament.field.results):
            now = now.then(directing.cancel(now.tournament, REASON, cause, at))
    elif player in tournament.directors:
        now = now.then(directing.release_director(now.tournament, player, cause, at))
    refuse_unless(now.records, "TAB-TRN-23", f"{player} takes no part any more.", "There is nothing to leave.")
    return now
