"""What a gesture asks for can be pointed at: nothing of the page lies over where it can begin or end."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import pytest
from playwright.async_api import Page

from tests.browser.games import Table, asks, table
from tests.browser.pointing import sit
from tests.browser.visiting import PHONE, Visit, expect
from tests.helpers.sampling import sampled
from tests.service.api.serving import Service

SIZES: Final[Mapping[str, dict[str, Any]]] = {
    "wide": {"viewport": {"width": 1440, "height": 900}},
    "small": {"viewport": {"width": 1024, "height": 768}},
    "phone": PHONE,
}
_ITALIA: Final = ("place", "move", "arrive", "choose-battle", "retreat", "announce", "react", "rebuild", "stacking")
GESTURES: Final[Mapping[str, tuple[str, ...]]] = {
    "conquest-campaign": ("deploy", "act", "place-legions", "retreat", "escape"),
    "conquest-classic-2005": ("move", "destroy", "withdraw", "place", "fight"),
    "conquest-classic-friz": ("move", "destroy", "withdraw", "place"),
    "italia-1": (*_ITALIA, "declare-naval-battles", "leave"),
    "italia-2": _ITALIA,
    "mare-nostrum": ("campaign",),
}
"""By ruleset, the decisions that are answered on the map."""

REACH: Final = """(name) => {
    // Where the map shows an area, and what a pointer meets there first.
    const svg = document.querySelector("svg.board");
    const room = svg.getBoundingClientRect();
    return [...svg.querySelectorAll(`[data-area].${name}`)].map((area) => {
        const box = area.getBoundingClientRect();
        const [left, top] = [Math.max(box.left, room.left), Math.max(box.top, room.top)];
        const [right, bottom] = [Math.min(box.right, room.right), Math.min(box.bottom, room.bottom)];
        const [over, free] = [new Set(), []];
        for (let at = 0; at < 32 * 32; at += 1) {
            // A pointer is on a whole pixel.
            const x = Math.round(left + ((right - left) * ((at % 32) + 0.5)) / 32);
            const y = Math.round(top + ((bottom - top) * (Math.floor(at / 32) + 0.5)) / 32);
            const under = document.elementsFromPoint(x, y);
            const onMap = under.filter((each) => svg.contains(each));
            const there = onMap.find((each) => each.closest(".pile")) ?? onMap[0];
            if (there?.closest("[data-area]") !== area) continue;
            if (under[0] === onMap[0]) free.push([x, y]);
            else over.add(under[0].closest("[class], [id]")?.className || under[0].id);
        }
        return [area.dataset.area, free[Math.floor(free.length / 2)], [...over]];
    });
}"""


OVER: Final = """() => {
    // What of the page a tray lies over, by a pixel or more.
    const tray = document.querySelector(".tray")?.getBoundingClientRect();
    return ["#board", "#side", "#timeline", ".bar"].filter((other) => {
        const box = document.querySelector(other).getBoundingClientRect();
        const wide = tray && Math.min(tray.right, box.right) - Math.max(tray.left, box.left);
        return wide >= 1 && Math.min(tray.bottom, box.bottom) - Math.max(tray.top, box.top) >= 1;
    });
}"""

DRAWN: Final = (
    "() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn, 150))))"
)
"""Pieces grow when the board is seen from farther away, and are moved apart when it has rested (80 ms in board.js)."""


class Case(NamedTuple):
    ruleset: str
    decision: str
    size: str


def cases() -> Iterator[Case]:
    for ruleset, decisions in GESTURES.items():
        yield from (Case(ruleset, decision, size) for decision in decisions for size in SIZES)


async def reached(page: Page, name: str) -> dict[str, tuple[float, float]]:
    """Return where on the screen a pointer meets each area that is marked so; fail when something else is met there."""
    found, before = await page.evaluate(REACH, name), None
    while found != before:
        await page.evaluate(DRAWN)
        found, before = await page.evaluate(REACH, name), found
    assert await page.evaluate(OVER) == []
    covered = {area: over for area, at, over in found if at is None}
    assert not covered, f"a pointer meets something else there: {covered}"
    return {area: at for area, at, _ in found}


async def point(page: Page, size: str, at: tuple[float, float]) -> None:
    """Point there so that it is shown what that means, and not sent."""
    if size == "phone":
        await page.touchscreen.tap(*at)
    else:
        await page.keyboard.down("Shift")
        await page.mouse.click(*at)
        await page.keyboard.up("Shift")


async def assert_nothing_is_covered(page: Page, made: Table, size: str) -> None:
    await sit(page, made)
    await expect(page.get_by_role("tablist")).to_be_visible()
    wide = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0
    # All of it at once, so that nothing is out of sight.
    await page.get_by_role("button", name="The whole board").click()
    starts = await reached(page, "can")
    assert starts, "nothing on the map answers this decision"
    start, at = [*starts.items()][-1]
    await point(page, size, at)
    await expect(page.locator(f'svg.board [data-area="{start}"]')).to_have_class("picked")
    await page.evaluate(DRAWN)
    along = page.get_by_role("button", name="Choose what comes along")
    if await along.count():
        await along.click()
    ends = await reached(page, "open")
    if not ends:  # one place is all that this gesture asks for
        return
    end, at = next(iter(ends.items()))
    await point(page, size, at)
    await expect(page.locator(f'svg.board [data-area="{end}"]')).to_have_class(re.compile("picked"))
    assert (await reached(page, "picked")).keys() >= {start, end}


@pytest.mark.parametrize("case", sampled("gestures that nothing covers", cases(), 1), ids="-".join)
async def test_nothing_lies_over_what_a_gesture_asks_for(visit: Visit, service: Service, case: Case) -> None:
    seats = 4 if case.ruleset == "italia-2" else 3
    # In its first campaign nobody could move.
    times = 8 if case.ruleset == "mare-nostrum" else 1
    made = await table(service.services, case.ruleset, seats, seed=3, until=asks(case.decision, times))
    async with visit(**SIZES[case.size]) as visitor:
        visitor.expect("409|422")
        await assert_nothing_is_covered(visitor.page, made, case.size)
