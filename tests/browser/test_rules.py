"""The rules, browsed and searched: by game, chapter, words and id."""

import re

from domain.library import LIBRARY
from service.api.rulesets.scenarios import scenarios_of
from tests.browser.games import Table, table
from tests.browser.reading import settled, slider
from tests.browser.visiting import PHONE, Visit, Visitor, expect
from tests.service.api.serving import Service
from tests.service.api.test_statistics import caught_up


async def test_rules_are_found_by_game_chapter_words_and_id(visitor: Visitor):
    page = visitor.page
    await page.goto("/")
    await page.get_by_role("link", name="Rules").click()
    ruleset = LIBRARY.current("mare-nostrum")
    rules = ruleset.catalogue.for_ruleset(ruleset.id)
    entries = page.get_by_role("article")
    await page.get_by_role("combobox", name="Game").select_option(ruleset.id)
    await expect(page.get_by_role("status")).to_have_text(f"{len(rules)} rules of {len(rules)}")
    chapter = ruleset.catalogue.chapters(ruleset.id)[2]
    await page.get_by_role("combobox", name="Chapter").select_option(chapter.id)
    await expect(entries).to_have_count(len(chapter.rules))
    await visitor.axe_in_passing()
    await page.get_by_role("combobox", name="Chapter").select_option("")
    search = page.get_by_role("searchbox")
    await search.fill("fortress destroys")
    await expect(entries).not_to_have_count(len(rules))
    for text in await entries.all_inner_texts():
        assert re.search("fortress", text, re.IGNORECASE)
        assert re.search("destroys", text, re.IGNORECASE)
    ruled = next(rule for rule in rules if rule.ruling and rule.ambiguity)
    await search.fill(ruled.id.lower())
    entry = page.get_by_role("article", name=ruled.id)
    await expect(entry).to_contain_text((ruled.ruling or "").removeprefix("Ours: "))
    await expect(entry).not_to_contain_text("Ours:")
    await expect(entry).to_contain_text("Ruled")
    # The address leads to the same rule, and to nothing else than what was looked for.
    await entry.get_by_role("link", name=ruled.id, exact=True).click()
    await page.reload()
    await expect(page.get_by_role("article", name=ruled.id)).to_be_in_viewport()
    await expect(entries).to_have_count(len(rules))
    # An id of another game leads there.
    other = LIBRARY.current("italia-1")
    foreign = other.catalogue.for_ruleset(other.id)[-1].id
    await search.fill(foreign)
    await page.get_by_role("list", name="In other games").get_by_role("button", name=other.title).click()
    await expect(page.get_by_role("article", name=foreign)).to_be_visible()
    await page.get_by_role("combobox", name="Game").select_option(ruleset.id)
    await search.fill("xyzzy")
    await expect(page.get_by_role("status")).to_have_text(f"0 rules of {len(rules)}")


async def test_a_rule_shows_the_scenarios_that_test_it(visitor: Visitor):
    page = visitor.page
    await page.goto("/rules#game=mare-nostrum&text=MN-BAT-03&rule=MN-BAT-03")
    entry = page.get_by_role("article", name="MN-BAT-03")
    await entry.get_by_text("Scenarios").click()
    scenario = entry.get_by_role("listitem").first
    await expect(scenario).to_contain_text("three legions against legion and fortress")
    await scenario.locator("summary").click()
    await expect(scenario.get_by_label("Scenario: MN-EX-02")).to_contain_text('type = "attack"')
    await visitor.axe_in_passing()
    # A rule that none tests says so.
    ruleset = LIBRARY.current("mare-nostrum")
    untested = next(rule.id for rule in ruleset.catalogue.for_ruleset(ruleset.id) if not scenarios_of(ruleset, rule.id))
    await page.get_by_role("searchbox").fill(untested)
    other = page.get_by_role("article", name=untested)
    await other.get_by_text("Scenarios").click()
    await expect(other).to_contain_text("No scenario tests this rule.")


async def test_rules_can_be_read_on_a_phone(visit: Visit):
    async with visit(**PHONE) as visitor:
        await visitor.page.goto("/rules#game=italia-1")
        await expect(visitor.page.get_by_role("article").first).to_be_visible()
        assert await visitor.page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]


RULE = "CC-MOV-05"
PAGE = f"/rules#game=conquest-classic-friz&text={RULE}&rule={RULE}"


async def marching(service: Service, seed: int, title: str) -> tuple[Table, int]:
    """Return a game in which a legion marched, and the version at which the first did."""
    made = await table(service.services, seed=seed, until=lambda game: game.version >= 150, title=title)
    marched = [record.version for record in made.simulation.records if record.type == "legion-marched"]
    return made, marched[0]


async def test_a_rule_leads_to_the_version_of_a_game_that_shows_it(service: Service, visitor: Visitor):
    visitor.listen()
    page = visitor.page
    await page.goto(PAGE)
    entry = page.get_by_role("article", name=RULE)
    await entry.get_by_text("Seen at work").click()
    await expect(entry).to_contain_text("No listed game has shown this rule at work yet.")
    game, version = await marching(service, 1, "Thursday at the club")
    hidden, _ = await marching(service, 2, "Secret club")
    await service.services.store.list_game(hidden.id, False)
    await caught_up(service)
    asked = [request.url for request in visitor.asked]
    await page.reload()
    await expect(entry).to_be_visible()
    assert not [url for url in [request.url for request in visitor.asked][len(asked) :] if url.endswith("/games")]
    # By keyboard alone: unfold the list, go to its only link, and follow it.
    await entry.locator("summary", has_text="Seen at work").focus()
    await page.keyboard.press("Enter")
    item = entry.get_by_role("listitem")
    await expect(item).to_have_count(1)
    await expect(item).to_contain_text(f"Version {version}: legion marched. In progress, created")
    await visitor.axe_in_passing()
    await page.keyboard.press("Tab")
    await expect(item.get_by_role("link", name="Thursday at the club")).to_be_focused()
    await page.keyboard.press("Enter")
    await page.wait_for_url(f"**/games/{game.id}#v={version}")
    await settled(page)
    await expect(slider(page)).to_have_value(f"{version}")


async def test_where_a_rule_is_seen_at_work_can_be_read_on_a_phone(service: Service, visit: Visit):
    _, version = await marching(service, 1, "A" * 60)
    await caught_up(service)
    async with visit(**PHONE) as visitor:
        page = visitor.page
        await page.goto(PAGE)
        entry = page.get_by_role("article", name=RULE)
        await entry.get_by_text("Seen at work").tap()
        await expect(entry.get_by_role("listitem")).to_contain_text(f"Version {version}")
        await visitor.axe_in_passing()
        assert await page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]
        await entry.get_by_role("link", name="A" * 60).tap()
        await page.wait_for_url(f"**#v={version}")
        await settled(page)
