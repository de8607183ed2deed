"""A league that goes on act by act, with its tournaments, without a service."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, Final

from domain.kernel.ids import LeagueId, PlayerId, TournamentId
from domain.kernel.log.record import Cause, Record
from domain.league import acts
from domain.league.events import Over
from domain.league.league import Inscribed, League, Season
from domain.league.proof import finished
from domain.league.regulations import Regulations
from domain.league.table import Finish
from domain.tournament import directing
from domain.tournament.proof import TournamentExport
from domain.tournament.regulations import InLeague, Swiss
from tests.helpers.tournaments import Club, player
from tests.tiny.auction import TinyAuction

LEAGUE: Final = LeagueId("l-club")
HEAD: Final = PlayerId("head-of-league")


def league_regulations(**changes: Any) -> Regulations:
    """Return regulations of two divisions in which the best two results count."""
    usual: dict[str, Any] = {"points": (10, 6, 3, 1), "best": 2, "divisions": 2, "up": 1, "down": 1}
    return Regulations(**{**usual, **changes})


class Series:
    """A league that goes on by acts. Each act is a minute after the one before."""

    def __init__(self, *, ruleset: str = TinyAuction().id, **changes: Any) -> None:
        self.ruleset = ruleset
        self.records: list[Record] = []
        self.clubs: dict[TournamentId, Club] = {}
        self.now = Club().now
        self.league: League
        self.take(acts.found(LEAGUE, league_regulations(**changes), Cause(HEAD), self.at))

    @property
    def at(self) -> str:
        return self.now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def act(self, act: Callable[..., Inscribed], *given: Any, by: PlayerId = HEAD) -> League:
        return self.take(act(self.league, *given, Cause(by), self.at))

    def take(self, inscribed: Inscribed) -> League:
        self.now += timedelta(minutes=1)
        self.records.extend(inscribed.records)
        self.league = inscribed.league
        return self.league

    @property
    def season(self) -> Season:
        return self.league.seasons[-1]

    # --- tournaments ---

    def announce(self, division: int, players: Sequence[int] = (), season: int = 1, **changes: Any) -> Club:
        """Announce a tournament of a division, of one round at tables of three or two; players enter and check in."""
        number = len(self.clubs) + 1
        club = Club(
            seed=bytes([number] * 32),
            tournament=TournamentId(f"t-{number}"),
            **dict[str, Any](ruleset=self.ruleset, sizes=(3, 2), points=((60, 20), (60, 36, 12)), bye=0)
            | {"stages": (Swiss(1),), "late": 1, "league": InLeague(LEAGUE, season, division)}
            | changes,
        )
        club.now = self.now
        self.clubs[club.tournament.id] = club
        for each in players:
            club.enter(player(each))
        return club

    def hold(self, division: int, players: Sequence[int], season: int = 1, *, close: bool = True) -> Club:
        """Announce a tournament, add it, and play it: at each table the first seat is first, and so on."""
        club = self.announce(division, players, season)
        self.act(acts.add_tournament, club.tournament.id, division)
        club.now = self.now
        club.play()
        if close:
            club.act(directing.close)
        self.now = club.now
        return club

    # --- the end of a season ---

    @property
    def finishes(self) -> dict[TournamentId, Finish]:
        return {name: finished(club.tournament) for name, club in self.clubs.items()}

    @property
    def over(self) -> tuple[Over, ...]:
        ended = [self.clubs[each.tournament].tournament for each in self.season.tournaments]
        return tuple(Over(each.id, each.version, each.head.hex()) for each in ended)

    def close(self) -> League:
        tables = acts.final_tables(self.season, self.finishes)
        return self.act(acts.close_season, self.over, tables)

    @property
    def exports(self) -> dict[TournamentId, TournamentExport]:
        return {
            name: TournamentExport(name, tuple(club.records), club.tournament.status)
            for name, club in self.clubs.items()
        }
