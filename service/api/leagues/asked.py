"""Queries and request bodies of the endpoints for leagues."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.kernel.ids import LARGEST_INTEGER
from domain.league.regulations import Regulations
from service.api.bodies import Identifier, Page, Past, Title

Number = Annotated[int, Meta(ge=1, le=LARGEST_INTEGER)]


class LeaguesPage(Page, frozen=True):
    """Which leagues.

    Attributes:
        organizer: only leagues that this player organizes.
    """

    organizer: Identifier | None = None


class OfSeason(Struct, frozen=True, forbid_unknown_fields=True):
    """Which season.

    Attributes:
        season: its number. Absent: the one that began last.
    """

    season: Number | None = None


class LeagueEventsPage(Struct, frozen=True, forbid_unknown_fields=True):
    """Which events of a league.

    Attributes:
        after: the version after which to begin.
        limit: how many events at most.
    """

    after: Past = 0
    limit: Annotated[int, Meta(ge=1, le=500)] = 100


class NewLeague(Struct, frozen=True, forbid_unknown_fields=True):
    """A league to found.

    Attributes:
        regulations: its regulations (TAB-LGE-02).
        title: a line that tells people what league this is.
    """

    regulations: Regulations
    title: Title = ""


class NewPlacement(Struct, frozen=True, forbid_unknown_fields=True):
    """A player to place in a division.

    Attributes:
        player: the player.
        division: the division, 1 for the highest.
        reason: why, in a line of 1 to 2,000 characters. It is public.
    """

    player: Identifier
    division: Number
    reason: str


class NewOfSeason(Struct, frozen=True, forbid_unknown_fields=True):
    """A tournament to add to the season.

    Attributes:
        tournament: its id.
    """

    tournament: Identifier


class PointsToTake(Struct, frozen=True, forbid_unknown_fields=True):
    """Points to take from a player.

    Attributes:
        player: the player who loses them.
        points: how many.
        reason: why, in a line of 1 to 2,000 characters. It is public.
    """

    player: Identifier
    points: Number
    reason: str
