"""Programs that use the client packages, one for each way to use them."""

import contextlib
from collections.abc import Iterator

import pytest

from tests.clients.packed import LANGUAGES, PACKAGES, Speaker, speaking


@pytest.fixture(scope="module", params=LANGUAGES)
def speaker(request: pytest.FixtureRequest) -> Iterator[Speaker]:
    """Return a program that uses a package."""
    with speaking(request.param) as running:
        yield running


@pytest.fixture(scope="module", params=PACKAGES)
def package(request: pytest.FixtureRequest) -> Iterator[Speaker]:
    """Return a program for each package, for what is the same in both ways that Python has."""
    with speaking(request.param) as running:
        yield running


@pytest.fixture(scope="module")
def packages() -> Iterator[dict[str, Speaker]]:
    """Return a program for each package, to ask both the same."""
    with contextlib.ExitStack() as stack:
        yield {language: stack.enter_context(speaking(language)) for language in PACKAGES}
