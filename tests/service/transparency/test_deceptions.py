"""A service that lies is noticed, in these words; one that is honest alarms nobody."""

from pathlib import Path

import pytest

from tests.deceptions.honest import alarms
from tests.deceptions.observers import failings, observed
from tests.deceptions.table import DECEPTIONS, FROM_THE_BEGINNING, Deception


@pytest.mark.parametrize("deception", [*DECEPTIONS, *FROM_THE_BEGINNING], ids=str)
def test_a_lie_is_noticed_by_those_who_can_and_by_nobody_else(deception: Deception, tmp_path: Path) -> None:
    assert list(failings(deception, observed(deception, tmp_path))) == []


@pytest.mark.parametrize("seed", range(6))
def test_an_honest_service_alarms_nobody(seed: int, tmp_path: Path) -> None:
    assert alarms(seed, tmp_path) == []
