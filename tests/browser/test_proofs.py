"""Exports of cases and forks, and certificates: the page is held to the same verdicts as `tabularium verify`."""

import contextlib
import re
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from playwright.async_api import FilePayload, Page

from domain.kernel.ids import Seat
from domain.kernel.log import officials
from domain.kernel.log.record import Cause
from domain.kernel.rules.refusal import Refusal
from domain.transparency.checkpoint import ED25519_COSIGNATURE, Checkpoint
from domain.transparency.entry import Entry
from domain.transparency.note import Note
from domain.transparency.proof import Proof
from domain.transparency.tree import Frontier, inclusion, leaf_hash
from service.api.transparency.routes import log_key_view
from service.transparency.keys import new_key, read_log_key, read_signer
from tests.browser.games import table
from tests.browser.test_verify import finished, open_panel, verify_file
from tests.browser.visiting import Visitor, expect
from tests.domain.judging.test_proof import act_at_random, changing, forged, played
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
from tests.service.api.serving import Service
from tests.tiny.auction import ROOM, TinyAuction

CASE_FORGERIES: list[tuple[Callable[[Any, Any, int], None], str]] = [
    (changing(1, kind="refusal"), "Version 1 has a command, or lacks one"),
    (changing(1, about=1000), "Version 1 is about version 1000"),
    (changing(1, seat="blue"), "Version 1 acts for red, but is about blue"),
    (changing(2, seat="red", seat_of_cause="red"), "Version 2 answers for red, which opened the case"),
    (changing(3, seat="red"), "Version 3 acts for"),
    (changing(5, reason=""), "Version 5 gives a reason"),
    (changing(5, cited=[]), "Version 5 cites no rule"),
    (changing(5, decision="back"), "Version 5 decides back"),
    (changing(5, order=[["red"]]), "Version 5 decides stands"),
    (changing(5, type="ruled-finally"), "Version 5 is told as ruled-finally"),
    (changing(5, player=str(player_of(Seat("red")))), "Version 5 is a ruling by player-red, who opened the case"),
    (changing(8, type="ruled"), "Version 8 is told as ruled"),
    (changing(8, player=str(JUDGE)), "Version 8 decides an appeal against a ruling of judge"),
    (changing(8, version=1), "Version 8 names an earlier version of the game"),
    (changing(8, to=3), "Version 8 decides result"),
]


async def test_a_case_is_checked_and_its_forgeries_are_named(service: Service, page: Page, visitor: Visitor):
    visitor.expect("/v1/games/game-1/|/v1/cases/ccase/")  # which this service does not know
    made = await table(service.services, events=50)
    await open_panel(page, made.id)
    court = played()
    await verify_file(page, b"".join(court.export()), "honest")
    seal = page.locator(".seal")
    await expect(seal).to_contain_text("honest: 8 versions")
    await expect(seal).to_contain_text("statements fit their commitments")
    await expect(seal).to_contain_text("Who held the seats and who was an official")
    for number, (change, said) in enumerate(CASE_FORGERIES):
        await verify_file(page, b"".join(forged(court, change)), f"forgery {number}")
        await expect(page.locator(".outcome.refused")).to_contain_text(
            re.compile(f"forgery {number}: .*{said}", re.DOTALL)
        )


VERIFY = """async ([text, game]) => {
    const { ok, problem, unchecked } = await (await import('/viewer/proof/verify.js')).verify(text, { game });
    return [ok, problem ?? '', unchecked];
}"""


async def verdict_of(page: Page, lines: list[bytes], game: list[bytes] | None = None) -> tuple[bool, str, list[str]]:
    text, of = b"".join(lines).decode(), b"".join(game).decode() if game is not None else None
    ok, problem, unchecked = await page.evaluate(VERIFY, [text, of])
    return ok, problem, unchecked


async def test_a_case_is_checked_against_its_game(page: Page):
    await page.goto("/viewer/vendor/LICENSE.txt")
    court = Court(Play(TinyAuction(), ROOM, 3))
    court.open(player_of(Seat("red")), "move", 5, cited=["TA-PUT-01"])
    court.answer(player_of(Seat("blue")))
    court.rule(JUDGE, "pause")
    game = court.play.export()
    ok, problem, unchecked = await verdict_of(page, court.export(), game)
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
        ok, problem, _ = await verdict_of(page, forged(court, change), game)
        assert not ok
        assert said in problem
    court.play.rule_resume(Cause(JUDGE, case=court.id))
    ok, problem, _ = await verdict_of(page, court.export(), court.play.export())
    assert (ok, "which did not order it" in problem) == (False, True)
    ok, problem, _ = await verdict_of(page, court.export(), Play(TinyAuction(), ROOM, 3, 2).export())
    assert (ok, "is about game game-1, not about game-2" in problem) == (False, True)


@pytest.mark.parametrize("seed", range(4))
async def test_whatever_happens_in_a_case_is_found_possible(page: Page, seed: int):
    await page.goto("/viewer/vendor/LICENSE.txt")
    rng = Random(seed)
    court = Court(Play(TinyAuction(), ROOM, 3, seed))
    court.open(rng.choice([player_of(Seat("red")), JUDGE]), "slip", 5)
    for _ in range(40):
        with contextlib.suppress(Refusal):
            act_at_random(court, rng)
    for game in (None, court.play.export()):
        ok, problem, _ = await verdict_of(page, court.export(), game)
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


async def test_a_fork_is_checked_with_its_past_and_its_forgeries_are_named(page: Page):
    await page.goto("/viewer/vendor/LICENSE.txt")
    parent = over()
    analysis = parent.fork(middle(parent)).run(Random(3))
    continuation = parent.fork(middle(parent), "continuation", player_of(Seat("red")))
    continuation.sit(Seat("red"), player_of(Seat("red")), "more entropy")
    continuation.take(officials.rule_start(continuation.game, Cause(JUDGE, case=CASE), continuation.now))
    continuation.run(Random(3))
    for fork, forgeries in ((analysis, FORK_FORGERIES), (continuation, CONTINUATION_FORGERIES)):
        honest = fork.export()
        ok, problem, _ = await verdict_of(page, honest)
        assert ok, problem
        for change, said in forgeries:
            ok, problem, _ = await verdict_of(page, forged_in_parts(honest, change))
            assert not ok, said
            assert re.search(said, problem), problem
        lines = lines_of(honest)
        for row in (3, 6):
            lines[row]["at"] = lines[row]["at"].replace("T00", "T01")
        ok, problem, _ = await verdict_of(page, whole(lines))
        assert (ok, "In the past of the fork, game-1: " in problem) == (False, True)
    confirmed = parent.fork(middle(parent), "continuation", player_of(Seat("red")))
    for seat in parent.game.players:
        confirmed.sit(seat, player_of(seat))
    ok, problem, _ = await verdict_of(page, confirmed.export())
    assert ok, problem


async def test_a_past_waits_for_its_secret(page: Page):
    await page.goto("/viewer/vendor/LICENSE.txt")
    parent = over()
    honest = parent.fork(middle(parent)).run(Random(3)).export()
    ok, problem, unchecked = await verdict_of(page, forged_in_parts(honest, lambda lines: past_of(lines).pop("secret")))
    assert ok, problem
    assert any("wait for the secret of game-1" in each for each in unchecked)
    deep = parent.fork(middle(parent))
    for seed in (3, 4):
        deep = deep.run(Random(seed), 2).fork(seed=seed)
    ok, problem, _ = await verdict_of(page, deep.export())
    assert ok, problem


async def test_a_fork_is_sealed_on_its_page(service: Service, page: Page):
    made = await finished(service)
    anna = next(iter(made.seats.values()))
    # Just before a command no act is under way.
    at = next(record.version - 1 for record in made.simulation.records[120:] if record.cause is not None)
    fork = await service.post(f"/v1/games/{made.id}/forks", anna, {"version": at})
    await open_panel(page, fork["id"])
    await page.get_by_role("button", name="Verify").click()
    seal = page.locator(".seal")
    await expect(seal).to_contain_text(f"The log of {made.id} up to version {fork['fork']['version']} is unbroken")
    await expect(seal).to_contain_text(re.compile(f"{made.id}: [1-9]\\d* salts of hidden values derived again"))
    await expect(seal).to_contain_text("The service has the same head")


async def test_the_certificate_of_a_game_is_checked_and_saved(service: Service, page: Page, visitor: Visitor):
    made = await table(service.services, events=120)
    await open_panel(page, made.id)
    await page.get_by_role("button", name="Verify", exact=True).click()
    await page.get_by_role("button", name="Check the certificate").click()
    seal = page.locator(".seal")
    await expect(seal).to_contain_text(f"has version {made.version} as its entry")
    await expect(seal).to_contain_text("No witness of the policy saw that log")
    await expect(seal).not_to_contain_text("has no Ed25519")
    await visitor.axe_in_passing()
    async with page.expect_download() as download:
        await page.get_by_role("link", name="Save the certificate").click()
    assert (await download.value).suggested_filename == f"{made.id}.tlog-proof"
    other = new_key("another.example", lambda count: bytes(range(count)))
    policy = log_key_view([signer.key for signer in read_log_key(other).signers]).policy
    file: FilePayload = {"name": "policy", "mimeType": "text/plain", "buffer": policy.encode()}
    await page.get_by_label("Believe a policy that you kept").set_input_files([file])
    await expect(seal).to_contain_text("The policy does not know the log")


CERTIFY = """async ([text, certificate, policy]) => {
    const verdict = await (await import('/viewer/proof/verify.js')).verify(text);
    const { ok, problem } = await (await import('/viewer/proof/certificate.js')).certify(certificate, policy, verdict);
    return [ok, problem ?? ''];
}"""


async def test_a_certificate_of_a_tree_of_any_size_is_checked_and_what_is_wrong_is_named(page: Page):
    await page.goto("/viewer/vendor/LICENSE.txt")
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

    async def said(proof: str, believed: str = policy) -> tuple[bool, str]:
        ok, problem = await page.evaluate(CERTIFY, [text, proof, believed])
        return ok, problem

    for size in (1, 2, 3, 5, 8, 13):
        for index in range(size):
            assert await said(certificate(index, size)) == (True, ""), (index, size)
    honest = certificate(2, 5)
    other = Entry("game", game.game.id, last.version, "00" * 32, "over", last.at).encoded
    early = Entry("game", game.game.id, last.version, last.hash.hex(), "running", last.at).encoded
    for proof, problem in (
        (certificate(2, 5, other), "stood by the hash"),
        (certificate(2, 5, early), "was signed as running, and the export leads to over"),
        (certificate(2, 5, cosigned=None), "quorum w is not reached"),
        (certificate(2, 5, cosigned=1_000_000_000), "had seen it before"),
        (honest.replace("index 2", "index 1"), "does not lead from its entry"),
        (honest.replace("games.example\n5", "games.example\n6"), "signature of games.example is wrong"),
        ("nothing", "no certificate"),
    ):
        ok, told = await said(proof)
        assert (ok, problem in told) == (False, True), told
    ok, told = await said(honest, policy.replace("games.example", "games.other"))
    assert not ok


def root_of(leaves: list[bytes]) -> bytes:
    frontier = Frontier()
    frontier.extend(leaves)
    return frontier.root
