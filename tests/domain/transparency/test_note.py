"""Signed notes, with the example of the specification and those of Go's implementation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.transparency.checkpoint import verified
from domain.transparency.note import (
    ED25519,
    Key,
    Note,
    NoteError,
    Signature,
    SigningKey,
    read_key,
    read_note,
    read_signatures,
    read_signing_key,
)
from tests.domain.transparency.signing import Signer, check, public_of

VKEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
NOTE = """\
This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
"""
GO_SKEY = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
GO_VKEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_NOTE = """\
If you think cryptography is the answer to your problem,
then you don't know what your problem is.

— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
"""


@pytest.mark.parametrize(("vkey", "text"), [(VKEY, NOTE), (GO_VKEY, GO_NOTE)])
def test_published_notes(vkey: str, text: str) -> None:
    key, note = read_key(vkey), read_note(text)
    assert str(key) == vkey
    assert str(note) == text
    assert [seen.key for seen in verified(note, [key], check)] == [key]
    for changed in (text.replace("e", "E", 1), text.replace("\n\n", "\n\n\n", 1)):
        with pytest.raises(NoteError, match="is wrong"):
            verified(read_note(changed), [key], check)


def test_a_published_key_signs_the_same() -> None:
    signing = read_signing_key(GO_SKEY, public_of)
    public = public_of(ED25519, signing.secret)
    assert signing.written(public) == GO_SKEY
    assert str(Key(signing.name, signing.kind, public)) == GO_VKEY
    assert GO_SKEY[-20:] not in repr(signing)


@pytest.mark.parametrize(
    "text",
    ["", GO_VKEY, GO_SKEY[:-1], GO_SKEY.replace("c74f20a3", "c74f20a4"), GO_SKEY.replace("PeterN", "Peter N"),
     GO_SKEY.replace("+AYEK", "+BYEK"), "PRIVATE+KEY+a+00000000+AQ=="],
)  # fmt: skip
def test_no_word_of_a_bad_signing_key_is_told(text: str) -> None:
    with pytest.raises(NoteError) as caught:
        read_signing_key(text, public_of)
    assert "KFALVFGyNhP" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["", "+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k", VKEY.replace("530d903a", "530D903A"),
     VKEY.replace("530d903a", "530d903b"), VKEY[:-1], VKEY + "=", VKEY.replace("foo", "f oo"), "a+00000000+AQ=="],
)  # fmt: skip
def test_texts_that_are_not_keys_are_refused(text: str) -> None:
    with pytest.raises(NoteError):
        read_key(text)


@pytest.mark.parametrize(
    "text",
    ["", "text\n", "text\n\n", NOTE[:-1], NOTE.replace("—", "-"), NOTE.replace("\n\n", "\n"), NOTE.replace("is", "\t"),
     NOTE.replace("=\n", "\n"), NOTE + "\n", NOTE + "more\n", NOTE.replace("This", "\x00"), "a\n\n— name AAAAAA==\n",
     "x" * 200_000 + NOTE],
)  # fmt: skip
def test_texts_that_are_not_notes_are_refused(text: str) -> None:
    with pytest.raises(NoteError):
        read_note(text)
    with pytest.raises(NoteError):
        read_note(b"\xff" + text.encode())


TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n"), max_size=60)


@given(TEXTS, st.lists(st.sampled_from(["ann", "bob", "example.org/ann"]), min_size=1, max_size=16, unique=True))
def test_each_of_several_signatures_counts_by_itself(body: str, names: list[str]) -> None:
    text = body + "\n"
    signers = [Signer(name, ED25519) for name in names]
    note = Note(text, ()).signed(signer.signature(text) for signer in signers)
    assert read_note(str(note)) == note
    assert note.signed(note.signatures) == note
    for signer in signers:
        assert [seen.key for seen in verified(note, [signer.key], check)] == [signer.key]
    assert [seen.key for seen in verified(note, [each.key for each in signers], check)] == [e.key for e in signers]
    assert verified(note, [Signer("nobody", ED25519).key], check) == []


def test_a_stranger_with_the_name_or_the_id_of_a_key_is_left_out_and_a_forgery_spoils_the_note() -> None:
    ann = Signer("ann", ED25519)
    good = ann.signature("text\n")
    strangers = Signature("ann", b"\1\2\3\4", b"x" * 64), Signature("bob", good.id, b"x" * 64)
    assert len(verified(Note("text\n", (*strangers, good)), [ann.key], check)) == 1
    assert verified(Note("text\n", strangers), [ann.key], check) == []
    forged = Signature("ann", good.id, b"x" * 64)
    for signatures in ((good, forged), (forged, good)):
        with pytest.raises(NoteError, match="of ann is wrong"):
            verified(Note("text\n", signatures), [ann.key], check)


def test_lines_of_signatures_alone() -> None:
    line = NOTE.splitlines(keepends=True)[-1]
    assert "".join(map(str, read_signatures(line + line))) == line + line
    for wrong in ("", line[:-1], "\n" + line, line + "\n"):
        with pytest.raises(NoteError):
            read_signatures(wrong)


def test_a_signing_key_does_not_show_its_secret() -> None:
    assert "secret" not in repr(SigningKey("ann", ED25519, b"secret"))
