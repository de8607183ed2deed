"""Proving exports of tournaments from the command line."""

from pathlib import Path

import pytest

from domain.tournament import proof
from tests.helpers.tournaments import Club
from tests.service.cli.calling import Call


@pytest.fixture
def file(tmp_path: Path) -> Path:
    club = Club(8, ruleset="conquest-classic-friz")
    club.play()
    written = tmp_path / "t-club.jsonl"
    written.write_bytes(b"".join(proof.export(club.tournament, club.records)))
    return written


def test_the_export_of_a_tournament_is_proved_and_what_is_missing_is_named(call: Call, file: Path) -> None:
    said = call("verify", file)
    assert said.code == 0, said.out
    assert "Proved: t-club, a tournament" in " ".join(said.out.split())
    assert "The results of 2 games: their exports are missing." in " ".join(said.out.split())
    verdict = call("verify", file, "--json").json
    assert verdict["ok"] is True
    assert len(verdict["games"]) == 2


def test_a_forged_tournament_is_named_with_its_version(call: Call, file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b"luck 3", b"luck 4", 1))
    said = call("verify", file)
    assert said.code == 1
    assert "NOT PROVED: version 7 of the tournament is wrong." in " ".join(said.out.split())


def test_a_tournament_is_proved_among_other_files(call: Call, file: Path) -> None:
    (file.parent / "other").mkdir()
    forged = file.parent / "other" / "t-forged.jsonl"
    forged.write_bytes(file.read_bytes().replace(b"luck 3", b"luck 4", 1))
    said = call("verify", file.parent)
    assert said.code == 1
    assert "1 proved, 1 not proved, 0 not read." in " ".join(said.out.split())
    assert "not proved: The results of 2 games: their exports are missing." in " ".join(said.out.split())


def test_the_game_of_a_tournament_is_no_single_file(call: Call, file: Path) -> None:
    said = call("verify", file, "--game", file)
    assert said.code == 2
    assert "verify a tournament together with the exports of its games" in said.complaint
