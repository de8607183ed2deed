"""Whole games played in browsers: ``python -m tests.browser.whole_games [--map-only] [RULESET SEATS [MOST]]``.

Every seat is a browser that looks at the game's page with its token. A bot says which command to give. It is given by
filling in the form of its option; or by pointing at the map and with the bar, while another page of the same seat fills
its form in to count the clicks, and closes it. ``--map-only`` does without that: then clicks in forms are those of
commands for which there was nothing else. At the end every seat's page verifies the game.

A number typed counts as one click, as does a button for it. Bots choose what comes along by chance in some rulesets.
People mostly take everything, or what they took before, so they need fewer clicks there.
"""

import asyncio
import contextlib
import functools
import json
import random
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import httpx
import msgspec
import structlog

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
from tests.browser.visiting import Visit, expect, visiting
from tests.service.api.serving import Player, Service, serving
from tests.tiny.auction import ROOM, TinyAuction

GAMES: Final = (
    ("tiny-auction", 3),
    ("mare-nostrum", 3),
    ("conquest-classic-friz", 2),
    ("conquest-classic-2005", 2),
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


class Clicks(NamedTuple):
    """What it took to give a command."""

    command: str
    by_form: int
    by_map: Sequence[str]
    """What each click was for."""
    dragging: int


async def play(
    service: Service,
    visit: Visit,
    game: str,
    places: Mapping[str, Player],
    bot: Bot,
    most: int,
    *,
    by_map: bool,
    by_form: bool = True,
) -> list[Clicks]:
    """Play a game to its end, or `most` commands of it; return what each took."""
    taken: list[Clicks] = []
    async with contextlib.AsyncExitStack() as pages:
        sittings: dict[str, Sitting] = {}
        clerks: dict[str, Sitting] = {}
        for seat, player in places.items():
            for sat in (sittings, clerks) if by_map and by_form else (sittings,):
                sat[seat] = await pages.enter_async_context(sitting(visit, game, seat, token_of(player)))
                # What ends a turn is found by trying.
                sat[seat].visitor.expect("409|422")
                if isinstance(bot, Talker):  # for rulesets of which there is no drawing
                    sat[seat].visitor.expect("/board.svg")
            if by_map:
                sittings[seat].visitor.listen()
        for _ in range(most):
            now = await service.get(f"/v1/games/{game}")
            if now["status"] != "running":
                for each in sittings.values():
                    await verified(each)
                return taken
            seat = now["decisions"][0]["seats"][0]
            view = (await service.get(f"/v1/games/{game}/state", places[seat]))["view"]
            options = (await service.get(f"/v1/games/{game}/options", places[seat]))["options"]
            command = bot.choose(seat, view, options)
            in_form = saved = 0
            on_map: Sequence[str] = ()
            if by_form:
                writer = clerks[seat] if by_map else sittings[seat]
                await writer.ready(now["version"])
                in_form = await writer.fill(options, command) + 1
            if by_map:
                if by_form:
                    await clerks[seat].close()
                await sittings[seat].ready(now["version"])
                on_map, saved, needed, said, trail = await sittings[seat].point(options, command)
                in_form = in_form or needed
                assert re.search(r": (done|accepted)", said), f"{seat} gave {command}: {said}{trail}"
                sent = [each for each in sittings[seat].visitor.asked if each.url.endswith("/commands")][-1].post_data
                given = json.loads(sent or "")["command"]
                assert plain(given) == plain(command), f"{command} was given as {given}{trail}"
            else:
                said = await sittings[seat].send()
                accepted = rf": accepted as versions? {now['version'] + 1}\b"
                assert re.search(accepted, said), f"{seat} gave {command}: {said}"
            taken.append(Clicks(command["type"], in_form, on_map, len(on_map) - saved))
            if len(taken) % 100 == 0:
                print(f"{len(taken)} commands so far", file=sys.stderr, flush=True)
    return taken


def plain(value: Any) -> Any:
    """Return a command without what is nothing: a count of 0, an empty list."""
    if isinstance(value, Mapping):
        parts = {name: plain(part) for name, part in cast(Mapping[str, Any], value).items()}
        return {name: part for name, part in parts.items() if part not in (None, 0, "", [], {})} or None
    return sorted(value, key=str) if isinstance(value, list | tuple) else value


async def verified(sitting: Sitting) -> None:
    """Verify the game in the page of a seat."""
    await sitting.page.locator("#tab-verify").click()
    await sitting.page.get_by_role("button", name="Verify").click()
    await expect(sitting.page.locator(".seal")).to_contain_text("Sealed")


async def run(
    ruleset: str, seats: int, data: Path, most: int = 10_000, *, by_map: bool = False, by_form: bool = True
) -> str:
    """Play a game on a service of its own; return in words how that went."""
    rng = random.Random(f"{ruleset}/{seats}")
    async with (
        # With the same secret, a game has the same dice and cards, so that clicks before and after a change compare.
        serving(data, EVERY, board_of, random.Random(ruleset).randbytes, utc_now, durable=False) as service,
        # The service closes connections on which nothing comes for some seconds, and browsers take their time.
        httpx.AsyncClient(base_url=service.client.base_url, limits=FRESH, timeout=60) as service.client,
        chromium() as browser,
    ):
        bot: Bot = Talker(rng)
        if ruleset in LIBRARY.ids():
            played = LIBRARY.current(ruleset)
            bot = bot_for(ruleset, rng, msgspec.to_builtins(played.equip(builtin(played.board))))
        game, places = await seated(service, ruleset, seats, {})
        began = time.monotonic()
        visit = functools.partial(visiting, browser, str(service.client.base_url).rstrip("/"))
        commands = await play(service, visit, game, places, bot, most, by_map=by_map, by_form=by_form)
        took = (time.monotonic() - began) / len(commands)
        now = await service.get(f"/v1/games/{game}")
        return (
            f"{ruleset}, {seats} seats: {len(commands)} commands {'on the map' if by_map else 'through forms'},"
            f" {now['version']} events, {now['status']}, {1000 * took:.0f} ms a command\n{told(commands)}"
        )


def told(taken: Sequence[Clicks]) -> str:
    """Say what each command took: the median, by forms and by map, and what the clicks on the map were for."""
    by_command: dict[str, list[Clicks]] = {"all": list(taken)}
    for each in taken:
        by_command.setdefault(each.command, []).append(each)
    return "\n".join(f"    {command}, {len(some)} times: {_took(some)}" for command, some in by_command.items())


def _took(some: Sequence[Clicks]) -> str:
    ways = {
        "by forms": [each.by_form for each in some],
        "by map": [len(each.by_map) for each in some],
        "with drags": [each.dragging for each in some],
    }
    sums = ", ".join(f"{sum(numbers)} {way}" for way, numbers in ways.items()).replace(" by", " clicks by", 1)
    medians = ", ".join(f"{statistics.median(numbers):g}" for numbers in ways.values())
    purposes = Counter(purpose for each in some for purpose in each.by_map)
    goes = ", ".join(f"{purpose} {number}" for purpose, number in purposes.most_common())
    return f"{sums}; median {medians}" + (f" ({goes})" if goes else "")


async def main(games: tuple[tuple[str, int], ...], most: int, *, by_form: bool) -> None:
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    for ruleset, seats in games:
        with tempfile.TemporaryDirectory(prefix="tabularium-") as data:
            print(await run(ruleset, seats, Path(data), most, by_map=True, by_form=by_form), flush=True)


if __name__ == "__main__":
    words = [each for each in sys.argv[1:] if each != "--map-only"]
    chosen = ((words[0], int(words[1])),) if len(words) > 1 else GAMES
    asyncio.run(main(chosen, int(words[2]) if len(words) > 2 else 10_000, by_form=len(words) == len(sys.argv) - 1))
