"""What players and directors of a tournament are told: the part of the inbox that follows from its events.

Who is told stands in roles. `player` and `director` are all who take part so at that time; `at 2.3;` are those of table
3 of round 2, and `at 2.0;` those with a bye in it; `addressed` are those whom one event is addressed to.
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
    # A director who plays hears of it from their table.
    ResultTaken: ("result-taken", DIRECTOR),
    AnnouncementMade: ("announcement-made", PLAYER),
    TournamentClosed: ("tournament-closed", PLAYER),
    TournamentCancelled: ("tournament-cancelled", PLAYER),
}


def table_of(number: int, table: int) -> str:
    """Return the role of those who sit at a table of a round; table 0 is a bye."""
    return f"at {number}.{table};"


def told_of(event: TournamentEvent) -> tuple[TournamentKind, str] | None:
    """Return what is told of an event, and the roles that are told; None for nothing."""
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
    """Return the role that an account loses by an event; None for none. Who leaves hears the last of it."""
    match event:
        case PlayerWithdrew(player) | PlayerDropped(player) | PenaltyGiven(player, "exclusion"):
            return PLAYER, player
        case DirectorReleased(player):
            return DIRECTOR, player
        case _:
            return None
