"""The example bots in `openapi/` play every ruleset, beside bots of the service, from one stream each."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx

from domain.kernel.proof.verify import verify
from domain.library import LIBRARY
from tests.clients import packed
from tests.contract import clients
from tests.contract.running import running
from tests.helpers.sampling import sampled

EXAMPLES: Final = clients.HERE.parents[1] / "openapi"
ENOUGH: Final = 10
"""The commands that each bot gives in each game."""
PLAYED: Final = sampled("games of the example bots", LIBRARY.ids(), 1)


@contextmanager
def playing(*command: str | Path, log: Path) -> Iterator[None]:
    """Let a program play."""
    environment = os.environ | {"PYTHONPATH": str(packed.python() / "site")}
    with (
        log.open("wb") as stderr,
        subprocess.Popen([*map(str, command)], stdout=stderr, stderr=stderr, env=environment) as process,
    ):
        try:
            yield
            assert process.poll() is None, log.read_text()
        finally:
            process.kill()


def begin(api: httpx.Client, ruleset: str, players: dict[str, str]) -> str:
    """Return a game that has begun: accounts with these tokens sit in turn, bots of the service on the other seats."""
    headers = [{"Authorization": f"Bearer {token}"} for token in players.values()]
    wish = {"ruleset": ruleset, "players": max(LIBRARY.current(ruleset).players[0], len(players))}
    game = api.post("/v1/games", json=wish, headers=headers[0]).json()
    url = f"/v1/games/{game['id']}"
    for seat, who in zip(game["seats"], headers, strict=False):
        assert api.post(f"{url}/seats", json={"seat": seat["seat"]}, headers=who).is_success
    for seat in game["seats"][len(players) :]:
        put = api.put(f"{url}/seats/{seat['seat']}/bot", json={"level": "random"}, headers=headers[0])
        assert put.is_success, put.text
    assert api.post(f"{url}/start", headers=headers[0]).is_success
    return url


def given(api: httpx.Client, url: str) -> dict[str, int]:
    """Return how many commands each account has given."""
    after, counts = 0, dict[str, int]()
    while after is not None:
        page: dict[str, Any] = api.get(f"{url}/events", params={"after": after, "limit": 500}).json()
        for event in page["items"]:
            if "command" in event.get("cause", {}):
                counts[event["cause"]["player"]] = counts.get(event["cause"]["player"], 0) + 1
        after = page["next"]
    return counts


def test_the_example_bots_play_by_any_ruleset(tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(packed.typescript() / "node_modules")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    shutil.copy(EXAMPLES / "bot.ts", tmp_path)
    with (
        running(tmp_path / "data", tmp_path / "service.log", bot_pause=0) as (address, _),
        httpx.Client(base_url=address, timeout=60) as api,
    ):
        registered = [api.post("/v1/players", json={"name": name}).json() for name in ("Python", "TypeScript")]
        players = {each["player"]["id"]: each["token"] for each in registered}
        games = [begin(api, ruleset, players) for ruleset in PLAYED]
        python, typescript = players.values()
        with (
            playing(sys.executable, EXAMPLES / "bot.py", address, python, log=tmp_path / "python.log"),
            playing(
                clients.NODE,
                tmp_path / "bot.ts",
                address,
                typescript,
                log=tmp_path / "typescript.log",
            ),
        ):
            until = time.monotonic() + 240
            for url in games:
                while not all(given(api, url).get(player, 0) >= ENOUGH for player in players):
                    assert time.monotonic() < until, (url, given(api, url))
                    time.sleep(0.5)
        for url in games:
            verdict = verify(api.get(f"{url}/export").content.splitlines(keepends=True), LIBRARY)
            assert verdict.ok, verdict.problem


def test_they_are_short() -> None:
    for name in ("bot.py", "bot.ts"):
        assert (EXAMPLES / name).read_text().count("\n") <= 40
