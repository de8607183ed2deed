"""What the organizer of a league does (TAB-LGE-01 to TAB-LGE-06, TAB-LGE-11 and TAB-LGE-12)."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import UNSET

from domain.kernel.ids import LeagueId, PlayerId, TournamentId
from domain.kernel.log.record import Cause, genesis, inscribe
from domain.kernel.rules.message import enumerated
from domain.kernel.rules.refusal import Refusal, refuse_unless
from domain.league.events import (
    FinalLine,
    LeagueFounded,
    Over,
    PlayerPlaced,
    PointsTaken,
    RegulationsChanged,
    SeasonBegun,
    SeasonClosed,
    TournamentAdded,
)
from domain.league.league import Inscribed, League, Season, league_from
from domain.league.regulations import MOST_POINTS, MOST_TOURNAMENTS, Regulations, require_sound_league
from domain.league.table import Finish, table_of
from domain.tournament.regulations import InLeague
from domain.tournament.tournament import Tournament, require_reason

MOST_PLACEMENTS: Final = 2_000
"""The most placements between two seasons."""
MOST_PENALTIES: Final = 500
"""The most penalties in a season."""

FinalTables = tuple[tuple[FinalLine, ...], ...]


def found(league_id: LeagueId, regulations: Regulations, cause: Cause, at: str) -> Inscribed:
    """Found a league (TAB-LGE-01)."""
    require_sound_league(regulations)
    event = LeagueFounded(regulations)
    record = inscribe(league_id, genesis(league_id), 1, event, schema=event.schema, draws=0, at=at, cause=cause)
    return Inscribed(league_from(league_id, event, record, cause), (record,))


def change(league: League, regulations: Regulations, cause: Cause, at: str) -> Inscribed:
    """Change the regulations, between seasons (TAB-LGE-03)."""
    league.require_organizer(cause, "TAB-LGE-03")
    league.require_resting("TAB-LGE-03")
    require_sound_league(regulations)
    return league.add(RegulationsChanged(regulations), cause, at)


def place(league: League, player: PlayerId, division: int, reason: str, cause: Cause, at: str) -> Inscribed:
    """Place a player in a division, between seasons (TAB-LGE-04)."""
    league.require_organizer(cause, "TAB-LGE-04")
    league.require_resting("TAB-LGE-04")
    _require_division(league.regulations, division, "TAB-LGE-04")
    require_reason(reason, "TAB-LGE-04")
    wrong = f"There were {league.placed} placements since the last season."
    refuse_unless(league.placed < MOST_PLACEMENTS, "TAB-LGE-04", wrong, "There can be no more before the next one.")
    return league.add(PlayerPlaced(player, division, reason), cause, at)


def begin_season(league: League, cause: Cause, at: str) -> Inscribed:
    """Begin the next season (TAB-LGE-05)."""
    league.require_organizer(cause, "TAB-LGE-05")
    league.require_resting("TAB-LGE-05")
    return league.add(SeasonBegun(len(league.seasons) + 1, league.members), cause, at)


def add_tournament(league: League, tournament: TournamentId, division: int, cause: Cause, at: str) -> Inscribed:
    """Let a tournament count in the season that runs (TAB-LGE-06). `require_fitting` checks the tournament itself."""
    league.require_organizer(cause, "TAB-LGE-06")
    season = league.require_running("TAB-LGE-06")
    _require_division(season.regulations, division, "TAB-LGE-06")
    wrong = f"{tournament} counts in this season already."
    refuse_unless(season.division_with(tournament) is None, "TAB-LGE-06", wrong, "Add another tournament.")
    wrong, most = f"The season has {len(season.tournaments)} tournaments.", MOST_TOURNAMENTS
    refuse_unless(len(season.tournaments) < most, "TAB-LGE-06", wrong, f"Expected {most} at most.")
    return league.add(TournamentAdded(season.number, division, tournament), cause, at)


def require_fitting(league: League, tournament: Tournament) -> InLeague:
    """Return the season and division that a tournament names.

    Raises `Refusal` unless that is the running season of this league, and the tournament is open (TAB-LGE-06).
    """
    season, reference = league.require_running("TAB-LGE-06"), tournament.regulations.league
    if reference is UNSET or (reference.league, reference.season) != (league.id, season.number):
        wrong = f"The regulations of {tournament.id} do not name season {season.number} of this league."
        raise Refusal("TAB-LGE-06", wrong, "Announce a tournament whose regulations do.")
    if tournament.status != "open":
        wrong = f"{tournament.id} is {tournament.status}."
        raise Refusal("TAB-LGE-06", wrong, "A tournament is added before its first round is published.", untimely=True)
    return reference


def require_season(league: League, reference: InLeague) -> None:
    """Raise `Refusal` unless a new tournament may name this season and division (TAB-LGE-06)."""
    season = league.require_running("TAB-LGE-06")
    wrong = f"You named season {reference.season} of {league.id}."
    refuse_unless(reference.season == season.number, "TAB-LGE-06", wrong, f"Season {season.number} runs.")
    _require_division(season.regulations, reference.division, "TAB-LGE-06")


def require_belonging(season: Season, division: int, player: PlayerId) -> None:
    """Raise `Refusal` unless a player may enter a tournament of a division (TAB-LGE-07)."""
    own = season.division_of(player)
    wrong = f"{player} belongs to division {own}, and this is a tournament of division {division}."
    is_open = season.regulations.entry == "everybody"
    refuse_unless(is_open or own == division, "TAB-LGE-07", wrong, f"Enter a tournament of division {own}.")


def penalize(league: League, player: PlayerId, points: int, reason: str, cause: Cause, at: str) -> Inscribed:
    """Take points from a player's total in the season that runs (TAB-LGE-11)."""
    league.require_organizer(cause, "TAB-LGE-11")
    season = league.require_running("TAB-LGE-11")
    refuse_unless(player != cause.player, "TAB-LGE-11", "This is yourself.", "Nobody decides about themselves.")
    require_reason(reason, "TAB-LGE-11")
    right = f"Expected 1 to {MOST_POINTS:,}."
    refuse_unless(1 <= points <= MOST_POINTS, "TAB-LGE-11", f"You asked to take {points} points.", right)
    number = len(season.penalties)
    refuse_unless(number < MOST_PENALTIES, "TAB-LGE-11", f"There are {number} penalties.", "There can be no more.")
    return league.add(PointsTaken(season.number, player, points, reason), cause, at)


def require_over(season: Season, finishes: Mapping[TournamentId, Finish]) -> None:
    """Raise `Refusal` unless each tournament of a season is closed or cancelled, and one is closed (TAB-LGE-12)."""
    statuses = [finishes[each.tournament].status for each in season.tournaments]
    waits = [
        each.tournament
        for each, status in zip(season.tournaments, statuses, strict=True)
        if status not in ("closed", "cancelled")
    ]
    if waits:
        wrong = f"These tournaments are not over: {enumerated(waits)}."
        raise Refusal("TAB-LGE-12", wrong, "Close or cancel them first.", untimely=True)
    if "closed" not in statuses:
        wrong = "No tournament of the season was closed."
        raise Refusal("TAB-LGE-12", wrong, "Hold one first.", untimely=True)


def close_season(league: League, over: Sequence[Over], tables: FinalTables, cause: Cause, at: str) -> Inscribed:
    """Close the season that runs (TAB-LGE-12).

    Args:
        over: its tournaments as they ended, in the order in which they were added. `require_over` must accept them.
        tables: the result of `final_tables` for them.
    """
    league.require_organizer(cause, "TAB-LGE-12")
    season = league.require_running("TAB-LGE-12")
    wrong, right = "The tournaments are not those of the season.", "Name each that was added, in that order."
    added = [each.tournament for each in season.tournaments]
    refuse_unless(added and [each.tournament for each in over] == added, "TAB-LGE-12", wrong, right)
    wrong, right = f"There are {len(tables)} tables.", f"Expected {season.regulations.divisions}."
    refuse_unless(len(tables) == season.regulations.divisions, "TAB-LGE-12", wrong, right)
    return league.add(SeasonClosed(season.number, tuple(over), tables), cause, at)


def final_tables(season: Season, finishes: Mapping[TournamentId, Finish]) -> FinalTables:
    """Return the tables of all divisions in the form of the log."""
    return tuple(
        tuple(
            FinalLine(line.place, line.player, str(line.points), line.played)
            for line in table_of(season, division, finishes)
        )
        for division in range(1, season.regulations.divisions + 1)
    )


def _require_division(regulations: Regulations, division: int, rule: str) -> None:
    most = regulations.divisions
    refuse_unless(1 <= division <= most, rule, f"You named division {division}.", f"Expected 1 to {most}.")
