"""Examples of the endpoints for leagues: the first season of one whose first tournament is closed."""

from typing import Any, Final

from msgspec.structs import replace

from domain.kernel.ids import LeagueId, PlayerId
from domain.kernel.log.record import Cause, Record
from domain.league import acts, proof
from domain.league.events import Over
from domain.league.league import Inscribed, League
from domain.league.regulations import Regulations
from domain.league.table import Finish, table_of
from service.api.leagues.asked import NewLeague, NewOfSeason, NewPlacement, PointsToTake
from service.api.leagues.bodies import LeagueDetail, LeagueEventPage, LeaguePage
from service.api.leagues.views import event_view, league_detail, league_summary, season_view
from service.api.scene import AT, NAMES, SECRET, Example, Scene
from service.api.tournaments.examples import TOURNAMENT
from service.leagues.leagues import Held, row_of
from service.leagues.spreadsheets import table_csv
from service.store.protocol import TournamentRow

LEAGUE: Final = LeagueId("l4xq2m7ahbk3oxw7c")
TITLE: Final = "The league of Ostia"
ORGANIZER: Final = PlayerId("p9h4nv6wjj3k2yzts")
PLAYERS: Final = tuple(PlayerId(f"p{number}h4nv6wjj3k2yzts") for number in range(2))
RULES: Final = Regulations(points=(10, 6, 3, 1), best=3, divisions=2, up=1, down=1, tie_breaks=("wins",))


class _Season:
    """A league in which one thing after another happens."""

    def __init__(self, ruleset: str) -> None:
        self.records: list[Record] = []
        self.names = dict(zip(PLAYERS, NAMES, strict=False))
        self.row = TournamentRow(
            TOURNAMENT, "A championship in November", ruleset, "closed", ORGANIZER, 3, 1, 40, AT, AT
        )
        order = tuple((player,) for player in PLAYERS)
        self.finishes = {TOURNAMENT: Finish(TOURNAMENT, "closed", order, frozenset(PLAYERS))}
        self.league: League
        self._take(acts.found(LEAGUE, RULES, Cause(ORGANIZER), AT))

    def _take(self, inscribed: Inscribed) -> None:
        self.league = inscribed.league
        self.records.extend(inscribed.records)

    def act(self, act: Any, *values: Any) -> LeagueDetail:
        self._take(act(self.league, *values, Cause(ORGANIZER), AT))
        return self.detail

    @property
    def tables(self) -> list[Any]:
        season = self.league.seasons[-1]
        return [table_of(season, division, self.finishes) for division in (1, 2)]

    @property
    def detail(self) -> LeagueDetail:
        entry = Held(row_of(self.league, TITLE), self.league)
        if not self.league.seasons:
            return league_detail(entry, None)
        rows = {TOURNAMENT: self.row}
        return league_detail(entry, season_view(self.league.seasons[-1], self.tables, self.names, rows))


def examples(scene: Scene) -> dict[str, Example]:
    """Return the examples of the endpoints for leagues, by their names."""
    example, samples = _Season(scene.ruleset.id), dict[str, Example]()
    samples["foundLeague"] = Example(example.detail, NewLeague(RULES, TITLE))
    fewer = replace(RULES, best=2)
    samples["changeLeagueRegulations"] = Example(example.act(acts.change, fewer), fewer)
    reason = "Champion of the club."
    placed = example.act(acts.place, PLAYERS[0], 1, reason)
    samples["placePlayer"] = Example(placed, NewPlacement(PLAYERS[0], 1, reason))
    samples["beginSeason"] = Example(example.act(acts.begin_season))
    added = example.act(acts.add_tournament, TOURNAMENT, 2)
    samples["addTournament"] = Example(added, NewOfSeason(TOURNAMENT))
    reason = "Left a table without a word."
    after_penalty = example.act(acts.penalize, PLAYERS[1], 2, reason)
    samples["takePoints"] = Example(after_penalty, PointsToTake(PLAYERS[1], 2, reason))
    samples["exportLeagueTable"] = Example(
        table_csv(example.league.seasons[-1], example.tables, example.names).decode()
    )
    over = (Over(TOURNAMENT, 40, SECRET.hex()),)
    tables = acts.final_tables(example.league.seasons[-1], example.finishes)
    closed = example.act(acts.close_season, over, tables)
    samples["closeSeason"] = Example(replace(closed, repeated=True))
    samples["showLeague"] = Example(closed)
    samples["listLeagues"] = Example(LeaguePage((league_summary(row_of(example.league, TITLE)),), None))
    events = tuple(map(event_view, example.records))
    samples["listLeagueEvents"] = Example(LeagueEventPage(events[:2], events[1].version))
    samples["exportLeague"] = Example("".join(line.decode() for line in proof.export(example.league, example.records)))
    return samples
