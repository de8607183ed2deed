"""Games are created in the lobby, with all that their rules let a creator choose."""

import re
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Page

from domain.library import LIBRARY
from tests.browser.visiting import Visitor, expect
from tests.helpers.sampling import sampled
from tests.service.api.serving import Service


@pytest_asyncio.fixture(loop_scope="session")
async def lobby(page: Page) -> Page:
    """The page on which games are created. A visitor who creates one there gets an account by it."""
    await page.goto("/new")
    await page.get_by_role("textbox", name="Your name").fill("Anna")
    return page


async def choose(page: Page, ruleset: str) -> None:
    await page.locator("#ruleset").select_option(ruleset)


async def created(service: Service, page: Page) -> dict[str, Any]:
    """Create the game; return it, with the event that created it."""
    await page.get_by_role("button", name="Create the game").click()
    await page.wait_for_url("**/games/*")
    game = page.url.partition("/games/")[2].partition("#")[0]
    detail = (await service.client.get(f"/v1/games/{game}")).json()
    events = (await service.client.get(f"/v1/games/{game}/events", params={"limit": 1})).json()
    return {**detail, "setup": events["items"][0]["event"]["setup"]}


async def test_a_game_is_laid_out_as_its_creator_chooses(service: Service, visitor: Visitor, lobby: Page) -> None:
    await choose(lobby, "mare-nostrum")
    await lobby.locator("#players").select_option("4")
    await lobby.get_by_role("textbox", name="Title").fill("Points for all")
    layout = lobby.get_by_role("group", name="Layout")
    await expect(layout.get_by_role("radio", name="Introductory")).to_be_checked()
    await expect(layout).to_have_accessible_description(re.compile("aid cards .MN-SET-06., or 36 points"))
    await layout.get_by_role("radio", name="Free").check()
    await visitor.axe_in_passing()
    game = await created(service, lobby)
    assert (game["ruleset"], game["title"], len(game["seats"])) == ("mare-nostrum", "Points for all", 4)
    assert game["setup"] == {"layout": "free", "civilizations": [], "influence_chain_any_player": False}


async def test_homes_are_picked_where_the_creator_says_so(service: Service, lobby: Page) -> None:
    await choose(lobby, "conquest-classic-friz")
    await lobby.get_by_role("group", name="Homes").get_by_role("radio", name="Picked").check()
    game = await created(service, lobby)
    assert (game["ruleset"], game["setup"]) == ("conquest-classic-friz", {"homes": "picked"})


async def test_colours_and_homes_are_laid_down_as_the_players_agreed(service: Service, lobby: Page) -> None:
    await choose(lobby, "conquest-classic-2005")
    await lobby.locator("#players").select_option("2")
    agreed = lobby.get_by_role("group", name="Agreed homes")
    await agreed.get_by_label("Black").select_option("Egypt")
    await agreed.get_by_label("Red").select_option("Hispania")
    game = await created(service, lobby)
    assert game["setup"] == {"homes": "drawn", "agreed_homes": {"red": "hispania", "black": "egypt"}}
    assert [seat["seat"] for seat in game["seats"]] == ["red", "black"]


async def test_a_refused_set_up_is_shown_with_the_rule(service: Service, visitor: Visitor, lobby: Page) -> None:
    visitor.expect("422")
    await choose(lobby, "mare-nostrum")
    civilizations = lobby.get_by_role("group", name="Civilizations")
    for name in ("Babylon", "Egypt"):
        await civilizations.get_by_role("checkbox", name=name).check()
    await lobby.get_by_role("button", name="Create the game").click()
    refusal = lobby.get_by_role("alert")
    await expect(refusal).to_contain_text("You chose 2 civilizations for 3 players.")
    await expect(refusal).to_contain_text("MN-SET-01")
    await visitor.axe_in_passing()
    await civilizations.get_by_role("checkbox", name="Rome").check()
    game = await created(service, lobby)
    assert {place["seat"] for place in game["seats"]} == {"babylon", "egypt", "rome"}


@pytest.mark.parametrize("ruleset", sampled("forms for a ruleset's setup", LIBRARY.ids(), 2))
async def test_every_ruleset_has_a_form_for_all_of_its_setup(service: Service, lobby: Page, ruleset: str) -> None:
    setup = (await service.client.get(f"/v1/rulesets/{ruleset}")).json()["setup"]["properties"]
    await choose(lobby, ruleset)
    await expect(lobby.locator(".fields > [data-field]")).to_have_count(len(setup))
    game = await created(service, lobby)
    assert {name for name, field in setup.items() if "default" in field} <= game["setup"].keys() <= setup.keys()


async def test_where_the_facts_of_documents_are_from_is_said_before_a_game_and_in_it(
    service: Service, lobby: Page
) -> None:
    rulesets = [(await service.client.get(f"/v1/rulesets/{ruleset}")).json() for ruleset in LIBRARY.ids()]
    ruleset, (remark,) = next((each["id"], each["remarks"].values()) for each in rulesets if each["remarks"])
    await choose(lobby, ruleset)
    await expect(lobby.get_by_text(remark)).to_be_visible()
    (game,) = (await created(service, lobby))["documents"].values()
    await expect(lobby.locator(".open-seats").get_by_text(remark)).to_contain_text(game[7:15])
