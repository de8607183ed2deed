"""Entering a tournament, leaving it, and checking in (TAB-TRN-05 to TAB-TRN-07)."""

from typing import Final

from msgspec import UNSET

from domain.kernel.log.around import is_reason
from domain.kernel.log.record import Cause
from domain.kernel.rules.refusal import Refusal, refuse_unless
from domain.tournament.events import PlayerCheckedIn, PlayerEntered, PlayerWithdrew
from domain.tournament.tournament import Inscribed, Tournament

LONGEST_CLUB: Final = 60
LONGEST_ENTROPY: Final = 256


def enter(tournament: Tournament, club: str | None, cause: Cause, at: str) -> Inscribed:
    """Enter, and consent to be seated; also again after having withdrawn (TAB-TRN-05)."""
    tournament.require_going_on("TAB-TRN-05")
    player, regulations = cause.account, tournament.regulations
    entrant = tournament.field.entrants.get(player)
    refuse_unless(entrant is None or entrant.out, "TAB-TRN-05", "You have entered already.", "Check in instead.")
    if any(each.player == player and each.sort == "exclusion" for each in tournament.field.penalties):
        raise Refusal("TAB-TRN-05", "You were excluded from this tournament.", "Enter another one.")
    played = len(tournament.field.played)
    if played >= regulations.late:
        wrong = f"{played} rounds have been published." if played != 1 else "The first round has been published."
        right = f"Players enter before round {regulations.late} is published." if regulations.late > 1 else ""
        raise Refusal("TAB-TRN-05", wrong, right or "Players enter before the first round.", untimely=True)
    if entrant is None and len(tournament.field.entrants) >= regulations.entrants:
        raise Refusal("TAB-TRN-05", "The tournament is full.", f"{regulations.entrants} can enter.", untimely=True)
    fits = club is None or (len(club) <= LONGEST_CLUB and is_reason(club))
    right = f"A club has 1 to {LONGEST_CLUB} printable characters."
    refuse_unless(fits, "TAB-TRN-05", "The name of the club cannot be taken.", right)
    return tournament.add([PlayerEntered(player, UNSET if club is None else club)], cause, at)


def withdraw(tournament: Tournament, cause: Cause, at: str) -> Inscribed:
    """Take no part in the rounds that are still to be drawn (TAB-TRN-06)."""
    tournament.require_in(cause.account, "TAB-TRN-06")
    return tournament.add([PlayerWithdrew(cause.account)], cause, at)


def check_in(tournament: Tournament, entropy: str, cause: Cause, at: str) -> Inscribed:
    """Check in for the next round, and add entropy to its lots (TAB-TRN-07)."""
    entrant = tournament.require_in(cause.account, "TAB-TRN-07")
    if tournament.regulations.stage_of(len(tournament.field.played)) is None:
        raise Refusal("TAB-TRN-07", "All rounds have been drawn.", "There is nothing to check in for.", untimely=True)
    once = tournament.regulations.check_in == "once"
    is_again = entrant.checked_in > 0 if once else entrant.checked_in == tournament.next_round
    right = "One check-in is for all rounds." if once else "Check in again for the round after it."
    refuse_unless(not is_again, "TAB-TRN-07", "You have checked in already.", right)
    fits = len(entropy) <= LONGEST_ENTROPY and (not entropy or is_reason(entropy))
    right = f"It has at most {LONGEST_ENTROPY} printable characters."
    refuse_unless(fits, "TAB-TRN-07", "The entropy cannot be taken.", right)
    return tournament.add([PlayerCheckedIn(tournament.next_round, cause.account, entropy)], cause, at)
