"""A stranger's bot in TypeScript, which knows the contract only, plays against a running service, without a cast.

``python -m tests.contract.test_bot`` has it play a whole game of each ruleset.
"""

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx

from domain.kernel.proof.verify import verify
from domain.library import LIBRARY
from service.api.contract import files as contract
from tests.contract import clients
from tests.contract.running import running
from tests.helpers.sampling import sampled

BOT: Final = clients.HERE / "typescript" / "bot.ts"
FEW: Final = 40
"""The commands that the bot gives in the test; whole games take minutes."""
PLAYED: Final = sampled("a stranger's bot", LIBRARY.ids(), 1)


@contextmanager
def bots(folder: Path) -> Iterator[tuple[str, Path]]:
    """Compile the bot against the contract and run a service; yield the service's address and the program."""
    clients.typescript_client(contract.published(LIBRARY), folder)
    shutil.copy(BOT, folder)
    clients.compile_typescript(folder)
    with running(folder / "data", folder / "service.log") as (address, _):
        yield address, folder / "bot.js"


def play(address: str, program: Path, ruleset: str, *most: str) -> dict[str, Any]:
    """Return what the bot says of the game that it played; what is stored of it verifies."""
    said = json.loads(clients.node(program, address, ruleset, *most))
    exported = httpx.get(f"{address}/v1/games/{said['game']}/export", timeout=60).content
    verdict = verify(exported.splitlines(keepends=True), LIBRARY)
    assert verdict.ok, verdict.problem
    return said


def test_it_plays_by_any_ruleset(tmp_path: Path) -> None:
    with bots(tmp_path) as (address, program):
        for ruleset in PLAYED:
            said = play(address, program, ruleset, str(FEW))
            assert (said["ruleset"], said["commands"]) == (ruleset, FEW)
            assert said["version"] > FEW
            assert len(said["seats"]) == LIBRARY.current(ruleset).players[0]


def test_it_has_no_cast() -> None:
    source = BOT.read_text()
    code = re.sub(r"//.*|/\*\*.*?\*/", "", source.replace("://", ""))
    assert source.count("\n") < 150
    assert re.findall(r"\bas\b|\bany\b|@ts-|!\.|\bis [A-Z]", code) == []


def main() -> None:
    """Play a whole game of each ruleset."""
    with tempfile.TemporaryDirectory() as folder, bots(Path(folder)) as (address, program):
        for ruleset in sys.argv[1:] or LIBRARY.ids():
            said = play(address, program, ruleset)
            print(f"{ruleset}: {said['commands']} commands, {said['version']} events, {said['status']}, verified")


if __name__ == "__main__":
    main()
