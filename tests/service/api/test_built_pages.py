"""The pages that `deploy/pages.sh` builds, where they are shown."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.service.api.serving import Service, serving

MAP = b'<script type="importmap">{"imports": {}}</script><script type="module" src="map.js"></script>'


@pytest.fixture
async def built(tmp_path: Path) -> AsyncIterator[Service]:
    """A service with pages that look like those."""
    pages = tmp_path / "pages"
    for name, content in {
        "docs/python/index.html": b"python",
        "docs/python/search.js": b"search",
        "examples/map/index.html": MAP,
        "examples/map/map.js": b"map",
        "docs/python/secret.key": b"secret",
    }.items():
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        (pages / name).write_bytes(content)
    (tmp_path / "outside.html").write_bytes(b"outside")
    (pages / "docs" / "python" / "link.html").symlink_to(tmp_path / "outside.html")
    async with serving(tmp_path / "data", pages=pages) as service:
        yield service


async def test_the_name_of_a_package_leads_to_its_documentation(built: Service) -> None:
    led = await built.client.get("/docs/python")
    assert (led.status_code, led.headers["location"]) == (307, "/docs/python/index.html")
    page = await built.client.get("/docs/python/index.html")
    assert (page.status_code, page.content) == (200, b"python")
    again = await built.client.get("/docs/python/index.html", headers={"If-None-Match": page.headers["etag"]})
    assert again.status_code == 304
    assert (await built.client.get("/docs/python/search.js")).headers["content-type"].startswith("text/javascript")
    # That of the other one is not there.
    led = await built.client.get("/docs/typescript")
    assert (led.status_code, led.headers["location"]) == (308, "/docs/guides/typescript")


async def test_a_page_that_was_built_again_is_sent_anew(built: Service, tmp_path: Path) -> None:
    before = await built.client.get("/docs/python/index.html")
    (tmp_path / "pages" / "docs" / "python" / "index.html").write_bytes(b"another")
    after = await built.client.get("/docs/python/index.html", headers={"If-None-Match": before.headers["etag"]})
    assert (after.status_code, after.content) == (200, b"another")


async def test_a_page_runs_only_its_own_scripts(built: Service) -> None:
    page = await built.client.get("/examples/map/index.html")
    assert page.content == MAP
    policy = page.headers["content-security-policy"]
    (scripts,) = re.findall("script-src ([^;]*);", policy)
    assert re.fullmatch(r"'self' 'sha256-[\w+/=]{44}'", scripts)
    assert (await built.client.get("/examples/map/map.js")).content == b"map"
    assert (await built.client.get("/examples")).headers["location"] == "/docs/guides/examples"


@pytest.mark.parametrize(
    "path",
    [
        "/docs/python/absent.html",
        "/docs/python/../../../outside.html",
        "/docs/python/%2e%2e/%2e%2e/%2e%2e/outside.html",
        "/docs/python/..%2f..%2f..%2foutside.html",
        "/docs/python//etc/passwd",
        "/docs/python/link.html",
        "/docs/python/secret.key",
        "/docs/python/%00.html",
        f"/docs/python/{'a' * 300}.html",
        "/examples/map",
        "/examples/../docs/python/secret.key",
    ],
)
async def test_nothing_but_pages_of_the_folder_is_shown(built: Service, path: str) -> None:
    answer = await built.client.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


async def test_without_pages_guides_are_shown(service: Service) -> None:
    assert (await service.client.get("/docs/python")).headers["location"] == "/docs/guides/python"
    assert (await service.client.get("/docs/python/index.html")).status_code == 404
    assert (await service.client.get("/examples/map/index.html")).status_code == 404
