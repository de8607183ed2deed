"""The key of the transparency log, from the command line."""

import asyncio
import stat
from pathlib import Path

import pytest

from domain.transparency.note import read_key
from service.base.settings import Settings
from service.store.sqlite.lock import only_service
from service.store.sqlite.store import SqliteStore
from service.transparency.keys import LogKey, present_key, read_log_key
from tests.service.cli.calling import Call
from tests.service.transparency.logs import Streams, sequencer


def test_a_key_of_a_chosen_name_is_made_before_the_first_start(call: Call, tmp_path: Path) -> None:
    said = call("transparency", "key", "games.example/log", "--data", tmp_path)
    assert (said.code, said.err) == (0, "")
    key = present_key(Settings(data=tmp_path))
    assert key is not None
    assert said.out == f"{key.signers[0].key}\n"
    assert read_key(said.out.strip()).name == "games.example/log"


def test_a_new_log_is_named_after_the_old_one_whose_key_stays(call: Call, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    call("transparency", "key", "games.example/log", "--data", tmp_path)
    old = present_key(settings)
    assert old is not None
    asyncio.run(signed_once(settings, old))
    said = call("transparency", "key", "--data", tmp_path)
    new = present_key(settings)
    assert new is not None
    assert said.out == f"{new.signers[0].key}\n"
    assert new.origin.startswith("games.example/log/after/1-")
    (before,) = tmp_path.glob("log.key.before-*")
    assert read_log_key(before.read_text()).signers[0].key == old.signers[0].key


async def signed_once(settings: Settings, key: LogKey) -> None:
    store = await SqliteStore.open(settings.database)
    await Streams(store, ("g1",)).go_on("g1")
    await sequencer(store, settings.data, key).turn()
    await store.close()


def test_a_key_for_elsewhere_goes_to_a_new_file_for_its_owner_alone(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABULARIUM_DATABASE_URL", "postgresql://127.0.0.1:1/games")
    file = tmp_path / "key"
    said = call("transparency", "key", "games.example/log", "--to", file)
    assert said.code == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    written = file.read_text()
    assert read_log_key(written).origin == "games.example/log"
    assert written.strip() not in said.out
    assert "File exists" in call("transparency", "key", "--to", file).complaint
    assert file.read_text() == written
    assert "say with --to" in call("transparency", "key").complaint


def test_the_key_of_a_service_that_runs_is_not_replaced(call: Call, tmp_path: Path) -> None:
    with only_service(tmp_path):
        assert "in use by another service" in call("transparency", "key", "--data", tmp_path).complaint
    assert "cannot be the name" in call("transparency", "key", "a b", "--data", tmp_path).complaint
    assert not (tmp_path / "log.key").exists()
