"""A seat plays in the page: its decisions, forms, answers in advance."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.async_api import Page

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import Seat
from domain.kernel.log.game import Game
from domain.kernel.rules import schema
from tests.browser.deciding import asked, moving, offered, sit
from tests.browser.games import Table, asked_for, asks, table, token_of
from tests.browser.visiting import PHONE, Visit, Visitor, expect, until
from tests.browser.whole_games import run
from tests.helpers.sampling import RUN, sampled
from tests.service.api.serving import Service

SOME = 10 if RUN.seed else 20
"""Commands of a long game that are given through forms."""


async def test_a_decision_is_answered_by_keyboard_and_the_page_goes_on(
    service: Service, page: Page, visitor: Visitor, placing: Table
):
    visitor.listen()
    await sit(page, placing)
    await expect(page.get_by_role("tab", name="Decide")).to_have_attribute("aria-selected", "true")
    await expect(page.get_by_role("heading", name="Where do you place what you bought?")).to_be_visible()
    await page.get_by_role("button", name="Build a city").focus()
    await page.keyboard.press("Enter")
    await visitor.axe_in_passing()
    await page.get_by_role("button", name="Send").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("form.order .hint")).to_have_text("Not yet: Choose one.")
    await page.get_by_label("Province").focus()
    await page.keyboard.press("ArrowDown")
    chosen = await page.get_by_label("Province").locator("option:checked").text_content()
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("button", name="Send")).to_be_focused()
    await page.get_by_role("button", name="Check").click()
    await expect(page.get_by_text("This would be accepted.")).to_be_visible()
    await page.get_by_role("button", name="Send").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator(".outcome.done")).to_contain_text(
        f"Build a city: accepted as version {placing.version + 1}."
    )
    await expect(page.locator(".sentences")).to_contain_text(f"city in {chosen}")
    (sent,) = [request for request in visitor.asked if request.url.endswith("/commands")]
    assert await sent.header_value("if-match") == f'"{placing.version}"'
    assert await sent.header_value("idempotency-key")
    assert (await service.get(f"/v1/games/{placing.id}"))["version"] > placing.version


async def test_the_command_that_was_accepted_last_can_be_taken_back(service: Service, page: Page, placing: Table):
    await sit(page, placing)
    await page.get_by_role("button", name="Build a city").click()
    await page.get_by_label("Province").select_option(index=1)
    await page.get_by_role("button", name="Send").click()
    outcome = page.locator(".outcome.done")
    await expect(outcome).to_contain_text("Build a city: accepted as version")
    await outcome.get_by_role("button", name="Undo", exact=True).click()
    await expect(outcome).to_contain_text("Take back your commands: accepted as version")
    await expect(page.locator("#decide-title")).to_be_focused()
    events = (await service.get(f"/v1/games/{placing.id}/events?after={placing.version}"))["items"]
    assert events[-1]["event"]["type"] == "moves-retracted"
    assert events[-1]["event"]["to"] == placing.version


async def test_an_area_is_chosen_on_the_board(page: Page, placing: Table):
    await sit(page, placing)
    await page.get_by_role("button", name="Build a city").click()
    open_areas = page.locator("svg.board [data-area].open")
    await expect(open_areas.first).to_be_attached()
    area = await open_areas.first.get_attribute("data-area")
    await open_areas.first.focus()
    await page.keyboard.press("Enter")
    await expect(page.locator(f'svg.board [data-area="{area}"].picked')).to_be_attached()
    chosen = await page.get_by_label("Province").locator("option:checked").text_content()
    assert chosen is not None
    assert chosen.lower().replace(" ", "-") == area


@pytest.mark.parametrize("look", [{}, PHONE], ids=["desk", "phone"])
async def test_the_answer_is_on_the_screen_and_announced(visit: Visit, service: Service, look: dict[str, Any]):
    made = await table(service.services, "conquest-classic-friz", 3, events=400, until=moving)
    async with visit(**look) as visitor:
        page = visitor.page
        await sit(page, made)
        for family in await page.locator(".decision .family > summary").all():
            await family.click()
        await page.locator(".decision").get_by_role("button", name="Done moving").click()
        await page.get_by_role("button", name="Check").click()
        answer = page.locator(".outcome")
        await expect(answer).to_be_in_viewport(ratio=1)
        await expect(page.locator("[aria-live]").filter(has=answer)).to_be_attached()
        await page.get_by_role("button", name="Send").click()
        await expect(page.locator(".outcome.done")).to_contain_text("Done moving: accepted as version")
        await expect(answer).to_be_in_viewport(ratio=1)


async def test_an_area_is_chosen_for_one_move(service: Service, page: Page, placing: Table):
    await sit(page, placing)
    (command,) = await offered(service, placing, asked(placing), "place-city")
    area = command["province"]
    await page.locator(f'svg.board [data-area="{area}"]').focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("#turn .came")).to_contain_text("Build a city in")
    await expect(page.locator(f'svg.board [data-area="{area}"].picked')).to_have_count(0)


async def test_a_refusal_shows_its_rule_and_what_is_allowed(page: Page, visitor: Visitor, placing: Table):
    visitor.expect("409|422|400")
    game: Any = placing.simulation.game
    (option,) = [each for each in game.options(asked(placing), Vault()) if each.command == "place-city"]
    offered = option.schema["properties"]["province"]["enum"]
    # Its id is not its name.
    closed = next(each for each in game.table.provinces if each not in offered and game.names(each) != each)
    await sit(page, placing)
    await page.get_by_role("button", name="Build a city").click()
    await page.get_by_label("Province").select_option(index=1)
    other = json.dumps({"command": {"type": "place-city", "province": closed}})
    await page.route("**/commands", lambda route: route.continue_(post_data=other), times=1)
    await page.get_by_role("button", name="Send").click()
    refused = page.locator(".outcome.refused")
    await expect(refused).to_contain_text(game.names(closed))
    await expect(refused).not_to_contain_text(closed)
    rule = refused.locator("details.rule")
    await expect(rule).to_contain_text("Rule CC-")
    await rule.locator("summary").click()
    await expect(rule.get_by_role("link", name="As data")).to_be_visible()
    await expect(refused.get_by_role("link", name="What this kind of problem means")).to_be_visible()
    await visitor.axe_in_passing()


async def test_a_command_is_taken_back(service: Service, page: Page, placing: Table):
    await sit(page, placing)
    await page.get_by_role("button", name="Build a city").click()
    await page.get_by_label("Province").select_option(index=1)
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".outcome.done")).to_be_visible()
    await page.get_by_text("At any time").click()
    await page.get_by_role("button", name="Take back your commands").click()
    await page.get_by_role("form", name="Take back your commands").get_by_role("button", name="Send").click()
    await expect(page.locator(".sentences [aria-current]")).to_contain_text("taken back")
    await expect(page.get_by_role("button", name="Build a city")).to_be_visible()


async def test_a_form_can_be_filled_in_on_a_phone(visit: Visit, placing: Table):
    async with visit(**PHONE) as visitor:
        await sit(visitor.page, placing)
        await visitor.page.get_by_role("button", name="Build a city").tap()
        await expect(visitor.page.get_by_role("button", name="Send")).to_be_in_viewport(ratio=1)
        await visitor.axe_in_passing()
        await visitor.page.get_by_label("Province").select_option(index=1)
        await visitor.page.get_by_role("button", name="Send").tap()
        await expect(visitor.page.locator(".outcome.done")).to_be_visible()


async def test_a_long_form_can_be_sent_from_its_first_field_on_a_phone(visit: Visit, service: Service):
    made = await table(service.services, "conquest-classic-friz", 3, until=asks("buy"))
    async with visit(**{**PHONE, "viewport": {"width": 390, "height": 460}}) as visitor:
        await sit(visitor.page, made)
        await visitor.page.locator(".decision button.option").first.tap()
        form = visitor.page.locator("form.order")
        await form.evaluate("form => form.scrollIntoView({ block: 'start' })")
        await expect(form.locator("input").last).not_to_be_in_viewport()
        await expect(form.get_by_role("button", name="Send")).to_be_in_viewport(ratio=1)
        await visitor.axe_in_passing()
        # The form has the room of the bar, which comes back when it is closed; the timeline is folded all the time.
        await expect(visitor.page.get_by_role("slider", name="Version")).to_be_hidden()
        await expect(visitor.page.locator("#turn")).to_be_hidden()
        await form.get_by_role("button", name="Close").tap()
        await expect(visitor.page.locator("#turn .question")).to_be_in_viewport()


async def test_a_player_seated_before_the_start_is_led_to_the_decision(service: Service, visit: Visit):
    players = [await service.register(name) for name in ("Anna", "Bert")]
    made = await service.post("/v1/games", players[0], {"ruleset": "conquest-classic-friz", "players": 2})
    for seat, player in zip(made["seats"], players, strict=True):
        await service.post(f"/v1/games/{made['id']}/seats", player, {"seat": seat["seat"]})
    async with visit() as one, visit(**PHONE) as other:
        pages = [one.page, other.page]
        for page, player in zip(pages, players, strict=True):
            await page.goto(f"/games/{made['id']}#token={token_of(player)}")
            await expect(page.get_by_role("heading", name="Everybody is here")).to_be_visible()
            assert not (await page.title()).startswith("Your turn")
        await service.post(f"/v1/games/{made['id']}/start", players[0])
        now = await service.get(f"/v1/games/{made['id']}")
        waiting = now["decisions"][0]["seats"][0]
        first = [seat["seat"] for seat in made["seats"]].index(waiting)
        for page in pages:
            await expect(page.get_by_role("tab", name="Decide")).to_have_attribute("aria-selected", "true")
        asks_me, asks_other = pages[first], pages[1 - first]
        await expect(asks_me.get_by_role("heading", name=now["decisions"][0]["title"])).to_be_in_viewport()
        await expect(asks_me).to_have_title(re.compile("^Your turn · "))
        await expect(asks_other).not_to_have_title(re.compile("Your turn"))
        await asks_me.get_by_role("tab", name="Scores").click()
        await asks_me.get_by_role("button", name="Your turn").click()
        await expect(asks_me.get_by_role("tab", name="Decide")).to_have_attribute("aria-selected", "true")
        await expect(asks_other.get_by_role("button", name="Your turn")).to_have_count(0)


TEE = """
    window.streamed = [];
    const before = window.fetch;
    window.fetch = async (...request) => {
        const answer = await before(...request);
        if (!answer.headers.get("content-type")?.includes("event-stream")) return answer;
        const [one, other] = answer.body.tee();
        (async () => {
            for await (const text of other.pipeThrough(new TextDecoderStream())) window.streamed.push(text);
        })().catch(() => {});
        return new Response(one, answer);
    };
"""
"""Keeps what comes by a stream, which no browser tells."""


async def test_what_another_seat_hides_is_nowhere_in_the_page_and_never_comes_to_it(
    service: Service, visit: Visit, page: Page, visitor: Visitor
):
    visitor.listen()
    visitor.expect("/charts/")
    made = await table(service.services, "mare-nostrum", 3, seed=4, until=asks("offer"))
    mine, *others = made.simulation.game.decisions[0].seats
    await page.add_init_script(TEE)
    await sit(page, made, mine)
    await until(page, "window.streamed.length > 0")
    for other in others:
        options = (await service.get(f"/v1/games/{made.id}/options", made.seats[other]))["options"]
        (offer,) = [option for option in options if option["command"] == "offer"]
        command = schema.sample(offer["schema"], Random(1))
        await service.post(f"/v1/games/{made.id}/commands", made.seats[other], {"command": command})
    now = (await service.get(f"/v1/games/{made.id}"))["version"]
    await expect(page.locator(f'.commands[data-version="{now}"]')).to_be_visible()
    vault = (await service.services.games.vault(made.id)).all().values()
    own = [secret for secret in vault if mine in secret.readers]
    hidden = [secret for secret in vault if mine not in secret.readers]
    assert own
    assert hidden
    for tab in ("Scores", "Decide", "Event"):
        await page.get_by_role("tab", name=tab).click()
    sealed = own[-1].commitment.encode()
    version = next(record.version for record in made.simulation.records if sealed in record.event)
    await page.evaluate("version => (location.hash = `v=${version}`)", version)
    await expect(page.get_by_text("What it hides from others and shows to you")).to_be_visible()
    shown = await page.content() + "".join(await page.evaluate("window.streamed"))
    shown += "".join((await visitor.bodies()).values())
    assert any(secret.salt in shown for secret in own)
    assert not [secret for secret in hidden if secret.salt in shown]
    for answers in (await visitor.bodies()).values():
        assert not [hand for answered in _documents(answers) for hand in _hands(answered, set(made.seats) - {mine})]


def _documents(text: str) -> Iterator[Any]:
    """Yield the JSON documents that a text is made of, one after the other; none when it is something else."""
    at = 0
    while text.startswith("{", at):
        document, at = json.JSONDecoder().raw_decode(text, at)
        yield document


def _hands(value: Any, others: set[Seat]) -> list[Any]:
    """Return what is told of others' hands, wherever it stands; how many cards they hold, everybody may know."""
    if isinstance(value, list):
        return [found for part in value for found in _hands(part, others)]
    if not isinstance(value, dict):
        return []
    seats = [part for name, part in value.items() if name in others and isinstance(part, dict)]
    told = [part["hand"] for part in seats if isinstance(part.get("hand"), dict)]
    return told + [found for part in value.values() for found in _hands(part, others)]


@pytest.mark.parametrize(
    ("ruleset", "most", "says"),
    sampled(
        "games through forms only",
        [
            ("tiny-auction", 10_000, " over, "),
            ("mare-nostrum", SOME, f"{SOME} commands through forms"),
            ("conquest-campaign", SOME, f"{SOME} commands through forms"),
        ],
        1,
    ),
)
async def test_a_game_goes_on_through_forms_only(ruleset: str, most: int, says: str, tmp_path: Path):
    assert says in await run(ruleset, 3, tmp_path, most=most)


def may_pass(game: Game) -> bool:
    """Tell whether somebody is asked to raise a bid."""
    return asked_for(game, "bid") and game.decisions[0].about["bidder"] is not None


async def test_an_answer_is_left_in_advance_given_whenever_the_seat_is_asked_and_revoked(
    service: Service, page: Page, visitor: Visitor
):
    made = await table(service.services, "conquest-campaign", 3, seed=11, until=may_pass, bold=False)
    seat, game = asked(made), made.simulation.game
    amount = game.decisions[0].about["amount"]
    option = next(each for each in game.options(seat, made.simulation.vault) if each.command == "pass-bid")
    await sit(page, made, seat)
    await page.locator(".decision").get_by_role("button", name=option.title, exact=True).click()
    await expect(page.get_by_label("Only if Amount")).to_be_hidden()
    await page.get_by_label("Answer so whenever you are asked this").select_option("Until this round ends")
    await page.get_by_label("Only if Talents").select_option(f"at least {amount}")
    await visitor.axe_in_passing()
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".outcome.done")).to_contain_text(
        f"{option.title}, whenever you are asked this: accepted"
    )
    await expect(page.locator(".sentences")).to_contain_text(
        f"answered in advance, as left at version {made.version + 1}"
    )
    left = page.get_by_role("region", name="Answers in advance")
    await expect(left).to_contain_text(
        f"Pass Bid whenever you are asked bid and Talents at least {amount}, until the round ends"
    )
    await expect(left).to_contain_text("Given 1 time.")
    (told,) = (await service.get(f"/v1/games/{made.id}/answers", made.seats[seat]))["answers"]
    assert told["when"] == {"amount": {"least": amount}}
    await visitor.axe_in_passing()
    await left.get_by_role("button", name="Revoke").click()
    await expect(page.locator(".outcome.done")).to_contain_text("Revoke the answer: accepted as version")
    await expect(left).to_be_hidden()
    assert (await service.get(f"/v1/games/{made.id}/answers", made.seats[seat]))["answers"] == []


async def test_a_player_who_is_out_of_the_game_is_told(service: Service, page: Page):
    made = await table(service.services, seats=3, until=lambda game: game.table and game.ruleset.out(game.table))
    game = made.simulation.game
    (seat, *_) = game.ruleset.out(game.table)
    await page.goto(f"/games/{made.id}#token={made.token(seat)}")
    await expect(page.get_by_role("region", name="Your turn")).to_contain_text("You are out of the game (fell to")
