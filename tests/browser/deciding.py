"""A seat that has to decide, at its desk."""

from random import Random
from typing import Any

from playwright.async_api import Page

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import Seat
from domain.kernel.log.game import Game
from domain.kernel.rules import schema
from tests.browser.games import Table, asked_for
from tests.browser.visiting import expect
from tests.service.api.serving import Service


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
    return asked_for(game, "move") and game.version > 150


def several(game: Game) -> bool:
    """Tell whether somebody may place a city in one of several provinces, and goes on placing then."""
    if not asked_for(game, "place") or game.decisions[0].about["left"].get("cities", 0) < 2:
        return False
    options = game.options(game.decisions[0].seats[0], Vault())
    cities = [option for option in options if option.command == "place-city"]
    return bool(cities) and len(cities[0].schema["properties"]["province"].get("enum", ())) > 2
