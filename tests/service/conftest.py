"""What holds for all tests of the service: patience with Redis, and a log that is as it was before."""

import logging
from collections.abc import Iterator

import pytest
import structlog


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine full of tests a quarter of a second is soon over."""
    monkeypatch.setattr("service.cluster.redis.TIMEOUT", 3.0)


@pytest.fixture(autouse=True)
def log_as_before() -> Iterator[None]:
    """Undo what a test has done to logging: the stderr that it captured is closed afterwards."""
    before = list(logging.root.handlers), logging.root.level
    yield
    structlog.reset_defaults()
    logging.root.handlers[:], logging.root.level = before
