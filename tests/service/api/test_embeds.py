"""Games on other sites: frames, oEmbed and previews, for games that everybody may see and nothing that is hidden."""

import re
from html import unescape
from urllib.parse import quote

import pytest

from tests.service.api.serving import Service
from tests.service.api.test_viewer import PAGES

TITLE = 'A "game" <script>alert(1)</script>'


async def game_of(service: Service, **given: object) -> str:
    """Return a game that has begun, between Anna and Bert."""
    anna, bert = [await service.register(name) for name in ("Anna", "Bert")]
    body = {"ruleset": "tiny-auction", "players": 2, "title": TITLE, **given}
    game = (await service.post("/v1/games", anna, body))["id"]
    for player in (anna, bert):
        await service.post(f"/v1/games/{game}/seats", player, {})
    await service.post(f"/v1/games/{game}/start", anna)
    return game


async def test_a_board_may_stand_in_any_frame_and_nothing_else_may(service: Service) -> None:
    game = await game_of(service)
    page = await service.client.get(f"/embed/games/{game}")
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert page.headers["content-security-policy"].endswith("frame-ancestors *")
    assert "set-cookie" not in page.headers
    assert "<script>alert" not in page.text
    for link in re.findall(r'src="(/[^"]+)"', page.text):
        assert (await service.client.get(link)).status_code == 200, link
    for path in (*PAGES, f"/games/{game}", "/docs", "/problems", f"/embed/games/{game}/board.svg", "/embed/games/gone"):
        policy = (await service.client.get(path, headers={"accept": "text/html"})).headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy, path


async def test_the_board_in_a_frame_is_the_spectator_s_whoever_looks(service: Service) -> None:
    anna, bert = [await service.register(name) for name in ("Anna", "Bert")]
    game = await service.begun(anna, bert)
    there = f"/embed/games/{game}/board.svg"
    spectators = (await service.client.get(f"/v1/games/{game}/board.svg")).content
    mine = await service.client.get(f"/v1/games/{game}/board.svg", headers=anna.headers)
    assert mine.content != spectators, "her hand is on her board"
    for headers in ({}, anna.headers):
        assert (await service.client.get(there, headers=headers)).content == spectators


async def test_a_private_game_is_embedded_nowhere(service: Service) -> None:
    anna = await service.register("Anna")
    body = {"ruleset": "tiny-auction", "players": 2, "readers": "invited"}
    game = (await service.post("/v1/games", anna, body))["id"]
    for path in (f"/embed/games/{game}", f"/embed/games/{game}/board.svg"):
        assert (await service.client.get(path)).json()["type"] == "/problems/private"
    assert (await oembed(service, game)).status_code == 404
    assert "oembed" not in (await service.client.get(f"/games/{game}")).text


@pytest.mark.parametrize("query", ["background=red", "text=12345g", "background=ffffff%3B}", "token=x", "version=1"])
async def test_colours_are_six_digits_and_nothing_else_is_asked(service: Service, query: str) -> None:
    game = await game_of(service)
    refused = await service.client.get(f"/embed/games/{game}?{query}")
    assert (refused.status_code, refused.json()["type"]) == (400, "/problems/invalid-query")
    shown = await service.client.get(f"/embed/games/{game}?background=102030&text=F0F0f0")
    assert "background:#102030;color:#F0F0f0" in shown.text


async def oembed(service: Service, game: str, **more: object):
    url = f"{str(service.client.base_url).rstrip('/')}/games/{game}"
    return await service.client.get("/oembed", params={"url": url, **{name: str(each) for name, each in more.items()}})


async def test_the_page_of_a_game_leads_to_its_frame_by_oembed(service: Service) -> None:
    game = await game_of(service)
    page = (await service.client.get(f"/games/{game}")).text
    link = re.search(r'<link rel="alternate" type="application/json\+oembed" href="([^"]+)"', page)
    assert link is not None
    found = (await service.client.get(unescape(link[1]))).json()
    assert (found["version"], found["type"], found["title"]) == ("1.0", "rich", TITLE)
    assert "<script" not in found["html"]
    (frame,) = re.findall(r'<iframe src="([^"]+)" width="960" height="640"', found["html"])
    for address, kind in ((frame, "text/html"), (found["thumbnail_url"], "image/png")):
        assert (await service.client.get(address)).headers["content-type"].startswith(kind)
    smaller = (await oembed(service, game, maxwidth=300, maxheight=200)).json()
    assert (smaller["width"], smaller["height"]) == (300, 200)


async def test_oembed_knows_listed_games_of_this_service_only(service: Service) -> None:
    game = await game_of(service)
    for url in ("https://elsewhere.example/games/" + game, f"{service.client.base_url}/account", "x" * 100, ""):
        assert (await service.client.get(f"/oembed?url={quote(url, safe='')}")).status_code == 404, url
    assert (await oembed(service, "gone")).status_code == 404
    assert (await oembed(service, await game_of(service, listed=False))).status_code == 404
    for wrong in ({"format": "xml"}, {"maxwidth": 1}, {"maxheight": 10**9}, {"callback": "x"}):
        assert (await oembed(service, game, **wrong)).status_code == 400, wrong


async def test_a_link_to_a_tournament_shows_its_title(service: Service) -> None:
    anna = await service.register("Anna")
    stages = [{"type": "swiss", "rounds": 1}]
    regulations = {"ruleset": "tiny-auction", "stages": stages, "sizes": [2], "points": [[60, 0]], "bye": 30}
    made = await service.post("/v1/tournaments", anna, {"title": TITLE, "regulations": regulations})
    page = (await service.client.get(f"/tournaments/{made['summary']['tournament']}")).text
    assert '<meta property="og:title" content="A &quot;game&quot; &lt;script&gt;' in page
    assert "og:title" not in (await service.client.get("/tournaments/gone")).text
