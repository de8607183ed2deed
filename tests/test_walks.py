"""The walk through a dispute (`openapi/disputes.md`): its commands do what it says, one after another."""

import asyncio
import os
import re
import sys
from pathlib import Path

from domain.boards import builtin
from domain.library import LIBRARY
from service.base.clock import utc_now
from tests.service.api.serving import serving

ROOT = Path(__file__).parents[1]
GUIDE = ROOT / "openapi" / "disputes.md"
HERE = "http://127.0.0.1:8000"


def commands() -> list[str]:
    return re.findall(r"^```bash\n(.*?)^```$", GUIDE.read_text(), re.DOTALL | re.MULTILINE)


async def test_every_command_of_the_walk_does_what_it_says(tmp_path: Path) -> None:
    folder, program = tmp_path / "walk", tmp_path / "bin" / "tabularium"
    program.parent.mkdir()
    folder.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m service.cli "$@"\n')
    program.chmod(0o755)
    environment = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    async with serving(tmp_path / "data", LIBRARY, builtin, clock=utc_now, durable=False) as service:
        address = str(service.client.base_url).rstrip("/")
        script = "set -euo pipefail\n" + "\n".join(commands()).replace(HERE, address)
        walking = await asyncio.create_subprocess_exec(
            "bash",
            "-c",
            script,
            cwd=folder,
            env=environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said = (await asyncio.wait_for(walking.communicate(), 500))[0].decode()
        assert walking.returncode == 0, said[-3000:]
        (case,) = (await service.get("/v1/cases"))["items"]
    assert (case["status"], case["kind"]) == ("settled", "dice")
    text = " ".join(said.split())
    for told in (
        "settled",
        "The seats, the officials and the versions are those of the game, and the rulings changed it as told.",
        "as its entry",
        "Every act was decided again and gave exactly the stored events.",
        "The case is settled: everybody agreed.",
    ):
        assert told in text, told


def test_the_walk_has_commands_for_each_part() -> None:
    assert len(commands()) == 10
