"""Leagues from the command line: their exports proved with those of their tournaments."""

from pathlib import Path

import pytest

from domain.league import acts, proof
from domain.tournament import proof as tournament_proof
from tests.helpers.leagues import Series
from tests.service.cli.calling import Call


@pytest.fixture
def file(tmp_path: Path) -> Path:
    series = Series(ruleset="conquest-classic-friz")
    series.act(acts.begin_season)
    series.hold(2, [1, 2, 3])
    series.close()
    for name, club in series.clubs.items():
        lines = tournament_proof.export(club.tournament, club.records)
        (tmp_path / f"{name}.jsonl").write_bytes(b"".join(lines))
    written = tmp_path / "l-club.jsonl"
    written.write_bytes(b"".join(proof.export(series.league, series.records)))
    return written


def words(text: str) -> str:
    return " ".join(text.split())


def test_a_league_is_proved_with_its_tournaments(call: Call, file: Path) -> None:
    said = call("league", "verify", file)
    assert said.code == 0, said.out
    assert "Proved: l-club, a league" in words(said.out)
    assert "The tables of season 1 follow from its tournaments." in words(said.out)
    alone = call("verify", file)
    assert alone.code == 0
    assert "Season 1: the exports of 1 of its tournaments are missing." in words(alone.out)
    together = call("verify", file.parent, "--json")
    proved = [line for line in together.out.splitlines() if '"l-club"' in line]
    assert together.code == 0
    assert "The tables of season 1 follow from its tournaments." in proved[0]


def test_what_is_forged_is_named(call: Call, file: Path) -> None:
    file.with_name("t-1.jsonl").write_bytes(file.with_name("t-1.jsonl").read_bytes().replace(b"luck 3", b"luck 4", 1))
    said = call("league", "verify", file)
    assert (said.code, "NOT PROVED: t-1." in words(said.out)) == (1, True)
    file.write_bytes(file.read_bytes().replace(b'"best":2', b'"best":3', 1))
    said = call("league", "verify", file)
    assert (said.code, "NOT PROVED: version 1 of the league is wrong." in words(said.out)) == (1, True)


def test_bad_input_gets_one_line(call: Call, file: Path) -> None:
    tournament = file.with_name("t-1.jsonl")
    assert "is not the export of a league" in call("league", "verify", tournament).complaint
    assert (
        "verify a league together with the exports of its tournaments" in call("verify", file, "--game", file).complaint
    )
    assert call("league", "show", "l1", "--url", "http://127.0.0.1:9").complaint
