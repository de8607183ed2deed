"""A seat plays in the page: its decisions, forms, sending, taking back, and its token."""

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Page, Route

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import Seat
from domain.kernel.log.game import Game
from domain.kernel.rules import schema
from tests.browser.games import Table, table, token_of
from tests.browser.seats import Sitting
from tests.browser.visiting import PHONE, Visit, Visitor, expect, until
from tests.browser.whole_games import run
from tests.helpers.sampling import sampled
from tests.service.api.serving import Service


def asks(kind: str) -> Callable[[Game], bool]:
    return lambda game: any(decision.kind == kind for decision in game.decisions)


def asked(made: Table) -> Seat:
    return made.simulation.game.decisions[0].seats[0]


async def sit(page: Page, made: Table, seat: Seat | None = None) -> None:
    await page.goto(f"/games/{made.id}#token={made.token(seat or asked(made))}")
    await expect(page.locator(".commands")).to_be_visible()


async def offered(service: Service, made: Table, seat: Seat, kind: str) -> list[dict[str, Any]]:
    """Return a command of a kind for each option that a seat has of it."""
    options = (await service.get(f"/v1/games/{made.id}/options", made.seats[seat]))["options"]
    return [schema.sample(option["schema"], Random(1)) for option in options if option["command"] == kind]


def moving(game: Game) -> bool:
    return asks("move")(game) and game.version > 150


def several(game: Game) -> bool:
    """Tell whether somebody may place a city in one of several provinces, and goes on placing then."""
    if not asks("place")(game) or game.decisions[0].about["left"].get("cities", 0) < 2:
        return False
    options = game.options(game.decisions[0].seats[0], Vault())
    cities = [option for option in options if option.command == "place-city"]
    return bool(cities) and len(cities[0].schema["properties"]["province"].get("enum", ())) > 2


@pytest_asyncio.fixture(loop_scope="session")
async def placing(service: Service) -> Table:
    return await table(service.services, "conquest-classic-friz", 3, until=several)


async def test_a_decision_is_answered_by_keyboard_and_the_page_goes_on(
    service: Service, page: Page, visitor: Visitor, placing: Table
):
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


async def test_an_answer_that_was_lost_is_asked_for_again_with_the_same_key(
    service: Service, page: Page, visitor: Visitor, placing: Table
):
    visitor.expect("net::ERR_FAILED")
    await sit(page, placing)
    await page.get_by_role("button", name="Build a city").click()
    await page.get_by_label("Province").select_option(index=1)

    async def lose(route: Route) -> None:
        await route.fetch()
        await route.abort()

    await page.route("**/commands", lose, times=1)
    await page.get_by_role("button", name="Send").click()
    await expect(page.get_by_role("alert")).to_contain_text("it does not happen twice")
    now = (await service.get(f"/v1/games/{placing.id}"))["version"]
    assert now > placing.version
    await page.get_by_role("button", name="Send again").click()
    assert now == placing.version + 1
    await expect(page.locator(".outcome.done")).to_contain_text(f"Build a city: accepted as version {now}.")
    assert (await service.get(f"/v1/games/{placing.id}"))["version"] == now
    keys = [
        await request.header_value("idempotency-key") for request in visitor.asked if request.url.endswith("/commands")
    ]
    assert len(keys) == 2
    assert keys[0] == keys[1]


async def test_it_can_be_asked_for_again_where_the_stream_was_quicker(
    service: Service, page: Page, visitor: Visitor, placing: Table
):
    visitor.expect("net::ERR_FAILED")
    await sit(page, placing)
    await page.get_by_role("button", name="Build a city").click()
    await page.get_by_label("Province").select_option(index=1)

    async def lose(route: Route) -> None:
        async with page.expect_response("**/options*"):
            await route.fetch()
        await expect(page.get_by_label("Province")).to_have_count(0)
        await route.abort()

    await page.route("**/commands", lose, times=1)
    await page.get_by_role("button", name="Send").click()
    await page.get_by_role("button", name="Send again").click()
    await expect(page.locator(".outcome.done")).to_contain_text(f"accepted as version {placing.version + 1}.")
    assert (await service.get(f"/v1/games/{placing.id}"))["version"] == placing.version + 1


@pytest.fixture
def unfollowed(visitor: Visitor) -> Visitor:
    """A visitor who hears of nothing that happens in a game until they send something."""
    visitor.expect("net::ERR_FAILED|412")
    return visitor


async def unheard(page: Page) -> None:
    await page.route("**/events/stream", lambda route: route.abort())


async def test_a_game_that_went_on_meanwhile_hinders_nobody_who_is_asked_and_offered_the_same(
    service: Service, page: Page, unfollowed: Visitor, placing: Table
):
    await unheard(page)
    await sit(page, placing)
    await page.get_by_role("button", name="Build a city").click()
    await page.get_by_label("Province").select_option(index=1)
    other = next(seat for seat in placing.seats if seat != asked(placing))
    await service.give(placing.id, placing.seats[other], "propose-alliance", members=[asked(placing)])
    await page.get_by_role("button", name="Check").click()
    await expect(page.get_by_text("This would be accepted.")).to_be_visible()
    (leave,) = await offered(service, placing, other, "leave-alliance")
    await service.post(f"/v1/games/{placing.id}/commands", placing.seats[other], {"command": leave})
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".outcome.done")).to_contain_text(f"accepted as version {placing.version + 3}.")
    sent = [request for request in unfollowed.asked if request.url.endswith("/commands")]
    assert [await each.header_value("if-match") for each in sent] == [
        f'"{placing.version + 1}"',
        f'"{placing.version + 2}"',
    ]
    assert len({await each.header_value("idempotency-key") for each in sent}) == 2


async def test_a_seat_that_is_asked_with_others_sends_once_whatever_they_have_sent(
    service: Service, page: Page, unfollowed: Visitor
):
    made = await table(service.services, "mare-nostrum", 3, seed=4, until=asks("offer"))
    mine, other = made.simulation.game.decisions[0].seats[:2]
    await unheard(page)
    await sit(page, made, mine)
    (command,) = await offered(service, made, mine, "offer")
    options = (await service.get(f"/v1/games/{made.id}/options", made.seats[mine]))["options"]
    await Sitting(unfollowed, mine).fill(options, command)
    (command,) = await offered(service, made, other, "offer")
    await service.post(f"/v1/games/{made.id}/commands", made.seats[other], {"command": command})
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".outcome.done")).to_contain_text("accepted as version")


@pytest.mark.parametrize("twice", [False, True], ids=["other options", "other question"])
async def test_what_has_changed_since_it_was_filled_in_is_said_and_nothing_happens(
    service: Service, page: Page, unfollowed: Visitor, placing: Table, *, twice: bool
):
    await unheard(page)
    await sit(page, placing)
    await page.get_by_role("button", name="Build a city").click()
    await page.get_by_label("Province").select_option(index=1)
    for _ in range(1 + twice):
        (command,) = await offered(service, placing, asked(placing), "place-city")
        await service.post(f"/v1/games/{placing.id}/commands", placing.seats[asked(placing)], {"command": command})
    now = (await service.get(f"/v1/games/{placing.id}"))["version"]
    await page.get_by_role("button", name="Send").click()
    told = page.get_by_role("alert")
    await expect(told).to_contain_text(f"Nothing was done: the game went on to version {now}")
    await expect(told).to_contain_text(re.compile(r"has changed|asked something else|no longer"))
    await expect(told).to_be_in_viewport(ratio=1)
    assert (await service.get(f"/v1/games/{placing.id}"))["version"] == now


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


async def test_a_token_in_a_link_is_taken_and_forgotten_by_the_address(page: Page, visitor: Visitor, placing: Table):
    token = placing.token(asked(placing))
    await page.goto(f"/games/{placing.id}#v=20&token={token}")
    await expect(page.locator(".who")).to_contain_text("Seat:")
    assert token not in page.url
    assert "v=20" in page.url
    assert not any(token in request.url for request in visitor.asked)
    await page.reload()
    await expect(page.locator(".who")).to_contain_text("Seat:")
    assert await page.evaluate("document.cookie") == ""


KEEP = """tokens => localStorage.setItem(
    "tabularium-accounts", JSON.stringify(tokens.map((token, index) => ({ token, name: `Kept ${index}` }))))"""
SIGNED_IN = "localStorage.getItem('tabularium-session')"
KEPT = "JSON.stringify([{...sessionStorage}, {...localStorage}, document.cookie])"


async def test_looking_as_a_spectator_loses_no_token(page: Page, placing: Table):
    await sit(page, placing)
    await page.locator(".who").click()
    await page.get_by_role("button", name="Look as a spectator").click()
    await expect(page.locator(".who")).to_have_text("Spectator")
    await page.get_by_role("tab", name="Decide").click()
    await expect(page.get_by_text("Sign in as one of the players to answer.")).to_be_visible()
    await page.reload()
    await expect(page.locator(".who")).to_have_text("Spectator")
    await page.locator(".who").click()
    await page.get_by_role("button", name=re.compile("^Sign in as ")).click()
    await expect(page.locator(".who")).to_contain_text("Seat:")


async def test_another_tab_is_signed_in_and_no_script_can_read_by_what(page: Page, visitor: Visitor, placing: Table):
    token = placing.token(asked(placing))
    await sit(page, placing)
    await expect(page.locator(".who")).to_contain_text("Seat:")
    await until(page, SIGNED_IN)
    (cookie,) = map(dict[str, Any], await visitor.context.cookies())
    assert (cookie["name"], cookie["httpOnly"], cookie["sameSite"]) == ("tabularium_session", True, "Lax")
    asked_before = len(visitor.asked)
    tab = await visitor.context.new_page()
    await tab.goto(f"/games/{placing.id}")
    await expect(tab.locator(".who")).to_contain_text("Seat:")
    assert not [each for each in visitor.asked[asked_before:] if await each.header_value("authorization")]
    for each in (page, tab):
        kept = await each.evaluate(KEPT)
        assert token not in kept
        assert cookie["value"] not in kept
    await tab.get_by_role("button", name="Build a city").click()
    await tab.get_by_label("Province").select_option(index=1)
    await tab.get_by_role("button", name="Send").click()
    await expect(tab.locator(".outcome.done")).to_be_visible()


async def test_signing_out_asks_first_offers_a_way_back_and_concerns_every_tab(
    page: Page, visitor: Visitor, placing: Table
):
    await sit(page, placing)
    tab = await visitor.context.new_page()
    await tab.goto(f"/games/{placing.id}")
    await expect(tab.locator(".who")).to_contain_text("Seat:")
    await tab.locator(".who").click()
    dialog = tab.get_by_role("dialog")
    await dialog.get_by_role("button", name="Sign out").click()
    warning = dialog.get_by_role("group", name="Sign out")
    await expect(warning).to_contain_text("lost for good")
    await expect(warning.get_by_role("button", name="Stay signed in")).to_be_focused()
    await visitor.axe_in_passing()
    await tab.keyboard.press("Enter")
    await expect(warning).to_have_count(0)
    await dialog.get_by_role("button", name="Sign out").click()
    await warning.get_by_role("button", name="Make a token").click()
    await expect(dialog.locator(".token")).to_be_focused()
    token = await dialog.locator(".token").inner_text()
    async with tab.expect_download() as saving:
        await dialog.get_by_role("button", name="Download it").click()
    saved = await asyncio.to_thread(Path(await (await saving.value).path()).read_text)
    assert f"{visitor.address}/#token={token}" in saved
    await warning.get_by_role("button", name="Sign out").click()
    await expect(tab.locator(".who")).to_have_text("Spectator")
    await expect(page.locator(".who")).to_have_text("Spectator")
    assert await visitor.context.cookies() == []
    await page.goto(f"/games/{placing.id}#token={token}")
    await expect(page.locator(".who")).to_contain_text("Seat:")


async def test_a_token_that_an_earlier_page_kept_becomes_the_session_once(page: Page, visitor: Visitor, placing: Table):
    token, other = (placing.token(seat) for seat in list(placing.seats)[:2])
    await page.goto("/problems")
    await page.evaluate(KEEP, [token, other])
    await page.goto(f"/games/{placing.id}")
    await expect(page.locator(".who")).to_contain_text("Seat:")
    await until(page, SIGNED_IN)
    await page.reload()
    asked_before = len(visitor.asked)
    await page.reload()
    await expect(page.locator(".who")).to_contain_text("Seat:")
    assert not [each for each in visitor.asked[asked_before:] if await each.header_value("authorization")]
    kept = await page.evaluate(KEPT)
    assert token not in kept
    assert other in kept, "it may be the only key to another account"
    # The other account is looked at in one tab, and takes nobody's place.
    await page.locator(".who").click()
    await page.get_by_role("list", name="Accounts in this browser").get_by_role("button", name="Sign in as").click()
    await expect(page.get_by_role("dialog")).to_be_hidden()
    assert other in await page.evaluate(KEPT)
    tab = await visitor.context.new_page()
    await tab.goto(f"/games/{placing.id}")
    await expect(tab.locator(".who")).to_contain_text("Seat:")
    assert await tab.locator(".who").inner_text() != await page.locator(".who").inner_text()


async def test_a_token_that_the_service_does_not_know_is_kept_but_new_tabs_do_not_look_with_it(
    service: Service, page: Page, visitor: Visitor, placing: Table
):
    visitor.expect("401")
    token = placing.token(asked(placing))
    await page.goto("/problems")
    await page.evaluate(KEEP, [token])
    mine = await service.get("/v1/players/me", placing.seats[asked(placing)])
    await service.client.delete(f"/v1/tokens/{mine['token']}", headers=placing.seats[asked(placing)].headers)
    await page.goto(f"/games/{placing.id}")
    await expect(page.locator(".who")).to_have_text("Spectator")
    assert token in await page.evaluate("localStorage.getItem('tabularium-accounts')")
    tab = await visitor.context.new_page()
    asked_before = len(visitor.asked)
    await tab.goto(f"/games/{placing.id}")
    await expect(tab.locator(".who")).to_have_text("Spectator")
    assert not [each for each in visitor.asked[asked_before:] if await each.header_value("authorization")]
    await tab.locator(".who").click()
    await expect(tab.get_by_role("list", name="Accounts in this browser")).to_contain_text("not known here")


async def test_whoever_sat_down_before_the_start_is_led_to_the_decision(service: Service, visit: Visit):
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
            ("mare-nostrum", 20, "20 commands through forms"),
            ("conquest-campaign", 20, "20 commands through forms"),
        ],
        1,
    ),
)
async def test_a_game_goes_on_through_forms_only(ruleset: str, most: int, says: str, tmp_path: Path):
    assert says in await run(ruleset, 3, tmp_path, most=most)


def may_pass(game: Game) -> bool:
    """Tell whether somebody is asked to raise a bid."""
    return asks("bid")(game) and game.decisions[0].about["bidder"] is not None


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


async def test_who_is_out_of_the_game_is_told_so(service: Service, page: Page):
    made = await table(service.services, seats=3, until=lambda game: game.table and game.ruleset.out(game.table))
    game = made.simulation.game
    (seat, *_) = game.ruleset.out(game.table)
    await page.goto(f"/games/{made.id}#token={made.token(seat)}")
    await expect(page.get_by_role("region", name="Your turn")).to_contain_text("You are out of the game (fell to")
