"""A service with many games, and a follower of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from domain.transparency.policy import Policy, read_policy
from service.transparency.follower import Follower
from service.transparency.keys import check
from tests.service.transparency.logs import KEY
from tests.service.transparency.shown import Shown


@pytest.fixture
def policy() -> Policy:
    return read_policy(f"log {KEY.signers[0].key}\nquorum none\n".encode())


@pytest.fixture
def shown() -> Shown:
    """A service with 300 games, of which some moved again."""
    site = Shown()
    for number in range(300):
        site.go_on(f"g{number}", events=3)
    for number in range(0, 300, 30):
        site.go_on(f"g{number}", status="over")
    return site


@pytest.fixture
def follower(shown: Shown, policy: Policy, tmp_path: Path) -> Iterator[Follower]:
    found = Follower(shown, policy, tmp_path, check, pause=lambda seconds: None)
    yield found
    found.close()
