"""Lists of games as they are answered: with the names of who plays, and of those that wait for somebody."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

from domain.kernel.ids import PlayerId
from projections.lobby import GameRow
from service.api.games.bodies import GamePage, game_summary
from service.api.services import Services
from service.games.cache import GameDamaged
from service.observe.logging import log

LOOKED_AT: Final = 50
"""Of so many games a page is picked at most when it is asked whom they wait for: each may have to be loaded."""


def looked_at(limit: int, waiting: bool) -> int:
    """Return of how many games a page is made."""
    return min(limit, LOOKED_AT) if waiting else limit


async def waiting_for(services: Services, player: PlayerId, rows: Sequence[GameRow]) -> list[GameRow]:
    """Return those of some games that wait for a player. One that cannot be read waits for nobody."""
    found: list[GameRow] = []
    for row in rows:
        try:
            if player in await services.games.waits_for(row):
                found.append(row)
        except GameDamaged as error:
            log.error("a game cannot be read", game=row.game, exc_info=error)
    return found


async def summaries(services: Services, rows: Sequence[GameRow], after: str | None) -> GamePage:
    """Return a page of games."""
    names = await names_of(services, (holder for row in rows for holder in row.seats.values()))
    return GamePage(tuple(game_summary(row, names) for row in rows), after)


async def names_of(services: Services, players: Iterable[PlayerId | None]) -> dict[PlayerId, str]:
    """Return the names of players."""
    wanted = {player for player in players if player is not None}
    rows = await asyncio.gather(*(services.accounts.player(player) for player in wanted))
    return {row.player: row.name for row in rows if row is not None}
