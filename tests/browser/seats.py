"""A seat at which somebody plays with the page: chooses an option, fills its form in, sends it."""

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from playwright.async_api import Page, expect

from domain.kernel.rules import schema
from tests.browser.visiting import Visit, Visitor

FILL = """async ([index, schema, command]) => {
    const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
    const field = (path) => document.querySelector(`form.order [data-field="${path.join("/")}"]`);
    const inputs = (path, kind) => [...field(path).querySelectorAll(`input[type=${kind}]`)];
    const put = (input, value, event) => {
        input.value = value;
        input.dispatchEvent(new Event(event, { bubbles: true }));
    };
    async function fill(schema, value, path) {
        if ("const" in schema) return;
        if ("enum" in schema || schema.type === "boolean") {
            const at = (schema.enum ?? [true, false]).findIndex((choice) => same(choice, value));
            const select = field(path).querySelector("select");
            if (select) put(select, String(at), "change");
            else field(path).querySelector(`input[value="${at}"]`).click();
        } else if (schema.type === "integer") {
            if (schema.minimum < schema.maximum) put(field(path).querySelector("input"), String(value), "input");
        } else if (schema.type === "string") {
            put(field(path).querySelector("input, textarea"), value, "input");
        } else if (schema.type === "array") {
            await list(schema, value, path);
        } else {
            const box = field(path)?.querySelector("legend input[type=checkbox]");
            if (box && !box.checked) box.click();
            await drawn();
            for (const [name, part] of Object.entries(schema.properties)) {
                if (name in value) await fill(part, value[name], [...path, name]);
            }
        }
        await drawn();
    }
    async function list(schema, value, path) {
        const choices = schema.items.enum ?? [schema.items.const];
        if (!schema.uniqueItems) {
            const buttons = [...field(path).querySelectorAll("button")];
            const more = buttons.find((each) => each.textContent === "Add one");
            for (let have = schema.minItems; have < value.length; have += 1) (more.click(), await drawn());
            for (const [index, item] of value.entries()) await fill(schema.items, item, [...path, index]);
            return;
        }
        for (const box of choices.length ? inputs(path, "checkbox") : []) {
            if (box.checked !== value.some((item) => same(item, choices[box.value]))) (box.click(), await drawn());
        }
    }
    for (let tries = 0; !document.querySelector(`[data-option="${index}"]`) && tries < 100; tries += 1) await drawn();
    const button = document.querySelector(`[data-option="${index}"]`);
    if (button.getAttribute("aria-expanded") !== "true") button.click();
    await drawn();
    for (const [name, part] of Object.entries(schema.properties)) {
        if (name in command) await fill(part, command[name], [name]);
    }
    await drawn();
}"""
"""Fills a form in by its own widgets, as quickly as they take it."""

SEND = """async () => {
    const button = document.querySelector("form.order button[type=submit]");
    while (button.disabled) await new Promise((done) => requestAnimationFrame(done));
    button.click();
    for (;;) {
        await new Promise((done) => requestAnimationFrame(done));
        const said = document.querySelector(".outcome");
        const wrong = document.querySelector("form.order .hint")?.textContent.trim();
        if (said || wrong) return said?.textContent.trim().replace(/\\s+/g, " ") ?? wrong;
    }
}"""


class Sitting:
    """A seat in a browser of its own."""

    def __init__(self, visitor: Visitor, seat: str) -> None:
        self.visitor = visitor
        self.page: Page = visitor.page
        self.seat = seat

    async def ready(self, version: int) -> None:
        """Wait until the page shows the options of a version."""
        await self.page.wait_for_selector(f'.commands[data-version="{version}"]')

    async def fill(self, options: Sequence[Mapping[str, Any]], command: Mapping[str, Any]) -> None:
        """Open the option that has a command, and fill its form in."""
        index = next(at for at, option in enumerate(options) if schema.matches(option["schema"], dict(command)))
        await self.page.evaluate(FILL, [index, options[index]["schema"], command])

    async def send(self) -> str:
        """Send what was filled in; return what the page says then."""
        return await self.page.evaluate(SEND)


@contextlib.asynccontextmanager
async def sitting(visit: Visit, game: str, seat: str, token: str, **options: Any) -> AsyncIterator[Sitting]:
    """Open a game's page as a seat, by a link with its token."""
    async with visit(**options) as visitor:
        await visitor.page.goto(f"/games/{game}#token={token}")
        await expect(visitor.page.locator("#decide-title")).to_be_visible()
        yield Sitting(visitor, seat)
