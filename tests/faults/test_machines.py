"""One of the faults of `machines.py`, which the seed draws, as each takes most of a minute; and requests during one."""

import asyncio
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from domain.kernel.ids import GameId, book_of
from service.store.postgres.connections import TIMEOUT
from service.store.postgres.distributed import DistributedStore
from tests.faults.machines import FAULTS, WANTED, befall, rig
from tests.helpers.citus import NOT_TESTED, is_installed
from tests.helpers.postgres import connected
from tests.helpers.sampling import sampled
from tests.service.api.serving import serving

AT_ONCE = 5
"""Requests about games of each of two machines."""

LISTS = ("/v1/games", "/v1/players/me/games", "/v1/tournaments", "/v1/leagues", "/v1/cases")

SHARD = (
    "SELECT nodeport FROM citus_shards WHERE shardid ="
    " get_shard_id_for_distribution_column('tabularium.books'::regclass, $1::smallint)"
)


@pytest.fixture(autouse=True)
def with_citus() -> None:
    if not is_installed():
        pytest.skip(NOT_TESTED)


@pytest.mark.parametrize("fault", sampled("faults of machines", FAULTS, 1))
async def test_nothing_acknowledged_is_lost_doubled_or_read_stale(fault: str) -> None:
    async with rig() as (made, url):
        report = await befall(fault, made, url)
    assert not any(report.wrong.values()), report
    assert report.acknowledged >= WANTED


async def test_a_frozen_machine_holds_up_no_request_about_a_game_on_another_and_no_list_for_long(
    tmp_path: Path,
) -> None:
    async with rig() as (made, url), serving(tmp_path, database_url=url, bots=0) as service:
        frozen = made.machines.workers[1]
        anna, bert = await service.register("Anna"), await service.register("Bert")
        games: dict[bool, list[str]] = {True: [], False: []}
        async with connected(made.machines.coordinator.url("tabularium_faults", "superuser")) as coordinator:
            while min(map(len, games.values())) < AT_ONCE:
                game = await service.begun(anna, bert)
                games[await coordinator.fetchval(SHARD, book_of(GameId(game))) == frozen.port].append(game)

        async def asked(method: str, path: str, body: Any = None) -> tuple[int, str | None, float]:
            began = time.monotonic()
            answer = await service.ask(method, path, anna, body)
            return answer.status_code, answer.headers.get("retry-after"), time.monotonic() - began

        async def all_asked() -> list[list[tuple[int, str | None, float]]]:
            """Ask for lists and games, and return the answers about all, the frozen machine, and the other one."""
            # What the rules refuse is decided only when the store has said that nothing newer is there.
            put_up = [{"command": {"type": "put-up", "coins": coins}} for coins in (1, 1000)]
            of_all = [asked("GET", path) for path in LISTS for _ in range(AT_ONCE)]
            of_machines = [
                [
                    asked("POST", f"/v1/games/{game}/commands", each)
                    for game in games[which][:AT_ONCE]
                    for each in put_up
                ]
                + [asked("GET", f"/v1/games/{game}") for game in games[which][:AT_ONCE]]
                for which in (True, False)
            ]
            return await asyncio.gather(*(asyncio.gather(*each) for each in (of_all, *of_machines)))

        for path in LISTS:
            assert (await asked("GET", path))[0] == 200
        frozen.freeze()
        try:
            with capture_logs():  # showing tracebacks takes seconds
                *away, well = await all_asked()
                *later, well_later = await all_asked()
                ready = await asked("GET", "/ready")
                # A process that starts now serves the same.
                beside = await DistributedStore.open(url)
                assert await beside.head(GameId(games[False][0])) > 0
                await beside.close()
        finally:
            frozen.thaw()
        async with asyncio.timeout(2 * TIMEOUT):
            while {(await asked("GET", path))[0] for path in LISTS} != {200}:  # noqa: ASYNC110  it is another process
                await asyncio.sleep(0.1)
    assert Counter(status for status, _, _ in (*well, *well_later)) == {200: 4 * AT_ONCE, 422: 2 * AT_ONCE}
    assert longest(well, well_later) < TIMEOUT
    assert ready[0] == 200
    # It takes a while until a machine is known to be away.
    for answers, bound in ((away, 2 * TIMEOUT), (later, TIMEOUT / 2)):
        assert {(status, after is not None) for each in answers for status, after, _ in each} == {(503, True)}
        assert longest(*answers) < bound


def longest(*answers: list[tuple[int, str | None, float]]) -> float:
    return max(took for each in answers for _, _, took in each)
