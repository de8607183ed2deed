"""One sandbox in a process of its own, for all tests that begin anew in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.cli.calling import Served, http, serving
from tests.service.cli.conftest import call

__all__ = ["call"]  # a fixture of this folder as well


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sandbox")


@pytest.fixture(scope="session")
def running(folder: Path) -> Iterator[Served]:
    with serving(folder, "--sandbox") as service:
        yield service


@pytest.fixture
def sandbox(running: Served) -> Served:
    """The sandbox as it begins."""
    assert http.post(f"{running.address}/v1/sandbox/reset").status_code == 204
    return running
