"""A sandbox: known accounts and games, time that is moved, and the same again after a reset."""

import subprocess
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest

from domain.kernel.rules import schema
from domain.library import LIBRARY
from tests.service.api.serving import serving as serving_here
from tests.service.cli.calling import Call, Served, http, serving
from tests.test_walks import HERE, commands

GUIDE = Path(__file__).parents[3] / "openapi" / "README.md"
NOON = "2026-01-02T12:00:00.000000Z"


def shown(sandbox: Served) -> dict[str, Any]:
    return http.get(f"{sandbox.address}/v1/sandbox").raise_for_status().json()


def game_about(sandbox: Served, word: str) -> str:
    return next(each["game"] for each in shown(sandbox)["games"] if word in each["about"])


def moved(sandbox: Served, at: str) -> Any:
    return http.put(f"{sandbox.address}/v1/sandbox/time", json={"at": at})


def mover(sandbox: Served, game: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers of somebody who has to move in a game."""
    token = next(each["token"] for each in shown(sandbox)["accounts"] if each["player"] == game["waits_for"][0])
    return {"authorization": f"Bearer {token}"}


def move_once(sandbox: Served, game: Mapping[str, Any]) -> None:
    url, headers = f"{sandbox.address}/v1/games/{game['game']}", mover(sandbox, game)
    options = http.get(f"{url}/options", headers=headers).json()["options"]
    asked = next(each for each in options if each.get("decision"))
    command = schema.sample(asked["schema"], Random(1))
    http.post(f"{url}/commands", json={"command": command}, headers=headers).raise_for_status()


def heads(sandbox: Served) -> dict[str, str]:
    games = [each["game"] for each in shown(sandbox)["games"]]
    return {game: http.get(f"{sandbox.address}/v1/games/{game}").json()["head"] for game in games}


def test_each_ruleset_has_a_game_in_which_somebody_with_a_known_token_has_to_move(sandbox: Served) -> None:
    seen = shown(sandbox)
    assert seen["now"] == NOON
    moving = [each for each in seen["games"] if each["version"] > 50]
    assert {each["ruleset"] for each in moving} == set(LIBRARY.ids())
    for game in moving:
        move_once(sandbox, game)
    after = [each["version"] for each in shown(sandbox)["games"] if each["game"] in {each["game"] for each in moving}]
    assert all(version > game["version"] for version, game in zip(after, moving, strict=True))
    assert seen["accounts"][0]["token"] in sandbox.welcome


def test_flags_fall_at_their_times_while_the_time_is_moved(sandbox: Served) -> None:
    game = game_about(sandbox, "clock")
    (blue,) = [
        each for each in http.get(f"{sandbox.address}/v1/games/{game}").json()["clocks"]["seats"] if each["runs"]
    ]
    assert moved(sandbox, "2026-01-02T13:00:00+00:00").json()["now"] == "2026-01-02T13:00:00.000000Z"
    rows = http.get(f"{sandbox.address}/v1/games/{game}/events?limit=200").json()["items"]
    fallen = [row["at"] for row in rows if row["type"] == "clock-expired"]
    assert fallen[0] == blue["falls_at"]
    assert len(fallen) > 2
    assert fallen == sorted(set(fallen))
    assert not any(row["type"] == "outage-credited" for row in rows)


def test_a_game_that_nobody_plays_ends_after_ninety_days_to_the_moment(sandbox: Served) -> None:
    game = next(each["game"] for each in shown(sandbox)["games"] if each["version"] > 50)
    ends = http.get(f"{sandbox.address}/v1/games/{game}").json()["abandoned_at"]
    moved(sandbox, "2026-12-31T12:00:00Z").raise_for_status()
    now = http.get(f"{sandbox.address}/v1/games/{game}").json()
    (last,) = http.get(f"{sandbox.address}/v1/games/{game}/events?after={now['version'] - 1}").json()["items"]
    assert (now["status"], now["result"]["how"], last["at"]) == ("over", "abandoned", ends)


@pytest.mark.parametrize("at", ["2026-01-02T11:59:59Z", "2027-06-01T00:00:00Z"])
def test_time_neither_runs_backwards_nor_far_ahead(sandbox: Served, at: str) -> None:
    answer = moved(sandbox, at)
    assert (answer.status_code, answer.json()["type"]) == (409, "/problems/time-out-of-reach")
    assert f"Name a time from {NOON}" in answer.json()["allowed"]
    assert shown(sandbox)["now"] == NOON


def test_the_same_requests_lead_to_the_same_hashes_after_a_reset_and_in_another_sandbox(
    sandbox: Served, tmp_path: Path
) -> None:
    def play(service: Served) -> tuple[dict[str, str], str]:
        for game in shown(service)["games"]:
            if game["version"] > 50:
                move_once(service, game)
        moved(service, "2026-01-02T13:00:00Z").raise_for_status()
        body = {"ruleset": "mare-nostrum", "players": 3}
        made = http.post(f"{service.address}/v1/games", json=body, headers=mover(service, shown(service)["games"][0]))
        return heads(service), made.json()["head"]

    first = play(sandbox)
    assert http.post(f"{sandbox.address}/v1/sandbox/reset").status_code == 204
    assert heads(sandbox) != first[0]
    assert play(sandbox) == first
    with serving(tmp_path / "other", "--sandbox") as other:
        assert play(other) == first


def test_a_reset_ends_streams_and_several_at_once_are_no_more_than_one(sandbox: Served) -> None:
    game = game_about(sandbox, "clock")
    with http.stream("GET", f"{sandbox.address}/v1/games/{game}/events/stream") as stream:
        lines = stream.iter_lines()
        assert next(lines)
        moved(sandbox, "2026-01-02T13:00:00Z")
        with ThreadPoolExecutor(4) as together:
            answers = [*together.map(lambda _: http.post(f"{sandbox.address}/v1/sandbox/reset"), range(4))]
        assert {each.status_code for each in answers} == {204}
        assert [*lines]
    assert shown(sandbox)["now"] == NOON
    assert http.get(f"{sandbox.address}/v1/games/{game}").json()["version"] == 11


async def test_a_service_that_is_no_sandbox_has_no_time_to_move(tmp_path: Path) -> None:
    async with serving_here(tmp_path) as service:
        for method, path in (("GET", ""), ("PUT", "/time"), ("POST", "/reset")):
            answer = await service.client.request(method, f"/v1/sandbox{path}")
            assert (answer.status_code, answer.json()["type"]) == (404, "/problems/no-sandbox")


def test_what_a_sandbox_signs_says_that_it_proves_nothing(sandbox: Served) -> None:
    assert http.get(f"{sandbox.address}/transparency/checkpoint").text.startswith("tabularium-sandbox/proves-nothing\n")


@pytest.mark.usefixtures("sandbox")
def test_no_service_opens_what_a_sandbox_made_nor_a_sandbox_what_a_service_made(
    call: Call, folder: Path, tmp_path: Path
) -> None:
    with serving(tmp_path / "service") as service:
        service.player()
    before = (tmp_path / "service" / "tabularium.db").read_bytes()
    refused = call("serve", "--sandbox", "--port", 0, "--data", tmp_path / "service")
    assert "was not made by a sandbox" in refused.complaint
    assert (tmp_path / "service" / "tabularium.db").read_bytes() == before
    copy = tmp_path / "copied" / "tabularium.db"
    copy.parent.mkdir()
    copy.write_bytes((folder / "seed" / "tabularium.db").read_bytes())
    refused = call("serve", "--port", 0, "--data", copy.parent)
    assert "was made by a sandbox" in refused.complaint
    assert "was made by a sandbox" in " ".join(call("doctor", "--data", copy.parent).out.split())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TABULARIUM_DATABASE_URL", "postgresql://me@127.0.0.1/games"),
        ("TABULARIUM_LOG_KEY", "PRIVATE+KEY+x"),
        ("TABULARIUM_HOST", "0.0.0.0"),
        ("TABULARIUM_SANDBOX", "true"),
    ],
)
def test_variables_that_a_sandbox_must_not_have_are_named(
    call: Call, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    assert name in call("serve", "--sandbox", "--port", 0).complaint


def test_the_guide_begins_in_a_sandbox(sandbox: Served, tmp_path: Path) -> None:
    section = GUIDE.read_text().partition("## Begin in a sandbox\n")[2].partition("\n## ")[0]
    (tmp_path / "guide.md").write_text(section)
    script = "set -euo pipefail\n" + "\n".join(commands(tmp_path / "guide.md")).replace(HERE, sandbox.address)
    said = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, timeout=60).stdout
    assert "The time of Blue is up." in said
    assert shown(sandbox)["now"] == NOON
