"""Processes that tell webhooks are killed: nothing is lost, and every event has one id."""

from pathlib import Path
from typing import Final

from tests.faults.hooks import kill_again_and_again

KILLS: Final = 2


async def test_everything_arrives_whoever_is_killed(tmp_path: Path, postgres_url: str) -> None:
    result = await kill_again_and_again(postgres_url, tmp_path, KILLS)
    assert len(result.told) > 20 * KILLS
    assert result.lost == set()
    assert result.invented == set()
    assert result.doubled == []
