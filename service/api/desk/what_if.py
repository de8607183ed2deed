""" "What if" for judges: plays other commands with fresh dice, without storing anything."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Final

import msgspec
from litestar.response import Response

from domain.judging.what_if import Outcomes, outcomes_of
from domain.kernel.chance.draws import Chance
from domain.kernel.ids import GameId
from domain.kernel.log.game import Game
from domain.kernel.log.request import sent_commands
from service.api.bodies import Nothing
from service.api.desk.bodies import WhatIf, WhatIfView
from service.api.endpoint import Answer, endpoint
from service.api.games.routes import explained, seat_named
from service.api.problems.cases import NOT_AN_OFFICIAL
from service.api.problems.games import UNKNOWN_GAME, UNKNOWN_SEAT, UNKNOWN_VERSION
from service.api.problems.play import NOT_NOW, REFUSED
from service.api.problems.problem import Problem
from service.api.request import Call
from service.api.response import answer, etag

SECONDS: Final = 2.0
"""The most seconds for playing commands, however many times were requested."""

_what_if: Final = msgspec.json.Decoder(WhatIf)
_single_thread: Final = ThreadPoolExecutor(1, "what-if")
"""One request at a time in a process, because others would wait for the processor anyway."""


@endpoint(
    "POST",
    "/v1/games/{game:str}/what-if",
    tag="Cases",
    account="required",
    scopes=("judge",),
    body=WhatIf,
    answers=(Answer(200, "The outcomes.", WhatIfView, headers=("ETag",)),),
    problems=(UNKNOWN_GAME, UNKNOWN_VERSION, UNKNOWN_SEAT, NOT_AN_OFFICIAL, REFUSED, NOT_NOW),
)
async def ask_what_if(request: Call, game: str) -> Response[bytes]:
    """Ask what other commands would have led to.

    Only an official of the game may ask. Plays commands at a version of the game, up to 1,000 times with fresh dice,
    and says to which positions they led and how often. These dice are independent of the game's own: they reveal
    neither past nor future rolls. When a command is refused, those after it are not played; the outcome names the
    refused command. It takes two seconds at most: `played` says how often the commands were played. Nothing is stored.
    """
    request.read_query(Nothing)
    wish, games = await request.read_body(_what_if), request.services.games
    current = await games.game(GameId(game))
    if not current.around.is_official(request.signed_in.player):
        raise Problem(NOT_AN_OFFICIAL, "You are no official of this game.", NOT_AN_OFFICIAL.remedy)
    async with explained(request, game):
        earlier = await games.at(current.id, wish.version)
        commands = [
            (seat_named(current, each.seat), sent_commands(earlier.ruleset, [each.command])[0])
            for each in wish.commands
        ]
        vault, chances = await games.vault(current.id), _chances(request, earlier, wish.times)
        work = asyncio.get_running_loop().run_in_executor(
            _single_thread, outcomes_of, earlier, commands, vault, chances
        )
        results = await work
    return answer(what_if_view(earlier, results), headers=etag(current.version))


def _chances(request: Call, game: Game, times: int) -> Iterator[Chance]:
    until = monotonic() + SECONDS
    for _ in range(times):
        yield request.services.games.fresh_chance(game)
        if monotonic() > until:
            return


def what_if_view(game: Game, results: Outcomes) -> WhatIfView:
    """Return the results of commands at a version of a game."""
    return WhatIfView(results.played, results.different, results.outcomes, game=game.id, version=game.version)
