"""`tabularium dump`: the same files however they are made, each whole when it has its name, and nothing made twice."""

import asyncio
import contextlib
import fcntl
import hashlib
import re
import shutil
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from service.cli import main
from service.dumps import making, pieces
from service.dumps.index import DumpsUnreadable, read_index
from service.dumps.making import Folder
from tests.helpers.stored import appended, filled
from tests.service.cli.calling import Call
from tests.service.dumps.conftest import chosen, dump


def files(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder that users see."""
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.name[0] != "."}


def test_a_second_run_writes_nothing(dumps: Path, data: Path, tmp_path: Path) -> None:
    shutil.copytree(dumps, tmp_path / "dumps")
    before = {each: each.stat().st_mtime_ns for each in (tmp_path / "dumps").iterdir() if each.name != ".lock"}
    assert dump(tmp_path / "dumps", "--data", data) == 0
    assert {each: each.stat().st_mtime_ns for each in (tmp_path / "dumps").iterdir() if each.name != ".lock"} == before


def test_the_sums_are_those_of_the_files(dumps: Path) -> None:
    named = [each for one in read_index(dumps) for each in one.files]
    assert {each.name for each in named} == {*files(dumps)} - {"index.json", "SHA256SUMS"}
    for each in named:
        content = (dumps / each.name).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (each.bytes, each.sha256)
    told = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=dumps, check=False)
    assert told.returncode == 0


def test_a_run_that_is_killed_goes_on_and_makes_the_same(
    dumps: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The games of the campaign have 360, 372 and 440 events: two pieces, and row groups as there are pieces.
    monkeypatch.setattr(making, "EVENTS", 500)
    monkeypatch.setattr(making, "ROWS", 1)
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert dump(whole, "--data", data, "--processes", 2) == 0, "with workers"
    kept, made, finished = Folder.keep, list[int](), list[str]()

    def dying(self: Folder, plan: making.Plan, each: pieces.Made) -> None:
        kept(self, plan, each)
        made.append(each.number)
        if len(made) == 1:
            raise KeyboardInterrupt

    finish = Folder.finish

    def dying_late(self: Folder, plan: making.Plan, certificates: bytes) -> making.DumpSet:
        finished.append(plan.name)
        if len(finished) == 1:
            with pytest.MonkeyPatch.context() as within:
                within.setattr(making, "write_index", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
                finish(self, plan, certificates)
        return finish(self, plan, certificates)

    monkeypatch.setattr(Folder, "keep", dying)
    monkeypatch.setattr(Folder, "finish", dying_late)
    for _ in range(2):
        with contextlib.suppress(KeyboardInterrupt):
            dump(broken, "--data", data, "--processes", 1)
        assert read_index(broken) == (), "what is not complete is in no index"
    assert dump(broken, "--data", data, "--processes", 1) == 0
    assert sorted(made) == [0, 0, 0, 1], "no piece is made twice"
    assert files(whole) == files(broken)
    assert pq.ParquetFile(next(whole.glob("*campaign*events.parquet"))).num_row_groups == 2
    assert pq.ParquetFile(next(dumps.glob("*campaign*events.parquet"))).num_row_groups == 1
    assert not [each for each in broken.iterdir() if each.name.endswith((".making", ".new"))]
    assert {each.key for each in read_index(whole)} == {each.key for each in read_index(dumps)}


def test_what_another_release_began_is_not_gone_on_with(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.cli.dump.version", lambda _: "0.0")
    monkeypatch.setattr(Folder, "keep", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with contextlib.suppress(KeyboardInterrupt):
        dump(tmp_path, "--data", data, "--processes", 1)
    (begun,) = tmp_path.glob(".*.making")
    name = begun.name[1 : -len(".making")]
    assert Folder(tmp_path).unfinished_plan(name, "0.0") is not None
    assert Folder(tmp_path).unfinished_plan(name, "0.1") is None
    assert not begun.exists()


def test_a_month_waits_until_it_is_over_and_signed(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("service.cli.dump.utc_now", lambda: datetime(2026, 2, 3, 23, 59, tzinfo=UTC))
    assert dump(tmp_path / "early", "--data", data) == 0
    assert read_index(tmp_path / "early") == ()
    monkeypatch.setattr("service.cli.dump.utc_now", lambda: datetime(2026, 2, 4, 0, 1, tzinfo=UTC))
    unsigned = tmp_path / "data"
    asyncio.run(filled(unsigned, [appended(chosen()[0])], None))
    capsys.readouterr()
    assert dump(tmp_path / "dumps", "--data", unsigned, "--processes", 1) == 0
    assert "1 wait until the transparency log has their games" in capsys.readouterr().out
    assert read_index(tmp_path / "dumps") == ()
    monkeypatch.setenv("TABULARIUM_TRANSPARENCY", "false")
    monkeypatch.setenv("TABULARIUM_DUMPS_LICENCE", "CC-BY-4.0")
    assert dump(tmp_path / "dumps", "--data", unsigned, "--processes", 1) == 0
    (made,) = read_index(tmp_path / "dumps")
    assert (made.checkpoint, made.licence, made.month) == (None, "CC-BY-4.0", "2026-01")
    assert "certificates" not in {each.content for each in made.files}


def test_a_damaged_game_holds_up_its_own_month_only(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(data, tmp_path / "data")
    with contextlib.closing(sqlite3.connect(tmp_path / "data" / "tabularium.db", isolation_level=None)) as store:
        triggers = store.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            store.execute(f"DROP TRIGGER {name}")
        (game,) = store.execute("SELECT game FROM games WHERE ruleset = 'mare-nostrum'").fetchone()
        store.execute("UPDATE events SET draws = draws + 1 WHERE game = ? AND version = 9", (game,))
        for _, made in triggers:
            store.execute(made)
    assert dump(tmp_path / "dumps", "--data", tmp_path / "data", "--processes", 1) == 1
    assert f"version 9 of game {game} is damaged" in capsys.readouterr().err
    assert {each.ruleset for each in read_index(tmp_path / "dumps")} == {"conquest-campaign", "conquest-classic-friz"}


def test_bad_input_is_said_in_a_line(call: Call, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TABULARIUM_DUMPS", raising=False)
    assert "no DIRECTORY is given" in call("dump", "--data", data).complaint
    assert "there is no store" in call("dump", tmp_path, "--data", tmp_path).complaint
    (tmp_path / "file").touch()
    assert "cannot be used" in call("dump", tmp_path / "file", "--data", data).complaint
    (tmp_path / ".lock").touch()
    with (tmp_path / ".lock").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert "another process makes dumps" in call("dump", tmp_path, "--data", data).complaint
    (tmp_path / "index.json").write_text("{}")
    assert "is no index of dumps" in call("dump", tmp_path, "--data", data).complaint
    assert "is no place to work on" in call("dump", tmp_path / "new", "--data", data, "--on", "moon").complaint


def test_an_index_names_nothing_outside_its_folder(dumps: Path, tmp_path: Path) -> None:
    told = (dumps / "index.json").read_text()
    for name in ("../tabularium.db", "a/b", ".hidden", ""):
        (tmp_path / "index.json").write_text(told.replace(read_index(dumps)[0].files[0].name, name))
        with pytest.raises(DumpsUnreadable):
            read_index(tmp_path)
    (tmp_path / "index.json").write_text(told.replace("tabularium-dumps/1", "tabularium-dumps/2"))
    with pytest.raises(DumpsUnreadable, match="this release reads"):
        read_index(tmp_path)


def test_without_the_packages_the_command_says_which(
    call: Call, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("service.dumps.making", "service.dumps.pieces"):
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "needs the extra packages of tabularium[data]" in call("dump", tmp_path, "--data", data).complaint


def test_nothing_but_making_dumps_needs_their_packages() -> None:
    service = Path(pieces.__file__).parents[1]
    needing = re.compile(r"^ *(from|import) (pyarrow|service\.dumps\.(pieces|making))\b", re.MULTILINE)
    found = {each.relative_to(service).as_posix() for each in service.rglob("*.py") if needing.search(each.read_text())}
    assert found == {"cli/dump.py", "dumps/making.py", "dumps/pieces.py"}


def test_games_that_are_archived_are_dumped_as_the_others(dumps: Path, data: Path, tmp_path: Path) -> None:
    shutil.copytree(data, tmp_path / "data")
    with pytest.raises(SystemExit) as end:
        main(["archive", "--older-than", "0", "--data", str(tmp_path / "data")])
    assert end.value.code in (0, None)
    assert dump(tmp_path / "dumps", "--data", tmp_path / "data", "--processes", 1) == 0
    assert files(tmp_path / "dumps") == files(dumps)
