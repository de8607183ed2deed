"""The seal: a log is verified in the browser, and what is wrong with one is named."""

import hashlib
import json
import re
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from playwright.async_api import FilePayload, Page

from domain.kernel.canonical import canonical
from domain.kernel.proof.export import export
from domain.kernel.proof.verify import verify
from domain.library import LIBRARY
from service.bots.simulation import Simulation
from tests.browser.games import Table, played, table
from tests.browser.visiting import Visitor, expect
from tests.forgeries.every import FORGERIES
from tests.forgeries.games import GAMES
from tests.helpers.forger import Line, forged, lines_of, rows, whole
from tests.helpers.play import Play
from tests.helpers.sampling import sampled
from tests.service.api.serving import Service
from tests.tiny.auction import ROOM
from tests.tiny.prizes import PrizedAuction, corrected


def exported(simulation: Simulation) -> bytes:
    return b"".join(export(simulation.game, simulation.records, simulation.vault))


async def open_panel(page: Page, game: str) -> None:
    await page.goto(f"/games/{game}")
    await page.get_by_role("tab", name="Verify").click()


async def verify_file(page: Page, content: bytes, name: str = "log.jsonl") -> None:
    file: FilePayload = {"name": name, "mimeType": "application/x-ndjson", "buffer": content}
    await page.locator("input[type=file]").set_input_files([file])


async def finished(service: Service) -> Table:
    """A short game of Mare Nostrum, which has everything: dice, lots, hands, offers face down."""
    return await table(service.services, "mare-nostrum", 3, seed=8, setup={"layout": "free"})


async def test_the_end_of_a_game_leads_to_its_proof_and_to_another_game(service: Service, page: Page):
    made = await finished(service)
    await page.goto(f"/games/{made.id}")
    end = page.get_by_role("group", name="The end of the game")
    await end.get_by_role("button", name="See the proof").click()
    await expect(page.locator(".seal")).to_contain_text(f"{made.version} versions")
    await end.get_by_role("link", name="Play again").click()
    way = page.get_by_role("form", name="Play against bots")
    await expect(way.get_by_role("combobox", name="Game")).to_have_value("mare-nostrum")
    await expect(way.get_by_role("combobox", name="Players")).to_have_value("3")


async def test_a_running_game_is_sealed_as_far_as_its_chain_goes(service: Service, page: Page, visitor: Visitor):
    visitor.listen()
    made = await table(service.services, events=300)
    await open_panel(page, made.id)
    await page.get_by_role("button", name="Verify").click()
    seal = page.locator(".seal")
    await expect(seal).to_contain_text(f"{made.version} versions")
    await expect(seal).to_contain_text(made.simulation.game.head.hex())
    await expect(seal).to_contain_text(made.simulation.game.commitment)
    await expect(seal).to_contain_text("The service has the same head")
    await expect(seal).to_contain_text("Dice and hidden values: the secret behind them is published when")
    await expect(seal).to_contain_text("every command was lawful")
    await expect(seal).to_contain_text("Every act names an account that may do it")
    await expect(seal).to_contain_text("Who an account is")
    await page.get_by_text("What is checked, and what cannot be").click()
    await expect(page.locator("details.explanation")).to_contain_text("decided again by the rules")
    await visitor.axe_in_passing()
    exports = [request for request in visitor.asked if request.url.endswith("/export")]
    assert [await request.header_value("authorization") for request in exports] == [None]


async def test_the_export_is_saved_and_proves_the_game_elsewhere(service: Service, page: Page):
    made = await table(service.services, events=120)
    await open_panel(page, made.id)
    async with page.expect_download() as download:
        await page.get_by_role("link", name="Save the export").click()
    file = await download.value
    assert file.suggested_filename == f"{made.id}.jsonl"
    saved = (await file.path()).read_bytes()
    assert verify(saved.splitlines(keepends=True), LIBRARY).head == made.simulation.game.head.hex()


async def test_the_head_of_a_replay_does_not_say_that_it_is_over(service: Service, page: Page):
    made = await finished(service)
    head = page.locator("#page-header")
    await page.goto(f"/games/{made.id}")
    await expect(head).to_contain_text("Game over")
    await page.get_by_role("slider", name="Version").fill("20")
    await expect(head).to_contain_text("Replay: everything is revealed")
    await expect(head).not_to_contain_text(re.compile(r"\bover\b"))


async def test_a_finished_game_is_sealed_with_its_dice_its_lots_and_all_that_was_hidden(service: Service, page: Page):
    made = await finished(service)
    await open_panel(page, made.id)
    await page.get_by_role("button", name="Verify").click()
    seal = page.locator(".seal")
    await expect(seal).to_contain_text(re.compile(r"[1-9]\d* rolls of dice drawn again from the secret"))
    await expect(seal).to_contain_text("1 shuffles done again")
    salts = len(made.simulation.vault.all())
    await expect(seal).to_contain_text(f"{salts} salts of hidden values derived again")
    await expect(seal).not_to_contain_text("Dice and hidden values")


async def test_a_document_beside_the_board_is_proved_and_a_changed_one_is_named(
    service: Service, page: Page, visitor: Visitor
):
    visitor.expect("/v1/games/game-1/")  # which this service does not know
    visitor.expect("/v1/rulesets/tiny-prized")  # nor this one
    board = PrizedAuction().equip(ROOM, {"prizes": corrected(coins=7, note="größer")})
    content = b"".join(Play(PrizedAuction(), board, 2).export())
    made = await table(service.services, events=30)
    await open_panel(page, made.id)
    await verify_file(page, content)
    await expect(page.locator(".seal")).to_contain_text("the board is the one that the game was created on")
    await verify_file(page, content.replace("größer".encode(), b"grosser"), "changed.jsonl")
    named = "The prizes in the first line are not those that the game was created with."
    await expect(page.locator(".outcome.refused")).to_contain_text(named)


def one_face(lines: list[Line]) -> int:
    row = rows(lines, "battle-rolled")[0]
    side = row["event"]["attacker" if row["event"]["attacker"]["faces"] else "defender"]
    side["faces"][0] = side["faces"][0] % 6 + 1
    return row["version"]


def another_draw(lines: list[Line]) -> int:
    row = rows(lines, "battle-rolled")[0]
    side = row["event"]["attacker" if row["event"]["attacker"]["faces"] else "defender"]
    side["draw"] += 1_000
    return row["version"]


def lots(lines: list[Line]) -> int:
    row = rows(lines, "founders-drawn")[0]
    row["event"]["order"].reverse()
    return row["version"]


def an_offer(lines: list[Line]) -> int:
    row = rows(lines, "offers-revealed")[0]
    offer = next(iter(row["event"]["offers"].values()))
    offer["value"] = [*offer["value"][1:], "gold"] if offer["value"][-1:] != ["gold"] else ["tax"]
    return row["version"]


def the_secret(lines: list[Line]) -> int:
    lines_with_end = rows(lines, "game-ended")
    lines_with_end[0]["event"]["secret"] = "ab" * 32
    return lines_with_end[0]["version"]


def entropy(lines: list[Line]) -> int | None:
    """Chance goes on from what the seats added: all is drawn differently, the first thing first."""
    rows(lines, "seat-taken")[0]["event"]["entropy"] = "mine"
    return None


def a_hidden_value(lines: list[Line]) -> None:
    secret = next(line["secret"] for line in lines if "secret" in line)
    secret["value"] = {"gold": 9}


def a_salt(lines: list[Line]) -> None:
    """Sealed under a salt that no draw gives, everywhere: so nothing but the derivation can notice."""
    secret = next(line["secret"] for line in lines if "secret" in line)
    old, salt = secret["commitment"], "00" * 16
    new = hashlib.sha256(bytes.fromhex(salt) + canonical(secret["value"])).hexdigest()
    text = json.dumps(lines).replace(old, new).replace(secret["salt"], salt)
    lines[:] = json.loads(text)


def no_secret(lines: list[Line]) -> None:
    lines.remove(next(line for line in lines if "secret" in line))


OF_CHANCE: list[tuple[Callable[[list[Line]], Any], str]] = [
    (one_face, r"Version \d+ shows .*; draw \d+ comes to"),
    (another_draw, r"Version \d+ shows draw \d+, which is not one of its own"),
    (lots, r"Version \d+ shows the lots .*; draw \d+ comes to"),
    (an_offer, r"Version \d+ opens a secret that does not fit its commitment"),
    (the_secret, "The secret of the dice does not fit the commitment of version 1"),
    (entropy, r"Version \d+ "),
    (a_hidden_value, "The secret of [0-9a-f]{64} does not fit its commitment"),
    (a_salt, r"Version \d+ uses draw \d+, which is no roll, no shuffle and no salt"),
    (no_secret, "The secret of [0-9a-f]{64} was not published"),
]


@pytest.fixture(scope="module")
def sound() -> bytes:
    return exported(played("mare-nostrum", 3, 8, setup={"layout": "free"}))


async def test_every_forgery_of_chance_is_noticed_and_named_though_the_chain_is_made_good(
    service: Service, page: Page, visitor: Visitor, sound: bytes
):
    visitor.expect("/v1/games/sim-8/")  # which this service does not know
    made = await table(service.services, events=50)
    await open_panel(page, made.id)
    await verify_file(page, sound)
    await expect(page.locator(".seal")).to_contain_text("This service does not know it")
    for forgery, said in OF_CHANCE:
        wrong: list[Any] = []
        content = forged(sound, lambda lines, forgery=forgery, wrong=wrong: wrong.append(forgery(lines)))
        await verify_file(page, b"".join(content))
        broken = page.locator(".outcome.refused")
        await expect(broken).to_contain_text(re.compile(said))
        if wrong[0] is not None:
            await expect(broken).to_contain_text(f"Version {wrong[0]} is wrong")
        await verify_file(page, sound)
        await expect(page.locator(".seal")).to_contain_text("Sealed")


async def test_a_game_in_which_the_civilizations_were_dealt_is_sealed_and_a_stranger_at_the_table_is_noticed(
    service: Service, page: Page, visitor: Visitor
):
    visitor.expect("/v1/games/sim-8/")  # which this service does not know
    made = await table(service.services, events=50)
    await open_panel(page, made.id)
    content = exported(played("mare-nostrum", 3, 8, setup={"assignment": "dealt"}))
    await verify_file(page, content, "dealt")
    await expect(page.locator(".seal")).to_contain_text("dealt: ")

    def stranger(lines: list[Line]) -> None:
        players = next(row for row in lines if row.get("event", {}).get("type") == "seats-moved")["event"]["players"]
        players["greece"] = "somebody-else"

    await verify_file(page, b"".join(forged(content, stranger)), "forged")
    await expect(page.locator(".outcome.refused")).to_contain_text("seats-moved follows from nothing")


@pytest.mark.parametrize("game", sampled("games forged for a browser", GAMES, 4))
async def test_a_forgery_that_shows_without_the_rules_is_named(
    service: Service, page: Page, visitor: Visitor, game: str
):
    """Each file has a name of its own, so that no verdict is taken for the next one's."""
    visitor.expect("/v1/games/game-")  # which this service does not know,
    visitor.expect("/v1/rulesets/tiny-")  # nor their rulesets
    made = await table(service.services, events=50)
    await open_panel(page, made.id)
    await verify_file(page, b"".join(GAMES[game]()), "honest")
    await expect(page.locator(".seal")).to_contain_text("honest: ")
    for number, forgery in enumerate(each for each in FORGERIES if each.game == game):
        await verify_file(page, b"".join(forgery.export()), f"forgery {number}")
        if forgery.page is None:
            await expect(page.locator(".seal")).to_contain_text(f"forgery {number}: ")
            continue
        said = re.compile(f"forgery {number}: .*(?:{forgery.page or forgery.said})", re.DOTALL)
        await expect(page.locator(".outcome.refused")).to_contain_text(said)


async def test_the_first_version_that_breaks_the_chain_is_named(service: Service, page: Page):
    made = await table(service.services, events=300)
    await open_panel(page, made.id)
    content = exported(made.simulation)
    for version in (1, 2, 137, made.version):
        lines = lines_of(content)
        lines[version]["at"] = lines[version]["at"].replace("T00", "T01")
        await verify_file(page, b"".join(whole(lines)))
        broken = page.locator(".outcome.refused")
        await expect(broken).to_contain_text(f"Version {version} is wrong")
        await expect(broken).to_contain_text("does not continue the chain")
    await page.get_by_role("button", name=f"Show version {made.version}").click()


async def test_what_is_not_canonical_or_cut_off_or_no_log_at_all_is_said_to_be_so(service: Service, page: Page):
    made = await table(service.services, events=60)
    await open_panel(page, made.id)
    content = exported(made.simulation)
    lines = content.splitlines(keepends=True)
    for spoiled, said in [
        (b"", "The export is empty"),
        (b"Hello\n", "Line 1 is not JSON"),
        (content[:-20], "The export is cut off"),
        (b"".join(lines[:-1]), "The last line is missing"),
        (b"".join([*lines[:10], *lines[11:]]), "Expected version 10, found version 11"),
        (content.replace(b'"version":7}', b'"version":7.0}'), "Version 7 is not in the canonical form"),
        (content.replace(b'"version":7}', b'"version":7 }'), "Version 7 is not in the canonical form"),
        (content.replace(b'"version":7}', b'"version":6,"version":7}'), "Version 7 is not in the canonical form"),
        (content.replace(b'"secrets":0', b'"secrets":1'), "The last line has secrets 1; expected 0"),
    ]:
        await verify_file(page, spoiled)
        await expect(page.locator(".outcome.refused")).to_contain_text(said)


async def test_a_log_that_is_sound_and_is_not_the_one_of_this_service_is_told_from_it(service: Service, page: Page):
    made = await table(service.services, events=60)

    def another_year(lines: list[Line]) -> None:
        for row in lines[1:-1]:
            row["at"] = row["at"].replace("2026-", "2027-")

    await open_panel(page, made.id)
    await verify_file(page, b"".join(forged(exported(made.simulation), another_year)))
    await expect(page.locator(".outcome.refused")).to_contain_text("this service has another log of it")


async def test_thousands_of_versions_are_verified_within_seconds(service: Service, page: Page):
    ruleset, seats = "conquest-classic-2005", 4
    long = next(seed for seed in count(22) if played(ruleset, seats, seed, bold=False).game.version > 3000)
    made = await table(service.services, ruleset, seats, seed=long, bold=False)
    await open_panel(page, made.id)
    await page.get_by_role("button", name="Verify").click()
    await expect(page.locator(".seal")).to_contain_text("versions in", timeout=60_000)
    (took,) = await page.evaluate("performance.getEntriesByName('verify').map((entry) => entry.duration)")
    print(f"{made.version} versions verified in {took:.0f} ms")
    assert took < 20_000
