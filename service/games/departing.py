"""Closing an account: its games, its seats and its offices."""

import re
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Final

from domain.kernel.ids import GameId, PlayerId
from domain.kernel.log import organizing
from domain.kernel.log.game import Game
from projections import lobby, officials
from projections.lobby import GameRow
from projections.store import NotBuilt, ProjectionStore, Unavailable
from service.accounts.accounts import Accounts, pseudonym
from service.games.acts import Depart, NotSeated
from service.games.games import Games
from service.observe.logging import log
from service.store.accounts import PlayerRow
from service.store.protocol import EventStore

GOING: Final = ("gathering", "running")
BATCH: Final = 200
LONGEST_TITLE: Final = 120


async def close_account(
    store: EventStore, rows: ProjectionStore, accounts: Accounts, games: Games, row: PlayerRow
) -> None:
    """Close an account for good.

    Whatever signs in to it ends. Its seats are given up, its offices laid down, and what it organizes passes to others
    (TAB-LIFE-06). Its name gives way to a pseudonym, in the titles of its games as well. The seats of a bot of the
    service wait for another one. After an interruption, call it again: it does what is left. Raises `StoreError`.
    """
    if row.bot is None:
        await _leave_games(store, rows, accounts, games, row)
    await accounts.close(row.player)
    if row.bot is None:  # what it joined meanwhile
        await _leave_games(store, rows, accounts, games, row)


async def _leave_games(
    store: EventStore, rows: ProjectionStore, accounts: Accounts, games: Games, row: PlayerRow
) -> None:
    """Leave all games of an account that go on, with an append for each."""
    async for each in _games_of(store, rows, row.player):
        await _retitle(store, rows, row, each)
        if each.status in GOING:
            await _leave(store, accounts, games, row.player, each)


async def _games_of(store: EventStore, rows: ProjectionStore, player: PlayerId) -> AsyncIterator[GameRow]:
    """Yield the games whose official an account is, in which it holds a seat, and which it organizes."""
    judged = list[GameId]()
    with suppress(Unavailable, NotBuilt):  # then it keeps its offices, until an organizer releases it
        judged = await officials.games_of(rows, player)
    found = await store.games(among=judged, limit=officials.MOST)
    for each in found:
        yield each
    found = await store.games(mine=player, limit=BATCH)
    while found:
        for each in found:
            yield each
        found = await store.games(mine=player, after=found[-1].game, limit=BATCH)


async def _leave(store: EventStore, accounts: Accounts, games: Games, player: PlayerId, row: GameRow) -> None:
    game = await games.game(row.game)
    with suppress(NotSeated):  # left before
        game = (await games.act(row.game, player, Depart(await _able(accounts, game)))).state
    if game.organizer != row.organizer:
        await store.organize(row.game, game.organizer)


async def _retitle(store: EventStore, rows: ProjectionStore, player: PlayerRow, row: GameRow) -> None:
    """Take the name of a player out of the title of a game."""
    named = rf"(?<!\w){re.escape(player.name)}(?!\w)"
    title = re.sub(named, pseudonym(player.player), row.title)[:LONGEST_TITLE]
    if title == row.title:
        return
    await store.retitle(row.game, title)
    try:
        await lobby.retitle(rows, row.game, title, row.ruleset)
    except Unavailable as error:
        log.warning("a title is found by its old words", game=row.game, why=str(error))


async def _able(accounts: Accounts, game: Game) -> frozenset[PlayerId]:
    """Return who can organize a game next: neither a bot nor a closed account."""
    rows = await accounts.named(set(organizing.heirs(game)))
    return frozenset(row.player for row in rows if row.bot is None and row.closed is None)
