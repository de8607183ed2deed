"""A seat at which somebody plays with the page: chooses an option, fills its form in, sends it."""

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from playwright.async_api import Page

from domain.kernel.rules import schema
from tests.browser.visiting import Visit, Visitor, expect

FILL = """async ([index, offered, command]) => {
    // The module that the page itself has, under the address of its release.
    const isSchema = ({ name }) => name.split("?")[0].endsWith("/forms/schema.js");
    const { fromNothing } = await import(performance.getEntriesByType("resource").find(isSchema).name);
    const schema = fromNothing(offered);
    const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
    const field = (path) => document.querySelector(`form.order [data-field="${path.join("/")}"]`);
    let clicks = 0;
    const press = (element) => (element.click(), (clicks += 1));
    const inputs = (path, kind) => [...field(path).querySelectorAll(`input[type=${kind}]`)];
    const put = (input, value, event) => {
        if (input.value === value) return;
        input.value = value;
        input.dispatchEvent(new Event(event, { bubbles: true }));
        clicks += 1;
    };
    async function fill(schema, value, path) {
        if ("const" in schema) return;
        if ("enum" in schema || schema.type === "boolean") {
            const at = (schema.enum ?? [true, false]).findIndex((choice) => same(choice, value));
            const select = field(path).querySelector("select");
            if (select) put(select, String(at), "change");
            else press(field(path).querySelector(`input[value="${at}"]`));
        } else if (schema.type === "integer") {
            if (schema.minimum < schema.maximum) put(field(path).querySelector("input"), String(value), "input");
        } else if (schema.type === "string") {
            put(field(path).querySelector("input, textarea"), value, "input");
        } else if (schema.type === "array") {
            await list(schema, value, path);
        } else {
            const box = field(path)?.querySelector("legend input[type=checkbox]");
            if (box && !box.checked) press(box);
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
            for (let have = schema.minItems; have < value.length; have += 1) (press(more), await drawn());
            for (const [index, item] of value.entries()) await fill(schema.items, item, [...path, index]);
            return;
        }
        for (const box of choices.length ? inputs(path, "checkbox") : []) {
            if (box.checked !== value.some((item) => same(item, choices[box.value]))) (press(box), await drawn());
        }
    }
    for (let tries = 0; !document.querySelector(`[data-option="${index}"]`) && tries < 100; tries += 1) await drawn();
    const button = document.querySelector(`[data-option="${index}"]`);
    if (button.closest("details:not([open])")) clicks += 1;
    if (button.getAttribute("aria-expanded") !== "true") press(button);
    await drawn();
    for (const [name, part] of Object.entries(schema.properties)) {
        if (name in command) await fill(part, command[name], [name]);
    }
    await drawn();
    return clicks;
}"""
"""Fills a form in by its own widgets; says with how many clicks. A number that is typed counts as one."""

POINT = (Path(__file__).parent / "pointing.js").read_text()

SEND_POINTED = """async ([version, isSent]) => {
    // The page takes nothing for what has opened by itself half a second ago.
    await new Promise((done) => setTimeout(done, isSent ? 0 : 500));
    if (!isSent) document.querySelector("#turn .picker button[type=submit]").click();
    for (let frames = 0; frames < 1200; frames += 1) {
        await new Promise((done) => requestAnimationFrame(done));
        const wrong = document.querySelector("#turn .refused, #turn .hint")?.textContent.trim();
        const came = document.querySelector("#turn .came");
        if (Number(came.dataset.version) > version) return came.textContent.trim();
        if (wrong) return wrong;
    }
    return `nothing came of it: ${document.querySelector("#turn .question").textContent}`;
}"""

SEND = """async () => {
    const drawn = () => new Promise((done) => requestAnimationFrame(done));
    const button = document.querySelector("form.order button[type=submit]");
    for (let frames = 0; button.disabled && frames < 1200; frames += 1) await drawn();
    button.click();
    for (let frames = 0; frames < 1200; frames += 1) {
        await drawn();
        const said = document.querySelector(".outcome");
        const wrong = document.querySelector("form.order .hint")?.textContent.trim();
        if (said || wrong) return said?.textContent.trim().replace(/\\s+/g, " ") ?? wrong;
    }
    return "nothing came of it";
}"""


class Pointed(NamedTuple):
    """How a command was given by pointing: what each click was for, and how many fewer there are if it is dragged.

    `by_form` is the number of clicks in its form, when there was nothing else for it. `said` is what the page says
    then, `pressed` what was pressed, line by line.
    """

    by_map: Sequence[str]
    saved: int
    by_form: int
    said: str
    pressed: str


class Sitting:
    """A seat in a browser of its own."""

    def __init__(self, visitor: Visitor, seat: str) -> None:
        self.visitor = visitor
        self.page: Page = visitor.page
        self.seat = seat

    async def ready(self, version: int) -> None:
        """Wait until the page shows the options of a version."""
        await self.page.wait_for_selector(f'.commands[data-version="{version}"]')

    async def fill(self, options: Sequence[Mapping[str, Any]], command: Mapping[str, Any]) -> int:
        """Open the option that has a command, and fill its form in; return with how many clicks."""
        index = _option_of(options, command)
        return await self.page.evaluate(FILL, [index, options[index]["schema"], command])

    async def close(self) -> None:
        """Close the form that is open."""
        await self.page.evaluate("document.querySelector('form.order .buttons button:last-child').click()")
        await self.page.wait_for_selector("form.order", state="detached")

    async def point(self, options: Sequence[Mapping[str, Any]], command: Mapping[str, Any]) -> Pointed:
        """Give a command by the map and the bar, or by its form if that is all there is.

        Return what each click was for, and what the page says then.
        """
        index = _option_of(options, command)
        # The options may be there a moment before the bar says that the seat is asked.
        await self.page.wait_for_selector("#turn .turn.asked.now")
        version = int(await self.page.locator(".commands").get_attribute("data-version") or 0)
        schemas = [option["schema"] for option in options]
        clicks, is_sent, is_drag, pressed = await self.page.evaluate(POINT, [index, schemas, command, version])
        trail = "\n    ".join(["", *pressed])
        if clicks is None:
            clicks = await self.fill(options, command) + 1
            return Pointed([], 0, clicks, await self.send(), trail)
        if not is_sent:
            clicks.append("send")
        said = await self.page.evaluate(SEND_POINTED, [version, is_sent])
        return Pointed(clicks, int(is_drag), 0, said, trail)

    async def send(self) -> str:
        """Send what was filled in; return what the page says then."""
        return await self.page.evaluate(SEND)


def _option_of(options: Sequence[Mapping[str, Any]], command: Mapping[str, Any]) -> int:
    return next(at for at, option in enumerate(options) if schema.matches(option["schema"], dict(command)))


@contextlib.asynccontextmanager
async def sitting(visit: Visit, game: str, seat: str, token: str, **options: Any) -> AsyncIterator[Sitting]:
    """Open a game's page as a seat, by a link with its token."""
    async with visit(**options) as visitor:
        await visitor.page.goto(f"/games/{game}#token={token}")
        await expect(visitor.page.locator("#decide-title")).to_be_visible()
        yield Sitting(visitor, seat)
