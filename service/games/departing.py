"""What becomes of the games of an account that is closed."""

from contextlib import suppress
from typing import Final

from domain.kernel.ids import PlayerId
from domain.kernel.log import organizing
from domain.kernel.log.game import Game
from service.accounts.accounts import Accounts
from service.games.acts import Depart, NotSeated
from service.games.commands import Games
from service.store.protocol import EventStore

GOING: Final = ("gathering", "running")
BATCH: Final = 200


async def leave_games(store: EventStore, accounts: Accounts, games: Games, player: PlayerId) -> None:
    """Give up the seats of an account in all games that go on, and pass on what it organizes (TAB-LIFE-06).

    It takes an append for each of these games. Where it broke off, it goes on when it is called again. Raises
    `StoreError`.
    """
    for status in GOING:
        rows = await store.games(mine=player, status=status, limit=BATCH)
        while rows:
            for row in rows:
                game = await games.game(row.game)
                with suppress(NotSeated):  # left before
                    game = (await games.act(row.game, player, Depart(await _able(accounts, game)))).state
                if game.organizer != row.organizer:
                    await store.organize(row.game, game.organizer)
            rows = await store.games(mine=player, status=status, after=rows[-1].game, limit=BATCH)


async def _able(accounts: Accounts, game: Game) -> frozenset[PlayerId]:
    """Return who can organize a game next: neither a bot nor a closed account."""
    rows = await accounts.named(set(organizing.heirs(game)))
    return frozenset(row.player for row in rows if row.bot is None and row.closed is None)
