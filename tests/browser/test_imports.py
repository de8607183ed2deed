"""The pages of games that other services recorded: one is imported from a file, and shown with where it is from."""

from playwright.async_api import FilePayload, Page

from tests.browser.games import token_of
from tests.browser.visiting import PHONE, Visit, Visitor, expect
from tests.service.api.serving import Service
from tests.service.api.test_imports import recorded


async def test_a_game_is_imported_from_a_file_and_shown_as_imported(
    service: Service, page: Page, visitor: Visitor, visit: Visit
):
    content, player = recorded(), await service.register("Anna")
    await page.goto(f"/#token={token_of(player)}")
    await page.get_by_role("link", name="Imported games").click()
    await expect(page.get_by_text("There are none yet.")).to_be_visible()

    async def bring(file: bytes) -> None:
        payload = FilePayload(name="game.jsonl", mimeType="application/x-ndjson", buffer=file)
        await page.get_by_label("The export of a game that is over").set_input_files(payload)
        await page.get_by_role("button", name="Import").click()

    visitor.expect("422")
    await bring(content[:-2] + b"\n")
    await expect(page.get_by_role("alert")).to_contain_text("is wrong.", timeout=60_000)
    await bring(content)
    note = page.get_by_role("note")
    await expect(note).to_contain_text("Imported from another service, not played here.", timeout=60_000)
    await expect(note).to_contain_text("nobody vouches for it")
    await expect(page.locator("#board")).to_have_attribute("aria-busy", "false")
    await expect(page.get_by_role("heading", level=1)).to_have_text(
        "An imported game of Conquest of the Empire Classic, Versione di Friz 1.5"
    )
    last = await page.get_by_label("Version", exact=True).input_value()
    await page.get_by_role("button", name="Back one command").click()
    await expect(page.get_by_label("Version", exact=True)).not_to_have_value(last)
    for missing in ("What if", "Inspect or dispute", "Ask to take this back"):
        await expect(page.get_by_text(missing)).to_have_count(0)
    await visitor.axe_in_passing()
    async with visit(**PHONE) as phone:
        await phone.page.goto("/imports")
        await phone.page.get_by_role("link", name="conquest-classic-friz").click()
        await expect(phone.page.get_by_role("note")).to_contain_text("It counts in no list")
