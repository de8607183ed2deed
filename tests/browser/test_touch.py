"""The board under fingers: one moves it, two draw it nearer and farther, a tap chooses what lies there."""

from collections.abc import Mapping
from operator import itemgetter

import pytest
from playwright.async_api import CDPSession, Page

from domain.kernel.chance.secret import Vault
from domain.kernel.log.game import Game
from tests.browser.games import table
from tests.browser.reading import board, opened, sees_all, sizes
from tests.browser.visiting import PHONE, Visit, expect
from tests.helpers.sampling import sampled
from tests.service.api.serving import Service

Spot = tuple[float, float]

ON_THE_MAP = """([x, y]) => {
    const svg = document.querySelector("svg.board");
    const at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM().inverse());
    return [at.x, at.y];
}"""

RESTED = "() => new Promise((done) => setTimeout(done, 300))"
"""Pieces are moved apart when the board has rested for 80 ms (board.js)."""

TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

THERE = """(at) => {
    // The area that lies there: the one of the uppermost piece, if there is one. Null where something of the page does.
    const under = document.elementsFromPoint(...at);
    const there = under.find((each) => each.closest(".pile")) ?? under[0];
    if (!document.querySelector("svg.board").contains(under[0])) return null;
    return there.closest("[data-area]")?.dataset.area ?? null;
}"""

AREA = "(at) => document.elementFromPoint(...at).closest('[data-area]').dataset.area"


class Hand:
    """Fingers on a page, each with a number of its own."""

    def __init__(self, page: Page, inside: CDPSession) -> None:
        self._page = page
        self._inside = inside
        self._down: dict[int, Spot] = {}

    async def put(self, fingers: Mapping[int, Spot]) -> None:
        for finger, at in fingers.items():
            self._down[finger] = at
            await self._say("touchStart", self._down)

    async def move(self, fingers: Mapping[int, Spot], steps: int = 8) -> None:
        """Move fingers evenly, all at once."""
        began = dict(self._down)
        for step in range(1, steps + 1):
            for finger, (x, y) in fingers.items():
                from_x, from_y = began[finger]
                self._down[finger] = (from_x + (x - from_x) * step / steps, from_y + (y - from_y) * step / steps)
            await self._say("touchMove", self._down)
        # The page is told of what moved at its next frame, which a busy machine draws late.
        await self._page.evaluate(TWO_FRAMES)

    async def lift(self, *fingers: int) -> None:
        """Lift some fingers, or all."""
        for finger in fingers or list(self._down):
            await self._say("touchEnd", {finger: self._down.pop(finger)})

    async def _say(self, what: str, fingers: Mapping[int, Spot]) -> None:
        touching = [{"x": x, "y": y, "id": finger} for finger, (x, y) in fingers.items()]
        await self._inside.send("Input.dispatchTouchEvent", {"type": what, "touchPoints": touching})


async def _view(page: Page) -> list[float]:
    return [float(each) for each in (await page.locator("svg.board").get_attribute("viewBox") or "").split()]


async def _under(page: Page, at: Spot) -> list[float]:
    """Return the point of the map that lies under a point of the page."""
    return await page.evaluate(ON_THE_MAP, at)


async def _middle(page: Page) -> Spot:
    box = await board(page).bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


async def test_two_fingers_draw_the_board_nearer_and_what_they_hold_stays_under_them(service: Service, visit: Visit):
    made = await table(service.services, events=200)
    async with visit(**PHONE) as visitor:
        page = visitor.page
        await opened(page, made.id)
        hand = Hand(page, await visitor.context.new_cdp_session(page))
        x, y = await _middle(page)
        whole = await _view(page)
        left, right = (x - 30, y), (x + 30, y)
        held = [await _under(page, left), await _under(page, right)]
        await hand.put({1: left, 2: right})
        left, right = (x - 110, y + 20), (x + 130, y + 20)
        await hand.move({1: left, 2: right})
        nearer = await _view(page)
        assert nearer[2] == pytest.approx(whole[2] / 4, rel=0.02)
        for finger, before in zip((left, right), held, strict=True):
            assert await _under(page, finger) == pytest.approx(before, abs=4)
        # One finger is lifted; the other goes on, and moves the board as far as itself.
        await hand.lift(2)
        there = await _under(page, left)
        await hand.move({1: (x - 60, y + 40)})
        assert await _under(page, (x - 60, y + 40)) == pytest.approx(there, abs=4)
        await hand.lift()
        assert (await _view(page))[2] == nearer[2]
        # Nothing was chosen by all this, and the page itself was neither scrolled nor enlarged.
        assert "area=" not in page.url
        assert await page.evaluate("() => [scrollX, scrollY, visualViewport.scale]") == [0, 0, 1]


async def test_two_fingers_put_the_board_farther_away_until_all_of_it_is_seen(service: Service, visit: Visit):
    made = await table(service.services, events=60)
    async with visit(**PHONE) as visitor:
        page = visitor.page
        await opened(page, made.id)
        whole = await _view(page)
        await page.get_by_role("button", name="Nearer").click()
        assert (await _view(page))[2] < whole[2]
        hand = Hand(page, await visitor.context.new_cdp_session(page))
        x, y = await _middle(page)
        await hand.put({1: (x - 120, y), 2: (x + 120, y)})
        await hand.move({1: (x - 10, y), 2: (x + 10, y)})
        await hand.lift()
        assert await sees_all(page)


def has_figures(game: Game) -> bool:
    """Tell whether pieces stand together late in a game, so that it is written on them how many they are."""
    if game.version < 240:
        return False
    shown = game.ruleset.marks(game.view(None, Vault()), game.names)
    return any(mark.count > 1 for place in shown.places.values() for stack in place.stacks for mark in stack.marks)


BOARDS = ("conquest-classic-friz", "italia-1", "mare-nostrum")


@pytest.mark.parametrize("ruleset", sampled("boards as a phone opens them", BOARDS, 1))
async def test_a_phone_opens_the_board_where_something_happened_and_near_enough_to_be_read(
    service: Service, visit: Visit, ruleset: str
):
    made = await table(service.services, ruleset, 3, seed=4, until=has_figures)
    frames = (await service.get(f"/v1/games/{made.id}/frames?after={made.version - 200}"))["frames"]
    told = {frame["version"]: frame["happened"]["at"][0] for frame in frames if frame.get("happened", {}).get("at")}
    latest = {area: at for at, area in told.items()}
    assert len(latest) >= 3
    async with visit(**PHONE) as visitor:
        page = visitor.page
        figures: list[float] = []
        for place, at in sorted(latest.items(), key=itemgetter(1))[-4:]:
            await page.goto("about:blank")
            await opened(page, made.id, f"#v={at}")
            await expect(page.locator("svg.board #happened > *")).not_to_have_count(0)
            figures += await sizes(page)
            assert not await sees_all(page)
            where = await page.locator(f'svg.board [data-area="{place}"] .hit').bounding_box()
            seen = await board(page).bounding_box()
            assert where
            assert seen
            for start, length in (("x", "width"), ("y", "height")):
                assert seen[start] < where[start] + where[length] / 2 < seen[start] + seen[length]
        assert min(figures) >= 11
        # All of it is a touch away.
        await page.get_by_role("button", name="The whole board").tap()
        assert await sees_all(page)


async def test_a_tap_chooses_an_area(service: Service, visit: Visit):
    made = await table(service.services, events=200)
    async with visit(**PHONE) as visitor:
        page = visitor.page
        await opened(page, made.id)
        hand = Hand(page, await visitor.context.new_cdp_session(page))
        # A pinch before it must not be taken for the tap, nor leave a finger behind.
        x, y = await _middle(page)
        await hand.put({1: (x - 30, y), 2: (x + 30, y)})
        await hand.move({1: (x - 60, y), 2: (x + 60, y)})
        await hand.lift()
        view = await _view(page)
        area = await page.evaluate(AREA, [x, y])
        await page.touchscreen.tap(x, y)
        await expect(page.get_by_role("status", name="In this area")).to_be_visible()
        await expect(page.locator(f'svg.board [data-area="{area}"]')).to_have_class("chosen")
        assert await _view(page) == view


async def test_a_tap_beside_a_border_chooses_what_the_finger_lies_on(service: Service, visit: Visit):
    """A browser takes a tap to what it thinks was meant, which can be the neighbour."""
    made = await table(service.services, events=200)
    async with visit(**PHONE) as visitor:
        page = visitor.page
        await opened(page, made.id)
        await page.get_by_role("button", name="The whole board").tap()
        await page.evaluate(RESTED)
        box = await board(page).bounding_box()
        assert box
        columns = range(int(box["x"]) + 6, int(box["x"] + box["width"]), 5)
        rows = range(int(box["y"]) + 6, int(box["y"] + box["height"]), 5)
        spots = [(x, y) for y in rows for x in columns]
        there = await page.evaluate(f"(spots) => spots.map({THERE})", spots)
        beside = [
            at
            for at, area, before in zip(spots[1:], there[1:], there, strict=False)
            if area and before and area != before
        ]
        wanted: list[str] = []
        chosen: list[str | None] = []
        for at in beside[:: len(beside) // 40]:
            # What was chosen before is told in a place that lies over the board.
            area = await page.evaluate(THERE, at)
            if area is None:
                continue
            await page.touchscreen.tap(*at)
            await page.evaluate(TWO_FRAMES)
            wanted.append(area)
            chosen.append(await page.locator("svg.board .chosen").get_attribute("data-area"))
        assert len(chosen) > 20
        assert chosen == wanted


async def _where_the_card_comes(page: Page) -> Spot:
    """Return a place on the board, in an area, that the card of an area covers: its lower left corner."""
    box = await board(page).bounding_box()
    assert box
    spots = [(box["x"] + right, box["y"] + box["height"] - up) for up in (20, 30, 40) for right in (20, 40, 60)]
    there = await page.evaluate(f"(spots) => spots.map({THERE})", spots)
    return next(at for at, area in zip(spots, there, strict=True) if area)


async def test_nothing_comes_to_lie_under_a_finger_between_its_touch_and_the_tap(service: Service, visit: Visit):
    """A tap takes a moment, in which the page is drawn anew. A browser gives the tap to what is there at its end."""
    made = await table(service.services, events=200)
    async with visit(**PHONE) as visitor:
        page = visitor.page
        await opened(page, made.id)
        at = await _where_the_card_comes(page)
        area = await page.evaluate(THERE, at)
        hand = Hand(page, await visitor.context.new_cdp_session(page))
        await hand.put({1: at})
        await page.evaluate(TWO_FRAMES)
        assert await page.evaluate(THERE, at) == area
        await hand.lift()


async def test_what_a_mouse_points_at_is_told_in_a_card_that_leaves_it_on_the_board(service: Service, visit: Visit):
    made = await table(service.services, events=200)
    async with visit(viewport=PHONE["viewport"]) as visitor:
        page = visitor.page
        await opened(page, made.id)
        at = await _where_the_card_comes(page)
        area = await page.evaluate(THERE, at)
        await page.mouse.move(*at)
        card = page.get_by_role("status", name="In this area")
        await expect(card).to_be_visible()
        box = await card.bounding_box()
        assert box
        assert box["x"] < at[0] < box["x"] + box["width"]
        assert box["y"] < at[1] < box["y"] + box["height"]
        await page.mouse.click(*at)
        await expect(page.locator(f'svg.board [data-area="{area}"]')).to_have_class("chosen")


@pytest.mark.parametrize(("ruleset", "seats"), [("mare-nostrum", 4), ("conquest-classic-2005", 6)])
async def test_all_scores_are_in_view_on_a_phone(service: Service, visit: Visit, ruleset: str, seats: int):
    made = await table(service.services, ruleset, seats, seed=3, events=300)
    async with visit(**PHONE) as visitor:
        await opened(visitor.page, made.id)
        await visitor.page.get_by_role("tab", name="Scores").click()
        scores = visitor.page.get_by_role("region", name="Scores")
        await expect(scores.get_by_role("columnheader").last).to_be_visible()
        assert await scores.evaluate("(all) => all.scrollWidth <= all.clientWidth")


async def test_the_head_of_a_page_keeps_to_one_line_on_a_phone_whoever_looks(service: Service, visit: Visit):
    made = await table(service.services, "mare-nostrum", 4, events=60, title="A long evening with a long title")
    async with visit(**PHONE) as visitor:
        head = visitor.page.locator("#page-header")
        await opened(visitor.page, made.id)
        before = await head.bounding_box()
        who = head.locator(".who")
        await who.evaluate("(button) => (button.textContent = 'Seat: Carthage (Hannibal, son of Hamilcar Barca)')")
        assert await head.bounding_box() == before


async def test_nothing_lies_below_the_page_of_a_game(service: Service, visit: Visit):
    made = await table(service.services, "mare-nostrum", 4, events=500)
    async with visit(**PHONE) as visitor:
        await opened(visitor.page, made.id, "#v=250")
        await expect(visitor.page.locator(".sentences [aria-current]")).to_be_in_viewport()
        assert await visitor.page.evaluate("document.scrollingElement.scrollHeight === innerHeight")
