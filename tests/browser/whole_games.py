"""Whole games played in browsers, through forms only: ``python -m tests.browser.whole_games [RULESET [SEATS]]``.

Every seat is a browser that looks at the game's page with its token. A bot says which command to give; it is given by
filling in the form of its option and pressing the button. At the end every seat's page verifies the game.
"""

import asyncio
import contextlib
import functools
import random
import re
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import httpx
import msgspec
import structlog
from playwright.async_api import expect

from domain.boards import builtin
from domain.kernel.rules import schema
from domain.kernel.rules.board import Board
from domain.kernel.rules.ruleset import Library
from domain.library import LIBRARY
from service.base.clock import utc_now
from service.bots.bot import Bot, Command, Options, View
from service.bots.registry import bot_for
from tests.browser.chromium import chromium
from tests.browser.games import token_of
from tests.browser.seats import Sitting, sitting
from tests.browser.visiting import Visit, visiting
from tests.service.api.serving import Player, Service, serving
from tests.tiny.auction import ROOM, TinyAuction

GAMES: Final = (
    ("tiny-auction", 3),
    ("mare-nostrum", 3),
    ("conquest-classic-friz", 2),
    ("conquest-campaign", 3),
    ("italia-1", 3),
    ("italia-2", 4),
)
FRESH: Final = httpx.Limits(max_keepalive_connections=0)
EVERY: Final = Library([TinyAuction(), *map(LIBRARY.current, LIBRARY.ids())])


class Talker(Bot):
    """Gives any command but those that say something to others; for rulesets whose options answer no decision."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def choose(self, seat: str, view: View, options: Options) -> Command:
        useful = [option for option in options if option["command"] not in ("undo", "give")]
        return schema.sample(self._rng.choice(useful)["schema"], self._rng)


def board_of(name: str) -> Board:
    return ROOM if name == ROOM.id else builtin(name)


async def seated(service: Service, ruleset: str, seats: int, setup: Mapping[str, Any]) -> tuple[str, dict[str, Player]]:
    """Return a new game that has begun, and who sits where."""
    players = [await service.register(f"player {number}") for number in range(1, seats + 1)]
    body = {"ruleset": ruleset, "players": seats, "setup": setup, "title": "Played in browsers"}
    made = await service.post("/v1/games", players[0], body)
    places = {place["seat"]: player for place, player in zip(made["seats"], players, strict=True)}
    for seat, player in places.items():
        await service.post(f"/v1/games/{made['id']}/seats", player, {"seat": seat, "entropy": f"of {seat}"})
    await service.post(f"/v1/games/{made['id']}/start", players[0])
    return made["id"], places


async def play(service: Service, visit: Visit, game: str, places: Mapping[str, Player], bot: Bot, most: int) -> int:
    """Play a game to its end, or `most` commands of it; return how many were given."""
    async with contextlib.AsyncExitStack() as pages:
        sittings: dict[str, Sitting] = {}
        for seat, player in places.items():
            sittings[seat] = await pages.enter_async_context(sitting(visit, game, seat, token_of(player)))
            if isinstance(bot, Talker):  # for rulesets of which there is no drawing
                sittings[seat].visitor.expect("/board.svg")
        for given in range(most):
            now = await service.get(f"/v1/games/{game}")
            if now["status"] != "running":
                for each in sittings.values():
                    await verified(each)
                return given
            seat = now["decisions"][0]["seats"][0]
            view = (await service.get(f"/v1/games/{game}/state", places[seat]))["view"]
            options = (await service.get(f"/v1/games/{game}/options", places[seat]))["options"]
            command = bot.choose(seat, view, options)
            await sittings[seat].ready(now["version"])
            await sittings[seat].fill(options, command)
            said = await sittings[seat].send()
            assert re.search(rf": accepted as versions? {now['version'] + 1}\b", said), f"{seat} gave {command}: {said}"
    return most


async def verified(sitting: Sitting) -> None:
    """Verify the game in the page of a seat."""
    await sitting.page.locator("#tab-verify").click()
    await sitting.page.get_by_role("button", name="Verify").click()
    await expect(sitting.page.locator(".seal")).to_contain_text("Sealed")


async def run(ruleset: str, seats: int, data: Path, most: int = 10_000) -> str:
    """Play a game on a service of its own; return in words how that went."""
    rng = random.Random(f"{ruleset}/{seats}")
    async with (
        serving(data, EVERY, board_of, clock=utc_now, durable=False) as service,
        # The service closes connections on which nothing comes for some seconds, and browsers take their time.
        httpx.AsyncClient(base_url=service.client.base_url, limits=FRESH) as service.client,
        chromium() as browser,
    ):
        bot: Bot = Talker(rng)
        if ruleset in LIBRARY.ids():
            played = LIBRARY.current(ruleset)
            bot = bot_for(ruleset, rng, msgspec.to_builtins(played.equip(builtin(played.board))))
        game, places = await seated(service, ruleset, seats, {})
        began = time.monotonic()
        visit = functools.partial(visiting, browser, str(service.client.base_url).rstrip("/"))
        commands = await play(service, visit, game, places, bot, most)
        took = (time.monotonic() - began) / commands
        now = await service.get(f"/v1/games/{game}")
        return (
            f"{ruleset}, {seats} seats: {commands} commands through forms, {now['version']} events, {now['status']},"
            f" {1000 * took:.0f} ms a command"
        )


async def main(games: tuple[tuple[str, int], ...]) -> None:
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    for ruleset, seats in games:
        with tempfile.TemporaryDirectory(prefix="tabularium-") as data:
            print(await run(ruleset, seats, Path(data)), flush=True)


if __name__ == "__main__":
    chosen = ((sys.argv[1], int(sys.argv[2])),) if len(sys.argv) > 2 else GAMES
    asyncio.run(main(chosen))
