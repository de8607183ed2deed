"""The scores: seats, and the nations that they lead."""

from playwright.async_api import Page, Route

from tests.browser.games import table
from tests.browser.reading import give_any, opened
from tests.browser.visiting import expect
from tests.service.api.serving import Service

DRAWN = """async (standings) => {
    const { standingsPanel } = await import("/viewer/panels/standings.js");
    const { render } = await import("/viewer/vendor/lit-html.js");
    const place = document.createElement("div");
    const room = { isEntered: () => true, currentScene: { standings }, game: { seats: [] }, against: null };
    render(standingsPanel(room), place);
    return [...place.querySelectorAll(".seats > li > ul > li")].map((line) => ({
        words: line.textContent.replace(/\\s+/g, " ").trim(),
        colour: line.querySelector("rect").getAttribute("fill"),
        out: line.className,
    }));
}"""


async def test_a_seat_lists_its_nations(page: Page) -> None:
    romans = {"sign": "Ro", "name": "Romans", "figures": {"points": 12.5, "gold": 3}, "items": [{"words": "a card"}]}
    gauls = {"sign": "Ga", "name": "Gauls", "figures": {}, "items": [], "words": "come in round 4", "absent": True}
    seat = {
        "seat": "red",
        "name": "Red",
        "colour": "#a32a2a",
        "ink": "#ffffff",
        "emblem": "",
        "figures": {"points": 12.5},
    }
    await page.goto("/viewer/vendor/LICENSE.txt")
    nations = [{**romans, "words": "subject of the Gauls", "absent": False}, gauls]
    assert await page.evaluate(DRAWN, [{**seat, "items": [], "nations": nations}, {**seat, "nations": []}]) == [
        {"words": "Ro Romans points 12½, gold 3, a card, subject of the Gauls", "colour": "#a32a2a", "out": ""},
        {"words": "Ga Gauls come in round 4", "colour": "#a32a2a", "out": "out"},
    ]


ENDED = """async (game) => {
    const { standingsPanel } = await import("/viewer/panels/standings.js");
    const { render } = await import("/viewer/vendor/lit-html.js");
    const place = document.createElement("div");
    const scene = { standings: [] };
    const api = { get: async () => ({ seats: {} }) };
    const room = { isEntered: () => true, currentScene: scene, game: { seats: [], ...game }, against: null, api };
    room.redraw = () => {};
    render(standingsPanel(room), place);
    const words = (line) => line.textContent.replace(/\\s+/g, " ").trim();
    return {
        told: [...place.querySelectorAll("p:not(.quiet)")].map(words).filter(Boolean),
        links: [...place.querySelectorAll("a")].map((link) => link.getAttribute("href")),
    };
}"""


async def test_the_winner_is_shown_with_the_ruling_behind_it(page: Page) -> None:
    await page.goto("/viewer/vendor/LICENSE.txt")
    won = {"result": {"winners": [], "rule": "TAB-RUL-09"}, "ruled_by": None, "continued_in": None}
    assert (await page.evaluate(ENDED, won))["told"] == ["Nobody won."]
    assert (await page.evaluate(ENDED, won | {"ruled_by": "c1"}))["told"] == ["Nobody won. An official ruled so."]
    goes_on = await page.evaluate(ENDED, {"result": None, "ruled_by": "c1", "continued_in": "g2"})
    assert goes_on["told"] == ["By a ruling it goes on in another game."]
    assert "/games/g2" in goes_on["links"]


async def test_when_the_game_is_over_the_scores_take_the_place_of_the_decisions(service: Service, page: Page):
    made = await table(service.services, events=60)
    seat = made.simulation.game.decisions[0].seats[0]
    await opened(page, made.id, f"#token={made.token(seat)}")
    await expect(page.get_by_role("tab", name="Decide")).to_have_attribute("aria-selected", "true")

    async def over(route: Route) -> None:
        game = await (await route.fetch()).json()
        await route.fulfill(json={**game, "status": "over", "decisions": []})

    await page.route(f"**/v1/games/{made.id}", over)
    await give_any(service, made)
    await expect(page.get_by_role("tab", name="Scores")).to_have_attribute("aria-selected", "true")
