"""The log's rows and the chain over them."""

import hashlib
import json
from random import Random

import msgspec
import pytest

from domain.kernel.ids import GameId, PlayerId
from domain.kernel.log.record import Cause, Record, chain_hash, first_broken, genesis, inscribe, row_bytes
from tests.helpers.play import Play
from tests.tiny.auction import ROOM, TinyAuction

PLAY = Play(TinyAuction(), ROOM, 3, 5).run(Random(5))
GAME = PLAY.game.id


def test_the_chain_begins_with_the_game() -> None:
    assert genesis(GameId("g")) == hashlib.sha256(b"tabularium/1 g").digest()
    assert genesis(GameId("g")) != genesis(GameId("h"))


def test_a_row_is_hashed_in_the_form_of_rfc_8785() -> None:
    for record in PLAY.records:
        row = json.loads(row_bytes(GAME, record))
        assert (
            row_bytes(GAME, record)
            == json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        )
        assert ("cause" in row) == (record.cause is not None)
        assert set(row) - {"cause"} == {"at", "draws", "event", "game", "schema", "version"}


def test_a_known_row_has_a_known_hash() -> None:
    cause = Cause(player=PlayerId("p"), key="k")
    record = inscribe(GameId("g"), genesis(GameId("g")), 1, {"type": "x"}, schema=1, draws=0, at="t", cause=cause)
    row = b'{"at":"t","cause":{"key":"k","player":"p"},"draws":0,"event":{"type":"x"},'
    row += b'"game":"g","schema":1,"version":1}'
    assert row_bytes(GameId("g"), record) == row
    assert record.hash == hashlib.sha256(hashlib.sha256(b"tabularium/1 g").digest() + row).digest()
    assert record.hash.hex() == "049d23ebf5d1a9766c3efccef8a05be6b5a6fc0b691baf218c75c9ee4589fd52"
    assert record.type == "x"


def test_an_unbroken_chain_has_no_first_fault() -> None:
    assert first_broken(GAME, PLAY.records) is None
    assert first_broken(GAME, []) is None


@pytest.mark.parametrize("field", ["event", "schema", "draws", "at", "cause", "hash", "version"])
def test_a_change_in_any_column_breaks_the_chain_there(field: str) -> None:
    for index, record in enumerate(PLAY.records):
        value = getattr(record, field)
        if isinstance(value, int):
            other = value + 1
        elif isinstance(value, bytes):
            other = value[:-1] + bytes([value[-1] ^ 1])
        else:
            other = f"{value or ''}0"
            other = other.encode() if field == "cause" else other
        changed = msgspec.structs.replace(record, **{field: other})
        assert first_broken(GAME, [*PLAY.records[:index], changed, *PLAY.records[index + 1 :]]) == index + 1


def test_rows_left_out_doubled_or_exchanged_break_the_chain() -> None:
    rows = PLAY.records
    for index in range(len(rows) - 1):
        assert first_broken(GAME, [*rows[:index], *rows[index + 1 :]]) == index + 1
        assert first_broken(GAME, [*rows[: index + 1], *rows[index:]]) == index + 2
        assert first_broken(GAME, [*rows[:index], rows[index + 1], rows[index], *rows[index + 2 :]]) == index + 1
    assert first_broken(GameId("another"), rows) == 1


def test_a_cause_can_be_read_back() -> None:
    cause = Cause(player=PlayerId("p"), command=msgspec.Raw(b'{"type":"pass"}'))
    read = msgspec.json.decode(msgspec.json.encode(cause), type=Cause)
    assert isinstance(read.command, msgspec.Raw)
    assert bytes(read.command) == b'{"type":"pass"}'
    assert msgspec.json.decode(b"{}", type=Cause) == Cause()


def test_rows_of_one_act_are_hashed_each_on_the_one_before() -> None:
    head = genesis(GAME)
    for record in PLAY.records:
        assert isinstance(record, Record)
        head = chain_hash(head, GAME, record)
        assert head == record.hash
