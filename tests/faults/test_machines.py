"""One of the faults of `machines.py`, which the seed draws: each takes most of a minute."""

import pytest

from tests.faults.machines import FAULTS, WANTED, befall, rig
from tests.helpers.citus import NOT_TESTED, is_installed
from tests.helpers.sampling import sampled


@pytest.mark.parametrize("fault", sampled("faults of machines", FAULTS, 1))
async def test_nothing_acknowledged_is_lost_doubled_or_read_stale(fault: str) -> None:
    if not is_installed():
        pytest.skip(NOT_TESTED)
    async with rig() as (made, url):
        report = await befall(fault, made, url)
    assert not any(report.wrong.values()), report
    assert report.acknowledged >= WANTED
