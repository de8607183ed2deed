"""Whole games over HTTP on a log that Citus spreads over machines: what is about one stream goes to one machine."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.helpers.asked import Asked, telling_database
from tests.helpers.statements import OF_MACHINES
from tests.service.api.serving import Service, serving
from tests.service.api.test_one_book import (
    all_about_a_dispute,
    all_about_a_game,
    all_about_a_league,
    all_about_an_archived_game,
    all_the_lists,
)
from tests.service.api.test_transparency import KEY, certificate


@pytest.fixture
async def database() -> AsyncIterator[tuple[str, list[Asked]]]:
    async with telling_database() as lent:
        yield lent


@pytest.fixture
async def service(tmp_path: Path, database: tuple[str, list[Asked]]) -> AsyncIterator[Service]:
    async with serving(tmp_path, database_url=database[0], snapshot_every=2, cache_games=1, log_key=KEY) as running:
        yield running


async def test_games_and_disputes_are_played_and_what_is_about_one_stream_is_one_task(
    service: Service, database: tuple[str, list[Asked]]
) -> None:
    url, asked = database
    people = [await service.register(name) for name in ("Anna", "Bert", "Julia")]
    await all_about_a_game(service, *people)
    over = await all_about_a_dispute(service, *people)
    await all_about_a_game(service, *people, readers="invited")
    await all_about_an_archived_game(service, url, people[0], over)
    await all_about_a_league(service)
    await all_the_lists(service, people[0])
    # The tree has them, too: what a machine refuses beside requests is not seen by who asks.
    await certificate(service, over)
    many = {each.statement for each in asked if each.tasks > 1}
    of_machines = {what for what, text in OF_MACHINES.items() if any(re.search(text, each) for each in many)}
    assert of_machines == {*OF_MACHINES}
    assert {each.statement for each in asked if each.is_astray} == set()
    # Nothing has passed because it was never asked.
    of_one = " ".join(each.statement for each in asked if each.tasks == 1)
    wanted = (
        "append_to",
        "FROM log",
        "FROM snapshots",
        "FROM cases",
        "FROM segments",
        "FROM secrets",
        "FROM seeds",
        "FROM leagues",
    )
    assert [each for each in wanted if each not in of_one] == []
