"""Dumps over HTTP: the list, downloads that go on where they broke off, and folders that are not as they should be."""

import hashlib
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from service.api.downloads import PIECE
from service.dumps.index import DumpFile, DumpSet, read_index, write_index
from tests.service.api.serving import Service, serving

RULESETS = ("italia-1", "mare-nostrum")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with sets of two rulesets and three months, each with one file."""
    folder, sets = tmp_path / "dumps", list[DumpSet]()
    folder.mkdir()
    for month in ("2026-07", "2026-08", "2026-09"):
        for ruleset in RULESETS:
            path = folder / f"{ruleset}-{month}.games.parquet"
            path.write_bytes(path.name.encode() * PIECE if month == "2026-07" else path.name.encode())
            file = DumpFile(path.name, "games", 7, path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest())
            sets.append(DumpSet(ruleset, month, 7, 900, "CC0-1.0", None, (file,)))
    write_index(folder, sets)
    return folder


@pytest.fixture
async def service(tmp_path: Path, folder: Path) -> AsyncIterator[Service]:
    async with serving(tmp_path / "data", durable=False, dumps=folder) as running:
        yield running


async def test_the_list_has_the_newest_month_first_and_goes_by_pages(service: Service) -> None:
    whole = (await service.get("/v1/dumps"))["items"]
    assert [(each["month"], each["ruleset"]) for each in whole] == [
        (month, ruleset) for month in ("2026-09", "2026-08", "2026-07") for ruleset in reversed(RULESETS)
    ]
    first = await service.get("/v1/dumps?limit=4")
    rest = await service.get(f"/v1/dumps?limit=4&cursor={first['next']}")
    assert (first["items"] + rest["items"], rest["next"]) == (whole, None)
    (one,) = (await service.get("/v1/dumps?ruleset=italia-1&month=2026-08"))["items"]
    (file,) = one.pop("files")
    assert one == {
        "ruleset": "italia-1",
        "month": "2026-08",
        "games": 7,
        "events": 900,
        "licence": "CC0-1.0",
        "checkpoint": None,
    }
    name = "italia-1-2026-08.games.parquet"
    content = (await service.client.get(file["url"])).content
    assert file == {
        "name": name,
        "content": "games",
        "rows": 7,
        "bytes": len(name),
        "url": f"/v1/dumps/{name}",
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    assert (await service.get("/v1/dumps?ruleset=chess"))["items"] == []
    for bad in ("month=2026", "month=2026-8", "cursor=eA", "limit=0", "year=2026"):
        assert (await service.ask("GET", f"/v1/dumps?{bad}")).status_code == 400


async def test_a_file_is_taken_up_where_it_broke_off(service: Service, folder: Path) -> None:
    name = "italia-1-2026-07.games.parquet"
    url, content = f"/v1/dumps/{name}", (folder / name).read_bytes()
    whole = await service.ask("GET", url, accept_encoding="gzip")
    tag, size = whole.headers["etag"], len(content)
    assert size > 3 * PIECE
    assert (whole.content == content, whole.headers["content-length"]) == (True, str(size))
    assert "content-encoding" not in whole.headers, "what is packed already is not packed again"
    assert whole.headers["cache-control"].endswith("immutable")
    assert (await service.ask("GET", url, if_none_match=tag)).status_code == 304
    for asked, part in {
        "bytes=0-9": range(10),
        f"bytes={PIECE - 1}-{2 * PIECE}": range(PIECE - 1, 2 * PIECE + 1),
        "bytes=-7": range(size - 7, size),
        f"bytes={size - 1}-": range(size - 1, size),
    }.items():
        answer = await service.ask("GET", url, range=asked, if_range=tag)
        assert (answer.status_code, answer.content == content[part.start : part.stop]) == (206, True), asked
        assert answer.headers["content-range"] == f"bytes {part.start}-{part.stop - 1}/{size}"
    assert (await service.ask("GET", url, range="bytes=9-", if_range='"other"')).status_code == 200
    beyond = await service.ask("GET", url, range=f"bytes={size}-")
    assert (beyond.status_code, beyond.json()["type"].rsplit("/", 1)[-1]) == (416, "range-not-satisfiable")
    head = await service.ask("HEAD", url)
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", str(size))


async def test_only_files_of_complete_sets_are_given(service: Service, folder: Path, tmp_path: Path) -> None:
    (folder / "secret.db").write_text("not for you")
    for name in ("secret.db", "index.json", "..%2Fdata%2Ftabularium.db", "%2e%2e", ".lock", "nothing.parquet"):
        answer = await service.ask("GET", f"/v1/dumps/{name}")
        assert answer.status_code == 404, name
    gone = read_index(folder)[0].files[0].name
    (folder / gone).unlink()
    answer = await service.ask("GET", f"/v1/dumps/{gone}")
    assert (answer.status_code, answer.json()["type"].rsplit("/", 1)[-1]) == (404, "unknown-dump")


async def test_a_new_month_is_listed_at_once_and_a_damaged_index_said(service: Service, folder: Path) -> None:
    before = (await service.get("/v1/dumps"))["items"]
    write_index(folder, read_index(folder)[:-1])
    assert (await service.get("/v1/dumps"))["items"] == before[1:]
    (folder / "index.json").write_text("{")
    answer = await service.ask("GET", "/v1/dumps")
    assert (answer.status_code, answer.json()["detail"]) == (503, "The index of the dumps cannot be read.")
    shutil.rmtree(folder)
    assert (await service.get("/v1/dumps"))["items"] == []


async def test_a_service_without_dumps_has_an_empty_list(tmp_path: Path) -> None:
    async with serving(tmp_path / "data", durable=False) as service:
        assert await service.get("/v1/dumps") == {"items": [], "next": None}
        assert (await service.ask("GET", "/v1/dumps/any")).status_code == 404
