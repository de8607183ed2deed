"""A small championship, whose processes are killed at random, comes to standings that anybody finds in its export."""

from pathlib import Path
from random import Random

from tests.championship.held import small
from tests.helpers.sampling import RUN

SEED = 1 if RUN.seed is None else Random(f"{RUN.seed} championship").getrandbits(32)
"""Another one with each commit."""


async def test_a_championship_is_played_whoever_is_killed(tmp_path: Path, database_url: str) -> None:
    report = await small(tmp_path, database_url, SEED, 1)
    assert report.wrong == []
    assert report.kills
    assert report.outcomes[0].verdict.endswith(" 0 not proved, 0 not read.")
