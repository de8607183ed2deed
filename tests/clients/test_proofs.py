"""What needs no rules is proved: dice of recorded games, a chain as it comes, certificates."""

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any, Final

import msgspec
import pytest

from domain.kernel.chance.secret import commitment_of
from domain.kernel.proof.verify import verify
from domain.kernel.rules.message import type_name
from domain.library import LIBRARY
from domain.transparency.checkpoint import ED25519_COSIGNATURE, Checkpoint
from domain.transparency.entry import Entry
from domain.transparency.note import Note
from domain.transparency.proof import Proof
from domain.transparency.tree import Frontier, inclusion, leaf_hash
from service.transparency.keys import new_key, read_log_key, read_signer
from tests.clients.packed import Speaker
from tests.domain.judging.test_proof import played
from tests.forgeries.games import GAMES
from tests.helpers.forger import Change, Line, forged, lines_of, rows_of
from tests.helpers.play import Play
from tests.helpers.sampling import sampled
from tests.recorded import recorded
from tests.tiny.auction import ROOM, TinyAuction

CURRENT: Final = [each for each in recorded() if each.version == LIBRARY.current(each.ruleset).version]
DRAWN: Final = sampled("recorded games that clients verify", CURRENT, 1)


def proved(package: Speaker, lines: list[bytes], ruleset: str | None = None) -> dict[str, Any]:
    """Return what a package says of an export."""
    return package.ask("verify", text=b"".join(lines).decode(), ruleset=ruleset and shown(ruleset))


def shown(ruleset_id: str) -> dict[str, Any]:
    """Return where events of a ruleset show chance, as ``GET /v1/rulesets/{ruleset}`` says it."""
    ruleset = LIBRARY.current(ruleset_id)
    chance = {type_name(event): msgspec.to_builtins(where) for event, where in ruleset.chance.items()}
    return {"id": ruleset.id, "version": ruleset.version, "chance": chance, "dice": msgspec.to_builtins(ruleset.dice)}


@pytest.mark.parametrize("game", DRAWN, ids=str)
def test_a_recorded_game_is_proved_with_its_dice(package: Speaker, game: Any) -> None:
    verdict = proved(package, game.lines(), game.ruleset)
    right = verify(game.lines(), LIBRARY)
    assert (verdict["ok"], verdict["problem"]) == (right.ok, None)
    assert (verdict["head"], verdict["versions"], verdict["status"]) == (right.head, right.events, right.status)
    lines = lines_of(b"".join(game.lines()))
    rolled = lines[0]["ruleset_version"] == game.version and any(map(any_roll, rows_of(lines)))
    told = any(re.match("[1-9][0-9]* rolls of dice drawn again", sentence) for sentence in verdict["checked"])
    assert told == (rolled and verdict["status"] == "over")


def another_face(lines: list[Line]) -> None:
    """Change a face of the first roll of dice."""
    roll = next(each for row in rows_of(lines) for each in rolls_in(row["event"]))
    roll["faces"][0] = next(face for face in (1, 2, 3) if str(face) != str(roll["faces"][0]))


def any_roll(row: Line) -> bool:
    return any(True for _ in rolls_in(row["event"]))


def rolls_in(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if {"draw", "faces"} <= value.keys() and value["faces"]:
            yield value
        for each in value.values():
            yield from rolls_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from rolls_in(each)


def salt_of(lines: list[Line]) -> None:
    """Publish a secret with a salt of the forger's own."""
    last = lines[-2]["secret"]
    salted = {**last, "salt": "ab" * 16}
    renamed = commitment_of(bytes.fromhex(salted["salt"]), salted["value"])
    lines[:] = json.loads(json.dumps(lines).replace(last["commitment"], renamed).replace(last["salt"], salted["salt"]))


def another_draw(lines: list[Line]) -> None:
    next(each for row in rows_of(lines) for each in rolls_in(row["event"]))["draw"] += 1


def other_entropy(lines: list[Line]) -> None:
    next(row for row in rows_of(lines) if row["event"]["type"] == "seat-taken")["event"]["entropy"] = "mine"


def last_event(lines: list[Line]) -> dict[str, Any]:
    return rows_of(lines)[-1]["event"]


FORGED_CHANCE: Final[dict[str, tuple[Change, str]]] = {
    "a face": (another_face, "comes to"),
    "a draw of another roll": (another_draw, "is not one of its own|comes to"),
    "a salt": (salt_of, "salt"),
    "what a seat added": (other_entropy, "comes to|no salt of a secret"),
    "the secret": (lambda lines: last_event(lines).update(secret="00" * 32), "does not fit the commitment"),
    "no secret": (lambda lines: last_event(lines).pop("secret"), "does not publish the secret"),
}


@pytest.mark.parametrize("name", FORGED_CHANCE)
def test_chance_that_was_chosen_is_found(package: Speaker, name: str) -> None:
    change, said = FORGED_CHANCE[name]
    game = next(each for each in CURRENT if each.ruleset == "mare-nostrum")
    verdict = proved(package, forged(game.lines(), change), game.ruleset)
    assert not verdict["ok"]
    assert re.search(said, verdict["problem"]), verdict["problem"]


def test_whatever_is_no_export_is_refused_in_a_sentence(package: Speaker) -> None:
    honest = b"".join(GAMES["over"]())
    cut = (honest[:-1], honest[: len(honest) // 2])
    for broken in (b"", b"{}\n", b"null\n", b"\n", *cut, honest.replace(b"red", b"r\xc3\xa9d", 1)):
        verdict = package.ask("verify", text=broken.decode(errors="replace"), ruleset=None)
        assert not verdict["ok"]
        assert re.fullmatch(r"[A-Z].*\.", verdict["problem"])


def test_a_chain_is_followed_event_by_event(package: Speaker) -> None:
    play = Play(TinyAuction(), ROOM, 3).run(Random(1))
    rows = [row | {"ruleset": "tiny-auction", "type": row["event"]["type"]} for row in rows_of(lines_of(play.export()))]
    head = rows[-1]["hash"]
    assert package.ask("chain", game=play.game.id, events=rows) == [len(rows), head, None]
    said = "version 5 does not continue the chain after version 4"
    for events in (rows[:4] + rows[5:], [*rows[:4], rows[4] | {"at": "2027-01-01T00:00:00.000000Z"}, *rows[5:]]):
        version, _, broken = package.ask("chain", game=play.game.id, events=events)
        assert (version, broken) == (4, said if events[4]["version"] == 5 else said.replace("5", "6", 1))
    said = "version 1 does not continue the chain after version 0"
    assert package.ask("chain", game="game-2", events=rows) == [0, "", said]


def test_a_certificate_is_checked_and_what_is_wrong_is_named(package: Speaker) -> None:
    game = Play(TinyAuction(), ROOM, 3).run(Random(1))
    text, last = b"".join(game.export()).decode(), game.records[-1]
    key = read_log_key(new_key("games.example", lambda count: bytes(range(count))))
    second = new_key("witness.example", lambda count: bytes(range(1, count + 1)), ED25519_COSIGNATURE)
    witness = read_signer(second, ED25519_COSIGNATURE)
    policy = f"log {key.signers[0].key}\nwitness w {witness.key}\n# one\ngroup g any w\nquorum g\n"
    entry = Entry("game", game.game.id, last.version, last.hash.hex(), "over", last.at).encoded

    def certificate(index: int, size: int, content: bytes = entry, cosigned: int | None = 1_800_000_000) -> str:
        leaves = [leaf_hash(content if at == index else b"%d" % at) for at in range(size)]
        path = [root_of(leaves[each.start : each.stop]) for each in inclusion(index, size)]
        note = Checkpoint(key.origin, size, root_of(leaves)).text
        signatures = [*key.signatures(note), *([witness.signature(note, cosigned)] if cosigned else [])]
        return str(Proof(index, tuple(path), Note(note, tuple(signatures)), content))

    def said(*proofs: str, believed: str = policy) -> list[tuple[bool, str]]:
        answers = package.ask("certify", text=text, certificates=[[proof, believed] for proof in proofs])
        return [(each["ok"], each.get("problem") or "") for each in answers]

    right = [certificate(index, size) for size in (1, 2, 3, 5, 8, 13) for index in range(size)]
    assert said(*right) == [(True, "")] * len(right)
    honest = certificate(2, 5)
    other = Entry("game", game.game.id, last.version, "00" * 32, "over", last.at).encoded
    early = Entry("game", game.game.id, last.version, last.hash.hex(), "running", last.at).encoded
    later = Entry("game", game.game.id, last.version + 1, last.hash.hex(), "over", last.at).encoded
    wrong = {
        certificate(2, 5, other): "stood by the hash",
        certificate(2, 5, early): "was signed as running, and the export leads to over",
        certificate(2, 5, later): "it was cut short",
        certificate(2, 5, cosigned=None): "quorum g is not reached",
        certificate(2, 5, cosigned=1_000_000_000): "had seen it before",
        honest.replace("index 2", "index 1"): "does not lead from its entry",
        honest.replace("games.example\n5", "games.example\n6"): "signature of games.example is wrong",
        "nothing": "no certificate",
    }
    for problem, (ok, told) in zip(wrong.values(), said(*wrong), strict=True):
        assert (ok, problem in told) == (False, True), told
    assert said(honest, believed=policy.replace("games.example", "games.other"))[0][0] is False
    assert "Line 1 of the policy" in said(honest, believed="log none\n")[0][1]
    assert "no quorum" in said(honest, believed=policy.replace("quorum g\n", ""))[0][1]


def test_a_case_has_a_certificate_too(package: Speaker) -> None:
    court = played()
    last, key = court.records[-1], read_log_key(new_key("games.example", lambda count: bytes(range(count))))
    policy = f"log {key.signers[0].key}\nquorum none\n"
    for status, right in (("final", True), ("private", True), ("ruled", False)):
        entry = Entry("case", court.id, last.version, last.hash.hex(), status, last.at).encoded
        note = Checkpoint(key.origin, 1, leaf_hash(entry)).text
        certificate = str(Proof(0, (), Note(note, tuple(key.signatures(note))), entry))
        text = b"".join(court.export()).decode()
        (said,) = package.ask("certify", text=text, certificates=[[certificate, policy]])
        assert said["ok"] == right, said
        for each in (text.replace(court.id, "c999"), b"".join(GAMES["over"]()).decode()):
            (said,) = package.ask("certify", text=each, certificates=[[certificate, policy]])
            assert not said["ok"]


def root_of(leaves: list[bytes]) -> bytes:
    frontier = Frontier()
    frontier.extend(leaves)
    return frontier.root
