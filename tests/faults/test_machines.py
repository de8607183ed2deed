"""One of the faults of `machines.py`, which the seed draws in some runs: each takes most of a minute."""

import pytest

from tests.faults.machines import FAULTS, befall, rig
from tests.helpers.citus import NOT_TESTED, is_installed
from tests.helpers.sampling import in_this_run


@pytest.mark.parametrize("fault", FAULTS)
async def test_nothing_acknowledged_is_lost_doubled_or_read_stale(fault: str) -> None:
    if not is_installed():
        pytest.skip(NOT_TESTED)
    if not in_this_run("faults of machines", 2 * len(FAULTS)):
        pytest.skip("another run draws this fault")
    async with rig() as (made, url):
        assert fault in await befall(fault, made, url)
