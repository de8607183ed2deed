"""Games with documents beside their boards: created, stored once, and read again by every process."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain.kernel.ids import AreaId, GameId
from domain.kernel.proof.export import export
from domain.kernel.proof.verify import verify
from domain.kernel.rules.documents import DocumentError, digests_of, documents_of
from domain.kernel.rules.ruleset import Library
from projections.follower import Follower
from service.api.games.views import game_detail
from service.games.acts import Start, TakeSeat
from service.games.creating import create_game
from service.games.views import Viewer
from service.readmodels import StoreLog
from service.store.protocol import KeyReused
from tests.service.rig import ANNA, BERT, Rig, open_rig
from tests.tiny.auction import TinyAuction
from tests.tiny.prizes import OWN, PrizedAuction, Prizes, corrected

LIBRARY = Library([TinyAuction(), PrizedAuction()])
SENT = {"prizes": corrected(coins=7)}


@pytest.fixture
async def rig(tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Rig]:
    monkeypatch.setattr("tests.service.rig.LIBRARY", LIBRARY)
    async with open_rig(tmp_path, checkpoint_every=10, database_url=database_url) as opened:
        yield opened


async def begun(rig: Rig, **sent: Any) -> GameId:
    game = (await create_game(rig.games, ANNA, "tiny-prized", 2, **sent)).game
    for player in (ANNA, BERT):
        await rig.games.act(game, player, TakeSeat())
    await rig.games.act(game, ANNA, Start())
    return game


async def test_documents_are_sent_along_or_are_the_rulesets_own(rig: Rig) -> None:
    own, other = await begun(rig), await begun(rig, documents=SENT)
    assert documents_of((await rig.games.game(own)).board) == {"prizes": OWN}
    game = await rig.games.game(other)
    assert documents_of(game.board) == {"prizes": Prizes(7, AreaId("cellar"))}
    row = await rig.store.game(other)
    assert row is not None
    assert game_detail(row, game, {}, Viewer()).documents == digests_of(game.board)


async def test_another_process_reads_the_game_with_its_documents(rig: Rig, tmp_path: Path, database_url: str) -> None:
    games = [await begun(rig), await begun(rig, documents=SENT)]
    for game in games:
        await rig.play_round(game)
    async with open_rig(tmp_path, checkpoint_every=10, database_url=database_url) as second:
        for game in games:
            here, there = await rig.games.game(game), await second.games.game(game)
            assert there.board == here.board
            assert there.table is not None
            assert here.table is not None
            assert there.table.digest() == here.table.digest()
            assert (await second.games.at(game, 4)).board == here.board
            records, vault = await second.games.records(game), await second.games.vault(game)
            verdict = verify(export(there, records, vault), LIBRARY)
            assert verdict.ok, verdict.problem


async def test_projections_follow_a_game_with_its_documents(rig: Rig) -> None:
    game = await begun(rig, documents=SENT)
    follower = Follower(StoreLog(rig.store), LIBRARY)
    records = await rig.store.read(game)
    followed = [await follower.step(game, record, with_table=True) for record in records]
    assert [each.fault for each in followed] == [None] * len(records)
    seen = followed[-1].happened.seen
    assert seen is not None
    table: Any = seen.after.table
    assert table.bank == 7


async def test_a_key_stands_for_one_document(rig: Rig) -> None:
    first = await create_game(rig.games, ANNA, "tiny-prized", 2, documents=SENT, key="k")
    assert (await create_game(rig.games, ANNA, "tiny-prized", 2, documents=SENT, key="k")).game == first.game
    with pytest.raises(KeyReused):
        await create_game(rig.games, ANNA, "tiny-prized", 2, key="k")


async def test_a_game_with_a_faulty_document_is_not_created(rig: Rig) -> None:
    with pytest.raises(DocumentError) as refused:
        await create_game(
            rig.games, ANNA, "tiny-prized", 2, documents={"prizes": corrected(coins=0, kept_in=AreaId("attic"))}
        )
    assert refused.value.problems == (
        "prizes.coins is 0; give at least 1",
        "prizes.kept_in: 'attic' is not an area of the board",
    )
    with pytest.raises(DocumentError, match="has no document 'prizes'; known: none"):
        await create_game(rig.games, ANNA, "tiny-auction", 2, documents=SENT)
    assert (await rig.store.read_all())[0] == []


async def test_what_is_stored_of_other_games_has_no_word_of_documents(rig: Rig) -> None:
    game = await rig.begun()
    first = (await rig.store.read(game))[0]
    created = msgspec.json.decode(first.event)
    assert "documents" not in created
    file = await rig.store.board(created["board"])
    assert file is not None
    assert "documents" not in msgspec.json.decode(file)
