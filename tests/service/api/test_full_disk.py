"""A full disk is named: in the answer, in /ready, in a metric and in the log; and the service comes back by itself."""

import errno
import sqlite3
from pathlib import Path

import pytest
import structlog

from service.doctor import embedded
from service.doctor.embedded import LITTLE, examine
from service.store.protocol import StoreFull
from service.store.sqlite.connections import Translated
from tests.service.api.serving import Player, Service, serving

FULL = "The disk of the database is full: nothing can be stored, but everything can be read."


async def test_a_full_disk_is_named_and_the_service_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(tmp_path) as service:
        anna, bert = await service.register("Anna"), await service.register("Bert")
        game = await service.begun(anna, bert)
        writer: sqlite3.Connection = service.services.store._database._writer._connection  # type: ignore[attr-defined]
        # SQLite says of a file that may not grow what it says of a disk that is full.
        writer.execute("PRAGMA max_page_count = 1")
        with structlog.testing.capture_logs() as logged:
            refused = await _fill(service, game, anna)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "10")
        assert (refused.json()["type"], refused.json()["detail"]) == ("/problems/unavailable", FULL)
        told = [entry for entry in logged if entry["event"] == "request failed"]
        assert "no room is left on the disk of" in str(told[0]["exc_info"])
        ready = await service.client.get("/ready")
        assert (ready.status_code, ready.json()["detail"]) == (503, FULL)
        assert "tabularium_store_full 1.0" in (await service.client.get("/metrics")).text
        assert (await service.get(f"/v1/games/{game}"))["id"] == game
        writer.execute("PRAGMA max_page_count = 1073741823")
        await service.give(game, anna, "put-up", coins=1)
        monkeypatch.setattr("service.store.sql.store.FULL_LASTS", 0.0)
        assert (await service.client.get("/ready")).status_code == 200
        assert "tabularium_store_full 0.0" in (await service.client.get("/metrics")).text


async def _fill(service: Service, game: str, anna: Player):
    """Write until no page is free any more; return the first answer that says so."""
    for number in range(2000):
        answer = await service.ask(
            "POST", "/v1/games", anna, {"ruleset": "tiny-auction", "players": 2, "title": f"{number} " * 10}
        )
        if answer.status_code != 201:
            return answer
    raise AssertionError("the disk is never full")


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_no_room_for_a_file_is_a_full_disk(tmp_path: Path, code: int) -> None:
    translated = Translated(tmp_path / "tabularium.db")
    with pytest.raises(StoreFull, match="no room is left"), translated:
        raise OSError(code, "No space left on device")


async def test_the_doctor_names_a_disk_that_is_nearly_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(tmp_path) as service:
        monkeypatch.setattr(embedded.shutil, "disk_usage", lambda _: type("Usage", (), {"free": LITTLE - 1}))
        (disk,) = [each for each in await examine(service.services.settings) if each.check == "disk"]
        assert (disk.level, disk.remedy[:9]) == ("fail", "Make room")
