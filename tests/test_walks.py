"""The walks of the guides: their commands do what they say, one after another."""

import asyncio
import os
import re
import sys
from pathlib import Path

from domain.boards import builtin
from domain.library import LIBRARY
from service.base.clock import utc_now
from tests.service.api.serving import Service, serving

ROOT = Path(__file__).parents[1]
DISPUTE = ROOT / "openapi" / "disputes.md"
VANISHED = ROOT / "openapi" / "vanished.md"
TOURNAMENT = ROOT / "openapi" / "tournaments.md"
OAUTH = ROOT / "openapi" / "oauth.md"
HERE = "http://127.0.0.1:8000"


def commands(guide: Path) -> list[str]:
    return re.findall(r"^```bash\n(.*?)^```$", guide.read_text(), re.DOTALL | re.MULTILINE)


async def walk(guide: Path, service: Service, folder: Path) -> str:
    """Run the commands of a guide against a service; return what they said, with one blank between words."""
    place, program = folder / "walk", folder / "bin" / "tabularium"
    program.parent.mkdir()
    place.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m service.cli "$@"\n')
    program.chmod(0o755)
    environment = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    address = str(service.client.base_url).rstrip("/")
    walking = await asyncio.create_subprocess_exec(
        "bash",
        "-c",
        "set -euo pipefail\n" + "\n".join(commands(guide)).replace(HERE, address),
        cwd=place,
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said = (await asyncio.wait_for(walking.communicate(), 500))[0].decode()
    assert walking.returncode == 0, said[-3000:]
    return " ".join(said.split())


async def test_every_command_of_the_walk_through_a_dispute_does_what_it_says(tmp_path: Path) -> None:
    async with serving(tmp_path / "data", LIBRARY, builtin, clock=utc_now, durable=False) as service:
        said = await walk(DISPUTE, service, tmp_path)
        (case,) = (await service.get("/v1/cases"))["items"]
    assert (case["status"], case["kind"]) == ("settled", "dice")
    for told in (
        "settled",
        "The seats, the officials and the versions are those of the game.",
        "The rulings changed the game exactly as they say.",
        "as its entry",
        "Every act was decided again and gave exactly the stored events.",
        "The case is settled: everybody agreed.",
    ):
        assert told in said, told


async def test_every_command_of_the_walk_after_a_player_who_vanished_does_what_it_says(tmp_path: Path) -> None:
    async with serving(tmp_path / "data", LIBRARY, builtin, clock=utc_now, durable=False) as service:
        said = await walk(VANISHED, service, tmp_path)
        (game,) = (await service.get("/v1/games"))["items"]
        now = await service.get(f"/v1/games/{game['id']}")
        rows = (await service.get(f"/v1/games/{game['id']}/events?limit=200"))["items"]
    assert (now["status"], now["result"]["how"], now["result"]["winners"]) == ("over", "agreed", [])
    assert "Cleo" in {each["name"] for each in now["seats"]}
    happened = [row["type"] for row in rows]
    assert happened.index("clock-expired") < happened.index("seat-taken-over") < happened.index("end-proposed")
    for told in ("Proved: ", "were decided again and gave exactly the stored events.", "finished so: 1. Red and Blue."):
        assert told in said, told


async def test_every_command_of_the_walk_through_a_club_evening_does_what_it_says(tmp_path: Path) -> None:
    async with serving(tmp_path / "data", LIBRARY, builtin, clock=utc_now, durable=False) as service:
        said = await walk(TOURNAMENT, service, tmp_path)
        _, evening = (await service.get("/v1/tournaments"))["items"]
        (league,) = (await service.get("/v1/leagues"))["items"]
    assert (league["status"], league["seasons"]) == ("resting", 1)
    assert (evening["status"], evening["entrants"], evening["rounds"]) == ("closed", 5, 1)
    for told in (
        "3 proved, 0 not proved, 0 not read.",
        "TAB-LGE-07",
        "The tables of season 1 follow from its tournaments.",
        "The lots of 1 rounds are those of the secrets that were committed to.",
        "The final order follows from the results.",
    ):
        assert told in said, told


async def test_every_command_of_the_guide_to_signing_somebody_in_does_what_it_says(tmp_path: Path) -> None:
    async with serving(tmp_path / "data", clock=utc_now, durable=False) as service:
        said = await walk(OAUTH, service, tmp_path)
    for told in ("/device and enter ", '{"allowed":true}', '"name":"Ann"', '"scopes":["play","notify"]'):
        assert told in said, told
    assert said.endswith('{}{"active":false}')


def test_the_walks_have_commands_for_each_part() -> None:
    assert [len(commands(guide)) for guide in (DISPUTE, VANISHED, TOURNAMENT, OAUTH)] == [10, 8, 16, 5]
