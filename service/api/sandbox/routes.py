"""The endpoints of a sandbox: its accounts and games, its time, and its reset. Every other service refuses them."""

from datetime import UTC, timedelta
from typing import Final

import msgspec
from litestar.response import Response

from service.api.bodies import Nothing
from service.api.controls import Controls
from service.api.endpoint import Answer, endpoint
from service.api.problems.problem import Problem
from service.api.problems.sandbox import NO_SANDBOX, TIME_OUT_OF_REACH
from service.api.request import Call
from service.api.response import answer
from service.api.sandbox.bodies import Sandbox, SandboxAccount, SandboxGame, SandboxTime
from service.api.services import Services
from service.base.clock import later, stamped, written

FARTHEST: Final = timedelta(days=366)
"""The most by which one request moves the time."""

_time: Final = msgspec.json.Decoder(SandboxTime)


@endpoint(
    "GET",
    "/v1/sandbox",
    tag="Sandbox",
    answers=(Answer(200, "The sandbox.", Sandbox),),
    problems=(NO_SANDBOX,),
)
async def show_sandbox(request: Call) -> Response[bytes]:
    """Show a sandbox.

    Shows its time, its accounts with their tokens, and its games: for each ruleset one in which somebody has to move,
    then one with a clock, one with free seats, and one that is over.
    """
    request.read_query(Nothing)
    controls = _controls(request)
    return answer(await sandbox_view(request.services, controls))


@endpoint(
    "PUT",
    "/v1/sandbox/time",
    tag="Sandbox",
    body=SandboxTime,
    answers=(Answer(200, "The sandbox at that time.", Sandbox),),
    problems=(NO_SANDBOX, TIME_OUT_OF_REACH),
)
async def move_time(request: Call) -> Response[bytes]:
    """Move the time of a sandbox.

    Before the answer comes, flags fall and games are abandoned, each at its time. Then tournaments go on. Bulks and
    webhooks follow within a second. Time never runs backwards. It stops early after 500 moments at which something was
    due: if `now` is not yet the time that you sent, send it again. When the time is reached, repeating the request
    changes nothing.
    """
    request.read_query(Nothing)
    controls = _controls(request)
    at = (await request.read_body(_time)).at.astimezone(UTC)
    now = request.services.games.time()
    if not now <= written(at) <= later(now, FARTHEST):
        raise Problem(
            TIME_OUT_OF_REACH,
            f"You asked for {written(at)}, and the sandbox is at {now}.",
            f"Name a time from {now} to {later(now, FARTHEST)}, or begin anew with POST /v1/sandbox/reset.",
        )
    await controls.move(stamped(written(at)))
    return answer(await sandbox_view(request.services, controls))


@endpoint(
    "POST",
    "/v1/sandbox/reset",
    tag="Sandbox",
    answers=(Answer(204, "The sandbox is as it began."),),
    problems=(NO_SANDBOX,),
)
async def reset_sandbox(request: Call) -> Response[bytes]:
    """Begin a sandbox anew.

    Deletes all that happened in it: its accounts, games and time are as at the start. Streams end. The same commands
    then lead to the same events and hashes. The request has no body. Repeating it changes nothing.
    """
    request.read_query(Nothing)
    await _controls(request).reset()
    return Response(b"", status_code=204)


def _controls(request: Call) -> Controls:
    if request.services.sandbox is None:
        raise Problem(NO_SANDBOX, "This service is no sandbox.", NO_SANDBOX.remedy)
    return request.services.sandbox


async def sandbox_view(services: Services, controls: Controls) -> Sandbox:
    """Return a sandbox as it is answered."""
    games = list[SandboxGame]()
    for seeded in controls.seeded.games:
        game, row = await services.games.game(seeded.game), await services.store.game(seeded.game)
        waits_for = tuple(sorted(await services.games.waits_for(row))) if row is not None else ()
        games.append(SandboxGame(game.id, seeded.about, game.ruleset.id, game.version, game.status, waits_for))
    accounts = (SandboxAccount(each.player, each.name, each.token) for each in controls.seeded.accounts)
    return Sandbox(services.games.time(), tuple(accounts), tuple(games))
