"""Pictures of what players see, to be looked at by eye: ``python -m tests.browser.album FOLDER [SCENE …]``.

Each scene as it is seen on a wide screen, on a small one and on a telephone, by day and by night.
"""

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final

import structlog
from playwright.async_api import Page

from domain.boards import builtin
from domain.library import LIBRARY
from service.base.clock import utc_now
from service.webhooks.secrets import new_key
from tests.browser.chromium import chromium
from tests.browser.games import Table, asks, table, token_of
from tests.browser.pointing import area, first, sit
from tests.browser.visiting import DARK, PHONE, visiting
from tests.service.api.clubs import NAMES, Club
from tests.service.api.serving import Player, Service, serving
from tests.service.webhooks.receiving import Receiver, receiving

SIZES: Final[Mapping[str, dict[str, Any]]] = {
    "wide": {"viewport": {"width": 1440, "height": 900}},
    "small": {"viewport": {"width": 1024, "height": 768}},
    "phone": PHONE,
}
LIGHTS: Final[Mapping[str, dict[str, Any]]] = {"day": {}, "night": DARK}
AT_REST: Final = 1500
"""Milliseconds after which nothing moves any more."""

Scene = Callable[[Page, Table], Awaitable[None]]


async def lobby(page: Page, made: Table) -> None:
    await page.goto(f"/#token={token_of(made.seats[made.simulation.game.decisions[0].seats[0]])}")
    await page.locator("#mine .picture").first.wait_for()


async def marching(page: Page, made: Table) -> None:
    """An area where a march begins, dragged to one where it can end."""
    await sit(page, made)
    start = await first(page, "can")
    await area(page, start).click()
    end = await first(page, "open")
    await page.keyboard.press("Escape")
    await area(page, start).hover()
    await page.mouse.down()
    await area(page, end).hover()


async def deciding(page: Page, made: Table) -> None:
    """What the seat that is asked sees first."""
    seat = made.simulation.game.decisions[0].seats[0]
    await page.goto(f"/games/{made.id}#token={made.token(seat)}")
    await page.locator("#turn .turn.asked.now").wait_for()


async def finished(page: Page, made: Table) -> None:
    await page.goto(f"/games/{made.id}")
    await page.locator("svg.board").wait_for()


async def clocks(page: Page, player: Player, game: str) -> None:
    await page.goto(f"/games/{game}#token={token_of(player)}")
    await page.locator("#strip .clock.runs").wait_for()


async def inbox(page: Page, player: Player, game: str) -> None:
    await page.goto(f"/#token={token_of(player)}")
    await page.locator("#inbox li").first.wait_for()
    await page.locator("#inbox").evaluate("each => each.scrollIntoView()")


async def webhooks(page: Page, player: Player, game: str) -> None:
    await inbox(page, player, game)
    await page.goto("/account/webhooks")
    await page.get_by_role("button", name="Deliveries").last.click()
    await page.locator(".deliveries li").first.wait_for()


async def tournament(page: Page, club: Club) -> None:
    await page.goto(club.url.removeprefix("/v1"))
    await page.get_by_role("region", name="Round 1").locator("img").first.wait_for()


async def director(page: Page, club: Club) -> None:
    """The draft of a second round, in which somebody was picked up and would change places."""
    await page.goto(f"{club.url.removeprefix('/v1')}#token={token_of(club.director)}")
    players = page.locator(".drafted [data-player]")
    await players.nth(1).click()
    await players.nth(6).focus()
    await page.get_by_text("change places: costs").wait_for()


CLUBS: Final[Mapping[str, Callable[[Page, Club], Awaitable[None]]]] = {"tournament": tournament, "director": director}
"""Scenes of a tournament."""

TOLD: Final[Mapping[str, Callable[[Page, Player, str], Awaitable[None]]]] = {
    "clocks": clocks,
    "inbox": inbox,
    "webhooks": webhooks,
}
"""Scenes of somebody who is told of games with clocks."""

SCENES: Final[Mapping[str, tuple[Scene, dict[str, Any]]]] = {
    "lobby": (lobby, {"ruleset": "italia-2", "seats": 4, "events": 700}),
    "march": (marching, {"ruleset": "conquest-classic-friz", "seed": 3, "until": asks("move", 30)}),
    "battle": (deciding, {"ruleset": "conquest-classic-friz", "seed": 5, "until": asks("mark-losses", 12)}),
    "purchase": (deciding, {"ruleset": "conquest-classic-friz", "seed": 14, "until": asks("buy", 9)}),
    "hand": (deciding, {"ruleset": "mare-nostrum", "seed": 10, "until": asks("take", 4)}),
    "bid": (deciding, {"ruleset": "conquest-campaign", "seed": 11, "until": asks("bid", 2)}),
    "finished": (finished, {"ruleset": "italia-1", "seed": 2}),
}


async def main(folder: Path, names: list[str]) -> None:
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    with tempfile.TemporaryDirectory() as data:
        async with (
            serving(
                Path(data),
                LIBRARY,
                builtin,
                clock=utc_now,
                durable=False,
                webhook_key=new_key(),
                outward="anywhere",
            ) as service,
            chromium() as browser,
            receiving() as receiver,
        ):
            address = str(service.client.base_url).rstrip("/")
            for name in names:
                show = await posed(service, receiver, name)
                for size, screen in SIZES.items():
                    for light, scheme in LIGHTS.items():
                        async with visiting(browser, address, **screen, **scheme) as visitor:
                            await show(visitor.page)
                            await visitor.page.wait_for_timeout(AT_REST)
                            file = folder / f"{name}-{size}-{light}.png"
                            await visitor.page.screenshot(path=file)
                            print(file, flush=True)


async def posed(service: Service, receiver: Receiver, name: str) -> Callable[[Page], Awaitable[None]]:
    """Prepare a scene; return what shows it."""
    if name in CLUBS:
        club = await playing(service)
        return lambda page: CLUBS[name](page, club)
    if name in TOLD:
        player, game = await told(service, receiver)
        return lambda page: TOLD[name](page, player, game)
    show, pose = SCENES[name]
    seated: dict[str, Any] = {"seats": 3} | pose
    made = await table(service.services, **seated)
    return lambda page: show(page, made)


async def told(service: Service, receiver: Receiver) -> tuple[Player, str]:
    """Return somebody with much to read and three webhooks, and a game with a clock that waits for them."""
    anna, bert = await service.register("Anna"), await service.register("Bert")
    receiver.answers["/fails"] = "500 Down\r\n"
    await service.post("/v1/webhooks", anna, {"url": receiver.url("/fails")})
    waits = ""
    for number in range(12):
        new = {"ruleset": "conquest-classic-friz", "players": 2, "title": f"The {number + 1}. war over Sicily"}
        clock = {"clock": ("live", "fast", "slow")[number % 3]}
        game = (await service.post("/v1/games", bert, {**new, **clock}))["id"]
        for player in (anna, bert):
            await service.post(f"/v1/games/{game}/seats", player, {})
        if not number:
            form = {"about": "game", "game": game, "form": "discord", "url": receiver.url("/hook")}
            await service.post("/v1/webhooks", anna, form)
        await service.post(f"/v1/games/{game}/start", bert)
        shown = await service.get(f"/v1/games/{game}", anna)
        if shown["you"] in shown["decisions"][0]["seats"]:
            waits = game
    await asyncio.sleep(2)  # until all of it is told
    return anna, waits


async def playing(service: Service) -> Club:
    """Return a club after the first round of its tournament, with a draft of the second."""
    names = (*NAMES, "Ida", "Jost", "Kuno", "Lena", "Marc", "Nora", "Otto", "Paul")
    club = Club(service, await service.register("Zeno"), [await service.register(name) for name in names])
    sizes = {"sizes": [4, 3], "points": [[60, 36, 12], [60, 42, 24, 6]]}
    await club.announce(ruleset="mare-nostrum", stages=[{"type": "swiss", "rounds": 3}], **sizes)
    await club.enter()
    await club.publish()
    for each in (await club.opened(1))["tables"]:
        game, (one, *others) = f"/v1/games/{each['game']}", club.named(each["players"])
        await service.post(f"{game}/start", one)
        order = [[held["seat"]] for held in (await service.get(game))["seats"]]
        await service.post(f"{game}/end-proposals", one, {"order": order})
        (proposal,) = (await service.get(game))["end_proposals"]
        for other in others:
            await service.post(f"{game}/end-proposals/{proposal['proposed']}/answer", other, {"agrees": True})
    for each in (await club.finished(1))["tables"]:
        await club.do(f"rounds/1/tables/{each['number']}/confirmation")
    await club.do("rounds")
    return club


if __name__ == "__main__":
    every = (*SCENES, *TOLD, *CLUBS)
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= {*every}:
        print(f"expected a folder, and of {', '.join(every)} those that are to be taken", file=sys.stderr)
        sys.exit(2)
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2:] or [*every]))
