"""``tabularium verify --certificate``: the export is the log that the service stood by, or it is not."""

from pathlib import Path
from random import Random

import pytest

from domain.boards import builtin
from domain.kernel.ids import GameId
from domain.kernel.proof.reading import read
from domain.library import LIBRARY
from domain.transparency.certificate import rfc3339
from domain.transparency.checkpoint import ED25519_COSIGNATURE, Checkpoint
from domain.transparency.entry import Entry
from domain.transparency.note import Note
from domain.transparency.proof import Proof
from domain.transparency.tree import Frontier, leaf_hash
from service.transparency.keys import LogKey, Signer, new_key, read_log_key, read_signer
from tests.helpers.play import ORGANIZER, Play
from tests.service.cli.calling import Call

KEY = read_log_key(new_key("games.example/log", lambda count: b"k" * count))
OTHER = read_log_key(new_key("games.example/log", lambda count: b"o" * count))
WITNESS = read_signer(new_key("w.example", lambda count: b"w" * count, ED25519_COSIGNATURE), ED25519_COSIGNATURE)
TIME = 1_795_242_000


def certificate(entry: Entry, key: LogKey = KEY, witness: Signer | None = None, time: int = TIME) -> str:
    frontier = Frontier()
    frontier.extend([leaf_hash(entry.encoded), leaf_hash(b"another")])
    text = Checkpoint(key.origin, 2, frontier.root).text
    seen = [witness.signature(text, time)] if witness else []
    return str(Proof(0, (leaf_hash(b"another"),), Note(text, (*key.signatures(text), *seen)), entry.encoded))


def entry_of(lines: tuple[bytes, ...], version: int, **other: str) -> Entry:
    record = read(lines).records[version - 1]
    said = {"id": read(lines).game, "status": "running", "hash": record.hash.hex(), "at": record.at, **other}
    return Entry("game", GameId(said["id"]), version, said["hash"], said["status"], said["at"])


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    file = tmp_path / "policy"
    file.write_text(f"log {KEY.signers[0].key}\nquorum none\n")
    return file


def given(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "game.tlog-proof"
    file.write_text(text)
    return file


def test_a_fork_is_proved_replayed_and_certified_with_its_past(call: Call, tmp_path: Path, policy: Path) -> None:
    ruleset = LIBRARY.current("conquest-classic-friz")
    play = Play(ruleset, builtin(ruleset.board), 2)
    for _ in range(6):
        play.step(Random(1))
    fork = play.fork(by=ORGANIZER)
    fork.step(Random(2))
    of, files = tuple(fork.export()), (tmp_path / "fork.jsonl", tmp_path / "game.jsonl")
    for _ in range(3):
        play.step(Random(1))
    for file, lines in zip(files, (of, play.export()), strict=True):
        file.write_bytes(b"".join(lines))
    last = read(of).records[-1]
    entry = Entry("game", fork.game.id, last.version, last.hash.hex(), "running", last.at)
    proof = given(tmp_path, certificate(entry))
    said = call("verify", files[0], "--game", files[1], "--certificate", proof, "--policy", policy)
    assert (said.code, said.err) == (0, "")
    assert f"Certified: version {last.version}, running." in said.out
    assert f"The past of the fork is the log of {play.game.id}." in said.out
    assert "A fork of game-1 at version" in call("replay", files[0]).out
    files[1].write_bytes(b"".join(Play(ruleset, builtin(ruleset.board), 2).run(Random(3), 9).export()))
    said = call("verify", files[0], "--game", files[1])
    assert (said.code, "of game-1 is not the one of the game that the fork is compared with" in said.out) == (1, True)


def test_the_log_that_the_service_stood_by(
    call: Call, tmp_path: Path, exported: Path, lines: tuple[bytes, ...], policy: Path
) -> None:
    count = len(read(lines).records)
    proof = given(tmp_path, certificate(entry_of(lines, count)))
    said = call("verify", exported, "--certificate", proof, "--policy", policy)
    assert (said.code, said.err) == (0, "")
    assert f"Certified: version {count}, running." in said.out
    assert f"The log games.example/log has version {count} as its entry 0, of 2 then." in said.out
    assert "No witness of the policy saw that log" in said.out
    assert "Whether versions after it exist is not known." in said.out
    assert "no certificate can show: Who a person is" in said.out
    proof = given(tmp_path, certificate(entry_of(lines, count - 3)))
    said = call("verify", exported, "--certificate", proof, "--policy", policy, "--json")
    assert (said.json["ok"], said.json["certificate"]["ok"], said.json["certificate"]["later"]) == (True, True, 3)
    assert said.json["certificate"]["entry"]["version"] == count - 3
    assert "The export has 3 versions after it" in said.json["certificate"]["said"][2]


def test_witnesses_say_when_it_existed(
    call: Call, tmp_path: Path, exported: Path, lines: tuple[bytes, ...], policy: Path
) -> None:
    policy.write_text(f"log {KEY.signers[0].key}\nwitness club {WITNESS.key}\nquorum club\n")
    entry = entry_of(lines, 5)
    said = call("verify", exported, "--certificate", given(tmp_path, certificate(entry)), "--policy", policy)
    assert (said.code, "NOT CERTIFIED: The policy does not accept" in said.out) == (1, True)
    seen = given(tmp_path, certificate(entry, witness=WITNESS))
    said = call("verify", exported, "--certificate", seen, "--policy", policy)
    assert said.code == 0
    assert f"That log was seen by club ({rfc3339(TIME)}), so version 5 existed by then." in said.out
    early = given(tmp_path, certificate(entry, witness=WITNESS, time=1))
    said = call("verify", exported, "--certificate", early, "--policy", policy)
    assert (said.code, f"and club had seen it by {rfc3339(1)}" in said.out) == (1, True)


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"hash": "0f" * 32}, "The service stood by the hash 0f0f"),
        ({"id": "gother"}, "The certificate is of game gother"),
        ({"at": "2026-11-21T06:00:00.000001Z"}, "was signed as of 2026-11-21T06:00:00.000001Z"),
        ({"status": "over"}, "was signed as over, and the export leads to running"),
    ],
)
def test_a_lawful_export_of_another_log_is_not_certified(
    call: Call, tmp_path: Path, exported: Path, lines: tuple[bytes, ...], policy: Path, other: dict[str, str], why: str
) -> None:
    proof = given(tmp_path, certificate(entry_of(lines, 9, **other)))
    said = call("verify", exported, "--certificate", proof, "--policy", policy)
    assert said.code == 1
    assert "Proved: " in said.out
    assert why in said.out


def test_an_export_that_was_cut_short_is_not_certified(
    call: Call, tmp_path: Path, exported: Path, lines: tuple[bytes, ...], policy: Path
) -> None:
    count = len(read(lines).records)
    entry = Entry("game", read(lines).game, count + 1, "0f" * 32, "over", "2026-11-21T06:00:00.000000Z")
    said = call("verify", exported, "--certificate", given(tmp_path, certificate(entry)), "--policy", policy)
    assert said.code == 1
    assert f"of version {count + 1}, and the export ends at version {count}: it was cut short" in said.out


def test_certificates_that_are_none(
    call: Call, tmp_path: Path, exported: Path, lines: tuple[bytes, ...], policy: Path
) -> None:
    good = certificate(entry_of(lines, 5))
    for text, why in (
        ("", "This is no certificate"),
        (good.replace("index 0", "index 1"), "does not lead from its entry"),
        (certificate(entry_of(lines, 5), OTHER), "not signed by a key that the policy has"),
        (good.replace("\n2\n", "\n3\n"), "is wrong"),
    ):
        said = call("verify", exported, "--certificate", given(tmp_path, text), "--policy", policy)
        assert (said.code, "NOT CERTIFIED" in said.out, why in said.out) == (1, True, True), said.out


def test_what_cannot_be_read(call: Call, tmp_path: Path, exported: Path, policy: Path) -> None:
    assert "belong together" in call("verify", exported, "--policy", policy).complaint
    assert "belong together" in call("verify", exported, "--certificate", policy).complaint
    assert "cannot be read" in call("verify", exported, "--certificate", tmp_path / "no", "--policy", policy).complaint
    policy.write_text("quorum")
    assert "line 1 of the policy" in call("verify", exported, "--certificate", policy, "--policy", policy).complaint
