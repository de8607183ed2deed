"""A commitment hides its value until it is opened, and then cannot be denied."""

import hashlib

import pytest

from domain.kernel.chance.draws import ScriptedChance
from domain.kernel.chance.secret import Opened, Sealed, Secret, Vault, commitment_of
from domain.kernel.ids import Seat
from domain.kernel.rules.draft import Draft
from tests.tiny.auction import ROOM, Setup, Table, TinyAuction

RED, BLUE = Seat("red"), Seat("blue")


def draft() -> Draft[Table]:
    ruleset = TinyAuction()
    return Draft(ruleset.lay((RED, BLUE), Setup(), ROOM), ScriptedChance([]), Vault())


def test_a_commitment_is_the_hash_of_salt_and_canonical_value() -> None:
    salt = bytes(range(16))
    assert commitment_of(salt, {"b": 1, "a": [2]}) == hashlib.sha256(salt + b'{"a":[2],"b":1}').hexdigest()


def test_a_sealed_value_is_read_by_its_readers_alone() -> None:
    work = draft()
    mine, ours, nobodys = work.seal(5, (RED,)), work.seal([1, 2], (RED, BLUE)), work.seal("x", ())
    vault = Vault(work.secrets)
    assert [vault.read_by(RED).holds(each) for each in (mine, ours, nobodys)] == [True, True, False]
    assert [vault.read_by(BLUE).holds(each) for each in (mine, ours, nobodys)] == [False, True, False]
    assert not vault.read_by(None).all()
    assert vault.read_by(BLUE).open(ours) == [1, 2]
    with pytest.raises(KeyError):
        vault.read_by(BLUE).open(mine)


def test_the_vault_and_not_the_caller_decides_which_secrets_are_read() -> None:
    work = draft()
    mine = work.seal(5, (RED,))
    with pytest.raises(KeyError):
        Vault(work.secrets).read_by(BLUE).open(Sealed(mine.commitment, (BLUE,)))


def test_equal_values_are_sealed_apart() -> None:
    work = draft()
    one, other = work.seal(5, (RED,)), work.seal(5, (BLUE,))
    assert one.commitment != other.commitment
    assert work.draws == 2


def test_the_rules_open_what_was_sealed_in_the_same_command() -> None:
    work = draft()
    assert work.open(work.seal(5, ())) == 5


def test_a_revealed_value_can_be_checked() -> None:
    work = draft()
    sealed = work.seal({"card": 5}, (RED,))
    opened = work.reveal(sealed)
    assert isinstance(opened, Opened)
    assert commitment_of(bytes.fromhex(opened.salt), opened.value) == sealed.commitment


def test_a_secret_that_was_tampered_with_is_not_genuine() -> None:
    work = draft()
    work.seal(5, (RED,))
    (secret,) = work.secrets
    assert secret.is_genuine()
    assert not Secret(secret.commitment, secret.readers, secret.salt, 4).is_genuine()
    assert not Secret(secret.commitment, secret.readers, "00" * 16, 5).is_genuine()


def test_a_vault_keeps_the_order_of_sealing() -> None:
    work = draft()
    values = [work.seal(value, (RED,)) for value in (3, 1, 2)]
    assert [Vault(work.secrets).open(each) for each in values] == [3, 1, 2]
    assert [secret.value for secret in Vault().joined_by(work.secrets).all().values()] == [3, 1, 2]
