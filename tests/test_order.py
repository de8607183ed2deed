"""In which order workers run the tests: each begins with its share of the long ones."""

from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import conftest
from tests.helpers import sampling

SHORT = [f"short {number}" for number in range(8)]
LONG = ["storm", "schemathesis", "play"]


def ordered(workers: int, **options: Any) -> list[str]:
    """Return the names of tests as workers of xdist order them, which know nothing of how tests are handed out."""
    folders = dict.fromkeys(SHORT, "domain") | {"storm": "faults", "schemathesis": "contract", "play": "cli"}
    items: list[Any] = [
        SimpleNamespace(name=name, path=Path(sampling.__file__).parents[1] / folder / "test_it.py")
        for name, folder in folders.items()
    ]
    config: Any = SimpleNamespace(option=Namespace(dist="no", **options), workerinput={"workercount": workers})
    conftest.pytest_collection_modifyitems(config, items)
    return [item.name for item in items]


def test_each_worker_begins_with_its_share_of_the_long_tests() -> None:
    order = ordered(2)
    assert sorted(order) == sorted([*SHORT, *LONG])
    first, second = order[:5], order[5:]
    assert {*first[:2], second[0]} == {*LONG}
    assert second[1] in SHORT


@pytest.mark.parametrize("options", [{"touched": "HEAD~1"}, {}], ids=["fast", "one worker"])
def test_else_they_stay_in_their_order(options: dict[str, Any]) -> None:
    assert ordered(2 if options else 1, **options) == [*SHORT, *LONG]
