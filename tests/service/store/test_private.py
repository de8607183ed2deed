"""The data directory is for its owner alone."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.base.private import open_to_others
from service.doctor.embedded import examine
from tests.service.api.serving import serving


@pytest.fixture(autouse=True)
def _careless() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


async def test_nobody_else_may_read_a_file_that_the_service_makes(tmp_path: Path) -> None:
    data = tmp_path / "new" / "data"
    async with serving(data, snapshot_every=1) as service:
        anna, bert = await service.register("Anna"), await service.register("Bert")
        await service.begun(anna, bert)
        modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in data.iterdir()}
        assert {"tabularium.db", "tabularium.db-wal", "projections.db", "snapshots.db", "log.key"} <= modes.keys()
        assert {name for name, mode in modes.items() if mode & 0o077} == set()
        assert stat.S_IMODE(data.stat().st_mode) == 0o700
        assert open_to_others(data) == ""


async def test_what_others_may_read_is_said(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    async with serving(data) as service:
        (data / "tabularium.db").chmod(0o644)
        said = open_to_others(service.services.settings.data)
        assert said == f"everybody on this machine can read tabularium.db in {data}: chmod -R o= {data}"
        (finding,) = [each for each in await examine(service.services.settings) if each.check == "privacy"]
        assert (finding.level, finding.remedy) == ("warn", f"Take that from others: chmod -R o= {data}")
        data.chmod(0o750)
        assert open_to_others(data) == ""
