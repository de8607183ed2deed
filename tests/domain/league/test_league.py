"""Who may do what in a league, when, and what comes of it."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from domain.kernel.ids import PlayerId, RuleId, TournamentId
from domain.kernel.log.record import first_broken
from domain.kernel.rules import loading
from domain.kernel.rules.refusal import Refusal
from domain.league import acts
from domain.league.events import LEAGUE_EVENTS
from domain.league.league import fold, fold_on
from domain.tournament import directing
from domain.tournament.regulations import InLeague
from tests.helpers.leagues import HEAD, LEAGUE, Series, league_regulations
from tests.helpers.tournaments import ORGANIZER, player
from tests.helpers.tournaments import SEATS as TABLES

ANNA, BERT, CLEO = player(1), player(2), player(3)


def refused(series: Series, act: Callable[..., Any], *given: Any, by: PlayerId = HEAD) -> RuleId:
    """Return the rule by which an act is refused; the league stays as it is."""
    before = series.league
    with pytest.raises(Refusal) as refusal:
        series.act(act, *given, by=by)
    assert refusal.value.rule in {rule.id for rule in loading.common_rules().rules}
    assert series.league is before
    return refusal.value.rule


def rule_of(act: Callable[..., Any], *given: Any) -> RuleId:
    with pytest.raises(Refusal) as refusal:
        act(*given)
    return refusal.value.rule


def running(**changes: Any) -> Series:
    series = Series(**changes)
    series.act(acts.begin_season)
    return series


def test_every_event_concerns_rules_of_the_service() -> None:
    known = {rule.id for rule in loading.common_rules().rules}
    for event in LEAGUE_EVENTS:
        assert event.rules
        assert {*event.rules} <= known, event


@pytest.mark.rule("TAB-LGE-01")
def test_who_founds_a_league_organizes_it() -> None:
    league = Series().league
    assert (league.organizer, league.status, league.regulations) == (HEAD, "resting", league_regulations())


@pytest.mark.rule("TAB-LGE-02")
@pytest.mark.parametrize(
    "wrong",
    [
        {"points": ()},
        {"points": (3, 4)},
        {"points": (0,)},
        {"points": (1_001,)},
        {"points": (5, -1)},
        {"points": (1,) * 101},
        {"best": 0},
        {"best": 31},
        {"divisions": 0, "up": 0, "down": 0},
        {"divisions": 11},
        {"up": 101},
        {"down": -1},
        {"divisions": 1, "up": 1, "down": 0},
        {"tie_breaks": ("all", "all")},
    ],
)
def test_regulations_have_bounds(wrong: dict[str, Any]) -> None:
    with pytest.raises(Refusal) as refusal:
        Series(**wrong)
    assert refusal.value.rule == "TAB-LGE-02"
    assert refusal.value.allowed


@pytest.mark.rule("TAB-LGE-03")
def test_regulations_change_between_seasons() -> None:
    series = Series()
    series.act(acts.place, ANNA, 2, "A wish")
    assert refused(series, acts.change, league_regulations(best=0)) == "TAB-LGE-02"
    assert refused(series, acts.change, league_regulations(best=3), by=ANNA) == "TAB-LGE-03"
    fewer = league_regulations(divisions=1, up=0, down=0)
    series.act(acts.change, fewer)
    series.act(acts.begin_season)
    assert series.season.members == ((ANNA,),)
    assert refused(series, acts.change, league_regulations()) == "TAB-LGE-03"
    assert series.season.regulations == fewer


@pytest.mark.rule("TAB-LGE-04")
def test_who_is_placed_nowhere_belongs_to_the_lowest_division() -> None:
    series = Series(divisions=3)
    series.act(acts.place, ANNA, 1, "Champion of last year")
    series.act(acts.place, BERT, 1, "Second of last year")
    series.act(acts.place, BERT, 2, "As Bert wished")
    assert refused(series, acts.place, CLEO, 4, "Why not?") == "TAB-LGE-04"
    assert refused(series, acts.place, CLEO, 1, "") == "TAB-LGE-04"
    assert refused(series, acts.place, CLEO, 1, "Me!", by=CLEO) == "TAB-LGE-04"
    series.act(acts.begin_season)
    assert series.season.members == ((ANNA,), (BERT,), ())
    assert [series.season.division_of(each) for each in (ANNA, BERT, CLEO)] == [1, 2, 3]
    assert refused(series, acts.place, CLEO, 1, "Too late") == "TAB-LGE-04"


@pytest.mark.rule("TAB-LGE-04")
def test_placements_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acts, "MOST_PLACEMENTS", 1)
    series = Series()
    series.act(acts.place, ANNA, 1, "One")
    assert refused(series, acts.place, BERT, 1, "Two") == "TAB-LGE-04"


@pytest.mark.rule("TAB-LGE-05")
def test_one_season_runs_at_a_time() -> None:
    series = Series()
    assert refused(series, acts.begin_season, by=ANNA) == "TAB-LGE-05"
    series.act(acts.begin_season)
    assert (series.league.status, series.season.number) == ("running", 1)
    assert refused(series, acts.begin_season) == "TAB-LGE-05"
    series.hold(2, [1, 2])
    series.close()
    assert series.act(acts.begin_season).seasons[-1].number == 2


@pytest.mark.rule("TAB-LGE-06")
def test_a_tournament_counts_when_both_sides_say_so() -> None:
    series = running()
    club = series.announce(2, [1, 2])
    assert acts.require_fitting(series.league, club.tournament).division == 2
    assert refused(series, acts.add_tournament, club.tournament.id, 2, by=ORGANIZER) == "TAB-LGE-06"
    assert refused(series, acts.add_tournament, club.tournament.id, 3) == "TAB-LGE-06"
    series.act(acts.add_tournament, club.tournament.id, 2)
    assert refused(series, acts.add_tournament, club.tournament.id, 2) == "TAB-LGE-06"
    assert rule_of(acts.require_fitting, series.league, series.announce(1, season=2).tournament) == "TAB-LGE-06"
    later = series.announce(2, [1, 2])
    later.publish()
    assert rule_of(acts.require_fitting, series.league, later.tournament) == "TAB-LGE-06"


@pytest.mark.rule("TAB-LGE-06")
def test_a_tournament_names_the_season_that_runs_and_never_another_one() -> None:
    series = running()
    acts.require_season(series.league, InLeague(LEAGUE, 1, 2))
    for wrong in (InLeague(LEAGUE, 2, 1), InLeague(LEAGUE, 1, 3)):
        assert rule_of(acts.require_season, series.league, wrong) == "TAB-LGE-06"
    assert rule_of(acts.require_season, Series().league, InLeague(LEAGUE, 1, 1)) == "TAB-LGE-06"
    club = series.announce(1)
    other = replace(club.tournament.regulations, league=InLeague(LEAGUE, 1, 2))
    with pytest.raises(Refusal, match="TAB-LGE-06"):
        club.act(directing.change, other, TABLES)


@pytest.mark.rule("TAB-LGE-06")
def test_the_tournaments_of_a_season_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acts, "MOST_TOURNAMENTS", 1)
    series = running()
    series.act(acts.add_tournament, TournamentId("t-1"), 1)
    assert refused(series, acts.add_tournament, TournamentId("t-2"), 1) == "TAB-LGE-06"


@pytest.mark.rule("TAB-LGE-07")
def test_only_those_who_belong_to_a_division_enter_unless_everybody_may() -> None:
    series = Series()
    series.act(acts.place, ANNA, 1, "Champion")
    series.act(acts.begin_season)
    acts.require_belonging(series.season, 1, ANNA)
    acts.require_belonging(series.season, 2, BERT)
    assert rule_of(acts.require_belonging, series.season, 2, ANNA) == "TAB-LGE-07"
    assert rule_of(acts.require_belonging, series.season, 1, BERT) == "TAB-LGE-07"
    acts.require_belonging(running(entry="everybody").season, 1, BERT)


@pytest.mark.rule("TAB-LGE-11")
def test_the_organizer_takes_points_in_a_season(monkeypatch: pytest.MonkeyPatch) -> None:
    series = Series()
    assert refused(series, acts.penalize, ANNA, 2, "Rude") == "TAB-LGE-11"
    series.act(acts.begin_season)
    for player_, points, reason, by in (
        (ANNA, 0, "Rude", HEAD),
        (ANNA, 1_001, "Rude", HEAD),
        (ANNA, 1, "", HEAD),
        (HEAD, 1, "Rude", HEAD),
        (ANNA, 1, "Rude", BERT),
    ):
        assert refused(series, acts.penalize, player_, points, reason, by=by) == "TAB-LGE-11"
    series.act(acts.penalize, ANNA, 2, "Rude")
    series.act(acts.penalize, ANNA, 3, "Again")
    assert (series.season.penalty_points(ANNA), series.season.penalty_points(BERT)) == (5, 0)
    monkeypatch.setattr(acts, "MOST_PENALTIES", 2)
    assert refused(series, acts.penalize, ANNA, 2, "Rude") == "TAB-LGE-11"


@pytest.mark.rule("TAB-LGE-12")
def test_a_season_is_closed_when_its_tournaments_are_over() -> None:
    series = running()
    assert rule_of(acts.require_over, series.season, {}) == "TAB-LGE-12"
    assert refused(series, acts.close_season, (), ((), ())) == "TAB-LGE-12"
    flood = series.announce(2, [1, 2])
    series.act(acts.add_tournament, flood.tournament.id, 2)
    flood.act(directing.cancel, "Flood")
    assert rule_of(acts.require_over, series.season, series.finishes) == "TAB-LGE-12"
    club = series.hold(2, [1, 2], close=False)
    assert rule_of(acts.require_over, series.season, series.finishes) == "TAB-LGE-12"
    club.act(directing.close)
    acts.require_over(series.season, series.finishes)
    assert refused(series, acts.close_season, series.over, ((), ()), by=ANNA) == "TAB-LGE-12"
    assert refused(series, acts.close_season, series.over, ((),)) == "TAB-LGE-12"
    assert refused(series, acts.close_season, series.over[::-1], ((), ())) == "TAB-LGE-12"
    series.close()
    assert [len(table) for table in series.season.tables] == [0, 2]
    assert refused(series, acts.close_season, series.over, ((), ())) == "TAB-LGE-12"


@pytest.mark.rule("TAB-LGE-13")
def test_a_season_says_who_belongs_to_which_division_of_the_next() -> None:
    series = Series()
    for number in (1, 2, 3, 9):
        series.act(acts.place, player(number), 1, "Founder")
    series.act(acts.place, player(8), 2, "Founder")
    series.act(acts.begin_season)
    series.hold(1, [1, 2, 3])
    series.hold(2, [4, 5, 6])
    series.close()
    upper, lower = series.season.tables
    assert [line.player for line in upper][3:] == [player(9)]
    assert [line.player for line in lower][3:] == [player(8)]
    series.act(acts.begin_season)
    stayed = [line.player for line in upper[:3]]  # in place of the last, who did not play
    assert set(series.season.members[0]) == {*stayed, lower[0].player}
    assert set(series.season.members[1]) == {player(9), *(line.player for line in lower[1:3])}


@pytest.mark.rule("TAB-LGE-08")
def test_who_withdrew_keeps_the_place_and_who_was_excluded_has_no_result() -> None:
    series = running()
    club = series.hold(2, [1, 2, 3], close=False)
    club.act(directing.drop, ANNA, "Ill")
    club.act(directing.penalize, BERT, "exclusion", 0, "Cheated")
    late = series.announce(2, [4])
    series.act(acts.add_tournament, late.tournament.id, 2)
    found = series.finishes[club.tournament.id]
    assert found.counted == {ANNA, CLEO}
    assert BERT in [each for tied in found.order for each in tied]
    assert not series.finishes[late.tournament.id].counted  # nobody has sat at a table


def test_a_fold_goes_on_where_it_was_left() -> None:
    series = running()
    series.hold(2, [1, 2])
    series.act(acts.penalize, ANNA, 2, "Rude")
    series.close()
    records = series.records
    assert first_broken(LEAGUE, records) is None
    assert fold(LEAGUE, records) == series.league
    before = fold(LEAGUE, records[:1])
    assert fold_on(before, records[1:]) == series.league
    assert (before.version, before.seasons, before.belongs) == (1, (), {})
