"""Exports of cases and forks, and certificates: the viewer is held to the same verdicts as `tabularium verify`."""

import contextlib
import re
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from domain.kernel.ids import Seat, TournamentId
from domain.kernel.log import officials
from domain.kernel.log.record import Cause
from domain.kernel.rules.refusal import Refusal
from domain.transparency.checkpoint import ED25519_COSIGNATURE, Checkpoint
from domain.transparency.entry import Entry
from domain.transparency.note import Note
from domain.transparency.proof import Proof
from domain.transparency.tree import Frontier, inclusion, leaf_hash
from service.transparency.keys import new_key, read_log_key, read_signer
from tests.domain.judging.test_proof import act_at_random, changing, forged
from tests.domain.kernel.log.test_forks import (
    cause_of_start,
    confirms_for_another,
    event_of,
    middle,
    over,
    past_of,
    put,
)
from tests.helpers.forger import Line, forged_in_parts, lines_of, whole
from tests.helpers.judging import JUDGE, Court
from tests.helpers.play import CASE, Play, player_of
from tests.tiny.auction import ROOM, TinyAuction
from tests.viewer.logic import evaluate

VERIFY = """async ([text, game]) => {
    const { ok, problem, unchecked } = await (await import('/viewer/proof/verify.js')).verify(text, { game });
    return [ok, problem ?? '', unchecked];
}"""


def verdict_of(lines: list[bytes], game: list[bytes] | None = None) -> tuple[bool, str, list[str]]:
    text, of = b"".join(lines).decode(), b"".join(game).decode() if game is not None else None
    ok, problem, unchecked = evaluate(VERIFY, [text, of])
    return ok, problem, unchecked


def test_a_case_is_checked_against_its_game():
    court = Court(Play(TinyAuction(), ROOM, 3))
    court.open(player_of(Seat("red")), "move", 5, cited=["TA-PUT-01"])
    court.answer(player_of(Seat("blue")))
    court.rule(JUDGE, "pause")
    game = court.play.export()
    ok, problem, unchecked = verdict_of(court.export(), game)
    assert ok, problem
    assert not any("Who held the seats" in each for each in unchecked)
    for change, said in (
        (changing(1, hash="00" * 32), "with another hash than it has"),
        (changing(2, player="somebody"), "who does not hold blue"),
        (changing(3, player="somebody"), "who is no official of the game"),
        (changing(3, hash="00" * 32), "with another hash than it has"),
        (changing(3, version=3), "names an earlier version"),
        (changing(3, reason="Another one."), "is not what the ruling on version"),
        (changing(3, decision="stands"), "names this case, which did not order it"),
    ):
        ok, problem, _ = verdict_of(forged(court, change), game)
        assert not ok
        assert said in problem
    court.play.rule_resume(Cause(JUDGE, case=court.id))
    ok, problem, _ = verdict_of(court.export(), court.play.export())
    assert (ok, "which did not order it" in problem) == (False, True)
    ok, problem, _ = verdict_of(court.export(), Play(TinyAuction(), ROOM, 3, 2).export())
    assert (ok, "is about game game-1, not about game-2" in problem) == (False, True)


@pytest.mark.parametrize("seed", range(4))
def test_whatever_happens_in_a_case_is_found_possible(seed: int):
    rng = Random(seed)
    court = Court(Play(TinyAuction(), ROOM, 3, seed))
    court.open(rng.choice([player_of(Seat("red")), JUDGE]), "slip", 5)
    for _ in range(40):
        with contextlib.suppress(Refusal):
            act_at_random(court, rng)
    for game in (None, court.play.export()):
        ok, problem, _ = verdict_of(court.export(), game)
        assert ok, problem


def test_a_game_of_a_tournament_is_checked_as_any_other():
    play = Play(TinyAuction(), ROOM, 3, tournament=TournamentId("t4xq2m7ahbk3oxw7c")).run(Random(1))
    ok, problem, _ = verdict_of(play.export())
    assert ok, problem


FORK_FORGERIES: list[tuple[Callable[[list[Line]], object], str]] = [
    (put(event_of, parent="game-9"), "is a fork of game-9, but the log before it is that of game-1"),
    (put(event_of, version=4), "forks at version 4"),
    (put(event_of, hash="00" * 32), "forks at version"),
    (put(event_of, depth=2), "forks with depth 2"),
    (put(event_of, organizer="mallory"), "forks with organizer"),
    (put(event_of, purpose="continuation", organizer="mallory"), "forks with organizer"),
    (put(event_of, seats=["blue", "red", "green"]), "forks with seats"),
    (put(event_of, setup={"rounds": 9}), "forks with setup"),
    (put(event_of, board="sha256:00"), "(another ruleset or board|forks with board)"),
    (put(event_of, commitment="0" * 64), "does not fit the commitment"),
    (put(past_of, secret="00" * 32), "does not fit the commitment"),
]


CONTINUATION_FORGERIES: list[tuple[Callable[[list[Line]], object], str]] = [
    (put(cause_of_start, case="xcase"), "names no case"),
    (lambda lines: cause_of_start(lines).pop("case"), "neither organizes the game nor holds a seat"),
    (put(cause_of_start, seat="red"), "acts for the seat red"),
    (confirms_for_another, "which is kept for"),
    (lambda lines: past_of(lines).pop("secret"), "only what is over is continued"),
]


def test_a_fork_is_checked_with_its_past_and_its_forgeries_are_named():
    parent = over()
    analysis = parent.fork(middle(parent)).run(Random(3))
    continuation = parent.fork(middle(parent), "continuation", player_of(Seat("red")))
    continuation.sit(Seat("red"), player_of(Seat("red")), "more entropy")
    continuation.take(officials.rule_start(continuation.game, Cause(JUDGE, case=CASE), continuation.now))
    continuation.run(Random(3))
    for fork, forgeries in ((analysis, FORK_FORGERIES), (continuation, CONTINUATION_FORGERIES)):
        honest = fork.export()
        ok, problem, _ = verdict_of(honest)
        assert ok, problem
        for change, said in forgeries:
            ok, problem, _ = verdict_of(forged_in_parts(honest, change))
            assert not ok, said
            assert re.search(said, problem), problem
        lines = lines_of(honest)
        for row in (3, 6):
            lines[row]["at"] = lines[row]["at"].replace("T00", "T01")
        ok, problem, _ = verdict_of(whole(lines))
        assert (ok, "In the past of the fork, game-1: " in problem) == (False, True)
    confirmed = parent.fork(middle(parent), "continuation", player_of(Seat("red")))
    for seat in parent.game.players:
        confirmed.sit(seat, player_of(seat))
    ok, problem, _ = verdict_of(confirmed.export())
    assert ok, problem


def test_a_past_waits_for_its_secret():
    parent = over()
    honest = parent.fork(middle(parent)).run(Random(3)).export()
    ok, problem, unchecked = verdict_of(forged_in_parts(honest, lambda lines: past_of(lines).pop("secret")))
    assert ok, problem
    assert any("wait for the secret of game-1" in each for each in unchecked)
    deep = parent.fork(middle(parent))
    for seed in (3, 4):
        deep = deep.run(Random(seed), 2).fork(seed=seed)
    ok, problem, _ = verdict_of(deep.export())
    assert ok, problem


CERTIFY = """async ([text, certificates]) => {
    const { verify } = await import('/viewer/proof/verify.js');
    const { certify } = await import('/viewer/proof/certificate.js');
    const verdict = await verify(text);
    return Promise.all(certificates.map(async ([certificate, policy]) => {
        const { ok, problem } = await certify(certificate, policy, verdict);
        return [ok, problem ?? ''];
    }));
}"""


def test_a_certificate_of_a_tree_of_any_size_is_checked_and_what_is_wrong_is_named():
    game = Play(TinyAuction(), ROOM, 3).run(Random(1))
    text, last = b"".join(game.export()).decode(), game.records[-1]
    key = read_log_key(new_key("games.example", lambda count: bytes(range(count))))
    witness = read_signer(
        new_key("witness.example", lambda count: bytes(range(1, count + 1)), ED25519_COSIGNATURE), ED25519_COSIGNATURE
    )
    policy = f"log {key.signers[0].key}\nwitness w {witness.key}\nquorum w\n"
    entry = Entry("game", game.game.id, last.version, last.hash.hex(), "over", last.at).encoded

    def certificate(index: int, size: int, content: bytes = entry, cosigned: int | None = 1_800_000_000) -> str:
        leaves = [leaf_hash(content if at == index else b"%d" % at) for at in range(size)]
        path = [root_of(leaves[each.start : each.stop]) for each in inclusion(index, size)]
        note = Checkpoint(key.origin, size, root_of(leaves)).text
        signatures = [*key.signatures(note), *([witness.signature(note, cosigned)] if cosigned else [])]
        return str(Proof(index, tuple(path), Note(note, tuple(signatures)), content))

    def said(*proofs: str, believed: str = policy) -> list[list[Any]]:
        return evaluate(CERTIFY, [text, [[proof, believed] for proof in proofs]])

    right = [certificate(index, size) for size in (1, 2, 3, 5, 8, 13) for index in range(size)]
    assert said(*right) == [[True, ""]] * len(right)
    honest = certificate(2, 5)
    other = Entry("game", game.game.id, last.version, "00" * 32, "over", last.at).encoded
    early = Entry("game", game.game.id, last.version, last.hash.hex(), "running", last.at).encoded
    wrong = {
        certificate(2, 5, other): "stood by the hash",
        certificate(2, 5, early): "was signed as running, and the export leads to over",
        certificate(2, 5, cosigned=None): "quorum w is not reached",
        certificate(2, 5, cosigned=1_000_000_000): "had seen it before",
        honest.replace("index 2", "index 1"): "does not lead from its entry",
        honest.replace("games.example\n5", "games.example\n6"): "signature of games.example is wrong",
        "nothing": "no certificate",
    }
    for problem, (ok, told) in zip(wrong.values(), said(*wrong), strict=True):
        assert (ok, problem in told) == (False, True), told
    assert said(honest, believed=policy.replace("games.example", "games.other"))[0][0] is False


def root_of(leaves: list[bytes]) -> bytes:
    frontier = Frontier()
    frontier.extend(leaves)
    return frontier.root
