"""The export of a league, and what its verification finds."""

import json
import re
from collections.abc import Callable
from functools import cache

import pytest

from domain.kernel.ids import TournamentId
from domain.league import acts
from domain.league.events import LEAGUE_EVENTS
from domain.league.league import read_event
from domain.league.proof import LeagueVerdict, export, is_export, verify
from domain.tournament.proof import TournamentExport
from tests.helpers.forger import Line, forged, rows, rows_of
from tests.helpers.leagues import HEAD, Series, league_regulations
from tests.helpers.tournaments import player


@cache
def played() -> Series:
    """Return a league in which everything happened that can."""
    series = Series(best=3)
    series.act(acts.change, league_regulations())
    for number in (1, 2, 3):
        series.act(acts.place, player(number), 1, "Founder.")
    series.act(acts.begin_season)
    series.hold(1, [1, 2, 3])
    series.hold(2, [4, 5, 6])
    series.act(acts.penalize, player(4), 2, "Rude.")
    series.hold(2, [4, 5, 6, 7])
    series.close()
    series.act(acts.begin_season)
    return series


@cache
def played_export() -> list[bytes]:
    return list(export(played().league, played().records))


def check(lines: list[bytes], tournaments: dict[TournamentId, TournamentExport] | None = None) -> LeagueVerdict:
    return verify(lines, played().exports if tournaments is None else tournaments)


def test_an_export_verifies_and_says_what_it_takes_for_granted() -> None:
    verdict = check(played_export())
    assert verdict.ok, verdict.problem
    assert is_export(played_export()[0])
    assert (verdict.league, verdict.status, len(verdict.tournaments)) == ("l-club", "running", 3)
    assert "The tables of season 1 follow from its tournaments." in verdict.proved
    assert not verdict.unproved
    alone = check(played_export(), {})
    assert (alone.ok, len(alone.proved)) == (True, 2)
    assert alone.unproved == ("Season 1: the exports of 3 of its tournaments are missing.",)


def test_every_kind_of_event_is_decided_again_and_tells_itself() -> None:
    kinds = {row["event"]["type"] for row in rows_of([json.loads(line) for line in played_export()])}
    assert len(kinds) == len(LEAGUE_EVENTS)
    said = [read_event(record).tell(lambda each: each.title()) for record in played().records]
    assert all(re.fullmatch(r"[Tt-].*\.|[A-Z].*\.", each) for each in said), said
    assert "Player-001 was placed in division 1: Founder." in said
    assert "Player-004 lost 2 points: Rude." in said


def changed(kind: str, change: Callable[[Line], object], number: int = 0) -> Callable[[list[Line]], object]:
    return lambda lines: change(rows(lines, kind)[number]["event"])


def without(kind: str, number: int = 0) -> Callable[[list[Line]], object]:
    return lambda lines: lines.remove(rows(lines, kind)[number])


def by(kind: str, who: str) -> Callable[[list[Line]], object]:
    return lambda lines: rows(lines, kind)[0].update(cause={"player": who})


def _swap_first(event: Line) -> None:
    first, second = event["tables"][0][:2]
    first["player"], second["player"] = second["player"], first["player"]


def _add_late(lines: list[Line]) -> None:
    """Add a tournament when its results are known."""
    added, closed = rows(lines, "tournament-added")[0], rows(lines, "season-closed")[0]
    lines.remove(added)
    lines.insert(lines.index(closed), added | {"at": closed["at"]})
    closed["event"]["tournaments"].append(closed["event"]["tournaments"].pop(0))


def _leave_out(lines: list[Line]) -> None:
    """Leave a tournament out that was added, with all that names it."""
    lines.remove(rows(lines, "tournament-added")[0])
    rows(lines, "season-closed")[0]["event"]["tournaments"].pop(0)


def _friend(lines: list[Line]) -> None:
    """Let somebody belong to the first division whom nobody placed there."""
    rows(lines, "season-begun")[0]["event"]["members"][0].append("player-005")


def _no_account(lines: list[Line]) -> None:
    rows(lines, "season-begun")[0].update(cause={"by": "house"})


FORGERIES: dict[str, tuple[Callable[[list[Line]], object], str]] = {
    "the first two exchanged": (changed("season-closed", _swap_first), "has tables that do not follow"),
    "more points": (
        changed("season-closed", lambda e: e["tables"][1][0].update(points="99")),
        "has tables that do not follow",
    ),
    "a player out of the table": (
        changed("season-closed", lambda e: e["tables"][1].pop()),
        "has tables that do not follow",
    ),
    "a table missing": (changed("season-closed", lambda e: e["tables"].pop()), "There are 1 tables"),
    "a tournament left out": (_leave_out, "has tables that do not follow"),
    "a tournament left out of the close": (
        changed("season-closed", lambda e: e["tournaments"].pop()),
        "not those of the season",
    ),
    "a tournament added with its results known": (_add_late, "in which a round had been published"),
    "a tournament in another division": (
        changed("tournament-added", lambda e: e.update(division=2)),
        "do not name division 2",
    ),
    "another end of a tournament": (
        changed("season-closed", lambda e: e["tournaments"][0].update(hash="ab" * 32)),
        "with a hash that it does not have",
    ),
    "a tournament before its end": (
        lambda lines: rows(lines, "season-closed")[0]["event"]["tournaments"][0].update(
            version=1, hash=played().clubs[TournamentId("t-1")].records[0].hash.hex()
        ),
        "where it was not over",
    ),
    "a penalty hidden": (without("points-taken"), "has tables that do not follow"),
    "a penalty that is larger": (changed("points-taken", lambda e: e.update(points=5)), "tables that do not follow"),
    "a placement hidden": (without("player-placed"), "is not what follows"),
    "a friend in the first division": (_friend, "is not what follows"),
    "regulations that never were": (
        changed("league-founded", lambda e: e["regulations"].update(best=0)),
        "TAB-LGE-02",
    ),
    "points as the friend needs them": (
        changed("regulations-changed", lambda e: e["regulations"].update(points=[7, 6])),
        "has tables that do not follow",
    ),
    "a promotion that nobody earned": (
        changed("season-begun", lambda e: e["members"][0].sort(reverse=True), 1),
        "is not what follows",
    ),
    "another season": (changed("season-closed", lambda e: e.update(season=2)), "is not what follows"),
    "a season by a player": (by("season-begun", "player-001"), "do not organize"),
    "a season by nobody": (_no_account, "names no account"),
    "another organizer": (by("league-founded", "mallory"), "do not organize"),
    "a closing hidden": (without("season-closed"), "Season 1 runs"),
    "a beginning hidden": (without("season-begun", 1), "says that the league is running"),
    "a second founding": (
        lambda lines: lines.insert(2, rows(lines, "league-founded")[0] | {}),
        "a second time",
    ),
}


@pytest.mark.rule("TAB-LGE-06", "TAB-LGE-12")
@pytest.mark.parametrize("name", FORGERIES)
def test_forgeries_are_named_though_the_chain_is_made_good(name: str) -> None:
    change, said = FORGERIES[name]
    verdict = check(forged(played_export(), change))
    assert not verdict.ok
    assert said in verdict.problem


@pytest.mark.rule("TAB-LGE-07")
def test_a_player_of_another_division_is_named() -> None:
    series = Series()
    series.act(acts.place, player(1), 1, "Founder.")
    series.act(acts.begin_season)
    series.hold(2, [1, 2, 3])
    verdict = verify(export(series.league, series.records), series.exports)
    assert "belongs to division 1, and this is a tournament of division 2" in verdict.problem


def test_a_line_that_is_cut_off_or_of_another_form_is_named() -> None:
    sound = played_export()
    assert "cut off" in check(sound[:-1]).problem
    assert "not 'tabularium-league/1'" in check([sound[0].replace(b"gue/1", b"gue/2"), *sound[1:]]).problem
    assert "no id of a league" in check([sound[0].replace(b'"l-club"', b'"t-club"'), *sound[1:]]).problem
    assert HEAD in sound[1].decode()
