"""Forms are made from options: what they take is what the kernel takes, in every ruleset."""

import random
import re
from typing import Any

from playwright.async_api import Page

from domain.kernel.rules import schema
from tests.browser.options import games, options, values

AGREE = """async (cases) => {
    const { matches, faults, initial, given, sums } = await import("/viewer/forms/schema.js");
    const wrong = [];
    for (const { option, tries } of cases) {
        for (const { value, fits } of tries) {
            if (matches(option, value) !== fits) wrong.push({ option, value, fits });
            for (const { message } of faults(option, value)) if (!/^[A-Z].*\\.$/s.test(message)) wrong.push(message);
        }
        for (const { message } of faults(option, given(initial(option)))) {
            if (!/^[A-Z].*\\.$/s.test(message)) wrong.push({ option, message });
        }
    }
    return wrong.slice(0, 3);
}"""


async def test_what_fits_an_option_in_the_browser_is_what_fits_it_in_the_kernel(page: Page) -> None:
    rng, cases, fitting = random.Random(5), list[dict[str, Any]](), 0
    for play in games():
        for option in options(play, rng):
            tries = [{"value": value, "fits": schema.matches(option, value)} for value in values(option, rng)]
            fitting += sum(each["fits"] for each in tries)
            cases.append({"option": option, "tries": tries})
    tried = sum(len(case["tries"]) for case in cases)
    assert fitting > tried / 10
    assert tried - fitting > tried / 10
    await page.goto("/viewer/vendor/LICENSE.txt")
    for start in range(0, len(cases), 500):
        assert await page.evaluate(AGREE, cases[start : start + 500]) == []
    print(f"{len(cases)} options, {tried} values, {fitting} of them fit")


WORDS = """async (cases) => {
    const { Form } = await import("/viewer/forms/form.js");
    const { Labels } = await import("/viewer/forms/labels.js");
    const { render } = await import("/viewer/vendor/lit-html.js");
    const said = [];
    for (const { areas, words, options } of cases) {
        for (const [index, schema] of options.entries()) {
            const form = new Form(schema, `form-${index}`, new Labels(areas, words), () => {});
            form.asked = true;
            const place = document.createElement("div");
            render(form.render(), place);
            said.push(place.textContent.replace(/\\s+/g, " "));
        }
    }
    return said;
}"""
ID = re.compile(r"[a-z]+(?:[-_|][a-z0-9]+)+|undefined|null|NaN|\[object")


async def test_a_form_speaks_in_words(page: Page) -> None:
    rng, cases = random.Random(6), list[dict[str, Any]]()
    for play in games():
        areas = [{"id": area.id, "name": area.name} for area in play.board.areas]
        cases.append({"areas": areas, "words": dict(play.game.ruleset.words), "options": list(options(play, rng))})
    await page.goto("/viewer/vendor/LICENSE.txt")
    said = [each for case in cases for each in await page.evaluate(WORDS, [case])]
    assert any("(7 for each of the leaders you choose)" in text for text in said)
    assert any(text.count("Total: ") for text in said)
    assert any("Alliance A" in text for text in said)
    assert any("Senator III" in text for text in said)
    assert not [text for text in said if ID.search(text)]


async def test_a_form_calls_things_by_the_names_of_the_ruleset(page: Page) -> None:
    await page.goto("/viewer/vendor/LICENSE.txt")
    called = """async () => {
        const { Labels } = await import("/viewer/forms/labels.js");
        const names = { "western-romans": "Western Romans", roma: "Romans" };
        const labels = new Labels([{ id: "roma", name: "Roma" }], names);
        const ids = ["western-romans", "roma", "western-front", ["western-romans", "western-romans"]];
        return [...ids.map(labels.value), labels.field("western-romans"), labels.isArea("western-romans")];
    }"""
    names = ["Western Romans", "Roma", "Western Front", "2 × Western Romans", "Western Romans", False]
    assert await page.evaluate(called) == names


async def test_a_schema_that_no_option_has_is_refused(page: Page) -> None:
    await page.goto("/viewer/vendor/LICENSE.txt")
    refused = """async () => {
        const { matches } = await import("/viewer/forms/schema.js");
        try { return matches({ type: "null" }, null); } catch (error) { return error.message; }
    }"""
    assert await page.evaluate(refused) == "an option's schema cannot have the type null"
