"""Schemathesis against a running service: whatever is sent, no server error and no answer that is not documented."""

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import httpx

from domain.kernel.rules import schema
from domain.library import LIBRARY
from tests.contract.running import running
from tests.helpers.sampling import RUN

SECONDS = 20 if RUN.seed else 300
"""The time limit. The examples and the coverage of every endpoint come first, then fuzzing.

A run with a seed looks at samples only, so that it is short.
"""

SEED = Random(f"{RUN.seed} schemathesis").getrandbits(32)

# A request that fits its schema may still be refused: by a rule (409, 422), for its version (412) or cursor (400), or
# because an account has guessed too many codes of devices (429). One that does not fit may be too long (414).
CONFIG = """
seed = {seed}
continue-on-failure = true
request-timeout = 10
max-stream-events = 2
workers = 1

[parameters]
"path.ruleset" = "{ruleset}"
"path.game" = "{game}"

[checks.positive_data_acceptance]
expected-statuses = ["2xx", "304", "400", "401", "403", "404", "409", "412", "416", "422", "426", "429"]

[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "412", "413", "414", "415", "416", "422", "426"]
"""


def test_no_server_error_and_no_undocumented_answer(tmp_path: Path, database_url: str) -> None:
    log = tmp_path / "service.log"
    with running(tmp_path / "data", log, database_url) as (address, _):
        ruleset, game, authorization = a_game_under_way(address)
        config = tmp_path / "schemathesis.toml"
        config.write_text(CONFIG.format(seed=SEED, ruleset=ruleset, game=game))
        run = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "run"),
                *("--header", f"Authorization: {authorization}", "--max-time", str(SECONDS), "--no-color"),
                *("--generation-database", "none", "--warnings", "off", f"{address}/openapi.json"),
            ],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            timeout=SECONDS * 4,
            check=False,
        )
    assert run.returncode == 0, run.stdout + run.stderr
    failed = [line for line in log.read_text().splitlines() if json.loads(line)["level"] == "error"]
    assert failed == []


def a_game_under_way(address: str) -> tuple[str, str, str]:
    """Return a ruleset, a game by it in which some commands were given, and the authorization of a player of it."""
    rng = Random(SEED)
    ruleset = LIBRARY.current(LIBRARY.ids()[0])
    with httpx.Client(base_url=address, timeout=60) as client:

        def post(path: str, token: str, body: Any = None) -> Any:
            answer = client.post(path, json=body, headers={"Authorization": token})
            assert answer.status_code in (200, 201), answer.text
            return answer.json()

        def register(name: str) -> str:
            return "Bearer " + client.post("/v1/players", json={"name": name}).json()["token"]

        tokens = [register(name) for name in ("Livia", "Marcus", "Titus")[: ruleset.players[0]]]
        game = post("/v1/games", tokens[0], {"ruleset": ruleset.id, "players": len(tokens)})["id"]
        for token in tokens:
            post(f"/v1/games/{game}/seats", token, {})
        post(f"/v1/games/{game}/start", tokens[0])
        for _ in range(20):
            token, options = next(found for token in tokens if (found := options_of(client, game, token))[1])
            command = schema.sample(rng.choice(options)["schema"], rng)
            post(f"/v1/games/{game}/commands", token, {"command": command})
    return ruleset.id, game, tokens[0]


def options_of(client: httpx.Client, game: str, token: str) -> tuple[str, list[Any]]:
    """Return a player's token, and those of the player's options that answer an open decision."""
    view = client.get(f"/v1/games/{game}/options", headers={"Authorization": token}).json()
    return token, [option for option in view["options"] if option.get("decision")]
