"""The key of the log: made once, for its owner alone, and never told."""

import stat
from pathlib import Path

import pytest

from domain.transparency.note import ED25519, Key, read_key
from service.base.settings import Settings
from service.transparency.keys import KeyUnusable, check, log_key, new_key, present_key, read_log_key


def randomness(count: int) -> bytes:
    return bytes(range(count))


WRITTEN = new_key("log.example", randomness)
SECRET = WRITTEN.rpartition("+")[2]


def test_a_key_is_made_at_the_first_start_and_stays(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data")
    assert present_key(settings) is None
    made = log_key(settings, randomness)
    assert made is not None
    assert made.origin.startswith("tabularium/")
    assert stat.S_IMODE(settings.log_key_file.stat().st_mode) == 0o600
    again = log_key(settings, lambda count: b"x" * count)
    assert again is not None
    assert again.signers[0].key == made.signers[0].key
    assert [file.name for file in settings.data.iterdir()] == ["log.key"]


def test_the_settings_may_have_it(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, log_key=WRITTEN)
    found = log_key(settings, randomness)
    assert found is not None
    assert found.origin == "log.example"
    assert read_key(str(found.signers[0].key)) == found.signers[0].key
    assert not settings.log_key_file.exists()


def test_who_shares_a_database_makes_none_and_who_signs_nothing_neither(tmp_path: Path) -> None:
    assert log_key(Settings(data=tmp_path, database_url="postgresql://x/y"), randomness) is None
    assert log_key(Settings(data=tmp_path, transparency=False), randomness) is None
    assert list(tmp_path.iterdir()) == []


def test_nobody_shows_it() -> None:
    settings = Settings(log_key=WRITTEN)
    key = read_log_key(WRITTEN)
    for shown in (repr(settings), str(settings.visible_values()), repr(key), str(key)):
        assert SECRET not in shown


def test_several_keys_of_one_log_sign_each_for_itself() -> None:
    other = new_key("log.example", lambda count: b"o" * count)
    key = read_log_key(f"{WRITTEN}\n{other}\n")
    first, second = key.signatures("text\n")
    for signer, signature in zip(key.signers, (first, second), strict=True):
        assert signature.is_by(signer.key)
        assert check(ED25519, signer.key.public, b"text\n", signature.value)
    with pytest.raises(KeyUnusable, match=r"one name, and log\.example is not other"):
        read_log_key(f"{WRITTEN}\n{new_key('other', randomness)}")


@pytest.mark.parametrize("text", ["", "  ", "nonsense", WRITTEN[:-4], WRITTEN.replace("log.", "lag."), WRITTEN + "x"])
def test_a_bad_key_is_told_without_a_word_of_it(text: str, tmp_path: Path) -> None:
    with pytest.raises(KeyUnusable) as caught:
        read_log_key(text)
    assert SECRET[:20] not in str(caught.value)
    settings = Settings(data=tmp_path)
    settings.log_key_file.write_text(text)
    with pytest.raises(KeyUnusable, match=r"log\.key"):
        log_key(settings, randomness)


def test_only_names_that_notes_allow() -> None:
    for name in ("", "a b", "a+b", "a\nb"):
        with pytest.raises(KeyUnusable, match="cannot be the name of a key"):
            new_key(name, randomness)


def test_bytes_that_cannot_be_a_signature_are_refused() -> None:
    key = Key("a", ED25519, b"short")
    assert not check(key.kind, key.public, b"", b"")
    assert not check(0x06, b"short", b"", b"")
    assert not check(0x02, bytes(32), b"", bytes(64))
