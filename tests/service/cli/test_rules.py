"""The rule catalogues, the scenarios and the contract on the command line."""

import re
from pathlib import Path

import pytest

from domain.kernel.rules.loading import common_rules
from domain.kernel.rules.ruleset import Library
from service.api.contract import files as contract
from tests.service.cli.calling import Call
from tests.tiny.house import House

SCENARIOS = Path(__file__).parents[2] / "scenarios"


def test_rules_are_listed_by_id_and_title(call: Call):
    said = call("rules", "list", "--ruleset", "conquest-classic-2005")
    assert said.code == 0
    assert "CC-BAT-10     Reserve\n" in said.out
    assert "CC-MOV-01" not in said.out, "the other edition's"
    assert "TAB-" not in said.out


def test_rules_are_listed_as_json(call: Call):
    listed = call("rules", "list", "--json").json
    assert {"id", "title", "text"} <= listed[0].keys()
    assert len({rule["id"] for rule in listed}) == len(listed) > 300
    assert {rule["id"] for rule in listed} >= {rule.id for rule in common_rules().rules}


def test_a_rule_is_shown_with_its_source_and_ruling(call: Call):
    said = call("rules", "show", "CC-PLC-02")
    assert said.code == 0
    for shown in ("CC-PLC-02  Home must be controlled", "Applies:", "Source:", "Left open:", "Ruling:"):
        assert shown in said.out


def test_a_rule_is_shown_as_json_whatever_the_case_of_its_id(call: Call):
    shown = call("rules", "show", "cc-bat-18", "--json").json
    assert shown["rule"]["id"] == "CC-BAT-18"
    assert "lines" in shown["cited"]


def test_a_rule_of_every_game_is_shown(call: Call):
    said = call("rules", "show", "tab-clk-08")
    assert said.code == 0
    assert "TAB-CLK-08  Officials and other seats may give time" in said.out
    assert "Applies:      every ruleset\nSource:       Tabularium documentation" in said.out


@pytest.mark.parametrize(("wrong", "near"), [("CC-BAT-99", "CC-BAT-19"), ("TAB-CLK-19", "TAB-CLK-10")])
def test_an_unknown_rule_brings_near_misses(call: Call, wrong: str, near: str):
    complaint = call("rules", "show", wrong).complaint
    assert f"'{wrong}'" in complaint
    assert near in complaint


@pytest.mark.parametrize("command", ["rules list", "rules coverage", "play", "simulate"])
def test_an_unknown_ruleset_brings_the_known_ones(call: Call, command: str):
    complaint = call(*command.split(), "--ruleset", "conquest").complaint
    assert "'conquest'" in complaint
    assert "conquest-classic-2005, conquest-classic-friz" in complaint


def test_coverage_says_no_while_a_rule_has_no_test(call: Call, tmp_path: Path):
    tests = ("--ruleset", "conquest-classic-friz", "--tests", tmp_path)
    said = call("rules", "coverage", *tests)
    assert said.code == 1
    assert "0.0 % covered" in said.out
    assert call("rules", "coverage", *tests, "--json").json["conquest-classic-friz"]["covered"] == 0


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command line know a ruleset with an official FAQ and a house rule."""
    monkeypatch.setattr("service.cli.rules.LIBRARY", Library([House()]))


@pytest.mark.usefixtures("house")
def test_a_rule_is_shown_with_its_status_and_its_option(call: Call, tmp_path: Path):
    option = "house rule, only with the option misers, off by default"
    listed = call("rules", "list").out.splitlines()
    assert "TA-BID-02     The last card plays itself  (official FAQ)" in listed
    assert f"TA-GIV-02     Nobody gives coins away  ({option})" in listed
    assert f"Status:       {option}" in call("rules", "show", "TA-GIV-02").out
    counted = call("rules", "coverage", "--tests", tmp_path).out
    assert re.search(r"house\W+1\W+0\b", counted)


def test_the_rules_of_every_game_have_tests(call: Call):
    covered = call("rules", "coverage", "--json").json["common"]
    assert covered["total"] == len(common_rules().rules)
    assert [rule for chapter in covered["chapters"] for rule in chapter["missing"]] == []


def test_coverage_needs_a_directory_of_tests(call: Call, tmp_path: Path):
    assert "not a directory of tests" in call("rules", "coverage", "--tests", tmp_path / "nothing").complaint


def test_scenarios_that_hold(call: Call):
    file = SCENARIOS / "conquest-classic" / "tribute.toml"
    said = call("scenario", file)
    assert said.code == 0, said.out
    run = call("scenario", file, "--ruleset", "conquest-classic-friz", "--json").json
    assert run["failed"] == 0
    assert {each["ruleset"] for each in run["scenarios"]} == {"conquest-classic-friz"}


def test_a_scenario_that_fails_is_named_with_its_file(call: Call, tmp_path: Path):
    text = (SCENARIOS / "conquest-classic" / "tribute.toml").read_text()
    broken = tmp_path / "conquest-classic" / "broken.toml"
    broken.parent.mkdir()
    broken.write_text(text.replace('seat = "red", talents = ', 'seat = "red", talents = 1', 1))
    said = call("scenario", broken.parent)
    assert said.code == 1
    assert f"FAILED {broken}" in said.out
    assert call("scenario", broken, "--json").json["failed"] >= 1


@pytest.mark.parametrize("content", [b"[[scenario", b"\xff\xfe", b"[[scenario]]\ntitle = 3\n"])
def test_a_file_that_is_not_a_scenario_is_refused(call: Call, tmp_path: Path, content: bytes):
    file = tmp_path / "damaged.toml"
    file.write_bytes(content)
    assert str(file) in call("scenario", file).complaint


def test_scenarios_must_be_there(call: Call, tmp_path: Path):
    assert "no scenario file" in call("scenario", tmp_path).complaint
    assert "cannot be read: No such file" in call("scenario", tmp_path / "nothing.toml").complaint


def test_the_contract_is_written_and_compared(call: Call, tmp_path: Path):
    folder = tmp_path / "openapi"
    assert call("openapi", "--folder", folder).code == 0
    assert not contract.differs(folder)
    assert call("openapi", "--folder", folder, "--check").code == 0
    written = sorted(folder.rglob("*.json"))[0]
    written.write_text(written.read_text().replace("{", "{ ", 1))
    said = call("openapi", "--folder", folder, "--check")
    assert said.code == 1
    assert f"{written.name} differs from the code" in said.out


def test_the_contract_is_not_written_over_what_is_none(call: Call, tmp_path: Path):
    kept = tmp_path / "mine" / "letters.json"
    kept.parent.mkdir()
    kept.write_text("{}")
    assert "contains other files than a contract" in call("openapi", "--folder", tmp_path).complaint
    assert kept.exists(), "writing removes from a contract's folder what is no part of it"
    assert "cannot be written to" in call("openapi", "--folder", kept).complaint
    assert "there is no folder" in call("openapi", "--check", "--folder", tmp_path / "nowhere").complaint
