"""Checkpoints, cosignatures, proofs and policies, with the examples of their specifications."""

import pytest

from domain.kernel.ids import CaseId, GameId
from domain.transparency.checkpoint import (
    ED25519_COSIGNATURE,
    ML_DSA_COSIGNATURE,
    Checkpoint,
    read_checkpoint,
    verified,
)
from domain.transparency.entry import Entry, kind_of, read_entry
from domain.transparency.note import ED25519, Note, NoteError, Signature, read_note
from domain.transparency.policy import PolicyError, Rejected, read_policy
from domain.transparency.proof import Proof, read_proof
from domain.transparency.tree import Frontier, inclusion, leaf_hash, range_hash
from tests.domain.transparency.reference import Kept
from tests.domain.transparency.signing import Signer, check

COSIGNED = """\
example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa {}
— witness.example.com/w1 {}
""".format(
    "Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=",
    "jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==",
)
LOG = Signer("example.com/log", ED25519)
SAFE_LOG = Signer("example.com/log", ML_DSA_COSIGNATURE)
ONE, TWO, THREE = (Signer(f"w{number}.example", ED25519_COSIGNATURE) for number in (1, 2, 3))
SAFE = Signer("w4.example", ML_DSA_COSIGNATURE)


def test_the_published_checkpoint_and_its_cosignature() -> None:
    note = read_note(COSIGNED)
    head = read_checkpoint(note.text)
    assert (head.origin, head.size) == ("example.com/behind-the-sofa", 20852163)
    assert head.text == note.text
    assert str(note) == COSIGNED
    cosignature = note.signatures[1]
    assert len(cosignature.value) == 8 + 64
    assert int.from_bytes(cosignature.value[:8], "big") == 1679315147  # as in the signed message of the specification


@pytest.mark.parametrize(
    "text",
    ["", "a\n1\n", "a\n1\nAAAA\n", "a\n01\n{}\n", "a\n-1\n{}\n", "a\n1 \n{}\n", "\n1\n{}\n", "a\n1\n{}\n\n", "a\n1\n{}",
     "a\n99999999999999999999\n{}\n", "a\n٣\n{}\n"],
)  # fmt: skip
def test_texts_that_are_not_checkpoints_are_refused(text: str) -> None:
    with pytest.raises(NoteError):
        read_checkpoint(text.format("CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="))


@pytest.mark.parametrize("signer", [ONE, SAFE, SAFE_LOG], ids=lambda signer: signer.key.name)
def test_a_cosignature_is_over_the_head_and_its_time(signer: Signer) -> None:
    head = Checkpoint("example.com/log", 7, leaf_hash(b""))
    signature = signer.signature(head.text, 1679315147)
    (seen,) = verified(Note(head.text, (signature,)), [signer.key], check)
    assert seen.time == 1679315147
    later = Signature(signature.name, signature.id, (1679315148).to_bytes(8, "big") + signature.value[8:])
    for text, changed in (
        (head.text, later),
        (Checkpoint("example.com/log", 8, head.root).text, signature),
        (Checkpoint("example.com/other", 7, head.root).text, signature),
        (Checkpoint("example.com/log", 7, leaf_hash(b"x")).text, signature),
        (head.text, Signature(signature.name, signature.id, signature.value[:20])),
    ):
        with pytest.raises(NoteError, match="is wrong"):
            verified(Note(text, (changed,)), [signer.key], check)
    for time in (None, 0, 2**63):
        with pytest.raises(NoteError, match="cannot sign"):
            signer.signature(head.text, time)


def test_the_message_that_ml_dsa_signs_is_that_of_the_specification() -> None:
    signed: list[bytes] = []

    def spy(kind: int, public: bytes, message: bytes, signature: bytes) -> bool:
        signed.append(message)
        return True

    head = Checkpoint("log", 513, b"r" * 32)
    verified(Note(head.text, (SAFE.signature(head.text, 258),)), [SAFE.key], spy)
    assert signed == [
        b"subtree/v1\n\0"
        + b"\x0aw4.example"
        + b"\0\0\0\0\0\0\1\2"
        + b"\3log"
        + bytes(8)
        + b"\0\0\0\0\0\0\2\1"
        + b"r" * 32
    ]
    verified(Note(head.text, (ONE.signature(head.text, 258),)), [ONE.key], spy)
    assert signed[1] == b"cosignature/v1\ntime 258\n" + head.text.encode()


# --- policies ---------------------------------------------------------------------------------------------------------

POLICY = f"""\
# a log and four witnesses
log {LOG.key} https://example.com/transparency

witness one\t{ONE.key}
  witness two {TWO.key} https://w2.example
witness three {THREE.key}
witness four {SAFE.key}
group pair 2 one two three
group both all pair four
quorum both
"""
HEAD = Checkpoint("example.com/log", 7, leaf_hash(b""))


def head_seen_by(*witnesses: Signer, log: Signer | None = LOG) -> Note:
    by_log = [log.signature(HEAD.text)] if log else []
    return Note(HEAD.text, (*by_log, *(each.signature(HEAD.text, 100 + at) for at, each in enumerate(witnesses))))


def test_a_policy_counts_witnesses_by_its_groups() -> None:
    policy = read_policy(POLICY.encode())
    verdict = policy.judge(head_seen_by(ONE, THREE, SAFE), check)
    assert verdict.checkpoint == HEAD
    assert verdict.log == LOG.key
    assert {name: seen.time for name, seen in verdict.witnesses.items()} == {"one": 100, "three": 101, "four": 102}
    assert policy.witnesses["two"].url == "https://w2.example"
    for too_few in ((), (ONE, THREE), (ONE, SAFE), (ONE, ONE, SAFE)):
        with pytest.raises(Rejected, match="quorum both"):
            policy.judge(head_seen_by(*too_few), check)


def test_a_policy_refuses_what_its_log_has_not_signed() -> None:
    policy = read_policy(f"log {LOG.key}\nquorum none\n".encode())
    assert policy.judge(head_seen_by(), check).witnesses == {}
    with pytest.raises(Rejected, match="not signed"):
        policy.judge(head_seen_by(ONE, log=None), check)
    other = read_policy(f"log {Signer('other.example', ED25519).key}\nquorum none\n".encode())
    with pytest.raises(Rejected, match=r"of the log example\.com/log, and the policy knows other\.example"):
        other.judge(head_seen_by(), check)
    with pytest.raises(Rejected, match="is wrong"):
        policy.judge(Note(HEAD.text, (Signature(LOG.key.name, LOG.key.id, b"x" * 64),)), check)
    with pytest.raises(Rejected, match="knows no log"):
        read_policy(b"quorum none").judge(head_seen_by(), check)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no quorum"),
        ("quorum none\nquorum none", "line 2 .* another quorum"),
        ("quorum one", "line 1 .* one is not a witness"),
        ("lag one", "line 1 .* expected log, witness, group or quorum, not 'lag'"),
        ("log", r"line 1 .* expected `log VKEY \[URL\]`$"),
        ("witness one", r"line 1 .* expected `witness NAME VKEY \[URL\]`$"),
        ("quorum one two", r"line 1 .* expected `quorum NAME\|none`$"),
        ("log not-a-key\nquorum none", "line 1 .* is not a key"),
        (f"log {ONE.key}\nquorum none", "line 1 .* type 0x04"),
        (f"witness one {LOG.key}\nquorum none", "line 1 .* type 0x01"),
        (f"log {LOG.key}\nlog {LOG.key}\nquorum none", "line 2 .* already"),
        (f"witness one {ONE.key}\nwitness two {ONE.key}\nquorum none", "line 2 .* already"),
        (f"witness one {ONE.key}\nwitness one {TWO.key}\nquorum none", "line 2 .* taken"),
        (f"witness none {ONE.key}\nquorum none", "line 1 .* taken"),
        (f"witness one {ONE.key}\ngroup g any\nquorum g", "line 2 .* expected"),
        (f"witness one {ONE.key}\ngroup g 2 one\nquorum g", "line 2 .* needs 2 members, but it has only 1"),
        (f"witness one {ONE.key}\ngroup g 0 one\nquorum g", "line 2 .* not any, all"),
        (f"witness one {ONE.key}\ngroup g any one one\nquorum g", "line 2 .* member already"),
        (f"witness one {ONE.key}\ngroup g any one\ngroup h any one\nquorum g", "line 3 .* member already"),
        (f"witness one {ONE.key}\ngroup g any g\nquorum g", "line 2 .* g is not"),
        ("group g any none\nquorum g", "line 1 .* none is not"),
        ("quorum none\r\n", "control character"),
        ("quorum\vnone\n", "control character"),
    ],
)
def test_texts_that_are_not_policies_are_refused(text: str, why: str) -> None:
    with pytest.raises(PolicyError, match=why):
        read_policy(text.encode())


def test_names_in_a_policy_are_bytes() -> None:
    content = b"# \xff\nwitness \xff %b\nwitness \xfe %b\nquorum \xff\n" % (
        str(ONE.key).encode(),
        str(TWO.key).encode(),
    )
    policy = read_policy(content)
    assert policy.satisfied({policy.quorum: None})
    assert len(policy.witnesses) == 2


# --- proofs and entries -----------------------------------------------------------------------------------------------

ENTRY = Entry("game", "g4xq2m7ahbk3oxw7c", 12, "0f" * 32, "running", "2026-11-21T06:00:00.000000Z")


def proof(size: int = 20, index: int = 3, extra: bytes | None = b"extra") -> Proof:
    frontier, kept = Frontier(), Kept()
    kept.keep(frontier.extend(leaf_hash(ENTRY.encoded + b"%d" % number) for number in range(size)))
    text = Checkpoint("example.com/log", size, frontier.root).text
    hashes = tuple(range_hash(each, kept.read) for each in inclusion(index, size))
    return Proof(index, hashes, Note(text, (LOG.signature(text),)), extra)


@pytest.mark.parametrize(("size", "index"), [(20, 3), (1, 0), (7, 6)])
@pytest.mark.parametrize("extra", [None, b"", b"extra"])
def test_a_proof_is_read_as_it_was_written(size: int, index: int, extra: bytes | None) -> None:
    made = proof(size, index, extra or None)
    text = str(made)
    assert read_proof(text) == made
    lines = text.split("\n")
    assert lines[0] == "c2sp.org/tlog-proof@v1"
    assert lines[2 if extra else 1] == f"index {index}"
    assert made.proves(ENTRY.encoded + b"%d" % index)
    assert not made.proves(ENTRY.encoded)


@pytest.mark.parametrize(
    ("before", "after"),
    [("@v1", "@v2"), ("extra ", "extra  "), ("extra ZX", "extra ZY="), ("index 3", "index 03"), ("index 3", "index -3"),
     ("index 3\n", ""), ("\n\nexample", "\nexample"), ("\n20\n", "\n020\n"), ("index 3\n", "index 3\nAAAA\n")],
)  # fmt: skip
def test_texts_that_are_not_proofs_are_refused(before: str, after: str) -> None:
    text = str(proof())
    assert before in text
    with pytest.raises(NoteError):
        read_proof(text.replace(before, after, 1))


def test_an_entry_is_short_and_has_one_form() -> None:
    assert ENTRY.encoded == (
        b'{"at":"2026-11-21T06:00:00.000000Z","hash":"' + b"0f" * 32 + b'","id":"g4xq2m7ahbk3oxw7c","kind":"game",'
        b'"status":"running","version":12}'
    )
    largest = Entry("game", "g" * 64, 2**53 - 1, "0f" * 32, "s" * 32, "2026-11-21T06:00:00.000000Z")
    assert len(largest.encoded) < 300
    assert read_entry(ENTRY.encoded) == ENTRY
    for wrong in (
        b"",
        b"{}",
        ENTRY.encoded + b" ",
        ENTRY.encoded.replace(b"game", b"name"),
        ENTRY.encoded[:-1] + b',"x":1}',
    ):
        with pytest.raises(ValueError, match="not an entry"):
            read_entry(wrong)
    assert (kind_of(GameId("gabc")), kind_of(CaseId("cabc"))) == ("game", "case")
