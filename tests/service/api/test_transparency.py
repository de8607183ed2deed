"""The transparency log over HTTP: what a client of the C2SP specifications and a player meet."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from domain.kernel.ids import GameId
from domain.transparency.checkpoint import Checkpoint, read_checkpoint, verified
from domain.transparency.entry import read_entry
from domain.transparency.note import read_key, read_note
from domain.transparency.policy import read_policy
from domain.transparency.proof import Proof, read_proof
from domain.transparency.tiles import Tile, entries_of, hashes_of
from domain.transparency.tree import Frontier, leaf_hash
from service.transparency.keys import check, new_key
from tests.service.api.serving import Player, Service, serving

KEY = new_key("games.example/log", lambda count: b"k" * count)


@pytest.fixture
async def service(tmp_path: Path, database_url: str) -> Any:
    async with serving(tmp_path, durable=False, database_url=database_url, log_key=KEY) as running:
        yield running


async def certificate(service: Service, game: str, query: str = "") -> Proof:
    """Return a certificate, waiting as long as the service says that it is not there yet."""
    async with asyncio.timeout(60):
        while (answer := await service.client.get(f"/v1/games/{game}/certificate{query}")).status_code == 404:
            assert answer.json()["type"] == "/problems/not-logged-yet"
            assert answer.headers["retry-after"] == "1"
            await asyncio.sleep(0.05)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["content-disposition"] == f'attachment; filename="{game}.tlog-proof"'
    return read_proof(answer.text)


async def test_a_certificate_is_proved_by_the_key_alone(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    head = (await service.get(f"/v1/games/{game}"))["version"]
    shown = await service.get("/v1/transparency/key")
    policy = read_policy(shown["policy"].encode())
    assert shown["origin"] == "games.example/log"
    assert [str(party.key) for party in policy.logs] == shown["keys"]
    proof = await certificate(service, game)
    assert policy.judge(proof.note, check).checkpoint == proof.checkpoint
    assert proof.extra is not None
    assert proof.proves(proof.extra)
    entry = read_entry(proof.extra)
    row = (await service.get(f"/v1/games/{game}/events?after={head - 1}"))["items"][0]
    assert (entry.kind, entry.id, entry.version, entry.status) == ("game", game, head, "running")
    assert (entry.hash, entry.at) == (row["hash"], row["at"])
    earlier = await certificate(service, game, "?version=1")
    assert earlier.extra is not None
    assert 1 <= read_entry(earlier.extra).version <= head
    await service.play_out(game, anna, bert)
    over = await certificate(service, game)
    assert over.extra is not None
    assert read_entry(over.extra).status == "over"


async def checkpoint(service: Service) -> Checkpoint:
    answer = await service.client.get("/transparency/checkpoint")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    note = read_note(answer.content)
    key = read_key((await service.get("/v1/transparency/key"))["keys"][0])
    assert verified(note, [key], check)
    return read_checkpoint(note.text)


async def tile(service: Service, path: str) -> httpx.Response:
    answer = await service.client.get(f"/transparency/tile/{path}")
    if answer.status_code == 200:
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    else:
        assert answer.status_code == 404
        assert "cache-control" not in answer.headers
        assert answer.json()["type"] == "/problems/unknown-tile"
    return answer


async def test_the_tree_is_made_of_its_tiles(service: Service, anna: Player, bert: Player) -> None:
    answer = await service.client.get("/transparency/checkpoint")
    assert (answer.status_code, answer.json()["type"]) == (404, "/problems/not-logged-yet")
    games = [await service.gathering(anna, bert) for _ in range(3)]
    for game in games:
        await certificate(service, game)
    head = await checkpoint(service)
    whole = Tile(0, 0, head.size)
    entries = entries_of((await tile(service, f"entries/000.p/{head.size}")).content, whole)
    hashes = hashes_of((await tile(service, f"0/000.p/{head.size}")).content, whole)
    assert hashes == list(map(leaf_hash, entries))
    frontier = Frontier()
    frontier.extend(hashes)
    assert frontier.root == head.root
    assert {read_entry(entry).id for entry in entries} == set(games)
    assert (await tile(service, "entries/000.p/1")).content == len(entries[0]).to_bytes(2, "big") + entries[0]


NO_TILES = [
    *("0/000", "0/000.p/256", "0/000.p/0", "1/000.p/1", "0/001.p/1", "00/000.p/1", "64/000.p/1", "x/000.p/1"),
    *("0/x/000", "entries/000", "entries/0", "entries/000.p/200", "0/%00", "0/x999/x999/x999/x999/999", "-1/000.p/1"),
    "0/000.p%2F9",
]


async def test_there_is_no_such_tile(service: Service, anna: Player) -> None:
    await certificate(service, await service.gathering(anna))
    for path in NO_TILES:
        assert (await tile(service, path)).status_code == 404, path
    # A slash at the end is none, as everywhere.
    assert (await service.client.get("/transparency/tile/0/000.p/1/")).status_code == 200


async def test_what_there_is_no_certificate_of(service: Service, anna: Player) -> None:
    game = await service.gathering(anna)
    head = (await service.get(f"/v1/games/{game}"))["version"]
    for address, kind in (
        ("/v1/games/gone/certificate", "unknown-game"),
        (f"/v1/games/{game}/certificate?version={head + 1}", "unknown-version"),
    ):
        answer = await service.client.get(address)
        assert (answer.status_code, answer.json()["type"]) == (404, f"/problems/{kind}")
    for query in ("?version=0", "?version=x", "?version=1.0", "?v=1"):
        answer = await service.client.get(f"/v1/games/{game}/certificate{query}")
        assert (answer.status_code, answer.json()["type"]) == (400, "/problems/invalid-query")


async def test_who_signs_nothing_says_so(tmp_path: Path, database_url: str) -> None:
    async with serving(tmp_path, durable=False, database_url=database_url, transparency=False) as service:
        game = await service.gathering(await service.register("Anna"))
        for address in ("/v1/transparency/key", "/transparency/checkpoint", f"/v1/games/{game}/certificate"):
            answer = await service.client.get(address)
            assert (answer.status_code, answer.json()["type"]) == (404, "/problems/not-logged-yet")
        assert await service.services.store.tree.logged(GameId(game)) is None
        assert not service.services.settings.log_key_file.exists()


async def test_a_key_that_cannot_be_used_does_not_stop_the_games(tmp_path: Path) -> None:
    async with serving(tmp_path, durable=False, log_key="nonsense") as service:
        assert await service.gathering(await service.register("Anna"))
        assert service.services.log_key is None
