"""Copies of the embedded store: made beside a service, checked before one of them replaces anything."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from service.cli import backup
from service.store.sqlite.backup import KEPT, copies, copies_to_keep, moment_of
from tests.service.cli.calling import Call, serving


def test_a_copy_that_was_made_beside_the_service_is_put_back_once_it_is_checked(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, folder = tmp_path / "data", tmp_path / "copies"
    with serving(data) as service:
        player = service.player()
        game = service.game(player)
        pauses = iter([lambda: None, lambda: service.game(player), interrupted])
        monkeypatch.setattr(backup, "sleep", lambda _: next(pauses)())
        monkeypatch.setattr(backup, "utc_now", moments())
        assert call("backup", folder, "--data", data, "--every", 60).code == 130
        first, *_, second = copies(folder)
        assert {folder.stat().st_mode & 0o777, first.stat().st_mode & 0o777} == {0o700, 0o600}
        assert len(games(second)) == 2
        assert "is in use by another service" in call("restore", folder, "--data", data).complaint
        assert service.interrupt() == 0
    before = (data / "tabularium.db").read_bytes()

    alter(second)
    said = call("restore", folder, "--data", data)
    assert (said.code, len(said.err.splitlines())) == (1, 1)
    assert f"{second} is not restored" in said.err
    second.write_bytes(second.read_bytes()[:5000])
    assert f"{second} is not restored" in call("restore", second, "--data", data).complaint
    assert (data / "tabularium.db").read_bytes() == before

    said = call("restore", first, "--data", data)
    assert (said.code, said.err) == (0, "")
    (aside,) = data.glob("before-*")
    assert {"tabularium.db", "projections.db", "snapshots.db"} <= {each.name for each in aside.iterdir()}
    assert (aside / "tabularium.db").read_bytes() == before
    assert games(data / "tabularium.db") == {game}
    assert not list(data.glob("restoring-*"))


def moments() -> Callable[[], datetime]:
    """Return a clock that goes on by a minute each time."""
    minutes = count()
    return lambda: datetime(2026, 11, 28, tzinfo=UTC) + timedelta(minutes=next(minutes))


def interrupted() -> None:
    raise KeyboardInterrupt


def games(database: Path) -> set[str]:
    with closing(sqlite3.connect(database)) as connection:
        return {game for (game,) in connection.execute("SELECT game FROM games")}


def alter(database: Path) -> None:
    """Change an event, past the triggers that stop everybody from doing so."""
    with closing(sqlite3.connect(database)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE events SET at = '2000-01-01T00:00:00.000000Z'")
        for _, definition in triggers:
            connection.execute(definition)
        connection.commit()


def test_what_cannot_be_copied_or_restored_is_said_in_a_line(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "cannot be read" in call("backup", tmp_path, "--data", tmp_path / "nowhere").complaint
    assert "contains no copies" in call("restore", tmp_path, "--data", tmp_path).complaint
    assert "No such file" in call("restore", tmp_path / "none.db", "--data", tmp_path).complaint
    monkeypatch.setenv("TABULARIUM_DATABASE_URL", "postgresql://me@127.0.0.1/games")
    assert "pgBackRest" in call("backup", tmp_path).complaint


def test_new_copies_stay_and_of_older_ones_one_an_hour_and_one_a_day() -> None:
    now = datetime(2026, 11, 28, 22, 30, tzinfo=UTC)
    made = [Path(f"tabularium-{now - timedelta(minutes=age):%Y%m%dT%H%M%SZ}.db") for age in range(0, 60 * 24 * 9, 10)]
    ages = [(now - moment_of(copy)) // timedelta(minutes=1) for copy in copies_to_keep(made)]
    assert len(ages) <= sum(KEPT.values())
    assert set(range(0, 100, 10)) <= set(ages), "the newest"
    assert {age for age in ages if age < 24 * 60} >= {40 + 60 * hour for hour in range(23)}, "the last of each hour"
    assert max(ages) == 22 * 60 + 40 + 5 * 24 * 60, "the last of the oldest of seven days"
