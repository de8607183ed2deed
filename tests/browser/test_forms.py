"""Forms are made from options: what they take is what the kernel takes, in every ruleset."""

import random
import re
from typing import Any

from playwright.async_api import Page

from tests.viewer.options import games, options

WORDS = """async (cases) => {
    const { Form } = await import("/viewer/forms/form.js");
    const { Labels } = await import("/viewer/forms/labels.js");
    const { render } = await import("/viewer/vendor/lit-html.js");
    const said = [];
    for (const { areas, words, options } of cases) {
        for (const [index, schema] of options.entries()) {
            const form = new Form(schema, `form-${index}`, new Labels(areas, words), () => {});
            form.isValidated = true;
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
