"""Reading a game: its board at any version, the story beside it, links, comparisons; by mouse and by keyboard."""

import asyncio
import re
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, Route

from domain.boards import builtin
from domain.library import LIBRARY
from service.base.clock import utc_now
from tests.browser.games import table
from tests.browser.reading import (
    assert_shows,
    box,
    content,
    expect_version,
    give_any,
    opened,
    sentence,
    slider,
    version,
)
from tests.browser.visiting import Visit, Visitor, expect, visiting
from tests.helpers.sampling import sampled
from tests.service.api.serving import Service, serving

BOARDS = ("conquest-classic-friz", "conquest-classic-2005", "conquest-campaign", "mare-nostrum")


@pytest.mark.parametrize("ruleset", sampled("boards at versions that are gone to", BOARDS, 1))
async def test_the_board_shows_the_position_of_every_version_that_is_gone_to(
    service: Service, page: Page, ruleset: str
):
    made = await table(service.services, ruleset, 3, events=700)
    await opened(page, made.id, "#v=300")
    await assert_shows(page, service, made.id, 300)
    # On and back, within a chunk of frames and over the edges of chunks, the first and the last.
    for number in (301, 299, 250, 251, 530, 12, 1, 500, 501, made.version):
        await slider(page).fill(str(number))
        await assert_shows(page, service, made.id, number)


async def test_a_drag_passes_over_many_versions_and_ends_where_it_is_let_go(service: Service, page: Page):
    made = await table(service.services, events=1500)
    await opened(page, made.id, "#v=1")
    box = await slider(page).bounding_box()
    assert box
    middle = box["y"] + box["height"] / 2
    await page.mouse.move(box["x"] + 8, middle)
    await page.mouse.down()
    for step in range(1, 41):
        await page.mouse.move(box["x"] + box["width"] * step / 50, middle)
    await page.mouse.up()
    reached = await version(page)
    await expect_version(page, reached)
    assert 1000 < reached < made.version
    await assert_shows(page, service, made.id, reached)


async def test_the_story_is_told_in_step_with_the_board(service: Service, page: Page):
    made = await table(service.services, events=400)
    await opened(page, made.id, "#v=200")
    told = {each["version"]: each["text"] for each in await _history(service, made.id)}
    await expect(sentence(page, 200)).to_have_attribute("aria-current", "step")
    await expect(sentence(page, 200)).to_be_in_viewport()
    for number in (197, 200, 203):
        await expect(sentence(page, number)).to_contain_text(told[number])
    await sentence(page, 203).get_by_role("button").click()
    await expect_version(page, 203)
    await expect(sentence(page, 203)).to_have_attribute("aria-current", "step")
    await assert_shows(page, service, made.id, 203)


async def _history(service: Service, game: str) -> list[dict]:
    page = await service.get(f"/v1/games/{game}/history?limit=500")
    return [sentence for passage in page["items"] for sentence in passage["sentences"]]


async def test_a_link_leads_to_its_version_and_every_version_has_one(service: Service, page: Page):
    made = await table(service.services, events=300)
    await opened(page, made.id, "?version=120")
    await assert_shows(page, service, made.id, 120)
    await slider(page).fill("77")
    await expect(page).to_have_url(re.compile("#v=77$"))
    await page.reload()
    await assert_shows(page, service, made.id, 77)
    await page.evaluate("location.hash = '#v=90'")
    await expect_version(page, 90)


async def test_an_address_that_changed_since_the_page_did_is_not_written_over(page: Page):
    await page.goto("/viewer/vendor/LICENSE.txt")
    left = await page.evaluate("""async () => {
        const { Address } = await import("/viewer/state/link.js");
        const late = () => new Promise((done) => setTimeout(done, 400));
        const room = { head: 9, version: 9, following: false, against: null, area: null };
        const address = new Address(room);
        address.update();
        await late();
        const own = location.hash;
        address.update();
        history.replaceState(null, "", "#token=of-a-link");
        await late();
        return [own, location.hash];
    }""")
    assert left == ["#v=9", "#token=of-a-link"]


async def test_a_game_is_stepped_through_by_events_commands_turns_and_battles(service: Service, page: Page):
    made = await table(service.services, events=900)
    timeline = await _timeline(service, made.id, 800)
    events = (await service.get(f"/v1/games/{made.id}/events?limit=500"))["items"]
    await opened(page, made.id, "#v=100")
    by, onward, back = (
        page.get_by_role("combobox", name="Step by"),
        page.get_by_role("button", name=re.compile("^On one")),
        page.get_by_role("button", name=re.compile("^Back one")),
    )
    await by.select_option("event")
    await onward.click()
    await expect_version(page, 101)
    await by.select_option("command")
    await onward.click()
    begins = [event["version"] for event in events if "cause" in event]
    await expect_version(page, next(start for start in begins if start > 102) - 1)
    for stride, marked in (("battle", _is_battle), ("phase", _is_phase)):
        await slider(page).fill("100")
        await by.select_option(stride)
        await onward.click()
        await expect_version(page, next(each["version"] for each in timeline if each["version"] > 100 and marked(each)))
    await by.select_option("turn")
    phases = [each for each in timeline if _is_phase(each)]
    turns = [one for one, before in zip(phases[1:], phases, strict=False) if _turn(one) != _turn(before)]
    here = await version(page)
    await onward.click()
    there = next(each["version"] for each in turns if each["version"] > here)
    await expect_version(page, there)
    await back.click()
    await expect_version(page, max(each["version"] for each in turns if each["version"] < there))


async def test_a_mark_on_the_timeline_leads_to_its_battle(service: Service, page: Page):
    made = await table(service.services, events=900)
    timeline = await _timeline(service, made.id, 800)
    battle = next(each for each in timeline if _is_battle(each))["version"]
    await opened(page, made.id, "#v=10")
    marks = page.get_by_role("img", name=re.compile("^Marked:.*[1-9][0-9]* battle"))
    box = await marks.bounding_box()
    assert box

    async def click(number: float) -> None:
        await page.mouse.click(box["x"] + box["width"] * (number - 1) / (made.version - 1), box["y"] + 20)

    await click(battle + 2)
    await expect_version(page, battle)
    # Where no mark is near, the version itself is meant, as exactly as a pixel tells.
    marked = sorted({each["version"] for each in timeline})
    before, after = max(pairwise(marked), key=lambda pair: pair[1] - pair[0])
    between = (before + after) // 2
    await click(between)
    await expect(slider(page)).not_to_have_value(str(battle))
    assert abs(await version(page) - between) <= made.version / box["width"] + 1


async def test_whether_a_link_was_copied_is_said_as_it_is(service: Service, visit: Visit):
    made = await table(service.services, events=60)
    async with visit(permissions=["clipboard-write", "clipboard-read"]) as visitor:
        page = visitor.page
        await opened(page, made.id, "#v=40")
        await page.get_by_role("button", name="Copy link").click()
        await expect(page.get_by_role("button", name="Copied")).to_be_focused()
        assert await page.evaluate("navigator.clipboard.readText()") == page.url
        await page.add_init_script("Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined })")
        await page.reload()
        await page.get_by_role("button", name="Copy link").click()
        await expect(page.get_by_role("button", name="It is in the address")).to_be_focused()
        assert page.url.endswith("#v=40")


def _turn(entry: dict) -> tuple[int, str]:
    return entry["round"], entry["heading"].partition(":")[0]


async def _timeline(service: Service, game: str, until: int) -> list[dict]:
    """Return the timeline, once it has been told as far as a version."""
    while True:
        entries = (await service.get(f"/v1/games/{game}/timeline?limit=500"))["items"]
        if entries and entries[-1]["version"] >= until:
            return entries
        await asyncio.sleep(0.1)


def _is_battle(entry: dict) -> bool:
    return entry["kind"] in ("battle", "naval-battle")


def _is_phase(entry: dict) -> bool:
    return entry["kind"] == "phase"


async def test_a_game_is_played_like_a_film_and_stops_at_its_end(service: Service, page: Page):
    made = await table(service.services, events=120)
    await opened(page, made.id, f"#v={made.version - 3}")
    await page.get_by_role("combobox", name="Step by").select_option("event")
    await page.get_by_role("combobox", name="speed").select_option("8")
    await page.get_by_role("button", name="Replay", exact=True).click()
    await expect(page.get_by_role("button", name="Pause")).to_be_visible()
    await expect_version(page, made.version)
    await expect(page.get_by_role("button", name="Replay", exact=True)).to_be_visible()


async def test_a_game_that_goes_on_is_followed_and_the_past_is_left_in_peace(service: Service, page: Page):
    made = await table(service.services, events=248)
    await opened(page, made.id)
    await expect(page.get_by_role("status").filter(has_text="live")).to_be_visible()
    now = made.version
    for _ in range(4):  # over the edge of a chunk
        now = await give_any(service, made)
        await expect_version(page, now)
    await expect(sentence(page, now)).to_have_attribute("aria-current", "step")
    await assert_shows(page, service, made.id, now)
    await slider(page).fill("100")
    later = await give_any(service, made)
    await expect(slider(page)).to_have_attribute("max", str(later))
    assert await version(page) == 100


async def test_a_stream_that_broke_off_is_taken_up_again_without_a_gap(service: Service, page: Page, visitor: Visitor):
    made = await table(service.services, events=100)
    visitor.expect("ERR_FAILED")
    await page.route("**/events/stream", lambda route: route.abort())
    await opened(page, made.id)
    await expect(page.get_by_role("status").filter(has_text="connection lost")).to_be_visible()
    now = await give_any(service, made)
    await page.unroute("**/events/stream")
    await expect(page.get_by_role("status").filter(has_text="live")).to_be_visible()
    await expect_version(page, now)


AREA = "(shape) => shape.getAttribute('href').replace('#shape-', '')"
BELOW_PIECES = """(shade) => ["areas", "names"].every((id) =>
    shade.compareDocumentPosition(document.getElementById(id)) & Node.DOCUMENT_POSITION_FOLLOWING)"""


async def test_differences_are_framed_on_the_board_and_listed(service: Service, page: Page):
    made = await table(service.services, events=500)
    await opened(page, made.id, "#v=200")
    before = await content(page)
    await slider(page).fill("260")
    await expect_version(page, 260)
    after = await content(page)
    differing = {area for area in after if before[area] != after[area]}
    assert differing
    await page.get_by_role("tab", name="Changes").click()
    await page.get_by_role("spinbutton", name="from version").fill("200")
    await page.keyboard.press("Enter")
    await expect(page.locator("svg.board .changed")).to_have_count(len(differing))
    framed = await page.locator("svg.board .changed").evaluate_all("(all) => all.map((each) => each.dataset.area)")
    assert set(framed) == differing
    # These keep their colours, land or sea; the others lie in the shade, and all pieces and names above it.
    shown = {
        kind: set(await page.locator(f"svg.board .{kind} use").evaluate_all(f"(all) => all.map({AREA})"))
        for kind in ("frames", "shade")
    }
    assert shown == {"frames": differing, "shade": set(after) - differing}
    await expect(page.locator("svg.board .frames")).to_have_css("fill", "none")
    assert await page.locator("svg.board .shade").evaluate(BELOW_PIECES)
    await expect(page.locator(".differences .area")).to_have_count(len(differing))
    await expect(page).to_have_url(re.compile("#v=260&with=200$"))
    await page.get_by_role("button", name="Stop comparing").click()
    await expect(page.locator("svg.board :is(.changed, .frames, .shade)")).to_have_count(0)


async def test_the_inspector_shows_an_event_its_cause_its_rules_and_its_dice(service: Service, page: Page):
    made = await table(service.services, events=20_000)
    events = (await service.get(f"/v1/games/{made.id}/events?limit=500"))["items"]
    command, rolled = "", events[0]
    for rolled in events:
        command = rolled.get("cause", {}).get("command", {}).get("type", command)
        if rolled["type"] == "legion-rolled" and command == "finish-movement":
            break
    await opened(page, made.id, f"#v={rolled['version']}")
    panel = page.get_by_role("tabpanel", name="Event")
    await expect(panel.get_by_role("heading", name="Legion Rolled")).to_be_visible()
    await expect(panel).to_contain_text(rolled["hash"])
    await expect(panel).to_contain_text("the command finish movement")
    await expect(panel.locator(".derivation.right")).to_contain_text("as the log says")
    faces = panel.locator(".dice .die-face")
    await expect(faces).to_have_count(len(rolled["event"]["faces"]))
    await expect(faces.first).to_have_attribute("title", re.compile(", (hits|misses)$"))
    # What is for programs is folded up below what is for people.
    folded = panel.locator("details").filter(has=page.locator("pre"))
    assert await folded.evaluate_all("(all) => all.some((each) => each.open)") is False
    order = await panel.evaluate(
        "(panel) => [...panel.querySelectorAll('.facts, .dice, .rules, pre')]"
        ".map((part) => part.localName === 'pre' ? 'pre' : part.className)"
    )
    assert order.index("dice") < order.index("rules") < order.index("pre")
    await folded.first.locator("summary").click()
    await expect(folded.first.locator("pre")).to_contain_text('"type": "legion-rolled"')
    concerned = panel.locator(".rules").filter(has_text="Rules that it concerns")
    await expect(concerned.locator("details.rule")).to_contain_text(
        ["CC-BAT-"] * await concerned.locator("details").count()
    )
    await expect(panel.locator(".rules").filter(has_text="Rules of the command behind it")).to_contain_text("CC-MOV-25")
    rule = panel.locator("details.rule").first
    await rule.locator("summary").click()
    await expect(rule).to_contain_text("Versione di Friz")


async def test_the_inspector_shows_what_rules_of_the_house_concern_what_happens_around_the_table(
    service: Service, page: Page
):
    made = await table(service.services, "mare-nostrum", events=30)
    await opened(page, made.id, "#v=2")
    panel = page.get_by_role("tabpanel", name="Event")
    await expect(panel.get_by_role("heading", name="Seat Taken")).to_be_visible()
    await expect(panel.locator("details.rule")).to_contain_text(["TAB-LIFE-03: One player, one seat"])
    await slider(page).fill("1")
    await expect(panel.get_by_role("heading", name="Game Created")).to_be_visible()
    await expect(panel.locator(".rules")).to_have_count(0)


async def test_a_game_on_a_board_without_a_map_is_read_without_it(tmp_path: Path, browser: Browser):
    async with (
        serving(tmp_path, LIBRARY, builtin, clock=utc_now, drawings=lambda board: None, durable=False) as service,
        visiting(browser, str(service.client.base_url).rstrip("/")) as visitor,
    ):
        visitor.listen()
        visitor.expect("404.*/board.svg")
        page = visitor.page
        made = await table(service.services, events=120)
        await opened(page, made.id, "#v=60")
        await expect(page.get_by_text("There is no map of this board.")).to_be_visible()
        told = {each["version"]: each["text"] for each in await _history(service, made.id)}
        await expect(sentence(page, 60)).to_contain_text(told[60])
        await page.get_by_role("tab", name="Scores").click()
        marks = await service.get(f"/v1/games/{made.id}/marks?version=60")
        figures = page.get_by_role("row", name="tribute").get_by_role("cell")
        await expect(figures).to_have_text([str(each["figures"]["tribute"]) for each in marks["standings"]])
        await page.get_by_role("tab", name="Decide").click()
        await expect(page.get_by_role("tabpanel", name="Decide")).to_contain_text("Sign in as one of the players")
        await slider(page).fill("100")
        await expect_version(page, 100)
        now = await give_any(service, made)
        await expect(slider(page)).to_have_attribute("max", str(now))
        # What cannot be had is neither complained of nor asked for again.
        await page.wait_for_timeout(2500)
        assert await page.get_by_role("alert").count() == 0
        assert sum("/board.svg" in request.url for request in visitor.asked) == 1
        # One scene to begin with, the frames around it, and what came then.
        assert sum("/frames?" in request.url for request in visitor.asked) <= 3


@pytest.mark.parametrize("ahead", [1, 2])
async def test_a_timeline_that_knows_more_than_the_page_is_drawn_as_far_as_the_page_goes(
    service: Service, page: Page, ahead: int
):
    made = await table(service.services, events=300)
    known = await _timeline(service, made.id, 200)
    last = next(entry for entry in reversed(known) if entry["kind"] == "phase")
    further = [{**last, "version": made.version + 50 * each, "round": 90 + each} for each in range(1, ahead + 1)]

    async def tell(route: Route) -> None:
        await route.fulfill(json={"items": known + further, "next": None})

    await page.route(re.compile(r"/v1/games/[^/]+/timeline"), tell)
    await opened(page, made.id)
    rounds = len({entry["round"] for entry in known if entry["kind"] == "phase"})
    await expect(page.get_by_role("img", name="Marked:")).to_have_attribute(
        "aria-label", re.compile(rf"Marked: {rounds} rounds?,")
    )


async def test_the_board_shows_what_the_last_command_did(service: Service, page: Page):
    made = await table(service.services, events=700)
    pages = [await service.get(f"/v1/games/{made.id}/frames?after={after}") for after in (0, 250, 500)]
    frames = [frame for page in pages for frame in page["frames"]]
    moved = [frame["version"] for frame in frames if frame.get("happened", {}).get("moves")]
    lost = [frame["version"] for frame in frames if frame.get("happened", {}).get("lost")]
    happened = page.locator("svg.board #happened")
    await opened(page, made.id, f"#v={moved[-1]}")
    await expect(happened.locator(".moved")).not_to_have_count(0)
    # As long as the command goes on, all that it did is shown; what the next one does takes its place.
    await slider(page).fill(str(lost[-1]))
    await expect(happened.locator(".cross")).not_to_have_count(0)
    quiet = next(each["version"] for each in frames[100:] if each.get("command") and not each.get("drawn"))
    await slider(page).fill(str(quiet))
    await expect(happened.locator("*")).to_have_count(0)
    await slider(page).fill(str(moved[-1]))
    await expect(happened.locator(".moved")).not_to_have_count(0)
    await page.evaluate(f"location.hash = '#v={moved[-1]}&with={moved[-1] - 20}'")
    await expect(happened.locator("*")).to_have_count(0)


async def test_a_battle_shows_its_dice_with_their_odds_and_their_proof(service: Service, visitor: Visitor):
    page = visitor.page
    made = await table(service.services, events=900)
    frames = [
        frame
        for after in range(0, made.version, 250)
        for frame in (await service.get(f"/v1/games/{made.id}/frames?after={after}"))["frames"]
    ]
    thrown = next(
        frame["version"] for frame in frames if any(roll["hits"] is not None for roll in frame.get("rolls", ()))
    )
    roll = frames[thrown - 1]["rolls"][0]
    await opened(page, made.id, f"#v={thrown}")
    card = page.locator(".battle-card")
    faces = [re.compile(rf"^\s*{face.replace('-', ' ')}, (hits|misses)", re.IGNORECASE) for face in roll["faces"]]
    await expect(card.locator(".die-face")).to_have_text(faces)
    await expect(card).to_contain_text(
        re.compile(rf"{roll['hits']} hits? \(chance of {roll['hits']} or (more|fewer): ")
    )
    await visitor.axe_in_passing()
    await page.set_viewport_size({"width": 1024, "height": 768})
    shown, place = await box(page, ".battle-card"), await box(page, "section#board")
    assert shown["x"] >= place["x"] + place["width"]
    await card.get_by_role("button", name="Proof of this roll").click()
    await expect_version(page, thrown)
    await expect(page.get_by_role("tabpanel")).to_contain_text("published when the game ends")
    # Before anybody rolled it says what is to be expected; without a battle there is no card.
    await slider(page).fill(str(thrown - 1))
    await expect(card).to_contain_text("hits on average")
    await slider(page).fill("5")
    await expect(card).to_have_count(0)


async def test_little_is_fetched_before_the_first_board(service: Service, page: Page):
    made = await table(service.services, seats=4, seed=5, events=600)
    await opened(page, made.id)
    kib = await page.evaluate(
        "() => { const [{ duration: until }] = performance.getEntriesByName('first-board');"
        " return ['resource', 'navigation'].flatMap((type) => performance.getEntriesByType(type))"
        " .filter(({ responseEnd }) => responseEnd && responseEnd <= until)"
        " .reduce((sum, { transferSize }) => sum + transferSize, 0) / 1024; }"
    )
    assert 60 < kib <= 220
    # What is behind the tabs comes all the same.
    await page.get_by_role("tab", name="Verify").click()
    await expect(page.get_by_role("tabpanel")).to_contain_text("Verify")
