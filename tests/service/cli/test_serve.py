"""A service from its start to Ctrl-C, in a process of its own."""

import asyncio
import json
import re
import socket
from itertools import islice
from pathlib import Path

import pytest

from service.app import open_services
from service.base.settings import Settings
from tests.service.cli.calling import Call, http, serving, start


def test_a_service_starts_on_nothing_and_goes_on_with_every_game(call: Call, tmp_path: Path):
    data = tmp_path / "new" / "data"
    with serving(data) as service:
        address = service.address
        assert f"documentation   {address}/docs\n" in service.welcome
        assert f"data directory  {data}\n" in service.welcome
        first = re.search(r"a first request curl (\S+)\n", service.welcome)
        assert first is not None
        assert http.get(first[1]).status_code == 200
        assert http.get(f"{address}/docs").status_code == 200
        anna = service.player()
        games = [service.game(anna) for _ in range(3)]
        with http.stream("GET", f"{address}/v1/games/{games[0]}/events/stream") as stream:
            assert next(stream.iter_lines())
            assert service.interrupt() == 0, "soon, though somebody listens"
    with serving(data) as service:
        for game in games:
            assert http.get(f"{service.address}/v1/games/{game}").json()["version"] == 1
        http.post(f"{service.address}/v1/games/{games[0]}/seats", json={}, headers=anna).raise_for_status()

        # Another service over the same directory is turned away, and disturbs nothing.
        complaint = call("serve", "--port", 0, "--data", data).complaint
        assert f"{data} is in use by another service (process {service.process.pid})" in complaint

        _exports(call, service.address, games[0], anna["authorization"].removeprefix("Bearer "), tmp_path)

        host, port = service.address.removeprefix("http://").split(":")
        occupied = call("serve", "--host", host, "--port", port, "--data", tmp_path / "other")
        assert occupied.complaint == f"cannot listen on {host}:{port}: Address already in use"
        assert service.interrupt() == 0


def test_bots_play_for_whoever_looks_on_and_go_on_after_a_restart(tmp_path: Path):
    shown: list[str] = []
    for _ in range(2):
        with serving(tmp_path, "--demonstrate", "--pace", 0) as service:
            assert f"reading room    {service.address.replace('127.0.0.1', 'localhost')}/\n" in service.welcome
            assert service.process.stdout is not None
            line = service.process.stdout.readline().strip()
            assert line.startswith(f"A game is being played at {service.address}/games/")
            shown.append(line.rpartition("/")[2])
            # Not asked again and again: every question is a line in a pipe that nobody reads yet.
            with http.stream("GET", f"{service.address}/v1/games/{shown[-1]}/events/stream") as stream:
                events = (line for line in stream.iter_lines() if line.startswith("data: "))
                assert len(list(islice(events, 20))) == 20
            assert service.interrupt() == 0
            assert service.process.stderr is not None
            requests = [each for each in map(json.loads, service.process.stderr) if each["event"] == "request"]
            assert not any(each["path"].endswith("/commands") for each in requests), "they are no news"
    assert shown[0] == shown[1]


def _exports(call: Call, address: str, game: str, token: str, folder: Path) -> None:
    for given in ((), ("--token", token)):
        file = folder / f"export{len(given)}.jsonl"
        said = call("export", game, "--url", address, "--output", file, *given)
        assert (said.code, said.out) == (0, f"{file}: 4 lines\n"), said.err
        assert call("verify", file).code == 0
    assert "token" in call("export", game, "--url", address, "--token", "wrong").complaint.lower()
    assert "nothing" in call("export", "nothing", "--url", address).complaint


async def _laid_out(data: Path) -> None:
    async with open_services(Settings(data=data)):
        pass


@pytest.mark.parametrize("damage", ["flipped", "cut", "empty", "other"])
def test_a_damaged_database_is_said_at_start_and_left_alone(call: Call, tmp_path: Path, damage: str):
    database = tmp_path / "tabularium.db"
    if damage in ("empty", "other"):
        database.write_bytes(b"" if damage == "empty" else b"Dear Caesar,\n" * 1000)
    else:
        asyncio.run(_laid_out(tmp_path))
        content = bytearray(database.read_bytes())
        content[4096 * 2 : 4096 * 2 + 200] = bytes(200) if damage == "flipped" else b""
        database.write_bytes(content)
    before = database.read_bytes()
    assert str(database) in call("serve", "--port", 0, "--data", tmp_path).complaint
    assert database.read_bytes() == before


def test_a_data_directory_must_be_a_directory(call: Call, tmp_path: Path):
    file = tmp_path / "file"
    file.touch()
    assert call("serve", "--port", 0, "--data", file).complaint == f"{file} cannot be the data directory: File exists"


def test_a_service_says_what_it_runs_with_and_no_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call):
    monkeypatch.setenv("TABULARIUM_DATABASE_URL", "postgresql://me:sesame@127.0.0.1:1/games")
    said = call("settings")
    assert "\nTABULARIUM_DATABASE_URL=postgresql://me:…@127.0.0.1:1/games\n" in said.out
    assert "\n# TABULARIUM_DURABLE=true\n" in said.out
    assert "\n# TABULARIUM_RATE_PER_TOKEN=off\n" in said.out
    assert "\n# TABULARIUM_HEADER_LIMIT=16384\n" in said.out
    assert "sesame" not in said.out
    assert call("settings", "--json").json["TABULARIUM_DATABASE_URL"] == "postgresql://me:…@127.0.0.1:1/games"

    monkeypatch.delenv("TABULARIUM_DATABASE_URL")
    monkeypatch.setenv("TABULARIUM_METRICS_PORT", "0")
    with serving(tmp_path) as service:
        assert service.process.stderr is not None
        line = json.loads(service.process.stderr.readline())
        assert line["event"] == "serving"
        assert line["settings"]["data"] == str(tmp_path)
        assert line["address"] == service.address
        assert "tabularium_info" in http.get(f"{line['metrics']}/metrics").text
        assert service.interrupt() == 0


def test_a_service_says_what_it_limits_and_warns_of_what_it_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with serving(tmp_path / "own") as service:
        assert "\n  limits          2000 connections, 100 connections for each address\n" in service.welcome
    monkeypatch.setenv("TABULARIUM_RATE_PER_TOKEN", "off")
    with serving(tmp_path / "public", "--host", "0.0.0.0") as service:
        assert (
            "\n  limits          200 requests a second for each address, 30 new accounts an hour for each address, "
            "2000 connections, 100 connections for each address\n"
        ) in service.welcome
        assert service.process.stdout is not None
        assert service.process.stderr is not None
        warning = "Warning: 0.0.0.0 can be reached from other machines, and these limits are off: "
        assert service.process.stdout.readline() == f"{warning}TABULARIUM_RATE_PER_TOKEN.\n"
        told = [json.loads(service.process.stderr.readline()) for _ in range(2)]
        assert [line["level"] for line in told] == ["info", "warning"]
        assert told[0]["limits"]["rate_per_token"] == "off"
        assert told[0]["limits"]["rate_per_address"] == told[0]["settings"]["rate_per_address"] == 200
        assert told[1]["off"] == ["TABULARIUM_RATE_PER_TOKEN"]


def test_settings_that_make_no_sense_are_named(call: Call, monkeypatch: pytest.MonkeyPatch):
    assert "TABULARIUM_PORT='99999'" in call("serve", "--port", 99999).complaint
    monkeypatch.setenv("TABULARIUM_DURABLE", "perhaps")
    assert "TABULARIUM_DURABLE='perhaps'" in call("serve").complaint
    monkeypatch.setenv("TABULARIUM_GRAZE", "1")
    assert "TABULARIUM_GRAZE is not a setting" in call("serve").complaint


def test_an_address_of_another_machine_cannot_be_listened_on(call: Call, tmp_path: Path):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    complaint = call("serve", "--host", "192.0.2.1", "--port", port, "--data", tmp_path).complaint
    assert f"cannot listen on 192.0.2.1:{port}" in complaint


def test_a_reader_who_stops_gets_no_traceback(exported: Path):
    with start("replay", exported) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert "Traceback" not in process.stderr.read()
