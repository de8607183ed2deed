"""The bots of a game: its organizer seats and removes them."""

from typing import Final

import msgspec
from litestar.response import Response

from domain.kernel.ids import GameId
from domain.kernel.log.game import Game
from service.api.bodies import Nothing
from service.api.endpoint import endpoint
from service.api.games.bodies import BotWanted
from service.api.games.routes import ACCEPTED, ACTS, acted, seat_named
from service.api.problems.games import NOT_ORGANIZER, SEAT_TAKEN, TOO_MANY_BOTS, UNKNOWN_LEVEL, UNKNOWN_SEAT
from service.api.problems.problem import Problem
from service.api.request import Call
from service.api.services import Services
from service.bots.registry import levels
from service.bots.seated import seats_held
from service.games import acts
from service.store.accounts import LimitReached
from service.store.protocol import Within

_wanted: Final = msgspec.json.Decoder(BotWanted)
_PROBLEMS: Final = (*ACTS, UNKNOWN_SEAT, NOT_ORGANIZER)


@endpoint(
    "PUT",
    "/v1/games/{game:str}/seats/{seat:str}/bot",
    tag="Games",
    account="required",
    scopes=("organize",),
    headers=("Idempotency-Key", "If-Match"),
    body=BotWanted,
    answers=(ACCEPTED,),
    problems=(*_PROBLEMS, SEAT_TAKEN, UNKNOWN_LEVEL, TOO_MANY_BOTS),
)
async def seat_bot(request: Call, game: str, seat: str) -> Response[bytes]:
    """Put a bot on a seat.

    The organizer may do this. In a running game whose organizer gave up their own seat, every player may. The bot is an
    account of its own, which everybody sees is a bot. Until the game starts, it takes a free seat, or the place of a
    bot of another level. In a running game it takes over a seat that was given up (TAB-LIFE-05). The service plays it,
    from what its seat may see. It agrees to every request to take moves back (TAB-BOT-01). A repeated request with the
    same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    wish, services = await request.read_body(_wanted), request.services
    current = await services.games.game(GameId(game))
    place = seat_named(current, seat)
    if wish.level not in (level_names := levels(current.ruleset.id)):
        detail, allowed = f"There is no bot of the level {wish.level!r}.", f"Expected one of {', '.join(level_names)}."
        raise Problem(UNKNOWN_LEVEL, detail, allowed, path="$.level")
    # So many that one of them is neither seated nor an official of the game.
    candidates = await services.accounts.bots_at(wish.level, len(current.players) + len(current.around.officials))
    all_bots = await services.accounts.bots()
    bots = {row.player: row.bot for row in (*candidates, *all_bots) if row.bot is not None and row.closed is None}
    closed = frozenset(row.player for row in all_bots if row.closed is not None)
    try:
        room, within = await _room(services, current)
        return await acted(request, game, acts.SeatBot(place, wish.level, bots, closed, room), within)
    except LimitReached:  # another request made the account at the same time
        raise acts.TooManyBots("Bots hold as many seats in your games as they may.") from None
    except Problem as problem:
        if problem.members.get("rule") == "TAB-LIFE-03":
            problem.kind = SEAT_TAKEN
        raise


@endpoint(
    "DELETE",
    "/v1/games/{game:str}/seats/{seat:str}/bot",
    tag="Games",
    account="required",
    scopes=("organize",),
    headers=("Idempotency-Key", "If-Match"),
    answers=(ACCEPTED,),
    problems=_PROBLEMS,
)
async def remove_bot(request: Call, game: str, seat: str) -> Response[bytes]:
    """Take a bot away from its seat.

    Only the organizer may do this, until the game starts. The seat is free again. A repeated request with the same
    `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    services = request.services
    place = seat_named(await services.games.game(GameId(game)), seat)
    bots = frozenset(row.player for row in await services.accounts.bots())
    return await acted(request, game, acts.RemoveBot(place, bots))


async def _room(services: Services, game: Game) -> tuple[int | None, Within | None]:
    """Return how many more bots the games of an organizer may have, and the limit for the transaction.

    The number is None if the service sets no limit.
    """
    most = services.settings.bots_per_account
    if most == "off":
        return None, None
    within = seats_held(game.organizer, services.accounts.now(), most)
    room = most - await services.store.count(within)
    return room, within if room > 0 else None
