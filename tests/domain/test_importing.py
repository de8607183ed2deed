"""What is required of an export before it is kept here (TAB-IMP)."""

import re
from collections.abc import Iterable
from random import Random
from typing import Any

import pytest

from domain import importing
from domain.importing import Examined, examine
from domain.kernel.ids import GameId
from domain.kernel.proof.export import Export
from domain.kernel.proof.reading import read
from domain.kernel.rules.refusal import Refusal
from domain.transparency.entry import Entry
from service.transparency.keys import LogKey, check
from tests.domain.judging.test_proof import played
from tests.forgeries.changes import told
from tests.forgeries.every import FORGERIES
from tests.forgeries.games import GAMES, LIBRARY, finished
from tests.helpers.forger import forged
from tests.helpers.play import OFFICIAL, Play
from tests.helpers.sampling import sampled
from tests.service.cli.test_certificates import KEY, OTHER, certificate
from tests.tiny.auction import ROOM, TinyAuction

POLICY = f"log {KEY.signers[0].key}\nquorum none\n"


def examined(lines: Iterable[bytes], **provenance: str) -> Examined:
    return examine(b"".join(lines), LIBRARY, check, **provenance)


def refusal(lines: Iterable[bytes], **provenance: str) -> tuple[str, str]:
    with pytest.raises(Refusal) as refused:
        examined(lines, **provenance)
    return refused.value.rule, refused.value.wrong


def certified(version: int, key: LogKey = KEY, export: Export | None = None, **other: Any) -> dict[str, str]:
    export = export or read(GAMES["over"]())
    record = export.records[version - 1]
    said = {"status": "over", "hash": record.hash.hex(), **other}
    entry = Entry("game", GameId(export.game), version, said["hash"], said["status"], record.at)
    return {"certificate": certificate(entry, key), "policy": POLICY}


@pytest.mark.rule("TAB-IMP-01")
@pytest.mark.rule("TAB-IMP-05")
def test_an_honest_export_says_all_that_is_kept_of_it() -> None:
    play, found = finished(), examined(GAMES["over"]())
    assert (found.game, found.ruleset, found.past) == (play.game.id, "tiny-auction", ())
    assert (found.events, found.head) == (play.game.version, play.game.head.hex())
    assert found.seats == play.game.players
    assert sorted(seat for group in found.finish.order for seat in group) == sorted(play.game.players)
    assert (found.created, found.ended) == (play.records[0].at, play.records[-1].at)
    assert any("decided again" in sentence for sentence in found.proved)
    assert found.issuer is None


@pytest.mark.rule("TAB-IMP-01")
@pytest.mark.parametrize("forgery", sampled("forgeries that are imported", FORGERIES, 20), ids=str)
def test_no_forgery_is_imported(forgery: Any) -> None:
    rule, asked = refusal(forgery.export())
    assert rule == "TAB-IMP-01"
    assert re.match(r"(Version|Line) \d+ is wrong\. ", asked)
    assert re.search(forgery.said, asked), asked


@pytest.mark.rule("TAB-IMP-01")
def test_what_is_no_export_of_a_game_that_is_known_is_refused() -> None:
    lines = list(GAMES["over"]())
    for wrong, what in (
        ([], "the export is empty"),
        ([b"\x1f\x8b\x08" + b"0" * 90], "compressed with gzip"),
        ([b"[" * 100_000 + b"\n"], "not JSON"),
        ([lines[0].replace(b'"format"', b'"board":{},"format"', 1), *lines[1:]], "not in the canonical form"),
        ([lines[0].replace(b'"tiny-auction"', b'"no-such-rules"', 1), *lines[1:]], "another ruleset"),
        (lines[:-1], "cut off"),
        ([*lines, lines[-1]], "follows the last line"),
        (played().export(), "This is the export of a case"),
    ):
        rule, asked = refusal(wrong)
        assert (rule, re.search(what, asked, re.IGNORECASE) is not None) == ("TAB-IMP-01", True), asked
    for future in (told("game-created", ruleset_version=99), told("game-created", ruleset="tiny-chess")):
        assert refusal(forged(lines, future))[0] == "TAB-IMP-01"


@pytest.mark.rule("TAB-IMP-02")
def test_only_a_finished_game_is_imported() -> None:
    for name in ("running", "cancelled"):
        rule, asked = refusal(GAMES[name]())
        assert (rule, f"The game is {name}" in asked) == ("TAB-IMP-02", True)
    whole, fork = Play(TinyAuction(), ROOM, 2, 11).run(Random(11)), Play(TinyAuction(), ROOM, 2, 12)
    fork.name_official()
    fork.run(Random(1), 10)
    fork = fork.fork(by=OFFICIAL).run(Random(2))
    assert examined(whole.export()).past == ()
    rule, asked = refusal(fork.export())  # the game that it forks from goes on, and hides its dice
    assert (rule, "not proved" in asked) == ("TAB-IMP-02", True)


@pytest.mark.rule("TAB-IMP-02")
def test_a_fork_of_a_finished_game_is_imported_with_its_past() -> None:
    game = Play(TinyAuction(), ROOM, 2, 13).run(Random(13))
    fork = game.fork(8).run(Random(2))
    assert examined(fork.export()).past == (game.game.id,)


@pytest.mark.rule("TAB-IMP-02")
def test_what_is_too_large_is_not_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "verify", None)
    lines = list(GAMES["over"]())
    monkeypatch.setattr(importing, "MOST_EVENTS", len(read(lines).records) - 1)
    assert refusal(lines)[0] == "TAB-IMP-02"
    monkeypatch.setattr(importing, "MOST_EVENTS", 20_000)
    monkeypatch.setattr(importing, "LARGEST_BOARD", len(lines[0]) - 1)
    assert refusal(lines)[0] == "TAB-IMP-02"


@pytest.mark.rule("TAB-IMP-03")
def test_a_private_game_is_not_imported() -> None:
    private = forged(GAMES["over"](), told("game-created", readers="invited"))
    assert refusal(private) == ("TAB-IMP-03", f"Game {finished().game.id} is private.")


@pytest.mark.rule("TAB-IMP-05")
def test_a_certificate_of_the_end_names_the_key_that_signed() -> None:
    lines = GAMES["over"]()
    last = len(read(lines).records)
    issuer = examined(lines, **certified(last)).issuer
    assert issuer is not None
    assert (issuer.origin, issuer.key) == ("games.example/log", str(KEY.signers[0].key))
    assert any("It was over then" in sentence for sentence in issuer.said)
    for wrong, what in (
        (certified(last, OTHER), "policy does not accept"),
        (certified(last, hash="ab" * 32), "it is another log"),
        (certified(last, status="running"), "signed as running"),
        (certified(last - 1, status="running"), "before the end"),
        (certified(3, export=read(GAMES["running"]())), "The certificate is of game"),
        ({**certified(last), "certificate": "nothing"}, "This is no certificate"),
        ({**certified(last), "policy": "log nobody\n"}, "The policy cannot be read: line 1"),
        ({"certificate": certified(last)["certificate"]}, "without a policy"),
        ({"policy": POLICY}, "without a certificate"),
    ):
        rule, asked = refusal(lines, **wrong)
        assert (rule, what in asked) == ("TAB-IMP-05", True), asked
