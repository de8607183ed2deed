"""Telling an exported game again, and proving it."""

import gzip
import json
import re
from pathlib import Path

import pytest

from tests.service.cli.calling import Call


def test_a_game_is_told_in_sentences_under_headings(call: Call, exported: Path, lines: tuple[bytes, ...]):
    said = call("replay", exported)
    assert said.code == 0
    assert "\nRound 1, " in said.out
    sentences = re.findall(r"^ +(\d+)  .*[.?!”]$", said.out, re.MULTILINE)
    assert list(map(int, sentences)) == list(range(1, len(lines) - 1)), "every event, once"


def test_a_game_is_told_up_to_a_version_and_the_position_is_printed(call: Call, exported: Path):
    said = call("replay", exported, "--to", 20)
    assert said.code == 0
    assert re.findall(r"^ +(\d+)  ", said.out, re.MULTILINE)[-1] == "20"
    position = json.loads(said.out[said.out.index("\n{\n") :])
    assert position["round"] == 1


def test_a_game_is_told_no_further_than_it_went(call: Call, exported: Path, lines: tuple[bytes, ...]):
    assert f"ends at version {len(lines) - 2}" in call("replay", exported, "--to", 100_000).complaint


def test_a_damaged_export_is_not_told(call: Call, exported: Path):
    content = exported.read_bytes()
    exported.write_bytes(content[:-100])
    complaint = call("replay", exported).complaint
    assert f"{exported} is no whole export" in complaint
    exported.write_bytes(b"")
    assert f"{exported} is no whole export" in call("replay", exported).complaint


@pytest.mark.parametrize("command", ["replay", "verify"])
def test_the_file_must_be_there(call: Call, tmp_path: Path, command: str):
    missing = tmp_path / "nothing.jsonl"
    assert call(command, missing).complaint == f"{missing} cannot be read: No such file or directory"
    assert call(command, tmp_path).complaint == f"{tmp_path} cannot be read: Is a directory"


def test_a_good_export_is_proved(call: Call, exported: Path, lines: tuple[bytes, ...]):
    said = call("verify", exported)
    assert said.code == 0
    assert said.out.startswith(f"Proved: sim-7, conquest-classic-friz, {len(lines) - 2} events, running.\n")
    verdict = call("verify", exported, "--json").json
    assert verdict["ok"] is True
    assert verdict["unproved"], "the secret of the dice is not yet open"


def _flipped(lines: list[bytes]) -> None:
    lines[20] = lines[20].replace(b'"draws":', b'"draws":1', 1)


def _removed(lines: list[bytes]) -> None:
    del lines[20]


def _doubled(lines: list[bytes]) -> None:
    lines.insert(20, lines[20])


def _swapped(lines: list[bytes]) -> None:
    lines[20], lines[21] = lines[21], lines[20]


def _no_json(lines: list[bytes]) -> None:
    lines[20] = lines[20][:40] + b"\n"


@pytest.mark.parametrize("damage", [_flipped, _removed, _doubled, _swapped, _no_json])
def test_of_a_damaged_export_the_first_bad_version_is_named(call: Call, exported: Path, damage):
    damaged = exported.read_bytes().splitlines(keepends=True)
    damage(damaged)
    exported.write_bytes(b"".join(damaged))
    said = call("verify", exported)
    assert said.code == 1
    assert re.match(r"NOT PROVED: (version (20|21)|line 21) is wrong\. .", said.out), said.out
    verdict = call("verify", exported, "--json")
    assert verdict.code == 1
    assert verdict.json["ok"] is False


def test_what_is_no_export_is_not_proved(call: Call, tmp_path: Path):
    file = tmp_path / "letter.txt"
    file.write_text("Dear Caesar,\n")
    said = call("verify", file)
    assert said.code == 1
    assert said.out.startswith("NOT PROVED: line 1 is wrong.")


def test_a_packed_export_is_said_to_be_packed(call: Call, exported: Path, tmp_path: Path):
    packed = tmp_path / "game.jsonl.gz"
    packed.write_bytes(gzip.compress(exported.read_bytes()))
    assert "unpack it first" in call("verify", packed).out
