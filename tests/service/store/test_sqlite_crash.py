"""A process that is killed loses nothing that it acknowledged, and leaves nothing half done."""

import asyncio
import random
import sys
from pathlib import Path

from domain.kernel.ids import GameId, StreamId
from domain.kernel.log.record import first_broken
from service.store.sqlite.file import check_file
from service.store.sqlite.store import SqliteStore
from tests.service.rig import open_rig

KILLS = 6
ROOT = Path(__file__).parents[3]


async def write_until_killed(path: Path, rounds: int, seconds: float) -> dict[StreamId, int]:
    """Run the writer, kill it `seconds` after `rounds` rounds, and return each game's last acknowledged version."""
    writer = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.service.store.writer", str(path)), stdout=asyncio.subprocess.PIPE, cwd=ROOT
    )
    assert writer.stdout is not None
    said = b"".join([await writer.stdout.readline() for _ in range(rounds)])
    await asyncio.sleep(seconds)
    writer.kill()
    said += await writer.stdout.read()
    await writer.wait()
    # A line that the kill cut off says nothing.
    lines = said.decode().split("\n")[:-1]
    return {GameId(game): int(version) for game, version in (line.split() for line in lines)}


async def test_what_was_acknowledged_is_there_after_kill_9(tmp_path: Path) -> None:
    rng = random.Random(9)
    acknowledged: dict[StreamId, int] = {}
    for _ in range(KILLS):
        acknowledged |= await write_until_killed(tmp_path, rng.randint(1, 30), rng.uniform(0, 0.05))
        assert check_file(tmp_path / "tabularium.db")
        store = await SqliteStore.open(tmp_path / "tabularium.db")
        kept, _ = await store.read_all(limit=1_000_000)
        rows = await store.games(limit=1_000_000)
        await store.close()
        streams: dict[StreamId, list[int]] = {}
        for game, record in kept:
            streams.setdefault(game, []).append(record.version)
        assert all(versions == list(range(1, len(versions) + 1)) for versions in streams.values())
        assert {row.game: row.version for row in rows} == {game: versions[-1] for game, versions in streams.items()}
        assert all(len(streams.get(game, ())) >= version for game, version in acknowledged.items())
    assert len(acknowledged) >= KILLS
    async with open_rig(tmp_path) as rig:
        for row in await rig.store.games(limit=1_000_000):
            assert first_broken(row.game, await rig.store.read(row.game)) is None
            await rig.games.game(row.game)
