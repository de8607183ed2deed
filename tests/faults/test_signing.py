"""Processes that sign are killed, and two run at once: of one size there is one root, and no head is lost."""

from pathlib import Path

from tests.faults.signing import signing

KILLS = 40


async def test_on_sqlite_there_is_one_root_of_each_size_whoever_is_killed(tmp_path: Path) -> None:
    report = await signing(str(tmp_path / "tabularium.db"), tmp_path, KILLS)
    assert report.faults == []
    assert report.counts["kept"] > 1


async def test_on_postgres_there_is_one_root_of_each_size_whoever_is_killed(tmp_path: Path, postgres_url: str) -> None:
    report = await signing(postgres_url, tmp_path, KILLS)
    assert report.faults == []
    assert report.counts["kept"] > 1
