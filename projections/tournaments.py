"""The notices of tournaments in the inbox: which event gives a notice, and who gets it.

Roles say who gets a notice. `player` and `director` are all who have that role at that time; `at 2.3;` are the players
at table 3 of round 2, and `at 2.0;` those with a bye in it; `addressed` are the accounts to which one event is
addressed.
"""

from collections.abc import Iterator, Mapping
from typing import Final, Literal

from domain.kernel.ids import PlayerId
from domain.tournament.events import (
    AnnouncementMade,
    DirectorNamed,
    DirectorReleased,
    PenaltyGiven,
    PlayerDropped,
    PlayerEntered,
    PlayerWithdrew,
    ResultConfirmed,
    ResultOverruled,
    ResultTaken,
    RoundPublished,
    SubstituteSeated,
    TournamentAnnounced,
    TournamentCancelled,
    TournamentClosed,
    TournamentEvent,
)

TournamentKind = Literal[
    "player-dropped",
    "round-published",
    "substitute-seated",
    "result-taken",
    "result-confirmed",
    "result-overruled",
    "penalty-given",
    "announcement-made",
    "tournament-closed",
    "tournament-cancelled",
]
"""What a notice of a tournament is about: the types of its events."""

PLAYER: Final = "player"
DIRECTOR: Final = "director"
ADDRESSED: Final = "addressed"

_TOLD: Final[Mapping[type[TournamentEvent], tuple[TournamentKind, str]]] = {
    PlayerDropped: ("player-dropped", ADDRESSED),
    SubstituteSeated: ("substitute-seated", ADDRESSED),
    PenaltyGiven: ("penalty-given", ADDRESSED),
    # Players get the notice that their game is over.
    ResultTaken: ("result-taken", DIRECTOR),
    AnnouncementMade: ("announcement-made", PLAYER),
    TournamentClosed: ("tournament-closed", PLAYER),
    TournamentCancelled: ("tournament-cancelled", PLAYER),
}


def table_of(number: int, table: int) -> str:
    """Return the role of the players at a table of a round; table 0 is a bye."""
    return f"at {number}.{table};"


def told_of(event: TournamentEvent) -> tuple[TournamentKind, str] | None:
    """Return the kind of the notice of an event, and the roles that get it; None when there is none."""
    match event:
        case RoundPublished(number, _, draw):
            return "round-published", " ".join(table_of(number, table) for table in range(len(draw.tables) + 1))
        case ResultConfirmed(number, table):
            return "result-confirmed", table_of(number, table)
        case ResultOverruled(number, table):
            return "result-overruled", table_of(number, table)
        case _:
            return _TOLD.get(type(event))


def addressed(event: TournamentEvent) -> tuple[PlayerId, ...]:
    """Return the accounts that an event is addressed to."""
    match event:
        case PlayerDropped(player) | PenaltyGiven(player):
            return (player,)
        case SubstituteSeated(_, _, player, to):
            return (player, to)
        case _:
            return ()


def beginning(event: TournamentEvent, by: PlayerId | None) -> Iterator[tuple[str, PlayerId]]:
    """Yield the roles that accounts get by an event, which `by` brought about."""
    match event:
        case TournamentAnnounced() if by is not None:
            yield DIRECTOR, by
        case DirectorNamed(player):
            yield DIRECTOR, player
        case PlayerEntered(player):
            yield PLAYER, player
        case RoundPublished(number, _, draw):
            for table, players in enumerate((draw.byes, *draw.tables)):
                yield from ((table_of(number, table), player) for player in players)
        case SubstituteSeated(number, table, _, to):
            yield table_of(number, table), to
        case _:
            pass


def ending(event: TournamentEvent) -> tuple[str, PlayerId] | None:
    """Return the role that an account loses by an event, and the account; None when there is none."""
    match event:
        case PlayerWithdrew(player) | PlayerDropped(player) | PenaltyGiven(player, "exclusion"):
            return PLAYER, player
        case DirectorReleased(player):
            return DIRECTOR, player
        case _:
            return None
