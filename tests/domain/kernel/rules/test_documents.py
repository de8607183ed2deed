"""Documents beside the board: sent along or the ruleset's own, checked, named by their digest, proved."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import msgspec
import pytest

from domain.kernel.ids import AreaId
from domain.kernel.log import snapshot
from domain.kernel.log.fold import fold
from domain.kernel.log.history import read_created
from domain.kernel.proof.export import ExportError
from domain.kernel.proof.reading import read
from domain.kernel.proof.verify import verify
from domain.kernel.rules.board import Board, Map
from domain.kernel.rules.documents import (
    DocumentError,
    digests_of,
    documents_of,
    equipped,
    key_of,
    packed,
    unpacked,
)
from domain.kernel.rules.message import Names
from domain.kernel.rules.ruleset import Library
from tests.helpers.play import Play
from tests.tiny.auction import ROOM, TinyAuction
from tests.tiny.prizes import OWN, PrizedAuction, Prizes, corrected

PRIZED = PrizedAuction()
LIBRARY = Library([PRIZED, TinyAuction()])
CORRECTED = PRIZED.equip(ROOM, {"prizes": corrected(coins=7, note="größer")})


def bank(play: Play) -> int:
    table: Any = play.game.table
    return table.bank


def created(play: Play) -> dict[str, Any]:
    return json.loads(play.records[0].event)


# --- with which documents ---


def test_a_game_has_its_rulesets_own_documents_unless_it_brings_others() -> None:
    own, other = Play(PRIZED, ROOM, 2), Play(PRIZED, CORRECTED, 2)
    assert (bank(own), bank(other)) == (12, 7)
    assert documents_of(own.game.board) == {"prizes": OWN}
    assert documents_of(other.game.board) == {"prizes": Prizes(7, AreaId("cellar"), "größer")}


def test_the_first_event_names_each_document_by_its_digest_and_the_board_apart() -> None:
    own, other = created(Play(PRIZED, ROOM, 2)), created(Play(PRIZED, CORRECTED, 2))
    assert own["board"] == other["board"] == Map.of(ROOM).digest
    assert own["documents"] == digests_of(PRIZED.equip(ROOM))
    assert other["documents"] == digests_of(CORRECTED)
    assert own["documents"] != other["documents"]


def test_the_history_says_with_which_documents_a_game_is_played() -> None:
    digest = digests_of(CORRECTED)["prizes"].removeprefix("sha256:")
    first = read_created(Play(PRIZED, CORRECTED, 2).records[0])
    assert first.tell(Names({})) == f"A game of tiny prized was created for 2 players, with the prizes {digest[:8]}."
    plain = read_created(Play(TinyAuction(), ROOM, 2).records[0])
    assert plain.tell(Names({})) == "A game of tiny auction was created for 2 players."


def test_what_games_without_documents_store_has_no_word_of_them() -> None:
    play = Play(TinyAuction(), ROOM, 2)
    assert "documents" not in created(play)
    assert b'"documents"' not in play.export()[0]
    assert key_of(play.game.board) == Map.of(ROOM).digest
    assert packed(ROOM) == msgspec.json.encode(ROOM)


# --- faults ---


@pytest.mark.parametrize(
    ("sent", "problems"),
    [
        (corrected(coins=0, kept_in=AreaId("attic")), 2),
        (b'{"coins":12,"kept_in":"attic"}', "prizes.kept_in: 'attic' is not an area of the board"),
        (b'{"coins":"12","kept_in":"hall"}', "prizes.coins: expected `int`, got `str`"),
        (b'{"coins":12}', "prizes: object missing required field `kept_in`"),
        (b'{"coins":12,"coins":9,"kept_in":"hall"}', "field `coins` is given 2 times; give it once"),
        (b'{"coins":12', "prizes: it is not JSON: Input data was truncated"),
        (b'{"coins":12,"kept_in":"\xff"}', "prizes: it is not UTF-8 text; send JSON in UTF-8"),
        (b'{"coins":12,"kept_in":"hall\\n\\u0007"}', r"prizes.kept_in: 'hall\n\x07' is not an area of the board"),
    ],
)
def test_a_document_that_no_game_can_use_is_refused_with_a_line_for_each_fault(
    sent: bytes, problems: str | int
) -> None:
    with pytest.raises(DocumentError) as refused:
        PRIZED.equip(ROOM, {"prizes": sent})
    if isinstance(problems, int):
        assert len(refused.value.problems) == problems
    else:
        assert refused.value.problems == (problems,)


def test_a_document_that_the_ruleset_does_not_have_is_refused() -> None:
    with pytest.raises(DocumentError, match=r"Tiny Auction has no document 'deck'; known: prizes"):
        PRIZED.equip(ROOM, {"deck": b"{}"})
    with pytest.raises(DocumentError, match=r"Tiny Auction has no document 'prizes'; known: none"):
        TinyAuction().equip(ROOM, {"prizes": corrected()})


def test_a_board_on_which_the_own_documents_make_no_sense_is_refused() -> None:
    hall = msgspec.structs.replace(ROOM, areas=ROOM.areas[:1], borders=())
    with pytest.raises(DocumentError, match=r"prizes.kept_in: 'cellar' is not an area of the board"):
        Play(PRIZED, hall, 2)
    assert Play(PRIZED, PRIZED.equip(hall, {"prizes": corrected(kept_in=AreaId("hall"))}), 2).game.table is not None


# --- kept and folded ---


def test_a_board_is_kept_with_its_documents() -> None:
    assert unpacked(packed(CORRECTED), PRIZED.documents) == CORRECTED
    assert unpacked(packed(ROOM), {}) == ROOM
    assert key_of(CORRECTED) not in (key_of(PRIZED.equip(ROOM)), Map.of(ROOM).digest)
    assert equipped(CORRECTED, {}) == ROOM
    with pytest.raises(DocumentError, match="the board cannot be read"):
        unpacked(packed(CORRECTED), {})


def test_a_log_is_folded_with_the_documents_that_its_first_event_names() -> None:
    play = Play(PRIZED, CORRECTED, 2)
    assert fold(play.records, play.game.id, LIBRARY, lambda _: CORRECTED).table == play.game.table
    for other in (ROOM, PRIZED.equip(ROOM)):
        with pytest.raises(LookupError, match="the board or a document of sha256:"):
            fold(play.records, play.game.id, LIBRARY, lambda _, board=other: board)
    own = Play(PRIZED, ROOM, 2)
    assert fold(own.records, own.game.id, LIBRARY, lambda _: ROOM).table == own.game.table


def test_a_snapshot_is_restored_with_the_same_documents() -> None:
    play = Play(PRIZED, CORRECTED, 2)
    taken = snapshot.take(play.game)
    asked: list[str] = []
    restored = snapshot.restore(taken, LIBRARY, lambda key: (asked.append(key), CORRECTED)[1])
    assert asked == [key_of(CORRECTED)]
    assert restored.board == CORRECTED
    with pytest.raises(LookupError):
        snapshot.restore(taken, LIBRARY, lambda _: ROOM)


# --- proved ---


@pytest.mark.parametrize("board", [ROOM, CORRECTED], ids=["own", "corrected"])
def test_a_whole_game_proves_itself_with_its_documents(board: Board) -> None:
    play = Play(PRIZED, board, 2).run(Random(1))
    assert play.game.status == "over"
    lines = play.export()
    verdict = verify(lines, LIBRARY)
    assert verdict.ok, verdict.problem
    assert json.loads(lines[0])["documents"] == json.loads(msgspec.json.encode(documents_of(play.game.board)))
    assert set(read(lines).documents) == {"prizes"}


def changed(line: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    header = json.loads(line)
    change(header)
    return json.dumps(header, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header["documents"]["prizes"].update(coins=8),
        lambda header: header["documents"]["prizes"].update(note="grosser"),
        lambda header: header["documents"].pop("prizes"),
        lambda header: header.pop("documents"),
        lambda header: header.update(documents={}),
    ],
)
def test_a_document_that_was_changed_is_named(change: Callable[[dict[str, Any]], object]) -> None:
    lines = Play(PRIZED, CORRECTED, 2).export()
    verdict = verify([changed(lines[0], change), *lines[1:]], LIBRARY)
    assert not verdict.ok
    assert verdict.problem == "The prizes in the first line are not those that the game was created with."
    assert verdict.line == 1


def test_a_document_beside_a_game_that_has_none_is_named() -> None:
    lines = Play(TinyAuction(), ROOM, 2).export()
    extra = changed(lines[0], lambda header: header.update(documents={"prizes": {"coins": 1}}))
    with pytest.raises(ExportError, match="The prizes in the first line are not those"):
        read([extra, *lines[1:]])
