"""The rules, browsed and searched: by game, chapter, words and id."""

import re

from playwright.async_api import expect

from domain.library import LIBRARY
from service.api.rulesets.scenarios import scenarios_of
from tests.browser.visiting import PHONE, Visit, Visitor


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
    await visitor.axe()
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
    await visitor.axe()
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
