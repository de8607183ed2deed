"""The client package for TypeScript works in a browser, as it comes from npm and without a build."""

from typing import Final

from playwright.async_api import Page, Route

from tests.browser.games import table
from tests.clients import packed
from tests.service.api.serving import Service

FOLLOW: Final = """async (game) => {
    const { Client } = await import("/package/index.js");
    const { Chain, verify } = await import("/package/proof.js");
    const client = new Client(location.origin);
    const chain = new Chain(game);
    for await (const event of client.events(game, 0, AbortSignal.timeout(20_000))) await chain.take(event);
    const text = await client.text("/v1/games/{game}/export", { game });
    const ruleset = await client.get("/v1/rulesets/{ruleset}", { ruleset: "mare-nostrum" });
    const { ok, problem, head, checked } = await verify(text, { ruleset });
    return { version: chain.version, heads: [chain.head, head], ok, problem, checked };
}"""


async def test_a_browser_follows_and_proves_a_game_by_the_package(service: Service, page: Page):
    dist = packed.typescript() / "node_modules" / "@tabularium" / "client" / "dist"

    async def answer(route: Route) -> None:
        path = route.request.url.partition("/package/")[2]
        await route.fulfill(path=dist / path, content_type="text/javascript")

    await page.route("**/package/**", answer)
    made = await table(service.services, "mare-nostrum", 3, seed=8, setup={"layout": "free"})
    await page.goto("/rules")
    said = await page.evaluate(FOLLOW, made.id)
    assert (said["ok"], said["version"]) == (True, made.version), said
    assert said["heads"] == [made.simulation.game.head.hex()] * 2
    assert any("rolls of dice drawn again" in sentence for sentence in said["checked"])
