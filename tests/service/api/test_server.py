"""The process: it stops cleanly with streams open, and goes on where it was."""

from pathlib import Path

import httpx

from domain.library import LIBRARY
from tests.contract.running import running


def test_a_signal_stops_it_cleanly_and_a_new_start_goes_on(tmp_path: Path) -> None:
    data, log = tmp_path / "data", tmp_path / "service.log"
    with running(data, log) as (address, process), httpx.Client(base_url=address, timeout=60) as client:
        token = client.post("/v1/players", json={"name": "Anna"}).json()["token"]
        ruleset = LIBRARY.current(LIBRARY.ids()[0])
        body = {"ruleset": ruleset.id, "players": ruleset.players[0]}
        game = client.post("/v1/games", json=body, headers={"Authorization": f"Bearer {token}"}).json()
        with client.stream("GET", f"/v1/games/{game['id']}/events/stream") as stream:
            process.terminate()
            list(stream.iter_bytes())  # ends, and is not torn off
        assert process.wait(30) == 0, log.read_text()  # long before the grace of requests is over

    with running(data, log) as (address, _):
        again = httpx.get(f"{address}/v1/games/{game['id']}", headers={"Authorization": f"Bearer {token}"}).json()
        assert again == game
