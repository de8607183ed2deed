"""Announcing a tournament and directing it: regulations, directors, penalties, the end (TAB-TRN-01 to TAB-TRN-04,
TAB-TRN-06, TAB-TRN-17 to TAB-TRN-19, and TAB-TRN-23)."""

from collections.abc import Collection
from typing import Final

from msgspec.structs import replace

from domain.kernel.ids import PlayerId, TournamentId
from domain.kernel.log.clock import HOUR, milliseconds
from domain.kernel.log.record import Cause, genesis, inscribe
from domain.kernel.rules.message import enumerated
from domain.kernel.rules.refusal import Refusal, refuse_unless
from domain.tournament.events import (
    AnnouncementMade,
    DirectorNamed,
    DirectorReleased,
    PenaltyGiven,
    PlayerDropped,
    RegulationsChanged,
    Sort,
    TournamentAnnounced,
    TournamentCancelled,
    TournamentClosed,
    TournamentPassedOn,
)
from domain.tournament.regulations import MOST_POINTS, AnyStage, Regulations, require_sound_regulations
from domain.tournament.standings import final_order
from domain.tournament.tournament import Inscribed, Tournament, require_reason, tournament_from

MOST_DIRECTORS: Final = 10
MOST_ANNOUNCEMENTS: Final = 50
MOST_IN_AN_HOUR: Final = 5
"""The most announcements in an hour: each goes to all players, also to their devices."""
MOST_PENALTIES: Final = 500
UNCHANGING: Final = ("ruleset", "points", "bye", "tie_breaks", "agreed", "points_of_substitutes")
"""The fields of the regulations that cannot change once a round was published (TAB-TRN-03)."""


def announce(
    tournament_id: TournamentId,
    regulations: Regulations,
    commitment: str,
    seats: Collection[int],
    cause: Cause,
    at: str,
) -> Inscribed:
    """Announce a tournament (TAB-TRN-01).

    Args:
        commitment: the end of the chain of its secrets, in hex.
        seats: the numbers of players that its ruleset takes.

    Raises:
        Refusal: the regulations are not sound (TAB-TRN-02).
    """
    require_sound_regulations(regulations, seats)
    event = TournamentAnnounced(regulations, commitment)
    record = inscribe(tournament_id, genesis(tournament_id), 1, event, schema=event.schema, draws=0, at=at, cause=cause)
    return Inscribed(tournament_from(tournament_id, event, record, cause), (record,))


def change(
    tournament: Tournament, regulations: Regulations, seats: Collection[int], cause: Cause, at: str
) -> Inscribed:
    """Change the regulations (TAB-TRN-03). `seats` are the numbers of players that the ruleset takes."""
    tournament.require_director(cause, "TAB-TRN-03")
    require_sound_regulations(regulations, seats)
    stays = regulations.league == tournament.regulations.league
    right = "Announce another tournament for another league, season or division."
    refuse_unless(stays, "TAB-LGE-06", "You asked to change the league of the tournament.", right)
    current = tournament.field.current
    if current is not None and current.status == "drawn":
        wrong = f"The lots of round {current.number} have been drawn."
        raise Refusal("TAB-TRN-03", wrong, "Change the regulations after it is published or cancelled.", untimely=True)
    if played := len(tournament.field.played):
        for name in UNCHANGING:
            wrong = f"You asked to change {name!r}, but a round has been published."
            stays = getattr(tournament.regulations, name) == getattr(regulations, name)
            refuse_unless(stays, "TAB-TRN-03", wrong, f"These stay: {enumerated(UNCHANGING)}.")
        wrong = f"You asked for {regulations.rounds} rounds, but {played} have been published."
        refuse_unless(regulations.rounds >= played, "TAB-TRN-03", wrong, f"Expected {played} or more.")
        stays = _first_stages(regulations, played) == _first_stages(tournament.regulations, played)
        wrong = "You asked to change a stage that has begun."
        refuse_unless(stays, "TAB-TRN-03", wrong, "Of such a stage, only the number of rounds can change.")
    entered = len(tournament.field.entrants)
    wrong = f"You asked for {regulations.entrants} entrants at most, but there are {entered}."
    refuse_unless(regulations.entrants >= entered, "TAB-TRN-03", wrong, f"Expected {entered} or more.")
    return tournament.add([RegulationsChanged(regulations)], cause, at)


def _first_stages(regulations: Regulations, played: int) -> list[tuple[int, AnyStage]]:
    """Return the stage of each of the first `played` rounds, without the number of rounds, which may change."""
    return [(at, replace(regulations.stages[at], rounds=0)) for at in regulations.stages_of(played)]


def name_director(tournament: Tournament, player: PlayerId, cause: Cause, at: str) -> Inscribed:
    """Name another director, as the organizer (TAB-TRN-04)."""
    tournament.require_organizer(cause, "TAB-TRN-04")
    wrong = f"{player} is a director already."
    refuse_unless(player not in tournament.directors, "TAB-TRN-04", wrong, "Name somebody else.")
    wrong = f"There are {len(tournament.directors)} directors."
    refuse_unless(
        len(tournament.directors) < MOST_DIRECTORS, "TAB-TRN-04", wrong, f"Expected {MOST_DIRECTORS} at most."
    )
    return tournament.add([DirectorNamed(player)], cause, at)


def release_director(tournament: Tournament, player: PlayerId, cause: Cause, at: str) -> Inscribed:
    """Release a director, as the organizer or as that director (TAB-TRN-04)."""
    if cause.player != player:
        tournament.require_organizer(cause, "TAB-TRN-04")
    tournament.require_going_on("TAB-TRN-04")
    refuse_unless(player in tournament.directors, "TAB-TRN-04", f"{player} is no director.", "Name one of them.")
    refuse_unless(
        player != tournament.organizer, "TAB-TRN-04", "The organizer stays a director.", "Release another one."
    )
    return tournament.add([DirectorReleased(player)], cause, at)


def pass_on(tournament: Tournament, player: PlayerId, cause: Cause, at: str) -> Inscribed:
    """Let another director organize the tournament, as the organizer whose account is closed (TAB-TRN-23)."""
    tournament.require_organizer(cause, "TAB-TRN-23")
    is_other = player in tournament.directors and player != tournament.organizer
    others = enumerated(tournament.directors[1:])
    right = f"Its other directors are {others}." if others else "Nobody else directs it."
    refuse_unless(is_other, "TAB-TRN-23", f"{player} is no other director.", right)
    return tournament.add([TournamentPassedOn(player)], cause, at)


def drop(tournament: Tournament, player: PlayerId, reason: str, cause: Cause, at: str) -> Inscribed:
    """Take a player out of the rounds that are still to be drawn, as a director (TAB-TRN-06)."""
    tournament.require_director(cause, "TAB-TRN-06")
    tournament.require_in(player, "TAB-TRN-06")
    require_reason(reason, "TAB-TRN-06")
    return tournament.add([PlayerDropped(player, reason)], cause, at)


def penalize(
    tournament: Tournament, player: PlayerId, sort: Sort, points: int, reason: str, cause: Cause, at: str
) -> Inscribed:
    """Give a player a penalty, as a director (TAB-TRN-17). An exclusion takes them out of further rounds."""
    tournament.require_director(cause, "TAB-TRN-17")
    wrong = f"{player} has not entered."
    refuse_unless(player in tournament.field.entrants, "TAB-TRN-17", wrong, "Only players get penalties.")
    refuse_unless(player != cause.player, "TAB-TRN-17", "This is yourself.", "Another director decides it.")
    require_reason(reason, "TAB-TRN-17")
    least, most = (1, MOST_POINTS) if sort == "points" else (0, 0)
    right = f"Expected {least} to {most:,} for {sort!r}." if most else f"A penalty of the sort {sort!r} has 0 points."
    refuse_unless(least <= points <= most, "TAB-TRN-17", f"The penalty has {points} points.", right)
    number = len(tournament.field.penalties)
    refuse_unless(number < MOST_PENALTIES, "TAB-TRN-17", f"There are {number} penalties.", "There can be no more.")
    return tournament.add([PenaltyGiven(player, sort, points, reason)], cause, at)


def tell_all(tournament: Tournament, text: str, cause: Cause, at: str) -> Inscribed:
    """Tell all players something, as a director (TAB-TRN-18)."""
    tournament.require_director(cause, "TAB-TRN-18")
    require_reason(text, "TAB-TRN-18", "An announcement")
    wrong, most = f"There are {len(tournament.announcements)} announcements.", MOST_ANNOUNCEMENTS
    refuse_unless(len(tournament.announcements) < most, "TAB-TRN-18", wrong, f"A tournament has {most} at most.")
    hour_ago = milliseconds(max(at, tournament.changed)) - HOUR
    newest = [milliseconds(when) for _, when in tournament.announcements[-MOST_IN_AN_HOUR:]]
    if len(newest) == MOST_IN_AN_HOUR and newest[0] > hour_ago:
        wrong = f"There were {MOST_IN_AN_HOUR} announcements within an hour."
        raise Refusal("TAB-TRN-18", wrong, "Each of them is told to all players. Wait a little.", untimely=True)
    return tournament.add([AnnouncementMade(text)], cause, at)


def close(tournament: Tournament, cause: Cause, at: str) -> Inscribed:
    """Close the tournament, as a director: the standings are final (TAB-TRN-19)."""
    tournament.require_director(cause, "TAB-TRN-19")
    played = len(tournament.field.played)
    if tournament.regulations.stage_of(played) is not None:
        wrong = f"{played} of {tournament.regulations.rounds} rounds have been played."
        right = "Play the others, or change the regulations so that there are fewer."
        raise Refusal("TAB-TRN-19", wrong, right, untimely=True)
    waiting = [
        f"table {table.number} of round {each.number}" for each in tournament.field.played for table in each.waiting
    ]
    if waiting:
        examples = enumerated(waiting[:5]) + (f" and {len(waiting) - 5} more" if len(waiting) > 5 else "")
        wrong = f"These have no result that counts: {examples}."
        raise Refusal("TAB-TRN-19", wrong, "Confirm their results, or adjudicate.", untimely=True)
    return tournament.add([TournamentClosed(final_order(tournament.field))], cause, at)


def cancel(tournament: Tournament, reason: str, cause: Cause, at: str) -> Inscribed:
    """Cancel the tournament before a result counts, as the organizer (TAB-TRN-19)."""
    tournament.require_organizer(cause, "TAB-TRN-19")
    require_reason(reason, "TAB-TRN-19")
    if any(result.confirmed for _, result in tournament.field.results):
        raise Refusal("TAB-TRN-19", "A result counts already.", "Close the tournament instead.", untimely=True)
    return tournament.add([TournamentCancelled(reason)], cause, at)
