"""Tournaments in spreadsheets and calendars."""

import csv
import io
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import pytest
from icalendar import Calendar

from domain.tournament import directing, results, rounds
from domain.tournament.crosstable import crosstable
from domain.tournament.regulations import Swiss
from domain.tournament.standings import standings
from service.tournaments.calendar import calendar_of
from service.tournaments.spreadsheets import crosstable_csv, number, standings_csv
from tests.helpers.tournaments import Club, player

NAMES = {player(number): f"Player {number}" for number in range(1, 8)}


def rows_of(content: bytes) -> list[dict[str, str]]:
    assert content.count(b"\r\n") == content.count(b"\n")
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (Fraction(0), "0"),
        (Fraction(131, 2), "65.5"),
        (Fraction(-10), "-10"),
        (Fraction(-1, 3), "-0.333333"),
        (Fraction(2, 3), "0.666667"),
        (Fraction(1, 1_000_000), "0.000001"),
        (Fraction(9_999_999, 10_000_000), "1"),
    ],
)
def test_a_spreadsheet_gets_numbers_with_a_point(value: Fraction, written: str) -> None:
    assert number(value) == written


def test_a_row_of_the_standings_says_what_the_json_does() -> None:
    club = Club(7)
    club.publish()
    club.result(1, (club.round.tables[0].players,))
    club.result(2)
    lines = standings(club.field)
    found = rows_of(standings_csv(club.tournament, lines, NAMES))
    assert [each["player"] for each in found] == [each.player for each in lines]
    assert [each["name"] for each in found] == [NAMES[each.player] for each in lines]
    assert [float(each["points"]) for each in found] == [float(each.points) for each in lines]
    assert found[0] | {"provisional": "yes", "wins": "1"} == found[0]
    assert found[-1]["above"] == ""


def test_a_crosstable_has_three_columns_for_each_round() -> None:
    club = Club(5, sizes=(4,), points=((60, 42, 24, 6),))
    club.play()
    club.publish()
    (bye,) = club.tournament.field.played[0].byes
    found = {each["player"]: each for each in rows_of(crosstable_csv(club.tournament, crosstable(club.field), NAMES))}
    row = found[bye]
    assert (row["round 1 table"], row["round 1 place"], row["round 1 points"]) == ("bye", "", "30")
    other = club.tournament.field.played[0].tables[0].players[1]
    row = found[other]
    assert (row["round 1 table"], row["round 1 place"], row["round 1 points"]) == ("1", "2", "42")
    assert row["round 2 points"] == ""


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "'=1", "\t=1"])
def test_a_name_is_no_formula_for_a_spreadsheet(name: str) -> None:
    club = Club(4)
    for content in (
        standings_csv(club.tournament, standings(club.field), {player(1): name}),
        crosstable_csv(club.tournament, crosstable(club.field), {player(1): name}),
    ):
        assert rows_of(content)[0]["name"] == f"'{name}"


@pytest.mark.parametrize("name", ['A "B", C', "Ä; Ö"])
def test_a_name_breaks_no_row(name: str) -> None:
    club = Club(4)
    found = rows_of(standings_csv(club.tournament, standings(club.field), {player(1): name}))
    assert (found[0]["name"], len(found)) == (name, 4)


# --- the calendar ---


def entries(club: Club, title: str = "Club evening") -> dict[str, Any]:
    calendar = Calendar.from_ical(calendar_of(club.tournament, title, "https://games.example.org/tournaments/t"))
    return {str(event["uid"]).partition("@")[0]: event for event in calendar.walk("VEVENT")}


def at(club: Club, minutes: float) -> datetime:
    """Return the time so many minutes after the first game of the round was opened."""
    opened = min(table.opened for table in club.round.tables)
    return datetime.fromtimestamp(datetime.fromisoformat(opened).timestamp() + 60 * minutes, UTC)


def test_a_calendar_says_when_rounds_begin_and_what_is_due() -> None:
    club = Club(7)
    assert entries(club) == {}
    club.publish()
    club.result(1)
    found = entries(club)
    assert [*found] == ["round-1", "unfinished-1", "results-1"]
    assert str(found["round-1"]["summary"]) == "Club evening · Round 1: confirm your seat, the games begin"
    assert (found["round-1"].start, found["round-1"].end) == (at(club, 0), at(club, 10))
    # The second table was opened a minute later, and its result came yet a minute after that.
    assert found["unfinished-1"].start == at(club, 90 * 24 * 60 + 1)
    assert found["results-1"].start == at(club, 24 * 60 + 2)
    club.act(results.confirm, 1, 1)
    assert [*entries(club)] == ["round-1", "unfinished-1"]


def test_results_of_the_last_round_are_due_at_no_time() -> None:
    club = Club(4, stages=(Swiss(1),))
    club.publish()
    club.result(1)
    assert [*entries(club)] == ["round-1"]


def test_what_is_cancelled_stays_in_the_calendar_as_cancelled() -> None:
    club = Club(4)
    club.publish()
    club.act(rounds.cancel_round, 1, "Fire alarm")
    club.publish()
    assert [str(each["status"]) for each in entries(club).values()] == ["CANCELLED", "CONFIRMED", "CONFIRMED"]
    club.act(directing.cancel, "Flood")
    assert [str(each["status"]) for each in entries(club).values()] == ["CANCELLED", "CANCELLED"]


def test_a_title_adds_nothing_to_the_calendar() -> None:
    club = Club(4)
    club.publish()
    found = entries(club, "Evening\r\nBEGIN:VEVENT\r\nUID:evil;,\\")
    assert [*found] == ["round-1", "unfinished-1"]
    assert calendar_of(club.tournament, "Same", "") == calendar_of(club.tournament, "Same", "")
