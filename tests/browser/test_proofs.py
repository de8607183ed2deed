"""Exports of cases and forks, and certificates: the page is held to the same verdicts as `tabularium verify`."""

import re
from collections.abc import Callable
from typing import Any

from playwright.async_api import FilePayload, Page

from domain.kernel.ids import Seat
from service.api.transparency.routes import log_key_view
from service.transparency.keys import new_key, read_log_key
from tests.browser.games import table
from tests.browser.test_verify import finished, open_panel, verify_file
from tests.browser.visiting import Visitor, expect
from tests.domain.judging.test_proof import changing, forged, played
from tests.helpers.judging import JUDGE
from tests.helpers.play import player_of
from tests.service.api.serving import Service

CASE_FORGERIES: list[tuple[Callable[[Any, Any, int], None], str]] = [
    (changing(1, kind="refusal"), "Version 1 has a command, or lacks one"),
    (changing(1, about=1000), "Version 1 is about version 1000"),
    (changing(1, seat="blue"), "Version 1 acts for red, but is about blue"),
    (changing(2, seat="red", seat_of_cause="red"), "Version 2 answers for red, which opened the case"),
    (changing(3, seat="red"), "Version 3 acts for"),
    (changing(5, reason=""), "Version 5 gives a reason"),
    (changing(5, cited=[]), "Version 5 cites no rule"),
    (changing(5, decision="back"), "Version 5 decides back"),
    (changing(5, order=[["red"]]), "Version 5 decides stands"),
    (changing(5, type="ruled-finally"), "Version 5 is told as ruled-finally"),
    (changing(5, player=str(player_of(Seat("red")))), "Version 5 is a ruling by player-red, who opened the case"),
    (changing(8, type="ruled"), "Version 8 is told as ruled"),
    (changing(8, player=str(JUDGE)), "Version 8 decides an appeal against a ruling of judge"),
    (changing(8, version=1), "Version 8 names an earlier version of the game"),
    (changing(8, to=3), "Version 8 decides result"),
]


async def test_a_case_is_checked_and_its_forgeries_are_named(service: Service, page: Page, visitor: Visitor):
    visitor.expect("/v1/games/game-1/|/v1/cases/ccase/")  # which this service does not know
    made = await table(service.services, events=50)
    await open_panel(page, made.id)
    court = played()
    await verify_file(page, b"".join(court.export()), "honest")
    seal = page.locator(".seal")
    await expect(seal).to_contain_text("honest: 8 versions")
    await expect(seal).to_contain_text("statements fit their commitments")
    await expect(seal).to_contain_text("Who held the seats and who was an official")
    for number, (change, said) in enumerate(CASE_FORGERIES):
        await verify_file(page, b"".join(forged(court, change)), f"forgery {number}")
        await expect(page.locator(".outcome.refused")).to_contain_text(
            re.compile(f"forgery {number}: .*{said}", re.DOTALL)
        )


async def test_a_fork_is_sealed_on_its_page(service: Service, page: Page):
    made = await finished(service)
    anna = next(iter(made.seats.values()))
    # Just before a command no act is under way.
    at = next(record.version - 1 for record in made.simulation.records[120:] if record.cause is not None)
    fork = await service.post(f"/v1/games/{made.id}/forks", anna, {"version": at})
    await open_panel(page, fork["id"])
    await page.get_by_role("button", name="Verify").click()
    seal = page.locator(".seal")
    await expect(seal).to_contain_text(f"The log of {made.id} up to version {fork['fork']['version']} is unbroken")
    await expect(seal).to_contain_text(re.compile(f"{made.id}: [1-9]\\d* salts of hidden values derived again"))
    await expect(seal).to_contain_text("The service has the same head")


async def test_the_certificate_of_a_game_is_checked_and_saved(service: Service, page: Page, visitor: Visitor):
    made = await table(service.services, events=120)
    await open_panel(page, made.id)
    await page.get_by_role("button", name="Verify", exact=True).click()
    await page.get_by_role("button", name="Check the certificate").click()
    seal = page.locator(".seal")
    await expect(seal).to_contain_text(f"has version {made.version} as its entry")
    await expect(seal).to_contain_text("No witness of the policy saw that log")
    await expect(seal).not_to_contain_text("has no Ed25519")
    await visitor.axe_in_passing()
    async with page.expect_download() as download:
        await page.get_by_role("link", name="Save the certificate").click()
    assert (await download.value).suggested_filename == f"{made.id}.tlog-proof"
    other = new_key("another.example", lambda count: bytes(range(count)))
    policy = log_key_view([signer.key for signer in read_log_key(other).signers]).policy
    file: FilePayload = {"name": "policy", "mimeType": "text/plain", "buffer": policy.encode()}
    await page.get_by_label("Trust a policy that you kept").set_input_files([file])
    await expect(seal).to_contain_text("The policy does not know the log")
