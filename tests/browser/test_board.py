"""The board in its place: all of it seen, large enough to be read, moved and reached by mouse and keys."""

import re
from collections.abc import Sequence
from itertools import combinations, product
from typing import Final

import pytest
from playwright.async_api import Page

from tests.browser.games import table
from tests.browser.reading import board, box, content, opened, sees_all, sizes
from tests.browser.visiting import Visit, expect, until
from tests.helpers.sampling import sampled
from tests.service.api.serving import Service

WIDE: Final = ((1024, 768), (1280, 800), (1440, 900), (1920, 1080))
BOARDS: Final = ("conquest-classic-friz", "italia-1", "mare-nostrum")
SCREENS: Final = ("ruleset", "width", "height")
EARTH: Final = "svg.board #earth > rect"


async def test_everything_on_the_board_is_reached_by_keys(service: Service, page: Page):
    made = await table(service.services, events=200)
    await opened(page, made.id)
    whole = await page.locator("svg.board").get_attribute("viewBox")
    await board(page).focus()
    await page.keyboard.press("Tab")
    await page.keyboard.press("+")
    nearer = await page.locator("svg.board").get_attribute("viewBox")
    assert nearer != whole
    await page.keyboard.press("ArrowRight")
    assert await page.locator("svg.board").get_attribute("viewBox") != nearer
    await page.keyboard.press("0")
    assert await sees_all(page)
    await page.keyboard.press("Tab")
    first = await _focused(page)
    await page.keyboard.press("ArrowRight")
    second = await _focused(page)
    assert first != second
    said = (await content(page))[second].split("; ")
    card = page.get_by_role("status", name="In this area")
    for line in said[1:]:
        await expect(card).to_contain_text(line)
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile(f"area={second}"))


COVERED: Final = """() => [...document.querySelectorAll("svg.board .pile *")].flatMap((piece) => {
  const { left, top, width, height } = piece.getBoundingClientRect();
  const [x, y] = [Math.round(left + width / 2), Math.round(top + height / 2)];
  const under = document.elementsFromPoint(x, y);
  const { area } = piece.closest("[data-area]").dataset;
  const isSeen = under.find((each) => each.closest(".pile"))?.closest(".pile") === piece.closest(".pile");
  return isSeen && under[0].closest("[data-area]")?.dataset.area !== area ? [[area, x, y]] : [];
})"""
"""Where pieces are seen that lie under the ground of another area."""


async def test_a_piece_belongs_to_its_own_area_whichever_it_lies_over(service: Service, page: Page):
    made = await table(service.services, "italia-1", events=600)
    await opened(page, made.id)
    covered = await page.evaluate(COVERED)
    assert len(covered) > 2
    for area, x, y in covered:
        await page.mouse.move(x, y)
        await expect(page.locator("svg.board [data-pointed]")).to_have_attribute("data-area", area)
    area, x, y = covered[0]
    await page.mouse.click(x, y)
    await expect(page).to_have_url(re.compile(f"area={area}"))


async def _focused(page: Page) -> str:
    return await page.evaluate("document.activeElement.closest('[data-area]')?.dataset.area ?? ''")


async def test_the_board_is_moved_and_drawn_nearer_by_the_mouse(service: Service, page: Page):
    made = await table(service.services, events=60)
    await opened(page, made.id)
    box = await board(page).bounding_box()
    assert box
    whole = await _view(page)
    await page.mouse.move(box["x"] + 300, box["y"] + 300)
    await page.mouse.wheel(0, -400)
    nearer = await _view(page)
    assert nearer[2] < whole[2]
    await page.mouse.down()
    await page.mouse.move(box["x"] + 200, box["y"] + 260, steps=5)
    await page.mouse.up()
    assert (await _view(page))[0] > nearer[0]
    await page.get_by_role("button", name="The whole board").click()
    assert await sees_all(page)


def on_screens(check: str, rulesets: Sequence[str], draw: int) -> list[tuple[str, int, int]]:
    """Return `draw` cases of each ruleset on a wide screen."""
    every = [(ruleset, *screen) for ruleset, screen in product(rulesets, WIDE)]
    return sampled(check, every, draw, by=lambda case: case[0])


@pytest.mark.parametrize(SCREENS, on_screens("the whole board on wide screens", BOARDS, 1))
async def test_the_whole_board_fills_its_place_and_nothing_hides_it(
    service: Service, visit: Visit, ruleset: str, width: int, height: int
):
    made = await table(service.services, ruleset, 3, events=120)
    async with visit(viewport={"width": width, "height": height}) as visitor:
        page = visitor.page
        await opened(page, made.id)
        assert await sees_all(page)
        place, earth = await box(page, "section#board"), await box(page, EARTH)
        assert place["width"] == pytest.approx(earth["width"], abs=2)
        # Where the side has its least width, a little ground is left above and below.
        assert place["height"] == pytest.approx(earth["height"], abs=2 if width > 1024 else 60)


@pytest.mark.parametrize("ruleset", sampled("the ground beside a board", BOARDS, 1))
async def test_beside_a_board_that_leaves_room_the_ground_goes_on(service: Service, visit: Visit, ruleset: str):
    made = await table(service.services, ruleset, 3, events=120)
    async with visit(viewport={"width": 1024, "height": 1366}) as visitor:
        page = visitor.page
        await opened(page, made.id)
        assert await sees_all(page)
        for _ in range(2):
            place, ground = await box(page, "section#board"), await box(page, "svg.board #beyond > rect")
            for start, length in (("x", "width"), ("y", "height")):
                assert ground[start] <= place[start]
                assert ground[start] + ground[length] >= place[start] + place[length]
            # Wherever it is moved.
            await page.locator("svg.board").focus()
            for _ in range(8):
                await page.keyboard.press("ArrowUp")


@pytest.mark.parametrize(SCREENS, on_screens("what is written on pieces", (*BOARDS, "conquest-campaign"), 1))
async def test_text_on_pieces_is_large_enough_to_be_read(
    service: Service, visit: Visit, ruleset: str, width: int, height: int
):
    made = await table(service.services, ruleset, 3, events=500)
    async with visit(viewport={"width": width, "height": height}) as visitor:
        await opened(visitor.page, made.id)
        assert min(await sizes(visitor.page)) >= 11


async def test_a_pile_at_an_edge_of_the_board_does_not_grow_beyond_it(service: Service, visit: Visit):
    made = await table(service.services, "conquest-classic-friz", 5, seed=5, events=700)
    async with visit(viewport={"width": 1024, "height": 768}) as visitor:
        await opened(visitor.page, made.id)
        earth = await box(visitor.page, EARTH)
        piles = await visitor.page.locator("svg.board .pile").evaluate_all(
            "(all) => all.map((each) => { const { x, y, width, height } = each.getBoundingClientRect();"
            " return { x, y, width, height }; })"
        )
        assert await visitor.page.locator("svg.board .pile.south").count()
        for pile in piles:
            for start, length in (("x", "width"), ("y", "height")):
                assert pile[start] >= earth[start] - 1
                assert pile[start] + pile[length] <= earth[start] + earth[length] + 1


async def _view(page: Page) -> list[float]:
    return [float(each) for each in (await page.locator("svg.board").get_attribute("viewBox") or "").split()]


@pytest.mark.parametrize(
    ("ruleset", "width"), [("conquest-classic-friz", 1024), ("italia-1", 1024), ("italia-1", 1440)]
)
async def test_names_on_the_board_are_large_enough_to_be_read_and_apart(
    service: Service, visit: Visit, ruleset: str, width: int
):
    made = await table(service.services, ruleset, 3, events=120)
    async with visit(viewport={"width": width, "height": 768}) as visitor:
        page = visitor.page
        await opened(page, made.id)
        names = page.locator("svg.board #names text")
        await expect(page.locator("svg.board #names")).to_have_attribute("data-size", re.compile(r"\d"))
        shown = await names.evaluate_all(
            "(all) => all.filter((each) => each.getAttribute('visibility') !== 'hidden').map((each) => {"
            " const { left, right, top, bottom } = each.getBoundingClientRect();"
            " const size = each.ownerSVGElement.getScreenCTM().a * parseFloat(getComputedStyle(each).fontSize);"
            " return { left, right, top, bottom, size }; })"
        )
        assert len(shown) > await names.count() / 2
        assert min(each["size"] for each in shown) >= 10.9
        for one, other in combinations(shown, 2):
            apart = one["right"] <= other["left"] or other["right"] <= one["left"]
            assert apart or one["bottom"] <= other["top"] or other["bottom"] <= one["top"], (one, other)
        # From nearby there is room for all.
        await board(page).get_by_role("button", name="Nearer").click(click_count=4, delay=50)
        await expect(page.locator("svg.board #names text[visibility=hidden]")).to_have_count(0)


CROWDED: Final = """() => {
  const boxes = (found) => [...found].map((each) => [each, each.getBoundingClientRect()]);
  const common = (one, other) =>
    Math.max(0, Math.min(one.right, other.right) - Math.max(one.left, other.left)) *
    Math.max(0, Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top));
  const pieces = boxes(document.querySelectorAll("svg.board .pile > g"));
  const names = boxes(document.querySelectorAll("svg.board #names text:not([visibility=hidden])"));
  const areaOf = (piece) => piece.closest("[data-area]").dataset.area;
  const hides = (some, share) => some.filter(([what, box]) =>
    pieces.some(([piece, over]) => piece !== what && areaOf(piece) !== what.closest("[data-area]")?.dataset.area
      && common(box, over) > share * box.width * box.height));
  return {
    pieces: hides(pieces, 0.15).map(([piece]) => areaOf(piece)),
    names: hides(names, 0.3).map(([name]) => name.textContent),
    of: names.length,
  };
}"""
"""The areas whose pieces lie partly under another area's, and the names of which a piece hides a third."""


@pytest.mark.parametrize(SCREENS, on_screens("pieces that hide nothing", ("italia-1", "italia-2"), 1))
async def test_in_a_crowded_land_pieces_hide_neither_one_another_nor_names(
    service: Service, visit: Visit, ruleset: str, width: int, height: int
):
    made = await table(service.services, ruleset, 4 if ruleset == "italia-2" else 3, seed=3, events=400)
    async with visit(viewport={"width": width, "height": height}) as visitor:
        await opened(visitor.page, made.id)
        await until(
            visitor.page, f"(({{ pieces, names, of }}) => !pieces.length && names.length <= of / 8)(({CROWDED})())"
        )
