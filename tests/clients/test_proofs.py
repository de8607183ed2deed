"""What needs no rules is proved as `tabularium verify` proves it: honest exports verify, forged ones are refused."""

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any, Final

import msgspec
import pytest

from domain.kernel.chance.secret import commitment_of
from domain.kernel.ids import Seat, TournamentId
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
from tests.domain.kernel.log.test_forks import middle, over
from tests.forgeries.every import FORGERIES, UNDETECTABLE
from tests.forgeries.forging import Forgery
from tests.forgeries.games import GAMES
from tests.helpers.forger import Change, Line, forged, forged_in_parts, lines_of, rows_of, whole
from tests.helpers.play import Play, player_of
from tests.helpers.sampling import sampled
from tests.recorded import recorded
from tests.tiny.auction import ROOM, TinyAuction

CURRENT: Final = [each for each in recorded() if each.version == LIBRARY.current(each.ruleset).version]
DRAWN: Final = sampled("recorded games that clients verify", CURRENT, 1)
PLAIN: Final = frozenset(
    """
    a key in clear
    a time before the last
    a time before the last, running
    a time within a step
    a month 13
    a 30 February
    an hour 24
    a time without microseconds
    milliseconds
    an hour of elsewhere
    Arabic digits
    a line break in a time
    a commitment that is none
    an organizer without a name
    another board
    two creations
    a creation among what follows
    something after the end
    something after the end, unproved
    two steps told as one
    a draw taken back
    too large a number
    a secret twice
    a secret too few
    a secret too few of all
    a secret too many
    a secret for more readers
    a secret for more readers, over
    a secret less, over
    a secret of another value
    a card sealed anew
    a salt in capitals
    a ruleset's other version
    another ruleset
    another format
    a game with a line break
    a status
    a status, over
    a line break behind a hash
    the head of another log
    another last version
    another number of secrets
    an answer sealed for all
    an end without a ruling
    """.strip().split("\n    ")
)
"""The forgeries that show in the chain, the times, the commitments and the first and last line.

Who may do what, the Python package leaves to `tabularium verify`.
"""


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
    told = any(re.match("[1-9][0-9]* rolls of dice .* ?drawn again", sentence) for sentence in verdict["checked"])
    assert told == (rolled and verdict["status"] == "over")


@pytest.mark.parametrize("game", GAMES)
def test_honest_exports_verify(package: Speaker, game: str) -> None:
    verdict = proved(package, list(GAMES[game]()))
    assert verdict["ok"], verdict["problem"]


def test_forks_and_games_of_tournaments_verify(package: Speaker) -> None:
    parent = over()
    continuation = parent.fork(middle(parent), "continuation", player_of(Seat("red")))
    for play in (
        parent.fork(middle(parent)).run(Random(3)),
        continuation,
        Play(TinyAuction(), ROOM, 3, tournament=TournamentId("t4xq2m7ahbk3oxw7c")).run(Random(1)),
    ):
        verdict = proved(package, play.export())
        assert verdict["ok"], verdict["problem"]


def test_the_past_of_a_fork_is_checked(package: Speaker) -> None:
    honest = over().fork(middle(over())).run(Random(3)).export()
    changes: list[Change] = [
        lambda lines: event_of_fork(lines).update(parent="game-9"),
        lambda lines: event_of_fork(lines).update(version=4),
        lambda lines: event_of_fork(lines).update(hash="00" * 32),
        lambda lines: event_of_fork(lines).update(commitment=rows_of(lines)[0]["event"]["commitment"]),
        lambda lines: next(line["past"] for line in lines if "past" in line).update(secret="00" * 32),
    ]
    for change in changes:
        assert not proved(package, forged_in_parts(honest, change))["ok"]
    lines = lines_of(honest)
    lines[3]["at"] = lines[3]["at"].replace("T00", "T01")
    verdict = proved(package, whole(lines))
    assert "In the past of the fork, game-1: " in verdict["problem"]


def event_of_fork(lines: list[Line]) -> dict[str, Any]:
    return next(row["event"] for row in rows_of(lines) if row["event"]["type"] == "game-forked")


def test_forgeries_are_refused_as_far_as_they_need_no_rules(package: Speaker) -> None:
    accepted = {forgery.name for forgery in FORGERIES if proved(package, forgery.export())["ok"]}
    expected = {forgery.name for forgery in FORGERIES if not is_found(forgery, package.language)}
    assert accepted == expected


def is_found(forgery: Forgery, language: str) -> bool:
    """Tell whether a forgery needs no rules; in Python, none of who may do what either."""
    return forgery.page is not None and (language == "typescript" or forgery.name in PLAIN)


@pytest.mark.parametrize("forgery", UNDETECTABLE, ids=str)
def test_what_an_export_alone_cannot_show_still_verifies(package: Speaker, forgery: Forgery) -> None:
    assert proved(package, forgery.export())["ok"]


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


def root_of(leaves: list[bytes]) -> bytes:
    frontier = Frontier()
    frontier.extend(leaves)
    return frontier.root
