"""The events of a league, from its founding on."""

from collections.abc import Callable
from typing import ClassVar, Final

from msgspec import Struct

from domain.kernel.ids import PlayerId, TournamentId, Version
from domain.kernel.rules.message import enumerated, kebab
from domain.league.regulations import Regulations

Name = Callable[[PlayerId], str]
"""Gives the display name of a player."""


class LeagueEvent(Struct, frozen=True, tag=kebab, forbid_unknown_fields=True):
    """An event of a league. Its type name and fields are the storage format, as those of a game's events are."""

    schema: ClassVar[int] = 1
    rules: ClassVar[tuple[str, ...]] = ()
    """The ids of the rules of the service that it concerns."""

    def tell(self, name: Name) -> str:
        """Return what happened in a sentence, for the history. `name` gives the display name of a player."""
        raise NotImplementedError


class LeagueFounded(LeagueEvent, frozen=True):
    """A league was founded. The account that founded it organizes it (TAB-LGE-01)."""

    rules = ("TAB-LGE-01", "TAB-LGE-02")

    regulations: Regulations

    def tell(self, name: Name) -> str:
        many = self.regulations.divisions
        return f"The league was founded, with {many} division{'s' * (many > 1)}."


class RegulationsChanged(LeagueEvent, frozen=True):
    """The organizer changed the regulations, for the seasons to come (TAB-LGE-03)."""

    rules = ("TAB-LGE-03",)

    regulations: Regulations

    def tell(self, name: Name) -> str:
        return "The regulations were changed."


class PlayerPlaced(LeagueEvent, frozen=True):
    """The organizer placed a player in a division (TAB-LGE-04).

    Attributes:
        reason: why, in 1 to 2,000 printable characters. It is public.
    """

    rules = ("TAB-LGE-04",)

    player: PlayerId
    division: int
    reason: str

    def tell(self, name: Name) -> str:
        return f"{name(self.player)} was placed in division {self.division}: {self.reason}"


class SeasonBegun(LeagueEvent, frozen=True):
    """The organizer began a season (TAB-LGE-05).

    Attributes:
        members: who belongs to each division, the highest division first. All others belong to the lowest.
    """

    rules = ("TAB-LGE-04", "TAB-LGE-05")

    season: int
    members: tuple[tuple[PlayerId, ...], ...]

    def tell(self, name: Name) -> str:
        return f"Season {self.season} began."


class TournamentAdded(LeagueEvent, frozen=True):
    """The organizer let a tournament count in the season (TAB-LGE-06)."""

    rules = ("TAB-LGE-06",)

    season: int
    division: int
    tournament: TournamentId

    def tell(self, name: Name) -> str:
        return f"{self.tournament} is a tournament of division {self.division} in season {self.season}."


class PointsTaken(LeagueEvent, frozen=True):
    """The organizer took points from a player's total in the season (TAB-LGE-11).

    Attributes:
        points: how many.
        reason: why, in 1 to 2,000 printable characters. It is public.
    """

    rules = ("TAB-LGE-11",)

    season: int
    player: PlayerId
    points: int
    reason: str

    def tell(self, name: Name) -> str:
        return f"{name(self.player)} lost {self.points} points: {self.reason}"


class Over(Struct, frozen=True, forbid_unknown_fields=True):
    """A tournament that is over.

    Attributes:
        tournament: its id.
        version: the number of its events.
        hash: the hash of its last event, in hex.
    """

    tournament: TournamentId
    version: Version
    hash: str


class FinalLine(Struct, frozen=True, forbid_unknown_fields=True):
    """Where a player stands at the end of a season.

    Attributes:
        place: 1 for the first; those who tie have the same.
        player: who.
        points: their points, less penalties: a whole number or a fraction, such as `131/2`.
        played: how many results they have.
    """

    place: int
    player: PlayerId
    points: str
    played: int


class SeasonClosed(LeagueEvent, frozen=True):
    """The organizer closed the season: its tables are final (TAB-LGE-12).

    Attributes:
        tournaments: the tournaments that were added, in that order, as they ended.
        tables: the table of each division, the highest division first.
    """

    rules = ("TAB-LGE-08", "TAB-LGE-09", "TAB-LGE-10", "TAB-LGE-12", "TAB-LGE-13")

    season: int
    tournaments: tuple[Over, ...]
    tables: tuple[tuple[FinalLine, ...], ...]

    def tell(self, name: Name) -> str:
        first = [name(line.player) for table in self.tables[:1] for line in table if line.place == 1 and line.played]
        won = f" {enumerated(first)} won it." if first else ""
        return f"Season {self.season} was closed.{won}"


LEAGUE_EVENTS: Final = (
    LeagueFounded,
    RegulationsChanged,
    PlayerPlaced,
    SeasonBegun,
    TournamentAdded,
    PointsTaken,
    SeasonClosed,
)
