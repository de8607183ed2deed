"""Lists of games: with the names of the players, and filtered by the active player."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from domain.kernel.ids import GameId, PlayerId
from domain.kernel.log.clock import Clock
from projections import lobby
from projections.cursor import UnknownCursor
from projections.lobby import GameRow, Pace
from projections.store import NotBuilt
from service.api.games.bodies import GamePage, GamesPage, MyGamesPage
from service.api.games.views import game_summary
from service.api.paging import first, read_cursor
from service.api.services import Services
from service.observe.logging import log
from service.store.accounts import PlayerRow
from service.store.protocol import ArchiveAway, StreamDamaged

LOOKED_AT: Final = 50
"""The most games that are searched for those with a given active player: each may have to be loaded."""


async def listed(
    services: Services,
    page: GamesPage | MyGamesPage,
    waiting: PlayerId | None,
    *,
    player: PlayerId | None = None,
    mine: PlayerId | None = None,
    text: str | None = None,
    pace: Pace | None = None,
) -> GamePage:
    """Return a page of games by the filters of `EventStore.games` and `lobby.search`; only those `waiting` for a
    player.

    Without `mine`, forks and games that are not listed for everybody are left out. Raises `UnknownCursor`.
    """
    limit = page.limit if waiting is None else min(page.limit, LOOKED_AT)
    status = "running" if page.status is None and waiting is not None else page.status
    last = await last_of(services, page.cursor)
    if text is None and pace is None:
        entries = await services.store.games(
            status=status,
            ruleset=page.ruleset,
            player=player,
            mine=mine,
            forks=mine is not None,
            listed=mine is None,
            after=last.game if last is not None else None,
            limit=limit + 1,
        )
    else:
        entries = await lobby.search(
            services.rows,
            text=text or "",
            status=status,
            ruleset=page.ruleset,
            player=player,
            pace=pace,
            after=(last.created, last.game) if last is not None else None,
            limit=limit + 1,
        )
    rows, after = first(entries, limit, lambda row: row.game)
    hidden = await services.store.unlisted([row.game for row in rows])
    if mine is None:
        rows = [row for row in rows if row.game not in hidden]
    if waiting is not None:
        rows = [row for row in rows if await waits_for(services, row, waiting)]
    players = await players_of(services, (holder for row in rows for holder in row.seats.values()))
    clocks = await clocks_of(services, rows)
    items = tuple(game_summary(row, players, clocks.get(row.game), listed=row.game not in hidden) for row in rows)
    return GamePage(items, after)


async def clocks_of(services: Services, rows: Iterable[GameRow]) -> dict[GameId, Clock]:
    """Return the clocks of the games that have one; empty while the lobby is being built."""
    with suppress(NotBuilt):
        return await lobby.clocks_of(services.rows, [row.game for row in rows])
    return {}


async def last_of(services: Services, cursor: str | None) -> GameRow | None:
    """Return the last game of the previous page; None without a cursor. Raises `UnknownCursor`."""
    game = read_cursor(cursor, str)
    if game is None:
        return None
    row = await services.store.game(GameId(game))
    if row is None:
        raise UnknownCursor(game)
    return row


async def waits_for(services: Services, row: GameRow, player: PlayerId) -> bool:
    """Tell whether a game waits for a player. False for a game that cannot be read."""
    try:
        return player in await services.games.waits_for(row)
    except (StreamDamaged, ArchiveAway) as error:
        log.error("a game cannot be read", game=row.game, exc_info=error)
        return False


async def players_of(services: Services, players: Iterable[PlayerId | None]) -> dict[PlayerId, PlayerRow]:
    """Return the accounts of players."""
    rows = await services.accounts.by_ids({player for player in players if player is not None})
    return {row.player: row for row in rows}
