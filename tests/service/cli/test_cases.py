"""Cases from the command line, and proving their exports."""

import json
from pathlib import Path
from random import Random

import pytest

from domain.boards import builtin
from domain.kernel.proof import export
from domain.library import LIBRARY
from tests.helpers.judging import JUDGE, Court
from tests.helpers.play import Play, player_of
from tests.service.cli.calling import Call


@pytest.fixture
def court() -> Court:
    ruleset = LIBRARY.current(LIBRARY.default)
    court = Court(Play(ruleset, builtin(ruleset.board), ruleset.players[0]))
    court.play.step(Random(1))
    seat = next(iter(court.play.game.players))
    court.open(player_of(seat), "slip", 5)
    court.rule(JUDGE, "pause")
    return court


@pytest.fixture
def case(court: Court, tmp_path: Path) -> Path:
    file = tmp_path / "case.jsonl"
    file.write_bytes(b"".join(court.export()))
    return file


@pytest.fixture
def game(court: Court, tmp_path: Path) -> Path:
    play, file = court.play, tmp_path / "game.jsonl"
    file.write_bytes(b"".join(export.export(play.game, play.records, play.vault)))
    return file


def test_the_export_of_a_case_is_proved(call: Call, case: Path, game: Path) -> None:
    said = call("verify", case)
    assert (said.code, said.out.splitlines()[0].startswith("Proved: ccase, a case of game game-1")) == (0, True)
    assert "- not proved: Who held the seats" in said.out
    said = call("verify", case, "--game", game)
    assert said.code == 0
    assert "not proved" not in said.out
    assert call("verify", case, "--game", game, "--json").json["status"] == "ruled"


def test_a_changed_case_or_game_is_named(call: Call, case: Path, game: Path) -> None:
    whole = case.read_bytes()
    case.write_bytes(whole.replace(b'"about":5', b'"about":4'))
    said = call("verify", case)
    assert (said.code, "NOT PROVED: version 1 of the case is wrong" in said.out) == (1, True)
    case.write_bytes(whole)
    game.write_bytes(game.read_bytes().replace(b'"reason"', b'"Reason"', 1))
    assert call("verify", case, "--game", game).code == 1


def test_a_case_among_many_is_proved_with_its_game(call: Call, case: Path, game: Path) -> None:
    game = game.rename(game.with_name("game-1.jsonl"))
    verdicts = [json.loads(line) for line in call("verify", game, case, "--json").out.splitlines()]
    assert [verdict["ok"] for verdict in verdicts] == [True, True]
    assert not any("Who held the seats" in sentence for sentence in verdicts[1].get("unproved", ()))
    assert any("Who held the seats" in each for each in call("verify", case, "--json").json["unproved"])


def test_a_game_goes_only_with_a_case_or_a_fork(call: Call, game: Path) -> None:
    said = call("verify", game, "--game", game)
    assert (said.code, "game-1 is no fork of game-1" in said.out) == (1, True)


def test_cases_of_a_service_that_is_away(call: Call) -> None:
    for command in (("list",), ("show", "c1"), ("export", "c1")):
        assert "gave no whole answer" in call("cases", *command, "--url", "http://127.0.0.1:9").complaint


def test_a_verdict_of_nothing_is_json(call: Call, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(b'{"case":"c1"}\n')
    said = call("verify", empty, "--json")
    assert (said.code, json.loads(said.out)["ok"]) == (1, False)
