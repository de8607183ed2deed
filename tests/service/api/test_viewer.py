"""The files of the reading room, as they are served. What they do in a browser is tried in `tests/browser`."""

import posixpath
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import service as package
from tests.service.api.serving import Player, Service

PAGES = (
    "/",
    "/new",
    "/rules",
    "/learn",
    "/learn/any",
    "/games/any",
    "/games/any/desk",
    "/join",
    "/account",
    "/account/webhooks",
    "/account/notices",
    "/sign-in",
    "/players/any",
    "/ratings",
    "/tournaments",
    "/tournaments/any",
    "/leagues",
    "/leagues/any",
    "/imports",
    "/imports/any",
)
VIEWER = Path(package.__file__).parent / "viewer"
CHAPTERS = (
    "",
    "lobby",
    "learn",
    "desk",
    "people",
    "tournaments",
    "panels",
    "bar",
    "moves",
    "proof",
    "board",
    "state",
    "forms",
    "parts",
    "vendor",
)
"""The folders of the viewer, from the pages down."""
MODULES = sorted(path.relative_to(VIEWER).as_posix() for path in VIEWER.rglob("*.js"))


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_loads_nothing_from_elsewhere(service: Service, path: str) -> None:
    page = await service.client.get(path)
    assert page.headers["content-type"].startswith("text/html")
    links = re.findall(r'(?:src|href)="(/[^"]+)"', page.text)
    assert any(link.endswith(".js") for link in links)
    for link in links:
        assert (await service.client.get(link)).status_code == 200, link
    assert "http" not in page.text


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_runs_nothing_that_is_written_into_it(service: Service, path: str) -> None:
    page = await service.client.get(path)
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'self'; img-src 'self' data: blob:;")
    assert "unsafe" not in policy
    assert not re.search(r"<style|\sstyle=|<script(?![^>]*\ssrc=)|\son\w+=", page.text)
    assert page.headers["x-content-type-options"] == "nosniff"


async def test_every_module_is_served_and_imports_only_what_is_served(service: Service) -> None:
    for module in MODULES:
        answer = await service.client.get(f"/viewer/{module}")
        assert answer.headers["content-type"].startswith("text/javascript"), module
        assert _imports(module) <= {*MODULES}, module


def test_a_chapter_of_the_viewer_knows_only_those_below_it() -> None:
    for module in MODULES:
        below = CHAPTERS[CHAPTERS.index(_chapter(module)) :]
        assert {_chapter(imported) for imported in _imports(module)} <= {*below}, module


def test_no_modules_of_the_viewer_import_each_other_in_a_circle() -> None:
    # Raises CycleError, which names the circle.
    assert {*TopologicalSorter({module: _imports(module) for module in MODULES}).static_order()} == {*MODULES}


def _chapter(module: str) -> str:
    return module.rpartition("/")[0].split("/")[0]


@pytest.mark.parametrize(
    ("path", "first", "then"),
    [
        ("/", "lobby/lobby.js", None),
        ("/new", "lobby/new.js", None),
        ("/rules", "lobby/rules.js", None),
        ("/learn", "learn/learn.js", None),
        ("/learn/any", "learn/lesson.js", None),
        ("/games/any", "game.js", "panels/panels.js"),
        ("/games/any/desk", "desk/desk.js", None),
        ("/join", "people/join.js", None),
        ("/account", "people/account.js", None),
        ("/account/webhooks", "people/webhooks.js", None),
        ("/sign-in", "people/sign-in.js", None),
        ("/players/any", "people/player.js", None),
        ("/tournaments", "tournaments/tournaments.js", None),
        ("/tournaments/any", "tournaments/tournament.js", None),
        ("/leagues", "tournaments/leagues.js", None),
        ("/leagues/any", "tournaments/league.js", None),
        ("/imports", "lobby/imports.js", None),
        ("/imports/any", "imported.js", None),
    ],
    ids=[
        "lobby",
        "new",
        "rules",
        "learn",
        "lesson",
        "game",
        "desk",
        "join",
        "account",
        "webhooks",
        "sign-in",
        "player",
        "tournaments",
        "tournament",
        "leagues",
        "league",
        "imports",
        "import",
    ],
)
async def test_a_page_names_its_modules_so_that_none_waits_for_another(
    service: Service, path: str, first: str, then: str | None
) -> None:
    """Those of the board before those around it; what is behind other panels comes when all that is there."""
    page = (await service.client.get(path)).text
    before, _, later = page.partition("<template")
    assert 'fetchpriority="low"' not in before
    assert ("modulepreload" in later) == bool(then)
    named = dict(re.findall(r'rel="modulepreload" href="/viewer/\w{32}/([^"]+)"( fetchpriority="low")?', page))
    at_once = _reached(first)
    assert {*(name for name, low in named.items() if not low), first} == at_once
    assert {name for name, low in named.items() if low} == (_reached(then) - at_once if then else set())


def _reached(first: str) -> set[str]:
    found = {first}
    waiting = [first]
    while waiting:
        for imported in _imports(waiting.pop(), "from"):
            waiting += [] if imported in found else [imported]
            found.add(imported)
    return found


def _imports(module: str, by: str = r"from|import\(") -> set[str]:
    """Return what a module imports; not what only its comments name as a type."""
    code = re.sub(r"/\*.*?\*/", "", VIEWER.joinpath(module).read_text(), flags=re.DOTALL)
    named = re.findall(rf'\b(?:{by})\s*"(\.[^"]+)"', code)
    return {posixpath.normpath(posixpath.join(posixpath.dirname(module), name)) for name in named}


def test_links_to_the_rules_say_what_to_search_where_their_page_reads_it() -> None:
    assert "location.hash" in (VIEWER / "lobby" / "rules.js").read_text()
    links = [link for module in MODULES for link in re.findall(r'"/rules(?!/)([^"]*)"', (VIEWER / module).read_text())]
    assert links
    assert [link for link in links if not link.startswith("#") and link] == []


async def test_what_a_page_consists_of_is_asked_for_once(service: Service) -> None:
    page = (await service.client.get("/games/any")).text
    for link in re.findall(r'(?:src|href)="(/viewer/[^"]+)"', page):
        answer = await service.client.get(link)
        assert answer.headers["cache-control"] == "max-age=31536000, immutable", link
        # What goes by another name is asked again: it may be another one tomorrow.
        name = link.split("/", 3)[3]
        for other in (f"/viewer/{name}", f"/viewer/{'0' * 32}/{name}"):
            again = await service.client.get(other)
            assert (again.content, again.headers["cache-control"]) == (answer.content, "no-cache"), other


async def test_an_unchanged_file_is_not_sent_again(service: Service) -> None:
    first = await service.client.get("/viewer/state/api.js")
    again = await service.client.get("/viewer/state/api.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert (
        await service.client.get("/viewer/state/api.js", headers={"If-None-Match": '"other"'})
    ).content == first.content


@pytest.mark.parametrize("path", ["/nowhere", "/docs/guides/none", "/games", "/problems/none", "/viewer/<b>"])
async def test_an_address_that_leads_nowhere_answers_people_with_a_page_and_programs_with_a_problem(
    service: Service, path: str
) -> None:
    page = await service.client.get(path, headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert 'href="/"' in page.text
    assert "<b>" not in page.text
    problem = await service.client.get(path, headers={"Accept": "*/*"})
    assert (problem.status_code, problem.headers["content-type"]) == (404, "application/problem+json")


@pytest.mark.parametrize("path", ["/", "/new", "/rules", "/learn"])
async def test_what_is_for_developers_is_not_first_in_the_header(service: Service, path: str) -> None:
    header, _, rest = (await service.client.get(path)).text.partition("</header>")
    for address in ("/docs", "/openapi.json", "/problems"):
        assert f'href="{address}"' not in header
        assert f'href="{address}"' in rest


@pytest.mark.parametrize("path", ["/viewer/none.js", "/viewer/../settings.py", "/viewer/%2e%2e/settings.py", "/viewer"])
async def test_nothing_else_is_served(service: Service, path: str) -> None:
    assert (await service.client.get(path)).status_code == 404


async def test_what_ships_from_elsewhere_comes_with_its_licence(service: Service) -> None:
    assert "BSD 3-Clause" in (await service.client.get("/viewer/vendor/LICENSE.txt")).text


async def test_large_texts_go_packed_to_whoever_takes_that(service: Service) -> None:
    plain = await service.client.get("/openapi.json", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    for taken, encoding in (("gzip", "gzip"), ("br, gzip;q=0.5", "gzip"), ("gzip;q=0", None), ("br", None)):
        answer = await service.client.get("/viewer/styles/room.css", headers={"Accept-Encoding": taken})
        assert answer.headers.get("content-encoding") == encoding, taken
        assert answer.headers["vary"] == "Accept-Encoding"
        assert answer.text.startswith("/* The reading room")


async def test_a_link_to_a_listed_game_has_a_title_and_a_picture_elsewhere(
    service: Service, anna: Player, bert: Player
) -> None:
    game = await service.gathering(anna, bert)
    await service.ask("PATCH", f"/v1/games/{game}", anna, {"title": 'The "club"'})

    async def told() -> dict[str, str]:
        page = (await service.client.get(f"/games/{game}")).text
        return dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)">', page))

    assert (await told())["title"] == "The &quot;club&quot;"
    assert "image" not in await told(), "there is no board before it begins"
    await service.post(f"/v1/games/{game}/start", anna)
    assert (await service.client.get((await told())["image"])).headers["content-type"] == "image/png"
    await service.ask("PUT", f"/v1/games/{game}/listing", anna, {"listed": False})
    assert await told() == {}, "whoever has the link alone is told nothing"
