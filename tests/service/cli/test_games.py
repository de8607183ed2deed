"""Playing games from the command line."""

import re
from pathlib import Path

import pytest

from domain.kernel.ids import Seat
from service.bots.registry import levels
from service.bots.simulation import Outcome, Plan, Tables, spread, summarize
from tests.service.cli.calling import Call

NOWHERE = "http://127.0.0.1:9"
"""Nobody listens on the port for discarding."""
RED, BLUE = Seat("red"), Seat("blue")


def test_a_whole_game_is_played_told_exported_and_proved(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    said = call("play", "--seats", 2, "--seed", 7, "--ruleset", "conquest-classic-2005")
    assert said.code == 0, said.err
    assert re.match(r"http://127\.0\.0\.1:\d+/v1/games/(\w+): conquest-classic-2005, 2 players\n", said.out)
    assert "\nRound 1, " in said.out
    assert re.search(r"\d+  The game is over: \w+ won\.\n", said.out)
    (file,) = tmp_path.glob("*.jsonl")
    assert f"The export is {file.name} " in said.out
    assert f"\nProved: {file.stem}, conquest-classic-2005, " in said.out
    assert "not yet" not in said.out
    versions = [int(version) for version in re.findall(r"^ +(\d+)  ", said.out, re.MULTILINE)]
    assert versions == list(range(1, len(versions) + 1)), "every event is told, once"
    assert call("verify", file).code == 0


def test_impossible_seats_are_refused_with_the_possible(call: Call):
    assert call("play", "--seats", 9).complaint == "conquest-classic-friz takes 2, 3, 4, 5, 6 players, not 9"
    assert "2, 3, 4, 5, 6" in call("simulate", "--seats", "2,9").complaint
    assert "2, 3, 4, 5, 6" in call("simulate", "--seats", "two").complaint


def test_a_service_that_cannot_be_reached_is_named(call: Call):
    assert f"{NOWHERE} gave no whole answer: " in call("play", "--url", NOWHERE).complaint
    assert f"{NOWHERE} gave no whole answer: " in call("export", "g", "--url", NOWHERE).complaint
    assert "nonsense is no address of a service" in call("export", "g", "--url", "nonsense").complaint
    assert "This is no token" in call("export", "g", "--url", NOWHERE, "--token", "tab_é").complaint


@pytest.mark.parametrize("command", ["play", "export g"])
def test_a_file_that_cannot_be_written_is_refused_before_the_game(call: Call, tmp_path: Path, command: str):
    missing = tmp_path / "nowhere" / "game.jsonl"
    assert f"{missing} cannot be written" in call(*command.split(), "--output", missing).complaint
    assert f"{tmp_path} cannot be written" in call(*command.split(), "--output", tmp_path).complaint


def test_many_games_are_summed_up_in_a_table(call: Call):
    said = call("simulate", "--games", 2, "--seats", "2,3", "--commands", 30, "--processes", 1)
    assert said.code == 0
    for label in ("games", "laws broken", "median events a game", "wall time", "2 players", "3 players", "talents"):
        assert label in said.out


def test_many_games_are_summed_up_as_json(call: Call):
    short = ("--rounds", 1, "--processes", 1, "--json")
    said = call("simulate", "--games", 2, "--ruleset", "conquest-classic-2005", *short)
    assert said.code == 0
    assert not said.err
    assert said.json["summary"]["games"] == 2
    assert said.json["summary"]["faults"] == 0
    assert said.json["faults"] == []


def test_wins_and_what_seats_end_with_are_summed_up_for_each_number_of_players():
    outcomes = [
        Outcome(
            Plan("any", players, seed),
            finished=True,
            winners=(seat,),
            score={seat: {"points": points}},
            nations={"celts": {"points": points / 2}},
            asked={"buy": seed},
            events=9,
            commands=5,
        )
        for seed, (players, seat, points) in enumerate([(2, RED, 10), (2, RED, 15), (3, BLUE, 7)])
    ]
    by_players = summarize(outcomes, 1).by_players
    assert by_players[2] == Tables(
        games=2,
        finished=2,
        median_commands=5,
        median_events=9,
        wins={RED: 2},
        share={RED: (0.342, 1.0)},
        score={RED: {"points": 12.5}},
        nations={"celts": {"points": 6.2}},
        asked={"buy": 0.5},
    )
    assert by_players[3].wins == {BLUE: 1}
    assert by_players[3].score == {BLUE: {"points": 7}}


@pytest.mark.parametrize(
    ("wins", "games", "between"),
    [(0, 0, (0.0, 1.0)), (0, 60, (0.0, 0.06)), (47, 60, (0.664, 0.869)), (20, 60, (0.227, 0.459))],
)
def test_wins_have_a_spread(wins: int, games: int, between: tuple[float, float]):
    assert spread(wins, games) == between


def test_simulations_say_how_the_nations_of_seats_did_and_what_was_asked(call: Call):
    said = call("simulate", "--ruleset", "italia-2", "--games", 1, "--commands", 200, "--processes", 1)
    assert said.code == 0, said.out
    for told in ("Their nations", "western-romans", "Asked in a game, on average: ", "choose-battle "):
        assert told in said.out


def test_the_same_seed_plays_the_same_games(call: Call):
    runs = [call("simulate", "--games", 1, "--seed", 3, "--commands", 50, "--json").json["summary"] for _ in range(2)]
    assert runs[0]["events"] == runs[1]["events"]


def test_greedy_players_of_mare_nostrum_win_their_games_in_either_layout(call: Call):
    games = ("simulate", "--ruleset", "mare-nostrum", "--games", 1, "--greedy", "--processes", 1, "--json")
    for layout in ("introductory", "free"):
        said = call(*games, "--setup", f'{{"layout": "{layout}"}}')
        assert said.code == 0, said.out
        summary = said.json["summary"]
        assert (summary["finished"], summary["faults"]) == (1, 0)
        assert summary["median_round"] > 5


def test_an_earlier_version_of_the_rules_is_played(call: Call):
    games = ("simulate", "--games", 1, "--commands", 30, "--processes", 1, "--json")
    earlier = call(*games, "--version", 1).json["summary"]
    assert earlier["faults"] == 0
    assert call(*games, "--version", 2).json["summary"]["events"] == call(*games).json["summary"]["events"]


def test_a_ruleset_without_bots_has_random_players_only(call: Call, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("service.cli.games.levels", lambda ruleset: levels("tiny-auction"))
    said = call("simulate", "--greedy")
    assert (said.code, said.complaint) == (2, "conquest-classic-friz has no greedy players; it has random")


def test_what_the_players_or_the_creator_of_simulated_games_cannot_do_is_refused(call: Call):
    assert "1, 2" in call("simulate", "--version", 3).complaint
    assert "bogus" in call("simulate", "--ruleset", "mare-nostrum", "--setup", '{"bogus": 1}').complaint
