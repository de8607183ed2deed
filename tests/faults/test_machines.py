"""One of the faults of `machines.py`, which the seed draws, as each takes most of a minute; and requests during one."""

import asyncio
import time
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from domain.kernel.ids import GameId, book_of
from service.store.postgres.connections import TIMEOUT
from tests.faults.machines import FAULTS, WANTED, befall, rig
from tests.helpers.citus import NOT_TESTED, is_installed
from tests.helpers.postgres import connected
from tests.helpers.sampling import sampled
from tests.service.api.serving import serving

AT_ONCE = 5
"""Requests about games of each of two machines."""

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


async def test_a_frozen_machine_holds_up_no_request_about_a_game_on_another(tmp_path: Path) -> None:
    async with rig() as (made, url), serving(tmp_path, database_url=url, bots=0) as service:
        frozen = made.machines.workers[1]
        anna, bert = await service.register("Anna"), await service.register("Bert")
        games: dict[bool, list[str]] = {True: [], False: []}
        async with connected(made.machines.coordinator.url("tabularium_faults", "superuser")) as coordinator:
            while min(map(len, games.values())) < AT_ONCE:
                game = await service.begun(anna, bert)
                games[await coordinator.fetchval(SHARD, book_of(GameId(game))) == frozen.port].append(game)

        async def asked(game: str, coins: int) -> tuple[int, float]:
            began = time.monotonic()
            wish = {"command": {"type": "put-up", "coins": coins}}
            answer = await service.ask("POST", f"/v1/games/{game}/commands", anna, wish)
            return answer.status_code, time.monotonic() - began

        frozen.freeze()
        with capture_logs():  # showing tracebacks takes seconds
            # What the rules refuse is decided only when the store has said that nothing newer is there.
            sick, *well = await asyncio.gather(
                asyncio.gather(*(asked(game, 1) for game in games[True][:AT_ONCE])),
                *(asyncio.gather(*(asked(game, coins) for game in games[False][:AT_ONCE])) for coins in (1, 1000)),
            )
        frozen.thaw()
    assert [{status for status, _ in each} for each in well] == [{200}, {422}]
    assert max(took for each in well for _, took in each) < TIMEOUT
    assert {status for status, _ in sick} == {503}
    assert max(took for _, took in sick) < 2 * TIMEOUT
