"""Examples of the endpoints for tournaments."""

from collections.abc import Callable
from copy import copy
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from domain.kernel.ids import GameId, PlayerId, TournamentId
from domain.kernel.log.clock import DAY, PRESETS, milliseconds, moment
from domain.kernel.log.record import Cause, Record
from domain.tournament import directing, entering, proof, results, rounds
from domain.tournament.chain import commitment_of, secret_of
from domain.tournament.crosstable import crosstable
from domain.tournament.drawing import drawn_without_solver
from domain.tournament.field import Round
from domain.tournament.regulations import POINTS, Regulations, Swiss
from domain.tournament.standings import standings
from domain.tournament.tournament import Inscribed, Tournament
from service.api.scene import AT, NAMES, SECRET, Example, Scene
from service.api.tournaments.asked import (
    NewAnnouncement,
    NewCheckIn,
    NewDrop,
    NewEntry,
    NewPenalty,
    NewResult,
    NewSubstitute,
    NewTables,
    NewTournament,
    Publication,
    Reason,
)
from service.api.tournaments.bodies import (
    PricedTables,
    RoundView,
    StreamedTournamentEvent,
    TournamentDetail,
    TournamentEventPage,
    TournamentPage,
)
from service.api.tournaments.views import (
    crosstable_view,
    event_view,
    presets_view,
    round_view,
    standings_view,
    tournament_detail,
    tournament_summary,
)
from service.tournaments.agenda import Agenda, AgendaTable
from service.tournaments.calendar import calendar_of
from service.tournaments.committee import Proceeding, row_of, sheets_of
from service.tournaments.drafts import DraftState
from service.tournaments.spreadsheets import crosstable_csv, standings_csv

TOURNAMENT: Final = TournamentId("t4xq2m7ahbk3oxw7c")
TITLE: Final = "A championship in November"
REASON: Final = "They arrived an hour late."
DIRECTOR: Final = PlayerId("p9h4nv6wjj3k2yzts")
GAME: Final = GameId("gm5x2q7ahbk3oxw7c")


class _Club:
    """A tournament in which one thing after another happens."""

    def __init__(self, scene: Scene) -> None:
        self.size = scene.ruleset.players[0]
        self.players = [PlayerId(f"p{number}h4nv6wjj3k2yzts") for number in range(self.size + 1)]
        self.names = dict(zip(self.players, NAMES, strict=False))
        self.regulations = Regulations(
            ruleset=scene.ruleset.id,
            stages=(Swiss(1),),
            sizes=(self.size,),
            points=(POINTS[self.size],),
            bye=30,
            clock=PRESETS["live"],
        )
        self.records: list[Record] = []
        self.tournament: Tournament
        seats = scene.ruleset.players
        commitment = commitment_of(SECRET)
        self._take(directing.announce(TOURNAMENT, self.regulations, commitment, seats, Cause(DIRECTOR), AT))

    def _take(self, inscribed: Inscribed) -> None:
        self.tournament = inscribed.tournament
        self.records.extend(inscribed.records)

    def act(self, act: Callable[..., Inscribed], *arguments: Any, by: PlayerId | None = DIRECTOR) -> TournamentDetail:
        self._take(act(self.tournament, *arguments, Cause(by) if by is not None else Cause(by="house"), AT))
        return self.detail

    @property
    def proceeding(self) -> Proceeding:
        return Proceeding(row_of(self.tournament, TITLE), self.tournament, sheets_of({}, self.records))

    @property
    def detail(self) -> TournamentDetail:
        return tournament_detail(self.proceeding, self.names)

    @property
    def round(self) -> Round:
        return self.tournament.field.rounds[1]

    @property
    def round_shown(self) -> RoundView:
        return round_view(self.proceeding, self.round)


def _copied(club: _Club) -> _Club:
    other = copy(club)
    other.records = [*club.records]
    return other


def examples(scene: Scene) -> dict[str, Example]:
    """Return the examples of the endpoints for tournaments, by their names."""
    club, samples = _Club(scene), dict[str, Example]()
    announced = club.detail
    samples["announceTournament"] = Example(announced, NewTournament(club.regulations, TITLE))
    presets = presets_view(scene.ruleset.id, scene.ruleset.players)
    samples["listTournamentPresets"] = Example(replace(presets, items=presets.items[:1]))
    samples["listTournaments"] = Example(TournamentPage((tournament_summary(club.proceeding.row),), None))
    samples["nameDirector"] = Example(club.act(directing.name_director, club.players[0]))
    samples["releaseDirector"] = Example(club.act(directing.release_director, club.players[0]))
    changed = replace(club.regulations, confirmed_after=12)
    changed_view = club.act(directing.change, changed, scene.ruleset.players)
    samples["changeRegulations"] = Example(changed_view, changed)
    for player in club.players:
        entered = club.act(entering.enter, "Ostia", by=player)
        samples["enterTournament"] = Example(entered, NewEntry("Ostia"))
        checked = club.act(entering.check_in, f"dice of {club.names[player]}", by=player)
        samples["checkIn"] = Example(checked, NewCheckIn(f"dice of {club.names[player]}"))
    samples["withdrawFromTournament"] = Example(_copied(club).act(entering.withdraw, by=club.players[0]))
    text = "The first round begins at eight."
    samples["makeAnnouncement"] = Example(club.act(directing.tell_all, text), NewAnnouncement(text))
    club.act(rounds.close_check_in, secret_of(SECRET, 1).hex())
    draw = drawn_without_solver(club.tournament.field, club.round)
    club.act(rounds.draft, draw, "slices", None)
    samples["drawRound"] = Example(club.round_shown)
    samples["showDraft"] = Example(DraftState(TOURNAMENT, 1, 1, "drafted"))
    cost, costs = rounds.price(club.tournament, 1, 1, draw, Cause(DIRECTOR))
    priced = PricedTables(TOURNAMENT, club.tournament.version, 1, 1, cost, cost, costs)
    samples["checkPublication"] = Example(priced, NewTables(1, draw))
    club.act(rounds.publish, 1, None, None)
    samples["publishRound"] = Example(club.round_shown, Publication(1))
    cancelled = _copied(club)
    cancelled.act(rounds.cancel_round, 1, REASON)
    samples["cancelRound"] = Example(cancelled.round_shown, Reason(REASON))
    club.act(rounds.open_table, 1, 1, GAME, by=None)
    samples["showRound"] = Example(club.round_shown)
    table = club.round.tables[0]
    waits = AgendaTable(
        1,
        1,
        GAME,
        "players",
        AT,
        absent=table.players[:1],
        adjudicated_from=moment(milliseconds(AT) + club.regulations.unfinished.days * DAY),
    )
    samples["showAgenda"] = Example(Agenda(TOURNAMENT, club.tournament.version, (), (waits,), 0))
    bye = club.round.byes[0]
    samples["seatSubstitute"] = Example(
        club.act(rounds.substitute, 1, 1, table.players[0], bye, REASON),
        NewSubstitute(table.players[0], bye, REASON),
    )
    order = tuple((player,) for player in club.round.tables[0].players)
    rule = scene.ruleset.catalogue.for_ruleset(scene.ruleset.id)[0].id
    club.act(results.take_result, 1, 1, order, "won", rule, 80, SECRET.hex(), (), by=None)
    samples["dropPlayer"] = Example(club.act(directing.drop, order[-1][0], REASON), NewDrop(order[-1][0], REASON))
    samples["givePenalty"] = Example(
        club.act(directing.penalize, order[0][0], "warning", 0, REASON), NewPenalty(order[0][0], "warning", REASON)
    )
    club.act(results.confirm, 1, 1)
    samples["confirmResult"] = Example(club.round_shown)
    club.act(results.overrule, 1, 1, order, REASON)
    samples["overruleResult"] = Example(club.round_shown, NewResult(order, REASON))
    samples["showTournament"] = Example(club.detail)
    field = club.tournament.field
    samples["showStandings"] = Example(standings_view(club.tournament, standings(field), club.names))
    samples["showCrosstable"] = Example(crosstable_view(club.tournament, crosstable(field)))
    samples["closeTournament"] = Example(club.act(directing.close))
    called_off = _Club(scene)
    samples["cancelTournament"] = Example(called_off.act(directing.cancel, REASON), Reason(REASON))
    events = tuple(map(event_view, club.records))
    samples["listTournamentEvents"] = Example(TournamentEventPage(events[:2], events[1].version))
    last = events[-1]
    samples["streamTournamentEvents"] = Example(
        StreamedTournamentEvent(str(last.version), msgspec.json.encode(last).decode(), last.type)
    )
    samples["exportStandings"] = Example(standings_csv(club.tournament, standings(field), club.names).decode())
    samples["exportCrosstable"] = Example(crosstable_csv(club.tournament, crosstable(field), club.names).decode())
    samples["showCalendar"] = Example(calendar_of(club.tournament, TITLE, "").decode())
    lines = proof.export(club.tournament, club.records)
    samples["exportTournament"] = Example("".join(line.decode() for line in lines))
    return samples
