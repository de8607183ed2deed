"""What is seen at a glance: scores, what is under way, who has won."""

import re

from playwright.async_api import Page

from domain.campaign.box import table as campaign_table
from domain.kernel.ids import Seat
from domain.kernel.log.game import Game
from tests.browser.games import table
from tests.browser.reading import opened
from tests.browser.test_reading import _timeline
from tests.browser.visiting import PHONE, Visit, Visitor, expect
from tests.service.api.serving import Service


async def test_scores_are_those_of_the_version_and_charts_those_of_the_rounds(service: Service, page: Page):
    made = await table(service.services, events=600)
    await _timeline(service, made.id, 500)
    await opened(page, made.id, "#v=400")
    marks = await service.get(f"/v1/games/{made.id}/marks?version=400")
    await page.get_by_role("tab", name="Scores").click()
    for name in ("tribute", "provinces", "units"):
        figures = page.get_by_role("row", name=name).get_by_role("cell")
        await expect(figures).to_have_text([str(each["figures"][name]) for each in marks["standings"]])
    for name in ("Provinces", "Dice"):
        await page.get_by_role("button", name=name).click()
        chart = page.locator(".chart img")
        await expect(chart).to_have_attribute("alt", re.compile(name, re.IGNORECASE))
        await expect(chart).to_have_js_property("naturalWidth", 720)


def campaign(game: Game) -> campaign_table.Table:
    """Return the table of a running game of the Campaign game."""
    assert isinstance(game.table, campaign_table.Table)
    return game.table


def laid(game: Game) -> list[Seat]:
    """Return who has laid senators in the vote under way."""
    vote = campaign(game).vote
    return [] if vote is None else list(vote.laid)


async def test_a_vote_under_way_is_seen_at_a_glance(service: Service, page: Page, visitor: Visitor, visit: Visit):
    made = await table(service.services, "conquest-campaign", 3, until=lambda game: len(laid(game)) == 2)
    game = made.simulation.game
    await opened(page, made.id)
    glance = page.locator(".glance")
    players = page.get_by_role("region", name="Players").locator(".name")
    await expect(players).to_have_text([seat.title() for seat in campaign(game).order])
    vote = glance.locator(".shelf").filter(has_text="Vote on")
    said = [re.compile(f"{seat.title()}: .*Senator .* votes?") for seat in laid(game)]
    await expect(vote.get_by_role("listitem")).to_have_text(said)
    await visitor.axe_in_passing(".glance")
    await expect(glance).not_to_contain_text("Cards on display")
    await page.get_by_role("tab", name="Scores").click()
    await expect(page.get_by_role("tabpanel")).to_contain_text("Cards on display")
    async with visit(**PHONE) as phone:
        await opened(phone.page, made.id)
        vote = phone.page.locator(".glance .shelf").filter(has_text="Vote on")
        await expect(vote).to_be_hidden()
        await phone.page.locator(".glance summary").tap()
        await expect(vote).to_be_visible()


async def test_a_winner_is_shown_as_one(service: Service, page: Page):
    made = await table(service.services, "mare-nostrum", 4, seed=10)
    result = made.simulation.game.result
    assert result
    await opened(page, made.id)
    await page.get_by_role("tab", name="Scores").click()
    winner = page.locator(".seats li").filter(has_text="won the game")
    await expect(winner).to_contain_text(result.winners[0].title())
    await expect(winner).to_have_count(1)
    await expect(page.get_by_text("to move")).to_have_count(0)
    # The civilization that nobody plays has a column, too; it is not struck out, since it never stopped playing.
    await expect(page.get_by_role("region", name="Scores").locator("thead th")).to_have_count(5)
    await expect(page.locator("th.out")).to_have_count(0)
