"""What lies on a table looks like what it is: dice, cards, what can be bought; from the same data in every ruleset."""

import json
import re
from typing import Any

import pytest
from playwright.async_api import Locator, Page

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import Seat
from domain.kernel.log.game import Game
from domain.kernel.rules.decision import Option
from service.games.views import Viewer
from service.pictures.frames import Camera
from service.pictures.scenes import sheet_of
from service.pictures.views import RollView
from tests.browser.games import Table, asked_for, asks, table
from tests.browser.pointing import commands
from tests.browser.visiting import PHONE, Visit, Visitor, expect, until
from tests.service.api.serving import Service
from tests.service.pictures.test_scenes import at

LINES = """
each => {
    const range = document.createRange();
    range.selectNodeContents(each);
    return new Set([...range.getClientRects()].map(({ top }) => top)).size;
}
"""
"""Counts the lines of an element's text."""


def seat_asked(made: Table) -> Seat:
    return made.simulation.game.decisions[0].seats[0]


async def sit(page: Page, made: Table) -> None:
    await page.goto(f"/games/{made.id}#token={made.token(seat_asked(made))}")
    await expect(page.locator("#turn .turn.asked.now")).to_be_visible()


def rolls(made: Table) -> tuple[RollView, ...]:
    """Return the dice of the newest command of a game."""
    simulation = made.simulation
    records, game = simulation.records, simulation.game
    first = max(number for number, record in enumerate(records) if record.cause is not None)
    camera = Camera(sheet_of(game), Viewer(), simulation.vault, game.names, at(simulation, records[:first]))
    frames = [
        camera.frame(records[number], at(simulation, records[: number + 1])) for number in range(first, len(records))
    ]
    return tuple(roll for frame in frames for roll in frame.rolls)


async def is_drawn(card: Locator) -> bool:
    """Tell whether all glyphs in an element are in the page."""
    drawn = "each => [...each.querySelectorAll('use')].every(use => document.querySelector(use.getAttribute('href')))"
    return await card.locator("use").count() > 0 and await card.evaluate(drawn)


async def test_dice_are_faces_with_those_that_hit_marked_and_leaders_keep_their_numbers(
    page: Page, visitor: Visitor, service: Service
) -> None:
    made = await table(service.services, "conquest-classic-friz", 3, seed=5, until=asks("mark-losses", 12))
    thrown = rolls(made)
    hits = sum(roll.hits or 0 for roll in thrown)
    assert hits
    await sit(page, made)
    card = page.locator(".battle-card")
    await expect(card.locator("section")).to_have_count(2)
    # The column gives it its room when it knows what else it has to show.
    await until(page, "((each) => each.scrollHeight <= each.clientHeight)(document.querySelector('.under-way'))")
    faces = card.locator(".die-face")
    told = [
        f"{face.capitalize()}, {'hits' if hit else 'misses'}"
        for roll in thrown
        for face, hit in zip(roll.faces, roll.struck, strict=True)
    ]
    await expect(faces).to_have_count(len(told))
    assert await faces.evaluate_all("all => all.map((each) => each.title)") == told
    await expect(card.locator(".die-face.struck")).to_have_count(hits)
    for wide, tall in ((1440, 900), (1024, 768), (390, 844)):
        await page.set_viewport_size({"width": wide, "height": tall})
        for face in await faces.all():
            await expect(face).to_be_in_viewport(ratio=1)
    await page.set_viewport_size({"width": 1280, "height": 720})
    for face in await faces.all():
        is_blank = (await face.get_attribute("title") or "").startswith("Blank")
        assert await is_drawn(face) is not is_blank
    labels = {mark.label for fighter in sides(made) for mark in fighter.marks if mark.kind == "general"}
    assert labels
    for label in labels:
        await expect(card.locator(".pieces li", has_text=f"General {label}")).to_contain_text(
            re.compile(rf"^\s*{label}")
        )
    await visitor.axe_in_passing("#board")


def sides(made: Table) -> tuple[Any, Any]:
    game = made.simulation.game
    battle = game.ruleset.battle(game.table, game.names)
    assert battle is not None
    return battle.attacker, battle.defender


async def test_a_battle_is_shown_once_with_numerals_on_dice_and_leaders_by_name(page: Page, service: Service) -> None:
    made = await table(service.services, "italia-1", 3, seed=19, until=asks("retreat", 1))
    await sit(page, made)
    card = page.locator(".battle-card")
    await expect(card.locator(".die-face").first).to_be_visible()
    faces = [face for roll in rolls(made) for face in roll.faces]
    assert [
        re.sub(r"\D.*", "", text, flags=re.S) for text in await card.locator(".die-face").all_inner_texts()
    ] == faces
    await expect(page.locator(".glance", has_text="Battle in")).to_have_count(0)
    leaders = [mark.words for fighter in sides(made) for mark in fighter.marks if mark.kind == "leader"]
    for leader in leaders:
        await expect(card.locator(".pieces")).to_contain_text([leader] if len(leaders) == 1 else leaders)


async def test_cards_of_others_are_cards_by_whom_they_come_from_and_a_click_takes_one(
    page: Page, visitor: Visitor, service: Service
) -> None:
    visitor.listen()
    made = await table(service.services, "mare-nostrum", 3, seed=10, until=asks("take", 4))
    await sit(page, made)
    game = made.simulation.game
    options = [each for each in game.options(seat_asked(made), made.simulation.vault) if each.command == "take"]
    groups = page.locator("#turn .deal .hand")
    await expect(groups).to_have_count(len(options))
    await expect(groups.locator("h4")).to_have_text([option.title for option in options])
    for option, group in zip(options, await groups.all(), strict=True):
        await expect(group.locator(".card-button")).to_have_count(len(cards_of(option)))
        assert await is_drawn(group.locator(".card-button").first)
    await visitor.axe_in_passing("#turn")
    await page.keyboard.press("1")
    await expect(page.locator("#turn .came")).to_contain_text("done.")
    (sent,) = commands(visitor)
    assert json.loads(sent)["command"] == {
        "type": "take",
        "giver": options[0].schema["properties"]["giver"]["const"],
        "card": cards_of(options[0])[0],
    }


def cards_of(option: Option) -> list[str]:
    card = option.schema["properties"]["card"]
    return card.get("enum") or [card["const"]]


async def test_a_hand_shows_what_its_cards_are_and_how_many_and_no_word_is_broken(
    page: Page, service: Service, visit: Visit
) -> None:
    made = await table(service.services, "mare-nostrum", 3, seed=11, until=asks("offer", 8))
    for options in ({}, PHONE):
        async with visit(**options) as visitor:
            await sit(visitor.page, made)
            hand = visitor.page.locator("#turn .hand .card-button")
            await expect(hand.first).to_be_visible()
            for card in await hand.all():
                assert await is_drawn(card)
                word = card.locator(".what")
                assert await word.evaluate(LINES) == len((await word.inner_text()).split())
                assert await word.evaluate("each => each.scrollWidth <= each.clientWidth")


async def test_a_number_that_may_be_nothing_is_chosen_by_a_button_and_none_is_meant_before(
    page: Page, visitor: Visitor, service: Service
) -> None:
    visitor.listen()
    made = await table(service.services, "mare-nostrum", 3, seed=12, until=asks("name-number", 3))
    await sit(page, made)
    numbers = page.get_by_role("radiogroup", name="Cards").get_by_role("radio")
    await expect(numbers.first).to_be_attached()
    assert await numbers.evaluate_all("all => all.map(({ value }) => Number(value))") == [*range(await numbers.count())]
    assert not await numbers.evaluate_all("all => all.some(({ checked }) => checked)")
    await page.wait_for_timeout(600)  # What has just opened is not sent.
    await page.keyboard.press("Enter")
    await expect(page.locator("#turn .numbers .fault")).to_have_text("Choose a number.")
    assert commands(visitor) == []
    await numbers.nth(2).check()
    await visitor.axe_in_passing("#turn")
    await page.locator("#turn").get_by_role("button", name="Send").click()
    await expect(page.locator("#turn .came")).to_contain_text("done.")
    (sent,) = commands(visitor)
    assert json.loads(sent)["command"] == {"type": "name-number", "number": 2}


def can_acquire(game: Game) -> bool:
    """Tell whether somebody can choose among several cards to acquire."""
    found = [each for each in game.decisions if each.kind == "act"]
    if not found or not found[0].seats:
        return False
    table: Any = game.table
    return game.version > 40 and len(table.display) > 3 and table.players[found[0].seats[0]].talents >= 15


async def test_the_effect_of_a_card_can_be_read_before_it_is_acquired(
    page: Page, visitor: Visitor, service: Service
) -> None:
    visitor.listen()
    visitor.expect("409")  # The mouse may come to lie on what looks for the end of the turn.
    made = await table(service.services, "conquest-campaign", 3, seed=13, until=can_acquire)
    await sit(page, made)
    await page.locator("#turn").get_by_role("button", name=re.compile("Acquire")).click()
    cards = page.locator("#turn .deal .card-button")
    await expect(cards.nth(1)).to_be_visible()
    words = {paper.id: paper.sections[0].lines[0].words for paper in papers(made)}
    for card in await cards.all():
        _, _, name = (await card.get_attribute("data-answer") or "").partition("/")
        if name:
            await expect(card.locator(".does")).to_have_text(words[name])
        assert await is_drawn(card)
    await visitor.axe_in_passing("#turn")
    await page.locator("#turn").get_by_role("button", name="Back").click()
    await expect(cards).to_have_count(0)
    await page.locator("#turn").get_by_role("button", name=re.compile("Acquire")).click()
    await expect(cards.first).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(cards).to_have_count(0)
    assert commands(visitor) == []


def papers(made: Table) -> Any:
    game = made.simulation.game
    return game.ruleset.papers(game.board, game.names).papers


def shopping(game: Game) -> bool:
    """Tell whether somebody is asked to buy, and can pay for cavalry with and without a new city."""
    if not asked_for(game, "buy"):
        return False
    options = [each for each in game.options(game.decisions[0].seats[0], Vault()) if each.command == "buy"]
    return len(options) == 2 and all("cavalry" in each.schema["properties"] for each in options)


@pytest.mark.parametrize("sold_out", [False, True], ids=["all", "sold out"])
async def test_a_shop_says_what_is_paid_with_and_what_is_left_or_sold_out(
    page: Page, service: Service, *, sold_out: bool
) -> None:
    made = await table(service.services, "conquest-classic-friz", 3, seed=14, until=shopping)
    options = made.simulation.game.options(seat_asked(made), made.simulation.vault)
    left = next(each for each in options if each.command == "buy").schema["x-cost"]["left"]

    async def without_cavalry(route: Any) -> None:
        answer = await route.fetch()
        changed = await answer.json()
        for option in changed["options"]:
            if "x-cost" in option["schema"]:
                option["schema"]["x-cost"]["left"]["cavalry"] = 0
                option["schema"]["properties"].pop("cavalry", None)
                option["schema"]["x-gesture"]["counts"].remove("cavalry")
        await route.fulfill(response=answer, json=changed)

    if sold_out:
        await page.route(re.compile(r"/v1/.*/options"), without_cavalry)
    await sit(page, made)
    # It is open already, because nothing else is asked.
    infantry, gone = page.locator('[data-goods="infantry"]'), page.locator('[data-sold-out="cavalry"]')
    await expect(infantry).to_contain_text(f"talents, {left['infantry']} left")
    assert await is_drawn(infantry)
    await expect(gone).to_have_count(int(sold_out))
    if sold_out:
        await expect(gone).to_contain_text("sold out")
        await expect(page.locator('[data-goods="cavalry"]')).to_have_count(0)
    await expect(page.locator("#turn .sum").first).to_contain_text(re.compile(r"^Costs 0 of \d+ talents"))
