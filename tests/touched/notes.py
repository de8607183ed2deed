"""Notes in pytest's cache how long tests take, so that `--touched` knows which fit into its time.

Every run has this plugin. It knows nothing of the domain: whatever the tests' conftest reads, every test reads.
"""

from collections import defaultdict
from typing import Final

import pytest

_KEY: Final = "touched/seconds"


def noted(config: pytest.Config) -> dict[str, float]:
    """Return how many seconds each test took when it ran last."""
    cache: pytest.Cache | None = getattr(config, "cache", None)  # which can be turned off
    return cache.get(_KEY, {}) if cache else {}


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "cache") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Notes(config))


class _Notes:
    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._took: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._took[report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        if self._config.cache and self._took:
            took = {test: round(seconds, 2) for test, seconds in self._took.items()}
            self._config.cache.set(_KEY, noted(self._config) | took)
