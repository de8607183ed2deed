"""Programs that use the client packages, one for each way to use them."""

from collections.abc import Iterator

import pytest

from tests.clients.packed import LANGUAGES, Speaker, speaking


@pytest.fixture(scope="module", params=LANGUAGES)
def speaker(request: pytest.FixtureRequest) -> Iterator[Speaker]:
    """Return a program that uses a package."""
    with speaking(request.param) as running:
        yield running
