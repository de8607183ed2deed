"""Telling an exported game again, and proving it."""

import gzip
import hmac
import json
import re
from pathlib import Path

import pytest

from domain.kernel.chance.draws import CommittedChance
from domain.kernel.proof.export import export
from domain.kernel.proof.verify import verify
from domain.library import LIBRARY
from service.bots.simulation import Plan, Simulation
from service.bots.simulation import play as simulate
from service.cli.causes import causes
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


def test_a_game_is_told_with_who_caused_what_and_when(call: Call, exported: Path, lines: tuple[bytes, ...]):
    rows = [json.loads(line) for line in lines[1:-1]]
    told = call("replay", exported, "--causes").out.splitlines()
    for row in rows:
        place = next(index for index, line in enumerate(told) if line.startswith(f"{row['version']:>6}  "))
        behind = told[place + 1] if place + 1 < len(told) else ""
        if "cause" not in row:
            assert not behind.startswith(f"        {row['at']}"), "what follows of itself has no cause"
            continue
        cause = row["cause"]
        who = cause.get("seat") or cause["player"]
        assert behind.startswith(f"        {row['at']} {who}")
        if "command" in cause:
            assert json.loads(behind[behind.index("{") :]) == cause["command"]


def test_the_dice_of_a_game_that_is_over_are_derived(call: Call, tmp_path: Path, finished: Simulation):
    over = list(export(finished.game, finished.records, finished.vault))
    file = tmp_path / "over.jsonl"
    file.write_bytes(b"".join(over))
    rolls = re.findall(r"draw \d+, .*", call("replay", file, "--causes").out)
    rolled = sum(b'"faces":' in line for line in over)
    assert len(rolls) == rolled > 0
    secret = bytes.fromhex(next(json.loads(line)["event"]["secret"] for line in over if b'"game-ended"' in line))
    for roll in rolls:
        parts = re.fullmatch(
            r"draw \d+, battle dice: ([^;]+); HMAC-SHA256 of ([0-9a-f]{88}) begins ([^:]+): (.*)", roll
        )
        assert parts
        shown, message, read, verdict = parts.groups()
        assert verdict == "as the event says"
        assert hmac.digest(secret, bytes.fromhex(message), "sha256").startswith(
            bytes.fromhex(re.sub(r" \(thrown away\)| ", "", read))
        )
        assert len(read.replace(" (thrown away)", "").split()) >= len(shown.split(", "))


def test_dice_that_do_not_follow_from_the_secret_are_named(finished: Simulation):
    game = finished.game
    rolled = next(record for record in finished.records if b'"faces":' in record.event)
    assert not any("NOT" in line for line in causes(rolled, game, game.chance(finished.secret), ()))
    other = CommittedChance(bytes(32), game.id, {})
    assert any("NOT as the event says, but " in line for line in causes(rolled, game, other, ()))
    assert [line.rpartition("; ")[2] for line in causes(rolled, game, None, ())][-1:] == [
        "can be checked when the game is over and its secret is public"
    ]


def test_a_sealed_command_is_opened_where_the_export_does(call: Call, tmp_path: Path):
    _, played = simulate(Plan("mare-nostrum", seats=3, seed=1, commands=120))
    sealed = [record for record in played.records if record.cause and b'"sealed"' in record.cause]
    assert sealed
    for secrets, is_open in (((), False), (tuple(played.vault.all().values()), True)):
        said = [next(causes(record, played.game, None, secrets)) for record in sealed]
        assert all(('"sealed"' not in line) == is_open for line in said)


def test_what_could_have_been_done_at_a_version_is_printed(call: Call, exported: Path, lines: tuple[bytes, ...]):
    march = next(json.loads(line) for line in lines if b'"type":"march"' in line)
    said = call("replay", exported, "--to", march["version"] - 1, "--options")
    printed = json.loads(said.out[said.out.index("\n{\n") :])
    seat = march["cause"]["seat"]
    assert [decision["seats"] for decision in printed["decisions"]] == [[seat]]
    assert "march" in [option["command"] for option in printed["options"][seat]]
    assert "name the version with --to" in call("replay", exported, "--options").complaint


def test_options_that_depend_on_what_the_export_hides_are_not_guessed(call: Call, tmp_path: Path):
    _, played = simulate(Plan("mare-nostrum", seats=3, seed=1, commands=300))
    file = tmp_path / "hidden.jsonl"
    file.write_bytes(b"".join(export(played.game, played.records, played.vault)))
    keeping = next(record for record in played.records if record.type == "cards-laid-aside")
    complaint = call("replay", file, "--to", keeping.version - 1, "--options").complaint
    assert "depend on values that this export hides" in complaint


def test_a_damaged_export_is_not_told(call: Call, exported: Path):
    content = exported.read_bytes()
    exported.write_bytes(content[:-100])
    complaint = call("replay", exported).complaint
    assert f"{exported} is not a complete export" in complaint
    exported.write_bytes(b"")
    assert f"{exported} is not a complete export" in call("replay", exported).complaint


@pytest.mark.parametrize("command", ["replay", "verify"])
def test_the_file_must_be_there(call: Call, tmp_path: Path, command: str):
    missing = tmp_path / "nothing.jsonl"
    assert call(command, missing).complaint == f"{missing} cannot be read: No such file or directory"
    says = {"replay": "cannot be read: Is a directory", "verify": "has no exports"}
    assert call(command, tmp_path).complaint.startswith(f"{tmp_path} {says[command]}")


def test_a_good_export_is_proved(call: Call, exported: Path, lines: tuple[bytes, ...]):
    said = call("verify", exported)
    assert said.code == 0
    assert said.out.startswith(f"Proved: sim-7, conquest-classic-friz, {len(lines) - 2} events, running.\n")
    head = json.loads(lines[-2])["hash"]
    assert f"\n  Head {head}: compare it" in said.out
    assert "\n  ? no export can show: Who an account is" in said.out
    verdict = call("verify", exported, "--json").json
    assert verdict["ok"] is True
    assert verdict["head"] == head
    assert verdict["unproved"], "the secret of the dice is not yet open"


def test_many_exports_are_proved_side_by_side_with_a_line_for_each(
    call: Call, tmp_path: Path, lines: tuple[bytes, ...], finished: Simulation
):
    folder = tmp_path / "exports"
    (folder / "packed").mkdir(parents=True)
    running, over = folder / "b.jsonl", folder / "packed" / "a.jsonl.gz"
    running.write_bytes(b"".join(lines))
    over.write_bytes(gzip.compress(b"".join(export(finished.game, finished.records, finished.vault))))
    (folder / "notes.txt").write_text("no export")
    said = call("verify", folder, "--processes", 2)
    assert (said.code, said.err) == (0, "")
    first, second, total = said.out.splitlines()
    assert first == f"proved      {running}: conquest-classic-friz, {len(lines) - 2} events, running"
    assert second.startswith(f"proved      {over}: conquest-classic-friz, ")
    assert second.endswith(" events, over")
    assert total == "2 proved, 0 not proved, 0 not read."
    # The worst one decides, wherever it stands. What is given twice is verified once.
    cut = folder / "cut.jsonl.gz"
    cut.write_bytes(over.read_bytes()[:-9])
    assert call("verify", running, cut, folder).code == 2
    damaged = folder / "damaged.jsonl"
    damaged.write_bytes(b"".join(lines).replace(b'"draws":0', b'"draws":1', 1))
    said = call("verify", cut, damaged, folder, "--processes", 1)
    assert said.code == 1
    by_file = dict(line.split(": ", 1) for line in said.out.splitlines()[:-1])
    assert by_file[f"not proved  {damaged}"].startswith("version 1 is wrong. ")
    assert "cut off" in by_file[f"not read    {cut}"]
    assert said.out.endswith("2 proved, 1 not proved, 1 not read.\n")
    verdicts = [json.loads(line) for line in call("verify", folder, "--json").out.splitlines()]
    assert {verdict["file"]: verdict["ok"] for verdict in verdicts} == {
        str(running): True,
        str(over): True,
        str(cut): False,
        str(damaged): False,
    }
    assert call("verify", over).out.startswith("Proved: ")
    assert "are for one file with one export" in call("verify", folder, "--game", running).complaint


def test_nothing_is_said_of_secrets_where_there_were_none(finished: Simulation):
    proof = verify(export(finished.game, finished.records, finished.vault), LIBRARY)
    assert proof.proved[-2].startswith("All ")
    assert proof.proved[-1].startswith("It ended by ")
    assert not any("secrets" in sentence for sentence in proof.proved)


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
def test_the_first_bad_version_of_a_damaged_export_is_named(call: Call, exported: Path, damage):
    damaged = exported.read_bytes().splitlines(keepends=True)
    damage(damaged)
    exported.write_bytes(b"".join(damaged))
    said = call("verify", exported)
    assert said.code == 1
    assert re.match(r"NOT PROVED: (version (20|21)|line 21) is wrong\. .", said.out), said.out
    verdict = call("verify", exported, "--json")
    assert verdict.code == 1
    assert verdict.json["ok"] is False


def test_a_file_that_is_not_an_export_is_not_proved(call: Call, tmp_path: Path):
    file = tmp_path / "letter.txt"
    file.write_text("Dear Caesar,\n")
    said = call("verify", file)
    assert said.code == 1
    assert said.out.startswith("NOT PROVED: line 1 is wrong.")


def test_a_packed_export_is_unpacked_or_said_to_be_packed(call: Call, exported: Path, tmp_path: Path):
    packed = tmp_path / "game.jsonl.gz"
    packed.write_bytes(gzip.compress(exported.read_bytes()))
    for command in ("verify", "replay"):
        assert call(command, packed).out == call(command, exported).out
    unnamed = packed.rename(tmp_path / "packed.jsonl")
    assert "decompress it first" in call("verify", unnamed).out
