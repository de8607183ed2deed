"""Databases with a league and its tournaments go on under every later schema.

`with_leagues/` has a file and a dump as the first release with leagues left them; tests/README.md tells how they were
made. One tournament is closed, and a table of the other one waits for its players.
"""

import asyncio
import hashlib
import lzma
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from typer.testing import CliRunner

from service.cli import app
from tests.helpers.citus import distributed_database, lent_database
from tests.helpers.postgres import connected, shared_cluster
from tests.service.api.clubs import Club
from tests.service.api.serving import Player, serving
from tests.service.api.test_imports import bring, here
from tests.service.api.test_leagues import Series

FOLDER: Final = Path(__file__).with_name("with_leagues")


def kept(name: str) -> bytes:
    return lzma.decompress((FOLDER / f"{name}.xz").read_bytes())


@pytest.fixture(params=["sqlite", "postgres", "distributed"])
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[str, str]]:
    """Lend which store it is, and the address of its database, which is up to date."""
    if request.param == "sqlite":
        (tmp_path / "tabularium.db").write_bytes(kept("tabularium.db"))
        yield "sqlite", ""
        return
    is_distributed = request.param == "distributed"
    async with lent_database() if is_distributed else shared_cluster().empty_database() as url:
        if is_distributed:
            async with distributed_database():
                pass  # which has made the roles to which the dump gives rights
        shared_cluster().run("psql", "-qX", "-v", "ON_ERROR_STOP=1", url, stdin=kept("postgres.sql"))
        if is_distributed:  # by that release: later migrations change a log on several machines
            async with connected(url) as owner:
                await owner.execute("SELECT tabularium.distribute()")
        migrating = await asyncio.to_thread(CliRunner().invoke, app, ["migrate", "--url", url])
        assert migrating.exit_code == 0, migrating.output
        yield "postgres", url


async def test_a_league_of_before_is_what_it_was_and_its_season_is_played_to_the_end(
    place: tuple[str, str], tmp_path: Path
) -> None:
    which, url = place
    expected: dict[str, Any] = msgspec.json.decode(kept("expected.json"))[which]
    async with serving(tmp_path, durable=False, database_url=url, projections=False, transparency=False) as service:
        for path, digest in expected["said"].items():
            answer = await service.client.get(path)
            assert answer.status_code == 200, path
            assert hashlib.sha256(answer.content).hexdigest() == digest, f"{path} is another one"
        director, *players = (Player(*each) for each in [expected["director"], *expected["players"]])
        club = Club(service, director, players, f"/v1/tournaments/{expected['lower']}")
        for table in (await club.opened(1))["tables"]:
            await club.play(table)
        await club.finished(1)
        await club.do("rounds/1/tables/1/confirmation")
        await club.do("closing")
        closed = await Series(club, f"/v1/leagues/{expected['league']}").do("seasons/1/closing")
        held = [each["tournament"] for each in closed["season"]["tournaments"]]
        assert held == [expected["upper"], expected["lower"]]
        for what in ("leagues", "tournaments"):
            listed = (await service.get(f"/v1/{what}"))["items"]
            assert {each["status"] for each in listed} <= {"resting", "closed"}
        # What came with a later release is there for accounts of before, too.
        service.services.imports.examine = here
        assert (await bring(service, director)).status_code == 201
        assert [each["player"] for each in (await service.get("/v1/imports"))["items"]] == [director.id]
